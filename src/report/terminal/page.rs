//! Lines for a terminal of some width, with or without colours.

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthChar;

use super::super::escape;

/// How many columns words need at least; beside a label that leaves less, they do not
/// start.
const ROOM: usize = 16;

/// What something is, which gives it its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::report) enum Role {
    Plain,
    /// A heading.
    Strong,
    /// Beside the point.
    Faint,
    /// Passed, or expected.
    Good,
    /// Failed.
    Bad,
    /// Failed, and does not count.
    Warning,
}

impl Role {
    fn style(self) -> Style {
        match self {
            Self::Plain => Style::new(),
            Self::Strong => Style::new().bold(),
            Self::Faint => Style::new().dimmed(),
            Self::Good => AnsiColor::Green.on_default(),
            Self::Bad => AnsiColor::Red.on_default().bold(),
            Self::Warning => AnsiColor::Yellow.on_default(),
        }
    }
}

/// Text that grows line by line.
#[derive(Debug)]
pub(in crate::report) struct Page {
    text: String,
    color: bool,
    width: usize,
}

impl Page {
    /// An empty page; one too narrow for anything is taken as 20 columns wide.
    pub(in crate::report) fn new(color: bool, width: usize) -> Self {
        Self { text: String::new(), color, width: width.max(20) }
    }

    pub(in crate::report) fn width(&self) -> usize {
        self.width
    }

    pub(in crate::report) fn color(&self) -> bool {
        self.color
    }

    pub(in crate::report) fn into_text(self) -> String {
        self.text
    }

    /// Text in the colour of its role.
    pub(in crate::report) fn paint(&self, role: Role, text: &str) -> String {
        if self.color && role != Role::Plain && !text.is_empty() {
            let style = role.style();
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }

    /// A line that is ready as it is: safe, and no wider than the page.
    pub(in crate::report) fn line(&mut self, text: &str) {
        let text = text.trim_end();
        let start = text.len() - text.trim_start().len();
        if text[start..].starts_with("::") {
            // At the start of a line GitHub takes it for a command.
            self.text.push_str(&text[..start]);
            self.text.push_str("\\x3a");
            self.text.push_str(&text[start + 1..]);
        } else {
            self.text.push_str(text);
        }
        self.text.push('\n');
    }

    pub(in crate::report) fn blank(&mut self) {
        self.text.push('\n');
    }

    /// A paragraph: escaped, wrapped at words, every line indented.
    pub(in crate::report) fn paragraph(&mut self, indent: usize, role: Role, text: &str) {
        self.hanging(&" ".repeat(indent), Role::Plain, role, text);
    }

    /// A paragraph that starts with a label; the other lines are indented by as
    /// much.
    pub(in crate::report) fn hanging(
        &mut self,
        label: &str,
        label_role: Role,
        role: Role,
        text: &str,
    ) {
        let label = escape::line(label).into_owned();
        let mut indent = escape::width(&label);
        let mut start = self.paint(label_role, &label);
        let mut room = self.width.saturating_sub(indent);
        if room < ROOM && !label.trim().is_empty() {
            // Beside the label there is no room for words.
            let start_of_label = label.len() - label.trim_start().len();
            self.line(&start);
            indent = (start_of_label + 2).min(self.width / 4);
            room = self.width - indent;
            start = " ".repeat(indent);
        } else if room < ROOM {
            indent = self.width / 4;
            room = self.width - indent;
            start = " ".repeat(indent);
        }
        let mut lines = wrap(&escape::line(text), room);
        if lines.is_empty() {
            lines.push(String::new());
        }
        for line in lines {
            let painted = self.paint(role, &line);
            self.line(&format!("{start}{painted}"));
            start = " ".repeat(indent);
        }
    }
}

/// Breaks a text into lines at spaces; a word that is wider than a line is cut.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut used = 0;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let width = escape::width(word);
        match lines.last_mut() {
            Some(line) if used + 1 + width <= columns => {
                line.push(' ');
                line.push_str(word);
                used += 1 + width;
            }
            _ => {
                for piece in pieces(word, columns) {
                    used = escape::width(&piece);
                    lines.push(piece);
                }
            }
        }
    }
    lines
}

/// Cuts a word that is wider than a line: behind a separator where one stands in the
/// second half of the line, as in paths and ids.
fn pieces(word: &str, columns: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    // Where the piece starts, how wide it is, and where it may end, with the width there.
    let (mut start, mut used) = (0, 0);
    let mut end = None;
    let mut chars = word.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let width = c.width().unwrap_or(0);
        if used + width > columns && used > 0 {
            let (cut, before) = end.take().unwrap_or((at, used));
            pieces.push(word[start..cut].to_owned());
            (start, used) = (cut, used - before);
        }
        used += width;
        let is_end = matches!(c, '/' | '.' | '-' | '_' | ',' | '=' | ':');
        let next = chars.peek();
        if is_end && 2 * used > columns && next.is_some_and(|(_, next)| *next != ':') {
            end = next.map(|(next, _)| (*next, used));
        }
    }
    pieces.push(word[start..].to_owned());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_wrapped_by_columns() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("  日本 日本語  x ", 6), ["日本", "日本語", "x"]);
        assert_eq!(wrap("a abcdefgh b", 4), ["a", "abcd", "efgh", "b"]);
        assert!(wrap("", 4).is_empty());
        assert_eq!(wrap("日本", 1), ["日", "本"]);
        let id = "manifest/project_id/64-capitals::lenient";
        assert_eq!(wrap(id, 36), ["manifest/project_id/64-capitals::", "lenient"]);
        assert_eq!(wrap(id, 32), ["manifest/project_id/64-", "capitals::lenient"]);
        assert_eq!(wrap(id, 12), ["manifest/", "project_id/", "64-capitals:", ":lenient"]);
        assert_eq!(wrap("a/bcdefghijklm", 6), ["a/bcde", "fghijk", "lm"]);
    }

    #[test]
    fn paragraphs_hang_on_their_labels() {
        let mut page = Page::new(false, 40);
        let text = "some words that go on\u{1b}[2J for long";
        page.hanging("  name  ", Role::Bad, Role::Plain, text);
        assert_eq!(page.into_text(), "  name  some words that go on\\x1b[2J for\n        long\n");
        let mut page = Page::new(false, 40);
        page.paragraph(2, Role::Plain, "::error::no command");
        assert_eq!(page.into_text(), "  \\x3a:error::no command\n");
        let mut page = Page::new(true, 40);
        page.paragraph(2, Role::Good, "yes");
        assert_eq!(page.into_text(), "  \u{1b}[32myes\u{1b}[0m\n");
    }
}
