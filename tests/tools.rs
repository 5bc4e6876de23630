//! The shipped profiles and adapters, with the real tools.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests are tests")]

mod program;
mod tool_support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use living_conformance::core::{Shown, Stance};
use living_conformance::corpus::Corpus;
use program::{executable, program, reported, unheard};
use serde_json::Value;
use tool_support::Tools;

impl Tools {
    /// Runs the harness; its exit code, what it said, and its report.
    fn run(&self, args: &[&str]) -> Run {
        let mut command = unheard(self.command(program()));
        let (code, said, report) = reported(command.args(["--timeout", "60"]), args);
        Run { code, said, report }
    }
}

struct Run {
    code: i32,
    said: String,
    report: Value,
}

impl Run {
    /// The cases that did not pass, each with what differs.
    fn failures(&self) -> BTreeMap<String, String> {
        let cases = self.report["cases"].as_array().expect("a report");
        let failed = cases.iter().filter(|case| case["verdict"] != "pass");
        failed
            .map(|case| (case["id"].as_str().unwrap().into(), case["mismatches"].to_string()))
            .collect()
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn script(path: &Path, text: &str) -> String {
    executable(path, text);
    path.to_str().unwrap().to_owned()
}

/// For each rule that a finding of the operation shows, a case that has this finding
/// and no other.
fn isolating(operation: &str) -> BTreeMap<String, String> {
    let corpus = Corpus::load(None, None).unwrap();
    let mut cases = BTreeMap::new();
    for fixture in &corpus.fixtures {
        let Some(case) = fixture.cases.get(operation) else { continue };
        let firm = case.stance != Stance::Either && fixture.before.is_none();
        if let (true, Some([finding])) = (firm, case.findings.as_deref())
            && corpus.suites.rules.rule(&finding.rule).unwrap().shown_by == Shown::Finding
        {
            let id = fixture.id.case(operation).as_str().to_owned();
            cases.entry(finding.rule.as_str().to_owned()).or_insert(id);
        }
    }
    assert!(!cases.is_empty());
    cases
}

#[test]
fn the_python_adapter_conforms() {
    let Some(tools) = Tools::with(&["python3", "-c", "import yaml"]) else { return };
    adapter_conforms(&tools, "python", &root().join("docs/adapters/python/adapter.py"));
}

#[test]
fn the_node_adapter_conforms() {
    let Some(tools) = Tools::with(&["node", "-e", "require('js-yaml').CORE_SCHEMA.withTags"])
    else {
        return;
    };
    adapter_conforms(&tools, "node", &root().join("docs/adapters/node/adapter.cjs"));
}

/// As a session with all cases, and a process a case with some of them.
fn adapter_conforms(tools: &Tools, profile: &str, program: &Path) {
    for more in [&[][..], &["--protocol", "v0.1"], &["--protocol", "v0.3", "--in-flight", "8"]] {
        let args = [&["--profile", profile, "--enforce", "should"], more].concat();
        let run = tools.run(&args);
        assert_eq!((run.code, run.failures()), (0, BTreeMap::new()), "{}", run.said);
        assert_eq!(run.report["header"]["implementation"]["driver"], "session");
    }
    let cases = isolating("match").into_values().chain(isolating("strict").into_values().take(5));
    let cases: Vec<_> = cases.collect();
    let mut args = vec!["--profile", profile, "--session", "--cross-check", "--exact"];
    args.extend(cases.iter().map(String::as_str));
    let run = tools.run(&args);
    assert_eq!((run.code, run.failures()), (0, BTreeMap::new()), "{}", run.said);

    for (arguments, code) in [(&["--version"][..], 0), (&["frobnicate"], 2), (&[], 2)] {
        let output = tools.command(program).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    }
}

#[test]
fn the_shell_adapter_conforms_where_its_tool_does() {
    let tools = Tools::with(&["sh", "-c", "exit 0"]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    // The reference, in the style of Go programs.
    let tool = script(
        &folder.path().join("tool"),
        &format!(
            r#"#!/bin/sh
own='{}'
case $1 in
version) echo tool version 3; exit;;
check) shift; [ "$1" = -strict ] && {{ shift; set -- --strict "$@"; }}; set -- validate "$@";;
match) set -- match "${{2#-runtime=}}" "$3";;
*) exit 2;;
esac
"$own" "$@" | sed 's/^/manifest.yaml:1:2: /' >&2
"$own" "$@" > /dev/null 2>&1
"#,
            env!("CARGO_BIN_EXE_living-conformance")
        ),
    );
    let tools = Tools(tools.0.into_iter().chain([("TOOL", tool.into())]).collect());
    let cases: Vec<_> =
        ["lenient", "strict", "match"].map(isolating).into_iter().flatten().collect();
    let mut args = vec!["--profile", "shell", "--enforce", "should", "--exact"];
    args.extend(cases.iter().map(|(_, id)| id.as_str()));
    let run = tools.run(&args);
    assert_eq!((run.code, run.failures()), (0, BTreeMap::new()), "{}", run.said);
    assert_eq!(run.report["summary"]["implementation-version"], "tool version 3");
}

