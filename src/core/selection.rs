//! What a run is asked for, and why it leaves out some of that.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{CaseId, Fixture, Operation, Protocol, Released, RuleId, Shard, Suite};

/// What the user asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// Case ids that hold one of these texts, or are one of them if `exact`.
    /// Empty for all.
    pub filters: Vec<String>,
    /// Filters are whole case ids.
    pub exact: bool,
    /// A text that case ids must hold besides.
    pub narrow: Option<String>,
    /// Case ids that hold one of these are left out, or that are one of them if `exact`.
    pub skip: Vec<String>,
    /// Suites; empty for all.
    pub suites: BTreeSet<String>,
    /// Classes; empty for all.
    pub classes: BTreeSet<String>,
    /// Rules, one of which the fixture decides; empty for all.
    pub rules: BTreeSet<RuleId>,
    /// The protocol version.
    pub protocol: Protocol,
    /// Of what is selected by all this, the part to run.
    pub shard: Option<Shard>,
    /// Which cases are not as the releases of their suites have them.
    pub released: Released,
}

impl Selection {
    /// Everything at a protocol version.
    #[must_use]
    pub fn all(protocol: Protocol) -> Self {
        Self {
            filters: Vec::new(),
            exact: false,
            narrow: None,
            skip: Vec::new(),
            suites: BTreeSet::new(),
            classes: BTreeSet::new(),
            rules: BTreeSet::new(),
            protocol,
            shard: None,
            released: Released::default(),
        }
    }

    /// Whether an operation of a suite is asked for at all.
    pub(super) fn asks(&self, suite: &Suite, operation: &Operation) -> bool {
        (self.suites.is_empty() || self.suites.contains(&suite.suite))
            && (self.classes.is_empty() || self.classes.contains(&operation.class))
    }

    /// Why a case that is asked for is left out all the same, whatever the shard.
    pub(super) fn leaves_out(&self, fixture: &Fixture, case: &CaseId) -> Option<LeftOut> {
        let matches = |text: &String| {
            if self.exact { case.as_str() == text } else { case.as_str().contains(text.as_str()) }
        };
        let narrow = self.narrow.as_ref().is_none_or(|text| case.as_str().contains(text));
        if !narrow || !self.filters.is_empty() && !self.filters.iter().any(matches) {
            Some(LeftOut::Filtered)
        } else if self.skip.iter().any(matches) {
            Some(LeftOut::Skipped)
        } else if !self.rules.is_empty()
            && !fixture.decides.iter().any(|rule| self.rules.contains(rule))
        {
            Some(LeftOut::OtherRule)
        } else {
            None
        }
    }
}

/// Why a case of a class that was asked for is not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeftOut {
    /// It does not match the filters.
    Filtered,
    /// It matches a `--skip`.
    Skipped,
    /// Its fixture decides none of the rules that were asked for.
    OtherRule,
    /// Its fixture is in another shard.
    OtherShard,
    /// The release of its suite has it, and here it is not there, or another.
    NotAsReleased,
}

impl LeftOut {
    /// The reason in words that fit "12 cases …".
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Filtered => "do not match the filter",
            Self::Skipped => "are skipped",
            Self::OtherRule => "decide other rules",
            Self::OtherShard => "are left to other shards",
            Self::NotAsReleased => "are not here as released",
        }
    }
}
