use std::time::Duration;

use super::super::testing::{self, MUST, expect, finding, fixture, id};
use super::*;

fn observe(outcome: Outcome, stdout: &str) -> Observation {
    Observation { stdout: stdout.into(), ..Observation::bare(outcome, Duration::ZERO) }
}

fn judge(expectation: Expectation, decides: &[&str], accepted: bool, stdout: &str) -> Judgement {
    let fixture = fixture("f", decides, expectation.clone(), expectation);
    judge_fixture(&fixture, &observe(Outcome::Decided { accepted }, stdout)).0
}

fn judge_fixture(fixture: &Fixture, observation: &Observation) -> (Judgement, Disposition) {
    let (rules, suite) = (testing::rules(), testing::suite());
    Judge { rules: &rules, grade: None }
        .case(fixture, "hard", &suite.operations["hard"], observation)
        .unwrap()
}

fn result(judgement: &Judgement) -> (Verdict, Level, usize) {
    (judgement.verdict, judgement.level, judgement.mismatches.len())
}

const PASS: (Verdict, Level, usize) = (Verdict::Pass, Level::None, 0);

#[test]
fn agreement_passes_in_each_grade() {
    let expected = || expect(Stance::Reject, &[finding("t.id.charset", "/id")]);
    for stdout in [
        "id is wrong",
        "t.id.charset: wrong",
        "warning: t.id.charset: wrong",
        r#"{"rule":"t.id.charset","at":"/id"}"#,
        r#"{"rule":"t.id.charset","at":"/id/0"}"#,
        r#"{"rule":"t.id.charset"}"#,
    ] {
        let judgement = judge(expected(), &["t.id.charset"], false, stdout);
        assert_eq!(result(&judgement), PASS, "{stdout}");
    }
}

#[test]
fn a_wrong_stance_weighs_what_the_fixture_decides() {
    let expected = || expect(Stance::Accept, &[]);
    let weigh = |decides: &[&str]| judge(expected(), decides, false, "").level;
    assert_eq!(weigh(&["t.id.charset", "t.open.may"]), MUST);
    assert_eq!(weigh(&["t.nice.wanted"]), Level::Should);
    assert_eq!(weigh(&["t.open.may"]), Level::May);
    assert_eq!(weigh(&[]), MUST, "a fixture without a golden");
    assert_eq!(weigh(&["t.unknown"]), MUST, "MUST NOT is graded as MUST");
}

#[test]
fn a_wrong_stance_names_the_rules_that_it_breaks() {
    let expected =
        expect(Stance::Reject, &[finding("t.id.charset", "/id"), finding("t.unknown", "/x")]);
    // Those that are found, and those that nothing but the verdict shows.
    let decides = ["t.id.charset", "t.id.max-length", "t.relation"];
    let judgement = judge(expected, &decides, true, "id x");
    assert_eq!(judgement.mismatches[0].rules(), vec![id("t.id.charset"), id("t.relation")]);
    let judgement = judge(expect(Stance::Accept, &[]), &["t.id.charset"], false, "");
    assert_eq!(judgement.mismatches[0].rules(), vec![id("t.id.charset")]);
}

#[test]
fn missing_findings_weigh_what_their_rule_says() {
    let one = |rule, at| expect(Stance::Reject, &[finding(rule, at)]);
    let judgement = judge(one("t.id.charset", "/id"), &["t.id.charset"], false, "");
    assert_eq!(result(&judgement), (Verdict::Fail, Level::Should, 1));
    let judgement = judge(one("t.unknown", "/foo"), &["t.unknown"], false, "rejected");
    assert_eq!(result(&judgement), (Verdict::Fail, MUST, 1));
}

