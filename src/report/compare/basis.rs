//! What reports of a comparison are made of.

use std::io::{self, Write};

use super::super::{Catalog, HtmlPage};
use super::{ComparisonKind, ComparisonReport, markdown};
use crate::compare::{Comparison, drafts};
use crate::core::Level;

/// A comparison with what reports on it look up.
#[derive(Debug, Clone, Copy)]
pub struct ComparisonBasis<'a> {
    /// What was compared.
    pub comparison: &'a Comparison<'a>,
    /// Where rules, open questions and documents are looked up.
    pub catalog: &'a Catalog,
    /// Whether each run had other suites or fixtures than the catalog has.
    pub foreign: &'a [bool],
    /// The level from which on what got worse is a regression.
    pub enforce: Level,
}

impl ComparisonBasis<'_> {
    /// Writes a report of a kind.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn write(&self, kind: ComparisonKind, out: &mut dyn Write) -> io::Result<()> {
        let Self { comparison, catalog, .. } = *self;
        match kind {
            ComparisonKind::Json => {
                ComparisonReport::of(comparison, catalog, self.enforce).write(out)
            }
            ComparisonKind::Markdown => markdown::write(comparison, catalog, out),
            ComparisonKind::Html => self.page().write(out),
            ComparisonKind::Ledger => self.ledger(out),
        }
    }

    fn page(&self) -> HtmlPage<'_> {
        let runs = &self.comparison.runs;
        HtmlPage {
            reports: runs.iter().map(|run| run.report).collect(),
            catalog: self.catalog,
            sources: runs.iter().map(|run| run.source.clone()).collect(),
            foreign: self.foreign.to_vec(),
        }
    }

    /// The drafts as a file that follows the schema of ledgers; each suite has a file
    /// of its own, and this one is to be taken apart.
    fn ledger(&self, out: &mut dyn Write) -> io::Result<()> {
        let drafts = drafts(self.comparison, &self.catalog.rules);
        if drafts.is_empty() {
            return writeln!(out, "# The runs disagree nowhere.");
        }
        writeln!(out, "entries:")?;
        let mut suite = "";
        for draft in &drafts {
            if suite != draft.suite {
                suite = &draft.suite;
                writeln!(out, "  # suites/{suite}/ledger.yaml")?;
            }
            writeln!(out, "{}", draft.text)?;
        }
        Ok(())
    }
}
