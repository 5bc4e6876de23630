//! Writes the current receipt of a project to its file: all of it or nothing.
//!
//! A temporary file in the same directory is written, brought to the disk, and
//! renamed. Whoever writes holds a lock on the directory, so that what an ended
//! writer left behind can be told from what is under way. Readers need no lock:
//! at any moment they find a whole receipt, the old one or the new one.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::{Receipt, Refusal, SIZE_LIMIT};
use crate::data::Fault;

/// How long another writer is waited for. A write takes milliseconds.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
/// How often to try.
const LOCK_RETRY: Duration = Duration::from_millis(10);

/// The file of a project's current receipt, as it was when it was opened.
#[derive(Debug)]
pub struct Projection {
    path: PathBuf,
    directory: PathBuf,
    partial: PathBuf,
    project: String,
    seen: Option<Vec<u8>>,
}

/// What came of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Projected {
    /// The file holds the new receipt.
    Written,
    /// It held the very same before and was not touched.
    Unchanged,
}

/// Why the file cannot hold a receipt. It is as it was.
#[derive(Debug, thiserror::Error)]
pub enum ProjectionFault {
    /// The path names no file.
    #[error("write a receipt here: this is no path of a file")]
    NoName,
    /// The directory does not exist or is none.
    #[error("write a receipt here: there is no such directory")]
    NoDirectory,
    /// A symbolic link stands there.
    #[error("replace this: it is a link")]
    Link,
    /// Something else than a file stands there.
    #[error("replace this: it is no regular file")]
    NotAFile,
    /// What stands there is no receipt.
    #[error("replace this: it is no receipt in canonical form{}", first(.0))]
    Invalid(Vec<Refusal>),
    /// The receipt there is of another project.
    #[error("replace this: it is the receipt of the project {found:?}, not of {expected:?}")]
    OtherProject {
        /// The project of the file.
        found: String,
        /// The project of the new receipt.
        expected: String,
    },
    /// The file is not what it was when it was opened.
    #[error("replace this: it was changed meanwhile")]
    Changed,
    /// Another writer does not end.
    #[error("write a receipt here: another certification has been writing for too long")]
    Locked,
    /// It cannot be read.
    #[error("read this: {0}")]
    Unreadable(#[source] io::Error),
    /// It cannot be written.
    #[error("write a receipt here: {0}")]
    Unwritable(#[source] io::Error),
}

impl Fault for ProjectionFault {
    fn code(&self) -> &'static str {
        match self {
            Self::NoName => "receipt.projection.no-name",
            Self::NoDirectory => "receipt.projection.no-directory",
            Self::Link => "receipt.projection.link",
            Self::NotAFile => "receipt.projection.not-a-file",
            Self::Invalid(_) => "receipt.projection.invalid",
            Self::OtherProject { .. } => "receipt.projection.other-project",
            Self::Changed => "receipt.projection.changed",
            Self::Locked => "receipt.projection.locked",
            Self::Unreadable(_) => "receipt.projection.unreadable",
            Self::Unwritable(_) => "receipt.projection.unwritable",
        }
    }

    fn remedy(&self) -> String {
        match self {
            Self::NoName => "give the path of a file, such as verification/current.json",
            Self::NoDirectory => "make the directory first",
            Self::Link => "give the path that it leads to, or remove the link",
            Self::NotAFile => "give another path",
            Self::Invalid(_) => {
                "restore the last receipt from the history of the project, or move the file away"
            }
            Self::OtherProject { .. } => "correct the project's id, or give another path",
            Self::Changed => "look at what was written there, and certify again",
            Self::Locked => "end the other certification",
            Self::Unreadable(_) => "make it readable, or move it away",
            Self::Unwritable(_) => "check the permissions and the space of the directory",
        }
        .to_owned()
    }
}

fn first(refusals: &[Refusal]) -> String {
    refusals.first().map_or_else(String::new, |refusal| format!(": {refusal}"))
}

impl Projection {
    /// Looks at the file for a project's receipt, which need not exist yet, and
    /// remembers what is in it.
    ///
    /// # Errors
    /// When there is something that a receipt must not replace.
    pub fn open(path: &Path, project: &str) -> Result<Self, ProjectionFault> {
        let name = path.file_name().ok_or(ProjectionFault::NoName)?;
        let directory = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        if !directory.is_dir() {
            return Err(ProjectionFault::NoDirectory);
        }
        let mut partial = OsString::from(".");
        partial.push(name);
        partial.push(".partial");
        let mut projection = Self {
            path: path.to_owned(),
            directory: directory.to_owned(),
            partial: directory.join(partial),
            project: project.to_owned(),
            seen: None,
        };
        projection.seen = projection.read()?;
        Ok(projection)
    }

