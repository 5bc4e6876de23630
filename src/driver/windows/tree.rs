//! Removes directories that a hostile program may have filled.

use std::fs;
use std::io;
use std::path::Path;

/// Removes `root` and everything in it. Missing is as good as removed.
///
/// # Errors
/// When something cannot be removed: it may be in use.
pub(crate) fn remove_tree(root: &Path) -> io::Result<()> {
    match fs::remove_dir_all(root) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            make_writable(root);
            fs::remove_dir_all(root)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// A file that may only be read may not be removed either.
fn make_writable(root: &Path) {
    for entry in walkdir::WalkDir::new(root).into_iter().flatten() {
        if let Ok(data) = entry.path().symlink_metadata()
            && data.is_file()
        {
            let mut permissions = data.permissions();
            permissions.set_readonly(false);
            // Removing tells what could not be done.
            let _ = fs::set_permissions(entry.path(), permissions);
        }
    }
}
