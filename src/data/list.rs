//! What a tree holds: files and directories, in order.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use super::problem::{Problem, acts};
use super::tree::TreeFault;

/// The most entries of one tree. Links to directories can make a small tree
/// look endless.
const ENTRY_LIMIT: usize = 500_000;

/// One thing in a tree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Its path below the root, with `/`; a part of the program where the tree is.
    pub path: Cow<'static, str>,
    /// What it is.
    pub kind: EntryKind,
}

/// What an entry is, links followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    /// A directory.
    Directory,
    /// A regular file.
    File,
    /// Something that cannot be used; the listing has a problem for it.
    Faulty,
}

/// All entries of a tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// The entries below the root, by path.
    pub entries: Vec<Entry>,
    /// What is wrong with entries, by path.
    pub problems: Vec<Problem>,
}

/// Whether a part of a path is hidden.
pub(crate) fn is_hidden(path: &str) -> bool {
    path.starts_with('.') || path.contains("/.")
}

/// Whether no part of a path is hidden, but for those that are wanted all the same.
pub(super) fn is_wanted(path: &str, hidden: &dyn Fn(&str) -> bool) -> bool {
    // Most have none at all.
    !is_hidden(path) || path.split('/').all(|name| !name.starts_with('.') || hidden(name))
}

/// Lists embedded files, which come sorted; directories follow from their paths.
pub(super) fn embedded(
    files: impl Iterator<Item = &'static str>,
    hidden: &dyn Fn(&str) -> bool,
) -> Listing {
    let entry = |path: &'static str, kind| Entry { path: path.into(), kind };
    let mut entries = Vec::new();
    let mut directories = Vec::new();
    let mut previous = "";
    for path in files.filter(|path| is_wanted(path, hidden)) {
        // What lies in a directory comes in one go.
        let alike = path.bytes().zip(previous.bytes()).take_while(|(a, b)| a == b).count();
        let ends = path.as_bytes()[alike..].iter().enumerate().filter(|(_, byte)| **byte == b'/');
        let new = ends.map(|(end, _)| entry(&path[..alike + end], EntryKind::Directory));
        directories.extend(new);
        entries.push(entry(path, EntryKind::File));
        previous = path;
    }
    entries.append(&mut directories);
    // Two runs that are sorted but for a few: faster than any cleverness here.
    entries.sort();
    Listing { entries, problems: Vec::new() }
}

/// Lists a directory.
pub(super) fn directory(root: &Path, hidden: &dyn Fn(&str) -> bool) -> Listing {
    let mut listing = Listing::default();
    if let Err(fault) = check_root(root) {
        listing.problems.push(Problem::new(root, &fault));
        return listing;
    }

    let unwanted = |name: &OsStr| {
        let name = name.to_string_lossy();
        name.starts_with('.') && !hidden(&name)
    };
    let wanted = |entry: &DirEntry| entry.depth() == 0 || !unwanted(entry.file_name());
    let mut walk =
        WalkDir::new(root).min_depth(1).follow_links(true).into_iter().filter_entry(wanted);
    while let Some(item) = walk.next() {
        if listing.entries.len() == ENTRY_LIMIT {
            listing.problems.push(Problem::new(root, &TreeFault::TooMany(ENTRY_LIMIT)));
            break;
        }
        let (path, found) = match item {
            Ok(entry) => kind_of(entry),
            Err(error) => {
                let path = error.path().unwrap_or(root).to_owned();
                // Editors keep their locks as broken links with hidden names.
                if path.file_name().is_some_and(unwanted) {
                    continue;
                }
                let fault = walk_fault(&path, error);
                (path, Err(fault))
            }
        };
        let below = path.strip_prefix(root).unwrap_or(&path);
        let (below, found) = match slashed(below) {
            Ok(below) => (below, found),
            Err(fault) => {
                // All that is below it would have the same fault.
                if matches!(found, Ok(EntryKind::Directory)) {
                    walk.skip_current_dir();
                }
                (below.to_string_lossy().into_owned(), Err(fault))
            }
        };
        let kind = found.unwrap_or_else(|fault| {
            listing.problems.push(Problem::new(&path, &fault));
            EntryKind::Faulty
        });
        listing.entries.push(Entry { path: below.into(), kind });
    }
    listing.entries.sort();
    listing.problems.sort();
    listing
}

fn kind_of(entry: DirEntry) -> (PathBuf, Result<EntryKind, TreeFault>) {
    let kind = entry.file_type();
    let found = if kind.is_dir() {
        Ok(EntryKind::Directory)
    } else if kind.is_file() {
        Ok(EntryKind::File)
    } else {
        Err(TreeFault::Special)
    };
    (entry.into_path(), found)
}

fn check_root(root: &Path) -> Result<(), TreeFault> {
    match root.metadata() {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(TreeFault::NoDirectory),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(TreeFault::NoRoot),
        Err(error) => Err(TreeFault::Unreadable(error)),
    }
}

/// The path with `/`, when all of it can be used.
fn slashed(path: &Path) -> Result<String, TreeFault> {
    let mut joined = String::new();
    for part in path {
        let part = part.to_str().ok_or(TreeFault::NotUtf8)?;
        if part.contains(acts) {
            return Err(TreeFault::ControlCharacters);
        }
        if !joined.is_empty() {
            joined.push('/');
        }
        joined.push_str(part);
    }
    Ok(joined)
}

