//! A thousand runs of hostile programs leave nothing behind: no process, no file
//! descriptor, no file. Nor do some hundred in sessions.
//!
//! On its own, because it counts what its process has.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod exec_support;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use exec_support::{Bench, fixture, operation};
use living_conformance::core::{Fixture, Protocol};
use living_conformance::driver::{Driver, ExecDriver, Request, SessionConfig, SessionDriver};

/// What `tests/hostile/hostile.c` can do, but for what takes long to undo.
const KINDS: &[&str] = &[
    "nothing",
    "never-exits",
    "deletes",
    "child-holds-stdout",
    "crashes",
    "child-holds-stdout-elsewhere",
    "exits-137",
    "daemonises",
    "rewrites",
    "daemonises-without-environment",
    "exits-256",
    "ignores-sigterm",
    "replaces-by-link",
    "floods-both",
    "makes-unreadable",
    "stops-itself",
    "endless-line",
    "removes-folder",
    "reads-stdin",
    "closes-stdout",
    "writes-tricks",
    "kills-its-group",
];

/// What all workers must wait for: done a few times only.
const SLOW: &[&str] = &["changes-own-mode", "nothing"];

const WORKERS: usize = 4;

#[test]
fn a_thousand_hostile_runs_leave_nothing() {
    let bench = Bench::timeout(40);
    let program = build(&bench);
    let guard = bench.interrupt.guard(None);
    let exec = ExecDriver::new(bench.config(&program), &bench.interrupt).unwrap();
    leaves_nothing(&exec, SLOW, 20);
    leaves_nothing(&exec, KINDS, 1000);

    let mut config = SessionConfig::new(bench.config(&program));
    config.restarts = usize::MAX;
    let session = SessionDriver::new(config, &bench.interrupt).unwrap();
    leaves_nothing(&session, SLOW, 20);
    leaves_nothing(&session, KINDS, 300);

    drop((exec, session));
    drop(guard);
    bench.assert_clean();
    assert_eq!(children(), Vec::<String>::new(), "unreaped");
}

fn build(bench: &Bench) -> std::path::PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile/hostile.c");
    let program = bench.path("hostile");
    let status = Command::new("cc").arg("-o").arg(&program).arg(source).status().unwrap();
    assert!(status.success(), "cc must be installed for these tests");
    program
}

/// Runs cases, each kind as often as the others.
#[track_caller]
fn leaves_nothing(driver: &dyn Driver, kinds: &[&str], cases: usize) {
    let fixtures: Vec<Fixture> = kinds
        .iter()
        .map(|kind| fixture(&[("manifest", "m.yaml", &format!("project_id: hostile {kind}\n"))]))
        .collect();
    let runs = |cases: usize| {
        thread::scope(|scope| {
            for worker in 0..WORKERS {
                let fixtures = &fixtures;
                scope.spawn(move || {
                    let mut connection = driver.connect(worker).unwrap();
                    for case in 0..cases / WORKERS {
                        let fixture = &fixtures[(case + worker) % fixtures.len()];
                        // As `match RUNTIME MANIFEST`.
                        let spec = operation(&["match", "{manifest}", "{manifest}"]);
                        let operation = "match";
                        let protocol = Protocol::new(0, 4);
                        let request =
                            Request { fixture, variant: None, operation, spec: &spec, protocol };
                        connection.run(&request).unwrap();
                    }
                });
            }
        });
    };
    // What the first runs open for good, such as this process's own libraries.
    runs(kinds.len() * WORKERS);
    let before = open_files();
    runs(cases);
    assert_eq!(open_files(), before);
}

fn open_files() -> Vec<String> {
    let entries = fs::read_dir("/proc/self/fd").unwrap();
    let mut targets: Vec<_> = entries
        .filter_map(|entry| fs::read_link(entry.unwrap().path()).ok())
        .map(|target| target.display().to_string())
        .filter(|target| !target.starts_with("/proc"))
        .collect();
    targets.sort();
    targets
}

/// The children of this process that are there after a moment, ended ones included.
fn children() -> Vec<String> {
    let own = std::process::id().to_string();
    let mut found = Vec::new();
    for _ in 0..100 {
        found = fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| fs::read_to_string(entry.unwrap().path().join("stat")).ok())
            .filter(|stat| {
                let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
                after_name.split_whitespace().nth(1) == Some(&own)
            })
            .collect();
        if found.is_empty() {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    found
}
