//! Holds a receipt against what it was made of: evidence, the subject, a new run.

use super::{
    Claims, EvidenceKind, Identity, IdentityError, Reason, Receipt, Refusal, report_identity,
    result_identity,
};
use crate::core::Level;
use crate::report::Report;
use crate::yaml::join;

/// The first part of the codes.
const VERIFY: &str = "receipt.verify";

/// Holds the evidence of a kind against the one that was given.
#[must_use]
pub fn check_evidence(receipt: &Receipt, kind: EvidenceKind, given: Identity) -> Option<Refusal> {
    let reason = match receipt.claims().evidence.get(&kind) {
        Some(named) if *named == given => return None,
        Some(named) => Reason::EvidenceMismatch { kind, receipt: named.clone(), given },
        None => Reason::EvidenceUnnamed { kind },
    };
    Some(Refusal::new(VERIFY, join("/evidence", kind.as_str()), reason))
}

/// Holds the subject against the implementation that was given.
#[must_use]
pub fn check_subject(receipt: &Receipt, given: Identity) -> Option<Refusal> {
    let receipt = receipt.claims().subject.clone();
    let differs = receipt != given;
    differs.then(|| Refusal::new(VERIFY, "/subject", Reason::SubjectMismatch { receipt, given }))
}

/// Holds the project against the one that was given.
#[must_use]
pub fn check_project(receipt: &Receipt, given: &str) -> Option<Refusal> {
    let receipt = &receipt.claims().project;
    let reason = Reason::ProjectMismatch { receipt: receipt.clone(), given: given.to_owned() };
    (receipt != given).then(|| Refusal::new(VERIFY, "/project", reason))
}

/// Holds what the project is held to against what was given.
#[must_use]
pub fn check_project_revision(receipt: &Receipt, given: Identity) -> Option<Refusal> {
    let receipt = receipt.claims().project_revision.clone();
    let differs = receipt != given;
    let reason = Reason::RevisionMismatch { receipt, given };
    differs.then(|| Refusal::new(VERIFY, "/project_revision", reason))
}

/// Holds the receipt against the report of the certified run.
///
/// # Errors
/// When the report has no canonical JSON.
pub fn check_report(receipt: &Receipt, report: &Report) -> Result<Vec<Refusal>, IdentityError> {
    let evidence = check_evidence(receipt, EvidenceKind::TEST_REPORT, report_identity(report)?);
    let mut refusals: Vec<Refusal> = evidence.into_iter().collect();
    refusals.extend(check_shown(receipt.claims(), report)?);
    Ok(refusals)
}

/// Holds the receipt against the report of a new run.
///
/// # Errors
/// When the report has no canonical JSON.
pub fn check_rerun(receipt: &Receipt, report: &Report) -> Result<Vec<Refusal>, IdentityError> {
    let mut refusals = check_shown(receipt.claims(), report)?;
    let failing = report.cases.iter().filter(|case| case.judgement.fails(Level::Must));
    let failing = failing.count() as u64;
    if failing > 0 {
        refusals.push(Refusal::new(VERIFY, "", Reason::RerunFails { failing }));
    }
    Ok(refusals)
}

/// What every report of the certified tests shows alike.
fn check_shown(claims: &Claims, report: &Report) -> Result<Vec<Refusal>, IdentityError> {
    let mut refusals = Vec::new();
    let mut refuse = |at: &str, reason| refusals.push(Refusal::new(VERIFY, at, reason));
    let revision = &report.header.suite_digest;
    if claims.suite.revision.as_str() != revision {
        let (receipt, found) = (claims.suite.revision.to_string(), revision.clone());
        refuse("/suite/revision", Reason::SuiteMismatch { receipt, found });
    }
    let found = report.cases.len() as u64;
    if claims.tests != found {
        refuse("/tests", Reason::TestsMismatch { receipt: claims.tests, found });
    }
    let found = result_identity(report)?;
    if claims.result != found {
        refuse("/result", Reason::ResultMismatch { receipt: claims.result.clone(), found });
    }
    Ok(refusals)
}
