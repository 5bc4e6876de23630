//! A child process that is spoken to line by line, for as long as it lives.

use std::io::{self, Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::Interrupt;
use super::child::{Heard, Left, Limits, TO_END, keep_errors};
use super::incoming::Incoming;
use super::job::{LOOK_AGAIN, Leader};

/// How often to look for an interruption, and whether the process has ended.
const TURN: Duration = Duration::from_millis(20);

/// Pieces of output that wait to be looked at: then the process waits.
const WAITING: usize = 16;

/// The process, and what is on its way to and from it. Dropping it kills its job.
#[derive(Debug)]
pub(crate) struct Dialogue<'d> {
    leader: Leader,
    interrupt: &'d Interrupt,
    /// `None` once standard input is to be closed.
    input: Option<Sender<Vec<u8>>>,
    output: Receiver<Vec<u8>>,
    is_closed: bool,
    incoming: Incoming,
    stderr: Arc<Mutex<Vec<u8>>>,
}

impl<'d> Dialogue<'d> {
    /// Starts a process.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(crate) fn start(
        command: &mut Command,
        limits: &Limits,
        interrupt: &'d Interrupt,
    ) -> io::Result<Self> {
        command.stdin(Stdio::piped());
        let mut leader = Leader::spawn(command)?;
        let child = leader.child_mut();
        let (input, lines) = mpsc::channel::<Vec<u8>>();
        let (pieces, output) = mpsc::sync_channel(WAITING);
        let stderr = Arc::new(Mutex::new(Vec::new()));
        if let Some(mut pipe) = child.stdin.take() {
            // It reads no more when that fails. Whether it still has something to say
            // shows when its lines are waited for.
            thread::spawn(move || {
                lines.iter().all(|line| pipe.write_all(&line).and_then(|()| pipe.flush()).is_ok())
            });
        }
        if let Some(mut pipe) = child.stdout.take() {
            thread::spawn(move || {
                while let Some(piece) = read_piece(&mut pipe) {
                    if pieces.send(piece).is_err() {
                        return;
                    }
                }
            });
        }
        if let Some(mut pipe) = child.stderr.take() {
            let kept = Arc::clone(&stderr);
            thread::spawn(move || {
                while let Some(piece) = read_piece(&mut pipe) {
                    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                    keep_errors(&mut kept, &piece);
                }
            });
        }
        Ok(Self {
            leader,
            interrupt,
            input: Some(input),
            output,
            is_closed: false,
            incoming: Incoming::new(limits.output),
            stderr,
        })
    }

    /// Puts a line on its way. It is written as the process reads.
    pub(crate) fn send(&mut self, line: &[u8]) {
        if let Some(input) = &self.input {
            // Nobody writes it where the process reads no more.
            let _ = input.send(line.to_owned());
        }
    }

    /// Waits for a line that is not blank.
    ///
    /// # Errors
    /// When the system cannot tell whether the process has ended.
    pub(crate) fn listen(&mut self, deadline: Instant) -> io::Result<Heard> {
        // At the deadline it is heard once more, so that who answers in the last moment
        // has answered.
        let mut is_late = false;
        loop {
            if let Some(heard) = self.incoming.heard(self.is_closed) {
                return Ok(heard);
            }
            if self.interrupt.signal().is_some() {
                return Ok(Heard::Interrupted);
            }
            if is_late {
                return Ok(Heard::TimedOut);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            is_late = left.is_zero();
            match self.output.recv_timeout(left.min(TURN)) {
                Ok(piece) => self.incoming.add(&piece),
                Err(RecvTimeoutError::Disconnected) => self.is_closed = true,
                // Others may hold the pipe; what they write is none of its words.
                Err(RecvTimeoutError::Timeout) => {
                    if self.leader.ended()?.is_some() {
                        self.take_output();
                        self.is_closed = true;
                    }
                }
            }
        }
    }

    /// A line that is there already, whole or not, without waiting for one.
    pub(crate) fn surplus(&mut self) -> Option<Vec<u8>> {
        self.take_output();
        self.incoming.surplus()
    }

    /// The end of what came on standard error since the last call.
    pub(crate) fn take_stderr(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.stderr.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Closes standard input and waits for the process to end by itself.
    ///
    /// # Errors
    /// As for [`Dialogue::listen`].
    pub(crate) fn finish(mut self, patience: Duration) -> io::Result<Left> {
        let until = Instant::now() + patience;
        self.input = None;
        // What it still says is read, so that it does not wait for a reader.
        while matches!(self.listen(until)?, Heard::Line(_)) {}
        self.end()
    }

    /// Ends the process, if it has not ended, and all of its job.
    ///
    /// # Errors
    /// When the system cannot wait.
    pub(crate) fn end(mut self) -> io::Result<Left> {
        self.input = None;
        if self.is_closed {
            let until = Instant::now() + TO_END;
            while self.leader.ended()?.is_none() && Instant::now() < until {
                thread::sleep(LOOK_AGAIN);
            }
        }
        let status = self.leader.ended()?;
        let stderr = self.take_stderr();
        let Self { leader, incoming, .. } = self;
        leader.end()?;
        Ok(Left { status, unfinished: incoming.into_bytes(), stderr })
    }

    /// Takes what is there, or more than a line may have.
    fn take_output(&mut self) {
        while !self.incoming.is_flooded()
            && let Ok(piece) = self.output.try_recv()
        {
            self.incoming.add(&piece);
        }
    }
}

/// Some bytes; `None` at the end.
fn read_piece(pipe: &mut impl Read) -> Option<Vec<u8>> {
    let mut piece = vec![0; 16 * 1024];
    let count = pipe.read(&mut piece).ok().filter(|&count| count > 0)?;
    piece.truncate(count);
    Some(piece)
}
