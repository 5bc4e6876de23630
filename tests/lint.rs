//! Lint: the shipped corpus is clean, and every code is found where it should be.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may panic")]

mod fixture_tree;

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::Path;

use fixture_tree::{GOOD, SUITES, TestTree};
use living_conformance::data::{Folder, Tree};
use living_conformance::fixture::{LintInput, LintLevel, LintReport, lint, lint_codes};
use living_conformance::suites;

const TWO: NonZeroUsize = NonZeroUsize::new(2).unwrap();

fn golden(decides: &str, lenient: &str, strict: &str) -> String {
    format!(
        "about: a test\ncategory: example\ndecides: [{decides}]\nsince: v0.1.0\n\
         cases:\n  lenient: {{{lenient}}}\n  strict: {{{strict}}}\n"
    )
}

const ACCEPT: &str = "verdict: accept, findings: []";

fn lint_tree(tree: &TestTree, filter: &str) -> LintReport {
    lint(&LintInput {
        suites: &SUITES,
        suites_tree: &Tree::embedded(Folder::Suites),
        fixtures_tree: &Tree::directory(tree.path("")),
        filters: &[filter.to_owned()],
        threads: TWO,
    })
}

/// What is found in one fixture, `manifest/x`, as `line:column code`.
fn found(manifest: &str, golden: &str) -> Vec<String> {
    let tree = TestTree::new(&[
        ("manifest/x/manifest.yaml", manifest),
        ("manifest/x/expected.yaml", golden),
    ]);
    shown(&tree, &lint_tree(&tree, "manifest/x"))
}

fn shown(tree: &TestTree, report: &LintReport) -> Vec<String> {
    let shown = |diagnostic: &living_conformance::fixture::Diagnostic| {
        let problem = &diagnostic.problem;
        assert!(!problem.message.is_empty() && !problem.remedy.is_empty(), "{problem}");
        let level = lint_codes().find(|code| code.code == problem.code).unwrap().level;
        assert_eq!(diagnostic.level, level);
        let path = problem.path.strip_prefix(tree.path("")).unwrap_or(&problem.path);
        match (path.ends_with("expected.yaml"), problem.line, problem.column) {
            (true, Some(line), Some(column)) => format!("{line}:{column} {}", problem.code),
            _ => format!("{} {}", path.display(), problem.code),
        }
    };
    report.diagnostics.iter().map(shown).collect()
}

/// Rules cannot be held against fixtures that do not load, so whoever asks for one rule
/// hears of these, too, and is not told that all is well.
#[test]
fn what_keeps_rules_from_being_looked_at_is_told() {
    let tree = TestTree::new(&[
        ("manifest/x/manifest.yaml", GOOD),
        ("manifest/x/expected.yaml", "about: [\n"),
        ("manifest/y/manifest.yaml", GOOD),
        ("manifest/y/expected.yaml", &golden("mode.strict.escalates", ACCEPT, ACCEPT)),
    ]);
    let of_rule = shown(&tree, &lint_tree(&tree, "manifest.secrets.min-items"));
    assert_eq!(of_rule, ["1:8 bad-value"]);
    assert_eq!(shown(&tree, &lint_tree(&tree, "manifest/y")), [""; 0]);
}

#[test]
fn the_shipped_corpus_is_clean() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let suites_tree = Tree::directory(root.join("suites"));
    let suites = suites::load(&suites_tree).unwrap_or_else(|errors| panic!("{errors}"));
    let report = lint(&LintInput {
        suites: &suites,
        suites_tree: &suites_tree,
        fixtures_tree: &Tree::directory(root.join("fixtures")),
        filters: &[],
        threads: TWO,
    });
    for diagnostic in &report.diagnostics {
        println!("{}: {}", diagnostic.level.as_str(), diagnostic.problem);
    }
    assert_eq!(report.diagnostics.len(), 0);
    assert!(report.fixtures >= 900, "{}", report.fixtures);
    assert!(report.rules >= 121, "{}", report.rules);
}

#[test]
fn a_sound_fixture_has_nothing_to_find() {
    assert_eq!(found(GOOD, &golden("mode.strict.escalates", ACCEPT, ACCEPT)), [""; 0]);
}

