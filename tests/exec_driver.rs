//! The exec driver: what programs get, what they answer, what they do to files.

#![cfg(unix)]

mod exec_support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use exec_support::{Bench, TEXT, accepted, fixture, one_manifest, run, try_run};
use living_conformance::core::{Outcome, RuleTable};
use living_conformance::driver::{
    Driver, DriverError, ExecDriver, Request, StartError, read_profile,
};

#[test]
fn exit_codes_decide() {
    for (code, outcome) in [
        (0, accepted()),
        (1, Outcome::Decided { accepted: false }),
        (2, Outcome::WrongExit { code: 2 }),
        (139, Outcome::WrongExit { code: 139 }),
        (255, Outcome::WrongExit { code: 255 }),
    ] {
        let bench = Bench::new();
        let ran = bench.run(&bench.script(&format!("exit {code}")));
        assert_eq!(*ran.outcome(), outcome, "{code}");
    }
}

#[test]
fn only_the_low_byte_of_an_exit_code_arrives() {
    let bench = Bench::new();
    assert_eq!(*bench.run(&bench.c_program("return 256;")).outcome(), accepted());
}

#[test]
fn a_signal_is_named() {
    for (name, signal) in [("SIGSEGV", "SEGV"), ("SIGABRT", "ABRT"), ("SIGKILL", "KILL")] {
        let bench = Bench::new();
        let ran = bench.run(&bench.script(&format!("echo before; kill -{signal} $$")));
        assert_eq!(*ran.outcome(), Outcome::Crashed { by: name.to_owned() });
        assert_eq!(ran.stdout(), "before\n");
    }
    let bench = Bench::new();
    let ran = bench.run(&bench.c_program("raise(SIGRTMIN + 3); return 0;"));
    assert_eq!(*ran.outcome(), Outcome::Crashed { by: "signal 37".to_owned() });
}

#[test]
fn it_sees_the_documents_and_both_streams_are_kept_apart() {
    let bench = Bench::new();
    let ran = bench.run(&bench.script("cat \"$1\"; echo \"$#\"; echo warned >&2; exit 1"));
    assert_eq!(ran.stdout(), format!("{TEXT}1\n"));
    assert_eq!(ran.seen.stderr, b"warned\n");
    assert_eq!(ran.seen.findings, None);
}

#[test]
fn bytes_arrive_as_they_are() {
    let bench = Bench::new();
    let ran = bench.run(&bench.script(r"printf '\000\377\033[31m::error::\r\n'"));
    assert_eq!(ran.seen.stdout, b"\0\xff\x1b[31m::error::\r\n");
}

