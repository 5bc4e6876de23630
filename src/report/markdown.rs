//! Markdown, for a job's summary or a comment.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::{Catalog, Report, Terminal, escape, groups, prose};
use crate::core::{Disposition, Level, Standing, Tally};

/// How many failures are shown with all their details.
const DETAILED: usize = 20;
/// How many failures are listed: a job's summary holds a megabyte.
const LISTED: usize = 500;

/// Writes the verdict, the table of results, and the failures by rule.
pub(super) fn write(report: &Report, catalog: &Catalog, out: &mut dyn Write) -> io::Result<()> {
    let header = &report.header;
    let name = code(&escape::clamped(&header.implementation.name, 100));
    writeln!(out, "# Conformance of {name} to {}\n", plain(&prose::spec(header)))?;
    for standing in report.standings() {
        let text = plain(&standing.text);
        let text = match standing.standing {
            Standing::Conforms => format!("**{text}**"),
            _ => text,
        };
        writeln!(out, "- {}: {text}", plain(&standing.class))?;
    }
    table(report, out)?;
    basis(report, out)?;
    failures(report, catalog, out)
}

/// A column of the table: what is above it, and its number.
type Column = (&'static str, fn(&Tally) -> usize);

/// The columns that are always there, and those that are where one has a number.
const COLUMNS: [Column; 9] = [
    ("passed", |it| it.passed),
    ("MUST failed", |it| it.failed),
    ("SHOULD failed", |it| it.failed_should),
    ("MAY failed", |it| it.failed_may),
    ("errors", |it| it.errors),
    ("not supported", |it| it.unsupported),
    ("failed as expected", |it| it.expected),
    ("passed against the list", |it| it.unexpected),
    ("flaky", |it| it.flaky),
];
/// How many of them are always there.
const ALWAYS: usize = 6;

fn table(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let total = &report.summary.total;
    let columns = COLUMNS.iter().enumerate();
    let columns: Vec<&Column> = columns
        .filter(|(at, (_, number))| *at < ALWAYS || number(total) > 0)
        .map(|(_, column)| column)
        .collect();
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    writeln!(out, "\n| class | {} |", names.join(" | "))?;
    writeln!(out, "|---|{}", "---:|".repeat(columns.len()))?;
    let row = |name: &str, tally: &Tally, out: &mut dyn Write| {
        let numbers: Vec<String> =
            columns.iter().map(|(_, number)| number(tally).to_string()).collect();
        writeln!(out, "| {name} | {} |", numbers.join(" | "))
    };
    for (class, tally) in &report.summary.classes {
        row(&plain(class), tally, out)?;
    }
    row("all", total, out)?;
    if !report.summary.advisory.is_zero() {
        row("advisory", &report.summary.advisory, out)?;
    }
    for (variant, tally) in &report.summary.variants {
        row(&format!("the variant {}", plain(variant)), tally, out)?;
    }
    Ok(())
}

fn basis(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\nCoverage: {}.", prose::coverage(&report.summary.coverage))?;
    let tracebacks = report.cases.iter().filter(|case| prose::shows_traceback(case)).count();
    if let Some(text) = prose::tracebacks(tracebacks) {
        writeln!(out, "{}.", plain(&text))?;
    }
    if let Some(census) = &report.header.variants {
        writeln!(out, "Variants: {}.", prose::census(census))?;
    }
    if let Some(version) = report.version() {
        writeln!(out, "Version under test: {}.", code(&escape::clamped(version, 100)))?;
    }
    if let Some(text) = prose::advisory_cases(&report.header, &report.summary.advisory) {
        writeln!(out, "{}.", plain(&text))?;
    }
    if let Some(why) = report.summary.stopped {
        writeln!(out, "The run ended early: {}.", prose::stopped(why))?;
    }
    list(report, out)
}

/// What the list of expected failures has to do with the run.
fn list(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut expected: BTreeMap<String, usize> = BTreeMap::new();
    let mut misfits = Vec::new();
    for case in &report.cases {
        match &case.disposition {
            Disposition::ExpectedFailure(listed) => {
                *expected.entry(prose::listed(listed)).or_default() += 1;
            }
            Disposition::UnexpectedPass(_) => {
                let id = code(&escape::line(case.id.as_str()));
                misfits.push(format!("{id} {}", plain(&prose::cause(case))));
            }
            _ => {}
        }
    }
    let entries = report.summary.misfits.iter();
    misfits.extend(entries.map(|it| {
        let text = escape::clamped(&prose::misfit(it), 300);
        format!("{}: {}", code(&escape::line(&it.entry)), plain(&text))
    }));
    if !expected.is_empty() {
        writeln!(out, "\n## Failures that are expected\n")?;
    }
    for (reason, cases) in expected.iter().take(LISTED) {
        writeln!(out, "- {}: {}", prose::count(*cases, "case"), plain(reason))?;
    }
    if !misfits.is_empty() {
        writeln!(out, "\n## What does not fit the list of expected failures\n")?;
    }
    for misfit in misfits.iter().take(LISTED) {
        writeln!(out, "- {misfit}")?;
    }
    Ok(())
}

fn failures(report: &Report, catalog: &Catalog, out: &mut dyn Write) -> io::Result<()> {
    let (mut number, mut shown) = (0, 0);
    for group in groups::group(&report.cases) {
        if shown >= LISTED {
            break;
        }
        let level = match (group.advisory, group.level) {
            (true, _) => "advisory",
            (false, Level::None) => "no key word",
            (false, level) => level.as_str(),
        };
        let name = code(&escape::clamped(group.heading.name(), 100));
        let cases = prose::count(group.len(), "case");
        writeln!(out, "\n## {level}: {name} ({cases})\n")?;
        if let groups::Heading::Rule(id) = &group.heading
            && let Some(rule) = catalog.rules.rule(id)
        {
            writeln!(out, "{}\n", plain(&rule.statement))?;
        }
        for family in group.families {
            if shown >= LISTED {
                break;
            }
            shown += 1;
            number += family.len();
            let case = family.case;
            let cause = plain(&escape::clamped(&prose::cause(case), 300));
            let also = prose::likewise(&family).map(|text| format!("; {}", plain(&text)));
            let id = code(&escape::line(case.id.as_str()));
            writeln!(out, "- {id}: {cause}{}", also.unwrap_or_default())?;
            if shown <= DETAILED {
                let text = Terminal::family_text(&report.header, catalog, &family);
                let text: String = text
                    .lines()
                    .map(|line| format!("{}\n", line.strip_prefix("  ").unwrap_or(line)))
                    .collect();
                block(&text, "text", "  ", out)?;
            }
        }
    }
    let all = report.cases.iter().filter(|case| groups::failed(case)).count();
    if all > number {
        writeln!(out, "\nand {}", prose::count(all - number, "more failure"))?;
    }
    Ok(())
}

/// A block of code; its fence is longer than any run of backticks.
pub(super) fn block(
    text: &str,
    language: &str,
    indent: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    writeln!(out, "\n{indent}{fence}{language}")?;
    for line in text.lines() {
        writeln!(out, "{indent}{line}")?;
    }
    writeln!(out, "{indent}{fence}\n")
}

/// A span of code: nothing in it is markup, a mention or a link.
pub(super) fn code(text: &str) -> String {
    let fence = "`".repeat(longest_run(text) + 1);
    let text = text.replace('|', "¦");
    let pad = if text.is_empty() || text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Text without markup: everything that could be some is escaped.
pub(super) fn plain(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 8);
    for c in escape::line(text).chars() {
        if c.is_ascii_punctuation() && !matches!(c, '.' | ',' | ':' | ';' | '/' | '(' | ')' | '-') {
            safe.push('\\');
        }
        safe.push(c);
    }
    safe
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Event, Options, Parser, Tag};

    use super::super::testing::*;
    use super::*;
    use crate::core::CaseRecord;

    fn told(cases: &[CaseRecord]) -> String {
        written(&report(cases, header(cases.len())), write)
    }

    #[test]
    fn it_reads_as_headings_a_table_and_code() {
        let text = told(&every_form());
        let count = |wanted: fn(&Event<'_>) -> bool| {
            Parser::new_ext(&text, Options::all()).filter(|event| wanted(event)).count()
        };
        assert_eq!(count(|e| matches!(e, Event::Start(Tag::Table(_)))), 1);
        assert_eq!(count(|e| matches!(e, Event::Start(Tag::TableRow))), 2);
        assert_eq!(count(|e| matches!(e, Event::Start(Tag::CodeBlock(_)))), 10);
        assert!(text.contains("- validator-strict: does not conform (2 MUST cases failed, 6 cases without a decision)\n"), "{text}");
        assert!(text.contains("\n## MUST: `manifest.project_id.max-length` (1 case)\n"), "{text}");
        let good = told(&[passing_case("manifest/a::strict")]);
        assert!(good.contains("- validator-strict: **conforms to Living Repositories Protocol v0.4 (suite manifest 0.1.0)**\n"), "{good}");
    }

    #[test]
    fn the_list_of_expected_failures_is_told_of() {
        let mut bytes = Vec::new();
        write(&listed_report(), &catalog(), &mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let row = "| all | 0 | 0 | 0 | 0 | 0 | 0 | 1 | 1 | 1 |\n";
        assert!(text.contains(row), "{text}");
        assert!(text.contains("\n- 1 case: not done \\\\x1b\\[31m\\# yet (https://"), "{text}");
        assert!(text.contains("\n- `manifest/fixed::strict` passes, and ci"), "{text}");
        assert!(text.contains("\n- `ci/expect.yaml:9`: rule manifest.secrets.pattern: expired"));
        assert!(!text.contains("**"), "nothing is said to conform: {text}");
    }

    #[test]
    fn hostile_text_is_text() {
        let evil = "</details><script>x</script> @someone [a](http://b) ![i](j) ``` ~~~ | `x` #1 *b* \n# h";
        let mut case = extra_case("manifest/`|<b>::strict", evil);
        case.class = evil.into();
        case.stdout = "```\n</script>\n`````\n# heading\n".into();
        let mut crash = crash_case("manifest/b::strict");
        crash.observed = crate::core::Outcome::Crashed { by: evil.into() };
        crash.judgement.mismatches[0].mismatch =
            crate::core::Mismatch::NoDecision { outcome: crash.observed.clone(), rule: None };
        let mut report = report(&[case, crash], header(2));
        report.header.implementation.name = evil.into();
        let mut bytes = Vec::new();
        write(&report, &catalog(), &mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let mut headings = 0;
        for event in Parser::new_ext(&text, Options::all()) {
            match event {
                Event::Html(html) | Event::InlineHtml(html) => panic!("{html} in {text}"),
                Event::Start(
                    Tag::Link { .. } | Tag::Image { .. } | Tag::Emphasis | Tag::Strikethrough,
                ) => {
                    panic!("{event:?} in {text}")
                }
                Event::Start(Tag::Heading { .. }) => headings += 1,
                _ => {}
            }
        }
        assert_eq!(headings, 3, "{text}");
    }

    #[test]
    fn many_failures_do_not_make_it_huge() {
        let cases: Vec<CaseRecord> = (0..3000)
            .map(|n| stance_case(&format!("manifest/{n:05}::strict"), "manifest.secrets.pattern"))
            .collect();
        let text = told(&cases);
        assert!(text.len() < 200_000, "{}", text.len());
        assert!(text.ends_with("\nand 2500 more failures\n"));
    }

    #[test]
    fn what_is_advisory_is_counted_apart() {
        let mut bytes = Vec::new();
        write(&advisory_report(), &catalog(), &mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        for part in [
            "\n| all | 1 | 0 | 0 | 0 | 0 | 0 |\n| advisory | 1 | 1 | 0 | 0 | 0 | 1 |\n",
            "\n3 advisory cases are no part of manifest 0.1.0, and not of the verdict: 1 passes, 1 fails, ",
            "\n## advisory: `manifest.project_id.max-length` (1 case)\n",
            "- validator-strict: **conforms to",
        ] {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
    }
}
