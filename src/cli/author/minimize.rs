//! `minimize`: the smallest documents on which an implementation still fails.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;

use super::checkout::sources;
use super::lint::written_or_closed;
use super::progress::Progress;
use crate::cli::args::ReachArgs;
use crate::cli::guard::{guard, interrupt};
use crate::cli::reach::reach;
use crate::cli::run::{grade, not_started, protocol};
use crate::cli::varied::as_named;
use crate::cli::{Exit, Fatal};
use crate::core::{CaseId, Document, Fixture, Judge, Judgement, Operation, Protocol, Suite};
use crate::counted::counted;
use crate::data::nearest;
use crate::driver::{Connection, DriverError, Request};
use crate::fixture::{
    Minimized, Symptom, as_the_reference_has_it, fill_places, load_all, minimize,
};
use crate::reference::Reference;
use crate::report::escape;
use crate::settings::Surroundings;
use crate::suites::{self, Suites};

/// The options of `minimize`.
#[derive(Debug, Clone, Args)]
pub struct MinimizeArgs {
    /// The failing case, as reports name it
    #[arg(value_name = "CASE")]
    pub case: String,

    /// How the implementation is reached.
    #[command(flatten)]
    pub reach: ReachArgs,

    /// The protocol version, such as v0.3 [default: the newest that the fixture holds at]
    #[arg(long, value_name = "VERSION")]
    pub protocol: Option<Protocol>,

    /// Try at most so many smaller documents
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub tries: usize,

    /// Write the documents to this directory, too; those that are there are kept
    #[arg(long, value_name = "DIR")]
    pub write: Option<PathBuf>,

    /// Take the suites from this directory [default: ./suites, or those in the program]
    #[arg(long, value_name = "DIR")]
    pub suites: Option<PathBuf>,

    /// Take the fixtures from this directory [default: ./fixtures, or those in the program]
    #[arg(long, value_name = "DIR")]
    pub fixtures: Option<PathBuf>,
}

/// Shrinks the documents of a failing case and prints them, ready for `new`.
///
/// # Errors
/// When there is no such case, it does not fail, or the implementation cannot be
/// started.
pub(super) fn minimize_command(
    args: &MinimizeArgs,
    surroundings: &Surroundings,
    out: &mut dyn Write,
) -> Result<Exit, Fatal> {
    let (suites_tree, fixtures_tree) = sources(args.suites.as_deref(), args.fixtures.as_deref());
    let suites = suites::load(&suites_tree)?;
    let fixtures = load_all(&fixtures_tree, &suites).fixtures;
    let (fixture, case) = find(&args.case, &fixtures)?;
    let Some(suite) = suites.suite(fixture.id.suite()) else { return Err(no_case(&args.case)) };
    let fixture = &*as_named(fixture, suite, case.variant())?;
    let Some(operation) = suite.operations.get(case.operation()) else {
        return Err(no_case(&args.case));
    };
    let protocol = version(args, &suites, suite, fixture)?;
    // Better known before the search than after it.
    args.write.as_deref().map_or(Ok(()), |directory| has_room(directory, &fixture.documents))?;
    let interrupt = interrupt()?;
    let _guard = (!args.reach.reference).then(|| guard(&interrupt));
    let (driver, _) = reach(&args.reach, protocol, &suites, &interrupt)?;
    let connection = driver.connect(0).map_err(|error| not_started(&error))?;
    let judge = Judge { rules: &suites.rules, grade: grade(args.reach.findings) };
    let mut probe = Probe { connection, judge, suite, operation, case: &case, protocol };

    let judgement = probe.judge(fixture).map_err(|error| stopped(&error))?;
    let expectation = fixture.cases.get(case.operation());
    let symptom = judgement
        .as_ref()
        .zip(expectation)
        .and_then(|(judgement, expectation)| Symptom::of(judgement, expectation))
        .ok_or_else(|| {
            Fatal::error(format!("failed to shrink {case}: it does not fail by itself"))
                .with_remedy("name a case that a run reports as failed, with the same --impl")
        })?;
    if !probe.shows(&symptom, fixture, &fixture.documents).map_err(|error| stopped(&error))? {
        // Asked as at first, it answers as at first, unless it does as it likes.
        for _ in 0..SURE {
            let again = probe.judge(fixture).map_err(|error| stopped(&error))?.zip(expectation);
            if !again.is_some_and(|(again, expectation)| symptom.is_in(&again, expectation)) {
                return Err(Fatal::error(format!("failed to shrink {case}: {FLAKY}"))
                    .with_remedy("see with --retries which cases come out in more than one way"));
            }
        }
        return Err(Fatal::error(format!(
            "failed to shrink {case}: the golden and the reference differ on it"
        ))
        .with_remedy("see `lint`, and mend the fixture first"));
    }
    let mut progress = Progress::new(surroundings, size(&fixture.documents));
    let (minimized, mut ended) = minimize(&fixture.documents, args.tries, &mut |documents| {
        progress.begin(Instant::now());
        let shows = probe.shows(&symptom, fixture, documents)?;
        if shows {
            progress.smaller(size(documents));
        }
        Ok(shows)
    });
    progress.end();
    let mut is_flaky = false;
    if ended.is_none() {
        match probe.shows_for_sure(&symptom, fixture, &minimized.documents) {
            Ok(sure) => is_flaky = !sure,
            Err(error) => ended = Some(error),
        }
    }
    let why = match &ended {
        None if is_flaky => Some(FLAKY),
        None if minimized.complete => None,
        None => Some("--tries is used up"),
        Some(DriverError::NotStarted(_)) => Some("the implementation cannot be started any more"),
        Some(DriverError::Interrupted) => Some("interrupted"),
    };
    // What was found is shown in any case: it may have taken long.
    let mut result = Found { fixture, suite, case: &case, minimized: &minimized, kept: None };
    let saved = args.write.as_deref().map_or(Ok(()), |directory| result.write(directory));
    result.kept = args.write.as_deref().filter(|_| saved.is_ok());
    written_or_closed(result.print(why, out))?;
    saved?;
    match &ended {
        Some(error @ DriverError::NotStarted(_)) => Err(stopped(error)),
        _ => Ok(if minimized.complete && !is_flaky { Exit::Success } else { Exit::Failure }),
    }
}

