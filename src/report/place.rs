//! The place in a fixture's document that a failing case is about.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use super::escape;
use crate::core::{CaseRecord, Document, Fixture, Mismatch};
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
        let place = places(case).into_iter().find_map(|place| find(fixture, &place));
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
struct Place {
    rule: String,
    at: String,
    label: &'static str,
}

fn places(case: &CaseRecord) -> Vec<Place> {
    let mut places = Vec::new();
    for weighed in &case.judgement.mismatches {
        let mut add = |rule: &str, at: &str, label| {
            // The whole document is no place to mark.
            if !at.is_empty() {
                places.push(Place { rule: rule.to_owned(), at: at.to_owned(), label });
            }
        };
        match &weighed.mismatch {
            Mismatch::Missing { finding } => add(finding.rule.as_str(), &finding.at, ""),
            Mismatch::Stance { rules, .. } => {
                let expected = case.expected.findings.iter().flatten();
                for finding in expected.filter(|finding| rules.contains(&finding.rule)) {
                    add(finding.rule.as_str(), &finding.at, "");
                }
            }
            Mismatch::Extra { finding, .. } => {
                add(&finding.rule, finding.at.as_deref().unwrap_or_default(), "reported here");
            }
            _ => {}
        }
    }
    places
}

/// The document in which a place exists, and the mark there. The first part of a
/// rule's id names the document where it can.
fn find(fixture: &Fixture, place: &Place) -> Option<Spot> {
    let named = fixture.document(place.rule.split('.').next().unwrap_or_default());
    let candidates: Vec<(&Document, yaml::Document)> = named
        .into_iter()
        .chain(&fixture.documents)
        .filter_map(|document| Some((document, yaml::Document::parse(&document.bytes).ok()?)))
        .collect();
    let mut at = place.at.as_str();
    // What is missing has no place; the mapping that lacks it has one.
    while !at.is_empty() {
        for (document, parsed) in &candidates {
            if let Some(span) = span(parsed, at) {
                return Some(Spot {
                    path: PathBuf::from(&document.path),
                    text: Arc::clone(parsed.text()),
                    span: Some(span),
                    label: place.label.to_owned(),
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
