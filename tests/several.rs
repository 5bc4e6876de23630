//! Several implementations in one go.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod cli_support;

use std::fs;
use std::time::{Duration, Instant};

use cli_support::{FEW, Place, Ran};

/// A place with a few fixtures, an implementation that conforms as far as these show, and
/// two that accept and reject everything.
fn place() -> Place {
    let place = Place::new();
    place.fixtures(FEW);
    place.script("good", &format!("exec '{}' \"$@\"", cli_support::program().display()));
    let no_version = "[ \"$1\" = --version ] && exit 64";
    place.script("yes", &format!("{no_version}\necho \"manifest.project_id.type: hm\""));
    place.script("v2/yes", &format!("{no_version}\nexit 1"));
    place
}

fn run(place: &Place, args: &[&str]) -> Ran {
    place.run(&[&["--fixtures", "few"], args].concat())
}

#[test]
fn each_is_run_and_the_matrix_comes_last() {
    let place = place();
    let named = ["--reference", "--impl", "./yes", "--impl", "v2/yes", "--impl", "./good"];
    let reports = ["--report", "json=r/{impl}.json", "--report", "html=all.html"];
    fs::create_dir(place.path().join("r")).unwrap();
    let ran = run(&place, &[&named[..], &reports].concat()).exits(1).quietly().says(&[
        "the built-in reference: 10 cases at ",
        "\n./yes: 10 cases at ",
        "\n  fail  ",
        "living-conformance --impl ./yes",
        "\nv2/yes: 10 cases at ",
        "\ngood: 10 cases at ",
        "4 runs side by side, 10 cases in all of them\n",
        "  A  the built-in reference, ",
        "  B  ./yes\n  C  v2/yes\n  D  good, ",
        "they disagree in ",
        "D against A: no regression at the level MUST (0 cases broken, 0 fixed, 10 alike)\n",
    ]);
    assert!(ran.stdout.matches("\n  fail  ").count() <= 3 * 5, "20 in full, of all: {ran}");
    let names = ["reference", "yes", "yes-2", "good"];
    let total = |name: &str| place.report(&format!("r/{name}.json")).0["summary"]["total"].clone();
    assert_eq!(names.map(|name| total(name)["passed"].as_u64().unwrap()), [10, 0, 0, 10]);
    let page = fs::read_to_string(place.path().join("all.html")).unwrap();
    assert!(page.contains("Conformance of 4 implementations"), "one page of all");
}

#[test]
fn what_follows_two_dashes_is_for_each() {
    let place = place();
    place.script("adapter.sh", "exit 0");
    place.script("interpreter-1", "exec sh \"$@\"");
    place.script("interpreter-2", "exec sh \"$@\"");
    let two = ["--impl", "./interpreter-1", "--impl", "./interpreter-2", "-q", "--report"];
    run(&place, &[&two[..], &["json={impl}.json", "--", "adapter.sh"]].concat()).exits(1).says(&[
        "  A  interpreter-1 adapter.sh (",
        "  B  interpreter-2 adapter.sh (",
        "B against A: no regression at the level MUST (0 cases broken, 0 fixed, 10 alike)\n",
    ]);
    for name in ["interpreter-1", "interpreter-2"] {
        let report = place.report(&format!("{name}-adapter.sh.json")).0;
        let called = report["header"]["implementation"]["name"].as_str();
        assert_eq!(called, Some(format!("{name} adapter.sh").as_str()));
        let command = report["header"]["implementation"]["command"].as_array().unwrap();
        assert!(command[1].as_str().unwrap().ends_with("/adapter.sh"), "{command:?}");
    }
}

#[test]
fn one_that_cannot_be_started_does_not_stop_the_others() {
    let place = place();
    let ran = run(&place, &["--impl", "./none", "--impl", "./good", "--impl", "./yes", "-q"]);
    assert!(ran.stderr.starts_with("error: failed to start \"") && ran.stderr.contains("/none\""));
    let ran = ran.exits(3).says(&[
        "good\nmatcher: ",
        "\n\nyes\nmatcher: ",
        "2 runs side by side",
        "  A  good",
        "  B  yes",
        "B against A: ",
    ]);
    assert!(ran.stdout.starts_with("good\n"), "{ran}");
    assert!(!ran.stdout.contains("none"), "{ran}");
    let alone = run(&place, &["--impl", "./none", "--impl", "./good", "-q"]).exits(3);
    alone.never_says("side by side");
}

