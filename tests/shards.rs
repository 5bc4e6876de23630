//! Parts of a run, and the whole of them; what a test runner asks for by its environment.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod cli_support;

use std::fs;

use cli_support::{FEW, Place, Ran};
use serde_json::{Value, json};

/// A place with a few fixtures, and an implementation that accepts everything.
fn place() -> Place {
    let place = Place::new();
    place.fixtures(FEW);
    place.script("lenient", "exit 0");
    place
}

fn shard(place: &Place, part: &str, report: &str, more: &[&str]) -> Ran {
    let report = format!("json={report}");
    let args = ["--impl", "./lenient", "--fixtures", "few", "--shard", part, "--report", &report];
    place.run(&[&args[..], more].concat())
}

/// What two runs of the same may differ in is taken out.
fn steady(mut report: Value) -> Value {
    report["summary"]["duration-us"] = json!(0);
    for case in report["cases"].as_array_mut().unwrap() {
        case["duration-us"] = json!(0);
    }
    report
}

#[test]
fn the_shards_of_the_reference_are_merged_to_what_conforms() {
    let place = Place::new();
    for number in 1..=3 {
        let (part, report) = (format!("{number}/3"), format!("json={number}.json"));
        let ran = place.run(&["--reference", "-q", "--shard", &part, "--report", &report]).exits(0);
        ran.never_says("conforms").says(&["validator-strict: not shown: ", "left to other shards"]);
    }
    place.run(&["--reference", "-q", "--report", "json=whole.json"]).exits(0);
    let merged = ["merge", "1.json", "3.json", "2.json", "-q", "--report", "json=merged.json"];
    place.run(&merged).exits(0).quietly().says(&["validator-strict: conforms to "]);
    let [whole, merged] = ["whole.json", "merged.json"].map(|path| steady(place.report(path).0));
    assert!(whole == merged, "a run of shards is the same as a run of the whole");
}

#[test]
fn a_report_that_contradicts_itself_is_none() {
    let place = place();
    shard(&place, "1/1", "1.json", &[]).exits(1);
    let whole = place.report("1.json").0;
    type Change = fn(&mut Vec<Value>);
    let changes: [(Change, &str); 5] = [
        (|cases| _ = cases.pop(), "it tells of "),
        (|cases| cases[1] = cases[0].clone(), "is in it twice"),
        (|cases| cases.push(cases[0].clone()), "is in it twice"),
        (
            |cases| {
                for case in cases {
                    (case["verdict"], case["level"]) = ("pass".into(), "-".into());
                }
            },
            "is not what its mismatches make of it",
        ),
        (
            |cases| {
                for case in cases {
                    (case["verdict"], case["level"]) = ("pass".into(), "-".into());
                    case["mismatches"] = Value::Array(Vec::new());
                }
            },
            "its summary counts other cases than it has",
        ),
    ];
    for (change, says) in changes {
        let mut report = whole.clone();
        change(report["cases"].as_array_mut().unwrap());
        place.write("changed.json", report.to_string());
        for command in [&["merge", "-q"][..], &["page", "--out", "p.html"], &["compare", "1.json"]]
        {
            let ran = place.run(&[command, &["changed.json", "--fixtures", "few"]].concat());
            ran.exits(2).complains(&["changed.json", says]).never_says("conforms");
        }
    }
    assert!(!place.path().join("p.html").exists());
}

#[test]
fn a_report_that_is_read_is_not_written_over() {
    let place = place();
    shard(&place, "1/1", "1.json", &[]).exits(1);
    let before = fs::read(place.path().join("1.json")).unwrap();
    fs::hard_link(place.path().join("1.json"), place.path().join("other.json")).unwrap();
    for out in ["1.json", "./1.json", "other.json"] {
        let html = format!("html={out}");
        for command in [
            &["page", "1.json", "--out", out][..],
            &["merge", "1.json", "--report", &html],
            &["compare", "1.json", "1.json", "--report", &html],
        ] {
            let ran = place.run(&[command, &["--fixtures", "few"]].concat());
            ran.exits(2).complains(&["1.json"]);
        }
    }
    assert_eq!(fs::read(place.path().join("1.json")).unwrap(), before);
    // A device without end is no report either.
    for command in [&["merge", "/dev/zero"][..], &["compare", "1.json", "/dev/zero"]] {
        place.run(command).exits(2).complains(&["the report /dev/zero: it is no text"]);
    }
    let two = ["--reference", "-q", "--fixtures", "few", "--report", "json=1.json"];
    place.run(&[&two[..], &["--report", "html=other.json"]].concat()).exits(2);
    assert_eq!(fs::read(place.path().join("1.json")).unwrap(), before);
}

