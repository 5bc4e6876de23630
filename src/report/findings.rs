//! The findings of the reference: one a line for machines, with the source for
//! people.

use std::io::{self, Write};

use serde::Serialize;

use super::escape;
use super::terminal::marked;
use crate::core::{Severity, Stance};
use crate::reference::{Finding, Ruling};

/// How findings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingsStyle {
    /// `[warning: ]RULE-ID: message`, each on a line.
    Tagged,
    /// Each a JSON object on a line.
    Json,
    /// As [`Self::Tagged`], with the source line below and what it comes to.
    Terminal {
        /// Columns that a line may take.
        width: usize,
        /// Whether to use colours.
        color: bool,
    },
}

/// A line of the JSON style.
#[derive(Serialize)]
struct JsonLine<'a> {
    rule: &'a str,
    at: &'a str,
    severity: Severity,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
}

/// Writes what the reference itself reports. `name` says what a document is
/// called, given its name among the documents.
///
/// # Errors
/// When `out` cannot be written.
pub fn write_findings(
    out: &mut dyn Write,
    ruling: &Ruling,
    name: &dyn Fn(&str) -> String,
    style: FindingsStyle,
) -> io::Result<()> {
    for finding in ruling.reported() {
        match style {
            FindingsStyle::Json => {
                let span = finding.place.map(|place| place.span);
                let line = JsonLine {
                    rule: finding.rule.as_str(),
                    at: &finding.at,
                    severity: finding.severity,
                    message: &finding.message,
                    line: span.map(|span| span.line),
                    column: span.map(|span| span.column),
                };
                serde_json::to_writer(&mut *out, &line)?;
                writeln!(out)?;
            }
            FindingsStyle::Tagged => tagged(out, finding, name)?,
            FindingsStyle::Terminal { width, color } => {
                tagged(out, finding, name)?;
                excerpt(out, ruling, finding, name, (width, color))?;
            }
        }
    }
    if let FindingsStyle::Terminal { .. } = style {
        conclusion(out, ruling)?;
    }
    out.flush()
}

fn tagged(out: &mut dyn Write, finding: &Finding, name: &dyn Fn(&str) -> String) -> io::Result<()> {
    let warning = if finding.severity == Severity::Warning { "warning: " } else { "" };
    let message = escape::line(&finding.message);
    write!(out, "{warning}{}: {message}", finding.rule)?;
    if let Some(place) = finding.place {
        let name = name(place.document);
        write!(out, " ({}:{}:{})", escape::line(&name), place.span.line, place.span.column)?;
    }
    writeln!(out)
}

fn excerpt(
    out: &mut dyn Write,
    ruling: &Ruling,
    finding: &Finding,
    name: &dyn Fn(&str) -> String,
    (width, color): (usize, bool),
) -> io::Result<()> {
    let Some(place) = finding.place else { return Ok(()) };
    let Some(source) = ruling.source(place.document) else { return Ok(()) };
    let span = place.span.start..place.span.end;
    for line in marked(&name(place.document), &source.text, span, (width, color)) {
        writeln!(out, "  {line}")?;
    }
    writeln!(out)
}

/// What the findings come to, for people.
fn conclusion(out: &mut dyn Write, ruling: &Ruling) -> io::Result<()> {
    let count = |severity| ruling.reported().filter(|found| found.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let verdict = if ruling.accepted { "accepted" } else { "rejected" };
    let number = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    };
    writeln!(out, "{verdict}: {}, {}", number(errors, "error"), number(warnings, "warning"))?;
    if ruling.stance == Stance::Either {
        let open: Vec<&str> = ruling.open.iter().map(|id| id.as_str()).collect();
        writeln!(
            out,
            "note: the spec is open here ({}); others may decide otherwise",
            open.join(", ")
        )?;
    }
    Ok(())
}
