//! The cases of all runs, by fixture and operation.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{escape, prose};
use super::column::Column;
use super::mark::{Mark, Traits};
use super::source::fragment;
use crate::core::{CaseRecord, LedgerId, RuleId};

/// What one case came to in each run, in the order of the columns.
pub(super) type Records<'a> = Vec<Option<&'a CaseRecord>>;

/// All cases of all runs.
pub(super) struct Cases<'a> {
    /// By fixture and name. Of the cases on variants only those that come out otherwise
    /// than on the fixture itself.
    fixtures: BTreeMap<&'a str, BTreeMap<&'a str, Records<'a>>>,
    /// The variants on which a case comes out as on the fixture, by fixture and
    /// operation.
    alike: BTreeMap<&'a str, BTreeMap<&'a str, Vec<&'a str>>>,
    all: usize,
    by_rule: BTreeMap<&'a RuleId, BTreeSet<&'a str>>,
    by_ledger: BTreeMap<&'a LedgerId, BTreeSet<&'a str>>,
}

impl<'a> Cases<'a> {
    /// Brings the cases of all runs together.
    pub(super) fn of(columns: &[Column<'a>]) -> Self {
        let mut cases = Self {
            fixtures: BTreeMap::new(),
            alike: BTreeMap::new(),
            all: 0,
            by_rule: BTreeMap::new(),
            by_ledger: BTreeMap::new(),
        };
        for (index, column) in columns.iter().enumerate() {
            for case in &column.report.cases {
                let fixture = case.id.fixture();
                let operations = cases.fixtures.entry(fixture).or_default();
                let records =
                    operations.entry(case.id.name()).or_insert_with(|| vec![None; columns.len()]);
                records[index] = Some(case);
                for rule in &case.decides {
                    cases.by_rule.entry(rule).or_default().insert(fixture);
                }
                for id in &case.expected.ledger {
                    cases.by_ledger.entry(id).or_default().insert(fixture);
                }
            }
        }
        cases.all = cases.fixtures.values().map(BTreeMap::len).sum();
        for (fixture, operations) in &mut cases.fixtures {
            for name in fold(operations) {
                let (operation, variant) = name.split_once('+').unwrap_or((name, ""));
                let alike = cases.alike.entry(fixture).or_default();
                alike.entry(operation).or_default().push(variant);
            }
        }
        cases
    }

    /// The variants on which a case comes out as on the fixture.
    pub(super) fn alike(&self, fixture: &str, operation: &str) -> &[&'a str] {
        let alike = self.alike.get(fixture).and_then(|operations| operations.get(operation));
        alike.map(Vec::as_slice).unwrap_or_default()
    }

    /// The fixtures, each with its operations.
    pub(super) fn fixtures(
        &self,
    ) -> impl Iterator<Item = (&'a str, &BTreeMap<&'a str, Records<'a>>)> {
        self.fixtures.iter().map(|(id, operations)| (*id, operations))
    }

    /// How many cases there are, each counted once.
    pub(super) fn len(&self) -> usize {
        self.all
    }

    /// Links to the cases of the fixtures that decide a rule.
    pub(super) fn deciding(&self, rule: &RuleId) -> Vec<FixtureLinks> {
        self.links(self.by_rule.get(rule))
    }

    /// Links to the cases of the fixtures that an open question leaves open.
    pub(super) fn left_open(&self, ledger: &LedgerId) -> Vec<FixtureLinks> {
        self.links(self.by_ledger.get(ledger))
    }

    fn links(&self, fixtures: Option<&BTreeSet<&'a str>>) -> Vec<FixtureLinks> {
        let fixtures = fixtures.into_iter().flatten();
        let links = fixtures.filter_map(|id| Some(FixtureLinks::of(id, self.fixtures.get(id)?)));
        links.collect()
    }
}

/// Takes out what comes out on a variant as it does on the fixture, and names it.
fn fold<'a>(operations: &mut BTreeMap<&'a str, Records<'_>>) -> Vec<&'a str> {
    let is_alike = |(name, records): (&&'a str, &Records<'_>)| {
        let (operation, _) = name.split_once('+')?;
        let plain = operations.get(operation)?;
        records
            .iter()
            .zip(plain)
            .all(|(one, other)| outcome(*one) == outcome(*other))
            .then_some(*name)
    };
    let names: Vec<&str> = operations.iter().filter_map(is_alike).collect();
    operations.retain(|name, _| !names.contains(name));
    names
}

/// What a case came to, as far as the page shows it.
fn outcome(case: Option<&CaseRecord>) -> (Mark, &'static str, String) {
    let mark = Mark::of(case);
    let cause = case.filter(|_| mark.is_failure()).map(prose::cause);
    let observed = case.map(|case| prose::observed(&case.observed));
    (mark, observed.unwrap_or_default(), cause.unwrap_or_default())
}

/// A fixture in a few words, with a link to each of its cases.
pub(super) struct FixtureLinks {
    /// The path of the fixture in its suite.
    pub(super) name: String,
    /// A link to it.
    pub(super) href: String,
    /// Its cases.
    pub(super) operations: Vec<OperationLink>,
}

/// A link to a case, with what it came to.
pub(super) struct OperationLink {
    /// The operation.
    pub(super) name: String,
    /// The link.
    pub(super) href: String,
    /// What it came to at worst.
    pub(super) worst: Mark,
    /// What it came to, in words.
    pub(super) label: String,
    /// What it came to in each run.
    pub(super) marks: Vec<Mark>,
}

impl FixtureLinks {
    fn of(id: &str, operations: &BTreeMap<&str, Records<'_>>) -> Self {
        Self {
            name: escape::line(path(id)).into_owned(),
            href: fragment(id),
            operations: OperationLink::all(id, operations),
        }
    }
}

impl OperationLink {
    /// Links to all cases of a fixture.
    pub(super) fn all(fixture: &str, operations: &BTreeMap<&str, Records<'_>>) -> Vec<Self> {
        let link = |(name, records): (&&str, &Records<'_>)| {
            let marks: Vec<Mark> = records.iter().map(|case| Mark::of(*case)).collect();
            let worst = marks.iter().copied().max().unwrap_or(Mark::Absent);
            let href = fragment(&format!("{fixture}::{name}"));
            let name = escape::line(name).into_owned();
            let label = match marks.len() {
                1 => format!("{name}: {}", worst.word()),
                all => {
                    let passed = marks.iter().filter(|mark| **mark == Mark::Pass).count();
                    format!("{name}: {passed} of {all} pass")
                }
            };
            Self { name, href, worst, label, marks }
        };
        operations.iter().map(link).collect()
    }
}

/// The path of a fixture in its suite.
pub(super) fn path(fixture: &str) -> &str {
    fixture.split_once('/').map_or(fixture, |(_, path)| path)
}

/// What the filter needs to know of the cases of a fixture.
pub(super) fn traits(operations: &BTreeMap<&str, Records<'_>>) -> Traits {
    let mut traits = Traits::default();
    operations.values().for_each(|records| traits.add_case(records));
    traits
}
