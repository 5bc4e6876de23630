//! Open questions of the spec, and the sides that implementations took.

use super::super::Catalog;
use super::cases::{Cases, FixtureLinks};
use super::column::Column;
use super::source::{Words, prose};
use crate::core::{Choices, LedgerClass, LedgerEntry};

/// An open question.
pub(super) struct LedgerRow {
    /// The id.
    pub(super) id: String,
    /// What kind of question it is.
    pub(super) class: &'static str,
    /// The question.
    pub(super) question: Vec<Words>,
    /// The ways to read the spec.
    pub(super) readings: Vec<Vec<Words>>,
    /// What the suite does about it.
    pub(super) suite: Vec<Words>,
    /// The side that each run took.
    pub(super) cells: Vec<LedgerCell>,
    /// Whether they took different sides.
    pub(super) differs: bool,
    /// The cases that it leaves open.
    pub(super) fixtures: Vec<FixtureLinks>,
}

/// The side that a run took.
pub(super) struct LedgerCell {
    /// `accept`, `reject`, `both` or `absent`.
    pub(super) class: &'static str,
    /// In a few words.
    pub(super) text: String,
}

/// The open questions of the suites that were run, `L2` before `L10`.
pub(super) fn rows(columns: &[Column<'_>], cases: &Cases<'_>, catalog: &Catalog) -> Vec<LedgerRow> {
    let asked = |suite: &str| columns.iter().any(|it| it.report.header.suites.contains_key(suite));
    let all = catalog.rules.ledger().filter(|(suite, _)| asked(suite));
    let mut entries: Vec<&LedgerEntry> = all.map(|(_, entry)| entry).collect();
    entries.sort_by_key(|entry| (entry.id.as_str().len(), &entry.id));
    let row = |entry: &LedgerEntry| {
        let choices = columns.iter().map(|column| column.report.summary.choices.get(&entry.id));
        let cells: Vec<LedgerCell> = choices.map(|choices| cell(choices.copied())).collect();
        let mut taken = cells.iter().filter(|cell| cell.class != "absent").map(|cell| cell.class);
        let first = taken.next();
        LedgerRow {
            id: entry.id.as_str().to_owned(),
            class: match entry.class {
                LedgerClass::InferredIntent => "inferred intent",
                LedgerClass::Conflict => "conflict",
                LedgerClass::Quirk => "quirk",
                LedgerClass::Unknown => "unknown",
            },
            question: prose(&entry.question),
            readings: entry.readings.iter().map(|text| prose(text)).collect(),
            suite: prose(&entry.suite),
            differs: taken.any(|class| Some(class) != first),
            cells,
            fixtures: cases.left_open(&entry.id),
        }
    };
    entries.into_iter().map(row).collect()
}

fn cell(choices: Option<Choices>) -> LedgerCell {
    let (class, text) = match choices.unwrap_or_default() {
        Choices { accept: 0, reject: 0 } => ("absent", "–".to_owned()),
        Choices { accept, reject: 0 } => ("accept", format!("accepts {accept}")),
        Choices { accept: 0, reject } => ("reject", format!("rejects {reject}")),
        Choices { accept, reject } => ("both", format!("accepts {accept}, rejects {reject}")),
    };
    LedgerCell { class, text }
}
