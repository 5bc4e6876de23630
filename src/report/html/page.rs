//! The page as a whole.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::super::figures::percent;
use super::super::sink::Target;
use super::super::{Catalog, Report, escape, prose};
use super::against::Against;
use super::cases::Cases;
use super::column::Column;
use super::failures::{self, RunFailures};
use super::fixtures::{FixtureGroup, Ground};
use super::ledger::{self, LedgerRow};
use super::mark::Mark;
use super::matrix::{self, Section};
use super::overview::Overview;
use super::picture::Picture;
use crate::adequacy::{Adequacy, Kills, share};
use crate::core::{Header, Protocol, Stopped};

/// The one style sheet, and the one script.
const STYLE: &str = include_str!("templates/page.css");
const SCRIPT: &str = include_str!("templates/page.js");

/// How many columns a table has that fits a page.
const WIDE: usize = 5;

/// Runs to make a page of.
#[derive(Debug, Clone)]
pub struct HtmlPage<'a> {
    /// The runs, one or more, in the order of the columns.
    pub reports: Vec<&'a Report>,
    /// Where rules, open questions and documents are looked up.
    pub catalog: &'a Catalog,
    /// Where each run comes from, such as the path of its report: it sets runs apart
    /// that nothing else does. May be empty.
    pub sources: Vec<String>,
    /// Whether each run had other suites or fixtures than the catalog has; the page
    /// says so then. May be empty: none had.
    pub foreign: Vec<bool>,
}

impl<'a> HtmlPage<'a> {
    /// The page of one run that has ended.
    #[must_use]
    pub fn of(report: &'a Report, catalog: &'a Catalog) -> Self {
        Self { reports: vec![report], catalog, sources: Vec::new(), foreign: Vec::new() }
    }

    /// Writes the page to its place, which changes only when all is written.
    ///
    /// # Errors
    /// When the place cannot be written to.
    pub fn save(&self, target: &Target) -> io::Result<()> {
        target.save(|out| self.write(out))
    }

    /// Writes the page: one file, without anything from elsewhere.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let columns = Column::all(&self.reports, &self.sources);
        let cases = Cases::of(&columns);
        let classes: BTreeSet<&str> = columns
            .iter()
            .flat_map(|column| column.report.summary.standing.keys())
            .map(String::as_str)
            .collect();
        // Whoever interrupted a run waits for nothing.
        let cut = |report: &&Report| report.summary.stopped == Some(Stopped::Interrupted);
        let measured =
            if self.reports.iter().any(cut) { None } else { self.catalog.adequacy.get() };
        let ground = Ground { columns: &columns, cases: &cases, catalog: self.catalog };
        let mut overviews: Vec<Overview> = columns
            .iter()
            .enumerate()
            .map(|(index, column)| {
                Overview::of(column, &classes, self.foreign.get(index) == Some(&true))
            })
            .collect();
        let page = Page {
            notes: Overview::take_common_notes(&mut overviews),
            title: title(&columns),
            heading: heading(&columns),
            subject: subject(&columns),
            policy: policy(),
            program: env!("CARGO_PKG_VERSION"),
            classes: classes.iter().map(|class| escape::clamped(class, 100)).collect(),
            overviews,
            against: Against::of(&columns, &self.sources, self.catalog),
            adequacy: measured.map(adequacy).unwrap_or_default(),
            picture: Picture::of(&columns),
            sections: matrix::sections(&columns, &cases, self.catalog, measured),
            failures: failures::runs(&columns, self.catalog),
            ledger: ledger::rows(&columns, &cases, self.catalog),
            groups: ground.groups(),
            cases: cases.len(),
            columns: &columns,
        };
        page.write_into(out)
    }
}

#[derive(Template)]
#[template(path = "page.html", config = "src/report/html/askama.toml")]
struct Page<'a> {
    title: String,
    heading: String,
    subject: String,
    policy: String,
    program: &'static str,
    columns: &'a [Column<'a>],
    /// The classes of any run.
    classes: Vec<String>,
    overviews: Vec<Overview>,
    /// What the reader must know of all runs.
    notes: Vec<String>,
    against: Against,
    /// How much the fixtures show, in a sentence.
    adequacy: String,
    picture: Picture,
    sections: Vec<Section>,
    failures: Vec<RunFailures>,
    ledger: Vec<LedgerRow>,
    groups: Vec<FixtureGroup>,
    cases: usize,
}

impl Page<'_> {
    /// Whether it is about one run.
    fn alone(&self) -> bool {
        self.columns.len() == 1
    }

    /// Whether its tables have so many columns that they scroll by themselves.
    fn is_wide(&self) -> bool {
        self.columns.len() > WIDE
    }

    fn style(&self) -> &'static str {
        STYLE
    }

    fn script(&self) -> &'static str {
        SCRIPT
    }

    fn rules(&self) -> usize {
        self.sections.iter().map(|section| section.rules.len()).sum()
    }

    fn fixtures(&self) -> usize {
        self.groups.iter().map(|group| group.fixtures.len()).sum()
    }

    /// The signs that tables use, for a key to them.
    fn signs(&self) -> Vec<Mark> {
        let used = |mark: &Mark| {
            let groups = self.groups.iter().flat_map(|group| &group.fixtures);
            let mut operations = groups.flat_map(|fixture| &fixture.operations);
            operations.any(|operation| operation.marks.contains(mark))
        };
        Mark::ALL.iter().copied().filter(used).collect()
    }
}

fn adequacy(measured: &Adequacy) -> String {
    let Kills { killed, all, equivalent } = measured.totals;
    let share = percent(share(killed, all));
    let mut text = format!(
        "Of {} with one fault each, the fixtures catch {killed} ({share}).",
        prose::count(all, "implementation")
    );
    if equivalent > 0 {
        text.push_str(&format!(" The faults of {equivalent} more cannot be seen."));
    }
    text
}

fn heading(columns: &[Column<'_>]) -> String {
    let names: BTreeSet<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    match columns {
        [one] => one.name.clone(),
        many if names.len() == many.len() => prose::count(many.len(), "implementation"),
        many => prose::count(many.len(), "run"),
    }
}

fn title(columns: &[Column<'_>]) -> String {
    format!("{}: conformance to {}", heading(columns), subject(columns))
}

/// The specs that were tested against, each with its versions.
fn subject(columns: &[Column<'_>]) -> String {
    let mut specs: BTreeMap<&str, BTreeSet<Protocol>> = BTreeMap::new();
    for Header { spec, protocol, .. } in columns.iter().map(|column| &column.report.header) {
        specs.entry(spec).or_default().insert(*protocol);
    }
    let spec = |(spec, versions): (&str, BTreeSet<Protocol>)| {
        let versions: Vec<String> = versions.iter().map(ToString::to_string).collect();
        format!("{} {}", escape::clamped(spec, 100), versions.join(", "))
    };
    specs.into_iter().map(spec).collect::<Vec<_>>().join("; ")
}

/// What the page may do: apply the one style sheet, run the one script, and
/// nothing else.
fn policy() -> String {
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
    format!(
        "default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
}
