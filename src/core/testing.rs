//! A small suite for the unit tests of the core.

use std::collections::BTreeMap;

use super::{
    CaseId, CaseRecord, Category, Disposition, Expectation, ExpectedFinding, Fixture, FixtureId,
    Grade, Header, ImplementationInfo, Judgement, Level, Mismatch, Outcome, Protocol, Rule, RuleId,
    RuleTable, Stance, Suite, Verdict, Weighed,
};

pub(crate) fn id(text: &str) -> RuleId {
    RuleId::new(text).unwrap()
}

/// Rules: `t.id.{charset,max-length,required}` MUST, `t.unknown` MUST that must
/// be reported, `t.nice.wanted` SHOULD, `t.open.may` MAY, `t.one-line` SHOULD and
/// `t.relation` MUST shown by the verdict.
pub(crate) fn rules() -> RuleTable {
    let mut table = RuleTable::default();
    let text = "
- {id: t.id.charset, level: MUST, names: ['{field}', '{value}'], effect: {soft: warn, hard: reject}}
- {id: t.id.max-length, level: MUST, names: ['{field}'], effect: {soft: warn, hard: reject}}
- {id: t.id.required, level: MUST, names: ['{field}'], effect: {soft: reject, hard: reject}}
- {id: t.unknown, level: MUST NOT, report: MUST, names: ['{field}', '{value}'], effect: {soft: warn, hard: reject}}
- {id: t.nice.wanted, level: SHOULD, names: [nice], effect: {soft: warn, hard: warn}}
- {id: t.open.may, level: MAY, shown-by: verdict}
- {id: t.one-line, level: SHOULD, shown-by: verdict}
- {id: t.relation, level: MUST, shown-by: verdict}
- {id: t.later, level: MUST, since: v0.3.0, names: [later], effect: {hard: reject}}
- {id: t.never, level: MUST, excluded: only a running program shows it}
- {id: t.doubt, level: MUST, shown-by: verdict}
";
    let rows: Vec<serde_json::Map<String, serde_json::Value>> = serde_yaml::from_str(text).unwrap();
    for mut row in rows {
        row.entry("since").or_insert("v0.1.0".into());
        row.insert("section".into(), "Fields".into());
        row.insert("statement".into(), "it holds".into());
        let rule: Rule = serde_json::from_value(row.into()).unwrap();
        table.add_rule("t", rule).unwrap();
    }
    table
}

pub(crate) fn suite() -> Suite {
    serde_yaml::from_str(
        "
suite: t
title: T
about: a suite for tests
version: 0.1.0
protocols: [v0.1, v0.3]
documents: {doc: {about: the document, files: [doc.yaml]}}
operations:
  soft: {about: lenient, class: soft-checker, argv: [check, '{doc}']}
  hard: {about: strict, class: hard-checker, argv: [check, --hard, '{doc}']}
relations: [{rule: t.relation, when-accepts: hard, then-accepts: soft}]
",
    )
    .unwrap()
}

pub(crate) fn finding(rule: &str, at: &str) -> ExpectedFinding {
    ExpectedFinding { rule: id(rule), at: at.into(), value: None, absent: false }
}

pub(crate) fn expect(stance: Stance, findings: &[ExpectedFinding]) -> Expectation {
    Expectation {
        stance,
        findings: Some(findings.to_vec()),
        permitted: Vec::new(),
        ledger: Vec::new(),
    }
}

pub(crate) fn fixture(
    path: &str,
    decides: &[&str],
    soft: Expectation,
    hard: Expectation,
) -> Fixture {
    Fixture {
        about: "a fixture".into(),
        category: Some(Category::Example),
        decides: decides.iter().copied().map(id).collect(),
        cases: BTreeMap::from([("soft".into(), Box::new(soft)), ("hard".into(), Box::new(hard))]),
        has_golden: true,
        location: path.into(),
        ..Fixture::of(FixtureId::new(&format!("t/{path}")).unwrap(), Vec::new())
    }
}

/// A case that was to be rejected for `t.id.charset`, and was.
pub(crate) fn passing(case: &str) -> CaseRecord {
    CaseRecord {
        id: CaseId::try_from(case.to_owned()).unwrap(),
        class: "hard-checker".into(),
        weight: Level::Must,
        about: "a fixture".into(),
        decides: vec![id("t.id.charset")],
        golden: true,
        expected: expect(Stance::Reject, &[finding("t.id.charset", "/id")]),
        observed: Outcome::Decided { accepted: false },
        judgement: Judgement {
            verdict: Verdict::Pass,
            level: Level::None,
            mismatches: Vec::new(),
            findings: Vec::new(),
            grade: Grade::Text,
            choice: None,
        },
        disposition: Disposition::Judged,
        duration_us: 1,
        stdout: String::new(),
        stderr: String::new(),
    }
}

/// The same accepted, or, at another level than MUST, rejected without the finding.
pub(crate) fn failing(case: &str, level: Level) -> CaseRecord {
    let mut case = passing(case);
    let mismatch = if level.is_must() {
        case.observed = Outcome::Decided { accepted: true };
        Mismatch::Stance {
            expected: Stance::Reject,
            observed: Stance::Accept,
            rules: vec![id("t.id.charset")],
        }
    } else {
        Mismatch::Missing { finding: finding("t.id.charset", "/id"), unnamed: false }
    };
    case.judgement.verdict = Verdict::Fail;
    case.judgement.level = level;
    case.judgement.mismatches = vec![Weighed { level, mismatch }];
    case
}

/// The header of a run of no case.
pub(crate) fn header() -> Header {
    let classes = ["hard-checker", "soft-checker"];
    Header {
        program: "0.1.0".into(),
        spec: "T".into(),
        suites: BTreeMap::from([("t".into(), "0.1.0".into())]),
        suite_digest: format!("sha256:{}", "0".repeat(64)),
        implementation: ImplementationInfo {
            driver: "exec".into(),
            name: "theirs".into(),
            command: vec!["./theirs".into()],
            version: None,
        },
        protocol: Protocol::new(0, 1),
        enforce: Level::Must,
        cases: 0,
        advisory: 0,
        without_golden: 0,
        left_out: classes.map(|class| (class.to_owned(), BTreeMap::new())).into(),
        shard: None,
        variants: None,
        reproduce: Vec::new(),
    }
}

/// The highest level there is, to compare against.
pub(crate) const MUST: Level = Level::Must;
