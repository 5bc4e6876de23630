//! A parsed text, with its notes.

use std::sync::Arc;

use super::compose::compose;
use super::{Error, Node, source};

/// A text that is well-formed YAML, perhaps with a note that says but for what.
#[derive(Debug, Clone)]
pub struct Document {
    pub(super) text: Arc<str>,
    pub(super) roots: Vec<Node>,
    pub(super) notes: Vec<Note>,
}

/// Something that the ledger leaves open, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// What.
    pub kind: NoteKind,
    /// The node that it concerns, as a JSON pointer in its document; empty for
    /// what concerns the whole text.
    pub at: String,
    /// Where.
    pub span: super::Span,
}

/// What the ledger leaves open about a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NoteKind {
    /// A key that its mapping has already.
    DuplicateKey,
    /// A plain scalar that YAML 1.1 reads differently.
    SchemaDifference,
    /// A merge key, `<<`.
    MergeKey,
    /// Another document in the same text.
    SeveralDocuments,
    /// A key that is no string.
    NonStringKey,
    /// The bytes are UTF-16.
    Utf16,
    /// More than [`super::OPEN_BYTES`].
    TooLarge,
    /// Deeper than [`super::OPEN_DEPTH`].
    TooDeep,
    /// More than [`super::OPEN_NODES`].
    TooManyNodes,
    /// A tag outside the core schema, or one that its node does not fit.
    ForeignTag,
    /// A tab between tokens.
    Tab,
    /// NEL, LS or PS, which YAML 1.1 takes for line breaks.
    LineSeparator,
    /// A directive.
    Directive,
    /// A flow collection or scalar that is not indented as YAML 1.2 wants it.
    LooseIndentation,
    /// A byte order mark inside the text.
    InnerByteOrderMark,
    /// A control character beyond ASCII, DEL or a noncharacter.
    ContestedCharacter,
}

impl NoteKind {
    /// The ledger entry that it touches.
    #[must_use]
    pub fn ledger(self) -> &'static str {
        match self {
            Self::DuplicateKey => "L4",
            Self::SchemaDifference => "L5",
            Self::MergeKey => "L6",
            Self::SeveralDocuments => "L7",
            Self::NonStringKey => "L17",
            Self::Utf16 => "L18",
            Self::TooLarge | Self::TooDeep | Self::TooManyNodes => "L19",
            Self::ForeignTag => "L20",
            Self::Tab
            | Self::LineSeparator
            | Self::Directive
            | Self::LooseIndentation
            | Self::InnerByteOrderMark
            | Self::ContestedCharacter => "L22",
        }
    }
}

impl Document {
    /// Reads a text: UTF-8, with or without a byte order mark, or UTF-16.
    ///
    /// # Errors
    /// When it is no text, not well-formed, or needs more than the bounds of
    /// this module.
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let (text, utf16) = source::decode(bytes)?;
        compose(text.into(), bytes.len(), utf16).map_err(|mut error| {
            error.utf16 = utf16;
            error
        })
    }

    /// The first document; null when there is none.
    #[must_use]
    pub fn root(&self) -> &Node {
        // Composing leaves one root at least.
        &self.roots[0]
    }

    /// All documents of the text, one at least.
    #[must_use]
    pub fn roots(&self) -> &[Node] {
        &self.roots
    }

    /// The text that the spans refer to; for UTF-16 the text as decoded.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// What the ledger leaves open, at most a few of each kind.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}
