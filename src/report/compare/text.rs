//! A comparison for a person at a terminal.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::super::groups::{self, Heading};
use super::super::terminal::{Cell, Grid, Page, Role};
use super::super::{Catalog, escape, prose};
use super::rows::{self, Fared};
use super::words;
use crate::compare::{Change, ChangeKind, Changes, Comparison, Draft, Status, drafts};
use crate::core::{CaseRecord, Level};

/// How many rules, changes of a kind, and places are shown.
const SHOWN: usize = 20;
/// How many cases of a place are named.
const CASES: usize = 3;
/// How much of a name is shown.
const TEXT_COLUMNS: usize = 300;

/// How a comparison is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComparisonOptions {
    /// Whether to use colours.
    pub color: bool,
    /// How many columns there are.
    pub width: usize,
    /// Only what each run fixed and broke, in a line.
    pub quiet: bool,
    /// More: drafts for the ledger, all sides that were taken.
    pub verbose: bool,
    /// Everything, not only the first of each.
    pub show_all: bool,
    /// The level from which on what got worse is a regression.
    pub enforce: Level,
}

/// Tells a person what comparing runs found.
#[must_use]
pub fn comparison_text(
    comparison: &Comparison<'_>,
    catalog: &Catalog,
    options: ComparisonOptions,
) -> String {
    let page = Page::new(options.color, options.width);
    let mut text = Text { page, comparison, catalog, options };
    text.runs();
    if !options.quiet {
        text.passes();
        text.rules();
        for changes in &comparison.changes {
            text.changes(changes);
        }
        text.places();
        text.sides();
        text.page.blank();
    }
    text.end();
    text.page.into_text()
}

struct Text<'a> {
    page: Page,
    comparison: &'a Comparison<'a>,
    catalog: &'a Catalog,
    options: ComparisonOptions,
}

