//! Variants that change a text in places and leave the rest of it as it is.

use crate::yaml::{Document, Entry, Kind, Node, Style, quote};

const BOM: &str = "\u{feff}";

/// With CR LF at the end of each line; `None` when all of them end so.
pub(super) fn crlf(text: &str) -> Option<String> {
    let mut written = String::with_capacity(text.len() + text.len() / 16);
    let mut before = '\0';
    for c in text.chars() {
        if c == '\n' && before != '\r' {
            written.push('\r');
        }
        written.push(c);
        before = c;
    }
    (written.len() > text.len()).then_some(written)
}

/// With a byte order mark in front; `None` when there is one.
pub(super) fn bom(text: &str) -> Option<String> {
    (!text.starts_with(BOM)).then(|| format!("{BOM}{text}"))
}

/// With a document marker in front; `None` when the first document has one.
pub(super) fn marker(text: &str) -> Option<String> {
    let start = after_bom(text);
    let is_content = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    let first = text[start..].lines().find(is_content).unwrap_or_default();
    // A marker comes after directives in any case.
    if first.starts_with("---") || first.starts_with('%') {
        return None;
    }
    Some(format!("{}---{}{}", &text[..start], newline(text), &text[start..]))
}

/// With the plain scalars that everybody takes for strings in double quotes; `None`
/// when there is none.
pub(super) fn quoted(document: &Document) -> Option<String> {
    let mut edits = Edits::default();
    for root in document.roots() {
        quote_in(root, false, &mut edits);
    }
    edits.made_in(document.text())
}

fn quote_in(node: &Node, is_key: bool, edits: &mut Edits) {
    // What an alias stands for is written elsewhere.
    if node.is_alias() {
        return;
    }
    match node.kind() {
        Kind::Sequence(items) => items.iter().for_each(|item| quote_in(item, false, edits)),
        Kind::Mapping(entries) => {
            for Entry { key, value } in entries.iter() {
                quote_in(key, true, edits);
                quote_in(value, false, edits);
            }
        }
        Kind::String(text) => {
            let plain = node.style() == Style::Plain && !(is_key && node.is_merge_key());
            if plain && !node.reads_differently() {
                let span = node.span();
                edits.add(span.start, span.end, quote(text));
            }
        }
        _ => {}
    }
}

/// What comments say: a reader that looks for keys or quotes in them goes astray.
const LINE: &str = "# no: \"key\", - no item, and 'no end of it";
const BEHIND: &str = " # not: \"a value";

/// With comments: at the top, before each key of a block on a line of its own, behind
/// values, and at the end.
pub(super) fn commented(document: &Document) -> String {
    let text: &str = document.text();
    let newline = newline(text);
    let mut edits = Edits::default();
    let top = after_bom(text);
    edits.add(top, top, format!("{LINE}{newline}"));
    let mut comments = Comments { text, newline, edits };
    for root in document.roots() {
        comments.below(root);
    }
    let Comments { mut edits, .. } = comments;
    // Behind the last line of a block scalar it might belong to it.
    if text.ends_with('\n') && !document.roots().last().is_some_and(ends_with_block_scalar) {
        edits.add(text.len(), text.len(), format!("{LINE}{newline}"));
    }
    edits.made_in(text).unwrap_or_default()
}

struct Comments<'a> {
    text: &'a str,
    newline: &'static str,
    edits: Edits,
}

impl Comments<'_> {
    /// Comments what is in a collection. In brackets and braces nothing is changed.
    fn below(&mut self, node: &Node) {
        if node.is_alias() || node.style() == Style::Flow {
            return;
        }
        match node.kind() {
            Kind::Sequence(items) => items.iter().for_each(|item| self.value(item)),
            Kind::Mapping(entries) => {
                for Entry { key, value } in entries.iter() {
                    self.before(key.span().start);
                    self.value(value);
                }
            }
            _ => {}
        }
    }

    fn value(&mut self, node: &Node) {
        match node.style() {
            Style::Block => self.below(node),
            Style::Literal | Style::Folded => {}
            _ => self.behind(node),
        }
    }

    /// On a line of its own before a key that is the first on its line.
    fn before(&mut self, key: usize) {
        let line = self.text[..key].rfind('\n').map_or(0, |newline| newline + 1);
        let indent = &self.text[line..key];
        if line > 0 && indent.bytes().all(|b| b == b' ') {
            self.edits.add(line, line, format!("{indent}{LINE}{}", self.newline));
        }
    }

    /// Behind a value with nothing else on the rest of its line.
    fn behind(&mut self, node: &Node) {
        let span = node.span();
        let rest = self.text[span.end..].lines().next().unwrap_or_default();
        if span.end > span.start && rest.trim().is_empty() {
            self.edits.add(span.end, span.end, BEHIND.to_owned());
        }
    }
}

