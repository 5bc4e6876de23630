//! The corpus put to all mutants, and what comes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde::Serialize;

use super::bench::{Bench, Hit};
use super::degenerate::{Degenerate, Score, share};
use super::{Equivalents, Family, Mutant, MutantError};
use crate::core::{CaseId, Level, RuleId};

/// What the corpus does to mutants.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Adequacy {
    /// How many fixtures the mutants were put to.
    pub fixtures: usize,
    /// How many cases these make.
    pub cases: usize,
    /// Cases that the reference itself fails; they kill nothing.
    pub failing: Vec<CaseId>,
    /// Cases that the schemas fail as they are; their mutants are not put to these.
    pub disagreeing: Vec<CaseId>,
    /// Classes for which the control mutant, which accepts everything, or its
    /// twin, which rejects everything, was not caught. With one in it, no figure
    /// means anything.
    pub uncaught: Vec<Uncaught>,
    /// All mutants.
    pub totals: Kills,
    /// By where they come from.
    pub families: BTreeMap<Family, Kills>,
    /// By rule: the mutants that attack it.
    pub rules: BTreeMap<RuleId, Kills>,
    /// The mutants themselves.
    pub mutants: Vec<Tried>,
    /// Patterns of equivalent mutants that fit none.
    pub unused: Vec<String>,
    /// What implementations that are none score.
    pub degenerate: Vec<Score>,
}

/// A control that was not caught.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Uncaught {
    /// Which one.
    pub control: Degenerate,
    /// The class in which it passes everything.
    pub class: String,
}

/// How many mutants were killed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Kills {
    /// Killed.
    pub killed: usize,
    /// All that can be killed.
    pub all: usize,
    /// Equivalent ones, which cannot; not among `all`.
    pub equivalent: usize,
}

/// A mutant after the corpus was put to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tried {
    /// Its id.
    pub id: String,
    /// Where it comes from.
    pub family: Family,
    /// What it does wrong.
    pub wrong: String,
    /// The rules that it attacks.
    pub attacks: Vec<RuleId>,
    /// What became of it.
    #[serde(flatten)]
    pub fate: Fate,
}

/// What became of a mutant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "fate", rename_all = "kebab-case")]
pub enum Fate {
    /// A case told it from the reference.
    Killed {
        /// The case.
        case: CaseId,
        /// The level that the case failed at, the highest of any case.
        level: Level,
    },
    /// No case did: a gap in the corpus.
    Survived,
    /// No case did, and none can.
    Equivalent {
        /// Why not.
        reason: String,
    },
    /// It is said to be equivalent, and a case told it from the reference.
    NotEquivalent {
        /// The case.
        case: CaseId,
        /// Why no case should.
        reason: String,
    },
}

impl Kills {
    /// The share of the killed, in percent; 0 where there is nothing to kill.
    #[must_use]
    pub fn percent(&self) -> f64 {
        share(self.killed, self.all)
    }

    fn add(&mut self, fate: &Fate) {
        match fate {
            Fate::Killed { .. } => {
                self.killed += 1;
                self.all += 1;
            }
            Fate::Survived | Fate::NotEquivalent { .. } => self.all += 1,
            Fate::Equivalent { .. } => self.equivalent += 1,
        }
    }
}

impl Adequacy {
    /// Puts the corpus to these mutants, on some threads.
    ///
    /// # Errors
    /// When a mutant of a schema is no schema.
    pub fn of(bench: &Bench<'_>, mutants: &[Mutant], threads: usize) -> Result<Self, MutantError> {
        let fates = fates(bench, mutants, threads, &|| false)?;
        Ok(Self::of_fates(bench, mutants, fates))
    }

