//! The corpus, made ready to be put to many mutants: documents parsed once, the
//! reference's answers known.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::ask::own;
use super::schema_checker::SchemaChecker;
use super::{Answer, MutantError};
use crate::core::{
    CaseId, Fixture, Judge, Judgement, Level, Operation, Outcome, Protocol, RuleId, Suite, Verdict,
};
use crate::reference::{MANIFEST, Parsed, REFERENCE, RUNTIME, Ruling};
use crate::suites::Suites;

/// A corpus that mutants are put to.
#[derive(Debug)]
pub struct Bench<'a> {
    judge: Judge<'a>,
    pub(super) trials: Vec<Trial<'a>>,
    /// The trials whose fixtures decide a rule, by their index.
    deciding: BTreeMap<&'a RuleId, Vec<usize>>,
    /// Cases that the reference itself fails.
    failing: Vec<CaseId>,
    /// Cases that the schemas fail as they are.
    disagreeing: Vec<CaseId>,
    pub(super) schemas: SchemaChecker,
}

/// A fixture at the newest protocol version that it holds at.
#[derive(Debug)]
pub(super) struct Trial<'a> {
    pub(super) fixture: &'a Fixture,
    pub(super) suite: &'a Suite,
    pub(super) protocol: Protocol,
    /// Whether that is the newest of all: the one the schemas are written for.
    pub(super) newest: bool,
    pub(super) manifest: Option<Parsed>,
    pub(super) runtime: Option<Parsed>,
    /// Whether the schemas, as they are, pass.
    pub(super) schemas_agree: bool,
    /// The manifest and the runtime document as JSON, where they have such a form.
    values: [Option<Value>; 2],
    pub(super) cases: Vec<Case<'a>>,
}

/// One operation on a fixture, with what the reference makes of it.
#[derive(Debug)]
pub(super) struct Case<'a> {
    pub(super) operation: &'a str,
    pub(super) spec: &'a Operation,
    pub(super) ruling: Ruling,
    /// Whether the reference passes: only then does the case kill.
    pub(super) counts: bool,
}

/// What a case that killed a mutant has to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) case: CaseId,
    pub(super) level: Level,
}

impl<'a> Bench<'a> {
    /// Makes the corpus ready. Fixtures that the reference has no operation
    /// for have no part in it.
    ///
    /// # Errors
    /// When the schemas of the program cannot be used.
    pub fn new(suites: &'a Suites, fixtures: &'a [Arc<Fixture>]) -> Result<Self, MutantError> {
        let judge = Judge { rules: &suites.rules, grade: None };
        let mut bench = Self {
            judge,
            trials: fixtures.iter().filter_map(|fixture| trial(suites, fixture)).collect(),
            deciding: BTreeMap::new(),
            failing: Vec::new(),
            disagreeing: Vec::new(),
            schemas: SchemaChecker::new(&suites.rules)?,
        };
        bench.trials.sort_by(|one, other| one.fixture.id.cmp(&other.fixture.id));
        for (at, trial) in bench.trials.iter().enumerate() {
            for rule in &trial.fixture.decides {
                bench.deciding.entry(rule).or_default().push(at);
            }
        }
        bench.rule_out();
        Ok(bench)
    }

