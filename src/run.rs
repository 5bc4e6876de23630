//! Executes a plan: worker threads run and judge, the calling thread tells.

mod again;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::core::{
    Advisory, CUT_BEFORE, CaseId, CaseRecord, Count, Cover, Coverage, Deferred, Disposition, Event,
    FailureList, Header, Judge, Judgement, Observation, Outcome, Plan, Protocol, Review, RuleId,
    Stopped, Suite, Summary, Unit, classes_of,
};
use crate::driver::{Connection, Driver, DriverError, Interrupt, Request, StartError};
use crate::fixture::fill_places;
use crate::report::Fanout;
use crate::variant::vary;

/// The number of SIGPIPE on systems that have it; others have none to tell apart.
const SIGPIPE: i32 = 13;

/// How many bytes of each output a case record keeps: the end is where a tool
/// says why it gave up.
const KEPT_OUTPUT: usize = 4096;

/// How often reporters hear that time passes while no case ends.
const TICK: Duration = Duration::from_millis(100);

/// What cases are asked and judged by.
#[derive(Debug, Clone, Copy)]
pub struct Ground<'a> {
    /// The suites that the cases belong to.
    pub suites: &'a [Suite],
    /// How they are judged.
    pub judge: Judge<'a>,
    /// The protocol version.
    pub protocol: Protocol,
}

/// Everything that a run needs.
pub struct Job<'a> {
    /// What cases are asked and judged by.
    pub ground: Ground<'a>,
    /// The cases.
    pub plan: &'a Plan,
    /// Which rules the fixtures decide.
    pub coverage: &'a Deferred<Coverage>,
    /// How the implementation is reached.
    pub driver: &'a dyn Driver,
    /// What the run says of itself first.
    pub header: Header,
    /// How many workers, at least one.
    pub threads: usize,
    /// Whether the first failing case ends the run.
    pub fail_fast: bool,
    /// The failures that are expected.
    pub expected: &'a FailureList,
    /// How often a case that fails, and is not expected to, is run again.
    pub retries: usize,
    /// Raised from outside to end the run early.
    pub interrupt: &'a Interrupt,
}

/// How a run ended.
#[derive(Debug)]
pub struct Ended {
    /// The summary, also told as the last event.
    pub summary: Summary,
    /// Why the implementation could not be started, if it could not.
    pub not_started: Option<StartError>,
}

impl Ended {
    /// Whether nothing that ran is part of the releases of the suites.
    #[must_use]
    pub fn is_beside_the_point(&self) -> bool {
        self.summary.total.is_zero() && !self.summary.advisory.is_zero()
    }
}

enum Message {
    Case(Box<CaseRecord>),
    NotStarted(StartError),
}

/// Runs all cases of the plan and tells each event as it happens.
///
/// The order of the cases in the events is that in which they end; everything
/// in the summary is independent of it.
pub fn run(job: &Job<'_>, readers: &mut Fanout) -> Ended {
    let started = Instant::now();
    let mut tally = Progress {
        count: Count::new(&job.header),
        review: job.expected.review(),
        ran: BTreeSet::new(),
        stopped: None,
        not_started: None,
    };
    let (next, stop) = (&AtomicUsize::new(0), &AtomicBool::new(false));
    let version = thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(1024);
        for worker in 0..job.threads.clamp(1, job.plan.units.len().max(1)) {
            let sender = sender.clone();
            scope.spawn(move || work(job, worker, next, stop, &sender));
        }
        drop(sender);
        // Asked beside the cases, so that a slow answer costs nothing.
        let version = scope.spawn(|| {
            let version = job.driver.version();
            job.coverage.make();
            version
        });
        // The first cases are under way by now, and nothing came of them yet.
        readers.event(&Event::Started(Box::new(job.header.clone())));
        tally.count.plan(job.ground.classes_of(job.plan.counting()));
        loop {
            match receiver.recv_timeout(TICK) {
                Ok(message) => tally.take(job, message, readers),
                Err(RecvTimeoutError::Timeout) => readers.tick(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if readers.is_deserted() {
                // Nobody is left to wait for the cases under way.
                job.interrupt.raise(SIGPIPE);
            }
            if tally.stopped.is_some() {
                stop.store(true, Ordering::Relaxed);
            }
        }
        version.join().ok().flatten()
    });
    let Progress { mut count, review, ran, mut stopped, not_started } = tally;
    count.add_misfits(review.finish(&job.plan.left));
    count.add_missing(job.plan.cases().filter(|case| !ran.contains(case)));
    if job.interrupt.signal().is_some() {
        stopped = Some(Stopped::Interrupted);
    }
    let summary = count.finish(
        job.coverage,
        &job.ground.uncovered(job.coverage),
        stopped,
        version,
        u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
    );
    readers.event(&Event::Finished(Box::new(summary.clone())));
    Ended { summary, not_started }
}

