//! What the release of a suite makes of the cases that are there.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::CaseId;

/// How a case stands that is no part of the release by which a run goes: it is run,
/// shown and counted apart, and never part of the verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Advisory {
    /// What sets it apart from the release.
    pub because: Outside,
    /// Why it was changed, as the notes on releases have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The implementation says that it does not have the operation, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<String>,
}

/// What sets a case apart from a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outside {
    /// The release does not have it.
    Newer,
    /// The release has it with other documents or another golden.
    Changed,
}

impl Advisory {
    /// A case that the release does not have.
    #[must_use]
    pub fn newer() -> Self {
        Self { because: Outside::Newer, reason: None, unsupported: None }
    }

    /// A case that the release has otherwise; `reason` says why, where that is known.
    #[must_use]
    pub fn changed(reason: Option<String>) -> Self {
        Self { because: Outside::Changed, reason, unsupported: None }
    }
}

/// Which cases are not as the releases of their suites have them. With nothing in
/// it, every case counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Released {
    /// The cases that are there and no part of the release, by fixture and operation.
    advisory: BTreeMap<String, BTreeMap<String, Advisory>>,
    /// The cases of the release that are not there as it has them, for no reason that
    /// the notes on releases give.
    pub missing: Vec<CaseId>,
}

impl Released {
    /// Puts a case aside.
    pub fn set_aside(&mut self, case: &CaseId, advisory: Advisory) {
        let fixture = self.advisory.entry(case.fixture().to_owned()).or_default();
        fixture.insert(case.operation().to_owned(), advisory);
    }

    /// Why a case is no part of the release, if it is not. One on a variant is what the
    /// one on the fixture is.
    #[must_use]
    pub fn advisory(&self, case: &CaseId) -> Option<&Advisory> {
        self.advisory.get(case.fixture())?.get(case.operation())
    }
}
