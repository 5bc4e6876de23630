//! The README's picture of a run is a real one, and its adapters work as they are printed.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may")]

mod program;
mod tool_support;

use std::fs;
use std::path::Path;
use std::process::Command;

use program::{executable, program, reported, unheard};
use serde_json::Value;
use tool_support::Tools;

const BEGIN: &str = "<!-- A real run: LIVING_CONFORMANCE_UPDATE=1 cargo test --test readme -->\n";
const END: &str = "<!-- The end of the run -->\n";
const FILTER: &str = "only-read_secrets";

/// A validator that has not heard of v0.4 yet.
const KNOWS_V0_3: &str = "#!/bin/sh\nexec living-conformance \"$@\" --protocol v0.3\n";

#[test]
fn the_picture_of_a_run_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(&path).unwrap();
    let (before, rest) = readme.split_once(BEGIN).expect("the README has a place for the run");
    let (shown, after) = rest.split_once(END).expect("the run has an end");
    let run = picture();
    if shown == run {
        return;
    }
    assert!(
        std::env::var_os("LIVING_CONFORMANCE_UPDATE").is_some(),
        "the README shows another run than this one; LIVING_CONFORMANCE_UPDATE=1 renews it:\n{run}"
    );
    fs::write(&path, format!("{before}{BEGIN}{run}{END}{after}")).unwrap();
}

fn picture() -> String {
    let folder = tempfile::tempdir().unwrap();
    let tool = folder.path().join("knows-v0.3");
    executable(&tool, KNOWS_V0_3);
    std::os::unix::fs::symlink(program(), folder.path().join("living-conformance")).unwrap();
    let search_path =
        format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap_or_default());
    let output = unheard(Command::new("living-conformance"))
        .args(["--impl", "./knows-v0.3", FILTER, "--color", "never"])
        .current_dir(folder.path())
        .env("PATH", search_path)
        .env("TMPDIR", "/tmp")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let folders = regex::Regex::new("living-conformance-[A-Za-z0-9]{6}").unwrap();
    let times = regex::Regex::new(r"(ran: \d+ cases in) [0-9.]+ m?s").unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let text = folders.replace_all(&text, "living-conformance-Ab3dE6");
    let text = times.replace_all(&text, "$1 21 ms");
    let mut picture = format!("\n    $ living-conformance --impl ./knows-v0.3 {FILTER}\n");
    for line in text.lines() {
        picture.push_str(format!("    {line}").trim_end());
        picture.push('\n');
    }
    picture.push('\n');
    picture
}

/// What the tool of the adapter in shell is like: other options, other exit codes.
const THEIR_TOOL: &str = r#"#!/bin/sh
case "$1 $2" in
  "check --enforce-all") living-conformance validate --strict "$3" ;;
  check*) living-conformance validate "$2" ;;
  "compare --runtime") [ "$4" = --manifest ] || exit 64; living-conformance match "$3" "$5" ;;
  *) exit 64 ;;
esac
code=$?
[ "$code" -eq 1 ] && exit 3
exit "$code"
"#;

/// The lines of the README's block of code that starts with `first`, as one can copy them.
fn printed(first: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(path).unwrap();
    let lines = readme.lines().skip_while(|line| line.strip_prefix("    ") != Some(first));
    let block: Vec<&str> = lines.map_while(|line| line.strip_prefix("    ")).collect();
    assert!(block.len() > 5, "the README has no block that starts with {first:?}");
    block.join("\n") + "\n"
}

/// Runs the harness in `folder`; its exit code, what it said, and its report.
fn run(tools: &Tools, folder: &Path, args: &[&str]) -> (i32, String, Value) {
    reported(unheard(tools.command(program())).current_dir(folder), args)
}

#[test]
fn the_adapter_in_shell_makes_a_tool_conform_that_works_otherwise() {
    let mut tools = Tools::with(&["sh", "-c", "exit 0"]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    executable(folder.path().join("their-tool"), THEIR_TOOL);
    executable(folder.path().join("adapter"), printed("#!/bin/sh"));
    std::os::unix::fs::symlink(program(), folder.path().join("living-conformance")).unwrap();
    let (_, path) = tools.0.iter_mut().find(|(name, _)| *name == "PATH").unwrap();
    let all = std::env::split_paths(path).collect::<Vec<_>>();
    *path = std::env::join_paths([folder.path().to_owned()].iter().chain(&all)).unwrap();
    let args =
        ["--impl", "./adapter", "manifest/project_id", "runtime/isolation", "runtime/match-iso"];
    let (code, said, report) = run(&tools, folder.path(), &args);
    assert_eq!(code, 0, "{said}");
    let cases = report["cases"].as_array().unwrap();
    for class in ["validator-lenient", "validator-strict", "matcher"] {
        let expected = |stance: &str| {
            cases.iter().any(|it| it["class"] == class && it["expected"]["stance"] == stance)
        };
        assert!(expected("accept") && expected("reject"), "{class}");
    }
}

#[test]
fn the_adapter_in_python_decides_every_case() {
    let Some(tools) = Tools::with(&["python3", "-c", "import yaml"]) else { return };
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("adapter.py"),
        printed("import sys, yaml                                 # pip install pyyaml"),
    )
    .unwrap();
    let args = ["manifest/document", "--impl", "python3", "--", "adapter.py"];
    let (code, said, report) = run(&tools, folder.path(), &args);
    assert_eq!(code, 1, "it checks next to nothing: {said}");
    let cases = report["cases"].as_array().unwrap();
    let of = |verdict: &str| cases.iter().filter(|case| case["verdict"] == verdict).count();
    assert_eq!(of("error"), 0, "{said}");
    assert!(of("pass") > of("fail") && of("fail") > 0, "{said}");
}
