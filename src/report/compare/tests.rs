use super::super::testing::*;
use super::super::{Report, escape};
use super::*;
use crate::compare::{ChangeKind, CompareError, Comparison, Subject, drafts};
use crate::core::*;

const MAX: &str = "manifest.project_id.max-length";

fn named(name: &str, cases: &[CaseRecord]) -> Report {
    let mut header = header(cases.len());
    header.implementation.name = name.to_owned();
    report(cases, header)
}

fn compared<'a>(reports: &'a [Report]) -> Comparison<'a> {
    let runs: Vec<(String, &Report)> = reports
        .iter()
        .enumerate()
        .map(|(index, report)| (format!("{index}.json"), report))
        .collect();
    Comparison::of(&runs).unwrap()
}

fn refused(reports: &[Report]) -> CompareError {
    let runs: Vec<(String, &Report)> =
        reports.iter().map(|report| ("x.json".to_owned(), report)).collect();
    Comparison::of(&runs).unwrap_err()
}

fn pass(id: &str) -> CaseRecord {
    passing_case(id)
}

fn fail(id: &str) -> CaseRecord {
    stance_case(id, MAX)
}

fn should(id: &str) -> CaseRecord {
    extra_case(id, "manifest.project_id.charset")
}

fn kinds(comparison: &Comparison<'_>) -> Vec<(Option<ChangeKind>, String, bool)> {
    let changes = comparison.changes[0].changes.iter();
    changes
        .map(|it| (it.kind, it.after.id.fixture().to_owned(), it.is_regression(Level::Must)))
        .collect()
}

fn options(width: usize) -> ComparisonOptions {
    ComparisonOptions {
        color: false,
        width,
        quiet: false,
        verbose: true,
        show_all: false,
        enforce: Level::Must,
    }
}

#[test]
fn what_was_fixed_and_broken() {
    let flaky = fail("manifest/h::strict").tried_again(vec![pass("manifest/h::strict")]);
    let mut unsupported = pass("manifest/i::strict");
    unsupported.disposition = Disposition::Unsupported { reason: "no".into() };
    let mut choice = pass("manifest/j::strict");
    choice.judgement.choice =
        Some(Choice { ledger: vec![LedgerId::new("L4").unwrap()], stance: Stance::Accept });
    let mut other = choice.clone();
    other.judgement.choice.as_mut().unwrap().stance = Stance::Reject;
    let reports = [
        named(
            "a",
            &[
                pass("manifest/a::strict"),
                pass("manifest/b::strict"),
                should("manifest/c::strict"),
                fail("manifest/d::strict"),
                fail("manifest/e::strict"),
                crash_case("manifest/f::strict"),
                pass("manifest/g::strict"),
                pass("manifest/h::strict"),
                pass("manifest/i::strict"),
                choice,
            ],
        ),
        named(
            "b",
            &[
                fail("manifest/a::strict"),
                should("manifest/b::strict"),
                crash_case("manifest/c::strict"),
                pass("manifest/d::strict"),
                fail("manifest/e::strict"),
                fail("manifest/f::strict"),
                pass("manifest/g::strict"),
                flaky,
                unsupported,
                other,
            ],
        ),
    ];
    use ChangeKind::{Better, Broke, Choice as Chose, Fixed, Worse};
    let comparison = compared(&reports);
    let told: Vec<_> = kinds(&comparison)
        .into_iter()
        .map(|(kind, id, regression)| (kind.unwrap(), id.replace("manifest/", ""), regression))
        .collect();
    let expected = [
        (Broke, "h", true),
        (Broke, "a", true),
        (Broke, "b", false),
        (Broke, "i", true),
        (Worse, "c", true),
        (Fixed, "d", false),
        (Better, "f", false),
        (Chose, "j", false),
    ];
    assert_eq!(told, expected.map(|(kind, id, regression)| (kind, id.to_owned(), regression)));
    assert_eq!(comparison.regressions(Level::Must), 4);
    assert_eq!(comparison.regressions(Level::Should), 5);
    assert_eq!(comparison.changes[0].compared, 10);
    let text = comparison_text(&comparison, &catalog(), options(80));
    let end = "B against A: 4 regressions at the level MUST (4 cases broken, 1 fixed, 1 worse,\n             1 better, 1 choosing otherwise, 2 alike)\n";
    assert!(text.ends_with(end), "{text}");
}

