//! From what a file says to the cases that are meant, or to all that is wrong with it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use globset::GlobBuilder;

use super::fault::ExpectFault;
use super::file::{EntryFile, ListFile};
use crate::core::{CaseId, FailureEntry, Fixture, Listed, Plan, RuleTable, Variant};
use crate::data::{Problem, Source, nearest};

/// How many cases a glob covers at most when it does not say that it is wide.
const WIDE: usize = 20;

/// What the entries of a list can name.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// All fixtures that there are, whether they are asked for or not.
    pub fixtures: &'a [Arc<Fixture>],
    /// The rules.
    pub rules: &'a RuleTable,
    /// What is asked for.
    pub plan: &'a Plan,
}

/// Finds the cases of each entry. `shown` is the file as the user named it.
pub(super) fn check(
    source: &Source,
    file: &ListFile,
    scope: &Scope<'_>,
    shown: &str,
) -> Result<Vec<FailureEntry>, Vec<Problem>> {
    let mut asked: BTreeSet<CaseId> = scope.plan.cases().collect();
    asked.extend(scope.plan.left.keys().cloned());
    let mut checker =
        Checker { source, scope, shown, asked, problems: Vec::new(), seen: BTreeMap::new() };
    let entries: Vec<FailureEntry> = file
        .failures
        .iter()
        .enumerate()
        .filter_map(|(index, entry)| checker.entry(&format!("/failures/{index}"), entry))
        .collect();
    if checker.problems.is_empty() {
        Ok(entries)
    } else {
        checker.problems.sort();
        Err(checker.problems)
    }
}

struct Checker<'a> {
    source: &'a Source,
    scope: &'a Scope<'a>,
    shown: &'a str,
    asked: BTreeSet<CaseId>,
    problems: Vec<Problem>,
    /// What is named already, and on which line.
    seen: BTreeMap<String, usize>,
}