    /// Makes the file hold this receipt, in canonical form without a newline.
    ///
    /// # Errors
    /// When the file is not what it was, or cannot be written. It is then as it
    /// was before.
    pub fn write(&self, receipt: &Receipt) -> Result<Projected, ProjectionFault> {
        if receipt.claims().project != self.project {
            return Err(self.other_project(receipt));
        }
        let lock = self.lock()?;
        let current = self.read()?;
        if current.as_deref().map(without_newline) == Some(receipt.canonical()) {
            return Ok(Projected::Unchanged);
        }
        if current != self.seen {
            return Err(ProjectionFault::Changed);
        }
        let written = self.write_partial(receipt.canonical()).and_then(|()| {
            // Not everybody asks for the lock.
            if self.read()? != self.seen {
                return Err(ProjectionFault::Changed);
            }
            fs::rename(&self.partial, &self.path).map_err(ProjectionFault::Unwritable)
        });
        if written.is_err() {
            // It may never have come to be; the next writer removes it in any case.
            let _ = fs::remove_file(&self.partial);
        }
        written?;
        sync_directory(&lock).map_err(ProjectionFault::Unwritable)?;
        Ok(Projected::Written)
    }

    fn write_partial(&self, bytes: &[u8]) -> Result<(), ProjectionFault> {
        let create = || OpenOptions::new().write(true).create_new(true).open(&self.partial);
        let created = match create() {
            // Its writer has ended, or the lock would not be ours.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                fs::remove_file(&self.partial).and_then(|()| create())
            }
            other => other,
        };
        created
            .and_then(|mut file| {
                file.write_all(bytes)?;
                file.sync_all()
            })
            .map_err(ProjectionFault::Unwritable)
    }

    /// The bytes of the file, which is a receipt of the project; `None` when there
    /// is no file.
    fn read(&self) -> Result<Option<Vec<u8>>, ProjectionFault> {
        match fs::symlink_metadata(&self.path) {
            Ok(metadata) if metadata.is_symlink() => return Err(ProjectionFault::Link),
            Ok(metadata) if !metadata.is_file() => return Err(ProjectionFault::NotAFile),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(ProjectionFault::Unreadable(error)),
        }
        let mut bytes = Vec::new();
        super::tree::open(&self.path)
            .and_then(|file| file.take(SIZE_LIMIT as u64 + 1).read_to_end(&mut bytes))
            .map_err(ProjectionFault::Unreadable)?;
        let receipt = Receipt::parse(&bytes).map_err(ProjectionFault::Invalid)?;
        if without_newline(&bytes) != receipt.canonical() {
            return Err(ProjectionFault::Invalid(Vec::new()));
        }
        if receipt.claims().project != self.project {
            return Err(self.other_project(&receipt));
        }
        Ok(Some(bytes))
    }

    fn other_project(&self, receipt: &Receipt) -> ProjectionFault {
        let found = receipt.claims().project.clone();
        ProjectionFault::OtherProject { found, expected: self.project.clone() }
    }

    /// Locks the directory until the file that is returned is dropped. The lock
    /// ends with its process, however that ends.
    fn lock(&self) -> Result<File, ProjectionFault> {
        let file = lock_file(&self.directory).map_err(ProjectionFault::Unwritable)?;
        let deadline = Instant::now() + LOCK_TIMEOUT;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    thread::sleep(LOCK_RETRY);
                }
                Err(TryLockError::WouldBlock) => return Err(ProjectionFault::Locked),
                Err(TryLockError::Error(error)) => return Err(ProjectionFault::Unwritable(error)),
            }
        }
    }
}

fn without_newline(bytes: &[u8]) -> &[u8] {
    bytes.strip_suffix(b"\n").unwrap_or(bytes)
}

/// The directory itself: no file is left behind.
#[cfg(unix)]
fn lock_file(directory: &Path) -> io::Result<File> {
    File::open(directory)
}

#[cfg(not(unix))]
fn lock_file(directory: &Path) -> io::Result<File> {
    File::create(directory.join(".living-conformance.lock"))
}

#[cfg(unix)]
fn sync_directory(directory: &File) -> io::Result<()> {
    directory.sync_all()
}

#[cfg(not(unix))]
fn sync_directory(_: &File) -> io::Result<()> {
    Ok(())
}
