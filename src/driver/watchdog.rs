//! What is left when this program is killed, for instance by what it tests.
//!
//! A second process of this program waits for the first one to end: it reads a pipe
//! that only the first one can write to. In good order the pipe says so at the end;
//! when it closes without a word, the second process ends all that is left. It is
//! told of temporary folders as they come and go; processes it finds by their tag.
//!
//! What kills the one can kill the other. So folders are locked while their owner
//! lives, and those that nobody locks are removed by the watchdog of a later run.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use rustix::fs::{FlockOperation, OFlags, fcntl_setfl, flock};
use rustix::process::Pid;

use super::survivors;
use super::tree::remove_tree;
use crate::core::FOLDER_PREFIX;

/// How long it may take to end after all is in order. It may only just be starting.
const PATIENCE: Duration = Duration::from_secs(1);

/// A folder that was touched later than this may be one that is just being made.
const STALE: Duration = Duration::from_secs(60);

/// The first bytes of the messages: a folder that was made, one that was removed, and
/// the end in good order. Each ends with a NUL.
const MADE: u8 = b'+';
const REMOVED: u8 = b'-';
const DONE: u8 = b'.';

/// The second process, as the first one has it.
#[derive(Debug)]
pub(crate) struct Watchdog {
    child: Child,
}

impl Watchdog {
    /// Starts it: `command` is this program, such that it calls [`watch`].
    pub(crate) fn start(mut command: Command, tag: &str, temporary: &Path) -> io::Result<Self> {
        command
            .arg(tag)
            .arg(temporary)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // What the terminal sends to the first one is not for this one.
            .process_group(0);
        let child = command.spawn()?;
        if let Some(pipe) = &child.stdin {
            // A watchdog that was stopped must not stop the run.
            fcntl_setfl(pipe, OFlags::NONBLOCK)?;
        }
        Ok(Self { child })
    }

    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Whether it has ended, which it should not have.
    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    pub(crate) fn made(&mut self, folder: &Path) {
        self.tell(MADE, folder.as_os_str());
    }

    pub(crate) fn removed(&mut self, folder: &Path) {
        self.tell(REMOVED, folder.as_os_str());
    }

    fn tell(&mut self, what: u8, path: &OsStr) {
        let message = [&[what], path.as_bytes(), b"\0"].concat();
        if let Some(pipe) = &mut self.child.stdin {
            // Without a watchdog the run goes on; it was only for the worst case.
            let _ = pipe.write_all(&message);
        }
    }

    /// Lets it end.
    pub(crate) fn dismiss(mut self) {
        self.tell(DONE, OsStr::new(""));
        self.child.stdin = None;
        let until = Instant::now() + PATIENCE;
        while !self.has_ended() {
            if Instant::now() > until {
                // It may have been stopped. Whether it is gone already is all the same.
                let _ = self.child.kill();
                let _ = self.child.wait();
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Waits for the end of the program that reads `input` comes from, and ends what it
/// leaves. Before that, removes what earlier runs have left in `temporary`.
pub fn watch(tag: &str, temporary: &Path, input: &mut dyn Read) {
    remove_stale(temporary);
    let mut folders: Vec<PathBuf> = Vec::new();
    let mut input = BufReader::new(input);
    let mut message = Vec::new();
    loop {
        message.clear();
        if !matches!(input.read_until(0, &mut message), Ok(1..)) {
            break;
        }
        let path = || {
            let path = message.get(1..message.len() - 1).unwrap_or_default();
            PathBuf::from(OsString::from_vec(path.to_vec()))
        };
        match message.first() {
            Some(&MADE) => folders.push(path()),
            Some(&REMOVED) => folders.retain(|known| *known != path()),
            Some(&DONE) => return,
            _ => {}
        }
    }
    // Twice: what is being killed may still write.
    for _ in 0..2 {
        survivors::kill_tagged(tag);
        for folder in &folders {
            // There is nobody to tell.
            let _ = remove_tree(folder);
        }
    }
}

/// Locks a folder for as long as the result lives. `None` where that cannot be done,
/// or somebody else has done it.
pub(crate) fn lock(folder: &Path) -> Option<File> {
    let file = File::open(folder).ok()?;
    flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    Some(file)
}

/// Removes the folders of runs whose program has ended without doing so.
fn remove_stale(temporary: &Path) {
    let own = rustix::process::geteuid().as_raw();
    let Ok(entries) = std::fs::read_dir(temporary) else { return };
    for entry in entries.flatten() {
        if !entry.file_name().as_bytes().starts_with(FOLDER_PREFIX.as_bytes()) {
            continue;
        }
        // Links are not followed here.
        let Ok(data) = entry.metadata() else { continue };
        let age = data.modified().ok().and_then(|time| SystemTime::now().duration_since(time).ok());
        let is_stale = data.is_dir() && data.uid() == own && age.is_some_and(|age| age > STALE);
        if is_stale && let Some(_lock) = lock(&entry.path()) {
            // The next run tries again.
            let _ = remove_tree(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(parent: &Path, name: &str, age: Duration) -> PathBuf {
        let path = parent.join(name);
        std::fs::create_dir_all(path.join("in")).unwrap();
        let time = SystemTime::now() - age;
        File::open(&path).unwrap().set_modified(time).unwrap();
        path
    }

    #[test]
    fn folders_that_nobody_owns_are_removed() {
        let temporary = tempfile::tempdir().unwrap();
        let day = Duration::from_secs(86_400);
        let made = |name: &str, age| folder(temporary.path(), name, age);
        let stale = made("living-conformance-stale", day);
        let owned = made("living-conformance-owned", day);
        let fresh = made("living-conformance-fresh", Duration::ZERO);
        let other = made("another", day);
        let target = made("target", day);
        let link = temporary.path().join("living-conformance-link");
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let lock = lock(&owned).unwrap();
        remove_stale(temporary.path());
        assert!(!stale.exists());
        for kept in [&owned, &fresh, &other, &target, &link] {
            assert!(kept.exists(), "{kept:?}");
        }
        drop(lock);
        remove_stale(temporary.path());
        assert!(!owned.exists());
    }

    #[test]
    fn what_is_left_is_removed_unless_all_is_in_order() {
        for (end, is_left) in [(&b""[..], false), (b".\0", true)] {
            let temporary = tempfile::tempdir().unwrap();
            let folders = ["a", "b"].map(|name| folder(temporary.path(), name, Duration::ZERO));
            let mut told = Vec::new();
            for (what, folder) in [(b'+', 0), (b'+', 1), (b'-', 1)] {
                told.push(what);
                told.extend(folders[folder].as_os_str().as_bytes());
                told.push(0);
            }
            told.extend(end);
            watch("no-such-tag.", temporary.path(), &mut &told[..]);
            assert_eq!(folders[0].exists(), is_left);
            assert!(folders[1].exists(), "it was told to be gone");
        }
    }
}
