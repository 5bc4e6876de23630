//! Several runs held against each other: of several implementations, or of several
//! versions of one.
//!
//! The first run is the one that the others are held against. Where the suites, the
//! fixtures or the protocol versions differ, the cases that both runs have are
//! compared, and what is not compared is told.

mod changes;
mod comparison;
mod draft;
mod fault;
mod flaw;
mod label;
mod place;
mod status;

pub use changes::{Change, ChangeKind, Changes};
pub use comparison::{Comparison, Records, Run, Sides};
pub use draft::{Draft, drafts};
pub use fault::CompareError;
pub(crate) use flaw::{flaws_of_one, weighs_otherwise};
pub use label::{Label, labels};
pub use place::{Place, Subject};
pub use status::Status;
