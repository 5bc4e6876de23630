//! What comparing runs found, for people and machines.

mod basis;
mod json;
mod markdown;
mod rows;
mod spec;
#[cfg(test)]
mod tests;
mod text;
pub(super) mod words;

pub use basis::ComparisonBasis;
pub use json::ComparisonReport;
pub use spec::{ComparisonKind, ComparisonSpec};
pub use text::{ComparisonOptions, comparison_text};
