//! The text of a document: decoding, places, and what loaders make of characters.

use super::{Error, ErrorKind, MAX_BYTES, NoteKind, Span, Style};

/// The bytes as text, and whether they were UTF-16.
pub(super) fn decode(bytes: &[u8]) -> Result<(String, bool), Error> {
    if bytes.len() > MAX_BYTES {
        let message = format!("{} bytes are more than the {MAX_BYTES} that are read", bytes.len());
        return Err(Error::new(ErrorKind::Resources, place("", 0), &message));
    }
    if let Some(little_endian) = utf16(bytes) {
        return decode_utf16(bytes, little_endian).map(|text| (text, true));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => {
            printable(text)?;
            Ok((text.to_owned(), false))
        }
        Err(error) => {
            let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let span = place(&valid, valid.len());
            Err(Error::new(ErrorKind::Encoding, span, "invalid UTF-8"))
        }
    }
}

/// Whether bytes are UTF-16 by the rules of YAML 1.2, section 5.2, and little-endian.
fn utf16(bytes: &[u8]) -> Option<bool> {
    match bytes {
        [0xff, 0xfe, ..] => Some(true),
        [0xfe, 0xff, ..] => Some(false),
        [0, second, ..] if *second != 0 => Some(false),
        [first, 0, ..] if *first != 0 => Some(true),
        _ => None,
    }
}

fn decode_utf16(bytes: &[u8], little_endian: bool) -> Result<String, Error> {
    let units = bytes.chunks(2).map(|pair| match (pair, little_endian) {
        (&[low, high], true) | (&[high, low], false) => u16::from_be_bytes([high, low]),
        // An odd byte at the end is no character.
        _ => 0xdc00,
    });
    let mut text = String::with_capacity(bytes.len());
    for unit in char::decode_utf16(units) {
        match unit {
            Ok(c) => text.push(c),
            Err(_) => {
                let span = place(&text, text.len());
                let mut error = Error::new(ErrorKind::Encoding, span, "invalid UTF-16");
                error.utf16 = true;
                return Err(error);
            }
        }
    }
    printable(&text).map_err(|mut error| {
        error.utf16 = true;
        error
    })?;
    Ok(text)
}

/// No YAML text has control characters besides tab and line breaks.
fn printable(text: &str) -> Result<(), Error> {
    match text.bytes().position(|b| b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r')) {
        Some(at) => {
            let message = format!("control character U+{:04X}", text.as_bytes()[at]);
            Err(Error::new(ErrorKind::Syntax, place(text, at), &message))
        }
        None => Ok(()),
    }
}

/// Whether YAML allows a character only in quotes, if at all, while many loaders take it.
pub(super) fn contested(c: char) -> bool {
    matches!(c, '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// The empty span at a byte offset.
pub(super) fn place(text: &str, offset: usize) -> Span {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &text[..offset];
    let line_start = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let breaks = before.bytes().filter(|b| *b == b'\n').count()
        + before.bytes().enumerate().filter(|(at, b)| *b == b'\r' && !pair(text, *at)).count();
    Span {
        start: offset,
        end: offset,
        line: breaks + 1,
        column: before[line_start..].trim_start_matches('\u{feff}').chars().count() + 1,
    }
}

fn pair(text: &str, at: usize) -> bool {
    text.as_bytes().get(at + 1) == Some(&b'\n')
}

/// A scalar's range in the text.
pub(super) struct Range {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) style: Style,
}

/// What loaders take differently in the characters, each kind once, with its offset.
pub(super) fn remarks(text: &str, scalars: &[Range]) -> Vec<(NoteKind, usize)> {
    let mut found = Vec::new();
    let mut characters = |kind, wanted: &dyn Fn(usize, char) -> bool| {
        found.extend(text.char_indices().find(|(at, c)| wanted(*at, *c)).map(|(at, _)| (kind, at)));
    };
    characters(NoteKind::LineSeparator, &|_, c| matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}'));
    characters(NoteKind::InnerByteOrderMark, &|at, c| c == '\u{feff}' && at > 0);
    characters(NoteKind::ContestedCharacter, &|_, c| contested(c) && c != '\u{feff}');

    let mut position = 0;
    let mut gaps = Gaps { text, tab: None, directive: None };
    for scalar in scalars {
        let (start, end) = (scalar.start.max(position), scalar.end.max(position));
        gaps.scan(position, start);
        // PyYAML ends a plain scalar at a tab; other styles take it as content.
        if scalar.style == Style::Plain
            && let Some(at) = text.get(start..end).and_then(|text| text.find('\t'))
        {
            gaps.tab.get_or_insert(start + at);
        }
        position = end;
    }
    gaps.scan(position, text.len());
    found.extend(gaps.tab.map(|at| (NoteKind::Tab, at)));
    found.extend(gaps.directive.map(|at| (NoteKind::Directive, at)));
    found
}

/// The text between scalars: indicators, white space, comments, directives.
struct Gaps<'a> {
    text: &'a str,
    tab: Option<usize>,
    directive: Option<usize>,
}

impl Gaps<'_> {
    fn scan(&mut self, start: usize, end: usize) {
        let Some(gap) = self.text.get(start..end) else { return };
        let mut before = self.text[..start].chars().next_back().unwrap_or('\n');
        let mut comment = false;
        for (at, c) in gap.char_indices() {
            match c {
                '\n' | '\r' => comment = false,
                _ if comment => {}
                '#' if matches!(before, '\n' | '\r' | ' ' | '\t' | '\u{feff}') => comment = true,
                '\t' => {
                    self.tab.get_or_insert(start + at);
                }
                '%' if matches!(before, '\n' | '\r' | '\u{feff}') => {
                    self.directive.get_or_insert(start + at);
                }
                _ => {}
            }
            before = c;
        }
    }
}
