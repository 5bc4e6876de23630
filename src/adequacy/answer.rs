//! What an implementation answers in a case.

use std::time::Duration;

use crate::core::{Observation, Outcome, ReportedFinding, Severity};
use crate::reference::{Finding, Ruling};

/// What a mutant answers in a case: how it ends, and what it reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) outcome: Outcome,
    pub(super) findings: Vec<ReportedFinding>,
}

impl Answer {
    /// What the reference answers by its own reading.
    pub(super) fn of(ruling: &Ruling) -> Self {
        let findings = ruling.reported().map(Finding::reported).collect();
        Self { outcome: Outcome::Decided { accepted: ruling.accepted }, findings }
    }

    /// Accepts, whatever is reported.
    pub(super) fn accepting(mut self) -> Self {
        self.outcome = Outcome::Decided { accepted: true };
        self
    }

    /// Rejects, whatever is reported.
    pub(super) fn rejecting(mut self) -> Self {
        self.outcome = Outcome::Decided { accepted: false };
        self
    }

    /// Ends with an exit code.
    pub(super) fn exiting(mut self, code: i32) -> Self {
        self.outcome = match code {
            0 | 1 => Outcome::Decided { accepted: code == 0 },
            code => Outcome::WrongExit { code },
        };
        self
    }

    /// Ends as a program does whose language found a value of another type.
    pub(super) fn crashing() -> Self {
        let outcome = Outcome::Crashed { by: "an exception".to_owned() };
        Self { outcome, findings: Vec::new() }
    }

    /// Whether it accepts.
    pub(super) fn accepted(&self) -> bool {
        self.outcome == Outcome::Decided { accepted: true }
    }

    /// Whether something is reported of a rule.
    pub(super) fn reports(&self, rule: &str) -> bool {
        self.findings.iter().any(|finding| finding.rule == rule)
    }

    /// Knows only these findings; the decision follows from them.
    pub(super) fn knowing(mut self, knows: impl Fn(&ReportedFinding) -> bool) -> Self {
        self.findings.retain(knows);
        self.settled()
    }

    /// Prints only these findings, and decides as before.
    pub(super) fn printing(mut self, prints: impl Fn(&ReportedFinding) -> bool) -> Self {
        self.findings.retain(prints);
        self
    }

    /// Changes what is printed, and decides as before.
    pub(super) fn rewording(mut self, reword: impl Fn(&mut ReportedFinding)) -> Self {
        self.findings.iter_mut().for_each(reword);
        self
    }

    /// Has another error, and rejects.
    pub(super) fn with_error(mut self, rule: &str, at: &str) -> Self {
        self.findings.push(ReportedFinding {
            rule: rule.to_owned(),
            at: Some(at.to_owned()),
            severity: Some(Severity::Error),
            message: None,
        });
        self.settled()
    }

    /// Decides as the findings say: an error rejects.
    pub(super) fn settled(self) -> Self {
        let error = |finding: &ReportedFinding| finding.severity == Some(Severity::Error);
        if self.findings.iter().any(error) { self.rejecting() } else { self.accepting() }
    }

    /// The answer as a driver would have seen it.
    pub(super) fn into_observation(self) -> Observation {
        Observation {
            findings: Some(self.findings),
            ..Observation::bare(self.outcome, Duration::ZERO)
        }
    }
}
