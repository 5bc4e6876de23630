//! The data under `suites/` and `schemas/`: it parses, refers only to what is there,
//! and says of the two what the other says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use living_conformance::core::Shown;
use living_conformance::data::Tree;
use living_conformance::suites::Suites;
use serde_json::{Value, json};

/// Rules of the two protocol documents, counted by hand: what starts with
/// `manifest.`, `mode.`, `runtime.`, `match.` and `start.`.
const RULES: [(&str, usize); 5] =
    [("manifest.", 63), ("mode.", 4), ("runtime.", 27), ("match.", 12), ("start.", 15)];
/// How the id of every schema begins.
const URN: &str = "urn:living-conformance:schema:";
/// Entries of the ledger, `L1` to the last.
const LEDGER: usize = 23;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> T {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_yaml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The suites; loading them holds every reference against what is there.
fn suites() -> Suites {
    let tree = Tree::directory(root().join("suites"));
    living_conformance::suites::load(&tree).unwrap_or_else(|e| panic!("failed to {e}"))
}

#[test]
fn every_rule_and_every_open_question_has_its_row() {
    let table = suites().rules;
    for (prefix, count) in RULES {
        let found = table.rules().filter(|(_, rule)| rule.id.as_str().starts_with(prefix)).count();
        assert_eq!(found, count, "{prefix}*");
    }
    let protocol = |suite: &str| ["manifest", "runtime"].contains(&suite);
    let count = table.rules().filter(|(suite, _)| protocol(suite)).count();
    assert_eq!(count, RULES.iter().map(|(_, count)| count).sum::<usize>());
    let ids: BTreeSet<String> = table
        .ledger()
        .filter(|(suite, _)| protocol(suite))
        .map(|(_, entry)| entry.id.to_string())
        .collect();
    assert_eq!(ids, (1..=LEDGER).map(|number| format!("L{number}")).collect());
}

#[test]
fn every_open_question_is_open_for_some_rule() {
    let table = suites().rules;
    for (_, entry) in table.ledger() {
        assert!(table.rules().any(|(_, rule)| rule.ledger.contains(&entry.id)), "{}", entry.id);
    }
}

#[test]
fn a_rule_that_findings_show_says_what_they_do_and_name() {
    for (_, rule) in suites().rules.rules() {
        let by_finding = rule.shown_by == Shown::Finding;
        assert_eq!(by_finding, !rule.effect.is_empty(), "{}: effect", rule.id);
        assert_eq!(by_finding, !rule.names.is_empty(), "{}: names", rule.id);
        assert!(!(by_finding && rule.excluded.is_some()), "{}: shown and excluded", rule.id);
    }
}

/// Every schema that the repository has, by its name without `.schema.json`.
fn schemas() -> BTreeMap<String, Value> {
    let folder = root().join("schemas");
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    entries
        .map(|entry| entry.unwrap_or_else(|e| panic!("{}: {e}", folder.display())).path())
        .map(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let name = name.strip_suffix(".schema.json");
            (name.unwrap_or_else(|| panic!("{}", path.display())).to_owned(), read(&path))
        })
        .collect()
}

