//! The exec driver: a process for each case.

use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use crate::core::{Observation, Outcome};

use super::child::{Ending, Failure, Finished, Limits, signal_of};
use super::config::ExecConfig;
use super::launch::Launcher;
use super::process::Runner;
use super::profile::{Ask, Exits};
use super::program::{Meddling, User};
use super::workspace::Workspace;
use super::{Connection, Driver, DriverError, Interrupt, Request, StartError, survivors};

/// Runs an implementation as a process for each case.
///
/// What a case starts does not outlive it, apart from processes that leave their
/// process group, let go of the output streams, clear their environment and make no
/// noise: those are ended with the driver, or when documents are found changed. That
/// outweighs whatever else the case did, and the next one finds the original. Limits on
/// memory and processes are set right after the start, not before it.
#[derive(Debug)]
pub struct ExecDriver {
    launcher: Launcher,
}

impl ExecDriver {
    /// Finds the program.
    ///
    /// # Errors
    /// When there is none, or it cannot be executed.
    pub fn new(config: ExecConfig, interrupt: &Interrupt) -> Result<Self, StartError> {
        Launcher::new(config, interrupt).map(|launcher| Self { launcher })
    }

    /// The program's absolute path.
    #[must_use]
    pub fn program(&self) -> &Path {
        self.launcher.program().path()
    }
}

impl Driver for ExecDriver {
    fn connect(&self, worker: usize) -> Result<Box<dyn Connection + '_>, StartError> {
        let workspace = self.launcher.workspace()?;
        let runner = Runner::new(*self.launcher.limits(), self.launcher.interrupt());
        let tag = self.launcher.tag(worker);
        let _user = self.launcher.program().user();
        Ok(Box::new(ExecConnection { driver: self, workspace, runner, tag, _user }))
    }

    /// The first line that `--version` prints, when it then exits with 0.
    fn version(&self) -> Option<String> {
        self.launcher.version()
    }
}

struct ExecConnection<'d> {
    driver: &'d ExecDriver,
    workspace: Workspace<'d>,
    runner: Runner<'d>,
    tag: String,
    _user: User<'d>,
}

impl Connection for ExecConnection<'_> {
    fn run(&mut self, request: &Request<'_>) -> Result<Observation, DriverError> {
        if self.driver.launcher.interrupt().signal().is_some() {
            return Err(DriverError::Interrupted);
        }
        let profile = self.driver.launcher.profile();
        let ask = match profile.ask(request.operation, &request.spec.argv) {
            Ask::Unsupported(reason) => {
                return Ok(Observation::bare(Outcome::Unsupported { reason }, Duration::ZERO));
            }
            ask => ask,
        };
        let program = self.driver.launcher.program();
        let doubts = program.doubts();
        let (mut seen, meddling) = {
            let _turn = program.beside_others();
            let seen = self.attempt(request, &ask)?;
            let meddling = match program.meddling(doubts, false) {
                Meddling::None if self.is_tampering_in_doubt(&seen) => Meddling::Doubtful,
                other => other,
            };
            (seen, meddling)
        };
        let meddled = match meddling {
            Meddling::None => None,
            Meddling::Sure(what) => Some(what),
            Meddling::Doubtful => {
                let _turn = program.alone();
                self.driver.launcher.end_all();
                seen = self.attempt(request, &ask)?;
                program.restore()
            }
        };
        if let (Some(what), false) = (meddled, is_tampered(&seen)) {
            (seen.outcome, seen.findings) = (Outcome::Tampered { what }, None);
        }
        Ok(seen)
    }
}

