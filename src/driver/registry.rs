//! What must not outlive the run: process groups and temporary folders.
//!
//! Each owner cleans up by itself. The registry is for the moments when owners do
//! not get to it: a second Ctrl-C, processes that left their group, and the end of
//! this program without warning.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::core::FOLDER_PREFIX;

use super::tree::remove_tree;
use super::watchdog::{self, Watchdog};
use super::{strays, survivors};

/// The variable in every child's environment that tells whose it is.
pub(crate) const TAG_VARIABLE: &str = "LIVING_CONFORMANCE_RUN";

/// The live process groups and temporary folders of a run.
#[derive(Debug)]
pub(crate) struct Registry {
    tag: String,
    owners: AtomicU64,
    groups: Mutex<HashSet<Pid>>,
    /// Each with what keeps it locked, where that can be done.
    folders: Mutex<HashMap<PathBuf, Option<File>>>,
    abandoned: Mutex<Vec<Child>>,
    /// Read while a process is started and added, written to while all children must
    /// be known.
    starts: RwLock<()>,
    /// Whether processes that lose their parent come to this one.
    adopts: AtomicBool,
    /// Whether one did that lived on after its case.
    strayed: AtomicBool,
    watchdog: Mutex<Option<Watchdog>>,
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
            starts: RwLock::default(),
            adopts: AtomicBool::new(false),
            strayed: AtomicBool::new(false),
            watchdog: Mutex::default(),
        }
    }

    /// Sees to processes that would get away, and to this program's own violent end.
    /// What cannot be done is left out.
    pub(crate) fn guard(&self, watchdog: Option<Command>, temporary: &Path) {
        // Before anything is started. What the caller has left open, such as a descriptor
        // that a report goes to, is not for implementations.
        close_fds::set_fds_cloexec_threadsafe(3, &[]);
        self.adopts.store(strays::adopt(), Ordering::SeqCst);
        let watchdog = watchdog.and_then(|it| Watchdog::start(it, &self.tag, temporary).ok());
        *lock(&self.watchdog) = watchdog;
    }

    /// The end of [`Registry::guard`], when all is in order.
    pub(crate) fn dismiss(&self) {
        self.end_strays(true);
        if let Some(watchdog) = lock(&self.watchdog).take() {
            watchdog.dismiss();
        }
    }

    /// To be held from before a process is started until it was added.
    pub(crate) fn starting(&self) -> RwLockReadGuard<'_, ()> {
        self.starts.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for adopted processes that have ended, if there are any.
    pub(crate) fn reap_strays(&self) {
        if self.adopts.load(Ordering::Relaxed) && strays::has_ended_child() {
            self.end_strays(false);
        }
    }

    /// Whether processes live that lost their parent and were started by some case.
    pub(crate) fn has_strays(&self) -> bool {
        if !self.adopts.load(Ordering::Relaxed) {
            return false;
        }
        let known = self.known_children();
        let have_come = strays::have_come(|pid| known.contains(&pid));
        self.strayed.fetch_or(have_come, Ordering::SeqCst);
        have_come
    }

    /// Whether [`Registry::has_strays`] was ever true: what they did may show later.
    pub(crate) fn has_had_strays(&self) -> bool {
        self.strayed.load(Ordering::SeqCst)
    }

    /// The children of this process that others wait for.
    fn known_children(&self) -> HashSet<Pid> {
        let mut known = lock(&self.groups).clone();
        known.extend(lock(&self.abandoned).iter().map(Pid::from_child));
        known.extend(lock(&self.watchdog).as_ref().map(Watchdog::pid));
        known
    }

    /// Waits for adopted processes that have ended, and kills the others if asked to.
    pub(crate) fn end_strays(&self, kill: bool) {
        if !self.adopts.load(Ordering::Relaxed) {
            return;
        }
        let _all_known = self.starts.write().unwrap_or_else(PoisonError::into_inner);
        lock(&self.watchdog).take_if(Watchdog::has_ended);
        let known = self.known_children();
        strays::end(|pid| known.contains(&pid), kill);
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
        let folder = tempfile::Builder::new().prefix(FOLDER_PREFIX).tempdir_in(parent)?.keep();
        if let Some(watchdog) = &mut *lock(&self.watchdog) {
            watchdog.made(&folder);
        }
        folders.insert(folder.clone(), watchdog::lock(&folder));
        Ok(folder)
    }

    /// To be called when the folder is gone.
    pub(crate) fn remove_folder(&self, path: &Path) {
        lock(&self.folders).remove(path);
        if let Some(watchdog) = &mut *lock(&self.watchdog) {
            watchdog.removed(path);
        }
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
        let watchdog = lock(&self.watchdog);
        if self.adopts.load(Ordering::Relaxed) {
            let known = watchdog.as_ref().map(Watchdog::pid);
            strays::end(|pid| Some(pid) == known, true);
        }
        let folders = lock(&self.folders);
        for folder in folders.keys() {
            // There is nobody left to tell.
            let _ = remove_tree(folder);
        }
        std::mem::forget((groups, watchdog, folders));
    }
}

/// What is kept stays whole when a holder of the lock panics: each change is one call.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
