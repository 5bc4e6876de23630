//! `protocol_version` of a manifest.

use super::super::fault::Fault;
use crate::reference::REFERENCE;

const VERSION: &str = "manifest.protocol_version.pattern";

fn version(text: &str) -> bool {
    (REFERENCE.version_pattern)(text)
}

/// What is left of a text when the characters at its end are taken off that a
/// pattern without an anchor would not look at.
fn any_start(text: &str) -> bool {
    (0..=text.len()).any(|end| text.get(..end).is_some_and(version))
}

fn any_end(text: &str) -> bool {
    (0..=text.len()).any(|start| text.get(start..).is_some_and(version))
}

pub(super) const FAULTS: &[Fault] = &[
    Fault::test(
        "version-not-checked",
        "takes any string for a protocol version",
        &[VERSION],
        |p| p.version_pattern = |_| true,
    ),
    Fault::test(
        "version-open-end",
        "matches the start of a protocol version alone",
        &[VERSION],
        |p| p.version_pattern = any_start,
    ),
    Fault::test(
        "version-open-start",
        "finds a protocol version at the end of any text",
        &[VERSION],
        |p| p.version_pattern = any_end,
    ),
    Fault::test(
        "version-line-feed",
        "lets a line feed follow the protocol version, as $ does",
        &[VERSION],
        |p| {
            p.version_pattern = |text| version(text.strip_suffix('\n').unwrap_or(text));
        },
    ),
    Fault::test("version-trimmed", "cuts blanks off the protocol version", &[VERSION], |p| {
        p.version_pattern = |text| version(text.trim())
    }),
    Fault::test("version-without-v", "takes a protocol version without its v", &[VERSION], |p| {
        p.version_pattern = |text| version(text) || version(&format!("v{text}"));
    }),
    Fault::test("version-capital-v", "takes V for v", &[VERSION], |p| {
        p.version_pattern = |text| version(&text.replacen('V', "v", 1));
    }),
    Fault::test(
        "version-of-two-numbers",
        "takes a protocol version of two numbers",
        &[VERSION],
        |p| {
            p.version_pattern = |text| version(text) || version(&format!("{text}.0"));
        },
    ),
    Fault::test(
        "version-of-four-numbers",
        "takes a protocol version of four numbers",
        &[VERSION],
        |p| {
            p.version_pattern = |text| {
                version(text)
                    || text
                        .rsplit_once('.')
                        .is_some_and(|(head, _)| version(head) && !head.contains('-'))
            };
        },
    ),
    Fault::test(
        "version-of-one-digit",
        "has one digit for each number of a protocol version",
        &[VERSION],
        |p| {
            p.version_pattern = |text| {
                let core = text.split('-').next().unwrap_or_default();
                version(text)
                    && core.trim_start_matches('v').split('.').all(|number| number.len() == 1)
            };
        },
    ),
    Fault::test("version-no-pre-release", "knows no pre-release part", &[VERSION], |p| {
        p.version_pattern = |text| version(text) && !text.contains('-')
    }),
    Fault::test(
        "version-pre-release-draft",
        "knows no pre-release part but draft",
        &[VERSION],
        |p| {
            p.version_pattern =
                |text| version(text) && text.split_once('-').is_none_or(|(_, pre)| pre == "draft");
        },
    ),
    Fault::test(
        "version-pre-release-without-dots",
        "wants letters, digits and hyphens in a pre-release part",
        &[VERSION],
        |p| {
            p.version_pattern = |text| {
                version(text) && text.split_once('-').is_none_or(|(_, pre)| !pre.contains('.'))
            };
        },
    ),
    Fault::test(
        "version-pre-release-empty",
        "lets a hyphen end the protocol version",
        &[VERSION],
        |p| {
            p.version_pattern = |text| version(text.strip_suffix('-').unwrap_or(text));
        },
    ),
    Fault::test(
        "version-pre-release-underscore",
        "takes \\w for the characters of a pre-release part",
        &[VERSION],
        |p| {
            p.version_pattern = |text| version(&text.replace('_', "a"));
        },
    ),
    Fault::test("version-build", "lets build metadata follow, as SemVer does", &[VERSION], |p| {
        p.version_pattern = |text| version(text.split_once('+').map_or(text, |(head, _)| head));
    }),
    Fault::test("version-other-digits", "takes \\d for the digits of ASCII", &[VERSION], |p| {
        p.version_pattern = |text| {
            version(&text.chars().map(|c| if c.is_numeric() { '0' } else { c }).collect::<String>())
        };
    }),
    Fault::test("version-semver", "wants protocol versions by SemVer", &[VERSION], |p| {
        p.version_pattern = |text| version(text) && (REFERENCE.version_semantic)(text);
    })
    .equivalent("L8: the spec calls versions SemVer and gives a pattern that is wider"),
    Fault::test(
        "version-plus-sign",
        "reads +1 as a number, as parsers of numbers do",
        &[VERSION],
        |p| {
            p.version_pattern = |text| version(&text.replace("v+", "v").replace(".+", "."));
        },
    ),
    Fault::test(
        "version-pre-release-small-letters",
        "takes no capital letters in a pre-release part",
        &[VERSION],
        |p| {
            p.version_pattern =
                |text| version(text) && !text.bytes().any(|byte| byte.is_ascii_uppercase());
        },
    ),
    Fault::test(
        "version-pre-release-letter-first",
        "wants a letter at the start of a pre-release part",
        &[VERSION],
        |p| {
            p.version_pattern = |text| {
                let first = text.split_once('-').and_then(|(_, pre)| pre.chars().next());
                version(text) && first.is_none_or(|first| first.is_ascii_alphabetic())
            };
        },
    ),
    Fault::test("version-on-any-line", "matches a line, as ^ and $ do", &[VERSION], |p| {
        p.version_pattern = |text| text.lines().any(version);
    }),
    Fault::test(
        "version-known-alone",
        "knows the releases that there are alone",
        &[VERSION],
        |p| {
            p.version_pattern = |text| {
                matches!(text.split('-').next(), Some("v0.1.0" | "v0.2.0" | "v0.3.0" | "v0.4.0"))
                    && (REFERENCE.version_pattern)(text)
            };
        },
    ),
    Fault::test("version-newer-refused", "refuses versions after the newest", &[VERSION], |p| {
        p.version_pattern = |text| {
            let newer = (REFERENCE.reduce)(text).is_some_and(|reduced| {
                reduced.version.major.saturated() > 0 || reduced.version.minor.saturated() > 4
            });
            !newer && (REFERENCE.version_pattern)(text)
        };
    }),
];
