//! The corpus of the program, put to all mutants, and small corpora that are not up
//! to them.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use super::*;
use crate::core::{Fixture, Level, Shown};
use crate::data::{Folder, Tree};
use crate::suites::Suites;

/// What all tests share: deriving the mutants takes a while in a debug build.
struct Data {
    suites: Suites,
    fixtures: Vec<Arc<Fixture>>,
    equivalents: Equivalents,
    mutants: Vec<Mutant>,
}

fn data() -> &'static Data {
    static DATA: OnceLock<Data> = OnceLock::new();
    DATA.get_or_init(|| {
        let tree = Tree::embedded(Folder::Suites);
        let suites = crate::suites::load(&tree).unwrap();
        let loaded = crate::fixture::load_all(&Tree::embedded(Folder::Fixtures), &suites);
        let equivalents = Equivalents::load(&tree, &suites).unwrap();
        let mutants = Mutant::all(&suites.rules, &equivalents).unwrap();
        let fixtures = loaded.fixtures.into_iter().map(Arc::new).collect();
        Data { suites, fixtures, equivalents, mutants }
    })
}

fn mutants() -> &'static [Mutant] {
    &data().mutants
}

fn named(id: &str) -> Vec<Mutant> {
    mutants().iter().filter(|mutant| mutant.id == id).cloned().collect()
}

fn study(fixtures: &[Arc<Fixture>], mutants: &[Mutant]) -> Adequacy {
    let bench = Bench::new(&data().suites, fixtures).unwrap();
    Adequacy::of(&bench, mutants, 2).unwrap().with_unused(&data().equivalents, mutants)
}

#[test]
fn every_mutant_is_killed_or_equivalent() {
    let study = study(&data().fixtures, mutants());
    let survivors: Vec<String> =
        study.survivors().map(|tried| format!("{}: {}", tried.id, tried.wrong)).collect();
    assert_eq!(survivors, Vec::<String>::new(), "a fixture has to tell these apart");
    let broken: Vec<&Tried> = study
        .mutants
        .iter()
        .filter(|tried| matches!(tried.fate, Fate::NotEquivalent { .. }))
        .collect();
    assert!(broken.is_empty(), "said to be equivalent: {broken:#?}");
    assert_eq!(study.unused, Vec::<String>::new(), "entries that fit no mutant");
    assert_eq!(study.failing, [], "the reference fails");
    assert_eq!(study.disagreeing, [], "the schemas fail as they are");
    assert_eq!(study.uncaught, []);
    assert!(study.is_complete());
    assert_eq!((study.fixtures, study.totals.percent()), (data().fixtures.len(), 100.0));
    for (family, least) in [(Family::Schema, 400), (Family::Rule, 250), (Family::Code, 250)] {
        assert!(study.families[&family].all >= least, "{family:?}: {:?}", study.families);
    }
}

#[test]
fn every_rule_that_can_be_shown_is_attacked() {
    let attacked: BTreeSet<_> = mutants()
        .iter()
        .filter(|mutant| mutant.equivalent.is_none())
        .flat_map(|mutant| mutant.attacks.clone())
        .collect();
    let rules = &data().suites.rules;
    let missed: Vec<&str> = rules
        .rules()
        .filter(|(_, rule)| rule.excluded.is_none() && !attacked.contains(&rule.id))
        .map(|(_, rule)| rule.id.as_str())
        .collect();
    // Of these everything is open.
    assert_eq!(missed, ["policy.document.unique-keys", "policy.minimum_test_count.exact"]);
    for mutant in mutants() {
        let excluded = |rule| rules.rule(rule).is_some_and(|rule| rule.excluded.is_some());
        assert!(!mutant.attacks.iter().any(excluded), "{}", mutant.id);
    }
}

#[test]
fn mutants_have_ids_of_their_own_and_attack_what_there_is() {
    let mutants = mutants();
    let ids: BTreeSet<&str> = mutants.iter().map(|mutant| mutant.id.as_str()).collect();
    assert_eq!(ids.len(), mutants.len());
    for fault in faults::all() {
        assert!(!fault.attacks.is_empty(), "{}", fault.name);
        for rule in fault.attacks {
            assert!(data().suites.rules.rule_named(rule).is_some(), "{}: {rule}", fault.name);
        }
        assert!(ids.contains(format!("code/{}", fault.name).as_str()), "{}", fault.name);
    }
    assert!(mutants.iter().all(|mutant| mutant.id.starts_with(mutant.family.as_str())));
    // Each change of a schema found its rules.
    let changes: usize = mutant::SCHEMAS
        .iter()
        .map(|(name, ..)| schema::SchemaChange::all(&mutant::schema(name).unwrap()).len())
        .sum();
    assert_eq!(mutants.iter().filter(|mutant| mutant.family == Family::Schema).count(), changes);
}

