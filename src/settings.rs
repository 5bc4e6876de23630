//! What is known of the surroundings: terminal, environment, CPUs. It comes in as
//! values, so that nothing behind `main` asks for it.

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::core::{Date, Shard};

/// The surroundings of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surroundings {
    /// Standard output is a terminal.
    pub stdout_is_terminal: bool,
    /// Standard error is a terminal.
    pub stderr_is_terminal: bool,
    /// `NO_COLOR` is set and not empty.
    pub no_color: bool,
    /// `CI` is set and not empty.
    pub ci: bool,
    /// `TERM` is `dumb`.
    pub dumb: bool,
    /// The width of the terminal, where there is one.
    pub width: Option<usize>,
    /// How many CPUs the program may use.
    pub cpus: NonZeroUsize,
    /// The day, in UTC.
    pub today: Date,
    /// What a test runner asks for.
    pub runner: TestRunner,
}

/// Whether to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColorChoice {
    /// On a terminal that can show them, unless the user objects.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What a test runner asks for by the environment variables that Bazel defines, and
/// remote execution with it. One that is set and empty is as good as not set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TestRunner {
    /// `TEST_TOTAL_SHARDS`: how many shards there are.
    pub total_shards: Option<OsString>,
    /// `TEST_SHARD_INDEX`: the one to run, from 0.
    pub shard_index: Option<OsString>,
    /// `TEST_SHARD_STATUS_FILE`: what is to be touched by a test that can be sharded.
    pub shard_status_file: Option<PathBuf>,
    /// `XML_OUTPUT_FILE`: where JUnit XML is to go.
    pub xml_output_file: Option<PathBuf>,
    /// `TESTBRIDGE_TEST_ONLY`: a filter.
    pub test_only: Option<OsString>,
}

/// What a test runner asks for cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the environment asks for no shard that there is: TEST_TOTAL_SHARDS is {total}, and \
     TEST_SHARD_INDEX, which counts from 0, is {index}"
)]
pub struct NoSuchShard {
    total: String,
    index: String,
}

impl TestRunner {
    /// There is none.
    pub const NONE: Self = Self {
        total_shards: None,
        shard_index: None,
        shard_status_file: None,
        xml_output_file: None,
        test_only: None,
    };

    fn detect() -> Self {
        let get = |name| env::var_os(name).filter(|value| !value.is_empty());
        Self {
            total_shards: get("TEST_TOTAL_SHARDS"),
            shard_index: get("TEST_SHARD_INDEX"),
            shard_status_file: get("TEST_SHARD_STATUS_FILE").map(PathBuf::from),
            xml_output_file: get("XML_OUTPUT_FILE").map(PathBuf::from),
            test_only: get("TESTBRIDGE_TEST_ONLY"),
        }
    }

    /// The shard that is asked for.
    ///
    /// # Errors
    /// When the variables do not name one: a test that ran all its cases in each shard
    /// would look as if it were sharded.
    pub fn shard(&self) -> Result<Option<Shard>, NoSuchShard> {
        let (total, index) = (self.total_shards.as_ref(), self.shard_index.as_ref());
        if total.is_none() && index.is_none() {
            return Ok(None);
        }
        let number = |text: Option<&OsString>| text?.to_str()?.parse::<u32>().ok();
        let shard = number(total)
            .zip(number(index))
            .and_then(|(total, index)| Shard::hash(index.checked_add(1)?, total));
        let shown = |text: Option<&OsString>| match text {
            Some(text) => format!("{:?}", text.to_string_lossy()),
            None => "not set".to_owned(),
        };
        shard.map(Some).ok_or_else(|| NoSuchShard { total: shown(total), index: shown(index) })
    }
}

impl Surroundings {
    /// Asks for them; only what runs first does.
    #[must_use]
    pub fn detect() -> Self {
        let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
        Self {
            stdout_is_terminal: io::stdout().is_terminal(),
            stderr_is_terminal: io::stderr().is_terminal(),
            no_color: is_set("NO_COLOR"),
            ci: is_set("CI"),
            dumb: env::var_os("TERM").is_some_and(|term| term == "dumb"),
            width: columns(),
            cpus: thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            today: today(),
            runner: TestRunner::detect(),
        }
    }

