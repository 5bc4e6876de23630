//! What can be wrong with a suite.

use crate::data::Fault;

/// What can be wrong with the files of a suite, beyond their form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SuiteFault {
    /// There is no suite at all.
    #[error("find a suite here")]
    NoSuites,
    /// A file of a suite is not there.
    #[error("find {0} of this suite")]
    MissingFile(&'static str),
    /// The suite has another name than its folder.
    #[error("take the name {name:?} for the suite in folder {folder:?}")]
    OtherName {
        /// The name in the file.
        name: String,
        /// The name of the folder.
        folder: String,
    },
    /// A name that stands in ids and on command lines has other characters.
    #[error("use {0:?} as a name")]
    BadName(String),
    /// The version is no SemVer.
    #[error("read {text:?} as a version: {cause}")]
    BadVersion {
        /// What stands there.
        text: String,
        /// What SemVer says to it.
        cause: String,
    },
    /// A text or list that may not be empty is.
    #[error("do with an empty {0}")]
    Empty(&'static str),
    /// The same thing twice.
    #[error("tell two of the same {what} apart: {text:?}")]
    Twice {
        /// What it is.
        what: &'static str,
        /// Which one.
        text: String,
    },
    /// The protocol versions do not ascend.
    #[error("order protocol versions: {0} does not come after the one before it")]
    Unordered(String),
    /// A name that nothing has.
    #[error("find the {what} {name:?}")]
    Dangling {
        /// What it should name.
        what: &'static str,
        /// The name.
        name: String,
        /// The names that there are, when they are few.
        known: Vec<String>,
    },
    /// Where a document stands leads out of the fixture or is taken.
    #[error("use {0:?} as the place of a document")]
    BadPlace(String),
    /// A brace in an argument that opens or closes no placeholder.
    #[error("find the placeholders of the argument {0:?}")]
    BadTemplate(String),
    /// An operation that is given no document.
    #[error("give the implementation a document with this operation")]
    NoDocument,
    /// A relation of an operation with itself.
    #[error("relate the operation {0:?} to itself")]
    SelfRelation(String),
    /// A name rule that leaves the verdict open.
    #[error("judge by a name that leaves the verdict open")]
    OpenName,
    /// Names bind, and there are none.
    #[error("let names bind when there are none")]
    NoNames,
    /// Another suite takes what lies beside already.
    #[error("let two suites take what lies beside: {0:?} does it too")]
    TwoBeside(String),
    /// A rule that no protocol version of the suite has.
    #[error("find a protocol version of the suites that has {0}")]
    TooNew(String),
    /// A rule that is to be broken before it came, and came no earlier.
    #[error("let {0:?} stand for this rule before it came: it is not older")]
    NotOlder(String),
    /// A ledger entry with fewer than two readings.
    #[error("call this an open question: it has {0} of the two readings that it takes")]
    FewReadings(usize),
}

impl Fault for SuiteFault {
    fn code(&self) -> &'static str {
        match self {
            Self::NoSuites => "no-suites",
            Self::MissingFile(_) => "missing-file",
            Self::OtherName { .. } => "other-name",
            Self::BadName(_) => "bad-name",
            Self::BadVersion { .. } => "bad-version",
            Self::Empty(_) => "empty",
            Self::Twice { .. } => "duplicate",
            Self::Unordered(_) => "unordered-protocols",
            Self::Dangling { .. } => "dangling-reference",
            Self::BadPlace(_) => "bad-document-place",
            Self::BadTemplate(_) => "bad-template",
            Self::NoDocument => "no-document-in-argv",
            Self::SelfRelation(_) => "self-relation",
            Self::OpenName => "open-name",
            Self::NoNames => "no-names",
            Self::TwoBeside(_) => "two-beside",
            Self::TooNew(_) => "too-new",
            Self::NotOlder(_) => "not-older",
            Self::FewReadings(_) => "few-readings",
        }
    }

    fn remedy(&self) -> String {
        match self {
            Self::NoSuites => "give a directory with a folder for each suite".into(),
            Self::MissingFile(file) => format!("add the file {file}"),
            Self::OtherName { folder, .. } => format!("write {folder:?}, or rename the folder"),
            Self::BadName(_) => "use a-z, 0-9, - and _, and start with a letter or digit".into(),
            Self::BadVersion { .. } => "write it as 1.2.3".into(),
            Self::Empty(what) => format!("fill in the {what}"),
            Self::Twice { .. } => "remove one, or rename it".into(),
            Self::Unordered(_) => "list every version once, oldest first".into(),
            Self::Dangling { what, known, .. } if known.is_empty() => {
                format!("correct the name, or add the {what}")
            }
            Self::Dangling { known, .. } => format!("use one of {}", known.join(", ")),
            Self::BadPlace(_) => {
                "use a relative path of plain names joined by /, not expected.yaml, \
                                  and each only once"
                    .into()
            }
            Self::BadTemplate(_) => "write placeholders as {document}, and no other braces".into(),
            Self::NoDocument => "add an argument such as {document} to argv".into(),
            Self::SelfRelation(_) => "name two operations".into(),
            Self::OpenName => "say accept or reject, or leave the operation out".into(),
            Self::NoNames => "add names, or set names-bind to false".into(),
            Self::TwoBeside(_) => "leave beside: true to one suite".into(),
            Self::TooNew(_) => "correct since, or add the version to protocols".into(),
            Self::NotOlder(_) => "name a rule of an earlier release, or remove before".into(),
            Self::FewReadings(_) => "add the readings, or make it a rule".into(),
        }
    }
}
