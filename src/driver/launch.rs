//! What all drivers that start processes share: the program, its surroundings
//! and its limits.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::assets::Assets;
use super::child::{Ending, Limits};
use super::config::ExecConfig;
use super::process::Runner;
use super::profile::{Ask, Profile};
use super::program::Program;
use super::registry::TAG_VARIABLE;
use super::workspace::Workspace;
use super::{Interrupt, StartError, survivors};

/// A program that can be started, with all that it is started with.
#[derive(Debug)]
pub(crate) struct Launcher {
    config: ExecConfig,
    program: Program,
    limits: Limits,
    interrupt: Interrupt,
    tag: String,
    /// Folders that names in braces stand for.
    assets: Assets,
    /// Arguments of the profile before those of an operation, filled in.
    arguments: Vec<OsString>,
    /// The working directory, when it is not a private one.
    work: Option<PathBuf>,
}

impl Launcher {
    /// Finds the program, and makes what its profile asks for.
    ///
    /// # Errors
    /// When there is none, it cannot be executed, or the profile cannot be filled in.
    pub(crate) fn new(mut config: ExecConfig, interrupt: &Interrupt) -> Result<Self, StartError> {
        let given = config.variables.iter().rev().chain(&config.environment);
        let search_path = given.into_iter().find(|(name, _)| name == "PATH");
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
        let profile = Arc::clone(&config.profile);
        let assets = Assets::new(&config, &interrupt)?;
        let filled = |template: &String| assets.fill(template);
        let arguments = profile.arguments.iter().map(filled).collect::<Result<_, _>>()?;
        let work = profile.directory.as_ref().map(filled).transpose()?.map(PathBuf::from);
        // Without it nothing starts, and the system says that of the program.
        let folders = work.iter().chain(&config.directory);
        if let Some(missing) = folders.into_iter().find(|folder| !folder.is_dir()) {
            return Err(StartError::FolderNotFound { path: missing.clone() });
        }
        for (name, value) in &profile.environment {
            config.environment.push((name.into(), filled(value)?));
        }
        config.environment.append(&mut config.variables);
        Ok(Self { config, program, limits, interrupt, tag, assets, arguments, work })
    }

    pub(crate) fn profile(&self) -> &Profile {
        &self.config.profile
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

    /// The command of a case. Standard input is closed, the two outputs are pipes.
    ///
    /// # Errors
    /// When an argument cannot be filled in.
    pub(crate) fn command(
        &self,
        ask: &Ask,
        documents: &Workspace<'_>,
        work: &Path,
        tag: &str,
    ) -> Result<Command, StartError> {
        let document = |name: &str| documents.document(name).map(Path::to_owned);
        match ask {
            Ask::Argv(argv) => {
                let mut command = self.bare(self.program.path(), work, tag);
                command.args(&self.config.args).args(&self.arguments);
                for template in argv {
                    command.arg(self.assets.fill_for_case(template, &document)?);
                }
                Ok(command)
            }
            Ask::Shell(text) => {
                let mut command = self.bare(Path::new(SHELL), work, tag);
                command.arg("-c").arg(self.assets.fill_for_shell(text, &document)?);
                // `"$@"` is the program with its own arguments.
                command.arg(SHELL).arg(self.program.path());
                command.args(&self.config.args).args(&self.arguments);
                Ok(command)
            }
            Ask::Unsupported(_) => Ok(self.bare(self.program.path(), work, tag)),
        }
    }

    /// The command of a session.
    ///
    /// # Errors
    /// When an argument cannot be filled in.
    pub(crate) fn session_command(
        &self,
        argv: &[String],
        work: &Path,
        tag: &str,
    ) -> Result<Command, StartError> {
        let mut command = self.bare(self.program.path(), work, tag);
        command.args(&self.config.args).args(&self.arguments);
        for template in argv {
            command.arg(self.assets.fill(template)?);
        }
        Ok(command)
    }

    /// A program without arguments, in a clean environment.
    fn bare(&self, program: &Path, work: &Path, tag: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .envs(self.config.environment.iter().map(|(name, value)| (name, value)))
            .envs(TEMPORARY.map(|name| (name, work)))
            .env(TAG_VARIABLE, tag)
            .current_dir(self.work.as_deref().unwrap_or(work))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Ends all processes that cases have left. To be called while no case runs.
    pub(crate) fn end_all(&self) {
        survivors::kill_tagged(&self.tag);
        self.interrupt.registry().end_strays(true);
    }

    /// A new private folder.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(crate) fn workspace(&self) -> Result<Workspace<'_>, StartError> {
        // Children have another working directory: a relative path would be lost.
        std::path::absolute(&self.config.temporary)
            .and_then(|parent| {
                self.with_room(|| Workspace::new(&parent, self.interrupt.registry()))
            })
            .map_err(|source| StartError::Workspace { path: self.config.temporary.clone(), source })
    }

    /// Does `work` again for as long as a case may take while the disk is full: a case
    /// of another worker may have filled it, and what that wrote goes when it ends.
    ///
    /// # Errors
    /// Those of `work`.
    pub(crate) fn with_room<T>(&self, mut work: impl FnMut() -> io::Result<T>) -> io::Result<T> {
        let until = Instant::now() + self.limits.timeout + Duration::from_secs(1);
        loop {
            let result = work();
            let is_full = result.as_ref().is_err_and(|error| {
                matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
            });
            if !is_full || Instant::now() > until || self.interrupt.signal().is_some() {
                return result;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The first line that the version command prints, when it then exits with 0.
    pub(crate) fn version(&self) -> Option<String> {
        let argv = &self.config.profile.version;
        if argv.is_empty() {
            return None;
        }
        let workspace = self.workspace().ok()?;
        let mut command = self.session_command(argv, workspace.work(), &self.tag).ok()?;
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

/// What reads the texts that profiles have for a shell. On Windows it must be in PATH.
const SHELL: &str = if cfg!(unix) { "/bin/sh" } else { "sh" };

/// The variables that name the folder for temporary files.
#[cfg(unix)]
const TEMPORARY: [&str; 1] = ["TMPDIR"];
#[cfg(not(unix))]
const TEMPORARY: [&str; 3] = ["TMPDIR", "TEMP", "TMP"];

/// How long an answer to `--version` is waited for.
const VERSION_TIMEOUT: Duration = Duration::from_secs(5);

/// The most bytes of such an answer that are read, and characters that are kept.
const VERSION_OUTPUT: usize = 64 * 1024;
const VERSION_LENGTH: usize = 200;

/// A bound on the user's processes that only one that forks without end meets:
/// well above what runs now. It does not bind root.
fn process_limit() -> Option<u64> {
    const ROOM: u64 = 4096;
    let load = std::fs::read_to_string("/proc/loadavg").ok()?;
    let (_, total) = load.split_whitespace().nth(3)?.split_once('/')?;
    Some(total.parse::<u64>().ok()?.saturating_add(ROOM))
}
