//! What goes wrong before a document is looked at: loaders, encodings, files.

use super::super::fault::Fault;
use super::super::{Answer, Ask};
use crate::core::Document;
use crate::reference::{Predicates, Question, REFERENCE, Reading};
use crate::yaml::{Entry, Kind, Node, Schema};

const PARSE: &str = "manifest.document.parse";
const RUNTIME_PARSE: &str = "runtime.document.parse";
const MAPPING: &str = "manifest.document.mapping";

/// Answers as a program whose loader differs on this question.
fn otherwise(ask: &Ask<'_>, reading: Reading, refuses: fn(Question) -> bool) -> Answer {
    ask.read(reading, |predicates: &mut Predicates| predicates.refuses = refuses)
}

/// Cannot read a document that some test of its bytes finds.
fn stumbles(ask: &Ask<'_>, over: impl Fn(&Document) -> bool) -> Answer {
    match ask.documents().iter().find(|document| over(document)) {
        Some(document) => ask.unreadable(&document.name),
        None => ask.answer(),
    }
}

/// Whether a document has such a line.
fn has_line(document: &Document, is: impl Fn(&str) -> bool) -> bool {
    std::str::from_utf8(&document.bytes).is_ok_and(|text| text.lines().any(is))
}

/// Whether nodes go this many levels below this one. Of a bomb only so many are looked at.
fn is_deeper(node: &Node, levels: usize, budget: &mut usize) -> bool {
    *budget = budget.saturating_sub(1);
    let Some(levels) = levels.checked_sub(1) else { return true };
    match node.kind() {
        _ if *budget == 0 => false,
        Kind::Sequence(items) => items.iter().any(|item| is_deeper(item, levels, budget)),
        Kind::Mapping(entries) => {
            entries.iter().any(|entry| is_deeper(&entry.value, levels, budget))
        }
        _ => false,
    }
}

