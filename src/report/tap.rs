//! The Test Anything Protocol, version 14.

use std::io::{self, Write};

use super::{Catalog, Report, Terminal, escape, groups, prose};
use crate::core::{CaseRecord, Disposition, Header};

/// Writes a line for each case, and a block of YAML for each that failed. A failure
/// that does not fail the run is marked as to do, which is what the format has for
/// it. An entry of the list of expected failures that does not fit is a line, too. A run that
/// ended early bails out.
pub(super) fn write(report: &Report, catalog: &Catalog, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "TAP version 14")?;
    let misfits = &report.summary.misfits;
    writeln!(out, "1..{}", report.header.cases + misfits.len())?;
    for (index, case) in report.cases.iter().enumerate() {
        test(&report.header, catalog, index + 1, case, out)?;
    }
    for (index, misfit) in misfits.iter().enumerate() {
        let number = report.cases.len() + index + 1;
        let text = format!("{} {}", misfit.entry, escape::clamped(&prose::misfit(misfit), 300));
        writeln!(out, "not ok {number} - {}", description(&text))?;
    }
    match report.summary.stopped {
        Some(why) => writeln!(out, "Bail out! {}", prose::stopped(why)),
        None => Ok(()),
    }
}

fn test(
    header: &Header,
    catalog: &Catalog,
    number: usize,
    case: &CaseRecord,
    out: &mut dyn Write,
) -> io::Result<()> {
    let id = description(case.id.as_str());
    if let Disposition::Unsupported { reason } = &case.disposition {
        let reason = description(&escape::clamped(reason, 200));
        return writeln!(out, "ok {number} - {id} # SKIP not supported: {reason}");
    }
    if let Disposition::ExpectedFailure(listed) = &case.disposition {
        let reason = description(&prose::listed(listed));
        return writeln!(out, "not ok {number} - {id} # TODO expected: {reason}");
    }
    let advisory = prose::advisory(header, case).map(|text| description(&text));
    if let Disposition::Advisory(it) = &case.disposition
        && let Some(reason) = &it.unsupported
    {
        let reason = description(&escape::clamped(reason, 200));
        return writeln!(out, "ok {number} - {id} # SKIP not supported: {reason}");
    }
    if !case.is_failure() {
        let aside = advisory.map(|text| format!(" ({text})")).unwrap_or_default();
        return writeln!(out, "ok {number} - {id}{aside}");
    }
    if let Some(text) = advisory {
        writeln!(out, "not ok {number} - {id} # TODO {text}")?;
    } else if case.fails(header.enforce) {
        writeln!(out, "not ok {number} - {id}")?;
    } else {
        let level = groups::level(case);
        writeln!(out, "not ok {number} - {id} # TODO fails a {level}, which is not enforced")?;
    }
    writeln!(out, "  ---")?;
    writeln!(out, "  message: {}", quoted(&prose::cause(case)))?;
    writeln!(out, "  severity: {}", prose::word(case))?;
    writeln!(out, "  level: {}", quoted(groups::level(case).as_str()))?;
    writeln!(out, "  rule: {}", quoted(groups::heading(case).name()))?;
    writeln!(out, "  duration_ms: {}", case.duration_us.div_ceil(1000))?;
    // The details are plain lines already, and are kept as they are.
    writeln!(out, "  details: |")?;
    for line in Terminal::case_text(header, catalog, case).lines() {
        let line = format!("    {}", line.strip_prefix("  ").unwrap_or(line));
        writeln!(out, "{}", line.trim_end())?;
    }
    writeln!(out, "  ...")
}

/// Text as the format wants it before a directive: `\` and `#` escaped.
fn description(text: &str) -> String {
    escape::line(text).replace('\\', "\\\\").replace('#', "\\#")
}

