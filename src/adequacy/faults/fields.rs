//! Fields that are missing or not known, and extensions.

use super::super::fault::Fault;
use super::super::{Answer, Ask};
use crate::core::Release;
use crate::reference::{REFERENCE, Since};
use crate::yaml::Kind;

const TOP: &str = "manifest.unknown-field.top-level";
const NESTED: &str = "manifest.unknown-field.nested";
const EXTENSION: &str = "manifest.extension.top-level";
const NOT_NESTED: &str = "manifest.extension.not-nested";
const RUNTIME: &str = "runtime.unknown-field";
const RUNTIME_EXTENSION: &str = "runtime.extension.top-level";

/// All fields, as if each had been there from the start.
const EVER: &[Since] = &[
    ("protocol_version", Release::new(0, 1, 0)),
    ("project_id", Release::new(0, 1, 0)),
    ("agent_capabilities", Release::new(0, 1, 0)),
    ("isolation_profile", Release::new(0, 1, 0)),
    ("state_publication", Release::new(0, 1, 0)),
    ("logging_requirements", Release::new(0, 1, 0)),
    ("snapshot", Release::new(0, 1, 0)),
    ("secrets", Release::new(0, 1, 0)),
];

/// Looks at none of the keys below a place.
fn overlooking(ask: &Ask<'_>, place: &str) -> Answer {
    let is_below = |at: &str| at.starts_with(place);
    ask.answer().knowing(|f| f.rule != NESTED || !f.at.as_deref().is_some_and(is_below))
}

