//! Test receipts, and the policies that admit them.

use super::super::fault::Fault;
use crate::certify::{EvidenceKind, REFERENCE};

const PARSE: &str = "receipt.document.parse";
const CANONICAL: &str = "receipt.document.canonical";
const EXIT: &str = "receipt.exit-code";
const RECEIPT_CHECKED: &str = "receipt.policy.receipt-checked";
const POLICY_CHECKED: &str = "receipt.policy.policy-checked";
const SUBJECT: &str = "receipt.subject.form";
const VERSION: &str = "receipt.suite.version.semver";
const TESTS: &str = "receipt.tests.minimum";
const KINDS: &str = "policy.required_evidence_kinds.kinds";

fn identity(text: &str) -> bool {
    (REFERENCE.identity)(text)
}

fn version(text: &str) -> bool {
    (REFERENCE.version)(text)
}

pub(super) const FAULTS: &[Fault] = &[
    Fault::receipt_test(
        "receipt-any-spelling",
        "does not ask for the canonical form",
        &[CANONICAL],
        |p| {
            p.canonical = |_, _| true;
        },
    ),
    Fault::receipt_test(
        "receipt-no-final-newline",
        "refuses a newline at the end of a receipt",
        &["receipt.document.final-newline"],
        |p| {
            p.canonical =
                |bytes, value| !bytes.ends_with(b"\n") && (REFERENCE.canonical)(bytes, value);
        },
    ),
    Fault::receipt_test(
        "receipt-final-newline-needed",
        "wants a newline at the end of a receipt",
        &["receipt.document.final-newline", CANONICAL],
        |p| {
            p.canonical =
                |bytes, value| bytes.ends_with(b"\n") && (REFERENCE.canonical)(bytes, value);
        },
    ),
    Fault::receipt_test(
        "receipt-trimmed",
        "cuts all white space off a receipt",
        &[CANONICAL],
        |p| {
            p.canonical = |bytes, value| (REFERENCE.canonical)(bytes.trim_ascii(), value);
        },
    ),
    Fault::receipt_test(
        "receipt-keys-in-any-order",
        "compares a receipt with itself written again in its own order",
        &[CANONICAL],
        |p| {
            p.canonical = |bytes, value| {
                let sorted = |text: &[u8]| {
                    let mut bytes = text.trim_ascii().to_vec();
                    bytes.sort_unstable();
                    bytes
                };
                serde_json::to_vec(value).is_ok_and(|again| sorted(&again) == sorted(bytes))
            };
        },
    ),
    Fault::receipt_test(
        "receipt-duplicate-keys",
        "takes the last of two equal keys",
        &["receipt.document.unique-keys"],
        |p| p.unique_keys = false,
    ),
    Fault::receipt_test(
        "receipt-open",
        "passes over keys that it does not know",
        &["receipt.unknown-field", "receipt.suite.unknown-field", "policy.unknown-field"],
        |p| p.closed = false,
    ),
    Fault::receipt_test(
        "identity-capitals",
        "takes capital hexadecimal digits",
        &[SUBJECT, "receipt.result.form"],
        |p| {
            p.identity = |text| identity(text) || identity(&text.to_ascii_lowercase());
            p.digest = |text| (REFERENCE.digest)(&text.to_ascii_lowercase());
        },
    ),
    Fault::receipt_test(
        "identity-without-algorithm",
        "takes a digest without its algorithm",
        &[SUBJECT, "receipt.evidence.entry.form"],
        |p| {
            p.identity = |text| identity(text) || identity(&format!("sha256:{text}"));
        },
    ),
    Fault::receipt_test(
        "identity-any-algorithm",
        "takes other algorithms than SHA-256",
        &[SUBJECT],
        |p| {
            p.identity = |text| {
                text.split_once(':').is_some_and(|(_, digest)| {
                    digest.len() >= 40 && digest.bytes().all(|b| b.is_ascii_hexdigit())
                })
            };
        },
    ),
    Fault::receipt_test(
        "identity-any-length",
        "takes hexadecimal digits of any number",
        &[SUBJECT],
        |p| {
            p.identity = |text| {
                text.strip_prefix("sha256:").is_some_and(|digest| {
                    digest.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
                })
            };
        },
    ),
    Fault::receipt_test(
        "identity-not-checked",
        "takes any text for an identity",
        &[SUBJECT, "receipt.project_revision.form"],
        |p| p.identity = |_| true,
    ),
    Fault::receipt_test(
        "digest-not-checked",
        "takes any text for a digest",
        &["policy.runner_identity.digest.form"],
        |p| p.digest = |_| true,
    ),
    Fault::receipt_test(
        "digest-with-algorithm",
        "takes a digest with its algorithm before it",
        &["policy.runner_identity.digest.form"],
        |p| {
            p.digest = |text| (REFERENCE.digest)(text.strip_prefix("sha256:").unwrap_or(text));
        },
    ),
    Fault::receipt_test(
        "text-empty",
        "takes empty texts",
        &["receipt.project.length", "policy.suite_id.length"],
        |p| p.text = |text| text.is_empty() || (REFERENCE.text)(text),
    ),
    Fault::receipt_test("text-4095", "allows 4095 characters", &["receipt.project.length"], |p| {
        p.text = |text| (REFERENCE.text)(text) && text.chars().count() < 4096
    }),
    Fault::receipt_test(
        "text-of-any-length",
        "sets no limit to texts",
        &["receipt.project.length", "receipt.suite.id.length"],
        |p| p.text = |text| !text.is_empty(),
    ),
    Fault::receipt_test(
        "text-in-bytes",
        "counts bytes, not characters",
        &["receipt.project.length"],
        |p| p.text = |text| (1..=4096).contains(&text.len()),
    ),
    Fault::receipt_test("version-with-v", "takes a version with a v before it", &[VERSION], |p| {
        p.version = |text| version(text.strip_prefix('v').unwrap_or(text))
    }),
    Fault::receipt_test(
        "receipt-version-of-two-numbers",
        "takes a version of two numbers",
        &[VERSION],
        |p| p.version = |text| version(text) || version(&format!("{text}.0")),
    ),
    Fault::receipt_test("version-leading-zero", "takes leading zeros", &[VERSION], |p| {
        p.version = |text| {
            version(text)
                || text
                    .split('.')
                    .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
                    && text.split('.').count() == 3
        };
    }),
    Fault::receipt_test("receipt-version-no-build", "knows no build metadata", &[VERSION], |p| {
        p.version = |text| version(text) && !text.contains('+')
    }),
    Fault::receipt_test(
        "receipt-version-no-pre-release",
        "knows no pre-release",
        &[VERSION],
        |p| p.version = |text| version(text) && !text.contains('-'),
    ),
    Fault::receipt_test(
        "receipt-version-not-checked",
        "takes any text for a version",
        &[VERSION, "policy.suite_version.semver"],
        |p| p.version = |_| true,
    ),
    Fault::receipt_test(
        "tests-zero",
        "takes a run of no tests for a run",
        &[TESTS, "policy.minimum_test_count.minimum"],
        |p| p.positive = |number| number.as_f64().is_some_and(|value| value >= 0.0),
    ),
    Fault::receipt_test(
        "tests-any-number",
        "takes any number",
        &[TESTS, "receipt.tests.type"],
        |p| {
            p.integer = |_| true;
            p.positive = |_| true;
        },
    ),
    Fault::receipt_test("tests-more-than-one", "wants more than one test", &[TESTS], |p| {
        p.positive = |number| number.as_f64().is_some_and(|value| value > 1.0)
    }),
    Fault::receipt_test(
        "tests-of-16-bits",
        "has 16 bits for the number of tests",
        &["receipt.tests.exact"],
        |p| p.exact = |number| number.as_f64().is_some_and(|value| value < 65536.0),
    ),
    Fault::receipt_test(
        "evidence-any-kind",
        "takes evidence of any kind",
        &["receipt.evidence.kinds"],
        |p| p.kind = |_| true,
    ),
    Fault::receipt_test(
        "required-any-kind",
        "lets a policy require evidence of any kind",
        &[KINDS],
        |p| p.required_kind = |name| EvidenceKind::named(name).is_some(),
    ),
    Fault::receipt_test(
        "required-none",
        "lets a policy require nothing",
        &["policy.required_evidence_kinds.min-items"],
        |p| p.kinds_min = 0,
    ),
    Fault::receipt_test(
        "required-twice",
        "lets a policy require a kind twice",
        &["policy.required_evidence_kinds.unique"],
        |p| p.kinds_distinct = |_| true,
    ),
    Fault::receipt_test(
        "required-without-runner",
        "lets a policy leave the test runner out",
        &["policy.required_evidence_kinds.test-runner"],
        |p| p.names_runner = |_| true,
    ),
    Fault::receipt_test(
        "required-runner-first",
        "looks for the test runner in the first place alone",
        &["policy.required_evidence_kinds.test-runner"],
        |p| {
            p.names_runner = |names| names.first() == Some(&EvidenceKind::TEST_RUNNER.as_str());
        },
    ),
    Fault::receipt_test(
        "embedded-identity-ignored",
        "does not hold an embedded receipt to its identity",
        &["receipt.embedded.identity"],
        |p| p.embedded_identity = |_, _| true,
    ),
    Fault::receipt_program(
        "embedded-refused",
        "does not look for a receipt in a larger object",
        &["receipt.embedded.accepted"],
        |ask| {
            let embedded = ask.document("receipt").is_some_and(|document| {
                serde_json::from_slice(&document.bytes)
                    .is_ok_and(|value: serde_json::Value| value.get("receipt").is_some())
            });
            if embedded { ask.answer().rejecting() } else { ask.answer() }
        },
    ),
    Fault::receipt_program(
        "receipt-evidence-needed",
        "wants some evidence in every receipt",
        &["receipt.evidence.may-be-empty"],
        |ask| {
            let empty = ask.document("receipt").is_some_and(|document| {
                let value: Option<serde_json::Value> = serde_json::from_slice(&document.bytes).ok();
                value.is_some_and(|value| {
                    value["evidence"].as_object().is_some_and(serde_json::Map::is_empty)
                })
            });
            if empty { ask.answer().rejecting() } else { ask.answer() }
        },
    ),
    Fault::receipt_test(
        "suite-not-compared",
        "admits a receipt of another suite",
        &["receipt.policy.suite-id-mismatch"],
        |p| p.same_suite = |_, _| true,
    ),
    Fault::receipt_test(
        "suite-without-case",
        "compares suites without case",
        &["receipt.policy.suite-id-mismatch"],
        |p| {
            p.same_suite =
                |receipt, policy| receipt.claims().suite.id.eq_ignore_ascii_case(policy.suite_id());
        },
    ),
    Fault::receipt_test(
        "suite-by-start",
        "compares the start of a suite's id alone",
        &["receipt.policy.suite-id-mismatch"],
        |p| {
            p.same_suite =
                |receipt, policy| receipt.claims().suite.id.starts_with(policy.suite_id());
        },
    ),
    Fault::receipt_test(
        "suite-version-not-compared",
        "admits a receipt of another version of the suite",
        &["receipt.policy.suite-version-mismatch"],
        |p| p.same_version = |_, _| true,
    ),
    Fault::receipt_test(
        "suite-version-at-least",
        "admits a receipt of a later version of the suite",
        &["receipt.policy.suite-version-mismatch"],
        |p| {
            p.same_version =
                |receipt, policy| receipt.claims().suite.version.as_str() >= policy.suite_version();
        },
    ),
    Fault::receipt_test(
        "suite-version-without-pre-release",
        "compares versions without their pre-release",
        &["receipt.policy.suite-version-mismatch"],
        |p| {
            p.same_version = |receipt, policy| {
                receipt.claims().suite.version.split('-').next()
                    == policy.suite_version().split('-').next()
            };
        },
    ),
    Fault::receipt_test(
        "evidence-not-asked-for",
        "admits a receipt without the required evidence",
        &["receipt.policy.evidence-missing"],
        |p| p.has_evidence = |_, _| true,
    ),
    Fault::receipt_test(
        "runner-not-compared",
        "admits a receipt of another runner",
        &["receipt.policy.runner-mismatch"],
        |p| p.same_runner = |_, _| true,
    ),
    Fault::receipt_test(
        "tests-not-counted",
        "admits a receipt of too few tests",
        &["receipt.policy.too-few-tests"],
        |p| p.enough_tests = |_, _| true,
    ),
    Fault::receipt_test(
        "tests-more-than-policy",
        "wants more tests than the policy",
        &["receipt.policy.too-few-tests"],
        |p| {
            p.enough_tests = |receipt, policy| receipt.claims().tests > policy.minimum_tests();
        },
    ),
    Fault::receipt_program(
        "receipt-not-checked",
        "admits a receipt whose form is broken",
        &[RECEIPT_CHECKED, PARSE],
        |ask| match ask.operation() {
            "admit" => ask.answer().knowing(|finding| {
                finding.rule.starts_with("receipt.policy.") || finding.rule.starts_with("policy.")
            }),
            _ => ask.answer(),
        },
    ),
    Fault::receipt_program(
        "policy-not-checked",
        "admits by a policy whose form is broken",
        &[POLICY_CHECKED],
        |ask| ask.answer().knowing(|finding| !finding.rule.starts_with("policy.")),
    ),
    Fault::receipt_program(
        "receipt-exit-code-two",
        "ends with 2 when it refuses",
        &[EXIT],
        |ask| match ask.answer() {
            answer if answer.accepted() => answer,
            answer => answer.exiting(2),
        },
    ),
    Fault::receipt_program(
        "receipt-exit-code-counts",
        "ends with the number of findings as its exit code",
        &[EXIT],
        |ask| {
            let answer = ask.answer();
            let findings = i32::try_from(answer.findings.len()).unwrap_or(i32::MAX);
            answer.exiting(findings)
        },
    ),
    Fault::receipt_program(
        "receipt-first-finding",
        "stops at the first thing that is wrong",
        &["receipt.project.required"],
        |ask| {
            let mut answer = ask.answer();
            answer.findings.truncate(1);
            answer
        },
    ),
];
