//! What a run showed, without what differs from run to run.

use std::collections::BTreeMap;

use serde_json::json;

use super::{Identity, IdentityError};
use crate::core::{CaseId, Level, Outcome, Verdict};
use crate::report::Report;

/// The identity of a report without what two runs of the same may differ in:
/// durations, what the implementation wrote and how it words findings, its command
/// and name, and how a case is run again. All else counts.
///
/// # Errors
/// When the report has no canonical JSON.
pub fn report_identity(report: &Report) -> Result<Identity, IdentityError> {
    let mut report = report.clone();
    report.header.implementation.name.clear();
    report.header.implementation.command.clear();
    report.header.implementation.version = None;
    report.header.reproduce.clear();
    report.summary.implementation_version = None;
    report.summary.duration_us = 0;
    for case in &mut report.cases {
        case.duration_us = 0;
        case.stdout.clear();
        case.stderr.clear();
        for finding in &mut case.judgement.findings {
            finding.message = None;
        }
        case.judgement.findings.sort();
        for weighed in &mut case.judgement.mismatches {
            if let crate::core::Mismatch::Extra { finding, .. } = &mut weighed.mismatch {
                finding.message = None;
            }
        }
    }
    report.cases.sort_by(|one, other| one.id.cmp(&other.id));
    Identity::of_value(&json!({
        "schema": "urn:living-conformance:schema:normal-report:1",
        "report": report,
    }))
}

/// The identity of the results: for each case what was decided and what came of it.
///
/// # Errors
/// When they have no canonical JSON.
pub fn result_identity(report: &Report) -> Result<Identity, IdentityError> {
    #[derive(serde::Serialize)]
    struct Result {
        verdict: Verdict,
        #[serde(skip_serializing_if = "Option::is_none")]
        breaks: Option<Level>,
        #[serde(skip_serializing_if = "Option::is_none")]
        accepted: Option<bool>,
    }
    let results = report.cases.iter().map(|case| {
        let judgement = &case.judgement;
        let accepted = match case.observed {
            Outcome::Decided { accepted } => Some(accepted),
            _ => None,
        };
        let breaks = (judgement.verdict != Verdict::Pass).then_some(judgement.level);
        (&case.id, Result { verdict: judgement.verdict, breaks, accepted })
    });
    let results: BTreeMap<&CaseId, Result> = results.collect();
    Identity::of_value(&json!({
        "schema": "urn:living-conformance:schema:result:1",
        "suite": report.header.suite_digest,
        "protocol": report.header.protocol,
        "cases": results,
    }))
}
