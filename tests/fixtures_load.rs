//! Reading goldens: what is taken over, and what is refused where.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may panic")]

mod fixture_tree;

use std::path::Path;

use fixture_tree::{MANIFEST, RUNTIME, SUITES, TestTree, golden, match_golden};
use living_conformance::core::{Category, ExpectedFinding, Protocol, Stance};
use living_conformance::data::{Folder, Tree};
use living_conformance::fixture::load_all;

/// The one problem of a golden in which a text is replaced, as `line:column code`.
fn one(from: &str, to: &str) -> String {
    let sound = golden();
    assert!(sound.contains(from), "{from}");
    let text = sound.replacen(from, to, 1);
    let tree = TestTree::new(&[
        ("manifest/x/manifest.yaml", MANIFEST),
        ("manifest/x/expected.yaml", &text),
    ]);
    let problems = tree.problems();
    let [problem] = &problems[..] else { panic!("{to:?}: {problems:#?}") };
    problem.strip_prefix("manifest/x/expected.yaml:").unwrap().to_owned()
}

#[test]
fn all_that_is_shipped_loads_without_a_problem() {
    let embedded = load_all(&Tree::embedded(Folder::Fixtures), &SUITES);
    for problem in &embedded.problems {
        println!("{problem}");
    }
    assert_eq!(embedded.problems.len(), 0);
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut checkout = load_all(&Tree::directory(&fixtures), &SUITES);
    for fixture in &mut checkout.fixtures {
        let below = fixture.location.strip_prefix(&fixtures).unwrap();
        fixture.location = Path::new("fixtures").join(below);
    }
    assert_eq!(checkout, embedded);
    assert!(embedded.fixtures.iter().all(|fixture| fixture.has_golden));
    for suite in &SUITES.suites {
        assert!(embedded.fixtures.iter().any(|f| f.id.suite() == suite.suite), "{}", suite.suite);
    }
}

#[test]
fn a_golden_is_taken_over_whole() {
    let text = golden()
        .replace(
            "since: v0.1.0\n",
            "since: v0.1.0\nbefore: v0.4.0\naliases: [old/name]\n\
             except-variants: {crlf: no line ends}\ntwins: {y: for the other reader}\n",
        )
        .replace(
            "strict: {verdict: reject",
            "strict: {ledger: [L2], permitted: [{rule: manifest.project_id.type}], verdict: reject",
        );
    let tree = TestTree::new(&[
        ("manifest/x/manifest.yaml", MANIFEST),
        ("manifest/x/expected.yaml", &text),
        ("manifest/y/manifest.yaml", MANIFEST),
        ("manifest/y/expected.yaml", &golden()),
    ]);
    let loaded = tree.load();
    assert_eq!(loaded.problems, []);
    let fixture = &loaded.fixtures[0];
    assert_eq!(fixture.about, "one character over the limit");
    assert_eq!(fixture.category, Some(Category::Boundary));
    assert_eq!(fixture.decides[0].as_str(), "manifest.project_id.max-length");
    assert!(fixture.holds_at(Protocol::new(0, 3)) && !fixture.holds_at(Protocol::new(0, 4)));
    assert_eq!(fixture.aliases[0].as_str(), "manifest/old/name");
    assert_eq!(fixture.except_variants["crlf"], "no line ends");
    assert_eq!(fixture.twins["manifest/y"], "for the other reader");
    assert_eq!(fixture.cases["lenient"].stance, Stance::Accept);
    let strict = &fixture.cases["strict"];
    assert_eq!(strict.stance, Stance::Reject);
    assert_eq!(strict.ledger[0].as_str(), "L2");
    assert_eq!((strict.permitted[0].at.as_str(), strict.permitted.len()), ("", 1));
    let finding = &strict.findings.as_ref().unwrap()[0];
    assert_eq!((finding.value.as_deref(), finding.absent), (Some("x"), false));
}

