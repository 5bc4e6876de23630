//! What comes of checking documents.

use std::sync::Arc;

use crate::core::{LedgerId, RuleId, Severity, Stance};
use crate::yaml::Span;

/// The name of the manifest among the documents of a fixture.
pub const MANIFEST: &str = "manifest";
/// The name of the runtime capability document among them.
pub const RUNTIME: &str = "runtime";

/// A place in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The document: [`MANIFEST`] or [`RUNTIME`].
    pub document: &'static str,
    /// Where in its text; lines and columns count from 1.
    pub span: Span,
}

/// One thing that is wrong, or may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule that is broken.
    pub rule: RuleId,
    /// The place in the document, as a JSON pointer; of a missing field the
    /// field itself.
    pub at: String,
    /// Where in the text; of a missing field the mapping that lacks it.
    pub place: Option<Place>,
    /// Whether it rejects, in the reading that has it.
    pub severity: Severity,
    /// What is wrong, in one line without control characters.
    pub message: String,
    /// The open question, when only one of its readings has this finding.
    pub open: Option<LedgerId>,
    /// Whether this implementation reports it. One that it does not report, and
    /// that is not open, may come along in other implementations.
    pub reported: bool,
}

/// The text of a document, which the places refer to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The document: [`MANIFEST`] or [`RUNTIME`].
    pub document: &'static str,
    /// Its text, decoded.
    pub text: Arc<str>,
}

/// What comes of one operation on documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    /// Whether this implementation accepts.
    pub accepted: bool,
    /// What every implementation must say.
    pub stance: Stance,
    /// All findings of all readings, those of this implementation's own first.
    pub findings: Vec<Finding>,
    /// The open questions that the documents touch, in their order; when the
    /// stance is `either`, the reasons for it are among them.
    pub open: Vec<LedgerId>,
    /// Questions that the suite has settled, and that a finding rests on.
    pub settled: Vec<LedgerId>,
    /// The texts, as far as they could be decoded.
    pub sources: Vec<Source>,
}

impl Ruling {
    /// The findings that this implementation reports.
    pub fn reported(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.reported)
    }

    /// The findings that every implementation should report: those that hold
    /// under every reading. None while the verdict itself is open.
    pub fn expected(&self) -> impl Iterator<Item = &Finding> {
        let firm = self.stance != Stance::Either;
        self.findings.iter().filter(move |finding| firm && is_definite(finding))
    }

    /// The findings that an implementation may report or not.
    pub fn permitted(&self) -> impl Iterator<Item = &Finding> {
        let firm = self.stance != Stance::Either;
        self.findings.iter().filter(move |finding| !firm || !is_definite(finding))
    }

    /// The text of a document.
    #[must_use]
    pub fn source(&self, document: &str) -> Option<&Source> {
        self.sources.iter().find(|source| source.document == document)
    }
}

fn is_definite(finding: &Finding) -> bool {
    finding.reported && finding.open.is_none()
}
