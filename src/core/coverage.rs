//! Which rules the fixtures decide. The denominator is the rule table.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Fixture, LedgerId, Protocol, Rule, RuleId, RuleTable, Stance, Suite};

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

    /// The share of the covered among all rules that an implementation can show, in
    /// percent. What is open counts as not covered; 0 where there is nothing to show.
    #[must_use]
    pub fn percent(&self) -> f64 {
        match self.rules() - self.excluded {
            0 => 0.0,
            shown => self.covered as f64 * 100.0 / shown as f64,
        }
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

/// Joins what was found of several suites.
impl FromIterator<Coverage> for Coverage {
    fn from_iter<I: IntoIterator<Item = Self>>(parts: I) -> Self {
        let rules: BTreeMap<RuleId, Cover> =
            parts.into_iter().flat_map(|part| part.rules).collect();
        let mut totals = CoverTotals::default();
        rules.values().for_each(|cover| totals.add(cover));
        Self { rules, totals }
    }
}

/// Totals by what rules have in common.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CoverGroups {
    /// By level: `MUST`, `SHOULD`, `MAY`, `-`.
    pub levels: BTreeMap<String, CoverTotals>,
    /// By the release that brought the rule.
    pub releases: BTreeMap<String, CoverTotals>,
    /// By the class of implementations that can show it; a rule may be of several.
    pub classes: BTreeMap<String, CoverTotals>,
}

impl Coverage {
    /// The totals by level, by release and by class.
    #[must_use]
    pub fn groups(&self, suites: &[Suite], table: &RuleTable) -> CoverGroups {
        let mut groups = CoverGroups::default();
        for (id, cover) in &self.rules {
            let Some(rule) = table.rule(id) else { continue };
            let level = rule.level.grade().as_str().to_owned();
            groups.levels.entry(level).or_default().add(cover);
            groups.releases.entry(rule.since.to_string()).or_default().add(cover);
            for class in classes_of(suites, table, rule) {
                groups.classes.entry(class.to_owned()).or_default().add(cover);
            }
        }
        groups
    }
}

/// The classes of implementations that can show a rule: those whose operations it
/// has an effect in; or, when it names none, all of its suite.
#[must_use]
pub fn classes_of<'s>(suites: &'s [Suite], table: &RuleTable, rule: &Rule) -> BTreeSet<&'s str> {
    let own = table.suite_of(&rule.id).filter(|_| rule.effect.is_empty());
    let classes = suites.iter().flat_map(|suite| {
        let own = own == Some(suite.suite.as_str());
        let shows = move |name: &str| own || rule.effect.contains_key(name);
        let operations = suite.operations.iter().filter(move |(name, _)| shows(name));
        operations.map(|(_, operation)| operation.class.as_str())
    });
    classes.collect()
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
    use super::super::testing::{expect, finding, fixture, id, rules, suite};
    use super::*;

    fn coverage_shown(coverage: &Coverage) -> f64 {
        (coverage.rules.len() - coverage.totals.excluded) as f64
    }

    #[test]
    fn rules_are_counted_by_level_release_and_class() {
        let accept = || expect(Stance::Accept, &[]);
        let fixtures = [fixture("good", &["t.id.charset", "t.nice.wanted"], accept(), accept())];
        let coverage = Coverage::of(&rules(), Protocol::new(0, 3), &fixtures);
        let groups = coverage.groups(&[suite()], &rules());
        let counted = |groups: &BTreeMap<String, CoverTotals>| -> Vec<(String, usize, usize)> {
            groups.iter().map(|(name, t)| (name.clone(), t.covered, t.rules())).collect()
        };
        let of = |name: &str, covered, rules| (name.to_owned(), covered, rules);
        assert_eq!(
            counted(&groups.levels),
            [of("MAY", 0, 1), of("MUST", 1, 8), of("SHOULD", 1, 2)]
        );
        assert_eq!(counted(&groups.releases), [of("v0.1.0", 2, 10), of("v0.3.0", 0, 1)]);
        assert_eq!(
            counted(&groups.classes),
            [of("hard-checker", 2, 11), of("soft-checker", 2, 10)],
            "the rule t.later has an effect in one of the two alone"
        );
        let joined: Coverage = [coverage.clone(), coverage.clone()].into_iter().collect();
        assert_eq!(joined, coverage);
        assert_eq!(CoverTotals::default().percent(), 0.0);
    }

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
        assert!((coverage.totals.percent() - 100.0 / coverage_shown(&coverage)).abs() < 1e-9);
        let later = Coverage::of(&rules(), Protocol::new(0, 3), &fixtures);
        assert_eq!(later.totals.rules(), rules().rules().count());
        assert_eq!(
            later.totals,
            CoverTotals { covered: 1, excluded: 1, unresolved: 1, uncovered: 8 }
        );
    }
}
