use serde_json::{Value, json};

use super::*;
use crate::certify::Claims;

fn id(digit: &str) -> String {
    format!("sha256:{}", digit.repeat(64))
}

fn example() -> Value {
    json!({
        "schema": RECEIPT_SCHEMA,
        "project": "example-runtime",
        "project_revision": id("3"),
        "subject": id("5"),
        "suite": {"id": "living-repositories", "version": "0.4.0", "revision": id("6")},
        "tests": 394,
        "result": id("4"),
        "evidence": {"test-runner": id("2"), "test-report": id("1")},
    })
}

const IDENTITY: &str = "sha256:17c1625ab97237f09db3cc598ee6ec5ba749b1508809ee4f81a5849dff38f93d";

fn policy_example() -> Value {
    json!({
        "schema": "urn:literate-ai:schema:v1:project-test-receipt-policy",
        "suite_id": "living-repositories",
        "suite_version": "0.4.0",
        "runner_identity": {
            "schema": "urn:literate-ai:schema:v1:content-identity",
            "algorithm": "sha256",
            "digest": "2".repeat(64),
        },
        "required_evidence_kinds": ["test-runner", "test-report"],
        "minimum_test_count": 394,
    })
}

fn canonical(value: &Value) -> Vec<u8> {
    canonical_form(value).unwrap()
}

/// The value with another one at a pointer; `None` takes it away.
fn with(mut value: Value, pointer: &str, new: Option<Value>) -> Value {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = value.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    match new {
        Some(new) => parent.insert(key.to_owned(), new),
        None => parent.remove(key),
    };
    value
}

fn codes(refusals: &[Refusal]) -> Vec<String> {
    refusals.iter().map(|refusal| format!("{} {}", refusal.code(), refusal.at())).collect()
}

fn receipt_codes(bytes: &[u8]) -> Vec<String> {
    codes(&Receipt::parse(bytes).err().unwrap_or_default())
}

#[test]
fn the_published_receipt_is_read_and_has_its_identity() {
    let bytes = canonical(&example());
    for end in ["", "\n"] {
        let receipt = Receipt::parse(&[&bytes, end.as_bytes()].concat()).unwrap();
        assert_eq!(receipt.identity().as_str(), IDENTITY);
        assert_eq!(receipt.canonical(), bytes);
        assert_eq!(receipt.claims().tests, 394);
        assert_eq!(Receipt::new(receipt.claims().clone()).unwrap(), receipt);
    }
}

#[test]
fn another_spelling_is_refused() {
    let text = String::from_utf8(canonical(&example())).unwrap();
    for other in [
        format!("{text}\n\n"),
        format!("{text}\r\n"),
        format!("{text} "),
        format!(" {text}"),
        text.replace("394", "394.0"),
        text.replace("394", "3.94e2"),
        text.replace("example", "\\u0065xample"),
        text.replace("\":", "\": "),
        serde_json::to_string_pretty(&example()).unwrap(),
    ] {
        assert_eq!(receipt_codes(other.as_bytes()), ["receipt.document.canonical "], "{other}");
    }
    let twice = text.replace("\"tests\":394", "\"tests\":394,\"tests\":394");
    assert_eq!(
        receipt_codes(twice.as_bytes()),
        ["receipt.document.unique-keys /tests", "receipt.document.canonical "]
    );
    let bom = format!("\u{feff}{text}");
    assert_eq!(receipt_codes(bom.as_bytes()), ["receipt.document.parse "]);
    assert_eq!(receipt_codes(b"[]"), ["receipt.document.object "]);
    assert_eq!(receipt_codes(b""), ["receipt.document.parse "]);
}

