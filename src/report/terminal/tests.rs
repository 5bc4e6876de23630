use std::cell::RefCell;
use std::rc::Rc;

use super::super::testing::*;
use super::*;
use crate::core::{Choice, Grade, LedgerId, LeftOut, Level, Mismatch, Outcome, Severity, Stance};

/// A writer that several hands may hold.
#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const PLAIN: TerminalOptions = TerminalOptions {
    color: false,
    width: 80,
    quiet: false,
    verbose: false,
    show_all: false,
    in_full: TerminalOptions::IN_FULL,
    live: false,
};

fn shown(events: &[Event], options: TerminalOptions) -> String {
    let out = Shared::default();
    let mut terminal = Box::new(Terminal::new(Box::new(out.clone()), options, catalog()));
    for event in events {
        terminal.event(event).unwrap();
    }
    terminal.finish().unwrap();
    let bytes = out.0.borrow().clone();
    String::from_utf8(bytes).unwrap()
}

fn plain(cases: &[CaseRecord]) -> String {
    shown(&run(cases, header(0), cases.len()), PLAIN)
}

/// Every line fits, none ends in spaces, and nothing acts on the terminal.
fn assert_tidy(text: &str, width: usize) {
    for line in text.lines() {
        assert!(escape::width(line) <= width, "{} columns: {line}", escape::width(line));
        assert!(!line.contains(escape::acts), "{line:?}");
        assert_eq!(line, line.trim_end());
    }
}

fn mixed() -> Vec<CaseRecord> {
    let mut text = stance_case("manifest/a::strict", "manifest.project_id.max-length");
    text.judgement.grade = Grade::Text;
    let mut open = passing_case("manifest/open::strict");
    open.judgement.choice =
        Some(Choice { ledger: vec![LedgerId::new("L4").unwrap()], stance: Stance::Accept });
    vec![
        passing_case("manifest/fine::strict"),
        text,
        extra_case("manifest/b::strict", "manifest.project_id.charset"),
        crash_case("manifest/c::strict"),
        open,
    ]
}

#[test]
fn the_whole_at_80_columns() {
    let mut header = header(0);
    header.left_out.get_mut("validator-strict").unwrap().insert(LeftOut::Filtered, 12);
    header.without_golden = 1;
    let options = TerminalOptions { verbose: true, ..PLAIN };
    let text = shown(&run(&mixed(), header, 6), options);
    assert_tidy(&text, 80);
    assert_eq!(text, include_str!("whole.txt"), "{text}");
}

#[test]
fn all_that_pass_conform() {
    let text = plain(&[passing_case("manifest/fine::strict")]);
    assert!(text.ends_with(
        "\nvalidator-strict: conforms to Living Repositories Protocol v0.4 (suite manifest\n                  0.1.0)\n"
    ), "{text}");
    assert!(!text.contains("fail "), "{text}");
    assert!(!text.contains("choices"), "only with -v");
    assert_tidy(&text, 80);
}

#[test]
fn a_finding_without_its_name_is_told_from_one_that_is_missing() {
    let mut missing = missing("manifest.secrets.pattern", "/isolation_profile ");
    if let Mismatch::Missing { unnamed, .. } = &mut missing {
        *unnamed = true;
    }
    let outcome = Outcome::Decided { accepted: false };
    let case = failing_case("manifest/b::strict", outcome, &[(Level::Must, missing)]);
    let text = plain(&[case]);
    for expected in [
        "reports manifest.secrets.pattern without naming the field: expected one\n        \
         that names \"isolation_profile\\x20\"\n",
        "findings   - manifest.secrets.pattern at \"/isolation_profile\\x20\"\n",
        "                   A JSON line names the field by \"at\", any other by the name in\n",
    ] {
        assert!(text.contains(expected), "{expected:?} is not in\n{text}");
    }
    assert_tidy(&text, 80);
}

