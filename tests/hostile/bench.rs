//! The program under a hostile implementation, and what it must leave as it was.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{left_behind, program};

/// Fixtures, in the order in which they run, with what is in their manifests. Those
/// that do not begin with `match` must not match.
pub(crate) const FIXTURES: [(&str, &str); 6] = [
    ("a", "neither"),
    ("b", "hostile"),
    ("c", "neither"),
    ("match-d", "good"),
    ("match-e", "good"),
    ("match-f", "good"),
];

/// Each longer than the one before, so that it needs more room.
fn manifest(name: &str, project: &str) -> String {
    let place = FIXTURES.iter().position(|(known, _)| *known == name).unwrap();
    format!("project_id: {project}\n{}", "# room\n".repeat(4000 * place))
}

/// How the implementation is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Exec,
    Session,
    Library,
}

impl Way {
    pub(crate) const ALL: [Self; 3] = [Self::Exec, Self::Session, Self::Library];
}

/// A folder with the implementation, fixtures, and the program's temporary folder.
pub(crate) struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let bench = Self { folder: tempfile::tempdir().unwrap() };
        for (name, project) in FIXTURES {
            let fixture = bench.path("fixtures/runtime").join(name);
            fs::create_dir_all(&fixture).unwrap();
            fs::write(fixture.join("runtime.yaml"), "runtime: x\n").unwrap();
            fs::write(fixture.join("manifest.yaml"), manifest(name, project)).unwrap();
        }
        fs::create_dir(bench.path("tmp")).unwrap();
        // Not of the run: whatever a case does with it, it stays.
        fs::create_dir(bench.path("victim")).unwrap();
        fs::write(bench.path("victim/kept"), "kept").unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile/hostile.c");
        let library = ["-shared", "-fPIC", "-DLIBRARY"];
        for (name, more) in [("hostile", &[][..]), ("libhostile.so", &library)] {
            let mut cc = Command::new("cc");
            let cc = cc.args(["-Wall", "-Wextra", "-o"]).arg(bench.path(name)).args(more);
            assert!(cc.arg(&source).status().unwrap().success(), "cc is needed for these tests");
        }
        bench
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What stands in the environment of all processes of the implementation.
    pub(crate) fn mark(&self) -> String {
        format!("HOSTILE_MARK={}", self.folder.path().display())
    }

    /// The program, with an implementation that does `what`.
    pub(crate) fn command(&self, way: Way, what: &str, more: &[&str]) -> Vec<String> {
        let path = |name: &str| self.path(name).to_str().unwrap().to_owned();
        let mut words = match way {
            Way::Exec => vec!["--impl".to_owned(), path("hostile")],
            Way::Session => vec!["--impl".to_owned(), path("hostile"), "--session".to_owned()],
            Way::Library => vec!["--library".to_owned(), path("libhostile.so")],
        };
        words.insert(0, program::program().to_str().unwrap().to_owned());
        words.extend(["--fixtures".to_owned(), path("fixtures")]);
        words.extend(["--env".to_owned(), format!("HOSTILE={what}")]);
        words.extend(["--env".to_owned(), self.mark()]);
        words.extend(["--report".to_owned(), format!("json={}", path("report.json"))]);
        for (option, usual) in [("--timeout", "500ms"), ("--test-threads", "1")] {
            if !more.contains(&option) {
                words.extend([option, usual].map(str::to_owned));
            }
        }
        words.extend(more.iter().map(|&word| word.to_owned()));
        words
    }

    /// Runs the program, and asserts that nothing is left and nothing was changed.
    #[track_caller]
    pub(crate) fn run(&self, way: Way, what: &str, more: &[&str]) -> Ran {
        self.run_words(&self.command(way, what, more))
    }

    /// Runs a command that ends with the program, likewise.
    #[track_caller]
    pub(crate) fn run_words(&self, words: &[impl AsRef<OsStr>]) -> Ran {
        let _ = fs::remove_file(self.path("report.json"));
        let started = Instant::now();
        let output = program::unheard(Command::new(&words[0]))
            .args(&words[1..])
            .env("TMPDIR", self.path("tmp"))
            .output()
            .unwrap();
        let took = started.elapsed();
        self.assert_clean();
        let report = fs::read(self.path("report.json")).unwrap_or_default();
        let report: Value = serde_json::from_slice(&report).unwrap_or_default();
        let cases = report["cases"].as_array().cloned().unwrap_or_default();
        Ran {
            code: output.status.code().unwrap_or(-1),
            said: String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned(),
            cases: cases
                .iter()
                .map(|case| (case["id"].as_str().unwrap().to_owned(), case.clone()))
                .collect(),
            took,
        }
    }

    /// Starts the program.
    pub(crate) fn start(&self, words: &[String]) -> Child {
        program::unheard(Command::new(&words[0]))
            .args(&words[1..])
            .env("TMPDIR", self.path("tmp"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// Waits until the hostile case is under way.
    pub(crate) fn wait_for_hang(&self) {
        let until = Instant::now() + Duration::from_secs(20);
        while !self.path("hanging").exists() {
            assert!(Instant::now() < until, "the case does not start");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Waits for what is cleaned up by a process that nobody waits for.
    #[track_caller]
    pub(crate) fn wait_until_clean(&self, patience: Duration) {
        let until = Instant::now() + patience;
        let is_clean = || {
            self.processes().is_empty() && fs::read_dir(self.path("tmp")).unwrap().next().is_none()
        };
        while Instant::now() < until && !is_clean() {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.assert_clean();
    }

    /// Asserts that no process and no file is left, and that the fixtures are as they
    /// were.
    #[track_caller]
    pub(crate) fn assert_clean(&self) {
        left_behind::assert_nothing(&self.path("tmp"), &self.mark());
        let _ = fs::remove_file(self.path("hanging"));
        for (name, project) in FIXTURES {
            let path = self.path("fixtures/runtime").join(name).join("manifest.yaml");
            assert!(fs::read_to_string(path).unwrap() == manifest(name, project), "{name}");
        }
        assert_eq!(fs::read_to_string(self.path("victim/kept")).unwrap(), "kept");
    }

    /// The processes of the implementation that have not ended.
    pub(crate) fn processes(&self) -> Vec<String> {
        left_behind::processes(&self.mark())
    }
}

/// What came of a run.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) said: String,
    pub(crate) cases: BTreeMap<String, Value>,
    pub(crate) took: Duration,
}

impl Ran {
    /// The verdict of a fixture's case, and the kind of what was observed.
    pub(crate) fn of(&self, fixture: &str) -> String {
        let case = &self.cases[&format!("runtime/{fixture}::match")];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        format!("{} {}", text(&case["verdict"]), text(&case["observed"]["kind"]))
    }

    pub(crate) fn hostile(&self) -> String {
        self.of("b")
    }

    #[track_caller]
    pub(crate) fn assert_others_unharmed(&self) {
        assert_eq!(self.cases.len(), FIXTURES.len(), "{}", self.said);
        for (name, project) in FIXTURES {
            if project != "hostile" {
                assert_eq!(self.of(name), "pass decided", "{name}: {}", self.said);
            }
        }
    }
}
