//! A tree of files: embedded in the binary, or a directory.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::embedded::{DIGEST, Embedded};
use super::list::{self, Entry, EntryKind, Listing};
use super::problem::{Fault, Problem};
use super::{Folder, Source};
use crate::core::Content;

/// The most bytes that a file of a tree may have: 16 MiB.
pub const FILE_LIMIT: u64 = 16 * 1024 * 1024;

/// A tree of files that are listed and read the same way wherever they are.
///
/// Paths in it are relative and joined by `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree(Place);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    Embedded(Folder),
    Directory(PathBuf),
}

/// A file, known by its digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Digested {
    pub(crate) path: Cow<'static, str>,
    /// Bytes.
    pub(crate) size: u64,
    /// SHA-256.
    pub(crate) digest: [u8; DIGEST],
}

/// What can be wrong with a file or directory, whatever it holds.
#[derive(Debug, thiserror::Error)]
pub enum TreeFault {
    /// The root does not exist.
    #[error("find this directory")]
    NoRoot,
    /// The root is something else than a directory.
    #[error("list this as a directory: it is none")]
    NoDirectory,
    /// It cannot be listed or read.
    #[error("read this: {0}")]
    Unreadable(#[source] io::Error),
    /// A link leads to nothing.
    #[error("follow this link: there is nothing at its end")]
    BrokenLink,
    /// Links lead back to where they started.
    #[error("follow this link: it leads back to {}", .0.as_deref().unwrap_or(Path::new("itself")).display())]
    LinkCycle(Option<PathBuf>),
    /// A name is not UTF-8.
    #[error("use this name: it is not UTF-8")]
    NotUtf8,
    /// A name has characters that do something else than being shown.
    #[error("use this name: it has control characters")]
    ControlCharacters,
    /// Neither a file nor a directory.
    #[error("read this: it is neither a file nor a directory")]
    Special,
    /// More than [`FILE_LIMIT`] bytes.
    #[error("read this file: it is larger than {} MiB", FILE_LIMIT >> 20)]
    Oversized,
    /// More entries than a tree may have.
    #[error("list this directory: there are more than {0} files and directories")]
    TooMany(usize),
}

impl Fault for TreeFault {
    fn code(&self) -> &'static str {
        match self {
            Self::NoRoot => "no-such-directory",
            Self::NoDirectory => "not-a-directory",
            Self::Unreadable(_) => "unreadable",
            Self::BrokenLink => "broken-link",
            Self::LinkCycle(_) => "link-cycle",
            Self::NotUtf8 => "name-not-utf8",
            Self::ControlCharacters => "name-control-characters",
            Self::Special => "special-file",
            Self::Oversized => "oversized",
            Self::TooMany(_) => "too-many-files",
        }
    }

    fn remedy(&self) -> String {
        match self {
            Self::NoRoot | Self::NoDirectory => "give the path of an existing directory",
            Self::Unreadable(_) => "make it readable or remove it",
            Self::BrokenLink => "put the file there, or remove the link",
            Self::LinkCycle(_) => "remove the link, or let it point at a file",
            Self::NotUtf8 => "rename it",
            Self::ControlCharacters => "rename it without them",
            Self::Special => "replace it by a regular file, or remove it",
            Self::Oversized => "make it smaller, or remove it",
            Self::TooMany(_) => "give a directory that holds nothing but fixtures",
        }
        .to_owned()
    }
}

impl Tree {
    /// A folder embedded in the binary.
    #[must_use]
    pub fn embedded(folder: Folder) -> Self {
        Self(Place::Embedded(folder))
    }

    /// A directory. That it exists shows when it is listed.
    #[must_use]
    pub fn directory(path: impl Into<PathBuf>) -> Self {
        Self(Place::Directory(path.into()))
    }

    /// A directory, or the embedded folder where none is named.
    #[must_use]
    pub fn named(directory: Option<&Path>, folder: Folder) -> Self {
        directory.map_or_else(|| Self::embedded(folder), Self::directory)
    }

    /// Whether it is embedded in the binary.
    #[must_use]
    pub fn is_embedded(&self) -> bool {
        matches!(self.0, Place::Embedded(_))
    }

    /// The name of the root directory itself, where it has a usable one.
    #[must_use]
    pub fn root_name(&self) -> Option<String> {
        match &self.0 {
            Place::Embedded(folder) => Some(folder.name().to_owned()),
            Place::Directory(root) => {
                let absolute = fs::canonicalize(root).ok()?;
                absolute.file_name()?.to_str().map(str::to_owned)
            }
        }
    }

