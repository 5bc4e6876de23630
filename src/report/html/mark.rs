//! What came of a case, as a sign that colour alone does not carry.

use super::super::groups;
use crate::core::{CaseRecord, Disposition, Level, Verdict};

/// How a case, or a rule, stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Mark {
    /// The run has no such case.
    Absent,
    /// The implementation says that it does not have the operation.
    Unsupported,
    /// As expected.
    Pass,
    /// It breaks a MAY, or a statement without a key word.
    May,
    /// It breaks a SHOULD.
    Should,
    /// It breaks a MUST.
    Must,
    /// It did not decide.
    Error,
}

impl Mark {
    /// The mark of a case, which a run may not have.
    pub(super) fn of(case: Option<&CaseRecord>) -> Self {
        let Some(case) = case else { return Self::Absent };
        if let Disposition::Unsupported { .. } = case.disposition {
            return Self::Unsupported;
        }
        match (case.judgement.verdict, case.judgement.level.grade()) {
            (Verdict::Pass, _) => Self::Pass,
            (Verdict::Error, _) => Self::Error,
            (Verdict::Fail, Level::Must | Level::MustNot) => Self::Must,
            (Verdict::Fail, Level::Should) => Self::Should,
            (Verdict::Fail, Level::May | Level::None) => Self::May,
        }
    }

    /// Whether it is a failure of some weight.
    pub(super) fn is_failure(self) -> bool {
        self >= Self::May
    }

    /// The class in the style sheet.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Unsupported => "none",
            Self::Pass => "pass",
            Self::May => "may",
            Self::Should => "should",
            Self::Must => "must",
            Self::Error => "error",
        }
    }

    /// One character.
    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::Absent => "·",
            Self::Unsupported => "–",
            Self::Pass => "✓",
            Self::May => "?",
            Self::Should => "!",
            Self::Must => "✗",
            Self::Error => "‼",
        }
    }

    /// A word or two.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Absent => "not run",
            Self::Unsupported => "not supported",
            Self::Pass => "passed",
            Self::May => "fails a MAY",
            Self::Should => "fails a SHOULD",
            Self::Must => "fails a MUST",
            Self::Error => "no decision",
        }
    }
}

/// What the filter of results looks for in a row: words of its `data-is`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Traits {
    /// Something fails.
    pub(super) broken: bool,
    /// Something passes and nothing fails.
    pub(super) kept: bool,
    /// Implementations came to different results.
    pub(super) differs: bool,
    /// The spec is open there.
    pub(super) open: bool,
    /// A part was not shown: not run, not supported, excluded.
    pub(super) unshown: bool,
}

impl Traits {
    /// The words.
    pub(super) fn words(self) -> String {
        let all = [
            (self.broken, "broken"),
            (self.kept, "kept"),
            (self.differs, "differs"),
            (self.open, "open"),
            (self.unshown, "unshown"),
        ];
        let words: Vec<&str> = all.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect();
        words.join(" ")
    }

    /// Takes in what one case came to in all runs.
    pub(super) fn add_case(&mut self, records: &[Option<&CaseRecord>]) {
        let failed: Vec<bool> = records.iter().flatten().map(|case| groups::failed(case)).collect();
        self.broken |= failed.contains(&true);
        self.differs |= failed.contains(&true) && failed.contains(&false);
        let choices = || records.iter().flatten().filter_map(|case| case.judgement.choice.as_ref());
        self.open |= choices().next().is_some();
        self.differs |= choices()
            .any(|choice| choices().next().is_some_and(|first| first.stance != choice.stance));
        self.unshown |= records.iter().any(|case| Mark::of(*case) <= Mark::Unsupported);
    }
}
