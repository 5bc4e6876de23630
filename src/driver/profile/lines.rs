//! Reads findings from the lines of a tool that has its own words.

use regex::{Captures, Regex};

use crate::core::{ReportedFinding, Severity, Stream};
use crate::yaml::join;

use super::escape::unescape;
use super::place::{field, is_entry, pointer};

/// No more findings than these are read from one output.
const MOST_FINDINGS: usize = 10_000;

/// How the lines of a tool become findings.
#[derive(Debug, Clone)]
pub struct LineReader {
    pub(super) streams: Vec<Stream>,
    /// The first that fits a line decides.
    pub(super) lines: Vec<Line>,
    /// The first that fits a word and its place decides.
    pub(super) meanings: Vec<Meaning>,
}

/// One form of line, and what it tells.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) pattern: Regex,
    /// What is repeated in the group `value`: each occurrence is a finding.
    pub(super) each: Option<Regex>,
    /// Whether the groups `field` and `value` have characters escaped.
    pub(super) escaped: bool,
    /// The rule, or the tool's word for it, where no group has it.
    pub(super) rule: Option<String>,
    pub(super) at: Option<String>,
    pub(super) severity: Option<Severity>,
}

/// What a word means.
#[derive(Debug, Clone)]
pub(super) struct Meaning {
    pub(super) words: Vec<String>,
    pub(super) fields: Option<Vec<String>>,
    pub(super) place: Option<Regex>,
    pub(super) entry: Option<bool>,
    pub(super) value: Option<Regex>,
    /// A rule id, with `{word}` for the word and `{field}` for the dotted field;
    /// `None` for no finding.
    pub(super) rule: Option<String>,
    pub(super) at: Option<String>,
}

/// What the groups of a line hold.
#[derive(Debug, Default, Clone)]
struct Told<'t> {
    rule: Option<&'t str>,
    field: Option<&'t str>,
    at: Option<&'t str>,
    value: Option<&'t str>,
    severity: Option<&'t str>,
    message: Option<&'t str>,
}

impl<'t> Told<'t> {
    fn of(captures: &Captures<'t>) -> Self {
        let group = |name| captures.name(name).map(|found| found.as_str());
        Self {
            rule: group("rule"),
            field: group("field"),
            at: group("at"),
            value: group("value"),
            severity: group("severity"),
            message: group("message"),
        }
    }

    /// What `inner` tells, and for the rest what `self` does.
    fn with(&self, inner: &Self) -> Self {
        Self {
            rule: inner.rule.or(self.rule),
            field: inner.field.or(self.field),
            at: inner.at.or(self.at),
            value: inner.value.or(self.value),
            severity: inner.severity.or(self.severity),
            message: inner.message.or(self.message),
        }
    }
}

impl LineReader {
    /// The findings in an output.
    #[must_use]
    pub fn read(&self, stdout: &[u8], stderr: &[u8]) -> Vec<ReportedFinding> {
        let mut findings = Vec::new();
        for stream in &self.streams {
            let bytes = match stream {
                Stream::Stdout => stdout,
                Stream::Stderr => stderr,
            };
            for line in String::from_utf8_lossy(bytes).lines() {
                self.read_line(line, &mut findings);
                if findings.len() >= MOST_FINDINGS {
                    findings.truncate(MOST_FINDINGS);
                    return findings;
                }
            }
        }
        findings
    }

    fn read_line(&self, text: &str, findings: &mut Vec<ReportedFinding>) {
        let fitting = self.lines.iter().find_map(|line| Some((line, line.pattern.captures(text)?)));
        let Some((line, captures)) = fitting else { return };
        let told = Told::of(&captures);
        match &line.each {
            None => findings.extend(self.finding(line, &told, text)),
            Some(each) => findings.extend(
                each.captures_iter(told.value.unwrap_or_default())
                    .filter_map(|inner| self.finding(line, &told.with(&Told::of(&inner)), text)),
            ),
        }
    }

    fn finding(&self, line: &Line, told: &Told<'_>, text: &str) -> Option<ReportedFinding> {
        let plain = |text: &str| if line.escaped { unescape(text) } else { text.to_owned() };
        // A JSONPath has quotes of its own, and its escapes with them. A place that
        // cannot be read is as good as none.
        let around = match told.at.or(line.at.as_deref()) {
            Some(at) if at.starts_with('/') => Some(plain(at)),
            at => at.and_then(pointer),
        };
        let value = told.value.map(plain);
        let at = match (around, told.field.map(plain)) {
            (around, Some(key)) => Some(join(&around.unwrap_or_default(), &key)),
            (around, None) => around,
        };
        let word = told.rule.or(line.rule.as_deref())?;
        let place = at.as_deref().unwrap_or_default();
        let meaning =
            self.meanings.iter().find(|meaning| meaning.fits(word, place, value.as_deref()));
        let (rule, at) = match meaning {
            Some(meaning) => (meaning.rule.as_deref()?, meaning.at.clone().or(at)),
            None => (word, at),
        };
        let rule = rule
            .replace("{word}", word)
            .replace("{field}", &field(at.as_deref().unwrap_or_default()));
        let severity = match told.severity.map(str::to_ascii_lowercase).as_deref() {
            Some("warning" | "warn") => Some(Severity::Warning),
            Some("error") => Some(Severity::Error),
            _ => line.severity,
        };
        let message = Some(told.message.unwrap_or(text).trim().to_owned());
        Some(ReportedFinding { rule, at, severity, message })
    }
}

impl Meaning {
    fn fits(&self, word: &str, place: &str, value: Option<&str>) -> bool {
        self.words.iter().any(|known| known == word)
            && self.fields.as_ref().is_none_or(|fields| fields.contains(&field(place)))
            && self.place.as_ref().is_none_or(|form| form.is_match(place))
            && self.entry.is_none_or(|entry| entry == is_entry(place))
            && self
                .value
                .as_ref()
                .is_none_or(|form| value.is_some_and(|value| form.is_match(value)))
    }
}