#[test]
fn each_departure_from_the_form_has_its_code_and_place() {
    let cases = [
        ("/schema", None, "receipt.schema.required /schema"),
        ("/schema", Some(json!("urn:other")), "receipt.schema.value /schema"),
        ("/schema", Some(json!(null)), "receipt.schema.type /schema"),
        ("/project", Some(json!("")), "receipt.project.length /project"),
        ("/project", Some(json!("x".repeat(4097))), "receipt.project.length /project"),
        (
            "/project_revision",
            Some(json!(id("A"))),
            "receipt.project_revision.form /project_revision",
        ),
        ("/subject", Some(json!("1".repeat(64))), "receipt.subject.form /subject"),
        ("/suite", Some(json!([])), "receipt.suite.type /suite"),
        ("/suite/id", None, "receipt.suite.id.required /suite/id"),
        ("/suite/version", Some(json!("v0.4.0")), "receipt.suite.version.semver /suite/version"),
        ("/suite/kind", Some(json!("x")), "receipt.suite.unknown-field /suite/kind"),
        ("/tests", Some(json!(0)), "receipt.tests.minimum /tests"),
        ("/tests", Some(json!(-1)), "receipt.tests.minimum /tests"),
        ("/tests", Some(json!(1.5)), "receipt.tests.type /tests"),
        ("/tests", Some(json!("394")), "receipt.tests.type /tests"),
        ("/tests", Some(json!(9_007_199_254_740_992_u64)), "receipt.tests.exact /tests"),
        ("/result", None, "receipt.result.required /result"),
        ("/evidence", None, "receipt.evidence.required /evidence"),
        ("/evidence/log", Some(json!(id("1"))), "receipt.evidence.kinds /evidence/log"),
        (
            "/evidence/test-report",
            Some(json!(1)),
            "receipt.evidence.entry.type /evidence/test-report",
        ),
        (
            "/evidence/test-report",
            Some(json!("x")),
            "receipt.evidence.entry.form /evidence/test-report",
        ),
        ("/passed", Some(json!(394)), "receipt.unknown-field /passed"),
    ];
    for (pointer, new, expected) in cases {
        let bytes = canonical(&with(example(), pointer, new));
        assert_eq!(receipt_codes(&bytes), [expected], "{pointer}");
    }
    assert!(receipt_codes(&canonical(&with(example(), "/evidence", Some(json!({}))))).is_empty());
    let all: serde_json::Map<_, _> =
        EvidenceKind::all().map(|kind| (kind.as_str().to_owned(), json!(id("1")))).collect();
    assert!(receipt_codes(&canonical(&with(example(), "/evidence", Some(all.into())))).is_empty());
}

