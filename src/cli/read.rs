//! The command line of the process. To describe all commands takes a good part of a
//! start, and what starts most often has none, or is a process of a run's own.

use std::env;
use std::ffi::OsString;

use clap::{Parser, Subcommand};

use super::args::RunArgs;
use super::command::{Cli, Command};
#[cfg(unix)]
use super::guard::WATCHDOG;
use super::help::read_or_end;

impl Cli {
    /// Reads the command line of the process; ends it when that is in error, or asks for
    /// help or the version.
    #[must_use]
    pub fn read() -> Self {
        let arguments: Vec<OsString> = env::args_os().collect();
        #[cfg(unix)]
        if let Some(command) = watchdog(&arguments) {
            return Self { command: Some(command), run: RunArgs::default() };
        }
        match Run::read(&arguments) {
            Some(run) => Self { command: None, run },
            None => read_or_end(arguments),
        }
    }
}

/// The watchdog, as a run starts it.
#[cfg(unix)]
fn watchdog(arguments: &[OsString]) -> Option<Command> {
    match arguments {
        [_, name, tag, temporary] if name == WATCHDOG => {
            let tag = tag.to_str()?.to_owned();
            Some(Command::Watchdog { tag, temporary: temporary.into() })
        }
        _ => None,
    }
}

/// A run, and nothing else.
#[derive(Debug, Parser)]
struct Run {
    #[command(flatten)]
    run: RunArgs,
}

impl Run {
    /// Reads a command line that is for a run and not in error.
    fn read(arguments: &[OsString]) -> Option<RunArgs> {
        let mut words = arguments.iter().skip(1).filter_map(|argument| argument.to_str());
        if words.any(Command::has_subcommand) {
            return None;
        }
        Some(Self::try_parse_from(arguments).ok()?.run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_run_is_read_as_by_the_whole() {
        for line in [
            "x",
            "x --reference -q snapshot",
            "x --impl ./a --timeout 3 --report json=b -- --strict c",
            "x --suite runtime --skip a --skip b --list --format json",
            "x --impl a --impl b --enforce should -vv",
        ] {
            let whole = Cli::try_parse_from(words(line)).unwrap();
            assert!(whole.command.is_none());
            let run = Run::read(&words(line)).unwrap();
            assert_eq!(format!("{run:?}"), format!("{:?}", whole.run), "{line}");
        }
    }

    #[test]
    fn commands_and_errors_are_for_the_whole() {
        for line in [
            "x validate a",
            "x run --reference",
            "x --quiet lint",
            "x help",
            "x --help",
            "x -h",
            "x --version",
            "x --nothing",
            "x --timeout",
        ] {
            assert!(Run::read(&words(line)).is_none(), "{line}");
        }
    }
}