/// What a schema cannot say.
const BEYOND_SCHEMAS: [&str; 1] = ["manifest.snapshot.recommended"];

/// A tool that holds documents against the schemas: each rule of strict mode is found
/// and named, but for `unseen`; unknown fields are not reported in lenient mode. Each
/// `step`th rule is looked at.
fn holds_schemas(tools: &Tools, profile: &str, unseen: &[&str], step: usize) {
    let cases: BTreeMap<_, _> = isolating("strict").into_iter().step_by(step).collect();
    let mut args = vec!["--profile", profile, "--enforce", "should", "--exact"];
    args.extend(cases.values().map(String::as_str));
    let run = tools.run(&args);
    let failures = run.failures();
    let failed: BTreeSet<&str> = cases
        .iter()
        .filter(|(_, id)| failures.contains_key(*id))
        .map(|(rule, _)| rule.as_str())
        .collect();
    let unseen = BEYOND_SCHEMAS.iter().chain(unseen).copied();
    let expected: BTreeSet<&str> = unseen.filter(|rule| cases.contains_key(*rule)).collect();
    assert_eq!(failed, expected, "{failures:#?}");

    let lenient = isolating("lenient");
    let unknown = &lenient["manifest.unknown-field.top-level"];
    let missing = &lenient["manifest.project_id.required"];
    let run = tools.run(&["--profile", profile, "--exact", unknown, missing]);
    assert_eq!(run.code, 1, "{}", run.said);
    let failures = run.failures();
    assert_eq!(failures.keys().collect::<Vec<_>>(), [unknown]);
    assert!(failures[unknown].contains("\"missing\""), "{failures:?}");

    let run = tools.run(&["--profile", profile, "--class", "matcher", "runtime/match-"]);
    let total = &run.report["summary"]["total"];
    assert!(total["unsupported"].as_u64() > Some(0), "{}", run.said);
    assert_eq!(total["passed"], 0, "{}", run.said);
    assert!(run.report["summary"]["implementation-version"].is_string(), "{}", run.said);
}

#[test]
fn check_jsonschema_holds_documents_against_the_schemas() {
    let Some(tools) = Tools::with(&["check-jsonschema", "--version"]) else { return };
    // It takes half a second to start.
    holds_schemas(&tools, "check-jsonschema", &[], 3);
}

#[test]
fn ajv_holds_documents_against_the_schemas() {
    let Some(tools) = Tools::with(&["node", "-e", "require('ajv'); require('js-yaml')"]) else {
        return;
    };
    holds_schemas(&tools, "ajv", &[], 1);
}

#[test]
fn jsonschema_cli_holds_documents_against_the_schemas() {
    // The program of this name on PyPI is another one, which has no such option.
    let command = ["sh", "-c", "jsonschema-cli --version | grep '^jsonschema-cli '"];
    let Some(tools) = Tools::where_installed(&command) else { return };
    // It says neither what it misses in a list, nor where; and of an empty text there is
    // nothing in its words.
    let unseen = [
        "manifest.secrets.requires-read_secrets",
        "manifest.project_id.first-character",
        "manifest.state_publication.url.https",
    ];
    holds_schemas(&tools, "jsonschema-cli", &unseen, 1);
}

