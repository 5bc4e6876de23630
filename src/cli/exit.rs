//! Exit codes, and errors on the way to one.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use crate::corpus::CorpusError;
use crate::report::{escape, hanging, paragraph};
use crate::settings::width_of_help;
use crate::suites::LoadErrors;

/// How the program ends; of several ends the greatest is the one to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// All that was asked for holds.
    Success,
    /// It does not.
    Failure,
    /// The command line, a suite, a fixture or a report is in error.
    Error,
    /// The implementation could not be started.
    NotStarted,
    /// Nothing was selected.
    Nothing,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Success => 0,
            Exit::Failure => 1,
            Exit::Error => 2,
            Exit::NotStarted => 3,
            Exit::Nothing => 4,
        })
    }
}

/// An error that ends the program: what is wrong, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fatal {
    /// How the program ends.
    pub exit: Exit,
    /// What is wrong, in one line or a few.
    pub message: String,
    /// What to do, if there is something.
    pub remedy: Option<String>,
}

impl Fatal {
    /// An error of the command line or of the data.
    pub fn error(message: impl Into<String>) -> Self {
        Self { exit: Exit::Error, message: message.into(), remedy: None }
    }

    /// Nothing was selected.
    pub fn nothing(message: impl Into<String>) -> Self {
        Self { exit: Exit::Nothing, message: message.into(), remedy: None }
    }

    /// Says it on standard error, and gives the exit code.
    #[must_use]
    pub fn tell(&self) -> ExitCode {
        // Nobody is left to tell when standard error is closed.
        let _ = write!(anstream::stderr(), "{}", self.wrapped(width_of_help()));
        self.exit.into()
    }

    /// It in lines of so many columns.
    fn wrapped(&self, width: usize) -> String {
        let text = format!("error: {}", self.message);
        let mut lines: String = text
            .lines()
            .map(|line| {
                let indent = line.len() - line.trim_start().len();
                paragraph(line, indent, indent + 2, width)
            })
            .collect();
        if let Some(remedy) = &self.remedy {
            let mut remedy = remedy.lines();
            lines += &hanging("  help: ", 8, remedy.next().unwrap_or_default(), width);
            lines.extend(remedy.map(|line| hanging("", 8, line, width)));
        }
        lines
    }

    /// The same error with a remedy.
    #[must_use]
    pub fn with_remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}

/// What came of writing `what`, such as `the list`. Whoever closed the pipe has seen
/// enough.
pub(super) fn written(what: &str, result: io::Result<()>) -> Result<(), Fatal> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(not_written(what, &error)),
        _ => Ok(()),
    }
}

/// Says what went wrong, where the program goes on all the same; whether nothing did.
pub(super) fn told(result: Result<(), Fatal>) -> bool {
    if let Err(fatal) = &result {
        let _ = fatal.tell();
    }
    result.is_ok()
}

/// Why `what` is not written, or would not be.
pub(super) fn not_written(what: &str, error: &io::Error) -> Fatal {
    Fatal::error(format!("failed to write {}: {error}", escape::line(what)))
}

impl From<LoadErrors> for Fatal {
    fn from(errors: LoadErrors) -> Self {
        Self::error(format!("failed to {errors}"))
    }
}

impl From<CorpusError> for Fatal {
    fn from(error: CorpusError) -> Self {
        let exit = match error {
            CorpusError::Empty { .. } => Exit::Nothing,
            _ => Exit::Error,
        };
        let remedy = error.remedy().map(str::to_owned);
        Self { exit, message: format!("failed to {error}"), remedy }
    }
}

impl fmt::Display for Fatal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        match &self.remedy {
            Some(remedy) => write!(f, "\n  help: {remedy}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_wrapped_with_its_remedy_below() {
        let fatal = Fatal::error("failed to read this\na.yaml:1:2: it is no word and not a number")
            .with_remedy("write one of the words that are known");
        assert_eq!(
            fatal.wrapped(30),
            "error: failed to read this\n\
             a.yaml:1:2: it is no word\n  and not a number\n  \
             help: write one of the words\n        that are known\n"
        );
    }
}
