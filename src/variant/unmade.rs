//! Why there is no variant.

use crate::yaml::NoteKind;

/// Why a fixture has not some variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unmade {
    /// Its golden, or the suite for all its documents, excepts it.
    Excepted,
    /// A document does not parse, so that nobody knows what it means.
    Unparsed,
    /// It would be the fixture as it is.
    Same,
    /// It would not mean the same.
    Lost(Loss),
}

/// Why a document cannot be written in another way so that it means the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Loss {
    /// It is not UTF-8.
    #[error("the text is UTF-16")]
    Utf16,
    /// There are several documents in the text.
    #[error("there is more than one document")]
    SeveralDocuments,
    /// There is a directive.
    #[error("it has a directive")]
    Directive,
    /// The order of two equal keys may count.
    #[error("a key stands twice, and their order may count")]
    KeyTwice,
    /// There is a tag.
    #[error("JSON has no tags")]
    Tag,
    /// A key is no string.
    #[error("keys of JSON are strings")]
    Key,
    /// There is a merge key.
    #[error("JSON has no merge keys")]
    MergeKey,
    /// There is an infinity, or what is not a number.
    #[error("JSON has no such number")]
    Number,
    /// Some readers take a scalar for a string, and others do not.
    #[error("JSON cannot leave the type of a scalar open")]
    OpenType,
    /// Its aliases stand for too much.
    #[error("with its aliases written out it is too large")]
    TooLarge,
    /// It is JSON and would not be, or the other way round.
    #[error("it would not be what it is as JSON")]
    NotJson,
    /// It would leave something open that the original does not.
    #[error("it would touch the open question {}", .0.ledger())]
    Opens(NoteKind),
    /// It has another tree.
    #[error("it does not come out the same")]
    Differs,
}
