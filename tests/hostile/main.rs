//! Hostile implementations, tested by the program as its users have it: the run ends
//! in time, the case has the right verdict, all others are unharmed, and nothing is
//! left. Each kind of harm is done by a program, in a session, and by a library.
//!
//! Bounds on time are wide, for machines that have other work: what is not ended goes
//! on for ever.

#![cfg(all(target_os = "linux", feature = "library"))]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests are tests")]

mod bench;
#[path = "../left_behind/mod.rs"]
mod left_behind;
#[path = "../program/mod.rs"]
mod program;

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::time::{Duration, Instant};

use bench::{Bench, Way};
use left_behind::end_within;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// What is observed, in each of the three ways; and what the verdict is.
const TIMED_OUT: &str = "error timed-out";
const FLOODED: &str = "error flooded";
const CRASHED: &str = "error crashed";
const TAMPERED: &str = "error tampered";
const BROKE: &str = "error broke-protocol";
const WRONG_EXIT: &str = "error wrong-exit";
const PASS: &str = "pass decided";
const FAIL: &str = "fail decided";

/// Does each kind of harm in all ways that have an expectation.
#[track_caller]
fn check(bench: &Bench, kinds: &[(&str, [&str; 3])]) {
    for (what, expected) in kinds {
        for (way, expected) in Way::ALL.into_iter().zip(expected) {
            if *expected == "-" {
                continue;
            }
            let ran = bench.run(way, what, &[]);
            ran.assert_others_unharmed();
            assert_eq!(ran.hostile(), *expected, "{way:?} {what}: {}", ran.said);
            let passes = expected.starts_with("pass");
            assert_eq!(ran.code, i32::from(!passes), "{way:?} {what}: {}", ran.said);
            assert!(ran.took < Duration::from_secs(15), "{way:?} {what}: took {:?}", ran.took);
        }
    }
}

#[test]
fn what_does_not_end_is_ended() {
    check(
        &Bench::new(),
        &[
            ("never-exits", [TIMED_OUT; 3]),
            ("ignores-sigterm", [TIMED_OUT; 3]),
            ("stops-itself", [TIMED_OUT; 3]),
            ("reads-stdin", [TIMED_OUT; 3]),
            // The library's standard output is not the session's.
            ("closes-stdout", [TIMED_OUT, BROKE, TIMED_OUT]),
        ],
    );
}

#[test]
fn processes_that_are_left_are_ended() {
    check(
        &Bench::new(),
        &[
            ("child-holds-stdout", [PASS; 3]),
            ("child-holds-stdout-elsewhere", [PASS; 3]),
            ("daemonises", [PASS; 3]),
            ("daemonises-without-environment", [PASS; 3]),
            ("kills-its-group", [CRASHED; 3]),
        ],
    );
}

#[test]
fn forks_without_end_are_ended() {
    check(&Bench::new(), &[("forks-without-end", [TIMED_OUT; 3])]);
}

#[test]
fn floods_are_cut() {
    check(
        &Bench::new(),
        &[
            ("floods-both", [FLOODED, BROKE, "-"]),
            ("floods-stdout", [FLOODED, BROKE, "-"]),
            // In a session standard error may be as long as it likes, but not for ever.
            ("floods-stderr", [FLOODED, "-", "-"]),
            ("endless-line", [FLOODED, FLOODED, "-"]),
        ],
    );
}

#[test]
fn memory_without_end_is_refused() {
    let bench = Bench::new();
    for way in Way::ALL {
        let more = ["--memory-limit", "256M", "--timeout", "20s"];
        let ran = bench.run(way, "allocates", &more);
        ran.assert_others_unharmed();
        assert_eq!(ran.hostile(), CRASHED, "{way:?}: {}", ran.said);
    }
}

#[test]
fn documents_that_are_changed_are_made_anew() {
    check(
        &Bench::new(),
        &[
            ("deletes", [TAMPERED; 3]),
            ("rewrites", [TAMPERED; 3]),
            ("replaces-by-link", [TAMPERED; 3]),
            ("makes-unreadable", [TAMPERED; 3]),
            ("removes-folder", [TAMPERED; 3]),
            ("fills-folder", [PASS; 3]),
            // Of a library, the program is that of this project.
            ("changes-own-mode", [TAMPERED, TAMPERED, "-"]),
        ],
    );
}

