//! Identifiers: of rules, ledger entries, fixtures and cases.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, de};

/// Why a text is no identifier of its kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no {kind}: {expected}")]
pub struct IdError {
    kind: &'static str,
    text: String,
    expected: &'static str,
}

macro_rules! text_id {
    ($(#[$meta:meta])* $name:ident, $kind:literal, $expected:literal, $valid:path) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(into = "String")]
        pub struct $name(Arc<str>);

        impl $name {
            /// Checks the form.
            ///
            /// # Errors
            /// When `text` has not the form of such an id.
            pub fn new(text: &str) -> Result<Self, IdError> {
                if $valid(text) {
                    Ok(Self(text.into()))
                } else {
                    Err(IdError { kind: $kind, text: text.to_owned(), expected: $expected })
                }
            }

            /// An id that stands in the program itself.
            ///
            /// # Panics
            /// When `text` has not the form of such an id; texts that come from
            /// outside go through [`Self::new`].
            #[must_use]
            pub fn constant(text: &'static str) -> Self {
                match Self::new(text) {
                    Ok(id) => id,
                    Err(error) => panic!("{error}"),
                }
            }

            /// The id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::str::FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                Self::new(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;
            fn try_from(text: String) -> Result<Self, IdError> {
                Self::new(&text)
            }
        }

        // By itself, because thousands are read at every start: `try_from` would make
        // two texts of each.
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Id;
                impl de::Visitor<'_> for Id {
                    type Value = $name;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str("a string")
                    }
                    fn visit_str<E: de::Error>(self, text: &str) -> Result<$name, E> {
                        $name::new(text).map_err(E::custom)
                    }
                }
                deserializer.deserialize_str(Id)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0.as_ref().to_owned()
            }
        }
    };
}

text_id!(
    /// The immutable id of a rule, such as `manifest.project_id.max-length`.
    RuleId,
    "rule id",
    "two or more parts of a-z, 0-9, _ and -, joined by dots",
    is_rule_id
);
text_id!(
    /// The id of a ledger entry, such as `L4`.
    LedgerId,
    "ledger id",
    "a capital letter followed by a number, such as L4",
    is_ledger_id
);
text_id!(
    /// A suite with the path of a fixture in it, such as `manifest/project_id/too-long`.
    FixtureId,
    "fixture id",
    "a suite and one or more slugs joined by /, no empty part, no . or .., no ::",
    is_fixture_id
);

impl FixtureId {
    /// The suite that the fixture belongs to.
    #[must_use]
    pub fn suite(&self) -> &str {
        self.0.split_once('/').map_or(&self.0, |(suite, _)| suite)
    }

    /// The path of the fixture within its suite.
    #[must_use]
    pub fn path(&self) -> &str {
        self.0.split_once('/').map_or("", |(_, path)| path)
    }

    /// The case that one operation makes of the fixture.
    #[must_use]
    pub fn case(&self, operation: &str) -> CaseId {
        let text = [&*self.0, "::", operation].concat();
        CaseId { plain_len: text.len(), text: text.into(), fixture_len: self.0.len() }
    }
}

/// The id of a case, `SUITE/FIXTURE::OPERATION`, or `SUITE/FIXTURE::OPERATION+VARIANT`
/// of one on a variant of the fixture.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CaseId {
    text: Arc<str>,
    fixture_len: usize,
    /// Where the variant starts; the end where there is none.
    plain_len: usize,
}

impl CaseId {
    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The fixture part.
    #[must_use]
    pub fn fixture(&self) -> &str {
        &self.text[..self.fixture_len]
    }

    /// The suite that the fixture belongs to.
    #[must_use]
    pub fn suite(&self) -> &str {
        self.fixture().split_once('/').map_or("", |(suite, _)| suite)
    }

    /// The operation part.
    #[must_use]
    pub fn operation(&self) -> &str {
        &self.text[self.fixture_len + 2..self.plain_len]
    }

    /// The name of the variant, if it is a case on one.
    #[must_use]
    pub fn variant(&self) -> Option<&str> {
        self.text[self.plain_len..].strip_prefix('+')
    }

