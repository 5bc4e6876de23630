//! Paths: where state is published, and what is snapshot.

use super::{Fit, Question};

/// Whether a path under `state_publication` is relative to the repository root.
pub(super) fn state_path(path: &str) -> Fit {
    if path.starts_with('/') {
        Fit::Breaks
    } else if path.is_empty()
        || path.contains("..")
        || path.contains('\\')
        || path.contains(char::is_control)
        || has_drive(path)
    {
        Fit::Open { question: Question::L9, holds: false }
    } else {
        Fit::Holds
    }
}

/// Whether a snapshot path does not start at the root of the file system.
pub(super) fn snapshot_not_absolute(path: &str) -> Fit {
    if path.starts_with('/') {
        Fit::Breaks
    } else if path.is_empty()
        || path.contains('\\')
        || path.contains(char::is_control)
        || has_drive(path)
    {
        Fit::Open { question: Question::L11, holds: false }
    } else if path == "." || path.contains("//") {
        Fit::Open { question: Question::L11, holds: true }
    } else {
        Fit::Holds
    }
}

/// Whether a snapshot path stays below where it starts.
pub(super) fn snapshot_no_parent(path: &str) -> Fit {
    if path.split('/').any(|component| component == "..") {
        Fit::Breaks
    } else if path.starts_with('/') {
        Fit::Holds
    } else if path.split(['/', '\\']).any(|component| component == "..") {
        Fit::Open { question: Question::L11, holds: false }
    } else if path.contains("..") || snapshot_not_absolute(path) != Fit::Holds {
        // What is odd otherwise may be refused by either of the two rules.
        Fit::Open { question: Question::L11, holds: true }
    } else {
        Fit::Holds
    }
}

/// Why a path is not taken for one relative to the repository root. Reads after the
/// path.
pub(super) fn why_not_relative(path: &str) -> &'static str {
    if path.is_empty() {
        "is empty, and names no path"
    } else if path.starts_with('/') {
        "is absolute, not relative to the repository root"
    } else if path.contains('\\') {
        "has a backslash, which separates or leads to a root on some systems"
    } else if path.contains(char::is_control) {
        "has a control character, which no system takes alike"
    } else if has_drive(path) {
        "begins with a drive letter, which is absolute on some systems"
    } else if path.contains("..") {
        "has .. in it, which may lead out of the repository"
    } else {
        "is not relative to the repository root"
    }
}

fn has_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(fit: Fit) -> bool {
        matches!(fit, Fit::Open { .. })
    }

    #[test]
    fn state_paths() {
        for good in [".living/state.json", "a", "a b", "./a", "a//b", ".", "ä/ö", "~/x", "a/"] {
            assert_eq!(state_path(good), Fit::Holds, "{good:?}");
        }
        for bad in ["/a", "/", "//a", "/../a"] {
            assert_eq!(state_path(bad), Fit::Breaks, "{bad:?}");
        }
        for either in
            ["", "..", "../a", "a/..", "a..b", "a\\b", "C:/a", "c:", "a\tb", "a\n", "a\u{85}"]
        {
            assert!(open(state_path(either)), "{either:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (path, word) in [
            ("", "empty"),
            ("/a\\b", "is absolute"),
            ("a\\b", "backslash"),
            ("a\n", "control"),
            ("c:a", "drive"),
            ("../a", ".."),
        ] {
            assert!(why_not_relative(path).contains(word), "{path:?}");
        }
    }

    #[test]
    fn snapshot_paths() {
        for good in ["a", "a/b", ".living", "a.b", "./a", "a/"] {
            assert_eq!(snapshot_not_absolute(good), Fit::Holds, "{good:?}");
            assert_eq!(snapshot_no_parent(good), Fit::Holds, "{good:?}");
        }
        assert_eq!(snapshot_not_absolute("/a"), Fit::Breaks);
        assert_eq!(snapshot_no_parent("/a"), Fit::Holds);
        for bad in ["..", "../a", "a/../b", "a/..", "/.."] {
            assert_eq!(snapshot_no_parent(bad), Fit::Breaks, "{bad:?}");
        }
        for either in ["a..b", "..a", "...", "a\\..\\b"] {
            assert!(open(snapshot_no_parent(either)), "{either:?}");
        }
        for either in ["", ".", "a//b", "a\\b", "a\u{1}", "C:\\x", "a\n"] {
            assert!(open(snapshot_not_absolute(either)), "{either:?}");
            assert!(open(snapshot_no_parent(either)), "{either:?}");
        }
    }
}
