//! Choosing what runs, from outside.
#![cfg(unix)]

mod cli_support;

use cli_support::{FEW, Place, Ran};
use serde_json::Value;

/// The ids that `--list` gives for a choice among all cases.
fn list(args: &[&str]) -> Vec<String> {
    let ran = Place::new().run(&[&["--list"], args].concat()).exits(0).quietly();
    let ids: Vec<&str> = ran.stdout.lines().filter_map(|it| it.strip_suffix(": test")).collect();
    assert_eq!(ids.len(), ran.stdout.lines().count(), "{ran}");
    ids.into_iter().map(str::to_owned).collect()
}

/// Runs an implementation over the cases of [`FEW`].
fn few(implementation: &str, args: &[&str]) -> Ran {
    let place = Place::new();
    let fixtures = place.fixtures(FEW);
    place.script("impl", implementation);
    place.run(&[&["--impl", "./impl", "--fixtures", fixtures], args].concat())
}

#[test]
fn filters_are_those_of_cargo_test() {
    let all = list(&[]);
    let chosen = |keep: &dyn Fn(&str) -> bool| -> Vec<String> {
        let kept: Vec<String> = all.iter().filter(|id| keep(id)).cloned().collect();
        assert!(!kept.is_empty() && kept.len() < all.len());
        kept
    };
    let boolean = "manifest/project_id/boolean::strict";
    assert_eq!(list(&["boolean"]), chosen(&|id| id.contains("boolean")));
    assert_eq!(
        list(&["boolean", "::match"]),
        chosen(&|id| id.contains("boolean") || id.contains("::match"))
    );
    assert_eq!(list(&["--exact", boolean]), [boolean]);
    assert_eq!(
        list(&["--skip", "manifest", "--skip", "match-"]),
        chosen(&|id| !id.contains("manifest") && !id.contains("match-"))
    );
    let lenient = "manifest/project_id/boolean::lenient";
    assert_eq!(list(&["--exact", boolean, lenient, "--skip", lenient]), [boolean]);
}

#[test]
fn suites_classes_and_rules_narrow_the_choice() {
    let all = list(&[]);
    let of = |keep: &dyn Fn(&str) -> bool| all.iter().filter(|id| keep(id)).count();
    assert_eq!(list(&["--suite", "runtime"]).len(), of(&|id| id.starts_with("runtime/")));
    assert_eq!(list(&["--suite", "runtime", "--suite", "manifest"]), all);
    assert_eq!(list(&["--class", "validator-strict"]).len(), of(&|id| id.ends_with("::strict")));
    assert_eq!(
        list(&["--class", "validator-strict", "--class", "matcher"]).len(),
        of(&|id| !id.ends_with("::lenient"))
    );
    let rule = "manifest.project_id.max-length";
    let ran = Place::new().run(&["--list", "--format", "json", "--rule", rule]).exits(0).quietly();
    let lines: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.len() >= 4, "{ran}");
    for line in lines {
        assert!(line["decides"].as_array().unwrap().contains(&rule.into()), "{line}");
        assert!(line["id"].is_string() && line["about"].is_string(), "{line}");
        assert!(["accept", "reject", "either"].contains(&line["expected"].as_str().unwrap()));
    }
}

#[test]
fn the_reference_passes_at_each_protocol_version() {
    let mut before = 0;
    for version in ["v0.1", "v0.3", "v0.4"] {
        let place = Place::new();
        let report = ["--report", "json=report.json"];
        let ran = place.run(&[&["--reference", "--protocol", version], &report[..]].concat());
        let conforms = format!(": conforms to Living Repositories Protocol {version} (");
        assert_eq!(ran.stdout.matches(&conforms).count(), 3, "{ran}");
        ran.exits(0).quietly().never_says("not shown");
        let cases = place.report("report.json").verdicts().len();
        assert!(cases > before, "{cases} cases at {version}");
        before = cases;
    }
}

