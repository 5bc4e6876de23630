//! The exec driver over programs that hang, flood and start others.

#![cfg(unix)]

mod exec_support;

use std::thread;
use std::time::{Duration, Instant};

use exec_support::{Bench, accepted, one_manifest, timed_out, try_run};
use living_conformance::core::{Outcome, Stream};
use living_conformance::driver::{Driver, DriverError};

#[test]
fn a_hang_is_killed_at_the_time_out() {
    for body in
        ["sleep 600", "trap '' TERM INT HUP; sleep 600", "kill -STOP $$", "while :; do :; done"]
    {
        let bench = Bench::timeout(150);
        let ran = bench.run(&bench.script(&format!("echo before; {body}"))).within(150);
        assert_eq!(*ran.outcome(), timed_out(150), "{body}");
        assert_eq!(ran.stdout(), "before\n");
        assert!(ran.seen.duration >= Duration::from_millis(150));
    }
}

#[test]
fn a_closed_stream_is_no_end() {
    let bench = Bench::timeout(150);
    let ran = bench.run(&bench.script("exec >&- 2>&-; sleep 600")).within(150);
    assert_eq!(*ran.outcome(), timed_out(150));
    let bench = Bench::new();
    let ran = bench.run(&bench.script("exec >&- 2>&-; sleep 0.1; exit 1"));
    assert_eq!(*ran.outcome(), Outcome::Decided { accepted: false });
}

#[test]
fn standard_input_is_at_its_end() {
    let bench = Bench::new();
    let ran = bench.run(&bench.script("read line || echo end; cat; exit 1"));
    assert_eq!(ran.stdout(), "end\n");
}

#[test]
fn a_child_that_holds_the_pipes_costs_a_short_grace() {
    let bench = Bench::new();
    let ran = bench.run(&bench.script("sleep 600 & echo said; exit 1")).within(100);
    assert_eq!(*ran.outcome(), Outcome::Decided { accepted: false });
    assert_eq!(ran.stdout(), "said\n");
}

#[test]
fn a_child_that_writes_within_the_grace_is_read() {
    let bench = Bench::new();
    let ran = bench.run(&bench.script("{ sleep 0.02; echo late; } & exit 1"));
    assert_eq!(ran.stdout(), "late\n");
}

#[test]
fn a_child_that_floods_after_the_end_is_cut() {
    let bench = Bench::new();
    let ran = bench.run(&bench.script("yes & exit 0")).within(100);
    assert_eq!(*ran.outcome(), Outcome::Flooded { stream: Stream::Stdout, limit: 1 << 20 });
    assert_eq!(ran.seen.stdout.len(), 1 << 20);
}

#[test]
fn a_child_in_a_new_session_does_not_survive() {
    // With the pipes open, and quietly.
    for body in [
        "setsid sleep 600 &",
        "setsid sh -c 'exec >&- 2>&-; sleep 600' & sleep 0.05",
        // This one without a tag; the mark is for the test.
        "mark=$TEST_MARK; setsid env -i TEST_MARK=\"$mark\" sleep 600 &",
    ] {
        let bench = Bench::new();
        let ran = bench.run(&bench.script(body)).within(200);
        assert_eq!(*ran.outcome(), accepted(), "{body}");
    }
}

#[test]
fn a_daemon_does_not_survive() {
    let bench = Bench::new();
    let program = bench.c_program("if (daemon(0, 0)) return 2; sleep(600); return 0;");
    assert_eq!(*bench.run(&program).within(100).outcome(), accepted());
}

#[test]
fn a_new_session_at_the_time_out_does_not_survive() {
    let bench = Bench::timeout(150);
    let ran = bench.run(&bench.script("setsid sh -c 'sleep 600; :' & sleep 600")).within(250);
    assert_eq!(*ran.outcome(), timed_out(150));
}

#[test]
fn forks_without_end_are_killed() {
    let bench = Bench::timeout(300);
    // Bounded: the test must not harm the machine if it fails.
    let program = bench.c_program(
        "for (int i = 0; i < 200; i++) { if (fork() == 0) { sleep(600); } } sleep(600);",
    );
    assert_eq!(*bench.run(&program).within(300).outcome(), timed_out(300));
}

#[test]
fn forks_in_new_sessions_are_killed() {
    let bench = Bench::timeout(200);
    let program = bench.c_program(
        "for (int i = 0; i < 400; i++) { if (fork()) { usleep(2000); _exit(0); } setsid(); } sleep(600);",
    );
    bench.run(&program).within(1500);
}

