//! The ways to reach an implementation, from the command line.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests are tests")]

mod program;

use std::fs;
use std::path::Path;

use program::{command, executable, joined, program, reported};
use serde_json::Value;

/// Runs, and gives the exit code, what it said, and its report.
fn run(args: &[&str]) -> (i32, String, Value) {
    let (code, said, report) = reported(&mut command(), args);
    (code, joined(&said), report)
}

fn script(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    executable(&path, text);
    path.to_str().unwrap().to_owned()
}

#[test]
fn the_program_keeps_a_session_with_itself() {
    let own = program();
    let own = own.to_str().unwrap();
    for extra in [&[][..], &["--in-flight", "16"], &["--shuffle", "7"]] {
        let mut args = vec!["--impl", own, "--session", "--enforce", "should"];
        args.extend(extra);
        let (code, said, report) = run(&args);
        assert_eq!(code, 0, "{said}");
        assert_eq!(report["header"]["implementation"]["driver"], "session", "{report}");
        assert!(said.contains("version under test: living-conformance"), "{said}");
    }
}

#[test]
fn cross_checking_runs_a_case_both_ways() {
    let own = program();
    let own = own.to_str().unwrap();
    let (code, said, report) =
        run(&["--impl", own, "--session", "--cross-check", "manifest/project_id"]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(report["summary"]["total"]["errors"], 0, "{said}");
    assert_eq!(report["summary"]["total"]["failed"], 0, "{said}");

    let (code, said, _) = run(&["--impl", own, "--cross-check"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("add --session"), "{said}");

    // Accepts everything alone, and rejects everything in a session.
    let folder = tempfile::tempdir().unwrap();
    let leaky = script(
        folder.path(),
        "leaky",
        r#"#!/bin/sh
[ "$1" = session ] || exit 0
read -r _; echo '{"type":"hello","session":1,"name":"leaky"}'
n=0; while read -r line; do case $line in *bye*) exit;; esac
n=$((n+1)); echo "{\"type\":\"reply\",\"id\":$n,\"verdict\":\"reject\"}"; done
"#,
    );
    let (code, said, _) =
        run(&["--impl", &leaky, "--session", "--cross-check", "--class", "matcher"]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("rejects among other cases and accepts when asked alone"), "{said}");
}

#[test]
fn sessions_that_break_too_often_end_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let crashing = script(
        folder.path(),
        "crashing",
        "#!/bin/sh\nread -r _; echo '{\"type\":\"hello\",\"session\":1,\"name\":\"x\"}'\nread -r _\nexit 9\n",
    );
    let (code, said, _) = run(&["--impl", &crashing, "--session"]);
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("started again 10 times, it broke off once more"), "{said}");
    assert!(said.contains("::lenient: ended with exit code 9 instead of replying"), "{said}");

    let (code, said, _) = run(&["--impl", "true", "--session"]);
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("ended with exit code 0 before it answered hello"), "{said}");
}

#[test]
fn a_profile_that_was_made_can_be_used() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = tempfile::tempdir().unwrap();
    let text = "#!/bin/sh\necho 'a: [\u{1}'; exit 0\n";
    let made = |program: &std::ffi::OsStr, more: &[&str]| {
        let mut command = command();
        command.args(["profile", "new", "--timeout", "5s", "--impl"]).arg(program).args(more);
        command.current_dir(folder.path()).output().unwrap()
    };
    for name in ["odd\u{7f}\u{85}\u{feff}: [x", "true", "a 'b' \"c\" # d", "é\ty"] {
        let program = script(folder.path(), name, text);
        let output = made(program.as_ref(), &["--", "--x=\u{9b}1\n"]);
        assert!(output.status.success(), "{name:?}: {output:?}");
        let profile = folder.path().join("made.yaml");
        fs::write(&profile, &output.stdout).unwrap();
        let case = "manifest/project_id/64-capitals::lenient";
        let (code, said, report) = run(&["--profile", profile.to_str().unwrap(), "--exact", case]);
        assert_ne!(report, Value::Null, "{name:?}: {code} {said}");
        let command = report["header"]["implementation"]["command"].to_string();
        assert!(!command.contains('\u{fffd}'), "{command}");
    }
    script(folder.path(), "{x}", text);
    let output = made("./{x}".as_ref(), &[]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("failed to fill in {x}") && output.stdout.is_empty(), "{said}");
    let name = std::ffi::OsStr::from_bytes(b"la\xfftin");
    let latin = folder.path().join(name);
    fs::copy(folder.path().join("{x}"), &latin).unwrap();
    let output = made(latin.as_os_str(), &[]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("not UTF-8") && output.stdout.is_empty(), "{said}");
}

