//! What can be wrong with a list of expected failures.

use crate::data::Fault;

/// What can be wrong with a list of expected failures, beyond its form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExpectFault {
    /// An entry names nothing that fails, or more than one thing.
    #[error("tell what is to fail: exactly one of case, fixtures and rule says it")]
    NotOneTarget,
    /// A text that may not be blank is.
    #[error("do with a blank {0}")]
    Blank(&'static str),
    /// Nothing has this name.
    #[error("find the {what} {name:?}")]
    Unknown {
        /// What it should name.
        what: &'static str,
        /// The name.
        name: String,
        /// What may have been meant.
        near: Option<String>,
    },
    /// A glob that cannot be used.
    #[error("read {glob:?} as a glob: {cause}")]
    BadGlob {
        /// The glob.
        glob: String,
        /// What is wrong with it.
        cause: String,
    },
    /// Nothing is covered.
    #[error("find a case for {0:?}")]
    Nothing(String),
    /// A glob that covers many cases, and does not say that it is meant to.
    #[error("cover {cases} cases with one entry")]
    TooWide {
        /// How many.
        cases: usize,
    },
    /// A key that does nothing here.
    #[error("make use of {0:?} in this entry")]
    Idle(&'static str),
    /// Another entry is for the same.
    #[error("list {name:?} twice: line {line} does it, too")]
    Twice {
        /// What both name.
        name: String,
        /// Where the other stands.
        line: usize,
    },
}

impl Fault for ExpectFault {
    fn code(&self) -> &'static str {
        match self {
            Self::NotOneTarget => "not-one-target",
            Self::Blank(_) => "empty",
            Self::Unknown { what: "case", .. } => "unknown-case",
            Self::Unknown { what: "rule", .. } => "unknown-rule",
            Self::Unknown { .. } => "unknown-operation",
            Self::BadGlob { .. } => "bad-glob",
            Self::Nothing(_) => "covers-nothing",
            Self::TooWide { .. } => "too-wide",
            Self::Idle(_) => "idle-key",
            Self::Twice { .. } => "listed-twice",
        }
    }

    fn remedy(&self) -> String {
        match self {
            Self::NotOneTarget => "keep one of the three".to_owned(),
            Self::Blank(_) => "write it".to_owned(),
            Self::Unknown { near: Some(near), .. } => format!("did you mean {near}?"),
            Self::Unknown { .. } | Self::Nothing(_) => {
                "correct it, or remove the entry; --list shows what there is".to_owned()
            }
            Self::BadGlob { .. } => {
                "correct it: * is any text without /, ** any text, [ab] one of these".to_owned()
            }
            Self::TooWide { .. } => {
                "name fewer, or add wide: true if all of them are known to fail".to_owned()
            }
            Self::Idle(_) => "remove it".to_owned(),
            Self::Twice { .. } => "keep one of the two".to_owned(),
        }
    }
}
