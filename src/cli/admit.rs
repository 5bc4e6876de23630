//! `check` and `admit`: the built-in verifier of receipts, by the contract for
//! implementations.

use std::io::{Read, Write};
use std::path::PathBuf;

use clap::Args;

use super::check::{CheckError, FindingsFormat, Input, conclude, is_standard_input};
use crate::certify::Verifier;
use crate::reference::receipts;
use crate::settings::Surroundings;

/// The options of `check`.
#[derive(Debug, Clone, Args)]
pub struct CheckArgs {
    /// The receipt, or a larger object with one in it; - for standard input
    #[arg(value_name = "RECEIPT")]
    pub receipt: PathBuf,

    /// How to write the findings
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: FindingsFormat,
}

/// The options of `admit`.
#[derive(Debug, Clone, Args)]
pub struct AdmitArgs {
    /// The receipt, or a larger object with one in it; - for standard input
    #[arg(value_name = "RECEIPT")]
    pub receipt: PathBuf,

    /// The policy; - for standard input
    #[arg(value_name = "POLICY")]
    pub policy: PathBuf,

    /// How to write the findings
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: FindingsFormat,
}

/// Checks a receipt, writes the findings, and says whether it is well-formed.
///
/// # Errors
/// When it cannot be read, or the findings not written.
pub fn check(
    args: &CheckArgs,
    surroundings: &Surroundings,
    standard_input: &mut dyn Read,
    out: &mut dyn Write,
) -> Result<bool, CheckError> {
    let receipt = Input::read("receipt", &args.receipt, standard_input)?;
    let ruling = receipts::check(&Verifier::default(), &receipt.bytes);
    conclude(&ruling, &|_| receipt.name.clone(), args.format, surroundings, out)
}

/// Holds a receipt against a policy, writes the findings, and says whether it is
/// admitted.
///
/// # Errors
/// When one of them cannot be read, or the findings not written.
pub fn admit(
    args: &AdmitArgs,
    surroundings: &Surroundings,
    standard_input: &mut dyn Read,
    out: &mut dyn Write,
) -> Result<bool, CheckError> {
    if is_standard_input(&args.receipt) && is_standard_input(&args.policy) {
        return Err(CheckError::TwiceStandardInput);
    }
    let receipt = Input::read("receipt", &args.receipt, standard_input)?;
    let policy = Input::read("policy", &args.policy, standard_input)?;
    let ruling = receipts::admit(&Verifier::default(), &receipt.bytes, &policy.bytes);
    let name = |document: &str| {
        if document == receipts::POLICY { policy.name.clone() } else { receipt.name.clone() }
    };
    conclude(&ruling, &name, args.format, surroundings, out)
}