fn validator(name: &str) -> jsonschema::Validator {
    let schemas = schemas();
    // One schema may refer to another by its id.
    let add = |registry: jsonschema::RegistryBuilder<'static>, schema: &Value| {
        let id = schema["$id"].as_str().unwrap_or_default().to_owned();
        registry.add(id, schema.clone()).unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    let registry = schemas.values().fold(jsonschema::Registry::new(), add);
    let registry = registry.prepare().unwrap_or_else(|e| panic!("{name}: {e}"));
    jsonschema::draft202012::options()
        .with_registry(&registry)
        .build(&schemas[name])
        .unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn errors(validator: &jsonschema::Validator, value: &Value) -> Vec<String> {
    validator.iter_errors(value).map(|e| format!("{}: {e}", e.instance_path())).collect()
}

#[test]
fn every_schema_is_one_and_has_its_id() {
    let schemas = schemas();
    for name in ["manifest", "manifest.lenient", "runtime", "suite", "rules", "ledger", "expected"]
    {
        assert!(schemas.contains_key(name), "{name}");
    }
    for (name, schema) in schemas {
        assert!(jsonschema::draft202012::meta::is_valid(&schema), "{name}");
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{name}");
        // A format that is read from outside has its version behind the name.
        let id = schema["$id"].as_str().and_then(|id| id.strip_prefix(&format!("{URN}{name}")));
        let version = id.map(|id| id.strip_prefix(':').unwrap_or(id));
        assert!(
            version.is_some_and(|version| version.bytes().all(|b| b.is_ascii_digit())),
            "{name}: {}",
            schema["$id"]
        );
        assert!(schema["title"].is_string() && schema["description"].is_string(), "{name}");
        validator(&name);
    }
}

/// Whoever has the schema of the events has all of it: that of the report, to which it
/// refers, is in it. `LIVING_CONFORMANCE_UPDATE=1` puts it there anew.
#[test]
fn the_schema_of_the_events_holds_that_of_the_report() {
    const PLACE: &str = "\n  \"$defs\": {\n    \"report\": ";
    let text = |name: &str| std::fs::read_to_string(root().join("schemas").join(name)).unwrap();
    let (events, report) = (text("events.schema.json"), text("report.schema.json"));
    let (head, _) = events.split_once(PLACE).expect("a place for the schema of the report");
    let report = report.trim_end().replace('\n', "\n    ");
    let whole = format!("{head}{PLACE}{report}\n  }}\n}}\n");
    if events != whole && std::env::var_os("LIVING_CONFORMANCE_UPDATE").is_some() {
        std::fs::write(root().join("schemas/events.schema.json"), &whole).unwrap();
    } else {
        let remedy = "stale; run LIVING_CONFORMANCE_UPDATE=1 cargo test --test schemas";
        assert!(events == whole, "{remedy}");
    }
    let alone = jsonschema::validator_for(&serde_json::from_str(&whole).unwrap()).unwrap();
    let event = json!({"event": "finished", "summary": {}});
    let told = alone.iter_errors(&event).next().unwrap().to_string();
    assert!(!alone.is_valid(&event), "{told}");
}

#[test]
fn patterns_are_plain_and_whole() {
    fn patterns<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Object(map) => {
                found.extend(map.get("pattern").and_then(Value::as_str));
                map.values().for_each(|value| patterns(value, found));
            }
            Value::Array(values) => values.iter().for_each(|value| patterns(value, found)),
            _ => {}
        }
    }
    for (name, schema) in schemas() {
        let mut found = Vec::new();
        patterns(&schema, &mut found);
        for pattern in found {
            // What engines read differently: \d, \w, \b beyond ASCII, look-around, flags.
            for special in ["\\d", "\\w", "\\b", "\\z", "\\Z", "\\A", "\\p", "(?"] {
                assert!(!pattern.contains(special), "{name}: {pattern}");
            }
        }
    }
    // A final line feed is part of the text.
    let manifest = |key: &str, value: &str| json!({ key: value });
    let strict = validator("manifest");
    for (key, good) in [("protocol_version", "v0.1.0"), ("project_id", "hello")] {
        for (value, wrong) in [(good.to_owned(), false), (format!("{good}\n"), true)] {
            let document = manifest(key, &value);
            let at_key = strict
                .iter_errors(&document)
                .any(|e| e.instance_path().to_string() == format!("/{key}"));
            assert_eq!(at_key, wrong, "{key}: {value:?}");
        }
    }
}

#[test]
fn suites_are_as_their_schemas_say() {
    let suites = suites();
    for kind in ["suite", "rules", "ledger", "equivalents"] {
        let validator = validator(kind);
        for suite in &suites.suites {
            let path = root().join("suites").join(&suite.suite).join(format!("{kind}.yaml"));
            if kind == "equivalents" && !path.exists() {
                continue;
            }
            let value: Value = read(&path);
            assert_eq!(errors(&validator, &value), Vec::<String>::new(), "{}", path.display());
        }
    }
}