impl Text<'_> {
    fn shown(&self) -> usize {
        if self.options.show_all { usize::MAX } else { SHOWN }
    }

    fn more(&mut self, all: usize, what: &str) {
        if let Some(more @ 1..) = all.checked_sub(self.shown()) {
            let text = format!("and {}; --show all shows them", prose::count(more, what));
            self.page.paragraph(2, Role::Plain, &text);
        }
    }

    fn heading(&mut self, text: &str) {
        self.page.blank();
        self.page.paragraph(0, Role::Strong, text);
    }

    /// Which run is which, and what is not compared.
    fn runs(&mut self) {
        let count = prose::count(self.comparison.runs.len(), "run");
        let text = format!(
            "{count} side by side, {} in all of them",
            prose::count(self.comparison.in_all(), "case")
        );
        self.page.paragraph(0, Role::Plain, &text);
        for (index, run) in self.comparison.runs.iter().enumerate() {
            let mut text = run.label.whole();
            let source = escape::clamped_start(&run.source, 200);
            if !text.contains(&source) {
                text.push_str(&format!(" ({source})"));
            }
            let label = format!("  {:<3}", words::letter(index));
            self.page.hanging(&label, Role::Strong, Role::Plain, &text);
        }
        for changes in &self.comparison.changes {
            for note in words::apart(self.comparison, changes, &words::letter) {
                self.page.paragraph(0, Role::Warning, &note);
            }
        }
    }

    fn grid(&self) -> Grid {
        let mut grid = Grid::new();
        for run in 0..self.comparison.runs.len() {
            grid.column(words::letter(run), false);
        }
        grid
    }

    /// How many cases pass.
    fn passes(&mut self) {
        let mut grid = self.grid();
        for (head, rows) in ["passed", "level"].iter().zip(rows::passes(self.comparison)) {
            grid.part(*head);
            for (name, cells) in rows {
                let cell = |passed: &rows::Passed<'_>| Cell {
                    text: passed.text(),
                    role: match passed.all() {
                        Some(true) => Role::Good,
                        Some(false) => Role::Bad,
                        None => Role::Faint,
                    },
                    some: true,
                };
                grid.row(&escape::clamped(&name, 40), cells.iter().map(cell).collect());
            }
        }
        self.page.blank();
        grid.write(&mut self.page);
        let key = "✓ conforms; ✗ does not conform; ○ not shown";
        self.page.paragraph(0, Role::Faint, key);
    }

    /// The rules that do not fare alike.
    fn rules(&mut self) {
        let (rows, alike) = rows::differing_rules(self.comparison);
        let same = format!("alike in all runs: {}", prose::count(alike, "rule"));
        if rows.is_empty() {
            self.page.blank();
            return self.page.paragraph(0, Role::Plain, &same);
        }
        let mut grid = self.grid();
        grid.part("rules that fare otherwise");
        for row in rows.iter().take(self.shown()) {
            let cell = |fared: &Fared| Cell {
                text: fared.text(),
                role: match fared {
                    Fared::Unknown => Role::Faint,
                    Fared::Kept(_) => Role::Good,
                    Fared::Broken(..) if row.level.is_must() => Role::Bad,
                    Fared::Broken(..) => Role::Warning,
                },
                some: true,
            };
            grid.row(row.id.as_str(), row.fared.iter().map(cell).collect());
        }
        self.page.blank();
        grid.write(&mut self.page);
        self.more(rows.len(), "more rule");
        let key = "✓ kept in so many cases; ✗ broken in so many of all";
        self.page.paragraph(0, Role::Faint, key);
        self.page.paragraph(0, Role::Plain, &same);
    }

    /// What a run fixed and broke.
    fn changes(&mut self, changes: &Changes<'_>) {
        let pair = format!("{} against {}", words::letter(changes.run), words::letter(0));
        self.heading(&format!("{pair}: {}", words::summary(changes)));
        for kind in ChangeKind::ALL {
            let some: Vec<&Change<'_>> = changes.of_kind(kind).collect();
            let role = match kind {
                ChangeKind::Broke | ChangeKind::Worse => Role::Bad,
                ChangeKind::Fixed | ChangeKind::Better => Role::Good,
                ChangeKind::Otherwise | ChangeKind::Cause | ChangeKind::Choice => Role::Warning,
            };
            let title = words::kind(kind, some.len());
            if kind == ChangeKind::Choice && !self.options.show_all {
                // The table of sides tells it in short.
                self.title(&title, role, &some);
            } else {
                self.list(&title, role, &some);
            }
        }
        let other: Vec<&Change<'_>> = changes.judged_otherwise.iter().collect();
        let title =
            format!("{} of which something else is expected", prose::count(other.len(), "case"));
        self.list(&title, Role::Warning, &other);
        for (some, title) in [
            (&changes.gone, format!("that {} does not have", words::letter(changes.run))),
            (&changes.new, format!("that {} does not have", words::letter(0))),
        ] {
            self.absent(some, &title);
        }
        if !changes.lost.is_empty() {
            let text = format!(
                "{} passed in {} and left out in {}: nothing is known of them there",
                prose::count(changes.lost.len(), "case"),
                words::letter(0),
                words::letter(changes.run)
            );
            self.page.paragraph(2, Role::Bad, &text);
        }
    }

    fn title(&mut self, title: &str, role: Role, changes: &[&Change<'_>]) {
        if !changes.is_empty() {
            self.page.blank();
            self.page.paragraph(2, role, title);
        }
    }

    /// Changes by what the failing one of the two results breaks, and by how it ended.
    fn list(&mut self, title: &str, role: Role, changes: &[&Change<'_>]) {
        self.title(title, role, changes);
        let groups = grouped(changes);
        let sizes: Vec<usize> = groups.iter().map(|group| group.changes.len()).collect();
        let shares = groups::parted(&sizes, self.shown());
        for (group, shown) in groups.iter().zip(shares).filter(|(_, shown)| *shown > 0) {
            let level = match group.level {
                Level::None => String::new(),
                level => format!(" ({level})"),
            };
            let name = escape::clamped(group.heading.name(), TEXT_COLUMNS);
            self.page.paragraph(4, Role::Strong, &format!("{name}{level}"));
            let mut last = String::new();
            for change in group.changes.iter().take(shown) {
                let turn = escape::clamped(&words::turn(change), TEXT_COLUMNS);
                if turn != last {
                    self.page.paragraph(4, Role::Faint, &turn);
                    last = turn;
                }
                self.page.paragraph(6, Role::Plain, change.after.id.as_str());
            }
        }
        self.more(changes.len(), "more case");
    }

    /// Cases that one of two runs does not have; named only where all is to be shown.
    fn absent(&mut self, cases: &[&CaseRecord], what: &str) {
        if cases.is_empty() {
            return;
        }
        let failing = cases.iter().filter(|case| Status::of(case) != Status::Pass).count();
        let text = format!(
            "{} {what}: {} pass, {failing} do not",
            prose::count(cases.len(), "case"),
            cases.len() - failing
        );
        self.page.blank();
        self.page.paragraph(2, Role::Warning, &text);
        let shown = if self.options.show_all { usize::MAX } else { 0 };
        for case in cases.iter().take(shown) {
            let text = format!("{}: {}", case.id, Status::of(case).as_str());
            self.page.paragraph(6, Role::Plain, &text);
        }
    }

    /// Where the runs disagree.
    fn places(&mut self) {
        let places = &self.comparison.places;
        if places.is_empty() {
            return;
        }
        let count = prose::count(places.len(), "place");
        self.heading(&format!(
            "they disagree in {count}; first where most speaks for the spec being unclear"
        ));
        let drafts: Vec<Draft> = drafts(self.comparison, &self.catalog.rules);
        for (number, (place, draft)) in places.iter().zip(&drafts).enumerate().take(self.shown()) {
            self.page.blank();
            let label = format!("{:>4}  ", number + 1);
            let rules: Vec<&str> = place.rules.iter().map(|id| id.as_str()).collect();
            let rules = if rules.is_empty() { "no rule".to_owned() } else { rules.join(", ") };
            let text = format!(
                "{rules} ({}), {}, {}",
                place.level.as_str(),
                place.operations().join(", "),
                words::subject(place)
            );
            self.page.hanging(&label, Role::Strong, Role::Strong, &text);
            let with = match &place.with[..] {
                [] => "none".to_owned(),
                with => words::letters(with),
            };
            let sides = format!(
                "{}: {}; {}: {with}",
                words::otherwise(place),
                words::letters(&place.against),
                words::likewise(place),
            );
            self.page.paragraph(6, Role::Plain, &sides);
            self.page.paragraph(6, Role::Faint, &words::rank(place));
            let shown = if self.options.show_all { usize::MAX } else { CASES };
            for case in place.cases.iter().take(shown) {
                self.page.paragraph(6, Role::Plain, case.id.as_str());
            }
            if let Some(more @ 1..) = place.cases.len().checked_sub(shown) {
                self.page.paragraph(6, Role::Plain, &format!("and {more} more"));
            }
            if self.options.verbose {
                self.page.blank();
                // As it is, to be copied.
                draft.text.lines().for_each(|line| self.page.line(line));
            }
        }
        self.more(places.len(), "more place");
        if !self.options.verbose {
            let text = "-v shows a draft for the ledger with each; compare --report ledger=PATH \
                        writes them";
            self.page.blank();
            self.page.paragraph(2, Role::Faint, text);
        }
    }

    /// The sides that were taken where the spec is open.
    fn sides(&mut self) {
        let all = &self.comparison.sides;
        let verbose = self.options.verbose;
        let some: Vec<_> = all.iter().filter(|sides| verbose || sides.differ()).collect();
        if some.is_empty() {
            return;
        }
        let mut grid = self.grid();
        grid.part(if verbose { "open questions" } else { "open questions, sides that differ" });
        for sides in some {
            let cell = |choices: &Option<crate::core::Choices>| {
                let text = match choices.map(|it| (it.accept, it.reject)) {
                    None | Some((0, 0)) => "–".to_owned(),
                    Some((accept, 0)) => format!("accept {accept}"),
                    Some((0, reject)) => format!("reject {reject}"),
                    Some((accept, reject)) => format!("{accept}:{reject}"),
                };
                let role = if text == "–" { Role::Faint } else { Role::Plain };
                Cell { text, role, some: true }
            };
            grid.row(sides.ledger.as_str(), sides.runs.iter().map(cell).collect());
        }
        self.page.blank();
        grid.write(&mut self.page);
        let key = "5:3 accepts 5 cases and rejects 3 of one question; both conform";
        self.page.paragraph(0, Role::Faint, key);
    }

    /// What it comes to, in a line a run.
    fn end(&mut self) {
        for changes in &self.comparison.changes {
            let regressions = changes.regressions(self.options.enforce) + changes.lost.len();
            let role = if regressions > 0 { Role::Bad } else { Role::Good };
            let label = format!("{} against {}: ", words::letter(changes.run), words::letter(0));
            let text = match regressions {
                0 => "no regression".to_owned(),
                some => prose::count(some, "regression"),
            };
            let text = format!(
                "{text} at the level {} ({})",
                self.options.enforce,
                words::summary(changes)
            );
            self.page.hanging(&label, Role::Strong, role, &text);
        }
    }
}

/// Changes of cases that break the same.
struct Group<'a> {
    level: Level,
    heading: Heading,
    changes: Vec<&'a Change<'a>>,
}

/// Groups changes: the heaviest first, then what changed most often.
fn grouped<'a>(changes: &[&'a Change<'a>]) -> Vec<Group<'a>> {
    let mut groups: BTreeMap<(Level, Heading), Vec<&Change<'_>>> = BTreeMap::new();
    for change in changes {
        let failing =
            if Status::of(change.after) == Status::Pass { change.before } else { change.after };
        groups.entry((groups::level(failing), heading(failing))).or_default().push(change);
    }
    let mut groups: Vec<Group<'_>> = groups
        .into_iter()
        .map(|((level, heading), mut changes)| {
            changes.sort_by_cached_key(|change| (words::turn(change), change.after.id.clone()));
            Group { level, heading, changes }
        })
        .collect();
    groups.sort_by_key(|group| Reverse((group.level, group.changes.len())));
    groups
}

/// What a case breaks; where it passes, what it decides.
fn heading(case: &CaseRecord) -> Heading {
    match case.decides.first() {
        Some(rule) if case.judgement.mismatches.is_empty() => Heading::Rule(rule.clone()),
        _ => groups::heading(case),
    }
}
