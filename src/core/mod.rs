//! The heart: rules, expectations, judging, coverage and events.
//!
//! Nothing here does I/O, prints, reads a clock or the environment.

mod bound;
mod content;
mod count;
mod coverage;
mod date;
mod deferred;
mod disposition;
mod event;
mod failure_list;
mod fixture;
mod id;
mod judge;
mod outcome;
mod output;
mod plan;
mod release;
mod released;
mod rule;
mod selection;
mod shard;
mod suite;
#[cfg(test)]
pub(crate) mod testing;
mod unique;
mod variant;
mod verdict;

pub use content::Content;
pub use count::Count;
pub use coverage::{Cover, CoverGroups, CoverTotals, Coverage, classes_of};
pub use date::{Date, DateError};
pub use deferred::Deferred;
pub use disposition::{Attempt, Disposition, Listed};
pub use event::{
    CASE_PLACEHOLDER, CUT_BEFORE, CaseRecord, Choices, Event, FOLDER_PREFIX, Gap, Header,
    ImplementationInfo, RuleResult, Standing, Stopped, Summary, VARIANTS_OPTION,
};
pub use failure_list::{FailureEntry, FailureList, Misfit, MisfitWhy, OtherFailure, Review};
pub use fixture::{Category, Document, Expectation, ExpectedFinding, Fixture};
pub use id::{CaseId, FixtureId, IdError, LedgerId, RuleId};
pub use judge::Judge;
pub(crate) use judge::comes_along;
pub use outcome::{Grade, Observation, Outcome, ReportedFinding, Severity, Stream};
pub use output::reported;
pub(crate) use output::{field_of, is_misread, words_for};
pub use plan::{Plan, Unit};
pub use release::{Protocol, Release, ReleaseError};
pub use released::{Advisory, Outside, Released};
pub use rule::{Effect, LedgerClass, LedgerEntry, Level, Rule, RuleTable, Shown};
pub use selection::{LeftOut, Selection};
pub use shard::{Shard, ShardError, Sharded};
pub use suite::{
    DocumentKind, NameRule, Operation, Relation, Spec, Stance, Suite, VariantException,
    placeholders,
};
pub(crate) use unique::unique_map;
pub use variant::{LostVariant, NoSuchVariant, Variant, VariantCensus, Variants, Varied};
pub use verdict::{Choice, Judgement, Mismatch, Tallies, Tally, Verdict, Weighed};