#[test]
fn arguments_are_filled_in_with_absolute_paths() {
    let bench = Bench::new();
    let program = bench.script(r#"printf '%s|' "$@"; cat "${2#--a=}" "$3""#);
    let mut config = bench.config(&program);
    config.args = vec!["given first".into()];
    let driver = ExecDriver::new(config, &bench.interrupt).unwrap();
    let mut connection = driver.connect(0).unwrap();
    let pair =
        fixture(&[("manifest", "m/x y.yaml", "one\n"), ("runtime", "runtime.json", "two\n")]);
    let argv = ["--a={manifest}", "{runtime}", "{\"k\": 1}", "{}", "{manifest"];
    let ran = try_run(&mut *connection, &pair, &argv).unwrap();
    let shown = ran.stdout();
    let parts: Vec<_> = shown.split('|').collect();
    assert_eq!(parts[0], "given first");
    assert!(parts[1].starts_with("--a=/") && parts[1].ends_with("/in/m/x y.yaml"), "{shown}");
    assert!(parts[2].starts_with('/') && parts[2].ends_with("/in/runtime.json"), "{shown}");
    assert_eq!(parts[3..], ["{\"k\": 1}", "{}", "{manifest", "one\ntwo\n"]);

    let error = try_run(&mut *connection, &pair, &["{schema}"]).err().unwrap();
    assert!(matches!(
        error,
        DriverError::NotStarted(StartError::NoDocument { argument, name })
            if argument == "{schema}" && name == "schema"
    ));
}

#[test]
fn a_profile_says_how_to_ask_and_what_the_answers_mean() {
    let bench = Bench::new();
    let program = bench.script(
        r#"printf '%s|' "$@" >&2; case $1 in pre) shift;; esac
        [ -f "$2" ] && [ -f "$3/runtime.schema.json" ] && echo "x: $COLOR: broken $PWD"; exit 7"#,
    );
    let text = r#"
profile: p
about: a tool
arguments: [pre]
environment: {COLOR: "red {schemas}"}
directory: "{dir}"
operations:
  lenient: {argv: [check, "{manifest}", "{schemas}"]}
  strict: {shell: '"$@" check {manifest} {schemas} | sed s/^/y/; exit 3'}
  match: {unsupported: it has none}
exits: {accept: [3], reject: others, broke: [9]}
findings:
  lines: [{match: "^(?<rule>y?x): red .*: (?<message>.*)$"}]
"#;
    let path = bench.file("p.yaml", text, 0o644);
    let mut config = bench.config(&program);
    config.profile = Arc::new(read_profile(&path, &[], &RuleTable::default()).unwrap());
    let missing = ExecDriver::new(config.clone(), &bench.interrupt).err().unwrap();
    assert!(matches!(missing, StartError::NoFolder { argument } if argument == "{dir}"));

    config.directory = Some(bench.path(""));
    let driver = ExecDriver::new(config, &bench.interrupt).unwrap();
    let mut connection = driver.connect(0).unwrap();
    let mut ask = |operation: &str| {
        let (fixture, spec) = (one_manifest(), exec_support::operation(&["{manifest}"]));
        let protocol = living_conformance::core::Protocol::new(0, 4);
        let request =
            Request { fixture: &fixture, variant: None, operation, spec: &spec, protocol };
        connection.run(&request).unwrap()
    };
    let here = fs::canonicalize(bench.path("")).unwrap().display().to_string();
    for (operation, accepted, rule) in [("lenient", false, "x"), ("strict", true, "yx")] {
        let seen = ask(operation);
        assert_eq!(seen.outcome, Outcome::Decided { accepted }, "{seen:?}");
        let findings = seen.findings.unwrap();
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].rule, rule);
        assert_eq!(findings[0].message, Some(format!("broken {here}")));
        assert!(seen.stderr.starts_with(b"pre|check|/"));
    }
    let unsupported = Outcome::Unsupported { reason: "it has none".to_owned() };
    assert_eq!(ask("match").outcome, unsupported);
    let Outcome::Unsupported { reason } = ask("other").outcome else { panic!() };
    assert!(reason.contains("\"p\""), "{reason}");
    drop(connection);
    drop(driver);
    bench.assert_clean();
}

#[test]
fn surroundings_are_private() {
    let bench = Bench::new();
    let ran = bench.run(&bench.script(
        "ls -A; pwd; cat; test -t 0 && echo tty; [ \"$PWD\" = \"$TMPDIR\" ] && echo same; env",
    ));
    let shown = ran.stdout();
    let mut lines = shown.lines();
    let pwd = lines.next().unwrap();
    assert!(pwd.starts_with(bench.path("tmp").to_str().unwrap()), "{shown}");
    assert_eq!(lines.next(), Some("same"));
    let known = ["PATH=", "HOME=", "USER=", "LANG=", "TZ=", "LC_", "TMPDIR=", "TEST_MARK="];
    let own = ["LIVING_CONFORMANCE_RUN=", "PWD=", "OLDPWD=", "SHLVL=", "_="];
    for line in lines {
        assert!(known.iter().chain(&own).any(|name| line.starts_with(name)), "{line}");
    }
}

#[test]
fn what_is_left_in_the_working_directory_is_gone_at_the_next_case() {
    let bench = Bench::new();
    let program = bench.script(
        "ls -A; mkdir -p a/b/c; echo x > a/b/c/d; ln -s / link; chmod 0 a/b/c a/b a; exit 0",
    );
    let driver = bench.driver(&program).unwrap();
    let mut connection = driver.connect(0).unwrap();
    for _ in 0..3 {
        let ran = run(&mut *connection, &one_manifest());
        assert_eq!((ran.stdout().as_str(), ran.outcome()), ("", &accepted()));
    }
    drop(connection);
    bench.assert_clean();
}

