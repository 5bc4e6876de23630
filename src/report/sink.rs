//! Where a report goes. A file is replaced in one step at the end, so that a run
//! that dies harms nothing that is there.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::link::{End, follow};

/// Where a report is to go.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Target {
    /// Standard output.
    Stdout,
    /// A file.
    File(PathBuf),
}

impl Target {
    /// Where a path leads; standard output has names of its own.
    #[must_use]
    pub fn of_path(path: PathBuf) -> Self {
        let stdout = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
        if stdout.iter().any(|name| path.as_os_str() == *name) {
            Self::Stdout
        } else {
            Self::File(path)
        }
    }

    /// Writes to it; it changes only when all is written.
    ///
    /// # Errors
    /// When it cannot be written to, or `write` fails.
    pub fn save(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let mut sink = Sink::open(self)?;
        write(&mut sink)?;
        sink.commit()
    }

    /// Whether two are the same place, by whatever names.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let place = |target: &Self| match target {
            Self::Stdout => None,
            // What cannot be followed is refused elsewhere; its name is enough here.
            Self::File(path) => Some(match follow(path) {
                Ok(End::File(path) | End::Descriptor(path)) => whole(&path),
                Err(_) => path.clone(),
            }),
        };
        let one_file = || match (self, other) {
            (Self::File(one), Self::File(other)) => is_one_file(one, other),
            _ => false,
        };
        self == other || place(self) == place(other) || one_file()
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdout => f.write_str("standard output"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

/// A target that is being written.
pub(crate) enum Sink {
    /// Written as it comes: standard output, a pipe, a device.
    Direct(BufWriter<Box<dyn Write>>),
    /// A file that is written as it comes.
    Live(BufWriter<File>),
    /// Written beside its place, and moved there by [`Sink::commit`].
    Beside { file: BufWriter<NamedTempFile>, path: PathBuf },
    /// Kept, and written over what is there by [`Sink::commit`].
    Over { bytes: Vec<u8>, file: File },
}

impl Sink {
    /// Opens a target; no file changes before [`Sink::commit`].
    pub(crate) fn open(target: &Target) -> io::Result<Self> {
        let path = match Place::of(target)? {
            Place::Direct(out) => return Ok(Self::Direct(BufWriter::new(out))),
            Place::Fresh(path) => return Self::beside(path, usual()),
            Place::File(path) => path,
        };
        let (file, there) = writable(&path)?;
        if is_to_stay(&there) {
            return Ok(Self::Over { bytes: Vec::new(), file });
        }
        // The folder may be one that takes no new file.
        let beside = Self::beside(path, Some(there.permissions()));
        Ok(beside.unwrap_or_else(|_| Self::Over { bytes: Vec::new(), file }))
    }

    /// Opens a target that is read while it is written: a file is emptied at once.
    pub(super) fn live(target: &Target) -> io::Result<Self> {
        let path = match Place::of(target)? {
            Place::Direct(out) => return Ok(Self::Direct(BufWriter::new(out))),
            Place::File(path) => {
                writable(&path)?;
                path
            }
            Place::Fresh(path) => {
                folder(&path)?;
                path
            }
        };
        Ok(Self::Live(BufWriter::new(File::create(path)?)))
    }

    /// Whether [`Sink::open`] would succeed; leaves nothing behind.
    pub(crate) fn check(target: &Target) -> io::Result<()> {
        match target {
            // Opening a pipe is something that its reader sees.
            Target::File(path)
                if fs::metadata(path).is_ok_and(|it| !it.is_file() && !it.is_dir()) =>
            {
                Ok(())
            }
            target => Self::open(target).map(drop),
        }
    }

    fn beside(path: PathBuf, permissions: Option<fs::Permissions>) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".living-conformance-");
        if let Some(permissions) = permissions {
            builder.permissions(permissions);
        }
        let file = BufWriter::new(builder.tempfile_in(folder(&path)?)?);
        Ok(Self::Beside { file, path })
    }

    /// Puts what was written in its place.
    pub(crate) fn commit(self) -> io::Result<()> {
        match self {
            Self::Direct(mut out) => out.flush(),
            Self::Live(file) => {
                file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
            }
            Self::Over { bytes, file } => write_over(&bytes, &file),
            Self::Beside { file, path } => {
                let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
                // A full disk may show only here.
                file.as_file().sync_all()?;
                match file.persist(&path) {
                    Ok(_) => Ok(()),
                    // A file that is a mount of its own, as containers have them.
                    Err(error) if error.error.kind() == io::ErrorKind::ResourceBusy => {
                        write_over(&fs::read(error.file.path())?, &writable(&path)?.0)
                    }
                    Err(error) => Err(error.error),
                }
            }
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Direct(out) => out.write(bytes),
            Self::Live(file) => file.write(bytes),
            Self::Beside { file, .. } => file.write(bytes),
            Self::Over { bytes: kept, .. } => kept.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Direct(out) => out.flush(),
            Self::Live(file) => file.flush(),
            Self::Beside { file, .. } => file.flush(),
            Self::Over { .. } => Ok(()),
        }
    }
}

/// What is at a target.
enum Place {
    /// What is written as it comes.
    Direct(Box<dyn Write>),
    /// A file.
    File(PathBuf),
    /// Nothing yet.
    Fresh(PathBuf),
}

