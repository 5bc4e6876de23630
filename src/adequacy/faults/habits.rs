//! What languages and their libraries do unasked, and nobody thinks of.

use super::super::fault::Fault;
use super::super::{Answer, Ask};
use crate::reference::REFERENCE;
use crate::yaml::{Entry, Integer, Kind, Node};

const TOP: &str = "manifest.unknown-field.top-level";
const NESTED: &str = "manifest.unknown-field.nested";
const RUNTIME: &str = "runtime.unknown-field";
const DAYS: &str = "manifest.snapshot.retention_days.type";
const LEAST_DAYS: &str = "manifest.snapshot.retention_days.minimum";
const MATCHED: &str = "match.protocol-version";

/// What every object of JavaScript has.
pub(super) const INHERITED: &[&str] =
    &["constructor", "toString", "valueOf", "hasOwnProperty", "__proto__", "isPrototypeOf"];

/// Whether a value counts as false.
fn is_falsy(kind: &Kind) -> bool {
    match kind {
        Kind::Null | Kind::Bool(false) | Kind::Int(Integer::Small(0)) => true,
        Kind::Float(value) => *value == 0.0,
        Kind::String(text) => text.is_empty(),
        Kind::Sequence(items) => items.is_empty(),
        Kind::Mapping(entries) => entries.is_empty(),
        _ => false,
    }
}

/// Does not look at an optional field that counts as false.
fn skipping(ask: &Ask<'_>, keys: &[&str]) -> Answer {
    let skipped = ask.manifest(keys).is_some_and(|node| is_falsy(node.kind()));
    let at = format!("/{}", keys.join("/"));
    ask.answer().knowing(|finding| {
        !(skipped && finding.at.as_deref().is_some_and(|place| place.starts_with(&at)))
    })
}

/// Takes a required text that is empty for one that is not there.
fn wanting(ask: &Ask<'_>, keys: &[&str]) -> Answer {
    let empty = ask.manifest(keys).is_some_and(|node| node.as_str() == Some(""));
    if !(empty && ask.validates()) {
        return ask.answer();
    }
    let at = format!("/{}", keys.join("/"));
    let answer = ask.answer().knowing(|finding| finding.at.as_deref() != Some(&at));
    answer.with_error(&format!("manifest.{}.required", keys.join(".")), &at)
}

fn is_odd(entry: &Entry) -> bool {
    entry.key.as_str().is_none()
}

