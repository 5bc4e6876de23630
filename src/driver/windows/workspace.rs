//! A worker's private folder: the documents of a fixture, and an empty working
//! directory.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use walkdir::WalkDir;

use crate::core::Document;

use super::registry::Registry;
use super::tree::remove_tree;

/// A worker's folder. Dropping it removes it.
#[derive(Debug)]
pub(crate) struct Workspace<'r> {
    root: PathBuf,
    registry: &'r Registry,
    input: PathBuf,
    work: PathBuf,
    documents: Vec<(PathBuf, Document)>,
}

impl<'r> Workspace<'r> {
    /// Makes a folder below `parent`.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(crate) fn new(parent: &Path, registry: &'r Registry) -> io::Result<Self> {
        let root = registry.make_folder(parent)?;
        let (input, work) = (root.join("in"), root.join("work"));
        let workspace = Self { root, registry, input, work, documents: Vec::new() };
        fs::create_dir(&workspace.work)?;
        Ok(workspace)
    }

    /// The folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The working directory for children; empty.
    pub(crate) fn work(&self) -> &Path {
        &self.work
    }

    /// Where the document of this name is.
    pub(crate) fn document(&self, name: &str) -> Option<&Path> {
        let found = self.documents.iter().find(|(_, document)| document.name == name);
        found.map(|(path, _)| path.as_path())
    }

    /// Makes these the documents; nothing is done when they are already.
    ///
    /// # Errors
    /// When they cannot be written, or when a path leaves the folder.
    pub(crate) fn write(&mut self, documents: &[Document]) -> io::Result<()> {
        if self.documents.iter().map(|(_, document)| document).eq(documents) {
            return Ok(());
        }
        self.documents.clear();
        remove_tree(&self.input)?;
        fs::create_dir(&self.input)?;
        for document in documents {
            let relative = Path::new(&document.path);
            if !relative.components().all(|part| matches!(part, Component::Normal(_))) {
                return Err(io::ErrorKind::InvalidFilename.into());
            }
            let path = self.input.join(relative);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(&path, &document.bytes)?;
            let mut permissions = fs::metadata(&path)?.permissions();
            permissions.set_readonly(true);
            fs::set_permissions(&path, permissions)?;
            self.documents.push((path, document.clone()));
        }
        Ok(())
    }

    /// What was changed since the documents were written; `None` when nothing.
    pub(crate) fn changes(&mut self) -> Option<String> {
        let changed = self.documents.iter().find_map(|(path, document)| {
            let what = match fs::symlink_metadata(path) {
                Err(_) => "was removed or renamed",
                Ok(data) if !data.is_file() => "was replaced",
                Ok(data) if !data.permissions().readonly() => "had its attributes changed",
                Ok(data) if data.len() != document.bytes.len() as u64 => "was written to",
                Ok(_) if fs::read(path).ok().as_deref() != Some(&*document.bytes) => {
                    "was written to"
                }
                Ok(_) => return None,
            };
            Some(format!("{:?} {what}", document.path))
        });
        changed.or_else(|| self.added().map(|name| format!("{name:?} was added")))
    }

    /// A file that is not meant to be among the documents.
    fn added(&self) -> Option<PathBuf> {
        let known: BTreeSet<&Path> = self.documents.iter().map(|(path, _)| &**path).collect();
        let entries = WalkDir::new(&self.input).into_iter().flatten();
        let mut files = entries.filter(|entry| !entry.file_type().is_dir());
        let added = files.find(|entry| !known.contains(entry.path()))?;
        added.path().strip_prefix(&self.input).ok().map(Path::to_owned)
    }

    /// Empties the working directory, and makes it again when it was removed or
    /// replaced.
    ///
    /// # Errors
    /// When that fails.
    pub(crate) fn clean(&mut self) -> io::Result<()> {
        let is_empty = fs::read_dir(&self.work).is_ok_and(|mut entries| entries.next().is_none());
        if is_empty {
            return Ok(());
        }
        remove_tree(&self.work)?;
        fs::create_dir(&self.work)
    }
}

impl Drop for Workspace<'_> {
    fn drop(&mut self) {
        // A temporary folder that cannot be removed is no reason to fail.
        if remove_tree(&self.root).is_ok() {
            self.registry.remove_folder(&self.root);
        }
    }
}