#[test]
fn findings_know_what_stands_at_their_place() {
    let text = golden().replacen(
        "[{rule: manifest.project_id.max-length, at: /project_id}]",
        "[{rule: manifest.isolation_profile.required, at: /isolation_profile}, \
         {rule: manifest.agent_capabilities.item-type, at: /agent_capabilities/1}, \
         {rule: manifest.unknown-field.top-level, at: /a~1b}, \
         {rule: manifest.state_publication.target.type, at: /state_publication/target}, \
         {rule: manifest.state_publication.type, at: /state_publication}]",
        1,
    );
    let manifest = "agent_capabilities: [a, 7]\na/b: yes\nstate_publication: {target: \"f\"}\n";
    let tree = TestTree::new(&[
        ("manifest/x/manifest.yaml", manifest),
        ("manifest/x/expected.yaml", &text),
    ]);
    let loaded = tree.load();
    assert_eq!(loaded.problems, []);
    let case = &loaded.fixtures[0].cases["lenient"];
    let told: Vec<_> = case
        .findings
        .iter()
        .flatten()
        .map(|finding: &ExpectedFinding| (finding.value.as_deref(), finding.absent))
        .collect();
    let here = |text| (Some(text), false);
    assert_eq!(told, [(None, true), here("7"), here("yes"), here("f"), (None, false)]);
}

#[test]
fn findings_of_a_match_are_looked_up_in_the_document_they_are_in() {
    let text = match_golden("reject").replace(
        "findings: []",
        "findings: [{rule: match.isolation-profile, at: /isolation_profile}, \
         {rule: runtime.runtime.type, at: /runtime}]",
    );
    let tree = TestTree::new(&[
        ("runtime/x/manifest.yaml", "isolation_profile: vm\nruntime: 1\n"),
        ("runtime/x/runtime.yaml", "isolation_profile: no\nruntime: 2\n"),
        ("runtime/x/expected.yaml", &text),
    ]);
    let loaded = tree.load();
    assert_eq!(loaded.problems, []);
    let findings = loaded.fixtures[0].cases["match"].findings.as_ref().unwrap();
    let values: Vec<_> = findings.iter().map(|finding| finding.value.as_deref()).collect();
    assert_eq!(values, [Some("vm"), Some("2")]);
}

#[test]
fn a_document_that_is_no_yaml_tells_nothing_of_its_places() {
    let tree = TestTree::new(&[
        ("manifest/x/manifest.yaml", "a: [\n"),
        ("manifest/x/expected.yaml", &golden()),
    ]);
    let loaded = tree.load();
    assert_eq!(loaded.problems, []);
    let finding = &loaded.fixtures[0].cases["strict"].findings.as_ref().unwrap()[0];
    assert_eq!((finding.value.as_deref(), finding.absent), (None, false));
}

#[test]
fn the_form_is_refused_with_its_place() {
    let cases = [
        ("about:", "abuot:", "1:1 unknown-field"),
        ("about: one", "about: two\nabout: one", "2:1 duplicate-field"),
        ("category: boundary", "category: border", "2:11 bad-value"),
        ("since: v0.1.0\n", "", "1:1 missing-field"),
        ("since: v0.1.0", "since: v0.1", "4:8 bad-value"),
        (
            "decides: [manifest.project_id.max-length]",
            "decides: [manifest.x, Manifest]",
            "3:23 bad-value",
        ),
        ("decides: [manifest.project_id.max-length]", "decides: manifest.x", "3:10 bad-value"),
        ("lenient: {verdict", "lenient: {verdct", "6:13 unknown-field"),
        ("verdict: accept", "verdict: warn", "6:22 bad-value"),
        ("at: /project_id", "on: /project_id", "6:80 unknown-field"),
        ("  strict:", "  lenient:", "7:3 duplicate-field"),
        (
            ", findings: [{rule: manifest.project_id.max-length, at: /project_id}]",
            "",
            "6:12 missing-field",
        ),
        ("since: v0.1.0", "since: v0.1.0\ntwins: {a: x, a: y}", "5:15 duplicate-field"),
        ("cases:", "cases: [", "5:8 bad-value"),
        ("cases:", "cases: ]", "5:8 bad-yaml"),
    ];
    for (from, to, expected) in cases {
        assert_eq!(one(from, to), expected, "{to}");
    }
}

