//! The open questions of the wire format, as far as documents can touch them.

use std::fmt;

/// An open question: an entry of the ledger of the receipt suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Doubt {
    /// Integers that not every JSON reader keeps.
    R1,
    /// Large and deep files.
    R2,
    /// A carriage return before the final newline.
    R3,
    /// What is asked of a larger object with a receipt in it.
    R4,
    /// Numbers of a version that no machine holds.
    R5,
    /// Texts that cannot be shown.
    R6,
    /// The spelling of a policy.
    R7,
    /// Versions that differ in build metadata only.
    R8,
}

impl Doubt {
    /// The id in the ledger.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::R1 => "R1",
            Self::R2 => "R2",
            Self::R3 => "R3",
            Self::R4 => "R4",
            Self::R5 => "R5",
            Self::R6 => "R6",
            Self::R7 => "R7",
            Self::R8 => "R8",
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Bytes above which a document is large.
const LARGE: usize = 64 * 1024;
/// Objects and lists in each other above which it is deep.
const DEEP: usize = 50;

/// Whether a document is so large or deep that a reader may refuse it for that.
pub(super) fn is_bulky(bytes: &[u8]) -> bool {
    let (mut depth, mut deepest, mut in_text, mut escaped) = (0_usize, 0, false, false);
    for &byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_text,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => depth += 1,
            b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    bytes.len() > LARGE || deepest > DEEP
}

/// Whether a text has nothing in it that can be shown, or something that cannot.
pub(super) fn is_unshowable(text: &str) -> bool {
    let separates = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    text.contains(separates) || text.trim().is_empty()
}

/// Whether a version has a number of more than 64 bits.
pub(super) fn is_huge(version: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    version.split(['.', '-', '+']).any(|part| digits(part) && part.parse::<u64>().is_err())
}

/// A version without its build metadata.
pub(super) fn without_build(version: &str) -> &str {
    version.split('+').next().unwrap_or(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_counted_outside_of_texts() {
        assert!(!is_bulky("[".repeat(50).as_bytes()));
        assert!(is_bulky("[".repeat(51).as_bytes()));
        assert!(!is_bulky(format!("\"{}\"", "[\\\"".repeat(60)).as_bytes()));
        assert!(!is_bulky("[]".repeat(60).as_bytes()));
        assert!(is_bulky(&[b' '; LARGE + 1]));
    }

    #[test]
    fn huge_numbers_have_more_than_64_bits() {
        assert!(!is_huge("1.18446744073709551615.0--a9"));
        assert!(is_huge("1.18446744073709551616.0"));
    }
}
