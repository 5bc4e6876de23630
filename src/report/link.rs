//! Where a path leads: the links in it followed to their end, which need not be there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// As many links as Linux follows.
const LINKS: usize = 40;

/// Where a path ends.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    /// At a file, or where there is none yet.
    File(PathBuf),
    /// At an open file of this process, such as `/dev/fd/3`.
    Descriptor(PathBuf),
}

/// Follows the links of a path's last part, as one does who opens it to write.
///
/// # Errors
/// When there are too many, or one cannot be read.
pub(super) fn follow(path: &Path) -> io::Result<End> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match fs::symlink_metadata(&path) {
            Ok(there) if there.is_symlink() => {}
            Ok(_) => return Ok(End::File(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if is_of_descriptors(folder_of(&path)) {
                    return Err(io::Error::new(error.kind(), "no file of that number is open"));
                }
                return Ok(End::File(path));
            }
            Err(error) => return Err(error),
        }
        let folder = folder_of(&path);
        if is_of_descriptors(folder) {
            return Ok(End::Descriptor(path));
        }
        path = folder.join(fs::read_link(&path)?);
    }
    Err(io::Error::other("its links lead in a circle; remove them"))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// Whether it is the folder in which Linux shows what a process has open: the links in
/// it are more than the names they show.
fn is_of_descriptors(folder: &Path) -> bool {
    let whole = fs::canonicalize(folder).unwrap_or_default();
    whole.starts_with("/proc") && whole.file_name().is_some_and(|name| name == "fd")
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_to_what_may_not_be_there() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        symlink("sub/second", at("first")).unwrap();
        symlink("../none", at("sub/second")).unwrap();
        assert_eq!(follow(&at("first")).unwrap(), End::File(at("sub/../none")));
        assert_eq!(follow(&at("plain")).unwrap(), End::File(at("plain")));
        symlink("circle", at("circle")).unwrap();
        assert!(follow(&at("circle")).unwrap_err().to_string().contains("circle"));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn descriptors_are_known() {
        for path in ["/dev/fd/0", "/proc/self/fd/0", "/dev/stdin"] {
            assert!(matches!(follow(Path::new(path)).unwrap(), End::Descriptor(_)), "{path}");
        }
        assert!(follow(Path::new("/dev/fd/777")).unwrap_err().to_string().contains("is open"));
        let null = follow(Path::new("/dev/null")).unwrap();
        assert_eq!(null, End::File("/dev/null".into()));
    }
}
