//! A child process that is spoken to line by line, for as long as it lives.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::Errno;

use super::Interrupt;
use super::child::{Heard, Left, Limits, TO_END, keep_errors};
use super::group::{LOOK_AGAIN, Leader};
use super::incoming::Incoming;
use super::process::poll;
use super::streams::Scratch;

/// The process, and what is on its way to and from it. Dropping it kills its group.
#[derive(Debug)]
pub(crate) struct Dialogue<'d> {
    leader: Leader<'d>,
    interrupt: &'d Interrupt,
    input: Option<OwnedFd>,
    outgoing: VecDeque<u8>,
    output: Option<OwnedFd>,
    incoming: Incoming,
    errors: Option<OwnedFd>,
    stderr: Vec<u8>,
    scratch: Scratch,
}

impl<'d> Dialogue<'d> {
    /// Starts a process.
    ///
    /// # Errors
    /// When it cannot be started, or its pipes cannot be used.
    pub(crate) fn start(
        command: &mut Command,
        limits: &Limits,
        interrupt: &'d Interrupt,
    ) -> io::Result<Self> {
        command.stdin(Stdio::piped());
        let mut leader = Leader::spawn(command, interrupt.registry())?;
        limits.apply(&leader);
        let child = leader.child_mut().ok_or(Errno::CHILD)?;
        let input = child.stdin.take().map(OwnedFd::from);
        let output = child.stdout.take().map(OwnedFd::from);
        let errors = child.stderr.take().map(OwnedFd::from);
        for pipe in input.iter().chain(&output).chain(&errors) {
            fcntl_setfl(pipe, OFlags::NONBLOCK)?;
        }
        Ok(Self {
            leader,
            interrupt,
            input,
            outgoing: VecDeque::new(),
            output,
            incoming: Incoming::new(limits.output),
            errors,
            stderr: Vec::new(),
            scratch: Scratch::default(),
        })
    }

    /// Puts a line on its way. It is written as the process reads.
    pub(crate) fn send(&mut self, line: &[u8]) {
        self.outgoing.extend(line);
        self.write();
    }

    /// Waits for a line that is not blank.
    ///
    /// # Errors
    /// When the system cannot wait.
    pub(crate) fn listen(&mut self, deadline: Instant) -> io::Result<Heard> {
        // At the deadline it is heard once more, so that who answers in the last moment
        // has answered.
        let mut is_late = false;
        loop {
            if let Some(heard) = self.incoming.heard(self.output.is_none()) {
                return Ok(heard);
            }
            if is_late {
                return Ok(Heard::TimedOut);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            is_late = left.is_zero();
            if self.turn(left)? {
                return Ok(Heard::Interrupted);
            }
        }
    }

    /// A line that is there already, whole or not, without waiting for one.
    pub(crate) fn surplus(&mut self) -> Option<Vec<u8>> {
        self.read_output();
        self.incoming.surplus()
    }

    /// The end of what came on standard error since the last call.
    pub(crate) fn take_stderr(&mut self) -> Vec<u8> {
        self.read_errors();
        std::mem::take(&mut self.stderr)
    }

    /// Closes standard input and waits for the process to end by itself.
    ///
    /// # Errors
    /// When the system cannot wait.
    pub(crate) fn finish(mut self, patience: Duration) -> io::Result<Left> {
        let until = Instant::now() + patience;
        self.write();
        if self.outgoing.is_empty() {
            self.input = None;
        }
        // What it still says is read, so that it does not wait for a reader.
        while matches!(self.listen(until)?, Heard::Line(_)) {}
        self.end()
    }

    /// Ends the process, if it has not ended, and all of its group.
    ///
    /// # Errors
    /// When the system cannot wait.
    pub(crate) fn end(mut self) -> io::Result<Left> {
        self.input = None;
        if self.output.is_none() {
            let until = Instant::now() + TO_END;
            while !self.leader.has_ended() && Instant::now() < until {
                std::thread::sleep(LOOK_AGAIN);
            }
        }
        let by_itself = self.leader.has_ended();
        self.leader.kill_group();
        self.read_errors();
        let Self { leader, incoming, stderr, .. } = self;
        let status = leader.end()?.filter(|_| by_itself);
        Ok(Left { status, unfinished: incoming.into_bytes(), stderr })
    }

    /// Waits once for anything to happen, and deals with it. Whether the run is
    /// to end.
    fn turn(&mut self, wait: Duration) -> io::Result<bool> {
        let exit = self.leader.exit();
        let wait = if exit.is_some() { wait } else { wait.min(LOOK_AGAIN) };
        let wake = self.interrupt.wake();
        let wants_to_write = !self.outgoing.is_empty() && self.input.is_some();
        let fd = |fd: Option<_>, flags| PollFd::from_borrowed_fd(fd.unwrap_or(wake), flags);
        let input = self.input.as_ref().map(AsFd::as_fd).filter(|_| wants_to_write);
        // Poll wants all places filled; one without a descriptor of its own repeats
        // the last, and what that says is looked at there.
        let mut fds = [
            fd(self.output.as_ref().map(AsFd::as_fd), PollFlags::IN),
            fd(self.errors.as_ref().map(AsFd::as_fd), PollFlags::IN),
            fd(exit, PollFlags::IN),
            fd(input, PollFlags::OUT),
            fd(None, PollFlags::IN),
        ];
        poll(&mut fds, wait)?;
        let [out, err, end, in_, woken] = fds.map(|fd| !fd.revents().is_empty());
        let ended = match exit {
            Some(_) => end,
            None => self.leader.has_ended(),
        };
        if woken {
            return Ok(true);
        }
        if wants_to_write && in_ {
            self.write();
        }
        if err {
            self.read_errors_once();
        }
        if ended {
            // Others may hold the pipes; what they write is none of its words.
            self.read_output();
            self.output = None;
        } else if out {
            self.read_output_once();
        }
        Ok(false)
    }

    fn write(&mut self) {
        while let (Some(input), false) = (&self.input, self.outgoing.is_empty()) {
            match rustix::io::write(input, self.outgoing.as_slices().0) {
                Ok(count) => drop(self.outgoing.drain(..count)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                // It reads no more. Whether it still has something to say shows
                // when its lines are waited for.
                Err(_) => self.input = None,
            }
        }
    }

    /// Reads until nothing is there, or more than a line may have.
    fn read_output(&mut self) {
        while !self.incoming.is_flooded() && self.read_output_once() {}
    }

    fn read_output_once(&mut self) -> bool {
        let Some(pipe) = &self.output else { return false };
        match self.scratch.read(pipe) {
            Some([]) => self.output = None,
            Some(bytes) => {
                self.incoming.add(bytes);
                return true;
            }
            None => {}
        }
        false
    }

    /// Reads what is there, and no more than a flood brings in a few turns.
    fn read_errors(&mut self) {
        const TURNS: usize = 16;
        for _ in 0..TURNS {
            if !self.read_errors_once() {
                break;
            }
        }
    }

    fn read_errors_once(&mut self) -> bool {
        let Some(pipe) = &self.errors else { return false };
        match self.scratch.read(pipe) {
            Some([]) => self.errors = None,
            Some(bytes) => {
                keep_errors(&mut self.stderr, bytes);
                return true;
            }
            None => {}
        }
        false
    }
}
