//! Holds rules and ledger entries against each other and against the suites.

use std::collections::BTreeSet;

use super::fault::SuiteFault;
use crate::core::{LedgerEntry, Rule, RuleTable, Suite};

/// What a line of free text may name beside literal words.
const NAME_PLACEHOLDERS: [&str; 2] = ["{field}", "{value}"];

/// Reports what is wrong with a rule: the JSON pointer below it, and the fault.
pub(super) fn check_rule(
    rule: &Rule,
    suites: &[&Suite],
    table: &RuleTable,
    report: &mut dyn FnMut(&str, SuiteFault),
) {
    text("/section", "section", &rule.section, report);
    text("/statement", "statement", &rule.statement, report);
    if let Some(reason) = &rule.excluded {
        text("/excluded", "reason", reason, report);
    }
    if let Some(reason) = &rule.schema {
        text("/schema", "reason", reason, report);
    }

    let versions = suites.iter().flat_map(|suite| &suite.protocols);
    if !versions.into_iter().any(|version| version.includes(rule.since)) {
        report("/since", SuiteFault::TooNew(rule.since.to_string()));
    }

    // A rule of one document holds wherever the document is read, so the
    // operation may be that of another suite.
    let operations: BTreeSet<&String> =
        suites.iter().flat_map(|suite| suite.operations.keys()).collect();
    for operation in rule.effect.keys() {
        if !operations.contains(operation) {
            let known = operations.iter().map(|name| (*name).clone()).collect();
            let name = operation.clone();
            let fault = SuiteFault::Dangling { what: "operation", name, known };
            report(&format!("/effect/{operation}#"), fault);
        }
    }

    let mut taken = BTreeSet::new();
    for (index, name) in rule.names.iter().enumerate() {
        let at = format!("/names/{index}");
        text(&at, "name", name, report);
        if name.starts_with('{') && !NAME_PLACEHOLDERS.contains(&name.as_str()) {
            let known = NAME_PLACEHOLDERS.map(str::to_owned).to_vec();
            let fault = SuiteFault::Dangling { what: "placeholder", name: name.clone(), known };
            report(&at, fault);
        }
        if !taken.insert(name) {
            report(&at, SuiteFault::Twice { what: "name", text: name.clone() });
        }
    }

    let mut taken = BTreeSet::new();
    for (index, id) in rule.ledger.iter().enumerate() {
        let at = format!("/ledger/{index}");
        let name = id.to_string();
        if !taken.insert(id) {
            report(&at, SuiteFault::Twice { what: "ledger id", text: name });
        } else if table.ledger_entry(id).is_none() {
            let fault = SuiteFault::Dangling { what: "ledger entry", name, known: Vec::new() };
            report(&at, fault);
        }
    }

    if let Some(id) = &rule.before {
        let name = id.to_string();
        match table.rule(id) {
            None => {
                let fault = SuiteFault::Dangling { what: "rule", name, known: Vec::new() };
                report("/before", fault);
            }
            Some(older) if older.since >= rule.since => {
                report("/before", SuiteFault::NotOlder(name));
            }
            Some(_) => {}
        }
    }
}

/// Reports what is wrong with a ledger entry.
pub(super) fn check_entry(entry: &LedgerEntry, report: &mut dyn FnMut(&str, SuiteFault)) {
    text("/question", "question", &entry.question, report);
    text("/suite", "account of what the suite does", &entry.suite, report);
    if entry.readings.len() < 2 {
        report("/readings", SuiteFault::FewReadings(entry.readings.len()));
    }
    let mut taken = BTreeSet::new();
    for (index, reading) in entry.readings.iter().enumerate() {
        let at = format!("/readings/{index}");
        text(&at, "reading", reading, report);
        if !taken.insert(reading.trim()) {
            report(&at, SuiteFault::Twice { what: "reading", text: reading.clone() });
        }
    }
}

fn text(at: &str, what: &'static str, text: &str, report: &mut dyn FnMut(&str, SuiteFault)) {
    if text.trim().is_empty() {
        report(at, SuiteFault::Empty(what));
    }
}
