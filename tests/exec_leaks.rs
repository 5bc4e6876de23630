//! A thousand runs of hostile programs leave nothing behind.
//!
//! On its own, because it counts the file descriptors of its process.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod exec_support;

use std::fs;
use std::thread;
use std::time::Duration;

use exec_support::{Bench, one_manifest, try_run};
use living_conformance::driver::Driver;

/// `$2` says what to do.
const HOSTILE: &str = r#"
case "$2" in
  0) exit 0 ;;
  1) echo "rejected: field"; exit 1 ;;
  2) kill -SEGV $$ ;;
  3) sleep 600 ;;
  4) yes ;;
  5) yes >&2 ;;
  6) trap '' TERM HUP INT; setsid sleep 600 & sleep 600 ;;
  7) rm -rf "${1%/*}" ;;
  8) chmod 600 "$1"; echo x > "$1" ;;
  9) mkdir -p a/b; echo x > a/b/c; chmod 0 a; exit 1 ;;
  10) exec >&- 2>&-; sleep 600 ;;
  11) echo half; kill -9 $$ ;;
  12) for i in 1 2 3 4 5; do sleep 600 >&- 2>&- & done; exit 0 ;;
  13) ln -sf /etc/passwd "$1"; exit 3 ;;
esac
"#;
const KINDS: usize = 14;

#[test]
fn a_thousand_hostile_runs_leave_nothing() {
    let bench = Bench::timeout(40);
    let driver = bench.driver(&bench.script(HOSTILE)).unwrap();
    let fixture = one_manifest();
    let runs = |count: usize| {
        thread::scope(|scope| {
            for worker in 0..4 {
                let (driver, fixture) = (&driver, &fixture);
                scope.spawn(move || {
                    let mut connection = driver.connect(worker).unwrap();
                    for run in 0..count / 4 {
                        let kind = (run % KINDS).to_string();
                        try_run(&mut *connection, fixture, &["{manifest}", &kind]).unwrap();
                    }
                });
            }
        });
    };
    // What the first runs open for good, such as this process's own libraries.
    runs(KINDS * 4);
    let before = open_files();
    runs(1000);
    assert_eq!(open_files(), before);
    drop(driver);
    bench.assert_clean();
    assert!(children().is_empty(), "unreaped: {:?}", children());
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

/// The children of this process, ended ones included. They may take a moment.
fn children() -> Vec<String> {
    let own = std::process::id().to_string();
    for _ in 0..100 {
        let found: Vec<_> = fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| fs::read_to_string(entry.unwrap().path().join("stat")).ok())
            .filter(|stat| {
                let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
                after_name.split_whitespace().nth(1) == Some(&own)
            })
            .collect();
        if found.is_empty() {
            return found;
        }
        thread::sleep(Duration::from_millis(10));
        if found.iter().all(|stat| stat.contains(") Z ")) {
            return found;
        }
    }
    vec!["still running".to_owned()]
}
