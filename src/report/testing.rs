//! Events made by hand for the tests of the reporters.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use super::Catalog;
use crate::core::testing::{expect, passing};
pub(super) use crate::core::testing::{finding, id as rule};
use crate::core::*;

/// Five rules of the manifest, one open question, and a fixture `manifest/a`.
pub(super) fn catalog() -> Arc<Catalog> {
    let rows = "
- {id: manifest.project_id.max-length, level: MUST, statement: '`project_id` has no more than 63 characters.', names: ['{field}', '{value}']}
- {id: manifest.project_id.charset, level: MUST, statement: '`project_id` is made of the letters a to z, digits and hyphens, and of nothing else whatever it may be.', names: ['{field}']}
- {id: manifest.secrets.pattern, level: MUST, statement: A name in `secrets` is in capitals.}
- {id: manifest.snapshot.recommended, level: SHOULD, statement: '`snapshot` is there.'}
- {id: manifest.secrets.no-values, level: MUST NOT, statement: No value of a secret is in it., excluded: a name may be anything}
";
    let rows: Vec<serde_json::Map<String, serde_json::Value>> = serde_yaml::from_str(rows).unwrap();
    let mut rules = RuleTable::default();
    for mut row in rows {
        row.insert("since".into(), "v0.1.0".into());
        row.insert("section".into(), "Fields".into());
        rules.add_rule("manifest", serde_json::from_value(row.into()).unwrap()).unwrap();
    }
    let entry = "{id: L4, class: unknown, question: Is a key that stands twice an error?, readings: [yes it is, no], suite: both}";
    rules.add_ledger("manifest", serde_yaml::from_str(entry).unwrap()).unwrap();
    let fixture = Arc::new(fixture());
    let (table, decided) = (rules.clone(), Arc::clone(&fixture));
    let coverage =
        Deferred::new(move || Coverage::of(&table, Protocol::new(0, 4), [decided.as_ref()]));
    let fixtures = BTreeMap::from([(fixture.id.clone(), fixture)]);
    let suite = "{suite: manifest, title: M, about: a, version: 0.1.0, protocols: [v0.4], \
                 documents: {manifest: {about: a, files: [manifest.yaml]}}, operations: {}}";
    let suites = vec![serde_yaml::from_str(suite).unwrap()];
    Arc::new(Catalog { suites, rules, coverage, adequacy: Default::default(), fixtures })
}

pub(super) const MANIFEST: &str = "\
# The smallest manifest, but for its name.
protocol_version: v0.4.0
project_id: a-name-that-goes-on-and-on-and-on-until-it-is-longer-than-it-may-be-at-all
agent_capabilities: [read_repo]
";

fn fixture() -> Fixture {
    let found = finding("manifest.project_id.max-length", "/project_id");
    let expectation = expect(Stance::Reject, &[found]);
    let document = Document {
        name: "manifest".into(),
        path: "manifest.yaml".into(),
        bytes: MANIFEST.as_bytes().into(),
    };
    Fixture {
        about: "one character over the limit".into(),
        category: Some(Category::Boundary),
        decides: vec![rule("manifest.project_id.max-length")],
        cases: BTreeMap::from([("strict".into(), Box::new(expectation))]),
        has_golden: true,
        location: "fixtures/manifest/a".into(),
        ..Fixture::of(FixtureId::new("manifest/a").unwrap(), vec![document])
    }
}

pub(super) fn header(cases: usize) -> Header {
    Header {
        spec: "Living Repositories Protocol".into(),
        suites: BTreeMap::from([("manifest".into(), "0.1.0".into())]),
        implementation: ImplementationInfo {
            driver: "exec".into(),
            name: "their-validator".into(),
            command: vec!["./their-validator".into()],
            version: None,
        },
        protocol: Protocol::new(0, 4),
        cases,
        left_out: BTreeMap::from([("validator-strict".into(), BTreeMap::new())]),
        reproduce: ["living-conformance", "--impl", "./their-validator", "--exact", "{case}"]
            .map(str::to_owned)
            .into(),
        ..crate::core::testing::header()
    }
}

pub(super) fn started() -> Event {
    Event::Started(Box::new(header(1)))
}

pub(super) fn missing(rule_id: &str, at: &str) -> Mismatch {
    Mismatch::Missing { finding: finding(rule_id, at), unnamed: false }
}

