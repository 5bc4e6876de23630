//! Runs held against each other, from outside.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod cli_support;

use std::fs;
use std::path::Path;

use cli_support::{FEW, Place, Ran, root};
use serde_json::{Value, json};

/// The case that some implementations get wrong here.
const LONG: &str = "manifest/project_id/64-characters::strict";

/// A place with a few fixtures; three implementations, of which `old` and `other`
/// accept too long a name, and `new` does not; and the report of each.
fn place() -> Place {
    let place = Place::new();
    place.fixtures(FEW);
    let reference = cli_support::program();
    let call = format!("'{}' \"$@\"", reference.display());
    place.script("new", &format!("[ \"$1\" = --version ] && exec echo new 2.0\nexec {call}"));
    for name in ["old", "other"] {
        let body = format!(
            "[ \"$1\" = --version ] && exec echo {name} 1.0\n\
             said=$({call}); code=$?\n\
             [ \"$said\" ] && echo \"$said\"\n\
             case $said in *max-length*) exit 0;; esac\n\
             exit $code"
        );
        place.script(name, &body);
    }
    for name in ["old", "other", "new"] {
        run(&place, name, &format!("{name}.json"), &[]);
    }
    place
}

fn run(place: &Place, name: &str, report: &str, more: &[&str]) -> Ran {
    let (program, report) = (format!("./{name}"), format!("json={report}"));
    // A part of what is released, so nothing that is held to a release.
    let args = ["--impl", &program, "--fixtures", "few", "--suite-release", "draft", "-q"];
    let args = [&args[..], &["--report", &report]].concat();
    place.run(&[&args[..], more].concat())
}

fn compare(place: &Place, args: &[&str]) -> Ran {
    place.run(&[&["compare", "--fixtures", "few"], args].concat())
}

fn validator(name: &str) -> jsonschema::Validator {
    let read = |name: &str| -> Value {
        let path = root().join("schemas").join(format!("{name}.schema.json"));
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    };
    let report = read("report");
    let id = report["$id"].as_str().unwrap().to_owned();
    let registry = jsonschema::Registry::new().add(id, report).unwrap().prepare().unwrap();
    jsonschema::draft202012::options().with_registry(&registry).build(&read(name)).unwrap()
}

#[test]
fn what_a_version_fixed_and_broke() {
    let place = place();
    compare(&place, &["old.json", "new.json"]).exits(0).quietly().says(&[
        "2 runs side by side, 10 cases in all of them\n",
        "  A  old, 1.0 (old.json)\n  B  new, 2.0 (new.json)\n",
        "validator-strict   ",
        "rules that fare otherwise",
        "manifest.project_id.max-length  ✗ 1/",
        "B against A: 0 cases broken, 1 fixed, 9 alike\n",
        "  fixed: 1 case\n    manifest.project_id.max-length (MUST)\n",
        "fails a MUST: accepted what is to be rejected; then passes\n",
        LONG,
        "B against A: no regression at the level MUST (",
    ]);
    let fail = ["--fail-on", "regression"];
    compare(&place, &[&["old.json", "new.json"], &fail[..]].concat()).exits(0);
    let worse = compare(&place, &[&["new.json", "old.json", "-q"], &fail[..]].concat());
    worse.exits(1).says(&["B against A: 1 regression at the level MUST"]).never_says(LONG);
    // What was left out is no pass.
    run(&place, "new", "part.json", &["--skip", "64-characters"]);
    let part = compare(&place, &[&["new.json", "part.json"], &fail[..]].concat());
    part.exits(1)
        .says(&["2 cases of A alone: B has no result.", "2 cases passed in A and left out"]);
}

#[test]
fn a_failure_of_a_should_is_a_regression_where_it_is_enforced() {
    let place = place();
    let call = format!("'{}' \"$@\"", cli_support::program().display());
    let body = format!("said=$({call}); code=$?\necho \"$said\" | sed /type/d\nexit $code");
    place.script("silent", &body);
    run(&place, "silent", "silent.json", &[]);
    let fail = |more: &[&str]| {
        let args = ["new.json", "silent.json", "--fail-on", "regression"];
        compare(&place, &[&args[..], more].concat())
    };
    fail(&[]).exits(0).says(&["broken", "fails a SHOULD", "no regression at the level MUST"]);
    fail(&["--enforce", "should"]).exits(1).says(&["regressions at the level SHOULD"]);
}