#[test]
fn exits_say_what_they_say() {
    check(
        &Bench::new(),
        &[
            // Only the low byte arrives: 0, and what was to be rejected was not.
            ("exits-256", [FAIL, BROKE, BROKE]),
            ("exits-137", [WRONG_EXIT, BROKE, BROKE]),
            ("exits-2", [WRONG_EXIT, BROKE, BROKE]),
            ("crashes", [CRASHED; 3]),
            // Words are no verdict.
            ("accepts-with-findings", [FAIL; 3]),
        ],
    );
}

#[test]
fn documents_that_others_change_are_made_anew_as_well() {
    let bench = Bench::new();
    // While the cases of others run beside it.
    for way in Way::ALL {
        let ran = bench.run(way, "deletes-all", &["--test-threads", "4", "--timeout", "20s"]);
        ran.assert_others_unharmed();
        assert_eq!(ran.hostile(), TAMPERED, "{way:?}: {}", ran.said);
    }
    // By a process that is still there when the next cases run. One that a session has
    // started is a part of it.
    for what in ["deletes-all-later", "deletes-all-later-without-environment"] {
        for threads in ["1", "4"] {
            let more = ["--test-threads", threads, "--timeout", "20s"];
            let ran = bench.run(Way::Exec, what, &more);
            ran.assert_others_unharmed();
            assert!([PASS, TAMPERED].contains(&ran.hostile().as_str()), "{what}: {}", ran.said);
        }
    }
}

/// A shell in which `first` may mount something, where that is allowed.
fn mounting(first: &str) -> Option<Vec<String>> {
    let script = format!("{first} && exec \"$@\"");
    let words = ["unshare", "-rm", "sh", "-c", &script, "sh"].map(str::to_owned);
    let tried = Command::new(&words[0]).args(&words[1..]).arg("true").status();
    tried.is_ok_and(|status| status.success()).then(|| words.to_vec())
}

#[test]
fn what_is_mounted_is_not_removed() {
    let bench = Bench::new();
    let Some(words) = mounting("true") else {
        eprintln!("not tested: this user may not mount anything");
        return;
    };
    for (what, expected) in [("mounts", PASS), ("mounts-on-document", TAMPERED)] {
        for way in Way::ALL {
            let ran = bench.run_words(&[&words[..], &bench.command(way, what, &[])].concat());
            ran.assert_others_unharmed();
            assert_eq!(ran.hostile(), expected, "{way:?} {what}: {}", ran.said);
        }
    }
}

#[test]
fn a_full_folder_is_waited_out() {
    let bench = Bench::new();
    let tmp = bench.path("tmp");
    let Some(mut words) = mounting(&format!("mount -t tmpfs -o size=3m none '{}'", tmp.display()))
    else {
        eprintln!("not tested: this user may not mount a small folder");
        return;
    };
    let more = ["--test-threads", "2"];
    words.extend(bench.command(Way::Exec, "fills-folder-and-stays", &more));
    let ran = bench.run_words(&words);
    ran.assert_others_unharmed();
    assert_eq!(ran.hostile(), TIMED_OUT, "{}", ran.said);
}

#[test]
fn a_case_that_takes_the_time_out_has_one_of_two_outcomes() {
    let bench = Bench::new();
    for millis in ["450", "499", "501", "1000"] {
        let set = format!("HOSTILE_MILLIS={millis}");
        for way in [Way::Exec, Way::Session] {
            let ran = bench.run(way, "takes-its-time", &["--env", &set]);
            ran.assert_others_unharmed();
            let seen = ran.hostile();
            assert!([PASS, TIMED_OUT].contains(&seen.as_str()), "{way:?} {millis}: {}", ran.said);
            assert!(millis != "1000" || seen == TIMED_OUT, "{}", ran.said);
        }
    }
}

#[test]
fn a_program_that_is_killed_leaves_nothing() {
    let bench = Bench::new();
    for way in Way::ALL {
        let words = bench.command(way, "kills-the-harness", &["--timeout", "60s"]);
        let mut child = bench.start(&words);
        let status = end_within(&mut child, Duration::from_secs(20));
        assert_eq!(status.signal(), Some(9), "{way:?}");
        // The second process needs a moment to see it.
        bench.wait_until_clean(Duration::from_secs(5));
    }
}

