//! A suite that is small enough to be seen whole: words, of which `bad` is to be
//! rejected. In a directory of its own, with a checker in shell.

#![allow(dead_code, unused_imports, reason = "each test binary uses a part of it")]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

#[path = "../program/mod.rs"]
mod program;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

pub(crate) use self::program::{command, joined};

/// What the suite is about.
pub(crate) const SUITE: &str = "\
suite: word
title: Words
about: Checkers of words.
version: 0.1.0
spec: {name: good-words, title: Good Words}
protocols: [v1.0]
documents: {word: {about: The word., files: [word.yaml]}}
operations:
  check: {about: Check it., class: word-checker, argv: [check, \"{word}\"], exit-rule: word.exit}
";

/// Its rules.
pub(crate) const RULES: &str = "\
rules:
  - {id: word.good, level: MUST, since: v1.0.0, section: Words, statement: The word is good., effect: {check: reject}, names: [good]}
  - {id: word.exit, level: MUST, since: v1.0.0, section: Words, statement: The exit code tells., shown-by: verdict}
";

/// Rejects what is bad, and says so; leaves a mark where it is told to.
pub(crate) const CHECKER: &str = "#!/bin/sh\n[ -n \"$MARK\" ] && : > \"$MARK\"\nif grep -q bad \"$2\"; then echo 'word.good: bad'; exit 1; fi\n";

/// A golden with this case of `check`.
pub(crate) fn golden(decides: &str, case: &str) -> String {
    format!(
        "about: x\ncategory: example\ndecides: [{decides}]\nsince: v1.0.0\ncases:\n  check: {{verdict: {case}}}\n"
    )
}

/// A directory with the suite and the checker, and no fixture, gone when dropped.
pub(crate) struct Words(tempfile::TempDir);

impl Words {
    pub(crate) fn new() -> Self {
        let words = Self(tempfile::tempdir().unwrap());
        words.write("suites/word/suite.yaml", SUITE);
        words.write("suites/word/rules.yaml", RULES);
        words.write("suites/word/ledger.yaml", "entries: []\n");
        words.program("checker", CHECKER);
        words
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.path().join(path)
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), text).unwrap();
    }

    pub(crate) fn program(&self, path: &str, text: &str) {
        program::executable(self.at(path), text);
    }

    pub(crate) fn fixture(&self, name: &str, word: &str, golden: &str) {
        self.write(&format!("fixtures/word/{name}/word.yaml"), &format!("{word}\n"));
        self.write(&format!("fixtures/word/{name}/expected.yaml"), golden);
    }

    /// Runs the program here.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        command().current_dir(self.path()).args(arguments).output().unwrap()
    }
}

/// The exit code of the program, and all that it wrote.
pub(crate) fn told(output: &Output) -> (i32, String) {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}
