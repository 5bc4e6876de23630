//! Expected failures, retries and what they do to a run, from the command line.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests are tests")]

mod program;

use std::fs;
use std::path::PathBuf;

use program::{command, executable, joined, reported};
use serde_json::Value;
use tempfile::TempDir;

/// The cases of a few fixtures, so that a run is short.
const FEW: &str = "manifest/project_id/64-characters";

struct Bench {
    folder: TempDir,
}

impl Bench {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn script(&self, name: &str, body: &str) -> String {
        let path = self.path(name);
        executable(&path, format!("#!/bin/sh\n{body}\n"));
        path.to_str().unwrap().to_owned()
    }

    /// Accepts everything, so that all that is to be rejected fails.
    fn lenient(&self) -> String {
        self.script("lenient", "exit 0")
    }

    /// Runs; gives the exit code, what it said in one line, and its report.
    fn run(&self, args: &[&str]) -> (i32, String, Value) {
        let (code, said, report) = reported(command().current_dir(self.folder.path()), args);
        (code, joined(&said), report)
    }
}

fn dispositions(report: &Value) -> Vec<(&str, &str)> {
    let cases = report["cases"].as_array().unwrap().iter();
    cases
        .map(|case| (case["id"].as_str().unwrap(), case["disposition"]["kind"].as_str().unwrap()))
        .collect()
}

#[test]
fn a_run_writes_the_list_that_lets_it_pass() {
    let bench = Bench::new();
    let lenient = bench.lenient();
    let (code, said, report) = bench.run(&["--impl", &lenient, "manifest/project_id"]);
    assert_eq!(code, 1, "{said}");
    let failed = report["summary"]["total"]["failed"].as_u64().unwrap();
    assert!(failed > 5, "{said}");

    let write = ["--impl", &lenient, "manifest/project_id", "--expect-write", "list.yaml"];
    assert_eq!(bench.run(&write).0, 1, "to write a list is not to go by it");
    let go_by = ["--impl", &lenient, "manifest/project_id", "--expect", "list.yaml"];
    let (code, said, report) = bench.run(&go_by);
    assert_eq!(code, 0, "{said}");
    assert_eq!(report["summary"]["total"]["expected"].as_u64().unwrap(), failed);
    assert_eq!(report["summary"]["success"], true);
    assert!(!said.contains(" conforms "), "{said}");
    assert!(said.contains("failed as expected: "), "{said}");
    for standing in report["summary"]["standing"].as_object().unwrap().values() {
        assert_ne!(standing["kind"], "conforms", "{said}");
    }

    // The same list does not hide a failure of another kind, nor fit what is repaired.
    let crash = bench.script("crash", "kill -SEGV $$");
    let (code, said, report) =
        bench.run(&["--impl", &crash, "manifest/project_id", "--expect", "list.yaml"]);
    assert_eq!(code, 1, "{said}");
    assert_eq!(report["summary"]["total"]["expected"], 0);
    assert!(said.contains("expects another failure of 1 case"), "{said}");
    let (code, said, report) =
        bench.run(&["--reference", "manifest/project_id", "--expect", "list.yaml"]);
    assert_eq!(code, 1, "{said}");
    assert_eq!(report["summary"]["total"]["unexpected"].as_u64().unwrap(), failed);
    assert!(said.contains("passes, and is expected to fail"), "{said}");
    // Written again, the list is empty.
    let again = ["--reference", "manifest/project_id", "--expect", "list.yaml"];
    bench.run(&[&again[..], &["--expect-write", "list.yaml"]].concat());
    let text = fs::read_to_string(bench.path("list.yaml")).unwrap();
    assert!(text.ends_with("failures: []\n"), "{text}");
}

