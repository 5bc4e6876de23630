//! A profile as its file has it.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::core::{Severity, Stream};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct ProfileFile {
    pub(super) profile: String,
    pub(super) about: String,
    #[serde(default)]
    pub(super) program: Option<String>,
    #[serde(default)]
    pub(super) arguments: Vec<String>,
    #[serde(default)]
    pub(super) version: Option<Vec<String>>,
    #[serde(default)]
    pub(super) environment: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) pass_on: Vec<String>,
    #[serde(default)]
    pub(super) directory: Option<String>,
    #[serde(default)]
    pub(super) operations: Option<BTreeMap<String, AskFile>>,
    #[serde(default)]
    pub(super) session: Option<SessionFile>,
    #[serde(default)]
    pub(super) exits: Option<ExitsFile>,
    #[serde(default)]
    pub(super) findings: Option<FindingsFile>,
}

/// One of the three.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct AskFile {
    #[serde(default)]
    pub(super) argv: Option<Vec<String>>,
    #[serde(default)]
    pub(super) shell: Option<String>,
    #[serde(default)]
    pub(super) unsupported: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct SessionFile {
    pub(super) argv: Vec<String>,
    #[serde(default)]
    pub(super) in_flight: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct ExitsFile {
    pub(super) accept: Vec<i32>,
    pub(super) reject: RejectFile,
    #[serde(default)]
    pub(super) broke: Vec<i32>,
}

/// Exit codes, or the word `others`.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a list of exit codes, or the word others")]
pub(super) enum RejectFile {
    Codes(Vec<i32>),
    Word(Others),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Others {
    Others,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct FindingsFile {
    #[serde(default = "stdout")]
    pub(super) streams: Vec<Stream>,
    pub(super) lines: Vec<LineFile>,
    #[serde(default)]
    pub(super) rules: Vec<RuleFile>,
}

fn stdout() -> Vec<Stream> {
    vec![Stream::Stdout]
}

/// What to make of a line.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct LineFile {
    #[serde(rename = "match")]
    pub(super) pattern: String,
    #[serde(default)]
    pub(super) each: Option<String>,
    /// Whether `field` and `value` have characters escaped.
    #[serde(default)]
    pub(super) escaped: bool,
    #[serde(default)]
    pub(super) rule: Option<String>,
    #[serde(default)]
    pub(super) at: Option<String>,
    #[serde(default)]
    pub(super) severity: Option<Severity>,
}

/// What the tool's word for a rule means at a place.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RuleFile {
    /// Any of these words.
    pub(super) word: Vec<String>,
    /// At one of these fields, dotted.
    #[serde(default)]
    pub(super) field: Option<Vec<String>>,
    /// At a place of this form.
    #[serde(default)]
    pub(super) place: Option<String>,
    /// At an entry of a sequence, or not at one.
    #[serde(default)]
    pub(super) entry: Option<bool>,
    /// With a value of this form.
    #[serde(default)]
    pub(super) value: Option<String>,
    /// Means this rule; missing: no finding.
    #[serde(default)]
    pub(super) rule: Option<String>,
    /// At this place instead.
    #[serde(default)]
    pub(super) at: Option<String>,
}