#[test]
fn a_signal_ends_the_run_within_a_second_and_the_reports_say_so() {
    for (signal, name) in [(Signal::INT, "INT"), (Signal::TERM, "TERM")] {
        for way in Way::ALL {
            let bench = Bench::new();
            let report =
                |kind: &str| format!("{kind}={}", bench.path(&format!("report.{kind}")).display());
            let reports = KINDS.map(report);
            let mut more = vec!["--timeout", "60s"];
            for report in &reports {
                more.extend(["--report", report]);
            }
            let mut child = bench.start(&bench.command(way, "never-exits", &more));
            // The first case has ended, and the second hangs.
            bench.wait_for_hang();
            let sent = Instant::now();
            kill_process(Pid::from_child(&child), signal).unwrap();
            let status = end_within(&mut child, Duration::from_secs(20));
            assert!(sent.elapsed() < Duration::from_secs(1), "{name}: {:?}", sent.elapsed());
            assert_eq!(status.code(), Some(1), "{way:?} {name}");
            bench.assert_clean();
            let text = |kind: &str| {
                fs::read_to_string(bench.path(&format!("report.{kind}"))).unwrap_or_default()
            };
            let json: Value = serde_json::from_str(&text("json")).unwrap();
            assert_eq!(json["summary"]["stopped"], "interrupted", "{json}");
            assert_eq!(json["cases"].as_array().unwrap().len(), 1, "{json}");
            for kind in KINDS {
                let text = text(kind).to_lowercase();
                let told = ["signal", "interrupted", "incomplete"];
                assert!(told.iter().any(|word| text.contains(word)), "{kind}: {text}");
            }
        }
    }
}

/// Reports besides that in JSON.
const KINDS: [&str; 7] = ["junit", "tap", "markdown", "html", "jsonl", "sarif", "github"];

#[test]
fn what_is_written_stays_what_was_written() {
    for way in Way::ALL {
        let bench = Bench::new();
        let report = |kind: &str| format!("{kind}={}", bench.path(&format!("r.{kind}")).display());
        let kinds = ["junit", "tap", "markdown", "html", "github"];
        let reports = kinds.map(report);
        // It is to match, so that the case fails and what it wrote is shown.
        let from = bench.path("fixtures/runtime/b");
        fs::rename(from, bench.path("fixtures/runtime/match-b")).unwrap();
        let mut more = vec!["--show", "all"];
        for report in &reports {
            more.extend(["--report", report]);
        }
        let output = Command::new(&bench.command(way, "writes-tricks", &more)[0])
            .args(&bench.command(way, "writes-tricks", &more)[1..])
            .env("TMPDIR", bench.path("tmp"))
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        let text = |kind: &str| fs::read_to_string(bench.path(&format!("r.{kind}"))).unwrap();
        let all: Vec<(&str, String)> = kinds.map(|kind| (kind, text(kind))).into();
        // GitHub shows annotations, and these do not repeat what was written.
        for (kind, text) in all.iter().map(|(kind, text)| (*kind, text)).chain([("said", &said)]) {
            let is_shown = text.contains("forged");
            assert!(is_shown || kind == "github", "{kind}: what it wrote is shown: {text}");
            let acts = ['\u{1b}', '\0', '\u{7}', '\u{202e}'];
            assert!(!text.contains(acts), "{kind}: {text:?}");
            // Nothing of it begins a line, where a machine or a reader takes it for
            // this program's own word.
            for line in text.lines() {
                for start in ["::stop", "::error file=x", "##[", "ok 1 - f", "1..0", "all: con"] {
                    assert!(!line.starts_with(start), "{kind}: {line}");
                }
            }
        }
        assert!(!text("html").contains("<script>alert"));
        roxmltree::Document::parse(&text("junit")).unwrap();
    }
}

#[test]
fn what_the_caller_has_open_is_not_for_implementations() {
    let bench = Bench::new();
    for way in [Way::Exec, Way::Session] {
        let file = bench.path("descriptor-3");
        let open = format!("exec \"$@\" 3>'{}'", file.display());
        let mut words = ["sh", "-c", &open, "sh"].map(str::to_owned).to_vec();
        words.extend(bench.command(way, "writes-to-descriptors", &["--report", "tap=/dev/fd/3"]));
        let ran = bench.run_words(&words);
        ran.assert_others_unharmed();
        assert_eq!(ran.hostile(), PASS, "{way:?}: {}", ran.said);
        assert!(!fs::read_to_string(&file).unwrap().contains("forged"));
    }
}

#[test]
fn who_changed_the_program_is_found_out_among_several() {
    let bench = Bench::new();
    for way in [Way::Exec, Way::Session] {
        let more = ["--test-threads", "4", "--timeout", "20s"];
        let ran = bench.run(way, "changes-own-mode", &more);
        ran.assert_others_unharmed();
        assert_eq!(ran.hostile(), TAMPERED, "{way:?}: {}", ran.said);
    }
}
