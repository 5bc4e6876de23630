//! Why a receipt or a policy is refused.

use std::fmt;

use super::{Doubt, EvidenceKind, Identity, JsonFault};
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

/// What is wrong, with the evidence for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// It cannot be read as JSON.
    Unreadable(JsonFault),
    /// It is JSON, and no object.
    NoObject,
    /// A key stands twice in one object.
    RepeatedKey,
    /// The bytes are not the canonical form.
    NotCanonical {
        /// The first byte that differs, from 0; `None` when there is no canonical form.
        at: Option<usize>,
    },
    /// A key is missing.
    Missing,
    /// A key that the format does not have.
    UnknownField,
    /// A value of another type.
    WrongType {
        /// The type that it must have.
        expected: &'static str,
        /// The type that it has.
        found: &'static str,
    },
    /// Another text than the one that must stand there.
    NotConstant {
        /// What must stand there.
        expected: &'static str,
        /// What does.
        found: String,
    },
    /// A text that is empty or too long.
    Length {
        /// Its characters.
        characters: usize,
    },
    /// A text that is no identity or digest.
    NotIdentity {
        /// The form that it must have.
        expected: &'static str,
        /// The text.
        found: String,
    },
    /// A text that is no version.
    NotVersion {
        /// The text.
        found: String,
    },
    /// A number that is not 1 or more.
    NotPositive {
        /// The number.
        found: String,
    },
    /// A number that not every JSON reader keeps.
    NotExact {
        /// The number.
        found: String,
    },
    /// No kind of evidence, or none that may stand there.
    UnknownKind {
        /// The name.
        found: String,
    },
    /// A list with too few entries.
    TooFewKinds,
    /// A list with an entry that stands twice.
    RepeatedKind,
    /// A list without the test runner.
    NoRunner,
    /// A receipt in a larger object is another one than is stated there.
    OtherIdentity {
        /// The identity that is stated.
        stated: String,
        /// The identity that the receipt has.
        computed: Identity,
    },
    /// The receipt is of another suite than the policy names.
    SuiteIdMismatch {
        /// The suite of the receipt.
        receipt: String,
        /// The suite of the policy.
        policy: String,
    },
    /// The receipt is of another version of the suite.
    SuiteVersionMismatch {
        /// The version of the receipt.
        receipt: String,
        /// The version of the policy.
        policy: String,
    },
    /// Evidence of a required kind is missing.
    EvidenceMissing {
        /// The kind.
        kind: EvidenceKind,
    },
    /// Another program ran the tests than the policy admits.
    RunnerMismatch {
        /// The program of the receipt.
        receipt: Identity,
        /// The program of the policy.
        policy: Identity,
    },
    /// Fewer tests were run than the policy asks for.
    TooFewTests {
        /// The tests of the receipt.
        receipt: u64,
        /// The minimum of the policy.
        policy: u64,
    },
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

    /// What is wrong, with the evidence for it.
    #[must_use]
    pub fn reason(&self) -> &Reason {
        &self.reason
    }

    /// What to do about it.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match &self.reason {
            Reason::Unreadable(JsonFault::TooLarge { .. }) => "check that this is the right file",
            Reason::Unreadable(_) | Reason::NoObject => {
                "check that this is the right file, and get it again from where it was made"
            }
            Reason::RepeatedKey | Reason::NotCanonical { .. } => {
                "get the file again as it was made: certify writes the canonical form, and an \
                 editor or a formatter may have changed it"
            }
            Reason::OtherIdentity { .. } => {
                "do not use this receipt: it was changed after its identity was taken"
            }
            Reason::Missing
            | Reason::UnknownField
            | Reason::WrongType { .. }
            | Reason::NotConstant { .. }
            | Reason::Length { .. }
            | Reason::NotIdentity { .. }
            | Reason::NotVersion { .. }
            | Reason::NotPositive { .. }
            | Reason::NotExact { .. }
            | Reason::UnknownKind { .. }
            | Reason::TooFewKinds
            | Reason::RepeatedKind
            | Reason::NoRunner => "correct the program that wrote this, or the policy by hand",
            Reason::SuiteIdMismatch { .. } | Reason::SuiteVersionMismatch { .. } => {
                "certify with the suite that the policy names, or change the policy once that \
                 suite has been reviewed"
            }
            Reason::EvidenceMissing { .. } => "certify again with a program that records it",
            Reason::RunnerMismatch { .. } => {
                "certify with the program that the policy names, or change the policy once that \
                 program has been reviewed"
            }
            Reason::TooFewTests { .. } => "certify with the whole suite",
        }
    }
}

impl Reason {
    /// The last part of the code.
    fn name(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "document.parse",
            Self::NoObject => "document.object",
            Self::RepeatedKey => "document.unique-keys",
            Self::NotCanonical { .. } => "document.canonical",
            Self::Missing => "required",
            Self::UnknownField => "unknown-field",
            Self::WrongType { .. } => "type",
            Self::NotConstant { .. } => "value",
            Self::Length { .. } => "length",
            Self::NotIdentity { .. } => "form",
            Self::NotVersion { .. } => "semver",
            Self::NotPositive { .. } => "minimum",
            Self::NotExact { .. } => "exact",
            Self::UnknownKind { .. } => "kinds",
            Self::TooFewKinds => "min-items",
            Self::RepeatedKind => "unique",
            Self::NoRunner => "test-runner",
            Self::OtherIdentity { .. } => "embedded.identity",
            Self::SuiteIdMismatch { .. } => "suite-id-mismatch",
            Self::SuiteVersionMismatch { .. } => "suite-version-mismatch",
            Self::EvidenceMissing { .. } => "evidence-missing",
            Self::RunnerMismatch { .. } => "runner-mismatch",
            Self::TooFewTests { .. } => "too-few-tests",
        }
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
