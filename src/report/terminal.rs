//! What a person at a terminal sees.

mod causes;
mod excerpt;
mod failures;
mod grid;
mod list;
mod live;
mod page;
#[cfg(test)]
mod tests;
mod totals;

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

use super::groups::Family;
use super::{Catalog, Reporter, escape, groups, prose};
use crate::adequacy::Score;
use crate::core::{CaseRecord, Disposition, Event, Header, Stopped, Summary, Verdict};
pub(super) use excerpt::marked;
pub use failures::explain;
pub(super) use grid::{Cell, Grid};
use live::Live;
pub(crate) use page::wrap;
pub(super) use page::{Page, Role};
use totals::Gathered;

/// How a run is shown. What the terminal and the environment have to say of it
/// was found out before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalOptions {
    /// Whether to use colours.
    pub color: bool,
    /// How many columns there are; 80 where there is no terminal.
    pub width: usize,
    /// Show the verdict alone.
    pub quiet: bool,
    /// Show each case as it ends, and the choices on open questions.
    pub verbose: bool,
    /// Show all failures in full.
    pub show_all: bool,
    /// How many of them, where it is not all.
    pub in_full: usize,
    /// Whether a line may be drawn over: a terminal reads it.
    pub live: bool,
}

impl Default for TerminalOptions {
    fn default() -> Self {
        Self {
            color: false,
            width: 80,
            quiet: false,
            verbose: false,
            show_all: false,
            in_full: Self::IN_FULL,
            live: false,
        }
    }
}

impl TerminalOptions {
    /// How many failures are shown in full, unless all are asked for.
    pub const IN_FULL: usize = 20;
}

/// Shows a run to a person.
pub struct Terminal {
    out: Box<dyn Write>,
    options: TerminalOptions,
    catalog: Arc<Catalog>,
    header: Option<Header>,
    failed: Vec<CaseRecord>,
    gathered: Gathered,
    live: Option<Live>,
    summary: Option<Summary>,
    /// What implementations that are none score in the same cases.
    beside: Vec<Score>,
    heading: String,
}

impl Terminal {
    /// Shows a run on `out`.
    #[must_use]
    pub fn new(out: Box<dyn Write>, options: TerminalOptions, catalog: Arc<Catalog>) -> Self {
        Self {
            out,
            options,
            catalog,
            header: None,
            failed: Vec::new(),
            gathered: Gathered::default(),
            live: None,
            summary: None,
            beside: Vec::new(),
            heading: String::new(),
        }
    }

    /// Shows this text, which has to be safe, before all else.
    #[must_use]
    pub fn headed(self, heading: String) -> Self {
        Self { heading, ..self }
    }

    /// Shows these scores beside that of the run, where much is to be shown.
    #[must_use]
    pub fn beside(self, scores: Vec<Score>) -> Self {
        Self { beside: scores, ..self }
    }

    /// What is shown of one failing case, as plain text without its heading's rule.
    pub(super) fn case_text(header: &Header, catalog: &Catalog, case: &CaseRecord) -> String {
        Self::family_text(header, catalog, &Family::of(case))
    }

    /// The same of a case that fails on variants as well.
    pub(super) fn family_text(header: &Header, catalog: &Catalog, family: &Family<'_>) -> String {
        let mut page = Page::new(false, TerminalOptions::default().width);
        failures::family(&mut page, header, catalog, family);
        page.into_text()
    }

    fn page(&self) -> Page {
        Page::new(self.options.color, self.options.width)
    }

    fn show(&mut self, page: Page) -> io::Result<()> {
        if let Some(live) = &mut self.live {
            live.clear(self.out.as_mut())?;
        }
        self.out.write_all(page.into_text().as_bytes())?;
        self.out.flush()
    }

    fn started(&mut self, header: &Header) -> io::Result<()> {
        self.header = Some(header.clone());
        self.out.write_all(self.heading.as_bytes())?;
        if self.options.quiet {
            return Ok(());
        }
        if self.options.live {
            self.live = Some(Live::new(header.cases, self.options.width));
        }
        let mut page = self.page();
        let text = format!(
            "{}: {} at {}",
            escape::clamped(&header.implementation.name, 200),
            prose::count(header.cases, "case"),
            prose::spec(header)
        );
        page.paragraph(0, Role::Plain, &text);
        self.show(page)
    }