#[test]
fn a_version_has_what_holds_at_it() {
    let has = |version: &str, id: &str| {
        let ran = Place::new().run(&["--list", "--protocol", version, "--exact", id]);
        ran.code == Some(0)
    };
    let newer = "manifest/agent_capabilities/all-of-v0-4::strict";
    let older = "manifest/snapshot/unknown-to-the-first-release::strict";
    assert_eq!(["v0.1", "v0.3", "v0.4"].map(|version| has(version, newer)), [false, false, true]);
    assert_eq!(["v0.1", "v0.3", "v0.4"].map(|version| has(version, older)), [true, false, false]);
    Place::new()
        .run(&["--reference", "--protocol", "v0.1", "--exact", newer])
        .exits(4)
        .complains(&["no case was selected", "not part of v0.1; see --protocol"]);
}

#[test]
fn an_unknown_version_is_answered_with_the_known_ones() {
    let place = Place::new();
    let known = ["protocol version v0.2", "choose one of v0.1, v0.3, v0.4"];
    place.run(&["--reference", "--protocol", "v0.2"]).exits(2).complains(&known);
    place.run(&["--reference", "--protocol", "newest"]).exits(2).complains(&["--protocol"]);
    place.run(&["validate", "--protocol", "v0.2", "-"]).exits(2).complains(&known);
    place.run(&["match", "--protocol", "v0.2", "x", "-"]).exits(2).complains(&known);
}

#[test]
fn names_that_are_not_there_are_answered_with_near_ones() {
    let place = Place::new();
    for (args, code, near) in [
        (["--class", "matchers"], 2, "did you mean matcher?"),
        (["--suite", "manifset"], 2, "did you mean manifest?"),
        (["--suite", "x"], 2, "choose one of manifest"),
        (["--rule", "manifest.project_id.max-lenght"], 2, "manifest.project_id.max-length?"),
        (["snapshott", "--"], 4, "did you mean snapshot?"),
        (["--exact", "manifest/project_id/boolean"], 4, "manifest/project_id/boolean::"),
        (["--clas", "matcher"], 2, "'--class'"),
    ] {
        let args = [&["--reference"], &args[..]].concat();
        place.run(&args).exits(code).complains(&[near]);
    }
    for (args, near) in [
        (&["merg", "a.json"][..], "did you mean merge?"),
        (&["recipt"], "did you mean receipt?"),
        (&["-q", "lint"], "write the command first: living-conformance lint"),
        (&["receipt", "verfy"], "'verify'"),
        (&["profile", "shwo", "ajv"], "'show'"),
        (&["profile", "show", "pyton"], "did you mean python?"),
        (&["--profile", "check-jsonshcema"], "did you mean check-jsonschema?"),
        (&["validate", "--protocl", "v0.4", "x"], "'--protocol'"),
        (&["--reference", "--report", "jnuit=x"], "did you mean junit?"),
        (&["--reference", "--color", "alway"], "'always'"),
        (&["help", "selecton"], "did you mean selection?"),
        (&["help", "receipt", "verfy"], "did you mean verify?"),
        (&["coverage", "--suite", "manifset"], "did you mean manifest?"),
    ] {
        place.run(args).exits(2).complains(&[near]);
    }
    let unknown = ["explain", "manifest.project_id.max-lenght"];
    place.run(&unknown).exits(4).complains(&["did you mean manifest.project_id.max-length?"]);
    // What is like no command is a filter.
    place.run(&["boolean"]).exits(2).complains(&["no implementation is given\n", "--reference"]);
    let args = ["--reference", "boolean", "--class", "matcher", "--skip", "runtime"];
    place.run(&args).exits(4).complains(&["cases match the filter, and none is left by --skip"]);
    let args = ["--reference", "validate", "x.yaml"];
    place.run(&args).exits(4).complains(&["validate is a command: write it first"]);
    place.run(&["--list", "nobody"]).exits(4).complains(&["--list shows what there is"]);
}

#[test]
fn help_is_there_for_each_command_and_topic() {
    let place = Place::new();
    let top = place.run(&["-h"]).exits(0).quietly();
    assert_eq!(place.run(&["--help"]).exits(0).stdout, top.stdout);
    assert_eq!(place.run(&["help"]).exits(0).stdout, top.stdout);
    place.run(&["run", "-h"]).exits(0).says(&["--impl", "--class", "--report"]);
    place.run(&["run", "--help"]).exits(0).says(&["--cross-check", "--shuffle", "- junit: "]);
    place.run(&["help", "receipt", "verify"]).exits(0).says(&["Usage:", "receipt verify"]);
    place.run(&["help", "selection"]).exits(0).says(&["--skip"]).never_says("--shuffle");
    place.run(&["help", "reports"]).exits(0).says(&["junit", "sarif"]);
}

