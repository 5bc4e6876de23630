//! Mutants that follow from the rule table: for each rule that findings show, what
//! it does turned into something else.

use super::{Answer, Ask};
use crate::core::{Effect, ReportedFinding, Rule, RuleId, RuleTable, Severity};

/// One rule of one operation that an implementation gets wrong.
#[derive(Debug, Clone)]
pub(super) struct RuleMutant {
    pub(super) rule: RuleId,
    pub(super) operation: String,
    pub(super) change: RuleChange,
}

/// What it does instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RuleChange {
    /// Reports it, and accepts.
    Warns,
    /// Rejects.
    Rejects,
    /// Decides as it should, and reports nothing of it.
    Unreported,
}

impl RuleMutant {
    /// All that follow from the table.
    pub(super) fn all(rules: &RuleTable) -> Vec<Self> {
        rules.rules().flat_map(|(_, rule)| Self::of(rule)).collect()
    }

    fn of(rule: &Rule) -> impl Iterator<Item = Self> {
        rule.effect.iter().flat_map(|(operation, effect)| {
            let turned = match effect {
                Effect::Reject => RuleChange::Warns,
                Effect::Warn => RuleChange::Rejects,
            };
            [turned, RuleChange::Unreported].map(|change| Self {
                rule: rule.id.clone(),
                operation: operation.clone(),
                change,
            })
        })
    }

    /// The last part of its id.
    pub(super) fn name(&self) -> &'static str {
        match self.change {
            RuleChange::Warns => "warns",
            RuleChange::Rejects => "rejects",
            RuleChange::Unreported => "unreported",
        }
    }

    /// What it does wrong.
    pub(super) fn wrong(&self) -> String {
        let operation = &self.operation;
        match self.change {
            RuleChange::Warns => format!("accepts in {operation} what breaks the rule"),
            RuleChange::Rejects => format!("rejects in {operation} what breaks the rule"),
            RuleChange::Unreported => format!("reports no break of the rule in {operation}"),
        }
    }

    /// What it answers; `None` where that is what the reference does.
    pub(super) fn answer(&self, ask: &Ask<'_>) -> Option<Answer> {
        let is_it = |finding: &ReportedFinding| finding.rule == self.rule.as_str();
        if ask.operation() != self.operation {
            return None;
        }
        let answer = ask.answer();
        if !answer.findings.iter().any(is_it) {
            return None;
        }
        let as_severity = |severity| {
            answer.clone().rewording(|finding| {
                if is_it(finding) {
                    finding.severity = Some(severity);
                }
            })
        };
        Some(match self.change {
            RuleChange::Warns => as_severity(Severity::Warning).settled(),
            RuleChange::Rejects => as_severity(Severity::Error).settled(),
            RuleChange::Unreported => answer.printing(|finding| !is_it(finding)),
        })
    }
}