#[test]
fn sites_of_a_schema_stand_for_rules() {
    let mutants = mutants();
    let attacks = |id: &str| -> Vec<String> {
        let mutant = mutants.iter().find(|mutant| mutant.id == id);
        let mutant = mutant.unwrap_or_else(|| panic!("{id}"));
        mutant.attacks.iter().map(ToString::to_string).collect()
    };
    for (id, rules) in [
        ("type/also-null", &["manifest.document.mapping"][..]),
        ("required/loses-project_id", &["manifest.project_id.required"]),
        ("properties/project_id/maxLength/higher", &["manifest.project_id.max-length"]),
        (
            "properties/project_id/pattern/any-end",
            &["manifest.project_id.charset", "manifest.project_id.first-character"],
        ),
        (
            "properties/agent_capabilities/items/type/also-number",
            &["manifest.agent_capabilities.item-type"],
        ),
        (
            "$defs/state_publication/allOf/0/then/required/loses-path",
            &["manifest.state_publication.path.required-for-file"],
        ),
        ("if/dropped", &["manifest.secrets.requires-read_secrets"]),
        ("additionalProperties/dropped", &["manifest.unknown-field.top-level"]),
        ("$defs/snapshot/additionalProperties/dropped", &["manifest.unknown-field.nested"]),
        (
            "$defs/snapshot/properties/retention_days/minimum/lower",
            &["manifest.snapshot.retention_days.minimum"],
        ),
    ] {
        assert_eq!(attacks(&format!("schema/manifest/{id}")), rules, "{id}");
    }
    assert_eq!(
        attacks("schema/runtime/properties/protocol_versions/items/pattern/any-start"),
        ["runtime.protocol_versions.pattern"]
    );
}

#[test]
fn without_its_fixture_a_mutant_survives() {
    let id = "manifest/agent_capabilities/duplicate-not-first";
    let mutants: Vec<Mutant> = named("code/capabilities-twice-at-start");
    let fewer: Vec<Arc<Fixture>> =
        data().fixtures.iter().filter(|f| f.id.as_str() != id).cloned().collect();
    let all = study(&data().fixtures, &mutants);
    match &all.mutants[0].fate {
        Fate::Killed { case, level } => {
            assert_eq!((case.as_str(), *level), (format!("{id}::strict").as_str(), Level::Must));
        }
        other => panic!("{other:?}"),
    }
    let fewer = study(&fewer, &mutants);
    assert_eq!(
        fewer.survivors().map(|tried| tried.id.as_str()).collect::<Vec<_>>(),
        ["code/capabilities-twice-at-start"]
    );
    assert!(!fewer.is_complete() && !fewer.is_void());
}

#[test]
fn an_equivalent_mutant_that_is_killed_is_told() {
    let mut mutants: Vec<Mutant> = named("code/id-length-64");
    mutants[0].equivalent = Some("so it is said".to_owned());
    let study = study(&data().fixtures, &mutants);
    assert!(matches!(study.mutants[0].fate, Fate::NotEquivalent { .. }), "{study:?}");
    assert!(!study.is_complete());
}

#[test]
fn a_corpus_that_a_control_passes_is_void() {
    let accepted: Vec<Arc<Fixture>> = data()
        .fixtures
        .iter()
        .filter(|f| f.cases.values().all(|case| case.stance == crate::core::Stance::Accept))
        .cloned()
        .collect();
    let study = study(&accepted, &named("code/id-length-64"));
    assert!(study.is_void() && !study.is_complete());
    let controls: BTreeSet<Degenerate> = study.uncaught.iter().map(|one| one.control).collect();
    assert_eq!(controls, [Degenerate::AcceptAll].into());
    let classes: BTreeSet<&str> = study.uncaught.iter().map(|one| one.class.as_str()).collect();
    assert!(classes.contains("matcher") && classes.contains("validator-strict"), "{classes:?}");
    assert!(Adequacy::of(&Bench::new(&data().suites, &[]).unwrap(), &[], 1).unwrap().is_void());
}

#[test]
fn implementations_that_are_none_score_as_they_should() {
    let study = study(&data().fixtures, &[]);
    let score = |which| study.degenerate.iter().find(|s| s.implementation == which).unwrap();
    assert_eq!(score(Degenerate::Crash).percent(), 0.0);
    assert_eq!(score(Degenerate::Crash).tally.errors, study.cases);
    for which in [Degenerate::AcceptAll, Degenerate::RejectAll, Degenerate::PrintNothing] {
        let score = score(which);
        assert!(score.tally.failed > 0, "{which:?}");
        assert!((1.0..50.0).contains(&score.percent()), "{which:?}: {}", score.percent());
    }
}

#[test]
fn a_broken_file_of_equivalents_says_where() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("manifest/equivalents.yaml");
    std::fs::create_dir(folder.path().join("manifest")).unwrap();
    for (text, expected) in [
        ("equivalents:\n  - {mutants: [a], reason: ' '}\n", "manifest/equivalents.yaml:2:28: "),
        ("equivalents:\n  - {mutants: [a], why: so}\n", "\"why\" is no key here"),
        ("equivalents: [", "manifest/equivalents.yaml:"),
    ] {
        std::fs::write(&file, text).unwrap();
        let problems =
            Equivalents::load(&Tree::directory(folder.path()), &data().suites).unwrap_err();
        assert!(problems[0].to_string().contains(expected), "{text}: {}", problems[0]);
    }
    std::fs::write(&file, "equivalents:\n  - {mutants: ['a/*/c', 'b[x]'], reason: so}\n").unwrap();
    let read = Equivalents::load(&Tree::directory(folder.path()), &data().suites).unwrap();
    assert_eq!(read.reason("a/b/b/c"), Some("so"));
    assert_eq!((read.reason("b[x]"), read.reason("bx")), (Some("so"), None));
    assert_eq!(read.unused(["a/c", "a/b/c"].into_iter()), ["b[x]"]);
}

#[test]
fn every_rule_that_findings_show_has_mutants_of_its_own() {
    for (_, rule) in data().suites.rules.rules() {
        let own = rule::RuleMutant::all(&data().suites.rules);
        let count = own.iter().filter(|mutant| mutant.rule == rule.id).count();
        assert_eq!(count > 0, rule.shown_by == Shown::Finding, "{}", rule.id);
    }
}
