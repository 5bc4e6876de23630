//! Trees of fixtures in temporary directories.

#![allow(dead_code, reason = "not every test uses all of it")]

#[path = "../program/mod.rs"]
pub(crate) mod program;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use living_conformance::data::{Folder, Tree};
use living_conformance::fixture::{Loaded, load_all};
use living_conformance::suites::{self, Suites};

/// A manifest that every mode accepts.
pub(crate) const GOOD: &str = "\
protocol_version: v0.4.0
project_id: hello
agent_capabilities: [run_tasks]
isolation_profile: container
state_publication: {target: control-process}
logging_requirements: {structured: true}
";

/// A manifest, with a value that is too long.
pub(crate) const MANIFEST: &str = "protocol_version: v0.1.0\nproject_id: x\n";

/// A runtime document, in JSON.
pub(crate) const RUNTIME: &str = "{\"runtime\": \"r\"}\n";

/// A sound golden of the manifest suite.
pub(crate) fn golden() -> String {
    "\
about: one character over the limit
category: boundary
decides: [manifest.project_id.max-length]
since: v0.1.0
cases:
  lenient: {verdict: accept, findings: [{rule: manifest.project_id.max-length, at: /project_id}]}
  strict: {verdict: reject, findings: [{rule: manifest.project_id.max-length, at: /project_id}]}
"
    .to_owned()
}

/// A sound golden of the runtime suite.
pub(crate) fn match_golden(verdict: &str) -> String {
    format!(
        "about: a match\ncategory: example\ndecides: [match.exit-code]\nsince: v0.1.0\n\
         cases:\n  match: {{verdict: {verdict}, findings: []}}\n"
    )
}

/// The embedded suites.
pub(crate) static SUITES: LazyLock<Suites> = LazyLock::new(|| {
    suites::load(&Tree::embedded(Folder::Suites)).unwrap_or_else(|errors| panic!("{errors}"))
});

/// What the program does in a directory: its exit code, and standard output and error.
pub(crate) fn run(directory: &Path, arguments: &[&str], input: &str) -> (i32, String, String) {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), input).unwrap();
    let output = program::command()
        .current_dir(directory)
        .args(arguments)
        .stdin(fs::File::open(file.path()).unwrap())
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// A directory with files in it, gone when dropped.
pub(crate) struct TestTree(tempfile::TempDir);

impl TestTree {
    /// Writes files; a path that ends with `/` is an empty directory.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path_on_disk = root.path().join(path);
            if path.ends_with('/') {
                fs::create_dir_all(path_on_disk).unwrap();
            } else {
                fs::create_dir_all(path_on_disk.parent().unwrap()).unwrap();
                fs::write(path_on_disk, text).unwrap();
            }
        }
        Self(root)
    }

    /// Where a path of it lies.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    /// Everything that can be loaded from it.
    pub(crate) fn load(&self) -> Loaded {
        load_all(&Tree::directory(self.0.path()), &SUITES)
    }

    /// Everything that can be loaded from a directory in it.
    pub(crate) fn load_from(&self, path: &str) -> Loaded {
        load_all(&Tree::directory(self.path(path)), &SUITES)
    }

    /// The problems, as `path[:line:column] code`.
    pub(crate) fn problems(&self) -> Vec<String> {
        let shown = |problem: &living_conformance::data::Problem| {
            assert!(!problem.message.is_empty() && !problem.remedy.is_empty(), "{problem}");
            assert!(!problem.to_string().contains('\n'), "{problem}");
            let path = problem.path.strip_prefix(self.0.path()).unwrap().to_str().unwrap();
            match (problem.line, problem.column) {
                (Some(line), Some(column)) => format!("{path}:{line}:{column} {}", problem.code),
                _ => format!("{path} {}", problem.code),
            }
        };
        self.load().problems.iter().map(shown).collect()
    }
}
