//! The words for cases that are no part of the release of their suite.

use super::count;
use crate::core::{CaseRecord, Disposition, Header, Outside, Tally};
use crate::report::escape;

/// What sets a case apart that is no part of the release of its suite.
#[must_use]
pub(in crate::report) fn advisory(header: &Header, case: &CaseRecord) -> Option<String> {
    let Disposition::Advisory(advisory) = &case.disposition else { return None };
    let release = released(header, case.id.suite());
    Some(match (advisory.because, &advisory.reason) {
        (Outside::Newer, _) => format!("advisory: newer than {release}"),
        (Outside::Changed, None) => format!("advisory: not what it was in {release}"),
        (Outside::Changed, Some(reason)) => {
            format!("advisory: changed since {release}: {}", escape::clamped(reason, 300))
        }
    })
}

/// A suite with the version of its release.
fn released(header: &Header, suite: &str) -> String {
    let version = header.suites.get(suite).map_or("its release", String::as_str);
    format!("{} {}", escape::clamped(suite, 100), escape::clamped(version, 100))
}

/// What came of the advisory cases, when there are any.
#[must_use]
pub(in crate::report) fn advisory_cases(header: &Header, tally: &Tally) -> Option<String> {
    let all = tally.total();
    if all == 0 {
        return None;
    }
    let suites: Vec<String> = header.suites.keys().map(|suite| released(header, suite)).collect();
    let are = if all == 1 { "is" } else { "are" };
    let came = [
        (tally.passed, "passes", "pass"),
        (all - tally.passed - tally.unsupported, "fails", "fail"),
        (tally.unsupported, "is not supported", "are not supported"),
    ];
    let came = came.into_iter().filter(|(number, ..)| *number > 0);
    let came: Vec<String> = came
        .map(|(number, one, many)| format!("{number} {}", if number == 1 { one } else { many }))
        .collect();
    Some(format!(
        "{} {are} no part of {}, and not of the verdict: {}",
        count(all, "advisory case"),
        suites.join(", "),
        came.join(", ")
    ))
}
