//! Processes that left their group, found by the tag in their environment.

use std::time::Duration;

use super::registry::TAG_VARIABLE;

/// How often to look again for processes that were started in the meantime.
const ROUNDS: usize = 50;

/// Kills all processes whose tag begins with `tag`, and those that they start
/// meanwhile. Says how many there were.
///
/// A process that leaves its group and clears its environment is not found. Nor
/// is any on systems without `/proc`.
pub(crate) fn kill_tagged(tag: &str) -> usize {
    let needle = format!("{TAG_VARIABLE}={tag}");
    let mut killed = 0;
    for round in 0..ROUNDS {
        if round > 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        let found = kill_once(needle.as_bytes());
        if found == 0 {
            break;
        }
        killed += found;
    }
    killed
}

fn kill_once(needle: &[u8]) -> usize {
    let Ok(entries) = std::fs::read_dir("/proc") else { return 0 };
    let own = std::process::id();
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|&pid: &u32| pid != own && is_tagged(pid, needle) && kill(pid, needle))
        .count()
}

fn is_tagged(pid: u32, needle: &[u8]) -> bool {
    // Unreadable is somebody else's; empty has ended.
    std::fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environ| {
        environ.split(|&byte| byte == 0).any(|variable| variable.starts_with(needle))
    })
}

/// Kills by a handle taken before the second look: the id may have become
/// somebody else's since the first.
#[cfg(target_os = "linux")]
fn kill(pid: u32, needle: &[u8]) -> bool {
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    let handle = i32::try_from(pid)
        .ok()
        .and_then(Pid::from_raw)
        .and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    handle.is_some_and(|handle| {
        is_tagged(pid, needle) && pidfd_send_signal(handle, Signal::KILL).is_ok()
    })
}

#[cfg(not(target_os = "linux"))]
fn kill(_: u32, _: &[u8]) -> bool {
    false
}
