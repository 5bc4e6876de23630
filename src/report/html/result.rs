//! What one case came to in one run, with its evidence.

use super::super::escape;
use super::super::{prose, shell};
use super::column::Column;
use super::mark::Mark;
use super::source::Source;
use crate::core::{
    CaseRecord, Disposition, Expectation, ExpectedFinding, Grade, Level, Mismatch, Stance,
};

/// How wide a command is before it goes on in another line.
const COMMAND_COLUMNS: usize = 88;
/// How much of one text from outside is shown.
const TEXT_COLUMNS: usize = 400;

/// What one case came to in one run.
pub(super) struct CaseResult {
    /// The run; empty where there is only one.
    pub(super) column: String,
    /// The sign for it.
    pub(super) mark: Mark,
    /// The verdict in words.
    pub(super) verdict: String,
    /// How long it took.
    pub(super) took: String,
    /// What is expected, where it is not what is expected in the other runs.
    pub(super) expected: Option<Expected>,
    /// The evidence of a failure.
    pub(super) failure: Option<Failure>,
}

/// Why a case failed, and how to see it fail again.
pub(super) struct Failure {
    /// What differs, heaviest first.
    pub(super) causes: Vec<Cause>,
    /// The findings that differ.
    pub(super) findings: Vec<FindingRow>,
    /// What may help.
    pub(super) hint: &'static str,
    /// The end of standard output.
    pub(super) stdout: Source,
    /// The end of standard error.
    pub(super) stderr: Source,
    /// The command that runs the case alone.
    pub(super) command: String,
}

/// One thing that differs.
pub(super) struct Cause {
    /// The key word of the rule that it breaks.
    pub(super) level: &'static str,
    /// Its weight.
    pub(super) class: &'static str,
    /// In words.
    pub(super) text: String,
}

/// A finding that is expected and not reported, or the other way round.
pub(super) struct FindingRow {
    /// `missing` or `extra`.
    pub(super) class: &'static str,
    /// `−` or `+`.
    pub(super) sign: &'static str,
    /// The same in words.
    pub(super) word: &'static str,
    /// The finding.
    pub(super) text: String,
}

/// What is expected of a case.
pub(super) struct Expected {
    /// Accept, reject or either.
    pub(super) stance: &'static str,
    /// What follows it.
    pub(super) rest: String,
    /// The findings.
    pub(super) findings: Vec<String>,
    /// The findings that may be reported or not.
    pub(super) permitted: Vec<String>,
    /// The open questions.
    pub(super) ledger: Vec<String>,
}

impl Expected {
    pub(super) fn of(expected: &Expectation) -> Self {
        let findings = |findings: &[ExpectedFinding]| {
            findings.iter().map(prose::expected_finding).collect::<Vec<_>>()
        };
        let rest = match (&expected.findings, expected.stance) {
            (None, _) => ", by the name of its directory",
            (Some(_), Stance::Either) => ": both conform",
            (Some(some), _) if some.is_empty() => ", nothing to report",
            (Some(_), _) => ", and to report",
        };
        Self {
            stance: expected.stance.as_str(),
            rest: rest.to_owned(),
            findings: findings(expected.findings.as_deref().unwrap_or_default()),
            permitted: findings(&expected.permitted),
            ledger: expected.ledger.iter().map(|id| id.as_str().to_owned()).collect(),
        }
    }
}

