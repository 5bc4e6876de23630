//! Which rules the fixtures decide. The denominator is the rule table.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Fixture, LedgerId, Protocol, Rule, RuleId, RuleTable, Stance};

/// What the fixtures do for one rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Cover {
    /// At least one fixture decides it with a firm verdict.
    Covered {
        /// Fixtures that decide it and have a case that must be accepted.
        accepting: usize,
        /// Fixtures that decide it and have a case that must be rejected.
        rejecting: usize,
        /// Fixtures whose only finding is of this rule.
        isolating: usize,
    },
    /// No implementation under test can show it.
    Excluded {
        /// Why.
        reason: String,
    },
    /// The ledger leaves it open, and so do all fixtures that decide it.
    Unresolved {
        /// The open questions.
        ledger: Vec<LedgerId>,
    },
    /// No fixture decides it: a gap in the corpus.
    Uncovered,
}

/// How many rules are covered, excluded, unresolved and uncovered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverTotals {
    /// Decided by a fixture.
    pub covered: usize,
    /// Not to be shown by an implementation under test.
    pub excluded: usize,
    /// Open in the spec.
    pub unresolved: usize,
    /// Decided by no fixture.
    pub uncovered: usize,
}

impl CoverTotals {
    /// All rules counted.
    #[must_use]
    pub fn rules(&self) -> usize {
        self.covered + self.excluded + self.unresolved + self.uncovered
    }

    /// Counts one rule.
    pub fn add(&mut self, cover: &Cover) {
        match cover {
            Cover::Covered { .. } => self.covered += 1,
            Cover::Excluded { .. } => self.excluded += 1,
            Cover::Unresolved { .. } => self.unresolved += 1,
            Cover::Uncovered => self.uncovered += 1,
        }
    }
}

/// The cover of every rule that a protocol version has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// By rule.
    pub rules: BTreeMap<RuleId, Cover>,
    /// The totals.
    pub totals: CoverTotals,
}

impl Coverage {
    /// Holds the rule table against the fixtures that hold at `protocol`.
    pub fn of<'a>(
        table: &RuleTable,
        protocol: Protocol,
        fixtures: impl IntoIterator<Item = &'a Fixture>,
    ) -> Self {
        let mut deciding: BTreeMap<&RuleId, Vec<&Fixture>> = BTreeMap::new();
        for fixture in fixtures.into_iter().filter(|fixture| fixture.holds_at(protocol)) {
            for rule in &fixture.decides {
                deciding.entry(rule).or_default().push(fixture);
            }
        }
        let mut totals = CoverTotals::default();
        let rules = table
            .rules_at(protocol)
            .map(|(_, rule)| {
                let cover = cover(rule, deciding.get(&rule.id).map_or(&[][..], Vec::as_slice));
                totals.add(&cover);
                (rule.id.clone(), cover)
            })
            .collect();
        Self { rules, totals }
    }
}

fn cover(rule: &Rule, fixtures: &[&Fixture]) -> Cover {
    let with = |stance: Stance| {
        fixtures.iter().filter(|f| f.cases.values().any(|case| case.stance == stance)).count()
    };
    let (accepting, rejecting) = (with(Stance::Accept), with(Stance::Reject));
    if accepting + rejecting > 0 {
        let isolating = fixtures.iter().filter(|fixture| isolates(fixture, &rule.id)).count();
        return Cover::Covered { accepting, rejecting, isolating };
    }
    if let Some(reason) = &rule.excluded {
        return Cover::Excluded { reason: reason.clone() };
    }
    let mut ledger: Vec<LedgerId> = fixtures
        .iter()
        .flat_map(|f| f.cases.values())
        .flat_map(|case| case.ledger.clone())
        .collect();
    ledger.sort();
    ledger.dedup();
    if ledger.is_empty() { Cover::Uncovered } else { Cover::Unresolved { ledger } }
}

fn isolates(fixture: &Fixture, rule: &RuleId) -> bool {
    let mut findings =
        fixture.cases.values().flat_map(|case| case.findings.iter().flatten()).peekable();
    findings.peek().is_some() && findings.all(|finding| finding.rule == *rule)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expect, finding, fixture, id, rules};
    use super::*;

    #[test]
    fn every_rule_of_the_table_has_its_cover() {
        let open = || {
            let mut open = expect(Stance::Either, &[]);
            open.ledger = vec![LedgerId::new("L1").unwrap()];
            open
        };
        let charset = || expect(Stance::Reject, &[finding("t.id.charset", "/id")]);
        let fixtures = [
            fixture(
                "good",
                &["t.id.charset"],
                expect(Stance::Accept, &[]),
                expect(Stance::Accept, &[]),
            ),
            fixture("bad", &["t.id.charset"], expect(Stance::Accept, &[]), charset()),
            fixture("open", &["t.doubt"], open(), open()),
        ];
        let coverage = Coverage::of(&rules(), Protocol::new(0, 1), &fixtures);
        let of = |rule: &str| coverage.rules.get(&id(rule)).cloned();
        assert_eq!(
            of("t.id.charset"),
            Some(Cover::Covered { accepting: 2, rejecting: 1, isolating: 1 })
        );
        assert_eq!(
            of("t.doubt"),
            Some(Cover::Unresolved { ledger: vec![LedgerId::new("L1").unwrap()] })
        );
        assert!(matches!(of("t.never"), Some(Cover::Excluded { .. })));
        assert_eq!(of("t.unknown"), Some(Cover::Uncovered));
        assert_eq!(of("t.later"), None, "not part of v0.1");
        let later = Coverage::of(&rules(), Protocol::new(0, 3), &fixtures);
        assert_eq!(later.totals.rules(), rules().rules().count());
        assert_eq!(
            later.totals,
            CoverTotals { covered: 1, excluded: 1, unresolved: 1, uncovered: 8 }
        );
    }
}