    /// What tells the case from others of its fixture: the operation with the variant.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.text[self.fixture_len + 2..]
    }

    /// The same case on the fixture itself.
    #[must_use]
    pub fn plain(&self) -> Self {
        Self { text: self.text[..self.plain_len].into(), ..self.clone() }
    }

    /// The same case on a variant; there is none in the id yet.
    pub(super) fn with(&self, variant: &str) -> Self {
        Self { text: format!("{}+{variant}", self.text).into(), ..self.clone() }
    }
}

impl TryFrom<String> for CaseId {
    type Error = IdError;
    fn try_from(text: String) -> Result<Self, IdError> {
        match text.rsplit_once("::") {
            Some((fixture, name)) if is_fixture_id(fixture) && is_case_name(name) => {
                let operation = name.split('+').next().unwrap_or_default();
                let plain_len = fixture.len() + 2 + operation.len();
                Ok(Self { fixture_len: fixture.len(), plain_len, text: text.into() })
            }
            _ => Err(IdError {
                kind: "case id",
                text,
                expected: "SUITE/FIXTURE::OPERATION, of a variant with + and its name",
            }),
        }
    }
}

impl From<CaseId> for String {
    fn from(id: CaseId) -> Self {
        id.text.as_ref().to_owned()
    }
}

impl fmt::Display for CaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl fmt::Debug for CaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn is_rule_id(text: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-'))
    };
    text.contains('.') && text.split('.').all(part)
}

fn is_ledger_id(text: &str) -> bool {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_uppercase());
    digits.len() < text.len()
        && !digits.is_empty()
        && !digits.starts_with('0')
        && digits.bytes().all(|b| b.is_ascii_digit())
}

fn is_case_name(text: &str) -> bool {
    let mut parts = text.splitn(2, '+');
    parts.all(|part| !part.is_empty())
}

fn is_fixture_id(text: &str) -> bool {
    let part = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(char::is_control);
    text.contains('/') && !text.contains("::") && text.split('/').all(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_their_form() {
        assert!(RuleId::new("manifest.project_id.max-length").is_ok());
        for bad in ["", "manifest", "manifest.", ".x", "a b.c", "Manifest.x", "a..b"] {
            assert!(RuleId::new(bad).is_err(), "{bad:?}");
        }
        assert!(LedgerId::new("L12").is_ok());
        for bad in ["", "L", "12", "L0", "l1", "L1x"] {
            assert!(LedgerId::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_case_id_comes_apart_again() {
        let fixture = FixtureId::new("manifest/project_id/too-long").unwrap();
        assert_eq!((fixture.suite(), fixture.path()), ("manifest", "project_id/too-long"));
        let case = fixture.case("strict");
        assert_eq!(case.fixture(), fixture.as_str());
        assert_eq!((case.suite(), case.operation()), ("manifest", "strict"));
        assert_eq!(CaseId::try_from(String::from(case.clone())).unwrap(), case);
        for bad in [
            "manifest::strict",
            "manifest/x",
            "manifest/x::",
            "manifest//x::strict",
            "manifest/x::+crlf",
            "manifest/x::strict+",
        ] {
            assert!(CaseId::try_from(bad.to_owned()).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_case_on_a_variant_is_of_the_same_operation() {
        let plain = FixtureId::new("manifest/a+b").unwrap().case("strict");
        let varied = plain.varied(super::super::Variant::Crlf);
        assert_eq!(varied.as_str(), "manifest/a+b::strict+crlf");
        assert_eq!(CaseId::try_from(String::from(varied.clone())).unwrap(), varied);
        assert_eq!((varied.fixture(), varied.operation()), ("manifest/a+b", "strict"));
        assert_eq!((varied.variant(), varied.name()), (Some("crlf"), "strict+crlf"));
        assert_eq!((plain.variant(), plain.name()), (None, "strict"));
        assert_eq!((varied.plain(), plain.plain()), (plain.clone(), plain.clone()));
        assert!(plain < varied, "a fixture comes before its variants");
    }
}
