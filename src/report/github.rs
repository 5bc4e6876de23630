//! Annotations for a workflow of GitHub Actions.

use std::io::{self, Write};
use std::path::Path;

use super::groups::Family;
use super::place::Spot;
use super::{Catalog, Report, escape, groups, prose, shell};
use crate::core::{Disposition, Header};

/// Writes a command for each failing case, most severe first: GitHub shows few of
/// them. What fails the run is an error, what is advisory a notice, the rest a warning.
pub(super) fn write(report: &Report, catalog: &Catalog, out: &mut dyn Write) -> io::Result<()> {
    for group in groups::group(&report.cases) {
        for family in &group.families {
            annotation(&report.header, catalog, group.heading.name(), family, out)?;
        }
    }
    for case in &report.cases {
        if let Disposition::UnexpectedPass(listed) = &case.disposition {
            let text = format!("{} {}", escape::line(case.id.as_str()), prose::cause(case));
            misfit(&listed.entry, &text, out)?;
        }
    }
    for it in &report.summary.misfits {
        misfit(&it.entry, &prose::misfit(it), out)?;
    }
    if let Some(text) = prose::ended_early(&report.summary) {
        writeln!(out, "::error title=Conformance::{}", data(&text))?;
    }
    for standing in report.standings() {
        let text = format!("{}: {}", standing.class, standing.text);
        writeln!(out, "::notice title=Conformance::{}", data(&text))?;
    }
    Ok(())
}

/// Points at an entry of the list of expected failures that does not fit.
fn misfit(entry: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "::error ")?;
    if let Some((path, line)) = entry.rsplit_once(':') {
        let path = slashes(Path::new(path));
        write!(out, "file={},line={},", property(&path), property(&escape::line(line)))?;
    }
    writeln!(out, "title=Expected failures::{}", data(text))
}

fn annotation(
    header: &Header,
    catalog: &Catalog,
    heading: &str,
    family: &Family<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let case = family.case;
    let fails = family.cases().any(|case| case.fails(header.enforce));
    let kind = match (fails, case.is_advisory()) {
        (true, _) => "error",
        (false, true) => "notice",
        (false, false) => "warning",
    };
    write!(out, "::{kind} ")?;
    let fixture = catalog.fixture_of(&case.id);
    if let Some(spot) = fixture.and_then(|fixture| Spot::of(fixture, case)) {
        let (line, column) = spot.line_column();
        let path = slashes(&spot.path);
        write!(out, "file={},line={line},col={column},", property(&path))?;
    }
    let level = if case.is_advisory() { "advisory" } else { groups::level(case).as_str() };
    let title = format!("{level}: {}", escape::clamped(heading, 100));
    let words = header.reproducing(&case.id);
    let message = format!(
        "{}: {}\n{}\n{}\n{}to reproduce: {}",
        escape::line(case.id.as_str()),
        escape::clamped(&prose::cause(case), 300),
        escape::clamped(&case.about, 300),
        prose::advisory(header, case).unwrap_or_else(|| prose::verdict(case)),
        prose::likewise(family).map(|text| text + "\n").unwrap_or_default(),
        shell::wrapped(words.iter().map(String::as_str), usize::MAX).concat(),
    );
    writeln!(out, "title={}::{}", property(&title), data(&message))
}

pub(super) fn slashes(path: &Path) -> String {
    escape::line(&path.to_string_lossy().replace('\\', "/")).into_owned()
}

/// The message of a command: percent signs and line breaks escaped.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a command: what separates properties escaped as well.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::core::CaseRecord;

    fn told(cases: &[CaseRecord]) -> String {
        written(&report(cases, header(cases.len())), write)
    }

    #[test]
    fn annotations_point_at_the_fixture() {
        let text = told(&[
            extra_case("manifest/b::strict", "manifest.project_id.charset"),
            stance_case("manifest/a::strict", "manifest.project_id.max-length"),
            passing_case("manifest/c::strict"),
        ]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            "::error file=fixtures/manifest/a/manifest.yaml,line=3,col=1,\
             title=MUST%3A manifest.project_id.max-length::manifest/a::strict: accepted what is \
             to be rejected%0Aone character over the limit%0Aexpected reject, observed accept%0A\
             to reproduce: living-conformance --impl ./their-validator --exact manifest/a::strict"
        );
        assert!(lines[1].starts_with("::warning title=SHOULD%3A manifest.project_id.charset::"));
        assert_eq!(
            lines[2],
            "::notice title=Conformance::validator-strict: does not conform (1 MUST case failed)"
        );
        assert_eq!(lines.len(), 3);
    }

    #[test]
    fn the_list_of_expected_failures_is_pointed_at() {
        let mut bytes = Vec::new();
        write(&listed_report(), &catalog(), &mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("::error title=MUST%3A manifest.project_id"), "{text}");
        assert_eq!(
            lines[1],
            "::error file=ci/expect.yaml,line=7,title=Expected failures::manifest/fixed::strict \
             passes, and ci/expect.yaml:7 expects it to fail"
        );
        assert_eq!(
            lines[2],
            "::error file=ci/expect.yaml,line=9,title=Expected failures::rule \
             manifest.secrets.pattern: expired on 2026-01-01"
        );
        assert_eq!(lines.len(), 4);
    }

    #[test]
    fn nothing_breaks_out_of_its_line() {
        let mut case = extra_case("manifest/x%,:y::strict", "evil\n::set-output name=a::b,c=d:");
        case.about = "50% \r\n::error::forged ##[add-mask]x".into();
        let text = told(&[case]);
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(text.contains(r"50%25 \r\n::error::forged #\x23[add-mask]x"), "{text}");
        let properties = text.lines().next().unwrap().split("::").nth(1).unwrap();
        assert_eq!(properties.matches(['=', ':']).count(), 3, "{properties}");
    }

    #[test]
    fn what_is_advisory_is_a_notice() {
        let mut bytes = Vec::new();
        write(&advisory_report(), &catalog(), &mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert!(!text.contains("::error") && !text.contains("::warning"), "{text}");
        assert!(text.contains("title=advisory%3A manifest.project_id.max-length::"), "{text}");
        assert!(text.contains("%0Aadvisory: changed since manifest 0.1.0: a "), "{text}");
    }
}