#[test]
fn what_does_not_hold_together_is_refused_with_its_place() {
    let rule = "manifest.project_id.max-length";
    let decides = "decides: [manifest.project_id.max-length]";
    let finding = "{rule: manifest.project_id.max-length, at: /project_id}";
    let cases = [
        ("about: one character over the limit", "about: ''", "1:8 empty"),
        ("about: one character over the limit", "about: |-\n  a\n  b", "2:3 several-lines"),
        (decides, "decides: []", "3:10 empty"),
        (decides, "decides: [manifest.x]", "3:11 unknown-rule"),
        (decides, &format!("decides: [{rule}, {rule}]"), "3:43 duplicate"),
        ("since: v0.1.0", "since: v0.5.0", "4:8 too-new"),
        ("since: v0.1.0", "since: v0.3.0\nbefore: v0.3.0", "5:9 never-holds"),
        ("since: v0.1.0", "since: v0.1.0\naliases: [a, a]", "5:14 duplicate"),
        ("since: v0.1.0", "since: v0.1.0\naliases: [/a]", "5:11 bad-path"),
        ("since: v0.1.0", "since: v0.1.0\naliases: [x]", "5:11 names-itself"),
        ("since: v0.1.0", "since: v0.1.0\ntwins: {x: why}", "5:9 names-itself"),
        ("since: v0.1.0", "since: v0.1.0\ntwins: {none: why}", "5:9 unknown-twin"),
        ("since: v0.1.0", "since: v0.1.0\nexcept-variants: {upper: why}", "5:19 unknown-variant"),
        ("since: v0.1.0", "since: v0.1.0\nexcept-variants: {crlf: ''}", "5:25 empty"),
        (
            &format!("[{finding}]"),
            "[{rule: manifest.project_id.max-lenght, at: ''}]",
            "6:48 unknown-rule",
        ),
        ("at: /project_id", "at: project_id", "6:84 bad-pointer"),
        (finding, &format!("{finding}, {finding}"), "6:98 duplicate"),
        ("verdict: accept,", "verdict: accept, ledger: [L99],", "6:39 unknown-ledger-entry"),
        ("verdict: accept,", "verdict: accept, ledger: [L1, L1],", "6:43 duplicate"),
        (
            "verdict: accept,",
            &format!("verdict: accept, permitted: [{finding}],"),
            "6:42 duplicate",
        ),
        ("verdict: accept,", "ledger: [L4], verdict: either,", "6:54 open-with-findings"),
        (
            &format!("accept, findings: [{finding}]"),
            "either, findings: []",
            "6:22 open-without-ledger",
        ),
        ("  strict:", "  x: {verdict: accept, findings: []}\n  strict:", "7:3 unknown-operation"),
    ];
    for (from, to, expected) in cases {
        assert_eq!(one(from, to), expected, "{to}");
    }
    let lenient = golden().lines().nth(5).unwrap().to_owned() + "\n";
    assert_eq!(one(&lenient, ""), "6:3 missing-operation");
}

