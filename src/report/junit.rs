//! JUnit XML, as Jenkins, GitLab and others read it.

use std::io::{self, Write};
use std::time::Duration;

use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestSuite};

use super::{Catalog, Report, Terminal, escape, groups, prose};
use crate::core::{CaseRecord, Disposition, Header, Verdict};

/// The suite of the cases that are no part of the releases of their suites.
const ADVISORY: &str = "advisory";

/// Writes a suite for each class, and one for what is advisory. A failure that does not fail the run is a test
/// that passes and says so on its standard output: the format knows no levels.
pub(super) fn write(report: &Report, catalog: &Catalog, out: &mut dyn Write) -> io::Result<()> {
    let mut junit = quick_junit::Report::new("living-conformance");
    junit.set_time(Duration::from_micros(report.summary.duration_us));
    let is_advisory = |case: &&CaseRecord| case.is_advisory();
    let apart = report.cases.iter().find(is_advisory).map(|_| None);
    for class in report.summary.classes.keys().map(Some).chain(apart) {
        let name = class.map_or(ADVISORY, String::as_str);
        let mut suite = TestSuite::new(escape::line(name).into_owned());
        properties(report, &mut suite);
        let cases = report.cases.iter().filter(|case| match class {
            Some(class) => case.class == *class && !case.is_advisory(),
            None => case.is_advisory(),
        });
        let mut time = Duration::ZERO;
        for case in cases {
            time += Duration::from_micros(case.duration_us);
            suite.add_test_case(test(&report.header, catalog, case));
        }
        suite.set_time(time);
        junit.add_test_suite(suite);
    }
    if let Some(message) = prose::ended_early(&report.summary) {
        // Whoever counts tests takes those that are missing for none; this one fails.
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(message).set_type("incomplete");
        let mut suite = TestSuite::new("the run");
        suite.add_test_case(TestCase::new("all planned cases ran", status));
        junit.add_test_suite(suite);
    }
    if !report.summary.misfits.is_empty() {
        junit.add_test_suite(misfits(report));
    }
    let text = junit.to_string().map_err(io::Error::other)?;
    // The schema that Jenkins goes by has this count on a suite alone.
    let skipped = format!(" skipped=\"{}\"", junit.skipped);
    out.write_all(text.replacen(&skipped, "", 1).as_bytes())
}

/// What fails a run and is no case: the entries that do not fit of the list of expected
/// failures.
fn misfits(report: &Report) -> TestSuite {
    let mut suite = TestSuite::new("expected failures");
    for misfit in &report.summary.misfits {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status.set_message(escape::clamped(&prose::misfit(misfit), 300));
        status.set_type("expected failures");
        let mut test = TestCase::new(escape::line(&misfit.entry).into_owned(), status);
        test.set_classname("expected failures");
        suite.add_test_case(test);
    }
    suite
}

fn properties(report: &Report, suite: &mut TestSuite) {
    let header = &report.header;
    let mut add = |name: &str, value: &str| {
        suite.add_property(Property::new(name, escape::line(value).into_owned()));
    };
    add("program", &header.program);
    for (name, version) in &header.suites {
        add(&format!("suite.{name}"), version);
    }
    add("suite-digest", &header.suite_digest);
    add("protocol", &header.protocol.to_string());
    add("implementation", &header.implementation.name);
    if let Some(version) = report.version() {
        add("implementation-version", version);
    }
}

fn test(header: &Header, catalog: &Catalog, case: &CaseRecord) -> TestCase {
    let id = escape::line(case.id.as_str()).into_owned();
    let mut test = TestCase::new(id, status(header, catalog, case));
    test.set_classname(escape::line(&case.class).into_owned());
    test.set_time(Duration::from_micros(case.duration_us));
    if groups::failed(case) && !case.fails(header.enforce) {
        let level = groups::level(case);
        let details = Terminal::case_text(header, catalog, case);
        let why = prose::advisory(header, case);
        let why = why.unwrap_or_else(|| format!("fails a {level}, which does not fail the run"));
        test.set_system_out(format!("{why}\n{details}"));
    }
    test
}

