//! The program under test: where it is, and that it stays executable.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::StartError;
use super::start::{find_program, is_executable};

/// A program that can be executed.
///
/// Cases of several workers share its file, so a change to it may be the work of
/// another case than the one that finds it. Where that is in doubt, a case is run
/// again with none beside it.
#[derive(Debug)]
pub(crate) struct Program {
    path: PathBuf,
    found: Metadata,
    /// Read while cases run, written to while one runs alone.
    turns: RwLock<()>,
    users: AtomicUsize,
    /// Whether it ever had two users at once.
    shared: AtomicBool,
    /// How often a change was found that any of several cases may have made.
    doubts: AtomicUsize,
    /// Held from the look at the file to the doubt about it: whoever finds the file as it
    /// was must not miss that another one has just changed it back.
    look: Mutex<()>,
}

/// What became, while a case ran, of what others can reach as well: the program's file,
/// the documents.
#[derive(Debug)]
pub(crate) enum Meddling {
    /// Nothing.
    None,
    /// The case changed it.
    Sure(String),
    /// The case, or one beside it, changed it.
    Doubtful,
}

/// One worker's use of a program.
#[derive(Debug)]
pub(crate) struct User<'p>(&'p Program);

impl Drop for User<'_> {
    fn drop(&mut self) {
        self.0.users.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Program {
    /// Finds it, as [`find_program`] does.
    pub(crate) fn find(name: &OsStr, search_path: Option<&OsStr>) -> Result<Self, StartError> {
        let path = find_program(name, search_path)?;
        match path.metadata() {
            Ok(found) => Ok(Self {
                path,
                found,
                turns: RwLock::default(),
                users: AtomicUsize::new(0),
                shared: AtomicBool::new(false),
                doubts: AtomicUsize::new(0),
                look: Mutex::default(),
            }),
            Err(source) => Err(StartError::explain(&path, source)),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// To be held for as long as a worker may run cases.
    pub(crate) fn user(&self) -> User<'_> {
        if self.users.fetch_add(1, Ordering::SeqCst) > 0 {
            self.shared.store(true, Ordering::SeqCst);
        }
        User(self)
    }

    /// To be held while cases run beside others.
    pub(crate) fn beside_others(&self) -> RwLockReadGuard<'_, ()> {
        self.turns.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// To be held while a case runs alone. Waits for all others.
    pub(crate) fn alone(&self) -> RwLockWriteGuard<'_, ()> {
        self.turns.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether cases of other workers run beside that of the caller, or may have since it
    /// began: those that are done with all of theirs count as well.
    pub(crate) fn is_shared(&self) -> bool {
        self.shared.load(Ordering::SeqCst)
    }

    /// How many doubts there were, for [`Program::meddling`].
    pub(crate) fn doubts(&self) -> usize {
        self.doubts.load(Ordering::SeqCst)
    }

    /// What became of the file since there were so many doubts, by a case that ran
    /// `alone` or not. It is as before then.
    pub(crate) fn meddling(&self, since: usize, alone: bool) -> Meddling {
        let alone = alone || !self.is_shared();
        let _look = self.look.lock().unwrap_or_else(PoisonError::into_inner);
        match self.restore() {
            Some(what) if alone => Meddling::Sure(what),
            None if alone || self.doubts() == since => Meddling::None,
            // Those that run beside this one are in doubt as well.
            Some(_) => {
                self.doubts.fetch_add(1, Ordering::SeqCst);
                Meddling::Doubtful
            }
            None => Meddling::Doubtful,
        }
    }

    /// Whether it can be executed now, after what was changed was changed back.
    pub(crate) fn is_executable(&self) -> bool {
        let _look = self.look.lock().unwrap_or_else(PoisonError::into_inner);
        if self.restore().is_some() {
            self.doubts.fetch_add(1, Ordering::SeqCst);
        }
        self.path.metadata().is_ok_and(|now| is_executable(&now))
    }

    /// Where files have no modes, there is nothing to change back.
    #[cfg(not(unix))]
    #[allow(clippy::unused_self, reason = "elsewhere there is")]
    pub(crate) fn restore(&self) -> Option<String> {
        let _ = &self.found;
        None
    }

    /// Gives the file back the mode that it had, and says that it had another.
    /// A file that was replaced, as a build does, is left as it is.
    #[cfg(unix)]
    pub(crate) fn restore(&self) -> Option<String> {
        use std::fs::Permissions;
        use std::os::unix::fs::{MetadataExt, PermissionsExt};

        let now = self.path.metadata().ok()?;
        let is_same = (now.dev(), now.ino()) == (self.found.dev(), self.found.ino());
        if !is_same || now.mode() == self.found.mode() {
            return None;
        }
        let mode = Permissions::from_mode(self.found.mode());
        let restored = std::fs::set_permissions(&self.path, mode).is_ok();
        Some(format!(
            "the mode of its own program was changed to {:04o}{}",
            now.mode() & 0o7777,
            if restored { "" } else { " and could not be changed back" }
        ))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;
    use std::sync::Barrier;
    use std::thread;

    use super::*;

    #[test]
    fn none_of_several_cases_is_cleared_because_another_one_looked_first() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        let program = Program::find(path.as_os_str(), None).unwrap();
        let _users = [program.user(), program.user()];
        for _ in 0..400 {
            let since = program.doubts();
            fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
            let start = Barrier::new(8);
            let look = || {
                start.wait();
                program.meddling(since, false)
            };
            let all: Vec<Meddling> = thread::scope(|scope| {
                let looks: Vec<_> = (0..8).map(|_| scope.spawn(look)).collect();
                looks.into_iter().map(|it| it.join().unwrap()).collect()
            });
            assert!(all.iter().all(|it| matches!(it, Meddling::Doubtful)), "{all:?}");
        }
    }
}