#[test]
fn a_fixture_has_the_cases_that_its_documents_make_possible() {
    let case = |operation: &str| format!("  {operation}: {{verdict: accept, findings: []}}\n");
    let problems = |policy: bool, operations: &[&str]| {
        let cases: String = operations.iter().map(|operation| case(operation)).collect();
        let golden = format!(
            "about: x\ncategory: example\ndecides: [receipt.exit-code]\nsince: v1.0.0\ncases:\n{cases}"
        );
        let mut files =
            vec![("receipt/x/receipt.json", "{}"), ("receipt/x/expected.yaml", &golden)];
        files.extend(policy.then_some(("receipt/x/policy.json", "{}")));
        TestTree::new(&files).problems()
    };
    let none: [&str; 0] = [];
    assert_eq!(problems(false, &["check"]), none);
    assert_eq!(problems(true, &["check", "admit"]), none);
    let golden = "receipt/x/expected.yaml";
    assert_eq!(problems(true, &["check"]), [format!("{golden}:6:3 missing-operation")]);
    let impossible = problems(false, &["check", "admit"]);
    assert_eq!(impossible, [format!("{golden}:7:3 impossible-operation")]);
}

#[test]
fn a_rule_that_is_nearly_right_is_named() {
    let text = golden().replace("max-length", "max-lenght");
    let tree = TestTree::new(&[
        ("manifest/x/manifest.yaml", MANIFEST),
        ("manifest/x/expected.yaml", &text),
    ]);
    let problems = tree.load().problems;
    assert_eq!(problems.len(), 3);
    assert!(problems.iter().all(|p| p.remedy.contains("manifest.project_id.max-length")));
}

#[test]
fn all_faults_of_all_goldens_are_told_at_once() {
    let bad =
        golden().replace("since: v0.1.0", "since: v9.0.0").replace("about: one", "about: '' #");
    let tree = TestTree::new(&[
        ("manifest/b/manifest.yaml", MANIFEST),
        ("manifest/b/expected.yaml", &bad),
        ("manifest/a/manifest.yaml", MANIFEST),
        ("manifest/a/expected.yaml", "x"),
        ("manifest/c/", ""),
    ]);
    assert_eq!(
        tree.problems(),
        [
            "manifest/a/expected.yaml:1:1 bad-value",
            "manifest/b/expected.yaml:1:8 empty",
            "manifest/b/expected.yaml:4:8 too-new",
            "manifest/c empty-directory",
        ]
    );
}

#[test]
fn names_bind_the_goldens_of_the_runtime_suite() {
    let problems = |name: &str, golden: &str| {
        let golden_place = format!("runtime/{name}/expected.yaml");
        let (runtime, manifest) =
            (format!("runtime/{name}/runtime.yaml"), format!("runtime/{name}/manifest.yaml"));
        TestTree::new(&[(&runtime, RUNTIME), (&manifest, MANIFEST), (&golden_place, golden)])
            .problems()
    };
    let open = match_golden("either").replace("either,", "either, ledger: [L14],");
    let none: [String; 0] = [];
    assert_eq!(problems("match-x", &match_golden("accept")), none);
    assert_eq!(problems("other", &match_golden("reject")), none);
    assert_eq!(problems("open-x", &open), none);
    assert_eq!(problems("match-x", &open), none);
    assert_eq!(
        problems("match-x", &match_golden("reject")),
        ["runtime/match-x/expected.yaml:6:20 name-contradicts"]
    );
    assert_eq!(
        problems("other", &match_golden("accept")),
        ["runtime/other/expected.yaml:6:20 name-contradicts"]
    );
}

#[test]
fn an_alias_is_free_for_one_fixture() {
    let with_alias = |alias: &str| {
        golden().replace("since: v0.1.0", &format!("since: v0.1.0\naliases: [{alias}]"))
    };
    let tree = TestTree::new(&[
        ("manifest/a/manifest.yaml", MANIFEST),
        ("manifest/a/expected.yaml", &with_alias("b")),
        ("manifest/b/manifest.yaml", MANIFEST),
        ("manifest/b/expected.yaml", &with_alias("old")),
        ("manifest/c/manifest.yaml", MANIFEST),
        ("manifest/c/expected.yaml", &with_alias("old")),
    ]);
    assert_eq!(
        tree.problems(),
        ["manifest/a/expected.yaml:5:11 alias-taken", "manifest/c/expected.yaml:5:11 alias-taken",]
    );
}