pub(super) fn reported(rule: &str, at: Option<&str>, message: Option<&str>) -> ReportedFinding {
    ReportedFinding {
        rule: rule.into(),
        at: at.map(str::to_owned),
        severity: None,
        message: message.map(str::to_owned),
    }
}

pub(super) fn passing_case(id: &str) -> CaseRecord {
    let found = finding("manifest.project_id.max-length", "/project_id");
    let mut case = CaseRecord {
        class: "validator-strict".into(),
        about: "one character over the limit".into(),
        decides: vec![found.rule.clone()],
        expected: expect(Stance::Reject, &[found]),
        duration_us: 1_234,
        stdout: "manifest.project_id.max-length: too long\n".into(),
        ..passing(id)
    };
    case.judgement.grade = Grade::Tagged;
    case
}

pub(super) fn failing_case(
    id: &str,
    observed: Outcome,
    mismatches: &[(Level, Mismatch)],
) -> CaseRecord {
    let mut case = passing_case(id);
    case.observed = observed;
    let undecided =
        mismatches.iter().any(|(_, mismatch)| matches!(mismatch, Mismatch::NoDecision { .. }));
    case.judgement.verdict = if undecided { Verdict::Error } else { Verdict::Fail };
    case.judgement.level = mismatches.iter().map(|(level, _)| level.grade()).max().unwrap();
    case.judgement.mismatches = mismatches
        .iter()
        .map(|(level, mismatch)| Weighed { level: *level, mismatch: mismatch.clone() })
        .collect();
    case
}

/// Accepted, and was to be rejected for a rule.
pub(super) fn stance_case(id: &str, broken: &str) -> CaseRecord {
    let mismatches = [
        (
            Level::Must,
            Mismatch::Stance {
                expected: Stance::Reject,
                observed: Stance::Accept,
                rules: vec![rule(broken)],
            },
        ),
        (Level::Should, missing(broken, "/project_id")),
    ];
    let mut case = failing_case(id, Outcome::Decided { accepted: true }, &mismatches);
    case.expected.findings = Some(vec![finding(broken, "/project_id")]);
    case.stdout = "ok\n".into();
    case
}

/// Reports what is not broken.
pub(super) fn extra_case(id: &str, reported_rule: &str) -> CaseRecord {
    let extra = Mismatch::Extra {
        finding: reported(reported_rule, Some("/project_id"), Some("what is this?")),
        known: reported_rule.starts_with("manifest."),
    };
    failing_case(id, Outcome::Decided { accepted: false }, &[(Level::Should, extra)])
}

/// Crashes, and leaves hostile output.
pub(super) fn crash_case(id: &str) -> CaseRecord {
    let outcome = Outcome::Crashed { by: "SIGSEGV".into() };
    let mismatch = Mismatch::NoDecision { outcome: outcome.clone(), rule: None };
    let mut case = failing_case(id, outcome, &[(Level::Must, mismatch)]);
    case.stdout = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}evil\0\n".into();
    case.stderr = format!("{}\r{}\n", "日本語🦀".repeat(40), "x".repeat(100));
    case
}

/// The events of a run of these cases, of which `planned` were planned.
pub(super) fn run(cases: &[CaseRecord], mut header: Header, planned: usize) -> Vec<Event> {
    header.cases = planned;
    let mut count = Count::new(&header);
    cases.iter().for_each(|case| count.add(case));
    let version = Some("their-validator 1.2".to_owned());
    let summary = count.finish(&catalog().coverage, &BTreeMap::new(), None, version, 1_500_000);
    let mut events = vec![Event::Started(Box::new(header))];
    events.extend(cases.iter().map(|case| Event::Case(Box::new(case.clone()))));
    events.push(Event::Finished(Box::new(summary)));
    events
}

/// The document of such a run.
pub(super) fn report(cases: &[CaseRecord], header: Header) -> super::Report {
    let mut gather = super::Gather::default();
    run(cases, header, cases.len()).iter().for_each(|event| gather.take(event));
    gather.into_report(&catalog()).unwrap()
}

