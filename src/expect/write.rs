//! Writes a list from what failed in a run.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;

use super::file::{EntryFile, ListFile};
use super::read::KnownFailures;
use crate::core::{CaseId, CaseRecord, Disposition, Event, Level};
use crate::report::{Reporter, Sink, Target, failure};

/// What a list that the program wrote begins with.
const HEAD: &str = "\
# Cases that are known to fail, for --expect. Look into each: fix it, or say why it
# fails, where that is tracked, and until when it may. docs/ci.md tells the format.
";

/// The reason that the program gives.
const REASON: &str = "not looked into yet";

/// Writes the failures of a run as a list: what a list had already as it was there, and
/// the rest case by case. Only a run that comes to its end is written.
#[derive(Debug)]
pub struct ListWriter {
    target: Target,
    known: KnownFailures,
    enforce: Level,
    /// The failures of each entry.
    fitting: BTreeMap<String, Vec<CaseRecord>>,
    /// The cases that ran.
    ran: BTreeSet<CaseId>,
    /// The entries one of whose cases passes.
    outdated: BTreeSet<String>,
    failed: BTreeMap<CaseId, String>,
    whole: bool,
}

impl ListWriter {
    /// Writes to this file; `known` is the list that the run goes by.
    #[must_use]
    pub fn new(path: PathBuf, known: KnownFailures) -> Self {
        Self {
            target: Target::File(path),
            known,
            enforce: Level::Must,
            fitting: BTreeMap::new(),
            ran: BTreeSet::new(),
            outdated: BTreeSet::new(),
            failed: BTreeMap::new(),
            whole: false,
        }
    }

    /// Finds out before the run whether the file can be written.
    ///
    /// # Errors
    /// When it cannot.
    pub fn check(&self) -> io::Result<()> {
        Sink::check(&self.target)
    }

    fn case(&mut self, case: &CaseRecord) {
        self.ran.insert(case.id.clone());
        match &case.disposition {
            Disposition::ExpectedFailure(listed) => {
                self.fitting.entry(listed.entry.clone()).or_default().push(case.clone());
            }
            Disposition::UnexpectedPass(listed) => {
                self.outdated.insert(listed.entry.clone());
            }
            // What fails only now and then is not known to fail.
            Disposition::Flaky { .. }
            | Disposition::Unsupported { .. }
            | Disposition::Advisory(_) => {}
            Disposition::Judged if case.fails(self.enforce) => {
                self.failed.insert(case.id.clone(), failure(case));
            }
            Disposition::Judged => {}
        }
    }

    fn entries(&self) -> Vec<EntryFile> {
        let mut entries = Vec::new();
        for (entry, written) in self.known.list.entries().iter().zip(&self.known.written) {
            let place = &entry.listed.entry;
            // Of what another shard runs, or nobody asked for, nothing is known here.
            let all_ran = entry.cases.iter().all(|case| self.ran.contains(case));
            if entry.cases.is_empty() || !all_ran {
                entries.push(written.clone());
                continue;
            }
            let Some(fitting) = self.fitting.get(place) else { continue };
            if !self.outdated.contains(place) {
                entries.push(written.clone());
                continue;
            }
            // Some of its cases pass by now: those that do not keep what it says.
            entries.extend(fitting.iter().map(|case| EntryFile {
                case: Some(case.id.to_string()),
                fixtures: None,
                rule: None,
                operations: None,
                wide: None,
                ..written.clone()
            }));
        }
        entries.extend(self.failed.iter().map(|(case, cause)| EntryFile {
            case: Some(case.to_string()),
            reason: REASON.to_owned(),
            message: Some(cause.clone()),
            ..EntryFile::default()
        }));
        entries
    }
}

impl Reporter for ListWriter {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Started(header) => self.enforce = header.enforce,
            Event::Case(case) => self.case(case),
            Event::Finished(summary) => {
                self.whole = summary.stopped.is_none() && summary.not_run == 0;
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        if !self.whole {
            return Err(io::Error::other("the run did not come to its end"));
        }
        let file = ListFile { failures: self.entries() };
        let text = serde_yaml::to_string(&file).map_err(io::Error::other)?;
        self.target.save(|out| {
            out.write_all(HEAD.as_bytes())?;
            out.write_all(text.as_bytes())
        })
    }
}