impl ExecConnection<'_> {
    /// Whether the documents were changed and another case may have done it: one that
    /// ran beside this one, or that left a process behind.
    fn is_tampering_in_doubt(&self, seen: &Observation) -> bool {
        let launcher = &self.driver.launcher;
        let others =
            || launcher.program().is_shared() || launcher.interrupt().registry().has_had_strays();
        is_tampered(seen) && others()
    }

    /// Runs the case, and tells all but what was done to the program itself.
    fn attempt(&mut self, request: &Request<'_>, ask: &Ask) -> Result<Observation, DriverError> {
        let profile = self.driver.launcher.profile();
        self.prepare(request)?;
        let finished = self.start(ask)?;
        let mut changes = self.workspace.changes();
        let registry = self.driver.launcher.interrupt().registry();
        registry.reap_strays();
        let strays = registry.has_strays();
        if finished.suspicious || changes.is_some() || strays {
            survivors::kill_tagged(&self.tag);
            registry.reap_strays();
            changes = changes.or_else(|| self.workspace.changes());
        }
        match changes {
            // The next case gets a new folder; this one may be in any state.
            Some(_) => self.workspace = self.driver.launcher.workspace()?,
            None => self.clean()?,
        }
        let outcome = match (finished.ending, changes) {
            (Ending::Interrupted, _) => return Err(DriverError::Interrupted),
            (_, Some(what)) => Outcome::Tampered { what },
            (ending, None) => outcome(ending, self.driver.launcher.limits(), &profile.exits),
        };
        let Finished { stdout, stderr, duration, .. } = finished;
        let findings = match (&profile.findings, &outcome) {
            (Some(reader), Outcome::Decided { .. }) => Some(reader.read(&stdout, &stderr)),
            _ => None,
        };
        Ok(Observation { outcome, findings, stdout, stderr, duration })
    }

    /// Writes the documents. What fails once is tried again in a new folder:
    /// somebody may have reached into the old one.
    fn prepare(&mut self, request: &Request<'_>) -> Result<(), StartError> {
        let documents = &request.fixture.documents;
        if self.workspace.write(documents).is_ok() {
            return Ok(());
        }
        self.workspace = self.driver.launcher.workspace()?;
        let workspace = &mut self.workspace;
        let written = self.driver.launcher.with_room(|| workspace.write(documents));
        written.map_err(|source| self.workspace_error(source))
    }

    fn clean(&mut self) -> Result<(), StartError> {
        if self.workspace.clean().is_err() {
            self.workspace = self.driver.launcher.workspace()?;
        }
        Ok(())
    }

    fn workspace_error(&self, source: io::Error) -> StartError {
        StartError::Workspace { path: self.workspace.root().to_owned(), source }
    }

    fn start(&mut self, ask: &Ask) -> Result<Finished, StartError> {
        let mut obstacles = 0;
        loop {
            let mut command = self.command(ask)?;
            match self.runner.run(&mut command) {
                Ok(finished) => return Ok(finished),
                Err(Failure::Watch(source)) => {
                    let program = self.driver.program().to_owned();
                    return Err(StartError::Unwatched { program, source });
                }
                Err(Failure::Spawn(source)) => {
                    let again = obstacles < OBSTACLES && self.clear_the_way(&source)?;
                    if !again {
                        return Err(StartError::explain(self.driver.program(), source));
                    }
                    obstacles += 1;
                    std::thread::sleep(Duration::from_millis(10 * obstacles));
                }
            }
        }
    }

    /// Whether it makes sense to try once more to start the program.
    fn clear_the_way(&mut self, error: &io::Error) -> Result<bool, StartError> {
        self.driver.launcher.interrupt().registry().reap_abandoned();
        Ok(match error.kind() {
            // Out of processes or memory, perhaps through what is being killed
            // just now; or the program is being written.
            io::ErrorKind::WouldBlock
            | io::ErrorKind::OutOfMemory
            | io::ErrorKind::ExecutableFileBusy => true,
            // A former case, or that of another worker, took the executable bit
            // away.
            io::ErrorKind::PermissionDenied => self.driver.launcher.program().is_executable(),
            // The working directory is gone.
            io::ErrorKind::NotFound if !self.workspace.work().is_dir() => {
                self.clean()?;
                true
            }
            _ => false,
        })
    }

    fn command(&self, ask: &Ask) -> Result<Command, StartError> {
        let launcher = &self.driver.launcher;
        launcher.command(ask, &self.workspace, self.workspace.work(), &self.tag)
    }
}

fn is_tampered(seen: &Observation) -> bool {
    matches!(seen.outcome, Outcome::Tampered { .. })
}

/// How often a start that failed is tried again.
const OBSTACLES: u64 = 10;

fn outcome(ending: Ending, limits: &Limits, exits: &Exits) -> Outcome {
    match ending {
        Ending::Exited(status) => outcome_of_exit(status, exits),
        Ending::Flooded(stream) => Outcome::Flooded { stream, limit: limits.output as u64 },
        Ending::TimedOut | Ending::Interrupted => Outcome::TimedOut {
            limit_ms: u64::try_from(limits.timeout.as_millis()).unwrap_or(u64::MAX),
        },
    }
}

fn outcome_of_exit(status: ExitStatus, exits: &Exits) -> Outcome {
    match (signal_of(status), status.code()) {
        (None, Some(code)) => match exits.decide(code) {
            Some(accepted) => Outcome::Decided { accepted },
            None => Outcome::WrongExit { code },
        },
        (by, _) => Outcome::Crashed { by: by.unwrap_or_default() },
    }
}
