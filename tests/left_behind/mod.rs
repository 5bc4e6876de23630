//! What a run must not leave behind: marked processes, temporary files.

#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::fs;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

/// The processes that have `mark`, as `NAME=VALUE`, in their environment and have not
/// ended.
pub(crate) fn processes(mark: &str) -> Vec<String> {
    let numbers = fs::read_dir("/proc").unwrap().filter_map(|entry| {
        entry.unwrap().file_name().to_str()?.parse().ok().filter(|pid: &u32| *pid > 0)
    });
    numbers
        .filter(|pid| {
            fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environ| {
                environ.split(|byte| *byte == 0).any(|entry| entry == mark.as_bytes())
            })
        })
        .map(|pid| fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default())
        .filter(|stat| !stat.is_empty())
        .collect()
}

/// Asserts that the folder is empty and that no marked process is left.
#[track_caller]
pub(crate) fn assert_nothing(folder: &Path, mark: &str) {
    let left: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(left.is_empty(), "left behind: {left:?}");
    // A killed process takes a moment to go.
    let until = Instant::now() + Duration::from_secs(2);
    while !processes(mark).is_empty() {
        assert!(Instant::now() < until, "still running: {:?}", processes(mark));
        thread::sleep(Duration::from_millis(5));
    }
}

/// How a child ended, which it must do soon.
#[track_caller]
pub(crate) fn end_within(child: &mut Child, patience: Duration) -> ExitStatus {
    let until = Instant::now() + patience;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if Instant::now() > until {
            child.kill().unwrap();
            panic!("it does not end");
        }
        thread::sleep(Duration::from_millis(2));
    }
}