/// Why nothing can be concluded from what an implementation answers.
const FLAKY: &str = "the implementation does not always answer in the same way";

/// How often it is asked about what was found.
const SURE: usize = 3;

fn size(documents: &[Document]) -> usize {
    documents.iter().map(|document| document.bytes.len()).sum()
}

/// Refuses a directory that has such documents already: they may be those of a fixture.
fn has_room(directory: &Path, documents: &[Document]) -> Result<(), Fatal> {
    for document in documents {
        let path = directory.join(&document.path);
        if fs::symlink_metadata(&path).is_ok() {
            let path = escape::line(&path.to_string_lossy()).into_owned();
            return Err(Fatal::error(format!("failed to write {path}: it is there already"))
                .with_remedy("name an empty or a new directory with --write"));
        }
        let parent = path.parent().unwrap_or(directory);
        fs::create_dir_all(parent).map_err(|error| unwritable(parent, &error))?;
    }
    tempfile::tempfile_in(directory).map_err(|error| unwritable(directory, &error))?;
    Ok(())
}

fn unwritable(path: &Path, error: &io::Error) -> Fatal {
    let path = escape::line(&path.to_string_lossy()).into_owned();
    Fatal::error(format!("failed to write {path}: {error}"))
        .with_remedy("name a directory that can be written with --write")
}

/// Asks the implementation about documents.
struct Probe<'a> {
    connection: Box<dyn Connection + 'a>,
    judge: Judge<'a>,
    suite: &'a Suite,
    operation: &'a Operation,
    case: &'a CaseId,
    protocol: Protocol,
}

impl Probe<'_> {
    fn judge(&mut self, fixture: &Fixture) -> Result<Option<Judgement>, DriverError> {
        let mut fixture = fixture.clone();
        fill_places(&mut fixture, self.suite);
        let name = self.case.operation();
        let observation = self.connection.run(&Request {
            fixture: &fixture,
            variant: None,
            operation: name,
            spec: self.operation,
            protocol: self.protocol,
        })?;
        let judged = self.judge.case(&fixture, name, self.operation, &observation);
        Ok(judged.map(|(judgement, _)| judgement))
    }

    /// Whether these documents show it whenever the implementation is asked.
    fn shows_for_sure(
        &mut self,
        symptom: &Symptom,
        fixture: &Fixture,
        documents: &[Document],
    ) -> Result<bool, DriverError> {
        for _ in 0..SURE {
            if !self.shows(symptom, fixture, documents)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether these documents still show it, judged by what the reference says of them.
    fn shows(
        &mut self,
        symptom: &Symptom,
        fixture: &Fixture,
        documents: &[Document],
    ) -> Result<bool, DriverError> {
        let smaller = Fixture { documents: documents.to_vec(), ..fixture.clone() };
        let reference = Reference::new(self.protocol);
        let operation = self.case.operation();
        let Some(expected) = as_the_reference_has_it(&smaller, operation, &reference) else {
            return Ok(false);
        };
        let judgement = self.judge(&expected)?;
        let expectation = expected.cases.get(operation);
        Ok(judgement
            .zip(expectation)
            .is_some_and(|(judgement, expectation)| symptom.is_in(&judgement, expectation)))
    }
}

fn find<'f>(name: &str, fixtures: &'f [Fixture]) -> Result<(&'f Fixture, CaseId), Fatal> {
    let found = CaseId::try_from(name.to_owned()).ok().and_then(|case| {
        let fixture = fixtures.iter().find(|fixture| fixture.id.as_str() == case.fixture())?;
        fixture.cases.contains_key(case.operation()).then_some((fixture, case))
    });
    found.ok_or_else(|| {
        let ids: Vec<CaseId> = fixtures
            .iter()
            .flat_map(|fixture| fixture.cases.keys().map(|name| fixture.id.case(name)))
            .collect();
        match nearest(name, ids.iter().map(CaseId::as_str)) {
            Some(near) => no_case(name).with_remedy(format!("did you mean {near}?")),
            None => no_case(name),
        }
    })
}

