//! The files of `suites/SUITE/releases`, as they are written.

use std::collections::BTreeMap;

use semver::Version;
use serde::Deserialize;

use super::{Digest, Frozen};
use crate::core::unique_map;

/// Why released fixtures changed, by their path in the suite.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notes {
    /// What there is to say of the release as a whole.
    pub text: Option<String>,
    /// Fixtures whose documents or verdicts are others than those of the release before.
    pub changed: BTreeMap<String, String>,
    /// Fixtures, or cases of them, that the release before has and that are gone.
    pub removed: BTreeMap<String, String>,
}

/// A release of a suite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuiteRelease {
    /// Its version.
    pub version: Version,
    /// The digest of what it was made of, see [`Data::digest`](super::Data::digest):
    /// where that is still the same, so is everything that is frozen.
    pub data: Option<Digest>,
    /// What it changed of the release before.
    pub notes: Notes,
    /// The fixtures that have another path than in the release before: it, and the new
    /// one.
    pub renamed: BTreeMap<String, String>,
    /// The fixtures, by path in the suite; one or more.
    pub fixtures: BTreeMap<String, Frozen>,
}

/// `releases/draft.yaml`: the notes of the release that is to come.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DraftNotes {
    #[serde(default)]
    notes: Option<String>,
    #[serde(default, deserialize_with = "unique_map")]
    changed: BTreeMap<String, String>,
    #[serde(default, deserialize_with = "unique_map")]
    removed: BTreeMap<String, String>,
}

impl From<DraftNotes> for Notes {
    fn from(draft: DraftNotes) -> Self {
        Self { text: draft.notes, changed: draft.changed, removed: draft.removed }
    }
}

/// `releases/VERSION.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReleaseFile {
    pub(super) version: String,
    #[serde(default)]
    data: Option<Digest>,
    #[serde(default)]
    notes: Option<String>,
    #[serde(default, deserialize_with = "unique_map")]
    changed: BTreeMap<String, String>,
    #[serde(default, deserialize_with = "unique_map")]
    removed: BTreeMap<String, String>,
    #[serde(default, deserialize_with = "unique_map")]
    renamed: BTreeMap<String, String>,
    #[serde(deserialize_with = "unique_map")]
    pub(super) fixtures: BTreeMap<String, Frozen>,
}

impl ReleaseFile {
    /// The release, whose version was read from the name of the file.
    pub(super) fn into_release(self, version: Version) -> SuiteRelease {
        SuiteRelease {
            version,
            data: self.data,
            notes: Notes { text: self.notes, changed: self.changed, removed: self.removed },
            renamed: self.renamed,
            fixtures: self.fixtures,
        }
    }
}
