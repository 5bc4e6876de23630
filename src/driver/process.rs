//! Runs one child to its end, whatever it does.

use std::io;
use std::os::fd::BorrowedFd;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;

use crate::core::Stream;

use super::Interrupt;
use super::child::{Ending, Failure, Finished, GRACE, Limits, SETTLE};
use super::group::{LOOK_AGAIN, Leader};
use super::streams::{Read, Scratch, Streams};
use super::survivors;

impl Limits {
    /// Sets limits from outside: doing so in the child before it starts would
    /// give up `posix_spawn`. What it uses in its first microseconds stays.
    #[cfg(target_os = "linux")]
    pub(crate) fn apply(&self, leader: &Leader<'_>) {
        use rustix::process::{Resource, Rlimit, prlimit};

        for (resource, limit) in [(Resource::As, self.memory), (Resource::Nproc, self.processes)] {
            if limit.is_some() {
                // It fails when the child has ended, or has lower limits already.
                let _ = prlimit(
                    Some(leader.pid()),
                    resource,
                    Rlimit { current: limit, maximum: limit },
                );
            }
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn apply(&self, _: &Leader<'_>) {}
}

/// Runs children one after the other.
#[derive(Debug)]
pub(crate) struct Runner<'i> {
    limits: Limits,
    interrupt: &'i Interrupt,
    scratch: Scratch,
}

impl<'i> Runner<'i> {
    pub(crate) fn new(limits: Limits, interrupt: &'i Interrupt) -> Self {
        Self { limits, interrupt, scratch: Scratch::default() }
    }

    /// Runs `command`, whose two output streams must be pipes, and leaves no
    /// process of its group.
    ///
    /// # Errors
    /// `Err(Failure::Spawn)` when it could not be started, `Err(Failure::Watch)`
    /// when it could not be watched; then it has been killed.
    pub(crate) fn run(&mut self, command: &mut Command) -> Result<Finished, Failure> {
        let started = Instant::now();
        let mut leader =
            Leader::spawn(command, self.interrupt.registry()).map_err(Failure::Spawn)?;
        self.limits.apply(&leader);
        let child = leader.child_mut().ok_or_else(|| Failure::Watch(Errno::CHILD.into()))?;
        let mut streams = Streams::of(child, self.limits.output).map_err(Failure::Watch)?;

        let mut watched = self
            .watch(&leader, &mut streams, started + self.limits.timeout)
            .map_err(Failure::Watch)?;
        let duration = started.elapsed();
        if watched == Watched::Ended {
            // Somebody else may hold the pipes: what the child has started, for as
            // long as it likes, and for a moment the children that other workers
            // are just starting, before their descriptors close.
            watched = self.drain(&mut streams, GRACE).map_err(Failure::Watch)?;
        }
        let suspicious = watched != Watched::Ended || streams.is_open();
        if streams.is_open() && !matches!(watched, Watched::Flooded(_)) {
            leader.kill_group();
            // What the killed have written counts; how they end does not.
            self.drain(&mut streams, SETTLE).map_err(Failure::Watch)?;
        }
        if streams.is_open() {
            survivors::kill_holders(&streams.inodes());
        }
        let status = leader.end().map_err(Failure::Watch)?;
        let (stdout, stderr) = streams.into_bytes();
        let ending = match (watched, status) {
            (Watched::Ended, Some(status)) => Ending::Exited(status),
            (Watched::Ended | Watched::TimedOut, _) => Ending::TimedOut,
            (Watched::Flooded(stream), _) => Ending::Flooded(stream),
            (Watched::Interrupted, _) => Ending::Interrupted,
        };
        Ok(Finished { ending, stdout, stderr, duration, suspicious })
    }

    /// Reads the streams until the leader ends or must be ended.
    fn watch(
        &mut self,
        leader: &Leader<'_>,
        streams: &mut Streams,
        deadline: Instant,
    ) -> io::Result<Watched> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let wait = if leader.exit().is_some() { left } else { left.min(LOOK_AGAIN) };
            let ready = wait_for(streams, leader.exit(), self.interrupt, wait)?;
            if ready.interrupted {
                return Ok(Watched::Interrupted);
            }
            // Asked before reading: what it wrote before it ended is then in the
            // pipes for certain. At the deadline it is asked once more, so that
            // who ends in the last moment has ended.
            let asks = leader.exit().is_none() || left.is_zero();
            let ended = ready.ended || (asks && leader.has_ended());
            let flood = if ended {
                streams.read_all(&mut self.scratch)
            } else {
                take(streams, &ready, &mut self.scratch)
            };
            match flood {
                Some(stream) => return Ok(Watched::Flooded(stream)),
                None if ended => return Ok(Watched::Ended),
                None if left.is_zero() => return Ok(Watched::TimedOut),
                None => {}
            }
        }
    }