#[test]
fn what_must_be_reported_must_be_named() {
    let both =
        || expect(Stance::Reject, &[finding("t.unknown", "/foo"), finding("t.unknown", "/bar")]);
    let named = "t.unknown: foo\nt.unknown: bar is not known";
    assert_eq!(result(&judge(both(), &["t.unknown"], false, named)), PASS);
    let one = judge(both(), &["t.unknown"], false, "t.unknown: foo");
    assert_eq!(result(&one), (Verdict::Fail, MUST, 1));
    let unnamed = |judgement: &Judgement| {
        let is_unnamed =
            |it: &&Weighed| matches!(it.mismatch, Mismatch::Missing { unnamed: true, .. });
        judgement.mismatches.iter().filter(is_unnamed).count()
    };
    assert_eq!(unnamed(&one), 1, "the other is reported, and not of what");
    let json = r#"{"rule": "t.unknown", "message": "a field"}"#;
    assert_eq!(unnamed(&judge(both(), &["t.unknown"], false, json)), 2);
    let elsewhere = r#"{"rule": "t.unknown", "at": "/other"}"#;
    assert_eq!(unnamed(&judge(both(), &["t.unknown"], false, elsewhere)), 0);
    assert_eq!(unnamed(&judge(both(), &["t.unknown"], false, "rejected")), 0);
    let none = judge(both(), &["t.unknown"], false, "t.unknown");
    assert_eq!(result(&none), (Verdict::Fail, MUST, 2));
}

