//! The result of a run as one document: what all reports of a whole run, and
//! what compares and joins runs, work on.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Catalog, escape, prose};
use crate::core::{
    CaseRecord, Cover, Coverage, Event, Header, Level, Release, RuleId, RuleResult, RuleTable,
    Standing, Summary,
};

/// The schema that the document follows, in its first version.
pub const SCHEMA: &str = "urn:living-conformance:schema:report:1";

/// A run from its header to its summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// What was run.
    pub header: Header,
    /// The cases, by id.
    pub cases: Vec<CaseRecord>,
    /// How every rule of the protocol version fared.
    pub rules: BTreeMap<RuleId, RuleReport>,
    /// The totals.
    pub summary: Summary,
}

/// One rule in a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleReport {
    /// The suite that it stands in.
    pub suite: String,
    /// How much it binds.
    pub level: Level,
    /// The release that brought it.
    pub since: Release,
    /// The heading in the spec where it stands.
    pub section: String,
    /// What it requires.
    pub statement: String,
    /// What the fixtures do for it.
    pub cover: Cover,
    /// Cases that decide it and keep it.
    pub met: usize,
    /// Cases that break it.
    pub broken: usize,
}

impl Report {
    /// Makes the document of a run that has ended; puts the cases in order.
    #[must_use]
    pub fn new(
        header: Header,
        mut cases: Vec<CaseRecord>,
        summary: Summary,
        rules: &RuleTable,
        coverage: &Coverage,
    ) -> Self {
        cases.sort_by(|one, other| one.id.cmp(&other.id));
        let rules = coverage
            .rules
            .iter()
            .filter_map(|(id, cover)| {
                let rule = rules.rule(id)?;
                let RuleResult { met, broken } = summary.rules.get(id).copied().unwrap_or_default();
                let suite = rules.suite_of(id).unwrap_or_default().to_owned();
                let report = RuleReport {
                    suite,
                    level: rule.level,
                    since: rule.since,
                    section: rule.section.clone(),
                    statement: rule.statement.clone(),
                    cover: cover.clone(),
                    met,
                    broken,
                };
                Some((id.clone(), report))
            })
            .collect();
        Self { schema: SCHEMA.to_owned(), header, cases, rules, summary }
    }

    /// The version of the implementation, in its own words.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        let asked = self.summary.implementation_version.as_ref();
        asked.or(self.header.implementation.version.as_ref()).map(String::as_str)
    }

    /// How the implementation stands to each class, with the words for it.
    pub(super) fn standings(&self) -> Vec<ClassStanding<'_>> {
        let mut suites: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for case in &self.cases {
            suites.entry(&case.class).or_default().insert(case.id.suite());
        }
        let suites = |class: &str| suites.get(class).into_iter().flatten().copied();
        let standings = self.summary.standing.iter();
        standings
            .map(|(class, standing)| ClassStanding {
                class: escape::clamped(class, 100),
                standing,
                text: prose::class(&self.header, &self.summary, class, suites(class)),
            })
            .collect()
    }
}

/// How an implementation stands to a class.
pub(super) struct ClassStanding<'a> {
    /// The class, safe to show.
    pub(super) class: String,
    /// How it stands.
    pub(super) standing: &'a Standing,
    /// The same in words.
    pub(super) text: String,
}

/// Gathers the events of a run until it is whole.
#[derive(Debug, Default)]
pub struct Gather {
    header: Option<Header>,
    cases: Vec<CaseRecord>,
    summary: Option<Summary>,
}

impl Gather {
    /// Takes an event.
    pub fn take(&mut self, event: &Event) {
        match event {
            Event::Started(header) => self.header = Some(header.as_ref().clone()),
            Event::Case(case) => self.cases.push(case.as_ref().clone()),
            Event::Finished(summary) => self.summary = Some(summary.as_ref().clone()),
        }
    }

    /// The document; `None` while the run has not both begun and ended.
    #[must_use]
    pub fn into_report(self, catalog: &Catalog) -> Option<Report> {
        let (header, summary) = (self.header?, self.summary?);
        Some(Report::new(header, self.cases, summary, &catalog.rules, &catalog.coverage))
    }
}