#[test]
fn a_part_never_conforms() {
    let place = Place::new();
    for part in [
        &["boolean"][..],
        &["--skip", "boolean"],
        &["--exact", "manifest/project_id/boolean::strict"],
        &["--rule", "manifest.project_id.charset"],
        &["--rule", "match.isolation-profile", "--class", "matcher"],
        &["--class", "validator-strict", "--skip", "project_id/boolean"],
    ] {
        let ran = place.run(&[&["--reference", "-v"], part].concat()).exits(0);
        ran.quietly().says(&[": not shown: "]).never_says("conforms");
    }
    // A class is all that was asked for, and shown whole.
    place
        .run(&["--reference", "--class", "matcher", "-q"])
        .exits(0)
        .says(&["matcher: conforms to Living Repositories Protocol v0.4 (suite runtime "])
        .never_says("validator");
}

#[test]
fn the_first_failure_may_end_the_run() {
    let ran = few("exit 1", &["--fail-fast", "--test-threads", "1"]).exits(1).quietly();
    // The cases of a fixture belong together.
    ran.says(&[
        "8 cases did not run\n",
        "ended early: a case failed, and the run was to end there\n",
        "ran: 2 cases",
        "matcher: not shown: ",
        "validator-lenient: does not conform (1 MUST case failed)\n",
    ]);
    let whole = few("exit 0", &["--fail-fast", "63-characters"]).exits(0).quietly();
    whole.never_says("did not run");
}

#[test]
fn should_is_shown_and_enforced_only_when_asked() {
    let silent = format!("exec '{}' \"$@\" > /dev/null", cli_support::program().display());
    let told = "1 case fails a SHOULD";
    let ran = few(&silent, &["isolation-not-listed"]).exits(0).quietly();
    ran.says(&["1 case fails a SHOULD; that does not fail the run\n", "does not report match."]);
    let ran = few(&silent, &["isolation-not-listed", "--enforce", "should"]).exits(1).quietly();
    ran.says(&[told, "does not report match."]).never_says("that does not fail");
}

#[test]
fn threads_change_nothing_but_the_time() {
    let verdicts = |threads: &str| {
        let place = Place::new();
        let fixtures = place.fixtures(FEW);
        place.script("impl", "exit 1");
        let args = ["--impl", "./impl", "--fixtures", fixtures, "--report", "json=r.json"];
        place.run(&[&args[..], &["--test-threads", threads]].concat()).exits(1);
        place.report("r.json").verdicts()
    };
    assert_eq!(verdicts("1"), verdicts("4"));
    for bad in ["0", "-1", "many"] {
        let ran = Place::new().run(&["--reference", &format!("--test-threads={bad}")]).exits(2);
        ran.complains(&["--test-threads", "1 or more"]);
    }
}

#[test]
fn a_format_of_nothing_is_not_ignored() {
    let ran = Place::new().run(&["--reference", "--format", "json"]).exits(2);
    ran.complains(&["--list"]);
}

#[test]
fn quiet_and_verbose() {
    let quiet = few("exit 1", &["-q"]).exits(1).quietly();
    let lines: Vec<&str> = quiet.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{quiet}");
    assert!(lines[0].starts_with("matcher: does not conform (1 MUST "), "{quiet}");

    let ran = Place::new().run(&["--reference", "-v", "project_id/boolean"]).exits(0).quietly();
    ran.says(&["pass   manifest/project_id/boolean::lenient ("]);
    let verbose = few("exit 1", &["-v"]).exits(1).quietly();
    verbose.says(&["fail   manifest/project_id/64-characters::lenient ("]);
    let open = Place::new().run(&["--reference", "-v", "duplicate"]).exits(0).quietly();
    open.says(&["choices where the spec is open", "L4 "]);
    let both = Place::new().run(&["--reference", "-q", "-v"]).exits(2);
    both.complains(&["cannot be used with"]);
}

#[test]
fn run_is_the_same_as_no_command() {
    let place = Place::new();
    let without = place.run(&["--reference", "-q", "boolean"]).exits(0);
    let with = place.run(&["run", "--reference", "-q", "boolean"]).exits(0);
    assert_eq!(without.stdout, with.stdout);
}