#[test]
fn a_failure_for_another_reason_is_told_with_both() {
    let quiet = "manifest.project_id.charset";
    let other = |id: &str| extra_case(id, "manifest.project_id.type");
    let mut louder = should("manifest/d::strict");
    let more = other("manifest/d::strict").judgement.mismatches[0].clone();
    louder.judgement.mismatches.push(more);
    let mut hung = crash_case("manifest/e::strict");
    let outcome = Outcome::TimedOut { limit_ms: 10 };
    hung.observed = outcome.clone();
    hung.judgement.mismatches[0].mismatch = Mismatch::NoDecision { outcome, rule: None };
    let mut worded = should("manifest/f::strict");
    let Mismatch::Extra { finding, .. } = &mut worded.judgement.mismatches[0].mismatch else {
        panic!("{worded:?}")
    };
    finding.message = Some("in other words".to_owned());
    let reports = [
        named(
            "a",
            &[
                should("manifest/a::strict"),
                fail("manifest/b::strict"),
                should("manifest/d::strict"),
                crash_case("manifest/e::strict"),
                should("manifest/f::strict"),
            ],
        ),
        named(
            "b",
            &[other("manifest/a::strict"), should("manifest/b::strict"), louder, hung, worded],
        ),
    ];
    let mut reports = reports;
    // The expectation of the first run is that of the second.
    let expected = reports[1].cases[1].expected.clone();
    reports[0].cases[1].expected = expected;
    let comparison = compared(&reports);
    let told: Vec<_> = comparison.changes[0]
        .changes
        .iter()
        .map(|it| (it.kind.unwrap(), words::turn(it), it.is_regression(Level::Should)))
        .collect();
    let by = "which is not broken there";
    let extra = |rule: &str| format!("reports {rule} at /project_id, {by}");
    let (charset, kind) = (extra(quiet), extra("manifest.project_id.type"));
    let expected = [
        (
            ChangeKind::Better,
            format!(
                "fails a MUST: accepted what is to be rejected; then fails a SHOULD: {charset}"
            ),
        ),
        (
            ChangeKind::Cause,
            "no decision as before: mended: was ended by SIGSEGV; new: had not ended after 10 ms"
                .to_owned(),
        ),
        (ChangeKind::Cause, format!("fails a SHOULD as before: mended: {charset}; new: {kind}")),
        (ChangeKind::Cause, format!("fails a SHOULD as before: new: {kind}")),
    ];
    assert_eq!(told, expected.map(|(kind, text)| (kind, text, false)));
    let text = comparison_text(&comparison, &catalog(), options(80));
    let shown = "  failing as before, for another reason: 3 cases\n";
    assert!(text.contains(shown) && text.contains("3 failing for another reason"), "{text}");
}

#[test]
fn another_level_is_no_word_on_the_implementation() {
    let mut lighter = should("manifest/a::strict");
    lighter.judgement.mismatches[0].level = Level::May;
    lighter.judgement.level = Level::May;
    let mut weighed = fail("manifest/b::strict");
    weighed.weight = Level::Should;
    let mut reports = [
        named(
            "a",
            &[should("manifest/a::strict"), fail("manifest/b::strict"), pass("manifest/c::strict")],
        ),
        named("a", &[lighter, weighed, pass("manifest/c::strict")]),
    ];
    let (_, turned) = reports[1].rules.iter_mut().next().unwrap();
    turned.level = Level::Should;
    let comparison = compared(&reports);
    let changes = &comparison.changes[0];
    assert_eq!((changes.compared, changes.changes.len()), (1, 0));
    let told: Vec<String> = changes.judged_otherwise.iter().map(words::turn).collect();
    assert!(
        told[0].starts_with("a rule that it breaks has another level; fails a SHOULD: reports")
    );
    assert!(told[0].contains("; then fails a MAY: reports"), "{told:?}");
    assert_eq!(
        told[1],
        "weighed MUST, then SHOULD; fails a MUST: accepted what is to be rejected, as before"
    );
    let text = comparison_text(&comparison, &catalog(), options(200));
    assert!(text.contains("1 rule has another level in B than in A: manifest."), "{text}");
    assert!(text.contains(", then SHOULD)."), "{text}");
}

