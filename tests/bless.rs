//! Goldens from the reference: the shipped ones are the reference's, and those that
//! are not are rewritten where they differ.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may panic")]

mod fixture_tree;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use fixture_tree::{GOOD, SUITES, TestTree, run};
use living_conformance::core::{ExpectedFinding, RuleId, Stance};
use living_conformance::data::{Folder, Tree};
use living_conformance::fixture::{BlessInput, Proposals, ask, load_all, propose};

/// A golden that is wrong in both modes, with comments.
const WRONG: &str = "\
# about capitals
about: a capital letter
category: boundary
decides: [manifest.project_id.charset]
since: v0.1.0
cases:
  strict: # the strict one first
    findings: # in a block
      # one that is not there
      - {at: /project_id, rule: manifest.project_id.max-length}
    verdict: reject
  lenient: {verdict: accept, findings: []} # forgotten
";

const RIGHT: &str = "\
# about capitals
about: a capital letter
category: boundary
decides: [manifest.project_id.charset]
since: v0.1.0
cases:
  strict: # the strict one first
    findings: # in a block
      # one that is not there
      - {rule: manifest.project_id.charset, at: /project_id}
    verdict: reject
  lenient: {verdict: accept, findings: [{rule: manifest.project_id.charset, at: /project_id}]} # forgotten
";

fn proposals(tree: &Tree, filter: &str) -> Proposals {
    propose(&BlessInput { suites: &SUITES, fixtures: tree, filters: &[filter.to_owned()] })
}

fn capital(golden: &str) -> TestTree {
    TestTree::new(&[
        ("fixtures/manifest/capital/manifest.yaml", &GOOD.replace("hello", "Hello")),
        ("fixtures/manifest/capital/expected.yaml", golden),
    ])
}

#[test]
fn the_shipped_goldens_are_those_of_the_reference() {
    let found = propose(&BlessInput {
        suites: &SUITES,
        fixtures: &Tree::embedded(Folder::Fixtures),
        filters: &[],
    });
    for proposal in &found.proposals {
        println!("{}\n{}", proposal.fixture, proposal.new);
    }
    assert_eq!((found.proposals.len(), found.problems.len()), (0, 0));
    assert!(found.fixtures > 900);
}

#[test]
fn a_golden_that_is_written_from_nothing_expects_the_same() {
    let loaded = load_all(&Tree::embedded(Folder::Fixtures), &SUITES);
    let none = BTreeMap::new();
    for fixture in &loaded.fixtures {
        let suite = SUITES.suite(fixture.id.suite()).unwrap();
        let newest = suite.protocols.iter().copied().rfind(|&version| fixture.holds_at(version));
        let versions = [newest.unwrap()];
        let cases = ask(suite, &fixture.documents, &versions, &none).unwrap();
        for (operation, case) in &cases {
            let shipped = &fixture.cases[operation];
            let set = |findings: &[ExpectedFinding]| -> BTreeSet<(RuleId, String)> {
                findings.iter().map(|found| (found.rule.clone(), found.at.clone())).collect()
            };
            assert_eq!(case.verdict, shipped.stance, "{}", fixture.id);
            let expected = shipped.findings.as_deref().unwrap();
            assert_eq!(set(&case.findings), set(expected), "{}", fixture.id);
        }
        assert_eq!(ask(suite, &fixture.documents, &versions, &cases).unwrap(), cases);
    }
}

#[test]
fn only_what_differs_is_rewritten() {
    let tree = capital(WRONG);
    let fixtures = Tree::directory(tree.path("fixtures"));
    let found = proposals(&fixtures, "capital");
    assert_eq!((found.fixtures, found.problems.len()), (1, 0));
    let [proposal] = &found.proposals[..] else { panic!("{found:?}") };
    assert_eq!((proposal.old.as_str(), proposal.new.as_str()), (WRONG, RIGHT));
    assert_eq!(proposal.turns, []);
    assert_eq!(proposals(&fixtures, "nothing").fixtures, 0);
    let tree = capital(RIGHT);
    assert_eq!(proposals(&Tree::directory(tree.path("fixtures")), "").proposals, []);
}

#[test]
fn a_verdict_that_turns_over_is_told() {
    let tree = capital(&WRONG.replace("verdict: reject", "verdict: accept"));
    let found = proposals(&Tree::directory(tree.path("fixtures")), "");
    let turns = &found.proposals[0].turns;
    assert_eq!(*turns, [("strict".to_owned(), Stance::Accept, Stance::Reject)]);
}

