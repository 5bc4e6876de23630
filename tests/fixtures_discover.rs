//! Finding fixtures in a directory: what is one, of which suite, and what is refused.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may panic")]

mod fixture_tree;

use fixture_tree::{MANIFEST, RUNTIME, TestTree, golden, match_golden};
use living_conformance::core::Stance;

#[test]
fn the_own_layout_is_read() {
    let tree = TestTree::new(&[
        ("manifest/group/name/manifest.yaml", MANIFEST),
        ("manifest/group/name/expected.yaml", &golden()),
        ("manifest/at-root/.living/manifest.yaml", MANIFEST),
        ("manifest/at-root/expected.yaml", &golden()),
        ("runtime/match-json/runtime.json", RUNTIME),
        ("runtime/match-json/.living/manifest.yaml", MANIFEST),
        ("runtime/match-json/expected.yaml", &match_golden("accept")),
        ("README.md", "Not a fixture.\n"),
    ]);
    let loaded = tree.load();
    assert_eq!(loaded.problems, []);
    let ids: Vec<&str> = loaded.fixtures.iter().map(|fixture| fixture.id.as_str()).collect();
    assert_eq!(ids, ["manifest/at-root", "manifest/group/name", "runtime/match-json"]);
    let at_root = &loaded.fixtures[0];
    assert_eq!(at_root.documents[0].path, ".living/manifest.yaml");
    assert_eq!(at_root.location, tree.path("manifest/at-root"));
    let names: Vec<_> =
        loaded.fixtures[2].documents.iter().map(|d| (d.name.as_str(), d.path.as_str())).collect();
    assert_eq!(names, [("manifest", ".living/manifest.yaml"), ("runtime", "runtime.json")]);
    assert_eq!(&*loaded.fixtures[2].documents[1].bytes, RUNTIME.as_bytes());
    assert!(loaded.fixtures.iter().all(|fixture| fixture.has_golden));
}

#[test]
fn the_layout_of_the_protocol_repository_is_read_by_its_names() {
    let tree = TestTree::new(&[
        ("runtime/match-all/runtime.yaml", RUNTIME),
        ("runtime/match-all/manifest.yaml", MANIFEST),
        ("runtime/too-old/runtime.yml", RUNTIME),
        ("runtime/too-old/manifest.yaml", MANIFEST),
        ("valid/one.yaml", MANIFEST),
        ("valid/two.yml", MANIFEST),
        ("valid/three/manifest.yaml", MANIFEST),
        ("valid/four/.living/manifest.yaml", MANIFEST),
        ("invalid-values/deep/er/five.yaml", MANIFEST),
        ("lenient/six/manifest.yaml", MANIFEST),
        ("pairs/match-seven/manifest.yaml", MANIFEST),
        ("pairs/match-seven/runtime.json", RUNTIME),
        ("valid-eight.yaml", MANIFEST),
        ("lib/helper.py", "pass\n"),
    ]);
    let loaded = tree.load();
    assert_eq!(loaded.problems, []);
    let told: Vec<(&str, String)> = loaded
        .fixtures
        .iter()
        .map(|fixture| {
            assert!(!fixture.has_golden && fixture.decides.is_empty());
            let case = |(operation, case): (&String, &Box<_>)| {
                let case: &living_conformance::core::Expectation = case;
                assert_eq!(case.findings, None);
                format!("{operation} {}", case.stance.as_str())
            };
            (fixture.id.as_str(), fixture.cases.iter().map(case).collect::<Vec<_>>().join(", "))
        })
        .collect();
    let (valid, lenient) = ("lenient accept, strict accept", "lenient accept, strict reject");
    let expected = [
        ("manifest/invalid-values/deep/er/five", "strict reject"),
        ("manifest/lenient/six", lenient),
        ("manifest/valid-eight", valid),
        ("manifest/valid/four", valid),
        ("manifest/valid/one", valid),
        ("manifest/valid/three", valid),
        ("manifest/valid/two", valid),
        ("runtime/match-all", "match accept"),
        ("runtime/pairs/match-seven", "match accept"),
        ("runtime/too-old", "match reject"),
    ];
    assert_eq!(told, expected.map(|(id, cases)| (id, cases.to_owned())));
    let single = &loaded.fixtures[4];
    assert_eq!(single.documents[0].name, "manifest");
    assert_eq!(single.documents[0].path, "one.yaml");
    assert_eq!(single.location, tree.path("valid/one.yaml"));
}

#[test]
fn the_nearest_directory_decides_and_a_files_own_name_comes_last() {
    let tree = TestTree::new(&[
        ("invalid/valid-inner/x/manifest.yaml", MANIFEST),
        ("valid/invalid.yaml", MANIFEST),
        ("group/invalid-alone.yaml", MANIFEST),
    ]);
    let loaded = tree.load();
    assert_eq!(loaded.problems, []);
    let strict = |id: &str| {
        loaded.fixtures.iter().find(|f| f.id.as_str() == id).unwrap().cases["strict"].stance
    };
    assert_eq!(strict("manifest/invalid/valid-inner/x"), Stance::Accept);
    assert_eq!(strict("manifest/valid/invalid"), Stance::Accept);
    assert_eq!(strict("manifest/group/invalid-alone"), Stance::Reject);
}

