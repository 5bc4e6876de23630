//! The implementation as a whole: bytes in, a ruling out.

use super::check::{Checked, Issue, quote};
use super::matching::{self, Offer};
use super::reading::rule;
use super::{
    MANIFEST, Mode, Parsed, Place, Predicates, Question, REFERENCE, RUNTIME, Reading, Ruling,
};
use super::{manifest, receipts, runtime};
use crate::certify::Verifier;
use crate::core::{Document, Protocol, Severity, Stance};
use crate::yaml::{self, NoteKind};

/// The built-in implementation, for one version of the protocol.
#[derive(Debug, Clone, Copy)]
pub struct Reference {
    protocol: Protocol,
    predicates: Predicates,
    /// The only reading that it looks at, if there is one.
    only: Option<Reading>,
}

impl Reference {
    /// The versions of the protocol that are known here, oldest first.
    pub const PROTOCOLS: [Protocol; 3] = [Protocol::new(0, 1), Protocol::new(0, 3), Self::LATEST];

    /// The newest of them.
    pub const LATEST: Protocol = Protocol::new(0, 4);

    /// The implementation as the spec has it.
    #[must_use]
    pub fn new(protocol: Protocol) -> Self {
        Self::with_predicates(protocol, REFERENCE)
    }

    /// An implementation that is broken on purpose.
    #[must_use]
    pub fn with_predicates(protocol: Protocol, predicates: Predicates) -> Self {
        Self { protocol, predicates, only: None }
    }

    /// The same implementation as one that knows this reading alone, as programs
    /// in the field do: its rulings leave open only what they touch.
    #[must_use]
    pub fn reading(self, only: Reading) -> Self {
        Self { only: Some(only), ..self }
    }

    /// Validates a manifest.
    #[must_use]
    pub fn validate(&self, manifest: &[u8], strict: bool) -> Ruling {
        self.validate_parsed(&Parsed::manifest(manifest), strict)
    }

    /// Validates a manifest that is parsed already.
    #[must_use]
    pub fn validate_parsed(&self, manifest: &Parsed, strict: bool) -> Ruling {
        let mode = if strict { Mode::Strict } else { Mode::Lenient };
        rule(&[manifest], self.only, |reading| self.check_manifest(manifest, reading, mode))
    }

    /// Matches a runtime capability document with a manifest.
    #[must_use]
    pub fn matches(&self, runtime: &[u8], manifest: &[u8]) -> Ruling {
        self.matches_parsed(&Parsed::runtime(runtime), &Parsed::manifest(manifest))
    }

    /// Matches documents that are parsed already.
    #[must_use]
    pub fn matches_parsed(&self, runtime: &Parsed, manifest: &Parsed) -> Ruling {
        let mut ruling = rule(&[runtime, manifest], self.only, |reading| {
            self.check_match(runtime, manifest, reading)
        });
        // JSON that is no YAML of ours is still a runtime document.
        let is_json = || {
            let text = runtime.text.as_deref().unwrap_or_default();
            serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
        };
        if ruling.stance == Stance::Reject && runtime.document.is_err() && is_json() {
            ruling.stance = Stance::Either;
            ruling.open.push(Question::L22.id());
        }
        ruling
    }

    /// Does an operation of a suite; `None` for one that is not known, or when a
    /// document is missing.
    #[must_use]
    pub fn decide(&self, operation: &str, documents: &[Document]) -> Option<Ruling> {
        let bytes = |name: &str| {
            documents.iter().find(|document| document.name == name).map(|found| &*found.bytes)
        };
        match operation {
            "lenient" => Some(self.validate(bytes(MANIFEST)?, false)),
            "strict" => Some(self.validate(bytes(MANIFEST)?, true)),
            "match" => Some(self.matches(bytes(RUNTIME)?, bytes(MANIFEST)?)),
            "check" => Some(receipts::check(&Verifier::default(), bytes(receipts::RECEIPT)?)),
            "admit" => {
                let receipt = bytes(receipts::RECEIPT)?;
                Some(receipts::admit(&Verifier::default(), receipt, bytes(receipts::POLICY)?))
            }
            _ => None,
        }
    }

    fn check_manifest(&self, parsed: &Parsed, reading: &Reading, mode: Mode) -> Checked {
        let root = match parsed.root(reading, "manifest.document.parse") {
            Ok(root) => root,
            Err(issue) => return failed(*issue),
        };
        let check = |protocol| manifest::check(&self.predicates, reading, protocol, mode, root);
        let mut checked = check(self.protocol);
        if let Some(older) = checked.older.filter(|_| reading.own_version) {
            let touched = checked.touched;
            checked = check(older);
            checked.touched.extend(touched);
        }
        checked.issues.extend(self.refusals(parsed));
        checked
    }

    fn check_match(&self, runtime: &Parsed, manifest: &Parsed, reading: &Reading) -> Checked {
        let offering = runtime.root(reading, "runtime.document.parse");
        let mut checked = match &offering {
            Err(issue) => failed(issue.as_ref().clone()),
            Ok(root) if self.predicates.check_runtime => {
                runtime::check(&self.predicates, reading, self.protocol, root)
            }
            Ok(_) => Checked::default(),
        };
        let invalid = checked.issues.iter().any(|issue| issue.open.is_none());
        match manifest.root(reading, "manifest.document.parse") {
            Err(issue) => checked.issues.push(*issue),
            Ok(root) => {
                let offer = match offering {
                    Ok(root) => Offer::new(reading, root),
                    Err(issue) => Offer::of_unread(issue.open),
                };
                let mut matched =
                    matching::check(&self.predicates, reading, self.protocol, root, &offer);
                if invalid {
                    // The runtime document decides; what would not match may come along.
                    for issue in &mut matched.issues {
                        issue.own = None;
                    }
                }
                checked.issues.append(&mut matched.issues);
                checked.touched.append(&mut matched.touched);
            }
        }
        checked.issues.extend(self.refusals(runtime));
        checked.issues.extend(self.refusals(manifest));
        checked
    }

    /// What the reference itself refuses, while others may not: duplicate keys and
    /// loose indentation, which YAML forbids, and a second document.
    fn refusals(&self, parsed: &Parsed) -> impl Iterator<Item = Issue> {
        let refuses = self.predicates.refuses;
        let notes = parsed.document.as_ref().map_or(&[][..], yaml::Document::notes);
        let rules = match parsed.name {
            RUNTIME => ("runtime.document.parse", "runtime.document.mapping"),
            _ => ("manifest.document.parse", "manifest.document.mapping"),
        };
        let refused = [
            (NoteKind::DuplicateKey, rules.0, Question::L4, "a key occurs twice"),
            (NoteKind::LooseIndentation, rules.0, Question::L22, "invalid indentation"),
            (NoteKind::SeveralDocuments, rules.1, Question::L7, "there is more than one document"),
        ];
        let refused = refused.into_iter().filter(move |(_, _, question, _)| refuses(*question));
        refused.filter_map(move |(kind, rule, question, message)| {
            let note = notes.iter().find(|note| note.kind == kind)?;
            let place = Place { document: parsed.name, span: note.span };
            let message = match note.at.as_str() {
                "" => message.to_owned(),
                at => format!("{message}: {}", quote(at)),
            };
            Some(Issue {
                rule,
                at: String::new(),
                place,
                rejects: true,
                open: Some(question),
                own: Some(Severity::Error),
                message,
            })
        })
    }
}

fn failed(issue: Issue) -> Checked {
    Checked { issues: vec![issue], ..Checked::default() }
}
