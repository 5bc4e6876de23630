use std::collections::BTreeSet;
use std::sync::Arc;

use super::read::{KnownFailures, parse};
use super::*;
use crate::core::testing::{expect, failing, fixture, passing, rules, suite};
use crate::core::{
    CaseId, CaseRecord, Date, Fixture, FixtureId, Level, Plan, Protocol, Selection, Stance,
};
use crate::data::Tree;
use crate::report::{Reporter, failure};

fn fixtures() -> Vec<Arc<Fixture>> {
    let accept = || expect(Stance::Accept, &[]);
    let mut fixtures: Vec<Fixture> = (0..12)
        .map(|n| fixture(&format!("many/n{n:02}"), &["t.unknown"], accept(), accept()))
        .collect();
    let mut renamed = fixture("id/long", &["t.id.charset"], accept(), accept());
    renamed.aliases = vec![FixtureId::new("t/id/old").unwrap()];
    fixtures.push(renamed);
    fixtures.into_iter().map(Arc::new).collect()
}

fn plan(change: impl FnOnce(&mut Selection)) -> Plan {
    let mut selection = Selection::all(Protocol::new(0, 1));
    change(&mut selection);
    Plan::new(&[suite()], &fixtures(), &selection)
}

/// Reads a list from a file of this text.
fn read_at(text: &str, plan: &Plan, today: Date) -> Result<KnownFailures, Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("list.yaml"), text).unwrap();
    let source = Tree::directory(folder.path()).source("list.yaml").unwrap();
    let (fixtures, rules) = (fixtures(), rules());
    let scope = Scope { fixtures: &fixtures, rules: &rules, plan };
    parse(&source, "list.yaml", &scope, today).map_err(|problems| {
        problems
            .iter()
            .map(|it| format!("{}:{} {}", it.line.unwrap(), it.column.unwrap(), it.code))
            .collect()
    })
}

fn read(text: &str) -> Result<KnownFailures, Vec<String>> {
    read_at(text, &plan(|_| {}), "2027-01-01".parse().unwrap())
}

fn covered(known: &KnownFailures) -> Vec<BTreeSet<CaseId>> {
    known.list.entries().iter().map(|entry| entry.cases.clone()).collect()
}