#[test]
fn a_working_directory_that_was_removed_or_replaced_is_made_anew() {
    for body in [
        "rmdir \"$PWD\"",
        "cd ..; rmdir work; ln -s / work",
        "cd ..; mv work gone; echo > work",
        "chmod 0 .",
    ] {
        let bench = Bench::new();
        let driver = bench.driver(&bench.script(&format!("ls -A; {body}"))).unwrap();
        let mut connection = driver.connect(0).unwrap();
        for _ in 0..3 {
            let ran = run(&mut *connection, &one_manifest());
            assert_eq!((ran.stdout().as_str(), ran.outcome()), ("", &accepted()), "{body}");
        }
        drop(connection);
        bench.assert_clean();
    }
}

#[test]
fn a_deep_tree_is_removed() {
    let bench = Bench::new();
    // Deeper than a path may be long.
    let program = bench.c_program(
        "for (int i = 0; i < 2100; i++) { if (mkdir(\"d\", 0700) || chdir(\"d\")) return 2; } return 0;",
    );
    assert_eq!(*bench.run(&program).outcome(), accepted());
}

#[test]
fn changed_documents_are_told_and_made_anew() {
    for (body, what) in [
        ("chmod u+w \"$1\"; echo more >> \"$1\"; chmod 444 \"$1\"", "written to"),
        ("chmod 600 \"$1\"", "mode changed from 0444 to 0600"),
        (
            "chmod 644 \"$1\"; printf x | dd of=\"$1\" conv=notrunc 2>&-; chmod 444 \"$1\"",
            "written to",
        ),
        ("rm -f \"$1\"", "removed"),
        ("mv \"$1\" \"$1.old\"", "removed or renamed"),
        ("ln \"$1\" \"$1.other\"", "second name"),
        ("rm -f \"$1\"; ln -s /etc/passwd \"$1\"", "replaced by a link"),
        ("cp \"$1\" new; rm -f \"$1\"; mv new \"$1\"; chmod 444 \"$1\"", "replaced"),
        ("touch -d 2001-01-01 \"$1\"", "time set"),
        ("echo > \"${1%/*}/extra\"", "\"extra\" was added"),
        ("echo > \"${1%/*}/../extra\"", "\"extra\" was added"),
        ("mkdir \"${1%/*}/extra\"", "\"extra\" was added"),
        ("rm -rf \"${1%/*}\"", "removed"),
        ("rm -rf \"${1%/*/*}\"; echo > \"${1%/*/*}\"", "removed"),
        ("chmod 755 \"${1%/*}\"", "mode changed"),
        ("cd ..; rm -rf in work", "removed"),
        ("rm -rf \"${1%/*/*/*}\"", "removed"),
    ] {
        let bench = Bench::new();
        // The second case only reads.
        let mark = bench.path("was-here");
        let mark = mark.display();
        let program = bench
            .script(&format!("cat \"$1\"; [ -e {mark} ] && exit 0; : > {mark}; {body}; exit 0"));
        let driver = bench.driver(&program).unwrap();
        let mut connection = driver.connect(0).unwrap();
        let fixture = one_manifest();
        let ran = run(&mut *connection, &fixture);
        match ran.outcome() {
            Outcome::Tampered { what: told } => assert!(told.contains(what), "{body}: {told}"),
            other => panic!("{body}: {other:?}"),
        }
        let ran = run(&mut *connection, &fixture);
        assert_eq!((ran.stdout().as_str(), ran.outcome()), (TEXT, &accepted()), "{body}");
        drop(connection);
        drop(driver);
        bench.assert_clean();
    }
}

#[test]
fn a_change_in_the_same_clock_tick_is_seen() {
    let bench = Bench::new();
    // Same size, and the old time stamps put back.
    let program = bench.c_program(
        "struct stat s; stat(argv[1], &s); chmod(argv[1], 0644); int f = open(argv[1], O_WRONLY); \
         pwrite(f, \"P\", 1, 0); struct timespec t[2] = { s.st_atim, s.st_mtim }; futimens(f, t); \
         fchmod(f, 0444); return 0;",
    );
    let ran = bench.run(&program);
    assert!(matches!(ran.outcome(), Outcome::Tampered { .. }), "{:?}", ran.outcome());
}

