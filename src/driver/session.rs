//! The session driver: one process for each worker, many cases for each process.

use std::ffi::OsStr;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::config::ExecConfig;
use super::launch::Launcher;
use super::protocol::Greeting;
use super::session_worker::SessionConnection;
use super::{Connection, Driver, Interrupt, StartError};

/// How a session is kept.
#[derive(Debug, Clone)]
pub struct SessionConfig {
    /// What to start, and within what limits. The time-out holds for each case,
    /// the output limit for each line.
    pub exec: ExecConfig,
    /// How many cases may be on their way at once; `None`: as the profile says.
    pub in_flight: Option<NonZeroUsize>,
    /// How often, over all workers, a process may be started again.
    pub restarts: usize,
    /// How long the answer to `hello` may take.
    pub start_timeout: Duration,
    /// What errors name in place of the program: what the program hosts.
    pub subject: Option<PathBuf>,
}

impl SessionConfig {
    /// How often a process is started again.
    pub const RESTARTS: usize = 10;

    /// How long a start may take at least, unless said otherwise: slow starters are what
    /// sessions are for.
    pub const START_TIMEOUT: Duration = Duration::from_secs(30);

    /// As the profile says.
    #[must_use]
    pub fn new(exec: ExecConfig) -> Self {
        let start_timeout = exec.timeout.max(Self::START_TIMEOUT);
        Self { exec, in_flight: None, restarts: Self::RESTARTS, start_timeout, subject: None }
    }
}

/// Runs an implementation that answers many cases in one process.
///
/// Whatever breaks a session is charged to the case under way, which is the first
/// one that has no reply; then the process is started again for the others.
#[derive(Debug)]
pub struct SessionDriver {
    pub(super) launcher: Launcher,
    pub(super) argv: Vec<String>,
    pub(super) in_flight: usize,
    pub(super) start_timeout: Duration,
    subject: Option<PathBuf>,
    pub(super) incidents: Incidents,
    pub(super) greeted: Greeted,
}

impl SessionDriver {
    /// Finds the program.
    ///
    /// # Errors
    /// When there is none, it cannot be executed, or the profile has no session.
    pub fn new(config: SessionConfig, interrupt: &Interrupt) -> Result<Self, StartError> {
        let SessionConfig { exec, in_flight, restarts, start_timeout, subject } = config;
        let Some(ask) = exec.profile.session.clone() else {
            return Err(StartError::NoSessionAsk { profile: exec.profile.name.clone() });
        };
        Ok(Self {
            launcher: Launcher::new(exec, interrupt)?,
            argv: ask.argv,
            in_flight: in_flight.unwrap_or(ask.in_flight).get(),
            start_timeout,
            subject,
            incidents: Incidents { allowed: restarts, story: Mutex::default() },
            greeted: Greeted::default(),
        })
    }

    /// The program's absolute path.
    #[must_use]
    pub fn program(&self) -> &Path {
        self.launcher.program().path()
    }

    /// Whether the program only hosts what is tested.
    pub(super) fn is_library(&self) -> bool {
        self.subject.is_some()
    }

    /// Whether a process may be started once more.
    pub(super) fn check_restarts(&self) -> Result<(), StartError> {
        let (restarts, story) = (self.incidents.allowed, self.incidents.story());
        if story.len() <= restarts {
            return Ok(());
        }
        let (command, is_library) = (self.command_line(), self.is_library());
        Err(StartError::GaveUp { command, restarts, story, is_library })
    }

    /// The command that was run, or the library, safe to show.
    pub(super) fn command_line(&self) -> String {
        if let Some(subject) = &self.subject {
            return shown(subject.as_os_str());
        }
        match self.launcher.session_command(&self.argv, Path::new("."), "") {
            Ok(command) => {
                let words = std::iter::once(command.get_program()).chain(command.get_args());
                words.map(shown).collect::<Vec<_>>().join(" ")
            }
            Err(_) => shown(self.program().as_os_str()),
        }
    }

    /// What errors name.
    pub(super) fn subject(&self) -> &Path {
        self.subject.as_deref().unwrap_or_else(|| self.program())
    }
}

impl Driver for SessionDriver {
    fn connect(&self, worker: usize) -> Result<Box<dyn Connection + '_>, StartError> {
        Ok(Box::new(SessionConnection::open(self, worker)?))
    }

    /// What the implementation calls itself, once a worker has reached it.
    fn version(&self) -> Option<String> {
        self.greeted.wait(self.start_timeout).map(|greeting| greeting.title())
    }

    /// With more than one case on its way, enough that the way is seldom empty.
    fn batch(&self) -> usize {
        if self.in_flight == 1 { 1 } else { self.in_flight * 8 }
    }
}

/// A word of a command line: in quotes where it would not be seen to be one.
fn shown(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\'' | '\\');
    if !word.is_empty() && word.chars().all(plain) {
        word.into_owned()
    } else {
        format!("{word:?}")
    }
}

/// What broke sessions so far, and how much of it is borne.
#[derive(Debug)]
pub(super) struct Incidents {
    allowed: usize,
    story: Mutex<Vec<String>>,
}

impl Incidents {
    pub(super) fn add(&self, incident: String) {
        self.story.lock().unwrap_or_else(PoisonError::into_inner).push(incident);
    }

    fn story(&self) -> Vec<String> {
        self.story.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// How the implementation introduced itself: for whoever asks while workers start.
#[derive(Debug, Default)]
pub(super) struct Greeted {
    greeting: Mutex<Answer>,
    told: Condvar,
}

#[derive(Debug, Default)]
enum Answer {
    #[default]
    Open,
    None,
    Some(Greeting),
}

impl Greeted {
    /// Keeps the first greeting. `None`: there was none, and none need be waited for.
    pub(super) fn tell(&self, greeting: Option<&Greeting>) {
        let mut answer = self.greeting.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(*answer, Answer::Some(_)) {
            *answer = greeting.cloned().map_or(Answer::None, Answer::Some);
        }
        self.told.notify_all();
    }

    fn wait(&self, patience: Duration) -> Option<Greeting> {
        let answer = self.greeting.lock().unwrap_or_else(PoisonError::into_inner);
        let open = |answer: &mut Answer| matches!(answer, Answer::Open);
        let (answer, _) = self
            .told
            .wait_timeout_while(answer, patience, open)
            .unwrap_or_else(PoisonError::into_inner);
        match &*answer {
            Answer::Some(greeting) => Some(greeting.clone()),
            Answer::Open | Answer::None => None,
        }
    }
}
