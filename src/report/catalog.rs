//! What reporters look up: rules, their cover, and the fixtures.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::adequacy::Adequacy;
use crate::core::{CaseId, Coverage, Deferred, Fixture, FixtureId, RuleTable, Suite};
use crate::variant::vary;

/// What was loaded for a run, for reporters to look things up in. Events name
/// rules and fixtures by id alone.
#[derive(Debug, Clone)]
pub struct Catalog {
    /// The suites.
    pub suites: Vec<Suite>,
    /// The rules and the ledger.
    pub rules: RuleTable,
    /// What the fixtures decide at the protocol version of the run.
    pub coverage: Deferred<Coverage>,
    /// How much the fixtures show.
    pub adequacy: Measurement,
    /// The fixtures of the run.
    pub fixtures: BTreeMap<FixtureId, Arc<Fixture>>,
}

/// How much the fixtures show: measured when a page first asks, so that no run has to
/// wait for it, and once for all clones.
#[derive(Clone, Default)]
pub struct Measurement(Option<Deferred<Option<Adequacy>>>);

impl Measurement {
    /// One that is made this way, if it can be.
    #[must_use]
    pub fn later(measure: impl FnOnce() -> Option<Adequacy> + Send + 'static) -> Self {
        Self(Some(Deferred::new(measure)))
    }

    /// The figures; `None` where nothing measures them, or they could not be measured.
    #[must_use]
    pub fn get(&self) -> Option<&Adequacy> {
        self.0.as_deref()?.as_ref()
    }
}

impl fmt::Debug for Measurement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Measurement" } else { "None" })
    }
}

impl Catalog {
    /// The fixture of a case, with its own documents even if the case is on a variant.
    #[must_use]
    pub fn fixture_of(&self, case: &CaseId) -> Option<&Fixture> {
        let id = FixtureId::new(case.fixture()).ok()?;
        self.fixtures.get(&id).map(Arc::as_ref)
    }

    /// The fixture of a case with the documents that the implementation was given: of a
    /// case on a variant, those of the variant.
    #[must_use]
    pub fn given_to(&self, case: &CaseId) -> Option<Cow<'_, Fixture>> {
        let fixture = self.fixture_of(case)?;
        let Some(variant) = case.variant() else { return Some(Cow::Borrowed(fixture)) };
        let suite = self.suites.iter().find(|suite| suite.suite == case.suite())?;
        vary(fixture, suite, variant.parse().ok()?).ok().map(Cow::Owned)
    }
}
