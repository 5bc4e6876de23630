//! One run of the page: a column of its tables.

use super::super::Report;
use crate::compare::{Label, labels};

/// A run, and what it is called.
pub(super) struct Column<'a> {
    /// The run.
    pub(super) report: &'a Report,
    /// A name that no other run of the page has, safe to show.
    pub(super) name: String,
    /// What sets it apart from another run of the same implementation; may be empty.
    pub(super) detail: String,
}

impl<'a> Column<'a> {
    /// Names the runs, which come from these places.
    pub(super) fn all(reports: &[&'a Report], sources: &[String]) -> Vec<Self> {
        let named = reports.iter().zip(labels(reports, sources));
        named.map(|(&report, Label { name, detail })| Self { report, name, detail }).collect()
    }

    /// Name and detail in one.
    pub(super) fn label(&self) -> String {
        let Self { name, detail, .. } = self;
        if detail.is_empty() { name.clone() } else { format!("{name}, {detail}") }
    }
}
