//! Processes that left their group: found by the tag in their environment, or
//! by a pipe that they hold.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::registry::TAG_VARIABLE;

/// How often to look again for processes that were started in the meantime.
const ROUNDS: usize = 50;

/// How often in a row there must be none: what was started while the list was read is not
/// on it.
const QUIET: usize = 2;

/// Kills all processes whose tag begins with `tag`, and those that they start
/// meanwhile.
///
/// A process that leaves its group and clears its environment is not found. Nor
/// is any on systems without `/proc`.
pub(crate) fn kill_tagged(tag: &str) {
    let needle = format!("{TAG_VARIABLE}={tag}");
    kill_all(|process| {
        // Unreadable is somebody else's; empty has ended.
        std::fs::read(process.join("environ")).is_ok_and(|environ| {
            let mut variables = environ.split(|&byte| byte == 0);
            variables.any(|variable| variable.starts_with(needle.as_bytes()))
        })
    });
}

/// Kills all processes that have one of these pipes open, given by the numbers of
/// their inodes.
pub(crate) fn kill_holders(pipes: &[u64]) {
    let names: Vec<_> = pipes.iter().map(|pipe| PathBuf::from(format!("pipe:[{pipe}]"))).collect();
    let own = std::fs::read_link("/proc/self/exe").ok();
    kill_all(|process| {
        // A child that another worker is just starting runs this very program
        // and has all its descriptors. When it runs another one, those are
        // closed: so this is to be asked first.
        std::fs::read_link(process.join("exe")).is_ok_and(|exe| Some(exe) != own)
            && std::fs::read_dir(process.join("fd")).is_ok_and(|entries| {
                entries
                    .filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok())
                    .any(|target| names.contains(&target))
            })
    });
}

/// Kills all processes that `is_meant` is true of, given the folder of each, until
/// there are none left.
fn kill_all(is_meant: impl Fn(&Path) -> bool) {
    let mut quiet = 0;
    for round in 0..ROUNDS {
        if round > 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        let Ok(entries) = std::fs::read_dir("/proc") else { return };
        let own = std::process::id();
        let mut seen = false;
        for pid in entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()) {
            let folder = PathBuf::from(format!("/proc/{pid}"));
            if pid != own && is_meant(&folder) {
                // Whether it could still be killed or not, it may have started others.
                kill(pid, || is_meant(&folder));
                seen = true;
            }
        }
        quiet = if seen { 0 } else { quiet + 1 };
        if quiet == QUIET {
            return;
        }
    }
}

/// Kills by a handle taken before the second look: since the first, the id may
/// have become somebody else's.
#[cfg(target_os = "linux")]
fn kill(pid: u32, is_still_meant: impl Fn() -> bool) {
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    let handle = i32::try_from(pid)
        .ok()
        .and_then(Pid::from_raw)
        .and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    if let Some(handle) = handle
        && is_still_meant()
    {
        // It may have ended just now.
        let _ = pidfd_send_signal(handle, Signal::KILL);
    }
}

#[cfg(not(target_os = "linux"))]
fn kill(_: u32, _: impl Fn() -> bool) {}
