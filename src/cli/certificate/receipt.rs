//! `receipt`: verify, show and compare receipts, and begin a policy for them.

use std::io::{self, Read, Write};
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::identity::written;
use super::policy::{PolicyArgs, policy};
use super::verify::{VerifyArgs, verify};
use super::{files, refusals};
use crate::certify::{Receipt, SuiteId};
use crate::cli::{Exit, Fatal};
use crate::data::printable;
use crate::report::hanging;
use crate::settings::Surroundings;

/// What is done with receipts.
#[derive(Debug, Subcommand)]
pub enum ReceiptCommand {
    /// Check a receipt: its form, a policy, evidence, the run itself
    Verify(Box<VerifyArgs>),
    /// Print a policy to start from, for a receipt or for what this program certifies
    Policy(Box<PolicyArgs>),
    /// Show what a receipt says
    Show(ShowArgs),
    /// Show in what two receipts differ
    Diff(DiffArgs),
}

/// The options of `receipt show`.
#[derive(Debug, Clone, Args)]
pub struct ShowArgs {
    /// The receipt, or a larger object with one in it; - for standard input
    #[arg(value_name = "RECEIPT")]
    pub receipt: PathBuf,
}

/// The options of `receipt diff`.
#[derive(Debug, Clone, Args)]
pub struct DiffArgs {
    /// One receipt
    #[arg(value_name = "OLD")]
    pub old: PathBuf,

    /// Another
    #[arg(value_name = "NEW")]
    pub new: PathBuf,
}

/// Does what a `receipt` command asks for.
pub(super) fn receipt_command(
    command: &ReceiptCommand,
    surroundings: &Surroundings,
    standard_input: &mut dyn Read,
    out: &mut dyn Write,
) -> Result<Exit, Fatal> {
    match command {
        ReceiptCommand::Verify(args) => verify(args, surroundings, standard_input, out),
        ReceiptCommand::Policy(args) => policy(args, surroundings, standard_input, out),
        ReceiptCommand::Show(args) => show(args, surroundings, standard_input, out),
        ReceiptCommand::Diff(args) => diff(args, surroundings, standard_input, out),
    }
}

fn show(
    args: &ShowArgs,
    surroundings: &Surroundings,
    standard_input: &mut dyn Read,
    out: &mut dyn Write,
) -> Result<Exit, Fatal> {
    let (exit, told) = match files::receipt(&args.receipt, standard_input)? {
        Ok(receipt) => {
            let text = labelled(lines(&receipt), surroundings.width());
            (Exit::Success, out.write_all(text.as_bytes()))
        }
        Err(found) => {
            let told = writeln!(out, "not well-formed");
            (Exit::Failure, told.and_then(|()| refusals::write(out, &found, surroundings.width())))
        }
    };
    end(exit, told)
}

fn diff(
    args: &DiffArgs,
    surroundings: &Surroundings,
    standard_input: &mut dyn Read,
    out: &mut dyn Write,
) -> Result<Exit, Fatal> {
    let mut sides = Vec::new();
    for path in [&args.old, &args.new] {
        match files::receipt(path, standard_input)? {
            Ok(receipt) => sides.push(lines(&receipt)),
            Err(found) => {
                let told = writeln!(out, "not well-formed: {}", super::under_test::short(path));
                let told = told.and_then(|()| refusals::write(out, &found, surroundings.width()));
                return end(Exit::Error, told);
            }
        }
    }
    let [old, new] = &sides[..] else { return Ok(Exit::Error) };
    let mut labels: Vec<&str> = old.iter().chain(new).map(|(label, _)| label.as_str()).collect();
    let mut seen = std::collections::HashSet::new();
    labels.retain(|label| seen.insert(*label));
    let of = |lines: &[(String, String)], label: &str| {
        lines.iter().find(|(other, _)| other == label).map(|(_, text)| text.clone())
    };
    let mut exit = Exit::Success;
    let mut text = String::new();
    for label in labels {
        let (before, after) = (of(old, label), of(new, label));
        if before != after {
            exit = Exit::Failure;
            text += &format!("{label}\n");
            let side = |sign: char, value: Option<String>| {
                value.map(|value| format!("  {sign} {value}\n")).unwrap_or_default()
            };
            text += &side('-', before);
            text += &side('+', after);
        }
    }
    end(exit, out.write_all(text.as_bytes()))
}

/// Labels with what they say, in lines of `width` columns.
pub(super) fn labelled(lines: impl IntoIterator<Item = (String, String)>, width: usize) -> String {
    lines.into_iter().map(|(label, text)| hanging(&label, 20, &text, width)).collect()
}

/// What a receipt says, one thing a line.
pub(super) fn lines(receipt: &Receipt) -> Vec<(String, String)> {
    let claims = receipt.claims();
    let line = |label: &str, text: &str| (label.to_owned(), printable(text));
    let mut lines = vec![
        line("receipt", receipt.identity().as_str()),
        line("project", &claims.project),
        line("project revision", claims.project_revision.as_str()),
        line("subject", claims.subject.as_str()),
        line("suite", &claims.suite.id),
    ];
    if let Some(id) = SuiteId::parse(&claims.suite.id) {
        let classes: Vec<String> = id.named.into_iter().collect();
        let classes = match classes.as_slice() {
            [] => "every class of it".to_owned(),
            some => some.join(", "),
        };
        lines.push(line("shown", &format!("{} {}, {classes}", id.spec, id.protocol)));
    }
    lines.extend([
        line("suite version", &claims.suite.version),
        line("suite revision", claims.suite.revision.as_str()),
        line("tests", &format!("{}, all passed", claims.tests)),
        line("result", claims.result.as_str()),
    ]);
    let evidence = claims.evidence.iter();
    lines.extend(evidence.map(|(kind, identity)| line(kind.as_str(), identity.as_str())));
    lines
}

fn end(exit: Exit, told: io::Result<()>) -> Result<Exit, Fatal> {
    told.map_or_else(written, |()| Ok(exit))
}
