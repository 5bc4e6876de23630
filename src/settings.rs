//! What is known of the surroundings: terminal, environment, CPUs. It comes in as
//! values, so that nothing behind `main` asks for it.

use std::env;
use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::core::Date;

/// The surroundings of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
        self.width.unwrap_or(80).clamp(40, 120)
    }
}

fn today() -> Date {
    // A clock before 1970 is wrong anyway.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Date::of_unix(since.as_secs())
}

/// The terminal's width, or what `COLUMNS` says.
fn columns() -> Option<usize> {
    let asked = || env::var("COLUMNS").ok()?.parse().ok();
    rustix::termios::tcgetwinsize(io::stdout())
        .ok()
        .map(|size| usize::from(size.ws_col))
        .filter(|&columns| columns > 0)
        .or_else(asked)
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
    };

    #[test]
    fn the_surroundings_and_the_user_decide_on_colours() {
        let color = |surroundings: Surroundings| surroundings.color(ColorChoice::Auto);
        assert!(color(TERMINAL));
        assert!(!color(Surroundings { no_color: true, ..TERMINAL }));
        assert!(!color(Surroundings { dumb: true, ..TERMINAL }));
        let pipe = Surroundings { stdout_is_terminal: false, ..TERMINAL };
        assert!(!color(pipe));
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
}
