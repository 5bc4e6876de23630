//! One run of the page: a column of its tables.

use std::collections::BTreeMap;

use super::super::{Report, escape};

/// How much of a name from outside is shown.
const NAME_COLUMNS: usize = 40;

/// A run, and what it is called.
pub(super) struct Column<'a> {
    /// The run.
    pub(super) report: &'a Report,
    /// A name that no other run of the page has, safe to show.
    pub(super) name: String,
    /// What sets it apart from another run of the same implementation; may be empty.
    pub(super) detail: String,
}

impl Column<'_> {
    /// Names the runs.
    pub(super) fn all(reports: &[Report]) -> Vec<Column<'_>> {
        let several = |value: &dyn Fn(&Report) -> String| {
            reports.first().is_some_and(|first| {
                let first = value(first);
                reports.iter().any(|report| value(report) != first)
            })
        };
        let protocols = several(&|report| report.header.protocol.to_string());
        let mut seen: BTreeMap<(String, String), usize> = BTreeMap::new();
        let mut columns = Vec::with_capacity(reports.len());
        for report in reports {
            let Report { header, .. } = report;
            let name = escape::clamped(&header.implementation.name, NAME_COLUMNS);
            let mut details = Vec::new();
            if reports.len() > 1 {
                let version = report.version().and_then(|version| version.lines().next());
                // Many tools say their name with their version.
                let version = version.map(|version| {
                    version.strip_prefix(&header.implementation.name).unwrap_or(version).trim()
                });
                details.extend(version.map(|version| escape::clamped(version, NAME_COLUMNS)));
            }
            if protocols {
                details.push(header.protocol.to_string());
            }
            let mut detail = details.join(", ");
            let number = seen.entry((name.clone(), detail.clone())).or_default();
            *number += 1;
            if *number > 1 {
                detail = format!("{detail} ({number})").trim_start().to_owned();
            }
            columns.push(Column { report, name, detail });
        }
        columns
    }

    /// Name and detail in one.
    pub(super) fn label(&self) -> String {
        let Self { name, detail, .. } = self;
        if detail.is_empty() { name.clone() } else { format!("{name}, {detail}") }
    }
}
