//! Schemas as an implementation: they decide what they can express, and the
//! reference the rest.

use std::collections::BTreeSet;

use serde_json::Value;

use super::bench::Trial;
use super::mutant::{MutantError, SCHEMAS, schema};
use super::{Answer, Ask};
use crate::core::{RuleTable, Severity};

/// An implementation whose decisions come from the schemas.
#[derive(Debug)]
pub(super) struct SchemaChecker {
    /// The schema of each operation.
    schemas: Vec<(&'static str, jsonschema::Validator)>,
    /// Rules that a schema cannot express, by the rule table.
    beyond: BTreeSet<String>,
}

impl SchemaChecker {
    /// The implementation with the schemas as they are.
    pub(super) fn new(rules: &RuleTable) -> Result<Self, MutantError> {
        let compiled = SCHEMAS
            .iter()
            .map(|(name, operation, _)| Ok((*operation, compile(name, &schema(name)?)?)));
        let beyond = rules.rules().filter(|(_, rule)| rule.schema.is_some());
        Ok(Self {
            schemas: compiled.collect::<Result<_, _>>()?,
            beyond: beyond.map(|(_, rule)| rule.id.as_str().to_owned()).collect(),
        })
    }

    /// What it answers to the operations of a fixture. It leaves to the reference
    /// what has no schema: older protocol versions, and what has no counterpart
    /// in JSON.
    pub(super) fn answers(&self, trial: &Trial<'_>) -> Vec<Answer> {
        let cases = trial.cases.iter().map(|case| Ask { trial, case });
        cases.map(|ask| self.answer(&ask, |schema, value| schema.is_valid(value))).collect()
    }

    /// What it answers with another schema for one operation; `None` where the
    /// other one makes no difference, or where the schemas do not agree with the
    /// golden as they are.
    pub(super) fn answers_with(
        &self,
        trial: &Trial<'_>,
        operation: &str,
        other: &jsonschema::Validator,
    ) -> Option<Vec<Answer>> {
        let own = self.schema(operation).filter(|_| trial.schemas_agree)?;
        let value = value(trial, operation)?;
        let valid = other.is_valid(value);
        if valid == own.is_valid(value) {
            return None;
        }
        let cases = trial.cases.iter().map(|case| Ask { trial, case });
        let answers = cases.map(|ask| {
            self.answer(&ask, |schema, value| {
                if ask.operation() == operation { valid } else { schema.is_valid(value) }
            })
        });
        Some(answers.collect())
    }

    fn schema(&self, operation: &str) -> Option<&jsonschema::Validator> {
        self.schemas.iter().find(|(of, _)| *of == operation).map(|(_, schema)| schema)
    }

    fn answer(
        &self,
        ask: &Ask<'_>,
        is_valid: impl Fn(&jsonschema::Validator, &Value) -> bool,
    ) -> Answer {
        let answer = ask.answer();
        let operation = ask.operation();
        let Some((schema, value)) = self.schema(operation).zip(value(ask.trial, operation)) else {
            return answer;
        };
        let document = if ask.validates() { "manifest" } else { "runtime" };
        let others = answer.findings.iter().any(|finding| {
            let own = finding.rule.split('.').next() == Some(document);
            finding.severity == Some(Severity::Error)
                && (!own || self.beyond.contains(&finding.rule))
        });
        if is_valid(schema, value) && !others { answer.accepting() } else { answer.rejecting() }
    }
}

/// A schema, ready to check.
pub(super) fn compile(name: &str, schema: &Value) -> Result<jsonschema::Validator, MutantError> {
    jsonschema::draft202012::new(schema).map_err(|error| MutantError::new(name, error))
}

/// What the schema of an operation is about, where it has a say.
fn value<'t>(trial: &'t Trial<'_>, operation: &str) -> Option<&'t Value> {
    trial.value(operation).filter(|_| trial.newest)
}
