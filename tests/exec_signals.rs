//! Ctrl-C and SIGTERM, seen from outside: each test starts this file's own binary
//! once more, to play the program that gets the signals.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod exec_support;

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use exec_support::left_behind::end_within;
use exec_support::{Bench, one_manifest, try_run};
use living_conformance::driver::{Driver, DriverError, ExecDriver, Interrupt};
use rustix::process::{Pid, Signal, kill_process};

/// Enough for a program that does what it should, on a busy machine.
const SOON: Duration = Duration::from_secs(3);

/// Where the player of a part finds its folder.
const FOLDER: &str = "EXEC_SIGNALS_FOLDER";

/// Runs two hanging cases until it is interrupted, and then ends as a program
/// should.
#[test]
#[ignore = "a part in the other tests"]
fn part_well_behaved() {
    let interrupt = play(false);
    std::process::exit(100 + interrupt.signal().unwrap());
}

/// The same, but its main thread does not come to an end.
#[test]
#[ignore = "a part in the other tests"]
fn part_stuck() {
    play(true);
}

/// Runs a case that exits 1.
#[test]
#[ignore = "a part in the other tests"]
fn part_one_case() {
    let interrupt = Interrupt::on_signals().unwrap();
    let driver = driver("reject.sh", &interrupt);
    let ran = try_run(&mut *driver.connect(0).unwrap(), &one_manifest(), &[]).unwrap();
    println!("{:?}", ran.outcome());
}

fn driver(script: &str, interrupt: &Interrupt) -> ExecDriver {
    let bench = Bench::at(Path::new(&std::env::var_os(FOLDER).unwrap()));
    ExecDriver::new(bench.config(&bench.path(script)), interrupt).unwrap()
}

fn play(is_stuck: bool) -> Interrupt {
    let interrupt = Interrupt::on_signals().unwrap();
    let driver = driver("hang.sh", &interrupt);
    thread::scope(|scope| {
        for worker in 0..2 {
            let driver = &driver;
            scope.spawn(move || {
                let mut connection = driver.connect(worker).unwrap();
                let ran = try_run(&mut *connection, &one_manifest(), &[]);
                assert!(matches!(ran, Err(DriverError::Interrupted)));
                if is_stuck {
                    // Holds on to its folder.
                    thread::sleep(Duration::from_secs(600));
                }
            });
        }
    });
    interrupt
}

/// A bench, and a program on it that plays `part`, started through `prefix`.
fn start(part: &str, prefix: &[&str]) -> (Bench, Child) {
    let bench = Bench::new();
    bench.file("hang.sh", "#!/bin/sh\nsetsid sleep 600 &\nsleep 600\n", 0o755);
    bench.file("reject.sh", "#!/bin/sh\nexit 1\n", 0o755);
    let own = std::env::current_exe().unwrap();
    let mut words = prefix.iter().map(std::ffi::OsString::from).collect::<Vec<_>>();
    words.push(own.into());
    let child = Command::new(&words[0])
        .args(&words[1..])
        .args(["--ignored", "--exact", "--nocapture", part])
        .env(FOLDER, bench.folder())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    (bench, child)
}

/// Waits until both hanging cases have started all their processes.
fn wait_for_cases(bench: &Bench) {
    let until = Instant::now() + Duration::from_secs(20);
    while bench.processes().iter().filter(|stat| stat.contains("(sleep)")).count() < 4 {
        assert!(Instant::now() < until, "the cases do not start");
        thread::sleep(Duration::from_millis(10));
    }
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

#[test]
fn the_second_signal_ends_the_program_and_leaves_nothing() {
    let (bench, mut child) = start("part_stuck", &[]);
    wait_for_cases(&bench);
    send(&child, Signal::INT);
    thread::sleep(Duration::from_millis(200));
    send(&child, Signal::TERM);
    assert_eq!(end_within(&mut child, SOON).signal(), Some(15));
    bench.assert_clean();
}

#[test]
fn two_signals_at_once_leave_nothing() {
    let (bench, mut child) = start("part_well_behaved", &[]);
    wait_for_cases(&bench);
    send(&child, Signal::INT);
    send(&child, Signal::INT);
    end_within(&mut child, SOON);
    bench.assert_clean();
}

#[test]
fn a_caller_that_ignores_sigchld_does_no_harm() {
    let ignoring = ["sh", "-c", "trap '' CHLD; exec \"$@\"", "sh"];
    let (bench, mut child) = start("part_one_case", &ignoring);
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let told: Vec<_> = lines.map(Result::unwrap).filter(|line| line.contains("Decided")).collect();
    assert!(told.iter().any(|line| line.contains("accepted: false")), "{told:?}");
    end_within(&mut child, SOON);
    bench.assert_clean();
}
