//! YAML with positions: documents under test, read strictly and within bounds.
//!
//! [`Document::parse`] makes a tree of [`Node`]s, each with its place in the
//! source and its value by the YAML 1.2 core schema; where YAML 1.1 reads a
//! plain scalar otherwise, the node knows that reading too. What well-known
//! loaders take differently stands in [`Document::notes`], and for each subtree
//! in its [`Traits`].

mod brief;
mod compose;
mod document;
mod edit;
mod error;
mod json;
mod node;
mod pointer;
mod quote;
mod scalar;
mod source;
#[cfg(test)]
mod tests;

pub use document::{Document, Note, NoteKind};
pub use edit::{CannotEdit, Editor};
pub use error::{Error, ErrorKind};
pub use json::NotJson;
pub use node::{Entry, Integer, Kind, Node, Schema, Span, Style, Traits};
pub(crate) use pointer::Member;
pub use pointer::{escape, is_pointer, join};
pub use quote::quote;

/// A document above this many bytes may be refused (ledger L19).
pub const OPEN_BYTES: usize = 64 * 1024;
/// Collections nested deeper than this may be refused (ledger L19).
pub const OPEN_DEPTH: u32 = 50;
/// A document with more nodes than this, aliases expanded, may be refused (ledger L19).
pub const OPEN_NODES: u64 = 20_000;

/// Nothing above this many bytes is read.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;
/// Nothing nested deeper than this is read.
pub const MAX_DEPTH: u32 = 128;