/// What has come in so far.
struct Progress<'a> {
    count: Count,
    review: Review<'a>,
    ran: BTreeSet<CaseId>,
    stopped: Option<Stopped>,
    not_started: Option<StartError>,
}

impl Progress<'_> {
    fn take(&mut self, job: &Job<'_>, message: Message, readers: &mut Fanout) {
        match message {
            Message::Case(case) => {
                self.count.add(&case);
                self.review.add(&case, crate::report::failure);
                self.ran.insert(case.id.clone());
                if job.fail_fast && self.count.has_failed() {
                    self.stopped.get_or_insert(Stopped::FailFast);
                }
                readers.event(&Event::Case(case));
            }
            Message::NotStarted(error) => {
                self.stopped = Some(error.stopped());
                self.not_started.get_or_insert(error);
            }
        }
    }
}

/// Takes units until there are none, or the run is to stop.
fn work(
    job: &Job<'_>,
    worker: usize,
    next: &AtomicUsize,
    stop: &AtomicBool,
    sender: &mpsc::SyncSender<Message>,
) {
    let mut connection = match job.driver.connect(worker) {
        Ok(connection) => connection,
        Err(error) => {
            // The receiver outlives the workers; if it is gone, so is the run.
            let _ = sender.send(Message::NotStarted(error));
            return;
        }
    };
    while !stop.load(Ordering::Relaxed) && job.interrupt.signal().is_none() {
        let units = take(job, next);
        if units.is_empty() {
            return;
        }
        let (cases, result) = job.attempt(&units, connection.as_mut());
        // Known here first: whoever tells may be busy with what came before.
        if job.fail_fast && cases.iter().any(|case| case.fails(job.header.enforce)) {
            stop.store(true, Ordering::Relaxed);
        }
        for case in cases {
            if sender.send(Message::Case(Box::new(case))).is_err() {
                return;
            }
        }
        match result {
            Ok(()) => {}
            Err(DriverError::NotStarted(error)) => {
                let _ = sender.send(Message::NotStarted(error));
                return;
            }
            // The cases under way have no outcome, and nothing follows them.
            Err(DriverError::Interrupted) => return,
        }
    }
}

/// The next fixtures: as many as the driver wants cases at once, one at least.
///
/// What judging needs of their documents is looked up here, by the worker, so that
/// the first case need not wait for all of it.
fn take(job: &Job<'_>, next: &AtomicUsize) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut cases = 0;
    while cases < job.driver.batch().max(1) {
        let Some(unit) = job.plan.units.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
        let mut unit = unit.clone();
        job.ground.look_up(&mut unit);
        cases += unit.operations.len();
        units.push(unit);
    }
    units
}

/// One case on its way: what is asked, and what was seen.
struct Asked<'a> {
    suite: &'a Suite,
    request: Request<'a>,
    /// Why it does not count, if it does not.
    advisory: Option<&'a Advisory>,
    seen: Option<Observation>,
}

impl<'a> Ground<'a> {
    /// Writes a fixture's documents as its variant has them, and looks up in them what
    /// judging needs.
    pub fn look_up(&self, unit: &mut Unit) {
        let Some(suite) = self.suite_of(unit) else { return };
        if let Some(variant) = unit.variant {
            match vary(&unit.fixture, suite, variant) {
                Ok(fixture) => unit.fixture = Arc::new(fixture),
                // A variant that was planned can be made; without it there is nothing to
                // run, and its cases are told as missing.
                Err(_) => unit.operations.clear(),
            }
        }
        fill_places(Arc::make_mut(&mut unit.fixture), suite);
    }

    /// Runs and judges the cases of some fixtures. What ended before an error stands.
    pub fn run(
        &self,
        units: &[Unit],
        connection: &mut dyn Connection,
    ) -> (Vec<CaseRecord>, Result<(), DriverError>) {
        let mut asked: Vec<Asked<'_>> = units.iter().flat_map(|unit| self.ask(unit)).collect();
        let requests: Vec<Request<'_>> = asked.iter().map(|asked| asked.request).collect();
        let result = connection.run_many(&requests, &mut |index, observation| {
            if let Some(asked) = asked.get_mut(index) {
                asked.seen = Some(observation);
            }
        });
        let same = |one: &Asked<'_>, other: &Asked<'_>| {
            std::ptr::eq(one.request.fixture, other.request.fixture)
        };
        let cases = asked.chunk_by_mut(same).flat_map(|fixture| self.judge(fixture)).collect();
        (cases, result)
    }

    /// For each class, how many of these cases are of it.
    pub(crate) fn classes_of(
        &self,
        cases: impl IntoIterator<Item = CaseId>,
    ) -> BTreeMap<String, usize> {
        let mut classes = BTreeMap::new();
        for case in cases {
            let suite = self.suites.iter().find(|suite| suite.suite == case.suite());
            if let Some(operation) = suite.and_then(|it| it.operations.get(case.operation())) {
                *classes.entry(operation.class.clone()).or_default() += 1;
            }
        }
        classes
    }