#[test]
fn profiles_are_implementations_too() {
    let place = place();
    for name in ["one", "two"] {
        let text = format!(
            "profile: {name}\nabout: x\nprogram: ./yes\nversion: []\noperations:\n  \
             strict: {{argv: [strict]}}\n  lenient: {{argv: [lenient]}}\n  match: {{argv: [match]}}\n\
             exits: {{accept: [0], reject: [1]}}\n"
        );
        place.write(&format!("profiles/{name}.yaml"), text);
    }
    let two = ["--profile", "profiles/one.yaml", "--profile", "profiles/two.yaml"];
    let ran = run(&place, &[&two[..], &["-q", "--report", "json={impl}.json"]].concat());
    ran.exits(1).says(&["  A  one (profiles/one.yaml)\n  B  two (profiles/two.yaml)\n"]);
    assert!(place.path().join("one.json").exists() && place.path().join("two.json").exists());
}

#[test]
fn what_would_be_written_twice_is_refused_before_any_run() {
    let place = place();
    let two = ["--impl", "./good", "--impl", "./yes"];
    let refused = |more: &[&str], texts: &[&str]| {
        run(&place, &[&two[..], more].concat()).exits(2).complains(texts);
    };
    refused(
        &["--report", "json=out.json"],
        &["the json report to out.json would be written for each of 2", "json={impl}.json"],
    );
    refused(&["--report", "json=no-{impl}/x"], &["there is no folder no-good; create it first"]);
    refused(&["--expect-write", "list.yaml"], &["list of expected failures to list.yaml would"]);
    refused(&["--fail-fast"], &["leave out --fail-fast"]);
    refused(&["--impl", "./good"], &["./good is given twice"]);
    refused(&["--profile", "a", "--profile", "b"], &["which program goes with which profile"]);
    let text = fs::read_dir(place.path()).unwrap().count();
    run(&place, &[&two[..], &["no-such-case"]].concat()).exits(4).complains(&["no case was"]);
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), text, "nothing was written");
    // What takes one takes one.
    let certify = ["certify", "--project", "p", "--out", "x.json"];
    let ran = place.run(&[&certify[..], &two].concat());
    ran.exits(2).complains(&["2 implementations are given, and one is taken"]);
    let minimize = ["minimize", "manifest/project_id/boolean::strict"];
    place.run(&[&minimize[..], &two].concat()).exits(2).complains(&["2 implementations are given"]);
    // One has its name put in as well.
    run(&place, &["--impl", "./good", "-q", "--report", "json={impl}.json"]).exits(0);
    assert!(place.path().join("good.json").exists());
    // Two adapters for one interpreter are two implementations.
    place.script("one.sh", "exit 0");
    fs::create_dir(place.path().join("adapters")).unwrap();
    fs::copy(place.path().join("one.sh"), place.path().join("adapters/two.sh")).unwrap();
    for (adapter, name) in [("one.sh", "sh one.sh"), ("adapters/two.sh", "sh two.sh -x")] {
        let args = ["--impl", "sh", "--report", "json={impl}.json", "--", adapter];
        let more = if name.ends_with('x') { &["-x"][..] } else { &[] };
        run(&place, &[&args[..], more].concat()).exits(1).says(&[&format!("{name}: 10 cases at ")]);
        let report = place.report(&format!("{}.json", name.replace(' ', "-"))).0;
        assert_eq!(report["header"]["implementation"]["name"], name);
    }
}

#[test]
fn a_signal_ends_all_of_it() {
    let place = place();
    place.script("hangs", "exec sleep 60");
    let started = Instant::now();
    let line = "living-conformance --fixtures few --impl ./hangs --impl ./yes \
                --report html=all.html & sleep 1; kill -TERM $!; wait $!; echo \"ended with $?\"";
    let ran = place.shell(line);
    assert!(started.elapsed() < Duration::from_secs(30), "{ran}");
    let ran = ran.says(&["hangs: 10 cases", "ended early: a signal asked it to", "ended with 1\n"]);
    assert!(!ran.stdout.contains("yes: 10 cases"), "{ran}");
    assert!(ran.to_string().contains("interrupted: yes was not run"), "{ran}");
    let page = fs::read_to_string(place.path().join("all.html")).unwrap();
    assert!(page.contains("The run ended early"), "the page of all is written, too");
}

#[test]
fn nobody_who_reads_is_a_reason_to_stop() {
    let place = place();
    place.script("slow", "sleep 1; exit 0");
    let started = Instant::now();
    let line =
        "living-conformance --fixtures few --test-threads 1 --impl ./slow --impl ./yes | head -1";
    let ran = place.shell(line).exits(0);
    assert_eq!(ran.stdout, "slow: 10 cases at Living Repositories Protocol v0.4\n");
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
}
