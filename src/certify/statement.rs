//! The statement about a certified run that public tools sign and check: an
//! in-toto Statement v1 with the predicate `test-result` v0.1.

use serde::Serialize;

use super::{Identity, IdentityError, Receipt, Subject, canonical};

/// The type of an in-toto statement.
pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
/// The type of its predicate.
pub const PREDICATE_TYPE: &str = "https://in-toto.io/attestation/test-result/v0.1";

/// A test run with names, as the predicate has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestResult {
    /// Tests that passed without reserve.
    pub passed: Vec<String>,
    /// Tests that passed, and broke a recommendation.
    pub warned: Vec<String>,
}

/// What the run was made with: a name, and the identity of the content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Its name.
    pub name: String,
    /// Its identity.
    pub identity: Identity,
}

/// The in-toto statement of a certified run, in canonical JSON.
///
/// Its subjects are the implementation and its parts; what the receipt pins, and
/// the receipt itself, are the configuration.
///
/// # Errors
/// When there is no canonical JSON of it.
pub fn statement(
    subject: &Subject,
    receipt: &Receipt,
    configuration: &[Resource],
    result: &TestResult,
) -> Result<Vec<u8>, IdentityError> {
    let mut subjects = Vec::new();
    if subject.parts.iter().all(|(_, identity)| *identity != subject.identity) {
        subjects.push(Descriptor::new("implementation", &subject.identity));
    }
    subjects.extend(subject.parts.iter().map(|(name, identity)| Descriptor::new(name, identity)));
    let identity = receipt.identity();
    let mut resources = vec![Descriptor::new("receipt", &identity)];
    resources.extend(configuration.iter().map(|one| Descriptor::new(&one.name, &one.identity)));
    canonical(&Statement {
        r#type: STATEMENT_TYPE,
        subject: subjects,
        predicate_type: PREDICATE_TYPE,
        predicate: Predicate {
            result: if result.warned.is_empty() { "PASSED" } else { "WARNED" },
            configuration: resources,
            passed_tests: &result.passed,
            warned_tests: &result.warned,
            failed_tests: [],
        },
    })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Statement<'a> {
    #[serde(rename = "_type")]
    r#type: &'static str,
    subject: Vec<Descriptor<'a>>,
    predicate_type: &'static str,
    predicate: Predicate<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Predicate<'a> {
    result: &'static str,
    configuration: Vec<Descriptor<'a>>,
    passed_tests: &'a [String],
    warned_tests: &'a [String],
    failed_tests: [&'static str; 0],
}

#[derive(Serialize)]
struct Descriptor<'a> {
    name: &'a str,
    digest: Digest<'a>,
}

#[derive(Serialize)]
struct Digest<'a> {
    sha256: &'a str,
}

impl<'a> Descriptor<'a> {
    fn new(name: &'a str, identity: &'a Identity) -> Self {
        Self { name, digest: Digest { sha256: identity.hex() } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certify::{Claims, EvidenceKind, SuiteRef};

    fn identity(text: &str) -> Identity {
        Identity::of_bytes(text.as_bytes())
    }

    fn receipt() -> Receipt {
        Receipt::new(Claims {
            project: "project".to_owned(),
            project_revision: identity("revision"),
            subject: identity("subject"),
            suite: SuiteRef {
                id: "suite".to_owned(),
                version: "0.1.0".to_owned(),
                revision: identity("suite"),
            },
            tests: 3,
            result: identity("result"),
            evidence: [(EvidenceKind::TEST_RUNNER, identity("runner"))].into(),
        })
        .unwrap()
    }

    fn made(subject: &Subject, warned: &[&str]) -> serde_json::Value {
        let suite = Resource { name: "suite".to_owned(), identity: identity("suite") };
        let result = TestResult {
            passed: vec!["a::b".to_owned()],
            warned: warned.iter().map(|&name| name.to_owned()).collect(),
        };
        let bytes = statement(subject, &receipt(), &[suite], &result).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    #[test]
    fn a_statement_names_what_was_tested_with_what_and_how_it_went() {
        let program = identity("program");
        let subject = Subject {
            identity: program.clone(),
            parts: vec![("validator".to_owned(), program.clone())],
        };
        let digest = |identity: &Identity| serde_json::json!({ "sha256": identity.hex() });
        assert_eq!(
            made(&subject, &[]),
            serde_json::json!({
                "_type": "https://in-toto.io/Statement/v1",
                "subject": [{ "name": "validator", "digest": digest(&program) }],
                "predicateType": "https://in-toto.io/attestation/test-result/v0.1",
                "predicate": {
                    "result": "PASSED",
                    "configuration": [
                        { "name": "receipt", "digest": digest(&receipt().identity()) },
                        { "name": "suite", "digest": digest(&identity("suite")) },
                    ],
                    "passedTests": ["a::b"],
                    "warnedTests": [],
                    "failedTests": [],
                },
            })
        );
    }

    #[test]
    fn parts_stand_beside_the_whole() {
        let parts = [("python", "p"), ("adapter.py", "a")]
            .map(|(name, text)| (name.to_owned(), identity(text)));
        let subject = Subject { identity: identity("whole"), parts: parts.into() };
        let statement = made(&subject, &["c::d"]);
        let names = statement["subject"].as_array().unwrap().iter().map(|one| &one["name"]);
        assert_eq!(names.collect::<Vec<_>>(), ["implementation", "python", "adapter.py"]);
        assert_eq!(statement["predicate"]["result"], "WARNED");
    }
}