/// Text as a YAML scalar in double quotes; what is escaped was made plain before.
fn quoted(text: &str) -> String {
    let text = escape::clamped(text, 300);
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    fn told(cases: &[CaseRecord], planned: usize) -> String {
        let mut report = report(cases, header(planned));
        report.header.cases = planned;
        written(&report, write)
    }

    #[test]
    fn each_case_is_a_line() {
        let text = told(&every_form(), every_form().len());
        assert!(text.starts_with("TAP version 14\n1..13\n"), "{text}");
        let points = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
        assert_eq!((points("ok "), points("not ok ")), (3, 10));
        assert!(
            text.contains(
                " - manifest/extra::strict # TODO fails a SHOULD, which is not enforced\n"
            )
        );
        assert!(text.contains(" - manifest/unsupported::strict # SKIP not supported: no\n"));
        assert!(!text.contains("Bail out!"));
        // The blocks are YAML.
        for block in text.split("  ---\n").skip(1) {
            let block = block.split("  ...\n").next().unwrap();
            let value: serde_json::Value = serde_yaml::from_str(block).unwrap();
            assert!(value["details"].as_str().unwrap().contains("living-conformance --impl"));
        }
    }

    #[test]
    fn a_failure_that_is_expected_is_to_do_and_a_pass_against_the_list_is_not_ok() {
        let mut bytes = Vec::new();
        write(&listed_report(), &catalog(), &mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.contains("not ok 1 - manifest/fixed::strict\n  ---\n"), "{text}");
        assert!(text.contains("not ok 2 - manifest/flaky::strict\n  ---\n"), "{text}");
        assert!(text.contains("  severity: flaky\n"), "{text}");
        let todo = "not ok 3 - manifest/known::strict # TODO expected: not done \\\\x1b[31m\\# yet \
            (https://tracker.invalid/7)\n";
        assert!(text.contains(todo), "{text}");
        let expired =
            "not ok 4 - ci/expect.yaml:9 rule manifest.secrets.pattern: expired on 2026-01-01\n";
        assert!(text.starts_with("TAP version 14\n1..4\n") && text.ends_with(expired), "{text}");
    }

    #[test]
    fn nothing_breaks_out_of_its_line() {
        let mut case = crash_case("manifest/a # SKIP \\ b::strict");
        case.stdout = "\nok 2 - forged\nBail out!\n  ...\nnot ok".into();
        case.about = "x\n1..0\nTODO # SKIP".into();
        let text = told(&[case], 1);
        assert!(text.contains("not ok 1 - manifest/a \\# SKIP \\\\ b::strict\n"), "{text}");
        for line in text.lines().skip(3) {
            assert!(line.is_empty() || line.starts_with("  "), "{line:?}");
        }
        assert_eq!(text.matches("\n  ...\n").count(), 1);
    }

    /// `prove`, where it is installed, is a reader that nobody here wrote.
    #[test]
    fn prove_reads_it() {
        let prove = |cases: &[CaseRecord], planned: usize| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("run.tap");
            // It is older than version 14, which only adds to version 13.
            let text = told(cases, planned).replace("version 14", "version 13");
            std::fs::write(&path, text).unwrap();
            let output =
                std::process::Command::new("prove").args(["-e", "cat"]).arg(&path).output().ok()?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            Some((output.status.success(), text))
        };
        let good = [
            passing_case("manifest/a::strict"),
            extra_case("manifest/b::strict", "manifest.project_id.charset"),
        ];
        let Some((success, text)) = prove(&good, 2) else { return };
        assert!(success && text.contains("All tests successful"), "{text}");
        let (success, text) = prove(&every_form(), 13).unwrap();
        assert!(!success && text.contains("Failed 8/13 subtests"), "{text}");
        let (success, text) = prove(&good, 3).unwrap();
        assert!(!success && text.contains("planned 3 tests but ran 2"), "{text}");
    }

    #[test]
    fn what_is_advisory_is_to_do() {
        let mut bytes = Vec::new();
        write(&advisory_report(), &catalog(), &mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        for line in [
            "ok 1 - manifest/counts::strict\n",
            "not ok 2 - manifest/fails::strict # TODO advisory: changed since manifest 0.1.0: a ",
            "ok 3 - manifest/newer::strict (advisory: newer than manifest 0.1.0)\n",
            "ok 4 - manifest/none::strict # SKIP not supported: no\n",
        ] {
            assert!(text.contains(line), "{line:?} is not in\n{text}");
        }
    }
}
