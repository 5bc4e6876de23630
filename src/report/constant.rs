//! What an implementation wrote, without what differs from case to case by itself.

use crate::core::{CUT_BEFORE, FOLDER_PREFIX};

/// How many characters the name of a case's folder has behind what all have.
const FOLDER_NAME: usize = 6;

/// A text without what differs from case to case: the name of the folder that the case
/// runs in, the number of the thread that a panic tells, addresses, the id of a session's
/// reply, and how much was cut off before the text.
pub(super) fn constant(text: &str) -> String {
    let text = match text.split_once('\n') {
        Some((first, rest)) if is_cut(first) => rest,
        _ => text,
    };
    if let Some(reply) = reply(text) {
        return reply;
    }
    let number: fn(&str) -> usize = |rest| count(rest, |c| c.is_ascii_digit());
    let parts = [
        (FOLDER_PREFIX, folder as fn(&str) -> usize),
        ("thread 'main' (", number),
        ("thread '<unnamed>' (", number),
        ("0x", address),
    ];
    parts.iter().fold(text.to_owned(), |text, (before, length)| {
        if text.contains(before) { without(&text, before, *length) } else { text }
    })
}

/// Whether a line stands for output that was not kept.
fn is_cut(line: &str) -> bool {
    let number = line.strip_prefix(CUT_BEFORE).and_then(|it| it.strip_suffix(" bytes before]"));
    number.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The reply of a session without its id.
fn reply(text: &str) -> Option<String> {
    if !text.starts_with('{') {
        return None;
    }
    let mut fields: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).ok()?;
    fields.remove("id")?;
    let fields = fields.into_iter().map(|(name, value)| format!("{name:?}: {value}\n"));
    Some(fields.map(|line| constant(&line)).collect())
}

fn count(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    text.len() - text.trim_start_matches(is_part).len()
}

fn folder(rest: &str) -> usize {
    let length = count(rest, |c| c.is_ascii_alphanumeric());
    if length == FOLDER_NAME { length } else { 0 }
}

/// Where memory is, as processes of 64 bits on Linux and macOS see it. Eight digits are as
/// well an error code, and tell causes apart.
fn address(rest: &str) -> usize {
    let length = count(rest, |c| c.is_ascii_hexdigit());
    let begins = |starts: &[&str]| starts.iter().any(|start| rest.starts_with(start));
    match length {
        12 if begins(&["7f", "55", "56", "6000"]) => length,
        16 if begins(&["0000", "ffff"]) => length,
        _ => 0,
    }
}

/// A text without as many bytes as `length` tells behind each place where `before` stands.
fn without(text: &str, before: &str, length: impl Fn(&str) -> usize) -> String {
    let mut pieces = text.split(before);
    let mut constant = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        constant.push_str(before);
        constant.push_str(&piece[length(piece)..]);
    }
    constant
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_case_adds_by_itself_is_taken_out_and_no_more() {
        for (text, left) in [
            ("in /tmp/living-conformance-Ab3dE6/in", "in /tmp/living-conformance-/in"),
            ("see living-conformance-docs1", "see living-conformance-docs1"),
            ("thread 'main' (4711) panicked at 3", "thread 'main' () panicked at 3"),
            ("at 0x7ffc12345678 0x0a", "at 0x 0x0a"),
            ("at 0x00007ffc12345678", "at 0x"),
            ("HRESULT 0x80070005", "HRESULT 0x80070005"),
            ("[… 12 bytes before]\nx 4711 living", "x 4711 living"),
            ("[… config 1 is missing\nx", "[… config 1 is missing\nx"),
            (r#"{"id": 7, "decision": "reject"}"#, "\"decision\": \"reject\"\n"),
            (r#"{"rule": "a.b"}"#, r#"{"rule": "a.b"}"#),
            ("", ""),
        ] {
            assert_eq!(constant(text), left);
        }
    }
}
