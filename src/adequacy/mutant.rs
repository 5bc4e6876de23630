//! Mutants: implementations with one fault each.

use std::collections::BTreeSet;
use std::sync::Arc;

use jsonschema::Validator;
use serde::Serialize;
use serde_json::Value;

use super::bench::Trial;
use super::fault::{Fault, How};
use super::rule::RuleMutant;
use super::schema::SchemaChange;
use super::schema_checker::{SchemaChecker, compile};
use super::{Answer, Ask, Equivalents, faults, site};
use crate::core::{RuleId, RuleTable};
use crate::data::embedded_file;
use crate::reference::MANIFEST;
use crate::reference::receipts::RECEIPT;

/// Where a mutant comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// A schema with one assertion changed.
    Schema,
    /// The reference with the effect of one rule changed.
    Rule,
    /// The reference with a fault that somebody made up.
    Code,
}

impl Family {
    /// The word that reports use; ids begin with it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Schema => "schema",
            Self::Rule => "rule",
            Self::Code => "code",
        }
    }
}

/// An implementation that has one fault.
#[derive(Debug, Clone)]
pub struct Mutant {
    /// Its id: the family, and what is changed, joined by `/`.
    pub id: String,
    /// Where it comes from.
    pub family: Family,
    /// What it does wrong.
    pub wrong: String,
    /// The rules that it attacks.
    pub attacks: Vec<RuleId>,
    /// Why no document tells it from the reference, if none does.
    pub equivalent: Option<String>,
    made: Made,
}

#[derive(Debug, Clone)]
enum Made {
    Schema { name: &'static str, operation: &'static str, schema: Arc<Value>, change: SchemaChange },
    Rule(RuleMutant),
    Code(How),
}

/// The schemas that mutants are derived from: the name of the file, the operation
/// that enforces it, and how the ids of its rules begin.
pub(super) const SCHEMAS: [(&str, &str, &str); 3] = [
    ("manifest", "strict", "manifest"),
    ("manifest.lenient", "lenient", "manifest"),
    ("runtime", "match", "runtime"),
];

/// Why there are no mutants: the program's own data is broken.
#[derive(Debug, thiserror::Error)]
#[error("derive mutants from the schema {schema}: {cause}")]
pub struct MutantError {
    schema: String,
    cause: String,
}

impl Mutant {
    /// All mutants, in the order of their families.
    ///
    /// # Errors
    /// When a schema of the program cannot be read.
    pub fn all(rules: &RuleTable, equivalents: &Equivalents) -> Result<Vec<Self>, MutantError> {
        let mut mutants = Vec::new();
        for (name, operation, document) in SCHEMAS {
            let schema = Arc::new(schema(name)?);
            for change in SchemaChange::all(&schema) {
                let path: String = change.at.iter().map(|key| format!("/{key}")).collect();
                let (keyword, last) = (&change.keyword, &change.name);
                mutants.push(Self {
                    id: format!("schema/{name}{path}/{keyword}/{last}"),
                    family: Family::Schema,
                    wrong: described(&path, &change.wrong),
                    attacks: site::attacked(rules, document, &schema, &change),
                    equivalent: None,
                    made: Made::Schema { name, operation, schema: Arc::clone(&schema), change },
                });
            }
        }
        for mutant in RuleMutant::all(rules) {
            mutants.push(Self {
                id: format!("rule/{}/{}/{}", mutant.rule, mutant.operation, mutant.name()),
                family: Family::Rule,
                wrong: mutant.wrong(),
                attacks: vec![mutant.rule.clone()],
                equivalent: None,
                made: Made::Rule(mutant),
            });
        }
        mutants.extend(faults::all().map(|fault| Self::of_code(fault, rules)));
        for mutant in mutants.iter_mut().filter(|mutant| mutant.equivalent.is_none()) {
            mutant.equivalent = equivalents.reason(&mutant.id).map(str::to_owned);
        }
        // What another spec is about has no rules that these could attack.
        mutants.retain(|mutant| !mutant.attacks.is_empty());
        Ok(mutants)
    }

    /// Whether it attacks a rule of one of these suites.
    #[must_use]
    pub fn is_of(&self, rules: &RuleTable, suites: &BTreeSet<String>) -> bool {
        let suite =
            |rule: &RuleId| rules.suite_of(rule).is_some_and(|suite| suites.contains(suite));
        self.attacks.iter().any(suite)
    }

    fn of_code(fault: &Fault, rules: &RuleTable) -> Self {
        let known = |id: &&str| rules.rule_named(id).map(|rule| rule.id.clone());
        Self {
            id: format!("code/{}", fault.name),
            family: Family::Code,
            wrong: fault.wrong.to_owned(),
            attacks: fault.attacks.iter().filter_map(known).collect(),
            equivalent: fault.equivalent.map(str::to_owned),
            made: Made::Code(fault.how),
        }
    }

    /// The mutant, ready to be asked.
    ///
    /// # Errors
    /// When its schema is none.
    pub(super) fn ready(&self) -> Result<Ready<'_>, MutantError> {
        Ok(match &self.made {
            Made::Schema { name, operation, schema, change } => {
                Ready::Schema { operation, changed: compile(name, &change.apply(schema))? }
            }
            Made::Rule(mutant) => Ready::Rule(mutant),
            Made::Code(how) => Ready::Code(how),
        })
    }
}

/// A mutant that is ready to be asked.
pub(super) enum Ready<'m> {
    Schema { operation: &'m str, changed: Validator },
    Rule(&'m RuleMutant),
    Code(&'m How),
}

impl Ready<'_> {
    /// What it answers to the operations of a fixture; `None` where that is what
    /// an implementation without the fault answers.
    pub(super) fn answers(
        &self,
        schemas: &SchemaChecker,
        trial: &Trial<'_>,
    ) -> Option<Vec<Answer>> {
        let cases = || trial.cases.iter().map(|case| Ask { trial, case });
        match self {
            Self::Schema { operation, changed } => schemas.answers_with(trial, operation, changed),
            Self::Rule(mutant) => {
                let answers: Vec<Option<Answer>> = cases().map(|ask| mutant.answer(&ask)).collect();
                let differs = answers.iter().any(Option::is_some);
                let whole = cases().zip(answers);
                differs.then(|| whole.map(|(ask, a)| a.unwrap_or_else(|| ask.answer())).collect())
            }
            Self::Code(how) => {
                let of_receipts = matches!(how, How::ReceiptTest(_) | How::ReceiptProgram(_));
                let about = if of_receipts { RECEIPT } else { MANIFEST };
                trial.fixture.document(about)?;
                let answer = |ask: Ask<'_>| match how {
                    How::Test(change) => ask.tested(change),
                    How::ReceiptTest(change) => ask.receipt_tested(change),
                    How::Program(answer) | How::ReceiptProgram(answer) => answer(&ask),
                };
                Some(cases().map(answer).collect())
            }
        }
    }
}

fn described(path: &str, wrong: &str) -> String {
    match path {
        "" => wrong.to_owned(),
        path => format!("{wrong} at {path}"),
    }
}

/// A schema of the program.
pub(super) fn schema(name: &str) -> Result<Value, MutantError> {
    let error = |cause: String| MutantError { schema: name.to_owned(), cause };
    let bytes = embedded_file(&format!("schemas/{name}.schema.json"))
        .ok_or_else(|| error("it is not part of the program".to_owned()))?;
    serde_json::from_slice(bytes).map_err(|cause| error(cause.to_string()))
}

impl MutantError {
    pub(super) fn new(schema: &str, cause: impl ToString) -> Self {
        Self { schema: schema.to_owned(), cause: cause.to_string() }
    }
}
