//! What a case does wrong, as something that can be held against another run.

use crate::core::{CaseRecord, Level, Mismatch, Outcome, Weighed};

/// What is wrong in a case, without what differs from run to run: words, durations, what a
/// crash printed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Flaw<'a> {
    kind: &'static str,
    what: &'a str,
    at: Option<&'a str>,
    code: i32,
}

impl<'a> Flaw<'a> {
    fn of(mismatch: &'a Mismatch) -> Self {
        let bare = |kind| Self { kind, what: "", at: None, code: 0 };
        match mismatch {
            Mismatch::Stance { observed, .. } => Self { what: observed.as_str(), ..bare("stance") },
            Mismatch::NoDecision { outcome, .. } => Self::undecided(outcome),
            Mismatch::Missing { finding, unnamed } => Self {
                what: finding.rule.as_str(),
                at: Some(&finding.at),
                ..bare(if *unnamed { "unnamed" } else { "missing" })
            },
            Mismatch::Extra { finding, .. } => {
                Self { what: &finding.rule, at: finding.at.as_deref(), ..bare("extra") }
            }
            Mismatch::Repeated { rule, finding, .. } => {
                Self { what: finding, at: Some(rule.as_str()), ..bare("repeated") }
            }
            Mismatch::Relation { rule, .. } => Self { what: rule.as_str(), ..bare("relation") },
        }
    }

    fn undecided(outcome: &'a Outcome) -> Self {
        let bare = |kind| Self { kind, what: "", at: None, code: 0 };
        match outcome {
            Outcome::WrongExit { code } => Self { code: *code, ..bare("exit") },
            // A signal is one; what a panic says may have anything in it.
            Outcome::Crashed { by } if by.starts_with("SIG") => {
                Self { what: by, ..bare("crashed") }
            }
            Outcome::Crashed { .. } => bare("crashed"),
            Outcome::TimedOut { .. } => bare("timed-out"),
            Outcome::Flooded { stream, .. } => Self { what: stream.as_str(), ..bare("flooded") },
            Outcome::Tampered { .. } => bare("tampered"),
            Outcome::BrokeProtocol { .. } => bare("broke-protocol"),
            Outcome::Unsupported { .. } | Outcome::Decided { .. } => bare("none"),
        }
    }
}

/// What one of two results does wrong and the other does not.
pub(crate) fn flaws_of_one<'a>(one: &'a CaseRecord, other: &CaseRecord) -> Vec<&'a Mismatch> {
    let others: Vec<Flaw<'_>> =
        other.judgement.mismatches.iter().map(|it| Flaw::of(&it.mismatch)).collect();
    let own = one.judgement.mismatches.iter().map(|it| &it.mismatch);
    own.filter(|mismatch| !others.contains(&Flaw::of(mismatch))).collect()
}

/// Whether the same was wrong in two results, and weighed otherwise: the rule has another
/// level now.
pub(crate) fn weighs_otherwise(one: &CaseRecord, other: &CaseRecord) -> bool {
    let same = |it: &&Weighed, than: &&Weighed| Flaw::of(&it.mismatch) == Flaw::of(&than.mismatch);
    let grade = |it: &Weighed| -> Level { it.level.grade() };
    one.judgement.mismatches.iter().any(|it| {
        let twin = other.judgement.mismatches.iter().find(|than| same(&it, than));
        twin.is_some_and(|twin| grade(it) != grade(twin))
    })
}
