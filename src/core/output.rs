//! Reads findings from what an implementation wrote to standard output.
//!
//! Three grades of detail are told apart by looking at the lines: JSON objects,
//! lines tagged with a rule id, free text. The most detailed grade that any line
//! has is the grade of the output; other lines are then noise.

use std::collections::HashSet;

use serde::Deserialize;

use super::{Document, ExpectedFinding, Grade, Observation, ReportedFinding, RuleTable, Severity};

/// What was read from an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reading<'a> {
    /// How much detail it has.
    pub(super) grade: Grade,
    /// The findings, one for each line that is one; empty for free text.
    pub(super) findings: Vec<ReportedFinding>,
    text: std::borrow::Cow<'a, str>,
    /// The lines of the documents, trimmed: who repeats them has reported nothing.
    echoes: HashSet<&'a str>,
}

/// The findings of an observation; `None` where they are free text.
#[must_use]
pub fn reported(observation: &Observation, rules: &RuleTable) -> Option<Vec<ReportedFinding>> {
    match &observation.findings {
        Some(findings) => Some(findings.clone()),
        None => {
            let Reading { grade, findings, .. } = Reading::new(&observation.stdout, rules, None);
            // Nothing at all is no text that could hold something.
            let is_blank = || observation.stdout.trim_ascii().is_empty();
            (grade != Grade::Text || is_blank()).then_some(findings)
        }
    }
}

/// A finding as the contract writes it in JSON; other keys are allowed.
#[derive(Deserialize)]
struct JsonLine {
    rule: String,
    #[serde(default)]
    at: Option<String>,
    #[serde(default)]
    severity: Option<Severity>,
    #[serde(default)]
    message: Option<String>,
}

impl<'a> Reading<'a> {
    /// Reads an output; `fixed` is the grade the user asked for, `None` to find out.
    #[must_use]
    pub(super) fn new(stdout: &'a [u8], rules: &RuleTable, fixed: Option<Grade>) -> Self {
        let text = String::from_utf8_lossy(stdout);
        let lines = || text.lines().map(str::trim_start).filter(|line| !line.is_empty());
        let json = || lines().filter_map(json_line).collect::<Vec<_>>();
        let tagged = || lines().filter_map(|line| tagged_line(line, rules)).collect::<Vec<_>>();
        let (grade, findings) = match fixed {
            Some(Grade::Text) => (Grade::Text, Vec::new()),
            Some(Grade::Tagged) => (Grade::Tagged, tagged()),
            Some(Grade::Json) => (Grade::Json, json()),
            None => match (json(), tagged()) {
                (json, _) if !json.is_empty() => (Grade::Json, json),
                (_, tagged) if !tagged.is_empty() => (Grade::Tagged, tagged),
                _ => (Grade::Text, Vec::new()),
            },
        };
        Self { grade, findings, text, echoes: HashSet::new() }
    }

    /// The same, where lines of these documents say nothing: a tool that prints
    /// what it reads names everything in it.
    #[must_use]
    pub(super) fn besides(mut self, documents: &'a [Document]) -> Self {
        if self.grade == Grade::Text {
            let texts = documents.iter().filter_map(|it| std::str::from_utf8(&it.bytes).ok());
            self.echoes = texts.flat_map(str::lines).map(str::trim).collect();
        }
        self
    }

    /// Findings that a driver delivered apart from the output.
    #[must_use]
    pub(super) fn delivered(findings: Vec<ReportedFinding>) -> Self {
        Self { grade: Grade::Json, findings, text: "".into(), echoes: HashSet::new() }
    }

    /// Whether some line of free text names what the rule table says that this
    /// finding names.
    #[must_use]
    pub(super) fn text_names(&self, expected: &ExpectedFinding, rules: &RuleTable) -> bool {
        self.text
            .lines()
            .filter(|line| !self.echoes.contains(line.trim()))
            .any(|line| contains_word(line, expected.rule.as_str()) || names(line, expected, rules))
    }
}

/// Whether a line of free text has one of the words that the rule table gives
/// for a finding.
pub(super) fn names(line: &str, expected: &ExpectedFinding, rules: &RuleTable) -> bool {
    words_for(expected, rules).any(|name| says(line, &name))
}

/// The words that the rule table gives for a finding: a line that has one of them
/// names it.
pub(crate) fn words_for(
    expected: &ExpectedFinding,
    rules: &RuleTable,
) -> impl Iterator<Item = String> {
    let names = rules.rule(&expected.rule).into_iter().flat_map(|rule| &rule.names);
    names.filter_map(|name| fill(name, expected))
}

fn json_line(line: &str) -> Option<ReportedFinding> {
    if !line.starts_with('{') {
        return None;
    }
    let JsonLine { rule, at, severity, message } = serde_json::from_str(line).ok()?;
    Some(ReportedFinding { rule, at, severity, message })
}