pub(super) const FAULTS: &[Fault] = &[
    // Objects that inherit
    Fault::test(
        "keys-inherited",
        "looks names of fields up in an object that has constructor and the like",
        &[TOP],
        |p| p.is_extension = |key| key.starts_with("x-") || INHERITED.contains(&key),
    ),
    Fault::test(
        "keys-inherited-nested",
        "looks nested names of fields up in an object that has constructor and the like",
        &[NESTED],
        |p| p.is_nested_extension = |key| INHERITED.contains(&key),
    ),
    Fault::program(
        "keys-inherited-runtime",
        "looks fields of a runtime document up in an object that has constructor and the like",
        &[RUNTIME],
        |ask| {
            ask.answer().knowing(|finding| {
                let key = finding.at.as_deref().unwrap_or_default().trim_start_matches('/');
                !(finding.rule == RUNTIME && INHERITED.contains(&key))
            })
        },
    ),
    Fault::program(
        "runtime-keys-without-case",
        "compares the fields of a runtime document without case, as encoding/json does",
        &[RUNTIME],
        |ask| {
            ask.answer().knowing(|finding| {
                let key = finding.at.as_deref().unwrap_or_default().trim_start_matches('/');
                let known = REFERENCE.runtime_fields.contains(&key.to_lowercase().as_str());
                !(finding.rule == RUNTIME && known)
            })
        },
    ),
    Fault::program("odd-keys-crash", "crashes on a key that is no text", &[TOP, NESTED], |ask| {
        let places: [&[&str]; 4] =
            [&[], &["state_publication"], &["logging_requirements"], &["snapshot"]];
        let odd = places.iter().any(|keys| {
            ask.manifest(keys)
                .and_then(Node::as_mapping)
                .is_some_and(|entries| entries.iter().any(is_odd))
        });
        if odd { Answer::crashing() } else { ask.answer() }
    }),
    // What counts as false
    Fault::program(
        "falsy-snapshot-skipped",
        "looks at a snapshot only when it counts as true",
        &["manifest.snapshot.type", "manifest.snapshot.paths.required"],
        |ask| skipping(ask, &["snapshot"]),
    ),
    Fault::program(
        "falsy-paths-skipped",
        "looks at the paths of a snapshot only when they count as true",
        &["manifest.snapshot.paths.type", "manifest.snapshot.paths.min-items"],
        |ask| skipping(ask, &["snapshot", "paths"]),
    ),
    Fault::program(
        "falsy-days-skipped",
        "looks at retention_days only when it counts as true",
        &[DAYS, LEAST_DAYS],
        |ask| skipping(ask, &["snapshot", "retention_days"]),
    ),
    Fault::program(
        "falsy-secrets-skipped",
        "looks at secrets only when they count as true",
        &["manifest.secrets.type", "manifest.secrets.min-items"],
        |ask| skipping(ask, &["secrets"]),
    ),
    Fault::program(
        "falsy-level-skipped",
        "looks at the level only when it counts as true",
        &["manifest.logging_requirements.level.type", "manifest.logging_requirements.level.values"],
        |ask| skipping(ask, &["logging_requirements", "level"]),
    ),
    Fault::program(
        "falsy-path-skipped",
        "looks at the path only when it counts as true",
        &["manifest.state_publication.path.type"],
        |ask| skipping(ask, &["state_publication", "path"]),
    ),
    Fault::program(
        "falsy-url-skipped",
        "looks at the URL only when it counts as true",
        &["manifest.state_publication.url.type", "manifest.state_publication.url.https"],
        |ask| skipping(ask, &["state_publication", "url"]),
    ),
    Fault::program(
        "falsy-entries-skipped",
        "leaves entries out that count as false",
        &[
            "manifest.agent_capabilities.item-type",
            "manifest.snapshot.paths.item-type",
            "manifest.secrets.item-type",
        ],
        |ask| {
            ask.answer().knowing(|finding| {
                let at = finding.at.as_deref().unwrap_or_default();
                let Some((above, index)) = at.rsplit_once('/') else { return true };
                let Ok(index) = index.parse::<usize>() else { return true };
                let keys: Vec<&str> = above.split('/').skip(1).collect();
                let items = ask.manifest(&keys).and_then(Node::as_sequence);
                let item = items.and_then(|items| items.get(index));
                !item.is_some_and(|item| is_falsy(item.kind()))
            })
        },
    ),
    Fault::program(
        "empty-id-missing",
        "takes an empty project id for one that is not there",
        &["manifest.project_id.required"],
        |ask| wanting(ask, &["project_id"]),
    ),
    Fault::program(
        "empty-version-missing",
        "takes an empty protocol version for one that is not there",
        &["manifest.protocol_version.required"],
        |ask| wanting(ask, &["protocol_version"]),
    ),
    Fault::program(
        "empty-profile-missing",
        "takes an empty isolation profile for one that is not there",
        &["manifest.isolation_profile.required"],
        |ask| wanting(ask, &["isolation_profile"]),
    ),
    Fault::program(
        "empty-target-missing",
        "takes an empty target for one that is not there",
        &["manifest.state_publication.target.required"],
        |ask| wanting(ask, &["state_publication", "target"]),
    ),
    // Null
    Fault::program(
        "null-required-missing",
        "says of a required field that is null that it is missing",
        &["manifest.project_id.type", "manifest.agent_capabilities.type"],
        |ask| {
            ask.answer().rewording(|finding| {
                let at = finding.at.clone().unwrap_or_default();
                let keys: Vec<&str> = at.split('/').skip(1).collect();
                let null = ask.manifest(&keys).is_some_and(|node| *node.kind() == Kind::Null);
                if let (true, Some(field)) = (null, finding.rule.strip_suffix(".type")) {
                    finding.rule = format!("{field}.required");
                }
            })
        },
    ),
    Fault::program(
        "tilde-as-text",
        "takes ~ for a text",
        &["manifest.project_id.type", "manifest.isolation_profile.type"],
        |ask| {
            ask.answer().knowing(|finding| {
                let keys: Vec<&str> =
                    finding.at.as_deref().unwrap_or_default().split('/').skip(1).collect();
                let tilde = ask.manifest(&keys).is_some_and(|node| node.text() == Some("~"));
                !(tilde && finding.rule.ends_with(".type"))
            })
        },
    ),
    Fault::program(
        "null-matches-as-empty",
        "takes capabilities that are null for an empty list",
        &["match.agent-capabilities"],
        |ask| match ask.manifest(&["agent_capabilities"]) {
            Some(node) if *node.kind() == Kind::Null => {
                ask.matching("match.agent-capabilities", "/agent_capabilities", true)
            }
            _ => ask.answer(),
        },
    ),
    Fault::program(
        "missing-matches-as-empty",
        "takes capabilities that are missing for an empty list",
        &["match.agent-capabilities"],
        |ask| match ask.manifest(&["agent_capabilities"]) {
            None => ask.matching("match.agent-capabilities", "/agent_capabilities", true),
            _ => ask.answer(),
        },
    ),
    Fault::program(
        "null-in-runtime-is-empty",
        "takes capabilities of a runtime that are null for an empty list",
        &["runtime.agent_capabilities.type"],
        |ask| {
            let null =
                |list: &str| ask.runtime(&[list]).is_some_and(|node| *node.kind() == Kind::Null);
            let null = null("agent_capabilities");
            ask.answer()
                .knowing(|finding| !(null && finding.rule == "runtime.agent_capabilities.type"))
        },
    ),
    Fault::program(
        "text-holds-a-profile",
        "looks for the profile in a text as in a list",
        &["runtime.isolation_profiles.type"],
        |ask| {
            let list = ask.runtime(&["isolation_profiles"]).and_then(Node::as_str);
            let wanted = ask.text(&["isolation_profile"]);
            let holds = list.zip(wanted).is_some_and(|(list, wanted)| list.contains(wanted));
            ask.answer()
                .knowing(|finding| !(holds && finding.rule == "runtime.isolation_profiles.type"))
        },
    ),
    Fault::program(
        "matches-by-text",
        "compares the texts of scalars of any type",
        &["match.isolation-profile", "match.agent-capabilities", MATCHED],
        |ask| {
            if ask.validates() {
                return ask.answer();
            }
            ask.tested(|p| {
                p.is_string = |kind| !matches!(kind, Kind::Sequence(_) | Kind::Mapping(_));
            })
        },
    ),
    // Numbers
    Fault::test("days-parsed-from-text", "reads a number at the start of a text", &[DAYS], |p| {
        p.is_integer = |kind, narrow| match kind {
            Kind::String(text) => text.starts_with(|c: char| c.is_ascii_digit()),
            other => (REFERENCE.is_integer)(other, narrow),
        };
        p.retention_days =
            |kind| matches!(kind, Kind::String(_)) || (REFERENCE.retention_days)(kind);
    }),
    Fault::test("days-without-end", "takes an infinity for an integer", &[DAYS], |p| {
        p.is_integer = |kind, narrow| match kind {
            Kind::Float(value) => value.floor() == *value,
            other => (REFERENCE.is_integer)(other, narrow),
        };
    }),
    Fault::program("special-floats-crash", "crashes on infinities", &[DAYS], |ask| {
        let node = ask.manifest(&["snapshot", "retention_days"]);
        match node.map(Node::kind) {
            Some(Kind::Float(value)) if !value.is_finite() => Answer::crashing(),
            _ => ask.answer(),
        }
    }),
    Fault::program(
        "days-in-plain-digits",
        "reads whole numbers in decimal digits alone",
        &[DAYS],
        |ask| {
            let node = ask.manifest(&["snapshot", "retention_days"]);
            let odd = node.is_some_and(|node| {
                matches!(node.kind(), Kind::Int(_))
                    && !node.text().unwrap_or_default().bytes().all(|b| b.is_ascii_digit())
            });
            if odd && ask.operation() == "strict" {
                ask.answer().with_error(DAYS, "/snapshot/retention_days")
            } else {
                ask.answer()
            }
        },
    ),
    Fault::program(
        "booleans-in-small-letters",
        "knows true and false, and neither True nor TRUE",
        &["manifest.logging_requirements.structured.type"],
        |ask| {
            let node = ask.manifest(&["logging_requirements", "structured"]);
            let other = node.is_some_and(|node| {
                matches!(node.kind(), Kind::Bool(_))
                    && !matches!(node.text(), Some("true" | "false"))
            });
            let rule = "manifest.logging_requirements.structured.type";
            if other && ask.validates() {
                ask.answer().with_error(rule, "/logging_requirements/structured")
            } else {
                ask.answer()
            }
        },
    ),
    Fault::program(
        "places-from-one",
        "counts the entries of a list from one",
        &["manifest.agent_capabilities.values", "manifest.secrets.pattern"],
        |ask| {
            ask.answer().rewording(|finding| {
                let at = finding.at.clone().unwrap_or_default();
                if let Some((above, index)) = at.rsplit_once('/')
                    && let Ok(index) = index.parse::<usize>()
                {
                    finding.at = Some(format!("{above}/{}", index + 1));
                }
            })
        },
    ),
    Fault::program(
        "level-needs-structured",
        "takes a level only beside structured: true",
        &["manifest.logging_requirements.level.values"],
        |ask| {
            let at = |key: &str| ask.manifest(&["logging_requirements", key]).map(Node::kind);
            let plain = at("structured") == Some(&Kind::Bool(false)) && at("level").is_some();
            if plain && ask.operation() == "strict" {
                ask.answer().rejecting()
            } else {
                ask.answer()
            }
        },
    ),
];
