//! JSON pointers (RFC 6901).

use std::fmt;

use super::{Kind, Node};

/// A key as a part of a JSON pointer: `~` and `/` escaped.
#[must_use]
pub fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// The pointer of a member of what `parent` points at.
#[must_use]
pub fn join(parent: &str, key: &str) -> String {
    Member(parent, key).to_string()
}

/// The same, written out only where it is wanted.
pub(crate) struct Member<'a>(pub(crate) &'a str, pub(crate) &'a str);

impl fmt::Display for Member<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(parent, key) = self;
        write!(f, "{parent}/{}", escape(key))
    }
}

/// Whether a text is a JSON pointer (RFC 6901).
#[must_use]
pub fn is_pointer(text: &str) -> bool {
    let escapes = |part: &str| part.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
    text.is_empty() || text.starts_with('/') && escapes(text)
}

fn unescape(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

impl Node {
    /// The node that a JSON pointer leads to; of duplicate keys the last.
    #[must_use]
    pub fn at(&self, pointer: &str) -> Option<&Node> {
        self.follow(pointer).map(|(_, node)| node)
    }

    /// The key that a JSON pointer to a member of a mapping ends with.
    #[must_use]
    pub fn key_at(&self, pointer: &str) -> Option<&Node> {
        self.follow(pointer).and_then(|(key, _)| key)
    }

    fn follow(&self, pointer: &str) -> Option<(Option<&Node>, &Node)> {
        if pointer.is_empty() {
            return Some((None, self));
        }
        let mut found = (None, self);
        for part in pointer.strip_prefix('/')?.split('/') {
            found = match found.1.kind() {
                Kind::Sequence(items) => {
                    let canonical = part == "0" || !part.starts_with(['0', '+']);
                    let index = canonical.then(|| part.parse::<usize>().ok()).flatten()?;
                    (None, items.get(index)?)
                }
                Kind::Mapping(entries) => {
                    let key = unescape(part);
                    let entry = entries
                        .iter()
                        .rev()
                        .find(|entry| entry.key.text().is_some_and(|text| text == key))?;
                    (Some(&entry.key), &entry.value)
                }
                _ => return None,
            };
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_start_with_a_slash_and_escape_tildes() {
        for good in ["", "/", "/a/0", "/a~1b~0", "/ä b"] {
            assert!(is_pointer(good), "{good:?}");
        }
        for bad in ["a", "#/a", "/a~", "/a~2b", "a/b"] {
            assert!(!is_pointer(bad), "{bad:?}");
        }
    }
}