    /// Leaves out the cases that the reference itself fails, and those that the
    /// schemas fail from what their mutants are put to.
    fn rule_out(&mut self) {
        let judge = self.judge;
        for trial in &mut self.trials {
            let passes = |trial: &Trial<'_>, answers| {
                let judged = judge_all(&judge, trial, answers);
                let passed: Vec<bool> = trial
                    .cases
                    .iter()
                    .map(|case| {
                        judged.get(case.operation).is_some_and(|j| j.verdict == Verdict::Pass)
                    })
                    .collect();
                passed
            };
            let own = trial.cases.iter().map(|case| Answer::of(&case.ruling)).collect();
            let own = passes(trial, own);
            let schemas = passes(trial, self.schemas.answers(trial));
            for ((case, passes), schemas) in trial.cases.iter_mut().zip(own).zip(schemas) {
                let id = || trial.fixture.id.case(case.operation);
                if !passes {
                    self.failing.push(id());
                } else if !schemas {
                    self.disagreeing.push(id());
                }
                case.counts = passes;
                trial.schemas_agree &= schemas;
            }
        }
    }

    pub(super) fn judge(&self) -> Judge<'a> {
        self.judge
    }

    /// Every case with its fixture and its operation.
    pub(super) fn all_cases(&self) -> impl Iterator<Item = (&'a Fixture, &'a str, &'a Operation)> {
        let of = |trial: &'_ Trial<'a>| {
            let fixture = trial.fixture;
            let cases: Vec<_> =
                trial.cases.iter().map(|case| (fixture, case.operation, case.spec)).collect();
            cases
        };
        self.trials.iter().flat_map(of)
    }

    /// How many fixtures there are.
    #[must_use]
    pub fn fixtures(&self) -> usize {
        self.trials.len()
    }

    /// How many cases they make.
    #[must_use]
    pub fn cases(&self) -> usize {
        self.trials.iter().map(|trial| trial.cases.len()).sum()
    }

    /// The cases that the reference fails: they kill nothing.
    #[must_use]
    pub fn failing(&self) -> &[CaseId] {
        &self.failing
    }

    /// The cases that the schemas fail as they are; their mutants are not put to
    /// the fixtures.
    #[must_use]
    pub fn disagreeing(&self) -> &[CaseId] {
        &self.disagreeing
    }

    /// Puts the corpus to an implementation until a case tells it from one that
    /// passes. The fixtures that decide the rules in question come first: if any
    /// of these does, it is the one that fails the most.
    ///
    /// `answers` has the answers in the cases of a fixture, or `None` where they
    /// are those of an implementation that passes.
    pub(super) fn put(
        &self,
        rules: &[RuleId],
        answers: impl Fn(&Trial<'a>) -> Option<Vec<Answer>>,
    ) -> Option<Hit> {
        let mut seen = vec![false; self.trials.len()];
        let mut heaviest: Option<Hit> = None;
        let hit = |at: usize| {
            let trial = self.trials.get(at)?;
            answers(trial).and_then(|answers| self.hit(trial, answers))
        };
        for &at in rules.iter().filter_map(|rule| self.deciding.get(rule)).flatten() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            if let Some(hit) = hit(at)
                && heaviest.as_ref().is_none_or(|heaviest| heaviest.level < hit.level)
            {
                if hit.level.is_must() {
                    return Some(hit);
                }
                heaviest = Some(hit);
            }
        }
        heaviest.or_else(|| (0..self.trials.len()).filter(|&at| !seen[at]).find_map(hit))
    }

    /// The case of one fixture that fails the most.
    fn hit(&self, trial: &Trial<'a>, answers: Vec<Answer>) -> Option<Hit> {
        // What the reference answers passes wherever it counts: most answers are that.
        let mut both = trial.cases.iter().zip(&answers);
        if both.all(|(case, answer)| *answer == Answer::of(&case.ruling)) {
            return None;
        }
        let judged = judge_all(&self.judge, trial, answers);
        let counted = trial.cases.iter().filter(|case| case.counts);
        let failed = counted.filter_map(|case| {
            let judgement = judged.get(case.operation)?;
            (judgement.verdict != Verdict::Pass).then(|| Hit {
                case: trial.fixture.id.case(case.operation),
                level: judgement.level,
            })
        });
        failed.max_by_key(|hit| hit.level)
    }
}

impl Trial<'_> {
    /// The document that an operation is about in the first place, as JSON.
    pub(super) fn value(&self, operation: &str) -> Option<&Value> {
        self.values[usize::from(operation == "match")].as_ref()
    }
}

/// Judges the cases of a fixture, and what holds between them.
fn judge_all(
    judge: &Judge<'_>,
    trial: &Trial<'_>,
    answers: Vec<Answer>,
) -> BTreeMap<String, Judgement> {
    let mut decisions = BTreeMap::new();
    let mut judgements = BTreeMap::new();
    for (case, answer) in trial.cases.iter().zip(answers) {
        if let Outcome::Decided { accepted } = answer.outcome {
            decisions.insert(case.operation.to_owned(), accepted);
        }
        let observation = answer.into_observation();
        let judged = judge.case(trial.fixture, case.operation, case.spec, &observation);
        if let Some((judgement, _)) = judged {
            judgements.insert(case.operation.to_owned(), judgement);
        }
    }
    judge.relate(trial.suite, &decisions, &mut judgements);
    judgements
}

fn json(document: Option<&Parsed>) -> Option<Value> {
    document?.document()?.root().to_json().ok()
}

fn trial<'a>(suites: &'a Suites, fixture: &'a Fixture) -> Option<Trial<'a>> {
    let suite = suites.suite(fixture.id.suite())?;
    let held = suite.protocols.iter().copied().filter(|protocol| fixture.holds_at(*protocol));
    let protocol = held.max()?;
    let parsed = |name: &str, parse: fn(&[u8]) -> Parsed| {
        fixture.document(name).map(|document| parse(&document.bytes))
    };
    let manifest = parsed(MANIFEST, Parsed::manifest);
    let runtime = parsed(RUNTIME, Parsed::runtime);
    let mut trial = Trial {
        fixture,
        suite,
        protocol,
        newest: suite.latest_protocol() == Some(protocol),
        values: [json(manifest.as_ref()), json(runtime.as_ref())],
        manifest,
        runtime,
        schemas_agree: true,
        cases: Vec::new(),
    };
    let reference = own(&trial, REFERENCE);
    for (operation, spec) in &suite.operations {
        let ruling = match (operation.as_str(), &trial.manifest, &trial.runtime) {
            ("lenient" | "strict", Some(manifest), _) => {
                Some(reference.validate_parsed(manifest, operation == "strict"))
            }
            ("match", Some(manifest), Some(runtime)) => {
                Some(reference.matches_parsed(runtime, manifest))
            }
            _ => reference.decide(operation, &fixture.documents),
        };
        if let Some(ruling) = ruling.filter(|_| fixture.cases.contains_key(operation)) {
            trial.cases.push(Case { operation, spec, ruling, counts: true });
        }
    }
    (!trial.cases.is_empty()).then_some(trial)
}
