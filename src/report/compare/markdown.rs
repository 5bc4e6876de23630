//! A comparison in Markdown, for a comment or an issue.

use std::io::{self, Write};

use super::super::markdown::{block, code, plain};
use super::super::{Catalog, escape, prose};
use super::rows::{self, Passed};
use super::words;
use crate::compare::{Change, ChangeKind, Changes, Comparison, drafts};
use crate::core::Level;

/// How many cases of a kind, and places, are listed.
const LISTED: usize = 100;
/// How many cases of a place are named.
const CASES: usize = 10;

/// Writes the matrix, what each run fixed and broke, and the places of disagreement
/// with their drafts.
pub(super) fn write(
    comparison: &Comparison<'_>,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> io::Result<()> {
    let count = prose::count(comparison.runs.len(), "run");
    writeln!(out, "# {count} side by side\n")?;
    for (index, run) in comparison.runs.iter().enumerate() {
        let source = escape::clamped_start(&run.source, 200);
        let label = plain(&run.label.whole());
        writeln!(out, "- **{}**: {label} ({})", words::letter(index), code(&source))?;
    }
    let notes =
        comparison.changes.iter().flat_map(|it| words::apart(comparison, it, &words::letter));
    for (index, note) in notes.enumerate() {
        writeln!(out, "{}- {}", if index == 0 { "\n" } else { "" }, plain(&note))?;
    }
    passes(comparison, out)?;
    matrix(comparison, out)?;
    for changes in &comparison.changes {
        self::changes(changes, out)?;
    }
    places(comparison, catalog, out)
}

fn head(comparison: &Comparison<'_>, name: &str, out: &mut dyn Write) -> io::Result<()> {
    let runs = comparison.runs.len();
    let letters: String = (0..runs).map(|run| format!(" {} |", words::letter(run))).collect();
    writeln!(out, "\n| {name} |{letters}\n|---|{}", "---:|".repeat(runs))
}

fn passes(comparison: &Comparison<'_>, out: &mut dyn Write) -> io::Result<()> {
    for (name, rows) in ["passed", "level"].iter().zip(rows::passes(comparison)) {
        head(comparison, name, out)?;
        for (name, cells) in rows {
            let cells: Vec<String> = cells.iter().map(Passed::text).collect();
            writeln!(out, "| {} | {} |", plain(&name), cells.join(" | "))?;
        }
    }
    writeln!(out, "\n✓ conforms, ✗ does not conform, ○ not shown")
}

fn matrix(comparison: &Comparison<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (rows, alike) = rows::differing_rules(comparison);
    writeln!(out, "\n## Rules that fare otherwise")?;
    if !rows.is_empty() {
        head(comparison, "rule", out)?;
    }
    for row in rows {
        let cells: Vec<String> = row.fared.iter().map(|fared| fared.text()).collect();
        writeln!(out, "| {} | {} |", code(row.id.as_str()), cells.join(" | "))?;
    }
    writeln!(out, "\n{} alike in all runs.", prose::count(alike, "rule"))
}

fn changes(changes: &Changes<'_>, out: &mut dyn Write) -> io::Result<()> {
    let pair = format!("{} against {}", words::letter(changes.run), words::letter(0));
    writeln!(out, "\n## {pair}: {}", words::summary(changes))?;
    for kind in ChangeKind::ALL {
        let some: Vec<&Change<'_>> = changes.of_kind(kind).collect();
        list(&words::kind(kind, some.len()), &some, out)?;
    }
    let other: Vec<&Change<'_>> = changes.judged_otherwise.iter().collect();
    let count = prose::count(other.len(), "case");
    list(&format!("{count} of which something else is expected"), &other, out)?;
    if !changes.lost.is_empty() {
        let lost = prose::count(changes.lost.len(), "case");
        writeln!(out, "\n{lost} passed before and left out: nothing is known of them.")?;
    }
    Ok(())
}

fn list(title: &str, changes: &[&Change<'_>], out: &mut dyn Write) -> io::Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n### {title}\n")?;
    for change in changes.iter().take(LISTED) {
        let text = plain(&escape::clamped(&words::turn(change), 300));
        writeln!(out, "- {}: {text}", code(&escape::line(change.after.id.as_str())))?;
    }
    rest(changes.len(), LISTED, out)
}

fn rest(all: usize, shown: usize, out: &mut dyn Write) -> io::Result<()> {
    match all.checked_sub(shown) {
        Some(more @ 1..) => writeln!(out, "- and {more} more"),
        _ => Ok(()),
    }
}

fn places(comparison: &Comparison<'_>, catalog: &Catalog, out: &mut dyn Write) -> io::Result<()> {
    if comparison.places.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n## Where they disagree\n")?;
    writeln!(out, "First what says most of the spec being unclear.")?;
    let drafts = drafts(comparison, &catalog.rules);
    for (place, draft) in comparison.places.iter().zip(drafts).take(LISTED) {
        let rules: Vec<String> = place.rules.iter().map(|id| code(id.as_str())).collect();
        let rules = if rules.is_empty() { "no rule".to_owned() } else { rules.join(", ") };
        let level = if place.level == Level::None { "no key word" } else { place.level.as_str() };
        writeln!(out, "\n### {rules} ({level}), {}\n", plain(&place.operations().join(", ")))?;
        let with = match &place.with[..] {
            [] => "none".to_owned(),
            with => words::letters(with),
        };
        writeln!(
            out,
            "{}; {}: {}, {}: {with}. {}.\n",
            words::subject(place),
            words::otherwise(place),
            words::letters(&place.against),
            words::likewise(place),
            plain(&words::rank(place))
        )?;
        for case in place.cases.iter().take(CASES) {
            writeln!(out, "- {}", code(&escape::line(case.id.as_str())))?;
        }
        rest(place.cases.len(), CASES, out)?;
        writeln!(out, "\nA draft for {}:", code(&format!("suites/{}/ledger.yaml", draft.suite)))?;
        block(&draft.text, "yaml", "", out)?;
    }
    rest(comparison.places.len(), LISTED, out)
}
