//! Little hostile programs, run through the exec driver.

#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

#[path = "../left_behind/mod.rs"]
pub(crate) mod left_behind;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use living_conformance::core::{
    Document, Fixture, FixtureId, Observation, Operation, Outcome, Protocol,
};
use living_conformance::driver::{
    Connection, Driver, DriverError, ExecConfig, ExecDriver, Interrupt, Request, StartError,
};

/// What the document of [`fixture`] holds.
pub(crate) const TEXT: &str = "project_id: example\n";

/// Enough for a program that does nothing wrong, on a busy machine.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(20);

/// A fixture with these documents, as name, path and text.
pub(crate) fn fixture(documents: &[(&str, &str, &str)]) -> Fixture {
    let documents = documents.iter().map(|(name, path, text)| Document {
        name: (*name).to_owned(),
        path: (*path).to_owned(),
        bytes: text.as_bytes().into(),
    });
    Fixture::of(FixtureId::new("manifest/test").unwrap(), documents.collect())
}

/// The fixture that most tests take: a manifest below `.living/`.
pub(crate) fn one_manifest() -> Fixture {
    fixture(&[("manifest", ".living/manifest.yaml", TEXT)])
}

/// An operation with this argv template.
pub(crate) fn operation(argv: &[&str]) -> Operation {
    let argv = argv.iter().map(|&arg| arg.to_owned()).collect();
    Operation { argv, ..Operation::default() }
}

/// A folder for one test with its programs and the driver's temporary folders,
/// and a mark in the environment of all processes that the test starts.
pub(crate) struct Bench {
    folder: PathBuf,
    /// Removes the folder, for the one that has made it.
    _guard: Option<tempfile::TempDir>,
    mark: String,
    pub(crate) timeout: Duration,
    pub(crate) memory_limit: Option<u64>,
    pub(crate) interrupt: Interrupt,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let guard = tempfile::tempdir().unwrap();
        fs::create_dir(guard.path().join("tmp")).unwrap();
        let bench = Self::at(guard.path());
        Self { _guard: Some(guard), ..bench }
    }

    /// The bench that another process has made.
    pub(crate) fn at(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            _guard: None,
            mark: format!("TEST_MARK={}", folder.display()),
            timeout: TIMEOUT,
            memory_limit: None,
            interrupt: Interrupt::new().unwrap(),
        }
    }

    pub(crate) fn timeout(millis: u64) -> Self {
        Self { timeout: Duration::from_millis(millis), ..Self::new() }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A shell script. `$1` is the path of the manifest.
    pub(crate) fn script(&self, body: &str) -> PathBuf {
        self.file("program.sh", &format!("#!/bin/sh\n{body}\n"), 0o755)
    }

    pub(crate) fn file(&self, name: &str, text: &str, mode: u32) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    /// A C program, given the body of `main`; `argv[1]` is the manifest's path.
    pub(crate) fn c_program(&self, body: &str) -> PathBuf {
        const INCLUDES: &str = "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <signal.h>\n\
             #include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
             #include <sys/stat.h>\n#include <time.h>\n#include <unistd.h>\n";
        let text = format!("{INCLUDES}int main(int argc, char **argv) {{\n{body}\n}}\n");
        let source = self.file("program.c", &text, 0o644);
        let program = self.path("program");
        let status =
            Command::new("cc").arg("-w").arg("-o").arg(&program).arg(source).status().unwrap();
        assert!(status.success(), "cc must be installed for these tests");
        program
    }

    pub(crate) fn config(&self, program: &Path) -> ExecConfig {
        let mut config = ExecConfig::new(program);
        let (name, value) = self.mark.split_once('=').unwrap();
        config.environment.push((name.into(), value.into()));
        config.timeout = self.timeout;
        config.memory_limit = self.memory_limit;
        config.temporary = self.path("tmp");
        config
    }

    pub(crate) fn driver(&self, program: &Path) -> Result<ExecDriver, StartError> {
        ExecDriver::new(self.config(program), &self.interrupt)
    }

    /// Runs one case on [`one_manifest`], and asserts that nothing is left.
    pub(crate) fn run(&self, program: &Path) -> Ran {
        let driver = self.driver(program).unwrap();
        let mut connection = driver.connect(0).unwrap();
        let ran = run(&mut *connection, &one_manifest());
        drop(connection);
        drop(driver);
        self.assert_clean();
        ran
    }

    /// Asserts that no process and no file of the test is left.
    #[track_caller]
    pub(crate) fn assert_clean(&self) {
        left_behind::assert_nothing(&self.path("tmp"), &self.mark);
    }

    /// The processes that the test has started and that have not ended.
    pub(crate) fn processes(&self) -> Vec<String> {
        left_behind::processes(&self.mark)
    }
}

/// A case that was run, and the time that it took all in all.
pub(crate) struct Ran {
    pub(crate) seen: Observation,
    pub(crate) took: Duration,
}

impl Ran {
    pub(crate) fn outcome(&self) -> &Outcome {
        &self.seen.outcome
    }

    pub(crate) fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.seen.stdout).into_owned()
    }

    /// Asserts an upper bound in milliseconds, with room for a busy machine.
    #[track_caller]
    pub(crate) fn within(self, millis: u64) -> Self {
        let limit = Duration::from_millis(millis + 700);
        assert!(self.took < limit, "took {:?}, not {limit:?}: {:?}", self.took, self.outcome());
        self
    }
}

pub(crate) fn run(connection: &mut dyn Connection, fixture: &Fixture) -> Ran {
    try_run(connection, fixture, &["{manifest}"]).unwrap()
}

pub(crate) fn try_run(
    connection: &mut dyn Connection,
    fixture: &Fixture,
    argv: &[&str],
) -> Result<Ran, DriverError> {
    let spec = operation(argv);
    let request = Request {
        fixture,
        variant: None,
        operation: "lenient",
        spec: &spec,
        protocol: Protocol::new(0, 4),
    };
    let started = Instant::now();
    connection.run(&request).map(|seen| Ran { seen, took: started.elapsed() })
}

pub(crate) fn accepted() -> Outcome {
    Outcome::Decided { accepted: true }
}

pub(crate) fn timed_out(limit_ms: u64) -> Outcome {
    Outcome::TimedOut { limit_ms }
}
