//! All cases, by fixture: documents, expectations, results.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::super::place::Spot;
use super::super::{Catalog, escape, prose};
use super::cases::{Cases, OperationLink, Records, path, traits};
use super::column::Column;
use super::mark::Mark;
use super::result::{CaseResult, Expected, level_class};
use super::source::{Source, fragment};
use crate::core::{CaseRecord, Category, Fixture, FixtureId, Level, RuleId};

/// How many fixtures make a group of their own by the first word of their name.
const GROUP: usize = 3;

/// Fixtures of a suite that belong together.
pub(super) struct FixtureGroup {
    /// The suite.
    pub(super) suite: String,
    /// What they have in common.
    pub(super) title: String,
    /// The fixtures, by id.
    pub(super) fixtures: Vec<FixtureView>,
    /// How many of them have a failing case.
    pub(super) failing: usize,
}

/// A fixture with its cases.
pub(super) struct FixtureView {
    /// The id, for links.
    pub(super) id: String,
    /// Its path in the suite.
    pub(super) name: String,
    /// Why it is there.
    pub(super) about: String,
    /// The highest level of what it decides.
    pub(super) level: &'static str,
    /// What the filter looks for besides.
    pub(super) traits: String,
    /// What the search looks in besides what is seen.
    pub(super) words: String,
    /// Its cases in a few signs.
    pub(super) operations: Vec<OperationLink>,
    /// The rules that it decides.
    pub(super) decides: Vec<RuleLink>,
    /// More about it.
    pub(super) facts: String,
    /// Its documents.
    pub(super) documents: Vec<DocumentView>,
    /// Its cases.
    pub(super) cases: Vec<CaseView>,
}

/// A rule, with a link if the page has it.
pub(super) struct RuleLink {
    /// The id.
    pub(super) id: String,
    /// The link; empty where there is none.
    pub(super) href: String,
}

/// A document of a fixture.
pub(super) struct DocumentView {
    /// Its path in the fixture's directory.
    pub(super) path: String,
    /// What is in it.
    pub(super) source: Source,
}

/// A case with its result in each run.
pub(super) struct CaseView {
    /// The id, for links.
    pub(super) id: String,
    /// The link to it.
    pub(super) href: String,
    /// The operation.
    pub(super) operation: String,
    /// The class that it counts for.
    pub(super) class: String,
    /// The variants on which it comes out the same.
    pub(super) alike: String,
    /// What a case on a variant is given.
    pub(super) variant: String,
    /// The documents of a variant.
    pub(super) documents: Vec<DocumentView>,
    /// What is expected.
    pub(super) expected: Expected,
    /// What it came to.
    pub(super) results: Vec<CaseResult>,
}

/// What all views of fixtures look things up in.
pub(super) struct Ground<'a> {
    pub(super) columns: &'a [Column<'a>],
    pub(super) cases: &'a Cases<'a>,
    pub(super) catalog: &'a Catalog,
}

