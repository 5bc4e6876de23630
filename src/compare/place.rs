//! Where runs disagree: the places where the spec may be unclear.
//!
//! A disagreement is no proof: most are faults of one implementation. Two figures tell
//! them apart. The more implementations part from the suite, the less is it the fault
//! of one; and whoever keeps the same rules in all other cases has not forgotten them,
//! but reads them otherwise here.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::comparison::Records;
use crate::core::{
    CaseId, CaseRecord, Disposition, Grade, Level, Mismatch, Outcome, RuleId, Stance,
};
use crate::report::Report;

/// The driver of the built-in reference.
const REFERENCE: &str = "reference";

/// What runs disagree on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// Whether to accept or to reject.
    Verdict {
        /// What the suite expects.
        expected: Stance,
    },
    /// Whether a finding is to be reported, where all decide as the suite does.
    Finding {
        /// The rule reported.
        rule: RuleId,
        /// Whether the suite expects it.
        expected: bool,
    },
}

/// Cases of the same rules on which runs part from the suite, and the same ones do.
#[derive(Debug, Clone)]
pub struct Place<'a> {
    /// What they disagree on.
    pub subject: Subject,
    /// The rules that it is about; none where fixtures have no golden.
    pub rules: Vec<RuleId>,
    /// How much it weighs.
    pub level: Level,
    /// The cases, by id, as the first run has them that has them.
    pub cases: Vec<&'a CaseRecord>,
    /// The runs that the suite agrees with, by their places among all.
    pub with: Vec<usize>,
    /// The runs that part from it.
    pub against: Vec<usize>,
    /// In how many cases those keep the same rules.
    pub met: usize,
    /// Of how many cases that decide them.
    pub all: usize,
    /// How much there is for the spec being unclear, from 0 to 1: the share of runs
    /// that part from the suite, times how well they keep the rules.
    pub score: f64,
}

/// What cases of one place have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    subject: Subject,
    rules: Vec<RuleId>,
    with: Vec<usize>,
    against: Vec<usize>,
}

impl<'a> Place<'a> {
    pub(super) fn all(
        cases: &BTreeMap<&'a CaseId, Records<'a>>,
        reports: &[&'a Report],
    ) -> Vec<Self> {
        let mut groups: BTreeMap<Key, (Level, Vec<&'a CaseRecord>)> = BTreeMap::new();
        let mut add = |key: Key, level: Level, case: &'a CaseRecord| {
            // Alone against the suite is a failure like any other.
            if !key.against.is_empty() && key.with.len() + key.against.len() > 1 {
                let (highest, group) = groups.entry(key).or_insert((level, Vec::new()));
                *highest = level.max(*highest);
                group.push(case);
            }
        };
        for records in cases.values() {
            let Some(case) = comparable(records) else { continue };
            let (key, level) = verdict(case, records, reports);
            add(key, level, case);
            for (key, level) in findings(records, reports) {
                add(key, level, case);
            }
        }
        let mut places: Vec<Self> = groups
            .into_iter()
            .map(|(key, (level, cases))| Self::new(key, level, cases, reports))
            .collect();
        // Stable: equal ones stay in the order of their rules.
        places.sort_by(|one, other| {
            let rest = |it: &Self| (Reverse(it.level), Reverse(it.against.len()));
            other.score.total_cmp(&one.score).then_with(|| rest(one).cmp(&rest(other)))
        });
        places
    }

    #[allow(clippy::cast_precision_loss, reason = "counts of cases and runs are small")]
    fn new(key: Key, level: Level, cases: Vec<&'a CaseRecord>, reports: &[&Report]) -> Self {
        let fared: Vec<(usize, usize)> = key
            .against
            .iter()
            .flat_map(|&run| key.rules.iter().filter_map(move |rule| reports[run].rules.get(rule)))
            .map(|rule| (rule.met, rule.met + rule.broken))
            .collect();
        let (met, all) = fared.iter().fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
        // One more kept case: of one or two alone nothing follows.
        let keeps = (met + 1) as f64 / (all + 1) as f64;
        let voices = key.with.len() + key.against.len();
        let share = key.against.len() as f64 / voices as f64;
        let Key { subject, rules, with, against } = key;
        Self { subject, rules, level, cases, with, against, met, all, score: share * keeps }
    }

    /// The suite that the cases are of.
    #[must_use]
    pub fn suite(&self) -> &'a str {
        self.cases.first().map_or("", |case| case.id.suite())
    }

