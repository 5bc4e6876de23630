//! The commands for authors, as clap sees them.

use std::io::Write;

use clap::Subcommand;

use super::lint::{LintArgs, lint_command};
use crate::cli::{Exit, Fatal};
use crate::settings::Surroundings;

/// What authors of fixtures do.
#[derive(Debug, Subcommand)]
pub enum AuthorCommand {
    /// For authors: tell what is wrong with suites and fixtures
    Lint(LintArgs),
}

impl AuthorCommand {
    /// Does it.
    pub(in crate::cli) fn run(
        &self,
        surroundings: &Surroundings,
        out: &mut dyn Write,
    ) -> Result<Exit, Fatal> {
        match self {
            Self::Lint(args) => lint_command(args, surroundings, out),
        }
    }
}
