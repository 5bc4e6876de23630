//! The policy that says which receipts are admitted.

use serde::Deserialize;
use serde_json::Value;

use super::receipt::whole;
use super::shape::{Field, Shape};
use super::{EvidenceKind, Identity, Refusal, Verifier};

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
            ("schema", Shape::Constant("urn:literate-ai:schema:v1:content-identity")),
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