    /// Whether standard output gets colours.
    #[must_use]
    pub fn color(&self, choice: ColorChoice) -> bool {
        match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => self.stdout_is_terminal && !self.no_color && !self.dumb,
        }
    }

    /// Whether a line that changes may be shown while cases run.
    #[must_use]
    pub fn live(&self) -> bool {
        self.stderr_is_terminal && self.stdout_is_terminal && !self.ci && !self.dumb
    }

    /// The width to write for.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width.unwrap_or(80).clamp(20, 120)
    }
}

fn today() -> Date {
    // A clock before 1970 is wrong anyway.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Date::of_unix(since.as_secs())
}

/// The width to write help and errors for, which may come before all else is known.
#[must_use]
pub(crate) fn width_of_help() -> usize {
    columns().unwrap_or(80).clamp(40, 100)
}

/// The terminal's width, or what `COLUMNS` says.
fn columns() -> Option<usize> {
    let asked = || env::var("COLUMNS").ok()?.parse().ok();
    terminal_columns().filter(|&columns| columns > 0).or_else(asked)
}

#[cfg(unix)]
fn terminal_columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    Some(usize::from(size.ws_col))
}

/// Elsewhere it is not asked for.
#[cfg(not(unix))]
fn terminal_columns() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMINAL: Surroundings = Surroundings {
        stdout_is_terminal: true,
        stderr_is_terminal: true,
        no_color: false,
        ci: false,
        dumb: false,
        width: Some(200),
        cpus: NonZeroUsize::MIN,
        today: Date::UNIX_EPOCH,
        runner: TestRunner::NONE,
    };

    #[test]
    fn the_surroundings_and_the_user_decide_on_colours() {
        let color = |surroundings: Surroundings| surroundings.color(ColorChoice::Auto);
        assert!(color(TERMINAL));
        assert!(!color(Surroundings { no_color: true, ..TERMINAL }));
        assert!(!color(Surroundings { dumb: true, ..TERMINAL }));
        let pipe = Surroundings { stdout_is_terminal: false, ..TERMINAL };
        assert!(!color(pipe.clone()));
        assert!(pipe.color(ColorChoice::Always));
        assert!(!TERMINAL.color(ColorChoice::Never));
    }

    #[test]
    fn nothing_moves_in_ci_or_in_a_pipe() {
        assert!(TERMINAL.live());
        for surroundings in [
            Surroundings { ci: true, ..TERMINAL },
            Surroundings { dumb: true, ..TERMINAL },
            Surroundings { stdout_is_terminal: false, ..TERMINAL },
        ] {
            assert!(!surroundings.live());
        }
        assert_eq!(TERMINAL.width(), 120);
        assert_eq!(Surroundings { width: None, ..TERMINAL }.width(), 80);
    }

    #[test]
    fn a_test_runner_counts_shards_from_0() {
        let shard = |total: &str, index: &str| {
            let value = |text: &str| (!text.is_empty()).then(|| OsString::from(text));
            let runner = TestRunner {
                total_shards: value(total),
                shard_index: value(index),
                ..TestRunner::NONE
            };
            runner.shard().map(|shard| shard.map(|shard| shard.to_string()))
        };
        assert_eq!(shard("", ""), Ok(None));
        assert_eq!(shard("4", "0"), Ok(Some("hash:1/4".to_owned())));
        assert_eq!(shard("4", "3"), Ok(Some("hash:4/4".to_owned())));
        for (total, index) in
            [("4", "4"), ("4", ""), ("", "0"), ("0", "0"), ("4", "x"), ("4", "4294967295")]
        {
            let error = shard(total, index).unwrap_err().to_string();
            assert!(error.contains("from 0"), "{error}");
        }
        assert!(shard("4", "").unwrap_err().to_string().contains("is not set"));
    }
}