#[test]
fn a_fixture_may_follow_another_of_any_shape() {
    let bench = Bench::new();
    let driver = bench.driver(&bench.script("cat \"$1\"; ls -AR \"$1/..\" 2>&-; exit 0")).unwrap();
    let mut connection = driver.connect(0).unwrap();
    let long = "a".repeat(100_000);
    for (path, text) in [
        ("manifest.yaml", "short"),
        ("manifest.yaml", &long),
        ("manifest.yaml", "short again"),
        ("manifest.yaml", ""),
        ("manifest.yaml", "not empty"),
        (".living/manifest.yaml", "elsewhere"),
        ("a/b/c/manifest.json", "deep"),
        ("manifest.yaml", "back"),
    ] {
        let ran = run(&mut *connection, &fixture(&[("manifest", path, text)]));
        assert_eq!((ran.stdout().as_str(), ran.outcome()), (text, &accepted()), "{path}");
    }
    for path in ["../out.yaml", "/out.yaml", "a/../../out.yaml"] {
        let error = try_run(&mut *connection, &fixture(&[("manifest", path, "")]), &[]);
        assert!(
            matches!(error, Err(DriverError::NotStarted(StartError::Workspace { .. }))),
            "{path}"
        );
    }
    drop(connection);
    bench.assert_clean();
}

#[test]
fn a_program_that_takes_its_executable_bit_is_given_it_back() {
    let bench = Bench::new();
    let program = bench.script("chmod 600 \"$0\"; exit 0");
    let driver = bench.driver(&program).unwrap();
    let mut connection = driver.connect(0).unwrap();
    for _ in 0..2 {
        let ran = run(&mut *connection, &one_manifest());
        let Outcome::Tampered { what } = ran.outcome() else { panic!("{:?}", ran.outcome()) };
        assert!(what.contains("0600"), "{what}");
        assert_eq!(fs::metadata(&program).unwrap().permissions().mode() & 0o777, 0o755);
    }
}

#[test]
fn a_program_that_cannot_be_started_is_told_apart() {
    let bench = Bench::new();
    let start = |path: &std::path::Path| {
        let driver = match bench.driver(path) {
            Ok(driver) => driver,
            Err(error) => return error,
        };
        let mut connection = driver.connect(0).unwrap();
        match try_run(&mut *connection, &one_manifest(), &["{manifest}"]) {
            Err(DriverError::NotStarted(error)) => error,
            Err(other) => panic!("{other}"),
            Ok(ran) => panic!("{:?}", ran.outcome()),
        }
    };
    let plain = bench.file("plain.sh", "exit 0\n", 0o755);
    for (path, code) in [
        (bench.path("missing"), "implementation-not-found"),
        (plain.join("below"), "implementation-not-found"),
        ("no-such-program-anywhere".into(), "implementation-not-in-path"),
        (bench.path("tmp"), "implementation-not-a-file"),
        ("/dev/null".into(), "implementation-not-a-file"),
        (bench.file("unset", "#!/bin/sh\n", 0o644), "implementation-not-executable"),
        (plain, "implementation-no-shebang"),
        (bench.file("empty", "", 0o755), "implementation-no-shebang"),
        (bench.file("lost", "#!/no/such/shell -e\n", 0o755), "implementation-no-interpreter"),
        (bench.file("elf", "\u{7f}ELF\u{2}\u{1}\u{1}", 0o755), "implementation-wrong-machine"),
        (bench.file("exe", "MZ\u{1}", 0o755), "implementation-wrong-machine"),
    ] {
        let error = start(&path);
        assert_eq!(error.code(), code, "{error}");
        assert!(!error.remedy().is_empty());
    }
    assert!(start(&bench.path("lost")).to_string().contains("\"/no/such/shell\""));
    bench.assert_clean();
}

#[test]
fn a_bare_name_is_looked_up_in_the_path_it_gets() {
    let bench = Bench::new();
    bench.script("exit 1");
    let mut config = bench.config("program.sh".as_ref());
    config.environment.retain(|(name, _)| name != "PATH");
    let folders = [bench.path("tmp"), bench.path("")];
    config.environment.push(("PATH".into(), std::env::join_paths(folders).unwrap()));
    let driver = ExecDriver::new(config, &bench.interrupt).unwrap();
    assert_eq!(driver.program(), bench.path("program.sh"));
}
