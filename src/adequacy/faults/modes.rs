//! The two modes mixed up, and exit codes.

use super::super::fault::Fault;
use crate::core::{Effect, Severity};
use crate::reference::{Class, Mode, REFERENCE};

const STRICT: &str = "mode.strict.escalates";
const LENIENT: &str = "mode.lenient.accepts-v0_1_0";
const DEFAULT: &str = "mode.lenient.default";
const EXIT: &str = "match.exit-code";
const PARSE: &str = "manifest.document.parse";

pub(super) const FAULTS: &[Fault] = &[
    Fault::program(
        "modes-swapped",
        "is strict without --strict, and lenient with it",
        &[DEFAULT, STRICT],
        |ask| match ask.operation() {
            "lenient" => ask.ask("strict"),
            "strict" => ask.ask("lenient"),
            _ => ask.answer(),
        },
    ),
    Fault::program("strict-ignored", "takes no notice of --strict", &[STRICT], |ask| {
        if ask.validates() { ask.ask("lenient") } else { ask.answer() }
    }),
    Fault::program(
        "always-strict",
        "is strict without --strict, too",
        &[DEFAULT, LENIENT],
        |ask| {
            if ask.validates() { ask.ask("strict") } else { ask.answer() }
        },
    ),
    Fault::test(
        "lenient-is-toothless",
        "rejects nothing but unreadable documents in lenient mode",
        &[
            LENIENT,
            "manifest.project_id.required",
            "manifest.agent_capabilities.type",
            "manifest.document.mapping",
        ],
        |p| {
            p.effect = |mode, class| match mode {
                Mode::Lenient => Effect::Warn,
                Mode::Strict => (REFERENCE.effect)(mode, class),
            }
        },
    ),
    Fault::test(
        "strict-drops-the-basics",
        "rejects under --strict only what strict mode adds",
        &[STRICT, "manifest.project_id.required", "manifest.project_id.type"],
        |p| {
            p.effect = |mode, class| match (mode, class) {
                (Mode::Strict, Class::Basic) => Effect::Warn,
                _ => (REFERENCE.effect)(mode, class),
            }
        },
    ),
    Fault::test(
        "recommendation-rejects-in-strict",
        "takes a recommendation for a rule under --strict",
        &["manifest.snapshot.recommended", STRICT],
        |p| {
            p.effect = |mode, class| match (mode, class) {
                (Mode::Strict, Class::Recommended) => Effect::Reject,
                _ => (REFERENCE.effect)(mode, class),
            }
        },
    ),
    Fault::test(
        "recommendation-rejects-always",
        "takes a recommendation for a rule",
        &["manifest.snapshot.recommended", LENIENT],
        |p| {
            p.effect = |mode, class| match class {
                Class::Recommended => Effect::Reject,
                _ => (REFERENCE.effect)(mode, class),
            }
        },
    ),
    Fault::program(
        "strict-means-unknown-fields",
        "escalates nothing but unknown fields under --strict",
        &[STRICT],
        |ask| match ask.operation() {
            "strict" => {
                let lenient = ask.ask("lenient");
                let unknown = lenient.findings.iter().any(|f| f.rule.contains("unknown-field"));
                if unknown { ask.answer() } else { lenient }
            }
            _ => ask.answer(),
        },
    ),
    Fault::program(
        "strict-forgets-unknown-fields",
        "escalates everything but unknown fields under --strict",
        &[STRICT, "manifest.unknown-field.top-level", "manifest.unknown-field.nested"],
        |ask| match ask.operation() {
            "strict" => ask
                .answer()
                .rewording(|finding| {
                    if finding.rule.contains("unknown-field") {
                        finding.severity = Some(Severity::Warning);
                    }
                })
                .settled(),
            _ => ask.answer(),
        },
    ),
    Fault::program(
        "lenient-refuses-unknown-fields",
        "rejects unknown fields in lenient mode as well",
        &["manifest.unknown-field.top-level", "manifest.unknown-field.nested", LENIENT],
        |ask| match ask.answer() {
            answer if answer.findings.iter().any(|f| f.rule.contains("unknown-field")) => {
                answer.rejecting()
            }
            answer => answer,
        },
    ),
    Fault::program(
        "lenient-refuses-newer-fields",
        "rejects a manifest with a field newer than v0.1.0 in lenient mode",
        &[LENIENT],
        |ask| {
            let newer = ["snapshot", "secrets"].iter().any(|f| ask.manifest(&[f]).is_some());
            match ask.operation() {
                "lenient" if newer => ask.answer().rejecting(),
                _ => ask.answer(),
            }
        },
    ),
    Fault::program(
        "lenient-stops-at-v0_1_0",
        "neither knows nor checks newer fields in lenient mode",
        &[
            "manifest.snapshot.type",
            "manifest.secrets.type",
            "manifest.snapshot.paths.no-parent",
            "manifest.secrets.pattern",
        ],
        |ask| match ask.operation() {
            "lenient" => ask.answer().knowing(|finding| {
                !finding.rule.starts_with("manifest.snapshot.")
                    && !finding.rule.starts_with("manifest.secrets.")
            }),
            _ => ask.answer(),
        },
    ),
    Fault::program(
        "exit-code-counts",
        "ends with the number of findings as its exit code",
        &[EXIT, LENIENT],
        |ask| {
            let answer = ask.answer();
            let findings = i32::try_from(answer.findings.len()).unwrap_or(i32::MAX);
            answer.exiting(findings)
        },
    ),
    Fault::program(
        "exit-code-counts-errors",
        "ends with the number of errors as its exit code",
        &[EXIT],
        |ask| {
            let answer = ask.answer();
            let error = |f: &&crate::core::ReportedFinding| f.severity == Some(Severity::Error);
            let errors = answer.findings.iter().filter(error).count();
            answer.exiting(i32::try_from(errors).unwrap_or(i32::MAX))
        },
    ),
    Fault::program("exit-code-two", "ends with 2 when it rejects", &[EXIT], |ask| {
        match ask.answer() {
            answer if answer.accepted() => answer,
            answer => answer.exiting(2),
        }
    }),
    Fault::program(
        "exit-code-negative",
        "ends with -1, which is 255, when it rejects",
        &[EXIT],
        |ask| match ask.answer() {
            answer if answer.accepted() => answer,
            answer => answer.exiting(255),
        },
    ),
    Fault::program("exit-code-zero", "prints what is wrong and ends with 0", &[EXIT], |ask| {
        ask.answer().accepting()
    }),
    Fault::program(
        "exit-code-by-output",
        "rejects as soon as anything is printed, a warning as well",
        &[LENIENT, "manifest.snapshot.recommended"],
        |ask| match ask.answer() {
            answer if answer.findings.is_empty() => answer,
            answer => answer.rejecting(),
        },
    ),
    Fault::program(
        "exit-code-turned-round",
        "ends with 1 for what it accepts, and with 0 for what it rejects",
        &[EXIT, DEFAULT],
        |ask| match ask.answer() {
            answer if answer.accepted() => answer.rejecting(),
            answer => answer.accepting(),
        },
    ),
    Fault::program(
        "exit-code-two-for-syntax",
        "ends with 2 for a document that it cannot parse",
        &[PARSE, "runtime.document.parse"],
        |ask| match ask.answer() {
            answer if answer.findings.iter().any(|f| f.rule.ends_with("document.parse")) => {
                answer.exiting(2)
            }
            answer => answer,
        },
    ),
];
