//! Variants: other ways to write a fixture's documents that mean the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{CaseId, FixtureId};

/// A way to write documents otherwise that keeps what they mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// The keys of every mapping in reverse order.
    Reversed,
    /// Lines that end with CR LF.
    Crlf,
    /// Comments between the lines and behind values.
    Commented,
    /// Everything as JSON, on one line.
    Json,
    /// Every plain string in double quotes.
    Quoted,
    /// A byte order mark in front.
    Bom,
    /// A document marker, `---`, in front.
    Marker,
}

/// There is no variant of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no variant")]
pub struct NoSuchVariant(String);

impl Variant {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Reversed,
        Self::Crlf,
        Self::Commented,
        Self::Json,
        Self::Quoted,
        Self::Bom,
        Self::Marker,
    ];

    /// The word that ids, goldens and suites use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reversed => "reversed",
            Self::Crlf => "crlf",
            Self::Commented => "commented",
            Self::Json => "json",
            Self::Quoted => "quoted",
            Self::Bom => "bom",
            Self::Marker => "marker",
        }
    }

    /// How it differs from the fixture, in words that fit "the fixture …".
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Reversed => "with the keys of every mapping in reverse order",
            Self::Crlf => "with lines that end with CR LF",
            Self::Commented => "with comments added",
            Self::Json => "written as JSON",
            Self::Quoted => "with every plain string in quotes",
            Self::Bom => "with a byte order mark in front",
            Self::Marker => "with a document marker in front",
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Variant {
    type Err = NoSuchVariant;
    fn from_str(text: &str) -> Result<Self, NoSuchVariant> {
        let found = Self::ALL.into_iter().find(|variant| variant.as_str() == text);
        found.ok_or_else(|| NoSuchVariant(text.to_owned()))
    }
}

/// A variant that a fixture has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Varied {
    /// The variant.
    pub variant: Variant,
    /// The documents that it writes otherwise, by name; the others stay as they are.
    pub documents: BTreeSet<String>,
}

/// The variants of fixtures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Variants {
    /// Those of each fixture that has some, in the order of [`Variant::ALL`].
    pub of: BTreeMap<FixtureId, Vec<Varied>>,
    /// What became of all that were thought of.
    pub census: VariantCensus,
}

/// What became of the variants of fixtures: one of these for each fixture and variant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct VariantCensus {
    /// How many were made.
    pub made: usize,
    /// How many a golden or a suite excepts.
    pub excepted: usize,
    /// How many would be the fixture as it is.
    pub same: usize,
    /// How many are of a fixture with a document that does not parse.
    pub unparsed: usize,
    /// Those that would not mean the same, so that they were not made.
    pub lost: Vec<LostVariant>,
}

/// A variant that was not made because it would not mean the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LostVariant {
    /// The fixture.
    pub fixture: FixtureId,
    /// The variant.
    pub variant: Variant,
    /// Why it was not made.
    pub why: String,
}

impl CaseId {
    /// The same case on a variant of the fixture.
    #[must_use]
    pub fn varied(&self, variant: Variant) -> Self {
        self.plain().with(variant.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_is_read_by_its_name() {
        for variant in Variant::ALL {
            assert_eq!(variant.as_str().parse(), Ok(variant));
            assert_eq!(serde_json::to_value(variant).unwrap(), variant.as_str());
        }
        assert!("CRLF".parse::<Variant>().is_err());
    }
}
