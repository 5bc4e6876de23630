//! From a tree of files to suites, or to everything that is wrong with them.

use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::check_rules::{check_entry, check_rule};
use super::check_suite::check_suite;
use super::fault::SuiteFault;
use crate::core::{LedgerEntry, Protocol, Rule, RuleId, RuleTable, Suite};
use crate::data::{EntryKind, Problem, Source, Tree};

/// The faults that another file may be the cause of.
const REFERENCE_CODES: [&str; 2] = ["dangling-reference", "too-new"];

/// All loaded suites with their rules and open questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suites {
    /// The suites, by name; one or more.
    pub suites: Vec<Suite>,
    /// Their rules and ledger entries.
    pub rules: RuleTable,
}

/// What a user names of the suites.
#[derive(Debug, Clone, Copy, Default)]
pub struct Choice<'a> {
    /// Suites.
    pub suites: &'a [String],
    /// Classes of implementations.
    pub classes: &'a [String],
    /// Rules.
    pub rules: &'a [RuleId],
    /// Whole case ids.
    pub cases: &'a [String],
}

impl Suites {
    /// The names of the suites.
    #[must_use]
    pub fn names(&self) -> BTreeSet<&str> {
        self.suites.iter().map(|suite| suite.suite.as_str()).collect()
    }

    /// The suite with this name.
    #[must_use]
    pub fn suite(&self, name: &str) -> Option<&Suite> {
        self.suites.iter().find(|suite| suite.suite == name)
    }

    /// The suite that takes what lies beside the folders of suites.
    #[must_use]
    pub fn beside(&self) -> Option<&Suite> {
        self.suites.iter().find(|suite| suite.beside)
    }

    /// The protocol versions that every suite knows, oldest first.
    #[must_use]
    pub fn protocols(&self) -> Vec<Protocol> {
        let Some((first, others)) = self.suites.split_first() else { return Vec::new() };
        let known = |version: &&Protocol| others.iter().all(|s| s.protocols.contains(version));
        first.protocols.iter().filter(known).copied().collect()
    }

    /// The suites that a run is about: those named; or those that a class, a rule
    /// or a whole case id names; or, when nothing does, the default ones.
    #[must_use]
    pub fn asked(&self, choice: &Choice<'_>) -> BTreeSet<String> {
        let all = || self.suites.iter();
        let names = |suites: Vec<&Suite>| suites.iter().map(|suite| suite.suite.clone()).collect();
        if !choice.suites.is_empty() {
            return choice.suites.iter().cloned().collect();
        }
        if !choice.classes.is_empty() {
            let has = |suite: &&Suite| {
                suite.operations.values().any(|operation| choice.classes.contains(&operation.class))
            };
            return names(all().filter(has).collect());
        }
        let of_rules = choice.rules.iter().filter_map(|rule| self.rules.suite_of(rule));
        let of_cases = choice.cases.iter().filter_map(|case| Some(case.split_once('/')?.0));
        let named: BTreeSet<&str> = of_rules.chain(of_cases).collect();
        let others = all().filter(|s| !s.default && named.contains(s.suite.as_str()));
        let others: Vec<&Suite> = others.collect();
        let defaults = all().filter(|suite| suite.default);
        if others.is_empty() || defaults.clone().any(|s| named.contains(s.suite.as_str())) {
            names(defaults.chain(others).collect())
        } else {
            names(others)
        }
    }
}

/// Everything that is wrong with the suites; one problem or more, by path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadErrors(pub Vec<Problem>);

