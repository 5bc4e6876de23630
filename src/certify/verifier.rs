//! Checks receipts and policies, and holds the one against the other.

use serde_json::Value;

use super::json::{self, Json, canonical_form};
use super::shape::{Field, Walk};
use super::{
    EvidenceKind, Identity, Policy, Predicates, RECEIPT_SCHEMA, REFERENCE, Reason, Receipt,
    Refusal, policy, receipt,
};
use crate::yaml::join;

/// The first part of the codes of a receipt.
const RECEIPT: &str = "receipt";
/// The first part of the codes of a policy.
const POLICY: &str = "policy";
/// The key of a larger object that a receipt stands under.
const EMBEDDED: &str = "receipt";
/// The key beside it.
const EMBEDDED_IDENTITY: &str = "receipt_identity";

/// Checks receipts and policies with a set of predicates.
#[derive(Debug, Clone, Copy)]
pub struct Verifier {
    predicates: Predicates,
}

impl Default for Verifier {
    fn default() -> Self {
        Self::new(REFERENCE)
    }
}

impl Verifier {
    /// A verifier that is as good as its predicates.
    #[must_use]
    pub const fn new(predicates: Predicates) -> Self {
        Self { predicates }
    }

    /// Reads a receipt: the canonical form, with or without one final newline, or
    /// the value of `receipt` in a larger object.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn receipt(&self, bytes: &[u8]) -> Result<Receipt, Vec<Refusal>> {
        let (receipt, refusals) = self.examine_receipt(bytes);
        receipt.filter(|_| refusals.is_empty()).ok_or(refusals)
    }

    /// The receipt as far as it can be read, and everything that is wrong with it.
    pub(crate) fn examine_receipt(&self, bytes: &[u8]) -> (Option<Receipt>, Vec<Refusal>) {
        let (value, mut refusals) = match self.open(RECEIPT, bytes) {
            Ok(opened) => opened,
            Err(refusal) => return (None, vec![refusal]),
        };
        let map = value.as_object();
        let embedded = map
            .filter(|map| map.get("schema").is_none_or(|schema| schema != RECEIPT_SCHEMA))
            .and_then(|map| map.get(EMBEDDED));
        let (at, inner) = match embedded {
            Some(inner) => (join("", EMBEDDED), inner),
            None => (String::new(), &value),
        };
        refusals.extend(self.shape(RECEIPT, &at, receipt::FIELDS, inner));
        if embedded.is_none() && !(self.predicates.canonical)(bytes, &value) {
            refusals.push(not_canonical(bytes, &value));
        }
        if let Some(stated) = embedded.and(map).and_then(|map| map.get(EMBEDDED_IDENTITY))
            && let Some(form) = canonical_form(inner)
        {
            let computed = Identity::of_bytes(&form);
            if !(self.predicates.embedded_identity)(stated, &computed) {
                let stated = stated.as_str().map_or_else(|| stated.to_string(), str::to_owned);
                let reason = Reason::OtherIdentity { stated, computed };
                refusals.push(Refusal::new(RECEIPT, join("", EMBEDDED_IDENTITY), reason));
            }
        }
        (Receipt::of_value(inner), refusals)
    }

    /// Reads a policy.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn policy(&self, bytes: &[u8]) -> Result<Policy, Vec<Refusal>> {
        let (policy, refusals) = self.examine_policy(bytes);
        policy.filter(|_| refusals.is_empty()).ok_or(refusals)
    }

    /// The policy as far as it can be read, and everything that is wrong with it.
    pub(crate) fn examine_policy(&self, bytes: &[u8]) -> (Option<Policy>, Vec<Refusal>) {
        match self.open(POLICY, bytes) {
            Ok((value, mut refusals)) => {
                refusals.extend(self.shape(POLICY, "", policy::FIELDS, &value));
                (Policy::of_value(&value), refusals)
            }
            Err(refusal) => (None, vec![refusal]),
        }
    }

    /// Why a policy does not admit a receipt; nothing when it does.
    #[must_use]
    pub fn admit(&self, policy: &Policy, receipt: &Receipt) -> Vec<Refusal> {
        let predicates = &self.predicates;
        let claims = receipt.claims();
        let mut refusals = Vec::new();
        let mut refuse = |at: &str, reason| {
            refusals.push(Refusal::new("receipt.policy", at, reason));
        };
        if !(predicates.same_suite)(receipt, policy) {
            let receipt = claims.suite.id.clone();
            let policy = policy.suite_id().to_owned();
            refuse("/suite/id", Reason::SuiteIdMismatch { receipt, policy });
        }
        if !(predicates.same_version)(receipt, policy) {
            let receipt = claims.suite.version.clone();
            let policy = policy.suite_version().to_owned();
            refuse("/suite/version", Reason::SuiteVersionMismatch { receipt, policy });
        }
        for &kind in policy.required() {
            if !(predicates.has_evidence)(receipt, kind) {
                refuse(&join("/evidence", kind.as_str()), Reason::EvidenceMissing { kind });
            }
        }
        if let Some(runner) = claims.evidence.get(&EvidenceKind::TEST_RUNNER)
            && !(predicates.same_runner)(runner, policy)
        {
            let reason =
                Reason::RunnerMismatch { receipt: runner.clone(), policy: policy.runner().clone() };
            refuse("/evidence/test-runner", reason);
        }
        if !(predicates.enough_tests)(receipt, policy) {
            let (receipt, policy) = (claims.tests, policy.minimum_tests());
            refuse("/tests", Reason::TooFewTests { receipt, policy });
        }
        refusals
    }

    fn open(&self, subject: &str, bytes: &[u8]) -> Result<(Value, Vec<Refusal>), Refusal> {
        let Json { value, repeated } = json::read(bytes)
            .map_err(|fault| Refusal::new(subject, "", Reason::Unreadable(fault)))?;
        let repeated = repeated.into_iter().filter(|_| self.predicates.unique_keys);
        let refusals = repeated.map(|at| Refusal::new(subject, at, Reason::RepeatedKey)).collect();
        Ok((value, refusals))
    }

    fn shape(&self, subject: &str, at: &str, fields: &[Field], value: &Value) -> Vec<Refusal> {
        let Some(map) = value.as_object() else {
            return vec![Refusal::new(subject, at, Reason::NoObject)];
        };
        let mut walk = Walk { predicates: &self.predicates, found: Vec::new() };
        walk.fields(subject, at, fields, map);
        walk.found
    }
}

fn not_canonical(bytes: &[u8], value: &Value) -> Refusal {
    let at = canonical_form(value).map(|form| {
        let same = bytes.iter().zip(&form).take_while(|(one, other)| one == other).count();
        same.min(bytes.len())
    });
    Refusal::new(RECEIPT, "", Reason::NotCanonical { at })
}

#[cfg(test)]
#[path = "verifier_tests.rs"]
mod tests;
