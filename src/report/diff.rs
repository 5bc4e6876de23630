//! How two texts differ, line by line.

use std::fmt::Write as _;

use similar::{ChangeTag, TextDiff};

use super::escape;

/// How many lines are shown around a change.
const AROUND: usize = 3;

const REMOVED: &str = "\x1b[31m";
const ADDED: &str = "\x1b[32m";
const PLACE: &str = "\x1b[36m";
const STRONG: &str = "\x1b[1;7m";
const WEAK: &str = "\x1b[22;27m";
const RESET: &str = "\x1b[0m";

/// The differences as a unified diff without a head; with colours, what changed in a
/// line stands out.
#[must_use]
pub fn diff(old: &str, new: &str, color: bool) -> Vec<String> {
    let diff = TextDiff::from_lines(old, new);
    let paint = |code: &str, text: &str| {
        if color { format!("{code}{text}{RESET}") } else { text.to_owned() }
    };
    let mut lines = Vec::new();
    for group in diff.grouped_ops(AROUND) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let range = |start: usize, end: usize| match end - start {
            0 => format!("{start},0"),
            1 => format!("{}", start + 1),
            count => format!("{},{count}", start + 1),
        };
        let old = range(first.old_range().start, last.old_range().end);
        let new = range(first.new_range().start, last.new_range().end);
        lines.push(paint(PLACE, &format!("@@ -{old} +{new} @@")));
        for change in group.iter().flat_map(|operation| diff.iter_inline_changes(operation)) {
            let (sign, code) = match change.tag() {
                ChangeTag::Equal => (' ', ""),
                ChangeTag::Delete => ('-', REMOVED),
                ChangeTag::Insert => ('+', ADDED),
            };
            let mut line = String::from(sign);
            for (emphasized, text) in change.iter_strings_lossy() {
                let text = escape::line(text.trim_end_matches('\n'));
                if color && emphasized && !text.is_empty() {
                    let _ = write!(line, "{STRONG}{text}{WEAK}");
                } else {
                    line.push_str(&text);
                }
            }
            lines.push(if code.is_empty() { line } else { paint(code, &line) });
            if change.missing_newline() {
                lines.push("\\ no newline at the end".to_owned());
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_shown_with_what_is_around_it() {
        let old = "1\n2\n3\n4\n5\nsix of them\n7\n";
        let new = "1\n2\n3\n4\n5\nsix of those\n7\n";
        assert_eq!(
            diff(old, new, false),
            ["@@ -3,5 +3,5 @@", " 3", " 4", " 5", "-six of them", "+six of those", " 7"]
        );
        let colored = diff(old, new, true);
        assert!(colored[4].starts_with("\x1b[31m-six of "), "{:?}", colored[4]);
        assert!(colored[5].contains("\x1b[1;7mthose\x1b[22;27m"), "{:?}", colored[5]);
        assert_eq!(diff(old, old, true), [""; 0]);
    }

    #[test]
    fn nothing_in_a_text_acts() {
        let lines = diff("a\u{1b}[2J\r\n", "", false);
        assert_eq!(lines, ["@@ -1 +0,0 @@", "-a\\x1b[2J\\r"]);
        assert_eq!(diff("", "a", false), ["@@ -0,0 +1 @@", "+a", "\\ no newline at the end"]);
    }
}
