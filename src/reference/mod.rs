//! The built-in implementation: what the spec says of a manifest, of a runtime
//! capability document, and of a match between the two.
//!
//! A [`Ruling`] has two sides: what every conforming implementation must say
//! ([`Ruling::stance`]), and what this one says where the spec is open
//! ([`Ruling::accepted`]). Each way to read an open question is a [`Reading`];
//! the documents are checked under all readings that could matter, and what
//! differs between them is open. Every single test of a value is a member of
//! [`Predicates`], so that a broken implementation is this one with one
//! predicate replaced.

mod check;
mod decide;
mod implementation;
mod manifest;
mod matching;
mod optional;
mod pathname;
mod predicates;
mod question;
mod reading;
pub mod receipts;
mod ruling;
mod runtime;
mod url;
mod version;
mod view;

#[cfg(test)]
mod tests;

pub use decide::Reference;
pub use predicates::{Class, Fit, Mode, Predicates, REFERENCE, Since};
pub use question::Question;
pub use reading::{Parsed, Reading};
pub use ruling::{Finding, MANIFEST, Place, RUNTIME, Ruling, Source};
pub use version::{Number, Reduced, Version};
