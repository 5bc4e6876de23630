//! `snapshot` and `secrets`, which came after v0.1.0.

use super::super::fault::Fault;
use crate::reference::{Fit, REFERENCE};
use crate::yaml::{Integer, Kind};

const RECOMMENDED: &str = "manifest.snapshot.recommended";
const PATHS: &str = "manifest.snapshot.paths.required";
const ABSOLUTE: &str = "manifest.snapshot.paths.not-absolute";
const PARENT: &str = "manifest.snapshot.paths.no-parent";
const DAYS: &str = "manifest.snapshot.retention_days.minimum";
const PATTERN: &str = "manifest.secrets.pattern";
const DECLARED: &str = "manifest.secrets.requires-read_secrets";
const SCHEMA: &str = "manifest.schema-agrees";

fn fit(holds: bool) -> Fit {
    if holds { Fit::Holds } else { Fit::Breaks }
}

fn name(text: &str) -> bool {
    (REFERENCE.secret_name)(text)
}

fn days(kind: &Kind, holds: impl Fn(i128) -> bool) -> bool {
    match kind {
        Kind::Int(Integer::Small(days)) => holds(*days),
        other => (REFERENCE.retention_days)(other),
    }
}

pub(super) const FAULTS: &[Fault] = &[
    // snapshot
    Fault::test("snapshot-never-advised", "recommends no snapshot", &[RECOMMENDED], |p| {
        p.snapshot_advised = |_| false
    }),
    Fault::test(
        "snapshot-advised-first",
        "looks for snapshot_restore in the first place alone",
        &[RECOMMENDED],
        |p| {
            p.snapshot_advised = |capabilities| capabilities.first() == Some(&"snapshot_restore");
        },
    ),
    Fault::test(
        "snapshot-advised-for-handoff",
        "recommends a snapshot for handoff",
        &[RECOMMENDED],
        |p| {
            p.snapshot_advised = |capabilities| {
                capabilities.contains(&"snapshot_restore") || capabilities.contains(&"handoff")
            };
        },
    ),
    Fault::program(
        "snapshot-needs-capability",
        "refuses a snapshot without snapshot_restore",
        &["manifest.snapshot.type", RECOMMENDED],
        |ask| {
            let declared = ask.wanted("agent_capabilities").contains(&"snapshot_restore");
            let has = ask.manifest(&["snapshot"]).is_some();
            if has && !declared && ask.operation() == "strict" {
                ask.answer().rejecting()
            } else {
                ask.answer()
            }
        },
    ),
    Fault::test("snapshot-paths-optional", "asks for no paths", &[PATHS], |p| {
        p.snapshot_required = &[]
    }),
    Fault::test("snapshot-days-required", "knows retention_days without paths", &[PATHS], |p| {
        p.snapshot_required = &["retention_days"]
    }),
    Fault::test(
        "snapshot-no-days",
        "does not know retention_days",
        &["manifest.unknown-field.nested", "manifest.snapshot.retention_days.type"],
        |p| p.snapshot_fields = &["paths"],
    ),
    Fault::test(
        "paths-may-be-none",
        "takes an empty list of paths",
        &["manifest.snapshot.paths.min-items"],
        |p| p.paths_min = 0,
    ),
    Fault::test(
        "paths-at-least-two",
        "wants two paths",
        &["manifest.snapshot.paths.min-items"],
        |p| p.paths_min = 2,
    ),
    Fault::test(
        "paths-twice",
        "lets a path stand twice",
        &["manifest.snapshot.paths.unique"],
        |p| p.paths_distinct = |_| true,
    ),
    Fault::test(
        "paths-twice-normalised",
        "takes a and ./a for the same path",
        &["manifest.snapshot.paths.unique"],
        |p| {
            p.paths_distinct = |entries| {
                let plain: Vec<&str> = entries
                    .iter()
                    .map(|path| path.trim_start_matches("./").trim_end_matches('/'))
                    .collect();
                (REFERENCE.paths_distinct)(&plain)
            };
        },
    ),
    Fault::test("path-absolute-in-snapshot", "takes absolute paths", &[ABSOLUTE], |p| {
        p.path_not_absolute = |_| Fit::Holds
    }),
    Fault::test(
        "path-hidden-in-snapshot",
        "refuses paths that begin with a dot",
        &[ABSOLUTE, PARENT],
        |p| {
            p.path_not_absolute = |path| fit(!path.starts_with(['/', '.']));
        },
    ),
    Fault::test(
        "path-directory-in-snapshot",
        "refuses a path with a slash at its end",
        &[ABSOLUTE],
        |p| {
            p.path_not_absolute = |path| fit(!path.starts_with('/') && !path.ends_with('/'));
        },
    ),
    Fault::test("path-parent-in-snapshot", "takes .. in paths", &[PARENT], |p| {
        p.path_no_parent = |_| Fit::Holds
    }),
    Fault::test(
        "path-parent-at-start",
        "looks for ../ at the start alone",
        &[PARENT, SCHEMA],
        |p| p.path_no_parent = |path| fit(!path.starts_with("../") && path != ".."),
    ),
    Fault::test(
        "path-parent-with-slash",
        "looks for ../ anywhere, and not for .. at the end",
        &[PARENT],
        |p| p.path_no_parent = |path| fit(!path.contains("../")),
    ),
    Fault::test(
        "path-parent-not-alone",
        "looks for ../ and /.., and not for .. by itself",
        &[PARENT],
        |p| {
            p.path_no_parent = |path| fit(!path.contains("../") && !path.contains("/.."));
        },
    ),
    Fault::test(
        "path-parent-normalised",
        "lets .. pass that stays below the start",
        &[PARENT],
        |p| {
            p.path_no_parent = |path| {
                let mut depth = 0;
                fit(path.split('/').all(|part| {
                    depth += match part {
                        ".." => -1,
                        "" | "." => 0,
                        _ => 1,
                    };
                    depth >= 0
                }))
            };
        },
    ),
    Fault::test("path-parent-as-text", "refuses two dots anywhere", &[PARENT], |p| {
        p.path_no_parent = |path| fit(!path.contains(".."))
    })
    .equivalent("L11: whether a..b is odd is open"),
    Fault::program(
        "path-first-in-snapshot",
        "looks at the first path alone",
        &[ABSOLUTE, PARENT],
        |ask| {
            ask.answer().knowing(|finding| {
                let entry = finding.rule == ABSOLUTE || finding.rule == PARENT;
                !entry || finding.at.as_deref() == Some("/snapshot/paths/0")
            })
        },
    ),
    Fault::test("days-zero", "checks retention_days only when it counts as true", &[DAYS], |p| {
        p.retention_days = |kind| days(kind, |days| days >= 1 || days == 0)
    }),
    Fault::test("days-negative", "refuses retention_days of 0, and no others", &[DAYS], |p| {
        p.retention_days = |kind| days(kind, |days| days != 0)
    }),
    Fault::test("days-more-than-one", "wants more than one day", &[DAYS], |p| {
        p.retention_days = |kind| days(kind, |days| days > 1)
    }),
    Fault::test("days-of-a-year", "allows 365 days", &[DAYS], |p| {
        p.retention_days = |kind| days(kind, |days| (1..=365).contains(&days))
    }),
    Fault::test("days-of-32-bits", "has 32 bits for retention_days", &[DAYS], |p| {
        p.retention_days = |kind| days(kind, |days| (1..=i128::from(i32::MAX)).contains(&days));
    }),
    Fault::test("days-not-checked", "takes any integer", &[DAYS], |p| p.retention_days = |_| true),
    // secrets
    Fault::test("secret-lower-case", "takes small letters", &[PATTERN], |p| {
        p.secret_name = |text| name(&text.to_ascii_uppercase())
    }),
    Fault::test("secret-first-digit", "lets a name begin with a digit", &[PATTERN], |p| {
        p.secret_name = |text| {
            name(text)
                || (text.starts_with(|c: char| c.is_ascii_digit())
                    && name(&format!("A{}", &text[1..])))
        };
    }),
    Fault::test(
        "secret-first-underscore",
        "lets a name begin with an underscore",
        &[PATTERN],
        |p| {
            p.secret_name =
                |text| name(text) || (text.starts_with('_') && name(&format!("A{}", &text[1..])));
        },
    ),
    Fault::test("secret-hyphen", "takes hyphens", &[PATTERN], |p| {
        p.secret_name = |text| name(&text.replace('-', "_"))
    }),
    Fault::test("secret-dot", "takes dots and slashes", &[PATTERN], |p| {
        p.secret_name = |text| name(&text.replace(['.', '/'], "_"))
    }),
    Fault::test("secret-blank", "takes blanks", &[PATTERN], |p| {
        p.secret_name = |text| name(&text.replace(' ', "_"))
    }),
    Fault::test("secret-no-digits", "takes no digits", &[PATTERN], |p| {
        p.secret_name = |text| name(text) && !text.contains(|c: char| c.is_ascii_digit())
    }),
    Fault::test("secret-other-letters", "takes capital letters of any script", &[PATTERN], |p| {
        p.secret_name = |text| {
            name(&text.chars().map(|c| if c.is_uppercase() { 'A' } else { c }).collect::<String>())
        };
    }),
    Fault::test("secret-length-127", "allows 127 characters", &[PATTERN], |p| {
        p.secret_name = |text| name(text) && text.len() <= 127
    }),
    Fault::test("secret-length-129", "allows 129 characters", &[PATTERN], |p| {
        p.secret_name =
            |text| name(text) || (text.len() == 129 && name(text.get(..128).unwrap_or_default()));
    }),
    Fault::test("secret-length-any", "sets no limit to the length", &[PATTERN], |p| {
        p.secret_name = |text| {
            name(text.get(..1).unwrap_or_default())
                && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
        };
    }),
    Fault::test("secret-of-one-letter", "wants two characters", &[PATTERN], |p| {
        p.secret_name = |text| name(text) && text.len() > 1
    }),
    Fault::test(
        "secret-line-feed",
        "lets a line feed follow, as $ does",
        &[PATTERN, SCHEMA],
        |p| p.secret_name = |text| name(text.strip_suffix('\n').unwrap_or(text)),
    ),
    Fault::test("secret-any-start", "matches the start of a name alone", &[PATTERN], |p| {
        p.secret_name = |text| name(text.get(..1).unwrap_or_default())
    }),
    Fault::program("secret-first-only", "looks at the first name alone", &[PATTERN], |ask| {
        ask.answer().knowing(|f| f.rule != PATTERN || f.at.as_deref() == Some("/secrets/0"))
    }),
    Fault::test(
        "secrets-may-be-none",
        "takes an empty list of secrets",
        &["manifest.secrets.min-items"],
        |p| p.secrets_min = 0,
    ),
    Fault::test(
        "secrets-at-least-two",
        "wants two secrets",
        &["manifest.secrets.min-items"],
        |p| p.secrets_min = 2,
    ),
    Fault::test("secrets-twice", "lets a name stand twice", &["manifest.secrets.unique"], |p| {
        p.secrets_distinct = |_| true
    }),
    Fault::test("secrets-not-declared", "lists secrets without read_secrets", &[DECLARED], |p| {
        p.secrets_declared = |_| true
    }),
    Fault::test(
        "secrets-declared-last",
        "looks for read_secrets in the last place alone",
        &[DECLARED],
        |p| {
            p.secrets_declared = |capabilities| capabilities.last() == Some(&"read_secrets");
        },
    ),
    Fault::program("secrets-missing", "wants secrets beside read_secrets", &[DECLARED], |ask| {
        let declared = ask.wanted("agent_capabilities").contains(&"read_secrets");
        let has = ask.manifest(&["secrets"]).is_some();
        if declared && !has && ask.operation() == "strict" {
            ask.answer().with_error(DECLARED, "/secrets")
        } else {
            ask.answer()
        }
    }),
    Fault::program(
        "secrets-as-mapping",
        "takes a mapping of names to values",
        &["manifest.secrets.type"],
        |ask| {
            let mapping =
                ask.manifest(&["secrets"]).is_some_and(|node| node.as_mapping().is_some());
            if mapping {
                ask.answer().knowing(|f| f.rule != "manifest.secrets.type")
            } else {
                ask.answer()
            }
        },
    ),
    Fault::test("secret-last-underscore", "lets no name end with an underscore", &[PATTERN], |p| {
        p.secret_name = |text| name(text) && !text.ends_with('_')
    }),
    Fault::test(
        "secret-underscores-in-a-row",
        "lets no two underscores follow each other in a name",
        &[PATTERN],
        |p| p.secret_name = |text| name(text) && !text.contains("__"),
    ),
    Fault::test(
        "paths-twice-apart",
        "finds only equal paths that follow each other",
        &["manifest.snapshot.paths.unique"],
        |p| p.paths_distinct = |entries| entries.windows(2).all(|pair| pair[0] != pair[1]),
    ),
    Fault::test(
        "secrets-twice-apart",
        "finds only equal names that follow each other",
        &["manifest.secrets.unique"],
        |p| p.secrets_distinct = |entries| entries.windows(2).all(|pair| pair[0] != pair[1]),
    ),
    Fault::test(
        "paths-twice-without-case",
        "compares paths without case",
        &["manifest.snapshot.paths.unique"],
        |p| {
            p.paths_distinct = |entries| {
                let lower: Vec<String> = entries.iter().map(|path| path.to_lowercase()).collect();
                (REFERENCE.paths_distinct)(&lower.iter().map(String::as_str).collect::<Vec<_>>())
            };
        },
    ),
    Fault::program(
        "secret-one-is-enough",
        "is content with one name that is of the pattern",
        &[PATTERN],
        |ask| {
            let broken = ask.answer().findings.iter().filter(|f| f.rule == PATTERN).count();
            let all = ask.wanted("secrets").len();
            ask.answer().knowing(|finding| broken == all || finding.rule != PATTERN)
        },
    ),
    Fault::test(
        "secrets-declared-by-part",
        "finds read_secrets in a longer name",
        &[DECLARED],
        |p| {
            p.secrets_declared =
                |capabilities| capabilities.iter().any(|name| name.contains("read_secrets"));
        },
    ),
    Fault::test(
        "secrets-declared-any-case",
        "finds READ_PATTERNS and read-secrets for read_secrets",
        &[DECLARED],
        |p| {
            p.secrets_declared = |capabilities| {
                let plain = |name: &str| name.to_lowercase().replace('-', "_");
                capabilities.iter().any(|name| plain(name) == "read_secrets")
            };
        },
    ),
    Fault::test(
        "snapshot-advised-by-part",
        "finds snapshot_restore in a longer name",
        &[RECOMMENDED],
        |p| {
            p.snapshot_advised =
                |capabilities| capabilities.iter().any(|name| name.contains("snapshot_restore"));
        },
    ),
    Fault::test("secret-on-any-line", "matches a line, as ^ and $ do", &[PATTERN], |p| {
        p.secret_name = |text| text.lines().any(REFERENCE.secret_name);
    }),
];
