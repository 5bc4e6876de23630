//! Releases of suites, from the command line: what is frozen, what a run makes of it, and
//! what lint refuses. Over a suite of its own, whose checker is a shell script.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod word_suite;

use std::fs;
use std::ops::Deref;

use serde_json::Value;
use word_suite::{RULES, SUITE, Words};

/// A golden that accepts, or rejects for `word.good`.
fn golden(accepts: bool) -> String {
    if accepts {
        word_suite::golden("word.good, word.exit", "accept, findings: []")
    } else {
        word_suite::golden("word.good", "reject, findings: [{rule: word.good}]")
    }
}

/// A directory with a suite, fixtures and a checker.
struct Bench(Words);

impl Deref for Bench {
    type Target = Words;
    fn deref(&self) -> &Words {
        &self.0
    }
}

impl Bench {
    /// With the fixtures `good` and `bad`, not yet released.
    fn draft() -> Self {
        let bench = Self(Words::new());
        bench.fixture("good", "good", true);
        bench.fixture("bad", "bad", false);
        bench
    }

    /// The same, released as 0.1.0.
    fn new() -> Self {
        let bench = Self::draft();
        bench.release("0.1.0");
        bench
    }

    fn edit(&self, path: &str, from: &str, to: &str) {
        let text = self.read(path);
        assert!(text.contains(from), "{from:?} is not in {text}");
        self.write(path, &text.replace(from, to));
    }

    fn remove(&self, path: &str) {
        fs::remove_dir_all(self.at(path)).unwrap();
    }

    fn fixture(&self, name: &str, word: &str, accepts: bool) {
        self.0.fixture(name, word, &golden(accepts));
    }

    /// The exit code of the program, and all that it wrote.
    fn told(&self, arguments: &[&str]) -> (i32, String) {
        word_suite::told(&self.0.run(arguments))
    }

    #[track_caller]
    fn assert(&self, arguments: &[&str], exit: i32, parts: &[&str]) -> String {
        let (code, text) = self.told(arguments);
        assert_eq!(code, exit, "{text}");
        // Wherever a line was broken.
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in parts {
            assert!(flat.contains(part), "{part:?} is not in:\n{text}");
        }
        text
    }

    #[track_caller]
    fn run(&self, more: &[&str], exit: i32, parts: &[&str]) -> String {
        let words = ["--suites", "suites", "--fixtures", "fixtures", "--impl", "./checker"];
        self.assert(&[more, &words].concat(), exit, parts)
    }

    /// The JSON report of a run.
    fn report(&self, more: &[&str]) -> Value {
        let path = self.at("report.json");
        let report = format!("json={}", path.display());
        let words = ["--suites", "suites", "--fixtures", "fixtures", "--impl", "./checker"];
        self.told(&[more, &words, &["--quiet", "--report", &report]].concat());
        serde_json::from_str(&self.read("report.json")).unwrap()
    }

    #[track_caller]
    fn release(&self, version: &str) {
        let line = format!("wrote suites/word/releases/{version}.yaml: ");
        self.assert(&["release", version], 0, &[&line]);
    }

    /// Releases again, with the version of the suite raised.
    #[track_caller]
    fn next_release(&self, version: &str) {
        let suite = self.read("suites/word/suite.yaml");
        let line = suite.lines().find(|line| line.starts_with("version: ")).unwrap();
        self.edit("suites/word/suite.yaml", line, &format!("version: {version}"));
        self.release(version);
    }

    /// What lint finds: `PATH:LINE:COLUMN CODE`.
    fn lint(&self) -> Vec<String> {
        let (_, text) = self.told(&["lint", "--format", "json"]);
        let found: Value = serde_json::from_str(&text).unwrap();
        let line = |it: &Value| {
            let place = |key: &str| it[key].as_u64().map(|it| format!(":{it}")).unwrap_or_default();
            let (line, column) = (place("line"), place("column"));
            format!(
                "{}{line}{column} {}",
                it["path"].as_str().unwrap(),
                it["code"].as_str().unwrap()
            )
        };
        found["diagnostics"].as_array().unwrap().iter().map(line).collect()
    }
}