fn ends_with_block_scalar(node: &Node) -> bool {
    match node.kind() {
        Kind::Sequence(items) => items.last().is_some_and(ends_with_block_scalar),
        Kind::Mapping(entries) => {
            entries.last().is_some_and(|entry| ends_with_block_scalar(&entry.value))
        }
        _ => matches!(node.style(), Style::Literal | Style::Folded),
    }
}

fn after_bom(text: &str) -> usize {
    if text.starts_with(BOM) { BOM.len() } else { 0 }
}

/// How the lines of a text end.
fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Replacements of ranges of a text.
#[derive(Default)]
struct Edits(Vec<(usize, usize, String)>);

impl Edits {
    fn add(&mut self, start: usize, end: usize, text: String) {
        self.0.push((start, end, text));
    }

    /// The text with all of them; `None` when there is none.
    fn made_in(mut self, text: &str) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        self.0.sort_by_key(|(start, ..)| *start);
        let mut written = String::with_capacity(text.len() * 2);
        let mut position = 0;
        for (start, end, edit) in self.0 {
            written.push_str(text.get(position..start)?);
            written.push_str(&edit);
            position = end;
        }
        written.push_str(text.get(position..)?);
        Some(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Document {
        Document::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn lines_end_with_both_characters() {
        assert_eq!(crlf("a: 1\r\nb: 2\n\n").as_deref(), Some("a: 1\r\nb: 2\r\n\r\n"));
        assert_eq!(crlf("a: 1\r\n"), None);
    }

    #[test]
    fn what_is_in_front_already_is_not_put_there_again() {
        assert_eq!(bom("a: 1").as_deref(), Some("\u{feff}a: 1"));
        assert_eq!(bom("\u{feff}a: 1"), None);
        assert_eq!(marker("# x\na: 1\r\n").as_deref(), Some("---\r\n# x\na: 1\r\n"));
        assert_eq!(marker("\u{feff}a: 1").as_deref(), Some("\u{feff}---\na: 1"));
        for text in ["---\na: 1", "# x\n\n--- a", "%YAML 1.2\n---\na: 1", "\u{feff}---"] {
            assert_eq!(marker(text), None, "{text}");
        }
    }

    #[test]
    fn strings_are_quoted_where_everybody_has_one() {
        let text =
            "a: b c # x\n? &k 'd'\n: &e f\"\\g\n1: [yes, *e, !t h, 2, {<<: *e, i: |-\n 1}]\n";
        let text = text.replace("|-\n 1", "'j'").replace("1: [", "1: [k: ,");
        let written = quoted(&parsed(&text)).unwrap();
        assert_eq!(
            written,
            "\"a\": \"b c\" # x\n? &k 'd'\n: &e \"f\\\"\\\\g\"\n\
             1: [\"k\": ,yes, *e, !t \"h\", 2, {<<: *e, \"i\": 'j'}]\n"
        );
        assert_eq!(quoted(&parsed("'a': [1, yes, ~]")), None);
    }

    #[test]
    fn comments_stand_where_they_may() {
        let text = "a: 1\nb:\n  - c: x\n    d: |\n      # y\n  - [e,\n     f]\ng: >\n  h\n";
        let expected = "\
L
a: 1B
L
b:
  - c: xB
    L
    d: |
      # y
  - [e,
     f]B
L
g: >
  h
";
        let expected = expected.replace('L', LINE).replace('B', BEHIND);
        assert_eq!(commented(&parsed(text)), expected);
        let short = commented(&parsed("\u{feff}a: 1 # b\r\n"));
        assert_eq!(short, format!("\u{feff}{LINE}\r\na: 1 # b\r\n{LINE}\r\n"));
    }
}
