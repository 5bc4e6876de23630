//! The session driver over programs that keep its messages, and that do not.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests are tests")]

mod exec_support;

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use exec_support::{Bench, TEXT, accepted, fixture, one_manifest, operation, timed_out};
use living_conformance::core::{Fixture, Observation, Outcome, Protocol, RuleTable, Stream};
use living_conformance::driver::{
    Connection, CrossCheck, Driver, DriverError, Fresh, Request, SessionConfig, SessionDriver,
    StartError,
};

/// Shell functions for the messages. `ask` reads a case into `$line` and counts
/// it in `$n`; a file beside the program counts over all processes in `$all`.
const PRELUDE: &str = r#"
hello() { read -r line; printf '%s\n' '{"type":"hello","session":1,"name":"test","version":"7"}'; }
ask() {
  read -r line || exit 0
  case $line in *'"type":"bye"'*) : > "$0.bye"; exit 0;; esac
  n=$((n + 1)); printf . >> "$0.all"; all=$(wc -c < "$0.all")
}
reply() { printf '{"type":"reply","id":%s,"verdict":"%s","findings":[{"rule":"pid.%s"}]}\n' "$1" "$2" $$; }
say() { printf '{"type":"reply","id":%s,"verdict":"%s"}\n' "$1" "$2"; }
n=0
"#;

/// A program that answers every case, and does `body` for the second of all.
fn spoiled(bench: &Bench, body: &str) -> std::path::PathBuf {
    bench.script(&format!(
        "{PRELUDE}\nhello\nwhile :; do ask; if [ $all = 2 ]; then {body}\nfi; reply $n accept; done"
    ))
}

fn config(bench: &Bench, program: &Path) -> SessionConfig {
    SessionConfig::new(bench.config(program))
}

/// Runs `count` cases in one go.
fn run_all(driver: &SessionDriver, count: usize) -> Result<Vec<Observation>, DriverError> {
    let mut connection = driver.connect(0)?;
    ask(&mut *connection, count, &one_manifest())
}

fn ask(
    connection: &mut dyn Connection,
    count: usize,
    fixture: &Fixture,
) -> Result<Vec<Observation>, DriverError> {
    let spec = operation(&[]);
    let request = Request {
        fixture,
        variant: None,
        operation: "lenient",
        spec: &spec,
        protocol: Protocol::new(0, 4),
    };
    let requests = vec![request; count];
    let mut seen = vec![None; count];
    connection.run_many(&requests, &mut |index, observation| {
        assert!(seen[index].is_none(), "{index} twice");
        seen[index] = Some(observation);
    })?;
    Ok(seen.into_iter().map(|seen| seen.expect("each case has an observation")).collect())
}

fn pid(seen: &Observation) -> &str {
    &seen.findings.as_ref().expect("a reply")[0].rule
}

fn broke(what: &str) -> Outcome {
    Outcome::BrokeProtocol { what: what.to_owned() }
}

/// Runs three cases of [`spoiled`], one at a time; the second one's observation.
/// Asserts that the others are unharmed, and that nothing is left.
fn second(bench: &Bench, body: &str) -> Observation {
    let program = spoiled(bench, body);
    let driver = SessionDriver::new(config(bench, &program), &bench.interrupt).unwrap();
    let mut seen = run_all(&driver, 3).unwrap();
    drop(driver);
    bench.assert_clean();
    assert_eq!(seen[0].outcome, accepted(), "{body}");
    assert_eq!(seen[2].outcome, accepted(), "{body}");
    assert_ne!(pid(&seen[0]), pid(&seen[2]), "started again: {body}");
    seen.remove(1)
}

#[test]
fn one_process_answers_all_cases() {
    let bench = Bench::new();
    let program = bench.script(&format!(
        "{PRELUDE}\n[ \"$1\" = session ] || exit 9\nhello\nwhile :; do ask; echo $n >&2; reply $n reject; done"
    ));
    let driver = SessionDriver::new(config(&bench, &program), &bench.interrupt).unwrap();
    let seen = run_all(&driver, 20).unwrap();
    for (index, one) in seen.iter().enumerate() {
        assert_eq!(one.outcome, Outcome::Decided { accepted: false });
        assert_eq!(pid(one), pid(&seen[0]));
        assert_eq!(one.stderr, format!("{}\n", index + 1).as_bytes());
    }
    assert_eq!(driver.version().as_deref(), Some("test 7"));
    assert!(bench.path("program.sh.bye").exists(), "bye was said");
    drop(driver);
    bench.assert_clean();
}

