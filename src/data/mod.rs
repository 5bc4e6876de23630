//! The harness's own data: suites, fixtures and schemas, embedded or in a directory.

mod embedded;
mod json;
mod list;
mod nearest;
mod problem;
mod source;
mod tree;
mod words;

pub use embedded::{Folder, embedded_file};
pub(crate) use json::Json;
pub(crate) use list::is_hidden;
pub use list::{Entry, EntryKind, Listing};
pub use nearest::nearest;
pub use problem::{Fault, Problem, printable};
pub use source::Source;
pub(crate) use tree::Digested;
pub use tree::{FILE_LIMIT, Tree, TreeFault};
pub(crate) use words::in_words;
