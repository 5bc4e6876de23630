//! Findings that are not printed, not all, not right, or too often.

use super::super::fault::Fault;
use crate::core::{ReportedFinding, Severity};

const ALL: &str = "match.report-all";
const ONE_LINE: &str = "match.one-line-per-rule";
const NAMED: &str = "manifest.unknown-field.reported";
const TOP: &str = "manifest.unknown-field.top-level";
const NESTED: &str = "manifest.unknown-field.nested";

fn is_warning(finding: &ReportedFinding) -> bool {
    finding.severity == Some(Severity::Warning)
}

fn is_unknown(finding: &ReportedFinding) -> bool {
    finding.rule.starts_with("manifest.unknown-field.")
}

pub(super) const FAULTS: &[Fault] = &[
    Fault::program(
        "prints-first-finding",
        "stops at the first thing that is wrong",
        &[ALL],
        |ask| {
            let mut answer = ask.answer();
            answer.findings.truncate(1);
            answer
        },
    ),
    Fault::program("prints-last-finding", "keeps only the last message", &[ALL], |ask| {
        let mut answer = ask.answer();
        answer.findings.drain(..answer.findings.len().saturating_sub(1));
        answer
    }),
    Fault::program("prints-three-findings", "prints three findings at most", &[ALL], |ask| {
        let mut answer = ask.answer();
        answer.findings.truncate(3);
        answer
    }),
    Fault::program("warnings-swallowed", "prints errors alone, and no warning", &[NAMED], |ask| {
        ask.answer().printing(|finding| !is_warning(finding))
    }),
    Fault::program(
        "silent-when-accepting",
        "prints nothing when it accepts",
        &[NAMED, "manifest.snapshot.recommended"],
        |ask| match ask.answer() {
            answer if answer.accepted() => answer.printing(|_| false),
            answer => answer,
        },
    ),
    Fault::program("silent-when-rejecting", "rejects without a reason", &[NAMED, ALL], |ask| {
        match ask.answer() {
            answer if answer.accepted() => answer,
            answer => answer.printing(|_| false),
        }
    }),
    Fault::program(
        "warnings-lost-beside-errors",
        "prints no warnings as soon as there is an error",
        &[NAMED],
        |ask| match ask.answer() {
            answer if answer.accepted() => answer,
            answer => answer.printing(|finding| !is_warning(finding)),
        },
    ),
    Fault::program(
        "unknown-field-first-only",
        "names the first unknown field alone",
        &[NAMED],
        |ask| {
            let mut answer = ask.answer();
            let mut seen = false;
            answer
                .findings
                .retain(|finding| !is_unknown(finding) || !std::mem::replace(&mut seen, true));
            answer
        },
    ),
    Fault::program(
        "unknown-field-not-named",
        "says that there is an unknown field, and not which",
        &[NAMED, TOP, NESTED],
        |ask| {
            ask.answer().rewording(|finding| {
                if is_unknown(finding) {
                    (finding.at, finding.message) = (None, Some("an unknown field".to_owned()));
                }
            })
        },
    ),
    Fault::program(
        "unknown-field-silent-in-strict",
        "names unknown fields in lenient mode alone",
        &[NAMED],
        |ask| match ask.operation() {
            "strict" => ask.answer().printing(|finding| !is_unknown(finding)),
            _ => ask.answer(),
        },
    ),
    Fault::program(
        "unknown-field-silent-in-lenient",
        "names unknown fields in strict mode alone",
        &[NAMED],
        |ask| match ask.operation() {
            "lenient" => ask.answer().printing(|finding| !is_unknown(finding)),
            _ => ask.answer(),
        },
    ),
    Fault::program(
        "places-without-index",
        "gives the place of the sequence instead of that of the entry",
        &["manifest.agent_capabilities.values", "manifest.secrets.pattern"],
        |ask| {
            ask.answer().rewording(|finding| {
                if let Some((parent, last)) =
                    finding.at.as_deref().and_then(|at| at.rsplit_once('/'))
                    && last.bytes().all(|b| b.is_ascii_digit())
                {
                    finding.at = Some(parent.to_owned());
                }
            })
        },
    ),
    Fault::program(
        "places-at-root",
        "gives the whole document as the place of everything",
        &[NAMED, "manifest.project_id.charset"],
        |ask| ask.answer().rewording(|finding| finding.at = Some(String::new())),
    ),
    Fault::program(
        "places-by-last-key",
        "gives the last key alone as the place",
        &[NESTED, "manifest.state_publication.target.values"],
        |ask| {
            ask.answer().rewording(|finding| {
                finding.at = finding
                    .at
                    .as_deref()
                    .and_then(|at| at.rsplit_once('/'))
                    .map(|(_, last)| format!("/{last}"));
            })
        },
    ),
    Fault::program(
        "places-not-escaped",
        "writes keys into JSON pointers as they are",
        &[TOP, "runtime.unknown-field"],
        |ask| {
            ask.answer().rewording(|finding| {
                finding.at =
                    finding.at.as_deref().map(|at| at.replace("~1", "/").replace("~0", "~"));
            })
        },
    ),
    Fault::program(
        "rule-names-of-its-own",
        "reports under names of its own",
        &["manifest.project_id.charset", "match.protocol-version"],
        |ask| ask.answer().rewording(|finding| finding.rule = format!("own.{}", finding.rule)),
    ),
    Fault::program(
        "required-for-type",
        "reports every wrong type as a missing field",
        &["manifest.project_id.type", "manifest.state_publication.target.type"],
        |ask| {
            ask.answer().rewording(|finding| {
                if let Some(field) = finding.rule.strip_suffix(".type") {
                    finding.rule = format!("{field}.required");
                }
            })
        },
    ),
    Fault::program("findings-twice", "prints every finding twice", &[ONE_LINE], |ask| {
        let mut answer = ask.answer();
        answer.findings.extend(answer.findings.clone());
        answer
    }),
    Fault::program(
        "line-per-capability",
        "prints a line for each capability that is not supported",
        &[ONE_LINE],
        |ask| {
            let mut answer = ask.answer();
            let rule = "match.agent-capabilities";
            let offered = ask.offered("agent_capabilities");
            let lacking = ask.wanted("agent_capabilities");
            let lacking = lacking.iter().filter(|wanted| !offered.contains(wanted)).count();
            if let Some(finding) = answer.findings.iter().find(|f| f.rule == rule).cloned() {
                answer.findings.extend(std::iter::repeat_n(finding, lacking.saturating_sub(1)));
            }
            answer
        },
    ),
    Fault::program(
        "warns-of-extensions",
        "warns of every extension",
        &["manifest.extension.top-level"],
        |ask| {
            let mut answer = ask.answer();
            let extensions = ask.extensions().filter(|_| ask.validates());
            answer.findings.extend(extensions.map(|(key, _)| ReportedFinding {
                rule: TOP.to_owned(),
                at: Some(format!("/{key}")),
                severity: Some(Severity::Warning),
                message: None,
            }));
            answer
        },
    ),
    Fault::program(
        "advises-snapshot-always",
        "recommends a snapshot to every manifest without one",
        &["manifest.snapshot.recommended"],
        |ask| ask.tested(|p| p.snapshot_advised = |_| true),
    ),
    Fault::program("findings-reversed", "prints findings in another order", &[ALL], |ask| {
        let mut answer = ask.answer();
        answer.findings.reverse();
        answer
    })
    .equivalent("findings are a set: no rule speaks of their order"),
    Fault::program(
        "severities-turned-round",
        "calls errors warnings, and warnings errors",
        &["mode.strict.escalates"],
        |ask| {
            ask.answer().rewording(|finding| {
                finding.severity = Some(match finding.severity {
                    Some(Severity::Warning) => Severity::Error,
                    _ => Severity::Warning,
                });
            })
        },
    )
    .equivalent("the exit code decides: no rule speaks of what a finding is called"),
    Fault::program(
        "places-left-out",
        "gives no places, and names the field in its words",
        &[NAMED],
        |ask| ask.answer().rewording(|finding| finding.at = None),
    )
    .equivalent("the contract has a grade of detail without places, and words tell as well"),
    Fault::program("words-left-out", "gives the place, and no words", &[NAMED], |ask| {
        ask.answer().rewording(|finding| finding.message = None)
    })
    .equivalent("the wording is never judged"),
];
