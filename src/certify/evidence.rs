//! The kinds of evidence that a receipt may name.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, de};

/// All kinds that a receipt may have, in order.
const KINDS: [&str; 22] = [
    "acceptance-result",
    "artifact-publication-result",
    "build-result",
    CUSTODY,
    "deployment-result",
    "generation-provenance",
    "lifecycle-command",
    "lifecycle-plan",
    "lifecycle-request",
    "observation-result",
    "package-result",
    "publication-result",
    "resolved-sbom",
    "security-scan-report",
    "source-cache-decision",
    "source-cache-lifecycle",
    "source-cache-publication-result",
    "source-intelligence",
    "source-sbom",
    "test-report",
    "test-runner",
    "workspace-admission",
];

/// The one kind that receipts may have and policies may not ask for.
const CUSTODY: &str = "cache-directory-custody";

/// A kind of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct EvidenceKind(&'static str);

impl EvidenceKind {
    /// The report of the run, without what differs from run to run.
    pub const TEST_REPORT: Self = Self("test-report");
    /// The program that ran the tests.
    pub const TEST_RUNNER: Self = Self("test-runner");

    /// The kind with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        KINDS.binary_search(&name).ok().map(|index| Self(KINDS[index]))
    }

    /// All kinds, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        KINDS.into_iter().map(Self)
    }

    /// Whether a policy may require it.
    #[must_use]
    pub fn may_be_required(self) -> bool {
        self.0 != CUSTODY
    }

    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for EvidenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

impl<'de> Deserialize<'de> for EvidenceKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::named(&name).ok_or_else(|| de::Error::custom(format!("{name:?} is no evidence kind")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_found_by_name() {
        assert!(KINDS.is_sorted());
        assert!(EvidenceKind::all().all(|kind| EvidenceKind::named(kind.as_str()) == Some(kind)));
        assert_eq!(EvidenceKind::named("test-result"), None);
        let refused: Vec<_> = EvidenceKind::all().filter(|kind| !kind.may_be_required()).collect();
        assert_eq!(refused, [EvidenceKind(CUSTODY)]);
    }
}
