//! What can be wrong with the files of releases.

use crate::data::Fault;

/// What can be wrong with the file of a release, beyond its form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReleaseFault {
    /// The name of the file is no version.
    #[error("tell a version from the name of this file: {0}")]
    NoVersion(String),
    /// The file says another version than its name.
    #[error("take this for release {name}: it says that it is {version:?}")]
    OtherVersion {
        /// The version of the name.
        name: String,
        /// The version that it says.
        version: String,
    },
    /// There is no fixture in it.
    #[error("do with a release of no fixture")]
    NoFixtures,
    /// There is a fixture without cases.
    #[error("do with a fixture of no case")]
    NoCases,
    /// A note without a reason.
    #[error("do with an empty reason")]
    NoReason,
}

impl Fault for ReleaseFault {
    fn code(&self) -> &'static str {
        match self {
            Self::NoVersion(_) => "bad-version",
            Self::OtherVersion { .. } => "other-version",
            Self::NoFixtures | Self::NoCases | Self::NoReason => "empty",
        }
    }

    fn remedy(&self) -> String {
        match self {
            Self::NoVersion(_) => {
                "name it as 1.2.3.yaml; the notes of the next release are draft.yaml".into()
            }
            Self::OtherVersion { name, .. } => format!("write version: {name}"),
            Self::NoFixtures | Self::NoCases => {
                "restore the file as `release` wrote it; releases are never edited".into()
            }
            Self::NoReason => "say in a line why it changed".into(),
        }
    }
}