pub(super) const FAULTS: &[Fault] = &[
    Fault::test(
        "snapshot-ever-known",
        "knows newer fields at every protocol version",
        &[TOP],
        |p| {
            p.manifest_fields = EVER;
        },
    ),
    Fault::test(
        "snapshot-not-known",
        "knows no field newer than v0.1.0",
        &["manifest.snapshot.type"],
        |p| {
            p.manifest_fields = REFERENCE.manifest_fields.split_at(6).0;
        },
    ),
    Fault::test(
        "secrets-not-known",
        "knows no field newer than v0.3.0",
        &["manifest.secrets.type"],
        |p| {
            p.manifest_fields = REFERENCE.manifest_fields.split_at(7).0;
        },
    ),
    Fault::test(
        "logging-optional",
        "asks for no logging_requirements",
        &["manifest.logging_requirements.required"],
        |p| {
            p.manifest_required = REFERENCE.manifest_required.split_at(5).0;
        },
    ),
    Fault::test(
        "fields-optional",
        "takes every field for optional",
        &[
            "manifest.protocol_version.required",
            "manifest.isolation_profile.required",
            "manifest.state_publication.required",
        ],
        |p| {
            p.manifest_required = &[];
        },
    ),
    Fault::test(
        "nested-fields-optional",
        "asks for the top level fields alone",
        &[
            "manifest.state_publication.target.required",
            "manifest.logging_requirements.structured.required",
        ],
        |p| {
            (p.state_required, p.logging_required, p.snapshot_required) = (&[], &[], &[]);
        },
    ),
    Fault::test(
        "level-required",
        "asks for the level of logging",
        &["manifest.logging_requirements.level.type"],
        |p| {
            p.logging_required = &["structured", "level"];
        },
    ),
    Fault::program(
        "empty-is-missing",
        "takes an empty mapping or list for a field that is not there",
        &[
            "manifest.logging_requirements.structured.required",
            "manifest.agent_capabilities.min-items",
        ],
        |ask| {
            let mut answer = ask.answer();
            for field in ["agent_capabilities", "state_publication", "logging_requirements"] {
                let node = ask.manifest(&[field]);
                let empty = node.is_some_and(|node| {
                    node.as_sequence().is_some_and(<[_]>::is_empty)
                        || node.as_mapping().is_some_and(<[_]>::is_empty)
                });
                if empty && ask.validates() {
                    let below = format!("/{field}");
                    answer = answer
                        .knowing(|f| !f.at.as_deref().is_some_and(|at| at.starts_with(&below)))
                        .with_error(&format!("manifest.{field}.required"), &below);
                }
            }
            answer
        },
    ),
    Fault::program(
        "unknown-null-ignored",
        "overlooks an unknown field without a value",
        &[TOP, NESTED],
        |ask| {
            ask.answer().knowing(|finding| {
                let at = finding.at.as_deref().unwrap_or_default();
                let keys: Vec<&str> = at.split('/').skip(1).collect();
                !(finding.rule.starts_with("manifest.unknown-field.")
                    && ask.manifest(&keys).is_some_and(|node| *node.kind() == Kind::Null))
            })
        },
    ),
    Fault::test("keys-without-case", "compares the names of fields without case", &[TOP], |p| {
        p.is_extension = |key| {
            let lower = key.to_ascii_lowercase();
            key.starts_with("x-")
                || REFERENCE.manifest_fields.iter().any(|(field, _)| *field == lower)
        };
    }),
    Fault::test("keys-trimmed", "cuts blanks off the names of fields", &[TOP], |p| {
        p.is_extension = |key| {
            key.starts_with("x-")
                || REFERENCE.manifest_fields.iter().any(|(field, _)| *field == key.trim())
        };
    }),
    Fault::test(
        "comment-keys-known",
        "takes keys that begin with _ or $ for comments",
        &[TOP, RUNTIME],
        |p| {
            p.is_extension = |key| key.starts_with("x-") || key.starts_with(['_', '$']);
        },
    ),
    Fault::test("metadata-known", "knows description, name and version as well", &[TOP], |p| {
        p.is_extension = |key| {
            key.starts_with("x-")
                || matches!(key, "description" | "name" | "version" | "metadata" | "labels")
        };
    }),
    Fault::test(
        "unknown-in-state-ignored",
        "overlooks unknown keys of state_publication",
        &[NESTED],
        |p| {
            p.is_nested_extension =
                |key| matches!(key, "format" | "interval" | "method" | "headers" | "token");
        },
    ),
    Fault::program(
        "unknown-in-state-overlooked",
        "does not look at the keys of state_publication",
        &[NESTED],
        |ask| overlooking(ask, "/state_publication/"),
    ),
    Fault::program(
        "unknown-in-logging-overlooked",
        "does not look at the keys of logging_requirements",
        &[NESTED],
        |ask| overlooking(ask, "/logging_requirements/"),
    ),
    Fault::program(
        "unknown-in-snapshot-overlooked",
        "does not look at the keys of snapshot",
        &[NESTED],
        |ask| overlooking(ask, "/snapshot/"),
    ),
    Fault::test(
        "known-elsewhere",
        "knows a field wherever it stands in another mapping",
        &[NESTED],
        |p| {
            p.is_nested_extension = |key| {
                REFERENCE.manifest_fields.iter().any(|(field, _)| *field == key)
                    || matches!(
                        key,
                        "target"
                            | "path"
                            | "url"
                            | "structured"
                            | "level"
                            | "paths"
                            | "retention_days"
                    )
            };
        },
    ),
    Fault::test("extension-refused", "knows no extensions", &[EXTENSION, RUNTIME_EXTENSION], |p| {
        p.is_extension = |_| false;
    }),
    Fault::test(
        "extension-nested",
        "lets extensions pass in nested mappings as well",
        &[NOT_NESTED, NESTED],
        |p| {
            p.is_nested_extension = |key| key.starts_with("x-");
        },
    ),
    Fault::test(
        "extension-anywhere",
        "finds x- anywhere in a key",
        &[EXTENSION, TOP, RUNTIME],
        |p| {
            p.is_extension = |key| key.contains("x-");
        },
    ),
    Fault::test(
        "extension-x-alone",
        "takes every key that begins with x for an extension",
        &[EXTENSION, TOP, RUNTIME],
        |p| {
            p.is_extension = |key| key.starts_with('x');
        },
    ),
    Fault::test("extension-capital", "takes X- for x-", &[EXTENSION, TOP, RUNTIME], |p| {
        p.is_extension = |key| key.starts_with("x-") || key.starts_with("X-");
    }),
    Fault::test("extension-underscore", "takes x_ for x-", &[EXTENSION, TOP, RUNTIME], |p| {
        p.is_extension = |key| key.starts_with("x-") || key.starts_with("x_");
    }),
    Fault::test(
        "extension-needs-name",
        "refuses an extension of the bare name x-",
        &[EXTENSION],
        |p| {
            p.is_extension = |key| key.starts_with("x-") && key.len() > 2;
        },
    ),
    Fault::test(
        "extension-of-slug",
        "wants letters, digits and hyphens after x-",
        &[EXTENSION],
        |p| {
            p.is_extension = |key| {
                key.strip_prefix("x-")
                    .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'))
            };
        },
    ),
    Fault::program(
        "extension-needs-mapping",
        "wants a mapping as the value of an extension",
        &[EXTENSION],
        |ask| {
            ask.extensions()
                .filter(|(_, value)| ask.is_strict() && value.as_mapping().is_none())
                .fold(ask.answer(), |answer, _| answer.with_error(TOP, ""))
        },
    ),
    Fault::program(
        "extension-checked-inside",
        "looks for unknown fields inside of extensions",
        &[EXTENSION],
        |ask| {
            ask.extensions()
                .filter(|(_, value)| ask.is_strict() && value.as_mapping().is_some())
                .fold(ask.answer(), |answer, _| answer.with_error(NESTED, ""))
        },
    ),
];