#[test]
fn a_release_is_written_once_and_from_a_sound_corpus_alone() {
    let bench = Bench::draft();
    let file = "suites/word/releases/0.1.0.yaml";
    let dry = ["release", "0.1.0", "--dry-run"];
    bench.assert(&dry, 0, &[&format!("would write {file}: 2 fixtures, 2 cases")]);
    assert!(!bench.at("suites/word/releases").exists());
    for (version, told) in [
        ("0.2.0", "its suite.yaml says version 0.1.0"),
        ("1", "write a version by SemVer"),
        ("0.1.0+build", "leave out the build metadata"),
    ] {
        bench.assert(&["release", version], 2, &[told]);
    }
    bench.assert(&["release", "0.1.0", "--suite", "words"], 2, &["did you mean word?"]);
    // What lint refuses is told as lint does.
    bench.write("fixtures/word/bad/stray.yaml", "x\n");
    bench.fixture("Bad", "bad ", false);
    let told = ["failed to release 0.1.0: lint finds", "[bad-slug]", "[id-collision]"];
    let text = bench.told(&["release", "0.1.0"]);
    assert_eq!(text.0, 2, "{}", text.1);
    assert!(told[1..].iter().any(|part| text.1.contains(part)), "{}", text.1);
    bench.remove("fixtures/word/Bad");
    fs::remove_file(bench.at("fixtures/word/bad/stray.yaml")).unwrap();
    bench.edit("fixtures/word/bad/expected.yaml", "findings: [{rule: word.good}]", "findings: []");
    let told = ["error:", "[silent-rejection]", "failed to release 0.1.0: lint finds 2 errors"];
    bench.assert(&["release", "0.1.0"], 2, &told);
    assert!(!bench.at("suites/word/releases").exists());
    bench.fixture("bad", "bad", false);
    bench.release("0.1.0");
    let written = bench.read(file);
    for version in ["0.1.0", "0.0.9"] {
        bench.assert(&["release", version], 2, &["0.1.0 is released already", "help: "]);
    }
    assert_eq!(bench.read(file), written);
    // It is the same wherever and whenever it is written.
    let other = Bench::new();
    assert_eq!(other.read(file), written);
}

#[test]
fn all_suites_are_released_or_none() {
    let bench = Bench::draft();
    for (file, text) in [("suite", SUITE), ("rules", RULES)] {
        let text = text.replace("word", "verb").replace("0.1.0", "0.2.0");
        bench.write(&format!("suites/verb/{file}.yaml"), &text);
    }
    bench.write("suites/verb/ledger.yaml", "entries: []\n");
    for (name, accepts) in [("good", true), ("bad", false)] {
        bench.write(&format!("fixtures/verb/{name}/verb.yaml"), &format!("{name}\n"));
        let golden = golden(accepts).replace("word", "verb");
        bench.write(&format!("fixtures/verb/{name}/expected.yaml"), &golden);
    }
    bench.assert(&["release", "0.1.0"], 2, &["verb: its suite.yaml says version 0.2.0"]);
    assert!(!bench.at("suites/word/releases").exists());
    bench.edit("suites/verb/suite.yaml", "0.2.0", "0.1.0");
    // Something stands in the way of the second.
    bench.write("suites/word/releases", "");
    bench.assert(&["release", "0.1.0"], 2, &["failed to write suites/word/releases/0.1.0.yaml"]);
    assert!(!bench.at("suites/verb/releases/0.1.0.yaml").exists());
    fs::remove_file(bench.at("suites/word/releases")).unwrap();
    bench.assert(&["release", "0.1.0"], 0, &["suites/verb/releases", "suites/word/releases"]);
}

