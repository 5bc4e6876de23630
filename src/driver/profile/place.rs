//! Places as tools write them, made JSON pointers.

use crate::yaml::join;

/// A JSON pointer as it is; a JSONPath such as `$.a[0]['b c']`, or a dotted path
/// such as `a.b[0]` or `a.0`, as a pointer. `None` for what is none of these.
pub(super) fn pointer(text: &str) -> Option<String> {
    if text.is_empty() || text.starts_with('/') {
        return Some(text.to_owned());
    }
    let mut rest = text.strip_prefix('$').unwrap_or(text);
    if rest.len() == text.len() && !rest.starts_with('[') {
        // A dotted path has no mark in front of its first key.
        let (key, after) = bare_key(rest);
        return follow(join("", key), after);
    }
    if rest.starts_with("..") {
        return None;
    }
    rest = rest.strip_prefix(' ').unwrap_or(rest);
    follow(String::new(), rest)
}

fn follow(mut pointer: String, mut rest: &str) -> Option<String> {
    while !rest.is_empty() {
        let (key, after) = match rest.strip_prefix('.') {
            Some(after) => {
                let (key, after) = bare_key(after);
                if key.is_empty() {
                    return None;
                }
                (key.to_owned(), after)
            }
            None => bracketed(rest)?,
        };
        pointer = join(&pointer, &key);
        rest = after;
    }
    Some(pointer)
}

/// The text up to the next `.` or `[`, and what follows.
fn bare_key(text: &str) -> (&str, &str) {
    text.split_at(text.find(['.', '[']).unwrap_or(text.len()))
}

/// What is in the brackets in front, and what follows them.
fn bracketed(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix('[')?;
    let Some(quote) = inner.chars().next().filter(|c| matches!(c, '\'' | '"')) else {
        let (key, after) = inner.split_once(']')?;
        return Some((key.to_owned(), after));
    };
    let mut key = String::new();
    let mut chars = inner.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        if c == quote {
            let after = inner.get(at + c.len_utf8()..)?.strip_prefix(']')?;
            return Some((key, after));
        }
        key.push(if c == '\\' { chars.next()?.1 } else { c });
    }
    None
}

/// The keys of a JSON pointer joined by dots, without the indices of entries: how
/// rule ids name a field.
pub(super) fn field(pointer: &str) -> String {
    let keys = pointer.split('/').skip(1).filter(|part| !is_index(part));
    keys.map(|part| part.replace("~1", "/").replace("~0", "~")).collect::<Vec<_>>().join(".")
}

/// Whether a JSON pointer ends at an entry of a sequence.
pub(super) fn is_entry(pointer: &str) -> bool {
    pointer.rsplit_once('/').is_some_and(|(_, last)| is_index(last))
}

fn is_index(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_to_write_a_place_is_read() {
        for (text, expected) in [
            ("", ""),
            ("/a~1b/0", "/a~1b/0"),
            ("$", ""),
            ("$.a.b", "/a/b"),
            ("$.a[12].c", "/a/12/c"),
            ("$['a/b'][0]", "/a~1b/0"),
            ("$[\"it's\"].x", "/it's/x"),
            (r"$['it\'s']", "/it's"),
            ("a", "/a"),
            ("a.b[0]", "/a/b/0"),
            ("a.0.b", "/a/0/b"),
            ("['x y']", "/x y"),
        ] {
            assert_eq!(pointer(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["$..a", "$.a[", "$['a", "$['a'x", "a..b", "a[0"] {
            assert_eq!(pointer(text), None, "{text}");
        }
    }

    #[test]
    fn a_field_has_no_indices() {
        assert_eq!(field("/snapshot/paths/0"), "snapshot.paths");
        assert_eq!(field(""), "");
        assert_eq!(field("/a~1b"), "a/b");
        assert!(is_entry("/a/0") && !is_entry("/a") && !is_entry("") && !is_entry("/a/"));
    }
}
