//! The command line program: parse, do, exit.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::thread;

use clap::Parser;
use living_conformance::cli::{Cli, execute};
use living_conformance::settings::Surroundings;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = io::stdout();
    match execute(&cli, &surroundings(), &mut io::stdin().lock(), &mut out) {
        Ok(exit) => exit.into(),
        Err(fatal) => {
            // Nobody is left to tell when standard error is closed.
            let _ = writeln!(anstream::stderr(), "{fatal}");
            fatal.exit.into()
        }
    }
}

fn surroundings() -> Surroundings {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    Surroundings {
        stdout_is_terminal: io::stdout().is_terminal(),
        stderr_is_terminal: io::stderr().is_terminal(),
        no_color: is_set("NO_COLOR"),
        ci: is_set("CI"),
        dumb: env::var_os("TERM").is_some_and(|term| term == "dumb"),
        width: width(),
        cpus: thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
    }
}

/// The terminal's width, or what `COLUMNS` says.
fn width() -> Option<usize> {
    let columns = || env::var("COLUMNS").ok()?.parse().ok();
    rustix::termios::tcgetwinsize(io::stdout())
        .ok()
        .map(|size| usize::from(size.ws_col))
        .filter(|&columns| columns > 0)
        .or_else(columns)
}