#[test]
fn what_is_newer_than_the_release_is_advisory() {
    let bench = Bench::new();
    // The checker fails it.
    bench.fixture("worse", "worse", false);
    bench.fixture("better", "better", true);
    let told = [
        "3 cases at",
        "1 advisory case fails a MUST; that does not fail the run",
        "advisory: newer than word 0.1.0",
        "2 advisory cases are no part of word 0.1.0, and not of the verdict: 1 passes, 1 fails",
        "conforms to Good Words v1.0 (suite word 0.1.0)",
    ];
    let told = told.map(|part| part.replace("3 cases", "4 cases"));
    let parts: Vec<&str> = told.iter().map(String::as_str).collect();
    bench.run(&[], 0, &parts);
    bench.run(&["--suite-release", "latest", "--fail-fast", "--retries", "2"], 0, &parts[1..2]);
    bench.run(&["--suite-release", "0.1.0", "--enforce", "should"], 0, &parts[1..2]);
    let report = bench.report(&[]);
    assert_eq!(report["header"]["suites"]["word"], "0.1.0");
    assert_eq!(report["header"]["advisory"], 2);
    let summary = &report["summary"];
    assert_eq!(summary["success"], true);
    assert_eq!((&summary["total"]["passed"], &summary["total"]["failed"]), (&2.into(), &0.into()));
    assert_eq!(summary["advisory"]["failed"], 1);
    assert_eq!(summary["rules"]["word.good"]["broken"], 0);
    // The draft judges everything.
    bench.run(&["--suite-release", "draft"], 1, &["does not conform (1 MUST case failed)"]);
    assert_eq!(bench.report(&["--suite-release", "draft"])["header"]["suites"]["word"], "draft");
    // Without them nothing is left out, and with nothing else nothing is shown.
    bench.run(&["--skip", "worse", "--skip", "better"], 0, &["conforms to Good Words"]);
    let told = [
        "word-checker: not shown",
        "error: the one case of this run is advisory: no part of word 0.1.0, so that nothing was",
        "help: choose cases of the release as well, or run --suite-release draft",
    ];
    bench.run(&["better"], 4, &told);
    bench.run(&["--suite-release", "draft", "better"], 0, &["not shown: 3 cases do not match"]);
    bench.run(&["--suite-release", "0.2.0"], 2, &["find release 0.2.0", "choose one of 0.1.0"]);
    bench.run(&["--suite-release", "newest"], 2, &["write a version such as 0.1.0"]);
    let list = bench.run(&["--list", "--format", "json"], 0, &[]);
    let advisory = list.lines().filter(|line| line.contains("\"advisory\":true")).count();
    assert_eq!((list.lines().count(), advisory), (4, 2));
    // The command that reproduces it goes by the same release.
    bench.run(&["--suite-release", "0.1.0"], 0, &["--suite-release 0.1.0"]);
    // The next release has it.
    bench.next_release("0.2.0");
    bench.run(&[], 1, &["does not conform (1 MUST case failed)"]);
    bench.run(
        &["--suite-release", "0.1.0"],
        0,
        &["conforms to Good Words v1.0 (suite word 0.1.0)"],
    );
}

#[test]
fn versions_are_sorted_as_versions() {
    let bench = Bench::new();
    for version in ["0.9.0", "0.10.0", "0.11.0-rc.1"] {
        bench.next_release(version);
    }
    bench.run(&[], 0, &["(suite word 0.10.0)"]);
    bench.run(&["--suite-release", "0.11.0-rc.1"], 0, &["(suite word 0.11.0-rc.1)"]);
    bench.assert(&["release", "0.9.1"], 2, &["0.11.0-rc.1 is released already"]);
    bench.next_release("0.11.0");
    bench.run(&[], 0, &["(suite word 0.11.0)"]);
}

#[test]
fn a_released_case_that_is_another_now_is_not_the_released_one() {
    let bench = Bench::new();
    let conforms = "conforms to Good Words v1.0 (suite word 0.1.0)";
    // What nobody is held to may change.
    bench.edit("fixtures/word/bad/expected.yaml", "about: x", "about: other words # and a remark");
    bench.edit(
        "fixtures/word/bad/expected.yaml",
        "category: example",
        "category: boundary\nexcept-variants: {crlf: it is about lines}",
    );
    bench.run(&[], 0, &[conforms]);
    assert_eq!(bench.lint(), Vec::<String>::new());
    // A byte of a document.
    bench.write("fixtures/word/bad/word.yaml", "bad \n");
    let told = [
        "1 advisory case is no part of word 0.1.0, and not of the verdict: 1 passes",
        "left out: 1 case is not here as released",
        "word-checker: not shown: 1 case is not here as released",
    ];
    bench.run(&[], 0, &told);
    assert_eq!(bench.lint(), ["fixtures/word/bad/word.yaml changed-documents"]);
    // With the reason it is an erratum of the release.
    bench.write("suites/word/releases/draft.yaml", "changed:\n  bad: a blank was lost\n");
    assert_eq!(bench.lint(), Vec::<String>::new());
    let text = bench.run(&["-v"], 0, &[conforms, "pass word/bad::check (advisory, "]);
    assert!(!text.contains("not here as released"), "{text}");
    // The verdict as well.
    bench.edit(
        "fixtures/word/bad/expected.yaml",
        "reject, findings: [{rule: word.good}]",
        "accept, findings: []",
    );
    let told = ["advisory: changed since word 0.1.0: a blank was lost", conforms];
    bench.run(&[], 0, &told);
    bench.fixture("bad", "bad ", false);
    // The next release keeps the reason.
    bench.next_release("0.2.0");
    assert!(!bench.at("suites/word/releases/draft.yaml").exists());
    let file = bench.read("suites/word/releases/0.2.0.yaml");
    assert!(file.contains("changed:\n  \"bad\": \"a blank was lost\"\n"), "{file}");
    assert_eq!(bench.lint(), Vec::<String>::new());
    bench.run(&[], 0, &["conforms to Good Words v1.0 (suite word 0.2.0)", "ran: 2 cases"]);
    bench.run(&["--suite-release", "0.1.0"], 0, &[conforms, "1 advisory case"]);
}