#[test]
fn a_case_has_documents_as_text_and_as_files_and_gives_nothing_away() {
    let bench = Bench::new();
    let program = bench.script(&format!(
        "{PRELUDE}\nhello; while :; do ask; printf '%s\\n' \"$line\" >> \"$0.seen\"; reply $n accept; done"
    ));
    let driver = SessionDriver::new(config(&bench, &program), &bench.interrupt).unwrap();
    let mut connection = driver.connect(0).unwrap();
    let mut pair = fixture(&[("manifest", "m/x y.yaml", TEXT), ("runtime", "runtime.json", "{}")]);
    pair.documents[1].bytes = b"\xff\xfe{\0"[..].into();
    ask(&mut *connection, 1, &pair).unwrap();
    let seen = fs::read_to_string(bench.path("program.sh.seen")).unwrap();
    let case: serde_json::Value = serde_json::from_str(&seen).unwrap();
    assert!(schema().is_valid(&case), "{seen}");
    assert_eq!(case["operation"], "lenient");
    assert_eq!(case["protocol"], "v0.4");
    assert_eq!(case["documents"]["manifest"]["text"], TEXT);
    assert!(case["documents"]["runtime"].get("text").is_none(), "it is not UTF-8");
    for (name, bytes) in [("manifest", TEXT.as_bytes()), ("runtime", b"\xff\xfe{\0")] {
        let path = case["documents"][name]["path"].as_str().unwrap();
        assert_eq!(fs::read(path).unwrap(), bytes);
    }
    assert!(!seen.contains(pair.id.as_str()), "the name would give the verdict away");
}

fn schema() -> jsonschema::Validator {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/session.schema.json");
    let schema = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}

#[test]
fn the_schema_and_the_page_have_the_messages() {
    let schema = schema();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/sessions.md");
    let page = fs::read_to_string(page).unwrap();
    let shown = page.lines().filter_map(|line| line.trim().strip_prefix(['→', '←']));
    let mut count = 0;
    for message in shown {
        let value: serde_json::Value = serde_json::from_str(message).unwrap();
        let errors: Vec<_> = schema.iter_errors(&value).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{message}: {errors:?}");
        count += 1;
    }
    assert_eq!(count, 5);
    for wrong in [
        r#"{"type":"hello","session":2,"name":"x"}"#,
        r#"{"type":"hello","session":1}"#,
        r#"{"type":"reply","id":1}"#,
        r#"{"type":"reply","verdict":"accept"}"#,
        r#"{"type":"reply","id":1,"verdict":"yes"}"#,
        r#"{"type":"reply","id":1,"verdict":"accept","unsupported":"x"}"#,
        r#"{"type":"reply","id":1,"verdict":"accept","findings":[{"at":"/x"}]}"#,
        r#"{"type":"reply","id":1,"verdict":"accept","findings":[{"rule":"a","at":"x"}]}"#,
        r#"{"type":"other"}"#,
    ] {
        assert!(!schema.is_valid(&serde_json::from_str(wrong).unwrap()), "{wrong}");
    }
}

#[test]
fn state_that_leaks_from_case_to_case_is_found_by_cross_checking() {
    let differs = broke("rejects among other cases and accepts when asked alone");
    for (body, second) in
        [("say $n accept", accepted()), ("[ $n = 1 ] && say $n accept || say $n reject", differs)]
    {
        let bench = Bench::new();
        let program = bench.script(&format!(
            "{PRELUDE}\n[ \"$1\" = session ] || exit 0\nhello; while :; do ask; {body}; done"
        ));
        let session = || {
            let driver = SessionDriver::new(config(&bench, &program), &bench.interrupt);
            Box::new(driver.unwrap())
        };
        let alone: [Box<dyn Driver>; 2] =
            [Box::new(bench.driver(&program).unwrap()), Box::new(Fresh(*session()))];
        for alone in alone {
            let check = CrossCheck::new(session(), alone, RuleTable::default());
            let mut connection = check.connect(0).unwrap();
            let seen = ask(&mut *connection, 2, &one_manifest()).unwrap();
            assert_eq!(seen[0].outcome, accepted());
            assert_eq!(seen[1].outcome, second);
        }
    }
}

