//! The commands for authors, from outside: `new`, `explain` and `minimize`.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may panic")]
#![cfg(unix)]

mod fixture_tree;

use std::fs;
use std::path::Path;
use std::process::Stdio;

use fixture_tree::{GOOD, TestTree, program, run};

const GOLDEN: &str = "\
about: sound
category: example
decides: [mode.strict.escalates]
since: v0.1.0
aliases: [former]
cases:
  lenient: {verdict: accept, findings: []}
  strict:  {verdict: accept, findings: []}
";

fn checkout() -> TestTree {
    TestTree::new(&[
        ("fixtures/manifest/sound/manifest.yaml", GOOD),
        ("fixtures/manifest/sound/expected.yaml", GOLDEN),
        ("fixtures/runtime/", ""),
        ("long.yaml", &GOOD.replace("hello", &"a".repeat(64))),
        (
            "a/runtime.json",
            "{\"runtime\": \"r\", \"protocol_versions\": [\"v0.4\"], \
          \"agent_capabilities\": [\"run_tasks\"], \"isolation_profiles\": [\"container\"], \
          \"state_publication_targets\": [\"control-process\"]}\n",
        ),
        ("a/manifest.yaml", GOOD),
    ])
}

const LENGTH: &str = "manifest.project_id.max-length";

#[test]
fn a_new_fixture_has_the_golden_of_the_reference() {
    let tree = checkout();
    let new = ["new", "manifest/project_id/too-long", "--decides", LENGTH, "--from", "long.yaml"];
    let (code, out, error) =
        run(&tree.path(""), &[&new[..], &["--category", "boundary"]].concat(), "");
    assert_eq!(code, 0, "{error}");
    assert!(
        out.contains("manifest.project_id.max-length (MUST): found by lenient and strict\n"),
        "{out}"
    );
    let read = |file: &str| {
        fs::read_to_string(tree.path("fixtures/manifest/project_id/too-long").join(file)).unwrap()
    };
    assert_eq!(read("manifest.yaml"), GOOD.replace("hello", &"a".repeat(64)));
    assert_eq!(
        read("expected.yaml"),
        "about: too long\ncategory: boundary\ndecides: [manifest.project_id.max-length]\n\
         since: v0.1.0\ncases:\n  \
         lenient: {verdict: accept, findings: [{rule: manifest.project_id.max-length, at: /project_id}]}\n  \
         strict:  {verdict: reject, findings: [{rule: manifest.project_id.max-length, at: /project_id}]}\n"
    );
    let (code, out, _) = run(&tree.path(""), &["lint", "too-long"], "");
    assert_eq!(code, 0, "{out}");
    let (code, _, error) = run(&tree.path(""), &new, "");
    assert_eq!(code, 2);
    assert!(error.contains("manifest/project_id/too-long has it"), "{error}");
}

#[test]
fn documents_come_from_files_directories_standard_input_or_a_sound_fixture() {
    let tree = checkout();
    let at = tree.path("");
    let new = |path: &str, rule: &str, from: &[&str], input: &str| {
        run(&at, &[&["new", path, "--decides", rule], from].concat(), input)
    };
    let (code, out, error) = new("manifest/copy", "mode.strict.escalates", &[], "");
    assert_eq!(code, 0, "{error}");
    assert!(out.contains("those of manifest/sound: change them"), "{out}");
    let (code, out, _) =
        new("manifest/piped", LENGTH, &["--from", "manifest=-"], "project_id: 7\n");
    assert_eq!(code, 0);
    assert!(out.contains("and manifest.project_id.max-length is not the reason\n"), "{out}");
    let (code, _, error) = new("runtime/match-a", "match.exit-code", &["--from", "a"], "");
    assert_eq!(code, 0, "{error}");
    assert!(tree.path("fixtures/runtime/match-a/runtime.json").is_file());
    let (code, _, error) = new(
        "runtime/b",
        "match.exit-code",
        &["--from", "runtime=a/runtime.json", "a/manifest.yaml"],
        "",
    );
    assert_eq!(code, 2);
    assert!(
        error.contains("such a name says reject of match, and\n  the documents say accept"),
        "{error}"
    );
    assert!(error.contains("choose a name"), "{error}");
    assert!(!tree.path("fixtures/runtime/b").exists());
}

