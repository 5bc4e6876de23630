//! Implementations that are none: what they score says how much a score is worth.

use std::time::Duration;

use serde::Serialize;

use crate::core::{Fixture, Judge, Observation, Operation, Outcome, Stance, Suite, Tally, Unit};

/// An implementation that does not look at what it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Degenerate {
    /// Accepts everything, and prints nothing.
    AcceptAll,
    /// Rejects everything, and prints nothing.
    RejectAll,
    /// Decides as it should, and prints nothing.
    PrintNothing,
    /// Crashes.
    Crash,
}

/// What such an implementation scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Score {
    /// Which one.
    pub implementation: Degenerate,
    /// Its cases.
    pub tally: Tally,
}

impl Degenerate {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::AcceptAll, Self::RejectAll, Self::PrintNothing, Self::Crash];

    /// What it does, for people.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::AcceptAll => "accepts everything",
            Self::RejectAll => "rejects everything",
            Self::PrintNothing => "prints nothing",
            Self::Crash => "crashes",
        }
    }

    fn observation(self, expected: Stance) -> Observation {
        let outcome = match self {
            Self::AcceptAll => Outcome::Decided { accepted: true },
            Self::RejectAll => Outcome::Decided { accepted: false },
            Self::PrintNothing => Outcome::Decided { accepted: expected != Stance::Reject },
            Self::Crash => Outcome::Crashed { by: "SIGSEGV".to_owned() },
        };
        Observation::bare(outcome, Duration::ZERO)
    }

    /// What it scores in these cases.
    pub fn score<'a>(
        self,
        judge: &Judge<'_>,
        cases: impl IntoIterator<Item = (&'a Fixture, &'a str, &'a Operation)>,
    ) -> Score {
        let mut tally = Tally::default();
        for (fixture, name, operation) in cases {
            let Some(expected) = fixture.cases.get(name) else { continue };
            let observation = self.observation(expected.stance);
            if let Some((judgement, disposition)) =
                judge.case(fixture, name, operation, &observation)
            {
                tally.add(&judgement, &disposition);
            }
        }
        Score { implementation: self, tally }
    }
}

impl Score {
    /// What each of them scores in the cases of a run.
    #[must_use]
    pub fn of_all(judge: &Judge<'_>, suites: &[Suite], units: &[Unit]) -> Vec<Self> {
        let cases = || {
            units.iter().flat_map(|unit| {
                let suite = suites.iter().find(|suite| suite.suite == unit.fixture.id.suite());
                unit.operations.iter().filter_map(move |name| {
                    Some((&*unit.fixture, name.as_str(), suite?.operations.get(name)?))
                })
            })
        };
        Degenerate::ALL.iter().map(|one| one.score(judge, cases())).collect()
    }

    /// The share of cases that pass, in percent; 0 where there are none.
    #[must_use]
    pub fn percent(&self) -> f64 {
        share(self.tally.passed, self.tally.total())
    }
}

/// A share in percent; 0 of nothing.
#[must_use]
pub fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 }
}
