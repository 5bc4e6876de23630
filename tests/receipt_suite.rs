//! The receipt suite as data: its goldens say what the verifier says, and each of
//! its rules is shown by a fixture.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::collections::BTreeSet;
use std::sync::LazyLock;

use living_conformance::core::{Cover, Coverage, Fixture, Protocol, Shown, Stance};
use living_conformance::data::{Folder, Tree};
use living_conformance::fixture::load_all;
use living_conformance::reference::Reference;
use living_conformance::suites::{self, Suites};

const SUITE: &str = "receipt";

static SUITES: LazyLock<Suites> =
    LazyLock::new(|| suites::load(&Tree::embedded(Folder::Suites)).unwrap());

static FIXTURES: LazyLock<Vec<Fixture>> = LazyLock::new(|| {
    let loaded = load_all(&Tree::embedded(Folder::Fixtures), &SUITES);
    loaded.fixtures.into_iter().filter(|fixture| fixture.id.suite() == SUITE).collect()
});

/// A set of findings, as text.
fn set<T>(findings: impl IntoIterator<Item = T>, text: impl Fn(T) -> String) -> BTreeSet<String> {
    findings.into_iter().map(text).collect()
}

#[test]
fn the_goldens_say_what_the_verifier_says() {
    let reference = Reference::new(Protocol::new(1, 0));
    let mut differing = Vec::new();
    for fixture in FIXTURES.iter() {
        for (operation, case) in &fixture.cases {
            let ruling = reference.decide(operation, &fixture.documents).unwrap();
            let found = set(ruling.expected(), |f| format!("{} {}", f.rule, f.at));
            let wanted = set(case.findings.iter().flatten(), |f| format!("{} {}", f.rule, f.at));
            let open = case.stance == Stance::Either && case.ledger != ruling.open;
            if ruling.stance != case.stance || found != wanted || open {
                differing.push(format!(
                    "{}::{operation}: {:?} {found:?} {:?}, golden {:?} {wanted:?} {:?}",
                    fixture.id, ruling.stance, ruling.open, case.stance, case.ledger
                ));
            }
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn every_rule_is_decided_from_both_sides() {
    let coverage = Coverage::of(&SUITES.rules, Protocol::new(1, 0), FIXTURES.iter());
    for rule in SUITES.rules.rules_of(SUITE) {
        let cover = &coverage.rules[&rule.id];
        let mut deciding = FIXTURES.iter().filter(|fixture| fixture.decides.contains(&rule.id));
        let open = !rule.ledger.is_empty()
            && deciding.any(|f| f.cases.values().any(|case| case.stance == Stance::Either));
        let shown = match cover {
            Cover::Covered { rejecting, isolating, .. } if rule.shown_by == Shown::Finding => {
                *rejecting > 0 && *isolating > 0
            }
            cover => matches!(cover, Cover::Covered { .. }),
        };
        assert!(shown || open, "{}: {cover:?}", rule.id);
    }
}
