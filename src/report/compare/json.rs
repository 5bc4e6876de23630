//! A comparison as one JSON document; the schema is `comparison.schema.json`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::super::Catalog;
use super::super::json::write_pretty;
use super::words;
use crate::compare::{Change, ChangeKind, Comparison, Status, Subject, drafts};
use crate::core::{
    CaseId, Choices, LedgerId, Level, Protocol, RuleId, RuleResult, Stance, Standing, Tally,
};

/// The schema that the document follows, in its first version.
const SCHEMA: &str = "urn:living-conformance:schema:comparison:1";

/// A comparison from its runs to the drafts for the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ComparisonReport {
    schema: String,
    /// The program's version.
    program: String,
    spec: String,
    /// The level from which on what got worse is a regression.
    enforce: Level,
    runs: Vec<RunReport>,
    /// What each case came to in each run.
    cases: BTreeMap<CaseId, Vec<Option<Status>>>,
    /// How each rule fared in each run.
    rules: BTreeMap<RuleId, Vec<Option<RuleResult>>>,
    changes: Vec<ChangesReport>,
    disagreements: Vec<PlaceReport>,
    /// The sides that were taken where the spec is open.
    choices: BTreeMap<LedgerId, Vec<Option<Choices>>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RunReport {
    name: String,
    /// What sets it apart from another run with its name.
    detail: String,
    source: String,
    protocol: Protocol,
    suites: BTreeMap<String, String>,
    suite_digest: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    total: Tally,
    standing: BTreeMap<String, Standing>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ChangesReport {
    /// The run, by its place among all, from 0.
    run: usize,
    /// How many cases are compared.
    compared: usize,
    /// How many got worse in a way that counts, or passed and were left out.
    regressions: usize,
    changes: Vec<ChangeReport>,
    judged_otherwise: Vec<ChangeReport>,
    gone: Vec<CaseId>,
    new: Vec<CaseId>,
    lost: Vec<CaseId>,
    /// What is not compared, in sentences.
    notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ChangeReport {
    case: CaseId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kind: Option<ChangeKind>,
    before: Status,
    after: Status,
    /// In words.
    text: String,
    regression: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct PlaceReport {
    subject: SubjectReport,
    level: Level,
    operations: Vec<String>,
    rules: Vec<RuleId>,
    cases: Vec<CaseId>,
    /// The runs that the suite agrees with.
    with: Vec<usize>,
    /// The runs that part from it.
    against: Vec<usize>,
    /// In how many cases those keep the rules, of how many.
    met: usize,
    all: usize,
    score: f64,
    draft: DraftReport,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", deny_unknown_fields, rename_all = "kebab-case")]
enum SubjectReport {
    Verdict { expected: Stance },
    Finding { rule: RuleId, expected: bool },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct DraftReport {
    suite: String,
    id: LedgerId,
    yaml: String,
}

impl ComparisonReport {
    /// Makes the document of a comparison.
    #[must_use]
    pub fn of(comparison: &Comparison<'_>, catalog: &Catalog, enforce: Level) -> Self {
        let label =
            |run: usize| comparison.runs.get(run).map(|run| run.label.whole()).unwrap_or_default();
        let ids = |cases: &[&crate::core::CaseRecord]| -> Vec<CaseId> {
            cases.iter().map(|case| case.id.clone()).collect()
        };
        let change = |change: &Change<'_>| ChangeReport {
            case: change.after.id.clone(),
            kind: change.kind,
            before: Status::of(change.before),
            after: Status::of(change.after),
            text: words::turn(change),
            regression: change.is_regression(enforce),
        };
        let changes = comparison.changes.iter().map(|changes| ChangesReport {
            run: changes.run,
            compared: changes.compared,
            regressions: changes.regressions(enforce) + changes.lost.len(),
            changes: changes.changes.iter().map(change).collect(),
            judged_otherwise: changes
                .judged_otherwise
                .iter()
                .map(|it| ChangeReport { regression: false, ..change(it) })
                .collect(),
            gone: ids(&changes.gone),
            new: ids(&changes.new),
            lost: ids(&changes.lost),
            notes: words::apart(comparison, changes, &label),
        });
        let places = comparison.places.iter().zip(drafts(comparison, &catalog.rules));
        let places = places.map(|(place, draft)| PlaceReport {
            subject: match &place.subject {
                Subject::Verdict { expected } => SubjectReport::Verdict { expected: *expected },
                Subject::Finding { rule, expected } => {
                    SubjectReport::Finding { rule: rule.clone(), expected: *expected }
                }
            },
            level: place.level,
            operations: place.operations().into_iter().map(str::to_owned).collect(),
            rules: place.rules.clone(),
            cases: ids(&place.cases),
            with: place.with.clone(),
            against: place.against.clone(),
            met: place.met,
            all: place.all,
            score: place.score,
            draft: DraftReport { suite: draft.suite, id: draft.id, yaml: draft.text },
        });
        let status = |case: &Option<&crate::core::CaseRecord>| case.map(Status::of);
        Self {
            schema: SCHEMA.to_owned(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
            spec: comparison
                .runs
                .first()
                .map_or_else(String::new, |it| it.report.header.spec.clone()),
            enforce,
            runs: runs(comparison),
            cases: comparison
                .cases
                .iter()
                .map(|(id, records)| ((*id).clone(), records.iter().map(status).collect()))
                .collect(),
            rules: comparison
                .rules
                .iter()
                .map(|(id, reports)| {
                    let result = |it: &Option<&super::super::RuleReport>| {
                        it.map(|it| RuleResult { met: it.met, broken: it.broken })
                    };
                    ((*id).clone(), reports.iter().map(result).collect())
                })
                .collect(),
            changes: changes.collect(),
            disagreements: places.collect(),
            choices: comparison
                .sides
                .iter()
                .map(|sides| (sides.ledger.clone(), sides.runs.clone()))
                .collect(),
        }
    }

    /// Writes the document. Nothing that acts on a terminal is in it.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write_pretty(self, out)
    }
}

fn runs(comparison: &Comparison<'_>) -> Vec<RunReport> {
    let runs = comparison.runs.iter();
    let run = |run: &crate::compare::Run<'_>| {
        let (header, summary) = (&run.report.header, &run.report.summary);
        RunReport {
            name: header.implementation.name.clone(),
            detail: run.label.detail.clone(),
            source: run.source.clone(),
            protocol: header.protocol,
            suites: header.suites.clone(),
            suite_digest: header.suite_digest.clone(),
            version: run.report.version().map(str::to_owned),
            total: summary.total,
            standing: summary.standing.clone(),
        }
    };
    runs.map(run).collect()
}