impl Ground<'_> {
    /// All fixtures, in groups.
    pub(super) fn groups(&self) -> Vec<FixtureGroup> {
        let mut sizes: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for (id, _) in self.cases.fixtures() {
            *sizes.entry(first_word(id)).or_default() += 1;
        }
        let mut groups: BTreeMap<(&str, bool, String), FixtureGroup> = BTreeMap::new();
        for (id, operations) in self.cases.fixtures() {
            let word = first_word(id);
            let (suite, small) = (word.0, sizes.get(&word).is_none_or(|size| *size < GROUP));
            let title = if small { "others".to_owned() } else { escape::line(word.1).into_owned() };
            let group = groups.entry((suite, small, title.clone())).or_insert_with(|| {
                let suite = escape::line(suite).into_owned();
                FixtureGroup { suite, title, fixtures: Vec::new(), failing: 0 }
            });
            let traits = traits(operations);
            group.failing += usize::from(traits.broken);
            group.fixtures.push(self.fixture(id, operations, traits.words()));
        }
        groups.into_values().collect()
    }

    fn fixture(
        &self,
        id: &str,
        operations: &BTreeMap<&str, Records<'_>>,
        traits: String,
    ) -> FixtureView {
        let records: Vec<&CaseRecord> = operations.values().flatten().flatten().copied().collect();
        let weight = records.iter().map(|case| case.weight).max().unwrap_or(Level::None);
        let mut decides: Vec<&RuleId> = records.iter().flat_map(|case| &case.decides).collect();
        decides.sort();
        decides.dedup();
        let words: Vec<&str> = decides.iter().map(|rule| rule.as_str()).collect();
        let loaded = FixtureId::new(id).ok().and_then(|id| self.catalog.fixtures.get(&id));
        let about = records.first().map_or("", |case| case.about.as_str());
        FixtureView {
            id: id.to_owned(),
            name: escape::line(path(id)).into_owned(),
            about: escape::clamped(about, 300),
            level: level_class(weight),
            traits,
            words: words.join(" "),
            operations: OperationLink::all(id, operations),
            decides: decides.iter().map(|rule| self.rule_link(rule)).collect(),
            facts: loaded.map(|fixture| facts(fixture)).unwrap_or_default(),
            documents: loaded.map(|fixture| documents(fixture, &records)).unwrap_or_default(),
            cases: operations
                .iter()
                .filter_map(|(operation, records)| self.case(id, operation, records))
                .collect(),
        }
    }

    fn case(&self, fixture: &str, operation: &str, records: &Records<'_>) -> Option<CaseView> {
        let first = records.iter().flatten().next()?;
        let alone = self.columns.len() == 1;
        let results = self.columns.iter().zip(records);
        let id = format!("{fixture}::{operation}");
        let given = self.catalog.given_to(&first.id).filter(|_| first.id.variant().is_some());
        let records: Vec<&CaseRecord> = records.iter().flatten().copied().collect();
        Some(CaseView {
            alike: self.cases.alike(fixture, operation).join(", "),
            variant: prose::variant(&first.id).unwrap_or_default(),
            documents: given.map(|fixture| documents(&fixture, &records)).unwrap_or_default(),
            href: fragment(&id),
            id,
            operation: escape::line(operation).into_owned(),
            class: escape::clamped(&first.class, 100),
            expected: Expected::of(&first.expected),
            results: results
                .map(|(column, case)| CaseResult::of(column, alone, *case, &first.expected))
                .collect(),
        })
    }

    fn rule_link(&self, rule: &RuleId) -> RuleLink {
        let known = self.columns.iter().any(|column| column.report.rules.contains_key(rule));
        let href = if known { fragment(rule.as_str()) } else { String::new() };
        RuleLink { id: rule.as_str().to_owned(), href }
    }
}

/// The suite, and the folder or the first word of the name.
fn first_word(fixture: &str) -> (&str, &str) {
    let (suite, path) = fixture.split_once('/').unwrap_or((fixture, ""));
    let end = path.find('/').or_else(|| path.find('-')).unwrap_or(path.len());
    (suite, &path[..end])
}

fn facts(fixture: &Fixture) -> String {
    let mut facts = Vec::new();
    facts.extend(fixture.category.map(|category| match category {
        Category::Example => "example".to_owned(),
        Category::Boundary => "boundary".to_owned(),
        Category::Invariant => "invariant".to_owned(),
    }));
    facts.push(format!("since {}", fixture.since));
    facts.extend(fixture.before.map(|before| format!("before {before}")));
    facts.push(escape::line(&fixture.location.to_string_lossy()).into_owned());
    facts.join(" · ")
}

/// The documents, with the places marked that failing cases are about.
fn documents(fixture: &Fixture, records: &[&CaseRecord]) -> Vec<DocumentView> {
    let failing = records.iter().filter(|case| Mark::of(Some(case)).is_failure());
    let spots: Vec<Spot> = failing.filter_map(|case| Spot::of(fixture, case)).collect();
    let view = |document: &crate::core::Document| {
        let place = fixture.place_of(Path::new(&document.path));
        let here = || spots.iter().filter(|spot| spot.path == place);
        let text: Arc<str> = here().next().map_or_else(
            || escape::from_bytes(&document.bytes).into(),
            |spot| Arc::clone(&spot.text),
        );
        let marks: Vec<Range<usize>> =
            here().filter(|spot| spot.text == text).filter_map(|spot| spot.span.clone()).collect();
        DocumentView {
            path: escape::line(&document.path).into_owned(),
            source: Source::new(&text, &merged(marks)),
        }
    };
    fixture.documents.iter().map(view).collect()
}

/// The same bytes in ranges that do not touch each other.
fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}