#[test]
fn a_list_of_expected_failures_hides_nothing() {
    let listed = listed_and_flaky();
    let [known, fixed] = [&listed[0], &listed[1]].map(|case| case.id.as_str().to_owned());
    let reports = [named("a", &[pass(&known), fail(&fixed)]), named("b", &listed[..2])];
    let told: Vec<_> =
        kinds(&compared(&reports)).into_iter().map(|(kind, id, _)| (kind.unwrap(), id)).collect();
    let expected = [
        (ChangeKind::Broke, "manifest/known".to_owned()),
        (ChangeKind::Fixed, "manifest/fixed".to_owned()),
    ];
    assert_eq!(told, expected);
}

#[test]
fn what_cannot_be_compared_is_set_apart() {
    let mut changed = fail("manifest/c::strict");
    changed.expected.stance = Stance::Accept;
    let mut reports = [
        named(
            "a",
            &[pass("manifest/a::strict"), pass("manifest/b::strict"), pass("manifest/c::strict")],
        ),
        named("a", &[fail("manifest/a::strict"), changed, pass("manifest/d::strict")]),
    ];
    let lost = |reports: &[Report]| {
        let comparison = compared(reports);
        let changes = &comparison.changes[0];
        assert_eq!((changes.compared, changes.judged_otherwise.len()), (1, 1));
        assert_eq!((changes.gone.len(), changes.new.len()), (1, 1));
        (changes.lost.len(), comparison.regressions(Level::Must))
    };
    // Of the same suites: the second run has left it out.
    assert_eq!(lost(&reports), (1, 2));
    reports[1].header.suite_digest = format!("sha256:{}", "1".repeat(64));
    assert_eq!(lost(&reports), (0, 1), "it may be gone from the suite");
    let text = comparison_text(&compared(&reports), &catalog(), options(80));
    for expected in [
        "A and B were run over different data of the same version (manifest 0.1.0): the\n",
        "1 case of A alone: B has no result.\n",
        "1 case of both A and B with another expectation: set apart.\n",
        "  1 case of which something else is expected\n",
    ] {
        assert!(text.contains(expected), "{expected:?} is not in\n{text}");
    }
    reports[1].header.suites.insert("manifest".into(), "0.2.0".into());
    reports[1].header.protocol = Protocol::new(0, 3);
    reports[1].header.program = "0.2.0".into();
    let text = comparison_text(&compared(&reports), &catalog(), options(200));
    for expected in [
        "different suites, manifest 0.1.0 and manifest 0.2.0:",
        "A was run at v0.4 and B at v0.3:",
        "A was judged by living-conformance 0.1.0, B by 0.2.0.",
    ] {
        assert!(text.contains(expected), "{expected:?} is not in\n{text}");
    }
    let left_out = reports[1].header.left_out.get_mut("validator-strict").unwrap();
    left_out.insert(LeftOut::Filtered, 1);
    assert_eq!(lost(&reports), (1, 2));
}

#[test]
fn what_would_be_compared_wrongly_is_refused() {
    let whole = || named("a", &[pass("manifest/a::strict")]);
    assert_eq!(refused(&[]), CompareError::TooFew { runs: 0 });
    assert_eq!(refused(&[whole()]), CompareError::TooFew { runs: 1 });
    let mut other = whole();
    other.summary.stopped = Some(Stopped::Interrupted);
    other.summary.not_run = 3;
    let error = refused(&[whole(), other]).to_string();
    assert_eq!(error, "compare x.json: the run was interrupted, and 3 planned cases did not run");
    assert!(refused(&[whole(), named("b", &[])]).is_nothing());
    let mut other = whole();
    other.header.spec = "another".into();
    assert!(matches!(refused(&[whole(), other]), CompareError::OtherSpec { .. }));
    let apart = named("b", &[pass("manifest/b::strict")]);
    let error = refused(&[whole(), apart]);
    assert!(error.is_nothing() && error.remedy().contains("merge"), "{error}");
}

