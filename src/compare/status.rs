//! How a case ended, in a word that can be held against another.

use serde::{Deserialize, Serialize};

use crate::core::{CaseRecord, Disposition, Level, Verdict};

/// How a case ended in a run. A list of expected failures changes nothing here: what
/// fails as expected fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// As expected.
    Pass,
    /// The implementation says that it does not have the operation.
    Unsupported,
    /// It breaks a MAY, or a statement without a key word.
    FailMay,
    /// It breaks a SHOULD.
    FailShould,
    /// It breaks a MUST.
    FailMust,
    /// It did not decide.
    NoDecision,
    /// It came out in more than one way.
    Flaky,
}

impl Status {
    /// How a case ended.
    #[must_use]
    pub fn of(case: &CaseRecord) -> Self {
        match (&case.disposition, case.judgement.verdict, case.judgement.level.grade()) {
            (Disposition::Unsupported { .. }, ..) => Self::Unsupported,
            (Disposition::Advisory(it), ..) if it.unsupported.is_some() => Self::Unsupported,
            (Disposition::Flaky { .. }, ..) => Self::Flaky,
            (_, Verdict::Pass, _) => Self::Pass,
            (_, Verdict::Error, _) => Self::NoDecision,
            (_, Verdict::Fail, Level::Must | Level::MustNot) => Self::FailMust,
            (_, Verdict::Fail, Level::Should) => Self::FailShould,
            (_, Verdict::Fail, Level::May | Level::None) => Self::FailMay,
        }
    }

    /// Whether it is no pass where failures from this level on count.
    #[must_use]
    pub fn counts(self, enforced: Level) -> bool {
        match self {
            Self::Pass => false,
            Self::FailMay => enforced <= Level::May,
            Self::FailShould => enforced <= Level::Should,
            Self::Unsupported | Self::FailMust | Self::NoDecision | Self::Flaky => true,
        }
    }

    /// How bad a failure is, for those that can be held against each other.
    pub(super) fn severity(self) -> Option<u8> {
        match self {
            Self::FailMay => Some(0),
            Self::FailShould => Some(1),
            Self::FailMust => Some(2),
            Self::NoDecision => Some(3),
            Self::Pass | Self::Unsupported | Self::Flaky => None,
        }
    }

    /// The words for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "passes",
            Self::Unsupported => "not supported",
            Self::FailMay => "fails a MAY",
            Self::FailShould => "fails a SHOULD",
            Self::FailMust => "fails a MUST",
            Self::NoDecision => "no decision",
            Self::Flaky => "flaky",
        }
    }
}
