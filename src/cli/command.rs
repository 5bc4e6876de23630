//! What the program can be told to do, as clap sees it. `--help` is made from these
//! comments.

use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Parser, Subcommand};

use super::adequacy::AdequacyArgs;
use super::admit::{AdmitArgs, CheckArgs};
use super::args::RunArgs;
use super::author::AuthorCommand;
use super::certificate::CertificateCommand;
use super::compare::CompareArgs;
use super::coverage::CoverageArgs;
use super::help::HelpArgs;
use super::matching::MatchArgs;
use super::merge::MergeArgs;
use super::page::PageArgs;
use super::profile::ProfileCommand;
use super::shell::{CompletionsArgs, ManArgs};
use super::validate::ValidateArgs;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Certifies implementations of the Living Repositories Protocol, rule by rule.
///
/// Runs an implementation over fixtures, compares its exit codes and findings
/// with golden files, and tells which rules of the protocol it keeps.
#[derive(Debug, Parser)]
#[command(
    name = "living-conformance",
    version,
    styles = STYLES,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true
)]
pub struct Cli {
    /// What to do instead of a run.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// A run.
    #[command(flatten)]
    pub run: RunArgs,
}

/// What to do instead of a run.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run an implementation over the fixtures; the same as without a command
    Run(Box<RunArgs>),
    /// Check a manifest, as the built-in reference
    Validate(ValidateArgs),
    /// Match a manifest against a runtime's capability document, as the built-in reference
    Match(MatchArgs),
    /// Make one HTML page of the JSON reports of one run or more
    Page(PageArgs),
    /// Hold the JSON reports of several runs against each other
    Compare(CompareArgs),
    /// Check a receipt of a passing test run, as the built-in verifier
    Check(CheckArgs),
    /// Hold a receipt against a policy, as the built-in verifier
    Admit(AdmitArgs),
    /// What is done with certificates.
    #[command(flatten)]
    Certificate(CertificateCommand),
    /// What authors of fixtures do.
    #[command(flatten)]
    Author(AuthorCommand),
    /// Join the reports of shards to that of the whole
    Merge(MergeArgs),
    /// Tell which rules the fixtures decide, and which a run exercised
    Coverage(CoverageArgs),
    /// Put the fixtures to broken implementations, and tell which of them they catch
    Adequacy(AdequacyArgs),
    /// Answer the cases of a session on standard input, as the built-in reference
    Session,
    /// Answer the cases of a session with a library
    #[cfg(all(unix, feature = "library"))]
    #[command(name = super::library::HOST, hide = true)]
    LibraryHost {
        /// The shared object
        library: PathBuf,
    },
    /// Write what makes a shell complete the command line
    Completions(CompletionsArgs),
    /// Write the manual
    Man(ManArgs),
    /// Tell of a command or a topic
    Help(HelpArgs),
    /// Clean up when the run that started this process is killed
    #[cfg(unix)]
    #[command(name = super::guard::WATCHDOG, hide = true)]
    Watchdog {
        /// What marks the processes of the run
        tag: String,
        /// Where runs make their folders
        temporary: PathBuf,
    },
    /// Write, list or show profiles of tools that do not follow the contract
    #[command(subcommand)]
    Profile(ProfileCommand),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::super::args::TIMEOUT;
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_usual_time_is_the_one_that_is_documented() {
        assert_eq!(Cli::parse_from(["lc"]).run.reach.timeout, TIMEOUT);
    }

    #[test]
    fn what_follows_two_dashes_is_the_implementation_s() {
        let cli = Cli::parse_from(["lc", "--impl", "p", "filter", "--", "--list", "a b"]);
        assert_eq!(cli.run.filters, ["filter"]);
        assert_eq!(cli.run.reach.arguments, ["--list", "a b"]);
        assert!(!cli.run.list);
    }
}
