//! Every test of a single value, each replaceable.

use std::collections::HashSet;

use serde_json::Number;

use super::json::canonical_form;
use super::{EvidenceKind, Identity, Policy, Receipt};

/// The largest integer that every JSON reader keeps: 2^53 - 1.
const LARGEST_INTEGER: f64 = 9_007_199_254_740_991.0;

/// The most characters of a text.
const TEXT_LIMIT: usize = 4096;

/// The tests that checking and admitting are made of.
///
/// A broken implementation is [`REFERENCE`] with one of them replaced.
#[derive(Debug, Clone, Copy)]
pub struct Predicates {
    /// Whether a text is of a length that texts may have.
    pub text: fn(&str) -> bool,
    /// Whether a text is an identity.
    pub identity: fn(&str) -> bool,
    /// Whether a text is the digest of an identity.
    pub digest: fn(&str) -> bool,
    /// Whether a text is a version by SemVer 2.0.0.
    pub version: fn(&str) -> bool,
    /// Whether a number is an integer.
    pub integer: fn(&Number) -> bool,
    /// Whether an integer is large enough for a count.
    pub positive: fn(&Number) -> bool,
    /// Whether an integer is one that every JSON reader keeps.
    pub exact: fn(&Number) -> bool,
    /// Whether a receipt may have evidence of this kind.
    pub kind: fn(&str) -> bool,
    /// Whether a policy may require evidence of this kind.
    pub required_kind: fn(&str) -> bool,
    /// Entries that `required_evidence_kinds` has at least.
    pub kinds_min: usize,
    /// Whether its entries are distinct.
    pub kinds_distinct: fn(&[&str]) -> bool,
    /// Whether the test runner is among them.
    pub names_runner: fn(&[&str]) -> bool,
    /// Whether keys beside those of the format are refused.
    pub closed: bool,
    /// Whether keys that stand twice are refused.
    pub unique_keys: bool,
    /// Whether the bytes of a file are the canonical form of its value.
    pub canonical: fn(&[u8], &serde_json::Value) -> bool,
    /// Whether a receipt in a larger object has the identity given there.
    pub embedded_identity: fn(stated: &serde_json::Value, computed: &Identity) -> bool,
    /// Whether a receipt is of the suite that a policy names.
    pub same_suite: fn(&Receipt, &Policy) -> bool,
    /// Whether it is of the suite's version.
    pub same_version: fn(&Receipt, &Policy) -> bool,
    /// Whether evidence of a required kind is there.
    pub has_evidence: fn(&Receipt, EvidenceKind) -> bool,
    /// Whether the runner is the one that a policy names.
    pub same_runner: fn(&Identity, &Policy) -> bool,
    /// Whether enough tests were run.
    pub enough_tests: fn(&Receipt, &Policy) -> bool,
}

/// The predicates as the format has them.
pub const REFERENCE: Predicates = Predicates {
    text: |text| (1..=TEXT_LIMIT).contains(&text.chars().count()),
    identity: |text| text.strip_prefix("sha256:").is_some_and(is_digest),
    digest: is_digest,
    version: is_version,
    integer: |number| number.as_f64().is_some_and(|value| value.fract() == 0.0),
    positive: |number| number.as_f64().is_some_and(|value| value >= 1.0),
    exact: |number| number.as_f64().is_some_and(|value| value <= LARGEST_INTEGER),
    kind: |name| EvidenceKind::named(name).is_some(),
    required_kind: |name| EvidenceKind::named(name).is_some_and(EvidenceKind::may_be_required),
    kinds_min: 1,
    kinds_distinct: |names| {
        let mut seen = HashSet::new();
        names.iter().all(|name| seen.insert(name))
    },
    names_runner: |names| names.contains(&EvidenceKind::TEST_RUNNER.as_str()),
    closed: true,
    unique_keys: true,
    canonical: |bytes, value| {
        canonical_form(value)
            .is_some_and(|form| bytes.strip_suffix(b"\n").unwrap_or(bytes) == form.as_slice())
    },
    embedded_identity: |stated, computed| stated.as_str() == Some(computed.as_str()),
    same_suite: |receipt, policy| receipt.claims().suite.id == policy.suite_id(),
    same_version: |receipt, policy| receipt.claims().suite.version == policy.suite_version(),
    has_evidence: |receipt, kind| receipt.claims().evidence.contains_key(&kind),
    same_runner: |runner, policy| runner == policy.runner(),
    enough_tests: |receipt, policy| receipt.claims().tests >= policy.minimum_tests(),
};

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// The grammar of SemVer 2.0.0, in which numbers may be of any size.
fn is_version(text: &str) -> bool {
    let (text, build) = match text.split_once('+') {
        Some((text, build)) => (text, Some(build)),
        None => (text, None),
    };
    let (core, pre) = match text.split_once('-') {
        Some((core, pre)) => (core, Some(pre)),
        None => (text, None),
    };
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let number = |part: &str| digits(part) && (part == "0" || !part.starts_with('0'));
    let word = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    core.split('.').count() == 3
        && core.split('.').all(number)
        && pre.is_none_or(|pre| {
            pre.split('.').all(|part| word(part) && (!digits(part) || number(part)))
        })
        && build.is_none_or(|build| build.split('.').all(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_follow_the_grammar() {
        let huge = format!("1.{}.0", "9".repeat(100));
        for good in
            ["0.0.0", "0.4.0", "1.0.0-a.1--x.0a", "1.0.0+001.-", "1.2.3--", "1.0.0-0", &huge]
        {
            assert!(is_version(good), "{good}");
        }
        for bad in [
            "",
            "1",
            "1.0",
            "v1.0.0",
            "1.0.0.0",
            "01.0.0",
            "1.0.0-",
            "1.0.0+",
            "1.0.0-01",
            " 1.0.0",
            "1.0.0-a..b",
            "1.0.0-a_b",
            "1.0.0+a+b",
            "1.0.0\n",
            "-1.0.0",
            "1..0",
            "1.0.0-é",
            "１.0.0",
        ] {
            assert!(!is_version(bad), "{bad:?}");
        }
    }

    #[test]
    fn texts_are_measured_in_characters() {
        let fits = |text: String| (REFERENCE.text)(&text);
        assert!(fits("\u{1f600}".repeat(4096)));
        assert!(!fits("a".repeat(4097)));
        assert!(!fits(String::new()));
    }
}