#[test]
fn merging_names_what_is_missing() {
    let place = place();
    for part in ["slice:1/3", "slice:2/3"] {
        shard(&place, part, &format!("{}.json", &part[6..7]), &[]).exits(1);
    }
    let ran = place.run(&["merge", "1.json", "2.json", "--report", "junit=-", "--fixtures", "few"]);
    let text = ran.stderr.clone();
    assert!(text.contains("warning: there is no report of shard slice:3/3\n"), "{text}");
    assert!(text.contains("3 cases did not run\n"), "{text}");
    for case in ["manifest/project_id/boolean::strict", "runtime/match-capabilities-equal::match"] {
        assert!(text.contains(&format!("  missing: {case}\n")), "{text}");
    }
    ran.exits(1).says(&["<testsuites "]).never_says("conforms");
}

#[test]
fn merging_names_the_shard_that_was_interrupted_and_what_it_left() {
    let place = place();
    shard(&place, "slice:1/2", "1.json", &[]).exits(1);
    place.script("lenient", "[ \"$1\" = --version ] || kill -INT $PPID; sleep 1; exit 0");
    shard(&place, "slice:2/2", "2.json", &["--test-threads", "1"]).exits(1);
    let left = place.report("2.json").0["summary"]["missing"].as_array().unwrap().clone();
    assert!(!left.is_empty());
    let merge = ["merge", "1.json", "2.json", "--fixtures", "few", "--report", "json=all.json"];
    let ran = place.run(&[&merge[..], &["--show", "all"]].concat()).exits(1);
    let told = format!(
        "warning: shard slice:2/2 ended early, by 2.json: a signal asked it to; {} of its cases did \
         not run, and --show all names them\n",
        left.len()
    );
    assert_eq!(ran.stderr, format!("{told}wrote the json report to all.json\n"));
    let ran = ran.never_says("conforms");
    for case in &left {
        assert!(ran.stdout.contains(&format!("  missing: {}\n", case.as_str().unwrap())), "{ran}");
    }
    assert_eq!(place.report("all.json").0["summary"]["missing"], json!(left));
}

#[test]
fn what_does_not_belong_together_is_not_merged() {
    let place = place();
    place.script("other", "exit 1");
    shard(&place, "1/2", "1.json", &[]);
    shard(&place, "2/2", "2.json", &[]);
    let merge = |more: &[&str]| place.run(&[&["merge", "1.json"], more].concat()).exits(2);
    // Without the fixtures that were run, nothing is known of what they show.
    merge(&["2.json"]).complains(&["of other suites and fixtures: sha256:", "--fixtures"]);
    place.run(&["merge", "1.json", "2.json", "--fixtures", "few"]).exits(1);
    let other = ["--impl", "./other", "--fixtures", "few", "--shard", "2/2"];
    place.run(&[&other[..], &["--report", "json=other.json"]].concat());
    merge(&["other.json"]).complains(&["1.json and other.json: they are of different impl"]);
    shard(&place, "2/2", "old.json", &["--protocol", "v0.3"]);
    merge(&["old.json"]).complains(&["of different protocol versions, v0.4 and v0.3"]);
    shard(&place, "2/2", "narrow.json", &["--skip", "boolean"]);
    merge(&["narrow.json"]).complains(&["selections that leave out different cases"]);
    merge(&["1.json"]).complains(&["both are of shard hash:1/2", "leave one of them out"]);
    // Parts that overlap.
    for part in ["1/3", "slice:2/2"] {
        shard(&place, part, "overlaps.json", &[]);
        merge(&["overlaps.json"]).complains(&["shards that do not go together, hash:1/2 and "]);
    }
    shard(&place, "2/2", "enforced.json", &["--enforce", "should"]);
    merge(&["enforced.json"]).complains(&["of runs that enforce different levels"]);
    place.write("few/manifest/project_id/boolean/manifest.yaml", "project_id: false\n");
    shard(&place, "2/2", "fixtures.json", &[]);
    merge(&["fixtures.json"]).complains(&["different suites or fixtures, sha256:", " and sha256:"]);
    shard(&place, "2/2", "events", &["--report", "jsonl=2.jsonl"]);
    merge(&["2.jsonl"]).complains(&["2.jsonl: it has the events of a run, one a line"]);
    let whole = ["--impl", "./lenient", "--fixtures", "few", "--report", "json=whole.json"];
    place.run(&whole);
    merge(&["whole.json"]).complains(&["whole.json: it is the report of a whole run"]);
    merge(&["none.json"]).complains(&["failed to read the report none.json"]);
}