#[test]
fn a_released_case_is_kept_renamed_or_removed_for_a_reason() {
    let bench = Bench::new();
    fs::rename(bench.at("fixtures/word/bad"), bench.at("fixtures/word/worst")).unwrap();
    let vanished = ["suites/word/releases/0.1.0.yaml:7:3 vanished-case"];
    assert_eq!(bench.lint(), vanished);
    bench.run(&[], 0, &["not shown: 1 case is not here as released"]);
    // It leaves an alias.
    bench.edit("fixtures/word/worst/expected.yaml", "cases:", "aliases: [bad]\ncases:");
    assert_eq!(bench.lint(), Vec::<String>::new());
    bench.run(&[], 0, &["conforms to Good Words", "ran: 2 cases"]);
    bench.next_release("0.2.0");
    let file = bench.read("suites/word/releases/0.2.0.yaml");
    assert!(file.contains("renamed:\n  \"bad\": \"worst\"\n"), "{file}");
    assert_eq!(bench.lint(), Vec::<String>::new());
    bench.run(&["--suite-release", "0.1.0"], 0, &["conforms to Good Words", "ran: 2 cases"]);
    // And removed for a reason, which is none of a change.
    bench.fixture("bad2", "bad two", false);
    bench.remove("fixtures/word/worst");
    bench.write("suites/word/releases/draft.yaml", "changed: {worst: it was of no use}\n");
    let found = bench.lint();
    assert_eq!(
        found,
        [
            "suites/word/releases/0.2.0.yaml:10:3 vanished-case",
            "suites/word/releases/draft.yaml:1:11 unfounded-note",
        ]
    );
    bench.edit("suites/word/releases/draft.yaml", "changed", "removed");
    assert_eq!(bench.lint(), Vec::<String>::new());
    for version in ["0.1.0", "0.2.0"] {
        bench.run(&["--suite-release", version], 0, &["1 advisory case is no part of"]);
    }
    let text = bench.run(&[], 0, &["conforms to Good Words v1.0 (suite word 0.2.0)"]);
    assert!(!text.contains("not here as released"), "{text}");
    bench.assert(&["explain", "word/good"], 0, &["released in 0.1.0, 0.2.0"]);
    bench.assert(&["explain", "word/bad2::check"], 0, &["in no release: advisory beside 0.2.0"]);
    bench.next_release("0.3.0");
    // Its name is not free.
    let new = ["new", "word/worst", "--decides", "word.good", "--from", "suites/word/suite.yaml"];
    bench.assert(&new, 2, &["word 0.2.0 has it", "names are never used again"]);
    bench.fixture("worst", "bad three", false);
    assert_eq!(bench.lint(), ["fixtures/word/worst reused-name"]);
    bench.remove("fixtures/word/worst");
    bench.run(
        &["--suite-release", "0.2.0"],
        0,
        &["conforms to Good Words v1.0 (suite word 0.2.0)"],
    );
}

#[test]
fn lint_holds_the_releases_against_each_other_and_the_suite() {
    let bench = Bench::new();
    bench.next_release("0.2.0");
    bench.edit("suites/word/suite.yaml", "version: 0.2.0", "version: 0.1.0");
    assert_eq!(bench.lint(), ["suites/word/suite.yaml:4:10 version-behind"]);
    bench.edit("suites/word/suite.yaml", "version: 0.1.0", "version: 0.2.0");
    // A level counts as much as a verdict.
    bench.edit("suites/word/rules.yaml", "word.exit, level: MUST", "word.exit, level: SHOULD");
    assert_eq!(bench.lint(), ["fixtures/word/good/expected.yaml:6:10 changed-verdict"]);
    bench.edit("suites/word/rules.yaml", "word.exit, level: SHOULD", "word.exit, level: MUST");
    // Somebody wrote into a release.
    let file = "suites/word/releases/0.2.0.yaml";
    let text = bench.read(file);
    let line = text.lines().find(|line| line.contains("\"good\"")).unwrap();
    let digest = line.split('"').nth(3).unwrap();
    bench.edit(file, digest, "0123456789abcdef0123456789abcdef");
    assert_eq!(
        bench.lint(),
        [
            "fixtures/word/good/word.yaml changed-documents",
            // It says that it is of the data that is here.
            "suites/word/releases/0.2.0.yaml:5:7 false-data",
            "suites/word/releases/0.2.0.yaml:8:3 changed-documents",
        ]
    );
    // Codes are explained.
    for code in [
        "false-data",
        "changed-documents",
        "changed-verdict",
        "vanished-case",
        "reused-name",
        "unfounded-note",
        "version-behind",
    ] {
        bench.assert(&["lint", "--explain", code], 0, &[&format!("{code} (error)")]);
    }
}

