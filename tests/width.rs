//! What people read has lines that fit 80 columns, where there is no terminal as well.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod cli_support;

use cli_support::{FEW, Place};

/// Every line fits, but for those that a word makes too long which must stay whole: a
/// path, an id, a command.
#[track_caller]
fn assert_fits(what: &str, text: &str) {
    assert_within(80, what, text);
}

/// The same for a terminal of some width.
#[track_caller]
fn assert_within(columns: usize, what: &str, text: &str) {
    for line in text.lines() {
        let width = line.chars().count();
        let indent = width - line.trim_start().chars().count();
        let longest = line.split(' ').map(|word| word.chars().count()).max().unwrap_or(0);
        let alone = line.trim_start().trim_start_matches("--> ").split(' ').count() == 1;
        let whole = alone || indent + longest + 2 > columns;
        assert!(width <= columns || whole, "{what}: {width} columns: {line}\n{text}");
    }
}

/// The commands that a help text lists.
fn commands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let lines = lines.take_while(|line| line.starts_with("  "));
    // What goes on in a further line is indented more.
    let names = lines.filter(|line| !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// The help of a command and of those in it; how many there were.
fn check_help(place: &Place, path: &[String]) -> usize {
    let words: Vec<&str> = path.iter().map(String::as_str).collect();
    let shown = |args: &[&str]| {
        let ran = place.run(args).exits(0).quietly();
        assert_fits(&args.join(" "), &ran.stdout);
        ran.stdout
    };
    shown(&[&words[..], &["-h"]].concat());
    let long = shown(&[&words[..], &["--help"]].concat());
    shown(&[&["help"], &words[..]].concat());
    let below = commands(&long).into_iter();
    1 + below.map(|name| check_help(place, &[path, &[name]].concat())).sum::<usize>()
}

#[test]
fn every_help_fits_80_columns() {
    let place = Place::new();
    for args in [&["--help"][..], &["-h"], &["help"]] {
        assert_fits(args[0], &place.run(args).exits(0).stdout);
    }
    let topics = ["implementation", "selection", "running", "output", "reports"];
    for topic in topics.iter().chain(&["environment", "examples", "exit-codes", "commands"]) {
        assert_fits(topic, &place.run(&["help", topic]).exits(0).stdout);
    }
    let listed = place.run(&["help", "commands"]).exits(0).stdout;
    let names = listed.lines().filter(|line| !line.starts_with("   "));
    let names = names.filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    let all: usize = names.map(|name| check_help(&place, &[name.to_owned()])).sum();
    assert!(all > 25, "{all} commands");
}

#[test]
fn topics_and_explanations_fit_terminals_of_all_kinds() {
    let place = Place::new();
    for columns in ["40", "60", "80"] {
        let shown = |args: &[&str]| {
            let ran = place.run_with(args, |command| command.env("COLUMNS", columns)).exits(0);
            // A command stays whole, so that it can be copied.
            let lines = ran.stdout.lines();
            let lines = lines.filter(|line| !line.starts_with("  living-conformance --"));
            let text = lines.collect::<Vec<_>>().join("\n");
            assert_within(columns.parse().unwrap(), &args.join(" "), &text);
        };
        for topic in ["reports", "environment", "examples", "exit-codes", "commands", "output"] {
            shown(&["help", topic]);
        }
        for subject in [
            "manifest.project_id.charset",
            "L4",
            "unknown-field",
            "implementation-not-found",
            "manifest/combination/every-value-wrong-in-v0-4",
            "manifest/project_id/64-characters::strict",
            "manifest/project_id/64-characters::strict+crlf",
        ] {
            shown(&["explain", subject]);
        }
        shown(&["lint", "--explain", "unknown-field"]);
    }
}

#[test]
fn what_a_run_tells_fits_80_columns() {
    let place = Place::new();
    place.fixtures(FEW);
    place.script("impl", "echo 'manifest.project_id.type: this is what it says of all'; exit 1");
    let few = ["--fixtures", "few"];
    let run = |args: &[&str]| place.run(&[&few[..], args].concat());
    let first = run(&["--impl", "./impl", "-v", "--report", "json=a.json"]).exits(1);
    assert_fits("a run", &first.stdout);
    assert_fits("a run", &first.stderr);
    run(&["--reference", "-q", "--report", "json=b.json"]).exits(0);
    let told = place.run(&["compare", "a.json", "b.json", "-v", "--fixtures", "few"]).exits(0);
    assert_fits("compare", &told.stdout);
    assert_fits("coverage", &place.run(&["coverage"]).exits(0).stdout);
    assert_fits("profile list", &place.run(&["profile", "list"]).exits(0).stdout);
}

#[test]
fn what_is_told_of_receipts_fits_80_columns() {
    let place = Place::new();
    let certify = ["certify", "--reference", "--project", "p", "--out", "current.json"];
    let told = place.run(&[&certify[..], &["--suite", "runtime"]].concat()).exits(0);
    assert_fits("certify", &told.stdout);
    assert!(told.stdout.contains("\n    sha256:"), "{told}");
    for command in ["show", "verify"] {
        let told = place.run(&["receipt", command, "current.json"]).exits(0).stdout;
        assert_fits(command, &told);
        assert!(told.contains("subject\n  sha256:"), "{told}");
    }
    let other = ["receipt", "verify", "current.json", "--project", "other"];
    assert_fits("a refusal", &place.run(&other).exits(1).stdout);
}

#[test]
fn errors_fit_80_columns() {
    let place = Place::new();
    place.write("list.yaml", "failures:\n  - {case: manifest/a, reasons: some, until: never}\n");
    place.write("policy.json", "{}");
    for (args, exit, says) in [
        (&["receipt", "verify", "none"][..], 2, "exists, or - for standard input"),
        (&["--impl", "."], 3, "it is a directory, not a file"),
        (&["--impl", "..", "--profile", "shell"], 3, "it is a directory, not a file"),
        (&["--reference", "--suite-release", "9.9.9"], 2, "choose one of 0.1.0, or draft"),
        (&["--reference", "--expect", "list.yaml"], 2, "did you mean \"reason\"?"),
        (&["--reference", "--fixtures", "none"], 2, "failed to"),
        (&["--reference", "--report", "jsn=a"], 2, "there is no report \"jsn\""),
        (&["--reference", "--format", "json"], 2, "--list"),
        (&["--no-such-option"], 2, "unexpected argument"),
        (&["certify"], 2, "--project"),
        (&["compare", "none.json", "one.json"], 2, "failed to read"),
        (&["--reference", "no such text"], 4, "no case was selected"),
    ] {
        let told = place.run(args).exits(exit);
        assert_fits(&args.join(" "), &told.stderr);
        let text = told.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(says), "{says:?} is not in {text}");
    }
}