/// Whether a line is a JSON object that names a rule and is no finding all the same: a value
/// of it is of the wrong type or an unknown word, or a key of a finding stands twice.
pub(crate) fn is_misread(line: &str) -> bool {
    let line = line.trim_start();
    let object = || serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(line);
    line.starts_with('{')
        && json_line(line).is_none()
        && object().is_ok_and(|object| object.contains_key("rule"))
}

/// `[warning: |error: ]RULE-ID: message`, for a rule of the table: any other
/// word before a colon may as well be a file name. Of the message nothing but the one
/// blank before it is taken away: a name in it may start or end with one.
fn tagged_line(line: &str, rules: &RuleTable) -> Option<ReportedFinding> {
    let (severity, rest) = match (line.strip_prefix("warning: "), line.strip_prefix("error: ")) {
        (Some(rest), _) => (Some(Severity::Warning), rest),
        (_, Some(rest)) => (Some(Severity::Error), rest),
        _ => (None, line),
    };
    let (id, message) = match rest.split_once(':') {
        Some((id, message)) => (id.trim(), message.strip_prefix(' ').unwrap_or(message)),
        None => (rest.trim_end(), ""),
    };
    let rule = rules.rule_named(id)?;
    Some(ReportedFinding {
        rule: rule.id.as_str().to_owned(),
        at: None,
        severity,
        message: (!message.trim().is_empty()).then(|| message.to_owned()),
    })
}

/// A name of the rule table with its placeholders filled in; `None` when the
/// finding's place has nothing to fill in.
fn fill(name: &str, expected: &ExpectedFinding) -> Option<String> {
    let mut filled = name.to_owned();
    if filled.contains("{field}") {
        filled = filled.replace("{field}", &field_of(&expected.at)?);
    }
    if filled.contains("{value}") {
        let value = expected.value.as_deref().map(str::trim).filter(|value| !value.is_empty())?;
        filled = filled.replace("{value}", value);
    }
    Some(filled)
}

/// The last key in a JSON pointer. A number is the index of an entry, unless
/// there is nothing else.
pub(crate) fn field_of(pointer: &str) -> Option<String> {
    let is_index = |token: &&str| !token.is_empty() && token.bytes().all(|b| b.is_ascii_digit());
    let mut tokens = pointer.strip_prefix('/')?.split('/');
    let last = tokens.clone().next_back()?;
    let key = tokens.rfind(|token| !is_index(token)).unwrap_or(last);
    Some(key.replace("~1", "/").replace("~0", "~"))
}

