//! The program under test: where it is, and that it stays executable.

use std::ffi::OsStr;
use std::fs::{Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::StartError;
use super::start::find_program;

/// A program that can be executed.
#[derive(Debug)]
pub(crate) struct Program {
    path: PathBuf,
    found: Metadata,
}

impl Program {
    /// Finds it, as [`find_program`] does.
    pub(crate) fn find(name: &OsStr, search_path: Option<&OsStr>) -> Result<Self, StartError> {
        let path = find_program(name, search_path)?;
        match path.metadata() {
            Ok(found) => Ok(Self { path, found }),
            Err(source) => Err(StartError::explain(&path, source)),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the file back the mode that it had, and says that it had another.
    /// A file that was replaced, as a build does, is left as it is.
    pub(crate) fn restore(&self) -> Option<String> {
        let now = self.path.metadata().ok()?;
        let is_same = (now.dev(), now.ino()) == (self.found.dev(), self.found.ino());
        if !is_same || now.mode() == self.found.mode() {
            return None;
        }
        let restored = self.set_mode().is_ok();
        Some(format!(
            "the mode of its own program was changed to {:04o}{}",
            now.mode() & 0o7777,
            if restored { "" } else { " and could not be changed back" }
        ))
    }

    fn set_mode(&self) -> io::Result<()> {
        std::fs::set_permissions(&self.path, Permissions::from_mode(self.found.mode()))
    }
}
