//! Paths and link targets that mean the same on every host.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;

use unicode_normalization::UnicodeNormalization;

use crate::data::Fault;

/// What is wrong with an entry of a tree.
#[derive(Debug, thiserror::Error)]
pub enum PathFault {
    /// The name is not UTF-8.
    #[error("list this: its name is not UTF-8")]
    NotUtf8,
    /// The name has a control character.
    #[error("list this: its name has a control character")]
    Control,
    /// The name has a backslash, which is a separator elsewhere.
    #[error("list this: its name has a backslash, which separates directories on other hosts")]
    Backslash,
    /// The path starts with a drive.
    #[error("list this: its path starts with a drive")]
    Drive,
    /// The path starts at the root.
    #[error("list this: its path is absolute")]
    Absolute,
    /// A part of the path is empty, `.` or `..`.
    #[error("list this: a part of its path is empty, . or ..")]
    Dots,
    /// The name means something else, or nothing, on another host.
    #[error("list this: other hosts do not have names such as {0:?}")]
    Reserved(String),
    /// Another entry has the same path where case and composition do not count.
    #[error("list this: some hosts do not tell its path from {0:?}")]
    Collision(String),
    /// Another entry that is no directory stands where its path leads through.
    #[error("list this: its path leads through {0:?}, which is no directory")]
    Beneath(String),
    /// The target of a link is not UTF-8.
    #[error("list this: it is a link to a name that is not UTF-8")]
    LinkNotUtf8,
    /// The target of a link is absolute.
    #[error("list this: it is a link to an absolute path")]
    LinkAbsolute,
    /// The target of a link starts with a drive.
    #[error("list this: it is a link to a drive")]
    LinkDrive,
    /// The target of a link has a backslash.
    #[error("list this: it is a link to a name with a backslash")]
    LinkBackslash,
    /// The target of a link is empty or has a control character.
    #[error("list this: it is a link to no name that every host has")]
    LinkName,
    /// The target of a link lies outside the tree.
    #[error("list this: it is a link that leads out of the tree")]
    LinkEscapes,
    /// It is neither a file nor a directory nor a link.
    #[error("list this: it is neither a file nor a directory nor a link")]
    Special,
    /// It belongs to another repository within the tree.
    #[error("list this: it makes its directory a repository of its own")]
    NestedRepository,
    /// It could not be read.
    #[error("list this: it cannot be read: {0}")]
    Unreadable(#[source] io::Error),
    /// It changed while it was read.
    #[error("list this: it changed while it was read")]
    Changed,
    /// The tree has too many entries.
    #[error("list this: it has more entries than the {} that a tree may have", super::ENTRY_LIMIT)]
    TooMany,
    /// It has no canonical JSON.
    #[error("identify this: {0}")]
    NoIdentity(#[source] super::IdentityError),
    /// The tree has no file.
    #[error("list this: there is no file in it")]
    Empty,
}

impl Fault for PathFault {
    fn code(&self) -> &'static str {
        match self {
            Self::NotUtf8 => "tree.name.not-utf8",
            Self::Control => "tree.name.control",
            Self::Backslash => "tree.name.backslash",
            Self::Reserved(_) => "tree.name.reserved",
            Self::Drive => "tree.path.drive",
            Self::Absolute => "tree.path.absolute",
            Self::Dots => "tree.path.dots",
            Self::Collision(_) => "tree.path.collision",
            Self::Beneath(_) => "tree.path.beneath",
            Self::LinkNotUtf8 => "tree.link.not-utf8",
            Self::LinkAbsolute => "tree.link.absolute",
            Self::LinkDrive => "tree.link.drive",
            Self::LinkBackslash => "tree.link.backslash",
            Self::LinkName => "tree.link.name",
            Self::LinkEscapes => "tree.link.escapes",
            Self::Special => "tree.special-file",
            Self::NestedRepository => "tree.nested-repository",
            Self::Unreadable(_) => "tree.unreadable",
            Self::Changed => "tree.changed",
            Self::TooMany => "tree.too-many",
            Self::Empty => "tree.empty",
            Self::NoIdentity(_) => "tree.no-identity",
        }
    }

    fn remedy(&self) -> String {
        match self {
            Self::NotUtf8
            | Self::Control
            | Self::Backslash
            | Self::Reserved(_)
            | Self::Drive
            | Self::Absolute
            | Self::Dots
            | Self::Collision(_) => "rename it, or name a directory without it",
            Self::Beneath(_) => "keep one of the two",
            Self::LinkNotUtf8
            | Self::LinkAbsolute
            | Self::LinkDrive
            | Self::LinkBackslash
            | Self::LinkName
            | Self::LinkEscapes => {
                "let it lead to a file of the tree, or put the file in its place"
            }
            Self::Special => "remove it, or name a directory without it",
            Self::NestedRepository => "copy what is needed of it into the tree, without its .git",
            Self::Unreadable(_) => "check that it exists and may be read",
            Self::Changed => "wait until nothing writes to it, and try again",
            Self::TooMany => "name a smaller directory, without what a build leaves behind",
            Self::Empty => "check that this is the right directory",
            Self::NoIdentity(_) => "name a directory with smaller files",
        }
        .to_owned()
    }
}

/// Names that are devices on Windows, with whatever extension.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Whether every host has this path below a directory; it separates with `/`.
pub(super) fn check_path(path: &str) -> Result<(), PathFault> {
    if path.contains(char::is_control) {
        return Err(PathFault::Control);
    }
    if path.contains('\\') {
        return Err(PathFault::Backslash);
    }
    if path.starts_with('/') {
        return Err(PathFault::Absolute);
    }
    if starts_with_drive(path) {
        return Err(PathFault::Drive);
    }
    path.split('/').try_for_each(check_name)
}

/// Whether a link at `path` leads to the same place on every host, in the tree.
pub(super) fn check_target(path: &str, target: &str) -> Result<(), PathFault> {
    if target.contains('\\') {
        return Err(PathFault::LinkBackslash);
    }
    if target.starts_with('/') {
        return Err(PathFault::LinkAbsolute);
    }
    if starts_with_drive(target) {
        return Err(PathFault::LinkDrive);
    }
    if target.is_empty() || target.contains(char::is_control) {
        return Err(PathFault::LinkName);
    }
    let mut depth = path.matches('/').count();
    for part in target.split('/') {
        depth = match part {
            "" | "." => depth,
            ".." => depth.checked_sub(1).ok_or(PathFault::LinkEscapes)?,
            _ => depth + 1,
        };
    }
    Ok(())
}

fn starts_with_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

fn check_name(name: &str) -> Result<(), PathFault> {
    if matches!(name, "" | "." | "..") {
        return Err(PathFault::Dots);
    }
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_lowercase();
    let numbered = |device: &str| {
        let number = stem.strip_prefix(device).and_then(|rest| rest.parse::<u8>().ok());
        stem.len() == 4 && number.is_some_and(|number| number > 0)
    };
    let device = DEVICES.contains(&stem.as_str()) || numbered("com") || numbered("lpt");
    if device || name.ends_with(['.', ' ']) || name.contains(['<', '>', ':', '"', '|', '?', '*']) {
        return Err(PathFault::Reserved(name.to_owned()));
    }
    Ok(())
}

/// Finds paths that some hosts do not tell apart.
#[derive(Debug, Default)]
pub(super) struct Collisions {
    /// By the path without case and composition: the path, and whether it is a
    /// directory.
    taken: BTreeMap<String, (String, bool)>,
}

impl Collisions {
    /// Adds a file or link.
    pub(super) fn add(&mut self, path: &str) -> Result<(), PathFault> {
        for (end, _) in path.match_indices('/') {
            self.take(&path[..end], true)?;
        }
        self.take(path, false)
    }