impl fmt::Display for LoadErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("load the suites")?;
        for problem in &self.0 {
            write!(f, "\n{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for LoadErrors {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesFile {
    rules: Vec<Rule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LedgerFile {
    entries: Vec<LedgerEntry>,
}

/// A file that could be read, with what it holds.
pub(super) struct Read<T> {
    pub(super) source: Source,
    pub(super) value: T,
}

/// One folder with as much of it as could be read.
struct Parts {
    folder: String,
    suite: Option<Read<Suite>>,
    rules: Option<Read<RulesFile>>,
    ledger: Option<Read<LedgerFile>>,
}

/// Loads every suite of a tree.
///
/// # Errors
/// Everything that is wrong, with places; having no suite is wrong, too.
pub fn load(tree: &Tree) -> Result<Suites, LoadErrors> {
    let listing = tree.list(&|_| false);
    let mut problems = listing.problems;
    let mut parts = Vec::new();
    for entry in &listing.entries {
        if entry.kind == EntryKind::Directory && !entry.path.contains('/') {
            let present = |file: &str| {
                let path = format!("{}/{file}", entry.path);
                listing.entries.iter().any(|entry| entry.path == path)
            };
            parts.push(read_folder(tree, &entry.path, &present, &mut problems));
        }
    }
    if parts.is_empty() && problems.is_empty() {
        problems.push(Problem::new(tree.locate(""), &SuiteFault::NoSuites));
    }

    let complete = parts
        .iter()
        .all(|part| part.suite.is_some() && part.rules.is_some() && part.ledger.is_some());
    let rules = build_table(&parts, &mut problems);
    let mut found = Vec::new();
    check(&parts, &rules, &mut found);
    // With a part missing, sound references into it look dangling.
    found.retain(|problem| complete || !REFERENCE_CODES.contains(&problem.code));
    problems.append(&mut found);

    if problems.is_empty() {
        let suites = parts.into_iter().filter_map(|part| Some(part.suite?.value)).collect();
        Ok(Suites { suites, rules })
    } else {
        problems.sort();
        Err(LoadErrors(problems))
    }
}

fn read_folder(
    tree: &Tree,
    folder: &str,
    present: &dyn Fn(&str) -> bool,
    problems: &mut Vec<Problem>,
) -> Parts {
    let mut wanted = |file: &'static str| {
        if !present(file) {
            let fault = SuiteFault::MissingFile(file);
            problems.push(Problem::new(tree.locate(folder), &fault));
        }
        present(file)
    };
    let files = ["suite.yaml", "rules.yaml", "ledger.yaml"].map(|file| (wanted(file), file));
    let [suite, rules, ledger] =
        files.map(|(present, file)| present.then(|| format!("{folder}/{file}")));
    Parts {
        folder: folder.to_owned(),
        suite: suite.and_then(|path| read(tree, &path, problems)),
        rules: rules.and_then(|path| read(tree, &path, problems)),
        ledger: ledger.and_then(|path| read(tree, &path, problems)),
    }
}

fn read<T: DeserializeOwned>(
    tree: &Tree,
    path: &str,
    problems: &mut Vec<Problem>,
) -> Option<Read<T>> {
    let read = tree.source(path).and_then(|source| {
        let value = source.parse()?;
        Ok(Read { source, value })
    });
    read.map_err(|problem| problems.push(problem)).ok()
}

fn build_table(parts: &[Parts], problems: &mut Vec<Problem>) -> RuleTable {
    let mut table = RuleTable::default();
    for part in parts {
        let Some(file) = &part.rules else { continue };
        for (index, rule) in file.value.rules.iter().enumerate() {
            if table.add_rule(&part.folder, rule.clone()).is_err() {
                let fault = SuiteFault::Twice { what: "rule id", text: rule.id.to_string() };
                problems.push(file.source.problem(&format!("/rules/{index}/id"), &fault));
            }
        }
    }
    for part in parts {
        let Some(file) = &part.ledger else { continue };
        for (index, entry) in file.value.entries.iter().enumerate() {
            if table.add_ledger(&part.folder, entry.clone()).is_err() {
                let fault = SuiteFault::Twice { what: "ledger id", text: entry.id.to_string() };
                problems.push(file.source.problem(&format!("/entries/{index}/id"), &fault));
            }
        }
    }
    table
}

fn check(parts: &[Parts], table: &RuleTable, problems: &mut Vec<Problem>) {
    let suites: Vec<&Suite> =
        parts.iter().filter_map(|part| part.suite.as_ref()).map(|read| &read.value).collect();
    let mut beside: Option<&str> = None;
    for part in parts {
        if let Some(read) = &part.suite {
            check_suite(&part.folder, read, table, problems);
            if let (true, Some(other)) = (read.value.beside, beside) {
                let fault = SuiteFault::TwoBeside(other.to_owned());
                problems.push(read.source.problem("/beside", &fault));
            }
            if read.value.beside {
                beside = Some(&part.folder);
            }
        }
        if let Some(read) = &part.rules {
            if read.value.rules.is_empty() {
                problems.push(read.source.problem("/rules", &SuiteFault::Empty("rule table")));
            }
            for (index, rule) in read.value.rules.iter().enumerate() {
                let at = format!("/rules/{index}");
                check_rule(rule, &suites, table, &mut |below, fault| {
                    problems.push(read.source.problem(&format!("{at}{below}"), &fault));
                });
            }
        }
        if let Some(read) = &part.ledger {
            for (index, entry) in read.value.entries.iter().enumerate() {
                let at = format!("/entries/{index}");
                check_entry(entry, &mut |below, fault| {
                    problems.push(read.source.problem(&format!("{at}{below}"), &fault));
                });
            }
        }
    }
}