#[test]
fn releases_are_as_their_schemas_say() {
    for suite in &suites().suites {
        let folder = root().join("suites").join(&suite.suite).join("releases");
        for entry in walkdir::WalkDir::new(&folder).into_iter().filter_map(Result::ok) {
            let name = entry.file_name().to_str().unwrap();
            let kind = match name.strip_suffix(".yaml") {
                Some("draft") => "release-notes",
                Some(_) => "release",
                None => continue,
            };
            let value: Value = read(entry.path());
            assert_eq!(errors(&validator(kind), &value), Vec::<String>::new(), "{name}");
        }
    }
    let digest = "0123456789abcdef0123456789abcdef";
    refuses(
        "release",
        &json!({
            "version": "0.2.0-rc.1", "notes": "words", "changed": {"a/b": "a slip"},
            "removed": {"c": "of no use"}, "renamed": {"d": "e"},
            "fixtures": {"a/b": {"documents": digest, "cases": {"strict": digest}}},
        }),
        &[
            ("/version", Some(json!("0.2"))),
            ("/version", Some(json!("0.2.0+build"))),
            ("/changed/a~1b", Some(json!(" "))),
            ("/unknown", Some(json!(1))),
            ("/fixtures", Some(json!({}))),
            ("/fixtures/a~1b/documents", None),
            ("/fixtures/a~1b/documents", Some(json!(digest[1..]))),
            ("/fixtures/a~1b/cases", Some(json!({}))),
            ("/fixtures/a~1b/cases/strict", Some(json!(12))),
        ],
    );
    refuses(
        "release-notes",
        &json!({"notes": null, "changed": {"a": "why"}, "removed": {"b": "why"}}),
        &[
            ("/notes", Some(json!(1))),
            ("/removed/b", Some(json!(""))),
            ("/renamed", Some(json!({}))),
        ],
    );
}

#[test]
fn profiles_are_as_their_schema_says() {
    let validator = validator("profile");
    let mut profiles = 0;
    for entry in std::fs::read_dir(root().join("docs/adapters")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "yaml") {
            let value: Value = read(&path);
            assert_eq!(errors(&validator, &value), Vec::<String>::new(), "{}", path.display());
            profiles += 1;
        }
    }
    assert!(profiles > 0);
    refuses(
        "profile",
        &json!({
            "profile": "p", "about": "a tool", "program": "p", "arguments": ["x"],
            "version": [], "environment": {"A": "b"}, "pass-on": ["C"], "directory": "{dir}",
            "operations": {"strict": {"argv": ["{manifest}"]}, "match": {"unsupported": "no"}},
            "session": {"argv": [], "in-flight": 2},
            "exits": {"accept": [0], "reject": "others", "broke": [2]},
            "findings": {
                "streams": ["stderr"],
                "lines": [{"match": "(?<rule>.)", "at": "", "severity": "error"}],
                "rules": [{"word": ["a"], "rule": "a.b", "at": "/c"}],
            },
        }),
        &[
            ("/profile", None),
            ("/about", Some(json!(" "))),
            ("/unknown", Some(json!("x"))),
            ("/environment/A", Some(json!(1))),
            ("/environment", Some(json!({"A=": "b"}))),
            ("/operations", Some(json!({}))),
            ("/operations/strict/shell", Some(json!("x"))),
            ("/operations/match/unsupported", Some(json!(""))),
            ("/session/argv", None),
            ("/session/in-flight", Some(json!(0))),
            ("/exits/accept", Some(json!([]))),
            ("/exits/accept", Some(json!([256]))),
            ("/exits/reject", Some(json!("rest"))),
            ("/findings/lines", Some(json!([]))),
            ("/findings/streams", Some(json!(["log"]))),
            ("/findings/lines/0/match", None),
            ("/findings/lines/0/at", Some(json!("x"))),
            ("/findings/rules/0/word", Some(json!("a"))),
            ("/findings/rules/0/unknown", Some(json!("a"))),
        ],
    );
}

#[test]
fn goldens_are_as_their_schema_says() {
    let validator = validator("expected");
    let mut goldens = 0;
    for entry in walkdir::WalkDir::new(root().join("fixtures")) {
        let entry = entry.unwrap();
        if entry.file_name() == "expected.yaml" {
            let value: Value = read(entry.path());
            let errors = errors(&validator, &value);
            assert_eq!(errors, Vec::<String>::new(), "{}", entry.path().display());
            goldens += 1;
        }
    }
    assert!(goldens > 0);
}

