//! The end of a run: the table, coverage, what was left out, and the verdict.

use std::collections::{BTreeMap, BTreeSet};

use super::super::adequacy::scores_line;
use super::super::figures::percent;
use super::super::{Catalog, escape, prose};
use super::grid::{Cell, Grid};
use super::list::ListSeen;
use super::page::{Page, Role};
use crate::adequacy::{Score, share};
use crate::core::{Gap, Header, LeftOut, Level, Standing, Summary, Tally, VariantCensus};

/// How many reasons for missing support are shown.
const REASONS: usize = 5;
/// How many missing cases are named.
const MISSING: usize = 20;
/// How much of the name of a class is shown.
const CLASS: usize = 40;

/// How many variants that were not made are named.
const LOST: usize = 5;
/// A column of the table.
struct Column {
    name: &'static str,
    /// The colour of a number that is not zero.
    role: Role,
    number: fn(&Tally) -> usize,
}

/// The columns that are always there, and those that are where one has a number.
const COLUMNS: [Column; 9] = [
    Column { name: "passed", role: Role::Good, number: |it| it.passed },
    Column { name: "MUST", role: Role::Bad, number: |it| it.failed },
    Column { name: "SHOULD", role: Role::Warning, number: |it| it.failed_should },
    Column { name: "MAY", role: Role::Warning, number: |it| it.failed_may },
    Column { name: "errors", role: Role::Bad, number: |it| it.errors },
    Column { name: "unsupported", role: Role::Warning, number: |it| it.unsupported },
    Column { name: "listed", role: Role::Warning, number: |it| it.expected },
    Column { name: "passes", role: Role::Bad, number: |it| it.unexpected },
    Column { name: "flaky", role: Role::Bad, number: |it| it.flaky },
];
/// How many of them are always there, where there is room.
const ALWAYS: usize = 6;

/// What is gathered from the cases beside the summary.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    /// The suites that each class's cases come from.
    pub(super) suites: BTreeMap<String, BTreeSet<String>>,
    /// Why cases are not supported, and how many for each reason.
    pub(super) unsupported: BTreeMap<String, usize>,
    /// How many cases count as rejected and printed a traceback.
    pub(super) tracebacks: usize,
    /// What the list of expected failures has to do with it.
    pub(super) list: ListSeen,
}

/// Writes the table of results by class and by level.
pub(super) fn table(page: &mut Page, summary: &Summary) {
    let is_shown =
        |(at, column): &(usize, &Column)| *at < ALWAYS || (column.number)(&summary.total) > 0;
    let columns = COLUMNS.iter().enumerate().filter(is_shown);
    let columns: Vec<&Column> = columns.map(|(_, column)| column).collect();
    let mut grid = Grid::new();
    for (index, column) in columns.iter().enumerate() {
        grid.column(column.name, index > 0);
    }
    grid.above("failed", 1..4);
    let row = |grid: &mut Grid, name: &str, tally: &Tally| {
        let cell = |column: &&Column| {
            let number = (column.number)(tally);
            let role = if number == 0 { Role::Faint } else { column.role };
            Cell { text: number.to_string(), role, some: number > 0 }
        };
        grid.row(name, columns.iter().map(cell).collect());
    };
    grid.part("class");
    for (name, tally) in &summary.classes {
        row(&mut grid, &escape::clamped(name, CLASS), tally);
    }
    row(&mut grid, "all", &summary.total);
    if !summary.advisory.is_zero() {
        row(&mut grid, "advisory", &summary.advisory);
    }
    grid.part("level");
    for level in [Level::Must, Level::Should, Level::May, Level::None] {
        if let Some(tally) = summary.levels.get(level.as_str()) {
            row(&mut grid, level.as_str(), tally);
        }
    }
    if !summary.variants.is_empty() {
        grid.part("variant");
        for (variant, tally) in &summary.variants {
            row(&mut grid, variant, tally);
        }
    }
    page.blank();
    grid.write(page);
}

/// Writes what the implementation chose where the spec is open.
pub(super) fn choices(page: &mut Page, catalog: &Catalog, summary: &Summary) {
    if summary.choices.is_empty() {
        return;
    }
    page.blank();
    page.paragraph(0, Role::Strong, "choices where the spec is open, in cases");
    let mut sorted: Vec<_> = summary.choices.iter().collect();
    // L4 comes before L12.
    sorted.sort_by_key(|(id, _)| (id.as_str().len(), *id));
    for (id, choices) in sorted {
        let question = catalog.rules.ledger_entry(id).map_or("", |entry| entry.question.as_str());
        let text = format!("accept {}, reject {}: {question}", choices.accept, choices.reject);
        page.hanging(&format!("  {:<5}", id.as_str()), Role::Plain, Role::Plain, &text);
    }
}

/// Writes what implementations that are none score in the same cases: a score says
/// something as far as it is above these.
pub(super) fn beside(page: &mut Page, summary: &Summary, scores: &[Score]) {
    if scores.is_empty() {
        return;
    }
    let own = percent(share(summary.total.passed, summary.total.total()));
    page.blank();
    let text = format!("{own} passed; {}", scores_line(scores));
    page.hanging("for comparison: ", Role::Plain, Role::Plain, &text);
}

