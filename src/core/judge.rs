//! Holds what was observed against what is expected.

use std::collections::{BTreeMap, BTreeSet};

use super::output::{self, Reading};
use super::{
    Choice, Disposition, Expectation, ExpectedFinding, Fixture, Grade, Judgement, Level, Mismatch,
    Observation, Operation, Outcome, ReportedFinding, RuleId, RuleTable, Shown, Stance, Suite,
    Verdict, Weighed,
};

/// What judging needs besides the fixture and what was observed.
#[derive(Debug, Clone, Copy)]
pub struct Judge<'a> {
    /// The rules and the ledger.
    pub rules: &'a RuleTable,
    /// The grade of detail that the user fixed.
    pub grade: Option<Grade>,
}

impl Judge<'_> {
    /// Judges one case by itself; [`Judge::relate`] adds what holds between the
    /// cases of a fixture.
    ///
    /// `None` when the fixture has no such case.
    #[must_use]
    pub fn case(
        &self,
        fixture: &Fixture,
        operation_name: &str,
        operation: &Operation,
        observation: &Observation,
    ) -> Option<(Judgement, Disposition)> {
        let expectation = fixture.cases.get(operation_name)?;
        let reading = match &observation.findings {
            Some(findings) => Reading::delivered(findings.clone()),
            None => Reading::new(&observation.stdout, self.rules, self.grade)
                .besides(&fixture.documents),
        };
        let mut disposition = Disposition::Judged;
        let mut choice = None;
        let mut mismatches = Vec::new();
        match &observation.outcome {
            Outcome::Decided { accepted } => {
                mismatches = self.decided(fixture, operation, expectation, *accepted, &reading);
                choice = (expectation.stance == Stance::Either).then(|| Choice {
                    ledger: expectation.ledger.clone(),
                    stance: Stance::of(*accepted),
                });
            }
            Outcome::Unsupported { reason } => {
                disposition = Disposition::Unsupported { reason: reason.clone() };
            }
            outcome => mismatches.push(Weighed {
                level: Level::Must,
                mismatch: Mismatch::NoDecision {
                    outcome: outcome.clone(),
                    rule: operation.exit_rule.clone(),
                },
            }),
        }
        let mut judgement = Judgement {
            verdict: Verdict::Pass,
            level: Level::None,
            mismatches,
            findings: reading.findings,
            grade: reading.grade,
            choice,
        };
        judgement.settle();
        Some((judgement, disposition))
    }

    fn decided(
        &self,
        fixture: &Fixture,
        operation: &Operation,
        expectation: &Expectation,
        accepted: bool,
        reading: &Reading<'_>,
    ) -> Vec<Weighed> {
        let mut mismatches = Vec::new();
        if !expectation.stance.admits(accepted) {
            let rules = self.rules_of_stance(fixture, expectation);
            mismatches.push(Weighed {
                level: self.weight(fixture),
                mismatch: Mismatch::Stance {
                    expected: expectation.stance,
                    observed: Stance::of(accepted),
                    rules,
                },
            });
        }
        // Where the golden is open, so are the findings.
        if let (Some(expected), false) =
            (&expectation.findings, expectation.stance == Stance::Either)
        {
            mismatches.extend(self.missing(expected, reading));
            mismatches.extend(self.extra(expected, &expectation.permitted, reading));
        }
        if let Some(rule) = &operation.one_line_rule {
            mismatches.extend(self.repeated(rule, reading));
        }
        mismatches
    }

    /// The weight of a wrong stance: the highest level of the rules that the
    /// fixture decides. Without a golden it is what a directory's name says, and
    /// the names stand for MUST.
    #[must_use]
    pub fn weight(&self, fixture: &Fixture) -> Level {
        if fixture.decides.is_empty() {
            Level::Must
        } else {
            self.rules.highest_level(&fixture.decides).max(Level::May)
        }
    }

    /// The rules that a wrong stance breaks: those of the expected findings that
    /// the fixture decides and those that only a verdict shows, else all that it
    /// decides.
    fn rules_of_stance(&self, fixture: &Fixture, expectation: &Expectation) -> Vec<RuleId> {
        let expected: BTreeSet<&RuleId> =
            expectation.findings.iter().flatten().map(|finding| &finding.rule).collect();
        let none = !fixture.decides.iter().any(|id| expected.contains(id));
        if none || expectation.stance == Stance::Accept {
            return fixture.decides.clone();
        }
        let by_verdict =
            |id: &RuleId| self.rules.rule(id).is_some_and(|rule| rule.shown_by == Shown::Verdict);
        let broken = |id: &&RuleId| expected.contains(id) || by_verdict(id);
        fixture.decides.iter().filter(broken).cloned().collect()
    }

    fn missing(&self, expected: &[ExpectedFinding], reading: &Reading<'_>) -> Vec<Weighed> {
        let reported = |expected: &&ExpectedFinding| match reading.grade {
            Grade::Text => reading.text_names(expected, self.rules),
            Grade::Tagged | Grade::Json => {
                reading.findings.iter().any(|finding| self.reports(finding, expected))
            }
        };
        expected
            .iter()
            .filter(|finding| !reported(finding))
            .map(|finding| Weighed {
                level: self.rules.rule(&finding.rule).map_or(Level::Should, |rule| rule.report),
                mismatch: Mismatch::Missing {
                    finding: finding.clone(),
                    unnamed: reading.findings.iter().any(|found| is_expected(found, finding)),
                },
            })
            .collect()
    }

    /// Whether a reported finding counts as the expected one. Where the finding
    /// must be reported, its id alone does not do: the place or the words have to
    /// tell which one it is.
    fn reports(&self, reported: &ReportedFinding, expected: &ExpectedFinding) -> bool {
        let must_name = self.rules.rule(&expected.rule).is_some_and(|rule| rule.report.is_must());
        is_expected(reported, expected)
            && (reported.at.is_some()
                || !must_name
                || reported
                    .message
                    .as_deref()
                    .is_some_and(|message| output::names(message, expected, self.rules)))
    }

    fn extra(
        &self,
        expected: &[ExpectedFinding],
        permitted: &[ExpectedFinding],
        reading: &Reading<'_>,
    ) -> Vec<Weighed> {
        let comes_along = |finding: &ReportedFinding| {
            expected.iter().chain(permitted).any(|expected| {
                is_expected(finding, expected)
                    || comes_along(&finding.rule, finding.at.as_deref(), expected)
            })
        };
        let mut seen = BTreeSet::new();
        reading
            .findings
            .iter()
            .filter(|finding| !comes_along(finding))
            .filter(|finding| seen.insert((finding.rule.clone(), finding.at.clone())))
            .map(|finding| {
                let rule = self.rules.rule_named(&finding.rule);
                Weighed {
                    level: Level::Should,
                    mismatch: Mismatch::Extra {
                        finding: finding.clone(),
                        known: rule.is_some_and(|rule| rule.shown_by == Shown::Finding),
                    },
                }
            })
            .collect()
    }

    fn repeated(&self, rule: &RuleId, reading: &Reading<'_>) -> Vec<Weighed> {
        let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
        for finding in &reading.findings {
            // Only the operation's own rules have one line each; a broken runtime
            // document may have the same fault in several places.
            let own = self.rules.rule_named(&finding.rule).is_some_and(|found| {
                rule.as_str().split('.').next() == found.id.as_str().split('.').next()
            });
            if own {
                *lines.entry(&finding.rule).or_default() += 1;
            }
        }
        let level = self.rules.rule(rule).map_or(Level::Should, |rule| rule.level);
        lines
            .into_iter()
            .filter(|(_, lines)| *lines > 1)
            .map(|(finding, lines)| Weighed {
                level,
                mismatch: Mismatch::Repeated {
                    finding: finding.to_owned(),
                    lines,
                    rule: rule.clone(),
                },
            })
            .collect()
    }

    /// Adds what contradicts between the decisions on one fixture. `decisions`
    /// has what each operation decided; the mismatch is charged to the operation
    /// that accepted.
    pub fn relate(
        &self,
        suite: &Suite,
        decisions: &BTreeMap<String, bool>,
        judgements: &mut BTreeMap<String, Judgement>,
    ) {
        for relation in &suite.relations {
            let accepts = |operation: &str| decisions.get(operation).copied();
            let broken = accepts(&relation.when_accepts) == Some(true)
                && accepts(&relation.then_accepts) == Some(false);
            let Some(judgement) = judgements.get_mut(&relation.when_accepts).filter(|_| broken)
            else {
                continue;
            };
            judgement.mismatches.push(Weighed {
                level: self.rules.rule(&relation.rule).map_or(Level::Must, |rule| rule.level),
                mismatch: Mismatch::Relation {
                    rule: relation.rule.clone(),
                    accepted: relation.when_accepts.clone(),
                    rejected: relation.then_accepts.clone(),
                },
            });
            judgement.settle();
        }
    }
}

