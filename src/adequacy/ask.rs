//! What a mutant is asked, with the reference at hand to answer otherwise.

use super::Answer;
use super::bench::{Case, Trial};
use crate::certify::{self, Verifier};
use crate::core::Document;
use crate::reference::receipts::{self, POLICY, RECEIPT};
use crate::reference::{MANIFEST, Parsed, Predicates, REFERENCE, RUNTIME, Reading, Reference};
use crate::yaml::Node;

/// One case, as a mutant is asked about it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ask<'a> {
    pub(super) trial: &'a Trial<'a>,
    pub(super) case: &'a Case<'a>,
}

impl<'a> Ask<'a> {
    /// The operation: `lenient`, `strict` or `match`.
    pub(super) fn operation(&self) -> &'a str {
        self.case.operation
    }

    /// Whether it is the strict validation of a manifest.
    pub(super) fn is_strict(&self) -> bool {
        self.operation() == "strict"
    }

    /// Whether it is about a manifest alone.
    pub(super) fn validates(&self) -> bool {
        self.operation() != "match"
    }

    /// What the reference answers.
    pub(super) fn answer(&self) -> Answer {
        Answer::of(&self.case.ruling)
    }

    /// What the reference answers to another operation on the same documents.
    pub(super) fn ask(&self, operation: &str) -> Answer {
        self.put(&own(self.trial, REFERENCE), operation)
    }

    /// What the reference answers with some of its tests changed.
    pub(super) fn tested(&self, change: impl Fn(&mut Predicates)) -> Answer {
        self.read(Reading::OWN, change)
    }

    /// What it answers with another reading, and some of its tests changed.
    pub(super) fn read(&self, reading: Reading, change: impl Fn(&mut Predicates)) -> Answer {
        let mut predicates = REFERENCE;
        change(&mut predicates);
        self.put(&own(self.trial, predicates).reading(reading), self.operation())
    }

    /// What it answers to documents whose bytes were changed before.
    pub(super) fn rewritten(&self, change: impl Fn(&Document) -> Option<Vec<u8>>) -> Answer {
        let bytes = |name: &str| {
            self.document(name)
                .map(|document| change(document).unwrap_or_else(|| document.bytes.to_vec()))
        };
        let manifest = bytes(MANIFEST).unwrap_or_default();
        let reference = own(self.trial, REFERENCE);
        match (self.operation(), bytes(RUNTIME)) {
            ("match", Some(runtime)) => Answer::of(&reference.matches(&runtime, &manifest)),
            (operation, _) => Answer::of(&reference.validate(&manifest, operation == "strict")),
        }
    }

    /// What it answers, and one more error where something is broken.
    pub(super) fn refusing(&self, rule: &str, at: &str, is_broken: bool) -> Answer {
        if is_broken { self.answer().with_error(rule, at) } else { self.answer() }
    }

    /// What it answers when it cannot read a document.
    pub(super) fn unreadable(&self, name: &str) -> Answer {
        let nothing = Answer { findings: Vec::new(), ..self.answer() };
        nothing.with_error(&format!("{name}.document.parse"), "")
    }

    /// A document as it is stored.
    pub(super) fn document(&self, name: &str) -> Option<&'a Document> {
        self.trial.fixture.document(name)
    }

    /// The documents as they are stored.
    pub(super) fn documents(&self) -> &'a [Document] {
        &self.trial.fixture.documents
    }

    /// The node at these keys of the manifest.
    pub(super) fn manifest(&self, keys: &[&str]) -> Option<&'a Node> {
        below(self.trial.manifest.as_ref()?, keys)
    }

    /// The string at these keys of the manifest.
    pub(super) fn text(&self, keys: &[&str]) -> Option<&'a str> {
        self.manifest(keys).and_then(Node::as_str)
    }

    /// The extensions of the manifest: its keys that begin with `x-`, and their values.
    pub(super) fn extensions(&self) -> impl Iterator<Item = (&'a str, &'a Node)> {
        extensions(self.manifest(&[]))
    }

    /// The node at these keys of the runtime document.
    pub(super) fn runtime(&self, keys: &[&str]) -> Option<&'a Node> {
        below(self.trial.runtime.as_ref()?, keys)
    }

    /// The strings of a sequence of the runtime document.
    pub(super) fn offered(&self, name: &str) -> Vec<&'a str> {
        strings(self.runtime(&[name]))
    }

    /// The strings of a sequence of the manifest.
    pub(super) fn wanted(&self, name: &str) -> Vec<&'a str> {
        strings(self.manifest(&[name]))
    }

    /// Decides a rule of matching by itself, where it is the four rules that
    /// decide, and leaves the rest to the reference.
    pub(super) fn matching(&self, rule: &str, at: &str, holds: bool) -> Answer {
        let answer = self.answer();
        let other = |finding: &crate::core::ReportedFinding| !finding.rule.starts_with("match.");
        if self.validates() || answer.findings.iter().any(other) {
            return answer;
        }
        let answer = answer.knowing(|finding| finding.rule != rule);
        if holds { answer } else { answer.with_error(rule, at) }
    }

    fn put(&self, reference: &Reference, operation: &str) -> Answer {
        let Trial { manifest, runtime, .. } = self.trial;
        match (operation, manifest, runtime) {
            ("match", Some(manifest), Some(runtime)) => {
                Answer::of(&reference.matches_parsed(runtime, manifest))
            }
            ("lenient" | "strict", Some(manifest), _) => {
                Answer::of(&reference.validate_parsed(manifest, operation == "strict"))
            }
            _ => self.answer(),
        }
    }

    /// What the reference answers to a receipt with some of its tests changed.
    pub(super) fn receipt_tested(&self, change: impl Fn(&mut certify::Predicates)) -> Answer {
        let mut predicates = certify::REFERENCE;
        change(&mut predicates);
        let verifier = Verifier::new(predicates);
        let bytes = |name: &str| self.document(name).map(|document| &*document.bytes);
        match (self.operation(), bytes(RECEIPT), bytes(POLICY)) {
            ("check", Some(receipt), _) => Answer::of(&receipts::check(&verifier, receipt)),
            ("admit", Some(receipt), Some(policy)) => {
                Answer::of(&receipts::admit(&verifier, receipt, policy))
            }
            _ => self.answer(),
        }
    }
}

/// An implementation that knows its own reading alone, as those in the field do.
pub(super) fn own(trial: &Trial<'_>, predicates: Predicates) -> Reference {
    Reference::with_predicates(trial.protocol, predicates).reading(Reading::OWN)
}

fn below<'a>(document: &'a Parsed, keys: &[&str]) -> Option<&'a Node> {
    let root = document.document()?.root();
    keys.iter().try_fold(root, |node, key| {
        let entries = node.as_mapping()?;
        entries.iter().rev().find(|entry| entry.key.as_str() == Some(key)).map(|entry| &entry.value)
    })
}

/// The extensions at the top of a document.
pub(super) fn extensions(root: Option<&Node>) -> impl Iterator<Item = (&str, &Node)> {
    let entries = root.and_then(Node::as_mapping).unwrap_or_default().iter();
    entries
        .filter_map(|entry| Some((entry.key.as_str()?, &entry.value)))
        .filter(|(key, _)| key.starts_with("x-"))
}

fn strings(node: Option<&Node>) -> Vec<&str> {
    node.and_then(Node::as_sequence).into_iter().flatten().filter_map(Node::as_str).collect()
}
