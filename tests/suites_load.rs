//! Loading suites from a directory: what is refused, where, and with which code.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may panic")]

use std::fs;
use std::path::Path;

use living_conformance::core::RuleId;
use living_conformance::data::{Folder, Problem, Tree};
use living_conformance::suites::{Choice, Suites, load};

const SUITE: &str = "\
suite: doc
title: A document
about: Tests a document.
version: 1.0.0
protocols: [v0.1, v0.3]
documents:
  doc:
    about: The document.
    files: [doc.yaml, .hidden/doc.yaml]
operations:
  check:
    about: Checks.
    class: checker
    argv: [check, \"{doc}\"]
    exit-rule: doc.exit
  strict:
    about: Checks all.
    class: checker-strict
    argv: [check, \"--file={doc}\"]
    one-line-rule: doc.a
relations:
  - rule: doc.exit
    when-accepts: strict
    then-accepts: check
names:
  - prefix: good
    verdicts: {check: accept}
  - prefix: \"\"
    verdicts: {check: reject}
names-bind: true
beside: true
";

const RULES: &str = "\
rules:
  - id: doc.a
    level: MUST
    since: v0.1.0
    section: Fields
    statement: There is an a.
    effect: {check: reject, strict: reject}
    names: [\"{field}\"]
    ledger: [L1]
  - id: doc.b
    level: MUST
    since: v0.3.0
    section: Fields
    statement: There is a b.
    effect: {check: warn}
    before: doc.a
  - id: doc.exit
    level: MUST
    since: v0.1.0
    section: Exit
    statement: The exit code is 0 or 1.
    shown-by: verdict
";

const LEDGER: &str = "\
entries:
  - id: L1
    class: quirk
    question: Which?
    readings: [This., That.]
    suite: Takes both.
";

fn write(root: &Path, name: &str, files: [&str; 3]) {
    let folder = root.join(name);
    fs::create_dir_all(&folder).unwrap();
    for (file, text) in ["suite.yaml", "rules.yaml", "ledger.yaml"].into_iter().zip(files) {
        fs::write(folder.join(file), text).unwrap();
    }
}

fn load_one(suite: &str, rules: &str, ledger: &str) -> Result<Suites, Vec<Problem>> {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "doc", [suite, rules, ledger]);
    load(&Tree::directory(root.path())).map_err(|errors| errors.0)
}

/// Replaces a text that occurs in exactly one of the three files, and loads.
fn with(from: &str, to: &str) -> Vec<Problem> {
    let files = [SUITE, RULES, LEDGER];
    assert_eq!(files.iter().filter(|text| text.contains(from)).count(), 1, "{from}");
    let [suite, rules, ledger] = files.map(|text| text.replacen(from, to, 1));
    load_one(&suite, &rules, &ledger).expect_err(to)
}

/// The one problem that comes of a replacement, as `file:line:column code`.
fn one(from: &str, to: &str) -> String {
    let problems = with(from, to);
    let [problem] = &problems[..] else { panic!("{to:?}: {problems:#?}") };
    assert!(!problem.message.is_empty() && !problem.remedy.is_empty());
    assert!(!problem.message.contains('\n'), "{}", problem.message);
    let file = problem.path.file_name().unwrap().to_str().unwrap();
    match (problem.line, problem.column) {
        (Some(line), Some(column)) => format!("{file}:{line}:{column} {}", problem.code),
        _ => format!("{file} {}", problem.code),
    }
}

#[test]
fn a_sound_suite_loads() {
    let suites = load_one(SUITE, RULES, LEDGER).unwrap();
    assert_eq!(suites.suites.len(), 1);
    assert_eq!(suites.rules.rules().count(), 3);
    assert_eq!(suites.rules.ledger().count(), 1);
    assert_eq!(suites.suite("doc").unwrap().operations.len(), 2);
    assert_eq!(suites.beside().unwrap().suite, "doc");
    assert_eq!(suites.protocols().len(), 2);
    assert!(suites.suite("other").is_none());
}

#[test]
fn the_embedded_suites_load_and_equal_those_of_the_checkout() {
    let embedded = load(&Tree::embedded(Folder::Suites));
    let embedded = embedded.unwrap_or_else(|errors| panic!("{errors}"));
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("suites");
    assert_eq!(load(&Tree::directory(checkout)).unwrap(), embedded);
}

#[test]
fn the_form_is_refused_with_its_place() {
    let cases = [
        ("title: A document", "titel: A document", "suite.yaml:2:1 unknown-field"),
        ("title: A document\n", "", "suite.yaml:1:1 missing-field"),
        ("title: A document", "title: A\ntitle: B", "suite.yaml:3:1 duplicate-field"),
        (
            "    class: checker\n",
            "    class: checker\n    color: red\n",
            "suite.yaml:14:5 unknown-field",
        ),
        ("  strict:\n", "  check:\n", "suite.yaml:16:3 duplicate-field"),
        ("protocols: [v0.1, v0.3]", "protocols: [v0.1, v0.3.0]", "suite.yaml:5:19 bad-value"),
        ("verdicts: {check: accept}", "verdicts: {check: maybe}", "suite.yaml:27:23 bad-value"),
        (
            "{check: reject, strict: reject}",
            "{check: reject, check: warn}",
            "rules.yaml:7:29 duplicate-field",
        ),
        (
            "  - id: doc.b\n    level: MUST",
            "  - id: doc.b\n    level: MUSt",
            "rules.yaml:11:12 bad-value",
        ),
        (
            "  - id: doc.b\n    level: MUST\n    since: v0.3.0",
            "  - id: doc.b\n    level: MUST\n    since: v0.3",
            "rules.yaml:12:12 bad-value",
        ),
        ("id: doc.b", "id: Doc", "rules.yaml:10:9 bad-value"),
        ("id: L1", "id: l1", "ledger.yaml:2:9 bad-value"),
        ("entries:", "entries: [", "ledger.yaml:2:3 bad-yaml"),
    ];
    for (from, to, expected) in cases {
        assert_eq!(one(from, to), expected, "{to}");
    }
}

#[test]
fn references_that_lead_nowhere_are_refused() {
    let cases = [
        ("exit-rule: doc.exit", "exit-rule: doc.none", "suite.yaml:15:16"),
        ("one-line-rule: doc.a", "one-line-rule: doc.none", "suite.yaml:20:20"),
        ("rule: doc.exit\n    when", "rule: doc.none\n    when", "suite.yaml:22:11"),
        ("when-accepts: strict", "when-accepts: none", "suite.yaml:23:19"),
        ("then-accepts: check", "then-accepts: none", "suite.yaml:24:19"),
        ("verdicts: {check: accept}", "verdicts: {none: accept}", "suite.yaml:27:16"),
        ("\"--file={doc}\"", "\"--file={doc}{dok}\"", "suite.yaml:19:19"),
        ("{check: reject, strict: reject}", "{check: reject, none: reject}", "rules.yaml:7:29"),
        ("names: [\"{field}\"]", "names: [\"{feld}\"]", "rules.yaml:8:13"),
        ("ledger: [L1]", "ledger: [L2]", "rules.yaml:9:14"),
        ("before: doc.a", "before: doc.none", "rules.yaml:16:13"),
    ];
    for (from, to, place) in cases {
        assert_eq!(one(from, to), format!("{place} dangling-reference"), "{to}");
    }
}

#[test]
fn contradictions_and_gaps_are_refused() {
    let cases = [
        ("suite: doc", "suite: dok", "suite.yaml:1:8 other-name"),
        ("version: 1.0.0", "version: \"1.0\"", "suite.yaml:4:10 bad-version"),
        ("title: A document", "title: \" \"", "suite.yaml:2:8 empty"),
        ("[v0.1, v0.3]", "[v0.3, v0.1]", "suite.yaml:5:19 unordered-protocols"),
        ("class: checker-strict", "class: Checker strict", "suite.yaml:18:12 bad-name"),
        (".hidden/doc.yaml", "../doc.yaml", "suite.yaml:9:23 bad-document-place"),
        (".hidden/doc.yaml", "expected.yaml", "suite.yaml:9:23 bad-document-place"),
        (".hidden/doc.yaml", "doc.yaml", "suite.yaml:9:23 bad-document-place"),
        ("[doc.yaml, .hidden/doc.yaml]", "[]", "suite.yaml:9:12 empty"),
        ("--file={doc}", "--file={doc}{", "suite.yaml:19:19 bad-template"),
        ("--file={doc}", "--file", "suite.yaml:19:11 no-document-in-argv"),
        ("then-accepts: check", "then-accepts: strict", "suite.yaml:24:19 self-relation"),
        ("{check: accept}", "{check: either}", "suite.yaml:27:23 open-name"),
        ("{check: accept}", "{}", "suite.yaml:27:15 empty"),
        ("prefix: good", "prefix: \"\"", "suite.yaml:28:13 duplicate"),
        ("id: doc.b", "id: doc.a", "rules.yaml:10:9 duplicate"),
        ("statement: There is a b.", "statement: \"\"", "rules.yaml:14:16 empty"),
        ("before: doc.a", "before: doc.b", "rules.yaml:16:13 not-older"),
        ("before: doc.a", "excluded: ''", "rules.yaml:16:15 empty"),
        ("ledger: [L1]", "ledger: [L1, L1]", "rules.yaml:9:18 duplicate"),
        ("[This., That.]", "[This.]", "ledger.yaml:5:15 few-readings"),
        ("[This., That.]", "[This., This.]", "ledger.yaml:5:23 duplicate"),
    ];
    for (from, to, expected) in cases {
        assert_eq!(one(from, to), expected, "{to}");
    }
    let newer = RULES.replace("since: v0.3.0", "since: v0.4.0");
    let problems = load_one(SUITE, &newer, LEDGER).unwrap_err();
    assert_eq!((problems.len(), problems[0].code, problems[0].line), (1, "too-new", Some(12)));
    let unnamed = SUITE.replace("names:\n", "names: []\nx:\n");
    assert_eq!(load_one(&unnamed, RULES, LEDGER).unwrap_err()[0].code, "unknown-field");
}

#[test]
fn nothing_to_test_is_refused() {
    let problems = load_one(SUITE, "rules: []", LEDGER).unwrap_err();
    assert!(problems.iter().any(|problem| problem.code == "empty"), "{problems:?}");
    for (from, to) in [
        ("protocols: [v0.1, v0.3]", "protocols: []"),
        (
            "documents:\n  doc:\n    about: The document.\n    files: [doc.yaml, .hidden/doc.yaml]\n",
            "documents: {}\n",
        ),
    ] {
        let problems = with(from, to);
        assert!(problems.iter().any(|problem| problem.code == "empty"), "{to}: {problems:?}");
    }

    let empty = tempfile::tempdir().unwrap();
    let problems = load(&Tree::directory(empty.path())).unwrap_err().0;
    assert_eq!((problems.len(), problems[0].code), (1, "no-suites"));
    let problems = load(&Tree::directory(empty.path().join("none"))).unwrap_err().0;
    assert_eq!((problems.len(), problems[0].code), (1, "no-such-directory"));
    fs::create_dir(empty.path().join("hollow")).unwrap();
    let problems = load(&Tree::directory(empty.path())).unwrap_err().0;
    let codes: Vec<_> = problems.iter().map(|problem| problem.code).collect();
    assert_eq!(codes, ["missing-file"; 3]);
}

#[test]
fn all_faults_are_told_at_once() {
    let suite =
        SUITE.replace("version: 1.0.0", "version: x").replace("title: A document", "title: ''");
    let rules = RULES.replace("before: doc.a", "before: doc.x");
    let ledger = LEDGER.replace("question: Which?", "question: ''");
    let problems = load_one(&suite, &rules, &ledger).unwrap_err();
    let codes: Vec<_> = problems.iter().map(|problem| problem.code).collect();
    assert_eq!(codes, ["empty", "dangling-reference", "empty", "bad-version"]);
}

#[test]
fn a_part_that_cannot_be_read_makes_no_reference_dangle() {
    let problems = load_one(&SUITE.replace("title: A document", "title: ''"), "rules: [", LEDGER);
    let codes: Vec<_> = problems.unwrap_err().iter().map(|problem| problem.code).collect();
    assert_eq!(codes, ["bad-yaml", "empty"]);
}

#[test]
fn ids_are_unique_over_all_suites_and_one_takes_what_lies_beside() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "doc", [SUITE, RULES, LEDGER]);
    write(root.path(), "two", [&SUITE.replace("suite: doc", "suite: two"), RULES, LEDGER]);
    let problems = load(&Tree::directory(root.path())).unwrap_err().0;
    let codes: Vec<_> = problems.iter().map(|problem| problem.code).collect();
    assert_eq!(codes, ["duplicate", "duplicate", "duplicate", "duplicate", "two-beside"]);
    assert!(problems.iter().all(|problem| problem.path.starts_with(root.path().join("two"))));
}

