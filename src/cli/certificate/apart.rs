//! Keeps apart what `certify` writes and what it reads.

use std::path::Path;

use super::certify::CertifyArgs;
use super::under_test::short;
use crate::cli::Fatal;
use crate::cli::apart::{Named, apart};
use crate::report::{Sink, Target};

/// The code of two that are the same.
const CODE: Option<&str> = Some("certify.same-file");

/// Refuses files that would take the place of each other: a report that is written in
/// any case must not be where the last receipt is.
///
/// # Errors
/// When two are the same, or the attestation cannot be written.
pub(super) fn files_apart(args: &CertifyArgs) -> Result<(), Fatal> {
    let receipt = [Named::new("the receipt", &args.out)];
    let named = |what: &str, path: &Option<std::path::PathBuf>| -> Vec<Named> {
        path.iter().map(|path| Named::new(what, path)).collect()
    };
    let attestation = named("the attestation", &args.attest);
    let files = args.under_test.impl_file.iter();
    let mut read = named("the policy", &args.policy);
    read.extend(Named::reached(&args.reach));
    read.extend(files.map(|path| Named::new("a file of the implementation,", path)));
    apart(&receipt, &read, CODE)?;
    apart(&attestation, &[&receipt[..], &read].concat(), CODE)?;
    let kept = [&receipt[..], &attestation, &read].concat();
    apart(&Named::reports(&args.report), &kept, CODE)?;
    if let Some(path) = &args.attest {
        Sink::check(&Target::of_path(path.clone())).map_err(|error| unwritable(path, &error))?;
    }
    Ok(())
}

/// The attestation cannot be written.
pub(super) fn unwritable(path: &Path, error: &std::io::Error) -> Fatal {
    let text = format!("failed to write the attestation {}: {error}", short(path));
    Fatal::error(format!("{text} [certify.attestation-unwritable]"))
        .with_remedy("choose a path in a directory that exists and can be written")
}
