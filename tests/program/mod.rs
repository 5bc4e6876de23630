//! The program as all tests run it: nothing in the environment that they run in changes
//! what it does.

#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use assert_cmd::cargo::cargo_bin;
use serde_json::Value;

/// What the environment may hold that changes how the program behaves.
const HEARD: &[&str] = &[
    "LIVING_CONFORMANCE_IMPL",
    "NO_COLOR",
    "CI",
    "GITHUB_STEP_SUMMARY",
    "COLUMNS",
    "TERM",
    "TEST_TOTAL_SHARDS",
    "TEST_SHARD_INDEX",
    "TEST_SHARD_STATUS_FILE",
    "XML_OUTPUT_FILE",
    "TESTBRIDGE_TEST_ONLY",
];

/// The program's file.
pub(crate) fn program() -> PathBuf {
    cargo_bin!("living-conformance").to_owned()
}

/// The program.
pub(crate) fn command() -> Command {
    unheard(Command::new(program()))
}

/// A command that the program is run by, or with it.
pub(crate) fn unheard(mut command: Command) -> Command {
    HEARD.iter().for_each(|name| _ = command.env_remove(name));
    command
}

/// Runs the program with a JSON report: its exit code, what it said, and the report, if
/// it wrote one.
pub(crate) fn reported(command: &mut Command, args: &[&str]) -> (i32, String, Value) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.json");
    command.arg("--report").arg(format!("json={}", path.display()));
    let output = command.args(args).output().unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let report = serde_json::from_slice(&fs::read(&path).unwrap_or_default()).unwrap_or_default();
    (output.status.code().unwrap_or(-1), said, report)
}

/// A text without the breaks that the width of its lines makes.
pub(crate) fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Writes a file that can be run, and the folders above it.
#[cfg(unix)]
pub(crate) fn executable(path: impl AsRef<Path>, text: impl AsRef<[u8]>) {
    use std::os::unix::fs::PermissionsExt;
    fs::create_dir_all(path.as_ref().parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}