    fn take(&mut self, path: &str, directory: bool) -> Result<(), PathFault> {
        match self.taken.entry(fold(path)) {
            Entry::Vacant(free) => {
                free.insert((path.to_owned(), directory));
                Ok(())
            }
            Entry::Occupied(taken) => match taken.get() {
                (same, true) if directory && same == path => Ok(()),
                (other, false) if directory => Err(PathFault::Beneath(other.clone())),
                (other, _) => Err(PathFault::Collision(other.clone())),
            },
        }
    }
}

/// A path as hosts see it that know neither case nor composition.
fn fold(path: &str) -> String {
    let decomposed: String = path.nfd().collect();
    decomposed.to_uppercase().to_lowercase().nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(path: &str) -> &'static str {
        check_path(path).err().map_or("", |fault| fault.code())
    }

    fn target(path: &str, to: &str) -> &'static str {
        check_target(path, to).err().map_or("", |fault| fault.code())
    }

    #[test]
    fn paths_are_those_that_every_host_has() {
        for good in ["a", "a/b.c", ".a", "a..b", "com", "com10", "console", "é/ö", "a b", "lpt0"]
        {
            assert_eq!(path(good), "", "{good}");
        }
        assert_eq!(path("/a"), "tree.path.absolute");
        assert_eq!(path("C:/a"), "tree.path.drive");
        assert_eq!(path("c:a"), "tree.path.drive");
        assert_eq!(path("a\\b"), "tree.name.backslash");
        assert_eq!(path("a\nb"), "tree.name.control");
        for dots in ["", "a//b", "a/", "./a", "a/../b"] {
            assert_eq!(path(dots), "tree.path.dots", "{dots}");
        }
        for reserved in
            ["a/b:c", "nul", "a/Aux.txt/b", "COM1", "lpt9.c", "a.", "a ", "a?", "nul .x"]
        {
            assert_eq!(path(reserved), "tree.name.reserved", "{reserved}");
        }
    }

    #[test]
    fn links_lead_to_places_in_the_tree() {
        for (from, to) in [("a", "b"), ("a/b", "../c"), ("a/b/c", "../../d/../e"), ("a", "./b/.")] {
            assert_eq!(target(from, to), "", "{from} {to}");
        }
        for (from, to) in [("a", ".."), ("a", "../b"), ("a/b", "../../c"), ("a", "b/../../a/b")] {
            assert_eq!(target(from, to), "tree.link.escapes", "{from} {to}");
        }
        assert_eq!(target("a", "/etc"), "tree.link.absolute");
        assert_eq!(target("a", "D:x"), "tree.link.drive");
        assert_eq!(target("a", "..\\x"), "tree.link.backslash");
        assert_eq!(target("a", ""), "tree.link.name");
    }

    #[test]
    fn paths_that_some_hosts_do_not_tell_apart_collide() {
        let codes = |paths: &[&str]| -> Vec<&str> {
            let mut collisions = Collisions::default();
            let added = paths.iter().map(|path| collisions.add(path));
            added.filter_map(Result::err).map(|fault| fault.code()).collect()
        };
        assert!(codes(&["a/b", "a/c", "b", "ab"]).is_empty());
        assert_eq!(codes(&["README", "readme"]), ["tree.path.collision"]);
        assert_eq!(codes(&["a/b", "A/c"]), ["tree.path.collision"]);
        assert_eq!(codes(&["a", "a/b"]), ["tree.path.beneath"]);
        assert_eq!(codes(&["A/b", "a"]), ["tree.path.collision"]);
        assert_eq!(codes(&["caf\u{e9}", "cafe\u{301}"]), ["tree.path.collision"]);
        assert_eq!(codes(&["\u{c9}", "\u{e9}"]), ["tree.path.collision"]);
        assert_eq!(codes(&["\u{17f}", "S"]), ["tree.path.collision"]);
    }
}