fn walk_fault(path: &Path, error: walkdir::Error) -> TreeFault {
    if let Some(ancestor) = error.loop_ancestor() {
        return TreeFault::LinkCycle(Some(PathBuf::from(ancestor)));
    }
    let error = error.into_io_error().unwrap_or_else(|| io::ErrorKind::Other.into());
    if error.kind() == io::ErrorKind::NotFound && path.is_symlink() {
        TreeFault::BrokenLink
    } else if is_link_loop(&error) {
        TreeFault::LinkCycle(None)
    } else {
        TreeFault::Unreadable(error)
    }
}

#[cfg(unix)]
fn is_link_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(not(unix))]
fn is_link_loop(_: &io::Error) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::data::Tree;

    fn paths(listing: &Listing) -> Vec<(&str, EntryKind)> {
        listing.entries.iter().map(|entry| (&*entry.path, entry.kind)).collect()
    }

    fn living(name: &str) -> bool {
        name == ".living"
    }

    #[test]
    fn a_directory_and_an_embedded_tree_list_alike() {
        let files = [".git/x", ".y", "a/.living/m", "a/e.yaml", "b-c/x", "b/x", "r"];
        let root = tempfile::tempdir().unwrap();
        for file in files {
            fs::create_dir_all(root.path().join(file).parent().unwrap()).unwrap();
            fs::write(root.path().join(file), "x").unwrap();
        }
        let on_disk = directory(root.path(), &living);
        assert_eq!(on_disk, embedded(files.into_iter(), &living));
        use EntryKind::{Directory, File};
        assert_eq!(
            paths(&on_disk),
            [
                ("a", Directory),
                ("a/.living", Directory),
                ("a/.living/m", File),
                ("a/e.yaml", File),
                ("b", Directory),
                ("b-c", Directory),
                ("b-c/x", File),
                ("b/x", File),
                ("r", File),
            ]
        );
    }

    #[test]
    fn a_root_that_is_none_is_a_problem() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("file"), "x").unwrap();
        let code = |path: &str| {
            let listing = directory(&root.path().join(path), &living);
            assert!(listing.entries.is_empty());
            listing.problems[0].code
        };
        assert_eq!(code("none"), "no-such-directory");
        assert_eq!(code("file"), "not-a-directory");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_those_without_an_end_are_problems() {
        use std::os::unix::fs::symlink;
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        fs::create_dir_all(at("d/e")).unwrap();
        fs::write(at("d/file"), "text").unwrap();
        symlink("d/file", at("good")).unwrap();
        symlink("d/e", at("e")).unwrap();
        symlink("nothing", at("broken")).unwrap();
        symlink("self", at("self")).unwrap();
        symlink("..", at("d/e/up")).unwrap();
        symlink("user@host.1", at(".#lock")).unwrap();
        let listing = directory(root.path(), &living);
        let problems: Vec<_> = listing
            .problems
            .iter()
            .map(|problem| (problem.path.strip_prefix(root.path()).unwrap(), problem.code))
            .collect();
        let expected = [
            ("broken", "broken-link"),
            ("d/e/up", "link-cycle"),
            ("e/up/e/up", "link-cycle"),
            ("self", "link-cycle"),
        ];
        assert_eq!(problems, expected.map(|(path, code)| (Path::new(path), code)));
        assert!(paths(&listing).contains(&("good", EntryKind::File)));
        assert!(paths(&listing).contains(&("broken", EntryKind::Faulty)));
        assert_eq!(*Tree::directory(root.path()).read("good").unwrap(), *b"text");
    }

    #[cfg(unix)]
    #[test]
    fn names_that_cannot_be_shown_are_problems() {
        use std::os::unix::ffi::OsStrExt;
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join(OsStr::from_bytes(b"a\xff/b"))).unwrap();
        fs::write(root.path().join("c\u{1b}d"), "").unwrap();
        let listing = directory(root.path(), &living);
        let codes: Vec<_> = listing.problems.iter().map(|problem| problem.code).collect();
        assert_eq!(codes, ["name-not-utf8", "name-control-characters"]);
        assert!(!listing.problems[1].to_string().contains('\u{1b}'));
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_a_problem_and_is_never_waited_for() {
        let root = tempfile::tempdir().unwrap();
        let pipe = root.path().join("pipe");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let listing = directory(root.path(), &living);
        assert_eq!(listing.problems[0].code, "special-file");
        assert_eq!(Tree::directory(root.path()).read("pipe").unwrap_err().code, "special-file");
    }

    #[test]
    fn files_are_read_up_to_the_limit() {
        let root = tempfile::tempdir().unwrap();
        let tree = Tree::directory(root.path());
        let file = fs::File::create(root.path().join("big")).unwrap();
        file.set_len(crate::data::FILE_LIMIT).unwrap();
        assert_eq!(tree.read("big").unwrap().len() as u64, crate::data::FILE_LIMIT);
        file.set_len(crate::data::FILE_LIMIT + 1).unwrap();
        assert_eq!(tree.read("big").unwrap_err().code, "oversized");
        assert_eq!(tree.read("none").unwrap_err().code, "unreadable");
    }
}