#[test]
fn a_single_file_can_have_a_golden_beside_it() {
    let tree = TestTree::new(&[
        ("odds/one.yaml", MANIFEST),
        ("odds/one.expected.yaml", &golden()),
        ("odds/lost.expected.yaml", &golden()),
        ("odds/misspelt.expected.yml", &golden()),
    ]);
    let loaded = tree.load();
    assert_eq!(loaded.fixtures[0].id.as_str(), "manifest/odds/one");
    assert!(loaded.fixtures[0].has_golden);
    assert_eq!(
        tree.problems(),
        ["odds/lost.expected.yaml orphan-golden", "odds/misspelt.expected.yml stray-file",]
    );
}

#[test]
fn a_root_can_be_one_fixture_or_the_folder_of_a_suite() {
    let tree = TestTree::new(&[("valid/manifest.yaml", MANIFEST)]);
    let loaded = tree.load_from("valid");
    assert_eq!(loaded.problems, []);
    assert_eq!(loaded.fixtures[0].id.as_str(), "manifest/valid");
    assert_eq!(loaded.fixtures[0].documents[0].path, "manifest.yaml");
}

#[test]
fn nothing_at_all_is_no_problem_here() {
    let tree = TestTree::new(&[]);
    let loaded = tree.load();
    assert!(loaded.fixtures.is_empty() && loaded.problems.is_empty());
    assert_eq!(tree.load_from("none").problems[0].code, "no-such-directory");
}

/// The files of a tree, and the problems in it as `path code`.
type Bad<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str]);

#[test]
fn what_should_be_a_fixture_and_is_not_is_a_problem() {
    let golden = &golden();
    let cases: &[Bad<'_>] = &[
        (&[("manifest/a/expected.yaml", golden)], &["manifest/a no-documents"]),
        (&[("manifest/a/notes.txt", "")], &["manifest/a no-documents"]),
        (&[("manifest/a/", "")], &["manifest/a empty-directory"]),
        (&[("other/", "")], &["other empty-directory"]),
        (&[("invalid/a/notes.txt", "")], &["invalid/a no-documents"]),
        (&[("runtime/a/notes.txt", "")], &["runtime/a no-documents"]),
        (&[("runtime/a/runtime.yaml", RUNTIME)], &["runtime/a missing-document"]),
        (&[("runtime/a/manifest.yaml", MANIFEST)], &["runtime/a missing-document"]),
        (&[("receipt/a/policy.json", "{}")], &["receipt/a missing-document"]),
        (
            &[("valid/a/manifest.yaml", MANIFEST), ("valid/a/.living/manifest.yaml", MANIFEST)],
            &["valid/a two-documents"],
        ),
        (
            &[
                ("runtime/a/runtime.yaml", RUNTIME),
                ("runtime/a/runtime.json", RUNTIME),
                ("runtime/a/manifest.yaml", MANIFEST),
            ],
            &["runtime/a two-documents"],
        ),
        (&[("runtime/alone.yaml", MANIFEST)], &["runtime/alone.yaml stray-file"]),
        (
            &[("valid/a/manifest.yaml", MANIFEST), ("valid/a/expected.yml", golden)],
            &["valid/a/expected.yml stray-file"],
        ),
        (
            &[("valid/a/manifest.yaml", MANIFEST), ("valid/a/manifest.json", "{}")],
            &["valid/a/manifest.json stray-file"],
        ),
        (
            &[("valid/a/manifest.yaml", MANIFEST), ("valid/a/b/manifest.yaml", MANIFEST)],
            &["valid/a/b nested-fixture"],
        ),
        (&[("valid/a::b/manifest.yaml", MANIFEST)], &["valid/a::b bad-id"]),
        (&[("manifest/manifest.yaml", MANIFEST)], &["manifest bad-id"]),
        (&[("valid/a.yaml", MANIFEST), ("valid/a.yml", MANIFEST)], &["valid/a.yml id-collision"]),
        (
            &[("valid/A/manifest.yaml", MANIFEST), ("valid/a/manifest.yaml", MANIFEST)],
            &["valid/a id-collision"],
        ),
        (
            &[("manifest/valid/a/manifest.yaml", MANIFEST), ("valid/a/manifest.yaml", MANIFEST)],
            &["valid/a id-collision"],
        ),
        (&[("odds/a/manifest.yaml", MANIFEST)], &["odds/a silent-name"]),
        (&[("odds/a.yaml", MANIFEST)], &["odds/a.yaml silent-name"]),
    ];
    for (files, expected) in cases {
        assert_eq!(TestTree::new(files).problems(), *expected, "{files:?}");
    }
}

