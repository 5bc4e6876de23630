//! Makes text that somebody else wrote safe to show: nothing in it moves the
//! cursor, changes colours, turns the direction of writing or hides.

use std::borrow::Cow;

use unicode_normalization::char::is_combining_mark;
use unicode_width::UnicodeWidthChar;

/// What stands for the part of a line that was cut off.
const CUT: &str = "…";

/// How many characters a column may cost: combining marks have no width, so a
/// limit in columns alone would let any number of them through.
const CHARS_A_COLUMN: usize = 4;

/// Whether a character does something instead of being seen: controls, C1, line
/// and paragraph separators, marks that turn the writing direction, invisible
/// format characters, tags and noncharacters.
#[must_use]
pub fn acts(c: char) -> bool {
    matches!(c,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
        | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fdd0}'..='\u{fdef}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
        || (c as u32) & 0xfffe == 0xfffe
}

/// What CI services take for a command wherever it stands in a line of a log.
const COMMANDS: [&str; 3] = ["##[", "##vso[", "##teamcity["];

/// One line: everything that acts is spelled out, line breaks and tabs as well, and
/// what a CI service would take for a command.
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    let commands = text.contains("##") && COMMANDS.iter().any(|command| text.contains(command));
    if !commands && !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    text.chars().for_each(|c| push(&mut safe, c));
    if commands {
        for command in COMMANDS {
            safe = safe.replace(command, &command.replace("##", "#\\x23"));
        }
    }
    Cow::Owned(safe)
}

/// A place or a name in a document, safe to show: in quotes where it has a blank or
/// another character that might not be seen for what it is. A blank that stands at an
/// end or beside another is spelled out, since wrapping and markup lose such.
#[must_use]
pub fn name(text: &str) -> Cow<'_, str> {
    let odd =
        |c: char| c.is_whitespace() || acts(c) || is_combining_mark(c) || matches!(c, '"' | '\\');
    if !text.is_empty() && !text.ends_with('/') && !text.contains(odd) {
        return line(text);
    }
    // The key of a pointer begins behind a slash, and ends before one.
    let is_end = |c: Option<char>| c.is_none_or(|c| matches!(c, '/' | ' '));
    let mut quoted = String::from('"');
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            ' ' if is_end(before) || is_end(chars.peek().copied()) => push_byte(&mut quoted, b' '),
            ' ' => quoted.push(' '),
            c if acts(c) => push(&mut quoted, c),
            c if odd(c) => quoted.extend(c.escape_unicode()),
            c => quoted.push(c),
        }
        before = Some(c);
    }
    quoted.push('"');
    Cow::Owned(line(&quoted).into_owned())
}

/// One line of at most `columns` columns; what is cut off is marked.
#[must_use]
pub fn clamped(text: &str, columns: usize) -> String {
    // No more of a huge text is looked at than can be shown.
    let limit = columns.saturating_mul(CHARS_A_COLUMN).saturating_add(1);
    let end = text.char_indices().nth(limit).map_or(text.len(), |(at, _)| at);
    clamp(&line(&text[..end]), columns, end < text.len())
}

/// One line of at most `columns` columns, of which the end is kept.
#[must_use]
pub fn clamped_start(text: &str, columns: usize) -> String {
    let limit = columns.saturating_mul(CHARS_A_COLUMN);
    let from = text.char_indices().rev().take(limit + 1).last().map_or(text.len(), |(at, _)| at);
    let safe = line(&text[from..]);
    if from == 0 && width(&safe) <= columns {
        return safe.into_owned();
    }
    let mut used = CUT.chars().count();
    let mut start = safe.len();
    for (at, c) in safe.char_indices().rev() {
        used += c.width().unwrap_or(0);
        if used > columns {
            break;
        }
        start = at;
    }
    format!("{CUT}{}", &safe[start..])
}

