//! The exec driver: a process for each case.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use crate::core::{Observation, Outcome};

use super::process::{Ending, Failure, Finished, Limits, Runner};
use super::program::Program;
use super::registry::TAG_VARIABLE;
use super::workspace::Workspace;
use super::{Connection, Driver, DriverError, Interrupt, Request, StartError, survivors};

/// The variables of the caller's environment that implementations get; all that
/// begin with `LC_` are passed on as well. `TMPDIR` is set to the private working
/// directory. Nothing else is passed on unless asked for.
pub const PASSED_ON: [&str; 6] = ["PATH", "HOME", "USER", "LANG", "TZ", "SYSTEMROOT"];

/// The part of an environment that implementations get: [`PASSED_ON`], and the
/// names in `also`.
pub fn inherited(
    environment: impl IntoIterator<Item = (OsString, OsString)>,
    also: &[String],
) -> Vec<(OsString, OsString)> {
    let passes = |name: &OsStr| {
        name.as_encoded_bytes().starts_with(b"LC_")
            || PASSED_ON.iter().any(|passed| name == *passed)
            || also.iter().any(|passed| name == passed.as_str())
    };
    environment.into_iter().filter(|(name, _)| passes(name)).collect()
}

/// What to run, and within what limits.
#[derive(Debug, Clone)]
pub struct ExecConfig {
    /// The program: a path, or a name to look up in the `PATH` of `environment`.
    pub program: OsString,
    /// Arguments before those of the operation.
    pub args: Vec<OsString>,
    /// The whole environment of the program, but for what the driver adds; see
    /// [`inherited`].
    pub environment: Vec<(OsString, OsString)>,
    /// How long a case may take.
    pub timeout: Duration,
    /// How many bytes each of the two output streams may have.
    pub output_limit: usize,
    /// How many bytes of address space each process may have.
    pub memory_limit: Option<u64>,
    /// Where to make temporary folders.
    pub temporary: PathBuf,
}

impl ExecConfig {
    /// The default time-out.
    pub const TIMEOUT: Duration = Duration::from_secs(10);

    /// The default output limit: 1 MiB.
    pub const OUTPUT_LIMIT: usize = 1024 * 1024;

    /// The default limits, and the part of this process's environment that
    /// [`inherited`] passes on.
    #[must_use]
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            environment: inherited(std::env::vars_os(), &[]),
            timeout: Self::TIMEOUT,
            output_limit: Self::OUTPUT_LIMIT,
            memory_limit: None,
            temporary: std::env::temp_dir(),
        }
    }
}

/// Runs an implementation as a process for each case.
#[derive(Debug)]
pub struct ExecDriver {
    config: ExecConfig,
    program: Program,
    limits: Limits,
    interrupt: Interrupt,
    tag: String,
}

impl ExecDriver {
    /// Finds the program.
    ///
    /// # Errors
    /// When there is none, or it cannot be executed.
    pub fn new(config: ExecConfig, interrupt: &Interrupt) -> Result<Self, StartError> {
        let search_path = config.environment.iter().find(|(name, _)| name == "PATH");
        let program =
            Program::find(&config.program, search_path.map(|(_, value)| value.as_os_str()))?;
        let limits = Limits {
            timeout: config.timeout,
            output: config.output_limit,
            memory: config.memory_limit,
            processes: process_limit(),
        };
        let interrupt = interrupt.clone();
        let tag = interrupt.registry().new_tag();
        Ok(Self { config, program, limits, interrupt, tag })
    }

    /// The program's absolute path.
    #[must_use]
    pub fn program(&self) -> &Path {
        self.program.path()
    }
}