#[test]
fn implementations_that_disagree_give_drafts_that_can_be_pasted() {
    let place = place();
    let reports = ["old.json", "other.json", "new.json"];
    compare(&place, &[&reports[..], &["-v", "--report", "ledger=drafts.yaml"]].concat())
        .exits(0)
        .says(&[
            "they disagree in ",
            "   1  manifest.project_id.max-length (MUST), strict, expected: reject\n",
            "      accept: A, B; reject: C\n",
            "      2 of 3 part from the suite, and keep the rule in ",
            "  - id: L24\n    class: unknown\n",
        ]);
    let drafts = fs::read_to_string(place.path().join("drafts.yaml")).unwrap();
    let value: Value = serde_yaml::from_str(&drafts).unwrap();
    let problems: Vec<String> =
        validator("ledger").iter_errors(&value).map(|error| error.to_string()).collect();
    assert_eq!(problems, Vec::<String>::new(), "{drafts}");

    // Pasted to the end of the suite's own ledger, and named by the rule, it loads.
    copy(&root().join("suites"), &place.path().join("suites"));
    let ledger = place.path().join("suites/manifest/ledger.yaml");
    let before = fs::read_to_string(&ledger).unwrap();
    let own = drafts.strip_prefix("entries:\n").unwrap();
    fs::write(&ledger, format!("{before}\n{own}")).unwrap();
    let rules = place.path().join("suites/manifest/rules.yaml");
    let text = fs::read_to_string(&rules).unwrap();
    let row = "- id: manifest.project_id.max-length\n";
    assert_eq!(text.matches(row).count(), 1);
    fs::write(&rules, text.replace(row, &format!("{row}    ledger: [L24]\n"))).unwrap();
    let explained = place.run(&["explain", "L24", "--suites", "suites", "--fixtures", "few"]);
    explained.exits(0).says(&[
        "L24",
        "It is rejected: the suite, new (2.0).",
        "old (1.0), other (1.0)",
    ]);
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn every_report_is_written_and_the_json_follows_its_schema() {
    let place = place();
    let reports = ["json=c.json", "markdown=c.md", "html=c.html", "ledger=-"];
    let mut args = vec!["old.json", "other.json", "new.json"];
    reports.iter().for_each(|report| args.extend(["--report", report]));
    let ran = compare(&place, &args).exits(0).says(&["entries:\n", "- id: L24\n"]);
    assert!(ran.stderr.contains("B against A: "), "what is for people goes elsewhere: {ran}");
    let document = place.report("c.json").0;
    let problems: Vec<String> = validator("comparison")
        .iter_errors(&document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!(document["cases"][LONG], json!(["fail-must", "fail-must", "pass"]));
    assert_eq!(document["changes"][1]["run"], 2);
    assert_eq!(document["changes"][1]["changes"][0]["kind"], "fixed");
    assert_eq!(document["disagreements"][0]["against"], json!([0, 1]));
    let page = fs::read_to_string(place.path().join("c.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("3 implementations"));
    let markdown = fs::read_to_string(place.path().join("c.md")).unwrap();
    assert!(markdown.contains("## Where they disagree"), "{markdown}");
    // One that fails does not stop the others, and the exit code says so.
    let args = ["old.json", "new.json", "--report", "json=/dev/full", "--report", "ledger=-"];
    let ran = compare(&place, &args).exits(2).says(&["entries:\n"]);
    assert!(ran.stderr.contains("failed to write the json report to /dev/full"), "{ran}");
    compare(&place, &["old.json", "new.json", "--report", "json=no/c.json"])
        .exits(2)
        .complains(&["create it first"]);
    compare(&place, &["old.json", "new.json", "--report", "junit=c.xml"])
        .exits(2)
        .complains(&["the kinds are json, markdown, html, ledger"]);
}

#[test]
fn what_would_be_compared_wrongly_is_refused() {
    let place = place();
    let refused = |args: &[&str], code: i32, texts: &[&str]| {
        compare(&place, args).exits(code).complains(texts);
    };
    refused(&["old.json"], 2, &["there is one alone to compare", "two runs or more"]);
    refused(&["old.json", "old.json"], 2, &["old.json: it is given twice"]);
    std::os::unix::fs::symlink("old.json", place.path().join("link.json")).unwrap();
    refused(&["old.json", "./link.json"], 2, &["old.json and ./link.json: they are the same file"]);
    run(&place, "old", "early.json", &["--fail-fast", "--test-threads", "1"]);
    refused(
        &["old.json", "early.json"],
        2,
        &["compare early.json: the run ended at its first failure, and ", "without --fail-fast"],
    );
    run(&place, "old", "matcher.json", &["--class", "matcher"]);
    run(&place, "old", "lenient.json", &["--class", "validator-lenient"]);
    refused(&["matcher.json", "lenient.json"], 4, &["they have no case in common", "merge"]);
    run(&place, "old", "empty.json", &["--shard", "slice:99/99"]);
    refused(&["empty.json", "old.json"], 4, &["compare empty.json: it has no case"]);
    let receipts = ["--reference", "--suite", "receipt", "-q", "--report", "json=receipts.json"];
    place.run(&receipts).exits(0);
    refused(&["old.json", "receipts.json"], 2, &["they are about different specs, "]);
}

#[test]
fn a_report_that_is_none_is_told_with_its_place() {
    let place = place();
    let whole = fs::read_to_string(place.path().join("old.json")).unwrap();
    let refused = |name: &str, text: &str, texts: &[&str]| {
        place.write(name, text);
        compare(&place, &["old.json", name]).exits(2).complains(texts);
    };
    refused("cut.json", &whole[..whole.len() / 2], &["failed to read the report cut.json:", "EOF"]);
    let wrong = whole.replacen("\"verdict\": \"pass\"", "\"verdict\": \"passed\"", 1);
    let line = wrong.lines().position(|line| line.contains("\"passed\"")).unwrap() + 1;
    let at = format!("wrong.json:{line}:18: /cases/");
    refused("wrong.json", &wrong, &[&at, "/verdict"]);
    refused("other.txt", "{\"schema\": \"x\"}", &["other.txt: its schema is \"x\""]);
    refused("text.txt", "not json", &["failed to read the report text.txt:1:2: "]);
    run(&place, "old", "more.json", &["--report", "jsonl=events.jsonl"]);
    compare(&place, &["old.json", "events.jsonl"])
        .exits(2)
        .complains(&["events.jsonl: it has the events of a run, one a line"]);
    compare(&place, &["old.json", "none.json"]).exits(2).complains(&["report none.json"]);
    compare(&place, &["old.json", "few"]).exits(2).complains(&["report few"]);
}

#[test]
fn other_suites_are_compared_as_far_as_they_go() {
    let place = place();
    run(&place, "new", "v3.json", &["--protocol", "v0.3"]);
    compare(&place, &["new.json", "v3.json", "--fail-on", "regression"]).exits(0).says(&[
        "  A  new, 2.0, v0.4 (new.json)\n",
        "A was run at v0.4 and B at v0.3: rules that one of them lacks are not compared.",
    ]);
    // A case that the suite has no more is no regression.
    fs::remove_dir_all(place.path().join("few/manifest/project_id/boolean")).unwrap();
    run(&place, "new", "fewer.json", &[]);
    compare(&place, &["new.json", "fewer.json", "--fail-on", "regression", "--show", "all"])
        .exits(0)
        .says(&[
            "A and B were run over different data of the same version",
            "2 cases of A alone: B has no result.",
            "  2 cases that B does not have: 2 pass, 0 do not\n",
            "      manifest/project_id/boolean::lenient: passes\n",
        ]);
    // The same runs under one name are told apart by their files.
    compare(&place, &["new.json", "fewer.json", "-q"]).says(&["  A  new, 2.0, new.json\n"]);
}
