//! What became of a case apart from its verdict.

use serde::{Deserialize, Serialize};

use super::{Advisory, CaseRecord, Judgement, Level, Outcome, Verdict};

/// What became of a case apart from its verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Disposition {
    /// It was run and judged, and counts.
    Judged,
    /// The implementation says that it does not have the operation.
    Unsupported {
        /// Why, in its words.
        reason: String,
    },
    /// It did not pass, as the list of expected failures says.
    ExpectedFailure(Listed),
    /// It passed, and the list of expected failures says otherwise.
    UnexpectedPass(Listed),
    /// It is no part of the release of its suite: run and judged, and it does not count.
    Advisory(Advisory),
    /// It came out in more than one way. The judgement is the heaviest of them.
    Flaky {
        /// How each attempt came out, in order; two or more.
        attempts: Vec<Attempt>,
    },
}

/// What the list of expected failures says of a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Listed {
    /// Where the entry stands, as `FILE:LINE`.
    pub entry: String,
    /// Why the failure is expected.
    pub reason: String,
    /// Where the failure is tracked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tracker: Option<String>,
}

/// How one of several attempts at a case came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Attempt {
    /// Pass, fail or error.
    pub verdict: Verdict,
    /// The weight of a failure.
    pub level: Level,
    /// Whether it accepted, if it decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted: Option<bool>,
}

impl Disposition {
    /// The same for a case that is no part of the release of its suite.
    #[must_use]
    pub fn aside(self, advisory: Advisory) -> Self {
        let unsupported = match self {
            Self::Unsupported { reason } => Some(reason),
            _ => None,
        };
        Self::Advisory(Advisory { unsupported, ..advisory })
    }
}

impl Attempt {
    /// How this attempt came out: attempts that differ in it make a case flaky.
    #[must_use]
    pub fn of(case: &CaseRecord) -> Self {
        let Judgement { verdict, level, .. } = case.judgement;
        let accepted = match case.observed {
            Outcome::Decided { accepted } => Some(accepted),
            _ => None,
        };
        Self { verdict, level: level.grade(), accepted }
    }

    /// What a case that came out in two ways is judged by: no decision weighs most.
    fn weight(self) -> (bool, Level) {
        (self.verdict == Verdict::Error, self.level)
    }
}

impl CaseRecord {
    /// Whether it fails a run that enforces `enforced` and above. What the list of
    /// expected failures has does not, and what it has in vain does; a case that came
    /// out in two ways always does, and one that is no part of the release never.
    #[must_use]
    pub fn fails(&self, enforced: Level) -> bool {
        match self.disposition {
            Disposition::Judged => self.judgement.fails(enforced),
            Disposition::Unsupported { .. }
            | Disposition::ExpectedFailure(_)
            | Disposition::Advisory(_) => false,
            Disposition::UnexpectedPass(_) | Disposition::Flaky { .. } => true,
        }
    }

    /// Whether it is no part of the release of its suite.
    #[must_use]
    pub fn is_advisory(&self) -> bool {
        matches!(self.disposition, Disposition::Advisory(_))
    }

    /// Whether it is one to tell of, if only as a remark: it did not pass, and no list
    /// expected that; or a list expected it in vain.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        match self.disposition {
            Disposition::Judged | Disposition::Advisory(_) => {
                self.judgement.verdict != Verdict::Pass
            }
            Disposition::Unsupported { .. } | Disposition::ExpectedFailure(_) => false,
            Disposition::UnexpectedPass(_) | Disposition::Flaky { .. } => true,
        }
    }

    /// One record of several attempts at the same case, the first of which is this.
    #[must_use]
    pub fn tried_again(self, again: Vec<CaseRecord>) -> Self {
        let attempts: Vec<Attempt> =
            std::iter::once(&self).chain(&again).map(Attempt::of).collect();
        if attempts.windows(2).all(|two| two[0] == two[1]) {
            return self;
        }
        // The first of those that weigh most: a later one replaces it only if heavier.
        let mut heaviest = self;
        for case in again {
            if Attempt::of(&case).weight() > Attempt::of(&heaviest).weight() {
                heaviest = case;
            }
        }
        heaviest.disposition = Disposition::Flaky { attempts };
        heaviest
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{failing, passing};
    use super::*;

    fn listed() -> Listed {
        Listed { entry: "expect.yaml:2".into(), reason: "later".into(), tracker: None }
    }

    #[test]
    fn the_list_turns_round_what_fails_a_run() {
        let mut case = failing("t/a::hard", Level::Should);
        assert!(!case.fails(Level::Must) && case.fails(Level::Should) && case.is_failure());
        case.disposition = Disposition::ExpectedFailure(listed());
        assert!(!case.fails(Level::Should) && !case.is_failure());
        let mut case = passing("t/a::hard");
        assert!(!case.fails(Level::None) && !case.is_failure());
        case.disposition = Disposition::UnexpectedPass(listed());
        assert!(case.fails(Level::Must) && case.is_failure());
    }

    #[test]
    fn what_is_no_part_of_the_release_is_told_of_and_never_fails() {
        let mut case = failing("t/a::hard", Level::Must);
        case.disposition = case.disposition.aside(Advisory::newer());
        assert!(!case.fails(Level::None) && case.is_failure() && case.is_advisory());
        let none = Disposition::Unsupported { reason: "no".into() }.aside(Advisory::newer());
        let Disposition::Advisory(advisory) = none else { panic!("{none:?}") };
        assert_eq!(advisory.unsupported.as_deref(), Some("no"));
    }

    #[test]
    fn a_case_that_changes_is_flaky_and_keeps_the_heaviest_judgement() {
        let pass = || passing("t/a::hard");
        let must = || failing("t/a::hard", Level::Must);
        assert_eq!(must().tried_again(vec![must(), must()]), must());
        for (first, again) in
            [(must(), vec![pass()]), (pass(), vec![must()]), (must(), vec![must(), pass()])]
        {
            let attempts = 1 + again.len();
            let case = first.tried_again(again);
            let Disposition::Flaky { attempts: told } = &case.disposition else {
                panic!("{case:?}")
            };
            assert_eq!(told.len(), attempts);
            assert_eq!(case.judgement, must().judgement);
            assert!(case.fails(Level::Must));
        }
        let lighter = failing("t/a::hard", Level::Should);
        let case = lighter.tried_again(vec![must()]);
        assert_eq!(case.judgement.level, Level::Must);
        // An open question answered in two ways is no steady answer.
        let mut other = pass();
        other.observed = Outcome::Decided { accepted: true };
        assert!(pass().tried_again(vec![other]).fails(Level::Must));
    }
}
