//! What reporters look up: rules, their cover, and the fixtures.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::core::{CaseId, Coverage, Fixture, FixtureId, RuleTable};

/// What was loaded for a run, for reporters to look things up in. Events name
/// rules and fixtures by id alone.
#[derive(Debug, Clone)]
pub struct Catalog {
    /// The rules and the ledger.
    pub rules: RuleTable,
    /// What the fixtures decide at the protocol version of the run.
    pub coverage: Coverage,
    /// The fixtures of the run.
    pub fixtures: BTreeMap<FixtureId, Arc<Fixture>>,
}

impl Catalog {
    /// The fixture of a case.
    #[must_use]
    pub fn fixture_of(&self, case: &CaseId) -> Option<&Fixture> {
        let id = FixtureId::new(case.fixture()).ok()?;
        self.fixtures.get(&id).map(Arc::as_ref)
    }
}
