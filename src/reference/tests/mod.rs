//! Verdicts of the rule table and the ledger, each on a document of its own.

mod ledger;
mod manifests;
mod matches;
mod random;

use super::*;
use crate::core::{Protocol, Severity, Stance};

const BASE: &[(&str, &str)] = &[
    ("protocol_version", "v0.4.0"),
    ("project_id", "hello"),
    ("agent_capabilities", "[run_tasks, publish_state]"),
    ("isolation_profile", "container"),
    ("state_publication", "{target: file, path: state.json}"),
    ("logging_requirements", "{structured: true}"),
];

/// A valid manifest with some fields given other values, taken away (`-`) or added.
fn manifest(changes: &[(&str, &str)]) -> String {
    text(BASE, changes)
}

const RUNTIME_BASE: &[(&str, &str)] = &[
    ("runtime", "example"),
    ("protocol_versions", "[v0.4]"),
    ("agent_capabilities", "[run_tasks, publish_state]"),
    ("isolation_profiles", "[container]"),
    ("state_publication_targets", "[file]"),
];

/// A runtime document that fits the manifest, likewise.
fn runtime(changes: &[(&str, &str)]) -> String {
    text(RUNTIME_BASE, changes)
}

fn text(base: &[(&str, &str)], changes: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (field, value) in base {
        let value = changes.iter().find(|(name, _)| name == field).map_or(*value, |(_, v)| *v);
        if value != "-" {
            text.push_str(&format!("{field}: {value}\n"));
        }
    }
    for (field, value) in changes {
        if !base.iter().any(|(name, _)| name == field) {
            text.push_str(&format!("{field}: {value}\n"));
        }
    }
    text
}

fn at(protocol: &str) -> Reference {
    Reference::new(protocol.parse::<Protocol>().unwrap())
}

fn latest() -> Reference {
    at("v0.4")
}

/// The findings to expect, as `RULE@POINTER`, sorted.
fn expected(ruling: &Ruling) -> Vec<String> {
    let mut list: Vec<String> =
        ruling.expected().map(|finding| format!("{}@{}", finding.rule, finding.at)).collect();
    list.sort();
    list
}

fn open(ruling: &Ruling) -> Vec<&str> {
    ruling.open.iter().map(|id| id.as_str()).collect()
}

use Stance::{Accept, Either, Reject};

/// What lenient and strict say of a document.
#[track_caller]
fn stances(text: impl AsRef<[u8]>, lenient: Stance, strict: Stance) {
    let text = text.as_ref();
    for (is_strict, stance) in [(false, lenient), (true, strict)] {
        let ruling = latest().validate(text, is_strict);
        let shown = String::from_utf8_lossy(text);
        assert_eq!(ruling.stance, stance, "strict {is_strict}\n{shown}\n{ruling:#?}");
        assert!(stance.admits(ruling.accepted), "{shown}");
    }
    consistent(text);
}

/// What lenient and strict say of a document, and the question behind what is open.
#[track_caller]
fn touches(text: impl AsRef<[u8]>, question: &str, lenient: Stance, strict: Stance) {
    stances(text.as_ref(), lenient, strict);
    for (is_strict, stance) in [(false, lenient), (true, strict)] {
        if stance == Either {
            let ruling = latest().validate(text.as_ref(), is_strict);
            assert!(open(&ruling).contains(&question), "{:?}", ruling.open);
        }
    }
}

/// A document whose only findings are these, in both modes.
#[track_caller]
fn finds(text: &str, lenient: Stance, strict: Stance, findings: &[&str]) {
    stances(text, lenient, strict);
    for is_strict in [false, true] {
        let ruling = latest().validate(text.as_bytes(), is_strict);
        assert_eq!(expected(&ruling), findings, "strict {is_strict}\n{text}");
        assert!(ruling.findings.iter().all(|finding| finding.place.is_some()));
    }
}

/// What holds of every document.
#[track_caller]
fn consistent(text: &[u8]) {
    let (lenient, strict) = (latest().validate(text, false), latest().validate(text, true));
    assert!(!strict.accepted || lenient.accepted, "strict accepts, lenient does not");
    assert!(strict.stance != Accept || lenient.stance == Accept);
    assert!(lenient.stance != Reject || strict.stance == Reject);
    for ruling in [lenient, strict] {
        assert!(ruling.stance.admits(ruling.accepted));
        let errors = ruling.reported().any(|finding| finding.severity == Severity::Error);
        assert_eq!(ruling.accepted, !errors);
        assert_eq!(ruling.stance == Either, ruling.stance == Either && !ruling.open.is_empty());
        for finding in &ruling.findings {
            assert!(!finding.message.contains(char::is_control), "{finding:?}");
            assert!(finding.message.chars().count() < 900, "{finding:?}");
            if let Some(place) = finding.place {
                let source = ruling.source(place.document);
                assert!(source.is_none_or(|source| {
                    source.text.get(place.span.start..place.span.end).is_some()
                }));
            }
        }
    }
}
