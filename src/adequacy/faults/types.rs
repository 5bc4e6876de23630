//! What weakly typed languages take for one another.

use super::super::Answer;
use super::super::fault::Fault;
use crate::reference::REFERENCE;
use crate::yaml::{Integer, Kind, Node};

const STRING: &str = "manifest.project_id.type";
const STRUCTURED: &str = "manifest.logging_requirements.structured.type";
const DAYS: &str = "manifest.snapshot.retention_days.type";
const SEQUENCE: &str = "manifest.agent_capabilities.type";
const ITEM: &str = "manifest.agent_capabilities.item-type";
const STATE: &str = "manifest.state_publication.type";

fn is_word(kind: &Kind, words: &[&str]) -> bool {
    matches!(kind, Kind::String(text) if words.contains(&text.as_ref()))
}

pub(super) const FAULTS: &[Fault] = &[
    Fault::test("null-passes-types", "takes null for a value of any type", &[STRING, STATE], |p| {
        p.is_string = |kind| matches!(kind, Kind::Null) || (REFERENCE.is_string)(kind);
        p.is_boolean = |kind| matches!(kind, Kind::Null) || (REFERENCE.is_boolean)(kind);
        p.is_sequence = |kind| matches!(kind, Kind::Null) || (REFERENCE.is_sequence)(kind);
        p.is_mapping = |kind| matches!(kind, Kind::Null) || (REFERENCE.is_mapping)(kind);
    }),
    Fault::program(
        "null-is-missing",
        "takes an optional field that is null for one that is not there",
        &["manifest.logging_requirements.level.type", "manifest.snapshot.type"],
        |ask| {
            let nulls = |finding: &crate::core::ReportedFinding| {
                let optional = [
                    "/logging_requirements/level",
                    "/state_publication/path",
                    "/state_publication/url",
                    "/snapshot",
                    "/snapshot/retention_days",
                    "/secrets",
                ];
                let at = finding.at.as_deref().unwrap_or_default();
                let keys: Vec<&str> = at.split('/').skip(1).collect();
                let node = optional.contains(&at).then(|| ask.manifest(&keys)).flatten();
                node.is_some_and(|node| *node.kind() == Kind::Null)
            };
            if ask.validates() { ask.answer().knowing(|f| !nulls(f)) } else { ask.answer() }
        },
    ),
    Fault::test("numbers-as-strings", "turns numbers into strings", &[STRING, ITEM], |p| {
        p.is_string =
            |kind| matches!(kind, Kind::Int(_) | Kind::Float(_)) || (REFERENCE.is_string)(kind);
    }),
    Fault::test("booleans-as-strings", "turns booleans into strings", &[STRING], |p| {
        p.is_string = |kind| matches!(kind, Kind::Bool(_)) || (REFERENCE.is_string)(kind);
    }),
    Fault::test("scalars-as-strings", "compares the text of any scalar", &[STRING, ITEM], |p| {
        p.is_string = |kind| !matches!(kind, Kind::Sequence(_) | Kind::Mapping(_));
    }),
    Fault::test("words-as-booleans", "takes the words for booleans", &[STRUCTURED], |p| {
        p.is_boolean = |kind| is_word(kind, &["true", "false"]) || (REFERENCE.is_boolean)(kind);
    }),
    Fault::test("yes-as-boolean", "takes quoted yes and no for booleans", &[STRUCTURED], |p| {
        p.is_boolean =
            |kind| is_word(kind, &["yes", "no", "on", "off"]) || (REFERENCE.is_boolean)(kind);
    }),
    Fault::test("integers-as-booleans", "takes 0 and 1 for booleans", &[STRUCTURED], |p| {
        p.is_boolean =
            |kind| matches!(kind, Kind::Int(Integer::Small(0 | 1))) || (REFERENCE.is_boolean)(kind);
    }),
    Fault::test(
        "truthy-as-boolean",
        "asks only whether a value counts as true",
        &[STRUCTURED],
        |p| {
            p.is_boolean = |_| true;
        },
    ),
    Fault::test(
        "false-is-missing",
        "takes a boolean that is false for a field that is not there",
        &["manifest.logging_requirements.structured.required"],
        |p| p.is_boolean = |kind| matches!(kind, Kind::Bool(true)),
    ),
    Fault::test("booleans-as-integers", "takes true for the integer 1", &[DAYS], |p| {
        p.is_integer =
            |kind, narrow| matches!(kind, Kind::Bool(true)) || (REFERENCE.is_integer)(kind, narrow);
        p.retention_days =
            |kind| matches!(kind, Kind::Bool(true)) || (REFERENCE.retention_days)(kind);
    }),
    Fault::test("words-as-integers", "takes a quoted number for an integer", &[DAYS], |p| {
        p.is_integer = |kind, narrow| {
            matches!(kind, Kind::String(text) if text.parse::<u64>().is_ok())
                || (REFERENCE.is_integer)(kind, narrow)
        };
        p.retention_days =
            |kind| matches!(kind, Kind::String(_)) || (REFERENCE.retention_days)(kind);
    }),
    Fault::test("floats-as-integers", "cuts a fraction off", &[DAYS], |p| {
        p.is_integer =
            |kind, narrow| matches!(kind, Kind::Float(_)) || (REFERENCE.is_integer)(kind, narrow);
    }),
    Fault::test("strings-as-sequences", "takes one string for a list of it", &[SEQUENCE], |p| {
        p.is_sequence = |kind| matches!(kind, Kind::String(_)) || (REFERENCE.is_sequence)(kind);
        p.capabilities_min = 0;
        p.paths_min = 0;
        p.secrets_min = 0;
        p.runtime_versions_min = 0;
        p.runtime_profiles_min = 0;
        p.runtime_targets_min = 0;
    }),
    Fault::test(
        "mappings-as-sequences",
        "goes through the keys of a mapping as through a list",
        &[SEQUENCE, "manifest.secrets.type"],
        |p| {
            p.is_sequence =
                |kind| matches!(kind, Kind::Mapping(_)) || (REFERENCE.is_sequence)(kind);
            p.capabilities_min = 0;
            p.paths_min = 0;
            p.secrets_min = 0;
        },
    ),
    Fault::test("sequences-as-mappings", "takes a list for a mapping", &[STATE], |p| {
        p.is_mapping = |kind| matches!(kind, Kind::Sequence(_)) || (REFERENCE.is_mapping)(kind);
        p.state_required = &[];
        p.logging_required = &[];
        p.snapshot_required = &[];
    }),
    Fault::program(
        "odd-entry-crashes",
        "crashes when an entry of a list is a list or a mapping",
        &[ITEM, "manifest.secrets.item-type", "manifest.snapshot.paths.item-type"],
        |ask| {
            let lists: [&[&str]; 3] =
                [&["agent_capabilities"], &["snapshot", "paths"], &["secrets"]];
            let odd = |item: &Node| item.as_sequence().is_some() || item.as_mapping().is_some();
            let crashes = lists.iter().any(|keys| {
                ask.manifest(keys).and_then(Node::as_sequence).is_some_and(|l| l.iter().any(odd))
            });
            if crashes { Answer::crashing() } else { ask.answer() }
        },
    ),
    Fault::program(
        "nested-scalar-crashes",
        "crashes when a nested mapping is something else",
        &[STATE, "manifest.logging_requirements.type"],
        |ask| {
            let crashes = ["state_publication", "logging_requirements"].iter().any(|field| {
                ask.manifest(&[field]).is_some_and(|node| node.as_mapping().is_none())
            });
            if crashes { Answer::crashing() } else { ask.answer() }
        },
    ),
    Fault::program(
        "missing-field-crashes",
        "crashes when a field that it looks up is not there",
        &["match.protocol-version", "match.state-publication-target"],
        |ask| {
            let has = |field: &str| ask.manifest(&[field]).is_some();
            let needed = ["protocol_version", "agent_capabilities", "isolation_profile"];
            let whole = needed.iter().all(|field| has(field))
                && ask.manifest(&["state_publication", "target"]).is_some();
            if whole || ask.validates() { ask.answer() } else { Answer::crashing() }
        },
    ),
    Fault::program(
        "first-entry-typed",
        "looks at the type of the first entry of a list alone",
        &[ITEM, "manifest.secrets.item-type", "runtime.isolation_profiles.item-type"],
        |ask| {
            ask.answer().knowing(|finding| {
                let at = finding.at.as_deref().unwrap_or_default();
                !finding.rule.ends_with(".item-type") || at.ends_with("/0")
            })
        },
    ),
];
