//! What a session saves: the adapter in Python over the whole corpus, started for each
//! case and kept for all.
//!
//! Both are runs of the program itself, with as many workers. A run in sessions before
//! and after the long one with a process a case, so that other load meets both; the
//! ratio is to the slower of the two.
//!
//! `cargo bench --bench session` (needs Python with PyYAML; takes some minutes). Fails
//! below [`AT_LEAST`].

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark reports, or fails")]

#[path = "../tests/program/mod.rs"]
mod program;

use std::time::Duration;

/// How many times faster a session is to be.
const AT_LEAST: f64 = 20.0;

fn main() {
    let before = run(&[]);
    let exec = run(&["--session=never"]);
    let after = run(&[]);
    let ahead = run(&["--in-flight", "8"]);
    let ratio = |session: Duration| exec.as_secs_f64() / session.as_secs_f64();
    println!("a process a case:    {exec:.2?}");
    for (name, session) in [("before", before), ("after", after), ("--in-flight 8", ahead)] {
        println!("session, {name:14} {session:.2?}, {:.1} times faster", ratio(session));
    }
    let slower = before.max(after);
    assert!(ratio(slower) >= AT_LEAST, "{:.1} times is less than {AT_LEAST}", ratio(slower));
}

/// How long a run takes that must pass, as it says itself.
fn run(more: &[&str]) -> Duration {
    let mut command = program::command();
    command.args(["--profile", "python", "--quiet", "--timeout", "60"]);
    let (code, said, report) = program::reported(&mut command, more);
    assert_eq!(code, 0, "{said}");
    Duration::from_micros(report["summary"]["duration-us"].as_u64().unwrap())
}
