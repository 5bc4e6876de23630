//! The main job from outside: good, lying and hostile implementations.
#![cfg(unix)]

mod cli_support;

use std::fs;
use std::time::{Duration, Instant};

use cli_support::{FEW, Place, Ran, program};

/// The cases of [`FEW`], and what comes of them if all are accepted.
const ALWAYS_ACCEPTS: [&str; 10] = [
    "manifest/project_id/63-characters::lenient pass",
    "manifest/project_id/63-characters::strict pass",
    "manifest/project_id/64-characters::lenient fail SHOULD",
    "manifest/project_id/64-characters::strict fail MUST",
    "manifest/project_id/boolean::lenient fail MUST",
    "manifest/project_id/boolean::strict fail MUST",
    "manifest/unknown-field/key-blanks-and-accents::lenient fail MUST",
    "manifest/unknown-field/key-blanks-and-accents::strict fail MUST",
    "runtime/isolation-not-listed::match fail MUST",
    "runtime/match-capabilities-equal::match pass",
];

/// The same if all are rejected, without a word.
const ALWAYS_REJECTS: [&str; 10] = [
    "manifest/project_id/63-characters::lenient fail MUST",
    "manifest/project_id/63-characters::strict fail MUST",
    "manifest/project_id/64-characters::lenient fail MUST",
    "manifest/project_id/64-characters::strict fail SHOULD",
    "manifest/project_id/boolean::lenient fail SHOULD",
    "manifest/project_id/boolean::strict fail SHOULD",
    "manifest/unknown-field/key-blanks-and-accents::lenient fail MUST",
    "manifest/unknown-field/key-blanks-and-accents::strict fail MUST",
    "runtime/isolation-not-listed::match fail SHOULD",
    "runtime/match-capabilities-equal::match fail MUST",
];

/// Runs a shell script over a few cases.
struct Little {
    place: Place,
    ran: Ran,
}

impl Little {
    fn new(body: &str) -> Self {
        Self::with(body, &[])
    }

    fn with(body: &str, options: &[&str]) -> Self {
        let place = Place::new();
        let few = place.fixtures(FEW);
        place.script("impl", body);
        let args = ["--impl", "./impl", "--fixtures", few, "--report", "json=report.json"];
        let ran = place.run(&[&args[..], options].concat());
        Self { place, ran }
    }

    #[track_caller]
    fn verdicts(self, expected: &[&str]) -> Self {
        assert_eq!(self.place.report("report.json").verdicts(), expected, "{}", self.ran);
        self
    }

