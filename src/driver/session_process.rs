//! The process of a session: greeted, asked, and heard.

use std::borrow::Cow;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::core::{Outcome, Stream};

use super::child::{Heard, Left, Limits, signal_of};
use super::dialogue::Dialogue;
use super::protocol::{self, Greeting, Question, SESSION_VERSION, SentDocument};
use super::session::SessionDriver;
use super::workspace::Workspace;
use super::{DriverError, Reply, Request, StartError};

/// How long a process may take to end after `bye`.
const FAREWELL: Duration = Duration::from_millis(500);

/// How often a start that was not permitted is tried.
const TRIES: usize = 10;

/// How the harness introduces itself.
const PROGRAM: &str = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));

/// A process that has answered `hello`. Dropping it kills it.
pub(super) struct SessionProcess<'d> {
    dialogue: Dialogue<'d>,
    greeting: Greeting,
    limits: Limits,
    last_id: u64,
}

/// What came of waiting for a reply.
pub(super) enum Event {
    /// The reply, and the line that it came in.
    Reply(Reply, Vec<u8>),
    /// The session is broken.
    Broken(Break),
    /// The run is to end.
    Interrupted,
}

/// What broke a session.
pub(super) enum Break {
    /// A line that may not be, told so that it fits "the implementation …".
    Breach {
        /// What is wrong.
        what: String,
        /// The line.
        line: Vec<u8>,
    },
    /// No reply in time.
    TimedOut,
    /// A line without end.
    Flooded,
    /// No further line will come.
    Ended,
}

impl<'d> SessionProcess<'d> {
    /// Starts the process in `work`, and exchanges greetings.
    pub(super) fn start(
        driver: &'d SessionDriver,
        work: &Path,
        tag: &str,
    ) -> Result<Self, DriverError> {
        let program = driver.subject();
        let mut dialogue = open(driver, work, tag)?;
        let hello = Question::Hello { session: SESSION_VERSION, program: PROGRAM.into() };
        dialogue.send(&hello.line());
        let unwatched = |source| StartError::Unwatched { program: program.to_owned(), source };
        let heard = dialogue.listen(Instant::now() + driver.start_timeout).map_err(unwatched)?;
        let broken = match heard {
            Heard::Interrupted => return Err(DriverError::Interrupted),
            Heard::Line(line) => match protocol::greeting(&line) {
                Ok(greeting) => {
                    // What it says while it starts is no case's.
                    dialogue.take_stderr();
                    let limits = *driver.launcher.limits();
                    return Ok(Self { dialogue, greeting, limits, last_id: 0 });
                }
                Err(breach) => Some(breach.to_string()),
            },
            Heard::TimedOut => {
                Some(format!("did not answer hello within {:?}", driver.start_timeout))
            }
            Heard::Flooded => Some("answered hello with a line that does not end".to_owned()),
            Heard::Ended => None,
        };
        let left = dialogue.end().map_err(unwatched)?;
        let cause = broken.unwrap_or_else(|| manner_of_end(&left, "before it answered hello"));
        let stderr = String::from_utf8_lossy(&left.stderr).trim().to_owned();
        let (command, is_library) = (driver.command_line(), driver.is_library());
        Err(StartError::NoSession { command, cause, stderr, is_library }.into())
    }

    pub(super) fn greeting(&self) -> &Greeting {
        &self.greeting
    }

    /// Sends a case, whose documents are in `documents`; its id in this session.
    pub(super) fn ask(&mut self, request: &Request<'_>, documents: &Workspace<'_>) -> u64 {
        let sent = request.fixture.documents.iter().map(|document| {
            let path = documents.document(&document.name).unwrap_or(Path::new(""));
            let text = std::str::from_utf8(&document.bytes).ok().map(Cow::Borrowed);
            let sent = SentDocument { path: path.to_string_lossy(), text };
            (Cow::Borrowed(document.name.as_str()), sent)
        });
        self.last_id += 1;
        let question = Question::Case {
            id: self.last_id,
            operation: request.operation.into(),
            protocol: request.protocol.to_string().into(),
            documents: sent.collect(),
        };
        self.dialogue.send(&question.line());
        self.last_id
    }

