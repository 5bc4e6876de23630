//! Holds the directories that suites and fixtures are taken from to what every host has:
//! a receipt names their content, and somebody else is to find the same.

use crate::certify::TreeManifest;
use crate::cli::Fatal;
use crate::cli::args::ScopeArgs;

/// Refuses directories with something in them that not every host has.
///
/// # Errors
/// Everything of that kind.
pub(super) fn check(scope: &ScopeArgs) -> Result<(), Fatal> {
    let directories = [&scope.suites, &scope.fixtures];
    let problems: Vec<_> = directories
        .into_iter()
        .flatten()
        .filter_map(|directory| TreeManifest::of_directory(directory).err())
        .flatten()
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(super::identity::fatal(&problems)) }
}