#[test]
fn what_cannot_be_new_is_refused_with_a_remedy() {
    let tree = checkout();
    let refused = |path: &str, rule: &str, more: &[&str]| {
        let arguments = [&["new", path, "--decides", rule], more].concat();
        let (code, _, error) = run(&tree.path(""), &arguments, "");
        assert_eq!(code, 2, "{path}: {error}");
        assert!(error.contains("help: "), "{error}");
        error
    };
    assert!(refused("manifest/Bad", LENGTH, &[]).contains("a-z"));
    assert!(refused("manifest/sound/inner", LENGTH, &[]).contains("manifest/sound has it"));
    assert!(refused("manifest/former", LENGTH, &[]).contains("never used again"));
    assert!(refused("other/x", LENGTH, &[]).contains("the suites are"));
    assert!(refused("manifest/x", "manifest.project_id.max-lenght", &[]).contains(LENGTH));
    assert!(refused("manifest/x", LENGTH, &["--from", "none.yaml"]).contains("none.yaml"));
    let two = ["--from", "long.yaml", "a/manifest.yaml"];
    assert!(refused("manifest/x", LENGTH, &two).contains("two files"));
    assert!(refused("runtime/x", "match.exit-code", &[]).contains("--from"));
    assert!(refused("runtime/x", LENGTH, &[]).contains("none of its"));
    assert!(refused("manifest/x", "match.exit-code", &[]).contains("none of its"));
    assert!(refused("manifest/aux", LENGTH, &[]).contains("as the path of a fixture"));
    let (code, _, error) = run(Path::new("/"), &["new", "manifest/x", "--decides", LENGTH], "");
    assert_eq!((code, error.contains("--fixtures")), (2, true), "{error}");
}

/// Whoever closes the pipe has seen enough, and has the fixture.
#[test]
fn a_reader_that_goes_away_harms_no_fixture() {
    let tree = checkout();
    let mut child = program::command()
        .args(["new", "manifest/closed--pipe", "--decides", "mode.strict.escalates"])
        .current_dir(tree.path(""))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let golden = tree.path("fixtures/manifest/closed--pipe/expected.yaml");
    let golden = fs::read_to_string(golden).unwrap();
    assert!(golden.starts_with("about: closed pipe\n"), "{golden}");
}

#[test]
fn everything_known_is_told() {
    let explain = |subject: &str| {
        let (code, out, error) = run(Path::new("/"), &["explain", subject], "");
        assert_eq!(code, 0, "{subject}: {error}");
        out
    };
    let rule = explain(LENGTH);
    for part in [
        "MUST, since v0.1.0, suite manifest",
        "strict rejects where it is broken",
        "fixtures that break it\n",
        "fixtures that keep it\n",
        "  manifest/project_id/64-characters: lenient accept, strict reject\n",
        "      | protocol_version: ",
        "mutants that attack it\n",
        "  rule/manifest.project_id.max-length/strict/",
    ] {
        assert!(rule.contains(part), "{part}\n{rule}");
    }
    assert!(explain("mode.strict.escalates").contains("\n--all shows the documents"));
    let fixture = explain("manifest/project_id/64-characters");
    assert!(fixture.contains("  decides manifest.project_id.max-length\n"), "{fixture}");
    assert!(fixture.contains("    the reference accepts at v0.1, v0.3, v0.4\n"), "{fixture}");
    assert!(fixture.contains("    the reference rejects at v0.1, v0.3, v0.4\n"), "{fixture}");
    let case = explain("manifest/project_id/64-characters::strict");
    assert!(!case.contains("the reference accepts"), "{case}");
    let question = explain("L16");
    assert!(question.contains("rules that it touches\n  manifest.project_id."), "{question}");
    assert!(question.contains("manifest/project_id/accented-letter: "), "{question}");
    assert!(explain("no-power").starts_with("no-power (error)\n"));
    let refused = explain("receipt.verify.rerun-fails");
    assert!(refused.contains("(receipt verify refuses a receipt)\n\nThe new run has"), "{refused}");
    assert!(explain("rule/manifest.project_id.max-length/strict/warns").contains("  attacks "));

    let (code, _, error) = run(Path::new("/"), &["explain", "manifest.project_id.max-lengt"], "");
    assert_eq!(code, 4);
    assert!(error.contains("did you mean manifest.project_id.max-length?"), "{error}");
}

