//! Where reports may go, and what becomes of what is there.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod cli_support;

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

use cli_support::{FEW, Place, program};
use serde_json::Value;

/// Every kind of report.
const KINDS: [&str; 9] =
    ["json", "jsonl", "junit", "tap", "github", "markdown", "html", "badge", "sarif"];

/// A place with a few fixtures, and an implementation that accepts everything.
fn place() -> Place {
    let place = Place::new();
    place.fixtures(FEW);
    place.script("lenient", "exit 0");
    place
}

/// The command line of a run there that writes these reports.
fn run<'a>(reports: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["--impl", "./lenient", "--fixtures", "few"];
    args.extend(reports.iter().flat_map(|report| ["--report", report]));
    args
}

fn read(place: &Place, path: &str) -> String {
    fs::read_to_string(place.path().join(path)).unwrap()
}

fn names(place: &Place, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(place.path().join(folder)).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_written_over_where_nothing_can_be_put_beside_it() {
    let place = place();
    let old = "old ".repeat(100_000);
    place.write("closed/report.json", &old);
    let closed = |mode| {
        fs::set_permissions(place.path().join("closed"), Permissions::from_mode(mode)).unwrap();
    };
    closed(0o555);
    place.as_anybody(&run(&["json=closed/report.json"])).exits(1).quietly();
    assert_eq!(place.report("closed/report.json").verdicts().len(), 10);
    // What is not there cannot be put there, and that is known before.
    let ran = place.as_anybody(&run(&["json=closed/new.json"])).exits(2);
    ran.complains(&["failed to write the json report to closed/new.json: ", "ermission denied"]);
    assert_eq!(names(&place, "closed"), ["report.json"]);
    closed(0o755);
}

#[test]
fn a_link_is_followed_whether_or_not_it_leads_somewhere_yet() {
    let place = place();
    place.write("sub/", "");
    symlink("sub/real.json", place.path().join("link.json")).unwrap();
    for _ in 0..2 {
        place.run(&run(&["json=link.json"])).exits(1).quietly();
        assert_eq!(place.report("sub/real.json").verdicts().len(), 10);
        assert!(place.path().join("link.json").is_symlink());
        assert_eq!(names(&place, "sub"), ["real.json"]);
    }
    symlink("none/real.json", place.path().join("nowhere.json")).unwrap();
    let told = ["there is no folder none; create it first"];
    place.run(&run(&["json=nowhere.json"])).exits(2).complains(&told);
    symlink("circle", place.path().join("circle")).unwrap();
    place.run(&run(&["json=circle"])).exits(2).complains(&["lead in a circle"]);
}

#[test]
fn two_names_of_one_place_are_refused() {
    let place = place();
    symlink("a", place.path().join("link")).unwrap();
    for pair in [["json=a", "tap=./a"], ["json=a", "tap=link"], ["json=-", "tap=/dev/stdout"]] {
        place.run(&run(&pair)).exits(2).complains(&["two reports go to ", "give each its own"]);
    }
    place.write("list.yaml", "failures: []\n");
    let list = [&run(&["tap=./list.yaml"])[..], &["--expect", "list.yaml"]].concat();
    place.run(&list).exits(2).complains(&["take the place of the list of --expect,"]);
    let list = [&run(&["tap=./list.yaml"])[..], &["--expect-write", "list.yaml"]].concat();
    place.run(&list).exits(2).complains(&["take the place of the list of --expect-write,"]);
    assert_eq!(read(&place, "list.yaml"), "failures: []\n");
}

#[test]
fn nothing_is_written_in_the_place_of_what_is_under_test() {
    let place = place();
    place.write("adapter.sh", "exit 0\n");
    place.script("tool", "exit 0");
    for (report, impls, what) in [
        ("json=./tool", &["--impl", "./tool"][..], "the implementation ./tool"),
        (
            "tap=adapter.sh",
            &["--impl", "sh", "--", "./adapter.sh"],
            "a file of the implementation, ./adapter.sh",
        ),
        ("json=p.yaml", &["--profile", "./p.yaml"], "the profile ./p.yaml"),
    ] {
        place.write("p.yaml", "profile: p\nabout: x\nprogram: 'true'\n");
        let args = [&["--report", report], impls].concat();
        let told = format!("would take the place of {what}");
        place.run(&args).exits(2).complains(&[&told, "give each a file of its own"]);
    }
    let list = ["--impl", "./tool", "--expect-write", "tool"];
    place.run(&list).exits(2).complains(&["the list of --expect-write, tool would take"]);
    assert_eq!(read(&place, "adapter.sh"), "exit 0\n");
    assert!(read(&place, "tool").contains("exit 0"));
}

#[test]
fn events_are_in_their_file_while_the_run_goes_on() {
    let place = place();
    place.write("events.jsonl", "old ".repeat(10_000));
    // The third case waits until it can read of the first two, which are of one fixture.
    place.script(
        "lenient",
        r#"[ "$1" = --version ] && exit 0
cd "$(dirname "$0")" || exit 71
echo x >> count
[ "$(wc -l < count)" -ge 3 ] || exit 0
for _ in $(seq 200); do
  [ "$(wc -l < events.jsonl)" -ge 3 ] && exit 0
  sleep 0.05
done
exit 70"#,
    );
    let args = [&run(&["jsonl=events.jsonl"])[..], &["--test-threads", "1"]].concat();
    place.run(&args).exits(1).quietly().never_says("exit code");
    let text = read(&place, "events.jsonl");
    let events: Vec<Value> = text.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    assert_eq!(events.len(), 12);
    assert_eq!(
        (&events[0]["event"], &events[11]["event"]),
        (&"started".into(), &"finished".into())
    );
}

#[test]
fn a_run_that_is_killed_leaves_events_without_a_footer_and_no_other_report() {
    let place = place();
    place.script("lenient", "exec sleep 5");
    place.write("report.json", "old");
    let reports = run(&["jsonl=events.jsonl", "jsonl=/dev/stdout", "json=report.json"]);
    let mut child = Command::new(program())
        .args(reports)
        .args(["--timeout", "300"])
        .current_dir(place.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.starts_with("{\"event\":\"started\""), "{first}");
    child.kill().unwrap();
    child.wait().unwrap();
    let text = read(&place, "events.jsonl");
    assert_eq!(text, first);
    assert_eq!(read(&place, "report.json"), "old");
}

#[test]
fn standard_output_by_any_name_has_the_report_and_nothing_else() {
    let place = place();
    for name in ["-", "/dev/stdout", "/dev/fd/1"] {
        let ran = place.run(&run(&[&format!("json={name}")])).exits(1);
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(report["cases"].as_array().unwrap().len(), 10);
        assert!(ran.stderr.contains("does not conform"), "{ran}");
        // As a file, which is not to be replaced: the shell has it open.
        place.write("out.txt", "before\n");
        let line =
            format!("living-conformance {} >> out.txt", run(&[&format!("tap={name}")]).join(" "));
        place.shell(&line).exits(1);
        let text = read(&place, "out.txt");
        assert!(text.starts_with("before\nTAP version 14\n"), "{text}");
    }
}

#[test]
fn open_files_and_pipes_are_written_to() {
    let place = place();
    place.write("log.txt", "before\n");
    let command = |reports: &[&str]| format!("living-conformance -q {}", run(reports).join(" "));
    let line = format!("{} 3>> log.txt", command(&["tap=/dev/fd/3"]));
    place.shell(&line).exits(1).says(&["does not conform"]);
    let text = read(&place, "log.txt");
    assert!(text.starts_with("before\nTAP version 14\n"), "{text}");
    place.shell(&command(&["tap=/dev/fd/777"])).exits(2).complains(&["no file of that number"]);

    let line =
        format!("{{ {} 3>&1 > told.txt; echo $? > code; }} | cat", command(&["tap=/dev/fd/3"]));
    place.shell(&line).exits(0).says(&["TAP version 14\n1..10\n"]).never_says("not conform");
    assert_eq!(read(&place, "code"), "1\n");

    let line = format!(
        "mkfifo pipe; cat pipe > got & {}; code=$?; wait; exit $code",
        command(&["jsonl=pipe"])
    );
    place.shell(&line).exits(1);
    assert_eq!(read(&place, "got").lines().count(), 12);
    // To standard error, when that is where somebody wants it.
    let ran = place.run(&run(&["tap=/dev/stderr"])).exits(1).says(&["does not conform"]);
    assert!(ran.stderr.starts_with("TAP version 14\n"), "{ran}");
}

#[test]
fn each_kind_fails_alone_and_the_exit_code_says_so() {
    let place = place();
    for failing in KINDS {
        let full = format!("{failing}=/dev/full");
        let others = KINDS.iter().filter(|kind| **kind != failing);
        let others: Vec<String> = others.map(|kind| format!("{kind}={kind}.out")).collect();
        let reports: Vec<&str> = [&full].into_iter().chain(&others).map(String::as_str).collect();
        let ran = place.run(&run(&reports)).exits(2);
        let told = format!("error: failed to write the {failing} report to /dev/full: No space");
        assert!(ran.stderr.starts_with(&told), "{ran}");
        let mut wrote = ran.stderr.lines().skip(1);
        assert!(
            wrote.all(|line| line.starts_with("wrote the ") && line.ends_with(".out")),
            "{ran}"
        );
        assert_eq!(ran.stderr.lines().count(), KINDS.len(), "{ran}");
        ran.says(&["ran: 10 cases", "does not conform"]);
        for kind in KINDS.iter().filter(|kind| **kind != failing) {
            let path = place.path().join(format!("{kind}.out"));
            assert!(fs::read(&path).unwrap().len() > 100, "{kind}");
            fs::remove_file(path).unwrap();
        }
    }
}

#[test]
fn what_cannot_be_written_after_all_fails_alone_too() {
    let place = place();
    // The folder goes away during the run, and the summary's place is a folder.
    place.write("gone/", "");
    place.write("summary/", "");
    place.script("lenient", "rm -rf \"$(dirname \"$0\")/gone\"; exit 0");
    let args = run(&["json=gone/report.json", "junit=out.xml", "github=annotations"]);
    let summary = place.path().join("summary");
    let ran = place.run_with(args, |command| command.env("GITHUB_STEP_SUMMARY", summary)).exits(2);
    let (wrote, errors): (Vec<&str>, Vec<&str>) =
        ran.stderr.lines().partition(|line| line.starts_with("wrote the "));
    let written = ["junit report to out.xml", "github report to annotations"];
    assert_eq!(wrote, written.map(|what| format!("wrote the {what}")), "{ran}");
    assert_eq!(errors.len(), 2, "{ran}");
    assert!(errors[0].contains("json report to gone/report.json: there is no folder"), "{ran}");
    assert!(errors[1].contains("job summary to ") && errors[1].contains("director"), "{ran}");
    assert!(read(&place, "out.xml").starts_with("<?xml"));
    assert!(read(&place, "annotations").starts_with("::error"));
    // Standard output is full, and so is the place for the reports of somebody else.
    let line = format!("living-conformance {} > /dev/full", run(&["tap=out.tap"]).join(" "));
    let ran = place.shell(&line).exits(2);
    assert!(ran.stderr.contains("failed to write the summary: No space"), "{ran}");
    assert!(read(&place, "out.tap").starts_with("TAP"));
}

#[test]
fn no_output_takes_the_place_of_a_fixture_or_of_a_file_of_the_suites() {
    let place = place();
    place.run(&run(&["json=1.json"])).exits(1);
    let walk = walkdir::WalkDir::new(place.path().join("few")).into_iter().filter_map(Result::ok);
    let document = walk.map(|entry| entry.into_path()).find(|path| path.ends_with("manifest.yaml"));
    let document = document.unwrap();
    let before = fs::read(&document).unwrap();
    symlink(&document, place.path().join("link.html")).unwrap();
    let path = document.to_str().unwrap();
    let (json, html) = (format!("json={path}"), format!("html={path}"));
    for command in [
        run(&[&json]),
        run(&["html=link.html"]),
        [&run(&[])[..], &["--expect-write", path]].concat(),
        vec!["page", "1.json", "--fixtures", "few", "--out", path],
        vec!["merge", "1.json", "--fixtures", "few", "--report", &html],
        vec!["compare", "1.json", "2.json", "--fixtures", "few", "--report", &html],
    ] {
        let ran = place.run(&command).exits(2);
        ran.complains(&["would take the place of one of the fixtures in few"]);
        assert_eq!(fs::read(&document).unwrap(), before, "{command:?}");
    }
    // What is new, or nothing that is read, may lie there.
    place.run(&run(&["json=few/new.json", "html=few/page.html"])).exits(1);
    place.run(&run(&["html=few/page.html"])).exits(1);
}