#[test]
fn schemas_and_types_have_the_same_keys() {
    let schemas = schemas();
    let keys = |value: &Value| -> BTreeSet<String> {
        value.as_object().into_iter().flat_map(|map| map.keys().cloned()).collect()
    };
    let (mut rules, mut entries, mut suite_keys) =
        (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let suites = suites();
    for suite in &suites.suites {
        suite_keys.extend(keys(&serde_json::to_value(suite).unwrap()));
    }
    for (_, rule) in suites.rules.rules() {
        rules.extend(keys(&serde_json::to_value(rule).unwrap()));
    }
    for (_, entry) in suites.rules.ledger() {
        entries.extend(keys(&serde_json::to_value(entry).unwrap()));
    }
    assert_eq!(rules, keys(&schemas["rules"]["$defs"]["rule"]["properties"]));
    assert_eq!(entries, keys(&schemas["ledger"]["$defs"]["entry"]["properties"]));
    assert_eq!(suite_keys, keys(&schemas["suite"]["properties"]));
}

/// Puts `to` at a place of a valid document, or takes away what is there, and
/// expects the schema to say no.
fn refuses(schema: &str, document: &Value, changes: &[(&str, Option<Value>)]) {
    let validator = validator(schema);
    assert_eq!(errors(&validator, document), Vec::<String>::new(), "{schema}");
    for (pointer, to) in changes {
        let mut broken = document.clone();
        let (parent, key) = pointer.rsplit_once('/').unwrap_or_default();
        let parent = broken.pointer_mut(parent).unwrap_or_else(|| panic!("{schema}: {pointer}"));
        match (parent, to) {
            (Value::Object(map), Some(value)) => drop(map.insert(key.to_owned(), value.clone())),
            (Value::Object(map), None) => assert!(map.remove(key).is_some(), "{schema}: {pointer}"),
            (other, _) => panic!("{schema}: {pointer} is in {other}"),
        }
        assert!(!validator.is_valid(&broken), "{schema} lets through {pointer} = {to:?}");
    }
}

#[test]
fn schemas_refuse_what_is_wrong() {
    let text = |text: &str| Some(json!(text));
    refuses(
        "suite",
        &json!({
            "suite": "s", "title": "S", "about": "A suite", "version": "1.0.0-rc.1",
            "protocols": ["v0.1"],
            "documents": {"doc": {"about": "It", "files": ["a/doc.yaml"]}},
            "operations": {"op": {"about": "Does", "class": "c", "argv": ["op", "{doc}"]}},
            "relations": [], "names": [], "names-bind": true, "beside": false,
        }),
        &[
            ("/title", None),
            ("/operations", None),
            ("/unknown", text("x")),
            ("/suite", text("No Slug")),
            ("/version", text("1.0")),
            ("/protocols", Some(json!([]))),
            ("/protocols", Some(json!(["v0.1.0"]))),
            ("/documents", Some(json!({}))),
            ("/documents/doc/files", Some(json!(["/doc.yaml"]))),
            ("/operations/op/argv", Some(json!([]))),
            ("/operations/op/exit-rule", text("norule")),
            ("/operations/op/unknown", text("x")),
            ("/relations", Some(json!([{"rule": "a.b", "when-accepts": "op"}]))),
            ("/names", Some(json!([{"prefix": "", "verdicts": {"op": "either"}}]))),
            ("/names-bind", text("yes")),
        ],
    );
    refuses(
        "rules",
        &json!({"rules": [
            {
                "id": "a.b", "level": "MUST", "since": "v0.1.0", "section": "S",
                "statement": "It is so.", "effect": {"op": "reject"}, "names": ["{field}"],
            },
            {
                "id": "a.c", "level": "-", "since": "v0.1.0", "section": "S",
                "statement": "It is so.", "shown-by": "verdict", "excluded": "Not seen.",
            },
        ]}),
        &[
            ("/rules", Some(json!([]))),
            ("/unknown", text("x")),
            ("/rules/0/id", text("A.b")),
            ("/rules/0/level", text("SHALL")),
            ("/rules/0/since", text("v0.1")),
            ("/rules/0/section", None),
            ("/rules/0/statement", text(" ")),
            ("/rules/0/effect", None),
            ("/rules/0/effect", Some(json!({"op": "accept"}))),
            ("/rules/0/names", None),
            ("/rules/0/names", Some(json!([""]))),
            ("/rules/0/report", text("-")),
            ("/rules/0/ledger", Some(json!(["L0"]))),
            ("/rules/0/excluded", text("Shown by a finding all the same.")),
            ("/rules/0/unknown", text("x")),
            ("/rules/1/effect", Some(json!({"op": "reject"}))),
            ("/rules/1/names", Some(json!(["x"]))),
            ("/rules/1/shown-by", text("nothing")),
        ],
    );
    refuses(
        "expect",
        &json!({"failures": [
            {
                "case": "manifest/a::strict", "reason": "x", "tracker": "T-1",
                "expires": "2027-02-28", "message": "y",
            },
            {"fixtures": "manifest/**", "operations": ["strict"], "wide": true, "reason": "x"},
            {"rule": "a.b", "operations": ["strict"], "reason": "x"},
        ]}),
        &[
            ("/failures", None),
            ("/unknown", text("x")),
            ("/failures/0/case", None),
            ("/failures/0/case", text("manifest/a")),
            ("/failures/0/rule", text("a.b")),
            ("/failures/0/wide", Some(json!(true))),
            ("/failures/0/operations", Some(json!(["strict"]))),
            ("/failures/0/reason", text(" ")),
            ("/failures/0/reason", None),
            ("/failures/0/expires", text("2027-2-28")),
            ("/failures/0/unknown", text("x")),
            ("/failures/1/operations", Some(json!([]))),
            ("/failures/2/rule", text("norule")),
            ("/failures/2/wide", Some(json!(true))),
        ],
    );
    refuses(
        "ledger",
        &json!({"entries": [{
            "id": "L1", "class": "quirk", "question": "What?", "readings": ["So.", "Or so."],
            "suite": "Open.",
        }]}),
        &[
            ("/entries", Some(json!([]))),
            ("/entries/0/id", text("1")),
            ("/entries/0/class", text("open")),
            ("/entries/0/question", None),
            ("/entries/0/readings", Some(json!(["So."]))),
            ("/entries/0/suite", text("")),
            ("/entries/0/unknown", text("x")),
        ],
    );
    refuses(
        "equivalents",
        &json!({"equivalents": [{"mutants": ["schema/manifest/type/*"], "reason": "So it is."}]}),
        &[
            ("/equivalents", None),
            ("/equivalents/0/mutants", Some(json!([]))),
            ("/equivalents/0/mutants", Some(json!(["code/named"]))),
            ("/equivalents/0/reason", text(" ")),
            ("/equivalents/0/unknown", text("x")),
        ],
    );
    refuses(
        "expected",
        &json!({
            "about": "one over the limit", "category": "boundary", "decides": ["a.b"],
            "since": "v0.1.0", "before": "v0.3.0", "aliases": ["old/path"],
            "except-variants": {"crlf": "why"}, "twins": {"other/path": "why"},
            "cases": {
                "op": {
                    "verdict": "reject", "findings": [{"rule": "a.b", "at": "/x~1y/0"}],
                    "permitted": [{"rule": "a.c"}],
                },
                "open": {"verdict": "either", "findings": [], "ledger": ["L4"]},
            },
        }),
        &[
            ("/about", text("two\nlines")),
            ("/about", None),
            ("/category", text("sample")),
            ("/decides", Some(json!([]))),
            ("/decides", Some(json!(["a.b", "a.b"]))),
            ("/since", text("0.1.0")),
            ("/aliases", Some(json!(["Old Path"]))),
            ("/except-variants", Some(json!({"upper": "why"}))),
            ("/twins", Some(json!({"other/path": ""}))),
            ("/cases", Some(json!({}))),
            ("/unknown", text("x")),
            ("/cases/op/verdict", text("pass")),
            ("/cases/op/findings", None),
            ("/cases/op/findings", Some(json!([{"at": "/x"}]))),
            ("/cases/op/findings", Some(json!([{"rule": "a.b", "at": "x"}]))),
            ("/cases/op/findings", Some(json!([{"rule": "a.b", "at": "/x~2"}]))),
            ("/cases/op/unknown", text("x")),
            ("/cases/open/ledger", None),
            ("/cases/open/findings", Some(json!([{"rule": "a.b", "at": ""}]))),
        ],
    );
}