#[test]
fn a_reply_that_can_be_read_in_two_ways_breaks_the_session() {
    let folder = tempfile::tempdir().unwrap();
    for (reply, told) in [
        (r#""verdict":"reject","verdict":"accept""#, "has a key twice: \"/verdict\""),
        (r#""verdict":"accept","findings":[{"rule":"a","rule":"b"}]"#, "\"/findings/0/rule\""),
        (r#""unsupported":"""#, "reason for not supporting the operation is blank"),
        (r#""unsupported":"no","findings":[{"rule":"a"}]"#, "no verdict that they go with"),
    ] {
        let text = format!(
            "#!/bin/sh\nread -r _; echo '{{\"type\":\"hello\",\"session\":1,\"name\":\"x\"}}'\n\
             read -r _; echo '{{\"type\":\"reply\",\"id\":1,{reply}}}'\nread -r _\n"
        );
        let unsure = script(folder.path(), "unsure", &text);
        let case = "manifest/project_id/64-capitals::strict";
        let (code, said, report) = run(&["--impl", &unsure, "--session", "--exact", case]);
        assert_eq!(code, 1, "{said}");
        let observed = &report["cases"][0]["observed"];
        assert_eq!(observed["kind"], "broke-protocol", "{report}");
        assert!(observed["what"].as_str().unwrap().contains(told), "{observed}");
    }
}

#[test]
fn a_json_line_that_is_no_finding_is_pointed_out() {
    let folder = tempfile::tempdir().unwrap();
    let line = r#"{"rule":"manifest.project_id.charset","at":"/project_id","severity":"fatal"}"#;
    let text = format!("#!/bin/sh\necho '{line}'; exit 1\n");
    let odd = script(folder.path(), "odd", &text);
    let case = "manifest/project_id/64-capitals::strict";
    let args = ["--impl", &odd, "--findings", "json", "--exact", case];
    let (_, said, report) = run(&args);
    assert!(report.to_string().contains("missing"), "{report}");
    assert!(said.contains("another word for its severity is no finding"), "{said}");
}

#[test]
fn what_an_implementation_says_does_not_swell_the_report() {
    let folder = tempfile::tempdir().unwrap();
    let text = "#!/bin/sh\nyes '{\"rule\":\"a\"}' | head -8000 | nl -s '' | \
                sed 's/ *\\([0-9]*\\)\\(.*\\)\"a\"/\\2\"a\\1\"/'; exit 1\n";
    let loud = script(folder.path(), "loud", text);
    let (code, said, report) = run(&["--impl", &loud, "manifest/project_id/64-capitals"]);
    assert_eq!(code, 1, "{said}");
    let case = &report["cases"][1];
    let findings = case["findings"].as_array().unwrap();
    assert!(findings.len() > 500 && findings.len() < 2_000, "{}", findings.len());
    assert_eq!(findings[0]["rule"], "a1");
    assert!(report.to_string().len() < 600_000);
}

#[test]
fn a_profile_stands_in_for_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    let tool = script(folder.path(), "tool", "#!/bin/sh\necho \"it is: $2\"; exit \"$1\"\n");
    let profile = format!(
        r#"profile: turned
about: exits the other way round
program: {tool}
operations:
  strict: {{argv: ["0", "{{manifest}}"]}}
  lenient: {{argv: ["4", "{{manifest}}"]}}
  match: {{unsupported: it knows one document only}}
exits: {{accept: [4], reject: [0]}}
findings:
  lines: [{{match: "^it is: (?<value>.*)$", rule: manifest.document.parse, at: ""}}]
"#
    );
    let path = script(folder.path(), "turned.yaml", &profile);
    let (code, said, report) = run(&["--profile", &path, "manifest/document/"]);
    assert_eq!(code, 1, "{said}");
    assert_eq!(report["header"]["implementation"]["name"], "turned");
    assert!(report.to_string().contains("manifest.document.parse"), "{report}");
    let (code, said, _) = run(&["--profile", &path, "--class", "matcher"]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("unsupported"), "{said}");

    // Its program may lie beside it.
    let beside =
        script(folder.path(), "beside.yaml", &profile.replace(&tool, "\"{profile}/tool\""));
    let (code, said, _) = run(&["--profile", &beside, "manifest/document/"]);
    assert_eq!(code, 1, "{said}");
    assert!(!said.contains("ended early"), "{said}");

    // What stands for nothing is told of before anything runs, with its place.
    let wrong = script(folder.path(), "wrong.yaml", &profile.replace("{manifest}", "{manifset}"));
    let (code, said, report) = run(&["--profile", &wrong, "manifest/document/"]);
    assert_eq!((code, report), (2, Value::Null), "{said}");
    for place in ["5:24", "6:25"] {
        let place = format!("wrong.yaml:{place}: failed to fill in {{manifset}}");
        assert!(said.contains(&place), "{said}");
    }

    let slip = profile.replace("manifest.document.parse", "manifest.document.pars");
    let wrong = script(folder.path(), "wrong.yaml", &slip);
    let (code, said, report) = run(&["--profile", &wrong, "manifest/document/"]);
    assert_eq!((code, report), (2, Value::Null), "{said}");
    assert!(said.contains("wrong.yaml:10:50: failed to take \"manifest.document.pars\""), "{said}");
    assert!(said.contains("did you mean manifest.document.parse?"), "{said}");

    // What is said to reproduce a failure does so.
    let (_, _, report) = run(&["--profile", &path, "--impl", &tool, "manifest/document/"]);
    let reproduce = report["header"]["reproduce"].to_string();
    let says = |option: &str| reproduce.contains(option);
    assert!(says("\"--profile\"") && says("\"--impl\""), "{reproduce}");

    for (profile, code, told) in [
        ("no-such", 2, "shipped are"),
        ("no-such.yaml", 2, "no-such.yaml"),
        ("check-jsonschema", 3, "check-jsonschema"),
    ] {
        let output = command().env("PATH", "").args(["--profile", profile]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{profile}: {said}");
        assert!(said.contains(told), "{profile}: {said}");
    }
}
