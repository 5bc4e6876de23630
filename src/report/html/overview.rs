//! How each implementation stands.

use std::collections::BTreeSet;

use super::super::document::ClassStanding;
use super::super::{Report, escape, prose, statement};
use super::column::Column;
use super::mark::Mark;
use super::result::key_word;
use crate::core::{Level, Standing, Tally};

/// How wide a bar is, in its own units.
const BAR: usize = 1000;
/// How wide a part of a bar is at least: it must be seen.
const PART: usize = 12;

/// A run at a glance.
pub(super) struct Overview {
    /// What is under test.
    pub(super) name: String,
    /// What sets it apart.
    pub(super) detail: String,
    /// What was run, in a line.
    pub(super) facts: Vec<(String, String)>,
    /// What the reader must know before trusting it.
    pub(super) notes: Vec<String>,
    /// How it stands to each class.
    pub(super) classes: Vec<ClassView>,
    /// What was shown, exactly, and what was not.
    pub(super) statement: Vec<(&'static str, String)>,
    /// The same for each class of the page; none where it was not asked for.
    cells: Vec<Option<usize>>,
}

/// How an implementation stands to a class.
pub(super) struct ClassView {
    /// The class.
    pub(super) name: String,
    /// `conforms`, `fails` or `unshown`.
    pub(super) class: &'static str,
    /// In a word or two.
    pub(super) word: &'static str,
    /// In full, where the numbers do not say it all.
    pub(super) text: String,
    /// Its cases.
    pub(super) tally: TallyView,
}

/// Results in numbers and as a bar.
pub(super) struct TallyView {
    /// Passed.
    pub(super) passed: usize,
    /// All.
    pub(super) all: usize,
    /// What did not pass, in words.
    pub(super) rest: Vec<(Mark, String)>,
    /// The bar.
    pub(super) bar: Vec<Part>,
}

/// A part of a bar.
pub(super) struct Part {
    /// What it stands for.
    pub(super) mark: Mark,
    /// Where it starts.
    pub(super) x: usize,
    /// How wide it is.
    pub(super) width: usize,
}

impl Overview {
    /// Takes away what has to be said of every run, to be said once.
    pub(super) fn take_common_notes(runs: &mut [Self]) -> Vec<String> {
        let [first, _, ..] = runs else { return Vec::new() };
        let mut common = first.notes.clone();
        common.retain(|note| runs.iter().all(|run| run.notes.contains(note)));
        for run in runs {
            run.notes.retain(|note| !common.contains(note));
        }
        common
    }

    /// How it stands to each class of the page.
    pub(super) fn by_class(&self) -> Vec<Option<&ClassView>> {
        self.cells.iter().map(|at| self.classes.get((*at)?)).collect()
    }

