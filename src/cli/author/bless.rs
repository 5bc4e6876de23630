//! `bless`: goldens from the reference.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use clap::Args;

use super::checkout::CheckoutArgs;
use crate::cli::exit::written;
use crate::cli::{Exit, Fatal};
use crate::counted::counted;
use crate::fixture::{BlessInput, Proposal, Proposals, propose};
use crate::report::{diff, escape, replace};
use crate::settings::{ColorChoice, Surroundings};
use crate::suites;

/// The options of `bless`.
#[derive(Debug, Clone, Args)]
pub struct BlessArgs {
    /// Fixtures to bless: those whose id contains one of these texts [default: all]
    #[arg(value_name = "FILTER")]
    pub filters: Vec<String>,

    /// Show what would change, and change nothing; exit 1 when something would
    #[arg(long, conflicts_with = "yes")]
    pub dry_run: bool,

    /// Write without asking
    #[arg(long, short)]
    pub yes: bool,

    /// Also rewrite goldens whose verdict turns over
    #[arg(long)]
    pub accept_verdict_change: bool,

    /// Where suites and fixtures are.
    #[command(flatten)]
    pub checkout: CheckoutArgs,
}

/// Shows how goldens differ from what the reference says, and rewrites them.
///
/// # Errors
/// When there is no checkout, nothing was asked for, or a file cannot be written.
pub(super) fn bless_command(
    args: &BlessArgs,
    surroundings: &Surroundings,
    standard_input: &mut dyn Read,
    out: &mut dyn Write,
) -> Result<Exit, Fatal> {
    let checkout = args.checkout.open()?;
    let suites = suites::load(&checkout.suites)?;
    let found = propose(&BlessInput {
        suites: &suites,
        fixtures: &checkout.fixtures,
        filters: &args.filters,
    });
    if found.fixtures == 0 && found.problems.is_empty() {
        return Err(Fatal {
            exit: Exit::Nothing,
            message: "no fixture has an id like this".to_owned(),
            remedy: Some("give a part of an id, or none for all fixtures".to_owned()),
        });
    }
    let refused = |proposal: &&Proposal| !args.accept_verdict_change && !proposal.turns.is_empty();
    let color = surroundings.color(ColorChoice::Auto);
    show(&found, &refused, color, out).map_err(output)?;
    let writable: Vec<&Proposal> =
        found.proposals.iter().filter(|proposal| !refused(proposal)).collect();
    let left = found.proposals.len() - writable.len();
    let wrote = if writable.is_empty() || args.dry_run {
        false
    } else if args.yes || confirmed(writable.len(), standard_input, out).map_err(output)? {
        for proposal in &writable {
            write(&proposal.path, &proposal.new)?;
        }
        let done = writeln!(out, "{} written", counted(writable.len(), "golden"));
        written("what was done", done)?;
        true
    } else {
        writeln!(out, "nothing was written").map_err(output)?;
        false
    };
    out.flush().map_err(output)?;
    if !found.problems.is_empty() {
        let lines: Vec<String> = found.problems.iter().map(ToString::to_string).collect();
        return Err(Fatal::error(format!("failed to bless all of it\n{}", lines.join("\n"))));
    }
    let settled = (wrote || writable.is_empty()) && left == 0;
    Ok(if settled { Exit::Success } else { Exit::Failure })
}

fn output(error: io::Error) -> Fatal {
    Fatal::error(format!("failed to write what would change: {error}"))
}

fn show(
    found: &Proposals,
    refused: &dyn Fn(&&Proposal) -> bool,
    color: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    for proposal in &found.proposals {
        let path = proposal.path.to_string_lossy();
        writeln!(out, "{}", escape::line(&path))?;
        for (operation, before, after) in &proposal.turns {
            writeln!(
                out,
                "  the verdict of {operation} turns over, from {} to {}",
                before.as_str(),
                after.as_str()
            )?;
        }
        if refused(&proposal) {
            writeln!(out, "  so it is left alone without --accept-verdict-change")?;
        }
        for line in diff(&proposal.old, &proposal.new, color) {
            writeln!(out, "  {line}")?;
        }
    }
    let differ = counted(found.proposals.len(), "golden");
    writeln!(out, "{differ} of {} to change", counted(found.fixtures, "fixture"))
}

/// Asks on `out` and reads a line. No answer is a no.
fn confirmed(count: usize, input: &mut dyn Read, out: &mut dyn Write) -> io::Result<bool> {
    write!(out, "write {}? [y/N] ", counted(count, "golden"))?;
    out.flush()?;
    let mut answer = String::new();
    BufReader::new(input).take(64).read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// Writes a file of the checkout.
pub(super) fn write(path: &Path, text: &str) -> Result<(), Fatal> {
    replace(path, text.as_bytes()).map_err(|error| {
        Fatal::error(format!("failed to write {}: {error}", escape::line(&path.to_string_lossy())))
            .with_remedy("see that the checkout can be written")
    })
}