impl Place {
    fn of(target: &Target) -> io::Result<Self> {
        let path = match target {
            Target::Stdout => return Ok(Self::Direct(Box::new(io::stdout()))),
            Target::File(path) => path,
        };
        let path = match follow(path)? {
            // What was written to it before stays.
            End::Descriptor(path) => {
                return Ok(Self::Direct(Box::new(File::options().append(true).open(path)?)));
            }
            End::File(path) => path,
        };
        match fs::metadata(&path) {
            Ok(there) if there.is_dir() => Err(io::Error::new(
                io::ErrorKind::IsADirectory,
                "it is a directory; name a file in it",
            )),
            Ok(there) if !there.is_file() => {
                Ok(Self::Direct(Box::new(File::options().write(true).open(path)?)))
            }
            Ok(_) => Ok(Self::File(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::Fresh(path)),
            Err(error) => Err(error),
        }
    }
}

/// A file that may be written to, and what it is.
fn writable(path: &Path) -> io::Result<(File, fs::Metadata)> {
    let protected = || io::Error::new(io::ErrorKind::PermissionDenied, "it is write-protected");
    // A privileged user may write to it all the same, and is not to.
    if fs::metadata(path)?.permissions().readonly() {
        return Err(protected());
    }
    let file = File::options().write(true).open(path).map_err(|error| match error.kind() {
        io::ErrorKind::PermissionDenied => protected(),
        _ => error,
    })?;
    let there = file.metadata()?;
    Ok((file, there))
}

/// The folder of a file, which has to be there.
fn folder(path: &Path) -> io::Result<&Path> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        let text = format!("there is no folder {}; create it first", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, text));
    }
    Ok(folder)
}

/// The same path for all names of a folder.
fn whole(path: &Path) -> PathBuf {
    let folder = folder(path).and_then(fs::canonicalize);
    match (folder, path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

fn write_over(bytes: &[u8], mut file: &File) -> io::Result<()> {
    file.write_all(bytes)?;
    file.set_len(u64::try_from(bytes.len()).unwrap_or(u64::MAX))?;
    file.sync_all()
}

/// Whether a file is more than what its name leads to: one that is put in its place
/// would be another's file, or none of its other names'.
#[cfg(unix)]
fn is_to_stay(there: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    there.nlink() > 1 || there.uid() != rustix::process::geteuid().as_raw()
}

/// Whether two paths lead to one file, by hard links as well.
#[cfg(unix)]
fn is_one_file(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |path: &Path| fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    id(one).is_some_and(|one| Some(one) == id(other))
}

#[cfg(not(unix))]
fn is_one_file(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(not(unix))]
fn is_to_stay(_: &fs::Metadata) -> bool {
    false
}

/// What a new file may be, less the umask: a temporary file is private otherwise.
#[cfg(unix)]
fn usual() -> Option<fs::Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(fs::Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn usual() -> Option<fs::Permissions> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_changes_only_when_all_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.json");
        fs::write(&path, "old").unwrap();
        let open = || Sink::open(&Target::File(path.clone())).unwrap();
        let mut dropped = open();
        dropped.write_all(b"half").unwrap();
        drop(dropped);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        let mut sink = open();
        sink.write_all(b"new").unwrap();
        sink.flush().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        sink.commit().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(folder.path()), ["out.json"]);
    }

    #[test]
    fn errors_say_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let open = |path: &Path| Sink::open(&Target::File(path.to_owned())).err().unwrap();
        assert!(open(folder.path()).to_string().contains("name a file in it"));
        let missing = open(&folder.path().join("none/out.json"));
        assert!(missing.to_string().contains("create it first"), "{missing}");
    }

    #[test]
    #[cfg(unix)]
    fn links_and_modes_stay_and_devices_are_written_to() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("real", &link).unwrap();
        let mut sink = Sink::open(&Target::File(link.clone())).unwrap();
        sink.write_all(b"new").unwrap();
        sink.commit().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);

        let fresh = folder.path().join("fresh");
        let dangling = folder.path().join("dangling");
        symlink("fresh", &dangling).unwrap();
        Sink::open(&Target::File(dangling.clone())).unwrap().commit().unwrap();
        assert!(fs::symlink_metadata(&dangling).unwrap().is_symlink());
        let plain = folder.path().join("plain");
        fs::write(&plain, "").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&fresh), mode(&plain));

        let mut null = Sink::open(&Target::File("/dev/null".into())).unwrap();
        null.write_all(b"gone").unwrap();
        null.commit().unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        let mut full = Sink::open(&Target::File("/dev/full".into())).unwrap();
        full.write_all(b"x").unwrap();
        assert!(full.commit().is_err());
    }

    #[test]
    #[cfg(unix)]
    fn a_file_with_two_names_keeps_both() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (folder.path().join("one"), folder.path().join("other"));
        fs::write(&one, "old, and longer than what comes").unwrap();
        fs::hard_link(&one, &other).unwrap();
        let mut sink = Sink::open(&Target::File(one)).unwrap();
        sink.write_all(b"new").unwrap();
        assert!(fs::read_to_string(&other).unwrap().starts_with("old"));
        sink.commit().unwrap();
        assert_eq!(fs::read_to_string(&other).unwrap(), "new");
        assert_eq!(names(folder.path()), ["one", "other"]);
    }

    #[test]
    fn what_is_read_along_is_there_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        fs::write(&path, "old, and longer than what comes").unwrap();
        let mut sink = Sink::live(&Target::File(path.clone())).unwrap();
        sink.write_all(b"new").unwrap();
        sink.flush().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        sink.commit().unwrap();
    }

    #[test]
    fn names_of_the_same_place_are_known() {
        let folder = tempfile::tempdir().unwrap();
        let target = |name: &str| Target::of_path(folder.path().join(name));
        assert!(target("a").is_same(&target("./a")));
        assert!(!target("a").is_same(&target("b")));
        assert_eq!(Target::of_path("/dev/stdout".into()), Target::Stdout);
        assert!(!Target::Stdout.is_same(&target("a")));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("a", folder.path().join("link")).unwrap();
            assert!(target("link").is_same(&target("a")));
        }
    }
}