    /// Waits for the reply to the case `due`, which is the only one on its way if
    /// it is the `last`.
    pub(super) fn hear(&mut self, due: u64, last: bool, deadline: Instant) -> io::Result<Event> {
        let line = match self.dialogue.listen(deadline)? {
            Heard::Line(line) => line,
            Heard::TimedOut => return Ok(Event::Broken(Break::TimedOut)),
            Heard::Flooded => return Ok(Event::Broken(Break::Flooded)),
            Heard::Ended => return Ok(Event::Broken(Break::Ended)),
            Heard::Interrupted => return Ok(Event::Interrupted),
        };
        let what = match protocol::reply(&line) {
            Ok((id, reply)) if id == due => match last.then(|| self.dialogue.surplus()).flatten() {
                None => return Ok(Event::Reply(reply, line)),
                Some(surplus) => {
                    let what = self.misplaced(&surplus, due + 1);
                    return Ok(Event::Broken(Break::Breach { what, line: surplus }));
                }
            },
            Ok(_) => self.misplaced(&line, due),
            Err(breach) => breach.to_string(),
        };
        Ok(Event::Broken(Break::Breach { what, line }))
    }

    /// What is wrong with a line that came when the reply to `due` was, or when
    /// none was.
    fn misplaced(&self, line: &[u8], due: u64) -> String {
        match protocol::reply(line) {
            Ok((id, _)) if (1..due).contains(&id) => {
                format!("replied to case {id} a second time")
            }
            Ok((id, _)) if (due + 1..=self.last_id).contains(&id) => {
                format!("replied to case {id} before case {due}: replies must keep the order")
            }
            Ok((id, _)) => format!("replied to a case {id}, which was not asked"),
            Err(breach) => breach.to_string(),
        }
    }

    /// The end of what it wrote to standard error since that was last asked.
    pub(super) fn take_stderr(&mut self) -> Vec<u8> {
        self.dialogue.take_stderr()
    }

    /// Says `bye` and gives it a moment to end.
    pub(super) fn part(mut self) {
        self.dialogue.send(&Question::Bye {}.line());
        // How it ends is no case's matter.
        let _ = self.dialogue.finish(FAREWELL);
    }

    /// Ends the process after a break: the outcome of the case under way, what it
    /// wrote last, and its standard error.
    pub(super) fn end_broken(self, broken: Break) -> io::Result<(Outcome, Vec<u8>, Vec<u8>)> {
        let limits = self.limits;
        let left = self.dialogue.end()?;
        let outcome = match &broken {
            Break::Breach { what, .. } => Outcome::BrokeProtocol { what: what.clone() },
            Break::TimedOut => Outcome::TimedOut {
                limit_ms: u64::try_from(limits.timeout.as_millis()).unwrap_or(u64::MAX),
            },
            Break::Flooded => {
                Outcome::Flooded { stream: Stream::Stdout, limit: limits.output as u64 }
            }
            Break::Ended => match left.status.and_then(signal_of) {
                Some(by) => Outcome::Crashed { by },
                None => {
                    Outcome::BrokeProtocol { what: manner_of_end(&left, "instead of replying") }
                }
            },
        };
        let mut written = match broken {
            Break::Breach { line, .. } => line,
            _ => left.unfinished,
        };
        written.truncate(limits.output);
        Ok((outcome, written, left.stderr))
    }
}

/// Starts the process of a session.
fn open<'d>(driver: &'d SessionDriver, work: &Path, tag: &str) -> Result<Dialogue<'d>, StartError> {
    let launcher = &driver.launcher;
    let mut command = launcher.session_command(&driver.argv, work, tag)?;
    let mut tries = 0;
    loop {
        let source = match Dialogue::start(&mut command, launcher.limits(), launcher.interrupt()) {
            Ok(dialogue) => return Ok(dialogue),
            Err(source) => source,
        };
        tries += 1;
        // Another worker's case may just have taken the executable bit away.
        let again = source.kind() == io::ErrorKind::PermissionDenied
            && tries < TRIES
            && launcher.program().is_executable();
        if !again {
            return Err(StartError::explain(launcher.program().path(), source));
        }
    }
}

/// How a process ended that was not to. Fits "the implementation …".
fn manner_of_end(left: &Left, when: &str) -> String {
    let how = match left.status {
        None => "closed its standard output".to_owned(),
        Some(status) => match (status.code(), signal_of(status)) {
            (Some(code), _) => format!("ended with exit code {code}"),
            (None, signal) => format!("was ended by {}", signal.unwrap_or_default()),
        },
    };
    format!("{how} {when}")
}
