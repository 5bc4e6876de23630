//! The page of what tools make of the fixtures: it is what `docs/tools.json` makes, and
//! a few cases of each tool that is installed still come out as it says.
//!
//! `LIVING_CONFORMANCE_UPDATE=1 cargo test --test tools_page -- --ignored` runs all tools
//! over all fixtures, which takes many minutes, and makes both again. With a folder in
//! `TOOL_REPORTS` it takes the reports `NAME.json` of such runs from there, and keeps what
//! is written of the tools that have none.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "helpers of tests are tests"
)]

mod tool_support;

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::Path;

use living_conformance::core::CaseId;
use living_conformance::corpus::Corpus;
use living_conformance::report::{Report, ToolResults, tools_page};
use tool_support::Tools;

/// The profiles, with a command that ends well where the tool is installed.
const PROFILES: [(&str, &[&str]); 5] = [
    ("check-jsonschema", &["check-jsonschema", "--version"]),
    ("ajv", &["node", "-e", "require('ajv'); require('js-yaml')"]),
    ("jsonschema-cli", &["sh", "-c", "jsonschema-cli --version | grep '^jsonschema-cli '"]),
    ("python", &["python3", "-c", "import yaml"]),
    ("node", &["node", "-e", "require('js-yaml').CORE_SCHEMA.withTags"]),
];

/// How many cases of a tool are looked at, of those that it decides wrong and of all.
const SAMPLE: usize = 5;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn results() -> Vec<ToolResults> {
    let text = fs::read_to_string(root().join("docs/tools.json")).unwrap_or_default();
    serde_json::from_str(&text).expect("docs/tools.json is what this test writes")
}

fn run(tools: &Tools, profile: &str, more: &[&str]) -> Report {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.json");
    let report = format!("json={}", path.display());
    let mut command = tools.command(env!("CARGO_BIN_EXE_living-conformance"));
    command.env_remove("LIVING_CONFORMANCE_IMPL");
    command.args(["--profile", profile, "--quiet", "--timeout", "20", "--report", &report]);
    let output = command.args(more).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Report::read(&path).unwrap_or_else(|error| panic!("failed to {error}: {said}"))
}

#[test]
fn the_page_is_what_the_results_make() {
    let on_disk = fs::read_to_string(root().join("docs/tools.md")).unwrap_or_default();
    assert!(
        on_disk == tools_page(&results()),
        "docs/tools.md is stale; run LIVING_CONFORMANCE_UPDATE=1 cargo test --test tools_page \
         -- --ignored"
    );
}

#[test]
#[ignore = "runs all tools over all fixtures"]
fn the_results_are_made_again() {
    assert!(
        env::var_os("LIVING_CONFORMANCE_UPDATE").is_some_and(|it| it == "1"),
        "this writes to docs/: set LIVING_CONFORMANCE_UPDATE=1"
    );
    let mut written = match env::var_os("TOOL_REPORTS") {
        Some(_) => results(),
        None => Vec::new(),
    };
    let results: Vec<ToolResults> = PROFILES
        .iter()
        .map(|(profile, command)| {
            let report = match env::var_os("TOOL_REPORTS") {
                Some(folder) => {
                    let path = Path::new(&folder).join(format!("{profile}.json"));
                    let at = written.iter().position(|it| it.profile == *profile);
                    if let (false, Some(at)) = (path.exists(), at) {
                        return written.swap_remove(at);
                    }
                    Report::read(&path).unwrap_or_else(|error| panic!("failed to {error}"))
                }
                None => {
                    let tools = Tools::where_installed(command).expect("all tools are needed");
                    run(&tools, profile, &[])
                }
            };
            ToolResults::of(profile, &report)
        })
        .collect();
    let text = serde_json::to_string_pretty(&results).unwrap() + "\n";
    fs::write(root().join("docs/tools.json"), text).unwrap();
    fs::write(root().join("docs/tools.md"), tools_page(&results)).unwrap();
}

#[test]
fn the_results_still_hold() {
    let corpus = Corpus::load(None, None).unwrap();
    let known: BTreeSet<CaseId> = corpus
        .fixtures
        .iter()
        .flat_map(|fixture| fixture.cases.keys().map(|operation| fixture.id.case(operation)))
        .collect();
    for (results, (profile, command)) in results().iter().zip(PROFILES) {
        assert_eq!(results.profile, profile);
        let Some(tools) = Tools::where_installed(command) else { continue };
        let wrong: BTreeSet<&CaseId> = results.wrong.iter().map(|it| &it.case).collect();
        // Fixtures may have gone since.
        let wrong: Vec<_> = wrong.into_iter().filter(|case| known.contains(*case)).collect();
        let of_manifests: Vec<_> = known.iter().filter(|case| case.suite() == "manifest").collect();
        let sample: BTreeSet<&CaseId> = spread(&wrong).chain(spread(&of_manifests)).collect();
        let mut args = vec!["--exact"];
        args.extend(sample.iter().map(|case| case.as_str()));
        let now = ToolResults::of(profile, &run(&tools, profile, &args));
        if now.version != results.version {
            eprintln!("not compared: {profile} is {:?} here", now.version);
            continue;
        }
        let now: BTreeSet<&CaseId> = now.wrong.iter().map(|it| &it.case).collect();
        let then: BTreeSet<&CaseId> = wrong.into_iter().filter(|it| sample.contains(it)).collect();
        assert_eq!(
            now, then,
            "{profile}: docs/tools.json is stale; run LIVING_CONFORMANCE_UPDATE=1 cargo test \
             --test tools_page -- --ignored"
        );
    }
}

/// A few of them, from all over.
fn spread<'a>(all: &[&'a CaseId]) -> impl Iterator<Item = &'a CaseId> {
    let step = all.len().div_ceil(SAMPLE).max(1);
    all.iter().copied().step_by(step)
}