#[test]
fn runs_of_one_name_are_told_apart() {
    let case = || [pass("manifest/a::strict")];
    let mut reports = vec![named("a", &case()), named("b", &case())];
    let labels = |reports: &[Report]| -> Vec<String> {
        compared(reports).runs.iter().map(|run| run.label.whole()).collect()
    };
    reports[0].summary.implementation_version = Some("a 1.0".into());
    reports[1].summary.implementation_version = Some("bee 1.0".into());
    assert_eq!(labels(&reports), ["a, 1.0", "b, bee 1.0"]);
    reports.push(named("a", &case()));
    reports[2].summary.implementation_version = Some("a 1.1\nmore".into());
    assert_eq!(labels(&reports)[2], "a, 1.1");
    reports.push(reports[0].clone());
    assert_eq!(labels(&reports), ["a, 1.0, 0.json", "b, bee 1.0", "a, 1.1", "a, 1.0, 3.json"]);
}

/// Three implementations; `of` says which pass.
fn three(cases: &[(&str, [bool; 3])]) -> Vec<Report> {
    ["a", "b", "c"]
        .iter()
        .enumerate()
        .map(|(run, name)| {
            let case = |(id, passes): &(&str, [bool; 3])| {
                if passes[run] { pass(id) } else { fail(id) }
            };
            named(name, &cases.iter().map(case).collect::<Vec<_>>())
        })
        .collect()
}

#[test]
fn places_of_disagreement_are_ranked() {
    let reports = three(&[
        ("manifest/all::strict", [false, false, false]),
        ("manifest/kept1::strict", [true, true, true]),
        ("manifest/kept2::strict", [true, true, true]),
        ("manifest/one::strict", [true, false, true]),
        ("manifest/other::strict", [true, false, true]),
        ("manifest/two::strict", [true, false, false]),
    ]);
    let comparison = compared(&reports);
    let places: Vec<(Vec<&str>, &[usize], &[usize])> = comparison
        .places
        .iter()
        .map(|place| {
            let cases = place.cases.iter().map(|case| case.id.as_str()).collect();
            (cases, &place.against[..], &place.with[..])
        })
        .collect();
    assert_eq!(
        places,
        [
            (vec!["manifest/all::strict"], &[0, 1, 2][..], &[][..]),
            (vec!["manifest/two::strict"], &[1, 2][..], &[0][..]),
            (vec!["manifest/one::strict", "manifest/other::strict"], &[1][..], &[0, 2][..]),
        ]
    );
    assert!(comparison.places.windows(2).all(|two| two[0].score >= two[1].score));
    assert!(comparison.places.iter().all(|it| (0.0..=1.0).contains(&it.score)));
}

#[test]
fn who_has_no_reading_is_no_voice() {
    // A crash, the reference, a case that is open, an output that names no rules.
    let mut reports = three(&[("manifest/a::strict", [true, false, true])]);
    assert_eq!(compared(&reports).places.len(), 1);
    reports[2] = named("c", &[crash_case("manifest/a::strict")]);
    assert_eq!(compared(&reports).places[0].with, [0]);
    reports[0].header.implementation.driver = "reference".into();
    assert!(compared(&reports).places.is_empty(), "one alone against the suite is a failure");
    let mut reports = three(&[("manifest/a::strict", [true, false, true])]);
    for report in &mut reports {
        report.cases[0].expected.stance = Stance::Either;
    }
    assert!(compared(&reports).places.is_empty());
    let finding = |report: &Report| {
        let reports = [named("a", &[pass("manifest/a::strict")]), report.clone()];
        let comparison = compared(&reports);
        comparison.places.iter().map(|place| place.subject.clone()).collect::<Vec<_>>()
    };
    let mut extra = named("b", &[should("manifest/a::strict")]);
    let subject = Subject::Finding { rule: rule("manifest.project_id.charset"), expected: false };
    assert_eq!(finding(&extra), [subject]);
    extra.cases[0].judgement.grade = Grade::Text;
    assert!(finding(&extra).is_empty());
}

