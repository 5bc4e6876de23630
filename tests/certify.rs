//! `certify`, `receipt` and `identity`, from the command line, over a suite of its
//! own: three documents, of which one must be rejected and one may be.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod word_suite;

use std::fs;
use std::ops::Deref;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use living_conformance::certify::{Identity, Receipt};
use serde_json::{Value, json};
use word_suite::{CHECKER, RULES, SUITE, Words, command, golden, joined, told};

/// Rules beside those that every suite of words has.
const MORE_RULES: &str = "  - {id: word.short, level: SHOULD, since: v1.0.0, section: Words, statement: The word is short., shown-by: verdict}
  - {id: word.odd, level: MUST, since: v1.0.0, section: Words, statement: Odd words are rejected., shown-by: verdict, ledger: [W1]}
";

const LEDGER: &str = "\
entries:
  - {id: W1, class: unknown, question: What is odd?, readings: [this, that], suite: Open.}
";

/// What a test does to a policy.
type Change = fn(&mut Value);

/// The suite of words at its release 1.2.0, with an odd one.
fn suite() -> String {
    SUITE.replace("version: 0.1.0", "version: 1.2.0")
}

fn rules() -> String {
    format!("{RULES}{MORE_RULES}")
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
    fn new() -> Self {
        let bench = Self(Words::new());
        bench.write("suites/word/suite.yaml", &suite());
        bench.write("suites/word/rules.yaml", &rules());
        bench.write("suites/word/ledger.yaml", LEDGER);
        let all = "word.good, word.exit, word.short";
        bench.fixture("good", "good", &golden(all, "accept, findings: []"));
        let bad = "reject, findings: [{rule: word.good, at: \"\"}]";
        bench.fixture("bad", "bad", &golden("word.good", bad));
        bench.fixture("odd", "odd", &golden("word.odd", "either, findings: [], ledger: [W1]"));
        let release = ["release", "1.2.0", "--suites", "suites", "--fixtures", "fixtures"];
        assert_told(
            &told(&bench.run(&release)),
            0,
            &["suites/word/releases/1.2.0.yaml: 3 fixtures"],
        );
        bench
    }

    /// Certifies `./checker` for the project `words`, to `current.json`.
    fn certify(&self, more: &[&str]) -> (i32, String) {
        let words = [
            &["certify", "--suites", "suites", "--fixtures", "fixtures", "--project", "words"][..],
            &["--out", "current.json", "--impl", "./checker"],
            more,
        ];
        told(&self.run(&words.concat()))
    }

    fn verify(&self, more: &[&str]) -> (i32, String) {
        told(&self.run(&[&["receipt", "verify", "current.json"], more].concat()))
    }

    fn receipt(&self) -> Receipt {
        Receipt::parse(&fs::read(self.at("current.json")).unwrap()).unwrap()
    }

    fn policy(&self, change: impl FnOnce(&mut Value)) {
        let runner = Path::new(env!("CARGO_BIN_EXE_living-conformance"));
        let mut policy = json!({
            "schema": "urn:literate-ai:schema:v1:project-test-receipt-policy",
            "suite_id": "good-words/v1.0",
            "suite_version": "1.2.0",
            "runner_identity": {
                "schema": "urn:literate-ai:schema:v1:content-identity",
                "algorithm": "sha256",
                "digest": Identity::of_bytes(&fs::read(runner).unwrap()).hex(),
            },
            "required_evidence_kinds": ["test-runner", "test-report"],
            "minimum_test_count": 3,
        });
        change(&mut policy);
        self.write("policy.json", &policy.to_string());
    }
}

/// The exit code, and all that was written.
fn told_text(output: &Output) -> String {
    told(output).1
}

#[track_caller]
fn assert_told(told: &(i32, String), exit: i32, parts: &[&str]) {
    assert_eq!(told.0, exit, "{}", told.1);
    for part in parts {
        assert!(joined(&told.1).contains(&joined(part)), "{part:?} is not in:\n{}", told.1);
    }
}

