//! Coverage as a picture: a square for each rule, by level and release.

use std::collections::{BTreeMap, BTreeSet};

use super::super::document::RuleReport;
use super::super::prose;
use super::column::Column;
use super::matrix;
use super::result::key_word;
use super::source::fragment;
use crate::core::{Cover, Level, Release};

/// How many squares stand in a row.
const ACROSS: usize = 13;
/// From one square to the next, in units of the picture.
const STEP: usize = 16;

/// The picture: levels × releases.
pub(super) struct Picture {
    /// The releases.
    pub(super) releases: Vec<String>,
    /// A row for each level, the heaviest first.
    pub(super) rows: Vec<LevelRow>,
    /// What the squares mean, and how many there are of each.
    pub(super) legend: Vec<(&'static str, &'static str, usize)>,
    /// The coverage in a sentence.
    pub(super) sentence: String,
}

/// The rules of a level.
pub(super) struct LevelRow {
    /// The key word.
    pub(super) level: &'static str,
    /// A cell for each release.
    pub(super) cells: Vec<PictureCell>,
}

/// The rules of a level that a release brought.
#[derive(Default)]
pub(super) struct PictureCell {
    /// How many are covered.
    pub(super) covered: usize,
    /// How many there are.
    pub(super) all: usize,
    /// How high the picture is.
    pub(super) height: usize,
    /// A square for each.
    pub(super) squares: Vec<Square>,
}

/// A rule.
pub(super) struct Square {
    pub(super) x: usize,
    pub(super) y: usize,
    /// The class in the style sheet.
    pub(super) class: &'static str,
    /// The rule and how it stands.
    pub(super) title: String,
    /// The link to it.
    pub(super) href: String,
}

/// What a square can say, in the order of the legend.
const STATES: [(&str, &str); 7] = [
    ("kept", "covered, kept"),
    ("bad", "covered, a MUST broken"),
    ("weak", "covered, a SHOULD or MAY broken"),
    ("idle", "covered, not run"),
    ("open", "open in the spec"),
    ("out", "excluded: nothing can show it"),
    ("gap", "not covered"),
];

impl Picture {
    /// How wide the picture of a cell is.
    pub(super) const WIDTH: usize = ACROSS * STEP;

    /// The rules of all runs; a rule that one of them breaks is broken.
    pub(super) fn of(columns: &[Column<'_>]) -> Self {
        let rules = matrix::rules(columns);
        let mut cells: BTreeMap<(Level, Release), PictureCell> = BTreeMap::new();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let (mut covered, mut all) = (0, 0);
        for (id, reports) in &rules {
            let Some(rule) = reports.iter().flatten().next() else { continue };
            let class = state(reports);
            *counts.entry(class).or_default() += 1;
            let word = STATES.iter().find(|(name, _)| *name == class).map_or("", |(_, word)| word);
            let cell = cells.entry((rule.level, rule.since)).or_default();
            let is_covered = usize::from(matches!(rule.cover, Cover::Covered { .. }));
            (cell.covered, cell.all) = (cell.covered + is_covered, cell.all + 1);
            (covered, all) = (covered + is_covered, all + 1);
            cell.squares.push(Square {
                x: 0,
                y: 0,
                class,
                title: format!("{id}: {word}"),
                href: fragment(id.as_str()),
            });
        }
        cells.values_mut().for_each(PictureCell::arrange);
        let levels: BTreeSet<Level> = cells.keys().map(|(level, _)| *level).collect();
        let releases: BTreeSet<Release> = cells.keys().map(|(_, release)| *release).collect();
        let row = |level: Level| LevelRow {
            level: key_word(level),
            cells: releases
                .iter()
                .map(|release| cells.remove(&(level, *release)).unwrap_or_default())
                .collect(),
        };
        let rows = levels.iter().rev().copied().map(row).collect();
        let legend = STATES
            .iter()
            .filter_map(|(class, word)| counts.get(class).map(|count| (*class, *word, *count)));
        Self {
            releases: releases.iter().map(ToString::to_string).collect(),
            rows,
            legend: legend.collect(),
            sentence: format!("Fixtures decide {covered} of {}.", prose::count(all, "rule")),
        }
    }
}

impl PictureCell {
    /// Like to like, row by row.
    fn arrange(&mut self) {
        let place = |square: &Square| STATES.iter().position(|(class, _)| *class == square.class);
        self.squares.sort_by_key(place);
        for (index, square) in self.squares.iter_mut().enumerate() {
            (square.x, square.y) = (index % ACROSS * STEP, index / ACROSS * STEP);
        }
        self.height = self.squares.len().div_ceil(ACROSS) * STEP;
    }
}

fn state(reports: &[Option<&RuleReport>]) -> &'static str {
    let some = || reports.iter().flatten();
    let Some(first) = some().next() else { return "idle" };
    match &first.cover {
        _ if some().any(|rule| rule.broken > 0) => {
            if first.level.is_must() {
                "bad"
            } else {
                "weak"
            }
        }
        _ if some().any(|rule| rule.met > 0) => "kept",
        Cover::Covered { .. } => "idle",
        Cover::Unresolved { .. } => "open",
        Cover::Excluded { .. } => "out",
        Cover::Uncovered => "gap",
    }
}
