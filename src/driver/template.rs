//! Arguments with names in braces that stand for paths.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// Replaces each `{name}` by the path that it stands for. `Err` has the first
/// name that stands for none.
pub(crate) fn fill<'t>(
    template: &'t str,
    path_of: &dyn Fn(&str) -> Option<PathBuf>,
) -> Result<OsString, &'t str> {
    fill_with(template, &|name| path_of(name).map(PathBuf::into_os_string))
}

/// The same for a text that a shell reads: paths are quoted.
pub(crate) fn fill_quoted<'t>(
    template: &'t str,
    path_of: &dyn Fn(&str) -> Option<PathBuf>,
) -> Result<OsString, &'t str> {
    fill_with(template, &|name| path_of(name).map(|path| quote(path.as_os_str())))
}

fn fill_with<'t>(
    template: &'t str,
    text_of: &dyn Fn(&str) -> Option<OsString>,
) -> Result<OsString, &'t str> {
    let mut filled = OsString::new();
    let mut rest = template;
    while let Some((before, name, after)) = next_placeholder(rest) {
        filled.push(before);
        filled.push(text_of(name).ok_or(name)?);
        rest = after;
    }
    filled.push(rest);
    Ok(filled)
}

/// The names in braces of a text.
pub(crate) fn names(template: &str) -> impl Iterator<Item = &str> {
    let mut rest = template;
    std::iter::from_fn(move || {
        let (_, name, after) = next_placeholder(rest)?;
        rest = after;
        Some(name)
    })
}

/// A word that a POSIX shell reads as this text.
pub(crate) fn quote(text: &OsStr) -> OsString {
    let mut quoted = OsString::from("'");
    let mut rest = text.as_encoded_bytes();
    while let Some(at) = rest.iter().position(|&byte| byte == b'\'') {
        let (before, after) = rest.split_at(at);
        push(&mut quoted, before);
        quoted.push(r"'\''");
        rest = after.get(1..).unwrap_or_default();
    }
    push(&mut quoted, rest);
    quoted.push("'");
    quoted
}

#[cfg(unix)]
fn push(text: &mut OsString, bytes: &[u8]) {
    use std::os::unix::ffi::OsStrExt;
    text.push(OsStr::from_bytes(bytes));
}

#[cfg(not(unix))]
fn push(text: &mut OsString, bytes: &[u8]) {
    text.push(&*String::from_utf8_lossy(bytes));
}

/// The text before the first `{name}`, the name, and the text after it. Braces
/// around anything else, such as JSON, are text.
fn next_placeholder(template: &str) -> Option<(&str, &str, &str)> {
    let is_name = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    template.match_indices('{').find_map(|(open, _)| {
        let (name, after) = template.get(open + 1..)?.split_once('}')?;
        is_name(name).then_some((template.get(..open)?, name, after))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(name: &str) -> Option<PathBuf> {
        matches!(name, "manifest" | "x-1").then(|| PathBuf::from(format!("/p/{name} it's")))
    }

    #[test]
    fn names_in_braces_are_replaced_and_other_braces_kept() {
        assert_eq!(fill("a={manifest}{x-1}.", &path).unwrap(), "a=/p/manifest it's/p/x-1 it's.");
        for plain in ["", "{", "{}", "{\"k\": 1}", "{manifest", "}{", "${x y}"] {
            assert_eq!(fill(plain, &path).unwrap(), plain);
        }
        assert_eq!(fill("{manifest}{other}", &path), Err("other"));
    }

    #[test]
    fn a_shell_reads_quoted_paths_as_they_are() {
        assert_eq!(fill_quoted("cat {x-1} | x", &path).unwrap(), r"cat '/p/x-1 it'\''s' | x");
        assert_eq!(quote(OsStr::new("")), "''");
    }

    #[test]
    fn names_are_found() {
        let found: Vec<_> = names("x {a}{manifest} {} {\"k\": {b}} manifest").collect();
        assert_eq!(found, ["a", "manifest", "b"]);
    }
}