#[test]
fn a_run_takes_the_default_suites_unless_others_are_named() {
    let suites = load(&Tree::embedded(Folder::Suites)).unwrap();
    let asked = |choice: Choice<'_>| suites.asked(&choice).into_iter().collect::<Vec<_>>();
    let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let defaults = ["manifest", "runtime"];
    assert_eq!(asked(Choice::default()), defaults);
    let classes = |names: &[&str]| asked(Choice { classes: &texts(names), ..Choice::default() });
    assert_eq!(classes(&["matcher"]), ["runtime"]);
    assert_eq!(classes(&["receipt-checker"]), ["receipt"]);
    let named = texts(&["receipt", "runtime"]);
    assert_eq!(asked(Choice { suites: &named, ..Choice::default() }), ["receipt", "runtime"]);
    let cases = |ids: &[&str]| asked(Choice { cases: &texts(ids), ..Choice::default() });
    assert_eq!(cases(&["receipt/tests/one::check"]), ["receipt"]);
    assert_eq!(cases(&["manifest/a::strict"]), defaults);
    assert_eq!(
        cases(&["manifest/a::strict", "receipt/a::check"]),
        ["manifest", "receipt", "runtime"]
    );
    let rules = |ids: &[&str]| {
        let rules: Vec<_> = ids.iter().map(|id| RuleId::new(id).unwrap()).collect();
        asked(Choice { rules: &rules, ..Choice::default() })
    };
    assert_eq!(rules(&["receipt.tests.minimum"]), ["receipt"]);
    assert_eq!(rules(&["manifest.document.parse"]), defaults);
}

#[test]
fn text_that_is_not_utf8_is_refused_at_its_place() {
    let root = tempfile::tempdir().unwrap();
    write(root.path(), "doc", [SUITE, RULES, LEDGER]);
    fs::write(root.path().join("doc/ledger.yaml"), b"entries: []\n# \xff\n").unwrap();
    let problems = load(&Tree::directory(root.path())).unwrap_err().0;
    let ledger: Vec<_> = problems.iter().filter(|p| p.path.ends_with("ledger.yaml")).collect();
    assert_eq!(
        (ledger[0].code, ledger[0].line, ledger[0].column),
        ("text-not-utf8", Some(2), Some(3))
    );
}
