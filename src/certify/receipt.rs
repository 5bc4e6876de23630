//! The receipt of a run in which all tests passed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::json::canonical_form;
use super::shape::{Field, Shape};
use super::{EvidenceKind, Identity, Refusal, Verifier};

/// What the key `schema` of a receipt says.
pub const RECEIPT_SCHEMA: &str = "urn:literate-ai:schema:v1:project-test-receipt";

/// The keys of a receipt.
pub(super) const FIELDS: &[Field] = &[
    ("schema", Shape::Constant(RECEIPT_SCHEMA)),
    ("project", Shape::Text),
    ("project_revision", Shape::Identity),
    ("subject", Shape::Identity),
    (
        "suite",
        Shape::Object(&[
            ("id", Shape::Text),
            ("version", Shape::Version),
            ("revision", Shape::Identity),
        ]),
    ),
    ("tests", Shape::Count),
    ("result", Shape::Identity),
    ("evidence", Shape::Evidence),
];

/// What a receipt says. That all tests passed goes without saying.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    /// The project.
    pub project: String,
    /// What the project is held to.
    pub project_revision: Identity,
    /// What was tested.
    pub subject: Identity,
    /// With which suite.
    pub suite: SuiteRef,
    /// How many tests ran; all of them passed.
    #[serde(deserialize_with = "whole")]
    pub tests: u64,
    /// The results of the tests.
    pub result: Identity,
    /// What else there is to look at, by its kind.
    pub evidence: BTreeMap<EvidenceKind, Identity>,
}

/// The suite of a receipt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteRef {
    /// Its name.
    pub id: String,
    /// Its version, SemVer.
    pub version: String,
    /// The identity of all that it consists of.
    pub revision: Identity,
}

/// A receipt that has the form it must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    claims: Claims,
    canonical: Vec<u8>,
}

impl Receipt {
    /// Makes a receipt.
    ///
    /// # Errors
    /// Why there can be none with these claims.
    pub fn new(claims: Claims) -> Result<Self, Vec<Refusal>> {
        let receipt = Self::of_claims(claims).ok_or_else(Vec::new)?;
        Verifier::default().receipt(&receipt.canonical)
    }

    /// Reads a receipt: the canonical form, with or without one final newline, or
    /// the value of `receipt` in a larger object.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(bytes: &[u8]) -> Result<Self, Vec<Refusal>> {
        Verifier::default().receipt(bytes)
    }

    /// A receipt of a value of the right form.
    pub(super) fn of_value(value: &Value) -> Option<Self> {
        Self::of_claims(Claims::deserialize(value).ok()?)
    }

    fn of_claims(claims: Claims) -> Option<Self> {
        let mut value = serde_json::to_value(&claims).ok()?;
        value.as_object_mut()?.insert("schema".to_owned(), RECEIPT_SCHEMA.into());
        let canonical = canonical_form(&value)?;
        Some(Self { claims, canonical })
    }

    /// What it says.
    #[must_use]
    pub fn claims(&self) -> &Claims {
        &self.claims
    }

    /// The canonical form, without a newline.
    #[must_use]
    pub fn canonical(&self) -> &[u8] {
        &self.canonical
    }

    /// The identity: that of the canonical form.
    #[must_use]
    pub fn identity(&self) -> Identity {
        Identity::of_bytes(&self.canonical)
    }
}

/// An integer that may be written as a double.
pub(super) fn whole<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let value = f64::deserialize(deserializer)?;
    let whole = value.fract() == 0.0 && (0.0..9.1e15).contains(&value);
    whole.then_some(value as u64).ok_or_else(|| serde::de::Error::custom("no whole number"))
}
