//! The README's picture of a run is a real one.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use assert_cmd::Command;

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
    fs::write(&tool, KNOWS_V0_3).unwrap();
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    let program = assert_cmd::cargo::cargo_bin!("living-conformance");
    std::os::unix::fs::symlink(program, folder.path().join("living-conformance")).unwrap();
    let search_path =
        format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("living-conformance")
        .args(["--impl", "./knows-v0.3", FILTER, "--color", "never"])
        .current_dir(folder.path())
        .env("PATH", search_path)
        .env("TMPDIR", "/tmp")
        .env_remove("COLUMNS")
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
