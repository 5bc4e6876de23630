//! A fixture, loaded and checked: its documents and what is expected of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Content, FixtureId, LedgerId, Protocol, Release, RuleId, Stance};

/// What kind of test a fixture is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// A plain case as it occurs in practice.
    Example,
    /// One side of a limit.
    Boundary,
    /// Something that must hold whatever else does.
    Invariant,
}

/// A document of a fixture, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The name that argv templates use, such as `manifest`.
    pub name: String,
    /// Its path in the fixture's directory, with `/`.
    pub path: String,
    /// The bytes.
    pub bytes: Content,
}

/// A finding that a golden expects.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedFinding {
    /// The rule that is broken.
    pub rule: RuleId,
    /// The place in the document, as a JSON pointer; empty for all of it.
    #[serde(default)]
    pub at: String,
    /// The scalar at that place, where there is one: what free text may name.
    #[serde(skip)]
    pub value: Option<String>,
    /// Whether the document has no such place: something is missing there.
    #[serde(skip)]
    pub absent: bool,
}

/// What is expected of one operation on one fixture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expectation {
    /// Accept, reject, or open.
    pub stance: Stance,
    /// The findings to report, as a set. `None` when the fixture has no golden:
    /// then only the stance is judged.
    pub findings: Option<Vec<ExpectedFinding>>,
    /// Findings that may be reported or not, because the ledger leaves them open.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub permitted: Vec<ExpectedFinding>,
    /// The ledger entries that leave it open.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ledger: Vec<LedgerId>,
}

/// A fixture: documents, and what each operation must make of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixture {
    /// The id; its suite is part of it.
    pub id: FixtureId,
    /// Why it is there, in one line.
    pub about: String,
    /// What kind of test it is; `None` without a golden.
    pub category: Option<Category>,
    /// The rules it decides.
    pub decides: Vec<RuleId>,
    /// The release from which on it holds.
    pub since: Release,
    /// The release from which on it holds no more.
    pub before: Option<Release>,
    /// Ids it had before.
    pub aliases: Vec<FixtureId>,
    /// The variants that make no sense for it, each with the reason.
    pub except_variants: BTreeMap<String, String>,
    /// Fixtures whose documents are equal after parsing, each with the reason why
    /// both are there.
    pub twins: BTreeMap<String, String>,
    /// The documents, in the order of their names.
    pub documents: Vec<Document>,
    /// What is expected, by operation; boxed, because a map keeps room for eleven.
    pub cases: BTreeMap<String, Box<Expectation>>,
    /// Whether the expectations come from a golden or from the directory's name.
    pub has_golden: bool,
    /// Where it lies, for people; for embedded data a path below `fixtures/`.
    pub location: PathBuf,
}

impl Fixture {
    /// A fixture of which nothing is known but its documents: it holds from the first
    /// release on, and expects nothing.
    #[must_use]
    pub fn of(id: FixtureId, documents: Vec<Document>) -> Self {
        Self {
            id,
            about: String::new(),
            category: None,
            decides: Vec::new(),
            since: Release::new(0, 1, 0),
            before: None,
            aliases: Vec::new(),
            except_variants: BTreeMap::new(),
            twins: BTreeMap::new(),
            documents,
            cases: BTreeMap::new(),
            has_golden: false,
            location: PathBuf::new(),
        }
    }

    /// Whether the fixture holds at a protocol version.
    #[must_use]
    pub fn holds_at(&self, protocol: Protocol) -> bool {
        protocol.includes(self.since)
            && !self.before.is_some_and(|before| protocol.includes(before))
    }

    /// Where one of its documents lies, for people, given its path in the fixture.
    #[must_use]
    pub fn place_of(&self, path: &Path) -> PathBuf {
        // A fixture that is a single file lies where its document does.
        if self.location.ends_with(path) { self.location.clone() } else { self.location.join(path) }
    }

    /// The document with this name.
    #[must_use]
    pub fn document(&self, name: &str) -> Option<&Document> {
        self.documents.iter().find(|document| document.name == name)
    }
}