#[test]
fn entries_name_cases_fixtures_and_rules() {
    let text = "
failures:
  - case: t/id/long::hard
    reason: not done yet
    tracker: https://tracker.invalid/1
    expires: 2027-12-31
    message: accepted
  - fixtures: t/many/*
    operations: [hard]
    reason: not done yet
  - fixtures: t/many/**
    wide: true
    reason: not done yet
  - fixtures: t/*
    reason: a star stops at a slash
  - rule: t.id.charset
    reason: not done yet
  - case: t/id/old::soft
    reason: it had this name before
";
    assert_eq!(read(text).unwrap_err(), ["14:15 covers-nothing"]);
    let text = text.replace("fixtures: t/*\n", "fixtures: t/id/*\n");
    let known = read(&text).unwrap();
    let sizes: Vec<usize> = covered(&known).iter().map(BTreeSet::len).collect();
    assert_eq!(sizes, [1, 12, 24, 2, 2, 1]);
    let last = covered(&known).pop().unwrap();
    assert_eq!(last.first().unwrap().as_str(), "t/id/long::soft");
    let entries = known.list.entries();
    assert_eq!(entries[0].listed.entry, "list.yaml:3");
    assert_eq!(entries[0].name, "case t/id/long::hard");
    assert_eq!(entries[4].rule.as_ref().unwrap().as_str(), "t.id.charset");
    assert!(read("failures: []").unwrap().list.entries().is_empty());
}

#[test]
fn only_what_is_asked_for_is_covered() {
    let text = "failures: [{fixtures: t/id/*, reason: x}, {rule: t.unknown, reason: x}]";
    let today = "2027-01-01".parse().unwrap();
    let narrow = plan(|s| s.classes = ["hard-checker".to_owned()].into());
    let sizes: Vec<usize> =
        covered(&read_at(text, &narrow, today).unwrap()).iter().map(BTreeSet::len).collect();
    assert_eq!(sizes, [1, 12]);
    // What is filtered away was asked for.
    let filtered = plan(|s| s.filters = vec!["many".into()]);
    let sizes: Vec<usize> =
        covered(&read_at(text, &filtered, today).unwrap()).iter().map(BTreeSet::len).collect();
    assert_eq!(sizes, [2, 24]);
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (entry, problem) in [
        ("reason: x", "2:5 not-one-target"),
        ("case: t/id/long::hard\n    rule: t.unknown\n    reason: x", "2:5 not-one-target"),
        ("case: t/id/long::hard\n    reason: ' '", "3:13 empty"),
        ("case: t/id/long::hard", "2:5 missing-field"),
        ("case: t/id/long::hard\n    reason: x\n    until: 2027-01-01", "4:5 unknown-field"),
        ("case: t/id/long::hard\n    reason: x\n    expires: soon", "4:14 bad-value"),
        ("case: t/id/long::hard\n    reason: x\n    wide: true", "4:11 idle-key"),
        ("case: t/id/long::other\n    reason: x", "2:11 unknown-case"),
        ("rule: t.no\n    reason: x", "2:11 unknown-rule"),
        ("rule: t.never\n    reason: x", "2:11 covers-nothing"),
        ("fixtures: t/[id\n    reason: x", "2:15 bad-glob"),
        ("fixtures: t/many/*\n    reason: x", "2:15 too-wide"),
        ("fixtures: t/id/*\n    operations: [soft, hrd]\n    reason: x", "3:24 unknown-operation"),
        ("fixtures: t/id/*\n    operations: []\n    reason: x", "3:17 empty"),
    ] {
        let text = format!("failures:\n  - {entry}\n");
        let problems = read(&text).unwrap_err();
        assert_eq!(problems, [problem], "{text}");
    }
    let twice = "failures:
  - {case: 't/id/long::hard', reason: x}
  - {case: 't/id/long::hard', reason: y, message: z}
  - {case: 't/id/long::hard', reason: y}
";
    assert_eq!(read(twice).unwrap_err(), ["4:5 listed-twice"]);
}

/// What a run of these cases, judged by this list, writes.
fn written(known: &KnownFailures, cases: Vec<CaseRecord>) -> String {
    use crate::core::{Count, Coverage, Event};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.yaml");
    let mut writer = Box::new(ListWriter::new(path.clone(), known.clone()));
    let mut header = crate::core::testing::header();
    header.cases = cases.len();
    let mut count = Count::new(&header);
    writer.event(&Event::Started(Box::new(header.clone()))).unwrap();
    for mut case in cases {
        let cause = failure(&case);
        known.list.settle(&mut case, &cause);
        count.add(&case);
        writer.event(&Event::Case(Box::new(case))).unwrap();
    }
    let coverage = Coverage::of(&rules(), header.protocol, []);
    let summary = count.finish(&coverage, &std::collections::BTreeMap::new(), None, None, 1);
    writer.event(&Event::Finished(Box::new(summary))).unwrap();
    writer.finish().unwrap();
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn a_list_that_is_written_fits_the_run_that_wrote_it() {
    let cases = || {
        vec![
            failing("t/id/long::hard", Level::Must),
            passing("t/id/long::soft"),
            failing("t/many/n00::hard", Level::Should),
            failing("t/many/n01::hard", Level::Must).tried_again(vec![passing("t/many/n01::hard")]),
        ]
    };
    let text = written(&KnownFailures::default(), cases());
    assert!(text.starts_with("# Cases that are known to fail"), "{text}");
    let known = read(&text).unwrap();
    let names: Vec<&str> = known.list.entries().iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["case t/id/long::hard"], "no SHOULD, nothing flaky: {text}");
    assert!(text.contains("message: accepted what is to be rejected\n"), "{text}");
    assert_eq!(written(&known, cases()), text, "and is kept when it is written again");
}

#[test]
fn what_the_list_says_already_is_kept_as_far_as_it_holds() {
    let known = read(
        "
failures:
  - {fixtures: t/id/*, reason: half of it is done, tracker: T-1}
  - {fixtures: t/many/n0*, operations: [hard], reason: not all of them ran}
  - {case: t/many/n11::hard, reason: it passes by now}
  - {rule: t.id.charset, reason: covered by the first}
",
    )
    .unwrap();
    let text = written(
        &known,
        vec![
            failing("t/id/long::hard", Level::Must),
            passing("t/id/long::soft"),
            failing("t/many/n00::hard", Level::Must),
            passing("t/many/n11::hard"),
        ],
    );
    let again = read(&text).unwrap();
    let names: Vec<&str> = again.list.entries().iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["case t/id/long::hard", "fixtures t/many/n0*"], "{text}");
    assert!(text.contains("reason: half of it is done\n  tracker: T-1\n"), "{text}");
}

#[test]
fn a_run_that_does_not_end_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.yaml");
    let writer = Box::new(ListWriter::new(path.clone(), KnownFailures::default()));
    assert!(writer.check().is_ok());
    assert!(writer.finish().is_err());
    assert!(!path.exists());
}
