//! What the program says when much goes wrong at once.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod cli_support;

use std::time::{Duration, Instant};

use cli_support::{FEW, Place};

/// Runs an implementation over a few fixtures; what it is told on both streams.
fn told(place: &Place, args: &[&str], exit: i32) -> (String, String) {
    place.fixtures(FEW);
    let ran = place.run(&[&["--fixtures", "few"], args].concat()).exits(exit);
    (ran.stdout, ran.stderr)
}

#[test]
fn one_cause_is_told_once_and_no_case_is_lost() {
    let place = Place::new();
    // As Python does it: the folder of the case in the words, and exit code 1.
    place.script(
        "crash",
        r#"for last; do :; done
case $1 in match) exit 7;; esac
printf 'Traceback (most recent call last):\n  File "%s"\nImportError: no yaml\n' "$PWD" >&2
exit 1"#,
    );
    let (shown, _) = told(&place, &["--impl", "./crash"], 1);
    assert_eq!(shown.matches("ImportError: no yaml").count(), 2, "once a level:\n{shown}");
    for expected in
        ["tracebacks: ", "more cases fail likewise", "\n  match.exit-code (MUST): 2 cases\n"]
    {
        assert!(shown.contains(expected), "{expected:?} is not in\n{shown}");
    }
    let first = shown.find("-v names each").unwrap();
    let (all, _) = told(&place, &["--impl", "./crash", "--show", "all"], 1);
    let failing = |text: &str| text.matches("\n        reproduce\n").count();
    assert!(failing(&all) > failing(&shown) && all.find("likewise").is_none(), "{all}");
    let (named, _) = told(&place, &["--impl", "./crash", "-v"], 1);
    assert!(first > 0 && !named.contains("-v names each"), "they are named above:\n{named}");
    let (quiet, _) = told(&place, &["--impl", "./crash", "-q"], 1);
    assert!(quiet.lines().count() < 8, "{quiet}");
}

#[test]
fn what_an_implementation_says_is_wrapped_and_not_cut() {
    let place = Place::new();
    let words = "one two three four five six seven eight nine ten eleven twelve thirteen end";
    place.script("impl", &format!("echo '    indented: {words}' >&2; echo second >&2; exit 7"));
    let (shown, _) = told(&place, &["--impl", "./impl", "64-characters::strict"], 1);
    let expected = "
        stderr     |     indented: one two three four five six seven eight nine
                     ten eleven twelve thirteen end
                   | second
";
    assert!(shown.contains(expected), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
}

#[test]
fn a_file_that_is_not_there_is_hinted_at_and_no_error() {
    let place = Place::new();
    let with = |words: &[&str], exit| {
        told(&place, &[&["--impl", "sh", "64-characters::strict", "--"], words].concat(), exit)
    };
    let (_, told) = with(&["missing.sh"], 1);
    let hint = "hint: missing.sh, after --, looks like a file";
    assert_eq!(told.matches(hint).count(), 2, "before the run and after it:\n{told}");
    assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
    // It need not be one.
    let (_, told) = with(&["-c", "exit 1", "report.js"], 0);
    assert_eq!(told.matches("hint: report.js").count(), 1, "{told}");
    place.write("there.sh", "exit 1");
    assert!(!with(&["there.sh"], 0).1.contains("hint"));
    assert!(!with(&["-c", "exit 1"], 0).1.contains("hint"));

    let whole = place.run(&["--impl", "python3 adapter.py"]).exits(3);
    let help = whole.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("what comes behind its name stands after --"), "{whole}");
}

#[test]
fn a_session_is_waited_for_as_long_as_is_said() {
    let place = Place::new();
    place.write("slow server.sh", "exec sleep 60");
    let start = Instant::now();
    let args = ["--impl", "sh", "--session", "--start-timeout", "300ms", "--", "slow server.sh"];
    let (_, told) = told(&place, &args, 3);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("slow server.sh\" session: it did not answer hello"), "{told}");
    assert!(told.contains("--start-timeout"), "{told}");
    let plain = place.run(&["--impl", "true", "--start-timeout", "1s"]).exits(2);
    assert!(plain.stderr.contains("add --session"), "{plain}");
}

#[test]
fn sessions_that_break_off_are_not_said_to_be_missing() {
    let place = Place::new();
    let hello = r#"echo '{"type":"hello","session":1,"name":"x"}'"#;
    place.script("impl", &format!("read -r _; {hello}\nread -r _; exit 9"));
    let ran = place.run(&["--impl", "./impl", "--session", "project_id"]).exits(3);
    assert!(ran.stderr.contains("started again 10 times"), "{ran}");
    let shown = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = "ended early: the sessions of the implementation broke off too often";
    assert!(shown.contains(expected), "{shown}");
    assert!(!shown.contains("could not be started"), "{shown}");
}

#[test]
fn what_is_to_be_done_about_all_stands_once() {
    let place = Place::new();
    place.write("none.json", r#"{"polcy":1}"#);
    let told = place.run(&["receipt", "verify", "none.json"]).exits(1);
    let missing = told.stdout.matches(" is missing\n").count();
    assert!(missing > 4, "{told}");
    assert_eq!(told.stdout.matches("  help: ").count(), 1, "{told}");
}
