//! The program as its users have it: run from outside, in a folder of its own.

#![allow(dead_code, unused_imports, reason = "each test binary uses a part of it")]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

#[path = "../program/mod.rs"]
mod program;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use serde_json::Value;

pub(crate) use self::program::{joined, program, unheard};

/// Fixtures that a few cases are taken from, quicker to load than all.
pub(crate) const FEW: &[&str] = &[
    "manifest/project_id/63-characters",
    "manifest/project_id/64-characters",
    "manifest/project_id/boolean",
    "manifest/unknown-field/key-blanks-and-accents",
    "runtime/isolation-not-listed",
    "runtime/match-capabilities-equal",
];

/// Longer than any run here takes, on a busy machine as well.
const LIMIT: Duration = Duration::from_secs(120);

/// The root of the checkout.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder with implementations, fixtures and reports, gone when dropped.
pub(crate) struct Place(tempfile::TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::Builder::new().prefix("a place ").tempdir().unwrap())
    }

    /// One for all tests of a process, which nothing drops: it stays with what was built.
    pub(crate) fn lasting() -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        Self(tempfile::Builder::new().prefix("a place ").tempdir_in(folder).unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file and the folders above it; a path that ends with `/` is a folder.
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let whole = self.path().join(path);
        if path.ends_with('/') {
            fs::create_dir_all(&whole).unwrap();
        } else {
            fs::create_dir_all(whole.parent().unwrap()).unwrap();
            fs::write(&whole, text).unwrap();
        }
        whole
    }

    /// An implementation in shell. It is run as `sh SCRIPT`, or by itself.
    #[cfg(unix)]
    pub(crate) fn script(&self, name: &str, body: &str) -> PathBuf {
        let path = self.path().join(name);
        program::executable(&path, format!("#!/bin/sh\n{body}\n"));
        path
    }

    /// Copies fixtures of the checkout into the folder `few` here.
    pub(crate) fn fixtures(&self, ids: &[&str]) -> &'static str {
        for id in ids {
            let from = root().join("fixtures").join(id);
            for entry in fs::read_dir(&from).unwrap() {
                let entry = entry.unwrap();
                let text = fs::read(entry.path()).unwrap();
                self.write(&format!("few/{id}/{}", entry.file_name().to_str().unwrap()), text);
            }
        }
        "few"
    }

    /// Runs the program here.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, |command| command)
    }

    /// Runs the program here, with something about it changed.
    pub(crate) fn run_with(
        &self,
        args: impl IntoIterator<Item = impl AsRef<OsStr>>,
        change: impl FnOnce(&mut assert_cmd::Command) -> &mut assert_cmd::Command,
    ) -> Ran {
        let mut command = assert_cmd::Command::from_std(program::command());
        command.args(args).current_dir(self.path()).timeout(LIMIT);
        Ran::of(&change(&mut command).output().unwrap())
    }

    /// Runs the program here without the privilege to do what nobody may.
    #[cfg(unix)]
    pub(crate) fn as_anybody(&self, args: &[&str]) -> Ran {
        let mut command = program::command();
        if rustix::process::geteuid().is_root() {
            command = unheard(Command::new("setpriv"));
            command.args(["--bounding-set=-all", "--inh-caps=-all"]).arg(program());
        }
        Ran::of(&command.args(args).current_dir(self.path()).output().unwrap())
    }

    /// Runs a line of shell here, with the program in `PATH`.
    pub(crate) fn shell(&self, line: &str) -> Ran {
        let folder = program().parent().unwrap().to_owned();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path =
            std::env::join_paths(std::iter::once(folder).chain(std::env::split_paths(&path)));
        let mut command = unheard(Command::new("sh"));
        command.args(["-c", line]).current_dir(self.path()).env("PATH", path.unwrap());
        Ran::of(&command.output().unwrap())
    }

    /// A report that a run has written here.
    pub(crate) fn report(&self, path: &str) -> Report {
        let text = fs::read_to_string(self.path().join(path)).unwrap();
        Report(serde_json::from_str(&text).unwrap())
    }
}

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Self {
            code: output.status.code(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    /// Asserts the exit code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self}");
        self
    }

    /// Asserts that standard output has each of these texts, one after the other.
    #[track_caller]
    pub(crate) fn says(self, texts: &[&str]) -> Self {
        let mut rest = self.stdout.as_str();
        for text in texts {
            let Some(at) = rest.find(text) else { panic!("{text:?} is not said next in {self}") };
            rest = &rest[at + text.len()..];
        }
        self
    }

    /// Asserts that standard output does not have this text.
    #[track_caller]
    pub(crate) fn never_says(self, text: &str) -> Self {
        assert!(!self.stdout.contains(text), "{text:?} is said in {self}");
        self
    }

    /// Asserts that standard output has nothing, and standard error each of these
    /// texts, with a remedy.
    #[track_caller]
    pub(crate) fn complains(self, texts: &[&str]) -> Self {
        assert_eq!(self.stdout, "", "{self}");
        assert!(self.stderr.starts_with("error: "), "{self}");
        let said = joined(&self.stderr);
        for text in texts {
            assert!(said.contains(&joined(text)), "{text:?} is not said in {self}");
        }
        self
    }

    /// Standard error without the breaks that its width makes.
    pub(crate) fn unwrapped(&self) -> String {
        self.stderr.replace("\n  ", " ")
    }

    /// Asserts that nothing was said on standard error, but for what was written.
    #[track_caller]
    pub(crate) fn quietly(self) -> Self {
        assert!(self.stderr.lines().all(|line| line.starts_with("wrote the ")), "{self}");
        self
    }

    /// The commands that reproduce a case, each as it stands there.
    pub(crate) fn reproducing(&self) -> Vec<String> {
        let mut commands = Vec::new();
        let mut lines = self.stdout.lines();
        while lines.any(|line| line.trim() == "reproduce") {
            let mut command = String::new();
            for line in lines.by_ref() {
                command.push_str(line);
                command.push('\n');
                if !line.ends_with('\\') {
                    break;
                }
            }
            commands.push(command);
        }
        commands
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { code, stdout, stderr } = self;
        write!(f, "exit {code:?}\n--- stdout\n{stdout}\n--- stderr\n{stderr}\n---")
    }
}

/// A JSON report.
pub(crate) struct Report(pub(crate) Value);

impl Report {
    /// Each case as `ID VERDICT LEVEL`, shortened where it passed.
    pub(crate) fn verdicts(&self) -> Vec<String> {
        let cases = self.0["cases"].as_array().unwrap();
        let verdict = |case: &Value| {
            let text = |key: &str| case[key].as_str().unwrap();
            match text("verdict") {
                "pass" => format!("{} pass", text("id")),
                other => format!("{} {other} {}", text("id"), text("level")),
            }
        };
        cases.iter().map(verdict).collect()
    }
}
