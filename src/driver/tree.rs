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
/// are removed, never followed.
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

/// Removes everything in `root`, and keeps `root`.
///
/// # Errors
/// As [`remove_tree`], and when `root` is missing.
pub(crate) fn clear_tree(root: &Path) -> io::Result<()> {
    let root = open(CWD, root)?;
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
        other => other?,
    };
    for inner in names(directory.as_fd())? {
        match rustix::fs::unlinkat(&directory, &*inner, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => continue,
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
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let directory = match rustix::fs::openat(&parent, name, flags, Mode::empty()) {
        Err(Errno::ACCESS) => {
            rustix::fs::chmodat(&parent, name, Mode::RWXU, AtFlags::empty())?;
            rustix::fs::openat(&parent, name, flags, Mode::empty())?
        }
        other => other?,
    };
    // Readable does not mean that entries can be taken out of it.
    rustix::fs::fchmod(&directory, Mode::RWXU)?;
    Ok(directory)
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
