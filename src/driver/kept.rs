//! Files and folders that must stay as they were made, with what it takes to
//! see whether they have.
//!
//! A look costs two or three system calls. It compares the contents, and not
//! only time stamps: on many systems these stand still for some milliseconds, so
//! that a change right after the writing does not show in them.

use std::ffi::OsStr;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, Stat, fstat, lstat};
use rustix::io::Errno;

use crate::core::Document;

/// For people, a name is cut after so many characters.
const LONGEST_NAME: usize = 80;

/// A document as it was written.
///
/// The open file keeps its inode's number from being given to another file, and
/// is how the next document of the same name is written.
#[derive(Debug)]
pub(crate) struct KeptFile {
    document: Document,
    path: PathBuf,
    file: File,
    made: Stat,
    scratch: Vec<u8>,
}

impl KeptFile {
    /// Writes a new file that may only be read.
    pub(crate) fn write(path: PathBuf, document: &Document) -> io::Result<Self> {
        let file =
            OpenOptions::new().read(true).write(true).create_new(true).mode(0o444).open(&path)?;
        file.write_all_at(&document.bytes, 0)?;
        let made = fstat(&file)?;
        Ok(Self { document: document.clone(), path, file, made, scratch: Vec::new() })
    }

    /// Puts another document of the same path into the file; nothing is done
    /// when it is there already.
    pub(crate) fn rewrite(&mut self, document: &Document) -> io::Result<()> {
        if !self.document.bytes.is_clone_of(&document.bytes) {
            // Not truncated to nothing first: some file systems take that for a
            // file being replaced, and write it to the disk at once.
            self.file.write_all_at(&document.bytes, 0)?;
            if document.bytes.len() < self.document.bytes.len() {
                self.file.set_len(document.bytes.len() as u64)?;
            }
            self.made = fstat(&self.file)?;
        }
        if self.document != *document {
            self.document.clone_from(document);
        }
        Ok(())
    }

    pub(crate) fn document(&self) -> &Document {
        &self.document
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What was done to it.
    pub(crate) fn change(&mut self) -> Option<String> {
        let what = match lstat(&self.path) {
            Err(Errno::NOENT | Errno::NOTDIR) => Some("was removed or renamed".to_owned()),
            Err(error) => Some(format!("can no longer be seen: {error}")),
            Ok(now) if FileType::from_raw_mode(now.st_mode) == FileType::Symlink => {
                Some("was replaced by a link".to_owned())
            }
            Ok(now) if !is_same(&now, &self.made) => Some("was replaced".to_owned()),
            Ok(now) if now.st_mode != self.made.st_mode => {
                let (old, new) = (self.made.st_mode & 0o7777, now.st_mode & 0o7777);
                Some(format!("had its mode changed from {old:04o} to {new:04o}"))
            }
            Ok(now) if (now.st_uid, now.st_gid) != (self.made.st_uid, self.made.st_gid) => {
                Some("was given to another user or group".to_owned())
            }
            Ok(now) if now.st_nlink != self.made.st_nlink => {
                Some("was given a second name".to_owned())
            }
            Ok(now) if now.st_size != self.made.st_size || !self.has_its_bytes() => {
                Some("was written to".to_owned())
            }
            // With the same contents; all the same it was not to be written to.
            Ok(now) if modified(&now) != modified(&self.made) => {
                Some("was written to, or had its time set".to_owned())
            }
            Ok(_) => None,
        };
        what.map(|what| format!("{:?} {what}", self.document.path))
    }

    /// To be asked when the file has the right size.
    fn has_its_bytes(&mut self) -> bool {
        let bytes = &*self.document.bytes;
        self.scratch.resize(bytes.len(), 0);
        self.file.read_exact_at(&mut self.scratch, 0).is_ok() && self.scratch == bytes
    }
}

/// A directory as it was made.
#[derive(Debug)]
pub(crate) struct KeptFolder {
    path: PathBuf,
    entries: Dir,
    made: Stat,
    expected: Vec<Vec<u8>>,
}

impl KeptFolder {
    /// Makes a directory that only this user can enter.
    pub(crate) fn make(path: PathBuf) -> io::Result<Self> {
        DirBuilder::new().mode(0o700).create(&path)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let directory = rustix::fs::openat(CWD, &path, flags, Mode::empty())?;
        let made = fstat(&directory)?;
        Ok(Self { path, entries: Dir::new(directory)?, made, expected: Vec::new() })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes `name` an entry that may be there. That it is there is not asked.
    pub(crate) fn expect(&mut self, name: &OsStr) {
        self.expected.push(name.as_bytes().to_owned());
    }

    /// Whether it is still there, and with its mode.
    pub(crate) fn is_itself(&self) -> bool {
        lstat(&self.path)
            .is_ok_and(|now| is_same(&now, &self.made) && now.st_mode == self.made.st_mode)
    }

    /// What was done to it: to the directory, or by adding entries. Entries that
    /// were added and removed again do not count.
    pub(crate) fn change(&mut self) -> Option<String> {
        if !self.is_itself() {
            let name = self.path.file_name().unwrap_or_default();
            return Some(format!(
                "the folder {name:?} was removed, replaced or had its mode changed"
            ));
        }
        match self.unexpected() {
            Ok(name) => name.map(|name| {
                let name = String::from_utf8_lossy(&name);
                let short: String = name.chars().take(LONGEST_NAME).collect();
                format!("{short:?} was added")
            }),
            Err(error) => {
                Some(format!("the folder of the documents can no longer be read: {error}"))
            }
        }
    }

    /// An entry that is not meant to be there.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub(crate) fn unexpected(&mut self) -> io::Result<Option<Vec<u8>>> {
        self.entries.rewind();
        while let Some(entry) = self.entries.read() {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." && !self.expected.iter().any(|known| known == name) {
                return Ok(Some(name.to_owned()));
            }
        }
        Ok(None)
    }
}

fn is_same(now: &Stat, made: &Stat) -> bool {
    (now.st_dev, now.st_ino) == (made.st_dev, made.st_ino)
}

fn modified(stat: &Stat) -> (i64, i64) {
    // The types of these differ between systems.
    #[allow(clippy::unnecessary_cast)]
    (stat.st_mtime as i64, stat.st_mtime_nsec as i64)
}
