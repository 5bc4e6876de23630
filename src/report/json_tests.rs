use std::path::Path;

use super::super::testing::*;
use super::*;
use crate::core::{Gap, LeftOut, Level, Misfit, MisfitWhy, OtherFailure, Sharded, Standing};

fn written(report: &Report) -> String {
    let mut bytes = Vec::new();
    report.write(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn parse(text: &str) -> Result<Report, ReadReportError> {
    Report::parse(Path::new("a.json"), text.as_bytes())
}

#[test]
fn every_form_follows_the_schema_and_reads_back() {
    let report = report(&every_form(), header(20));
    let read = parse(&written(&report)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(read, report);
}

#[test]
fn shards_lists_and_flaky_cases_follow_it_too() {
    let mut report = listed_report();
    let case = report.cases[0].id.clone();
    let part = "slice:2/3".parse().unwrap();
    report.header.shard = Some(Sharded { part, elsewhere: vec![case.clone()] });
    let left_out = report.header.left_out.get_mut("validator-strict").unwrap();
    left_out.insert(LeftOut::OtherShard, 1);
    for why in [
        MisfitWhy::Skipped { cases: 1 },
        MisfitWhy::Unsupported { cases: 2 },
        MisfitWhy::OtherMessage { cases: 4, first: None },
        MisfitWhy::OtherMessage {
            cases: 3,
            first: Some(OtherFailure {
                case: case.clone(),
                expected: "one".into(),
                observed: "two".into(),
            }),
        },
        MisfitWhy::NeverFails { elsewhere: 4 },
    ] {
        let misfit = Misfit { entry: "a:1".into(), name: "case b".into(), why };
        report.summary.misfits.push(misfit);
    }
    let because = vec![
        Gap::LeftOut { reason: LeftOut::OtherShard, cases: 1 },
        Gap::ExpectedFailures { cases: 1 },
        Gap::MisfitList { misfits: 5 },
        Gap::Flaky { cases: 1 },
    ];
    report.summary.standing.insert("matcher".into(), Standing::NotShown { because });
    let read = parse(&written(&report)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(read, report);
}

#[test]
fn the_order_of_events_does_not_matter() {
    let mut cases = every_form();
    let one = written(&report(&cases, header(20)));
    cases.reverse();
    cases.swap(1, 4);
    assert_eq!(written(&report(&cases, header(20))), one);
    let ids: Vec<usize> =
        cases.iter().map(|case| one.find(&format!("\"id\": \"{}\"", case.id)).unwrap()).collect();
    cases.sort_by(|a, b| a.id.cmp(&b.id));
    let mut sorted = ids;
    sorted.sort_unstable();
    let again: Vec<usize> =
        cases.iter().map(|case| one.find(&format!("\"id\": \"{}\"", case.id)).unwrap()).collect();
    assert_eq!(again, sorted);
}

#[test]
fn nothing_in_it_acts_on_a_terminal() {
    let mut case = crash_case("manifest/a::strict");
    case.stderr = "\u{7f}\u{9b}\u{2028}\u{2029}\u{202e}\u{e0041}".into();
    let report = report(&[case], header(1));
    let text = written(&report);
    assert!(!text.contains(|c: char| c != '\n' && escape::acts(c)), "{text}");
    assert!(text.contains(r"\u007f\u009b\u2028\u2029\u202e\udb40\udc41"));
    assert_eq!(parse(&text).unwrap(), report);
}

#[test]
fn every_rule_is_in_it() {
    let report = report(&every_form(), header(20));
    assert_eq!(report.rules.len(), 5);
    let max = &report.rules[&rule("manifest.project_id.max-length")];
    assert_eq!((max.level, max.suite.as_str()), (Level::Must, "manifest"));
    assert!(max.met > 0 && max.broken > 0);
}

#[test]
fn errors_name_the_place() {
    let good = written(&report(&every_form(), header(20)));
    let error = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        parse(&good.replacen(from, to, 1)).unwrap_err().to_string()
    };
    let version = error("report:1\"", "report:2\"");
    assert!(version.contains("report:2") && version.contains("reads urn"), "{version}");
    let closed = error("\"verdict\": \"pass\"", "\"verdict\": \"pass\", \"more\": 1");
    assert!(closed.contains("/cases/") && closed.contains("more"), "{closed}");
    let verdict = error("\"verdict\": \"pass\"", "\"verdict\": \"passed\"");
    let line = good.lines().position(|line| line.contains("\"verdict\": \"pass\"")).unwrap();
    let at = format!("a.json:{}:18: /cases/", line + 1);
    assert!(verdict.contains(&at) && verdict.contains("/verdict"), "{at} is not in {verdict}");
    let cut = parse(&good[..good.len() / 2]).unwrap_err().to_string();
    assert!(cut.contains("a.json:") && cut.contains("EOF"), "{cut}");
    let events = "{\"event\":\"started\",\"schema\":\"x\"}\n{\"event\":\"case\"}\n";
    let stream = parse(events).unwrap_err().to_string();
    assert!(stream.ends_with("and the run did not come to its end"), "{stream}");
    let stream = parse(&format!("{events}{{\"event\":\"finished\"}}\n")).unwrap_err().to_string();
    assert!(stream.ends_with("it has the events of a run, one a line"), "{stream}");
    for other in ["[]", "{}", "null"] {
        let error = parse(other).unwrap_err();
        assert!(matches!(error, ReadReportError::OtherSchema { .. }), "{other}");
    }
    let missing = Report::read(Path::new("/no/such/report.json")).unwrap_err();
    assert!(missing.to_string().contains("/no/such/report.json"));
}

#[test]
fn advisory_cases_follow_it_too() {
    let mut report = advisory_report();
    let left_out = report.header.left_out.get_mut("validator-strict").unwrap();
    left_out.insert(LeftOut::NotAsReleased, 1);
    let because = vec![Gap::LeftOut { reason: LeftOut::NotAsReleased, cases: 1 }];
    report.summary.standing.insert("matcher".into(), Standing::NotShown { because });
    let text = written(&report);
    let read = parse(&text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(read, report);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["summary"]["total"]["passed"], 1);
    let advisory = &value["summary"]["advisory"];
    assert_eq!([&advisory["passed"], &advisory["failed"], &advisory["unsupported"]], [1, 1, 1]);
    assert_eq!(value["cases"][1]["disposition"]["because"], "changed");
}
