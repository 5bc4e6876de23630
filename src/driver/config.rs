//! What to run, and within what limits.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::StartError;
use super::profile::{Home, Profile};
use super::template::fill;

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
            || PASSED_ON.iter().any(|passed| is_same(name, passed))
            || also.iter().any(|passed| is_same(name, passed))
    };
    environment.into_iter().filter(|(name, _)| passes(name)).collect()
}

/// Whether two names are those of one variable: on Windows their case does not count.
fn is_same(name: &OsStr, other: &str) -> bool {
    if cfg!(windows) { name.eq_ignore_ascii_case(other) } else { name == other }
}

/// What to run, and within what limits.
#[derive(Debug, Clone)]
pub struct ExecConfig {
    /// The program: a path, or a name to look up in the `PATH` of `environment` or
    /// `variables`.
    pub program: OsString,
    /// Arguments before those of the operation.
    pub args: Vec<OsString>,
    /// The whole environment of the program, but for what the driver adds; see
    /// [`inherited`].
    pub environment: Vec<(OsString, OsString)>,
    /// Variables over those of `environment` and of the profile.
    pub variables: Vec<(OsString, OsString)>,
    /// How long a case may take.
    pub timeout: Duration,
    /// How many bytes each of the two output streams may have.
    pub output_limit: usize,
    /// How many bytes of address space each process may have.
    pub memory_limit: Option<u64>,
    /// Where to make temporary folders.
    pub temporary: PathBuf,
    /// How to ask, and how to read the answers. What it sets in the environment is
    /// added to `environment`.
    pub profile: Arc<Profile>,
    /// The folder that stands for `{dir}` in the profile.
    pub directory: Option<PathBuf>,
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
            variables: Vec::new(),
            timeout: Self::TIMEOUT,
            output_limit: Self::OUTPUT_LIMIT,
            memory_limit: None,
            temporary: std::env::temp_dir(),
            profile: Arc::new(Profile::contract()),
            directory: None,
        }
    }

    /// The defaults with a profile: its program, unless another one is given.
    ///
    /// # Errors
    /// When there is no program.
    pub fn profiled(program: Option<OsString>, profile: Profile) -> Result<Self, StartError> {
        let own = || {
            let home = |name: &str| match (name, &profile.home) {
                ("profile", Home::Folder(folder)) => Some(folder.clone()),
                _ => None,
            };
            // Where nothing else stands in braces, nothing can be missing.
            profile.program.as_ref().map(|it| fill(it, &home).unwrap_or_else(|_| it.into()))
        };
        let Some(program) = program.or_else(own) else {
            return Err(StartError::NoProgram { profile: profile.name });
        };
        Ok(Self {
            environment: inherited(std::env::vars_os(), &profile.pass_on),
            profile: Arc::new(profile),
            ..Self::new(program)
        })
    }
}
