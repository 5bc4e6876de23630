//! Checks receipts and policies, and holds the one against the other.

use serde_json::Value;

use super::doubt::{is_bulky, without_build};
use super::json::{self, canonical_form};
use super::shape::{Field, Walk};
use super::{
    Doubt, EvidenceKind, Identity, Policy, Predicates, RECEIPT_SCHEMA, REFERENCE, Reason, Receipt,
    Refusal, policy, receipt,
};
use crate::data::Json;
use crate::yaml::join;

/// The first part of the codes of a receipt.
const RECEIPT: &str = "receipt";
/// The first part of the codes of a policy.
const POLICY: &str = "policy";
/// The key of a larger object that a receipt stands under.
const EMBEDDED: &str = "receipt";
/// The key beside it.
const EMBEDDED_IDENTITY: &str = "receipt_identity";
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

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
        self.examine_receipt(bytes).into_result()
    }

    /// Reads a policy.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn policy(&self, bytes: &[u8]) -> Result<Policy, Vec<Refusal>> {
        self.examine_policy(bytes).into_result()
    }

    /// The receipt as far as it can be read, and everything that is wrong with it.
    #[must_use]
    pub fn examine_receipt(&self, bytes: &[u8]) -> Examined<Receipt> {
        let json = match open(RECEIPT, bytes) {
            Ok(json) => json,
            Err(refusal) => return Examined::unreadable(refusal),
        };
        let map = json.value.as_object();
        let outer = map
            .filter(|map| map.get("schema").is_none_or(|schema| schema != RECEIPT_SCHEMA))
            .and_then(|map| Some((map, map.get(EMBEDDED)?)));
        let mut examined = Examined::new(bytes);
        let Some((outer, inner)) = outer else {
            examined.add_repeated(self, RECEIPT, &json, |_| None);
            self.shape(&mut examined, RECEIPT, "", receipt::FIELDS, &json.value);
            if !(self.predicates.canonical)(bytes, &json.value) {
                examined.refusals.push(not_canonical(bytes, &json.value));
            }
            examined.found = Receipt::of_value(&json.value);
            return examined;
        };
        let at = join("", EMBEDDED);
        let own = format!("{at}/");
        let beside = |place: &str| (!place.starts_with(&own)).then_some(Doubt::R4);
        examined.add_repeated(self, RECEIPT, &json, beside);
        self.shape(&mut examined, RECEIPT, &at, receipt::FIELDS, inner);
        examined.found = Receipt::of_value(inner);
        match (outer.get(EMBEDDED_IDENTITY), canonical_form(inner)) {
            (Some(stated), Some(form)) => {
                let computed = Identity::of_bytes(&form);
                if !(self.predicates.embedded_identity)(stated, &computed) {
                    let stated = stated.as_str().map_or_else(|| stated.to_string(), str::to_owned);
                    let reason = Reason::OtherIdentity { stated, computed };
                    let at = join("", EMBEDDED_IDENTITY);
                    examined.refusals.push(Refusal::new(RECEIPT, at, reason));
                }
            }
            (Some(_), None) => {}
            (None, _) => examined.doubts.push(Doubt::R4),
        }
        examined
    }

    /// The policy as far as it can be read, and everything that is wrong with it.
    #[must_use]
    pub fn examine_policy(&self, bytes: &[u8]) -> Examined<Policy> {
        let json = match open(POLICY, bytes) {
            Ok(json) => json,
            Err(refusal) if bytes.starts_with(BYTE_ORDER_MARK) => {
                return Examined::unreadable(refusal.doubtful(Some(Doubt::R7)));
            }
            Err(refusal) => return Examined::unreadable(refusal),
        };
        let mut examined = Examined::new(bytes);
        examined.add_repeated(self, POLICY, &json, |_| Some(Doubt::R7));
        self.shape(&mut examined, POLICY, "", policy::FIELDS, &json.value);
        examined.found = Policy::of_value(&json.value);
        examined
    }

    /// Why a policy does not admit a receipt; nothing when it does.
    #[must_use]
    pub fn admit(&self, policy: &Policy, receipt: &Receipt) -> Vec<Refusal> {
        let predicates = &self.predicates;
        let claims = receipt.claims();
        let mut refusals = Vec::new();
        let mut refuse = |at: &str, reason, doubt| {
            refusals.push(Refusal::new("receipt.policy", at, reason).doubtful(doubt));
        };
        if !(predicates.same_suite)(receipt, policy) {
            let receipt = claims.suite.id.clone();
            let policy = policy.suite_id().to_owned();
            refuse("/suite/id", Reason::SuiteIdMismatch { receipt, policy }, None);
        }
        if !(predicates.same_version)(receipt, policy) {
            let receipt = claims.suite.version.clone();
            let policy = policy.suite_version().to_owned();
            let same = without_build(&receipt) == without_build(&policy);
            let doubt = same.then_some(Doubt::R8);
            refuse("/suite/version", Reason::SuiteVersionMismatch { receipt, policy }, doubt);
        }
        for &kind in policy.required() {
            if !(predicates.has_evidence)(receipt, kind) {
                let at = join("/evidence", kind.as_str());
                refuse(&at, Reason::EvidenceMissing { kind }, None);
            }
        }
        if let Some(runner) = claims.evidence.get(&EvidenceKind::TEST_RUNNER)
            && !(predicates.same_runner)(runner, policy)
        {
            let (receipt, policy) = (runner.clone(), policy.runner().clone());
            refuse("/evidence/test-runner", Reason::RunnerMismatch { receipt, policy }, None);
        }
        if !(predicates.enough_tests)(receipt, policy) {
            let (receipt, policy) = (claims.tests, policy.minimum_tests());
            refuse("/tests", Reason::TooFewTests { receipt, policy }, None);
        }
        refusals
    }

    fn shape<T>(
        &self,
        examined: &mut Examined<T>,
        subject: &str,
        at: &str,
        fields: &[Field],
        value: &Value,
    ) {
        let Some(map) = value.as_object() else {
            return examined.refusals.push(Refusal::new(subject, at, Reason::NoObject));
        };
        let mut walk = Walk { predicates: &self.predicates, found: vec![], doubts: vec![] };
        walk.fields(subject, at, fields, map);
        examined.refusals.append(&mut walk.found);
        examined.doubts.append(&mut walk.doubts);
    }
}

