//! The policy that says which receipts are admitted.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::receipt::whole;
use super::shape::{Field, Shape};
use super::{EvidenceKind, Identity, Receipt, Refusal, SuiteRef, Verifier};

/// What the key `schema` of a policy says.
pub const POLICY_SCHEMA: &str = "urn:literate-ai:schema:v1:project-test-receipt-policy";

/// The keys of a policy.
pub(super) const FIELDS: &[Field] = &[
    ("schema", Shape::Constant(POLICY_SCHEMA)),
    ("suite_id", Shape::Text),
    ("suite_version", Shape::Version),
    (
        "runner_identity",
        Shape::Object(&[
            ("schema", Shape::Constant(IDENTITY_SCHEMA)),
            ("algorithm", Shape::Constant("sha256")),
            ("digest", Shape::Digest),
        ]),
    ),
    ("required_evidence_kinds", Shape::RequiredKinds),
    ("minimum_test_count", Shape::Count),
];

/// A policy that has the form it must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    suite_id: String,
    suite_version: String,
    runner: Identity,
    required: Vec<EvidenceKind>,
    minimum_tests: u64,
}

/// What the key `schema` of an identity says.
const IDENTITY_SCHEMA: &str = "urn:literate-ai:schema:v1:content-identity";

/// The keys of a policy, in the order in which they are written.
#[derive(Serialize)]
struct Written<'p> {
    schema: &'static str,
    suite_id: &'p str,
    suite_version: &'p str,
    runner_identity: WrittenRunner<'p>,
    required_evidence_kinds: &'p [EvidenceKind],
    minimum_test_count: u64,
}

#[derive(Serialize)]
struct WrittenRunner<'p> {
    schema: &'static str,
    algorithm: &'static str,
    digest: &'p str,
}

#[derive(Deserialize)]
struct Wire {
    suite_id: String,
    suite_version: String,
    runner_identity: Runner,
    required_evidence_kinds: Vec<EvidenceKind>,
    #[serde(deserialize_with = "whole")]
    minimum_test_count: u64,
}

#[derive(Deserialize)]
struct Runner {
    digest: String,
}

impl Policy {
    /// Reads a policy.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(bytes: &[u8]) -> Result<Self, Vec<Refusal>> {
        Verifier::default().policy(bytes)
    }

    /// The policy for the runs of one program over a suite, all tests of it, with a report
    /// as evidence.
    #[must_use]
    pub fn for_runs_of(suite: &SuiteRef, runner: Identity, tests: u64) -> Self {
        Self {
            suite_id: suite.id.clone(),
            suite_version: suite.version.clone(),
            runner,
            required: vec![EvidenceKind::TEST_REPORT, EvidenceKind::TEST_RUNNER],
            minimum_tests: tests,
        }
    }

    /// The narrowest policy that admits a receipt: its suite, its program, no kind of
    /// evidence and no test less.
    ///
    /// # Errors
    /// Why no policy admits it: it does not name the program.
    pub fn of(receipt: &Receipt) -> Result<Self, Vec<Refusal>> {
        let claims = receipt.claims();
        let evidence = &claims.evidence;
        let runner = evidence.get(&EvidenceKind::TEST_RUNNER).cloned();
        let kinds = evidence.keys().copied().filter(|kind| kind.may_be_required());
        let policy = Self {
            required: kinds
                .chain([EvidenceKind::TEST_RUNNER])
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect(),
            ..Self::for_runs_of(
                &claims.suite,
                runner.unwrap_or_else(|| Identity::of_bytes(b"")),
                claims.tests,
            )
        };
        let refusals = policy.refuses(receipt);
        if refusals.is_empty() { Ok(policy) } else { Err(refusals) }
    }

    /// The policy as JSON, for people to read and to change.
    #[must_use]
    pub fn to_json(&self) -> String {
        let written = Written {
            schema: POLICY_SCHEMA,
            suite_id: &self.suite_id,
            suite_version: &self.suite_version,
            runner_identity: WrittenRunner {
                schema: IDENTITY_SCHEMA,
                algorithm: "sha256",
                digest: self.runner.hex(),
            },
            required_evidence_kinds: &self.required,
            minimum_test_count: self.minimum_tests,
        };
        // Nothing of it can fail to be written: no map has keys other than texts.
        let mut text = serde_json::to_string_pretty(&written).unwrap_or_default();
        text.push('\n');
        text
    }

    /// A policy of a value of the right form.
    pub(super) fn of_value(value: &Value) -> Option<Self> {
        let wire = Wire::deserialize(value).ok()?;
        Some(Self {
            suite_id: wire.suite_id,
            suite_version: wire.suite_version,
            runner: format!("sha256:{}", wire.runner_identity.digest).try_into().ok()?,
            required: wire.required_evidence_kinds,
            minimum_tests: wire.minimum_test_count,
        })
    }

    /// The suite that it admits.
    #[must_use]
    pub fn suite_id(&self) -> &str {
        &self.suite_id
    }

    /// The version of the suite.
    #[must_use]
    pub fn suite_version(&self) -> &str {
        &self.suite_version
    }

    /// The program that must have run the tests.
    #[must_use]
    pub fn runner(&self) -> &Identity {
        &self.runner
    }

    /// The kinds of evidence that must be there.
    #[must_use]
    pub fn required(&self) -> &[EvidenceKind] {
        &self.required
    }

    /// How many tests must have run.
    #[must_use]
    pub fn minimum_tests(&self) -> u64 {
        self.minimum_tests
    }

    /// Why it does not admit a receipt; nothing when it does.
    #[must_use]
    pub fn refuses(&self, receipt: &super::Receipt) -> Vec<Refusal> {
        Verifier::default().admit(self, receipt)
    }
}
