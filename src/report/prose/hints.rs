//! What may lie behind a result: hints that no verdict rests on.

use super::{CaseRecord, ExpectedFinding, Mismatch, Outcome, count, field_of};
use crate::core::{CoverTotals, is_misread};
use crate::report::escape;

/// That a rule is reported, and not of what: a finding that has to be named.
pub(super) fn unnamed(finding: &ExpectedFinding) -> String {
    let rule = &finding.rule;
    match field_of(&finding.at) {
        Some(field) => {
            let name = escape::name(&field);
            let name = if name.starts_with('"') { name } else { format!("\"{name}\"").into() };
            format!("reports {rule} without naming the field: expected one that names {name}")
        }
        None => format!("reports {rule} without saying of what"),
    }
}

/// What to do about findings that are reported without a name or in a JSON line that is
/// none, where there are some.
#[must_use]
pub(in crate::report) fn unnamed_hint(case: &CaseRecord) -> Option<&'static str> {
    let mismatches = || case.judgement.mismatches.iter().map(|weighed| &weighed.mismatch);
    if mismatches().any(|it| matches!(it, Mismatch::Missing { unnamed: true, .. })) {
        return Some("A JSON line names the field by \"at\", any other by the name in its text.");
    }
    let is_missing = mismatches().any(|it| matches!(it, Mismatch::Missing { .. }));
    (is_missing && case.stdout.lines().any(is_misread)).then_some(
        "A JSON line with a key twice, a value of another type or another word for its severity \
         is no finding.",
    )
}

/// What the fixtures decide of all rules, whatever is under test.
#[must_use]
pub(in crate::report) fn coverage(cover: &CoverTotals) -> String {
    format!(
        "fixtures cover {} of {}; {} excluded, {} unresolved, {} uncovered",
        cover.covered,
        count(cover.rules(), "rule"),
        cover.excluded,
        cover.unresolved,
        cover.uncovered
    )
}

/// What a case says that counts as rejected and printed a traceback.
pub(in crate::report) const TRACEBACK: &str =
    "It printed a traceback: a crash with exit code 1 is taken for a rejection.";

/// The same of all cases of a run, where there are some.
#[must_use]
pub(in crate::report) fn tracebacks(cases: usize) -> Option<String> {
    (cases > 0).then(|| {
        let counts = if cases == 1 { "counts" } else { "count" };
        format!(
            "{} that {counts} as rejected printed a traceback; a crash with exit code 1 is taken \
             for a rejection",
            count(cases, "case")
        )
    })
}

/// Whether a case counts as rejected, and an interpreter or a runtime printed on the way
/// what it prints of an error that nobody caught.
#[must_use]
pub(in crate::report) fn shows_traceback(case: &CaseRecord) -> bool {
    matches!(case.observed, Outcome::Decided { accepted: false })
        && [&case.stderr, &case.stdout].into_iter().any(|text| is_traceback(text))
}

fn is_traceback(text: &str) -> bool {
    let mut frames = false;
    text.lines().any(|line| {
        // Frames of JavaScript; the line behind them says that nobody caught it.
        frames |= line.starts_with("    at ");
        line.starts_with("Traceback (most recent call last):")
            || (frames && line.starts_with("Node.js v"))
            || line.starts_with("Exception in thread \"")
            || line.starts_with("Unhandled exception. ")
            || (line.starts_with("goroutine ") && line.ends_with(" [running]:"))
            || (line.contains(":in ") && line.ends_with("Error)"))
            || line.contains("Fatal error: Uncaught ")
            || line.contains("Fatal error:  Uncaught ")
            || (line.starts_with("thread '") && line.contains(" panicked at "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_caught_is_told_from_other_output() {
        for text in [
            "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\nValueError\n",
            "a.js:1\nthrow new Error('x')\n^\n\nError: x\n    at Object.<anonymous> (a.js:1:7)\n\nNode.js v22.1.0\n",
            "thread 'main' panicked at src/main.rs:2:5:\nx\n",
            "thread 'main' (4711) panicked at src/main.rs:2:5:\nx\n",
            "Exception in thread \"main\" java.lang.NullPointerException\n\tat A.main(A.java:3)\n",
            "panic: x\n\ngoroutine 1 [running]:\nmain.main()\n",
            "a.rb:1:in '<main>': x (RuntimeError)\n",
            "PHP Fatal error:  Uncaught Exception: x in a.php:1\n",
            "Unhandled exception. System.Exception: x\n",
        ] {
            assert!(is_traceback(text), "{text}");
        }
        for text in [
            "",
            "manifest.project_id.charset: no Traceback (most recent call last): here\n",
            "rejected at a.yaml:3\n    at line 3\n",
            "Node.js v22.1.0\n",
            "project_id: in a.yaml (Error)\n",
        ] {
            assert!(!is_traceback(text), "{text}");
        }
    }
}
