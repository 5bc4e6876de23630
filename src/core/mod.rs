//! The heart: rules, expectations, judging, coverage and events.
//!
//! Nothing here does I/O, prints, reads a clock or the environment.

mod coverage;
mod event;
mod fixture;
mod id;
mod judge;
mod outcome;
mod output;
mod plan;
mod release;
mod rule;
mod suite;
#[cfg(test)]
pub(crate) mod testing;
mod unique;
mod verdict;

pub use coverage::{Cover, CoverTotals, Coverage};
pub use event::{
    CASE_PLACEHOLDER, CaseRecord, Choices, Count, Event, Gap, Header, ImplementationInfo,
    RuleResult, Standing, Stopped, Summary,
};
pub use fixture::{Category, Document, Expectation, ExpectedFinding, Fixture};
pub use id::{CaseId, FixtureId, IdError, LedgerId, RuleId};
pub use judge::Judge;
pub(crate) use judge::comes_along;
pub use outcome::{Grade, Observation, Outcome, ReportedFinding, Severity, Stream};
pub use output::reported;
pub use plan::{LeftOut, Plan, Selection, Unit};
pub use release::{Protocol, Release, ReleaseError};
pub use rule::{Effect, LedgerClass, LedgerEntry, Level, Rule, RuleTable, Shown};
pub use suite::{DocumentKind, NameRule, Operation, Relation, Spec, Stance, Suite, placeholders};
pub(crate) use unique::unique_map;
pub use verdict::{Choice, Judgement, Mismatch, Tallies, Tally, Verdict, Weighed};

/// What became of a case apart from its verdict.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Disposition {
    /// It was run and judged, and counts.
    Judged,
    /// The implementation says that it does not have the operation.
    Unsupported {
        /// Why, in its words.
        reason: String,
    },
}
