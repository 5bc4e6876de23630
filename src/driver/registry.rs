//! What must not outlive the run: process groups and temporary folders.
//!
//! Each owner cleans up by itself. The registry is for the two moments when
//! owners do not get to it: a second Ctrl-C, and processes that left their group.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::process::{Pid, Signal, kill_process_group};

use super::survivors;
use super::tree::remove_tree;

/// The variable in every child's environment that tells whose it is.
pub(crate) const TAG_VARIABLE: &str = "LIVING_CONFORMANCE_RUN";

/// The live process groups and temporary folders of a run.
#[derive(Debug)]
pub(crate) struct Registry {
    tag: String,
    owners: AtomicU64,
    groups: Mutex<HashSet<Pid>>,
    folders: Mutex<HashSet<PathBuf>>,
    abandoned: Mutex<Vec<Child>>,
}

impl Registry {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        // Together with the process id: the id alone comes back after a while.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        Self {
            tag: format!("{}-{now:x}-{count}.", std::process::id()),
            owners: AtomicU64::new(0),
            groups: Mutex::default(),
            folders: Mutex::default(),
            abandoned: Mutex::default(),
        }
    }

    /// A tag that no other owner of processes has. Ends with a dot: no tag is
    /// the beginning of another one unless it is made from it.
    pub(crate) fn new_tag(&self) -> String {
        format!("{}{}.", self.tag, self.owners.fetch_add(1, Ordering::Relaxed))
    }

    pub(crate) fn add_group(&self, leader: Pid) {
        lock(&self.groups).insert(leader);
    }

    /// To be called before the leader is reaped: after that its id may be that
    /// of somebody else's group.
    pub(crate) fn remove_group(&self, leader: Pid) {
        lock(&self.groups).remove(&leader);
    }

    /// Makes a temporary folder below `parent`.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(crate) fn make_folder(&self, parent: &Path) -> io::Result<PathBuf> {
        // Under the lock: no folder is made that [`Registry::clear`] misses.
        let mut folders = lock(&self.folders);
        let folder =
            tempfile::Builder::new().prefix("living-conformance-").tempdir_in(parent)?.keep();
        folders.insert(folder.clone());
        Ok(folder)
    }

    pub(crate) fn remove_folder(&self, path: &Path) {
        lock(&self.folders).remove(path);
    }

    /// Takes over a killed child that the system has not let go of yet, such as
    /// one that waits for a dead network drive.
    pub(crate) fn abandon(&self, child: Child) {
        lock(&self.abandoned).push(child);
    }

    /// Reaps abandoned children that have ended by now.
    pub(crate) fn reap_abandoned(&self) {
        lock(&self.abandoned).retain_mut(|child| matches!(child.try_wait(), Ok(None)));
    }

    /// Kills and removes everything at once, for a program that ends right after
    /// it without its owners getting to it. Whoever starts or makes something
    /// afterwards, or ends it in order, waits for ever.
    pub(crate) fn clear(&self) {
        let groups = lock(&self.groups);
        for group in groups.iter() {
            // It may be gone already.
            let _ = kill_process_group(*group, Signal::KILL);
        }
        survivors::kill_tagged(&self.tag);
        let folders = lock(&self.folders);
        for folder in folders.iter() {
            // There is nobody left to tell.
            let _ = remove_tree(folder);
        }
        std::mem::forget((groups, folders));
    }
}

/// The sets stay whole when a holder of the lock panics: each change is one call.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