impl Driver for ExecDriver {
    fn connect(&self, worker: usize) -> Result<Box<dyn Connection + '_>, StartError> {
        let tag = format!("{}{worker}.", self.tag);
        let workspace = self.workspace()?;
        let runner = Runner::new(self.limits, &self.interrupt);
        Ok(Box::new(ExecConnection { driver: self, workspace, runner, tag }))
    }

    /// The first line that `--version` prints, when it then exits with 0.
    fn version(&self) -> Option<String> {
        let workspace = self.workspace().ok()?;
        let mut command = self.bare_command(workspace.work(), &self.tag);
        command.arg("--version");
        let limits = Limits {
            timeout: self.limits.timeout.min(VERSION_TIMEOUT),
            output: VERSION_OUTPUT,
            ..self.limits
        };
        let finished = Runner::new(limits, &self.interrupt).run(&mut command).ok()?;
        let ended_well =
            matches!(finished.ending, Ending::Exited(status) if status.code() == Some(0));
        let text = String::from_utf8_lossy(&finished.stdout);
        let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
        (ended_well && !line.starts_with('{')).then(|| line.chars().take(VERSION_LENGTH).collect())
    }
}

/// How long an answer to `--version` is waited for.
const VERSION_TIMEOUT: Duration = Duration::from_secs(2);

/// The most bytes of such an answer that are read, and characters that are kept.
const VERSION_OUTPUT: usize = 64 * 1024;
const VERSION_LENGTH: usize = 200;

impl ExecDriver {
    /// The program with its own arguments, in a clean environment.
    fn bare_command(&self, work: &Path, tag: &str) -> Command {
        let mut command = Command::new(self.program());
        command
            .args(&self.config.args)
            .env_clear()
            .envs(self.config.environment.iter().map(|(name, value)| (name, value)))
            .env("TMPDIR", work)
            .env(TAG_VARIABLE, tag)
            .current_dir(work)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn workspace(&self) -> Result<Workspace<'_>, StartError> {
        // Children have another working directory: a relative path would be lost.
        std::path::absolute(&self.config.temporary)
            .and_then(|parent| Workspace::new(&parent, self.interrupt.registry()))
            .map_err(|source| StartError::Workspace { path: self.config.temporary.clone(), source })
    }
}

impl Drop for ExecDriver {
    fn drop(&mut self) {
        survivors::kill_tagged(&self.tag);
        self.interrupt.registry().reap_abandoned();
    }
}

struct ExecConnection<'d> {
    driver: &'d ExecDriver,
    workspace: Workspace<'d>,
    runner: Runner<'d>,
    tag: String,
}

impl Connection for ExecConnection<'_> {
    fn run(&mut self, request: &Request<'_>) -> Result<Observation, DriverError> {
        if self.driver.interrupt.signal().is_some() {
            return Err(DriverError::Interrupted);
        }
        self.prepare(request)?;
        let finished = self.start(request)?;
        let mut changes = self.workspace.changes();
        if finished.suspicious || changes.is_some() {
            survivors::kill_tagged(&self.tag);
            changes = changes.or_else(|| self.workspace.changes());
        }
        let meddled = self.driver.program.restore();
        match changes {
            // The next case gets a new folder; this one may be in any state.
            Some(_) => self.workspace = self.driver.workspace()?,
            None => self.clean()?,
        }
        let outcome = match finished.ending {
            Ending::Interrupted => return Err(DriverError::Interrupted),
            _ if changes.is_some() || meddled.is_some() => {
                Outcome::Tampered { what: changes.or(meddled).unwrap_or_default() }
            }
            ending => outcome(ending, &self.driver.limits),
        };
        let Finished { stdout, stderr, duration, .. } = finished;
        Ok(Observation { outcome, findings: None, stdout, stderr, duration })
    }
}

