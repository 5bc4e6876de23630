//! What runs are called, so that no two are called the same.

use std::collections::BTreeMap;

use crate::report::{Report, escape};

/// How much of a name from outside is shown.
const NAME_COLUMNS: usize = 40;
/// How much of a path is shown: its end, which tells most.
const SOURCE_COLUMNS: usize = 60;

/// What a run is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The name of the implementation, safe to show.
    pub name: String,
    /// What sets it apart from another run, safe to show; may be empty.
    pub detail: String,
}

impl Label {
    /// Name and detail in one.
    #[must_use]
    pub fn whole(&self) -> String {
        let Self { name, detail } = self;
        if detail.is_empty() { name.clone() } else { format!("{name}, {detail}") }
    }
}

/// Names runs. The version of the implementation and the protocol version set runs
/// apart, and where these do not, where the run comes from: `sources` are paths, and
/// may be fewer than runs.
#[must_use]
pub fn labels(reports: &[&Report], sources: &[String]) -> Vec<Label> {
    let protocols = reports.windows(2).any(|two| two[0].header.protocol != two[1].header.protocol);
    let mut labels: Vec<Label> = reports
        .iter()
        .map(|report| {
            let name = &report.header.implementation.name;
            let mut details = Vec::new();
            if reports.len() > 1 {
                details.extend(version(report));
            }
            if protocols {
                details.push(report.header.protocol.to_string());
            }
            Label { name: escape::clamped(name, NAME_COLUMNS), detail: details.join(", ") }
        })
        .collect();
    let before = labels.clone();
    for (index, label) in labels.iter_mut().enumerate() {
        let is_shared = before.iter().filter(|other| *other == label).count() > 1;
        if let (true, Some(source)) = (is_shared, sources.get(index)) {
            add(label, &escape::clamped_start(source, SOURCE_COLUMNS));
        }
    }
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for label in &mut labels {
        let number = seen.entry(label.whole()).or_default();
        *number += 1;
        if *number > 1 {
            let number = format!("({number})");
            label.detail = format!("{} {number}", label.detail).trim_start().to_owned();
        }
    }
    labels
}

fn add(label: &mut Label, detail: &str) {
    if !label.detail.is_empty() {
        label.detail.push_str(", ");
    }
    label.detail.push_str(detail);
}

/// The version of the implementation in short: many tools say their name with it.
fn version(report: &Report) -> Option<String> {
    let name = &report.header.implementation.name;
    let version = report.version()?.lines().next()?;
    let after = version.strip_prefix(name.as_str()).filter(|rest| rest.starts_with([' ', '/']));
    let version = after.map_or(version, |rest| &rest[1..]).trim();
    Some(escape::clamped(version, NAME_COLUMNS)).filter(|version| !version.is_empty())
}
