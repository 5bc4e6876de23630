//! A child process that leads a process group of its own.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::registry::Registry;

/// How often to look whether a process has ended, where the system cannot tell
/// by a file descriptor.
pub(crate) const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// How long a killed process may take to end. Longer means that the system
/// cannot let go of it.
const PATIENCE: Duration = Duration::from_secs(2);

/// The leader of a group. Dropping it kills the group.
///
/// The leader stays unreaped until the group was killed: up to then its id, and
/// with it the group's, cannot belong to anybody else.
#[derive(Debug)]
pub(crate) struct Leader<'r> {
    child: Option<Child>,
    pid: Pid,
    exit: Option<OwnedFd>,
    registry: &'r Registry,
}

impl<'r> Leader<'r> {
    /// Starts `command` as the leader of a new group.
    ///
    /// Of what [`Command`] offers, a user or group id, `pre_exec`, and a program
    /// to be looked up in a changed PATH give up `posix_spawn`: then the whole
    /// address space is copied for every child. The group and the working
    /// directory do not.
    pub(crate) fn spawn(command: &mut Command, registry: &'r Registry) -> io::Result<Self> {
        let starting = registry.starting();
        let child = command.process_group(0).spawn()?;
        let pid = Pid::from_child(&child);
        registry.add_group(pid);
        drop(starting);
        Ok(Self { child: Some(child), pid, exit: exit_fd(pid), registry })
    }

    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// The ends of its pipes, where it has them.
    pub(crate) fn child_mut(&mut self) -> Option<&mut Child> {
        self.child.as_mut()
    }

    /// Becomes readable when the leader ends. `None` where the system does not
    /// have that: then ask [`Leader::has_ended`] every [`LOOK_AGAIN`].
    pub(crate) fn exit(&self) -> Option<BorrowedFd<'_>> {
        self.exit.as_ref().map(AsFd::as_fd)
    }

    /// Whether the leader has ended. It is not reaped by this.
    pub(crate) fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // An error means that there is nothing to wait for.
        !matches!(waitid(WaitId::Pid(self.pid), options), Ok(None))
    }

    /// Kills everybody in the group; a leader that has ended stays as it is.
    pub(crate) fn kill_group(&self) {
        // The unreaped leader keeps the group in being, so this finds it; what
        // changed its user id is out of reach.
        let _ = kill_process_group(self.pid, Signal::KILL);
    }

    /// Kills the group and reaps the leader. `None` when the system cannot let
    /// go of the leader.
    pub(crate) fn end(mut self) -> io::Result<Option<ExitStatus>> {
        self.end_by_ref()
    }

    fn end_by_ref(&mut self) -> io::Result<Option<ExitStatus>> {
        let Some(mut child) = self.child.take() else { return Ok(None) };
        self.kill_group();
        if self.wait_for_end(PATIENCE) {
            // It is no stray in between.
            let _starting = self.registry.starting();
            self.registry.remove_group(self.pid);
            return child.wait().map(Some);
        }
        self.registry.abandon(child);
        self.registry.remove_group(self.pid);
        Ok(None)
    }

    fn wait_for_end(&self, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        loop {
            if self.has_ended() {
                return true;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            match self.exit() {
                Some(exit) => {
                    let mut fds = [PollFd::from_borrowed_fd(exit, PollFlags::IN)];
                    // Whatever it says, the loop looks for itself.
                    let _ = super::process::poll(&mut fds, left);
                }
                None => std::thread::sleep(left.min(LOOK_AGAIN)),
            }
        }
    }
}

impl Drop for Leader<'_> {
    fn drop(&mut self) {
        // Whoever wanted to know how it ended has asked.
        let _ = self.end_by_ref();
    }
}

#[cfg(target_os = "linux")]
fn exit_fd(pid: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn exit_fd(_: Pid) -> Option<OwnedFd> {
    None
}
