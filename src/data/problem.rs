//! Something wrong with the harness's own data, and where.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

/// What can be wrong: the enums of faults implement this.
///
/// Their text is a lowercase fragment on one line that fits "failed to …".
pub trait Fault: std::error::Error {
    /// A stable kebab-case name of the kind of fault.
    fn code(&self) -> &'static str;

    /// What to do about it.
    fn remedy(&self) -> String;
}

/// One thing wrong with a file or directory of the harness's data.
///
/// Ordered by path, then by place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Problem {
    /// The file or directory.
    #[serde(serialize_with = "path_as_text")]
    pub path: PathBuf,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column in characters, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// The kind of fault, stable and kebab-case.
    pub code: &'static str,
    /// The cause.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

impl Problem {
    /// A fault of the file or directory as a whole.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>, fault: &impl Fault) -> Self {
        Self {
            path: path.into(),
            line: None,
            column: None,
            code: fault.code(),
            message: printable(&fault.to_string()),
            remedy: printable(&fault.remedy()),
        }
    }

    /// The same at a line and column, both from 1.
    #[must_use]
    pub fn at(mut self, position: Option<(usize, usize)>) -> Self {
        (self.line, self.column) = position.unzip();
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&path_text(&self.path))?;
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": failed to {} [{}]; {}", self.message, self.code, self.remedy)
    }
}

impl std::error::Error for Problem {}

/// How long a message may be, in characters.
const MESSAGE_LIMIT: usize = 500;

/// `text` on one line of bounded length, without characters that a terminal acts
/// on or that change the direction of what follows.
#[must_use]
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (count, c) in text.chars().enumerate() {
        if count == MESSAGE_LIMIT {
            out.push('…');
            break;
        }
        if acts(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

/// Whether a character does something else than being shown.
pub(super) fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn path_text(path: &Path) -> String {
    path.to_string_lossy()
        .chars()
        .flat_map(|c| {
            let escaped = acts(c).then(|| c.escape_default());
            let plain = escaped.is_none().then_some(c);
            escaped.into_iter().flatten().chain(plain)
        })
        .collect()
}

fn path_as_text<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("find a {0}")]
    struct Lost(String);

    impl Fault for Lost {
        fn code(&self) -> &'static str {
            "lost"
        }
        fn remedy(&self) -> String {
            "look again".to_owned()
        }
    }

    #[test]
    fn a_problem_reads_as_one_line_with_place_code_and_remedy() {
        let problem = Problem::new("a/b.yaml", &Lost("thing".into()));
        assert_eq!(problem.to_string(), "a/b.yaml: failed to find a thing [lost]; look again");
        let placed = problem.at(Some((3, 5)));
        assert_eq!(placed.to_string(), "a/b.yaml:3:5: failed to find a thing [lost]; look again");
    }

    #[test]
    fn nothing_in_it_acts_on_a_terminal() {
        let problem = Problem::new("a\u{1b}[2J\n", &Lost("x\u{1b}[31m\r\n\u{202e}y".into()));
        let shown = problem.to_string();
        assert!(!shown.contains(acts), "{shown:?}");
        assert!(shown.contains("\\u{1b}[31m") && shown.contains("\\u{202e}y"), "{shown}");
    }

    #[test]
    fn a_message_is_bounded() {
        let shown = Problem::new("a", &Lost("y".repeat(100_000))).message;
        assert_eq!(shown.chars().count(), MESSAGE_LIMIT + 1);
        assert!(shown.ends_with('…'));
    }
}