#[test]
fn what_breaks_the_messages_is_charged_to_the_case_under_way() {
    for (body, what) in [
        ("echo checking", "wrote a line on standard output that is not JSON: \"checking\""),
        ("echo '{\"type\":\"reply\",\"verdict\":\"accept\"}'", "sent a reply without an id"),
        ("reply 1 accept", "replied to case 1 a second time"),
        ("reply 99 accept", "replied to a case 99, which was not asked"),
        ("reply 2 accept; reply 2 accept", "replied to case 2 a second time"),
        ("echo '{\"type\":\"reply\",\"id\":2}'", "sent a reply without a verdict"),
        ("exit 0", "ended with exit code 0 instead of replying"),
        ("exit 3", "ended with exit code 3 instead of replying"),
        ("exec >&-; sleep 5", "closed its standard output instead of replying"),
    ] {
        let bench = Bench::new();
        // Both replies in one write: the second must be there with the first.
        let body = body.replace(
            "reply 2 accept; reply 2 accept",
            "x=$(reply 2 accept; reply 2 accept); printf '%s\\n' \"$x\"",
        );
        assert_eq!(second(&bench, &body).outcome, broke(what), "{body}");
    }
}

#[test]
fn crashes_hangs_and_floods_are_charged_likewise() {
    let bench = Bench::new();
    let seen = second(&bench, "echo why >&2; kill -SEGV $$");
    assert_eq!(seen.outcome, Outcome::Crashed { by: "SIGSEGV".to_owned() });
    assert_eq!(seen.stderr, b"why\n");

    let bench = Bench::timeout(400);
    let started = Instant::now();
    let seen = second(&bench, "printf unfinished; sleep 60");
    assert_eq!(seen.outcome, timed_out(400));
    assert_eq!(seen.stdout, b"unfinished");
    assert!(started.elapsed() < Duration::from_secs(4));

    let bench = Bench::timeout(400);
    let seen = second(&bench, "while :; do echo; echo '  '; done");
    assert_eq!(seen.outcome, timed_out(400), "blank lines are none, however many");

    let bench = Bench::new();
    let seen = second(&bench, "while :; do printf 0123456789012345678901234567890123456789; done");
    let Outcome::Flooded { stream: Stream::Stdout, limit } = seen.outcome else { panic!() };
    assert!(seen.stdout.len() as u64 <= limit);
}

#[test]
fn standard_error_is_drained_and_its_end_is_kept() {
    let bench = Bench::new();
    let program = bench.script(&format!(
        "{PRELUDE}\nhello; while :; do ask; head -c 3000000 /dev/zero >&2; echo end >&2; reply $n accept; done"
    ));
    let driver = SessionDriver::new(config(&bench, &program), &bench.interrupt).unwrap();
    for seen in run_all(&driver, 3).unwrap() {
        assert_eq!(seen.outcome, accepted());
        assert!(seen.stderr.len() <= 64 * 1024 && seen.stderr.ends_with(b"end\n"));
    }
}

#[test]
fn several_cases_are_on_their_way_and_a_crash_costs_one() {
    let bench = Bench::new();
    // Answers nothing until four cases have come.
    let program = bench.script(&format!(
        "{PRELUDE}\nhello\nwhile :; do ask; ask; ask; ask; for i in 3 2 1 0; do \
         [ $((n - i)) = 6 ] && [ ! -e \"$0.died\" ] && {{ : > \"$0.died\"; kill -ABRT $$; }}
         reply $((n - i)) accept; done; done"
    ));
    let mut config = config(&bench, &program);
    config.in_flight = NonZeroUsize::new(4);
    let driver = SessionDriver::new(config, &bench.interrupt).unwrap();
    assert!(driver.batch() > 4);
    // 5 replies, one crash, and two times four for the second process.
    let seen = run_all(&driver, 14).unwrap();
    for (index, one) in seen.iter().enumerate() {
        let crashed = Outcome::Crashed { by: "SIGABRT".to_owned() };
        assert_eq!(one.outcome, if index == 5 { crashed } else { accepted() }, "{index}");
    }
    drop(driver);
    bench.assert_clean();
}

#[test]
fn replies_keep_the_order() {
    let bench = Bench::new();
    let program = bench.script(&format!(
        "{PRELUDE}\nhello\nask; ask; reply 2 accept; reply 1 accept; while :; do ask; reply $n accept; done"
    ));
    let mut config = config(&bench, &program);
    config.in_flight = NonZeroUsize::new(2);
    config.restarts = 1;
    let driver = SessionDriver::new(config, &bench.interrupt).unwrap();
    let mut connection = driver.connect(0).unwrap();
    let error = ask(&mut *connection, 4, &one_manifest()).err().unwrap();
    let told = error.to_string();
    assert!(
        told.contains("replied to case 2 before case 1: replies must keep the order"),
        "{told}"
    );
}

