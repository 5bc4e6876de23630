//! Text from outside, line by line, with what acts on a reader spelled out.

use std::ops::Range;

use super::super::escape;

/// How much of a document or an output is shown, in bytes.
const SHOWN: usize = 16 << 10;
/// How many lines of it.
const LINES: usize = 400;

/// A text to show.
pub(super) struct Source {
    /// Its lines.
    pub(super) lines: Vec<Vec<Piece>>,
    /// What is not shown of it, in words; empty when all is.
    pub(super) rest: String,
}

/// A part of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Safe to show.
    pub(super) text: String,
    /// Whether it is spelled out: the character itself would act.
    pub(super) spelled: bool,
    /// Whether it is to be marked.
    pub(super) marked: bool,
}

impl Source {
    /// The lines of a text, with some bytes of it marked.
    pub(super) fn new(text: &str, marks: &[Range<usize>]) -> Self {
        let end = text.floor_char_boundary(SHOWN);
        let mut lines = Vec::new();
        let mut at = 0;
        while at < end && lines.len() < LINES {
            let length = text[at..end].find('\n').unwrap_or(end - at);
            lines.push(pieces(&text[at..at + length], at, marks));
            at = (at + length + 1).min(text.len());
        }
        let rest = match text.len() - at.min(end) {
            0 => String::new(),
            bytes => format!("and {bytes} more bytes"),
        };
        Self { lines, rest }
    }

    /// What a program wrote; tabs are spaces there.
    pub(super) fn output(text: &str) -> Self {
        Self::new(&text.trim_end().replace('\t', "    "), &[])
    }

    /// Whether there is nothing to show.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

/// Cuts a line where its nature changes.
fn pieces(line: &str, offset: usize, marks: &[Range<usize>]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut buffer = [0; 4];
    for (at, c) in line.char_indices() {
        let place = offset + at;
        let marked = marks.iter().any(|mark| mark.contains(&place));
        let spelled = escape::acts(c);
        if pieces.last().is_none_or(|last| (last.spelled, last.marked) != (spelled, marked)) {
            pieces.push(Piece { text: String::new(), spelled, marked });
        }
        if let Some(last) = pieces.last_mut() {
            last.text.push_str(&escape::line(c.encode_utf8(&mut buffer)));
        }
    }
    pieces
}

/// A text of the rule tables: the parts between backticks, which are code, and the
/// others.
pub(super) fn prose(text: &str) -> Vec<Words> {
    let parts = text.trim().split('`').enumerate();
    let words = parts
        .map(|(index, part)| Words { text: escape::clamped(part, 2000), code: index % 2 == 1 });
    words.filter(|words| !words.text.is_empty()).collect()
}

/// A part of a text.
pub(super) struct Words {
    /// Safe to show.
    pub(super) text: String,
    /// Whether it is code.
    pub(super) code: bool,
}

/// A link to a place of the page, by its id.
pub(super) fn fragment(id: &str) -> String {
    let mut link = String::with_capacity(id.len() + 1);
    link.push('#');
    for byte in id.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b':' => {
                link.push(char::from(byte));
            }
            byte => link.push_str(&format!("%{byte:02X}")),
        }
    }
    link
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(source: &Source) -> Vec<String> {
        let piece = |piece: &Piece| match (piece.spelled, piece.marked) {
            (false, false) => piece.text.clone(),
            (true, false) => format!("<{}>", piece.text),
            (false, true) => format!("[{}]", piece.text),
            (true, true) => format!("[<{}>]", piece.text),
        };
        source.lines.iter().map(|line| line.iter().map(piece).collect()).collect()
    }

    #[test]
    fn marks_and_what_acts_are_set_apart() {
        let source = Source::new("a: b\r\n\tc: \u{202e}d\n\ne", &[3..4, 9..12]);
        assert_eq!(shape(&source), ["a: [b]<\\r>", "<\\t>c:[ ][<\\u{202e}>]d", "", "e"]);
        assert!(source.rest.is_empty());
        assert!(Source::new("", &[]).is_empty());
        assert_eq!(shape(&Source::output("\ta\n\n")), ["    a"]);
    }

    #[test]
    fn long_texts_are_cut_and_say_so() {
        let source = Source::new(&"x".repeat(20_000), &[]);
        assert_eq!((source.lines.len(), source.rest.as_str()), (1, "and 3616 more bytes"));
        let source = Source::new(&"x\n".repeat(500), &[]);
        assert_eq!((source.lines.len(), source.rest.as_str()), (LINES, "and 200 more bytes"));
        let whole = Source::new(&"ä".repeat(SHOWN / 2), &[]);
        assert!(whole.rest.is_empty());
        assert_eq!(Source::new(&"日".repeat(6000), &[]).rest, "and 1617 more bytes");
    }

    #[test]
    fn links_are_encoded() {
        assert_eq!(fragment("manifest/a_b/c-d::strict"), "#manifest/a_b/c-d::strict");
        assert_eq!(fragment("m/ö \"<%"), "#m/%C3%B6%20%22%3C%25");
    }
}