#[test]
fn drafts_are_entries_that_may_be_pasted() {
    let evil = "a\u{1b}[2J: - # \"'`{[>|%@!& \u{2028}\u{85}\r\n\ttab";
    let mut reports = three(&[
        ("manifest/one::strict", [true, false, true]),
        ("manifest/two::strict", [true, true, false]),
    ]);
    for report in &mut reports {
        report.cases.iter_mut().for_each(|case| case.about = evil.to_owned());
    }
    reports[1].header.implementation.name = evil.to_owned();
    let comparison = compared(&reports);
    let table = &catalog().rules;
    let drafts = drafts(&comparison, table);
    assert_eq!(drafts.iter().map(|it| it.id.as_str()).collect::<Vec<_>>(), ["L5", "L6"]);
    let text: String = drafts.iter().map(|draft| draft.text.as_str()).collect();
    assert!(!text.contains(|c: char| c != '\n' && escape::acts(c)), "{text}");
    #[derive(serde::Deserialize)]
    struct Ledger {
        entries: Vec<LedgerEntry>,
    }
    let ledger: Ledger = serde_yaml::from_str(&format!("entries:\n{text}")).unwrap();
    assert_eq!(ledger.entries.len(), 2);
    let readings = &ledger.entries[0].readings;
    let escaped = "a\\x1b[2J: - # \"'`{[>|%@!& ";
    assert!(readings[0].starts_with("It is rejected: the suite, a (their-validator 1.2), "));
    assert!(readings[0].contains(escaped), "{readings:?}");
    assert_eq!(readings[1], "It is accepted: c (their-validator 1.2).");
    assert!(ledger.entries[0].question.starts_with("`project_id` has no more than 63"));
    assert!(
        text.contains("  # In rules.yaml, manifest.project_id.max-length gets ledger: [L5].\n")
    );
}

#[test]
fn the_text_fits_every_width() {
    let evil = "\u{1b}[2J\u{202e}日本語\u{9b}\0\r\n🦀".repeat(20);
    let mut reports = three(&[
        ("manifest/one::strict", [true, false, true]),
        ("manifest/two::strict", [false, true, false]),
    ]);
    reports[2].header.implementation.name.clone_from(&evil);
    reports[2].header.suites.insert(evil.clone(), evil);
    let comparison = compared(&reports);
    for (width, verbose) in [(20, false), (40, false), (80, false), (200, true)] {
        let options = ComparisonOptions { verbose, show_all: true, ..options(width) };
        let text = comparison_text(&comparison, &catalog(), options);
        for line in text.lines() {
            assert!(escape::width(line) <= width, "{width}: {line}");
            assert!(!line.contains(escape::acts), "{line:?}");
        }
    }
    let quiet =
        comparison_text(&comparison, &catalog(), ComparisonOptions { quiet: true, ..options(80) });
    assert!(!quiet.contains("manifest/one"), "{quiet}");
    assert!(quiet.contains("B against A: 1 regression at"), "{quiet}");
}

#[test]
fn markdown_has_no_markup_from_outside() {
    use pulldown_cmark::{Event as Md, Options, Parser, Tag};
    let evil = "</x><script> @someone [a](http://b) ```` | `x` *b* \n# h";
    let mut reports = three(&[("manifest/one::strict", [true, false, true])]);
    reports[1].header.implementation.name = evil.into();
    reports[1].cases[0].about = evil.into();
    reports[1].summary.implementation_version = Some(evil.into());
    let comparison = compared(&reports);
    let mut bytes = Vec::new();
    markdown::write(&comparison, &catalog(), &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let mut tables = 0;
    for event in Parser::new_ext(&text, Options::all()) {
        match event {
            Md::Html(_) | Md::InlineHtml(_) => panic!("{event:?} in {text}"),
            Md::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::Emphasis) => {
                panic!("{event:?} in {text}")
            }
            Md::Start(Tag::Table(_)) => tables += 1,
            _ => {}
        }
    }
    assert_eq!(tables, 3, "{text}");
}
