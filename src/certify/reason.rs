//! What can be wrong with a receipt, a policy, or what is given with them.

use super::{EvidenceKind, Identity, JsonFault};

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
    /// Evidence that was given is not what the receipt names.
    EvidenceMismatch {
        /// The kind.
        kind: EvidenceKind,
        /// What the receipt names.
        receipt: Identity,
        /// What was given.
        given: Identity,
    },
    /// Evidence was given of a kind that the receipt does not have.
    EvidenceUnnamed {
        /// The kind.
        kind: EvidenceKind,
    },
    /// The results are others.
    ResultMismatch {
        /// Those of the receipt.
        receipt: Identity,
        /// Those that were found.
        found: Identity,
    },
    /// Another suite was run.
    SuiteMismatch {
        /// What the receipt says.
        receipt: String,
        /// What was found.
        found: String,
    },
    /// Another number of tests was run.
    TestsMismatch {
        /// The tests of the receipt.
        receipt: u64,
        /// The tests that were found.
        found: u64,
    },
    /// Something else was tested.
    SubjectMismatch {
        /// The subject of the receipt.
        receipt: Identity,
        /// What was given.
        given: Identity,
    },
    /// The receipt holds the project to something else.
    RevisionMismatch {
        /// What the receipt says.
        receipt: Identity,
        /// What was given.
        given: Identity,
    },
    /// The receipt is of another project.
    ProjectMismatch {
        /// The project of the receipt.
        receipt: String,
        /// The one that was given.
        given: String,
    },
    /// Not all tests pass any more.
    RerunFails {
        /// How many do not.
        failing: u64,
    },
    /// Fewer tests were run than the policy asks for.
    TooFewTests {
        /// The tests of the receipt.
        receipt: u64,
        /// The minimum of the policy.
        policy: u64,
    },
}

impl Reason {
    /// The last part of the code.
    pub(super) fn name(&self) -> &'static str {
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
            Self::EvidenceMismatch { .. } => "evidence-mismatch",
            Self::EvidenceUnnamed { .. } => "evidence-unnamed",
            Self::ResultMismatch { .. } => "result-mismatch",
            Self::SuiteMismatch { .. } => "suite-mismatch",
            Self::TestsMismatch { .. } => "tests-mismatch",
            Self::SubjectMismatch { .. } => "subject-mismatch",
            Self::RevisionMismatch { .. } => "project-revision-mismatch",
            Self::ProjectMismatch { .. } => "project-mismatch",
            Self::RerunFails { .. } => "rerun-fails",
        }
    }

    /// What to do about it.
    pub(super) fn remedy(&self) -> &'static str {
        match self {
            Self::Unreadable(JsonFault::TooLarge { .. }) => "check that this is the right file",
            Self::Unreadable(_) | Self::NoObject => {
                "check that this is the right file, and get it again from where it was made"
            }
            Self::RepeatedKey | Self::NotCanonical { .. } => {
                "get the file again as it was made: certify writes the canonical form, and an \
                 editor or a formatter may have changed it"
            }
            Self::OtherIdentity { .. } => {
                "do not use this receipt: it was changed after its identity was taken"
            }
            Self::Missing
            | Self::UnknownField
            | Self::WrongType { .. }
            | Self::NotConstant { .. }
            | Self::Length { .. }
            | Self::NotIdentity { .. }
            | Self::NotVersion { .. }
            | Self::NotPositive { .. }
            | Self::NotExact { .. }
            | Self::UnknownKind { .. }
            | Self::TooFewKinds
            | Self::RepeatedKind
            | Self::NoRunner => "correct the program that wrote this, or the policy by hand",
            Self::SuiteIdMismatch { .. } | Self::SuiteVersionMismatch { .. } => {
                "certify with the suite that the policy names, or change the policy once that \
                 suite has been reviewed"
            }
            Self::EvidenceMissing { .. } => "certify again with a program that records it",
            Self::RunnerMismatch { .. } => {
                "certify with the program that the policy names, or change the policy once that \
                 program has been reviewed"
            }
            Self::TooFewTests { .. } => "certify with the whole suite",
            Self::EvidenceMismatch { .. } | Self::EvidenceUnnamed { .. } => {
                "give the evidence of the certified run; that of another run, even of the same \
                 program, may differ"
            }
            Self::ResultMismatch { .. } | Self::TestsMismatch { .. } => {
                "do not rely on the receipt for this implementation: what it did then is not \
                 what is shown now"
            }
            Self::SuiteMismatch { .. } => "use the release of the program that certified",
            Self::SubjectMismatch { .. } => {
                "give the implementation that was certified, with the same arguments and files, \
                 or certify this one"
            }
            Self::RevisionMismatch { .. } => {
                "certify again: what the project is held to is not what it was"
            }
            Self::ProjectMismatch { .. } => "give the receipt of this project",
            Self::RerunFails { .. } => "run it without certify to see the failing cases",
        }
    }
}