/// Whether a line has a name, however its tool escapes or shortens it: of a name
/// that is no plain word, its longest part that is one is enough, and of a long
/// one its beginning. A name without such a part cannot be looked for.
fn says(line: &str, name: &str) -> bool {
    const LONG: usize = 48;
    let plain = |c: char| !in_word(c) && c != ' ' && c != '.';
    if !name.contains(plain) && !name.is_empty() && name.len() <= LONG {
        return contains_word(line, name);
    }
    let part = name.split(|c| !in_word(c)).max_by_key(|part| part.len()).unwrap_or_default();
    let part: String = part.chars().take(LONG).collect();
    line.contains(&part)
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

/// Whether `word` stands in `line` and is not part of a longer word there.
fn contains_word(line: &str, word: &str) -> bool {
    let (starts, ends) = (word.starts_with(in_word), word.ends_with(in_word));
    !word.is_empty()
        && line.match_indices(word).any(|(at, found)| {
            let before = line[..at].chars().next_back();
            let after = line[at + found.len()..].chars().next();
            let longer =
                (starts && before.is_some_and(in_word)) || (ends && after.is_some_and(in_word));
            !longer
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::testing;

    fn read(stdout: &str) -> (Grade, Vec<String>) {
        let rules = testing::rules();
        let reading = Reading::new(stdout.as_bytes(), &rules, None);
        (reading.grade, reading.findings.into_iter().map(|finding| finding.rule).collect())
    }

    #[test]
    fn the_grade_is_found_out_from_the_lines() {
        assert_eq!(read(""), (Grade::Text, vec![]));
        assert_eq!(read("invalid: project_id"), (Grade::Text, vec![]));
        assert_eq!(read("manifest.yaml: no such file"), (Grade::Text, vec![]));
        assert_eq!(
            read("checking\nwarning: t.id.max-length: too long\nt.id.charset: bad\nt.id.required"),
            (
                Grade::Tagged,
                vec!["t.id.max-length".into(), "t.id.charset".into(), "t.id.required".into()]
            )
        );
        assert_eq!(
            read(
                "t.id.charset: x\n{\"rule\": \"no.such\", \"at\": \"/id\", \"more\": 1}\n{\"a\":1}"
            ),
            (Grade::Json, vec!["no.such".into()])
        );
    }

    #[test]
    fn what_is_meant_for_a_finding_and_is_none_is_found_out() {
        for line in [
            r#"{"rule": 1}"#,
            r#"{"rule": null}"#,
            r#"  {"rule": "a", "rule": "b"}"#,
            r#"{"rule": "a", "at": 1}"#,
            r#"{"rule": "a", "at": "/a", "at": "/b"}"#,
            r#"{"rule": "a", "severity": "fatal"}"#,
            r#"{"rule": "a", "message": ["b"]}"#,
        ] {
            assert!(is_misread(line) && json_line(line.trim_start()).is_none(), "{line}");
        }
        for line in [
            "",
            "{",
            r#"{"rules": 1}"#,
            r#"{"rule": "a", "more": 1, "more": 2}"#,
            r#"{"rule": "a", "at": null, "severity": null, "message": null}"#,
            r#"[{"rule": 1}]"#,
        ] {
            assert!(!is_misread(line), "{line}");
        }
    }

    #[test]
    fn a_name_keeps_its_blanks_in_a_tagged_line() {
        let rules = testing::rules();
        let named = |line: &str, at: &str| {
            let reading = Reading::new(line.as_bytes(), &rules, None);
            let message = reading.findings[0].message.clone().unwrap_or_default();
            names(&message, &testing::finding("t.unknown", at), &rules)
        };
        assert!(named("t.unknown: foo ", "/foo "));
        assert!(named("  warning: t.unknown: foo \r\n", "/foo "));
        assert!(named("t.unknown: 'foo ' is unknown", "/foo "));
        assert!(!named("t.unknown: foo", "/foo "));
        assert!(named("t.unknown:  foo", "/ foo"));
        assert!(!named("t.unknown: foo", "/ foo"));
        let reading = Reading::new(b"t.unknown \nt.unknown:  \n", &rules, None);
        assert!(reading.findings.iter().all(|found| found.message.is_none()));
        assert_eq!(reading.findings.len(), 2);
    }

    #[test]
    fn a_fixed_grade_is_kept() {
        let rules = testing::rules();
        let reading = Reading::new(b"t.id.charset: x", &rules, Some(Grade::Json));
        assert_eq!((reading.grade, reading.findings.len()), (Grade::Json, 0));
    }

    #[test]
    fn who_repeats_the_document_reports_nothing() {
        let rules = testing::rules();
        let bytes = b"id: a\n  foo: 1\n".as_slice().into();
        let documents = [Document { name: "doc".into(), path: "doc.yaml".into(), bytes }];
        let names = |stdout: &'static str| {
            let reading = Reading::new(stdout.as_bytes(), &rules, None).besides(&documents);
            reading.text_names(&testing::finding("t.unknown", "/foo"), &rules)
        };
        assert!(!names("id: a\n  foo: 1\n"));
        assert!(names("id: a\nfoo: 1\nfoo is not known\n"));
        assert!(names("2: foo: 1\n"), "a line with something of its own counts");
    }

    #[test]
    fn free_text_reports_what_it_names() {
        let rules = testing::rules();
        let names = |text: &str, at: &str, value: Option<&str>| {
            let expected = ExpectedFinding {
                rule: testing::id("t.unknown"),
                at: at.into(),
                value: value.map(str::to_owned),
                absent: false,
            };
            Reading::new(text.as_bytes(), &rules, Some(Grade::Text)).text_names(&expected, &rules)
        };
        assert!(names("Additional property 'foo' found", "/foo", None));
        assert!(names("a/b is unknown", "/a~1b", None));
        assert!(!names("food is unknown\nx-foo, foo_bar", "/foo", None));
        assert!(!names("", "/foo", None));
        assert!(names("bad entry: Frob", "/id/1", Some("Frob")));
        assert!(!names("bad entry", "/id/1", Some(" ")));
        assert!(names("t.unknown", "/q", None), "the id itself always names it");
        assert!(names("key 42 is unknown", "/42", None));
        assert!(names("bad entry 1 of id", "/id/1", None));
        assert!(!names("bad entry 1", "/id/1", None));
        for shown in [r"unknown: \u200bx-team", "unknown: \u{200b}x-team", r"\u{200b}x-team"] {
            assert!(names(shown, "/\u{200b}x-team", None), "{shown}");
        }
        let long = "notes_".repeat(50);
        assert!(names(&format!("unknown: {}…", &long[..100]), &format!("/{long}"), None));
        assert!(!names("unknown: notes_notes_", &format!("/{long}"), None));
    }
}