#[test]
fn a_case_waits_for_those_before_it_without_losing_its_time() {
    let bench = Bench::timeout(1500);
    let program = bench
        .script(&format!("{PRELUDE}\nhello; while :; do ask; sleep 0.4; reply $n accept; done"));
    let mut config = config(&bench, &program);
    config.in_flight = NonZeroUsize::new(8);
    let driver = SessionDriver::new(config, &bench.interrupt).unwrap();
    for seen in run_all(&driver, 6).unwrap() {
        assert_eq!(seen.outcome, accepted());
        assert!(seen.duration < Duration::from_millis(1500), "{:?}", seen.duration);
    }
}

#[test]
fn after_ten_restarts_the_story_is_told() {
    let bench = Bench::new();
    let program = bench.script(&format!("{PRELUDE}\nhello; ask; exit 4"));
    let driver = SessionDriver::new(config(&bench, &program), &bench.interrupt).unwrap();
    let mut connection = driver.connect(0).unwrap();
    let seen = ask(&mut *connection, 11, &one_manifest()).unwrap();
    assert!(seen.iter().all(|seen| matches!(seen.outcome, Outcome::BrokeProtocol { .. })));
    let error = ask(&mut *connection, 1, &one_manifest()).err().unwrap();
    let DriverError::NotStarted(error) = error else { panic!("{error}") };
    let StartError::GaveUp { restarts: 10, story, .. } = &error else { panic!("{error}") };
    assert_eq!(story.len(), 11);
    assert_eq!(story[10], "manifest/test::lenient: ended with exit code 4 instead of replying");
    assert!(error.to_string().lines().count() == 12, "{error}");
    drop(connection);
    drop(driver);
    bench.assert_clean();
}

#[test]
fn a_process_that_takes_up_no_session_is_told_of_at_once() {
    for (body, cause, stderr) in [
        (
            "echo usage: x >&2; exit 2",
            "ended with exit code 2 before it answered hello",
            "usage: x",
        ),
        ("echo ready; cat", "wrote a line on standard output that is not JSON: \"ready\"", ""),
        (
            "echo '{\"type\":\"hello\",\"session\":2}'; cat",
            "speaks version 2 of the session's messages, not 1",
            "",
        ),
        (
            "echo '{\"type\":\"hello\",\"session\":1}'; cat",
            "answered hello wrongly: the key \"name\" is missing",
            "",
        ),
        ("sleep 60", "did not answer hello within 300ms", ""),
        ("kill -KILL $$", "was ended by SIGKILL before it answered hello", ""),
    ] {
        let bench = Bench::new();
        let mut config = config(&bench, &bench.script(body));
        config.start_timeout = Duration::from_millis(300);
        if !body.contains("sleep") {
            config.start_timeout = Duration::from_secs(20);
        }
        let driver = SessionDriver::new(config, &bench.interrupt).unwrap();
        let error = driver.connect(0).err().unwrap();
        let StartError::NoSession { cause: told, stderr: said, .. } = &error else {
            panic!("{body}: {error}")
        };
        assert_eq!((told.as_str(), said.as_str()), (cause, stderr), "{body}");
        assert!(error.to_string().contains(stderr), "{error}");
        assert_eq!(driver.version(), None);
        drop(driver);
        bench.assert_clean();
    }
}

#[test]
fn what_it_does_not_have_is_not_asked() {
    let bench = Bench::new();
    let program = bench.script(&format!(
        "{PRELUDE}\nread -r line; echo '{{\"type\":\"hello\",\"session\":1,\"name\":\"t\",\"operations\":[\"match\"]}}'; ask; exit 1"
    ));
    let driver = SessionDriver::new(config(&bench, &program), &bench.interrupt).unwrap();
    for seen in run_all(&driver, 3).unwrap() {
        let Outcome::Unsupported { reason } = seen.outcome else { panic!("{:?}", seen.outcome) };
        assert_eq!(reason, "its hello does not list \"lenient\"");
    }

    let bench = Bench::new();
    let program = bench.script(&format!(
        "{PRELUDE}\nhello; ask; echo '{{\"type\":\"reply\",\"id\":1,\"unsupported\":\"not yet\"}}'; ask; reply 2 accept"
    ));
    let driver = SessionDriver::new(config(&bench, &program), &bench.interrupt).unwrap();
    let seen = run_all(&driver, 2).unwrap();
    assert_eq!(seen[0].outcome, Outcome::Unsupported { reason: "not yet".to_owned() });
    assert_eq!(seen[1].outcome, accepted());
}

