//! Lines of plain text that hang on their labels, and keep every word whole: what is an
//! identity, a path or a command can be copied.

use super::escape;

/// How much a text is indented that finds no room beside its label.
const STEP: usize = 2;

/// A label, padded to `column`, with a text beside it; further lines are indented as
/// much. Where a word finds no room there, the text begins on a line of its own.
#[must_use]
pub(crate) fn hanging(label: &str, column: usize, text: &str, width: usize) -> String {
    let label = escape::line(label);
    let text = escape::line(text);
    let longest = text.split(' ').map(escape::width).max().unwrap_or(0);
    let beside = column.max(escape::width(&label));
    let mut lines = String::new();
    let (mut start, indent) = if beside + longest <= width || label.trim().is_empty() {
        (format!("{label}{}", " ".repeat(beside - escape::width(&label))), beside)
    } else {
        lines.push_str(label.trim_end());
        lines.push('\n');
        let indent = label.len() - label.trim_start().len() + STEP;
        (" ".repeat(indent), indent)
    };
    for line in whole_words(&text, width.saturating_sub(indent)) {
        lines.push_str(&start);
        lines.push_str(&line);
        lines.push('\n');
        start = " ".repeat(indent);
    }
    lines
}

/// A text whose further lines are indented by `hang`.
#[must_use]
pub(crate) fn paragraph(text: &str, indent: usize, hang: usize, width: usize) -> String {
    let text = escape::line(text);
    let lines = whole_words(&text, width.saturating_sub(hang));
    let line = |(index, line): (usize, String)| {
        format!("{:indent$}{line}\n", "", indent = if index == 0 { indent } else { hang })
    };
    lines.into_iter().enumerate().map(line).collect()
}

/// Breaks a text into lines at spaces; a word that is wider than a line has one of its own.
fn whole_words(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if escape::width(line) + 1 + escape::width(word) <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_word_does_not_widen_the_lines_around_it() {
        let text = "one two three sha256:0123456789 four five";
        assert_eq!(
            paragraph(text, 2, 4, 16),
            "  one two\n    three\n    sha256:0123456789\n    four five\n"
        );
    }

    #[test]
    fn words_stay_whole() {
        let text = "some words and sha256:0123456789";
        assert_eq!(
            hanging("  name", 8, text, 30),
            "  name  some words and\n        sha256:0123456789\n"
        );
        assert_eq!(
            hanging("  name", 20, text, 30),
            "  name\n    some words and\n    sha256:0123456789\n"
        );
        assert_eq!(hanging("  name", 8, "x", 30), "  name  x\n");
        assert_eq!(paragraph(text, 0, 2, 18), "some words and\n  sha256:0123456789\n");
        assert_eq!(paragraph(text, 0, 2, 10), "some\n  words\n  and\n  sha256:0123456789\n");
    }
}
