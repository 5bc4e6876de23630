use std::fs;

use super::*;
use crate::data::Fault;

fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

fn codes(root: &Path) -> Vec<(PathBuf, &'static str)> {
    let faults = TreeManifest::of_directory(root).unwrap_err();
    let relative = |problem: &Problem| problem.path.strip_prefix(root).unwrap().to_owned();
    faults.iter().map(|problem| (relative(problem), problem.code)).collect()
}

#[test]
fn a_manifest_is_what_lies_in_a_directory_and_nothing_else() {
    let one = tree(&[("b/c", "x"), ("a", ""), (".hidden", "y"), (".git/HEAD", "z")]);
    let manifest = TreeManifest::of_directory(one.path()).unwrap();
    let entries: Vec<_> = manifest.entries().iter().map(|e| (e.path.as_str(), e.size)).collect();
    assert_eq!(entries, [(".hidden", 1), ("a", 0), ("b/c", 1)]);
    // Neither where it lies nor when it was made counts, nor an empty directory.
    let other = tree(&[("a", ""), ("b/c", "x"), (".hidden", "y")]);
    fs::create_dir(other.path().join("empty")).unwrap();
    let identity = manifest.identity().unwrap();
    assert_eq!(TreeManifest::of_directory(other.path()).unwrap().identity().unwrap(), identity);
    fs::write(other.path().join("a"), "!").unwrap();
    assert_ne!(TreeManifest::of_directory(other.path()).unwrap().identity().unwrap(), identity);
}

#[test]
fn nothing_is_no_tree() {
    let root = tempfile::tempdir().unwrap();
    assert_eq!(codes(root.path()), [(PathBuf::new(), "tree.empty")]);
    let missing = TreeManifest::of_directory(&root.path().join("none")).unwrap_err();
    assert_eq!(missing[0].code, "tree.unreadable");
}

#[cfg(unix)]
#[test]
fn modes_and_links_are_part_of_it() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let root = tree(&[("run", "x"), ("d/e", "y")]);
    let identity = || TreeManifest::of_directory(root.path()).unwrap().identity().unwrap();
    let plain = identity();
    fs::set_permissions(root.path().join("run"), fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(identity(), plain, "who may read it is of no matter");
    fs::set_permissions(root.path().join("run"), fs::Permissions::from_mode(0o711)).unwrap();
    let executable = identity();
    assert_ne!(executable, plain);
    symlink("../run", root.path().join("d/link")).unwrap();
    let manifest = TreeManifest::of_directory(root.path()).unwrap();
    let link = &manifest.entries()[1];
    assert_eq!(
        (link.path.as_str(), link.kind, link.mode, link.size),
        ("d/link", "link", "0777", 6)
    );
    assert_eq!(link.digest, Identity::of_bytes(b"../run"));
}

#[cfg(unix)]
#[test]
fn what_hosts_do_not_share_is_refused_all_at_once() {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    let root =
        tree(&[("File", ""), ("file", ""), ("a\\b", ""), ("sub/.git/HEAD", ""), ("nul", "")]);
    let at = |name: &str| root.path().join(name);
    symlink("../out", at("escapes")).unwrap();
    symlink("/etc/passwd", at("absolute")).unwrap();
    symlink("C:\\x", at("drive")).unwrap();
    fs::write(root.path().join(std::ffi::OsStr::from_bytes(b"z\xff")), "").unwrap();
    let mode = rustix::fs::Mode::RUSR;
    rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let mut found = codes(root.path());
    found.sort();
    let mut expected: Vec<(PathBuf, &str)> = [
        ("a\\b", "tree.name.backslash"),
        ("absolute", "tree.link.absolute"),
        ("drive", "tree.link.backslash"),
        ("escapes", "tree.link.escapes"),
        ("file", "tree.path.collision"),
        ("nul", "tree.name.reserved"),
        ("pipe", "tree.special-file"),
        ("sub/.git", "tree.nested-repository"),
    ]
    .map(|(path, code)| (PathBuf::from(path), code))
    .to_vec();
    expected.push((std::ffi::OsStr::from_bytes(b"z\xff").into(), "tree.name.not-utf8"));
    assert_eq!(found, expected);
}

#[cfg(unix)]
#[test]
fn only_files_are_digested() {
    let root = tree(&[("file", "x")]);
    std::os::unix::fs::symlink("file", root.path().join("link")).unwrap();
    assert!(digest_file(&root.path().join("file"), "f").is_ok());
    let code = |name: &str| digest_file(&root.path().join(name), "f").unwrap_err().code();
    assert_eq!(code("link"), "tree.unreadable");
    assert_eq!(code(""), "tree.special-file");
}
