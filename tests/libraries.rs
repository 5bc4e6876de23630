//! Shared objects with the C ABI, in C and in Rust, that do well and that do not.

#![cfg(all(unix, feature = "library"))]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests are tests")]

mod program;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use program::{command, joined, reported};
use serde_json::Value;

/// Three fixtures, run in this order, of which the second is bad.
const PROJECTS: [(&str, &str); 3] = [("match-a", "good"), ("b", "bad"), ("match-c", "good")];

struct Bench(tempfile::TempDir);

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, project) in PROJECTS {
            let fixture = folder.path().join("fixtures/runtime").join(name);
            fs::create_dir_all(&fixture).unwrap();
            fs::write(fixture.join("runtime.yaml"), "runtime: x\n").unwrap();
            let manifest = format!("project_id: {project}\n");
            fs::write(fixture.join("manifest.yaml"), manifest).unwrap();
        }
        Self(folder)
    }

    fn c(&self, defines: &[&str]) -> PathBuf {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let library = self.0.path().join("libsample.so");
        let status = Command::new("cc")
            .args(["-shared", "-fPIC", "-Wall", "-Wextra", "-Wno-unused-label", "-o"])
            .arg(&library)
            .arg(format!("-I{}", root.join("docs").display()))
            .args(defines.iter().map(|define| format!("-D{define}")))
            .arg(root.join("tests/libraries/sample.c"))
            .status()
            .unwrap();
        assert!(status.success(), "cc must be installed for these tests");
        library
    }

    fn rust(&self) -> PathBuf {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let library = self.0.path().join("librust.so");
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let status = Command::new(rustc)
            .args(["--edition", "2024", "--crate-type", "cdylib", "-o"])
            .arg(&library)
            .arg(root.join("tests/libraries/sample.rs"))
            .status()
            .unwrap();
        assert!(status.success());
        library
    }

    /// The verdict and outcome of each case, and what was said; one worker, so that
    /// the cases come in order.
    fn run(&self, library: &Path, more: &[&str]) -> Ran {
        let mut command = command();
        command.args(["--test-threads", "1", "--library"]).arg(library);
        command.arg("--fixtures").arg(self.0.path().join("fixtures"));
        let (code, said, report) = reported(&mut command, more);
        let cases = report["cases"].as_array().cloned().unwrap_or_default();
        let name = |case: &Value| {
            let id = case["id"].as_str().unwrap();
            id.trim_start_matches("runtime/").trim_end_matches("::match").to_owned()
        };
        Ran {
            code,
            said: joined(&said),
            report: report.clone(),
            cases: cases.iter().map(|case| (name(case), case.clone())).collect(),
        }
    }
}

struct Ran {
    code: i32,
    said: String,
    report: Value,
    cases: BTreeMap<String, Value>,
}

#[test]
fn libraries_in_c_and_in_rust_are_tested() {
    let bench = Bench::new();
    for (library, version) in [(bench.c(&[]), "sample 3 (C)"), (bench.rust(), "sample (Rust)")] {
        for more in [&[][..], &["--cross-check"], &["--in-flight", "4"]] {
            let ran = bench.run(&library, more);
            assert_eq!(ran.cases.len(), 3, "{}", ran.said);
            assert!(ran.cases.values().all(|case| case["verdict"] == "pass"), "{}", ran.said);
            assert_eq!(ran.report["summary"]["implementation-version"], version);
            assert_eq!(ran.report["header"]["implementation"]["driver"], "library");
            let command = ran.report["header"]["reproduce"].to_string();
            assert!(command.contains("\"--library\""), "{command}");
        }
    }
}

