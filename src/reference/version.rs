//! Versions: the manifest's, and those that a runtime lists.

use std::cmp::Ordering;

use super::Question;

/// A number of any length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Number<'a>(&'a str);

impl<'a> Number<'a> {
    /// From decimal digits; leading zeros mean nothing.
    fn new(digits: &'a str) -> Self {
        Self(digits.trim_start_matches('0'))
    }

    /// The value, or the largest `u32` for one beyond it.
    #[must_use]
    pub fn saturated(self) -> u32 {
        if self.0.is_empty() { 0 } else { self.0.parse().unwrap_or(u32::MAX) }
    }
}

impl Ord for Number<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.cmp(other.0))
    }
}

impl PartialOrd for Number<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Major and minor version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Version<'a> {
    /// The major version.
    pub major: Number<'a>,
    /// The minor version.
    pub minor: Number<'a>,
}

/// A manifest's version cut down to major and minor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reduced<'a> {
    /// What is left.
    pub version: Version<'a>,
    /// The question whether such a version can be cut down at all.
    pub question: Option<Question>,
}

/// The version at the start of a text, and what follows it.
fn leading(text: &str) -> Option<(Version<'_>, [&str; 2], &str)> {
    let (major, rest) = digits(text.strip_prefix('v')?)?;
    let (minor, rest) = digits(rest.strip_prefix('.')?)?;
    let version = Version { major: Number::new(major), minor: Number::new(minor) };
    Some((version, [major, minor], rest))
}

/// ASCII digits at the start of a text, one at least, and what follows them.
fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    (end > 0).then(|| text.split_at(end))
}

/// Whether a text is a manifest's version by the spec's pattern.
pub(super) fn manifest_version(text: &str) -> bool {
    let Some((_, _, rest)) = leading(text) else { return false };
    let Some((_, rest)) = rest.strip_prefix('.').and_then(digits) else { return false };
    match rest.strip_prefix('-') {
        None => rest.is_empty(),
        Some(pre) => {
            !pre.is_empty()
                && pre.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'))
        }
    }
}

/// Whether a version, its `v` left off, is one by SemVer.
pub(super) fn semantic_version(text: &str) -> bool {
    let number = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_digit())
            && (part.len() == 1 || !part.starts_with('0'))
    };
    let Some(text) = text.strip_prefix('v') else { return false };
    let (core, pre) = match text.split_once('-') {
        Some((core, pre)) => (core, Some(pre)),
        None => (text, None),
    };
    let identifier = |part: &str| {
        let numeric = part.bytes().all(|b| b.is_ascii_digit());
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && (!numeric || number(part))
    };
    core.split('.').count() == 3
        && core.split('.').all(number)
        && pre.is_none_or(|pre| pre.split('.').all(identifier))
}

/// A manifest's version cut down to major and minor; `None` when it cannot be.
pub(super) fn reduce(text: &str) -> Option<Reduced<'_>> {
    let (version, _, _) = leading(text)?;
    let question = match (manifest_version(text), semantic_version(text)) {
        (true, true) => None,
        (true, false) => Some(Question::L8),
        (false, _) => Some(Question::L23),
    };
    Some(Reduced { version, question })
}

/// An entry of a runtime's `protocol_versions`, and whether it has no leading zeros.
pub(super) fn runtime_version(text: &str) -> Option<(Version<'_>, bool)> {
    let (version, parts, rest) = leading(text)?;
    let plain = parts.iter().all(|part| part.len() == 1 || !part.starts_with('0'));
    rest.is_empty().then_some((version, plain))
}

/// Whether a runtime that implements `entry` supports a manifest of `wanted`.
pub(super) fn supports(entry: &Version<'_>, wanted: &Version<'_>) -> bool {
    entry.major == wanted.major && entry.minor >= wanted.minor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pattern_is_of_the_whole_text() {
        for good in
            ["v0.1.0", "v0.1.0-draft", "v10.20.30-a.b-c", "v01.0.0", "v0.1.0-a..b", "v0.1.0--"]
        {
            assert!(manifest_version(good), "{good:?}");
        }
        for bad in [
            "",
            "0.1.0",
            "v0.1",
            "v0.1.0.0",
            "v0.1.0-",
            "v0.1.0\n",
            " v0.1.0",
            "V0.1.0",
            "v0.1.0+b",
            "v0.1.0-a_b",
            "v0.1.0-é",
            "v٠.١.٠",
            "v0..0",
            "v.1.0",
            "v0.1.0 ",
            "v-0.1.0",
        ] {
            assert!(!manifest_version(bad), "{bad:?}");
        }
    }

    #[test]
    fn semver_is_narrower() {
        for good in
            ["v0.1.0", "v0.1.0-draft", "v0.1.0-0", "v0.1.0-0a", "v0.1.0-a.b-c", "v1.0.0-01a"]
        {
            assert!(semantic_version(good), "{good:?}");
        }
        for bad in ["v01.0.0", "v0.1.0-a..b", "v0.1.0-01", "v0.1.0-.", "v0.00.0"] {
            assert!(manifest_version(bad) && !semantic_version(bad), "{bad:?}");
        }
    }

    #[test]
    fn numbers_compare_as_numbers_of_any_length() {
        let version = |text| runtime_version(text).unwrap().0;
        assert!(supports(&version("v0.10"), &version("v0.9")));
        assert!(!supports(&version("v0.9"), &version("v0.10")));
        assert!(supports(&version("v0.9"), &version("v0.9")));
        assert!(!supports(&version("v1.9"), &version("v0.1")));
        assert!(supports(&version("v0.99999999999999999999999"), &version("v0.3")));
        assert!(supports(&version("v0.003"), &version("v0.3")));
        assert_eq!(runtime_version("v0.03").map(|(_, plain)| plain), Some(false));
        assert_eq!(runtime_version("v0.0").map(|(_, plain)| plain), Some(true));
        for bad in ["v0.3.0", "0.3", "v0", "v0.3\n", "v0.3-draft", "v0.x", "", "v0.3 "] {
            assert_eq!(runtime_version(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn reducing_asks_where_the_pattern_does_not_hold() {
        let question = |text| reduce(text).map(|reduced| reduced.question);
        assert_eq!(question("v0.1.0-draft"), Some(None));
        assert_eq!(question("v01.0.0"), Some(Some(Question::L8)));
        for open in ["v0.1", "v0.1.0+build", "v0.1.0\n"] {
            assert_eq!(question(open), Some(Some(Question::L23)), "{open:?}");
        }
        for none in ["0.1.0", "latest", "", "v1", "v", "V0.1.0"] {
            assert_eq!(question(none), None, "{none:?}");
        }
    }
}