#[test]
fn a_silent_name_lists_the_names_that_speak() {
    let tree = TestTree::new(&[("odds/a/manifest.yaml", MANIFEST)]);
    let problem = &tree.load().problems[0];
    for name in ["valid*", "invalid*", "lenient*", "expected.yaml"] {
        assert!(problem.remedy.contains(name), "{problem}");
    }
}

#[test]
fn files_inside_a_fixture_that_are_no_fixture_do_not_matter() {
    let tree = TestTree::new(&[
        ("valid/repo/.living/manifest.yaml", MANIFEST),
        ("valid/repo/README.md", ""),
        ("valid/repo/src/config.yaml", "a: 1\n"),
        ("valid/repo/state/", ""),
        ("valid/repo/.git/HEAD", ""),
        ("valid/.DS_Store", ""),
        (".git/manifest.yaml", "x"),
    ]);
    let loaded = tree.load();
    assert_eq!(loaded.problems, []);
    assert_eq!(loaded.fixtures.len(), 1);
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn links_to_documents_are_followed() {
        let tree = TestTree::new(&[("shared.txt", MANIFEST), ("valid/a/", ""), ("set/", "")]);
        symlink("../../shared.txt", tree.path("valid/a/manifest.yaml")).unwrap();
        symlink("../valid", tree.path("set/valid-too")).unwrap();
        let loaded = tree.load();
        assert_eq!(loaded.problems, []);
        let ids: Vec<&str> = loaded.fixtures.iter().map(|f| f.id.as_str()).collect();
        assert_eq!(ids, ["manifest/set/valid-too/a", "manifest/valid/a"]);
        assert_eq!(&*loaded.fixtures[0].documents[0].bytes, MANIFEST.as_bytes());
    }

    #[test]
    fn a_broken_document_is_one_problem_and_never_waited_for() {
        let start = Instant::now();
        let tree = TestTree::new(&[
            ("valid/broken/", ""),
            ("valid/loop/", ""),
            ("valid/pipe/.living/", ""),
            ("valid/good/manifest.yaml", MANIFEST),
        ]);
        symlink("nothing", tree.path("valid/broken/manifest.yaml")).unwrap();
        symlink("manifest.yaml", tree.path("valid/loop/manifest.yaml")).unwrap();
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        let pipe = tree.path("valid/pipe/.living/manifest.yaml");
        rustix::fs::mknodat(rustix::fs::CWD, pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        assert_eq!(
            tree.problems(),
            [
                "valid/broken/manifest.yaml broken-link",
                "valid/loop/manifest.yaml link-cycle",
                "valid/pipe/.living/manifest.yaml special-file",
            ]
        );
        assert_eq!(tree.load().fixtures.len(), 1);
        assert!(start.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn a_directory_cycle_is_a_problem() {
        let tree = TestTree::new(&[("valid/a/manifest.yaml", MANIFEST), ("valid/set/", "")]);
        symlink("..", tree.path("valid/set/up")).unwrap();
        assert_eq!(tree.problems(), ["valid/set/up link-cycle"]);
    }

    #[test]
    fn names_that_cannot_be_shown_are_problems() {
        let tree = TestTree::new(&[("valid/c\u{7}d/manifest.yaml", MANIFEST)]);
        let odd = tree.path("valid").join(OsStr::from_bytes(b"x\xff"));
        fs::create_dir(&odd).unwrap();
        fs::write(odd.join("manifest.yaml"), MANIFEST).unwrap();
        let codes: Vec<&str> = tree.load().problems.iter().map(|p| p.code).collect();
        assert_eq!(codes, ["name-control-characters", "name-not-utf8"]);
        assert!(tree.load().fixtures.is_empty());
    }

    #[test]
    fn an_oversized_document_is_a_problem() {
        let tree = TestTree::new(&[("valid/big/manifest.yaml", "")]);
        let file = fs::File::create(tree.path("valid/big/manifest.yaml")).unwrap();
        file.set_len(living_conformance::data::FILE_LIMIT + 1).unwrap();
        assert_eq!(tree.problems(), ["valid/big/manifest.yaml oversized"]);
    }

    #[test]
    fn what_cannot_be_read_is_a_problem() {
        use std::os::unix::fs::PermissionsExt;
        let tree = TestTree::new(&[
            ("valid/file/manifest.yaml", MANIFEST),
            ("valid/directory/manifest.yaml", MANIFEST),
        ]);
        let (file, directory) =
            (tree.path("valid/file/manifest.yaml"), tree.path("valid/directory"));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o000)).unwrap();
        let privileged = fs::read(&file).is_ok();
        let problems = tree.problems();
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o755)).unwrap();
        // Whoever may read everything meets no obstacle.
        if !privileged {
            let expected = ["valid/directory unreadable", "valid/file/manifest.yaml unreadable"];
            assert_eq!(problems, expected);
        }
    }
}
