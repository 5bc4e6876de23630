//! One stream of events, many readers.

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;

use super::document::{Gather, Report};
use super::jsonl::Jsonl;
use super::spec::{ReportKind, ReportSpec};
use super::{Catalog, markdown};
use crate::core::Event;

/// Reads the events of a run.
pub trait Reporter {
    /// Takes the next event.
    ///
    /// # Errors
    /// When what it writes to fails; it gets no further events then.
    fn event(&mut self, event: &Event) -> io::Result<()>;

    /// Told now and then while no event comes.
    ///
    /// # Errors
    /// As for [`Reporter::event`].
    fn tick(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Whether somebody reads what it writes: where nobody does, a run need not go on.
    fn is_read(&self) -> bool {
        true
    }

    /// Writes what is left to write; called once, after the last event.
    ///
    /// # Errors
    /// When what it writes to fails.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// A reporter that could not do its work.
#[derive(Debug)]
pub struct ReportFailure {
    /// What it is, such as `junit report to out.xml`.
    pub reporter: String,
    /// What went wrong.
    pub error: io::Error,
}

impl fmt::Display for ReportFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "failed to write the {}: {}", self.reporter, self.error)
    }
}

impl std::error::Error for ReportFailure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// Passes every event to many reporters, and writes the documents of the whole
/// run at its end. One that fails is dropped, and the others go on.
pub struct Fanout {
    catalog: Arc<Catalog>,
    reporters: Vec<(String, Box<dyn Reporter>)>,
    documents: Vec<Document>,
    gather: Gather,
    failures: Vec<ReportFailure>,
    hung_up: bool,
}

impl Fanout {
    /// Without any reporter yet.
    #[must_use]
    pub fn new(catalog: Arc<Catalog>) -> Self {
        Self {
            catalog,
            reporters: Vec::new(),
            documents: Vec::new(),
            gather: Gather::default(),
            failures: Vec::new(),
            hung_up: false,
        }
    }

    /// Adds a reporter; `name` says what it is in an error, such as
    /// `junit report to out.xml`.
    pub fn add(&mut self, name: impl Into<String>, reporter: Box<dyn Reporter>) {
        self.reporters.push((name.into(), reporter));
    }

    /// Adds a report as the command line asks for it.
    pub fn add_report(&mut self, spec: ReportSpec) {
        match spec.kind {
            ReportKind::Jsonl => {
                self.add(spec.to_string(), Box::new(Jsonl::new(spec.target)));
            }
            _ => self.documents.push(Document::Report(spec)),
        }
    }

    /// Adds a summary in Markdown to the end of a file, as a job of GitHub Actions
    /// has one.
    pub fn add_job_summary(&mut self, path: PathBuf) {
        self.documents.push(Document::JobSummary(path));
    }

    /// Passes an event on.
    pub fn event(&mut self, event: &Event) {
        if !self.documents.is_empty() {
            self.gather.take(event);
        }
        self.each(|reporter| reporter.event(event));
    }

    /// Tells that time has passed.
    pub fn tick(&mut self) {
        self.each(|reporter| reporter.tick());
    }

    /// Whether nobody reads any more: every reporter's reader has gone, as `head`
    /// does. The run may end quietly then.
    #[must_use]
    pub fn is_deserted(&self) -> bool {
        !self.reporters.iter().any(|(_, reporter)| reporter.is_read())
            && self.documents.is_empty()
            && self.failures.is_empty()
            && self.hung_up
    }

    /// Finishes all reporters, writes the documents, and gives back what failed. A
    /// reader that went away is no failure.
    #[must_use]
    pub fn finish(mut self) -> Vec<ReportFailure> {
        for (name, reporter) in std::mem::take(&mut self.reporters) {
            if let Err(error) = reporter.finish() {
                self.keep(name, error);
            }
        }
        let documents = std::mem::take(&mut self.documents);
        let report = std::mem::take(&mut self.gather).into_report(&self.catalog);
        for document in documents {
            if let Err(error) = document.write(report.as_ref(), &self.catalog) {
                self.keep(document.to_string(), error);
            }
        }
        self.failures
    }

    fn each(&mut self, mut step: impl FnMut(&mut dyn Reporter) -> io::Result<()>) {
        let mut index = 0;
        while let Some((_, reporter)) = self.reporters.get_mut(index) {
            match step(reporter.as_mut()) {
                Ok(()) => index += 1,
                Err(error) => {
                    let (name, _) = self.reporters.remove(index);
                    self.keep(name, error);
                }
            }
        }
    }

    fn keep(&mut self, reporter: String, error: io::Error) {
        if error.kind() == io::ErrorKind::BrokenPipe {
            self.hung_up = true;
        } else {
            self.failures.push(ReportFailure { reporter, error });
        }
    }
}

/// What is written of a whole run.
#[derive(Debug)]
enum Document {
    Report(ReportSpec),
    JobSummary(PathBuf),
}

impl Document {
    fn write(&self, report: Option<&Report>, catalog: &Catalog) -> io::Result<()> {
        let report = report.ok_or_else(|| io::Error::other("the run did not come to its end"))?;
        match self {
            Self::Report(spec) => spec.target.save(|out| spec.write(report, catalog, out)),
            Self::JobSummary(path) => {
                // Other steps of the job write there, too.
                let file = File::options().create(true).append(true).open(path)?;
                let mut out = BufWriter::new(file);
                markdown::write(report, catalog, &mut out)?;
                out.flush()
            }
        }
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Report(spec) => spec.fmt(f),
            Self::JobSummary(path) => write!(f, "job summary to {}", path.display()),
        }
    }
}

