//! `lint`: what is wrong with suites and fixtures.

use std::io::{self, Write};

use clap::{Args, ValueEnum};

use super::checkout::CheckoutArgs;
use crate::cli::exit::written;
use crate::cli::{Exit, Fatal};
use crate::counted::counted;
use crate::data::nearest;
use crate::fixture::{Diagnostic, LintInput, LintLevel, LintReport, lint, lint_code, lint_codes};
use crate::report::{escape, paragraph};
use crate::settings::{ColorChoice, Surroundings};
use crate::suites;

/// The options of `lint`.
#[derive(Debug, Clone, Args)]
pub struct LintArgs {
    /// Fixtures and rules to look at: those whose id contains one of these texts
    #[arg(value_name = "FILTER")]
    pub filters: Vec<String>,

    /// Say what a code means instead
    #[arg(long, value_name = "CODE", conflicts_with = "filters")]
    pub explain: Option<String>,

    /// How to write what is found
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: LintFormat,

    /// Where suites and fixtures are.
    #[command(flatten)]
    pub checkout: CheckoutArgs,
}

/// How to write what lint finds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum LintFormat {
    /// One diagnostic a line, its remedy below
    #[default]
    Text,
    /// One JSON document
    Json,
}

/// Looks at a checkout and says what is wrong with it.
///
/// # Errors
/// When there is no checkout or nothing in it that was asked for, or when `out` cannot
/// be written.
pub(super) fn lint_command(
    args: &LintArgs,
    surroundings: &Surroundings,
    out: &mut dyn Write,
) -> Result<Exit, Fatal> {
    if let Some(code) = &args.explain {
        return explain(code, surroundings.width(), out);
    }
    let checkout = args.checkout.open()?;
    let report = match suites::load(&checkout.suites) {
        Ok(suites) => lint(&LintInput {
            suites: &suites,
            suites_tree: &checkout.suites,
            fixtures_tree: &checkout.fixtures,
            filters: &args.filters,
            threads: surroundings.cpus,
        }),
        // Without suites there is nothing to hold fixtures against.
        Err(errors) => LintReport {
            diagnostics: errors.0.into_iter().map(Diagnostic::from).collect(),
            ..LintReport::default()
        },
    };
    let looked_at = report.fixtures + report.rules + report.diagnostics.len();
    if looked_at == 0 {
        return Err(Fatal {
            exit: Exit::Nothing,
            message: "no fixture and no rule has an id like this".to_owned(),
            remedy: Some("give a part of an id; without a filter everything is looked at".into()),
        });
    }
    let color = surroundings.color(ColorChoice::Auto);
    let written = match args.format {
        LintFormat::Text => text(&report, color, out),
        LintFormat::Json => json(&report, out),
    };
    written_or_closed(written)?;
    Ok(if report.count(LintLevel::Error) > 0 { Exit::Error } else { Exit::Success })
}

/// What came of writing what was found.
pub(super) fn written_or_closed(result: io::Result<()>) -> Result<(), Fatal> {
    written("what was found", result)
}

/// Writes the diagnostics of some levels, each with its remedy.
pub(super) fn write_diagnostics(
    report: &LintReport,
    wanted: &dyn Fn(LintLevel) -> bool,
    color: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let paint = |level: LintLevel, text: &str| match (color, level) {
        (false, _) => text.to_owned(),
        (true, LintLevel::Error) => format!("\x1b[1;31m{text}\x1b[0m"),
        (true, LintLevel::Warning) => format!("\x1b[1;33m{text}\x1b[0m"),
    };
    let diagnostics = report.diagnostics.iter().filter(|diagnostic| wanted(diagnostic.level));
    for Diagnostic { problem, level } in diagnostics {
        write!(out, "{}", escape::line(&problem.path.to_string_lossy()))?;
        if let (Some(line), Some(column)) = (problem.line, problem.column) {
            write!(out, ":{line}:{column}")?;
        }
        let word = paint(*level, level.as_str());
        writeln!(out, ": {word}: failed to {} [{}]", problem.message, problem.code)?;
        writeln!(out, "  help: {}", problem.remedy)?;
    }
    Ok(())
}

fn text(report: &LintReport, color: bool, out: &mut dyn Write) -> io::Result<()> {
    write_diagnostics(report, &|_| true, color, out)?;
    let (errors, warnings) = (report.count(LintLevel::Error), report.count(LintLevel::Warning));
    let line = format!(
        "{}, {}: {}, {}",
        counted(report.fixtures, "fixture"),
        counted(report.rules, "rule"),
        counted(errors, "error"),
        counted(warnings, "warning")
    );
    writeln!(out, "{line}")?;
    if let Some(first) = report.diagnostics.first() {
        writeln!(out, "lint --explain {} says more", first.problem.code)?;
    }
    out.flush()
}

fn json(report: &LintReport, out: &mut dyn Write) -> io::Result<()> {
    let document = serde_json::json!({
        "fixtures": report.fixtures,
        "rules": report.rules,
        "errors": report.count(LintLevel::Error),
        "warnings": report.count(LintLevel::Warning),
        "diagnostics": report.diagnostics,
    });
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)?;
    out.flush()
}

fn explain(code: &str, width: usize, out: &mut dyn Write) -> Result<Exit, Fatal> {
    let Some(entry) = lint_code(code) else {
        let codes: Vec<&str> = lint_codes().map(|entry| entry.code).collect();
        let error = Fatal {
            exit: Exit::Nothing,
            message: format!("there is no code {code:?}"),
            remedy: None,
        };
        return Err(error.with_remedy(match nearest(code, codes.iter().copied()) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("the codes are {}", codes.join(", ")),
        }));
    };
    written_or_closed(write_code(entry, width, out))?;
    Ok(Exit::Success)
}

/// Writes what a code means.
pub(super) fn write_code(
    entry: &crate::fixture::LintCode,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{} ({})\n", entry.code, entry.level.as_str())?;
    for text in [entry.what, entry.why] {
        out.write_all(paragraph(text, 0, 0, width).as_bytes())?;
    }
    out.flush()
}
