//! The commands for authors, as clap sees them.

use std::io::{Read, Write};

use clap::Subcommand;

use super::bless::{BlessArgs, bless_command};
use super::explain::{ExplainArgs, explain_command};
use super::lint::{LintArgs, lint_command};
use super::minimize::{MinimizeArgs, minimize_command};
use super::new::{NewArgs, new_command};
use super::release::{ReleaseArgs, release_command};
use crate::cli::{Exit, Fatal};
use crate::settings::Surroundings;

/// What authors of fixtures do.
#[derive(Debug, Subcommand)]
pub enum AuthorCommand {
    /// Tell what is wrong with suites and fixtures
    Lint(LintArgs),
    /// Rewrite goldens from the reference
    Bless(BlessArgs),
    /// Make a fixture with the golden that the reference gives
    New(NewArgs),
    /// Freeze the cases that there are as a release of the suites
    Release(ReleaseArgs),
    /// Shrink the documents of a failing case to what still fails
    Minimize(Box<MinimizeArgs>),
    /// Tell everything known of a rule, a fixture, an open question or a code
    Explain(ExplainArgs),
}

impl AuthorCommand {
    /// Does it.
    pub(in crate::cli) fn run(
        &self,
        surroundings: &Surroundings,
        standard_input: &mut dyn Read,
        out: &mut dyn Write,
    ) -> Result<Exit, Fatal> {
        match self {
            Self::Lint(args) => lint_command(args, surroundings, out),
            Self::Minimize(args) => minimize_command(args, surroundings, out),
            Self::Explain(args) => explain_command(args, surroundings, out),
            Self::Release(args) => release_command(args, surroundings, out),
            Self::New(args) => new_command(args, standard_input, out),
            Self::Bless(args) => bless_command(args, surroundings, standard_input, out),
        }
    }
}