impl CaseResult {
    /// The result of a case in the run of a column; `usual` is what is expected in
    /// the others.
    pub(super) fn of(
        column: &Column<'_>,
        alone: bool,
        case: Option<&CaseRecord>,
        usual: &Expectation,
    ) -> Self {
        let mark = Mark::of(case);
        let name = if alone { String::new() } else { column.label() };
        let Some(case) = case else {
            return Self {
                column: name,
                mark,
                verdict: String::new(),
                took: String::new(),
                expected: None,
                failure: None,
            };
        };
        let verdict = match (&case.disposition, &case.judgement.choice) {
            (Disposition::Unsupported { reason }, _) => escape::clamped(reason, TEXT_COLUMNS),
            (Disposition::ExpectedFailure(listed), _) => prose::listed(listed),
            (Disposition::Advisory(_), _) => {
                // The mark says already that it is.
                let text = prose::advisory(&column.report.header, case).unwrap_or_default();
                text.strip_prefix("advisory: ").unwrap_or(&text).to_owned()
            }
            (Disposition::UnexpectedPass(_) | Disposition::Flaky { .. }, _) => {
                escape::clamped(&prose::cause(case), TEXT_COLUMNS)
            }
            (_, Some(choice)) => format!("chose to {}", choice.stance.as_str()),
            _ if mark == Mark::Pass => prose::observed(&case.observed).to_owned(),
            _ if mark == Mark::Error => String::new(),
            _ => prose::verdict(case),
        };
        Self {
            column: name,
            mark,
            verdict,
            took: prose::duration(case.duration_us),
            expected: (case.expected != *usual).then(|| Expected::of(&case.expected)),
            failure: (mark.is_failure() && mark != Mark::Passes).then(|| Failure::of(column, case)),
        }
    }
}

impl Failure {
    fn of(column: &Column<'_>, case: &CaseRecord) -> Self {
        let words = column.report.header.reproducing(&case.id);
        let findings = rows(case);
        let missing = findings.iter().any(|row| row.class == "missing");
        let hint = if missing && case.judgement.grade == Grade::Text {
            "The output is free text: a finding counts as reported when a line names its rule, \
             or what the rule table says that it names."
        } else if prose::shows_traceback(case) {
            prose::TRACEBACK
        } else {
            prose::unnamed_hint(case).unwrap_or_default()
        };
        Self {
            causes: causes(case),
            findings,
            hint,
            stdout: Source::output(&case.stdout),
            stderr: Source::output(&case.stderr),
            command: shell::wrapped(words.iter().map(String::as_str), COMMAND_COLUMNS).join("\n"),
        }
    }
}

/// The heaviest mismatch, and those that the findings do not show.
fn causes(case: &CaseRecord) -> Vec<Cause> {
    let mut causes: Vec<Cause> = Vec::new();
    for (index, weighed) in case.judgement.mismatches.iter().enumerate() {
        let shown_below =
            matches!(weighed.mismatch, Mismatch::Missing { .. } | Mismatch::Extra { .. });
        if index == 0 || !shown_below {
            let text = escape::clamped(&prose::mismatch(&weighed.mismatch), TEXT_COLUMNS);
            causes.push(Cause {
                level: key_word(weighed.level),
                class: level_class(weighed.level),
                text,
            });
        }
    }
    if causes.is_empty() {
        let text = escape::clamped(&prose::failure(case), TEXT_COLUMNS);
        causes.push(Cause { level: "", class: "error", text });
    }
    causes
}

/// The findings that differ.
fn rows(case: &CaseRecord) -> Vec<FindingRow> {
    let row = |mismatch: &Mismatch| match mismatch {
        Mismatch::Missing { finding, .. } => Some(FindingRow {
            class: "missing",
            sign: "−",
            word: "expected, not reported",
            text: prose::expected_finding(finding),
        }),
        Mismatch::Extra { finding, .. } => Some(FindingRow {
            class: "extra",
            sign: "+",
            word: "reported, not expected",
            text: escape::clamped(&prose::reported_finding(finding), TEXT_COLUMNS),
        }),
        _ => None,
    };
    case.judgement.mismatches.iter().filter_map(|weighed| row(&weighed.mismatch)).collect()
}

/// The key word of a level, or what stands for none.
pub(super) fn key_word(level: Level) -> &'static str {
    match level {
        Level::None => "no key word",
        level => level.as_str(),
    }
}

/// The class of a level in the style sheet.
pub(super) fn level_class(level: Level) -> &'static str {
    match level.grade() {
        Level::Must | Level::MustNot => "must",
        Level::Should => "should",
        Level::May | Level::None => "may",
    }
}
