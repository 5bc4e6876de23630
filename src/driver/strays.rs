//! Processes whose parent has ended: on Linux they become children of this one, so
//! that none gets away, whatever it has closed, left or cleared.

use std::path::PathBuf;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

/// How often to look again for children of what was killed.
const ROUNDS: usize = 100;

/// How often in a row there must be nobody: a list that is read while processes end may
/// lack some.
const QUIET: usize = 2;

/// Takes over the descendants of this process that lose their parent, from now on.
///
/// Not when there are children already: what they start is nobody's business here.
/// `false` when this was not done.
#[cfg(target_os = "linux")]
pub(crate) fn adopt() -> bool {
    let own = rustix::process::getpid();
    children().is_some_and(|children| children.is_empty())
        && rustix::process::set_child_subreaper(Some(own)).is_ok()
}

/// Other systems give such processes to their first one.
#[cfg(not(target_os = "linux"))]
pub(crate) fn adopt() -> bool {
    false
}

/// Whether processes have come to this one that `is_known` does not say are its own
/// children.
///
/// They come to its first thread. What that has started itself is known.
#[cfg(target_os = "linux")]
pub(crate) fn have_come(is_known: impl Fn(Pid) -> bool) -> bool {
    let own = std::process::id();
    let list = std::fs::read_to_string(format!("/proc/self/task/{own}/children"));
    list.is_ok_and(|list| pids(&list).any(|pid| !is_known(pid)))
}

/// None come to it on other systems.
#[cfg(not(target_os = "linux"))]
pub(crate) fn have_come(_: impl Fn(Pid) -> bool) -> bool {
    false
}

/// Whether some child has ended and was not waited for.
pub(crate) fn has_ended_child() -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    matches!(waitid(WaitId::All, options), Ok(Some(_)))
}

/// Waits for all children that have ended, but for those that `is_known` says are
/// waited for elsewhere. The others are killed, if they are to be.
///
/// Nothing may be started meanwhile that is not known yet.
pub(crate) fn end(is_known: impl Fn(Pid) -> bool, kill: bool) {
    let mut quiet = 0;
    for round in 0..ROUNDS {
        let mut seen = false;
        for child in children().unwrap_or_default() {
            if is_known(child) {
                continue;
            }
            if !reap(child) && kill {
                // It may have ended just now.
                let _ = rustix::process::kill_process(child, rustix::process::Signal::KILL);
            }
            // What has ended left its own children to this process.
            seen = true;
        }
        quiet = if seen { 0 } else { quiet + 1 };
        if !kill || quiet == QUIET {
            return;
        }
        // What was killed needs a moment to end; then its children are ours.
        std::thread::sleep(std::time::Duration::from_millis(if round < 10 { 1 } else { 10 }));
    }
}

/// Waits for a child, if it has ended.
fn reap(child: Pid) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
    matches!(waitid(WaitId::Pid(child), options), Ok(Some(_)))
}

/// The children of this process: those of each of its threads.
fn children() -> Option<Vec<Pid>> {
    let mut children = Vec::new();
    for task in std::fs::read_dir("/proc/self/task").ok()? {
        let path: PathBuf = task.ok()?.path().join("children");
        match std::fs::read_to_string(path) {
            Ok(list) => children.extend(pids(&list)),
            // A thread may have ended since.
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::SRCH.raw_os_error()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                // The file is missing for all, where the kernel is built without it.
                std::fs::metadata("/proc/thread-self/children").ok()?;
            }
            Err(_) => return None,
        }
    }
    Some(children)
}

fn pids(list: &str) -> impl Iterator<Item = Pid> {
    list.split_whitespace().filter_map(|pid| pid.parse().ok()).filter_map(Pid::from_raw)
}
