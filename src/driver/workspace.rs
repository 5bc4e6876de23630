//! A worker's private folder: the documents of a fixture, and an empty working
//! directory.

use std::io;
use std::path::{Component, Path, PathBuf};

use rustix::io::Errno;

use crate::core::Document;

use super::kept::{KeptFile, KeptFolder};
use super::registry::Registry;
use super::tree::{clear_tree, remove_tree};

/// Where the documents are, below the worker's folder.
const INPUT: &str = "in";
/// The working directory of the children, below the worker's folder.
const WORK: &str = "work";

/// A worker's folder. Dropping it removes it.
///
/// Between the cases of a fixture, and from one fixture to the next of the same
/// shape, files and directories stay as they are: making them anew would cost
/// more than all the looking whether they have been changed.
#[derive(Debug)]
pub(crate) struct Workspace<'r> {
    root: PathBuf,
    registry: &'r Registry,
    work: KeptFolder,
    /// The folder of the documents, and those in it.
    folders: Vec<KeptFolder>,
    files: Vec<KeptFile>,
}

impl<'r> Workspace<'r> {
    /// Makes a folder below `parent`.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(crate) fn new(parent: &Path, registry: &'r Registry) -> io::Result<Self> {
        let root = registry.make_folder(parent)?;
        match KeptFolder::make(root.join(WORK)) {
            Ok(work) => Ok(Self { root, registry, work, folders: Vec::new(), files: Vec::new() }),
            Err(error) => {
                discard(&root, registry);
                Err(error)
            }
        }
    }

    /// The folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The working directory for children; empty.
    pub(crate) fn work(&self) -> &Path {
        self.work.path()
    }

    /// Where the document of this name is.
    pub(crate) fn document(&self, name: &str) -> Option<&Path> {
        self.files.iter().find(|file| file.document().name == name).map(KeptFile::path)
    }

    /// Makes these the documents; nothing is done when they are already.
    ///
    /// # Errors
    /// When they cannot be written, or when a path leaves the folder.
    pub(crate) fn write(&mut self, documents: &[Document]) -> io::Result<()> {
        if self.files.len() == documents.len()
            && self.files.iter().zip(documents).all(|(file, new)| file.document().path == new.path)
        {
            let mut pairs = self.files.iter_mut().zip(documents);
            pairs.try_for_each(|(file, document)| file.rewrite(document))
        } else {
            self.write_anew(documents)
        }
    }

    fn write_anew(&mut self, documents: &[Document]) -> io::Result<()> {
        self.files.clear();
        self.folders.clear();
        let input = self.root.join(INPUT);
        remove_tree(&input)?;
        self.folders.push(KeptFolder::make(input.clone())?);
        for document in documents {
            let relative = Path::new(&document.path);
            if !relative.components().all(|part| matches!(part, Component::Normal(_))) {
                return Err(io::ErrorKind::InvalidFilename.into());
            }
            let path = input.join(relative);
            self.make_folder(path.parent().unwrap_or(&input), &input)?;
            self.files.push(KeptFile::write(path.clone(), document)?);
            self.expect(&path);
        }
        Ok(())
    }

    /// Makes `folder` and what is missing between `input` and it.
    fn make_folder(&mut self, folder: &Path, input: &Path) -> io::Result<()> {
        let mut missing: Vec<_> = folder
            .ancestors()
            .take_while(|&path| path != input)
            .filter(|&path| !self.folders.iter().any(|known| known.path() == path))
            .collect();
        while let Some(path) = missing.pop() {
            self.folders.push(KeptFolder::make(path.to_owned())?);
            self.expect(path);
        }
        Ok(())
    }

    /// Tells the folder above `path` that this entry is meant to be there.
    fn expect(&mut self, path: &Path) {
        let above = path.parent();
        if let Some(folder) = self.folders.iter_mut().find(|it| Some(it.path()) == above) {
            folder.expect(path.file_name().unwrap_or_default());
        }
    }

    /// What was changed since the documents were written; `None` when nothing.
    pub(crate) fn changes(&mut self) -> Option<String> {
        self.files
            .iter_mut()
            .find_map(KeptFile::change)
            .or_else(|| self.folders.iter_mut().find_map(KeptFolder::change))
    }

    /// Empties the working directory, and makes it again when it was removed or
    /// replaced.
    ///
    /// # Errors
    /// When that fails.
    pub(crate) fn clean(&mut self) -> io::Result<()> {
        if self.work.is_itself() {
            return match self.work.unexpected()? {
                Some(_) => clear_tree(self.work.path()),
                None => Ok(()),
            };
        }
        let path = self.work.path().to_owned();
        match rustix::fs::unlink(&path) {
            Err(Errno::ISDIR | Errno::PERM) => remove_tree(&path)?,
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
        self.work = KeptFolder::make(path)?;
        Ok(())
    }
}

impl Drop for Workspace<'_> {
    fn drop(&mut self) {
        discard(&self.root, self.registry);
    }
}

fn discard(root: &Path, registry: &Registry) {
    // A temporary folder that cannot be removed is no reason to fail; it stays
    // registered, for another attempt at the end.
    if remove_tree(root).is_ok() {
        registry.remove_folder(root);
    }
}