impl Judgement {
    /// Whether verdict and level are what the mismatches make of them.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        let mut again = self.clone();
        again.settle();
        again == *self
    }

    /// Sorts the mismatches and draws the verdict from them.
    fn settle(&mut self) {
        self.mismatches.sort_by_key(|weighed| std::cmp::Reverse(weighed.level.grade()));
        self.level = self.mismatches.first().map_or(Level::None, |weighed| weighed.level.grade());
        let undecided = |weighed: &Weighed| matches!(weighed.mismatch, Mismatch::NoDecision { .. });
        self.verdict = match self.mismatches.as_slice() {
            [] => Verdict::Pass,
            all if all.iter().any(undecided) => Verdict::Error,
            _ => Verdict::Fail,
        };
    }
}

/// Whether a reported finding is the expected one: the same rule, at its place
/// or below it. A field that is missing has no place of its own, so the mapping
/// that lacks it counts as well.
fn is_expected(reported: &ReportedFinding, expected: &ExpectedFinding) -> bool {
    let parent = || expected.at.rsplit_once('/').map_or("", |(parent, _)| parent);
    reported.rule == expected.rule.as_str()
        && reported
            .at
            .as_deref()
            .is_none_or(|at| at_or_below(at, &expected.at) || (expected.absent && at == parent()))
}

/// Whether a finding of another rule comes along with an expected one: it is at its
/// place or below it. Without a place, the field that the rule is about tells.
pub(crate) fn comes_along(rule: &str, at: Option<&str>, expected: &ExpectedFinding) -> bool {
    match at {
        Some(at) => at_or_below(at, &expected.at),
        None => subject_within(rule, expected.rule.as_str()),
    }
}

fn at_or_below(at: &str, place: &str) -> bool {
    at.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a rule speaks of the field that another speaks of, or of one in it:
/// a rule id without its last part names the field.
fn subject_within(rule: &str, other: &str) -> bool {
    let subject = |id: &str| id.rsplit_once('.').map(|(subject, _)| format!("{subject}."));
    match (subject(rule), subject(other)) {
        (Some(rule), Some(other)) => rule.starts_with(&other) && other.matches('.').count() > 1,
        _ => false,
    }
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