/// The lines of a text, each safe and at most `columns` columns wide; tabs become
/// spaces.
pub fn lines(text: &str, columns: usize) -> impl DoubleEndedIterator<Item = String> {
    text.lines().map(move |text| {
        if text.contains('\t') {
            clamped(&text.replace('\t', "    "), columns)
        } else {
            clamped(text, columns)
        }
    })
}

/// A line that is safe, in pieces of at most `columns` columns: broken behind a blank
/// where one stands in the second half of the piece, else behind a separator as paths
/// have it, and where it must be otherwise. Nothing is left out.
pub(crate) fn broken(line: &str, columns: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut start, mut used) = (0, 0);
    // Where the piece may end, with the width there.
    let (mut blank, mut separator) = (None, None);
    for (at, c) in line.char_indices() {
        let width = c.width().unwrap_or(0);
        if used + width > columns && used > 0 {
            let (cut, before) = blank.or(separator).unwrap_or((at, used));
            pieces.push(&line[start..cut]);
            (start, used, blank, separator) = (cut, used - before, None, None);
        }
        used += width;
        if 2 * used > columns {
            match c {
                ' ' => blank = Some((at + 1, used)),
                '/' | ',' | '=' => separator = Some((at + 1, used)),
                _ => {}
            }
        }
    }
    pieces.push(&line[start..]);
    pieces
}

/// Text from bytes: what is not UTF-8 stays to be seen as `\xff`.
#[must_use]
pub fn from_bytes(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|&byte| push_byte(&mut text, byte));
    }
    text
}

/// How many columns a text takes.
#[must_use]
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

fn push(safe: &mut String, c: char) {
    match c {
        '\n' => safe.push_str("\\n"),
        '\r' => safe.push_str("\\r"),
        '\t' => safe.push_str("\\t"),
        c if c.is_ascii() && acts(c) => push_byte(safe, c as u8),
        c if acts(c) => safe.extend(c.escape_unicode()),
        c => safe.push(c),
    }
}

fn push_byte(safe: &mut String, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    safe.push_str("\\x");
    safe.push(char::from(HEX[usize::from(byte >> 4)]));
    safe.push(char::from(HEX[usize::from(byte & 15)]));
}

