//! Nodes: a value, how it was written, and where.

use std::ops::{BitOr, BitOrAssign};
use std::sync::Arc;

/// A place in the source text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
    /// The line of the first byte, counted from 1.
    pub line: usize,
    /// The column of the first byte in characters, counted from 1.
    pub column: usize,
}

/// How a node was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Style {
    /// A scalar without quotes, or nothing at all.
    Plain,
    /// A scalar in single quotes.
    SingleQuoted,
    /// A scalar in double quotes.
    DoubleQuoted,
    /// A block scalar that keeps its lines, `|`.
    Literal,
    /// A block scalar that folds its lines, `>`.
    Folded,
    /// A collection by indentation.
    Block,
    /// A collection in brackets or braces.
    Flow,
}

/// The rules by which plain scalars get their types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Schema {
    /// The core schema of YAML 1.2.
    Core,
    /// The types of YAML 1.1.
    Yaml11,
}

/// An integer of any size, as far as it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Integer {
    /// One that 64 bits hold, signed or unsigned.
    Small(i128),
    /// Below what 64 bits hold.
    BelowRange,
    /// Above what 64 bits hold.
    AboveRange,
}

/// The value of a node.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Null.
    Null,
    /// True or false.
    Bool(bool),
    /// An integer.
    Int(Integer),
    /// A number with a point or an exponent, an infinity, or not a number.
    Float(f64),
    /// A text.
    String(Arc<str>),
    /// A scalar of another type: a date, a scalar with a tag that it does not fit.
    Other,
    /// A sequence.
    Sequence(Arc<Vec<Node>>),
    /// A mapping, in the order of the source; keys may occur twice.
    Mapping(Arc<Vec<Entry>>),
}

/// A key of a mapping with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: Node,
    /// The value.
    pub value: Node,
}

/// What loaders take differently somewhere in a node or below it, as a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Traits(u8);

impl Traits {
    /// None of them.
    pub const NONE: Self = Self(0);
    /// A mapping has a key twice, whatever the schema.
    pub const DUPLICATE_KEY: Self = Self(1);
    /// A mapping has a key twice when read by YAML 1.1 (or by either).
    pub const DUPLICATE_KEY_11: Self = Self(1 << 1);
    /// A mapping has a key that is no string by the core schema.
    pub const ODD_KEY: Self = Self(1 << 2);
    /// A mapping has a key that is no string by YAML 1.1.
    pub const ODD_KEY_11: Self = Self(1 << 3);
    /// A mapping has a merge key.
    pub const MERGE_KEY: Self = Self(1 << 4);
    /// A node has a tag that does not belong to the core schema, or does not fit.
    pub const FOREIGN_TAG: Self = Self(1 << 5);
    /// A plain scalar reads differently by YAML 1.1.
    pub const SCHEMA: Self = Self(1 << 6);

    /// Whether all of `other` are in it.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any of `other` is in it.
    #[must_use]
    pub fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for Traits {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Traits {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// A node: cheap to clone, its children are shared.
///
/// An alias becomes a clone of what it stands for, with the alias's own place.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub(super) kind: Kind,
    /// The reading by YAML 1.1, where it differs.
    pub(super) legacy: Option<Arc<Kind>>,
    /// The text of a scalar.
    pub(super) text: Option<Arc<str>>,
    pub(super) style: Style,
    pub(super) tag: Option<Arc<str>>,
    pub(super) foreign: bool,
    pub(super) alias: bool,
    pub(super) span: Span,
    /// Nodes in it with aliases expanded, itself included.
    pub(super) size: u64,
    /// Bytes of text in it with aliases expanded.
    pub(super) weight: u64,
    /// Levels of collections in it, itself included.
    pub(super) height: u32,
    pub(super) traits: Traits,
}

impl Node {
    /// The value by the core schema of YAML 1.2.
    #[must_use]
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// The value by a schema.
    #[must_use]
    pub fn read(&self, schema: Schema) -> &Kind {
        match (schema, &self.legacy) {
            (Schema::Yaml11, Some(legacy)) => legacy,
            _ => &self.kind,
        }
    }

    /// Whether YAML 1.1 reads this very scalar differently.
    #[must_use]
    pub fn reads_differently(&self) -> bool {
        self.legacy.is_some()
    }

    /// The text of a scalar of any type, quotes and escapes resolved.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// How it was written.
    #[must_use]
    pub fn style(&self) -> Style {
        self.style
    }

    /// Its tag in full, where it was written with one.
    #[must_use]
    pub fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }

    /// Whether its tag does not belong to the core schema, or does not fit it.
    #[must_use]
    pub fn has_foreign_tag(&self) -> bool {
        self.foreign
    }

    /// Whether an alias stands here.
    #[must_use]
    pub fn is_alias(&self) -> bool {
        self.alias
    }

    /// Its place: of an alias, the alias.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span
    }

    /// How many nodes it has with aliases expanded: itself, keys and values.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// How many levels of collections it has; 0 for a scalar.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.height
    }

    /// What loaders take differently in it or below it.
    #[must_use]
    pub fn traits(&self) -> Traits {
        self.traits
    }

    /// The text, when it is a string by the core schema.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            Kind::String(text) => Some(text),
            _ => None,
        }
    }

    /// The items, when it is a sequence.
    #[must_use]
    pub fn as_sequence(&self) -> Option<&[Node]> {
        match &self.kind {
            Kind::Sequence(items) => Some(items),
            _ => None,
        }
    }

    /// The entries, when it is a mapping.
    #[must_use]
    pub fn as_mapping(&self) -> Option<&[Entry]> {
        match &self.kind {
            Kind::Mapping(entries) => Some(entries),
            _ => None,
        }
    }

    /// Whether its own key of a mapping is a merge key: a plain `<<`, or one
    /// with the tag for it.
    #[must_use]
    pub fn is_merge_key(&self) -> bool {
        match self.tag() {
            Some(tag) => tag == "tag:yaml.org,2002:merge",
            None => self.style == Style::Plain && self.text() == Some("<<"),
        }
    }
}
