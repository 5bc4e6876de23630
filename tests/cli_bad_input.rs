//! Bad input, and what it gets: an error with the path and what to do, never a
//! case that is silently missing.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod cli_support;

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use cli_support::{FEW, Place, root};

/// Where the tests break something.
const BROKEN: &str = "few/manifest/project_id/boolean";

/// Sound fixtures, but for what `damage` does to them.
fn damaged(damage: impl FnOnce(&Place)) -> Place {
    let place = Place::new();
    place.fixtures(FEW);
    damage(&place);
    place
}

fn edit(place: &Place, path: &str, change: impl FnOnce(String) -> String) {
    let whole = place.path().join(path);
    let text = fs::read_to_string(&whole).unwrap();
    let changed = change(text.clone());
    assert_ne!(changed, text, "{path}");
    fs::write(whole, changed).unwrap();
}

/// Asserts that nothing runs, whatever is selected, and that it is said why.
#[track_caller]
fn refused(place: &Place, texts: &[&str]) {
    let more = ["error: failed to load the fixtures; no case was run\n"];
    for choice in [&["--reference"][..], &["--reference", "match-capabilities"], &["--list"]] {
        let ran = place.run(&[&["--fixtures", "few"], choice].concat()).exits(2);
        ran.complains(&[&more[..], texts].concat());
    }
}

#[test]
fn sound_fixtures_are_run() {
    damaged(|_| ()).run(&["--fixtures", "few", "--reference"]).exits(0).quietly();
    let place = damaged(|place| {
        edit(place, &format!("{BROKEN}/expected.yaml"), |text| format!("\u{feff}{text}"));
    });
    place.run(&["--fixtures", "few", "--reference"]).exits(0).quietly();
}

#[test]
fn a_fixture_without_documents() {
    let place = damaged(|place| {
        fs::remove_file(place.path().join(BROKEN).join("manifest.yaml")).unwrap();
    });
    refused(&place, &["few/manifest/project_id/boolean: failed to ", "add manifest.yaml or "]);
    let place = damaged(|place| _ = place.write("few/manifest/nothing/here/", ""));
    refused(&place, &["few/manifest/nothing/here: failed to ", "[empty-directory]; add a fixture"]);
    let place = damaged(|place| {
        fs::remove_file(place.path().join("few/runtime/isolation-not-listed/runtime.yaml"))
            .unwrap();
    });
    refused(&place, &["few/runtime/isolation-not-listed: failed to ", "add runtime.yaml or "]);
}

#[test]
fn two_manifests() {
    let place =
        damaged(|place| _ = place.write(&format!("{BROKEN}/.living/manifest.yaml"), "a: b"));
    let told = ["there are manifest.yaml and .living/manifest.yaml", "keep one of them"];
    refused(&place, &[&["few/manifest/project_id/boolean: failed to "], &told[..]].concat());
}

#[test]
fn an_error_in_a_golden_has_its_line_and_column() {
    for (from, to, told) in [
        ("about:", "abuot:", &[":1:1: failed to ", "abuot"][..]),
        (
            "[manifest.project_id.type]",
            "[manifest.project_id.tipe]",
            &[
                ":3:11: failed to find the rule \"manifest.project_id.tipe\" [unknown-rule]",
                "did you mean manifest.project_id.type?",
            ],
        ),
        ("strict:", "severe:", &[":7:3: failed to ", "severe", "lenient, strict"]),
        ("reject", "refuse", &[":6:", "refuse", "write one of accept, reject"]),
        ("at: /project_id", "at: project_id", &[":6:", "JSON pointer", "start each part with /"]),
        ("since: v0.1.0", "since: v9.1.0", &[":4:8: failed to ", "v9.1.0", "correct since"]),
        ("about:", "about: [", &["expected.yaml:", ": failed to "]),
    ] {
        let place = damaged(|place| {
            edit(place, &format!("{BROKEN}/expected.yaml"), |text| text.replace(from, to));
        });
        let file = "few/manifest/project_id/boolean/expected.yaml:";
        refused(&place, &[&[file], told].concat());
    }
}

#[test]
fn a_file_that_may_not_be_read() {
    let place = damaged(|place| {
        let file = place.path().join(BROKEN).join("manifest.yaml");
        fs::set_permissions(file, Permissions::from_mode(0o000)).unwrap();
    });
    let ran = place.as_anybody(&["--reference", "--fixtures", "few"]).exits(2);
    ran.complains(&["boolean/manifest.yaml: failed to ", "Permission denied", "make it readable"]);
}

#[test]
fn links_that_lead_nowhere_or_in_circles() {
    let link = |name: &str, target: &str| {
        let (name, target) = (name.to_owned(), target.to_owned());
        damaged(move |place| symlink(target, place.path().join("few").join(name)).unwrap())
    };
    let broken = link("manifest/gone", "/no/where");
    refused(&broken, &["few/manifest/gone: failed to follow this link", "put the file there"]);
    let cycle = link("manifest/project_id/again", "..");
    refused(&cycle, &["few/manifest/project_id/again: failed to follow this link", "[link-cycle]"]);
    let own = link("manifest/self", "self");
    refused(&own, &["few/manifest/self: failed to follow this link", "remove the link"]);
}

