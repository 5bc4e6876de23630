//! The list of expected failures: its file, read and written.

mod check;
mod fault;
mod file;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use check::Scope;
pub use fault::ExpectFault;
pub use read::{KnownFailures, read_list};
pub use write::ListWriter;