    /// For each class, the MUST rules of its suite that the class can break and
    /// that no fixture decides.
    pub(crate) fn uncovered(&self, coverage: &Coverage) -> BTreeMap<String, Vec<RuleId>> {
        let mut uncovered: BTreeMap<String, Vec<RuleId>> = BTreeMap::new();
        for (rule, cover) in &coverage.rules {
            let Some(row) = self.judge.rules.rule(rule) else { continue };
            if *cover != Cover::Uncovered || !row.level.is_must() {
                continue;
            }
            for class in classes_of(self.suites, self.judge.rules, row) {
                uncovered.entry(class.to_owned()).or_default().push(rule.clone());
            }
        }
        uncovered
    }

    fn suite_of(&self, unit: &Unit) -> Option<&'a Suite> {
        self.suites.iter().find(|suite| suite.suite == unit.fixture.id.suite())
    }

    fn ask<'u>(&self, unit: &'u Unit) -> impl Iterator<Item = Asked<'u>> + use<'u, 'a>
    where
        'a: 'u,
    {
        let (suite, protocol) = (self.suite_of(unit), self.protocol);
        unit.operations.iter().filter_map(move |name| {
            let suite = suite?;
            let spec = suite.operations.get(name)?;
            let (fixture, variant) = (&*unit.fixture, unit.variant);
            let request = Request { fixture, variant, operation: name, spec, protocol };
            let advisory = unit.advisory.get(name);
            Some(Asked { suite, request, advisory, seen: None })
        })
    }

    /// Judges the cases of one fixture, and what holds between them.
    fn judge(&self, cases: &mut [Asked<'_>]) -> Vec<CaseRecord> {
        let mut decisions = BTreeMap::new();
        let mut judgements: BTreeMap<String, Judgement> = BTreeMap::new();
        let mut dispositions = Vec::new();
        for Asked { request, advisory, seen, .. } in cases.iter_mut() {
            let judged = seen.as_mut().and_then(|seen| {
                seen.outcome.trim();
                self.judge.case(request.fixture, request.operation, request.spec, seen)
            });
            dispositions.push(judged.map(|(judgement, disposition)| {
                judgements.insert(request.operation.to_owned(), judgement);
                match advisory {
                    Some(advisory) => disposition.aside((*advisory).clone()),
                    None => disposition,
                }
            }));
            if let Some(Observation { outcome: Outcome::Decided { accepted }, .. }) = seen {
                decisions.insert(request.operation.to_owned(), *accepted);
            }
        }
        if let Some(Asked { suite, .. }) = cases.first() {
            self.judge.relate(suite, &decisions, &mut judgements);
        }
        let records = cases.iter_mut().zip(dispositions).filter_map(|(asked, disposition)| {
            let judgement = judgements.remove(asked.request.operation)?;
            self.record(&asked.request, asked.seen.take()?, judgement, disposition?)
        });
        records.collect()
    }

    fn record(
        &self,
        request: &Request<'_>,
        observation: Observation,
        mut judgement: Judgement,
        disposition: Disposition,
    ) -> Option<CaseRecord> {
        let fixture = request.fixture;
        judgement.trim();
        Some(CaseRecord {
            id: request.case(),
            class: request.spec.class.clone(),
            weight: self.judge.weight(fixture),
            about: fixture.about.clone(),
            decides: fixture.decides.clone(),
            golden: fixture.has_golden,
            expected: fixture.cases.get(request.operation)?.as_ref().clone(),
            observed: observation.outcome,
            judgement,
            disposition,
            duration_us: u64::try_from(observation.duration.as_micros()).unwrap_or(u64::MAX),
            stdout: tail(&observation.stdout),
            stderr: tail(&observation.stderr),
        })
    }
}

/// The end of an output as text, from the start of a line where there is one.
fn tail(output: &[u8]) -> String {
    if output.len() <= KEPT_OUTPUT {
        return String::from_utf8_lossy(output).into_owned();
    }
    let end = &output[output.len() - KEPT_OUTPUT..];
    let line = end.iter().position(|&b| b == b'\n').map_or(0, |at| at + 1);
    let end = if line < end.len() { &end[line..] } else { end };
    let before = output.len() - end.len();
    format!("{CUT_BEFORE}{before} bytes before]\n{}", String::from_utf8_lossy(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_of_an_output_starts_with_a_line() {
        assert_eq!(tail(b"short"), "short");
        let long = "a line of text\n".repeat(1000);
        let kept = tail(long.as_bytes());
        assert!(kept.starts_with("[… "), "{kept}");
        assert!(kept.lines().skip(1).all(|line| line == "a line of text"));
        let endless = tail("x".repeat(10_000).as_bytes());
        assert!(endless.ends_with(&"x".repeat(KEPT_OUTPUT)));
    }
}