#[test]
fn a_failing_case_is_shrunk_to_what_still_fails() {
    let tree = checkout();
    fs::create_dir_all(tree.path("fixtures/manifest/project_id/long")).unwrap();
    let manifest = GOOD
        .replace("hello", &"a".repeat(80))
        .replace("[run_tasks]", "[run_tasks, publish_state] # two of them");
    fs::write(
        tree.path("fixtures/manifest/project_id/long/manifest.yaml"),
        format!("# a long story\n{manifest}x-more: {{a: [1, 2, 3]}}\n"),
    )
    .unwrap();
    let golden = GOLDEN.replace("former", "another").replace("mode.strict.escalates", LENGTH);
    let finding = format!("findings: [{{rule: {LENGTH}, at: /project_id}}]");
    let golden = golden
        .replace("findings: []", &finding)
        .replace("strict:  {verdict: accept", "strict: {verdict: reject");
    fs::write(tree.path("fixtures/manifest/project_id/long/expected.yaml"), golden).unwrap();

    let case = "manifest/project_id/long::strict";
    let (code, out, error) = run(
        &tree.path(""),
        &["minimize", case, "--fixtures", "fixtures", "--impl", "true", "--write", "small"],
        "",
    );
    assert_eq!(code, 0, "{error}");
    assert!(out.starts_with(&format!("# {case}: ")), "{out}");
    assert!(
        out.contains("living-conformance new manifest/project_id/long-minimal --decides"),
        "{out}"
    );
    let small = fs::read_to_string(tree.path("small/manifest.yaml")).unwrap();
    // Every field stays: a missing one would be another reason to reject.
    let least = GOOD.replace("hello", &"a".repeat(64)).replace("[run_tasks]", "[publish_state]");
    assert_eq!(small, least);

    let new = ["new", "manifest/project_id/long-minimal", "--decides", LENGTH, "--from", "small"];
    let (code, _, error) = run(&tree.path(""), &new, "");
    assert_eq!(code, 0, "{error}");
    let (code, out, _) = run(&tree.path(""), &["lint", "long-minimal"], "");
    assert_eq!(code, 0, "{out}");
}

#[test]
fn a_new_fixture_takes_no_link_and_no_document_without_end() {
    let tree = checkout();
    let at = tree.path("");
    let link = tree.path("fixtures/manifest/link");
    std::os::unix::fs::symlink("/nowhere/at-all", &link).unwrap();
    let new = |path: &str, more: &[&str]| {
        run(&at, &[&["new", path, "--decides", LENGTH], more].concat(), "")
    };
    let from = ["--from", "manifest=long.yaml"];
    let (code, _, error) = new("manifest/link", &from);
    assert!(code == 2 && error.contains("it exists"), "{error}");
    assert!(link.is_symlink(), "it is not for this command to remove");
    let (code, _, error) = new("manifest/zero", &["--from", "manifest=/dev/zero"]);
    assert!(code == 2 && error.contains("larger than 16 MiB"), "{error}");
    for about in ["", " ", "one\ntwo"] {
        let (code, _, error) = new("manifest/odd", &[&from[..], &["--about", about]].concat());
        assert!(code == 2 && error.contains("a line of text is due"), "{about:?}: {error}");
    }
    assert!(!tree.path("fixtures/manifest/zero").exists());
    assert!(!tree.path("fixtures/manifest/odd").exists());
}

#[test]
fn what_is_there_is_kept_and_nothing_is_tried_for_nothing() {
    let tree = checkout();
    let case = "manifest/sound::strict";
    let golden = tree.path("fixtures/manifest/sound/manifest.yaml");
    let before = fs::read(&golden).unwrap();
    let mark = tree.path("ran");
    let command = format!("echo > {}; kill -9 $$", mark.display());
    for directory in ["fixtures/manifest/sound", "/proc/nowhere"] {
        let args = ["minimize", case, "--fixtures", "fixtures", "--write", directory];
        let rest = ["--impl", "sh", "--", "-c", &command];
        let (code, out, error) = run(&tree.path(""), &[&args[..], &rest].concat(), "");
        assert_eq!((code, &*out), (2, ""), "{error}");
        assert!(error.contains("with --write"), "{error}");
        assert!(!mark.exists(), "it is known before the search");
    }
    assert_eq!(fs::read(&golden).unwrap(), before);
}

