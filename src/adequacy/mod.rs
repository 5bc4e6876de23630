//! How much the corpus shows: implementations with one fault each, and whether a
//! case tells them from the reference.
//!
//! A [`Mutant`] is derived from a schema, derived from the rule table, or a named
//! fault of code; a [`Bench`] is a corpus made ready to be put to many of them, and
//! [`Adequacy`] is what comes of it.

mod answer;
mod ask;
mod bench;
mod degenerate;
mod equivalents;
mod fault;
mod faults;
mod mutant;
mod pattern;
mod rule;
mod schema;
mod schema_checker;
mod site;
mod study;
#[cfg(test)]
mod tests;

use answer::Answer;
use ask::Ask;
pub use bench::Bench;
pub use degenerate::{Degenerate, Score, share};
pub use equivalents::Equivalents;
pub use mutant::{Family, Mutant, MutantError};
pub use study::{Adequacy, Fate, Kills, Tried, Uncaught};
