//! Variants: the same in other writing, from making them to what is told of them.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod cli_support;

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

use cli_support::{FEW, Place, Ran};
use living_conformance::core::{Judge, Level, Plan, Protocol, Selection, Variant};
use living_conformance::corpus::Corpus;
use living_conformance::driver::{Driver, LibraryDriver};
use living_conformance::reference::Reference;
use living_conformance::run::Ground;
use living_conformance::variant::survey;

/// Runs the reference over all variants of these suites; how many cases there were.
fn reference_passes(suites: &[&str], protocol: Protocol) -> usize {
    let asked = suites.iter().map(|&suite| suite.to_owned()).collect();
    let corpus = Corpus::load(None, None).unwrap().only(&asked);
    let suites = &corpus.suites.suites;
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let variants = survey(suites, &corpus.fixtures, protocol, threads);
    assert_eq!(variants.census.lost, [], "each is made, or excepted with a reason");
    let selection = Selection::all(protocol);
    let plan = Plan::with_variants(suites, &corpus.fixtures, &variants, &selection);
    let judge = Judge { rules: &corpus.suites.rules, grade: None };
    let ground = Ground { suites, judge, protocol };
    let (ran, next) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        let driver = LibraryDriver::new(Reference::new(protocol));
        let mut connection = driver.connect(0).unwrap();
        while let Some(unit) = plan.units.get(next.fetch_add(1, Ordering::Relaxed)) {
            if unit.variant.is_none() {
                continue;
            }
            let mut unit = unit.clone();
            ground.look_up(&mut unit);
            let (cases, result) = ground.run(std::slice::from_ref(&unit), connection.as_mut());
            result.unwrap();
            assert_eq!(cases.len(), unit.operations.len(), "{}", unit.fixture.id);
            for case in cases {
                assert!(!case.fails(Level::None) && !case.is_failure(), "{case:?}");
                ran.fetch_add(1, Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| (0..threads.get()).for_each(|_| _ = scope.spawn(work)));
    let planned = plan.cases().filter(|case| case.variant().is_some()).count();
    assert_eq!(ran.into_inner(), planned);
    planned
}

#[test]
fn the_reference_keeps_every_variant_of_the_protocol() {
    let cases = reference_passes(&["manifest", "runtime"], Protocol::new(0, 4));
    assert!(cases > 10_000, "{cases}");
}

#[test]
fn the_reference_keeps_every_variant_of_receipts() {
    let cases = reference_passes(&["receipt"], Protocol::new(1, 0));
    assert!(cases > 300, "{cases}");
}

/// The checker of this program, but for what it does with some documents.
fn liar(place: &Place, lie: &str) {
    let program = cli_support::program();
    let body = format!("for file; do :; done\n{lie}\nexec '{}' \"$@\"", program.display());
    place.script("liar", &body);
}

fn run(place: &Place, args: &[&str]) -> Ran {
    let common = ["--impl", "./liar", "--fixtures", "few", "--report", "json=report.json"];
    place.run(&[&common[..], args].concat())
}

/// The ids of the cases that fail.
fn failing(place: &Place) -> Vec<String> {
    let verdicts = place.report("report.json").verdicts();
    let failing = verdicts.iter().filter(|it| !it.ends_with(" pass"));
    failing.filter_map(|it| it.split(' ').next().map(str::to_owned)).collect()
}

/// An implementation that takes a carriage return for a part of the value.
const NO_CRLF: &str = "grep -q \"$(printf '\\r')\" \"$file\" && exit 1";
/// One that does not know what a byte order mark is.
const NO_BOM: &str = "[ \"$(head -c3 \"$file\")\" = \"$(printf '\\357\\273\\277')\" ] && exit 70";

#[test]
fn variants_are_off_unless_they_are_asked_for() {
    let place = Place::new();
    place.fixtures(FEW);
    liar(&place, NO_CRLF);
    run(&place, &[]).exits(0).quietly().never_says("variant").never_says("+");
    let report = place.report("report.json").0;
    assert!(report["header"].get("variants").is_none(), "{report}");
    assert!(report["summary"].get("variants").is_none(), "{report}");
}

#[test]
fn who_fails_on_line_ends_fails_on_these_alone() {
    let place = Place::new();
    place.fixtures(FEW);
    liar(&place, NO_CRLF);
    let ran = run(&place, &["--variants"]).exits(1).quietly().says(&[
        "fail  manifest/project_id/63-characters::lenient+crlf\n",
        "the variant crlf: the fixture with lines that end with CR LF\n",
        "manifest.yaml as crlf\n",
        "--variants --exact",
        "\nvariant ",
        "\nvariants: 42 made; not made: 0 excepted, 0 no different, 0 of documents",
        "0 that would not mean the same\n",
    ]);
    let failing = failing(&place);
    assert_eq!(failing.len(), 10, "{failing:?}");
    assert!(failing.iter().all(|id| id.ends_with("+crlf")), "{failing:?}");
    let report = place.report("report.json").0;
    let tally = |variant: &str| report["summary"]["variants"][variant].clone();
    assert_eq!((&tally("crlf")["failed"], &tally("crlf")["failed-should"]), (&6.into(), &4.into()));
    assert_eq!(tally("bom")["failed"], 0, "{report}");
    assert_eq!(report["header"]["variants"]["made"], 42);
    // The command that stands there fails again, alone.
    let command = ran.reproducing().remove(0);
    assert!(command.contains("::lenient+crlf"), "{command}");
    let again = place.shell(&command).exits(1).quietly();
    again.says(&["1 case at", "1 case fails a MUST", "::lenient+crlf\n"]);
}

#[test]
fn who_crashes_on_a_byte_order_mark_crashes_there_alone() {
    let place = Place::new();
    place.fixtures(FEW);
    liar(&place, NO_BOM);
    run(&place, &["--variants", "--session=never"]).exits(1).says(&["error manifest/", "+bom\n"]);
    let failing = failing(&place);
    assert_eq!(failing.len(), 10, "{failing:?}");
    assert!(failing.iter().all(|id| id.ends_with("+bom")), "{failing:?}");
}

#[test]
fn what_fails_in_any_writing_is_told_once() {
    let place = Place::new();
    place.fixtures(&FEW[..1]);
    liar(&place, "exit 1");
    let ran = run(&place, &["--variants", "--report", "html=page.html"]).exits(1);
    ran.says(&[
        "16 cases fail a MUST",
        "fail  manifest/project_id/63-characters::lenient\n",
        "variants   fails likewise on bom, commented, crlf, json, marker, quoted,\n",
        "reversed\n",
        "fail  manifest/project_id/63-characters::strict\n",
    ])
    .never_says("::strict+");
    let page = std::fs::read_to_string(place.path().join("page.html")).unwrap();
    assert!(page.contains("16 cases of 1 fixtures"), "{page}");
    assert!(page.contains("It comes out the same on the variants bom, commented, crlf"), "{page}");
    assert!(!page.contains("id=\"manifest/project_id/63-characters::strict+crlf\""));
    // Where the fixture itself passes, the variant is shown with its documents.
    liar(&place, NO_BOM);
    run(&place, &["--variants", "--report", "html=page.html"]).exits(1);
    let page = std::fs::read_to_string(place.path().join("page.html")).unwrap();
    assert!(page.contains("id=\"manifest/project_id/63-characters::strict+bom\""));
    assert!(page.contains("the variant bom: the fixture with a byte order mark in front"));
}

#[test]
fn lists_filters_and_shards_know_them() {
    let place = Place::new();
    place.fixtures(FEW);
    let list = |args: &[&str]| {
        let list = [&["--list", "--fixtures", "few"], args].concat();
        let ran = place.run(&list).exits(0).quietly();
        ran.stdout.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let all = list(&["--variants"]);
    assert_eq!((all.len(), list(&[]).len()), (80, 10));
    assert!(all.contains(&"runtime/isolation-not-listed::match+json: test".to_owned()));
    assert_eq!(list(&["--variants", "+crlf"]).len(), 10);
    assert_eq!(list(&["--variants", "--skip", "+"]), list(&[]));
    let exact = "manifest/project_id/boolean::strict+json";
    assert_eq!(list(&["--variants", "--exact", exact]), [format!("{exact}: test")]);
    let parts = ["1/2", "2/2"].map(|part| list(&["--variants", "--shard", part]));
    let mut joined = parts.concat();
    joined.sort();
    let mut sorted = all.clone();
    sorted.sort();
    assert_eq!(joined, sorted);
    let line = &list(&["--variants", "--format", "json", "--exact", exact])[0];
    let line: serde_json::Value = serde_json::from_str(line).unwrap();
    assert_eq!((&line["id"], &line["variant"]), (&exact.into(), &"json".into()));
}

#[test]
fn a_variant_that_is_not_there_is_asked_for_in_vain_and_told_why() {
    let place = Place::new();
    let ask = |args: &[&str]| place.run(&[&["--reference"], args].concat()).exits(4);
    let exact = ["--exact", "manifest/document/crlf::strict+crlf"];
    ask(&exact).complains(&["variants are run with --variants alone"]);
    let asked = [&["--variants"], &exact[..]].concat();
    ask(&asked).complains(&["manifest/document/crlf has no variant crlf: its golden excepts it: "]);
    let exact = ["--variants", "--exact", "manifest/document/tab-indent::strict+bom"];
    ask(&exact).complains(&["has no variant bom: a document does not parse"]);
    let exact = ["--variants", "--exact", "receipt/policy/key-twice::admit+bom"];
    ask(&exact).complains(&["has no variant bom: its suite excepts it"]);
}

#[test]
fn a_list_of_expected_failures_names_them_and_is_written_with_them() {
    let place = Place::new();
    place.fixtures(FEW);
    liar(&place, NO_CRLF);
    run(&place, &["--variants", "--expect-write", "known.yaml"]).exits(1);
    let known = std::fs::read_to_string(place.path().join("known.yaml")).unwrap();
    assert_eq!(known.matches("+crlf\n").count(), 6, "{known}");
    let ran = run(&place, &["--variants", "--expect", "known.yaml"]).exits(0).quietly();
    ran.says(&["failed as expected: 6 cases"]);
    // Without variants the list is as good, and has nothing to say.
    run(&place, &["--expect", "known.yaml"]).exits(0).quietly().never_says("known.yaml");
    place.write("wrong.yaml", known.replacen("+crlf", "+crfl", 1));
    let ran = run(&place, &["--variants", "--expect", "wrong.yaml"]).exits(2);
    ran.complains(&["[unknown-case]", "+crlf?"]);
    let fixtures = "failures: [{fixtures: '**', wide: true, reason: all of it}]";
    place.write("all.yaml", fixtures);
    liar(&place, "exit 70");
    run(&place, &["--variants", "--expect", "all.yaml"]).exits(0).says(&["expected: 80 cases"]);
}

#[test]
fn shards_with_variants_are_merged_with_each_other_alone() {
    let place = Place::new();
    place.fixtures(FEW);
    liar(&place, NO_CRLF);
    let shard = |part: &str, report: &str, more: &[&str]| {
        let report = format!("json={report}");
        let args = [&["--shard", part, "--report", &report], more].concat();
        run(&place, &args)
    };
    shard("1/2", "1.json", &["--variants"]);
    shard("2/2", "2.json", &["--variants"]);
    shard("2/2", "plain.json", &[]);
    run(&place, &["--variants"]).exits(1);
    let args = ["merge", "1.json", "2.json", "--fixtures", "few", "--report", "json=merged.json"];
    place.run(&args).exits(1).says(&["+crlf", "\nvariant ", "\nvariants: 42 made"]);
    let (whole, merged) = (place.report("report.json").0, place.report("merged.json").0);
    assert_eq!(whole["summary"]["variants"], merged["summary"]["variants"]);
    assert_eq!(whole["header"]["variants"], merged["header"]["variants"]);
    let args = ["merge", "1.json", "plain.json", "--fixtures", "few"];
    place.run(&args).exits(2).complains(&["runs with different variants, 42 made and none"]);
}

#[test]
fn sessions_and_every_report_take_them() {
    let place = Place::new();
    place.fixtures(FEW);
    let program = cli_support::program();
    place.script("session", &format!("exec '{}' session", program.display()));
    let kinds = ["json", "jsonl", "junit", "tap", "github", "markdown", "html", "sarif"];
    let reports = kinds.map(|kind| format!("--report={kind}=out.{kind}"));
    let mut args = vec!["--impl", "./session", "--fixtures", "few", "--variants", "--session"];
    args.extend(reports.iter().map(String::as_str));
    place.run(&args).exits(0).quietly();
    let read = |kind: &str| std::fs::read_to_string(place.path().join(format!("out.{kind}")));
    let case = "manifest/project_id/boolean::strict+json";
    for kind in ["json", "jsonl", "junit", "tap"] {
        assert!(read(kind).unwrap().contains(case), "{kind}");
    }
    assert!(read("markdown").unwrap().contains("| the variant json | 10 |"));
    assert!(read("html").unwrap().contains("80 cases of 6 fixtures"));
}

#[test]
fn every_variant_is_named_where_it_is_documented() {
    let docs = std::fs::read_to_string(cli_support::root().join("docs/variants.md")).unwrap();
    for variant in Variant::ALL {
        assert!(docs.contains(&format!("| `{variant}` | ")), "{variant}");
    }
}

#[test]
fn a_case_on_a_variant_is_explained_and_shrunk_with_what_it_is_given() {
    let place = Place::new();
    place.fixtures(&FEW[..1]);
    liar(&place, NO_CRLF);
    let case = "manifest/project_id/63-characters::strict+crlf";
    let ran = place.run(&["explain", case]).exits(0).quietly();
    ran.says(&["variant crlf: the fixture with lines that end with CR LF\n", "strict: accept\n"]);
    let none = ["explain", "manifest/document/crlf::strict+crlf"];
    place.run(&none).exits(4).complains(&["has no variant crlf: its golden excepts it"]);
    let none = ["explain", "manifest/document/crlf::strict+upper"];
    place.run(&none).exits(4).complains(&["the variants are reversed, crlf, "]);
    let args = ["minimize", case, "--fixtures", "few", "--impl", "./liar", "--write", "small"];
    place.run(&args).exits(0).says(&[case, "bytes still show it"]);
    let small = std::fs::read(place.path().join("small/manifest.yaml")).unwrap();
    assert!(small.contains(&b'\r') && small.len() < 300, "{}", small.escape_ascii());
    let plain = case.strip_suffix("+crlf").unwrap();
    let args = ["minimize", plain, "--fixtures", "few", "--impl", "./liar"];
    place.run(&args).exits(2).complains(&["it does not fail by itself"]);
}
