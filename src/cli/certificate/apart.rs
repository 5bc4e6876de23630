//! Keeps apart what `certify` writes and what it reads.

use std::path::Path;

use super::certify::CertifyArgs;
use super::under_test::short;
use crate::cli::Fatal;
use crate::report::{Sink, Target};

/// Refuses files that would take the place of each other: a report that is written in
/// any case must not be where the last receipt is.
///
/// # Errors
/// When two are the same, or the attestation cannot be written.
pub(super) fn apart(args: &CertifyArgs) -> Result<(), Fatal> {
    let out = ("the receipt", Target::of_path(args.out.clone()));
    let attest = args.attest.clone().map(|path| ("the attestation", Target::of_path(path)));
    let policy = args.policy.clone().map(|path| ("the policy", Target::of_path(path)));
    let kept: Vec<(&str, Target)> = [Some(out), attest, policy].into_iter().flatten().collect();
    for (index, (name, target)) in kept.iter().enumerate() {
        if let Some((other, _)) = kept[..index].iter().find(|(_, it)| it.is_same(target)) {
            return Err(same(&format!("{name} and {other} are"), target));
        }
        if let Some(spec) = args.report.iter().find(|spec| spec.goes_to(target)) {
            return Err(same(&format!("the {spec} and {name} are"), target));
        }
    }
    if let Some(path) = &args.attest {
        Sink::check(&Target::of_path(path.clone())).map_err(|error| unwritable(path, &error))?;
    }
    Ok(())
}

fn same(which: &str, target: &Target) -> Fatal {
    let target = crate::data::printable(&target.to_string());
    Fatal::error(format!("{which} the same file, {target} [certify.same-file]"))
        .with_remedy("give each a file of its own")
}

/// The attestation cannot be written.
pub(super) fn unwritable(path: &Path, error: &std::io::Error) -> Fatal {
    let text = format!("failed to write the attestation {}: {error}", short(path));
    Fatal::error(format!("{text} [certify.attestation-unwritable]"))
        .with_remedy("choose a path in a directory that exists and can be written")
}
