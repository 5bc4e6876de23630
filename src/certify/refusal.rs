//! Why a receipt or a policy is refused.

use std::fmt;

use super::{Doubt, Reason};
use crate::core::RuleId;

/// The most characters of a text from outside that a message quotes.
const QUOTED: usize = 100;

/// One reason to refuse a receipt or a policy, with the place of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    code: RuleId,
    at: String,
    reason: Reason,
    doubt: Option<Doubt>,
}

impl Refusal {
    /// A refusal of the value that `subject` names: its keys, joined by dots, after
    /// `receipt` or `policy`.
    pub(super) fn new(subject: &str, at: impl Into<String>, reason: Reason) -> Self {
        let code = format!("{subject}.{}", reason.name());
        // Subjects are made of the keys of the format, and all these are ids.
        let code = RuleId::new(&code).unwrap_or_else(|error| panic!("{error}"));
        Self { code, at: at.into(), reason, doubt: None }
    }

    /// The same, when only one reading of an open question has it.
    pub(super) fn doubtful(mut self, doubt: Option<Doubt>) -> Self {
        self.doubt = doubt;
        self
    }

    /// The open question, when only one of its readings has this refusal.
    #[must_use]
    pub fn doubt(&self) -> Option<Doubt> {
        self.doubt
    }

    /// The stable code, which is the id of the rule that is broken.
    #[must_use]
    pub fn code(&self) -> &RuleId {
        &self.code
    }

    /// The place in the document, as a JSON pointer; of a missing key the key itself.
    #[must_use]
    pub fn at(&self) -> &str {
        &self.at
    }

    /// What to do about it.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        self.reason.remedy()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match self.at.as_str() {
            "" => "the document".to_owned(),
            at => quoted(at),
        };
        match &self.reason {
            Reason::Unreadable(fault) => write!(f, "no JSON: {fault}"),
            Reason::NoObject => f.write_str("a JSON text, and no object"),
            Reason::RepeatedKey => write!(f, "the key at {place} stands twice"),
            Reason::NotCanonical { at: Some(at) } => {
                write!(f, "not the canonical form of RFC 8785: byte {at} is another")
            }
            Reason::NotCanonical { at: None } => {
                f.write_str("there is no canonical form by RFC 8785 of this")
            }
            Reason::Missing => write!(f, "{place} is missing"),
            Reason::UnknownField => write!(f, "{place} is no key of the format"),
            Reason::WrongType { expected, found } => {
                write!(f, "{place} is {found} and must be {expected}")
            }
            Reason::NotConstant { expected, found } => {
                write!(f, "{place} is {} and must be {expected:?}", quoted(found))
            }
            Reason::Length { characters } => {
                write!(f, "{place} has {characters} characters, and 1 to 4096 are allowed")
            }
            Reason::NotIdentity { expected, found } => {
                write!(f, "{place} is {} and must be {expected}", quoted(found))
            }
            Reason::NotVersion { found } => {
                write!(f, "{place} is {}, which is no version by SemVer 2.0.0", quoted(found))
            }
            Reason::NotPositive { found } => {
                write!(f, "{place} is {} and must be 1 or more", quoted(found))
            }
            Reason::NotExact { found } => {
                let found = quoted(found);
                write!(f, "{place} is {found}, above 2^53 - 1, where readers lose digits")
            }
            Reason::UnknownKind { found } => {
                write!(f, "{} is no kind of evidence that may stand here", quoted(found))
            }
            Reason::TooFewKinds => write!(f, "{place} is empty"),
            Reason::RepeatedKind => write!(f, "{place} has an entry twice"),
            Reason::NoRunner => write!(f, "{place} lacks test-runner"),
            Reason::OtherIdentity { stated, computed } => {
                write!(
                    f,
                    "the identity stated is {}, that of the receipt {computed}",
                    quoted(stated)
                )
            }
            Reason::SuiteIdMismatch { receipt, policy } => {
                let (receipt, policy) = (quoted(receipt), quoted(policy));
                write!(f, "the suite is {receipt}, the policy admits {policy}")
            }
            Reason::SuiteVersionMismatch { receipt, policy } => {
                let (receipt, policy) = (quoted(receipt), quoted(policy));
                write!(f, "the suite's version is {receipt}, the policy admits {policy}")
            }
            Reason::EvidenceMissing { kind } => {
                write!(f, "there is no evidence of the kind {kind}, which the policy requires")
            }
            Reason::RunnerMismatch { receipt, policy } => {
                write!(f, "the tests were run by {receipt}, the policy admits {policy}")
            }
            Reason::TooFewTests { receipt, policy } => {
                write!(f, "{receipt} tests were run, the policy asks for {policy} or more")
            }
            Reason::EvidenceMismatch { kind, receipt, given } => {
                write!(f, "the {kind} of the receipt is {receipt}, the one given is {given}")
            }
            Reason::EvidenceUnnamed { kind } => {
                write!(f, "the receipt names no evidence of the kind {kind}")
            }
            Reason::ResultMismatch { receipt, found } => {
                write!(f, "the result of the receipt is {receipt}, the one found is {found}")
            }
            Reason::SuiteMismatch { receipt, found } => {
                write!(
                    f,
                    "the suite of the receipt is {}, the one found is {}",
                    quoted(receipt),
                    quoted(found)
                )
            }
            Reason::TestsMismatch { receipt, found } => {
                write!(f, "the receipt is of {receipt} tests, and {found} were run")
            }
            Reason::SubjectMismatch { receipt, given } => {
                write!(f, "the receipt is of {receipt}, what was given is {given}")
            }
            Reason::RevisionMismatch { receipt, given } => {
                write!(f, "the receipt holds its project to {receipt}, what was given is {given}")
            }
            Reason::ProjectMismatch { receipt, given } => {
                let (receipt, given) = (quoted(receipt), quoted(given));
                write!(f, "the receipt is of the project {receipt}, not of {given}")
            }
            Reason::RerunFails { failing } => {
                write!(f, "{failing} tests do not pass")
            }
        }
    }
}

/// A text from outside, on one line, bounded, with nothing that a terminal acts on.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_bounded_and_safe() {
        let hostile = "\u{1b}[31m\n::error::\u{202e}".repeat(1000);
        let refusal = Refusal::new(
            "receipt.schema",
            format!("/{hostile}"),
            Reason::NotConstant { expected: "x", found: hostile },
        );
        let message = refusal.to_string();
        assert!(message.len() < 2000, "{}", message.len());
        assert!(!message.contains(|c: char| c.is_control() || c == '\u{202e}'), "{message}");
        assert_eq!(refusal.code().as_str(), "receipt.schema.value");
    }
}