fn no_case(name: &str) -> Fatal {
    Fatal {
        exit: Exit::Nothing,
        message: format!("failed to find the case {name:?}"),
        remedy: Some("write it as SUITE/PATH::OPERATION; --list shows all of them".to_owned()),
    }
}

/// The protocol version asked for, or the newest at which the fixture holds.
fn version(
    args: &MinimizeArgs,
    suites: &Suites,
    suite: &Suite,
    fixture: &Fixture,
) -> Result<Protocol, Fatal> {
    if args.protocol.is_some() {
        return protocol(args.protocol, suites);
    }
    let holds = |version: &&Protocol| fixture.holds_at(**version);
    suite
        .protocols
        .iter()
        .rev()
        .find(holds)
        .copied()
        .ok_or_else(|| Fatal::error("failed to find a protocol version at which the fixture holds"))
}

fn stopped(error: &DriverError) -> Fatal {
    match error {
        DriverError::NotStarted(error) => not_started(error),
        error => Fatal::error(format!("failed to {error}")),
    }
}

/// What is told in the end.
struct Found<'a> {
    fixture: &'a Fixture,
    suite: &'a Suite,
    case: &'a CaseId,
    minimized: &'a Minimized,
    /// Where the documents were written.
    kept: Option<&'a Path>,
}

impl Found<'_> {
    fn write(&self, directory: &Path) -> Result<(), Fatal> {
        for document in &self.minimized.documents {
            let path = directory.join(&document.path);
            let file = fs::OpenOptions::new().write(true).create_new(true).open(&path);
            file.and_then(|mut file| file.write_all(&document.bytes))
                .map_err(|error| unwritable(&path, &error))?;
        }
        Ok(())
    }

    /// `why` there may be something smaller, if there may.
    fn print(&self, why: Option<&str>, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "# {}: {} of {} still show it, after {}",
            self.case,
            size(&self.minimized.documents),
            counted(size(&self.fixture.documents), "byte"),
            counted(self.minimized.tries, "candidate")
        )?;
        if let Some(why) = why {
            let told =
                if why == FLAKY { "do not rely on it" } else { "there may be something smaller" };
            writeln!(out, "# {told}: {why}")?;
        }
        match (self.kept, self.texts()) {
            (Some(directory), _) => {
                self.show(out)?;
                let from = escape::line(&directory.to_string_lossy()).into_owned();
                writeln!(out, "{} --from {from}", self.command())?;
            }
            (None, Some(texts)) => self.script(&texts, out)?,
            (None, None) => {
                self.show(out)?;
                writeln!(out, "# not all of it can be shown as it is: write it with --write DIR")?;
            }
        }
        out.flush()
    }

    /// The documents as text, when a terminal and a shell take them as they are.
    fn texts(&self) -> Option<Vec<(&Document, &str)>> {
        fn text(document: &Document) -> Option<(&Document, &str)> {
            let text = std::str::from_utf8(&document.bytes).ok()?;
            let safe = |c: char| c == '\n' || !escape::acts(c);
            let whole = text.is_empty() || text.ends_with('\n');
            let ends = text.lines().any(|line| line == "EOF");
            (text.chars().all(safe) && whole && !ends).then_some((document, text))
        }
        self.minimized.documents.iter().map(text).collect()
    }

    /// The documents, with what acts spelled out.
    fn show(&self, out: &mut dyn Write) -> io::Result<()> {
        for document in &self.minimized.documents {
            writeln!(out, "# {}", document.path)?;
            for line in escape::lines(&escape::from_bytes(&document.bytes), 200) {
                writeln!(out, "#   {line}")?;
            }
        }
        Ok(())
    }

    /// Commands that make a fixture of the documents.
    fn script(&self, texts: &[(&Document, &str)], out: &mut dyn Write) -> io::Result<()> {
        if let [(document, text)] = texts {
            writeln!(out, "{} --from {}=- <<'EOF'\n{text}EOF", self.command(), document.name)?;
            return Ok(());
        }
        for (document, text) in texts {
            let path = format!("minimal/{}", document.path);
            let parent = path.rsplit_once('/').map_or("minimal", |(parent, _)| parent);
            writeln!(out, "mkdir -p {parent}\ncat >{path} <<'EOF'\n{text}EOF")?;
        }
        writeln!(out, "{} --from minimal", self.command())
    }

    fn command(&self) -> String {
        let decides: Vec<&str> = self.fixture.decides.iter().map(|id| id.as_str()).collect();
        let decides = match decides[..] {
            [] => "RULE".to_owned(),
            _ => decides.join(","),
        };
        // Only the end of a name may change where names bind.
        let id = format!("{}/{}", self.suite.suite, self.fixture.id.path());
        format!("living-conformance new {id}-minimal --decides {decides}")
    }
}