    /// The same, but `None` when `stop` says so before its end.
    ///
    /// # Errors
    /// As [`Adequacy::of`].
    pub fn until(
        bench: &Bench<'_>,
        mutants: &[Mutant],
        threads: usize,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Self>, MutantError> {
        let fates = fates(bench, mutants, threads, stop)?;
        Ok((fates.len() == mutants.len()).then(|| Self::of_fates(bench, mutants, fates)))
    }

    fn of_fates(bench: &Bench<'_>, mutants: &[Mutant], fates: Vec<Fate>) -> Self {
        let mut totals = Kills::default();
        let mut families: BTreeMap<Family, Kills> = BTreeMap::new();
        let mut rules: BTreeMap<RuleId, Kills> = BTreeMap::new();
        let mut tried = Vec::with_capacity(mutants.len());
        for (mutant, fate) in mutants.iter().zip(fates) {
            totals.add(&fate);
            families.entry(mutant.family).or_default().add(&fate);
            for rule in &mutant.attacks {
                rules.entry(rule.clone()).or_default().add(&fate);
            }
            let Mutant { id, family, wrong, attacks, .. } = mutant.clone();
            tried.push(Tried { id, family, wrong, attacks, fate });
        }
        Self {
            fixtures: bench.fixtures(),
            cases: bench.cases(),
            failing: bench.failing().to_vec(),
            disagreeing: bench.disagreeing().to_vec(),
            uncaught: uncaught(bench),
            totals,
            families,
            rules,
            mutants: tried,
            unused: Vec::new(),
            degenerate: Degenerate::ALL
                .map(|one| one.score(&bench.judge(), bench.all_cases()))
                .into(),
        }
    }

    /// Adds the patterns of equivalent mutants that fit none of `mutants`, which
    /// are all there are.
    #[must_use]
    pub fn with_unused(mut self, equivalents: &Equivalents, mutants: &[Mutant]) -> Self {
        self.unused = equivalents.unused(mutants.iter().map(|mutant| mutant.id.as_str()));
        self
    }

    /// Whether every mutant that can be killed is, and the figure holds.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        !self.is_void()
            && self.totals.killed == self.totals.all
            && self.unused.is_empty()
            && self.failing.is_empty()
            && self.disagreeing.is_empty()
    }

    /// Whether a control was not caught, so that no figure means anything.
    #[must_use]
    pub fn is_void(&self) -> bool {
        !self.uncaught.is_empty() || self.totals.all == 0
    }

    /// The mutants that no case told from the reference, and that some case should.
    pub fn survivors(&self) -> impl Iterator<Item = &Tried> {
        self.mutants.iter().filter(|tried| tried.fate == Fate::Survived)
    }
}

/// What became of the mutants, or of the first of them where `stop` said so.
fn fates(
    bench: &Bench<'_>,
    mutants: &[Mutant],
    threads: usize,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Fate>, MutantError> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(mutant) = mutants.get(at).filter(|_| !stop()) else { return done };
            done.push((at, fate(bench, mutant)));
        }
    };
    let mut all: Vec<(usize, Result<Fate, MutantError>)> = thread::scope(|scope| {
        let workers: Vec<_> = (1..threads.max(1)).map(|_| scope.spawn(work)).collect();
        let mut all = work();
        for worker in workers {
            match worker.join() {
                Ok(done) => all.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, fate)| fate).collect()
}

fn fate(bench: &Bench<'_>, mutant: &Mutant) -> Result<Fate, MutantError> {
    let ready = mutant.ready()?;
    let hit = bench.put(&mutant.attacks, |trial| ready.answers(&bench.schemas, trial));
    Ok(match (hit, &mutant.equivalent) {
        (Some(Hit { case, level }), None) => Fate::Killed { case, level },
        (None, None) => Fate::Survived,
        (None, Some(reason)) => Fate::Equivalent { reason: reason.clone() },
        (Some(Hit { case, .. }), Some(reason)) => {
            Fate::NotEquivalent { case, reason: reason.clone() }
        }
    })
}

/// The controls that pass every case of a class.
fn uncaught(bench: &Bench<'_>) -> Vec<Uncaught> {
    let classes: BTreeSet<&str> =
        bench.all_cases().map(|(_, _, operation)| operation.class.as_str()).collect();
    let mut uncaught = Vec::new();
    for class in classes {
        for control in [Degenerate::AcceptAll, Degenerate::RejectAll] {
            let of_class = bench.all_cases().filter(|(_, _, operation)| operation.class == class);
            let score = control.score(&bench.judge(), of_class);
            // Findings that are not printed do not count: the decision has to tell.
            if score.tally.failed == 0 {
                uncaught.push(Uncaught { control, class: class.to_owned() });
            }
        }
    }
    uncaught
}