#[test]
fn a_receipt_may_stand_in_a_larger_object() {
    let wrap = |identity: Value| {
        let outer = json!({"receipt": example(), "receipt_identity": identity, "more": [1]});
        serde_json::to_vec_pretty(&outer).unwrap()
    };
    assert_eq!(Receipt::parse(&wrap(json!(IDENTITY))).unwrap().identity().as_str(), IDENTITY);
    for other in [json!(id("0")), json!(IDENTITY.to_uppercase()), json!(null), json!(1)] {
        assert_eq!(receipt_codes(&wrap(other)), ["receipt.embedded.identity /receipt_identity"]);
    }
    let inner = with(json!({"receipt": example()}), "/receipt/tests", Some(json!(0)));
    assert_eq!(receipt_codes(&canonical(&inner)), ["receipt.tests.minimum /receipt/tests"]);
    assert_eq!(receipt_codes(br#"{"receipt": 1}"#), ["receipt.document.object /receipt"]);
    let both = with(example(), "/receipt", Some(example()));
    assert_eq!(receipt_codes(&canonical(&both)), ["receipt.unknown-field /receipt"]);
}

#[test]
fn a_policy_is_an_object_in_any_spelling() {
    let policy = Policy::parse(&serde_json::to_vec_pretty(&policy_example()).unwrap()).unwrap();
    assert_eq!(policy.runner().as_str(), id("2"));
    assert_eq!(policy.minimum_tests(), 394);
    let cases = [
        ("/schema", Some(json!(RECEIPT_SCHEMA)), "policy.schema.value /schema"),
        ("/suite_id", None, "policy.suite_id.required /suite_id"),
        ("/suite_version", Some(json!("1")), "policy.suite_version.semver /suite_version"),
        ("/runner_identity", Some(json!(id("2"))), "policy.runner_identity.type /runner_identity"),
        (
            "/runner_identity/algorithm",
            Some(json!("sha512")),
            "policy.runner_identity.algorithm.value /runner_identity/algorithm",
        ),
        (
            "/runner_identity/digest",
            Some(json!(id("2"))),
            "policy.runner_identity.digest.form /runner_identity/digest",
        ),
        (
            "/runner_identity/more",
            Some(json!(1)),
            "policy.runner_identity.unknown-field /runner_identity/more",
        ),
        (
            "/required_evidence_kinds",
            Some(json!([])),
            "policy.required_evidence_kinds.min-items /required_evidence_kinds",
        ),
        (
            "/required_evidence_kinds",
            Some(json!(["test-report"])),
            "policy.required_evidence_kinds.test-runner /required_evidence_kinds",
        ),
        (
            "/required_evidence_kinds",
            Some(json!(["test-runner", "test-runner"])),
            "policy.required_evidence_kinds.unique /required_evidence_kinds",
        ),
        (
            "/required_evidence_kinds",
            Some(json!(["test-runner", "cache-directory-custody"])),
            "policy.required_evidence_kinds.kinds /required_evidence_kinds/1",
        ),
        (
            "/required_evidence_kinds",
            Some(json!([1, "test-runner"])),
            "policy.required_evidence_kinds.entry.type /required_evidence_kinds/0",
        ),
        (
            "/minimum_test_count",
            Some(json!(0)),
            "policy.minimum_test_count.minimum /minimum_test_count",
        ),
        ("/x-more", Some(json!(0)), "policy.unknown-field /x-more"),
    ];
    for (pointer, new, expected) in cases {
        let bytes = canonical(&with(policy_example(), pointer, new));
        assert_eq!(codes(&Policy::parse(&bytes).unwrap_err()), [expected], "{pointer}");
    }
}

#[test]
fn a_policy_admits_what_it_names() {
    let policy = |pointer: &str, new: Value| {
        Policy::parse(&canonical(&with(policy_example(), pointer, Some(new)))).unwrap()
    };
    let receipt = Receipt::parse(&canonical(&example())).unwrap();
    let refused = |pointer, new| codes(&policy(pointer, new).refuses(&receipt));
    assert!(refused("/minimum_test_count", json!(1)).is_empty());
    assert!(refused("/minimum_test_count", json!(394)).is_empty());
    let too_few = ["receipt.policy.too-few-tests /tests"];
    assert_eq!(refused("/minimum_test_count", json!(395)), too_few);
    let suite = ["receipt.policy.suite-id-mismatch /suite/id"];
    assert_eq!(refused("/suite_id", json!("living-repositories-2")), suite);
    let version = ["receipt.policy.suite-version-mismatch /suite/version"];
    assert_eq!(refused("/suite_version", json!("0.4.1")), version);
    let runner = ["receipt.policy.runner-mismatch /evidence/test-runner"];
    assert_eq!(refused("/runner_identity/digest", json!("1".repeat(64))), runner);
    let kinds = json!(["test-runner", "build-result", "resolved-sbom"]);
    assert_eq!(
        refused("/required_evidence_kinds", kinds),
        [
            "receipt.policy.evidence-missing /evidence/build-result",
            "receipt.policy.evidence-missing /evidence/resolved-sbom",
        ]
    );
    let bare = Claims { evidence: Default::default(), ..receipt.claims().clone() };
    assert_eq!(
        codes(&policy("/minimum_test_count", json!(1)).refuses(&Receipt::new(bare).unwrap())),
        [
            "receipt.policy.evidence-missing /evidence/test-runner",
            "receipt.policy.evidence-missing /evidence/test-report",
        ]
    );
}

#[test]
fn no_receipt_is_made_of_claims_that_have_none() {
    let receipt = Receipt::parse(&canonical(&example())).unwrap();
    let refused = |change: fn(&mut Claims)| {
        let mut claims = receipt.claims().clone();
        change(&mut claims);
        codes(&Receipt::new(claims).unwrap_err())
    };
    assert_eq!(refused(|claims| claims.tests = 0), ["receipt.tests.minimum /tests"]);
    assert_eq!(refused(|claims| claims.tests = u64::MAX), ["receipt.tests.exact /tests"]);
    assert_eq!(refused(|claims| claims.project.clear()), ["receipt.project.length /project"]);
}