#[test]
fn what_a_library_does_costs_one_case() {
    for (define, expected) in [
        ("SECOND=*(volatile int *)0=1", r#"{"by":"SIGSEGV","kind":"crashed"}"#),
        ("SECOND=abort()", r#"{"by":"SIGABRT","kind":"crashed"}"#),
        ("SECOND=for(;;)pause()", r#"{"kind":"timed-out","limit_ms":1500}"#),
        ("SECOND=exit(0)", "ended with exit code 0 instead of replying"),
        ("SECOND=return 5", "ended with exit code 2 instead of replying"),
        ("SECOND=return 0", "ended with exit code 2 instead of replying"),
        ("SECOND=say(write,context,\"{}\")", "not JSON"),
        ("SECOND=say(write,context,\"\\xff\\xfe\")", "not JSON"),
        ("SECOND=for(;;)say(write,context,\"xxxxxxxxxxxxxxx\")", r#""kind":"flooded""#),
        ("SECOND=for(int i=0;i<20;i++)close(i)", r#""kind":"crashed""#),
    ] {
        let bench = Bench::new();
        let ran = bench.run(&bench.c(&[define]), &["--timeout", "1500ms"]);
        assert_eq!(ran.code, 1, "{define}: {}", ran.said);
        let of = |name: &str| &ran.cases[name];
        // In the order of their ids: b, match-a, match-c.
        assert_eq!(of("b")["verdict"], "pass", "{define}: {}", ran.said);
        assert_eq!(of("match-c")["verdict"], "pass", "{define}: {}", ran.said);
        assert_eq!(of("match-a")["verdict"], "error", "{define}: {}", ran.said);
        let observed = of("match-a")["observed"].to_string();
        assert!(observed.contains(expected), "{define}: {observed}");
    }
}

#[test]
fn a_panic_costs_one_case() {
    let bench = Bench::new();
    let manifest = bench.0.path().join("fixtures/runtime/match-a/manifest.yaml");
    fs::write(manifest, "project_id: panics\n").unwrap();
    let ran = bench.run(&bench.rust(), &[]);
    assert_eq!(ran.cases["match-a"]["observed"]["kind"], "crashed", "{}", ran.said);
    assert!(ran.cases["match-a"]["stderr"].as_str().unwrap().contains("panic"));
    assert_eq!(ran.cases["match-c"]["verdict"], "pass");
}

#[test]
fn what_a_library_prints_is_not_in_the_way() {
    let bench = Bench::new();
    let chatty = bench.c(&["EACH=puts(\"chatty\");fflush(stdout);if(getchar()!=EOF)abort()"]);
    let ran = bench.run(&chatty, &[]);
    assert!(ran.cases.values().all(|case| case["verdict"] == "pass"), "{}", ran.said);
    assert_eq!(ran.cases["b"]["stderr"], "chatty\n");
}

#[test]
fn what_cannot_be_loaded_is_told_once() {
    let bench = Bench::new();
    let missing = bench.run(Path::new("./no-such.so"), &[]);
    assert_eq!(missing.code, 3, "{}", missing.said);
    assert!(missing.said.contains("no such file"), "{}", missing.said);
    assert!(missing.said.contains("check the path given to --library"), "{}", missing.said);

    let text = bench.0.path().join("text.so");
    fs::write(&text, "not a library").unwrap();
    let ran = bench.run(&text, &[]);
    assert_eq!(ran.code, 3, "{}", ran.said);
    assert!(ran.said.contains("text.so") && ran.said.contains("load the library"), "{}", ran.said);

    let other = bench.c(&["living_conformance_v1=other"]);
    let ran = bench.run(&other, &[]);
    assert_eq!(ran.code, 3, "{}", ran.said);
    assert!(ran.said.contains("living_conformance_v1"), "{}", ran.said);
    assert!(ran.said.contains("docs/libraries.md") && !ran.said.contains("--session"));

    let ran = bench.run(&other, &["--", "argument"]);
    assert_eq!(ran.code, 2, "{}", ran.said);
}

#[test]
fn the_header_is_c_and_cpp() {
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/living_conformance.h");
    let compiles = |language: &str, standard: &str, file: &Path| {
        let strict = ["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-pedantic", "-x", language];
        let status = Command::new("cc").args(strict).arg(standard).arg(file).status();
        status.unwrap().success()
    };
    for standard in ["-std=c99", "-std=c11"] {
        assert!(compiles("c", standard, &header), "{standard}");
    }
    // A compiler may come without C++.
    if compiles("c++", "-std=c++98", Path::new("/dev/null")) {
        assert!(compiles("c++", "-std=c++98", &header));
    }
}

#[test]
fn a_library_is_identified_by_its_file() {
    let bench = Bench::new();
    let library = bench.c(&[]);
    let output = command().args(["identity", "--library"]).arg(&library).output().unwrap();
    let identity = living_conformance::certify::Identity::of_bytes(&fs::read(&library).unwrap());
    assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{identity}\n"));
}
