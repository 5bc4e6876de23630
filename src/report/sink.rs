//! Where a report goes. A file is replaced in one step at the end, so that a run
//! that dies harms nothing that is there.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Where a report is to go.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Target {
    /// Standard output.
    Stdout,
    /// A file.
    File(PathBuf),
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
    /// Written beside its place, and moved there by [`Sink::commit`].
    Atomic { file: BufWriter<NamedTempFile>, path: PathBuf },
}

impl Sink {
    /// Opens a target; no file changes before [`Sink::commit`].
    pub(crate) fn open(target: &Target) -> io::Result<Self> {
        let direct = |out| Ok(Self::Direct(BufWriter::new(out)));
        let path = match target {
            Target::Stdout => return direct(Box::new(io::stdout())),
            Target::File(path) => path,
        };
        match fs::metadata(path) {
            Ok(there) if there.is_dir() => Err(io::Error::new(
                io::ErrorKind::IsADirectory,
                "it is a directory; name a file in it",
            )),
            Ok(there) if !there.is_file() => {
                direct(Box::new(File::options().write(true).open(path)?))
            }
            Ok(there) => Self::beside(&fs::canonicalize(path)?, Some(there.permissions())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::beside(path, None),
            Err(error) => Err(error),
        }
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

    fn beside(path: &Path, permissions: Option<fs::Permissions>) -> io::Result<Self> {
        if permissions.as_ref().is_some_and(fs::Permissions::readonly) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is write-protected"));
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        if !folder.is_dir() {
            let text = format!("there is no folder {}; create it first", folder.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, text));
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".living-conformance-");
        if let Some(permissions) = permissions.or_else(usual) {
            builder.permissions(permissions);
        }
        let file = BufWriter::new(builder.tempfile_in(folder)?);
        Ok(Self::Atomic { file, path: path.to_owned() })
    }

    /// Whether somebody may read along.
    pub(super) fn is_direct(&self) -> bool {
        matches!(self, Self::Direct(_))
    }

    /// Puts what was written in its place.
    pub(crate) fn commit(self) -> io::Result<()> {
        match self {
            Self::Direct(mut out) => out.flush(),
            Self::Atomic { file, path } => {
                let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
                // A full disk may show only here.
                file.as_file().sync_all()?;
                file.persist(path).map(drop).map_err(|error| error.error)
            }
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Direct(out) => out.write(bytes),
            Self::Atomic { file, .. } => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Direct(out) => out.flush(),
            Self::Atomic { file, .. } => file.flush(),
        }
    }
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
        Sink::open(&Target::File(fresh.clone())).unwrap().commit().unwrap();
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
}
