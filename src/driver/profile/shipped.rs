//! Where profiles come from: the binary, or a file.

use std::path::{Path, PathBuf};

use crate::core::{RuleTable, Suite};
use crate::data::{Folder, Problem, Source, Tree};

use super::check::check;
use super::fault::ProfileFault;
use super::model::Profile;

/// Where the files of a profile are, for `{profile}` in its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Home {
    /// It has none.
    None,
    /// In the binary.
    Embedded,
    /// In this folder.
    Folder(PathBuf),
}

/// The names of the profiles in the binary.
#[must_use]
pub fn shipped_profiles() -> Vec<String> {
    let listing = Tree::embedded(Folder::Adapters).list(&|_| false);
    let names = listing.entries.into_iter().filter_map(|entry| {
        let name = entry.path.strip_suffix(".yaml")?;
        (!name.contains('/')).then(|| name.to_owned())
    });
    names.collect()
}

/// The profile that a user means: a path that has a separator or ends in `.yaml`
/// or `.yml`, or the name of one in the binary. Its operations and rules are held against
/// those of the suites; of none, any may be.
///
/// # Errors
/// All that is wrong with it.
pub fn find_profile(
    name: &str,
    suites: &[Suite],
    rules: &RuleTable,
) -> Result<Profile, Vec<Problem>> {
    let path = Path::new(name);
    let is_yaml = path.extension().is_some_and(|end| end == "yaml" || end == "yml");
    if is_yaml || path.components().count() > 1 {
        return read_profile(path, suites, rules);
    }
    let known = shipped_profiles();
    if !known.iter().any(|shipped| shipped == name) {
        let fault = ProfileFault::Unknown { name: name.to_owned(), known };
        return Err(vec![Problem::new(name, &fault)]);
    }
    let source = source(&Tree::embedded(Folder::Adapters), &format!("{name}.yaml"))?;
    check(&source, Home::Embedded, suites, rules)
}

/// The profile in a file, as [`find_profile`] reads it.
///
/// # Errors
/// All that is wrong with it.
pub fn read_profile(
    path: &Path,
    suites: &[Suite],
    rules: &RuleTable,
) -> Result<Profile, Vec<Problem>> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // Its program has another working directory: a relative path would be lost.
    let home = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    check(&source(&Tree::directory(folder), &name)?, Home::Folder(home), suites, rules)
}

fn source(tree: &Tree, path: &str) -> Result<Source, Vec<Problem>> {
    tree.source(path).map_err(|problem| vec![problem])
}