#[test]
fn a_traceback_behind_a_rejection_is_told_of() {
    let crash = |mut case: CaseRecord| {
        case.stderr = "Traceback (most recent call last):\n  File \"a.py\"\nValueError: x\n".into();
        case
    };
    let cases = [
        crash(passing_case("manifest/a::strict")),
        crash(extra_case("manifest/b::strict", "manifest.project_id.charset")),
        crash(crash_case("manifest/c::strict")),
        crash(stance_case("manifest/d::strict", "manifest.project_id.max-length")),
    ];
    let text = plain(&cases);
    let summary = "\n2 cases that count as rejected printed a traceback; a crash with exit code 1 is\n\
                   taken for a rejection\n";
    assert!(text.contains(summary), "{text}");
    assert_eq!(text.matches("It printed a traceback: a crash with exit code 1").count(), 1);
    assert_tidy(&text, 80);
    assert!(!plain(&cases[2..]).contains("is taken"), "neither counts as rejected");
}

#[test]
fn quiet_tells_the_verdict_alone() {
    let events = run(&mixed(), header(0), 5);
    let text = shown(&events, TerminalOptions { quiet: true, live: true, verbose: true, ..PLAIN });
    assert_eq!(
        text,
        "validator-strict: does not conform (1 MUST case failed, 1 case without a\n                  decision)\n"
    );
}

#[test]
fn a_run_that_fails_below_must_says_why_beside_the_verdict() {
    let mut soft = extra_case("manifest/a::strict", "manifest.project_id.charset");
    soft.judgement.level = Level::Should;
    let cases = [passing_case("manifest/fine::strict"), soft];
    let quiet = TerminalOptions { quiet: true, ..PLAIN };
    let shown_at = |enforce| {
        let mut header = header(0);
        header.enforce = enforce;
        shown(&run(&cases, header, 2), quiet)
    };
    let conforms = "validator-strict: conforms to Living Repositories Protocol v0.4 (suite manifest\n                  0.1.0)\n";
    assert_eq!(shown_at(Level::Must), conforms);
    assert_eq!(
        shown_at(Level::Should),
        conforms.to_owned()
            + "this run fails all the same: 1 SHOULD case failed, and SHOULD is enforced\n"
    );
}

#[test]
fn no_cases_are_no_result() {
    let text = plain(&[]);
    assert!(text.contains("validator-strict: not shown: no MUST case was run"), "{text}");
    let mut nothing = header(0);
    nothing.left_out.clear();
    let text = shown(&run(&[], nothing, 0), PLAIN);
    assert!(text.ends_with("not shown: no case was asked for\n"), "{text}");
    assert!(!text.contains("conforms"));
}

#[test]
fn a_run_without_an_end_has_no_verdict() {
    let mut events = run(&mixed(), header(0), 5);
    events.pop();
    let text = shown(&events, PLAIN);
    assert_eq!(text, "their-validator: 5 cases at Living Repositories Protocol v0.4\n");
}

#[test]
fn what_was_not_run_is_told() {
    let cases = [passing_case("manifest/fine::strict")];
    let text = shown(&run(&cases, header(0), 3), PLAIN);
    assert!(text.contains("\n2 cases did not run\n"), "{text}");
    assert!(text.contains("validator-strict: not shown: 2 cases did not run\n"), "{text}");
    let mut unsupported = passing_case("manifest/no::strict");
    unsupported.disposition =
        Disposition::Unsupported { reason: "there is no\u{1b}[31m such flag".into() };
    let text = plain(&[unsupported]);
    assert!(text.contains("not supported: 1 case: there is no\\x1b[31m such flag\n"), "{text}");
    assert!(text.contains("validator-strict: not shown: 1 case not supported\n"), "{text}");
    assert_tidy(&text, 80);
}

