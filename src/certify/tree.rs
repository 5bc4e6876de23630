//! Manifests of directories: what lies in them, as every host sees it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use super::portable::{Collisions, check_path, check_target};
use super::{Identity, PathFault, TreeEntry, tree_identity};
use crate::data::Problem;

/// The most entries of a tree.
pub const ENTRY_LIMIT: usize = 200_000;

/// What git keeps of a repository. At the root it is no content; below, it is
/// another repository, whose content this tree would not hold.
const GIT: &str = ".git";

/// A manifest of a tree: its files and links, by path. Directories are in it by
/// what they hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeManifest {
    root: PathBuf,
    entries: Vec<TreeEntry>,
}

impl TreeManifest {
    /// The manifest of a directory, without a `.git` at its root.
    ///
    /// # Errors
    /// Everything in it that not every host sees alike, or that cannot be read.
    pub fn of_directory(root: &Path) -> Result<Self, Vec<Problem>> {
        let mut listing = Listing { root, ..Listing::default() };
        let wanted = |entry: &DirEntry| entry.depth() != 1 || entry.file_name() != GIT;
        let walk = WalkDir::new(root).min_depth(1).sort_by_file_name().into_iter();
        let mut walk = walk.filter_entry(wanted);
        while let Some(item) = walk.next() {
            if listing.entries.len() >= ENTRY_LIMIT {
                listing.fault(root, &PathFault::TooMany);
                break;
            }
            match item {
                Ok(entry) if entry.file_name() == GIT => {
                    listing.fault(entry.path(), &PathFault::NestedRepository);
                    if entry.file_type().is_dir() {
                        walk.skip_current_dir();
                    }
                }
                Ok(entry) => listing.add(&entry),
                Err(error) => {
                    let path = error.path().unwrap_or(root).to_owned();
                    let error = error.into_io_error();
                    let error = error.unwrap_or_else(|| io::Error::other("a loop of directories"));
                    listing.fault(&path, &PathFault::Unreadable(error));
                }
            }
        }
        if listing.entries.is_empty() && listing.problems.is_empty() {
            listing.fault(root, &PathFault::Empty);
        }
        let mut collisions = Collisions::default();
        for (path, entry) in &listing.entries {
            if let Err(fault) = collisions.add(&entry.path) {
                listing.problems.push(Problem::new(path, &fault));
            }
        }
        if listing.problems.is_empty() {
            let mut entries: Vec<_> = listing.entries.into_iter().map(|(_, entry)| entry).collect();
            entries.sort_by(|a, b| a.path.cmp(&b.path));
            Ok(Self { root: root.to_owned(), entries })
        } else {
            Err(listing.problems)
        }
    }

    /// The entries, by path.
    #[must_use]
    pub fn entries(&self) -> &[TreeEntry] {
        &self.entries
    }

    /// The identity of the tree.
    ///
    /// # Errors
    /// When a file is so large that its size has no exact number in JSON.
    pub fn identity(&self) -> Result<Identity, Problem> {
        tree_identity(self.entries.clone())
            .map_err(|error| Problem::new(&self.root, &PathFault::NoIdentity(error)))
    }
}

/// The identity of a file's content; links are followed.
///
/// # Errors
/// When it is no file or cannot be read.
pub fn identity_of_file(path: &Path) -> Result<Identity, Problem> {
    std::fs::canonicalize(path)
        .map_err(PathFault::Unreadable)
        .and_then(|place| digest_file(&place, ""))
        .map(|entry| entry.digest)
        .map_err(|fault| Problem::new(path, &fault))
}

/// Digests a file, and nothing else than a file: no link, no pipe.
///
/// # Errors
/// When it is none, cannot be read, or changes while it is read.
pub(super) fn digest_file(path: &Path, name: &str) -> Result<TreeEntry, PathFault> {
    let mut file = open(path).map_err(PathFault::Unreadable)?;
    let metadata = file.metadata().map_err(PathFault::Unreadable)?;
    if !metadata.is_file() {
        return Err(PathFault::Special);
    }
    let (digest, size) = Identity::of_reader(&mut file).map_err(PathFault::Unreadable)?;
    if size != metadata.len() {
        return Err(PathFault::Changed);
    }
    let mode = if is_executable(&metadata) { "0755" } else { "0644" };
    Ok(TreeEntry { path: name.to_owned(), kind: "file", mode, size, digest })
}

/// Opens a file for reading without waiting for the other end of a pipe.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
    }
    options.open(path)
}

#[cfg(unix)]
fn is_executable(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    false
}

struct Listing<'a> {
    root: &'a Path,
    entries: Vec<(PathBuf, TreeEntry)>,
    problems: Vec<Problem>,
}

impl Default for Listing<'_> {
    fn default() -> Self {
        Self { root: Path::new(""), entries: Vec::new(), problems: Vec::new() }
    }
}

impl Listing<'_> {
    fn fault(&mut self, path: &Path, fault: &PathFault) {
        self.problems.push(Problem::new(path, fault));
    }

    fn add(&mut self, found: &DirEntry) {
        match self.entry(found) {
            Ok(None) => {}
            Ok(Some(entry)) => self.entries.push((found.path().to_owned(), entry)),
            Err(fault) => self.fault(found.path(), &fault),
        }
    }

    fn entry(&self, found: &DirEntry) -> Result<Option<TreeEntry>, PathFault> {
        let below = found.path().strip_prefix(self.root).unwrap_or(found.path());
        let parts: Option<Vec<&str>> = below.iter().map(|part| part.to_str()).collect();
        let path = parts.ok_or(PathFault::NotUtf8)?.join("/");
        check_path(&path)?;
        let kind = found.file_type();
        if kind.is_dir() {
            Ok(None)
        } else if kind.is_symlink() {
            let target = fs::read_link(found.path()).map_err(PathFault::Unreadable)?;
            let target = target.to_str().ok_or(PathFault::LinkNotUtf8)?;
            check_target(&path, target)?;
            Ok(Some(TreeEntry::link(path, target)))
        } else if kind.is_file() {
            digest_file(found.path(), &path).map(Some)
        } else {
            Err(PathFault::Special)
        }
    }
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
