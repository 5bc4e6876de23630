//! The operations of the receipt suite, answered by the verifier of certificates.

use std::sync::Arc;

use super::{Finding, Place, Ruling, Source};
use crate::certify::{Doubt, Examined, Refusal, Verifier};
use crate::core::{LedgerId, Severity, Stance};
use crate::yaml;

/// The name of the receipt among the documents of a fixture.
pub const RECEIPT: &str = "receipt";
/// The name of the policy among them.
pub const POLICY: &str = "policy";

/// Checks a receipt.
#[must_use]
pub fn check(verifier: &Verifier, receipt: &[u8]) -> Ruling {
    let mut ruling = Gather::default();
    let _ = ruling.add(RECEIPT, receipt, verifier.examine_receipt(receipt));
    ruling.into_ruling()
}

/// Holds a receipt against a policy.
#[must_use]
pub fn admit(verifier: &Verifier, receipt: &[u8], policy: &[u8]) -> Ruling {
    let mut ruling = Gather::default();
    let sound = ruling.add(RECEIPT, receipt, verifier.examine_receipt(receipt));
    let asked = ruling.add(POLICY, policy, verifier.examine_policy(policy));
    if let (Some(receipt_read), Some(policy_read)) = (sound, asked) {
        let refusals = verifier.admit(&policy_read, &receipt_read);
        let examined = Examined { found: Some(()), refusals, doubts: Vec::new() };
        let _ = ruling.add(RECEIPT, receipt, examined);
    }
    ruling.into_ruling()
}

#[derive(Default)]
struct Gather {
    findings: Vec<Finding>,
    open: Vec<LedgerId>,
    sources: Vec<Source>,
}

impl Gather {
    /// Adds what was found in a document; gives it back when nothing was wrong.
    fn add<T>(&mut self, document: &'static str, bytes: &[u8], examined: Examined<T>) -> Option<T> {
        let Examined { found, refusals, doubts } = examined;
        let sound = refusals.is_empty();
        if !sound {
            // JSON is read as YAML only for the places.
            let parsed = yaml::Document::parse(bytes).ok();
            let root = parsed.as_ref().map(yaml::Document::root);
            self.findings.extend(refusals.iter().map(|refusal| finding(document, root, refusal)));
        }
        self.open
            .extend(doubts.into_iter().chain(refusals.iter().filter_map(Refusal::doubt)).map(id));
        if self.sources.iter().all(|source| source.document != document)
            && let Ok(text) = std::str::from_utf8(bytes)
        {
            self.sources.push(Source { document, text: Arc::from(text) });
        }
        found.filter(|_| sound)
    }

    fn into_ruling(mut self) -> Ruling {
        self.open.sort();
        self.open.dedup();
        let definite = self.findings.iter().any(|finding| finding.open.is_none());
        Ruling {
            accepted: self.findings.is_empty(),
            stance: match (definite, self.open.is_empty()) {
                (true, _) => Stance::Reject,
                (false, true) => Stance::Accept,
                (false, false) => Stance::Either,
            },
            findings: self.findings,
            open: self.open,
            settled: Vec::new(),
            sources: self.sources,
        }
    }
}

fn id(doubt: Doubt) -> LedgerId {
    LedgerId::constant(doubt.as_str())
}

fn finding(document: &'static str, root: Option<&yaml::Node>, refusal: &Refusal) -> Finding {
    let place = root.and_then(|root| {
        let mut at = refusal.at();
        loop {
            match (root.at(at), at.rfind('/')) {
                (Some(node), _) => return Some(Place { document, span: node.span() }),
                (None, Some(end)) => at = &at[..end],
                (None, None) => return None,
            }
        }
    });
    Finding {
        rule: refusal.code().clone(),
        at: refusal.at().to_owned(),
        place,
        severity: Severity::Error,
        message: refusal.to_string(),
        open: refusal.doubt().map(id),
        reported: true,
    }
}
