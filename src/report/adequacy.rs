//! What the corpus does to mutants, for people, pages and programs.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::figures::{FiguresFormat, Table, percent};
use super::{json, markdown, paragraph, prose};
use crate::adequacy::{Adequacy, Degenerate, Family, Fate, Kills, Score, Tried};
use crate::core::RuleId;

/// The schema that the JSON document follows, in its first version.
const SCHEMA: &str = "urn:living-conformance:schema:adequacy:1";

/// An adequacy report.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct AdequacyReport {
    schema: &'static str,
    /// The program's version.
    program: &'static str,
    /// The suites, each with the version of its data.
    suites: BTreeMap<String, String>,
    #[serde(flatten)]
    adequacy: Adequacy,
}

impl AdequacyReport {
    /// A report on these suites.
    #[must_use]
    pub fn new(suites: BTreeMap<String, String>, adequacy: Adequacy) -> Self {
        Self { schema: SCHEMA, program: env!("CARGO_PKG_VERSION"), suites, adequacy }
    }

    /// Writes it; with `verbose`, each mutant as well. Text is in lines of `width` columns.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn write(
        &self,
        format: FiguresFormat,
        (verbose, width): (bool, usize),
        out: &mut dyn Write,
    ) -> io::Result<()> {
        match format {
            FiguresFormat::Json => json::write_pretty(self, out),
            FiguresFormat::Text => self.text((verbose, width), out),
            FiguresFormat::Markdown => self.markdown(verbose, out),
        }
    }

    fn text(&self, (verbose, width): (bool, usize), out: &mut dyn Write) -> io::Result<()> {
        let adequacy = &self.adequacy;
        self.rules().write_text(width, out)?;
        writeln!(out)?;
        self.families().write_text(width, out)?;
        writeln!(out)?;
        scores(&adequacy.degenerate).write_text(width, out)?;
        if verbose {
            writeln!(out)?;
            for tried in &adequacy.mutants {
                let text = format!("{}  {}: {}", fate(&tried.fate), tried.id, tried.wrong);
                write!(out, "{}", paragraph(&text, 0, 2, width))?;
            }
        }
        for (heading, lines) in self.problems() {
            writeln!(out, "\n{heading}")?;
            for line in lines {
                write!(out, "{}", paragraph(&line, 2, 4, width))?;
            }
        }
        write!(out, "\n{}", paragraph(&self.verdict(), 0, 0, width))
    }

    fn markdown(&self, verbose: bool, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "# Adequacy\n\n{}\n", markdown::plain(&self.verdict()))?;
        for (heading, lines) in self.problems() {
            writeln!(out, "## {}\n", markdown::plain(&heading))?;
            for line in lines {
                writeln!(out, "- {}", markdown::plain(&line))?;
            }
            writeln!(out)?;
        }
        writeln!(out, "## By rule\n")?;
        self.rules().write_markdown(out)?;
        writeln!(out, "\n## By where the mutants come from\n")?;
        self.families().write_markdown(out)?;
        writeln!(out, "\n## Implementations that are none\n")?;
        scores(&self.adequacy.degenerate).write_markdown(out)?;
        if verbose {
            writeln!(out, "\n## All mutants\n")?;
            for tried in &self.adequacy.mutants {
                let text = format!("{}: {} ({})", tried.id, tried.wrong, fate(&tried.fate));
                writeln!(out, "- {}", markdown::plain(&text))?;
            }
        }
        Ok(())
    }

    fn rules(&self) -> Table {
        let mut table = Table::new(&["rule", "killed", "all", "equivalent"]);
        let rows: &BTreeMap<RuleId, Kills> = &self.adequacy.rules;
        for (rule, kills) in rows {
            table.row(rule.as_str(), figures(kills));
        }
        table
    }

    fn families(&self) -> Table {
        let mut table = Table::new(&["mutants of", "killed", "all", "equivalent"]);
        for (family, kills) in &self.adequacy.families {
            let name = match family {
                Family::Schema => "the schemas",
                Family::Rule => "the rules",
                Family::Code => "the code",
            };
            table.row(name, figures(kills));
        }
        table.row("all", figures(&self.adequacy.totals));
        table
    }

    /// What is not as it should be, each under a heading.
    fn problems(&self) -> Vec<(String, Vec<String>)> {
        let adequacy = &self.adequacy;
        let survived = |tried: &Tried| {
            let attacks: Vec<&str> = tried.attacks.iter().map(RuleId::as_str).collect();
            format!("{}: {} (attacks {})", tried.id, tried.wrong, attacks.join(", "))
        };
        let told = |tried: &Tried| match &tried.fate {
            Fate::NotEquivalent { case, reason } => {
                Some(format!("{}: {case} tells it apart, though: {reason}", tried.id))
            }
            _ => None,
        };
        let void = adequacy.uncaught.iter().map(|one| {
            format!("what {} passes every decision of {}", one.control.about(), one.class)
        });
        let all = [
            ("Void: controls that were not caught", void.collect()),
            ("Survivors: no case tells them apart", adequacy.survivors().map(survived).collect()),
            (
                "Not equivalent, whatever is said of them",
                adequacy.mutants.iter().filter_map(told).collect(),
            ),
            ("Equivalents that fit no mutant", adequacy.unused.clone()),
            (
                "Cases that the reference fails, and that kill nothing",
                adequacy.failing.iter().map(ToString::to_string).collect(),
            ),
            (
                "Cases that the schemas fail as they are, and that kill none of their mutants",
                adequacy.disagreeing.iter().map(ToString::to_string).collect(),
            ),
        ];
        let named = all.map(|(heading, lines): (&str, Vec<String>)| (heading.to_owned(), lines));
        named.into_iter().filter(|(_, lines)| !lines.is_empty()).collect()
    }

    fn verdict(&self) -> String {
        let adequacy = &self.adequacy;
        let put = format!(
            "{} ({})",
            prose::count(adequacy.fixtures, "fixture"),
            prose::count(adequacy.cases, "case")
        );
        if adequacy.is_void() {
            return format!("adequacy: void; {put} show nothing");
        }
        let totals = &adequacy.totals;
        format!(
            "adequacy: {} of {} killed by {put}, {}; {} equivalent",
            totals.killed,
            prose::count(totals.all, "mutant"),
            percent(totals.percent()),
            totals.equivalent
        )
    }
}