fn status(header: &Header, catalog: &Catalog, case: &CaseRecord) -> TestCaseStatus {
    // The format has no expected failures; its readers take a test that is skipped.
    let skipped = match &case.disposition {
        Disposition::Unsupported { reason } => {
            Some(format!("not supported: {}", escape::clamped(reason, 300)))
        }
        Disposition::ExpectedFailure(listed) => {
            Some(format!("failed as expected: {}", prose::listed(listed)))
        }
        Disposition::Advisory(advisory) => match &advisory.unsupported {
            Some(reason) => Some(format!("not supported: {}", escape::clamped(reason, 300))),
            None if case.is_failure() => prose::advisory(header, case),
            None => None,
        },
        _ => None,
    };
    if let Some(message) = skipped {
        let mut status = TestCaseStatus::skipped();
        status.set_message(message);
        return status;
    }
    if !case.fails(header.enforce) {
        return TestCaseStatus::success();
    }
    let kind = match case.judgement.verdict {
        Verdict::Error => NonSuccessKind::Error,
        _ => NonSuccessKind::Failure,
    };
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(escape::clamped(&prose::cause(case), 300));
    let kind = match &case.disposition {
        Disposition::UnexpectedPass(_) => "passes against the list of expected failures".into(),
        _ => escape::clamped(groups::heading(case).name(), 100),
    };
    status.set_type(kind);
    status.set_description(Terminal::case_text(header, catalog, case));
    status
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    fn told(cases: &[CaseRecord]) -> String {
        written(&report(cases, header(cases.len())), write)
    }

    /// The attributes that the schema of Jenkins has for an element.
    fn attributes(element: &str) -> &'static [&'static str] {
        match element {
            "testsuites" => &["name", "time", "tests", "failures", "errors"],
            "testsuite" => &["name", "tests", "failures", "errors", "skipped", "time"],
            "testcase" => &["name", "classname", "time"],
            "failure" | "error" | "skipped" => &["message", "type"],
            "property" => &["name", "value"],
            "properties" | "system-out" => &[],
            other => panic!("unknown element {other}"),
        }
    }

    #[test]
    fn a_public_parser_reads_it_back() {
        let text = told(&every_form());
        let read = junit_parser::from_reader(text.as_bytes()).unwrap();
        assert_eq!(read.suites.len(), 1);
        let suite = &read.suites[0];
        assert_eq!(suite.name, "validator-strict");
        let count = |wanted: fn(&junit_parser::TestCase) -> bool| {
            suite.cases.iter().filter(|case| wanted(case)).count()
        };
        assert_eq!(suite.cases.len(), every_form().len());
        assert_eq!((count(|c| c.status.is_failure()), suite.failures), (2, 2));
        assert_eq!((count(|c| c.status.is_error()), suite.errors), (6, 6));
        assert_eq!((count(|c| c.status.is_skipped()), suite.skipped), (1, 1));
        let stance = suite.cases.iter().find(|case| case.name.contains("stance")).unwrap();
        let failure = stance.status.failure_as_ref();
        assert_eq!(failure.message, "accepted what is to be rejected");
        assert_eq!(failure.failure_type, "manifest.project_id.max-length");
        assert!(failure.text.contains("living-conformance --impl"), "{}", failure.text);
        let should = suite.cases.iter().find(|case| case.name.contains("extra")).unwrap();
        assert!(should.status.is_success());
        assert!(should.system_out.as_ref().unwrap().contains("does not fail the run"));
    }

    #[test]
    fn a_failure_that_is_expected_is_skipped_and_a_pass_against_the_list_fails() {
        let mut bytes = Vec::new();
        write(&listed_report(), &catalog(), &mut bytes).unwrap();
        let read = junit_parser::from_reader(&*bytes).unwrap();
        let case =
            |name: &str| read.suites[0].cases.iter().find(|it| it.name.contains(name)).unwrap();
        assert!(case("known").status.is_skipped());
        let fixed = case("fixed").status.failure_as_ref();
        assert_eq!(fixed.message, "passes, and ci/expect.yaml:7 expects it to fail");
        let flaky = case("flaky").status.failure_as_ref();
        assert_eq!(flaky.message, "flaky: fail, pass; accepted what is to be rejected");
        let expired = &read.suites[1].cases[0];
        assert_eq!(expired.name, "expected failures::ci/expect.yaml:9");
        let failure = expired.status.failure_as_ref();
        assert_eq!(failure.message, "rule manifest.secrets.pattern: expired on 2026-01-01");
    }

    #[test]
    fn it_has_nothing_that_jenkins_does_not_know() {
        let text = told(&every_form());
        let document = roxmltree::Document::parse(&text).unwrap();
        for element in document.descendants().filter(roxmltree::Node::is_element) {
            let known = attributes(element.tag_name().name());
            for attribute in element.attributes() {
                assert!(
                    known.contains(&attribute.name()),
                    "{} {}",
                    element.tag_name().name(),
                    attribute.name()
                );
            }
        }
    }

    #[test]
    fn a_run_that_ended_early_is_no_success() {
        let mut report = report(&[passing_case("manifest/ok::strict")], header(3));
        report.summary.stopped = Some(crate::core::Stopped::Interrupted);
        report.summary.not_run = 2;
        let mut bytes = Vec::new();
        write(&report, &catalog(), &mut bytes).unwrap();
        let read = junit_parser::from_reader(&*bytes).unwrap();
        let error = read.suites.last().unwrap().cases[0].status.error_as_ref();
        assert_eq!(error.message, "the run ended early: a signal asked it to; 2 cases did not run");
        assert_eq!(read.errors, 1);
    }

    #[test]
    fn hostile_text_is_text() {
        let mut case = crash_case("manifest/<&\">]]>::strict");
        case.stdout = "]]> <![CDATA[ \u{1b}[31m \u{fffe}\u{ffff}\0 & </failure>".into();
        case.class = "a\"<b".into();
        let text = told(&[case]);
        assert!(!text.contains(|c: char| c != '\n' && escape::acts(c)), "{text:?}");
        let document = roxmltree::Document::parse(&text).unwrap();
        let error = document.descendants().find(|node| node.has_tag_name("error")).unwrap();
        let shown = error.text().unwrap();
        assert!(
            shown.contains(r"]]> <![CDATA[ \x1b[31m \u{fffe}\u{ffff}\x00 & </failure>"),
            "{shown}"
        );
    }

    #[test]
    fn what_is_advisory_is_a_suite_of_its_own_and_never_fails() {
        let mut bytes = Vec::new();
        write(&advisory_report(), &catalog(), &mut bytes).unwrap();
        let read = junit_parser::from_reader(&*bytes).unwrap();
        let names: Vec<(&str, usize)> =
            read.suites.iter().map(|suite| (suite.name.as_str(), suite.cases.len())).collect();
        assert_eq!(names, [("validator-strict", 1), (ADVISORY, 3)]);
        let suite = &read.suites[1];
        assert_eq!((suite.failures, suite.errors, suite.skipped), (0, 0, 2));
        let text = String::from_utf8(bytes).unwrap();
        assert!(
            text.contains("skipped message=\"advisory: changed since manifest 0.1.0: a \\x1b[31m")
        );
        assert!(text.contains("accepted what is to be rejected"), "{text}");
    }
}
