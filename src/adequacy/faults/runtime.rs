//! The runtime document: read, and held to its rules.

use super::super::Answer;
use super::super::fault::Fault;
use crate::reference::{Fit, Question, REFERENCE};
use crate::yaml::Node;

const CHECKED: &str = "match.runtime-document-checked";
const PATTERN: &str = "runtime.protocol_versions.pattern";
const UNKNOWN: &str = "runtime.unknown-field";
const EMPTY: &str = "runtime.agent_capabilities.may-be-empty";

fn fit(holds: bool) -> Fit {
    if holds { Fit::Holds } else { Fit::Breaks }
}

fn version(text: &str) -> bool {
    (REFERENCE.runtime_version)(text) != Fit::Breaks
}

pub(super) const FAULTS: &[Fault] = &[
    Fault::test("runtime-not-checked", "checks nothing of the runtime document", &[CHECKED], |p| {
        p.check_runtime = false
    }),
    Fault::program(
        "runtime-errors-warn",
        "prints what is wrong with the runtime document, and matches",
        &[CHECKED],
        |ask| {
            let answer = ask.answer();
            let matched = !answer.findings.iter().any(|f| !f.rule.starts_with("runtime."));
            if matched && !ask.validates() { answer.accepting() } else { answer }
        },
    ),
    Fault::program(
        "runtime-checked-after-match",
        "checks the runtime document only when the rules do not hold",
        &[CHECKED],
        |ask| {
            let unchecked = ask.tested(|p| p.check_runtime = false);
            if unchecked.accepted() && !ask.validates() { unchecked } else { ask.answer() }
        },
    ),
    Fault::test(
        "runtime-fields-optional",
        "takes every field of the runtime document for optional",
        &["runtime.protocol_versions.required", "runtime.agent_capabilities.required"],
        |p| p.runtime_required = &[],
    ),
    Fault::test(
        "runtime-name-optional",
        "asks for no name of the runtime",
        &["runtime.runtime.required"],
        |p| {
            p.runtime_required = &[
                "protocol_versions",
                "agent_capabilities",
                "isolation_profiles",
                "state_publication_targets",
            ];
        },
    )
    .equivalent("L13: the spec does not say that the name is required"),
    Fault::program(
        "runtime-unknown-ignored",
        "overlooks unknown keys of the runtime document",
        &[UNKNOWN],
        |ask| ask.answer().knowing(|finding| finding.rule != UNKNOWN),
    ),
    Fault::test(
        "runtime-metadata-known",
        "knows name, version and description as well",
        &[UNKNOWN],
        |p| {
            p.runtime_fields = &[
                "runtime",
                "protocol_versions",
                "agent_capabilities",
                "isolation_profiles",
                "state_publication_targets",
                "name",
                "version",
                "description",
                "$schema",
            ];
        },
    ),
    Fault::test(
        "runtime-singular-known",
        "knows the fields in the singular as well",
        &[UNKNOWN],
        |p| {
            p.runtime_fields = &[
                "runtime",
                "protocol_versions",
                "agent_capabilities",
                "isolation_profiles",
                "state_publication_targets",
                "protocol_version",
                "isolation_profile",
                "state_publication_target",
                "agent_capability",
            ];
        },
    ),
    Fault::test(
        "runtime-lists-may-be-empty",
        "takes empty lists",
        &[
            "runtime.protocol_versions.min-items",
            "runtime.isolation_profiles.min-items",
            "runtime.state_publication_targets.min-items",
        ],
        |p| {
            (p.runtime_versions_min, p.runtime_profiles_min, p.runtime_targets_min) = (0, 0, 0);
        },
    ),
    Fault::test(
        "runtime-lists-of-two",
        "wants two entries of each list",
        &[
            "runtime.protocol_versions.min-items",
            "runtime.isolation_profiles.min-items",
            "runtime.state_publication_targets.min-items",
        ],
        |p| {
            (p.runtime_versions_min, p.runtime_profiles_min, p.runtime_targets_min) = (2, 2, 2);
        },
    ),
    Fault::test(
        "runtime-capabilities-not-empty",
        "wants a capability of every runtime",
        &[EMPTY],
        |p| p.runtime_capabilities_min = 1,
    ),
    Fault::test(
        "runtime-version-not-checked",
        "takes any string for a protocol version",
        &[PATTERN],
        |p| p.runtime_version = |_| Fit::Holds,
    ),
    Fault::test(
        "runtime-version-with-patch",
        "takes a protocol version with a patch number",
        &[PATTERN],
        |p| {
            p.runtime_version = |text| {
                fit(version(text) || text.rsplit_once('.').is_some_and(|(head, _)| version(head)))
            };
        },
    ),
    Fault::test(
        "runtime-version-without-v",
        "takes a protocol version without its v",
        &[PATTERN],
        |p| {
            p.runtime_version = |text| fit(version(text) || version(&format!("v{text}")));
        },
    ),
    Fault::test("runtime-version-pre-release", "takes a pre-release", &[PATTERN], |p| {
        p.runtime_version = |text| fit(version(text.split('-').next().unwrap_or_default()));
    }),
    Fault::test("runtime-version-wildcard", "takes an x or a * for a number", &[PATTERN], |p| {
        p.runtime_version = |text| fit(version(&text.replace(['x', '*'], "0")));
    }),
    Fault::test("runtime-version-capital", "takes V for v", &[PATTERN], |p| {
        p.runtime_version = |text| fit(version(&text.replacen('V', "v", 1)))
    }),
    Fault::test("runtime-version-trimmed", "cuts blanks off a protocol version", &[PATTERN], |p| {
        p.runtime_version = |text| fit(version(text.trim()))
    }),
    Fault::test(
        "runtime-version-line-feed",
        "lets a line feed follow, as $ does",
        &[PATTERN],
        |p| {
            p.runtime_version = |text| fit(version(text.strip_suffix('\n').unwrap_or(text)));
        },
    ),
    Fault::test("runtime-version-major-alone", "takes a major number alone", &[PATTERN], |p| {
        p.runtime_version = |text| fit(version(text) || version(&format!("{text}.0")));
    }),
    Fault::test(
        "runtime-version-other-digits",
        "takes \\d for the digits of ASCII",
        &[PATTERN],
        |p| {
            p.runtime_version = |text| {
                fit(version(
                    &text.chars().map(|c| if c.is_numeric() { '1' } else { c }).collect::<String>(),
                ))
            };
        },
    ),
    Fault::program(
        "runtime-first-version-checked",
        "checks the first protocol version alone",
        &[PATTERN],
        |ask| {
            ask.answer()
                .knowing(|f| f.rule != PATTERN || f.at.as_deref() == Some("/protocol_versions/0"))
        },
    ),
    Fault::program(
        "runtime-values-checked",
        "wants only capabilities, profiles and targets that the spec names",
        &["runtime.agent_capabilities.item-type", "runtime.isolation_profiles.item-type"],
        |ask| {
            let strange = |list: &str, known: &dyn Fn(&str) -> bool| {
                ask.offered(list).iter().any(|value| !known(value))
            };
            let odd =
                strange("agent_capabilities", &|v| {
                    REFERENCE.capabilities.iter().any(|(name, _)| *name == v)
                }) || strange("isolation_profiles", &|v| REFERENCE.isolation_profiles.contains(&v))
                    || strange("state_publication_targets", &|v| REFERENCE.targets.contains(&v));
            if odd && !ask.validates() { ask.answer().rejecting() } else { ask.answer() }
        },
    )
    .equivalent("L14: the spec does not say whether a runtime may list values of its own"),
    Fault::program(
        "runtime-duplicates-refused",
        "refuses values that are listed twice",
        &["runtime.agent_capabilities.item-type"],
        |ask| {
            let lists = [
                "protocol_versions",
                "agent_capabilities",
                "isolation_profiles",
                "state_publication_targets",
            ];
            let twice =
                lists.iter().any(|list| !(REFERENCE.capabilities_distinct)(&ask.offered(list)));
            if twice && !ask.validates() { ask.answer().rejecting() } else { ask.answer() }
        },
    )
    .equivalent("L14: the spec does not say whether a value may be listed twice"),
    Fault::test("runtime-leading-zeros-refused", "refuses leading zeros", &[PATTERN], |p| {
        p.runtime_version = |text| match (REFERENCE.runtime_version)(text) {
            Fit::Open { .. } => Fit::Open { question: Question::L14, holds: false },
            firm => firm,
        };
    })
    .equivalent("L14: the spec does not say whether numbers may have leading zeros"),
    Fault::program(
        "runtime-empty-name-refused",
        "refuses an empty name",
        &["runtime.runtime.type"],
        |ask| {
            let empty = ask.runtime(&["runtime"]).and_then(Node::as_str) == Some("");
            if empty && !ask.validates() { ask.answer().rejecting() } else { ask.answer() }
        },
    )
    .equivalent("L13: the spec does not say what a name is"),
    Fault::program(
        "runtime-name-of-slug",
        "wants a slug as the name of the runtime",
        &["runtime.runtime.type"],
        |ask| {
            let name = ask.runtime(&["runtime"]).and_then(Node::as_str).unwrap_or("a");
            let slug =
                name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
            if slug || ask.validates() { ask.answer() } else { ask.answer().rejecting() }
        },
    ),
    Fault::test(
        "runtime-version-plus-sign",
        "reads +1 as a number, as parsers of numbers do",
        &[PATTERN],
        |p| {
            p.runtime_version = |text| fit(version(&text.replace("v+", "v").replace(".+", ".")));
        },
    ),
    Fault::test("runtime-version-final-dot", "lets a dot end a version", &[PATTERN], |p| {
        p.runtime_version = |text| fit(version(text.strip_suffix('.').unwrap_or(text)));
    }),
    Fault::program(
        "runtime-one-version-is-enough",
        "is content with one protocol version that is of the pattern",
        &[PATTERN],
        |ask| {
            let broken = ask.answer().findings.iter().filter(|f| f.rule == PATTERN).count();
            let all = ask.offered("protocol_versions").len();
            ask.answer().knowing(|finding| broken == all || finding.rule != PATTERN)
        },
    ),
    Fault::program(
        "runtime-odd-entry-crashes",
        "crashes when an entry of a runtime's list is a list or a mapping",
        &["runtime.agent_capabilities.item-type", "runtime.isolation_profiles.item-type"],
        |ask| {
            let odd = REFERENCE.runtime_fields.iter().any(|list| {
                let items = ask.runtime(&[list]).and_then(Node::as_sequence);
                items
                    .into_iter()
                    .flatten()
                    .any(|item| item.as_sequence().is_some() || item.as_mapping().is_some())
            });
            if odd { Answer::crashing() } else { ask.answer() }
        },
    ),
];
