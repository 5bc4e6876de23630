//! Capabilities, isolation profiles, targets and levels.

use super::super::fault::Fault;
use crate::core::Release;
use crate::reference::{REFERENCE, Since};

const VALUES: &str = "manifest.agent_capabilities.values";
const UNIQUE: &str = "manifest.agent_capabilities.unique";
const PROFILE: &str = "manifest.isolation_profile.values";
const TARGET: &str = "manifest.state_publication.target.values";
const LEVEL: &str = "manifest.logging_requirements.level.values";

const V0_1: Release = Release::new(0, 1, 0);
/// The capabilities, as if each had been there from the start.
const READ_SECRETS_EVER: &[Since] = &[
    ("run_tasks", V0_1),
    ("publish_state", V0_1),
    ("open_pull_requests", V0_1),
    ("snapshot_restore", V0_1),
    ("handoff", V0_1),
    ("read_secrets", V0_1),
];
/// The capabilities, and one in the singular.
const SINGULAR_TOO: &[Since] = &[
    ("run_tasks", V0_1),
    ("publish_state", V0_1),
    ("open_pull_requests", V0_1),
    ("open_pull_request", V0_1),
    ("snapshot_restore", V0_1),
    ("handoff", V0_1),
    ("read_secrets", Release::new(0, 4, 0)),
];

fn distinct(entries: &[&str]) -> bool {
    (REFERENCE.capabilities_distinct)(entries)
}

pub(super) const FAULTS: &[Fault] = &[
    Fault::test("capability-not-checked", "takes any capability", &[VALUES], |p| {
        p.capabilities = &[];
    }),
    Fault::test(
        "capabilities-of-v0_1_0",
        "does not know the capabilities that came later",
        &[VALUES],
        |p| {
            p.capabilities = REFERENCE.capabilities.split_at(5).0;
        },
    ),
    Fault::test(
        "capabilities-ever-known",
        "knows read_secrets at every protocol version",
        &[VALUES],
        |p| {
            p.capabilities = READ_SECRETS_EVER;
        },
    ),
    Fault::test(
        "capability-singular",
        "takes open_pull_request for open_pull_requests",
        &[VALUES],
        |p| {
            p.capabilities = SINGULAR_TOO;
        },
    ),
    Fault::program(
        "capability-first-only",
        "looks at the first capability alone",
        &[VALUES],
        |ask| {
            ask.answer()
                .knowing(|f| f.rule != VALUES || f.at.as_deref() == Some("/agent_capabilities/0"))
        },
    ),
    Fault::program(
        "capability-one-known-is-enough",
        "is content with one capability that it knows",
        &[VALUES],
        |ask| {
            let answer = ask.answer();
            let wanted = ask.wanted("agent_capabilities").len();
            let unknown = answer.findings.iter().filter(|f| f.rule == VALUES).count();
            if unknown < wanted { answer.knowing(|f| f.rule != VALUES) } else { answer }
        },
    ),
    Fault::test(
        "capabilities-may-be-none",
        "takes an empty list of capabilities",
        &["manifest.agent_capabilities.min-items"],
        |p| p.capabilities_min = 0,
    ),
    Fault::test(
        "capabilities-at-least-two",
        "wants two capabilities",
        &["manifest.agent_capabilities.min-items"],
        |p| p.capabilities_min = 2,
    ),
    Fault::test("capabilities-twice", "lets a capability stand twice", &[UNIQUE], |p| {
        p.capabilities_distinct = |_| true
    }),
    Fault::test(
        "capabilities-twice-apart",
        "finds only equal capabilities that follow each other",
        &[UNIQUE],
        |p| {
            p.capabilities_distinct = |entries| entries.windows(2).all(|pair| pair[0] != pair[1]);
        },
    ),
    Fault::test(
        "capabilities-twice-at-start",
        "compares each capability with the first alone",
        &[UNIQUE],
        |p| {
            p.capabilities_distinct =
                |entries| entries.split_first().is_none_or(|(first, rest)| !rest.contains(first));
        },
    ),
    Fault::test(
        "capabilities-twice-without-case",
        "compares capabilities without case",
        &[UNIQUE],
        |p| {
            p.capabilities_distinct = |entries| {
                let lower: Vec<String> = entries.iter().map(|entry| entry.to_lowercase()).collect();
                distinct(&lower.iter().map(String::as_str).collect::<Vec<_>>())
            };
        },
    ),
    Fault::test("profile-vm", "knows vm, and no dedicated-vm", &[PROFILE], |p| {
        p.isolation_profiles = &["vm", "container", "sandbox-process"]
    }),
    Fault::test("profile-sandbox", "knows sandbox as well", &[PROFILE], |p| {
        p.isolation_profiles =
            &["dedicated-vm", "container", "sandbox-process", "sandbox", "process"]
    }),
    Fault::test("profile-none", "knows none as well", &[PROFILE], |p| {
        p.isolation_profiles = &["dedicated-vm", "container", "sandbox-process", "none"]
    }),
    Fault::test("target-http", "knows http and https as targets", &[TARGET], |p| {
        p.targets = &["control-process", "file", "webhook", "http", "https"]
    }),
    Fault::test("target-stdout", "knows stdout as a target", &[TARGET], |p| {
        p.targets = &["control-process", "file", "webhook", "stdout"]
    }),
    Fault::test("target-no-webhook", "knows no webhook", &[TARGET], |p| {
        p.targets = &["control-process", "file"]
    }),
    Fault::test("level-warning", "knows warning in place of warn", &[LEVEL], |p| {
        p.levels = &["debug", "info", "warning", "error"]
    }),
    Fault::test("level-warning-too", "knows warning beside warn", &[LEVEL], |p| {
        p.levels = &["debug", "info", "warn", "warning", "error"]
    }),
    Fault::test("level-trace", "knows trace and fatal as well", &[LEVEL], |p| {
        p.levels = &["trace", "debug", "info", "warn", "error", "fatal"]
    }),
    Fault::test("level-capital", "knows levels in capitals as well", &[LEVEL], |p| {
        p.levels = &[
            "debug", "info", "warn", "error", "DEBUG", "INFO", "WARN", "ERROR", "Debug", "Info",
            "Warn", "Error",
        ];
    }),
];
