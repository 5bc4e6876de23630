//! Releases of the protocol (`v0.3.0`) and the versions made of them (`v0.3`).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Why a text is no release or protocol version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no {kind}; write it as {example}")]
pub struct ReleaseError {
    text: String,
    kind: &'static str,
    example: &'static str,
}

/// A release of the protocol that brought rules, such as `v0.3.0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Release {
    major: u32,
    minor: u32,
    patch: u32,
}

/// A version of the protocol that is certified against, such as `v0.3`: every
/// release of it and of the versions before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Protocol {
    major: u32,
    minor: u32,
}

impl Release {
    /// The release `vMAJOR.MINOR.PATCH`.
    #[must_use]
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }
}

impl Protocol {
    /// The version `vMAJOR.MINOR`.
    #[must_use]
    pub const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }

    /// The release that the version starts with.
    #[must_use]
    pub const fn first_release(self) -> Release {
        Release::new(self.major, self.minor, 0)
    }

    /// Whether what `release` brought is part of this version.
    #[must_use]
    pub fn includes(self, release: Release) -> bool {
        (release.major, release.minor) <= (self.major, self.minor)
    }
}

impl FromStr for Release {
    type Err = ReleaseError;
    fn from_str(text: &str) -> Result<Self, ReleaseError> {
        match numbers(text).as_deref() {
            Some(&[major, minor, patch]) => Ok(Self { major, minor, patch }),
            _ => Err(ReleaseError { text: text.into(), kind: "release", example: "v0.3.0" }),
        }
    }
}

impl FromStr for Protocol {
    type Err = ReleaseError;
    fn from_str(text: &str) -> Result<Self, ReleaseError> {
        match numbers(text).as_deref() {
            Some(&[major, minor]) => Ok(Self { major, minor }),
            _ => Err(ReleaseError { text: text.into(), kind: "protocol version", example: "v0.3" }),
        }
    }
}

fn numbers(text: &str) -> Option<Vec<u32>> {
    let number = |part: &str| {
        let plain =
            part.bytes().all(|b| b.is_ascii_digit()) && (part == "0" || !part.starts_with('0'));
        plain.then(|| part.parse().ok()).flatten()
    };
    text.strip_prefix('v')?.split('.').map(number).collect()
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}.{}", self.major, self.minor)
    }
}

macro_rules! through_text {
    ($($name:ident),*) => {$(
        impl TryFrom<String> for $name {
            type Error = ReleaseError;
            fn try_from(text: String) -> Result<Self, ReleaseError> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(version: $name) -> Self {
                version.to_string()
            }
        }
    )*};
}

through_text!(Release, Protocol);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_protocol_version_includes_its_own_and_older_releases() {
        let v0_3: Protocol = "v0.3".parse().unwrap();
        assert!(v0_3.includes("v0.1.0".parse().unwrap()));
        assert!(v0_3.includes("v0.3.7".parse().unwrap()));
        assert!(!v0_3.includes("v0.4.0".parse().unwrap()));
        assert!(!v0_3.includes("v1.0.0".parse().unwrap()));
        assert!(Protocol::new(0, 10) > Protocol::new(0, 9));
    }

    #[test]
    fn other_forms_are_refused() {
        for bad in ["", "v", "0.3", "v0.3.0", "v0", "v0.03", "v0.x", "v0.-1", "v0.99999999999"] {
            assert!(bad.parse::<Protocol>().is_err(), "{bad:?}");
        }
        assert!("v0.3".parse::<Release>().is_err());
    }
}
