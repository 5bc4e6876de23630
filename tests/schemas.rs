//! The data under `suites/` and `schemas/`: it parses, refers only to what is there,
//! and says of the two what the other says.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use living_conformance::core::{LedgerEntry, Rule, RuleTable, Shown, Suite};
use serde::Deserialize;

/// Rules of the two protocol documents, counted by hand: what starts with
/// `manifest.`, `mode.`, `runtime.`, `match.` and `start.`.
const RULES: [(&str, usize); 5] =
    [("manifest.", 63), ("mode.", 4), ("runtime.", 27), ("match.", 12), ("start.", 15)];
/// Entries of the ledger, `L1` to the last.
const LEDGER: usize = 23;

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

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> T {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_yaml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn suites() -> Vec<(Suite, Vec<Rule>, Vec<LedgerEntry>)> {
    ["manifest", "runtime"]
        .map(|name| {
            let folder = root().join("suites").join(name);
            let suite: Suite = read(&folder.join("suite.yaml"));
            assert_eq!(suite.suite, name);
            let rules: RulesFile = read(&folder.join("rules.yaml"));
            let ledger: LedgerFile = read(&folder.join("ledger.yaml"));
            (suite, rules.rules, ledger.entries)
        })
        .into()
}

fn table() -> RuleTable {
    let mut table = RuleTable::default();
    for (suite, rules, ledger) in suites() {
        for rule in rules {
            assert!(table.add_rule(&suite.suite, rule).is_ok(), "rule ids are unique");
        }
        for entry in ledger {
            assert!(table.add_ledger(&suite.suite, entry).is_ok(), "ledger ids are unique");
        }
    }
    table
}

#[test]
fn every_rule_and_every_open_question_has_its_row() {
    let table = table();
    for (prefix, count) in RULES {
        let found = table.rules().filter(|(_, rule)| rule.id.as_str().starts_with(prefix)).count();
        assert_eq!(found, count, "{prefix}*");
    }
    assert_eq!(table.rules().count(), RULES.iter().map(|(_, count)| count).sum::<usize>());
    let ids: BTreeSet<String> = table.ledger().map(|(_, entry)| entry.id.to_string()).collect();
    assert_eq!(ids, (1..=LEDGER).map(|number| format!("L{number}")).collect());
}

#[test]
fn rows_refer_to_rows_that_are_there() {
    let table = table();
    let suites = suites();
    let operations: BTreeSet<&String> =
        suites.iter().flat_map(|(suite, ..)| suite.operations.keys()).collect();
    for (_, rule) in table.rules() {
        for id in &rule.ledger {
            assert!(table.ledger_entry(id).is_some(), "{}: {id}", rule.id);
        }
        if let Some(id) = &rule.before {
            assert!(table.rule(id).is_some(), "{}: {id}", rule.id);
        }
        for operation in rule.effect.keys() {
            assert!(operations.contains(operation), "{}: {operation}", rule.id);
        }
    }
    for (suite, ..) in &suites {
        let rules = suite.relations.iter().map(|relation| &relation.rule).chain(
            suite
                .operations
                .values()
                .flat_map(|operation| operation.exit_rule.iter().chain(&operation.one_line_rule)),
        );
        for id in rules {
            assert_eq!(table.suite_of(id), Some(suite.suite.as_str()), "{id}");
        }
    }
}

#[test]
fn every_open_question_is_open_for_some_rule_and_has_two_readings() {
    let table = table();
    for (_, entry) in table.ledger() {
        assert!(entry.readings.len() >= 2, "{}", entry.id);
        assert!(table.rules().any(|(_, rule)| rule.ledger.contains(&entry.id)), "{}", entry.id);
    }
}

#[test]
fn a_rule_that_findings_show_says_what_they_do_and_name() {
    for (_, rule) in table().rules() {
        let by_finding = rule.shown_by == Shown::Finding;
        assert_eq!(by_finding, !rule.effect.is_empty(), "{}: effect", rule.id);
        assert_eq!(by_finding, !rule.names.is_empty(), "{}: names", rule.id);
        assert!(!(by_finding && rule.excluded.is_some()), "{}: shown and excluded", rule.id);
    }
}