#[test]
fn names_that_are_no_names() {
    let named = |name: &'static [u8]| {
        damaged(|place| {
            let folder = place.path().join("few/manifest").join(OsStr::from_bytes(name));
            fs::create_dir(&folder).unwrap();
            for file in ["manifest.yaml", "expected.yaml"] {
                fs::copy(place.path().join(BROKEN).join(file), folder.join(file)).unwrap();
            }
        })
    };
    refused(
        &named(b"caf\xe9"),
        &["few/manifest/caf\u{fffd}: failed to ", "not UTF-8", "rename it"],
    );
    let control = named(b"a\x1b[31mb");
    refused(&control, &["few/manifest/a\\u{1b}[31mb: failed to ", "rename it"]);
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let place = damaged(|place| {
        symlink("/no/where", place.path().join("few/manifest/gone")).unwrap();
        place.write("few/manifest/empty/", "");
        edit(place, &format!("{BROKEN}/expected.yaml"), |text| text.replace("about", "abuot"));
    });
    refused(&place, &["few/manifest/empty: ", "few/manifest/gone: ", "expected.yaml:1:1: "]);
}

#[test]
fn a_tree_without_fixtures_is_nothing() {
    let place = Place::new();
    place.write("empty/", "");
    place.write("other/README.md", "# nothing\n");
    for folder in ["empty", "other"] {
        let told =
            [&format!("failed to find a fixture in {folder}\n")[..], "help: name the folder"];
        place.run(&["--reference", "--fixtures", folder]).exits(4).complains(&told);
        place.run(&["--list", "--fixtures", folder]).exits(4).complains(&told);
    }
    let told = ["none: failed to find this directory", "give the path of an existing directory"];
    place.run(&["--reference", "--fixtures", "none"]).exits(2).complains(&told);
}

#[test]
fn suites_with_errors() {
    for (file, from, to, told) in [
        ("manifest/suite.yaml", "about:", "abuot:", &["manifest/suite.yaml:", "abuot"][..]),
        ("manifest/rules.yaml", "level: MUST", "level: SHALL", &["manifest/rules.yaml:", "SHALL"]),
        ("runtime/ledger.yaml", "id: L", "id: l", &["runtime/ledger.yaml:"]),
        ("runtime/suite.yaml", "suite: runtime", "suite: other", &["runtime/suite.yaml:"]),
    ] {
        let place = Place::new();
        copy(&root().join("suites"), &place.path().join("suites"));
        let few = place.fixtures(FEW);
        let args = ["--reference", "--suites", "suites", "--fixtures", few];
        place.run(&args).exits(0).quietly();
        edit(&place, &format!("suites/{file}"), |text| text.replacen(from, to, 1));
        let ran = place.run(&args).exits(2).complains(&["failed to load the suites\nsuites/"]);
        let said = ran.unwrapped();
        let line = said.lines().find(|line| line.contains(told[0])).unwrap_or_default();
        assert!(told.iter().all(|text| line.contains(text)), "{ran}");
        let place: Vec<&str> = line.split(':').skip(1).take(2).collect();
        assert!(place.iter().all(|number| number.parse::<u32>().is_ok()), "{ran}");
        assert!(line.contains(": failed to ") && line.contains("]; "), "{ran}");
    }
    let told = ["failed to load the suites", "none: failed to find this directory"];
    Place::new().run(&["--reference", "--suites", "none"]).exits(2).complains(&told);
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (source, target) = entry.map(|it| (it.path(), to.join(it.file_name()))).unwrap();
        if source.is_dir() {
            copy(&source, &target);
        } else {
            fs::copy(source, target).unwrap();
        }
    }
}

#[test]
fn reports_that_cannot_be_written() {
    let place = Place::new();
    let few = place.fixtures(FEW);
    place.write("protected", "old");
    fs::set_permissions(place.path().join("protected"), Permissions::from_mode(0o444)).unwrap();
    for (report, told) in [
        ("json=none/report.json", "there is no folder none; create it first"),
        ("json=few", "it is a directory; name a file in it"),
        ("json=protected", "it is write-protected"),
        ("jsonl=none/events", "there is no folder none; create it first"),
    ] {
        // Known before any case runs.
        let ran = place.run(&["--reference", "--fixtures", few, "--report", report]).exits(2);
        ran.complains(&["failed to write the ", told]);
    }
    for (report, told) in [
        ("xml=out", "there is no report \"xml\"; the kinds are json, "),
        ("json", "write json=PATH with a file, or - for standard output"),
        ("json=", "names no file"),
    ] {
        place.run(&["--reference", "--report", report]).exits(2).complains(&["--report", told]);
    }
    let twice = ["--reference", "--report", "json=x", "--report", "tap=x"];
    place.run(&twice).exits(2).complains(&["two reports go to x"]);
}

#[test]
fn a_report_that_fails_at_the_end_fails_alone() {
    let place = Place::new();
    let few = place.fixtures(FEW);
    let reports = ["--report", "json=/dev/full", "--report", "tap=out.tap"];
    let ran = place.run(&[&["--reference", "--fixtures", few], &reports[..]].concat()).exits(2);
    assert!(
        ran.stderr.starts_with("error: failed to write the json report to /dev/full: "),
        "{ran}"
    );
    assert!(ran.unwrapped().ends_with("\nwrote the tap report to out.tap\n"), "{ran}");
    assert_eq!(ran.unwrapped().lines().count(), 2, "{ran}");
    ran.says(&["ran: 10 cases"]);
    let tap = fs::read_to_string(place.path().join("out.tap")).unwrap();
    assert_eq!(tap.lines().filter(|line| line.starts_with("ok ")).count(), 10, "{tap}");
}