#[test]
fn a_document_that_is_changed_costs_the_case_and_no_other() {
    let bench = Bench::new();
    let program = bench.script(&format!(
        "{PRELUDE}\nhello; while :; do ask; path=${{line#*\\\"path\\\":\\\"}}; path=${{path%%\\\"*}}\n\
         cat \"$path\" > /dev/null || exit 5; [ $n = 2 ] && {{ rm -f \"$path\"; echo x > \"$path\"; }}; reply $n accept; done"
    ));
    let driver = SessionDriver::new(config(&bench, &program), &bench.interrupt).unwrap();
    let seen = run_all(&driver, 3).unwrap();
    assert_eq!(seen[0].outcome, accepted());
    assert!(matches!(seen[1].outcome, Outcome::Tampered { .. }), "{:?}", seen[1].outcome);
    assert_eq!(seen[2].outcome, accepted());
    drop(driver);
    bench.assert_clean();
}

#[test]
fn a_document_that_is_removed_after_the_reply_is_no_matter_of_the_next_case() {
    let bench = Bench::new();
    let program = bench.script(&format!(
        "{PRELUDE}\nhello; while :; do ask; path=${{line#*\\\"path\\\":\\\"}}; path=${{path%%\\\"*}}\n\
         cat \"$path\" > /dev/null || exit 5; reply $n accept; [ $n = 1 ] && {{ sleep 0.1; rm -f \"$path\"; }}; done"
    ));
    let driver = SessionDriver::new(config(&bench, &program), &bench.interrupt).unwrap();
    let mut connection = driver.connect(0).unwrap();
    for _ in 0..2 {
        let seen = ask(&mut *connection, 1, &one_manifest()).unwrap();
        assert_eq!(seen[0].outcome, accepted());
        thread::sleep(Duration::from_millis(400));
    }
}

#[test]
fn nobody_outlives_the_session() {
    let bench = Bench::new();
    let program = bench.script(&format!(
        "{PRELUDE}\nsleep 60 & setsid sleep 61 &\nhello; trap '' TERM; while :; do read -r line && case $line in *case*) n=$((n+1)); reply $n accept;; esac; done"
    ));
    let driver = SessionDriver::new(config(&bench, &program), &bench.interrupt).unwrap();
    let started = Instant::now();
    assert_eq!(run_all(&driver, 1).unwrap()[0].outcome, accepted());
    assert!(started.elapsed() < Duration::from_secs(3), "it ignores bye, and is not waited for");
    drop(driver);
    bench.assert_clean();
}

#[test]
fn an_interruption_ends_the_case_under_way() {
    let bench = Bench::new();
    let program = bench.script(&format!("{PRELUDE}\nhello; ask; sleep 60"));
    let driver = SessionDriver::new(config(&bench, &program), &bench.interrupt).unwrap();
    let mut connection = driver.connect(0).unwrap();
    let interrupt = bench.interrupt.clone();
    let started = Instant::now();
    let raiser = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        interrupt.raise(2);
    });
    let error = ask(&mut *connection, 2, &one_manifest()).err().unwrap();
    assert!(matches!(error, DriverError::Interrupted));
    raiser.join().unwrap();
    drop(connection);
    drop(driver);
    assert!(started.elapsed() < Duration::from_secs(2));
    bench.assert_clean();
}

#[test]
fn documents_larger_than_a_pipe_go_both_ways() {
    let bench = Bench::new();
    // Writes more than a pipe holds before it reads the end of its line.
    let program = bench.script(&format!(
        "{PRELUDE}\nhello; while :; do ask; printf '{{\"type\":\"reply\",\"id\":%s,\"verdict\":\"accept\",\"x\":\"' $n; head -c 300000 /dev/zero | tr '\\0' x; echo '\"}}'; done"
    ));
    let driver = SessionDriver::new(config(&bench, &program), &bench.interrupt).unwrap();
    let mut connection = driver.connect(0).unwrap();
    let text = "x".repeat(200_000);
    let large = fixture(&[("manifest", "manifest.yaml", &text)]);
    for seen in ask(&mut *connection, 2, &large).unwrap() {
        assert_eq!(seen.outcome, accepted());
        assert!(seen.stdout.len() > 300_000);
    }
}