#[test]
fn the_reference_is_asked_at_every_version_that_the_fixture_holds_at() {
    // The field came with v0.3: before, strict mode rejects it.
    let manifest = format!("{GOOD}snapshot: {{paths: [a]}}\n");
    let text = golden("mode.strict.escalates", ACCEPT, ACCEPT);
    assert_eq!(found(&manifest, &text), ["6:40 missing-finding", "7:21 verdict-differs"]);
    let text = text.replace("since: v0.1.0", "since: v0.3.0");
    assert_eq!(found(&manifest, &text), [""; 0]);
}

#[test]
fn findings_and_places_are_those_of_the_reference() {
    let manifest = GOOD.replace("hello", "Hello");
    let charset = "{rule: manifest.project_id.charset, at: /project_id}";
    let with = |findings: &str| {
        golden(
            "manifest.project_id.charset",
            &format!("verdict: accept, findings: [{findings}]"),
            &format!("verdict: reject, findings: [{findings}]"),
        )
    };
    assert_eq!(found(&manifest, &with(charset)), [""; 0]);
    assert_eq!(
        found(&manifest, &with(&charset.replace("/project_id", "/project"))),
        [
            "6:40 missing-finding",
            "6:41 unfounded-finding",
            "7:39 missing-finding",
            "7:40 unfounded-finding"
        ]
    );
    let permitting = |finding: &str| {
        with(charset).replace("]}\n  strict", &format!("], permitted: [{finding}]}}\n  strict"))
    };
    let beside = "{rule: manifest.isolation_profile.values, at: /isolation_profile}";
    assert_eq!(found(&manifest, &permitting(beside)), ["6:108 unfounded-permission"]);
    // It comes along with the other, and tools that give no places need the permission.
    let first = "{rule: manifest.project_id.first-character, at: /project_id}";
    assert_eq!(found(&manifest, &permitting(first)), [""; 0]);
}

#[test]
fn what_the_ledger_leaves_open_is_named_and_permitted() {
    let manifest = format!("{GOOD}snapshot: {{paths: [a]}}\n").replace("v0.4.0", "v0.1.0");
    let either = "verdict: either, findings: [], ledger: [L15]";
    let permitted = "permitted: [{rule: manifest.unknown-field.top-level, at: /snapshot}]";
    let sound =
        golden("mode.strict.escalates", &format!("{ACCEPT}, {permitted}, ledger: [L15]"), either)
            .replace("since: v0.1.0", "since: v0.3.0");
    assert_eq!(found(&manifest, &sound), [""; 0]);
    let silent = sound.replace(&format!(", {permitted}"), "");
    assert_eq!(found(&manifest, &silent), ["6:12 missing-permission"]);
    let unnamed = sound.replacen(", ledger: [L15]", "", 1);
    assert_eq!(found(&manifest, &unnamed), ["6:12 missing-ledger"]);
    let other = sound.replace("findings: [], ledger: [L15]", "findings: [], ledger: [L4]");
    assert_eq!(found(&manifest, &other), ["7:52 unfounded-ledger"]);
}

#[test]
fn goldens_follow_from_the_rule_table() {
    let manifest = GOOD.replace("hello", "Hello");
    let charset =
        "verdict: reject, findings: [{rule: manifest.project_id.charset, at: /project_id}]";
    let text = golden("manifest.project_id.charset", charset, charset);
    let codes = found(&manifest, &text);
    assert_eq!(codes, ["6:22 verdict-differs", "6:22 wrong-effect"]);

    let codes = |decides: &str, finding: &str| {
        let case = format!("verdict: reject, findings: [{{rule: {finding}, at: /project_id}}]");
        let lenient = case.replace("reject", "accept");
        let found = found(&manifest, &golden(decides, &lenient, &case));
        let codes = found.iter().map(|line| line.split_once(' ').unwrap().1.to_owned());
        codes.collect::<BTreeSet<_>>()
    };
    let charset = "manifest.project_id.charset";
    let has = |decides: &str, finding: &str, code: &str| {
        let codes = codes(decides, finding);
        assert!(codes.contains(code), "{code}: {codes:?}");
    };
    has(charset, "runtime.runtime.type", "no-effect");
    has("match.exit-code", charset, "idle-decision");
    has("runtime.runtime.type", charset, "idle-decision");
    has(charset, "mode.strict.escalates", "shown-by-verdict");
    has(charset, "manifest.secrets.pattern", "newer-rule");
    has("manifest.secrets.pattern", charset, "newer-rule");
    has("manifest.document.location", charset, "excluded-rule");
    has("manifest.snapshot.recommended", charset, "no-must-rule");
    has("mode.strict.escalates", charset, "not-isolated");
    has("mode.strict.escalates, mode.lenient.default", charset, "undecided-finding");
    assert_eq!(codes("manifest.project_id.charset", charset), BTreeSet::new());
}

