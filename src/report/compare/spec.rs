//! Which reports a comparison is to write: `KIND=PATH`.

use std::fmt;
use std::io;
use std::str::FromStr;

use super::super::sink::{Sink, Target};

/// A kind of report on a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ComparisonKind {
    /// One JSON document.
    Json,
    /// Markdown.
    Markdown,
    /// The page of all runs.
    Html,
    /// Drafts for the ledger, in YAML.
    Ledger,
}

impl ComparisonKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Json, Self::Markdown, Self::Html, Self::Ledger];

    /// The name in `KIND=PATH`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::Ledger => "ledger",
        }
    }

    /// What it is, in a few words for a help text.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Json => "one document with a published schema",
            Self::Markdown => "a summary in Markdown",
            Self::Html => "the page of all runs, as `page` makes it",
            Self::Ledger => "a draft for the ledger for each place of disagreement, in YAML",
        }
    }
}

/// A report to write, and where to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparisonSpec {
    /// What to write.
    pub kind: ComparisonKind,
    /// Where to.
    pub target: Target,
}

impl ComparisonSpec {
    /// What the command line's help says of them.
    #[must_use]
    pub fn help() -> String {
        let lines = ComparisonKind::ALL.map(|it| format!("\n- {}: {}", it.as_str(), it.about()));
        format!(
            "Write a report: KIND=PATH, - for standard output; may be given again{}",
            lines.concat()
        )
    }

    /// Finds out beforehand what would keep the report from being written.
    ///
    /// # Errors
    /// When the target is no file that can be written, with what to do about it.
    pub fn check(&self) -> io::Result<()> {
        Sink::check(&self.target)
    }
}

impl fmt::Display for ComparisonSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} report to {}", self.kind.as_str(), self.target)
    }
}

impl FromStr for ComparisonSpec {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, path) = text.split_once('=').unwrap_or((text, ""));
        let Some(kind) = ComparisonKind::ALL.into_iter().find(|kind| kind.as_str() == name) else {
            let kinds = ComparisonKind::ALL.map(ComparisonKind::as_str).join(", ");
            return Err(format!(
                "there is no report {name:?} of a comparison; the kinds are {kinds}"
            ));
        };
        let target = match path {
            "" => {
                return Err(format!(
                    "{text:?} does not say where to; write {name}=PATH, or {name}=- for standard \
                     output"
                ));
            }
            path => Target::of_path(path.into()),
        };
        Ok(Self { kind, target })
    }
}