#[test]
fn the_list_of_expected_failures_is_told_of() {
    let mut events = run(&listed_and_flaky(), header(0), 3);
    let Some(Event::Finished(summary)) = events.last_mut() else { panic!("no end") };
    summary.misfits = listed_report().summary.misfits;
    let text = shown(&events, TerminalOptions { verbose: true, ..PLAIN });
    for expected in [
        "listed manifest/known::strict (",
        "passes manifest/fixed::strict (",
        "flaky  manifest/flaky::strict (",
        "  flaky manifest/flaky::strict\n",
        "        flaky: fail, pass; accepted what is to be rejected\n",
        " errors unsupported listed passes flaky\n",
        "validator-strict      0    0      0   0      0           0      1      1     1\n",
        "failed as expected: 1 case: not done \\x1b[31m# yet (https://tracker.invalid/7)\n",
        "ci/expect.yaml:7: manifest/fixed::strict passes, and is expected to fail\n",
        "ci/expect.yaml:9: rule manifest.secrets.pattern: expired on 2026-01-01\n",
        "validator-strict: does not conform (1 case failed as expected, 1 flaky case)\n",
    ] {
        assert!(text.contains(expected), "{expected:?} is not in\n{text}");
    }
    assert!(!text.contains("  listed manifest/known"), "it is not shown as a failure");
    assert_tidy(&text, 80);
}

#[test]
fn twenty_failures_are_shown_in_full() {
    let mut cases: Vec<CaseRecord> = (0..23)
        .map(|n| {
            let id = format!("manifest/case-{n:02}::strict");
            stance_case(&id, "manifest.project_id.max-length")
        })
        .collect();
    cases.push(extra_case("manifest/x::strict", "manifest.project_id.charset"));
    cases.push(extra_case("manifest/y::strict", "manifest.project_id.charset"));
    let text = plain(&cases);
    assert_eq!(text.matches("\n  fail  ").count(), 20);
    assert!(text.contains("manifest.project_id.max-length (MUST): 23 cases"), "{text}");
    let rest = "\nand 5 more failures; --show all shows them\n  \
        MUST         3  manifest.project_id.max-length\n  \
        SHOULD       2  manifest.project_id.charset\n";
    assert!(text.contains(rest), "{text}");
    let all = shown(&run(&cases, header(0), 25), TerminalOptions { show_all: true, ..PLAIN });
    assert_eq!(all.matches("\n  fail  ").count(), 25);
    assert!(!all.contains("more failure"));
    assert_tidy(&all, 80);
}

#[test]
fn nothing_that_comes_from_outside_acts_or_overflows() {
    let evil = "\u{1b}[2J\u{202e}日本語\u{9b}\0\r\n\u{2028}🦀".repeat(30);
    let mut cases = mixed();
    for (index, case) in cases.iter_mut().enumerate() {
        let id = format!("manifest/{}/{index}::strict", "very-long-日本-".repeat(20));
        case.id = crate::core::CaseId::try_from(id).unwrap();
        case.about.clone_from(&evil);
        case.class = format!("class-{}", "x".repeat(100));
        case.stdout = format!("{evil}\n").repeat(50);
        case.stderr = "a\tb\u{301}".repeat(100_000);
    }
    let mut finding = reported(&evil, Some(&evil), Some(&evil));
    finding.severity = Some(Severity::Warning);
    let extra = Mismatch::Extra { finding, known: false };
    let relation = Mismatch::Relation {
        rule: rule("manifest.secrets.pattern"),
        accepted: evil.clone(),
        rejected: evil.clone(),
    };
    let repeated = Mismatch::Repeated {
        finding: evil.clone(),
        lines: 3,
        rule: rule("manifest.secrets.pattern"),
    };
    let outcome = Outcome::Crashed { by: evil.clone() };
    let none = Mismatch::NoDecision { outcome: outcome.clone(), rule: None };
    let level = crate::core::Level::Must;
    let mut many = vec![(level, none), (level, relation), (level, repeated)];
    many.extend(std::iter::repeat_n((level, extra), 20));
    cases.push(failing_case("manifest/many::strict", outcome.clone(), &many));
    cases.push(failing_case("manifest/extra::strict", outcome, &many[4..]));
    let mut header = header(0);
    header.implementation.name.clone_from(&evil);
    header.implementation.version = Some(evil.clone());
    header.reproduce =
        ["living-conformance", "--impl", "./their tool", "{case}"].map(str::to_owned).into();
    let widths = [(true, 80), (false, 80), (true, 62), (true, 40), (true, 20), (false, 1000)];
    for (verbose, width) in widths {
        let options = TerminalOptions { verbose, width, ..PLAIN };
        let text = shown(&run(&cases, header.clone(), 7), options);
        // A word of a command is never broken.
        let is_command = |line: &str| {
            let last = width < 40 && line.ends_with("::strict");
            line.contains("very-long-") || line.ends_with('\\') || last
        };
        let lines = text.lines().filter(|line| !is_command(line) || width > 400);
        assert_tidy(&lines.collect::<Vec<_>>().join("\n"), width);
        let command = if width < 50 { "--impl" } else { "--impl './their tool'" };
        assert!(text.contains(command), "{text}");
    }
    let colored = shown(&run(&cases, header, 7), TerminalOptions { color: true, ..PLAIN });
    let stripped = anstream::adapter::strip_str(&colored).to_string();
    assert!(!stripped.contains(|c: char| c != '\n' && escape::acts(c)));
}

