//! Reads a list from its file.

use std::path::Path;

use super::check::{Scope, check};
use super::file::{EntryFile, ListFile};
use crate::core::{Date, FailureList};
use crate::data::{Problem, Source, Tree};

/// A list of expected failures, with its entries as they are written.
#[derive(Debug, Clone, Default)]
pub struct KnownFailures {
    /// The list, for a run to go by.
    pub list: FailureList,
    /// The entries, in the same order.
    pub(super) written: Vec<EntryFile>,
}

/// Reads a list as it holds on a day.
///
/// # Errors
/// All that is wrong with it.
pub fn read_list(
    path: &Path,
    scope: &Scope<'_>,
    today: Date,
) -> Result<KnownFailures, Vec<Problem>> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let tree = Tree::directory(folder.unwrap_or(Path::new(".")));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let source = tree.source(&name).map_err(|problem| vec![problem])?;
    parse(&source, &path.to_string_lossy(), scope, today)
}

pub(super) fn parse(
    source: &Source,
    shown: &str,
    scope: &Scope<'_>,
    today: Date,
) -> Result<KnownFailures, Vec<Problem>> {
    let file: ListFile = source.parse().map_err(|problem| vec![problem])?;
    let entries = check(source, &file, scope, shown)?;
    Ok(KnownFailures { list: FailureList::new(entries, today), written: file.failures })
}
