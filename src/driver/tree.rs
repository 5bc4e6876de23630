//! Removes directories that a hostile program may have filled.

use std::ffi::{CStr, CString};
use std::io;
use std::path::Path;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags};
use rustix::io::Errno;

/// Removes `root` and everything in it. Missing is as good as removed.
///
/// Works without recursion and with few open files, however deep the tree, and
/// whatever its permissions, as long as they are those of the own user: what is
/// in a directory is moved up to `root` before the directory is removed. Links
/// are removed, never followed. What is mounted there is somebody else's: it is
/// unmounted where that is allowed, and never entered.
///
/// # Errors
/// When something cannot be removed, or when somebody keeps adding to it.
pub(crate) fn remove_tree(root: &Path) -> io::Result<()> {
    match clear_tree(root) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(()) => match std::fs::remove_dir(root) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        },
    }
}

/// Opens the directory `root`, and not what may be mounted on it.
fn open_root(root: &Path) -> io::Result<OwnedFd> {
    let (Some(parent), Some(name)) = (root.parent(), root.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let parent = rustix::fs::openat(CWD, parent, flags, Mode::empty())?;
    loop {
        match open(&parent, name) {
            Err(error) if is_mount(&error) => detach(parent.as_fd(), name)?,
            other => return other,
        }
    }
}

/// Removes everything in `root`, and keeps `root`.
///
/// # Errors
/// As [`remove_tree`], and when `root` is missing.
pub(crate) fn clear_tree(root: &Path) -> io::Result<()> {
    let root = open_root(root)?;
    let mut moved = 0_u64;
    // Each round takes away one level; more rounds than names can be made in
    // any sensible time means that somebody is still making them.
    const ROUNDS: usize = 1_000_000;
    for _ in 0..ROUNDS {
        let mut is_empty = true;
        for name in names(root.as_fd())? {
            is_empty = false;
            remove_entry(root.as_fd(), &name, &mut moved)?;
        }
        if is_empty {
            return Ok(());
        }
    }
    Err(io::ErrorKind::DirectoryNotEmpty.into())
}

fn remove_entry(root: BorrowedFd<'_>, name: &CStr, moved: &mut u64) -> io::Result<()> {
    match rustix::fs::unlinkat(root, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => return Ok(()),
        // Something is mounted on it; the next round finds what is below.
        Err(Errno::BUSY) => return detach(root, name),
        // Linux says the first of a directory, others the second.
        Err(Errno::ISDIR | Errno::PERM) => {}
        Err(error) => return Err(error.into()),
    }
    if rustix::fs::unlinkat(root, name, AtFlags::REMOVEDIR).is_ok() {
        return Ok(());
    }
    let directory = match open(root, name) {
        // Somebody else removes as well.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) if is_mount(&error) => return detach(root, name),
        other => other?,
    };
    for inner in names(directory.as_fd())? {
        match rustix::fs::unlinkat(&directory, &*inner, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(Errno::BUSY) => detach(directory.as_fd(), &*inner)?,
            Err(_) => move_up(directory.as_fd(), &inner, root, moved)?,
        }
    }
    match rustix::fs::unlinkat(root, name, AtFlags::REMOVEDIR) {
        // Somebody added to it; the next round finds it.
        Ok(()) | Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn move_up(
    directory: BorrowedFd<'_>,
    name: &CStr,
    root: BorrowedFd<'_>,
    moved: &mut u64,
) -> io::Result<()> {
    loop {
        *moved += 1;
        let free = format!("living-conformance-removed-{moved}");
        let rename = || rustix::fs::renameat(directory, name, root, &*free);
        match rename() {
            // What it replaces, if anything, was to be removed as well.
            Ok(()) | Err(Errno::NOENT) => return Ok(()),
            Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR | Errno::ISDIR) => {}
            Err(Errno::BUSY) => detach(directory, name)?,
            // A directory that changes its parent must be writable itself.
            Err(Errno::ACCESS) => {
                rustix::fs::chmodat(directory, name, Mode::RWXU, AtFlags::empty())?;
                rename()?;
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        }
    }
}

fn open(parent: impl AsFd, name: impl rustix::path::Arg + Copy) -> io::Result<OwnedFd> {
    let directory = match open_inside(parent.as_fd(), name) {
        Err(Errno::ACCESS) => {
            rustix::fs::chmodat(&parent, name, Mode::RWXU, AtFlags::empty())?;
            open_inside(parent.as_fd(), name)?
        }
        other => other?,
    };
    // Readable does not mean that entries can be taken out of it.
    rustix::fs::fchmod(&directory, Mode::RWXU)?;
    Ok(directory)
}

const FLAGS: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Opens a directory that nothing is mounted on.
#[cfg(target_os = "linux")]
fn open_inside(
    parent: BorrowedFd<'_>,
    name: impl rustix::path::Arg + Copy,
) -> Result<OwnedFd, Errno> {
    use rustix::fs::ResolveFlags;

    match rustix::fs::openat2(parent, name, FLAGS, Mode::empty(), ResolveFlags::NO_XDEV) {
        // Old systems and some sandboxes do not have that.
        Err(Errno::NOSYS | Errno::PERM) => rustix::fs::openat(parent, name, FLAGS, Mode::empty()),
        other => other,
    }
}

/// Elsewhere mounts are not told apart: only root makes them there.
#[cfg(not(target_os = "linux"))]
fn open_inside(
    parent: BorrowedFd<'_>,
    name: impl rustix::path::Arg + Copy,
) -> Result<OwnedFd, Errno> {
    rustix::fs::openat(parent, name, FLAGS, Mode::empty())
}

/// Whether a directory was not opened because something is mounted on it.
fn is_mount(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::XDEV.raw_os_error())
}

/// Unmounts what is mounted on an entry.
#[cfg(target_os = "linux")]
fn detach(parent: BorrowedFd<'_>, name: impl rustix::path::Arg) -> io::Result<()> {
    use rustix::fd::AsRawFd;
    use rustix::mount::{UnmountFlags, unmount};

    let mut path = format!("/proc/self/fd/{}/", parent.as_raw_fd()).into_bytes();
    path.extend(name.into_c_str()?.to_bytes());
    // Who still uses it keeps it; here it is gone.
    Ok(unmount(path, UnmountFlags::DETACH | UnmountFlags::NOFOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn detach(_: BorrowedFd<'_>, _: impl rustix::path::Arg) -> io::Result<()> {
    Err(Errno::BUSY.into())
}

/// Names of entries, as many as are dealt with in one go.
fn names(directory: BorrowedFd<'_>) -> io::Result<Vec<CString>> {
    const AT_ONCE: usize = 1024;
    let mut names = Vec::new();
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        if names.len() == AT_ONCE {
            break;
        }
        if entry.file_name() != c"." && entry.file_name() != c".." {
            names.push(entry.file_name().to_owned());
        }
    }
    Ok(names)
}
