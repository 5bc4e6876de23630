//! Runs one child to its end, whatever it does.

use std::io::{self, Read};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::core::Stream;

use super::Interrupt;
use super::child::{Ending, Failure, Finished, GRACE, Limits, SETTLE};
use super::job::{LOOK_AGAIN, Leader};

/// Runs children one after the other.
#[derive(Debug)]
pub(crate) struct Runner<'i> {
    limits: Limits,
    interrupt: &'i Interrupt,
}

impl<'i> Runner<'i> {
    pub(crate) fn new(limits: Limits, interrupt: &'i Interrupt) -> Self {
        Self { limits, interrupt }
    }

    /// Runs `command`, whose two output streams must be pipes, and leaves no process
    /// of its job.
    ///
    /// # Errors
    /// `Err(Failure::Spawn)` when it could not be started, `Err(Failure::Watch)`
    /// when it could not be watched; then it has been killed.
    pub(crate) fn run(&mut self, command: &mut Command) -> Result<Finished, Failure> {
        let started = Instant::now();
        let mut leader = Leader::spawn(command).map_err(Failure::Spawn)?;
        let child = leader.child_mut();
        let stdout = Capture::start(Stream::Stdout, child.stdout.take(), self.limits.output);
        let stderr = Capture::start(Stream::Stderr, child.stderr.take(), self.limits.output);
        let captures = [stdout, stderr];
        let mut ending = self
            .watch(&mut leader, &captures, started + self.limits.timeout)
            .map_err(Failure::Watch)?;
        let duration = started.elapsed();
        if matches!(ending, Ending::Exited(_)) {
            settle(&captures, GRACE);
            if let Some(stream) = flooded(&captures) {
                ending = Ending::Flooded(stream);
            }
        }
        leader.kill_all();
        // What the killed have written counts.
        settle(&captures, SETTLE);
        leader.end().map_err(Failure::Watch)?;
        let [stdout, stderr] = captures.map(Capture::into_bytes);
        Ok(Finished { ending, stdout, stderr, duration, suspicious: false })
    }

    fn watch(
        &self,
        leader: &mut Leader,
        captures: &[Capture; 2],
        deadline: Instant,
    ) -> io::Result<Ending> {
        loop {
            // At the deadline it is asked once more, so that who ends in the last
            // moment has ended.
            let is_late = Instant::now() >= deadline;
            if self.interrupt.signal().is_some() {
                return Ok(Ending::Interrupted);
            }
            if let Some(stream) = flooded(captures) {
                return Ok(Ending::Flooded(stream));
            }
            if let Some(status) = leader.ended()? {
                return Ok(Ending::Exited(status));
            }
            if is_late {
                return Ok(Ending::TimedOut);
            }
            thread::sleep(LOOK_AGAIN);
        }
    }
}

/// A stream that is read by a thread of its own.
struct Capture {
    stream: Stream,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    bytes: Mutex<Vec<u8>>,
    is_flooded: AtomicBool,
    /// Nothing will be added.
    is_done: AtomicBool,
}

impl Capture {
    fn start(stream: Stream, pipe: Option<impl Read + Send + 'static>, limit: usize) -> Self {
        let shared = Arc::new(Shared::default());
        match pipe {
            Some(pipe) => {
                let shared = Arc::clone(&shared);
                // Nobody waits for it for ever: a process that got away may hold the
                // pipe for as long as it likes.
                thread::spawn(move || shared.read(pipe, limit));
            }
            None => shared.is_done.store(true, Ordering::SeqCst),
        }
        Self { stream, shared }
    }

    fn into_bytes(self) -> Vec<u8> {
        std::mem::take(&mut self.shared.bytes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Shared {
    fn read(&self, mut pipe: impl Read, limit: usize) {
        let mut chunk = vec![0; 64 * 1024];
        loop {
            // A pipe that cannot be read is at its end.
            let count = pipe.read(&mut chunk).unwrap_or_default();
            if count == 0 {
                break;
            }
            let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
            let room = limit.saturating_sub(bytes.len());
            bytes.extend_from_slice(chunk.get(..count.min(room)).unwrap_or_default());
            if count > room {
                self.is_flooded.store(true, Ordering::SeqCst);
                break;
            }
        }
        self.is_done.store(true, Ordering::SeqCst);
    }
}

fn flooded(captures: &[Capture; 2]) -> Option<Stream> {
    let flood = captures.iter().find(|it| it.shared.is_flooded.load(Ordering::SeqCst));
    flood.map(|capture| capture.stream)
}

/// Waits until both streams are at their end, or for as long as `patience`.
fn settle(captures: &[Capture; 2], patience: Duration) {
    let until = Instant::now() + patience;
    let is_done = || captures.iter().all(|it| it.shared.is_done.load(Ordering::SeqCst));
    while !is_done() && Instant::now() < until {
        thread::sleep(LOOK_AGAIN);
    }
}
