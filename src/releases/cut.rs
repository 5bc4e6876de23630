//! Makes a release of a suite as it is.

use semver::Version;

use super::{Change, Changed, Current, Digest, Releases, SuiteRelease, changes};
use crate::core::Suite;

/// A release that is to be written, and what it brings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// The release.
    pub release: SuiteRelease,
    /// The release before, if there is one.
    pub before: Option<Version>,
    /// The fixtures that the release before does not have.
    pub new: usize,
    /// What is not as the release before has it.
    pub changes: Vec<Change>,
}

impl Cut {
    /// How many fixtures changed, in their documents or their goldens.
    #[must_use]
    pub fn changed(&self) -> usize {
        self.paths(|what| !matches!(what, Changed::Gone(_)))
    }

    /// How many fixtures lost cases.
    #[must_use]
    pub fn removed(&self) -> usize {
        self.paths(|what| matches!(what, Changed::Gone(_)))
    }

    fn paths(&self, is_it: impl Fn(&Changed) -> bool) -> usize {
        let changes = self.changes.iter().filter(|change| is_it(&change.what));
        let mut paths: Vec<&str> = changes.map(|change| change.path.as_str()).collect();
        paths.dedup();
        paths.len()
    }
}

/// Why there can be no such release.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CutError {
    /// There is a release with this version or a newer one.
    #[error("release {version} of {suite}: {newest} is released already")]
    NotAbove {
        /// The suite.
        suite: String,
        /// The version.
        version: Version,
        /// The newest release.
        newest: Version,
    },
    /// The suite says another version.
    #[error("release {version} of {suite}: its suite.yaml says version {says}")]
    OtherVersion {
        /// The suite.
        suite: String,
        /// The version.
        version: Version,
        /// What suite.yaml says.
        says: String,
    },
    /// There is no fixture.
    #[error("release {version} of {suite}: it has no fixture")]
    Empty {
        /// The suite.
        suite: String,
        /// The version.
        version: Version,
    },
}

impl CutError {
    /// What to do about it.
    #[must_use]
    pub fn remedy(&self) -> String {
        match self {
            Self::NotAbove { newest, .. } => {
                format!("choose a version above {newest}; a release is never written again")
            }
            Self::OtherVersion { suite, version, .. } => {
                format!("write version: {version} in suites/{suite}/suite.yaml first")
            }
            Self::Empty { .. } => "add a fixture, or leave the suite out with --suite".to_owned(),
        }
    }
}

/// Makes a release of a suite, given the digest of its data; `releases` are all that it
/// has.
///
/// # Errors
/// When there can be none with this version.
pub fn cut(
    suite: &Suite,
    (current, data): (Current, Digest),
    releases: &Releases,
    version: &Version,
) -> Result<Cut, CutError> {
    let name = || suite.suite.clone();
    if let Some(newest) = releases.versions.last().filter(|newest| *newest >= version) {
        let (version, newest) = (version.clone(), newest.clone());
        return Err(CutError::NotAbove { suite: name(), version, newest });
    }
    if suite.version != version.to_string() {
        let (version, says) = (version.clone(), suite.version.clone());
        return Err(CutError::OtherVersion { suite: name(), version, says });
    }
    if current.fixtures.is_empty() {
        return Err(CutError::Empty { suite: name(), version: version.clone() });
    }
    let before = releases.read.last();
    let (new, changes) = before.map_or((current.fixtures.len(), Vec::new()), |before| {
        let is_new = |path: &&String| !before.fixtures.contains_key(current.path_in(before, path));
        let new = current.fixtures.keys().filter(is_new).count();
        (new, changes(&before.fixtures, &current.fixtures, &current.renamed))
    });
    // Only what the release before has under another path; older ones are in its own file.
    let Current { fixtures, mut renamed } = current;
    renamed.retain(|path, _| before.is_some_and(|before| before.fixtures.contains_key(path)));
    let notes = releases.draft.clone();
    Ok(Cut {
        release: SuiteRelease {
            version: version.clone(),
            data: Some(data),
            notes,
            renamed,
            fixtures,
        },
        before: before.map(|before| before.version.clone()),
        new,
        changes,
    })
}