#[test]
fn who_interrupts_gets_what_was_found() {
    let tree = checkout();
    // It hangs once a document is smaller, and would go on for long.
    let size = GOOD.len();
    let ready = tree.path("ready");
    let command = format!(
        "for last; do :; done; [ $(wc -c <\"$last\") -lt {size} ] || kill -9 $$; \
         [ -e {0} ] && sleep 20; : > {0}; kill -9 $$",
        ready.display()
    );
    let mut harness = std::process::Command::new(env!("CARGO_BIN_EXE_living-conformance"));
    harness.args([
        "minimize",
        "manifest/sound::strict",
        "--fixtures",
        "fixtures",
        "--timeout",
        "60s",
    ]);
    harness.args(["--impl", "sh", "--", "-c", &command]).current_dir(tree.path(""));
    harness.stdout(std::process::Stdio::piped());
    let child = harness.spawn().unwrap();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while !ready.exists() {
        assert!(std::time::Instant::now() < deadline, "it found nothing");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    // The first smaller document is taken; the next one hangs.
    std::thread::sleep(std::time::Duration::from_millis(300));
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(out.contains("# there may be something smaller: interrupted"), "{out}");
    assert!(out.contains("living-conformance new manifest/sound-minimal"), "{out}");
    assert!(!out.contains(GOOD), "what was found first is smaller: {out}");
}

#[test]
fn a_crash_needs_no_document_at_all() {
    let tree = checkout();
    let crash = [
        "minimize",
        "manifest/sound::strict",
        "--fixtures",
        "fixtures",
        "--impl",
        "sh",
        "--",
        "-c",
        "kill -9 $$",
    ];
    let (code, out, error) = run(&tree.path(""), &crash, "");
    assert_eq!(code, 0, "{error}");
    assert!(out.contains(": 0 of "), "{out}");
    assert!(
        out.ends_with("--decides mode.strict.escalates --from manifest=- <<'EOF'\nEOF\n"),
        "{out}"
    );
}

#[test]
fn what_does_not_fail_is_not_shrunk() {
    let tree = checkout();
    let minimize = |case: &str, program: &str| {
        run(&tree.path(""), &["minimize", case, "--fixtures", "fixtures", "--impl", program], "")
    };
    let (code, _, error) = minimize("manifest/sound::strict", "true");
    assert_eq!(code, 2);
    assert!(error.contains("it does not fail by itself"), "{error}");
    let (code, _, error) = minimize("manifest/sund::strict", "true");
    assert_eq!(code, 4);
    assert!(error.contains("did you mean manifest/sound::strict?"), "{error}");
    let (code, _, _) = minimize("manifest/sound::strict", "/no/such/program");
    assert_eq!(code, 3);
}

#[test]
fn an_implementation_that_answers_as_it_likes_is_told_of() {
    let tree = checkout();
    let minimize = |rejects: &str| {
        let count = tree.path("count");
        let _ = std::fs::remove_file(&count);
        let script = format!(
            "n=$(($(cat {0} 2>/dev/null || echo 0) + 1)); echo $n > {0}; ! {rejects}",
            count.display()
        );
        let case = "manifest/sound::strict";
        let line =
            ["minimize", case, "--fixtures", "fixtures", "--impl", "sh", "--", "-c", &script];
        run(&tree.path(""), &line, "")
    };
    let (code, _, error) = minimize("[ $((n % 2)) = 1 ]");
    assert_eq!(code, 2, "{error}");
    assert!(error.contains("the implementation does not"), "{error}");
    let (code, out, error) = minimize("[ $n -le 5 ]");
    assert_eq!(code, 1, "{out}{error}");
    assert!(out.contains("# do not rely on it: the implementation does not always"), "{out}");
    let (code, out, error) = minimize("true");
    assert_eq!(code, 0, "{out}{error}");
}
