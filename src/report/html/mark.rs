//! What came of a case, as a sign that colour alone does not carry.

use crate::core::{CaseRecord, Disposition, Level, Verdict};

/// How a case, or a rule, stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Mark {
    /// The run has no such case.
    Absent,
    /// The implementation says that it does not have the operation.
    Unsupported,
    /// As expected, and no part of the release of the suite.
    Aside,
    /// As expected.
    Pass,
    /// It fails, and is no part of the release of the suite.
    Advisory,
    /// It fails, and the list of expected failures has it.
    Listed,
    /// It breaks a MAY, or a statement without a key word.
    May,
    /// It breaks a SHOULD.
    Should,
    /// It passes, and the list of expected failures has it.
    Passes,
    /// It came out in more than one way.
    Flaky,
    /// It breaks a MUST.
    Must,
    /// It did not decide.
    Error,
}

impl Mark {
    /// All of them, in the order of a key to them.
    pub(super) const ALL: [Self; 12] = [
        Self::Pass,
        Self::Must,
        Self::Error,
        Self::Flaky,
        Self::Passes,
        Self::Should,
        Self::May,
        Self::Listed,
        Self::Advisory,
        Self::Aside,
        Self::Unsupported,
        Self::Absent,
    ];

    /// The mark of a case, which a run may not have.
    pub(super) fn of(case: Option<&CaseRecord>) -> Self {
        let Some(case) = case else { return Self::Absent };
        match (&case.disposition, case.judgement.verdict) {
            (Disposition::Unsupported { .. }, _) => Self::Unsupported,
            (Disposition::ExpectedFailure(_), _) => Self::Listed,
            (Disposition::UnexpectedPass(_), _) => Self::Passes,
            (Disposition::Flaky { .. }, _) => Self::Flaky,
            (Disposition::Advisory(it), _) if it.unsupported.is_some() => Self::Unsupported,
            (Disposition::Advisory(_), Verdict::Pass) => Self::Aside,
            (Disposition::Advisory(_), _) => Self::Advisory,
            (Disposition::Judged, Verdict::Pass) => Self::Pass,
            (Disposition::Judged, Verdict::Error) => Self::Error,
            (Disposition::Judged, Verdict::Fail) => Self::broken(case.judgement.level),
        }
    }

    /// The mark of what breaks a rule of a level.
    pub(super) fn broken(level: Level) -> Self {
        match level.grade() {
            Level::Must | Level::MustNot => Self::Must,
            Level::Should => Self::Should,
            Level::May | Level::None => Self::May,
        }
    }

    /// Whether something differs from what the golden says, or from the list of
    /// expected failures.
    pub(super) fn is_failure(self) -> bool {
        self > Self::Pass
    }

    /// The class in the style sheet.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Unsupported => "none",
            Self::Aside => "aside",
            Self::Advisory => "advisory",
            Self::Pass => "pass",
            Self::Listed => "listed",
            Self::Passes => "passes",
            Self::Flaky => "flaky",
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
            Self::Aside => "○",
            Self::Advisory => "●",
            Self::Pass => "✓",
            Self::Listed => "×",
            Self::Passes => "↑",
            Self::Flaky => "≈",
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
            Self::Aside => "advisory, passes",
            Self::Advisory => "advisory, fails",
            Self::Pass => "passed",
            Self::Listed => "fails as expected",
            Self::Passes => "passes against the list",
            Self::Flaky => "flaky",
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
    /// Something passes.
    pub(super) kept: bool,
    /// Implementations came to different results.
    pub(super) differs: bool,
    /// The spec is open there.
    pub(super) open: bool,
    /// A part was not shown: not run, not supported, excluded.
    pub(super) unshown: bool,
}

impl Traits {
    /// The words; what is kept in part alone is not kept.
    pub(super) fn words(self) -> String {
        let all = [
            (self.broken, "broken"),
            (self.kept && !self.broken, "kept"),
            (self.differs, "differs"),
            (self.open, "open"),
            (self.unshown, "unshown"),
        ];
        let words: Vec<&str> = all.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect();
        words.join(" ")
    }

    /// Takes in what one case came to in all runs.
    pub(super) fn add_case(&mut self, records: &[Option<&CaseRecord>]) {
        let marks = || records.iter().map(|case| Mark::of(*case));
        let choices = || records.iter().flatten().filter_map(|case| case.judgement.choice.as_ref());
        let first = choices().next().map(|choice| choice.stance);
        // What is advisory fails nothing.
        let counts = |mark: Mark| mark.is_failure() && mark != Mark::Advisory;
        let (fails, passes) = (marks().any(counts), marks().any(|it| it == Mark::Pass));
        self.broken |= fails;
        self.kept |= passes;
        self.differs |= (fails && passes) || choices().any(|it| Some(it.stance) != first);
        self.open |= first.is_some();
        self.unshown |= marks().any(|mark| mark <= Mark::Unsupported);
    }
}
