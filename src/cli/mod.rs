//! The command line.

mod check;
mod matching;
mod validate;

pub use check::{CheckError, FindingsFormat};
pub use matching::{MatchArgs, match_documents};
pub use validate::{ValidateArgs, validate};