impl fmt::Debug for Fanout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.reporters.iter().map(|(name, _)| name);
        f.debug_list().entries(names).entries(&self.documents).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::super::testing::{catalog, started};
    use super::*;

    struct Probe {
        seen: Rc<RefCell<Vec<String>>>,
        name: &'static str,
        fails_at: usize,
        kind: io::ErrorKind,
    }

    impl Probe {
        fn step(&mut self, what: &str) -> io::Result<()> {
            if self.fails_at == 0 {
                return Err(self.kind.into());
            }
            self.fails_at -= 1;
            self.seen.borrow_mut().push(format!("{} {what}", self.name));
            Ok(())
        }
    }

    impl Reporter for Probe {
        fn event(&mut self, _: &Event) -> io::Result<()> {
            self.step("event")
        }
        fn finish(mut self: Box<Self>) -> io::Result<()> {
            self.step("finish")
        }
    }

    fn run(probes: &[(&'static str, usize, io::ErrorKind)]) -> (Vec<String>, Vec<String>, bool) {
        let seen = Rc::new(RefCell::new(Vec::new()));
        let mut fanout = Fanout::new(catalog());
        for &(name, fails_at, kind) in probes {
            fanout.add(name, Box::new(Probe { seen: Rc::clone(&seen), name, fails_at, kind }));
        }
        fanout.event(&started());
        fanout.event(&started());
        let deserted = fanout.is_deserted();
        let failures = fanout.finish();
        let seen = seen.borrow().clone();
        (seen, failures.iter().map(ToString::to_string).collect(), deserted)
    }

    #[test]
    fn one_that_fails_does_not_stop_the_others() {
        use io::ErrorKind::{PermissionDenied, StorageFull};
        let (seen, failures, deserted) =
            run(&[("a", 1, StorageFull), ("b", 9, StorageFull), ("c", 2, PermissionDenied)]);
        let expected =
            ["a event", "b event", "c event", "b event", "c event", "b finish"].map(str::to_owned);
        assert_eq!(seen, expected);
        assert_eq!(failures.len(), 2);
        assert!(failures[0].starts_with("failed to write the a: "), "{failures:?}");
        assert!(!deserted);
    }

    #[test]
    fn reports_are_written_at_the_end_and_fail_alone() {
        use super::super::testing::{header, passing_case, run};
        let folder = tempfile::tempdir().unwrap();
        let mut fanout = Fanout::new(catalog());
        for name in ["json=a.json", "json=no/b.json", "jsonl=no/c", "jsonl=d.jsonl"] {
            let (kind, path) = name.split_once('=').unwrap();
            let text = format!("{kind}={}", folder.path().join(path).display());
            fanout.add_report(text.parse().unwrap());
        }
        run(&[passing_case("manifest/a::strict")], header(1), 1)
            .iter()
            .for_each(|event| fanout.event(event));
        assert!(!folder.path().join("a.json").exists());
        let failures: Vec<String> = fanout.finish().iter().map(ToString::to_string).collect();
        assert_eq!(failures.len(), 2, "{failures:?}");
        assert!(failures.iter().all(|text| text.contains("create it first")), "{failures:?}");
        let report = Report::read(&folder.path().join("a.json")).unwrap();
        assert_eq!(report.cases.len(), 1);
        assert!(folder.path().join("d.jsonl").exists());
    }

    #[test]
    fn every_kind_is_written_and_a_job_summary_is_added() {
        use super::super::testing::{every_form, header, run};
        let folder = tempfile::tempdir().unwrap();
        let mut fanout = Fanout::new(catalog());
        for kind in ReportKind::ALL {
            let path = folder.path().join(kind.as_str());
            fanout.add_report(format!("{}={}", kind.as_str(), path.display()).parse().unwrap());
        }
        let endpoint = folder.path().join("badge.json");
        fanout.add_report(format!("badge={}", endpoint.display()).parse().unwrap());
        let summary = folder.path().join("summary.md");
        std::fs::write(&summary, "before\n").unwrap();
        fanout.add_job_summary(summary.clone());
        let cases = every_form();
        run(&cases, header(13), 13).iter().for_each(|event| fanout.event(event));
        assert!(fanout.finish().is_empty());
        let starts = [
            ("json", "{"),
            ("jsonl", "{\"event\":\"started\""),
            ("junit", "<?xml"),
            ("tap", "TAP"),
            ("github", "::error"),
            ("markdown", "# Conformance"),
            ("html", "<!doctype html>"),
            ("badge", "<svg"),
            ("badge.json", "{\"schemaVersion\""),
            ("sarif", "{"),
            ("summary.md", "before\n# Conformance"),
        ];
        for (name, start) in starts {
            let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
            assert!(text.starts_with(start), "{name}: {text}");
        }
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), starts.len());
    }

    #[test]
    fn a_reader_that_goes_away_is_no_failure() {
        use io::ErrorKind::{BrokenPipe, Other};
        let (seen, failures, deserted) = run(&[("a", 1, BrokenPipe)]);
        assert_eq!((seen.len(), failures.len(), deserted), (1, 0, true));
        let (_, failures, deserted) = run(&[("a", 1, BrokenPipe), ("b", 9, Other)]);
        assert_eq!((failures.len(), deserted), (0, false));
    }
}
