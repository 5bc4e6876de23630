//! Rows of the tables that all forms of a comparison have.

use crate::compare::Comparison;
use crate::core::{Level, RuleId, Standing, Tally};
use crate::report::RuleReport;

/// How a rule fared in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fared {
    /// No case of it was run, or the protocol version lacks it.
    Unknown,
    /// All cases keep it.
    Kept(usize),
    /// So many of all break it.
    Broken(usize, usize),
}

impl Fared {
    pub(super) fn of(rule: Option<&RuleReport>) -> Self {
        match rule.map(|rule| (rule.met, rule.broken)) {
            None | Some((0, 0)) => Self::Unknown,
            Some((met, 0)) => Self::Kept(met),
            Some((met, broken)) => Self::Broken(broken, met + broken),
        }
    }

    /// A sign and the figure.
    pub(super) fn text(self) -> String {
        match self {
            Self::Unknown => "–".to_owned(),
            Self::Kept(cases) => format!("✓ {cases}"),
            Self::Broken(broken, all) => format!("✗ {broken}/{all}"),
        }
    }
}

/// A rule that does not fare alike in all runs.
pub(super) struct RuleRow<'a> {
    pub(super) id: &'a RuleId,
    pub(super) level: Level,
    pub(super) fared: Vec<Fared>,
}

/// The rules that do not fare alike, the heaviest and most often broken first, and how
/// many do.
pub(super) fn differing_rules<'a>(comparison: &Comparison<'a>) -> (Vec<RuleRow<'a>>, usize) {
    let mut rows = Vec::new();
    let mut alike = 0;
    for (id, reports) in &comparison.rules {
        let fared: Vec<Fared> = reports.iter().map(|rule| Fared::of(*rule)).collect();
        let level = reports.iter().flatten().map(|rule| rule.level).max().unwrap_or(Level::None);
        if fared.windows(2).all(|two| two[0] == two[1]) {
            alike += 1;
        } else {
            rows.push(RuleRow { id, level, fared });
        }
    }
    let broken = |row: &RuleRow<'_>| {
        row.fared.iter().filter(|fared| matches!(fared, Fared::Broken(..))).count()
    };
    rows.sort_by_key(|row| std::cmp::Reverse((row.level.grade(), broken(row))));
    (rows, alike)
}

/// How many cases pass in a run, of how many, and how the run stands to the class.
pub(super) struct Passed<'a> {
    pub(super) tally: Option<&'a Tally>,
    pub(super) standing: Option<&'a Standing>,
}

impl Passed<'_> {
    pub(super) fn text(&self) -> String {
        let Some(tally) = self.tally.filter(|tally| tally.total() > 0) else {
            return "–".to_owned();
        };
        let sign = match self.standing {
            None => "",
            Some(Standing::Conforms) => " ✓",
            Some(Standing::Fails) => " ✗",
            Some(Standing::NotShown { .. }) => " ○",
        };
        format!("{}/{}{sign}", passed(tally), tally.total())
    }

    /// Whether all pass.
    pub(super) fn all(&self) -> Option<bool> {
        let tally = self.tally.filter(|tally| tally.total() > 0)?;
        Some(passed(tally) == tally.total())
    }
}

/// Who passes against the list of expected failures passes here.
fn passed(tally: &Tally) -> usize {
    tally.passed + tally.unexpected
}

/// Name and figures of each class, of all cases, and of each level.
pub(super) fn passes<'a>(comparison: &'a Comparison<'_>) -> [Vec<(String, Vec<Passed<'a>>)>; 2] {
    let summaries = || comparison.runs.iter().map(|run| &run.report.summary);
    let mut classes: Vec<(String, Vec<Passed<'_>>)> = comparison
        .classes()
        .into_iter()
        .map(|class| {
            let cell = |summary: &'a crate::core::Summary| Passed {
                tally: summary.classes.get(class),
                standing: summary.standing.get(class),
            };
            (class.to_owned(), summaries().map(cell).collect())
        })
        .collect();
    let whole = summaries().map(|summary| Passed { tally: Some(&summary.total), standing: None });
    classes.push(("all".to_owned(), whole.collect()));
    let levels = [Level::Must, Level::Should, Level::May, Level::None];
    let levels = levels.iter().filter_map(|level| {
        let name = level.as_str();
        let cells: Vec<Passed<'_>> = summaries()
            .map(|summary| Passed { tally: summary.levels.get(name), standing: None })
            .collect();
        let some = cells.iter().any(|cell| cell.tally.is_some());
        some.then(|| (name.to_owned(), cells))
    });
    [classes, levels.collect()]
}