#[test]
fn a_fixture_shows_who_breaks_what_it_decides() {
    let manifest = GOOD.replace("hello", "7").replace("run_tasks", "run");
    let type_ = "{rule: manifest.project_id.type, at: /project_id}";
    let value = "{rule: manifest.agent_capabilities.values, at: /agent_capabilities/0}";
    let text = |decides: &str, findings: &str| {
        let case = format!("verdict: reject, findings: [{findings}]");
        golden(decides, &case, &case)
    };
    let both = "manifest.project_id.type, manifest.agent_capabilities.values";
    assert_eq!(found(&manifest, &text(both, &format!("{type_}, {value}"))), [""; 0]);
    let three = format!("{both}, manifest.isolation_profile.values");
    assert_eq!(found(&manifest, &text(&three, &format!("{type_}, {value}"))), ["3:73 no-power"]);
    let silent = found(&manifest, &text(both, ""));
    assert!(silent.contains(&"6:40 silent-rejection".to_owned()), "{silent:?}");
}

#[test]
fn names_are_slugs() {
    let text = golden("mode.strict.escalates", ACCEPT, ACCEPT);
    for (path, bad) in [
        ("a b", 1),
        ("Ä/x", 1),
        ("-a", 1),
        ("Aa/B", 2),
        ("a_b-1/0", 0),
        ("nul/com1", 2),
        ("com/com10", 0),
    ] {
        let tree = TestTree::new(&[
            (&format!("manifest/{path}/manifest.yaml"), GOOD),
            (&format!("manifest/{path}/expected.yaml"), &text),
        ]);
        let report = lint_tree(&tree, "manifest/");
        let slugs = report.diagnostics.iter().filter(|found| found.problem.code == "bad-slug");
        assert_eq!(slugs.count(), bad, "{path}");
    }
}

#[test]
fn a_fixture_without_a_golden_is_held_against_its_name() {
    let bad = GOOD.replace("hello", "7");
    let tree = TestTree::new(&[
        ("valid-good.yaml", GOOD),
        ("valid-bad.yaml", &bad),
        ("invalid-bad.yaml", &bad.replace("7", "8")),
    ]);
    let report = lint_tree(&tree, "manifest/");
    assert_eq!(
        shown(&tree, &report),
        [
            "invalid-bad.yaml no-golden",
            "valid-bad.yaml no-golden",
            "valid-bad.yaml verdict-differs",
            "valid-bad.yaml verdict-differs",
            "valid-good.yaml no-golden",
        ]
    );
    assert_eq!((report.count(LintLevel::Error), report.count(LintLevel::Warning)), (2, 3));
}

#[test]
fn equal_documents_need_a_reason() {
    let text = golden("mode.strict.escalates", ACCEPT, ACCEPT);
    let commented = format!("# the same\n{GOOD}");
    let quoted = GOOD.replace("hello", "'hello'");
    let other = GOOD.replace("hello", "other");
    let with = |twins: &str| text.replace("cases:", &format!("twins: {twins}\ncases:"));
    let codes = |a: &str, b: &str| {
        let tree = TestTree::new(&[
            ("manifest/a/manifest.yaml", GOOD),
            ("manifest/a/expected.yaml", a),
            ("manifest/b/manifest.yaml", &commented),
            ("manifest/b/expected.yaml", b),
            ("manifest/c/manifest.yaml", &quoted),
            ("manifest/c/expected.yaml", &with("{a: quotes}")),
            ("manifest/d/manifest.yaml", &other),
            ("manifest/d/expected.yaml", &text),
        ]);
        let report = lint_tree(&tree, "manifest/");
        let code = |found: &living_conformance::fixture::Diagnostic| {
            let path = found.problem.path.strip_prefix(tree.path("")).unwrap();
            let fixture = path.parent().unwrap().file_name().unwrap().to_str().unwrap();
            format!("{fixture} {}", found.problem.code)
        };
        report.diagnostics.iter().map(code).collect::<Vec<_>>()
    };
    let duplicate = |name| format!("{name} duplicate-documents");
    assert_eq!(codes(&text, &text), ["a", "b", "c"].map(duplicate));
    // Links hold a group together in either direction.
    assert_eq!(codes(&with("{b: comments}"), &text), [""; 0]);
    assert_eq!(codes(&text, &with("{c: comments}")), [""; 0]);
    assert_eq!(codes(&with("{b: comments, d: none}"), &text), ["a false-twin"]);
}

