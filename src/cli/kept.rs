//! Keeps the events of a run, to make a report of them.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use crate::core::Event;
use crate::corpus::Corpus;
use crate::report::{Report, Reporter};

/// The events of a run, shared with the reporter that takes them.
#[derive(Debug, Default, Clone)]
pub(super) struct Kept(Rc<RefCell<Vec<Event>>>, bool);

impl Kept {
    /// The reporter that fills it.
    pub(super) fn reporter(&self) -> Box<dyn Reporter> {
        Box::new(self.clone())
    }

    /// One whose reporter is no reason to go on with a run that nobody reads.
    pub(super) fn aside() -> Self {
        Self(Rc::default(), true)
    }

    /// The report of the run; `None` when it did not come to its end.
    pub(super) fn into_report(self, corpus: &Corpus) -> Option<Report> {
        let (mut started, mut cases, mut finished) = (None, Vec::new(), None);
        for event in self.0.take() {
            match event {
                Event::Started(header) => started = Some(*header),
                Event::Case(case) => cases.push(*case),
                Event::Finished(summary) => finished = Some(*summary),
            }
        }
        let header = started?;
        let coverage = corpus.coverage(header.protocol);
        Some(Report::new(header, cases, finished?, &corpus.suites.rules, &coverage))
    }
}

impl Reporter for Kept {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        self.0.borrow_mut().push(event.clone());
        Ok(())
    }

    fn is_read(&self) -> bool {
        !self.1
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}