#[test]
fn what_passes_is_certified_alike_wherever_it_lies() {
    let (one, other) = (Bench::new(), Bench::new());
    let told = one.certify(&[]);
    let parts = [
        "certified: words",
        "good-words/v1.0 1.2.0",
        "21 (21 MUST, 18 of them on variants), all passed",
        "W1: accepts 7",
        "1 of 4 rules: word.odd",
        "not accepted by anybody yet",
    ];
    assert_told(&told, 0, &parts);
    let claims = one.receipt().claims().clone();
    assert_eq!((claims.project.as_str(), claims.tests), ("words", 21));
    assert_eq!(claims.subject, Identity::of_bytes(CHECKER.as_bytes()));
    assert_told(&other.certify(&["--test-threads", "1"]), 0, &[]);
    assert_eq!(one.receipt(), other.receipt());

    let modified = fs::metadata(one.at("current.json")).unwrap().modified().unwrap();
    assert_told(&one.certify(&[]), 0, &["the same as in current.json"]);
    assert_eq!(fs::metadata(one.at("current.json")).unwrap().modified().unwrap(), modified);
    let left: Vec<_> =
        fs::read_dir(one.0.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(left.len(), 4, "{left:?}");
}

#[test]
fn what_fails_leaves_the_last_receipt_as_it_was() {
    let bench = Bench::new();
    bench.certify(&[]);
    let before = fs::read(bench.at("current.json")).unwrap();
    for checker in [
        "#!/bin/sh\nexit 0\n",
        "#!/bin/sh\nkill -9 $$\n",
        "#!/bin/sh\nexit 7\n",
        "#!/bin/sh\nexit 1\n",
    ] {
        bench.program("checker", checker);
        let told = bench.certify(&["--report", "json=report.json", "--attest", "a.json"]);
        assert_told(&told, 1, &["not certified: nothing was written to current.json"]);
        assert_eq!(fs::read(bench.at("current.json")).unwrap(), before);
        assert!(bench.at("report.json").is_file() && !bench.at("a.json").exists());
    }
    bench.write("checker", "not a program");
    fs::set_permissions(bench.at("checker"), fs::Permissions::from_mode(0o644)).unwrap();
    assert_told(&bench.certify(&[]), 3, &[]);
    assert_eq!(fs::read(bench.at("current.json")).unwrap(), before);
}

#[test]
fn a_rule_that_nobody_tests_is_not_certified() {
    let bench = Bench::new();
    let rule = "  - {id: word.more, level: MUST, since: v1.0.0, section: Words, statement: More., shown-by: verdict}\n";
    bench.write("suites/word/rules.yaml", &(rules() + rule));
    assert_told(&bench.certify(&[]), 1, &["not certified", "1 MUST rule is decided by no fixture"]);
    assert!(!bench.at("current.json").exists());
}

#[test]
fn a_broken_recommendation_is_a_warning_unless_it_is_enforced() {
    let bench = Bench::new();
    // Rejects as it must, and does not say why.
    bench.program("checker", "#!/bin/sh\n! grep -q bad \"$2\"\n");
    let told = bench.certify(&["--attest", "attestation.json"]);
    assert_told(&told, 0, &["all passed, 7 of them"]);
    let statement: Value =
        serde_json::from_slice(&fs::read(bench.at("attestation.json")).unwrap()).unwrap();
    let predicate = &statement["predicate"];
    assert_eq!(predicate["result"], "WARNED");
    let names = |key: &str| predicate[key].as_array().unwrap().clone();
    assert_eq!((names("passedTests").len(), names("warnedTests").len()), (14, 7));
    assert_eq!(names("warnedTests")[..2], [json!("word/bad::check"), json!("word/bad::check+bom")]);
    assert!(names("passedTests").contains(&json!("word/good::check+crlf")));
    assert_eq!(statement["subject"][0]["digest"]["sha256"], bench.receipt().claims().subject.hex());
    let receipt = &predicate["configuration"][0];
    assert_eq!(receipt["digest"]["sha256"], bench.receipt().identity().hex());
    let told = bench.certify(&["--enforce", "should"]);
    assert_told(&told, 1, &["not certified"]);
}

#[test]
fn a_policy_is_asked_before_the_run() {
    let bench = Bench::new();
    bench.policy(|_| ());
    assert_told(
        &bench.certify(&["--policy", "policy.json"]),
        0,
        &["the policy policy.json admits it"],
    );
    fs::remove_file(bench.at("current.json")).unwrap();
    bench.program("checker", "#!/bin/sh\ntouch ran\n");
    let cases: [(Change, &str); 5] = [
        (|policy| policy["suite_id"] = json!("other"), "receipt.policy.suite-id-mismatch"),
        (
            |policy| policy["suite_version"] = json!("1.2.1"),
            "receipt.policy.suite-version-mismatch",
        ),
        (
            |policy| policy["runner_identity"]["digest"] = json!("0".repeat(64)),
            "receipt.policy.runner-mismatch",
        ),
        (|policy| policy["minimum_test_count"] = json!(22), "receipt.policy.too-few-tests"),
        (|policy| policy["more"] = json!(1), "policy.unknown-field"),
    ];
    for (change, code) in cases {
        bench.policy(change);
        let told = bench.certify(&["--policy", "policy.json"]);
        assert_told(&told, 1, &[code, "help: "]);
        assert!(!told.1.contains("word-checker"), "there was a run: {}", told.1);
    }
    assert!(!bench.at("current.json").exists());
}

#[test]
fn a_file_that_is_no_receipt_of_the_project_is_refused_before_the_run() {
    let bench = Bench::new();
    bench.certify(&[]);
    let own = fs::read_to_string(bench.at("current.json")).unwrap();
    for (text, code) in [
        ("{}".to_owned(), "[receipt.projection.invalid]"),
        (own.replace("\"words\"", "\"others\""), "[receipt.projection.other-project]"),
    ] {
        bench.write("current.json", &text);
        let told = bench.certify(&[]);
        assert_told(&told, 2, &[code, "help: "]);
        assert!(!told.1.contains("word-checker"), "there was a run: {}", told.1);
        assert_eq!(fs::read_to_string(bench.at("current.json")).unwrap(), text);
    }
}

#[test]
fn files_beside_the_program_must_be_named() {
    let bench = Bench::new();
    let script = ["--impl", "sh", "--", "checker"];
    let words = ["certify", "--suites", "suites", "--fixtures", "fixtures", "--project", "words"];
    let certify = |more: &[&str]| {
        told(&bench.run(&[&words[..], &["--out", "current.json"], more, &script].concat()))
    };
    assert_told(&certify(&[]), 2, &["[subject.unnamed-file]", "--impl-file"]);
    assert_told(&certify(&["--impl-file", "none"]), 2, &["[tree.unreadable]"]);
    assert!(!bench.at("current.json").exists());
    // The working directory of the implementation is another: the script needs its whole path.
    let place = bench.at("checker");
    let whole = ["--impl", "sh", "--", place.to_str().unwrap()];
    let certify = |more: &[&str]| {
        told(&bench.run(&[&words[..], &["--out", "current.json"], more, &whole].concat()))
    };
    assert_told(&certify(&["--impl-file", "checker"]), 0, &["certified"]);
    let named = bench.receipt();
    bench.program("checker", &(CHECKER.to_owned() + "# the same, but for this\n"));
    assert_told(&certify(&["--impl-file", "checker"]), 0, &["certified"]);
    assert_ne!(bench.receipt().claims().subject, named.claims().subject);
    assert_eq!(bench.receipt().claims().result, named.claims().result);
}

#[test]
fn nothing_is_accepted_without_a_policy() {
    let bench = Bench::new();
    bench.certify(&["--report", "json=report.json"]);
    let told = bench.verify(&[]);
    assert_told(&told, 0, &["well-formed: no policy was given"]);
    assert!(!told.1.contains("accepted"), "{}", told.1);
    let subject = bench.receipt().claims().subject.to_string();
    let all = ["--project", "words", "--subject", "checker", "--report", "report.json"];
    assert_told(&bench.verify(&all), 0, &["well-formed", "report", "subject"]);
    assert_told(&bench.verify(&["--subject", &subject]), 0, &["well-formed"]);
    bench.policy(|_| ());
    let with_policy = [&all[..], &["--policy", "policy.json"]].concat();
    assert_told(&bench.verify(&with_policy), 0, &["\naccepted\n"]);
    let json = bench.verify(&[&with_policy[..], &["--format", "json"]].concat());
    let json: Value = serde_json::from_str(&json.1).unwrap();
    assert_eq!(json["verdict"], "accepted");
    assert_eq!(json["receipt_identity"], bench.receipt().identity().as_str());
    assert_eq!(json["refusals"], json!([]));
}

/// A policy that the command printed, kept in `policy.json`.
fn begun(bench: &Bench, more: &[&str]) -> (Value, String) {
    let output = bench.run(&[&["receipt", "policy"], more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", told_text(&output));
    bench.write("policy.json", std::str::from_utf8(&output.stdout).unwrap());
    let notes = String::from_utf8(output.stderr).unwrap();
    let notes = notes.split_whitespace().collect::<Vec<_>>().join(" ");
    (serde_json::from_slice(&output.stdout).unwrap(), notes)
}

#[test]
fn a_policy_to_start_from_admits_what_it_is_for() {
    let bench = Bench::new();
    bench.certify(&[]);
    let here = ["--suites", "suites", "--fixtures", "fixtures"];
    let (mut of_program, notes) = begun(&bench, &here);
    assert!(notes.contains("runner_identity this program, and no other build"), "{notes}");
    assert_eq!(of_program["minimum_test_count"], 21);
    assert_told(&bench.verify(&["--policy", "policy.json"]), 0, &["\naccepted\n"]);
    let (of_receipt, _) = begun(&bench, &["current.json"]);
    assert_eq!(of_receipt, of_program);

    // A receipt of another program: its policy admits it, and says of whom it is.
    let mut receipt: Value =
        serde_json::from_slice(&fs::read(bench.at("current.json")).unwrap()).unwrap();
    receipt["evidence"]["test-runner"] = json!(format!("sha256:{}", "7".repeat(64)));
    bench.write("current.json", &receipt.to_string());
    of_program["runner_identity"]["digest"] = json!("7".repeat(64));
    let (of_receipt, notes) = begun(&bench, &["current.json"]);
    assert_eq!(of_receipt, of_program);
    assert!(notes.contains("which is not this one: look up its digest"), "{notes}");
    assert_told(&bench.verify(&["--policy", "policy.json"]), 0, &["\naccepted\n"]);
    begun(&bench, &here);
    let refused = bench.verify(&["--policy", "policy.json"]);
    assert_told(&refused, 1, &["receipt.policy.runner"]);

    receipt["evidence"] = json!({});
    bench.write("current.json", &receipt.to_string());
    let none = told(&bench.run(&["receipt", "policy", "current.json"]));
    assert_told(&none, 1, &["no policy admits it", "receipt.policy.", "test-runner"]);
    bench.write("current.json", "{}");
    let none = told(&bench.run(&["receipt", "policy", "current.json"]));
    assert_told(&none, 1, &["no policy admits it", "receipt."]);
    for (args, part) in [
        (&["current.json", "--class", "matcher"][..], "cannot be used with"),
        (&["--suite-release", "draft"], "no policy can name it"),
        (&["nowhere.json"], "nowhere.json"),
    ] {
        assert_told(&told(&bench.run(&[&["receipt", "policy"], args].concat())), 2, &[part]);
    }
}

#[test]
fn the_readme_ends_in_an_accepted_certificate() {
    let bench = Bench::new();
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(readme).unwrap();
    let (_, part) = readme.split_once("\n## A certificate\n").unwrap();
    let lines: Vec<&str> = part
        .lines()
        .skip_while(|line| line.is_empty())
        .map_while(|line| line.strip_prefix("    "))
        .collect();
    assert!(lines.len() > 3, "{lines:?}");
    // The same over a suite that is small enough.
    let script = lines.join("\n").replace("./their-binary", "./checker");
    let own = " --suites suites --fixtures fixtures";
    let script = script
        .replace("receipt policy", &format!("receipt policy{own}"))
        .replace(" certify", &format!(" certify{own}"));
    let program = Path::new(env!("CARGO_BIN_EXE_living-conformance"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", program.parent().unwrap().display());
    let mut sh = Command::new("sh");
    sh.args(["-e", "-c", &script]).current_dir(bench.0.path()).env("PATH", path);
    assert_told(&told(&sh.output().unwrap()), 0, &["certified: their-runtime", "\naccepted\n"]);
}

#[test]
fn each_refusal_has_its_code_and_what_to_do() {
    let bench = Bench::new();
    bench.certify(&["--report", "json=report.json"]);
    let report = fs::read_to_string(bench.at("report.json")).unwrap();
    // What differs from run to run does not count.
    let mut other: Value = serde_json::from_str(&report).unwrap();
    other["header"]["implementation"]["command"] = json!(["elsewhere"]);
    other["cases"][0]["duration-us"] = json!(1);
    other["cases"][0]["stderr"] = json!("noise");
    bench.write("other.json", &other.to_string());
    assert_told(&bench.verify(&["--report", "other.json"]), 0, &["well-formed"]);
    // What was shown does.
    other["cases"][0]["observed"]["accepted"] = json!(true);
    bench.write("other.json", &other.to_string());
    let codes = ["receipt.verify.evidence-mismatch", "receipt.verify.result-mismatch"];
    assert_told(&bench.verify(&["--report", "other.json"]), 1, &codes);

    bench.policy(|policy| policy["minimum_test_count"] = json!(22));
    for (arguments, code) in [
        (&["--project", "others"][..], "receipt.verify.project-mismatch"),
        (&["--subject", "report.json"], "receipt.verify.subject-mismatch"),
        (&["--project-revision", "suites"], "receipt.verify.project-revision-mismatch"),
        (&["--evidence", "test-runner=checker"], "receipt.verify.evidence-mismatch"),
        (&["--evidence", "source-sbom=checker"], "receipt.verify.evidence-unnamed"),
        (&["--policy", "policy.json"], "receipt.policy.too-few-tests"),
    ] {
        let told = bench.verify(arguments);
        assert_told(&told, 1, &[code, "help: ", "\nrefused\n"]);
    }
    let text = fs::read_to_string(bench.at("current.json")).unwrap();
    bench.write("current.json", &text.replace("\"tests\":21", "\"tests\": 21"));
    assert_told(&bench.verify(&[]), 1, &["receipt.document.canonical", "refused"]);
    assert_told(&bench.verify(&["--policy", "nowhere"]), 2, &["help: "]);
    assert_told(&bench.verify(&["--evidence", "log=checker"]), 2, &["test-runner"]);
}

#[test]
fn a_new_run_is_compared_with_the_certified_one() {
    let bench = Bench::new();
    bench.certify(&[]);
    let rerun = ["--rerun", "--suites", "suites", "--fixtures", "fixtures", "--impl", "./checker"];
    assert_told(&bench.verify(&rerun), 0, &["checked             a new run", "well-formed"]);
    // Another implementation is not run at all.
    bench.program("checker", &(CHECKER.to_owned() + "# changed\n"));
    assert_told(&bench.verify(&rerun), 1, &["receipt.verify.subject-mismatch", "refused"]);
    // The same one, and other fixtures.
    bench.program("checker", CHECKER);
    let suite = suite().replace("argv: [check,", "argv: [check, --fast,");
    bench.write("suites/word/suite.yaml", &suite);
    let codes = [
        "receipt.verify.suite-mismatch",
        "receipt.verify.result-mismatch",
        "receipt.verify.rerun-fails",
    ];
    assert_told(&bench.verify(&rerun), 1, &codes);
    // A case that is not the released one is not run.
    bench.write("suites/word/suite.yaml", &self::suite());
    bench.write("fixtures/word/good/word.yaml", "bad\n");
    let codes = ["receipt.verify.suite-mismatch", "receipt.verify.tests-mismatch"];
    assert_told(&bench.verify(&rerun), 1, &codes);
}

#[test]
fn a_release_is_certified_and_no_draft() {
    let bench = Bench::new();
    assert_told(&bench.certify(&["--suite-release", "draft"]), 2, &["against a draft", "help: "]);
    let unknown = bench.certify(&["--suite-release", "1.3.0"]);
    assert_told(&unknown, 2, &["release 1.3.0 of the suite word", "choose one of 1.2.0"]);
    assert!(!bench.at("current.json").exists());
    // What is newer than the release is not even run, and changes no result.
    assert_told(
        &bench.certify(&["--suite-release", "1.2.0"]),
        0,
        &["suite    good-words/v1.0 1.2.0"],
    );
    let before = bench.receipt();
    fs::create_dir(bench.at("fixtures/word/newer")).unwrap();
    for file in ["word.yaml", "expected.yaml"] {
        let text = fs::read_to_string(bench.at(&format!("fixtures/word/bad/{file}"))).unwrap();
        // The document says good, and is to be rejected: the checker fails it.
        bench.write(&format!("fixtures/word/newer/{file}"), &text.replace("bad", "good"));
    }
    bench.write("suites/word/suite.yaml", &suite().replace("1.2.0", "1.3.0"));
    assert_told(&bench.certify(&[]), 0, &["tests    21 (", "good-words/v1.0 1.2.0"]);
    let after = bench.receipt();
    assert_eq!(after.claims().suite.version, "1.2.0");
    assert_eq!(after.claims().tests, before.claims().tests);
    // The identity of all data is another.
    assert_ne!(after.claims().suite.revision, before.claims().suite.revision);
    // A released case that was changed for no reason is missing.
    bench.write("fixtures/word/odd/word.yaml", "odder\n");
    let told = bench.certify(&[]);
    assert_told(&told, 1, &["1 case is not here as released", "not certified"]);
}

#[test]
fn suites_of_two_releases_have_no_receipt() {
    let bench = Bench::new();
    for file in ["suite", "rules", "ledger"] {
        let text = fs::read_to_string(bench.at(&format!("suites/word/{file}.yaml"))).unwrap();
        let text = text.replace("word", "verb").replace("W1", "V1").replace("1.2.0", "1.3.0");
        let text = text.replace("good-verbs", "good-words");
        bench.write(&format!("suites/verb/{file}.yaml"), &text);
    }
    for name in ["good", "bad", "odd"] {
        for file in ["word", "expected"] {
            let path = format!("{name}/{file}.yaml");
            let text = fs::read_to_string(bench.at(&format!("fixtures/word/{path}"))).unwrap();
            let text = text.replace("word", "verb").replace("W1", "V1");
            bench.write(&format!("fixtures/verb/{}", path.replace("word", "verb")), &text);
        }
    }
    let release =
        ["release", "1.3.0", "--suite", "verb", "--suites", "suites", "--fixtures", "fixtures"];
    assert_told(&told(&bench.run(&release)), 0, &["suites/verb/releases/1.3.0.yaml"]);
    let parts = ["different releases: verb 1.3.0, word 1.2.0", "--suite-release"];
    assert_told(&bench.certify(&[]), 2, &parts);
}

#[test]
fn a_certificate_is_of_the_whole_or_there_is_none() {
    let bench = Bench::new();
    bench.certify(&[]);
    let before = fs::read(bench.at("current.json")).unwrap();
    for (part, named) in [
        (&["good"][..], "takes no filter"),
        (&["--exact", "word/good::check"], "takes no filter and no --exact"),
        (&["--skip", "bad"], "takes no --skip"),
        (&["--rule", "word.good"], "takes no --rule"),
        (&["--shard", "1/2"], "takes no --shard"),
        (&["--retries", "3"], "takes no --retries"),
        (&["--expect", "known.yaml"], "takes no --expect"),
        (&["--expect-write", "known.yaml"], "takes no --expect-write"),
        (&["--fail-fast", "--list"], "takes no --fail-fast and no --list"),
    ] {
        let told = bench.certify(part);
        assert_told(&told, 2, &[named, "[certify.not-the-whole]", "help: "]);
        assert!(!told.1.contains("word-checker"), "there was a run: {}", told.1);
    }
    assert_told(&bench.certify(&["--suite-release", "draft"]), 2, &["[certify.draft]"]);
    assert_eq!(fs::read(bench.at("current.json")).unwrap(), before);
    // Variants are on in any case; what a test runner asks for is not heard.
    let words = ["certify", "--suites", "suites", "--fixtures", "fixtures", "--project", "words"];
    let mut command = command();
    command.current_dir(bench.0.path()).args(words).args(["--out", "shard.json", "--variants"]);
    command.args(["--impl", "./checker"]).env("TEST_TOTAL_SHARDS", "3");
    command.env("TEST_SHARD_INDEX", "0").env("TESTBRIDGE_TEST_ONLY", "good");
    assert_told(&told(&command.output().unwrap()), 0, &["tests    21 ("]);
    assert_eq!(fs::read(bench.at("shard.json")).unwrap(), before);
}

#[test]
fn nothing_that_is_written_takes_the_place_of_the_receipt() {
    let bench = Bench::new();
    bench.certify(&[]);
    bench.policy(|_| ());
    std::os::unix::fs::symlink("current.json", bench.at("link.json")).unwrap();
    let before = fs::read(bench.at("current.json")).unwrap();
    for more in [
        &["--report", "json=current.json"][..],
        &["--report", "junit=./suites/../current.json"],
        &["--report", "badge=link.json"],
        &["--attest", "current.json"],
        &["--attest", "a.json", "--report", "json=a.json"],
        &["--policy", "policy.json", "--attest", "policy.json"],
        &["--policy", "policy.json", "--report", "json=policy.json"],
    ] {
        assert_told(&bench.certify(more), 2, &["[certify.same-file]", "help: "]);
        assert_eq!(fs::read(bench.at("current.json")).unwrap(), before);
    }
    let told = bench.certify(&["--attest", "nowhere/a.json"]);
    assert_told(&told, 2, &["[certify.attestation-unwritable]", "help: "]);
    assert!(!told.1.contains("word-checker"), "there was a run: {}", told.1);
    // Nor is a reader that has gone a reason to say that it failed.
    let program = env!("CARGO_BIN_EXE_living-conformance");
    let line = format!(
        "{program} certify -q --suites suites --fixtures fixtures --project words --out current.json \
         --impl ./checker | true; echo ${{PIPESTATUS[0]}}"
    );
    let mut bash = Command::new("bash");
    let output = bash.args(["-c", &line]).current_dir(bench.0.path()).output().unwrap();
    assert_eq!(told_text(&output), "0\n");
}

#[test]
fn badge_and_page_carry_the_statement() {
    let bench = Bench::new();
    let reports = ["--report", "badge=badge.svg", "--report", "html=page.html"];
    let (exit, text) = bench.certify(&reports);
    assert_eq!(exit, 0, "{text}");
    let revision = bench.receipt().claims().suite.revision.to_string();
    let [badge, page] =
        ["badge.svg", "page.html"].map(|name| fs::read_to_string(bench.at(name)).unwrap());
    for part in [
        "word-checker",
        "Good Words v1.0",
        "word 1.2.0",
        &revision,
        "21 (21 MUST, 18 of them on variants), all passed",
        "W1: accepts 7",
        "1 of 4 rules: word.odd",
    ] {
        for (name, place) in [("statement", &text), ("badge", &badge), ("page", &page)] {
            assert!(place.contains(part), "{part:?} is not in the {name}:\n{place}");
        }
    }
}

#[test]
fn data_that_not_every_host_has_is_not_certified_with() {
    let bench = Bench::new();
    std::os::unix::fs::symlink("/etc/hostname", bench.at("fixtures/word/good/notes")).unwrap();
    assert_told(&bench.certify(&[]), 2, &["[tree.link.absolute]", "notes"]);
    fs::remove_file(bench.at("fixtures/word/good/notes")).unwrap();
    bench.write("suites/word/aux/x", "");
    assert_told(&bench.certify(&[]), 2, &["[tree.name.reserved]"]);
    assert!(!bench.at("current.json").exists());
}

/// What is killed here does all that `certify` does; tests/projection.rs kills what writes
/// the file far more often.
#[test]
fn certifications_that_are_killed_leave_one_whole_receipt() {
    let bench = Bench::new();
    let words = ["certify", "-q", "--suites", "suites", "--fixtures", "fixtures"];
    let certify = |seed: &str| {
        let revision = Identity::of_bytes(seed.as_bytes());
        let mut command = command();
        command.current_dir(bench.0.path()).args(words).args(["--project", "words"]);
        command.args(["--out", "current.json", "--impl", "./checker", "--project-revision"]);
        command.arg(revision.as_str()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    };
    let started = Instant::now();
    assert!(certify("first").wait().unwrap().success());
    let whole = started.elapsed();
    let mut seen = std::collections::BTreeSet::new();
    for round in 0..24_u32 {
        let mut two = ["a", "b"].map(|name| certify(&format!("{name}{round}")));
        if round % 2 == 0 {
            std::thread::sleep(whole * (round * 7 % 24) / 24);
        } else {
            // The other is about to write when the one has written.
            let deadline = Instant::now() + Duration::from_secs(60);
            while two.iter_mut().all(|one| one.try_wait().unwrap().is_none()) {
                assert!(Instant::now() < deadline, "none of them came to its end");
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        two.iter_mut().for_each(|one| _ = one.kill());
        two.iter_mut().for_each(|one| _ = one.wait().unwrap());
        let bytes = fs::read(bench.at("current.json")).unwrap();
        let receipt = Receipt::parse(&bytes).unwrap();
        assert_eq!(receipt.canonical(), bytes);
        seen.insert(receipt.claims().project_revision.to_string());
    }
    assert!(seen.len() > 1, "{seen:?}");
    assert_told(&bench.certify(&[]), 0, &["written to current.json"]);
    let left = fs::read_dir(bench.0.path()).unwrap();
    let left: Vec<_> = left.map(|it| it.unwrap().file_name()).collect();
    assert_eq!(left.len(), 4, "{left:?}");
}

#[test]
fn of_two_certifications_at_a_time_one_receipt_comes() {
    let bench = Bench::new();
    for round in 0..5 {
        let identities =
            ["a", "b"].map(|seed| Identity::of_bytes(format!("{seed}{round}").as_bytes()));
        let results: Vec<(i32, String)> = std::thread::scope(|scope| {
            let threads = identities.clone().map(|identity| {
                let bench = &bench;
                scope.spawn(move || bench.certify(&["--project-revision", identity.as_str()]))
            });
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let revision = bench.receipt().claims().project_revision.clone();
        assert!(identities.contains(&revision));
        for (identity, told) in identities.iter().zip(&results) {
            match told.0 {
                0 => {}
                2 => assert!(told.1.contains("[receipt.projection.changed]"), "{}", told.1),
                _ => panic!("{}", told.1),
            }
            assert!(*identity != revision || told.0 == 0, "{}", told.1);
        }
        fs::remove_file(bench.at("current.json")).unwrap();
    }
}

#[test]
fn receipts_are_shown_and_compared() {
    let bench = Bench::new();
    bench.certify(&[]);
    fs::copy(bench.at("current.json"), bench.at("old.json")).unwrap();
    let diff = || told(&bench.run(&["receipt", "diff", "old.json", "current.json"]));
    assert_eq!(diff(), (0, String::new()));
    bench.program("checker", &(CHECKER.to_owned() + "# changed\n"));
    bench.certify(&[]);
    let (exit, text) = diff();
    let labels: Vec<&str> = text.lines().filter(|line| !line.starts_with(' ')).collect();
    assert_eq!((exit, labels), (1, vec!["receipt", "subject"]), "{text}");
    let show = told(&bench.run(&["receipt", "show", "current.json"]));
    assert_told(&show, 0, &["good-words v1.0, every class of it", "21, all passed"]);
    bench.write("current.json", "{}");
    let show = told(&bench.run(&["receipt", "show", "current.json"]));
    assert_told(&show, 1, &["not well-formed", "receipt.schema.required"]);
    assert_eq!(diff().0, 2);
}

#[test]
fn identities_are_those_of_other_tools() {
    let bench = Bench::new();
    let (exit, text) = told(&bench.run(&["identity", "checker"]));
    assert_eq!((exit, text), (0, format!("{}\n", Identity::of_bytes(CHECKER.as_bytes()))));
    // That of an implementation is what a certificate has as its subject.
    bench.certify(&[]);
    let subject = format!("{}\n", bench.receipt().claims().subject);
    assert_eq!(told(&bench.run(&["identity", "--impl", "./checker"])), (0, subject));
    let adapter = ["identity", "--impl", "sh", "--impl-file", "checker", "--", "checker"];
    let (exit, with_file) = told(&bench.run(&adapter));
    assert!(exit == 0 && with_file.starts_with("sha256:"), "{with_file}");
    assert_ne!(with_file.trim_end(), Identity::of_bytes(CHECKER.as_bytes()).as_str());
    assert_told(&told(&bench.run(&["identity"])), 2, &["nothing is named", "help: "]);
    std::os::unix::fs::symlink("/etc", bench.at("suites/etc")).unwrap();
    let told = told(&bench.run(&["identity", "suites"]));
    assert_told(&told, 2, &["[tree.link.absolute]"]);
}
