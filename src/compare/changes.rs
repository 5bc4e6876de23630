//! What one run fixed and broke against another.

use serde::{Deserialize, Serialize};

use super::Status;
use super::flaw::{flaws_of_one, weighs_otherwise};
use crate::core::{CaseRecord, Level};
use crate::report::Report;

/// How the result of a case differs from that in the first run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// It passed, and does not.
    Broke,
    /// It failed, and fails worse.
    Worse,
    /// It did not pass, and does.
    Fixed,
    /// It failed, and fails less badly.
    Better,
    /// It passes neither way, and neither is worse.
    Otherwise,
    /// It fails as badly, and for another reason.
    Cause,
    /// Both conform, and the other side of an open question was taken.
    Choice,
}

impl ChangeKind {
    /// All of them, the worst first.
    pub const ALL: [Self; 7] = [
        Self::Broke,
        Self::Worse,
        Self::Fixed,
        Self::Better,
        Self::Otherwise,
        Self::Cause,
        Self::Choice,
    ];

    fn of(before: &CaseRecord, after: &CaseRecord) -> Option<Self> {
        let (from, to) = (Status::of(before), Status::of(after));
        if from == to {
            let differ = || {
                !flaws_of_one(before, after).is_empty() || !flaws_of_one(after, before).is_empty()
            };
            // What comes out in more than one way has no one reason.
            if !matches!(from, Status::Pass | Status::Unsupported | Status::Flaky) && differ() {
                return Some(Self::Cause);
            }
            let side = |case: &CaseRecord| case.judgement.choice.as_ref().map(|it| it.stance);
            let turned = from == Status::Pass && side(before) != side(after);
            return turned.then_some(Self::Choice);
        }
        Some(match (from, to) {
            (Status::Pass, _) => Self::Broke,
            (_, Status::Pass) => Self::Fixed,
            (from, to) => match (from.severity(), to.severity()) {
                (Some(from), Some(to)) if to > from => Self::Worse,
                (Some(_), Some(_)) => Self::Better,
                _ => Self::Otherwise,
            },
        })
    }
}

/// A case that differs between two runs.
#[derive(Debug, Clone, Copy)]
pub struct Change<'a> {
    /// How; `None` for a case that is expected otherwise, with the same result.
    pub kind: Option<ChangeKind>,
    /// In the first run.
    pub before: &'a CaseRecord,
    /// In the other.
    pub after: &'a CaseRecord,
}

impl Change<'_> {
    /// Whether something got worse that counts, where failures from this level on do. An
    /// advisory case does not.
    #[must_use]
    pub fn is_regression(&self, enforced: Level) -> bool {
        matches!(self.kind, Some(ChangeKind::Broke | ChangeKind::Worse))
            && !self.after.is_advisory()
            && Status::of(self.after).counts(enforced)
    }
}

/// What a run fixed and broke against the first.
#[derive(Debug, Clone)]
pub struct Changes<'a> {
    /// The run, by its place among all.
    pub run: usize,
    /// How many cases both have, and are expected to end alike.
    pub compared: usize,
    /// Of these, the cases that differ: by kind, the worst first, and by id.
    pub changes: Vec<Change<'a>>,
    /// Cases that both have and of which something else is expected: a difference is
    /// no word on the implementation.
    pub judged_otherwise: Vec<Change<'a>>,
    /// Cases that the first run alone has.
    pub gone: Vec<&'a CaseRecord>,
    /// Cases that this run alone has.
    pub new: Vec<&'a CaseRecord>,
    /// Of those that are gone, the ones that passed and that this run has left out,
    /// so that nothing is known of them.
    pub lost: Vec<&'a CaseRecord>,
}

impl<'a> Changes<'a> {
    pub(super) fn of(
        run: usize,
        (first, other): (&'a Report, &'a Report),
        pairs: impl Iterator<Item = (Option<&'a CaseRecord>, Option<&'a CaseRecord>)>,
    ) -> Self {
        let mut all = Self {
            run,
            compared: 0,
            changes: Vec::new(),
            judged_otherwise: Vec::new(),
            gone: Vec::new(),
            new: Vec::new(),
            lost: Vec::new(),
        };
        let leaves_out = has_left_out(first, other);
        for pair in pairs {
            match pair {
                (Some(before), Some(after)) if expects_the_same(before, after) => {
                    all.compared += 1;
                    if let Some(kind) = ChangeKind::of(before, after) {
                        all.changes.push(Change { kind: Some(kind), before, after });
                    }
                }
                (Some(before), Some(after)) => {
                    let kind = ChangeKind::of(before, after);
                    all.judged_otherwise.push(Change { kind, before, after });
                }
                (Some(before), None) => {
                    all.gone.push(before);
                    let counts = Status::of(before) == Status::Pass && !before.is_advisory();
                    if leaves_out && counts {
                        all.lost.push(before);
                    }
                }
                (None, Some(after)) => all.new.push(after),
                (None, None) => {}
            }
        }
        all.changes.sort_by(|one, other| {
            let key = |it: &Change<'a>| (it.kind, std::cmp::Reverse(weight(it)));
            key(one).cmp(&key(other)).then_with(|| one.before.id.cmp(&other.before.id))
        });
        all
    }

    /// The changes of a kind.
    pub fn of_kind(&self, kind: ChangeKind) -> impl Iterator<Item = &Change<'a>> {
        self.changes.iter().filter(move |change| change.kind == Some(kind))
    }

    /// How many cases got worse in a way that counts.
    #[must_use]
    pub fn regressions(&self, enforced: Level) -> usize {
        self.changes.iter().filter(|change| change.is_regression(enforced)).count()
    }
}

/// What is worse of what changed.
fn weight(change: &Change<'_>) -> Status {
    Status::of(change.before).max(Status::of(change.after))
}

/// Whether a difference in the results is one of the implementations.
pub(super) fn expects_the_same(one: &CaseRecord, other: &CaseRecord) -> bool {
    one.expected == other.expected && one.weight == other.weight && !weighs_otherwise(one, other)
}

/// Whether a case that `other` does not have may have been left out by it, rather
/// than taken out of the suite.
fn has_left_out(first: &Report, other: &Report) -> bool {
    let same = first.header.suite_digest == other.header.suite_digest
        && first.header.protocol == other.header.protocol;
    let chosen = other.header.left_out.values().flatten().any(|(_, cases)| *cases > 0);
    // A class or a suite that was not asked for is not counted as left out.
    let fewer =
        |of: fn(&Report) -> Vec<&String>| of(first).iter().any(|name| !of(other).contains(name));
    same || chosen
        || other.header.shard.is_some()
        || fewer(|report| report.header.left_out.keys().collect())
        || fewer(|report| report.header.suites.keys().collect())
}