    /// No case has a decision.
    #[track_caller]
    fn all_in_error(self) -> Self {
        let ids = ALWAYS_ACCEPTS.iter().filter_map(|line| line.split(' ').next());
        let expected: Vec<String> = ids.map(|id| format!("{id} error MUST")).collect();
        self.verdicts(&expected.iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[track_caller]
    fn fails(self, says: &[&str]) -> Self {
        let Self { place, ran } = self;
        let ran = ran.exits(1).quietly().says(says).never_says("conforms to");
        Self { place, ran }
    }
}

#[test]
fn the_reference_is_green() {
    let ran = Place::new().run(&["--reference"]).exits(0).quietly();
    let ran = ran.says(&[
        "the built-in reference: ",
        " cases at Living Repositories Protocol v0.4\n",
        "\nfixtures cover ",
        " rules; ",
        " 0 uncovered\n",
        "\nran: ",
    ]);
    let verdicts: Vec<&str> =
        ran.stdout.lines().filter(|line| line.contains(": conforms to Living")).collect();
    let classes: Vec<&str> =
        verdicts.iter().filter_map(|line| line.split_once(':')).map(|it| it.0).collect();
    assert_eq!(classes, ["matcher", "validator-lenient", "validator-strict"], "{ran}");
}

#[test]
fn the_program_passes_its_own_test_from_outside() {
    let place = Place::new();
    let path = program();
    let ran = place.run(&["--impl", path.to_str().unwrap(), "--report", "json=report.json"]);
    let ran = ran.exits(0).quietly().never_says("not shown");
    assert_eq!(ran.stdout.matches(": conforms to ").count(), 3, "{ran}");
    let report = place.report("report.json").0;
    assert_eq!(report["header"]["implementation"]["driver"], "exec");
    assert_eq!(report["summary"]["total"]["failed-should"], 0);
    let version = format!("living-conformance {}", env!("CARGO_PKG_VERSION"));
    assert_eq!(report["summary"]["implementation-version"], version);
}

#[test]
fn the_environment_may_name_the_implementation() {
    let place = Place::new();
    let few = place.fixtures(FEW);
    place.script("impl", "exit 0");
    let named = |name: &str, args: &[&str]| {
        let args = [&["--fixtures", few, "-q"], args].concat();
        place.run_with(args, |command| command.env("LIVING_CONFORMANCE_IMPL", name))
    };
    named("./impl", &[]).exits(1).says(&["matcher: does not conform"]);
    // What the command line says comes first.
    named("./impl", &["--reference"]).exits(0);
    named("./nothing", &["--impl", "./impl"]).exits(1);
    named("", &[]).exits(2).complains(&["no implementation is given", "--impl", "--reference"]);
}

#[test]
fn one_that_always_accepts() {
    let little = Little::new("exit 0").verdicts(&ALWAYS_ACCEPTS);
    let little = little.fails(&[
        "6 cases fail a MUST",
        "manifest.project_id.type (MUST): 2 cases",
        "  fail  manifest/project_id/boolean::lenient\n",
        "a word that YAML reads as a boolean",
        "expected   reject\n",
        "observed   accept\n",
        "findings   - manifest.project_id.type at /project_id\n",
        "| project_id: true\n",
        "reproduce\n",
        "1 case fails a SHOULD; that does not fail the run",
        "matcher: does not conform (1 MUST case failed)\n",
        "validator-lenient: does not conform (2 MUST cases failed)\n",
        "validator-strict: does not conform (3 MUST cases failed)\n",
    ]);
    assert_eq!(little.ran.reproducing().len(), 7, "{}", little.ran);
}

#[test]
fn one_that_always_rejects() {
    Little::new("exit 1").verdicts(&ALWAYS_REJECTS).fails(&[
        "6 cases fail a MUST",
        "rejected what is to be accepted\n",
        "expected   accept\n",
        "observed   reject\n",
        "nothing was printed to standard output\n",
        "4 cases fail a SHOULD",
    ]);
}

#[test]
fn one_that_decides_well_and_prints_nothing() {
    let silent = format!("exec '{}' \"$@\" > /dev/null", program().display());
    let mut expected = ALWAYS_ACCEPTS.map(|line| match line.rsplit_once(' ') {
        // Unknown fields have to be reported; of other findings that is only desired.
        Some((rest, "MUST")) if !line.contains("unknown") => format!("{rest} SHOULD"),
        _ => line.to_owned(),
    });
    expected.sort();
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    Little::new(&silent).verdicts(&expected).fails(&[
        "2 cases fail a MUST",
        "does not report manifest.unknown-field.top-level at \"/équipe de l’agent:",
        "verdict    accept, as expected",
        "5 cases fail a SHOULD; that does not fail the run",
        "matcher: not shown: ",
    ]);
}

#[test]
fn one_that_says_no_and_exits_with_yes() {
    let lie = "echo 'error: manifest.project_id.type: this is rejected'; exit 0";
    let expected = ALWAYS_ACCEPTS.map(|line| match line.strip_suffix("pass") {
        Some(case) => format!("{case}fail SHOULD"),
        // This one is what it says.
        None => line.to_owned(),
    });
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    Little::new(lie).verdicts(&expected).fails(&[
        "manifest/project_id/boolean::lenient",
        "expected   reject\n",
        "observed   accept\n",
        "stdout     | error: manifest.project_id.type: this is rejected\n",
    ]);
}

#[test]
fn one_that_decides_nothing_is_never_taken_to_reject() {
    for (body, cause) in [
        ("exit 3", "ended with exit code 3, which is neither 0 nor 1"),
        ("exit 255", "ended with exit code 255"),
        ("kill -SEGV $$", "was ended by SIGSEGV"),
        ("kill -KILL $$", "was ended by SIGKILL"),
        ("exec yes flood", "wrote more than 1 MiB to standard output"),
        ("exec yes flood >&2", "wrote more than 1 MiB to standard error"),
    ] {
        let little = Little::new(body).all_in_error();
        little.fails(&[
            "  no decision: ",
            " cases\n",
            cause,
            "observed   no decision",
            "reproduce",
        ]);
    }
}

#[test]
fn one_that_hangs_is_ended_in_time() {
    let started = Instant::now();
    let body = "sleep 3061 & sleep 3062";
    Little::with(body, &["--timeout", "300ms"])
        .all_in_error()
        .fails(&["had not ended after 300 ms"]);
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!(processes("306"), Vec::<String>::new());
}

#[test]
fn one_whose_child_keeps_the_pipe_does_not_hold_the_run_up() {
    let started = Instant::now();
    Little::new("sleep 3073 & exit 0").verdicts(&ALWAYS_ACCEPTS).fails(&[]);
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!(processes("307"), Vec::<String>::new());
}

/// The processes `sleep N…` that are running.
fn processes(seconds: &str) -> Vec<String> {
    let start = format!("sleep\0{seconds}");
    let find = || {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let lines =
            entries.filter_map(|entry| fs::read_to_string(entry.path().join("cmdline")).ok());
        lines.filter(|line| line.starts_with(&start)).collect::<Vec<_>>()
    };
    // A killed process takes a moment to go.
    for _ in 0..100 {
        if find().is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    find()
}

#[test]
fn one_that_changes_the_fixtures_is_found_out_and_harms_nothing() {
    let body =
        "for file; do :; done; chmod u+w \"$file\"; echo 'project_id: mine' > \"$file\"; exit 0";
    let little = Little::new(body).all_in_error().fails(&["changed its input: \"manifest.yaml\""]);
    for id in FEW {
        let read = |folder: &std::path::Path| fs::read(folder.join("manifest.yaml")).ok();
        let (here, there) = (little.place.path().join("few").join(id), cli_support::root());
        assert_eq!(read(&here), read(&there.join("fixtures").join(id)), "{id}");
    }
}

#[test]
fn what_one_prints_has_no_effect() {
    let body = r"printf '\033[2J\033]0;owned\007\r\nmatcher: conforms to everything\n::error::no\n'
        printf '</script>\000\377\302\233 \342\200\256 ##[group]x\nall 9999 0 0 0 0\r' >&2; exit 0";
    for color in ["never", "always"] {
        let little = Little::with(body, &["--color", color]).verdicts(&ALWAYS_ACCEPTS);
        let plain = without_colours(&little.ran.stdout);
        assert!(!plain.contains(|c: char| c.is_control() && c != '\n'), "{plain:?}");
        assert!(!plain.contains('\u{202e}') && !plain.contains("##["), "{plain:?}");
        assert!(plain.contains(r"stdout     | \x1b[2J\x1b]0;owned\x07"), "{plain}");
        assert!(plain.contains(r"stderr     | </script>\x00"), "{plain}");
        for line in plain.lines() {
            assert!(!line.trim_start().starts_with("::"), "{line}");
            assert!(!line.starts_with("matcher: conforms"), "{line}");
            assert!(!line.starts_with("all 9999"), "{line}");
        }
    }
}

/// Takes the colours away that the program itself uses, and nothing else.
fn without_colours(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        let end = after.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(after.len());
        assert_eq!(&after[end..=end], "m", "{after:.20?}");
        rest = &after[end + 1..];
    }
    plain + rest
}

#[test]
fn each_failure_gives_a_command_that_reproduces_it() {
    let place = Place::new();
    let few = place.fixtures(FEW);
    let script = place.script("it's my tool.sh", "[ \"$1\" = '$HOME `x` \"' ] || exit 9\nexit 0");
    let folder = place.path().join(few);
    let args = ["--impl", "sh", "--fixtures", folder.to_str().unwrap(), "--protocol", "v0.4"];
    let own = ["--", script.to_str().unwrap(), "$HOME `x` \""];
    let ran = place.run(&[&args[..], &own[..]].concat()).exits(1);
    let commands = ran.reproducing();
    assert_eq!(commands.len(), 7, "{ran}");
    for command in commands {
        let again = place.shell(&command);
        let heading = again.stdout.lines().find(|line| line.starts_with("  fail  "));
        assert!(heading.is_some_and(|heading| ran.stdout.contains(heading)), "{command}{again}");
        assert!(again.stdout.contains(": 1 case at Living "), "{command}{again}");
        let id = heading.and_then(|heading| heading.split_whitespace().last()).unwrap();
        assert!(command.contains(id), "{command}{again}");
    }
}

#[test]
fn a_command_to_reproduce_keeps_what_the_failure_depends_on() {
    let place = Place::new();
    let few = place.fixtures(FEW);
    place.script("slow", "sleep 3000");
    let ran = place.run(&["--impl", "./slow", "--fixtures", few, "--timeout", "200ms", "boolean"]);
    for command in ran.exits(1).reproducing() {
        place.shell(&command).exits(1).says(&["had not ended after 200 ms"]);
    }
    place.script("words", "echo '{\"rule\": \"manifest.project_id.type\"}'; exit 1");
    let free =
        ["--findings", "text", "--enforce", "should", "boolean", "--class", "validator-strict"];
    let ran = place.run(&[&["--impl", "./words", "--fixtures", few], &free[..]].concat());
    // As free text the line has the rule's name, as one more reason not to guess.
    ran.exits(0);
    let tagged = ["--findings", "tagged", "--enforce", "should", "boolean::strict"];
    let ran =
        place.run(&[&["--impl", "./words", "--fixtures", few], &tagged[..]].concat()).exits(1);
    let commands = ran.reproducing();
    assert_eq!(commands.len(), 1, "{ran}");
    place.shell(&commands[0]).exits(1).says(&["does not report manifest.project_id.type"]);
}

#[test]
fn each_exit_code_has_its_meaning() {
    let place = Place::new();
    let few = place.fixtures(FEW);
    let run = |args: &[&str]| place.run(&[&["--fixtures", few], args].concat());
    place.script("no", "exit 1");
    run(&["--reference"]).exits(0);
    run(&["--impl", "./no"]).exits(1);
    run(&["--reference", "--class", "nobody"]).exits(2).complains(&["no class \"nobody\""]);
    run(&["--impl", "./nothing"]).exits(3).complains(&["there is no such file", "help: "]);
    run(&["--reference", "nobody"]).exits(4).complains(&["no case was selected", "help: "]);
    place.script("adapter.sh", "exit 1");
    run(&["--impl", "sh", "adapter.sh"]).exits(4).complains(&["\"adapter.sh\"", "after --"]);
    let help = place.run(&["help", "exit-codes"]).exits(0).quietly();
    for line in ["  0  ", "  1  ", "  2  ", "  3  ", "  4  "] {
        assert!(help.stdout.contains(line), "{help}");
    }
}

#[test]
fn one_that_cannot_be_started_is_said_once_with_the_reason() {
    let place = Place::new();
    let few = place.fixtures(FEW);
    place.write("plain", "exit 0\n");
    place.script("no-shebang", "");
    fs::write(place.path().join("no-shebang"), "exit 0\n").unwrap();
    place.script("interpreter", "");
    fs::write(place.path().join("interpreter"), "#!/nowhere/sh\n").unwrap();
    for (name, reason) in [
        ("./none", "there is no such file"),
        ("no-such-program-in-path", "no folder in PATH has a program of that name"),
        ("./few", "it is a directory"),
        ("./plain", "it may not be executed"),
        ("./no-shebang", "neither a program nor a script that begins with #!"),
        ("./interpreter", "the interpreter \"/nowhere/sh\" it asks for is not there"),
    ] {
        let ran = place.run(&["--impl", name, "--fixtures", few]).exits(3);
        assert_eq!(ran.stderr.matches("error: ").count(), 1, "{ran}");
        assert!(ran.unwrapped().contains(reason), "{ran}");
        assert!(ran.stderr.contains("\n  help: "), "{ran}");
        // Some of it is only known when the first case is to start.
        assert!(ran.stdout.lines().count() <= 1, "{ran}");
    }
}
