//! The files that certificate commands read.

use std::io::Read;
use std::path::Path;

use crate::certify::{Identity, Policy, Receipt, Refusal};
use crate::cli::Fatal;
use crate::cli::check::Input;

/// Reads the bytes of a receipt or a policy.
pub(super) fn read(
    what: &'static str,
    path: &Path,
    standard_input: &mut dyn Read,
) -> Result<Vec<u8>, Fatal> {
    match Input::read(what, path, standard_input) {
        Ok(input) => Ok(input.bytes),
        Err(error) => Err(Fatal::error(error.to_string()).with_remedy(error.remedy())),
    }
}

/// Reads a receipt; the inner error is why it is none.
pub(super) fn receipt(
    path: &Path,
    standard_input: &mut dyn Read,
) -> Result<Result<Receipt, Vec<Refusal>>, Fatal> {
    Ok(Receipt::parse(&read("receipt", path, standard_input)?))
}

/// Reads a policy; the inner error is why it is none.
pub(super) fn policy(path: &Path) -> Result<Result<Policy, Vec<Refusal>>, Fatal> {
    Ok(Policy::parse(&read("policy", path, &mut std::io::empty())?))
}

/// An identity that is written out, or that of the file or directory at a path.
pub(super) fn identity_or_path(text: &str) -> Result<Identity, Fatal> {
    match Identity::try_from(text.to_owned()) {
        Ok(identity) => Ok(identity),
        Err(_) => super::identity::of(Path::new(text))
            .map_err(|problems| super::identity::fatal(&problems)),
    }
}
