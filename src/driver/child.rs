//! What is the same of a child on every system: what it may use, what is heard of it,
//! and how it ends.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use crate::core::Stream;

/// How long others may hold the pipes after the child itself has ended.
pub(super) const GRACE: Duration = Duration::from_millis(100);

/// How long the pipes may take to close after everybody was killed.
pub(super) const SETTLE: Duration = Duration::from_millis(50);

/// How long a child that has closed its standard output may take to end.
pub(super) const TO_END: Duration = Duration::from_millis(100);

/// How much of the standard error of a dialogue is kept: its end.
pub(super) const KEPT_ERRORS: usize = 64 * 1024;

/// What a child may use.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(
    windows,
    allow(
        dead_code,
        reason = "memory and processes are not limited there, and the command line says so"
    )
)]
pub(crate) struct Limits {
    pub(crate) timeout: Duration,
    /// Bytes for each stream.
    pub(crate) output: usize,
    /// Bytes of address space.
    pub(crate) memory: Option<u64>,
    /// Processes of the user, those not of this run included.
    pub(crate) processes: Option<u64>,
}

/// Why watching a child came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It ended by itself.
    Exited(ExitStatus),
    /// Its time was over.
    TimedOut,
    /// It wrote too much.
    Flooded(Stream),
    /// The run is to end.
    Interrupted,
}

/// A child that has ended.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) ending: Ending,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) duration: Duration,
    /// Whether something hints at processes that outlive their group or job.
    pub(crate) suspicious: bool,
}

/// What came from the process.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// A line, without its end.
    Line(Vec<u8>),
    /// It ended, or closed its standard output; no further line will come.
    Ended,
    /// A line has no end within the limit.
    Flooded,
    /// No line came in time.
    TimedOut,
    /// The run is to end.
    Interrupted,
}

/// How a process was left.
#[derive(Debug)]
pub(crate) struct Left {
    /// How it ended by itself; `None` when it had to be killed.
    pub(crate) status: Option<ExitStatus>,
    /// What had come after the last whole line.
    pub(crate) unfinished: Vec<u8>,
    /// The end of what it wrote to standard error since that was last taken.
    pub(crate) stderr: Vec<u8>,
}

/// Why a child could not be run.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It was not started.
    Spawn(io::Error),
    /// It could not be watched, and was killed.
    Watch(io::Error),
}