/// Writes what the figures rest on.
pub(super) fn basis(
    page: &mut Page,
    header: &Header,
    summary: &Summary,
    gathered: &Gathered,
    verbose: bool,
) {
    page.blank();
    page.paragraph(0, Role::Plain, &prose::coverage(&summary.coverage));
    if header.without_golden > 0 {
        let text = format!(
            "without a golden: {} of {}, judged by exit code and directory name alone",
            header.without_golden,
            prose::count(header.cases, "case")
        );
        page.paragraph(0, Role::Plain, &text);
    }
    if let Some(text) = prose::advisory_cases(header, &summary.advisory) {
        page.paragraph(0, Role::Warning, &text);
    }
    if let Some(text) = prose::tracebacks(gathered.tracebacks) {
        page.paragraph(0, Role::Warning, &text);
    }
    if let Some(census) = &header.variants {
        variants(page, census, verbose);
    }
    left_out(page, header);
    unsupported(page, gathered);
    if summary.not_run > 0 {
        let text = prose::gap(&Gap::NotRun { cases: summary.not_run });
        page.paragraph(0, Role::Warning, &text);
    }
    if let Some(why) = summary.stopped {
        let text = format!("ended early: {}", prose::stopped(why));
        page.paragraph(0, Role::Warning, &text);
    }
}

/// Names the cases that did not run, unless the run ended early: then that is why.
pub(super) fn missing(page: &mut Page, summary: &Summary, all: bool) {
    if summary.stopped.is_some() && !all {
        return;
    }
    let shown = if all { usize::MAX } else { MISSING };
    for case in summary.missing.iter().take(shown) {
        page.hanging("  missing: ", Role::Warning, Role::Plain, case.as_str());
    }
    if let Some(more @ 1..) = summary.missing.len().checked_sub(shown) {
        let text = format!("and {more} more; --show all and the JSON report name them");
        page.paragraph(2, Role::Plain, &text);
    }
}

/// Writes what became of the variants, and names those that were lost.
fn variants(page: &mut Page, census: &VariantCensus, verbose: bool) {
    page.paragraph(0, Role::Plain, &format!("variants: {}", prose::census(census)));
    let shown = if verbose { usize::MAX } else { LOST };
    for lost in census.lost.iter().take(shown) {
        let (fixture, why) = (escape::line(lost.fixture.as_str()), escape::line(&lost.why));
        let text = format!("{fixture}, {}: {why}", lost.variant);
        page.hanging("  not made: ", Role::Warning, Role::Plain, &text);
    }
    if let Some(more @ 1..) = census.lost.len().checked_sub(shown) {
        page.paragraph(2, Role::Plain, &format!("and {more} more; -v names them"));
    }
}

fn left_out(page: &mut Page, header: &Header) {
    let mut reasons: BTreeMap<LeftOut, usize> = BTreeMap::new();
    for (&reason, &cases) in header.left_out.values().flatten() {
        *reasons.entry(reason).or_default() += cases;
    }
    for (reason, cases) in reasons.into_iter().filter(|(_, cases)| *cases > 0) {
        let text = prose::gap(&Gap::LeftOut { reason, cases });
        page.paragraph(0, Role::Plain, &format!("left out: {text}"));
    }
}

fn unsupported(page: &mut Page, gathered: &Gathered) {
    for (reason, cases) in gathered.unsupported.iter().take(REASONS) {
        let reason = if reason.is_empty() { "no reason given" } else { reason };
        let text = format!("{}: {reason}", prose::count(*cases, "case"));
        page.hanging("not supported: ", Role::Warning, Role::Plain, &escape::clamped(&text, 300));
    }
    let more = gathered.unsupported.len().saturating_sub(REASONS);
    if more > 0 {
        let text = format!("for {}", prose::count(more, "more reason"));
        page.hanging("not supported: ", Role::Warning, Role::Plain, &text);
    }
}

/// Why a class is not shown besides what is so for all of the run; `None` where nothing
/// of the run is a reason.
fn own_gaps(standing: &Standing) -> Option<Vec<String>> {
    let Standing::NotShown { because } = standing else { return None };
    let of_run = |gap: &&Gap| matches!(gap, Gap::ExpectedFailures { .. } | Gap::MisfitList { .. });
    because.iter().find(of_run)?;
    Some(because.iter().filter(|gap| !of_run(gap)).map(prose::gap).collect())
}

/// Writes the verdict, a line a class; what holds for all of the run is said once.
pub(super) fn verdict(page: &mut Page, header: &Header, summary: &Summary, gathered: &Gathered) {
    let mut told: Option<&str> = None;
    for (class, standing) in &summary.standing {
        let suites = gathered.suites.get(class).into_iter().flatten().map(String::as_str);
        let text = match (told, own_gaps(standing)) {
            (Some(first), Some(own)) if own.is_empty() => {
                format!("not shown: as for {}", escape::clamped(first, CLASS))
            }
            (Some(_), Some(own)) => format!("not shown: {}", own.join("; ")),
            (None, Some(_)) => {
                told = Some(class);
                prose::class(header, summary, class, suites)
            }
            _ => prose::class(header, summary, class, suites),
        };
        let role = match standing {
            Standing::Conforms => Role::Good,
            Standing::Fails => Role::Bad,
            Standing::NotShown { .. } => Role::Warning,
        };
        let class = escape::clamped(class, page.width() / 2);
        page.hanging(&format!("{class}: "), Role::Strong, role, &text);
    }
    if summary.standing.is_empty() {
        page.paragraph(0, Role::Warning, "not shown: no case was asked for");
    }
    if let Some(text) = prose::fails_all_the_same(header, summary) {
        page.paragraph(0, Role::Bad, &text);
    }
}