fn figures(kills: &Kills) -> [String; 3] {
    [kills.killed.to_string(), kills.all.to_string(), kills.equivalent.to_string()]
}

fn fate(fate: &Fate) -> String {
    match fate {
        Fate::Killed { case, level } => format!("killed by {case} ({level})"),
        Fate::Survived => "survived".to_owned(),
        Fate::Equivalent { .. } => "equivalent".to_owned(),
        Fate::NotEquivalent { case, .. } => format!("not equivalent, by {case}"),
    }
}

/// What implementations that are none score.
fn scores(scores: &[Score]) -> Table {
    let head = ["an implementation that", "passes", "of", "share", "fails MUST", "errors"];
    let mut table = Table::new(&head);
    for score in scores {
        let tally = &score.tally;
        let figures = [
            tally.passed.to_string(),
            tally.total().to_string(),
            percent(score.percent()),
            tally.failed.to_string(),
            tally.errors.to_string(),
        ];
        table.row(score.implementation.about(), figures);
    }
    table
}

/// What implementations that are none score, in one line.
pub(super) fn scores_line(scores: &[Score]) -> String {
    let shown = |score: &Score| {
        let what = match score.implementation {
            Degenerate::AcceptAll => "with everything accepted",
            Degenerate::RejectAll => "with everything rejected",
            Degenerate::PrintNothing => "with nothing printed",
            Degenerate::Crash => "with crashes alone",
        };
        format!("{what} {}", percent(score.percent()))
    };
    scores.iter().map(shown).collect::<Vec<_>>().join(", ")
}