#[test]
fn files_that_nothing_refers_to_are_found_in_suites_only() {
    let text = golden("mode.strict.escalates", ACCEPT, ACCEPT);
    let tree = TestTree::new(&[
        ("README.md", "beside the suites"),
        ("notes/x.md", "likewise"),
        ("manifest/README.md", "in a suite"),
        ("manifest/x/manifest.yaml", GOOD),
        ("manifest/x/expected.yaml", &text),
        ("manifest/x/manifest.yaml.orig", "a rest"),
        ("valid/manifest.yaml", &GOOD.replace("hello", "other")),
        ("valid/todo.txt", "in a fixture"),
    ]);
    let report = lint(&LintInput {
        suites: &SUITES,
        suites_tree: &Tree::embedded(Folder::Suites),
        fixtures_tree: &Tree::directory(tree.path("")),
        filters: &[],
        threads: TWO,
    });
    let files: Vec<_> = report
        .diagnostics
        .iter()
        .filter(|found| found.problem.code == "unreferenced-file")
        .map(|found| found.problem.path.strip_prefix(tree.path("")).unwrap().to_str().unwrap())
        .collect();
    assert_eq!(files, ["manifest/README.md", "manifest/x/manifest.yaml.orig", "valid/todo.txt"]);
}

/// A suite of one operation, with rules and a ledger.
const SUITE: &str = "\
suite: t
title: T
about: a suite for tests
version: 0.1.0
protocols: [v0.1, v0.3]
documents: {doc: {about: the document, files: [doc.yaml]}}
operations: {op: {about: checks, class: checker, argv: ['{doc}']}}
";

