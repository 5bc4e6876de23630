//! Runs held against each other: what each fixed and broke against the first, and where
//! they disagree.

use super::super::compare::words;
use super::super::{Catalog, escape};
use super::column::Column;
use super::mark::Mark;
use super::result::{key_word, level_class};
use super::source::fragment;
use crate::compare::{Change, ChangeKind, Changes, Comparison, Draft, Place, drafts};
use crate::core::CaseRecord;

/// How many cases are listed without a click.
const OPEN: usize = 20;
/// How many cases of a place are named without a click.
const FEW: usize = 6;

/// What comparing the runs gives, or why it gives nothing.
#[derive(Default)]
pub(super) struct Against {
    /// Why nothing is compared; empty where something is.
    pub(super) refused: String,
    /// What each run but the first fixed and broke.
    pub(super) runs: Vec<RunChanges>,
    /// Where they disagree.
    pub(super) places: Vec<PlaceView>,
}

/// What a run fixed and broke against the first.
pub(super) struct RunChanges {
    /// The run, and the first.
    pub(super) title: String,
    /// In a line.
    pub(super) summary: String,
    /// What is not compared.
    pub(super) notes: Vec<String>,
    /// The changes by kind.
    pub(super) kinds: Vec<KindView>,
}

/// Changes of a kind.
pub(super) struct KindView {
    /// The class in the style sheet.
    pub(super) class: &'static str,
    /// In words, with how many there are.
    pub(super) title: String,
    /// Whether they are listed without a click.
    pub(super) open: bool,
    /// The cases.
    pub(super) cases: Vec<ChangedCase>,
}

/// A case that changed.
pub(super) struct ChangedCase {
    /// The id.
    pub(super) id: String,
    /// The link.
    pub(super) href: String,
    /// The weight of what it decides.
    pub(super) level: &'static str,
    /// What it came to in the first run.
    pub(super) before: Mark,
    /// What it came to in this one.
    pub(super) after: Mark,
    /// In words.
    pub(super) text: String,
}

/// A place where runs disagree.
pub(super) struct PlaceView {
    /// For links.
    pub(super) anchor: String,
    /// The key word.
    pub(super) level: &'static str,
    /// Its weight.
    pub(super) class: &'static str,
    /// The rules, each with a link.
    pub(super) rules: Vec<(String, String)>,
    /// The operations, and what is expected.
    pub(super) expected: String,
    /// What parts from the suite, and who does.
    pub(super) against: (&'static str, String),
    /// What the suite says, and who says the same.
    pub(super) with: (&'static str, String),
    /// Why it stands where it does.
    pub(super) rank: String,
    /// The first cases, each with a link.
    pub(super) cases: Vec<(String, String)>,
    /// The others.
    pub(super) more: Vec<(String, String)>,
    /// The draft for the ledger.
    pub(super) draft: String,
    /// Where it is to go.
    pub(super) ledger: String,
}

impl Against {
    /// Holds the runs of the page against each other; nothing for one alone.
    pub(super) fn of(columns: &[Column<'_>], sources: &[String], catalog: &Catalog) -> Self {
        if columns.len() < 2 {
            return Self::default();
        }
        let runs: Vec<_> = columns
            .iter()
            .enumerate()
            .map(|(index, column)| {
                let source = sources.get(index).cloned().unwrap_or_else(|| column.label());
                (source, column.report)
            })
            .collect();
        let comparison = match Comparison::of(&runs) {
            Ok(comparison) => comparison,
            Err(error) => {
                let refused = escape::clamped(&format!("failed to {error}"), 400);
                return Self { refused, ..Self::default() };
            }
        };
        let drafts = drafts(&comparison, &catalog.rules);
        let places = comparison.places.iter().zip(&drafts);
        Self {
            refused: String::new(),
            runs: comparison.changes.iter().map(|it| changes(it, &comparison, columns)).collect(),
            places: places.map(|(place, draft)| self::place(place, draft, columns)).collect(),
        }
    }
}

fn changes(
    changes: &Changes<'_>,
    comparison: &Comparison<'_>,
    columns: &[Column<'_>],
) -> RunChanges {
    let label = |run: usize| columns.get(run).map(Column::label).unwrap_or_default();
    let named = |run: usize| escape::clamped(&label(run), 60);
    let mut kinds: Vec<KindView> = ChangeKind::ALL
        .into_iter()
        // The open questions show the sides.
        .filter(|kind| *kind != ChangeKind::Choice)
        .map(|kind| {
            let cases: Vec<&Change<'_>> = changes.of_kind(kind).collect();
            let class = match kind {
                ChangeKind::Broke | ChangeKind::Worse => "must",
                ChangeKind::Fixed | ChangeKind::Better => "pass",
                ChangeKind::Otherwise | ChangeKind::Cause | ChangeKind::Choice => "should",
            };
            self::kind(class, words::kind(kind, cases.len()), &cases)
        })
        .collect();
    let other: Vec<&Change<'_>> = changes.judged_otherwise.iter().collect();
    let title = format!("of which something else is expected: {}", other.len());
    kinds.push(kind("should", title, &other));
    kinds.retain(|kind| !kind.cases.is_empty());
    let mut notes = words::apart(comparison, changes, &named);
    if !changes.lost.is_empty() {
        notes.push(format!(
            "{} passed in {} and left out in {}.",
            super::super::prose::count(changes.lost.len(), "case"),
            named(0),
            named(changes.run)
        ));
    }
    RunChanges {
        title: format!("{} against {}", label(changes.run), label(0)),
        summary: words::summary(changes),
        notes,
        kinds,
    }
}

fn kind(class: &'static str, title: String, changes: &[&Change<'_>]) -> KindView {
    let case = |change: &&Change<'_>| ChangedCase {
        id: escape::line(change.after.id.as_str()).into_owned(),
        href: fragment(change.after.id.as_str()),
        level: level_class(change.after.weight),
        before: Mark::of(Some(change.before)),
        after: Mark::of(Some(change.after)),
        text: escape::clamped(&words::turn(change), 200),
    };
    KindView {
        class,
        title,
        open: changes.len() <= OPEN,
        cases: changes.iter().map(case).collect(),
    }
}

fn place(place: &Place<'_>, draft: &Draft, columns: &[Column<'_>]) -> PlaceView {
    let names = |runs: &[usize]| {
        let names = runs.iter().filter_map(|run| columns.get(*run)).map(Column::label);
        match runs {
            [] => "no implementation".to_owned(),
            _ => names.collect::<Vec<_>>().join("; "),
        }
    };
    let link = |case: &&CaseRecord| {
        (escape::line(case.id.as_str()).into_owned(), fragment(case.id.as_str()))
    };
    let few = if place.cases.len() > FEW + 1 { FEW } else { place.cases.len() };
    PlaceView {
        anchor: format!("draft-{}", draft.id),
        level: key_word(place.level),
        class: level_class(place.level),
        rules: place
            .rules
            .iter()
            .map(|id| (id.as_str().to_owned(), fragment(id.as_str())))
            .collect(),
        expected: format!("{}, {}", place.operations().join(", "), words::subject(place)),
        against: (words::otherwise(place), names(&place.against)),
        with: (words::likewise(place), names(&place.with)),
        rank: words::rank(place),
        cases: place.cases[..few].iter().map(link).collect(),
        more: place.cases[few..].iter().map(link).collect(),
        draft: draft.text.clone(),
        ledger: escape::clamped(&format!("suites/{}/ledger.yaml", draft.suite), 100),
    }
}
