//! What the list of expected failures has to do with a run.

use std::collections::BTreeMap;

use super::super::{escape, prose};
use super::page::{Page, Role};
use crate::core::{CaseId, CaseRecord, Disposition, Listed, Summary};

/// How many reasons are shown, and how many cases and entries that do not fit.
const SHOWN: usize = 10;

/// What is gathered of it while the cases run.
#[derive(Debug, Default)]
pub(super) struct ListSeen {
    /// How many failures are expected, by the reason.
    expected: BTreeMap<String, usize>,
    /// What passes all the same, and the entry that expects otherwise.
    passes: BTreeMap<CaseId, Listed>,
}

impl ListSeen {
    /// Takes note of a case.
    pub(super) fn add(&mut self, case: &CaseRecord) {
        match &case.disposition {
            Disposition::ExpectedFailure(listed) => {
                *self.expected.entry(prose::listed(listed)).or_default() += 1;
            }
            Disposition::UnexpectedPass(listed) => {
                self.passes.insert(case.id.clone(), listed.clone());
            }
            _ => {}
        }
    }

    /// Writes the expected failures by reason, and what does not fit the list.
    pub(super) fn write(&self, page: &mut Page, summary: &Summary, all: bool) {
        let shown = if all { usize::MAX } else { SHOWN };
        for (reason, cases) in self.expected.iter().take(shown) {
            let text = format!("{}: {reason}", prose::count(*cases, "case"));
            page.hanging("failed as expected: ", Role::Warning, Role::Plain, &text);
        }
        more(page, self.expected.len(), shown, "for other reasons");
        for (case, listed) in self.passes.iter().take(shown) {
            let text = format!("{case} passes, and is expected to fail");
            line(page, &listed.entry, &text);
        }
        more(page, self.passes.len(), shown, "more that pass");
        for misfit in summary.misfits.iter().take(shown) {
            line(page, &misfit.entry, &prose::misfit(misfit));
        }
        more(page, summary.misfits.len(), shown, "more entries that do not fit");
    }
}

fn line(page: &mut Page, entry: &str, text: &str) {
    let entry = escape::clamped_start(entry, page.width() / 2);
    page.hanging(&format!("{entry}: "), Role::Bad, Role::Plain, text);
}

fn more(page: &mut Page, all: usize, shown: usize, what: &str) {
    if let Some(more @ 1..) = all.checked_sub(shown) {
        page.paragraph(2, Role::Faint, &format!("and {more} {what}"));
    }
}