#[test]
fn a_flood_is_cut_at_once() {
    let limit = 1 << 20;
    for (body, stream) in [
        ("yes", Stream::Stdout),
        ("yes >&2", Stream::Stderr),
        ("cat /dev/zero", Stream::Stdout),
        ("yes & yes >&2 & wait", Stream::Stdout),
        ("trap '' PIPE TERM; while :; do echo yyyyyyyyyyyyyyyyyyyyyyy; done", Stream::Stdout),
    ] {
        let bench = Bench::new();
        let ran = bench.run(&bench.script(body)).within(2000);
        let Outcome::Flooded { stream: seen, limit: 1_048_576 } = *ran.outcome() else {
            panic!("{body}: {:?}", ran.outcome());
        };
        if !body.contains("wait") {
            assert_eq!(seen, stream, "{body}");
        }
        assert!(ran.seen.stdout.len() <= limit && ran.seen.stderr.len() <= limit);
        assert!(ran.seen.stdout.len() == limit || ran.seen.stderr.len() == limit);
    }
}

#[test]
fn exactly_the_limit_is_no_flood() {
    let bench = Bench::new();
    let ran = bench.run(&bench.script("head -c 1048576 /dev/zero"));
    assert_eq!((ran.outcome(), ran.seen.stdout.len()), (&accepted(), 1 << 20));
    let ran = bench.run(&bench.script("head -c 1048577 /dev/zero"));
    assert!(matches!(ran.outcome(), Outcome::Flooded { .. }));
}

#[test]
fn a_child_that_reads_its_own_pipe_does_not_block() {
    let bench = Bench::timeout(300);
    // It takes away what it has written, between poll and read.
    let program = bench.c_program(
        "int in = open(\"/proc/self/fd/1\", O_RDONLY); char b[9]; \
         for (;;) { write(1, \"x\", 1); read(in, b, 1); }",
    );
    let ran = bench.run(&program).within(300);
    assert_eq!(*ran.outcome(), timed_out(300));
}

#[test]
fn memory_is_limited_when_asked() {
    let mut bench = Bench::new();
    // Waits a moment: limits are set from outside, just after the start.
    let program = bench.c_program(
        "usleep(50000); for (int i = 0; i < 64; i++) { if (!malloc(16 << 20)) return 1; } return 0;",
    );
    assert_eq!(*bench.run(&program).outcome(), accepted());
    bench.memory_limit = Some(256 << 20);
    assert_eq!(*bench.run(&program).outcome(), Outcome::Decided { accepted: false });
}

#[test]
#[cfg(target_os = "linux")]
fn processes_are_limited() {
    let bench = Bench::new();
    // A process of its own sees the limits that the script has got by then.
    let ran = bench.run(&bench.script("sleep 0.05; grep 'Max processes' /proc/self/limits"));
    let shown = ran.stdout();
    let words: Vec<_> = shown.split_whitespace().collect();
    let limit = |word: usize| words[word].parse::<u64>().unwrap();
    assert!(limit(2) >= 4096 && limit(2) == limit(3), "{shown}");
    assert!(limit(2) < 100_000, "{shown}");
}

#[test]
fn the_deadline_is_kept_to_and_who_makes_it_has_made_it() {
    let bench = Bench::timeout(100);
    let driver = bench.driver(&bench.c_program("usleep(atoi(argv[2])); return 0;")).unwrap();
    let mut connection = driver.connect(0).unwrap();
    for micros in [95_000, 99_000, 100_000, 101_000, 105_000] {
        let micros = micros.to_string();
        let ran = try_run(&mut *connection, &one_manifest(), &["{manifest}", &micros]).unwrap();
        assert!(
            [accepted(), timed_out(100)].contains(ran.outcome()),
            "{micros}: {:?}",
            ran.outcome()
        );
    }
    let ran = try_run(&mut *connection, &one_manifest(), &["{manifest}", "300000"]).unwrap();
    assert_eq!(*ran.outcome(), timed_out(100));
}

#[test]
fn an_interruption_ends_the_case_and_all_after_it() {
    let bench = Bench::new();
    let driver = bench.driver(&bench.script("sleep 600")).unwrap();
    thread::scope(|scope| {
        let interrupt = bench.interrupt.clone();
        scope.spawn(move || {
            thread::sleep(Duration::from_millis(100));
            interrupt.raise(2);
        });
        for worker in 0..3 {
            let driver = &driver;
            scope.spawn(move || {
                let mut connection = driver.connect(worker).unwrap();
                let started = Instant::now();
                for _ in 0..2 {
                    let ran = try_run(&mut *connection, &one_manifest(), &["{manifest}"]);
                    assert!(matches!(ran, Err(DriverError::Interrupted)));
                }
                assert!(started.elapsed() < Duration::from_secs(1));
            });
        }
    });
    assert_eq!(bench.interrupt.signal(), Some(2));
    drop(driver);
    bench.assert_clean();
}