pub(super) const FAULTS: &[Fault] = &[
    Fault::program(
        "bom-refused",
        "cannot read a document with a byte order mark",
        &[PARSE],
        |ask| stumbles(ask, |document| document.bytes.starts_with(b"\xef\xbb\xbf")),
    ),
    Fault::program(
        "crlf-refused",
        "cannot read a document with the line ends of Windows",
        &[PARSE, RUNTIME_PARSE],
        |ask| stumbles(ask, |document| document.bytes.windows(2).any(|pair| pair == b"\r\n")),
    ),
    Fault::program(
        "final-newline-needed",
        "cannot read a document whose last line has no end",
        &[PARSE],
        |ask| {
            stumbles(ask, |document| {
                document.bytes.last().is_some_and(|byte| !matches!(byte, b'\n' | b'\r'))
            })
        },
    ),
    Fault::program(
        "ascii-only",
        "cannot read what is not ASCII",
        &["manifest.extension.top-level", "runtime.runtime.type"],
        |ask| {
            stumbles(ask, |document| {
                std::str::from_utf8(&document.bytes).is_ok_and(|text| !text.is_ascii())
            })
        },
    ),
    Fault::program(
        "encoding-not-checked",
        "reads bytes that are no UTF-8 as Latin-1",
        &[PARSE, RUNTIME_PARSE],
        |ask| {
            ask.rewritten(|document| {
                let broken = std::str::from_utf8(&document.bytes).is_err();
                let utf16 = document.bytes.contains(&0);
                let latin1 = || document.bytes.iter().map(|&byte| char::from(byte)).collect();
                (broken && !utf16).then(latin1).map(String::into_bytes)
            })
        },
    ),
    Fault::program(
        "tabs-taken-for-blanks",
        "replaces tabs by blanks before it parses",
        &[PARSE],
        |ask| {
            ask.rewritten(|document| {
                let text = std::str::from_utf8(&document.bytes).ok()?;
                text.contains('\t').then(|| text.replace('\t', "  ").into_bytes())
            })
        },
    ),
    Fault::program(
        "flow-style-refused",
        "reads by lines, and no flow style",
        &[PARSE, "runtime.document.json"],
        |ask| stumbles(ask, |document| matches!(document.bytes.trim_ascii().first(), Some(b'{'))),
    ),
    Fault::program(
        "json-refused",
        "knows no runtime document that is written as JSON",
        &["runtime.document.json"],
        |ask| stumbles(ask, |document| document.path.ends_with(".json")),
    ),
    Fault::program(
        "yaml-refused",
        "knows no runtime document that is not written as JSON",
        &[RUNTIME_PARSE],
        |ask| {
            stumbles(ask, |document| {
                document.name == "runtime" && !document.path.ends_with(".json")
            })
        },
    ),
    Fault::program(
        "json-by-content-only",
        "takes a runtime document for JSON if the name says so, and checks nothing of it",
        &["runtime.document.json", RUNTIME_PARSE],
        |ask| match ask.answer() {
            answer if ask.document("runtime").is_some_and(|d| d.path.ends_with(".json")) => {
                answer.knowing(|finding| !finding.rule.starts_with("runtime."))
            }
            answer => answer,
        },
    ),
    Fault::program(
        "unreadable-accepted",
        "catches the parser's exception and goes on",
        &[PARSE, RUNTIME_PARSE],
        |ask| ask.answer().knowing(|finding| !finding.rule.ends_with("document.parse")),
    ),
    Fault::program(
        "unreadable-is-empty",
        "takes what it cannot parse for an empty mapping",
        &[PARSE],
        |ask| {
            let unreadable = ask.answer().reports(PARSE) && ask.validates();
            if unreadable { ask.rewritten(|_| Some(b"{}".to_vec())) } else { ask.answer() }
        },
    ),
    Fault::program(
        "empty-accepted",
        "lets an empty document pass, as there is nothing to complain of",
        &[MAPPING],
        |ask| match ask.manifest(&[]) {
            Some(root) if *root.kind() == Kind::Null && ask.validates() => {
                ask.answer().knowing(|_| false)
            }
            _ => ask.answer(),
        },
    ),
    Fault::program(
        "empty-crashes",
        "crashes on an empty document",
        &[MAPPING, "runtime.document.mapping"],
        |ask| {
            let empty = |root: Option<&Node>| root.is_some_and(|root| *root.kind() == Kind::Null);
            let crashes = empty(ask.manifest(&[])) || empty(ask.runtime(&[]));
            if crashes { Answer::crashing() } else { ask.answer() }
        },
    ),
    Fault::program(
        "other-root-crashes",
        "crashes when a document is no mapping",
        &[MAPPING, "runtime.document.mapping"],
        |ask| match ask.answer() {
            answer if answer.findings.iter().any(|f| f.rule.ends_with("document.mapping")) => {
                Answer::crashing()
            }
            answer => answer,
        },
    ),
    Fault::program(
        "sequence-root-unwrapped",
        "looks into a sequence of one manifest",
        &[MAPPING],
        |ask| {
            let items = ask.manifest(&[]).and_then(Node::as_sequence);
            match items {
                Some([item]) if item.as_mapping().is_some() && ask.validates() => {
                    let json = item.to_json().map(|value| value.to_string().into_bytes());
                    ask.rewritten(|_| json.clone().ok())
                }
                _ => ask.answer(),
            }
        },
    ),
    Fault::program("yaml-1.1-scalars", "reads scalars as YAML 1.1 does", &[PARSE], |ask| {
        otherwise(ask, Reading { schema: Schema::Yaml11, ..Reading::OWN }, REFERENCE.refuses)
    })
    .equivalent("L5: loaders of YAML 1.1 are in use, and the spec names no version"),
    Fault::program("last-duplicate-wins", "takes the last of two equal keys", &[PARSE], |ask| {
        otherwise(ask, Reading::OWN, |question| question != Question::L4)
    })
    .equivalent("L4: the spec does not say what becomes of duplicate keys"),
    Fault::program("first-duplicate-wins", "takes the first of two equal keys", &[PARSE], |ask| {
        let reading = Reading { first_key: true, ..Reading::OWN };
        otherwise(ask, reading, |question| question != Question::L4)
    })
    .equivalent("L4: the spec does not say what becomes of duplicate keys"),
    Fault::program("merge-keys-merged", "merges what a merge key names", &[PARSE], |ask| {
        otherwise(ask, Reading { merge: true, ..Reading::OWN }, REFERENCE.refuses)
    })
    .equivalent("L6: the spec does not say whether merge keys merge"),
    Fault::program(
        "first-document-taken",
        "reads the first of several documents",
        &[MAPPING],
        |ask| otherwise(ask, Reading::OWN, |question| question != Question::L7),
    )
    .equivalent("L7: the spec does not say what becomes of a second document"),
    Fault::program(
        "last-document-taken",
        "reads the last of several documents",
        &[MAPPING],
        |ask| {
            let reading = Reading { last_document: true, ..Reading::OWN };
            otherwise(ask, reading, |question| question != Question::L7)
        },
    )
    .equivalent("L7: the spec does not say what becomes of a second document"),
    Fault::program(
        "loose-indentation-read",
        "minds no indentation in flow style",
        &[PARSE],
        |ask| otherwise(ask, Reading::OWN, |question| question != Question::L22),
    )
    .equivalent("L22: common loaders depart from YAML 1.2 here"),
    Fault::program(
        "integers-of-64-bits",
        "has no integers but those of 64 bits, and no 7.0 among them",
        &["manifest.snapshot.retention_days.type"],
        |ask| otherwise(ask, Reading { narrow: true, ..Reading::OWN }, REFERENCE.refuses),
    )
    .equivalent("L12: the spec does not say what else is an integer"),
    Fault::program(
        "own-version-decides",
        "holds a manifest to the fields of its own version",
        &["manifest.unknown-field.top-level", "manifest.agent_capabilities.values"],
        |ask| match ask.operation() {
            "strict" => {
                otherwise(ask, Reading { own_version: true, ..Reading::OWN }, REFERENCE.refuses)
            }
            _ => ask.answer(),
        },
    )
    .equivalent(
        "L15: the spec does not say whether a manifest may use what came after its version",
    ),
    Fault::program("aliases-refused", "knows no anchors and no aliases", &[PARSE], |ask| {
        stumbles(ask, |document| {
            has_line(document, |line| {
                line.contains(": *") || line.contains("- *") || line.contains("[*")
            })
        })
    }),
    Fault::program("tags-refused", "knows no tags, not those of YAML", &[PARSE], |ask| {
        stumbles(ask, |document| {
            has_line(document, |line| line.contains(" !!str ") || line.contains(" !!bool "))
        })
    }),
    Fault::program("marker-refused", "knows no --- before a document", &[PARSE], |ask| {
        stumbles(ask, |document| has_line(document, |line| line.trim_end() == "---"))
    }),
    Fault::program("explicit-keys-refused", "knows no keys with ? before them", &[PARSE], |ask| {
        stumbles(ask, |document| has_line(document, |line| line.trim_start().starts_with("? ")))
    }),
    Fault::program("block-texts-refused", "knows no texts of several lines", &[PARSE], |ask| {
        let begins = |line: &str| {
            let last = line.rsplit(' ').next().unwrap_or_default();
            matches!(last, "|" | "|-" | "|+" | ">" | ">-" | ">+")
        };
        stumbles(ask, |document| has_line(document, begins))
    }),
    Fault::program("read-up-to-nul", "reads a document up to a NUL, as C does", &[PARSE], |ask| {
        ask.rewritten(|document| {
            let end = document.bytes.iter().position(|&byte| byte == 0)?;
            document.bytes.get(..end).map(<[u8]>::to_vec)
        })
    }),
    Fault::program("size-of-32-kib", "reads no document of more than 32 KiB", &[PARSE], |ask| {
        match ask.documents().iter().find(|document| document.bytes.len() > 32 * 1024) {
            Some(document) => ask.unreadable(&document.name),
            None => ask.answer(),
        }
    }),
    Fault::program("depth-of-20", "reads no document deeper than 20", &[PARSE], |ask| {
        match ask.manifest(&[]) {
            Some(root) if is_deeper(root, 20, &mut 1000) => ask.unreadable("manifest"),
            _ => ask.answer(),
        }
    }),
    Fault::program("json-manifest-refused", "knows no manifest written as JSON", &[PARSE], |ask| {
        let json = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).is_ok();
        match ask.document("manifest") {
            Some(document) if document.bytes.starts_with(b"{") && json(&document.bytes) => {
                ask.unreadable("manifest")
            }
            _ => ask.answer(),
        }
    }),
    Fault::program(
        "fields-in-order",
        "reads the fields in the order in which the spec has them",
        &[MAPPING],
        |ask| {
            let entries = ask.manifest(&[]).and_then(Node::as_mapping).unwrap_or_default();
            let place = |entry: &Entry| {
                let key = entry.key.as_str()?;
                REFERENCE.manifest_fields.iter().position(|(field, _)| *field == key)
            };
            let places: Vec<usize> = entries.iter().filter_map(place).collect();
            ask.refusing(MAPPING, "", ask.validates() && !places.is_sorted())
        },
    ),
];
