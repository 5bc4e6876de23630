//! The commands for certificates, as clap sees them.

use std::io::{Read, Write};

use clap::Subcommand;

use super::certify::{CertifyArgs, certify};
use super::identity::{IdentityArgs, identity};
use super::receipt::{ReceiptCommand, receipt_command};
use crate::cli::{Exit, Fatal};
use crate::settings::Surroundings;

/// What is done with certificates.
#[derive(Debug, Subcommand)]
pub enum CertificateCommand {
    /// Run all that is required, and write a receipt when everything passes
    // Clap does not break the line.
    #[command(
        override_usage = "living-conformance certify [OPTIONS] --project <ID> --out <FILE>\n       \
                          [-- <ARGUMENT>...]"
    )]
    Certify(Box<CertifyArgs>),
    /// Verify, show and compare receipts
    #[command(subcommand)]
    Receipt(ReceiptCommand),
    /// Tell the identity of files and directories, or of an implementation
    Identity(Box<IdentityArgs>),
}

impl CertificateCommand {
    /// Does it.
    pub(in crate::cli) fn run(
        &self,
        surroundings: &Surroundings,
        standard_input: &mut dyn Read,
        out: &mut dyn Write,
    ) -> Result<Exit, Fatal> {
        match self {
            Self::Certify(args) => certify(args, surroundings, out),
            Self::Receipt(command) => receipt_command(command, surroundings, standard_input, out),
            Self::Identity(args) => identity(args, out),
        }
    }
}
