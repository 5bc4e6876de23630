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
const KEPT_ERRORS: usize = 64 * 1024;

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

/// Adds to the standard error that is kept of a dialogue.
pub(super) fn keep_errors(kept: &mut Vec<u8>, bytes: &[u8]) {
    kept.extend_from_slice(bytes);
    let surplus = kept.len().saturating_sub(KEPT_ERRORS);
    kept.drain(..surplus);
}

/// Why a child could not be run.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It was not started.
    Spawn(io::Error),
    /// It could not be watched, and was killed.
    Watch(io::Error),
}

/// The name of the signal that ended a process, such as `SIGSEGV`.
#[cfg(unix)]
pub(crate) fn signal_of(status: ExitStatus) -> Option<String> {
    use std::os::unix::process::ExitStatusExt;
    status.signal().map(|number| {
        signal_hook::low_level::signal_name(number)
            .map_or_else(|| format!("signal {number}"), str::to_owned)
    })
}

/// The exception that ended a process, such as `exception 0xc0000005 (access violation)`.
#[cfg(not(unix))]
pub(crate) fn signal_of(status: ExitStatus) -> Option<String> {
    exception(status.code()?)
}

/// What an exit code says of an exception: the system gives those with `0xc` in front
/// to processes that it ends. -1 and its neighbours are codes that programs give.
#[cfg(any(not(unix), test))]
fn exception(code: i32) -> Option<String> {
    const NAMES: [(u32, &str); 13] = [
        (0x8000_0003, "breakpoint"),
        (0xc000_0005, "access violation"),
        (0xc000_001d, "illegal instruction"),
        (0xc000_0094, "division by zero"),
        (0xc000_00fd, "stack overflow"),
        (0xc000_0135, "a library is missing"),
        (0xc000_0139, "an entry point is missing"),
        (0xc000_013a, "Ctrl-C"),
        (0xc000_0142, "a library did not start"),
        (0xc000_0374, "heap corruption"),
        (0xc000_0409, "abort, or a damaged stack"),
        (0xe043_4352, "uncaught .NET exception"),
        (0xe06d_7363, "uncaught C++ exception"),
    ];
    let code = code.cast_unsigned();
    let name = NAMES.iter().find(|(known, _)| *known == code).map(|(_, name)| name);
    match name {
        Some(name) => Some(format!("exception {code:#x} ({name})")),
        None => (code >> 28 == 0xc).then(|| format!("exception {code:#x}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceptions_are_told_from_exit_codes() {
        for (code, told) in [
            (0xc000_0005_u32, "exception 0xc0000005 (access violation)"),
            (0xc000_0409, "exception 0xc0000409 (abort, or a damaged stack)"),
            (0x8000_0003, "exception 0x80000003 (breakpoint)"),
            (0xc000_0096, "exception 0xc0000096"),
        ] {
            assert_eq!(exception(code.cast_signed()).as_deref(), Some(told));
        }
        for code in [0, 1, 256, 0x4000_0015, -1, -2, i32::MIN] {
            assert_eq!(exception(code), None, "{code}");
        }
    }
}