#[test]
fn globs_and_rules_cover_many_cases() {
    let bench = Bench::new();
    let lenient = bench.lenient();
    bench.write(
        "glob.yaml",
        "failures:\n- {fixtures: manifest/project_id/64-characters, operations: [strict], reason: no limit yet}\n",
    );
    let (code, said, report) = bench.run(&["--impl", &lenient, FEW, "--expect", "glob.yaml"]);
    assert_eq!(code, 0, "{said}");
    assert!(
        dispositions(&report)
            .contains(&("manifest/project_id/64-characters::strict", "expected-failure")),
        "{report}"
    );
    bench.write(
        "rule.yaml",
        "failures:\n- {rule: manifest.project_id.max-length, reason: no limit yet, tracker: T-9}\n",
    );
    let (code, said, _) = bench.run(&["--impl", &lenient, FEW, "--expect", "rule.yaml"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("no limit yet (T-9)"), "{said}");
    let (code, said, _) = bench.run(&[
        "--reference",
        "--rule",
        "manifest.project_id.max-length",
        "--expect",
        "rule.yaml",
    ]);
    // What decides other rules is not asked for, and all of this rule passes.
    assert_eq!(code, 1, "{said}");
    assert!(
        said.contains(
            "rule.yaml:2: rule manifest.project_id.max-length: expects a failure, and there is none"
        ),
        "{said}"
    );
}

#[test]
fn a_list_that_is_in_error_stops_the_run() {
    let bench = Bench::new();
    let lenient = bench.lenient();
    bench.write(
        "bad.yaml",
        "failures:\n- {case: 'manifest/project_id/64-charcters::strict', reason: x}\n- {fixtures: 'manifest/**', reason: x}\n",
    );
    let (code, said, report) = bench.run(&["--impl", &lenient, FEW, "--expect", "bad.yaml"]);
    assert_eq!((code, report), (2, Value::Null), "{said}");
    assert!(said.contains("bad.yaml:2:10: failed to find the case"), "{said}");
    assert!(said.contains("did you mean manifest/project_id/64-characters::strict?"), "{said}");
    assert!(
        said.contains("bad.yaml:3:14: failed to cover ") && said.contains("wide: true"),
        "{said}"
    );
    let (code, said, _) = bench.run(&["--impl", &lenient, FEW, "--expect", "none.yaml"]);
    assert_eq!(code, 2, "{said}");
    let (code, said, _) = bench.run(&["--impl", &lenient, FEW, "--expect", "."]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("failed to read this: is a directory"), "{said}");
    for place in ["no/list.yaml", "-"] {
        let (code, said, _) = bench.run(&["--impl", &lenient, FEW, "--expect-write", place]);
        assert_eq!(code, 2, "{said}");
    }
    for (entry, told) in [
        ("{case: 'manifest/project_id/64-characters::strict'}", "the key \"reason\" is missing"),
        ("{reason: x}", "exactly one of case, fixtures and rule"),
        ("{fixtures: 'nowhere/**', reason: x}", "failed to find a case for \"nowhere/**\""),
        (
            "{rule: manifest.project_id.max-lenght, reason: x}",
            "did you mean manifest.project_id.max-length?",
        ),
        (
            "{case: 'manifest/project_id/64-characters::strict', reason: x, expires: 2027-02-30}",
            "is no date",
        ),
    ] {
        bench.write("bad.yaml", &format!("failures:\n- {entry}\n"));
        let (code, said, report) = bench.run(&["--impl", &lenient, FEW, "--expect", "bad.yaml"]);
        assert_eq!((code, report), (2, Value::Null), "{said}");
        assert!(said.contains("bad.yaml:2:") && said.contains(told), "{entry}: {said}");
    }
}

#[test]
fn skipped_unsupported_and_expired_do_not_go_unseen() {
    let bench = Bench::new();
    let lenient = bench.lenient();
    let entry = |more: &str| {
        bench.write(
            "list.yaml",
            &format!(
                "failures:\n- {{case: 'manifest/project_id/64-characters::strict', reason: x{more}}}\n"
            ),
        )
    };
    let list = entry("");
    let (code, said, _) =
        bench.run(&["--impl", &lenient, FEW, "--skip", "::strict", "--expect", &list]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("expects 1 case to fail that is skipped"), "{said}");
    // Filtered away is not asked for.
    let (code, said, _) = bench.run(&[
        "--impl",
        &lenient,
        "manifest/project_id/64-characters::lenient",
        "--expect",
        &list,
    ]);
    assert_eq!(code, 0, "{said}");

    bench.write(
        "profile.yaml",
        "profile: half\nabout: it has no strict mode\noperations:\n  lenient: {argv: [x]}\n  strict: {unsupported: not built}\n",
    );
    let (code, said, report) =
        bench.run(&["--impl", &lenient, "--profile", "profile.yaml", FEW, "--expect", &list]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("expects 1 case to fail that is not supported"), "{said}");
    assert_eq!(report["summary"]["misfits"][0]["why"]["kind"], "unsupported");

    let list = entry(", expires: 2020-02-29");
    let (code, said, report) = bench.run(&["--impl", &lenient, FEW, "--expect", &list]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("expired on 2020-02-29"), "{said}");
    assert_eq!(report["summary"]["total"]["failed"], 1);
    let list = entry(", expires: 9999-12-31");
    assert_eq!(bench.run(&["--impl", &lenient, FEW, "--expect", &list]).0, 0);
}

#[test]
fn a_case_that_changes_is_flaky_and_no_pass() {
    let bench = Bench::new();
    // Accepts what comes first, and rejects from then on.
    let flaky = bench.script(
        "flaky",
        r#"case "$*" in *--strict*) ;; *) exit 0 ;; esac
seen="$(dirname "$0")/seen"
[ -e "$seen" ] && exit 1
touch "$seen"; exit 0"#,
    );
    let strict = "manifest/project_id/64-characters::strict";
    let args = ["--impl", &flaky, strict, "--enforce", "must"];
    let (code, said, report) = bench.run(&args);
    assert_eq!((code, &report["summary"]["total"]["failed"]), (1, &Value::from(1)), "{said}");

    fs::remove_file(bench.path("seen")).unwrap();
    let (code, said, report) = bench.run(&[&args[..], &["--retries", "3"]].concat());
    assert_eq!(code, 1, "{said}");
    assert_eq!(dispositions(&report), [(strict, "flaky")]);
    let attempts = report["cases"][0]["disposition"]["attempts"].as_array().unwrap();
    assert_eq!(attempts.len(), 2, "it was known after the second: {attempts:?}");
    assert_eq!(report["cases"][0]["verdict"], "fail");
    assert!(said.contains("1 flaky case"), "{said}");
    // A list does not make it one that is known to fail, and none is written of it.
    fs::remove_file(bench.path("seen")).unwrap();
    let (_, said, _) =
        bench.run(&[&args[..], &["--retries", "1", "--expect-write", "list.yaml"]].concat());
    let text = fs::read_to_string(bench.path("list.yaml")).unwrap();
    assert!(text.ends_with("failures: []\n"), "{text} {said}");

    let lenient = bench.lenient();
    let (code, said, report) = bench.run(&["--impl", &lenient, strict, "--retries", "2"]);
    assert_eq!((code, &report["summary"]["total"]["failed"]), (1, &Value::from(1)), "{said}");
    assert_eq!(dispositions(&report), [(strict, "judged")], "what always fails is no flake");
}
