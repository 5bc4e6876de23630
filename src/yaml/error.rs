//! Why a text could not be read as YAML.

use super::Span;

/// What kind of obstacle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The bytes are no Unicode text.
    Encoding,
    /// The text is no well-formed YAML.
    Syntax,
    /// Too large, nested too deep, or without end.
    Resources,
    /// Refused here, while well-known loaders accept it or YAML leaves it open.
    Loaders,
}

impl ErrorKind {
    /// The ledger entry that leaves open whether such a text is refused.
    #[must_use]
    pub fn ledger(self) -> Option<&'static str> {
        match self {
            Self::Encoding | Self::Syntax => None,
            Self::Resources => Some("L19"),
            Self::Loaders => Some("L22"),
        }
    }
}

/// Why a text could not be read as YAML, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} at line {}, column {}", .span.line, .span.column)]
pub struct Error {
    /// What kind of obstacle.
    pub kind: ErrorKind,
    /// Where.
    pub span: Span,
    /// What is wrong: one line, no control characters, 200 characters at most.
    pub message: String,
    /// Whether the bytes were UTF-16, which leaves more open.
    pub utf16: bool,
}

impl Error {
    pub(super) fn new(kind: ErrorKind, span: Span, message: &str) -> Self {
        let message = message
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .take(200)
            .collect::<String>();
        Self { kind, span, message, utf16: false }
    }
}