#[test]
fn the_list_of_expected_failures_goes_with_the_shards() {
    let place = place();
    place.write(
        "list.yaml",
        "failures:\n- {rule: manifest.project_id.type, reason: none yet}\n- {rule: match.isolation-profile, reason: none yet}\n- {fixtures: 'manifest/**', operations: [strict, lenient], reason: x}\n",
    );
    // Which shard has what does not matter to a rule.
    for number in 1..=6 {
        let (part, report) = (format!("slice:{number}/6"), format!("{number}.json"));
        let ran = shard(&place, &part, &report, &["--expect", "list.yaml", "-q"]);
        assert!(ran.code == Some(0) || number == 1, "{ran}");
    }
    let reports = ["1.json", "2.json", "3.json", "4.json", "5.json", "6.json"];
    let merge = [&["merge"], &reports[..], &["--fixtures", "few", "--report", "json=all.json"]];
    let ran = place.run(&merge.concat());
    let report = place.report("all.json").0;
    let passes = "manifest/project_id/63-characters::strict passes, and is expected";
    let ran = ran.exits(1).says(&["failed as expected: 3 cases: none yet", passes]);
    assert_eq!(report["summary"]["total"]["expected"], 7, "{ran}");
    assert!(!ran.stdout.contains("there is none"), "{ran}");
}

#[test]
fn a_shard_may_be_empty_and_a_run_may_not() {
    let place = place();
    let ran = shard(&place, "slice:9/9", "9.json", &["--report", "junit=9.xml"]);
    ran.exits(0).says(&["0 cases at ", "left out: 10 cases are left to other shards\n"]);
    assert!(place.path().join("9.xml").exists());
    shard(&place, "slice:9/9", "none.json", &["no-such-case"]).exits(4);
}

/// Runs as a test runner would.
fn as_runner(place: &Place, args: &[&str], variables: &[(&str, &str)]) -> Ran {
    let own = ["--impl", "./lenient", "--fixtures", "few", "--report", "json=out.json"];
    place.run_with([&own[..], args].concat(), |command| command.envs(variables.iter().copied()))
}

fn ids(place: &Place) -> Vec<String> {
    let report = place.report("out.json").0;
    let cases = report["cases"].as_array().unwrap().iter();
    cases.map(|case| case["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_test_runner_is_heard() {
    let place = place();
    let mut all = Vec::new();
    for index in ["0", "1", "2"] {
        let variables = [
            ("TEST_TOTAL_SHARDS", "3"),
            ("TEST_SHARD_INDEX", index),
            ("TEST_SHARD_STATUS_FILE", "status"),
            ("XML_OUTPUT_FILE", "test.xml"),
        ];
        as_runner(&place, &[], &variables);
        all.extend(ids(&place));
        assert!(fs::remove_file(place.path().join("status")).is_ok(), "it was touched");
        let xml = fs::read_to_string(place.path().join("test.xml")).unwrap();
        assert!(xml.contains("<testsuites "), "{xml}");
    }
    all.sort();
    as_runner(&place, &[], &[]);
    assert_eq!(all, ids(&place));

    as_runner(&place, &[], &[("TESTBRIDGE_TEST_ONLY", "boolean")]).exits(1);
    assert_eq!(ids(&place).len(), 2);
    // It narrows what the command line selects.
    as_runner(&place, &["::strict"], &[("TESTBRIDGE_TEST_ONLY", "boolean")]).exits(1);
    assert_eq!(ids(&place), ["manifest/project_id/boolean::strict"]);
    let none = [("TESTBRIDGE_TEST_ONLY", "no-such-case")];
    as_runner(&place, &["::strict"], &none).exits(4).complains(&["TESTBRIDGE_TEST_ONLY"]);
    // Set and empty is not set.
    as_runner(&place, &[], &[("TEST_TOTAL_SHARDS", ""), ("XML_OUTPUT_FILE", "")]).exits(1);
    assert_eq!(ids(&place).len(), 10);
}

#[test]
fn a_shard_that_cannot_be_is_no_run_of_all() {
    let place = place();
    for (total, index) in [("3", "3"), ("three", "0"), ("3", "")] {
        let variables = [("TEST_TOTAL_SHARDS", total), ("TEST_SHARD_INDEX", index)];
        as_runner(&place, &[], &variables).exits(2).complains(&["TEST_SHARD_INDEX"]);
    }
    // The command line goes first, and the runner learns that it was not heard.
    let variables = [
        ("TEST_TOTAL_SHARDS", "3"),
        ("TEST_SHARD_INDEX", "0"),
        ("TEST_SHARD_STATUS_FILE", "status"),
    ];
    as_runner(&place, &["--shard", "1/1"], &variables).exits(1);
    assert_eq!(ids(&place).len(), 10);
    assert!(!place.path().join("status").exists());
}