#[test]
fn a_wrong_place_is_missing_and_extra() {
    let expected = expect(Stance::Reject, &[finding("t.id.charset", "/id")]);
    let judgement =
        judge(expected, &["t.id.charset"], false, r#"{"rule":"t.id.charset","at":"/other"}"#);
    assert_eq!(result(&judgement), (Verdict::Fail, Level::Should, 2));
}

#[test]
fn a_missing_field_may_be_reported_at_its_mapping() {
    let mut absent = finding("t.id.required", "/a/id");
    absent.absent = true;
    let at = |at: &str| {
        let line = format!(r#"{{"rule":"t.id.required","at":"{at}"}}"#);
        result(&judge(expect(Stance::Reject, &[absent.clone()]), &["t.id.required"], false, &line))
    };
    assert_eq!(at("/a/id"), PASS);
    assert_eq!(at("/a"), PASS);
    assert_eq!(at("").2, 2);
}

#[test]
fn findings_that_come_along_are_not_extra() {
    let expected = || expect(Stance::Reject, &[finding("t.id.charset", "/id")]);
    let along = [
        "t.id.charset: x\nt.id.max-length: y",
        "{\"rule\":\"t.id.charset\",\"at\":\"/id\"}\n{\"rule\":\"t.id.max-length\",\"at\":\"/id/3\"}",
    ];
    for stdout in along {
        let judgement = judge(expected(), &["t.id.charset"], false, stdout);
        assert_eq!(result(&judgement), PASS, "{stdout}");
    }
    let extra = [
        "t.id.charset: x\nt.nice.wanted: y",
        "t.id.charset: x\nt.unknown: y",
        "{\"rule\":\"t.id.charset\",\"at\":\"/id\"}\n{\"rule\":\"t.id.max-length\",\"at\":\"/idx\"}",
    ];
    for stdout in extra {
        let judgement = judge(expected(), &["t.id.charset"], false, stdout);
        assert_eq!(result(&judgement), (Verdict::Fail, Level::Should, 1), "{stdout}");
    }
}

#[test]
fn permitted_findings_may_be_there_or_not() {
    let mut expected = expect(Stance::Accept, &[]);
    expected.permitted = vec![finding("t.nice.wanted", "/nice")];
    for stdout in ["", "t.nice.wanted: please"] {
        assert_eq!(result(&judge(expected.clone(), &["t.id.charset"], true, stdout)), PASS);
    }
}

#[test]
fn an_open_case_passes_and_records_the_choice() {
    for accepted in [true, false] {
        let judgement =
            judge(expect(Stance::Either, &[]), &["t.doubt"], accepted, "t.id.charset: x");
        assert_eq!(result(&judgement), PASS);
        assert_eq!(judgement.choice.unwrap().stance, Stance::of(accepted));
    }
}

#[test]
fn no_decision_is_an_error_even_where_the_golden_is_open() {
    for stance in [Stance::Accept, Stance::Reject, Stance::Either] {
        let fixture = fixture("f", &["t.nice.wanted"], expect(stance, &[]), expect(stance, &[]));
        for outcome in [
            Outcome::WrongExit { code: 2 },
            Outcome::Crashed { by: "SIGSEGV".into() },
            Outcome::TimedOut { limit_ms: 1 },
        ] {
            let (judgement, _) = judge_fixture(&fixture, &observe(outcome, ""));
            assert_eq!(result(&judgement), (Verdict::Error, MUST, 1));
            assert!(judgement.fails(Level::Must));
            assert_eq!(judgement.choice, None);
        }
    }
}

#[test]
fn unsupported_is_a_disposition_and_no_failure_of_the_case() {
    let expected = || expect(Stance::Accept, &[]);
    let fixture = fixture("f", &["t.id.charset"], expected(), expected());
    let outcome = Outcome::Unsupported { reason: "no strict mode".into() };
    let (judgement, disposition) = judge_fixture(&fixture, &observe(outcome, ""));
    assert_eq!(disposition, Disposition::Unsupported { reason: "no strict mode".into() });
    assert!(judgement.mismatches.is_empty());
}

#[test]
fn one_line_a_rule_where_the_operation_asks_for_it() {
    let expected = || expect(Stance::Reject, &[finding("t.unknown", "/foo")]);
    let fixture = fixture("f", &["t.unknown"], expected(), expected());
    let (rules, suite) = (testing::rules(), testing::suite());
    let operation =
        Operation { one_line_rule: Some(id("t.one-line")), ..suite.operations["hard"].clone() };
    let observation =
        observe(Outcome::Decided { accepted: false }, "t.unknown: foo\nt.unknown: foo again");
    let judge = Judge { rules: &rules, grade: None };
    let (judgement, _) = judge.case(&fixture, "hard", &operation, &observation).unwrap();
    assert_eq!(result(&judgement), (Verdict::Fail, Level::Should, 1));
    assert_eq!(judgement.mismatches[0].rules(), vec![id("t.one-line")]);
}

#[test]
fn without_a_golden_only_the_stance_is_judged() {
    let expectation = Expectation { findings: None, ..expect(Stance::Reject, &[]) };
    assert_eq!(result(&judge(expectation, &[], false, "t.id.charset: x")), PASS);
}

#[test]
fn contradicting_decisions_are_charged_to_the_one_that_accepted() {
    let (rules, suite) = (testing::rules(), testing::suite());
    let judge = Judge { rules: &rules, grade: None };
    let relate = |hard: bool, soft: bool| {
        let open = expect(Stance::Either, &[]);
        let fixture = fixture("f", &["t.doubt"], open.clone(), open);
        let mut judgements = BTreeMap::new();
        for (name, accepted) in [("hard", hard), ("soft", soft)] {
            let observation = observe(Outcome::Decided { accepted }, "");
            let (judgement, _) =
                judge.case(&fixture, name, &suite.operations[name], &observation).unwrap();
            judgements.insert(name.to_owned(), judgement);
        }
        let decisions = BTreeMap::from([("hard".to_owned(), hard), ("soft".to_owned(), soft)]);
        judge.relate(&suite, &decisions, &mut judgements);
        (judgements["hard"].verdict, judgements["soft"].verdict)
    };
    assert_eq!(relate(true, false), (Verdict::Fail, Verdict::Pass));
    for (hard, soft) in [(true, true), (false, true), (false, false)] {
        assert_eq!(relate(hard, soft), (Verdict::Pass, Verdict::Pass));
    }
}
