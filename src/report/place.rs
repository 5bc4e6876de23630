//! The place in a fixture's document that a failing case is about.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use super::escape;
use crate::core::{CaseRecord, Document, Fixture, Mismatch, ReportedFinding};
use crate::yaml;

/// A document, and what to mark in it.
pub(super) struct Spot {
    /// Where the document lies, for people.
    pub(super) path: PathBuf,
    /// Its text.
    pub(super) text: Arc<str>,
    /// The bytes to mark, where there is a place.
    pub(super) span: Option<Range<usize>>,
    /// What to say of the place, where the case does not say it.
    pub(super) label: String,
}

impl Spot {
    /// What to show for a failing case: the place of what it gets wrong, else where
    /// a document is not well-formed, else the first document.
    pub(super) fn of(fixture: &Fixture, case: &CaseRecord) -> Option<Self> {
        let place = places(case).into_iter().find_map(|place| place.find(fixture));
        let spot = place
            .or_else(|| fixture.documents.iter().find_map(broken))
            .or_else(|| fixture.documents.first().map(whole))?;
        Some(Self { path: fixture.place_of(&spot.path), ..spot })
    }

    /// Line and column of the place, from 1; the start where there is none.
    pub(super) fn line_column(&self) -> (usize, usize) {
        let start = self.span.as_ref().map_or(0, |span| span.start);
        let before = &self.text[..self.text.floor_char_boundary(start)];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }
}

/// Where a rule is broken, or is said to be.
enum Place<'a> {
    /// By rule and pointer.
    At { rule: &'a str, at: &'a str, label: &'static str },
    /// By what is reported without a pointer.
    Told(&'a ReportedFinding),
}

fn places(case: &CaseRecord) -> Vec<Place<'_>> {
    let mut places = Vec::new();
    for weighed in &case.judgement.mismatches {
        let mut add = |rule, at, label| places.push(Place::At { rule, at, label });
        match &weighed.mismatch {
            Mismatch::Missing { finding, .. } => add(finding.rule.as_str(), &finding.at, ""),
            Mismatch::Stance { rules, .. } => {
                let expected = case.expected.findings.iter().flatten();
                for finding in expected.filter(|finding| rules.contains(&finding.rule)) {
                    add(finding.rule.as_str(), &finding.at, "");
                }
            }
            Mismatch::Extra { finding, .. } => match &finding.at {
                Some(at) => add(&finding.rule, at, "reported here"),
                None => places.push(Place::Told(finding)),
            },
            _ => {}
        }
    }
    places
}

impl Place<'_> {
    fn find(&self, fixture: &Fixture) -> Option<Spot> {
        match self {
            // The whole document is no place to mark.
            Self::At { at: "", .. } => None,
            Self::At { rule, at, label } => find(fixture, rule, at, label),
            Self::Told(finding) => {
                let message = finding.message.as_deref().unwrap_or_default();
                let told = fixture.documents.iter().find_map(|document| told(document, message));
                told.or_else(|| subject(fixture, &finding.rule))
            }
        }
    }
}

/// Where a message says that something is, as in `manifest.yaml:11:5`.
fn told(document: &Document, message: &str) -> Option<Spot> {
    let text = std::str::from_utf8(&document.bytes).ok()?;
    let file = format!("{}:", document.path.rsplit('/').next()?);
    let (at, _) = message.rmatch_indices(&file).next()?;
    let mut numbers = message[at + file.len()..].split(|c: char| !c.is_ascii_digit());
    let line: usize = numbers.next()?.parse().ok()?;
    let column: usize = numbers.next().and_then(|text| text.parse().ok()).unwrap_or(1);
    let lines = text.split_inclusive('\n').take(line.checked_sub(1)?);
    let line_start: usize = lines.map(str::len).sum();
    let line = text[line_start..].lines().next()?;
    let before = line.char_indices().nth(column.checked_sub(1)?)?.0;
    let blanks = line[before..].len() - line[before..].trim_start().len();
    // Not the comment behind it.
    let end = line[before..].find(" #").map_or(line.len(), |at| before + at);
    let span = line_start + before + blanks..line_start + line[..end].trim_end().len();
    (!span.is_empty()).then(|| Spot {
        path: PathBuf::from(&document.path),
        text: text.into(),
        span: Some(span),
        label: "reported here".to_owned(),
    })
}

/// What a rule is about, where its id says it and the document has it.
fn subject(fixture: &Fixture, rule: &str) -> Option<Spot> {
    let (document, rest) = rule.split_once('.')?;
    let at = format!("/{}", rest.rsplit_once('.')?.0.replace('.', "/"));
    let parsed = yaml::Document::parse(&fixture.document(document)?.bytes).ok()?;
    parsed.root().at(&at)?;
    find(fixture, rule, &at, "reported of this")
}

/// The document in which a place exists, and the mark there. The first part of a
/// rule's id names the document where it can.
fn find(fixture: &Fixture, rule: &str, at: &str, label: &str) -> Option<Spot> {
    let named = fixture.document(rule.split('.').next().unwrap_or_default());
    let candidates: Vec<(&Document, yaml::Document)> = named
        .into_iter()
        .chain(&fixture.documents)
        .filter_map(|document| Some((document, yaml::Document::parse(&document.bytes).ok()?)))
        .collect();
    let mut at = at;
    // What is missing has no place; the mapping that lacks it has one.
    while !at.is_empty() {
        for (document, parsed) in &candidates {
            if let Some(span) = span(parsed, at) {
                return Some(Spot {
                    path: PathBuf::from(&document.path),
                    text: Arc::clone(parsed.text()),
                    span: Some(span),
                    label: label.to_owned(),
                });
            }
        }
        at = &at[..at.rfind('/')?];
    }
    None
}

/// A value with its key, if they are on one line; else the key, or the value.
fn span(parsed: &yaml::Document, at: &str) -> Option<Range<usize>> {
    let value = parsed.root().at(at)?.span();
    let Some(key) = parsed.root().key_at(at).map(yaml::Node::span) else {
        return Some(value.start..value.end);
    };
    // The value of an alias stands elsewhere.
    let one_line = key.start < value.end
        && parsed.text().get(key.start..value.end).is_some_and(|text| !text.contains('\n'));
    Some(key.start..if one_line { value.end } else { key.end })
}

/// A document that is not well-formed, with the place where it is not.
fn broken(document: &Document) -> Option<Spot> {
    let error = yaml::Document::parse(&document.bytes).err()?;
    let text: Arc<str> = std::str::from_utf8(&document.bytes).ok()?.into();
    let span = Some(error.span.start..error.span.end);
    Some(Spot { path: PathBuf::from(&document.path), text, span, label: error.message })
}

fn whole(document: &Document) -> Spot {
    let text = escape::from_bytes(&document.bytes).into();
    Spot { path: PathBuf::from(&document.path), text, span: None, label: String::new() }
}