    /// A run at a glance; a foreign one had other data than the page.
    pub(super) fn of(column: &Column<'_>, classes: &BTreeSet<&str>, foreign: bool) -> Self {
        let report = column.report;
        let summary = &report.summary;
        let cells = classes
            .iter()
            .map(|class| summary.standing.keys().position(|name| name == class))
            .collect();
        let classes = report.standings().into_iter().zip(summary.classes.values());
        Self {
            name: column.name.clone(),
            detail: column.detail.clone(),
            facts: facts(report),
            notes: notes(report, foreign),
            classes: classes.map(|(standing, tally)| ClassView::of(standing, tally)).collect(),
            statement: statement(report),
            cells,
        }
    }
}

fn facts(report: &Report) -> Vec<(String, String)> {
    let (header, summary) = (&report.header, &report.summary);
    let mut facts = vec![("protocol".to_owned(), header.protocol.to_string())];
    let mut fact = |name: &str, text: String| {
        facts.push((escape::line(name).into_owned(), escape::clamped(&text, 200)));
    };
    if let Some(version) = report.version() {
        fact("version", version.lines().next().unwrap_or_default().to_owned());
    }
    if !header.implementation.command.is_empty() {
        fact("command", header.implementation.command.join(" "));
    }
    let suites = header.suites.iter().map(|(name, version)| format!("{name} {version}"));
    fact("suites", suites.collect::<Vec<_>>().join(", "));
    fact("driver", header.implementation.driver.clone());
    for level in [Level::Must, Level::Should, Level::May, Level::None] {
        if let Some(tally) = summary.levels.get(level.as_str()) {
            fact(key_word(level), format!("{} of {} pass", tally.passed, tally.total()));
        }
    }
    fact("took", prose::duration(summary.duration_us));
    facts
}

fn notes(report: &Report, foreign: bool) -> Vec<String> {
    let (header, summary) = (&report.header, &report.summary);
    let mut notes = Vec::new();
    if let Some(why) = summary.stopped {
        notes.push(format!("The run ended early: {}.", prose::stopped(why)));
    }
    if summary.not_run > 0 {
        notes.push(format!("{} did not run.", prose::count(summary.not_run, "planned case")));
    }
    notes.extend(prose::advisory_cases(header, &summary.advisory).map(|text| format!("{text}.")));
    let tracebacks = report.cases.iter().filter(|case| prose::shows_traceback(case)).count();
    notes.extend(prose::tracebacks(tracebacks).map(|text| format!("{text}.")));
    if let Some(shard) = &header.shard {
        let others = prose::count(shard.elsewhere.len(), "case");
        notes.push(format!("This is shard {}; {others} are in the others.", shard.part));
    }
    for misfit in &summary.misfits {
        let entry = escape::clamped(&misfit.entry, 200);
        notes.push(format!("{entry}: {}", escape::clamped(&prose::misfit(misfit), 400)));
    }
    if foreign {
        notes.push(
            "Run over other suites or fixtures than this page was made with: documents and \
             rules are shown as they are here."
                .to_owned(),
        );
    }
    notes
}

impl ClassView {
    fn of(class: ClassStanding<'_>, tally: &Tally) -> Self {
        let (kind, word) = match class.standing {
            Standing::Conforms => ("conforms", "conforms"),
            Standing::Fails => ("fails", "does not conform"),
            Standing::NotShown { .. } => ("unshown", "not shown"),
        };
        // What fails is told in numbers beside it.
        let text = match class.standing {
            Standing::Fails => String::new(),
            _ => escape::clamped(&class.text, 1000),
        };
        Self { name: class.class, class: kind, word, text, tally: TallyView::of(tally) }
    }
}

impl TallyView {
    fn of(tally: &Tally) -> Self {
        let counts = [
            (Mark::Pass, tally.passed, ""),
            (Mark::Must, tally.failed, "fail a MUST"),
            (Mark::Error, tally.errors, "without a decision"),
            (Mark::Flaky, tally.flaky, "flaky"),
            (Mark::Passes, tally.unexpected, "pass against the list"),
            (Mark::Should, tally.failed_should, "fail a SHOULD"),
            (Mark::May, tally.failed_may, "fail a MAY"),
            (Mark::Listed, tally.expected, "fail as expected"),
            (Mark::Unsupported, tally.unsupported, "not supported"),
        ];
        let all = tally.total();
        let rest = counts.iter().skip(1).filter(|(_, count, _)| *count > 0);
        let rest = rest.map(|(mark, count, what)| (*mark, format!("{count} {what}"))).collect();
        Self {
            passed: tally.passed,
            all,
            rest,
            bar: bar(counts.map(|(mark, count, _)| (mark, count)), all),
        }
    }
}

/// The parts in proportion, but none too small to be seen; the widest gives way.
fn bar(counts: impl IntoIterator<Item = (Mark, usize)>, all: usize) -> Vec<Part> {
    let some = counts.into_iter().filter(|(_, count)| *count > 0);
    let mut parts: Vec<Part> = some
        .map(|(mark, count)| Part { mark, x: 0, width: (count * BAR / all.max(1)).max(PART) })
        .collect();
    let taken: usize = parts.iter().map(|part| part.width).sum();
    if let Some(widest) = parts.iter_mut().max_by_key(|part| part.width) {
        widest.width = (widest.width + BAR).saturating_sub(taken);
    }
    let mut x = 0;
    for part in &mut parts {
        part.x = x;
        x += part.width;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_full_and_shows_every_part() {
        for counts in [
            vec![(Mark::Pass, 1656), (Mark::Must, 1)],
            vec![(Mark::Pass, 1), (Mark::Must, 1), (Mark::Error, 1)],
            vec![(Mark::Pass, 3), (Mark::Should, 0)],
        ] {
            let parts = bar(counts.clone(), counts.iter().map(|(_, count)| count).sum());
            assert_eq!(parts.iter().map(|part| part.width).sum::<usize>(), BAR, "{counts:?}");
            assert!(parts.iter().all(|part| part.width >= PART), "{counts:?}");
        }
        assert!(bar([(Mark::Pass, 0)], 0).is_empty());
    }
}
