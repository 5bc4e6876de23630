//! Runs side by side.

use std::collections::{BTreeMap, BTreeSet};

use super::{Changes, CompareError, Label, Place, labels};
use crate::core::{CaseId, CaseRecord, LedgerId, Level, RuleId};
use crate::report::{Report, RuleReport};

/// What one case came to in each run, in their order.
pub type Records<'a> = Vec<Option<&'a CaseRecord>>;

/// A run, and what it is called.
#[derive(Debug, Clone)]
pub struct Run<'a> {
    /// The run.
    pub report: &'a Report,
    /// A name that no other run has.
    pub label: Label,
    /// Where it comes from: the path of a report, or the program that was run.
    pub source: String,
}

/// Which sides runs took where the spec is open.
#[derive(Debug, Clone)]
pub struct Sides<'a> {
    /// The open question.
    pub ledger: &'a LedgerId,
    /// In how many cases each run accepted and rejected; `None` where it was not asked.
    pub runs: Vec<Option<crate::core::Choices>>,
}

impl Sides<'_> {
    /// Whether runs took different sides.
    #[must_use]
    pub fn differ(&self) -> bool {
        let side = |choices: &crate::core::Choices| (choices.accept > 0, choices.reject > 0);
        let mut sides = self.runs.iter().flatten().map(side);
        let first = sides.next();
        sides.any(|side| Some(side) != first)
    }
}

/// Runs held against each other; the first is the one that the others are held
/// against.
#[derive(Debug, Clone)]
pub struct Comparison<'a> {
    /// The runs, two or more.
    pub runs: Vec<Run<'a>>,
    /// Every case of any run.
    pub cases: BTreeMap<&'a CaseId, Records<'a>>,
    /// How each rule fared in each run; `None` where the protocol version lacks it.
    pub rules: BTreeMap<&'a RuleId, Vec<Option<&'a RuleReport>>>,
    /// What each run but the first fixed and broke against it.
    pub changes: Vec<Changes<'a>>,
    /// Where the runs disagree; first where the spec may be unclear.
    pub places: Vec<Place<'a>>,
    /// The sides that were taken where the spec is open, `L2` before `L10`.
    pub sides: Vec<Sides<'a>>,
}

impl<'a> Comparison<'a> {
    /// Holds runs against each other. Each comes with the path of its report, or
    /// another word on where it comes from.
    ///
    /// # Errors
    /// When that would tell something wrong: a run is incomplete, they are about
    /// different specs, or have no case in common.
    pub fn of(runs: &[(String, &'a Report)]) -> Result<Self, CompareError> {
        check(runs)?;
        let reports: Vec<&Report> = runs.iter().map(|(_, report)| *report).collect();
        let sources: Vec<String> = runs.iter().map(|(source, _)| source.clone()).collect();
        let labels = labels(&reports, &sources);
        let mut cases: BTreeMap<&CaseId, Records<'_>> = BTreeMap::new();
        let mut rules: BTreeMap<&RuleId, Vec<Option<&RuleReport>>> = BTreeMap::new();
        for (index, report) in reports.iter().enumerate() {
            for case in &report.cases {
                cases.entry(&case.id).or_insert_with(|| vec![None; runs.len()])[index] = Some(case);
            }
            for (id, rule) in &report.rules {
                rules.entry(id).or_insert_with(|| vec![None; runs.len()])[index] = Some(rule);
            }
        }
        let changes: Vec<Changes<'_>> = (1..runs.len())
            .map(|run| {
                let pairs = cases.values().map(|records| (records[0], records[run]));
                Changes::of(run, (reports[0], reports[run]), pairs)
            })
            .collect();
        if let Some(apart) = changes.iter().find(|it| it.compared + it.judged_otherwise.len() == 0)
        {
            let (first, second) = (sources[0].clone(), sources[apart.run].clone());
            return Err(CompareError::NothingInCommon { first, second });
        }
        Ok(Self {
            places: Place::all(&cases, &reports),
            sides: sides(&reports),
            runs: reports
                .into_iter()
                .zip(labels)
                .zip(sources)
                .map(|((report, label), source)| Run { report, label, source })
                .collect(),
            cases,
            rules,
            changes,
        })
    }

    /// The classes of any run.
    #[must_use]
    pub fn classes(&self) -> BTreeSet<&'a str> {
        let runs = self.runs.iter();
        runs.flat_map(|run| run.report.summary.classes.keys()).map(String::as_str).collect()
    }

    /// How many cases got worse against the first run, in a way that counts where
    /// failures from this level on do, or passed in it and were left out.
    #[must_use]
    pub fn regressions(&self, enforced: Level) -> usize {
        self.changes.iter().map(|it| it.regressions(enforced) + it.lost.len()).sum()
    }

    /// How many cases all runs have.
    #[must_use]
    pub fn in_all(&self) -> usize {
        self.cases.values().filter(|records| records.iter().all(Option::is_some)).count()
    }
}

/// Refuses runs that would be compared wrongly.
fn check(runs: &[(String, &Report)]) -> Result<(), CompareError> {
    let [(first, one), others @ ..] = runs else { return Err(CompareError::TooFew { runs: 0 }) };
    if others.is_empty() {
        return Err(CompareError::TooFew { runs: 1 });
    }
    for (name, report) in runs {
        let summary = &report.summary;
        if summary.stopped.is_some() || summary.not_run > 0 {
            return Err(CompareError::Incomplete {
                name: name.clone(),
                stopped: summary.stopped,
                not_run: summary.not_run,
            });
        }
        if report.cases.is_empty() {
            return Err(CompareError::Empty { name: name.clone() });
        }
    }
    match others.iter().find(|(_, other)| other.header.spec != one.header.spec) {
        Some((second, other)) => Err(CompareError::OtherSpec {
            first: first.clone(),
            second: second.clone(),
            of_first: one.header.spec.clone(),
            of_second: other.header.spec.clone(),
        }),
        None => Ok(()),
    }
}

fn sides<'a>(reports: &[&'a Report]) -> Vec<Sides<'a>> {
    let asked: BTreeSet<&LedgerId> =
        reports.iter().flat_map(|report| report.summary.choices.keys()).collect();
    let mut asked: Vec<&LedgerId> = asked.into_iter().collect();
    asked.sort_by_key(|id| (id.as_str().len(), *id));
    let of = |ledger: &'a LedgerId| Sides {
        ledger,
        runs: reports.iter().map(|report| report.summary.choices.get(ledger).copied()).collect(),
    };
    asked.into_iter().map(of).collect()
}