#[test]
fn versions_that_disagree_need_two_fixtures() {
    let manifest = format!("{GOOD}snapshot: {{paths: [a]}}\n");
    let tree = TestTree::new(&[
        ("manifest/x/manifest.yaml", &manifest),
        ("manifest/x/expected.yaml", &RIGHT.replace("charset", "max-length")),
    ]);
    let found = proposals(&Tree::directory(tree.path("")), "");
    assert_eq!(found.proposals, []);
    let problem = &found.problems[0];
    assert_eq!((problem.code, problem.line), ("versions-differ", Some(7)));
    assert!(
        problem.message.contains("accepts at v0.4 and v0.1 with different findings"),
        "{problem}"
    );
}

#[test]
fn fixtures_of_the_protocols_own_repository_get_goldens() {
    let runtime = "runtime: r\nprotocol_versions: [v0.4]\nagent_capabilities: [run_tasks]\n\
        isolation_profiles: [container]\nstate_publication_targets: [file]\n";
    let tree = TestTree::new(&[
        ("valid-hello.yaml", GOOD),
        ("invalid-capital_letter.yaml", &GOOD.replace("hello", "Hello")),
        ("invalid/snapshot/manifest.yaml", &format!("{GOOD}snapshot: {{}}\n")),
        ("runtime/mismatch-target/runtime.yaml", runtime),
        ("runtime/mismatch-target/manifest.yaml", GOOD),
    ]);
    let (code, out, _) = run(&tree.path(""), &["bless", "--fixtures", ".", "--yes"], "");
    assert_eq!(code, 0, "{out}");
    let read = |path: &str| fs::read_to_string(tree.path(path)).unwrap();
    let capital = read("invalid-capital_letter.expected.yaml");
    assert!(capital.starts_with("about: invalid capital letter\ncategory: example\n"), "{capital}");
    assert!(capital.contains("decides: [manifest.project_id.charset]\nsince: v0.1.0\n"));
    assert!(read("valid-hello.expected.yaml").contains("decides: [mode.strict.escalates]\n"));
    assert!(read("invalid/snapshot/expected.yaml").contains("since: v0.3.0\n"));
    let target = read("runtime/mismatch-target/expected.yaml");
    assert!(target.contains("{rule: match.state-publication-target"), "{target}");
    // Nothing is left to do, and lint agrees.
    let (code, out, _) = run(&tree.path(""), &["bless", "--fixtures", "."], "");
    assert_eq!((code, out.as_str()), (0, "0 goldens of 4 fixtures to change\n"));
    let (code, out, _) =
        run(&tree.path(""), &["lint", "--fixtures", ".", "valid-hello", "runtime/mis"], "");
    assert_eq!(code, 0, "{out}");
}

#[test]
fn the_program_asks_before_it_writes() {
    let tree = capital(WRONG);
    let golden = tree.path("fixtures/manifest/capital/expected.yaml");
    let now = || fs::read_to_string(&golden).unwrap();

    let (code, out, _) = run(&tree.path(""), &["bless", "--dry-run"], "");
    assert_eq!((code, now().as_str()), (1, WRONG));
    assert!(
        out.contains("-      - {at: /project_id, rule: manifest.project_id.max-length}\n"),
        "{out}"
    );
    assert!(!out.contains('\u{1b}'), "{out:?}");
    for no in ["", "n\n", "yessir\n"] {
        let (code, out, _) = run(&tree.path(""), &["bless"], no);
        assert_eq!((code, now().as_str()), (1, WRONG));
        assert!(out.ends_with("write 1 golden? [y/N] nothing was written\n"), "{out}");
    }
    let (code, _, _) = run(&tree.path(""), &["bless", "capital"], "Y\n");
    assert_eq!((code, now().as_str()), (0, RIGHT));
    let (code, _, error) = run(&tree.path(""), &["bless", "other"], "");
    assert_eq!(code, 4, "{error}");
    let (code, _, error) = run(Path::new("/"), &["bless"], "");
    assert_eq!(code, 2);
    assert!(error.contains("--fixtures"), "{error}");
}

#[test]
fn a_verdict_turns_over_only_when_that_is_accepted() {
    let wrong = RIGHT.replace("verdict: reject", "verdict: accept");
    let tree = capital(&wrong);
    let golden = tree.path("fixtures/manifest/capital/expected.yaml");
    let now = || fs::read_to_string(&golden).unwrap();
    let (code, out, _) = run(&tree.path(""), &["bless", "--yes"], "");
    assert_eq!((code, now()), (1, wrong));
    assert!(out.contains("the verdict of strict turns over, from accept to reject\n"), "{out}");
    let (code, _, _) = run(&tree.path(""), &["bless", "--yes", "--accept-verdict-change"], "");
    assert_eq!((code, now().as_str()), (0, RIGHT));
}