#[test]
fn a_broken_file_of_a_release_says_where() {
    let bench = Bench::new();
    let file = "suites/word/releases/0.1.0.yaml";
    let good = bench.read(file);
    let documents = good.lines().last().unwrap().split('"').nth(3).unwrap();
    for (from, to, told) in [
        (
            "version: 0.1.0",
            "version: 0.1.1",
            "releases/0.1.0.yaml:4:10: failed to take this for release 0.1.0",
        ),
        ("version: 0.1.0", "versions: 0.1.0", "releases/0.1.0.yaml:4:1: "),
        (documents, "12", "releases/0.1.0.yaml:8:"),
        ("data: \"", "data: \"0", "releases/0.1.0.yaml:5:7"),
        ("fixtures:\n", "fixtures: {}\nx:\n", "\"x\" is no key here"),
        (
            "version:",
            "changed: {good: ' '}\nversion:",
            "releases/0.1.0.yaml:4:17: failed to do with an empty reason",
        ),
    ] {
        bench.write(file, &good.replace(from, to));
        bench.run(&[], 2, &["failed to load the releases", told]);
        assert_eq!(bench.told(&["lint"]).0, 2);
    }
    bench.write(file, &good);
    bench.write("suites/word/releases/notes.yaml", "x\n");
    bench.run(&[], 2, &["releases/notes.yaml: failed to tell a version", "draft.yaml"]);
}

#[test]
fn other_fixtures_are_of_no_release() {
    let bench = Bench::new();
    bench.remove("fixtures");
    bench.fixture("good", "another good", true);
    bench.fixture("bad", "another bad", false);
    bench.run(&[], 0, &["conforms to Good Words v1.0 (suite word draft)"]);
    bench.run(
        &["--suite-release", "latest"],
        2,
        &["fixture of word 0.1.0 as it was released", "draft"],
    );
    // Nor is a suite that has none.
    let bench = Bench::draft();
    bench.run(&[], 0, &["conforms to Good Words v1.0 (suite word draft)"]);
    bench.run(&["--suite-release", "latest"], 2, &["it has none", "--suite-release draft"]);
}

#[test]
fn lists_and_shards_leave_advisory_cases_alone() {
    let bench = Bench::new();
    bench.fixture("worse", "worse", false);
    // A list that was written with the draft fits the release as well.
    bench.run(&["--suite-release", "draft", "--expect-write", "list.yaml"], 1, &[]);
    assert!(bench.read("list.yaml").contains("word/worse::check"));
    bench.run(&["--expect", "list.yaml"], 0, &["conforms to Good Words"]);
    bench.run(&["--expect", "list.yaml", "--suite-release", "draft"], 0, &["failed as expected"]);
    bench.run(&["--expect-write", "none.yaml"], 0, &[]);
    assert!(!bench.read("none.yaml").contains("worse"));
    for shard in ["1/3", "2/3", "3/3"] {
        let report = format!("json={}.json", shard.replace('/', "-"));
        bench.run(&["--shard", &format!("slice:{shard}"), "--report", &report], 0, &[]);
    }
    let merged = [
        "merge",
        "--suites",
        "suites",
        "--fixtures",
        "fixtures",
        "1-3.json",
        "2-3.json",
        "3-3.json",
    ];
    bench.assert(
        &merged,
        0,
        &["conforms to Good Words v1.0 (suite word 0.1.0)", "1 advisory case"],
    );
    let part = ["merge", "--suites", "suites", "--fixtures", "fixtures", "1-3.json", "3-3.json"];
    bench.assert(&part, 1, &["not shown: 1 case did not run"]);
}