#[test]
fn the_programs_of_the_protocol_repository_are_run_as_its_document_names_them() {
    let Some(tools) = Tools::with(&["python3", "-c", "import yaml"]) else { return };
    let checkout = tempfile::tempdir().unwrap();
    // Stand-ins: the checks of the adapter, told in free text.
    let adapter = root().join("docs/adapters/python/adapter.py");
    let head = format!(
        "import importlib.util, os, sys\n\
         assert os.path.isdir('scripts'), 'it is run in the checkout'\n\
         spec = importlib.util.spec_from_file_location('adapter', {:?})\n\
         adapter = importlib.util.module_from_spec(spec)\n\
         spec.loader.exec_module(adapter)\n\
         def tell(found):\n\
         \x20   for finding in found.list:\n\
         \x20       print(finding['severity'] + ':', finding['message'])\n\
         \x20   sys.exit(1 if found.rejects else 0)\n",
        adapter.to_str().unwrap()
    );
    script(
        &checkout.path().join("scripts/validate.py"),
        &format!(
            "{head}mode = 'strict' if sys.argv[1] == '--strict' else 'lenient'\n\
             tell(adapter.decide(mode, {{'manifest': adapter.read(sys.argv[-1])}}))\n"
        ),
    );
    script(
        &checkout.path().join("scripts/match.py"),
        &format!(
            "{head}runtime, manifest = map(adapter.read, sys.argv[1:])\n\
             tell(adapter.decide('match', {{'runtime': runtime, 'manifest': manifest}}))\n"
        ),
    );
    let cases: Vec<_> =
        ["lenient", "strict", "match"].map(isolating).into_iter().flatten().collect();
    let dir = checkout.path().to_str().unwrap();
    // `python` may be missing where `python3` is not.
    let mut args = vec!["--impl", "python3", "--profile", "protocol-scripts", "--dir", dir];
    args.push("--exact");
    args.extend(cases.iter().step_by(3).map(|(_, id)| id.as_str()));
    let run = tools.run(&args);
    assert_eq!(run.code, 0, "{}", run.said);
    assert_eq!(run.report["cases"][0]["grade"], "text");

    let run = tools.run(&["--impl", "python3", "--profile", "protocol-scripts"]);
    assert_eq!(run.code, 3, "{}", run.said);
    assert!(run.said.contains("--dir"), "{}", run.said);
    let run = tools.run(&[
        "--impl",
        "python3",
        "--profile",
        "protocol-scripts",
        "--dir",
        "/no/such/checkout",
    ]);
    assert_eq!(run.code, 3, "{}", run.said);
    assert!(run.said.contains("failed to find the folder \"/no/such/checkout\""), "{}", run.said);
}

#[test]
fn a_profile_is_begun_by_trying_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    let tools = Tools::with(&["sh", "-c", "exit 0"]).unwrap();
    let odd = script(
        &folder.path().join("odd"),
        "#!/bin/sh\ncase $1 in --version) echo odd 4.2;; match) exit 0;; *) echo what is \"$1\"? >&2; exit 3;; esac\n",
    );
    let own = env!("CARGO_BIN_EXE_living-conformance");
    for (program, told, path) in [
        (
            odd.as_str(),
            &[
                "exit code 3; stderr: what is validate?",
                "# It says: odd 4.2",
                "# Not what the contract asks for",
            ][..],
            "odd.yaml",
        ),
        (own, &["exit code 0\n", "Findings were read as the contract has them"], "own.yaml"),
    ] {
        let output =
            tools.command(own).args(["profile", "new", "--impl", program]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        for told in told {
            assert!(text.contains(told), "{told}: {text}");
        }
        // It can be used as it is, and does what the contract does.
        let path = script(&folder.path().join(path), &text);
        let run = tools.run(&["--profile", &path, "manifest/mode/"]);
        assert_eq!(run.code, i32::from(program == odd), "{text}\n{}", run.said);
    }
    // One that hangs takes no longer than it must.
    let hanging = script(&folder.path().join("hanging"), "#!/bin/sh\nexec sleep 600\n");
    let args = ["profile", "new", "--timeout", "300ms", "--impl", &hanging];
    let output = tools.command(own).args(args).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.matches(": not done after 300 ms\n").count(), 3, "{text}");
    assert_eq!(text.matches(": not tried after that\n").count(), 3, "{text}");
    let listed = tools.command(own).args(["profile", "list"]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    for name in
        ["check-jsonschema", "ajv", "jsonschema-cli", "python", "node", "shell", "protocol-scripts"]
    {
        assert!(listed.lines().any(|line| line.starts_with(&format!("{name} "))), "{listed}");
        let shown = tools.command(own).args(["profile", "show", name]).output().unwrap();
        let file = fs::read(root().join(format!("docs/adapters/{name}.yaml"))).unwrap();
        assert_eq!(shown.stdout, file);
    }
    let unknown = tools.command(own).args(["profile", "show", "no-such"]).output().unwrap();
    assert_eq!(unknown.status.code(), Some(2));
}