impl ExecConnection<'_> {
    /// Writes the documents. What fails once is tried again in a new folder:
    /// somebody may have reached into the old one.
    fn prepare(&mut self, request: &Request<'_>) -> Result<(), StartError> {
        let documents = &request.fixture.documents;
        if self.workspace.write(documents).is_ok() {
            return Ok(());
        }
        self.workspace = self.driver.workspace()?;
        self.workspace.write(documents).map_err(|source| self.workspace_error(source))
    }

    fn clean(&mut self) -> Result<(), StartError> {
        if self.workspace.clean().is_err() {
            self.workspace = self.driver.workspace()?;
        }
        Ok(())
    }

    fn workspace_error(&self, source: io::Error) -> StartError {
        StartError::Workspace { path: self.workspace.root().to_owned(), source }
    }

    fn start(&mut self, request: &Request<'_>) -> Result<Finished, StartError> {
        let mut obstacles = 0;
        loop {
            let mut command = self.command(request)?;
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
        self.driver.interrupt.registry().reap_abandoned();
        Ok(match error.kind() {
            // Out of processes or memory, perhaps through what is being killed
            // just now; or the program is being written.
            io::ErrorKind::WouldBlock
            | io::ErrorKind::OutOfMemory
            | io::ErrorKind::ExecutableFileBusy => true,
            // A former case, or that of another worker, took the executable bit
            // away.
            io::ErrorKind::PermissionDenied => self.driver.program.restore().is_some(),
            // The working directory is gone.
            io::ErrorKind::NotFound if !self.workspace.work().is_dir() => {
                self.clean()?;
                true
            }
            _ => false,
        })
    }

    fn command(&self, request: &Request<'_>) -> Result<Command, StartError> {
        let mut command = self.driver.bare_command(self.workspace.work(), &self.tag);
        for template in &request.spec.argv {
            command.arg(self.fill_in(template)?);
        }
        Ok(command)
    }

    /// Replaces each `{document}` by the document's path.
    fn fill_in(&self, template: &str) -> Result<OsString, StartError> {
        let mut filled = OsString::new();
        let mut rest = template;
        while let Some((before, name, after)) = next_placeholder(rest) {
            let path = self
                .workspace
                .document(name)
                .ok_or_else(|| StartError::NoDocument { argument: template.to_owned() })?;
            filled.push(before);
            filled.push(path);
            rest = after;
        }
        filled.push(rest);
        Ok(filled)
    }
}

/// How often a start that failed is tried again.
const OBSTACLES: u64 = 10;

/// The text before the first `{name}`, the name, and the text after it. Braces
/// around anything else, such as JSON, are text.
fn next_placeholder(template: &str) -> Option<(&str, &str, &str)> {
    let is_name = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    template.match_indices('{').find_map(|(open, _)| {
        let (name, after) = template.get(open + 1..)?.split_once('}')?;
        is_name(name).then_some((template.get(..open)?, name, after))
    })
}

fn outcome(ending: Ending, limits: &Limits) -> Outcome {
    match ending {
        Ending::Exited(status) => outcome_of_exit(status),
        Ending::Flooded(stream) => Outcome::Flooded { stream, limit: limits.output as u64 },
        Ending::TimedOut | Ending::Interrupted => Outcome::TimedOut {
            limit_ms: u64::try_from(limits.timeout.as_millis()).unwrap_or(u64::MAX),
        },
    }
}

fn outcome_of_exit(status: ExitStatus) -> Outcome {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code @ (0 | 1)), _) => Outcome::Decided { accepted: code == 0 },
        (Some(code), _) => Outcome::WrongExit { code },
        (None, signal) => {
            let number = signal.unwrap_or_default();
            let by = signal_hook::low_level::signal_name(number)
                .map_or_else(|| format!("signal {number}"), str::to_owned);
            Outcome::Crashed { by }
        }
    }
}

/// A bound on the user's processes that only one that forks without end meets:
/// well above what runs now. It does not bind root.
fn process_limit() -> Option<u64> {
    const ROOM: u64 = 4096;
    let load = std::fs::read_to_string("/proc/loadavg").ok()?;
    let (_, total) = load.split_whitespace().nth(3)?.split_once('/')?;
    Some(total.parse::<u64>().ok()?.saturating_add(ROOM))
}
