//! The cases of all runs, by fixture and operation.

use std::collections::{BTreeMap, BTreeSet};

use super::super::escape;
use super::column::Column;
use super::mark::{Mark, Traits};
use super::source::fragment;
use crate::core::{CaseRecord, LedgerId, RuleId};

/// What one case came to in each run, in the order of the columns.
pub(super) type Records<'a> = Vec<Option<&'a CaseRecord>>;

/// All cases of all runs.
pub(super) struct Cases<'a> {
    fixtures: BTreeMap<&'a str, BTreeMap<&'a str, Records<'a>>>,
    by_rule: BTreeMap<&'a RuleId, BTreeSet<&'a str>>,
    by_ledger: BTreeMap<&'a LedgerId, BTreeSet<&'a str>>,
}

impl<'a> Cases<'a> {
    /// Brings the cases of all runs together.
    pub(super) fn of(columns: &[Column<'a>]) -> Self {
        let mut cases = Self {
            fixtures: BTreeMap::new(),
            by_rule: BTreeMap::new(),
            by_ledger: BTreeMap::new(),
        };
        for (index, column) in columns.iter().enumerate() {
            for case in &column.report.cases {
                let fixture = case.id.fixture();
                let operations = cases.fixtures.entry(fixture).or_default();
                let records = operations
                    .entry(case.id.operation())
                    .or_insert_with(|| vec![None; columns.len()]);
                records[index] = Some(case);
                for rule in &case.decides {
                    cases.by_rule.entry(rule).or_default().insert(fixture);
                }
                for id in &case.expected.ledger {
                    cases.by_ledger.entry(id).or_default().insert(fixture);
                }
            }
        }
        cases
    }

    /// The fixtures, each with its operations.
    pub(super) fn fixtures(
        &self,
    ) -> impl Iterator<Item = (&'a str, &BTreeMap<&'a str, Records<'a>>)> {
        self.fixtures.iter().map(|(id, operations)| (*id, operations))
    }

    /// How many cases there are, each counted once.
    pub(super) fn len(&self) -> usize {
        self.fixtures.values().map(BTreeMap::len).sum()
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