    /// The operations that the cases ask for.
    #[must_use]
    pub fn operations(&self) -> Vec<&'a str> {
        let all: BTreeSet<&str> = self.cases.iter().map(|case| case.id.operation()).collect();
        all.into_iter().collect()
    }
}

/// The case, where every run that has it is judged by the same and the suite takes a
/// side.
fn comparable<'a>(records: &Records<'a>) -> Option<&'a CaseRecord> {
    let mut some = records.iter().flatten();
    let first = *some.next()?;
    let same = |other: &&CaseRecord| super::changes::expects_the_same(first, other);
    (first.expected.stance != Stance::Either && some.all(same)).then_some(first)
}

/// The runs that decided for good, with what they decided. The reference is no voice of
/// its own: the goldens are its word.
fn decided<'a>(
    records: &Records<'a>,
    reports: &[&Report],
) -> impl Iterator<Item = (usize, &'a CaseRecord, bool)> {
    let voices = records.iter().zip(reports).enumerate();
    let voices = voices
        .filter(|(_, (_, report))| report.header.implementation.driver != REFERENCE)
        .map(|(run, (case, _))| (run, *case));
    let voices: Vec<(usize, Option<&'a CaseRecord>)> = voices.collect();
    voices.into_iter().filter_map(|(run, case)| {
        let case = case?;
        match (&case.observed, &case.disposition) {
            // One that cannot decide has no reading of the spec.
            (_, Disposition::Flaky { .. }) => None,
            (Outcome::Decided { accepted }, _) => Some((run, case, *accepted)),
            _ => None,
        }
    })
}

fn verdict(case: &CaseRecord, records: &Records<'_>, reports: &[&Report]) -> (Key, Level) {
    let (mut with, mut against, mut rules) = (Vec::new(), Vec::new(), Vec::new());
    for (run, case, accepted) in decided(records, reports) {
        if case.expected.stance.admits(accepted) {
            with.push(run);
        } else {
            against.push(run);
            rules.extend_from_slice(broken_by_verdict(case));
        }
    }
    rules.sort();
    rules.dedup();
    let subject = Subject::Verdict { expected: case.expected.stance };
    (Key { subject, rules, with, against }, case.weight)
}

fn broken_by_verdict(case: &CaseRecord) -> &[RuleId] {
    let stance = case.judgement.mismatches.iter().find_map(|weighed| match &weighed.mismatch {
        Mismatch::Stance { rules, .. } => Some(rules.as_slice()),
        _ => None,
    });
    stance.unwrap_or_default()
}

/// The findings that some report and others do not, of those that name rules and
/// decide as the suite does.
fn findings(records: &Records<'_>, reports: &[&Report]) -> Vec<(Key, Level)> {
    let voices: Vec<(usize, &CaseRecord)> = decided(records, reports)
        .filter(|(_, case, accepted)| {
            case.expected.stance.admits(*accepted) && case.judgement.grade != Grade::Text
        })
        .map(|(run, case, _)| (run, case))
        .collect();
    let mut subjects: BTreeMap<Subject, (Level, Vec<usize>)> = BTreeMap::new();
    for (run, case) in &voices {
        for weighed in &case.judgement.mismatches {
            if let Some(subject) = finding(&weighed.mismatch) {
                let (level, against) =
                    subjects.entry(subject).or_insert((weighed.level, Vec::new()));
                *level = weighed.level.max(*level);
                if against.last() != Some(run) {
                    against.push(*run);
                }
            }
        }
    }
    let key = |(subject, (level, against)): (Subject, (Level, Vec<usize>))| {
        let with = voices.iter().map(|(run, _)| *run).filter(|run| !against.contains(run));
        let Subject::Finding { rule, .. } = &subject else { return None };
        let (rules, with) = (vec![rule.clone()], with.collect());
        Some((Key { subject, rules, with, against }, level))
    };
    subjects.into_iter().filter_map(key).collect()
}

/// The finding that a mismatch is about, where it is of a rule of the suite.
fn finding(mismatch: &Mismatch) -> Option<Subject> {
    match mismatch {
        Mismatch::Missing { finding, .. } => {
            Some(Subject::Finding { rule: finding.rule.clone(), expected: true })
        }
        Mismatch::Extra { finding, known: true } => {
            Some(Subject::Finding { rule: RuleId::new(&finding.rule).ok()?, expected: false })
        }
        _ => None,
    }
}