    /// Where a path of the tree lies, for people.
    #[must_use]
    pub fn locate(&self, path: &str) -> PathBuf {
        let root = match &self.0 {
            Place::Embedded(folder) => Path::new(folder.name()),
            Place::Directory(root) => root,
        };
        // At its full size: a thousand are made at every start, by several threads.
        let mut place = PathBuf::with_capacity(root.as_os_str().len() + 1 + path.len());
        place.push(root);
        if !path.is_empty() {
            place.push(path);
        }
        place
    }

    /// All files and directories, sorted by path, and what is wrong with them.
    ///
    /// Links are followed. What has a hidden name is left out, unless `hidden`
    /// says of the name that it is wanted.
    #[must_use]
    pub fn list(&self, hidden: &dyn Fn(&str) -> bool) -> Listing {
        match &self.0 {
            Place::Embedded(folder) => list::embedded(folder.files().map(|(path, _)| path), hidden),
            Place::Directory(root) => list::directory(root, hidden),
        }
    }

    /// A YAML file of the harness's own.
    ///
    /// # Errors
    /// As [`Tree::read`], and when the file is not UTF-8.
    pub fn source(&self, path: &str) -> Result<Source, Problem> {
        let bytes = match &self.0 {
            Place::Embedded(folder) => match self.embedded_at(*folder, path)? {
                Embedded { bytes, json: Some(json), .. } => {
                    return Ok(Source::translated(self.locate(path), bytes, json));
                }
                Embedded { bytes, .. } => Cow::Borrowed(bytes),
            },
            Place::Directory(_) => Cow::Owned(self.disk_bytes(path)?),
        };
        Source::new(self.locate(path), bytes)
    }

    /// The bytes of a file; those of an embedded one are not copied, and their digest is
    /// known.
    ///
    /// Never waits for a pipe or device that stands where a file should.
    ///
    /// # Errors
    /// When the file does not exist, is no regular file, cannot be read, or has
    /// more than [`FILE_LIMIT`] bytes.
    pub fn read(&self, path: &str) -> Result<Content, Problem> {
        match &self.0 {
            Place::Embedded(folder) => {
                let file = self.embedded_at(*folder, path)?;
                Ok(Content::embedded(file.bytes, file.digest))
            }
            Place::Directory(_) => self.disk_bytes(path).map(Content::from),
        }
    }

    /// All files, by path: the size in bytes, and the SHA-256 digest. Of hidden names it
    /// has those that documents have.
    ///
    /// # Errors
    /// As [`Tree::read`].
    pub(crate) fn digests(&self) -> Result<Vec<Digested>, Problem> {
        let hidden = |name: &str| name == ".living";
        match &self.0 {
            Place::Embedded(folder) => {
                let files = folder.embedded().filter(|(path, _)| list::is_wanted(path, &hidden));
                let digested = |(path, file): (&'static str, Embedded)| Digested {
                    path: path.into(),
                    size: file.bytes.len() as u64,
                    digest: *file.digest,
                };
                Ok(files.map(digested).collect())
            }
            Place::Directory(root) => {
                let listing = list::directory(root, &hidden);
                let files = listing.entries.into_iter().filter(|it| it.kind == EntryKind::File);
                let digested = |Entry { path, .. }| {
                    let bytes = self.disk_bytes(&path)?;
                    let digest = Sha256::digest(&bytes).into();
                    Ok(Digested { path, size: bytes.len() as u64, digest })
                };
                files.map(digested).collect()
            }
        }
    }

    fn embedded_at(&self, folder: Folder, path: &str) -> Result<Embedded, Problem> {
        folder.file(path).ok_or_else(|| self.not_there(path))
    }

    fn disk_bytes(&self, path: &str) -> Result<Vec<u8>, Problem> {
        let file = self.locate(path);
        read_file(&file).map_err(|fault| Problem::new(file, &fault))
    }

    fn not_there(&self, path: &str) -> Problem {
        Problem::new(self.locate(path), &TreeFault::Unreadable(io::ErrorKind::NotFound.into()))
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, TreeFault> {
    let file = open(path).map_err(TreeFault::Unreadable)?;
    let metadata = file.metadata().map_err(TreeFault::Unreadable)?;
    if metadata.is_dir() {
        return Err(TreeFault::Unreadable(io::ErrorKind::IsADirectory.into()));
    }
    if !metadata.is_file() {
        return Err(TreeFault::Special);
    }
    let mut bytes = Vec::with_capacity(metadata.len().min(FILE_LIMIT) as usize);
    // The length may have changed since.
    file.take(FILE_LIMIT + 1).read_to_end(&mut bytes).map_err(TreeFault::Unreadable)?;
    if bytes.len() as u64 > FILE_LIMIT { Err(TreeFault::Oversized) } else { Ok(bytes) }
}

/// Opens for reading without waiting for the other end of a pipe.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}
