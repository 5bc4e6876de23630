//! What all drivers that start processes share: the program, its surroundings
//! and its limits.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use super::process::{Ending, Limits, Runner};
use super::program::Program;
use super::registry::TAG_VARIABLE;
use super::workspace::Workspace;
use super::{Interrupt, StartError, survivors};

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

/// A program that can be started, with all that it is started with.
#[derive(Debug)]
pub(crate) struct Launcher {
    config: ExecConfig,
    program: Program,
    limits: Limits,
    interrupt: Interrupt,
    tag: String,
}

impl Launcher {
    /// Finds the program.
    ///
    /// # Errors
    /// When there is none, or it cannot be executed.
    pub(crate) fn new(config: ExecConfig, interrupt: &Interrupt) -> Result<Self, StartError> {
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

    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// The tag of a worker's processes; that of all workers is the beginning of it.
    pub(crate) fn tag(&self, worker: usize) -> String {
        format!("{}{worker}.", self.tag)
    }

    /// The program with its own arguments, in a clean environment. Standard input
    /// is closed, the two outputs are pipes.
    pub(crate) fn command(&self, work: &Path, tag: &str) -> Command {
        let mut command = Command::new(self.program.path());
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

    /// A new private folder.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(crate) fn workspace(&self) -> Result<Workspace<'_>, StartError> {
        // Children have another working directory: a relative path would be lost.
        std::path::absolute(&self.config.temporary)
            .and_then(|parent| Workspace::new(&parent, self.interrupt.registry()))
            .map_err(|source| StartError::Workspace { path: self.config.temporary.clone(), source })
    }

    /// The first line that `--version` prints, when it then exits with 0.
    pub(crate) fn version(&self) -> Option<String> {
        let workspace = self.workspace().ok()?;
        let mut command = self.command(workspace.work(), &self.tag);
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

impl Drop for Launcher {
    fn drop(&mut self) {
        survivors::kill_tagged(&self.tag);
        self.interrupt.registry().reap_abandoned();
    }
}

/// How long an answer to `--version` is waited for.
const VERSION_TIMEOUT: Duration = Duration::from_secs(2);

/// The most bytes of such an answer that are read, and characters that are kept.
const VERSION_OUTPUT: usize = 64 * 1024;
const VERSION_LENGTH: usize = 200;

/// The name of the signal that ended a process, such as `SIGSEGV`.
pub(crate) fn signal_of(status: ExitStatus) -> Option<String> {
    use std::os::unix::process::ExitStatusExt;
    status.signal().map(|number| {
        signal_hook::low_level::signal_name(number)
            .map_or_else(|| format!("signal {number}"), str::to_owned)
    })
}

/// A bound on the user's processes that only one that forks without end meets:
/// well above what runs now. It does not bind root.
fn process_limit() -> Option<u64> {
    const ROOM: u64 = 4096;
    let load = std::fs::read_to_string("/proc/loadavg").ok()?;
    let (_, total) = load.split_whitespace().nth(3)?.split_once('/')?;
    Some(total.parse::<u64>().ok()?.saturating_add(ROOM))
}
