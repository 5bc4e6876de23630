//! What came of judging a case.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    Disposition, ExpectedFinding, Grade, LedgerId, Level, Outcome, ReportedFinding, RuleId, Stance,
};

/// Whether a case passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// All as expected.
    Pass,
    /// It decided, and something differs.
    Fail,
    /// It did not decide.
    Error,
}

impl Verdict {
    /// The word that reports use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Error => "error",
        }
    }
}

/// One way in which what was observed differs from what was expected, with its
/// evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Mismatch {
    /// Accepted instead of rejected, or the other way round.
    Stance {
        /// What the golden says.
        expected: Stance,
        /// What was observed.
        observed: Stance,
        /// The rules that this breaks.
        rules: Vec<RuleId>,
    },
    /// It did not decide.
    NoDecision {
        /// What it did instead.
        outcome: Outcome,
        /// The rule that asks for a decision, where the suite names one.
        rule: Option<RuleId>,
    },
    /// An expected finding was not reported.
    Missing {
        /// The finding.
        finding: ExpectedFinding,
        /// Its rule is reported all the same, and not of what.
        #[serde(default, skip_serializing_if = "is_false")]
        unnamed: bool,
    },
    /// A finding was reported that is not expected.
    Extra {
        /// The finding.
        finding: ReportedFinding,
        /// Whether the rule table has the rule.
        known: bool,
    },
    /// One rule was reported on more than one line.
    Repeated {
        /// The rule reported.
        finding: String,
        /// How many lines.
        lines: usize,
        /// The rule that asks for one.
        rule: RuleId,
    },
    /// Two decisions on the same fixture contradict each other.
    Relation {
        /// The rule that links them.
        rule: RuleId,
        /// This operation accepted …
        accepted: String,
        /// … while this one rejected.
        rejected: String,
    },
}

fn is_false(value: &bool) -> bool {
    !value
}

/// A mismatch with the level it weighs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Weighed {
    /// The level of the rule that it breaks.
    pub level: Level,
    /// What differs.
    #[serde(flatten)]
    pub mismatch: Mismatch,
}

impl Weighed {
    /// The rules that the mismatch breaks.
    #[must_use]
    pub fn rules(&self) -> Vec<RuleId> {
        match &self.mismatch {
            Mismatch::Stance { rules, .. } => rules.clone(),
            Mismatch::NoDecision { rule, .. } => rule.iter().cloned().collect(),
            Mismatch::Missing { finding, .. } => vec![finding.rule.clone()],
            Mismatch::Extra { finding, .. } => RuleId::new(&finding.rule).into_iter().collect(),
            Mismatch::Repeated { rule, .. } | Mismatch::Relation { rule, .. } => vec![rule.clone()],
        }
    }
}

/// The judgement of one case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// Pass, fail or error.
    pub verdict: Verdict,
    /// The weight of a failure: the highest level among the mismatches.
    /// [`Level::None`] for a pass.
    pub level: Level,
    /// What differs, heaviest first.
    pub mismatches: Vec<Weighed>,
    /// The findings that were read from the output.
    pub findings: Vec<ReportedFinding>,
    /// How much detail the output had.
    pub grade: Grade,
    /// Where the golden is open: what the implementation chose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<Choice>,
}

impl Judgement {
    /// Whether it fails a run that enforces `enforced` and above. A case that
    /// did not decide always does.
    #[must_use]
    pub fn fails(&self, enforced: Level) -> bool {
        match self.verdict {
            Verdict::Pass => false,
            Verdict::Error => true,
            Verdict::Fail => self.level.grade() >= enforced,
        }
    }
}

/// What an implementation chose where the spec is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The open questions.
    pub ledger: Vec<LedgerId>,
    /// The choice.
    pub stance: Stance,
}

/// Passed and failed, by what was judged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Tally {
    /// Cases that passed.
    pub passed: usize,
    /// Cases that fail a MUST.
    pub failed: usize,
    /// Cases that fail a SHOULD and nothing above it.
    pub failed_should: usize,
    /// Cases that fail a MAY or a statement without a key word.
    pub failed_may: usize,
    /// Cases without a decision.
    pub errors: usize,
    /// Cases that the implementation says it does not support.
    pub unsupported: usize,
    /// Cases that did not pass, as the list of expected failures says.
    pub expected: usize,
    /// Cases that passed, though the list of expected failures says otherwise.
    pub unexpected: usize,
    /// Cases that came out in more than one way.
    pub flaky: usize,
}

impl Tally {
    /// Counts one judgement.
    pub fn add(&mut self, judgement: &Judgement, disposition: &Disposition) {
        let count = match disposition {
            Disposition::Unsupported { .. } => &mut self.unsupported,
            Disposition::ExpectedFailure(_) => &mut self.expected,
            Disposition::UnexpectedPass(_) => &mut self.unexpected,
            Disposition::Flaky { .. } => &mut self.flaky,
            Disposition::Advisory(advisory) if advisory.unsupported.is_some() => {
                &mut self.unsupported
            }
            Disposition::Judged | Disposition::Advisory(_) => {
                match (judgement.verdict, judgement.level.grade()) {
                    (Verdict::Pass, _) => &mut self.passed,
                    (Verdict::Error, _) => &mut self.errors,
                    (Verdict::Fail, Level::Must | Level::MustNot) => &mut self.failed,
                    (Verdict::Fail, Level::Should) => &mut self.failed_should,
                    (Verdict::Fail, Level::May | Level::None) => &mut self.failed_may,
                }
            }
        };
        *count += 1;
    }

    /// Whether nothing was counted.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    /// All cases counted.
    #[must_use]
    pub fn total(&self) -> usize {
        self.passed
            + self.failed
            + self.failed_should
            + self.failed_may
            + self.errors
            + self.unsupported
            + self.expected
            + self.unexpected
            + self.flaky
    }
}

/// Tallies by name, in the order of the names.
pub type Tallies = BTreeMap<String, Tally>;