/// What a reporter writes of it.
pub(super) fn written(
    report: &super::Report,
    write: fn(&super::Report, &Catalog, &mut dyn Write) -> io::Result<()>,
) -> String {
    let mut bytes = Vec::new();
    write(report, &catalog(), &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// A failure that is expected, a case that passes against the list, and a flaky one.
pub(super) fn listed_and_flaky() -> Vec<CaseRecord> {
    let listed = Listed {
        entry: "ci/expect.yaml:7".into(),
        reason: "not done \u{1b}[31m# yet".into(),
        tracker: Some("https://tracker.invalid/7".into()),
    };
    let mut expected = stance_case("manifest/known::strict", "manifest.project_id.max-length");
    expected.disposition = Disposition::ExpectedFailure(listed.clone());
    let mut passes = passing_case("manifest/fixed::strict");
    passes.disposition = Disposition::UnexpectedPass(listed);
    let flaky = stance_case("manifest/flaky::strict", "manifest.project_id.max-length");
    let flaky = flaky.tried_again(vec![passing_case("manifest/flaky::strict")]);
    vec![expected, passes, flaky]
}

/// A run of these, with an entry of the list that has expired.
pub(super) fn listed_report() -> super::Report {
    let mut report = report(&listed_and_flaky(), header(3));
    let on = "2026-01-01".parse().unwrap();
    report.summary.misfits = vec![Misfit {
        entry: "ci/expect.yaml:9".into(),
        name: "rule manifest.secrets.pattern".into(),
        why: MisfitWhy::Expired { on },
    }];
    report
}

/// A case that counts, and three that are no part of the release: one passes, one fails,
/// one is not supported.
pub(super) fn advisory_report() -> super::Report {
    let aside = |mut case: CaseRecord, advisory: Advisory| {
        case.disposition = case.disposition.aside(advisory);
        case
    };
    let mut none = passing_case("manifest/none::strict");
    none.disposition = Disposition::Unsupported { reason: "no".into() };
    let fails = stance_case("manifest/fails::strict", "manifest.project_id.max-length");
    let because = Advisory::changed(Some("a \u{1b}[31m# slip".into()));
    let cases = [
        passing_case("manifest/counts::strict"),
        aside(fails, because),
        aside(passing_case("manifest/newer::strict"), Advisory::newer()),
        aside(none, Advisory::newer()),
    ];
    report(&cases, Header { advisory: 3, ..header(4) })
}

/// A case for every form that an outcome and a mismatch take.
pub(super) fn every_form() -> Vec<CaseRecord> {
    let mut cases = vec![
        passing_case("manifest/pass::strict"),
        stance_case("manifest/stance::strict", "manifest.project_id.max-length"),
        extra_case("manifest/extra::strict", "manifest.project_id.charset"),
        extra_case("manifest/unknown::strict", "what is this"),
        crash_case("manifest/crash::strict"),
    ];
    for (name, outcome) in [
        ("exit", Outcome::WrongExit { code: -7 }),
        ("time", Outcome::TimedOut { limit_ms: 10_000 }),
        ("flood", Outcome::Flooded { stream: Stream::Stderr, limit: 1 << 20 }),
        ("tamper", Outcome::Tampered { what: "manifest.yaml".into() }),
        ("broke", Outcome::BrokeProtocol { what: "no reply".into() }),
    ] {
        let rule = Some(rule("manifest.secrets.pattern"));
        let mismatch = Mismatch::NoDecision { outcome: outcome.clone(), rule };
        let id = format!("manifest/{name}::strict");
        cases.push(failing_case(&id, outcome, &[(Level::Must, mismatch)]));
    }
    let decided = Outcome::Decided { accepted: true };
    let repeated = Mismatch::Repeated {
        finding: "manifest.secrets.pattern".into(),
        lines: 3,
        rule: rule("manifest.secrets.pattern"),
    };
    let relation = Mismatch::Relation {
        rule: rule("manifest.secrets.pattern"),
        accepted: "strict".into(),
        rejected: "lenient".into(),
    };
    cases.push(failing_case(
        "manifest/more::strict",
        decided.clone(),
        &[(Level::MustNot, relation), (Level::May, repeated)],
    ));
    let mut unsupported = passing_case("manifest/unsupported::strict");
    unsupported.observed = Outcome::Unsupported { reason: "no".into() };
    unsupported.disposition = Disposition::Unsupported { reason: "no".into() };
    cases.push(unsupported);
    let mut open = passing_case("manifest/open::strict");
    open.golden = false;
    open.expected.stance = Stance::Either;
    open.expected.findings = None;
    open.expected.permitted = vec![finding("manifest.secrets.pattern", "")];
    open.expected.ledger = vec![LedgerId::new("L4").unwrap()];
    open.observed = decided;
    open.judgement.choice =
        Some(Choice { ledger: vec![LedgerId::new("L4").unwrap()], stance: Stance::Accept });
    open.judgement.findings = vec![reported("a.b", None, Some("words"))];
    cases.push(open);
    cases
}