impl Checker<'_> {
    fn add(&mut self, at: &str, fault: &ExpectFault) {
        self.problems.push(self.source.problem(at, fault));
    }

    fn entry(&mut self, at: &str, entry: &EntryFile) -> Option<FailureEntry> {
        let texts = [
            ("reason", Some(&entry.reason)),
            ("tracker", entry.tracker.as_ref()),
            ("message", entry.message.as_ref()),
        ];
        for (key, text) in texts {
            if text.is_some_and(|text| text.trim().is_empty()) {
                self.add(&format!("{at}/{key}"), &ExpectFault::Blank(key));
            }
        }
        let (name, cases) = match (&entry.case, &entry.fixtures, &entry.rule) {
            (Some(case), None, None) => (format!("case {case}"), self.case(at, case, entry)),
            (None, Some(glob), None) => {
                (format!("fixtures {glob}"), self.fixtures(at, glob, entry))
            }
            (None, None, Some(rule)) => {
                let deciding = |fixture: &Fixture| fixture.decides.contains(rule);
                let cases = if self.scope.rules.rule(rule).is_none() {
                    let names = self.scope.rules.rules().map(|(_, rule)| rule.id.as_str());
                    self.unknown(&format!("{at}/rule"), "rule", rule.as_str(), names);
                    None
                } else {
                    self.covered(&format!("{at}/rule"), rule.as_str(), entry, at, deciding)
                };
                if entry.wide.is_some() {
                    self.add(&format!("{at}/wide"), &ExpectFault::Idle("wide"));
                }
                (format!("rule {rule}"), cases)
            }
            _ => {
                self.add(at, &ExpectFault::NotOneTarget);
                return None;
            }
        };
        let line = self.source.line(at);
        self.twice(at, &name, entry, line);
        let cases = cases?.into_iter().filter(|case| self.asked.contains(case)).collect();
        Some(FailureEntry {
            name,
            listed: Listed {
                entry: format!("{}:{line}", self.shown),
                reason: entry.reason.trim().to_owned(),
                tracker: entry.tracker.clone(),
            },
            cases,
            rule: entry.rule.clone(),
            message: entry.message.clone(),
            expires: entry.expires,
        })
    }

    /// Two entries may be for the same when they expect different messages.
    fn twice(&mut self, at: &str, name: &str, entry: &EntryFile, line: usize) {
        let key = format!("{name} {:?} {:?}", entry.operations, entry.message);
        match self.seen.get(&key) {
            Some(&line) => {
                let name = name.to_owned();
                self.add(at, &ExpectFault::Twice { name, line });
            }
            None => drop(self.seen.insert(key, line)),
        }
    }

    fn case(&mut self, at: &str, name: &str, entry: &EntryFile) -> Option<Vec<CaseId>> {
        for (key, is_there) in
            [("operations", entry.operations.is_some()), ("wide", entry.wide.is_some())]
        {
            if is_there {
                self.add(&format!("{at}/{key}"), &ExpectFault::Idle(key));
            }
        }
        if let Some(case) = self.known(name) {
            return Some(vec![case]);
        }
        let all = self.scope.fixtures.iter().flat_map(|fixture| cases(fixture));
        let ids: Vec<String> = all.map(String::from).collect();
        self.unknown(&format!("{at}/case"), "case", name, ids.iter().map(String::as_str));
        None
    }

    /// The case of this name, if there is one, or can be on a variant.
    fn known(&self, name: &str) -> Option<CaseId> {
        let case = CaseId::try_from(name.to_owned()).ok()?;
        // A fixture that was renamed is known by its old names as well.
        let is_named = |fixture: &&Arc<Fixture>| {
            let mut ids = std::iter::once(&fixture.id).chain(&fixture.aliases);
            ids.any(|id| id.as_str() == case.fixture())
        };
        let fixture = self.scope.fixtures.iter().find(is_named)?;
        cases(fixture).find(|other| other.name() == case.name())
    }

    fn fixtures(&mut self, at: &str, glob: &str, entry: &EntryFile) -> Option<Vec<CaseId>> {
        let place = format!("{at}/fixtures");
        let matcher = match GlobBuilder::new(glob).literal_separator(true).build() {
            Ok(built) => built.compile_matcher(),
            Err(error) => {
                let cause = error.kind().to_string();
                self.add(&place, &ExpectFault::BadGlob { glob: glob.to_owned(), cause });
                return None;
            }
        };
        let matching = |fixture: &Fixture| matcher.is_match(fixture.id.as_str());
        let cases = self.covered(&place, glob, entry, at, matching)?;
        // One on a variant is no more than the one on the fixture.
        let plain = cases.iter().filter(|case| case.variant().is_none()).count();
        if plain > WIDE && entry.wide != Some(true) {
            self.add(&place, &ExpectFault::TooWide { cases: plain });
            return None;
        }
        Some(cases)
    }

    /// The cases of some fixtures, of the operations that the entry names.
    fn covered(
        &mut self,
        place: &str,
        name: &str,
        entry: &EntryFile,
        at: &str,
        wanted: impl Fn(&Fixture) -> bool,
    ) -> Option<Vec<CaseId>> {
        let fixtures = self.scope.fixtures.iter().filter(|fixture| wanted(fixture));
        let all: Vec<CaseId> = fixtures.flat_map(|fixture| cases(fixture)).collect();
        if all.is_empty() {
            self.add(place, &ExpectFault::Nothing(name.to_owned()));
            return None;
        }
        let Some(operations) = &entry.operations else { return Some(all) };
        if operations.is_empty() {
            self.add(&format!("{at}/operations"), &ExpectFault::Blank("list of operations"));
        }
        for (index, operation) in operations.iter().enumerate() {
            if !all.iter().any(|case| case.operation() == operation) {
                let names = all.iter().map(CaseId::operation);
                self.unknown(&format!("{at}/operations/{index}"), "operation", operation, names);
            }
        }
        let named = |case: &CaseId| operations.iter().any(|name| name == case.operation());
        Some(all.into_iter().filter(named).collect())
    }

    fn unknown<'n>(
        &mut self,
        at: &str,
        what: &'static str,
        name: &str,
        names: impl Iterator<Item = &'n str>,
    ) {
        let near = nearest(name, names).map(str::to_owned);
        self.add(at, &ExpectFault::Unknown { what, name: name.to_owned(), near });
    }
}

/// The cases of a fixture, those on all variants that can be as well.
fn cases(fixture: &Fixture) -> impl Iterator<Item = CaseId> {
    let plain = |operation: &String| fixture.id.case(operation);
    fixture.cases.keys().map(plain).flat_map(|case| {
        let varied = Variant::ALL.map(|variant| case.varied(variant));
        std::iter::once(case).chain(varied)
    })
}