#[test]
fn rules_and_questions_are_held_against_all_fixtures() {
    let rule = |id: &str, more: &str| {
        format!(
            "- {{id: {id}, level: MUST, since: v0.1.0, section: S, statement: it holds, {more}}}\n"
        )
    };
    let by_finding = "effect: {op: reject}, names: [it]";
    let rules = [
        rule("t.never", by_finding),
        rule("t.sound", by_finding),
        rule("t.one-side", by_finding),
        rule("t.unbroken", by_finding),
        rule("t.together", by_finding),
        rule("t.verdict", "shown-by: verdict"),
        rule("t.out", "shown-by: verdict, excluded: nothing shows it"),
        rule("t.open", &format!("{by_finding}, ledger: [L1]")),
    ];
    let ledger = |id: &str| {
        format!("- {{id: {id}, class: unknown, question: q, readings: [a, b], suite: s}}\n")
    };
    let case = |decides: &str, case: &str| {
        format!(
            "about: a test\ncategory: example\ndecides: [{decides}]\nsince: v0.1.0\n\
             cases:\n  op: {{{case}}}\n"
        )
    };
    let reject = |rules: &[&str]| {
        let findings: Vec<_> =
            rules.iter().map(|rule| format!("{{rule: {rule}, at: ''}}")).collect();
        format!("verdict: reject, findings: [{}]", findings.join(", "))
    };
    let tree = TestTree::new(&[
        ("suites/t/suite.yaml", SUITE),
        ("suites/t/rules.yaml", &format!("rules:\n{}", rules.concat())),
        ("suites/t/ledger.yaml", &format!("entries:\n{}{}", ledger("L1"), ledger("L2"))),
        ("suites/t/old.yaml", "what is this"),
        ("fixtures/t/good/doc.yaml", "1"),
        (
            "fixtures/t/good/expected.yaml",
            &case("t.sound, t.unbroken, t.together, t.verdict", ACCEPT),
        ),
        ("fixtures/t/bad/doc.yaml", "2"),
        ("fixtures/t/bad/expected.yaml", &case("t.sound", &reject(&["t.sound"]))),
        ("fixtures/t/side/doc.yaml", "3"),
        ("fixtures/t/side/expected.yaml", &case("t.one-side", &reject(&["t.one-side"]))),
        ("fixtures/t/both/doc.yaml", "4"),
        (
            "fixtures/t/both/expected.yaml",
            &case("t.sound, t.together", &reject(&["t.sound", "t.together"])),
        ),
        ("fixtures/t/open/doc.yaml", "5"),
        (
            "fixtures/t/open/expected.yaml",
            &case("t.open", "verdict: either, findings: [], ledger: [L1]"),
        ),
    ]);
    let suites_tree = Tree::directory(tree.path("suites"));
    let suites = suites::load(&suites_tree).unwrap_or_else(|errors| panic!("{errors}"));
    let report = |filter: &[&str]| {
        let filters: Vec<String> = filter.iter().map(|&text| text.to_owned()).collect();
        lint(&LintInput {
            suites: &suites,
            suites_tree: &suites_tree,
            fixtures_tree: &Tree::directory(tree.path("fixtures")),
            filters: &filters,
            threads: TWO,
        })
    };
    let all = report(&[]);
    let lines: Vec<_> = all
        .diagnostics
        .iter()
        .map(|found| {
            let line = found.problem.line.unwrap_or_default();
            format!("{line} {}", found.problem.code)
        })
        .collect();
    assert_eq!(
        lines,
        [
            "3 untouched-ledger",
            "0 unreferenced-file",
            "2 uncovered-rule",
            "4 never-kept",
            "5 never-broken",
            "6 never-alone",
        ]
    );
    assert!(all.diagnostics[2].problem.message.contains("at v0.1, v0.3"));
    assert_eq!(report(&["t.never"]).diagnostics.len(), 1);
    let nothing = report(&["nothing"]);
    assert_eq!((nothing.fixtures, nothing.rules, nothing.diagnostics.len()), (0, 0, 0));
}

#[test]
fn a_fixture_that_does_not_load_is_told_and_hides_no_other() {
    let text = golden("mode.strict.escalates", ACCEPT, ACCEPT);
    let tree = TestTree::new(&[
        ("manifest/a/manifest.yaml", GOOD),
        ("manifest/a/expected.yaml", "about: x\n"),
        ("manifest/b/manifest.yaml", &GOOD.replace("hello", "7")),
        ("manifest/b/expected.yaml", &text),
    ]);
    let report = lint(&LintInput {
        suites: &SUITES,
        suites_tree: &Tree::embedded(Folder::Suites),
        fixtures_tree: &Tree::directory(tree.path("")),
        filters: &[],
        threads: TWO,
    });
    let codes: Vec<_> = report.diagnostics.iter().map(|found| found.problem.code).collect();
    assert_eq!(codes, ["missing-field", "verdict-differs", "verdict-differs"]);
}

/// Suites of two specs have no version in common, and each is held to its own.
#[test]
fn every_suite_of_the_program_is_held_to_its_rules() {
    let text = golden("mode.strict.escalates", ACCEPT, ACCEPT);
    let tree =
        TestTree::new(&[("manifest/x/manifest.yaml", GOOD), ("manifest/x/expected.yaml", &text)]);
    for (rule, versions) in [
        ("manifest.project_id.charset", "v0.1, v0.3, v0.4"),
        ("manifest.secrets.pattern", "v0.4"),
        ("match.exit-code", "v0.1, v0.3, v0.4"),
        ("receipt.exit-code", "v1.0"),
    ] {
        let report = lint_tree(&tree, rule);
        let found: Vec<&str> = report.diagnostics.iter().map(|it| it.problem.code).collect();
        assert_eq!(found, ["uncovered-rule"], "{rule}");
        let message = &report.diagnostics[0].problem.message;
        assert!(message.contains(&format!("{rule} at {versions}:")), "{message}");
    }
}