fn clamp(text: &str, columns: usize, cut: bool) -> String {
    let fits = !cut
        && (text.len() <= columns
            || (width(text) <= columns
                && text.chars().count() <= columns.saturating_mul(CHARS_A_COLUMN)));
    if fits {
        return text.to_owned();
    }
    let room = columns.saturating_sub(1);
    let mut short = String::new();
    let (mut used, mut chars) = (0, 0);
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        chars += 1;
        if used > room || chars > room.saturating_mul(CHARS_A_COLUMN) {
            break;
        }
        short.push(c);
    }
    short.push_str(CUT);
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_broken_and_nothing_of_it_is_lost() {
        assert_eq!(broken("one two  three", 8), ["one two ", " three"]);
        assert_eq!(broken("  File \"a.py\", line 3", 12), ["  File ", "\"a.py\", ", "line 3"]);
        assert_eq!(broken("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(broken("at /tmp/folder/a.yaml:3", 16), ["at /tmp/folder/", "a.yaml:3"]);
        assert_eq!(broken("日本語", 5), ["日本", "語"]);
        assert_eq!(broken("", 5), [""]);
        for columns in 1..40 {
            let line = "a  b日本 e\u{301}\u{301} some/path/without/blanks:3:  and more ";
            let pieces = broken(line, columns);
            assert_eq!(pieces.concat(), line);
            let fits = |piece: &&str| width(piece) <= columns.max(2);
            assert!(pieces.iter().all(fits), "{columns}: {pieces:?}");
        }
    }

    #[test]
    fn nothing_that_acts_stays() {
        let hostile = "\u{1b}[31mred\u{7}\0\u{7f}\u{9b}2J\u{202e}evil\u{2066}\u{2028}\u{feff}\u{e0041}\r\n\t\u{200b}\u{fffe}";
        assert_eq!(
            line(hostile),
            r"\x1b[31mred\x07\x00\x7f\u{9b}2J\u{202e}evil\u{2066}\u{2028}\u{feff}\u{e0041}\r\n\t\u{200b}\u{fffe}"
        );
        assert!((0..=0x10_ffff_u32).filter_map(char::from_u32).all(|c| {
            let text = String::from(c);
            let safe = line(&text);
            !safe.contains(acts) && !safe.contains(char::is_control)
        }));
    }

    #[test]
    fn commands_of_ci_services_are_broken() {
        assert_eq!(
            line("a ##[add-mask]x ##vso[task] ###[x"),
            r"a #\x23[add-mask]x #\x23vso[task] ##\x23[x"
        );
        assert_eq!(line("##teamcity[a"), r"#\x23teamcity[a");
        assert_eq!(line("## [heading] ##"), "## [heading] ##");
    }

    #[test]
    fn names_that_could_be_taken_for_others_are_quoted() {
        for plain in ["/project_id", "/a~1b/0", "größe", "日本", "x-foo.bar:baz"] {
            assert_eq!(name(plain), plain);
        }
        for (odd, shown) in [
            ("", r#""""#),
            ("/", r#""/""#),
            ("/a/", r#""/a/""#),
            ("/isolation_profile ", r#""/isolation_profile\x20""#),
            ("/ a/b", r#""/\x20a/b""#),
            ("/a /b", r#""/a\x20/b""#),
            ("/a b", r#""/a b""#),
            ("/a  b", r#""/a\x20\x20b""#),
            ("/a\u{a0}b\t", r#""/a\u{a0}b\t""#),
            ("/e\u{301}", r#""/e\u{301}""#),
            ("/\u{200b}x", r#""/\u{200b}x""#),
            (r"/\u200b", r#""/\\u200b""#),
            ("/\"a\"", r#""/\"a\"""#),
        ] {
            assert_eq!(name(odd), shown);
        }
    }

    #[test]
    fn plain_text_is_left_alone() {
        for text in ["", "abc", "größer 日本語 🦀 e\u{301} العربية"] {
            assert!(matches!(line(text), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn long_lines_are_cut_by_columns() {
        assert_eq!(clamped("abcdef", 6), "abcdef");
        assert_eq!(clamped("abcdefg", 6), "abcde…");
        assert_eq!(clamped("日本語日本語", 6), "日本…");
        assert_eq!(clamped("日本語", 6), "日本語");
        assert_eq!(clamped("\u{1b}\u{1b}", 6), "\\x1b\\…");
        assert_eq!(clamped("ab", 0), "…");
        let zalgo = format!("a{}", "\u{301}".repeat(100_000));
        let short = clamped(&zalgo, 10);
        assert!(short.chars().count() <= 41 && width(&short) <= 10, "{}", short.chars().count());
        let huge = "x".repeat(10_000_000);
        assert_eq!(width(&clamped(&huge, 80)), 80);
    }

    #[test]
    fn the_end_of_a_long_line_can_be_kept() {
        assert_eq!(clamped_start("abcdef", 6), "abcdef");
        assert_eq!(clamped_start("abcdefg", 6), "…cdefg");
        assert_eq!(clamped_start("日本語日本語", 6), "…本語");
        assert_eq!(clamped_start("", 6), "");
        let zalgo = "\u{301}".repeat(100_000);
        assert!(clamped_start(&zalgo, 10).chars().count() <= 42);
    }

    #[test]
    fn lines_are_split_and_tabs_become_spaces() {
        let text = "one\n\ttwo\u{1b}\r\nthree\rfour";
        assert_eq!(lines(text, 40).collect::<Vec<_>>(), ["one", "    two\\x1b", "three\\rfour"]);
    }

    #[test]
    fn bytes_that_are_no_text_are_spelled_out() {
        assert_eq!(from_bytes(b"ok \xff\xfe \xe2\x82 \xc3\xbc"), "ok \\xff\\xfe \\xe2\\x82 ü");
    }
}