    fn case(&mut self, case: &CaseRecord) -> io::Result<()> {
        let suite = case.id.suite();
        let suites = self.gathered.suites.entry(case.class.clone()).or_default();
        if !suites.contains(suite) {
            suites.insert(suite.to_owned());
        }
        self.gathered.list.add(case);
        self.gathered.tracebacks += usize::from(prose::shows_traceback(case));
        if let Disposition::Unsupported { reason } = &case.disposition {
            *self.gathered.unsupported.entry(reason.clone()).or_default() += 1;
        }
        let failed = groups::failed(case);
        if failed && !self.options.quiet {
            self.failed.push(case.clone());
        }
        if self.options.verbose && !self.options.quiet {
            let mut page = self.page();
            self.case_line(&mut page, case);
            self.show(page)?;
        }
        if let (Some(live), Some(header)) = (&mut self.live, &self.header) {
            live.count(case.fails(header.enforce));
        }
        self.tick()
    }

    fn case_line(&self, page: &mut Page, case: &CaseRecord) {
        let enforce = self.header.as_ref().map(|header| header.enforce);
        let counts = enforce.is_none_or(|enforce| case.fails(enforce));
        let (word, role) = match (&case.disposition, case.judgement.verdict) {
            (Disposition::Judged, Verdict::Pass) => (prose::word(case), Role::Good),
            (Disposition::Judged | Disposition::Advisory(_), Verdict::Fail) if !counts => {
                (case.judgement.level.as_str(), Role::Warning)
            }
            _ if counts => (prose::word(case), Role::Bad),
            _ => (prose::word(case), Role::Warning),
        };
        let took = prose::duration(case.duration_us);
        let text = match &case.disposition {
            Disposition::Unsupported { .. } => format!("{} (not supported)", case.id),
            Disposition::Advisory(_) => format!("{} (advisory, {took})", case.id),
            _ => format!("{} ({took})", case.id),
        };
        page.hanging(&format!("{word:<6} "), role, Role::Plain, &text);
    }

    fn ended(&self, header: &Header, summary: &Summary) -> Page {
        let mut page = self.page();
        if summary.stopped == Some(Stopped::NotStarted) && summary.total.total() == 0 {
            // Tables of zeros would only hide the error that says why.
            return page;
        }
        if !self.options.quiet {
            let TerminalOptions { show_all: all, in_full, verbose: named, .. } = self.options;
            let shown = failures::Shown { all, in_full, named };
            failures::write(&mut page, header, &self.catalog, &self.failed, shown);
            totals::table(&mut page, summary);
            if self.options.verbose {
                totals::choices(&mut page, &self.catalog, summary);
                totals::beside(&mut page, summary, &self.beside);
            }
            let verbose = self.options.verbose;
            totals::basis(&mut page, header, summary, &self.gathered, verbose);
            totals::missing(&mut page, summary, self.options.show_all);
            self.gathered.list.write(&mut page, summary, self.options.show_all);
            let given = &header.implementation.version;
            if let Some(version) = summary.implementation_version.as_ref().or(given.as_ref()) {
                let text = escape::clamped(version, 200);
                page.hanging("version under test: ", Role::Plain, Role::Plain, &text);
            }
            let cases = prose::count(summary.total.total(), "case");
            let text = format!("ran: {cases} in {}", prose::duration(summary.duration_us));
            page.paragraph(0, Role::Plain, &text);
            page.blank();
        }
        totals::verdict(&mut page, header, summary, &self.gathered);
        page
    }
}

impl Reporter for Terminal {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Started(header) => self.started(header),
            Event::Case(case) => self.case(case),
            Event::Finished(summary) => {
                self.summary = Some(summary.as_ref().clone());
                Ok(())
            }
        }
    }

    fn tick(&mut self) -> io::Result<()> {
        match &mut self.live {
            Some(live) => live.draw(self.out.as_mut()),
            // Tells when the reader has gone.
            None => self.out.flush(),
        }
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        let page = match (&self.header, &self.summary) {
            (Some(header), Some(summary)) => self.ended(header, summary),
            // Without an end there is no result to show.
            _ => self.page(),
        };
        self.show(page)
    }
}

impl fmt::Debug for Terminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Terminal").field("options", &self.options).finish_non_exhaustive()
    }
}