    /// Reads the streams to their end, or for as long as `patience`.
    fn drain(&mut self, streams: &mut Streams, patience: Duration) -> io::Result<Watched> {
        let until = Instant::now() + patience;
        while streams.is_open() {
            let left = until.saturating_duration_since(Instant::now());
            let ready = wait_for(streams, None, self.interrupt, left)?;
            if ready.interrupted {
                return Ok(Watched::Interrupted);
            }
            if let Some(stream) = take(streams, &ready, &mut self.scratch) {
                return Ok(Watched::Flooded(stream));
            }
            if left.is_zero() {
                break;
            }
        }
        Ok(Watched::Ended)
    }
}

/// How watching ended, before the child was reaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Watched {
    Ended,
    TimedOut,
    Flooded(Stream),
    Interrupted,
}

/// What poll found.
#[derive(Debug, Default)]
struct Ready {
    /// For each stream, whether there is something to read, and whether it has
    /// hung up.
    streams: [(bool, bool); 2],
    ended: bool,
    interrupted: bool,
}

/// Waits for the streams, the end of the leader, or an interruption.
fn wait_for(
    streams: &Streams,
    exit: Option<BorrowedFd<'_>>,
    interrupt: &Interrupt,
    wait: Duration,
) -> io::Result<Ready> {
    let [stdout, stderr] = streams.pipes();
    let wake = interrupt.wake();
    let fd = |fd: Option<_>| PollFd::from_borrowed_fd(fd.unwrap_or(wake), PollFlags::IN);
    // Poll wants all places filled; those without a descriptor of their own
    // repeat the last one, and what they say is not looked at.
    let mut fds = [fd(stdout), fd(stderr), fd(exit), fd(None)];
    poll(&mut fds, wait)?;
    let [out, err, end, woken] = fds.map(|fd| fd.revents());
    let stream = |pipe: Option<_>, flags: PollFlags| {
        (pipe.is_some() && flags.contains(PollFlags::IN), pipe.is_some() && !flags.is_empty())
    };
    Ok(Ready {
        streams: [stream(stdout, out), stream(stderr, err)],
        ended: exit.is_some() && !end.is_empty(),
        interrupted: !woken.is_empty(),
    })
}

/// Reads once from each stream that is ready.
fn take(streams: &mut Streams, ready: &Ready, scratch: &mut Scratch) -> Option<Stream> {
    for (place, (readable, hung_up)) in ready.streams.into_iter().enumerate() {
        if readable {
            if let Read::Flood(stream) = streams.read(place, scratch) {
                return Some(stream);
            }
        } else if hung_up {
            streams.close(place);
        }
    }
    None
}

/// Polls; a signal that comes in between counts as nothing being ready.
pub(crate) fn poll(fds: &mut [PollFd<'_>], wait: Duration) -> io::Result<usize> {
    // A wait too long for the system is as good as for ever.
    let wait = Timespec::try_from(wait).ok();
    match rustix::event::poll(fds, wait.as_ref()) {
        Err(Errno::INTR) => {
            fds.iter_mut().for_each(PollFd::clear_revents);
            Ok(0)
        }
        other => Ok(other?),
    }
}