#[test]
fn colours_change_nothing_but_colours() {
    let events = run(&mixed(), header(0), 5);
    let colored = shown(&events, TerminalOptions { color: true, ..PLAIN });
    assert!(colored.contains("\u{1b}["));
    let stripped = anstream::adapter::strip_str(&colored).to_string();
    let lines = |text: &str| text.lines().map(|l| l.trim_end().to_owned()).collect::<Vec<_>>();
    assert_eq!(lines(&stripped), lines(&shown(&events, PLAIN)));
}

#[test]
fn the_live_line_is_gone_before_anything_else_is_shown() {
    let events = run(&mixed(), header(0), 5);
    let live = shown(&events, TerminalOptions { live: true, ..PLAIN });
    let drawn: Vec<&str> = live.split('\r').collect();
    assert!(drawn.len() > 2 && drawn[1].starts_with("1/5 cases"), "{drawn:?}");
    assert!(drawn[drawn.len() - 2].chars().all(|c| c == ' '));
    let end = shown(&events, PLAIN);
    assert!(end.ends_with(drawn[drawn.len() - 1]));
}

#[test]
fn advisory_cases_come_last_and_are_counted_apart() {
    let report = advisory_report();
    let mut cases = report.cases;
    cases.push(extra_case("manifest/z::strict", "manifest.project_id.charset"));
    let events = run(&cases, Header { advisory: 3, ..header(0) }, 5);
    let text = shown(&events, TerminalOptions { verbose: true, ..PLAIN });
    for expected in [
        "MUST   manifest/fails::strict (advisory, ",
        "pass   manifest/newer::strict (advisory, ",
        "none   manifest/none::strict (advisory, ",
        "1 advisory case fails a MUST; that does not fail the run\n",
        "  fail  manifest/fails::strict\n        one character over the limit\n        \
         advisory: changed since manifest 0.1.0: a \\x1b[31m# slip\n        accepted what is to",
        "all                    1     0       1    0       0            0\n\
         advisory               1     1       0    0       0            1\n",
        "3 advisory cases are no part of manifest 0.1.0, and not of the verdict: 1\npasses, 1 fails, 1 is not supported\n",
        "validator-strict: conforms to Living Repositories Protocol v0.4 (suite manifest\n",
    ] {
        assert!(text.contains(expected), "{expected:?} is not in\n{text}");
    }
    let (counts, aside) = (text.find("1 case fails a SHOULD"), text.find("1 advisory case fails"));
    assert!(counts < aside, "{text}");
    assert_tidy(&text, 80);
}