/// What came of examining a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examined<T> {
    /// What it is, as far as it can be read.
    pub found: Option<T>,
    /// Everything that is wrong with it.
    pub refusals: Vec<Refusal>,
    /// Open questions that it touches without being refused for them.
    pub doubts: Vec<Doubt>,
}

impl<T> Examined<T> {
    fn new(bytes: &[u8]) -> Self {
        let doubts = if is_bulky(bytes) { vec![Doubt::R2] } else { Vec::new() };
        Self { found: None, refusals: Vec::new(), doubts }
    }

    fn unreadable(refusal: Refusal) -> Self {
        Self { found: None, refusals: vec![refusal], doubts: Vec::new() }
    }

    fn add_repeated(
        &mut self,
        verifier: &Verifier,
        subject: &str,
        json: &Json,
        doubt: impl Fn(&str) -> Option<Doubt>,
    ) {
        if verifier.predicates.unique_keys {
            self.refusals.extend(
                json.repeated
                    .iter()
                    .map(|at| Refusal::new(subject, at, Reason::RepeatedKey).doubtful(doubt(at))),
            );
        }
    }

    fn into_result(self) -> Result<T, Vec<Refusal>> {
        self.found.filter(|_| self.refusals.is_empty()).ok_or(self.refusals)
    }
}

fn open(subject: &str, bytes: &[u8]) -> Result<Json, Refusal> {
    json::read(bytes).map_err(|fault| {
        let doubt = is_bulky(bytes).then_some(Doubt::R2);
        Refusal::new(subject, "", Reason::Unreadable(fault)).doubtful(doubt)
    })
}

fn not_canonical(bytes: &[u8], value: &Value) -> Refusal {
    let form = canonical_form(value);
    let at = form
        .as_ref()
        .map(|form| bytes.iter().zip(form).take_while(|(one, other)| one == other).count());
    let returned = bytes.strip_suffix(b"\r\n").is_some_and(|rest| Some(rest) == form.as_deref());
    Refusal::new(RECEIPT, "", Reason::NotCanonical { at }).doubtful(returned.then_some(Doubt::R3))
}

#[cfg(test)]
#[path = "verifier_tests.rs"]
mod tests;
