//! One worker's session: its process, and the cases on their way.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::core::{Observation, Outcome};

use super::profile::Ask;
use super::program::{Meddling, User};
use super::session::SessionDriver;
use super::session_process::{Break, Event, SessionProcess};
use super::workspace::Workspace;
use super::{Connection, DriverError, Reply, Request, StartError, survivors};

/// A worker's session. Dropping it says `bye`.
pub(super) struct SessionConnection<'d> {
    driver: &'d SessionDriver,
    tag: String,
    /// Where the process works.
    home: Workspace<'d>,
    /// Folders for documents that no case uses at the moment.
    spare: Vec<Workspace<'d>>,
    process: Option<SessionProcess<'d>>,
    _user: User<'d>,
}

/// A case that was sent and has no reply yet.
struct Flight<'d> {
    index: usize,
    id: u64,
    documents: Workspace<'d>,
    sent: Instant,
    doubts: usize,
}

impl<'d> SessionConnection<'d> {
    pub(super) fn open(driver: &'d SessionDriver, worker: usize) -> Result<Self, StartError> {
        let mut connection = Self {
            driver,
            tag: driver.launcher.tag(worker),
            home: driver.launcher.workspace()?,
            spare: Vec::new(),
            process: None,
            _user: driver.launcher.program().user(),
        };
        let started = connection.start();
        driver.greeted.tell(connection.process.as_ref().map(SessionProcess::greeting));
        match started {
            Err(DriverError::NotStarted(error)) => Err(error),
            // An interruption shows again at the first case.
            Ok(()) | Err(DriverError::Interrupted) => Ok(connection),
        }
    }

    fn start(&mut self) -> Result<(), DriverError> {
        let launcher = &self.driver.launcher;
        self.driver.check_restarts()?;
        // Of the mode that a former process left there, the incident has told.
        launcher.program().is_executable();
        if self.home.clean().is_err() {
            self.home = launcher.workspace()?;
        }
        let process = SessionProcess::start(self.driver, self.home.work(), &self.tag);
        if process.is_err() {
            survivors::kill_tagged(&self.tag);
        }
        self.process = Some(process?);
        Ok(())
    }

    /// Sends a case, to a new process when there is none; or says why the
    /// implementation does not have its operation.
    fn send(
        &mut self,
        index: usize,
        request: &Request<'_>,
    ) -> Result<Result<Flight<'d>, String>, DriverError> {
        let ask = self.driver.launcher.profile().ask(request.operation, &[]);
        if let Ask::Unsupported(reason) = ask {
            return Ok(Err(reason));
        }
        if self.process.is_none() {
            self.start()?;
        }
        let documents = self.documents(request)?;
        let Some(process) = &mut self.process else { return Err(DriverError::Interrupted) };
        let known = process.greeting().operations.as_ref();
        if known.is_some_and(|known| !known.iter().any(|name| name == request.operation)) {
            self.spare.push(documents);
            return Ok(Err(format!("its hello does not list {:?}", request.operation)));
        }
        let doubts = self.driver.launcher.program().doubts();
        let id = process.ask(request, &documents);
        Ok(Ok(Flight { index, id, documents, sent: Instant::now(), doubts }))
    }

    /// A folder with the documents of a case.
    fn documents(&mut self, request: &Request<'_>) -> Result<Workspace<'d>, StartError> {
        let documents = &request.fixture.documents;
        // The process may reach for a folder after its reply: that is no matter of the
        // next case.
        if let Some(mut spare) = self.spare.pop()
            && spare.changes().is_none()
            && spare.write(documents).is_ok()
        {
            return Ok(spare);
        }
        let mut fresh = self.driver.launcher.workspace()?;
        match self.driver.launcher.with_room(|| fresh.write(documents)) {
            Ok(()) => Ok(fresh),
            Err(source) => Err(StartError::Workspace { path: fresh.root().to_owned(), source }),
        }
    }

    /// The observation of a case that has its reply, unless it is in doubt who changed
    /// the program or the documents; and its folder for the next.
    fn land(
        &mut self,
        flight: Flight<'d>,
        since: Instant,
        alone: bool,
        reply: Reply,
        line: Vec<u8>,
    ) -> Option<Observation> {
        let duration = since.elapsed();
        let mut documents = flight.documents;
        let program = self.driver.launcher.program();
        let meddled = match program.meddling(flight.doubts, alone) {
            Meddling::None => None,
            Meddling::Sure(what) => Some(what),
            Meddling::Doubtful => return None,
        };
        let changes = documents.changes();
        if changes.is_some() && !alone && program.is_shared() {
            return None;
        }
        let (outcome, findings) = match (changes.or(meddled), reply) {
            // What was changed is thrown away; the next case gets a new folder.
            (Some(what), _) => (Outcome::Tampered { what }, None),
            (None, reply) => {
                self.spare.push(documents);
                reply.observed()
            }
        };
        let stderr = self.process.as_mut().map(SessionProcess::take_stderr).unwrap_or_default();
        Some(Observation { outcome, findings, stdout: line, stderr, duration })
    }

    /// The observation of the case that was under way when the session broke.
    fn crash(
        &mut self,
        broken: Break,
        name: &str,
        since: Instant,
    ) -> Result<Observation, DriverError> {
        let duration = since.elapsed();
        let Some(process) = self.process.take() else { return Err(DriverError::Interrupted) };
        let ended = process.end_broken(broken);
        survivors::kill_tagged(&self.tag);
        self.driver.launcher.interrupt().registry().reap_strays();
        let (outcome, stdout, stderr) = ended.map_err(|source| self.unwatched(source))?;
        self.driver.incidents.add(format!("{name}: {}", told(&outcome)));
        Ok(Observation { outcome, findings: None, stdout, stderr, duration })
    }

    /// Has the cases at these places answered, and gives those of which it is in doubt
    /// who changed the program or the documents. `alone`: no other worker has a case meanwhile.
    fn converse(
        &mut self,
        requests: &[Request<'_>],
        mut waiting: VecDeque<usize>,
        alone: bool,
        done: &mut dyn FnMut(usize, Observation),
    ) -> Result<Vec<usize>, DriverError> {
        let mut doubtful = Vec::new();
        let mut flights: VecDeque<Flight<'_>> = VecDeque::new();
        let mut last_reply = Instant::now();
        loop {
            if self.driver.launcher.interrupt().signal().is_some() {
                return Err(DriverError::Interrupted);
            }
            while flights.len() < self.driver.in_flight
                && let Some(index) = waiting.pop_front()
                && let Some(request) = requests.get(index)
            {
                match self.send(index, request)? {
                    Ok(flight) => flights.push_back(flight),
                    Err(reason) => {
                        let outcome = Outcome::Unsupported { reason };
                        done(index, Observation::bare(outcome, Duration::ZERO));
                    }
                }
            }
            let (Some(first), Some(process)) = (flights.front(), &mut self.process) else {
                return Ok(doubtful);
            };
            // The clock of a case starts when the implementation can turn to it.
            let since = first.sent.max(last_reply);
            let deadline = since + self.driver.launcher.limits().timeout;
            let event = process.hear(first.id, flights.len() == 1, deadline);
            let event = event.map_err(|source| self.unwatched(source))?;
            let Some(flight) = flights.pop_front() else { return Ok(doubtful) };
            let index = flight.index;
            match event {
                Event::Reply(reply, line) => match self.land(flight, since, alone, reply, line) {
                    Some(observation) => done(index, observation),
                    None => doubtful.push(index),
                },
                Event::Broken(broken) => {
                    let name = requests.get(index).map(Request::case);
                    let name = name.map(String::from).unwrap_or_default();
                    done(index, self.crash(broken, &name, since)?);
                    // The others are for the next process.
                    for flight in flights.drain(..).rev() {
                        waiting.push_front(flight.index);
                    }
                }
                Event::Interrupted => return Err(DriverError::Interrupted),
            }
            last_reply = Instant::now();
        }
    }

    fn unwatched(&self, source: std::io::Error) -> StartError {
        let program = self.driver.subject().to_owned();
        StartError::Unwatched { program, source }
    }
}

impl Connection for SessionConnection<'_> {
    fn run(&mut self, request: &Request<'_>) -> Result<Observation, DriverError> {
        let mut seen = None;
        self.run_many(std::slice::from_ref(request), &mut |_, observation| {
            seen = Some(observation);
        })?;
        seen.ok_or(DriverError::Interrupted)
    }

    fn run_many(
        &mut self,
        requests: &[Request<'_>],
        done: &mut dyn FnMut(usize, Observation),
    ) -> Result<(), DriverError> {
        let program = self.driver.launcher.program();
        let doubtful = {
            let _turn = program.beside_others();
            self.converse(requests, (0..requests.len()).collect(), false, done)?
        };
        for index in doubtful {
            let _turn = program.alone();
            // A new process, which no other case has met; there is no other now.
            drop(self.process.take());
            self.converse(requests, VecDeque::from([index]), true, done)?;
        }
        Ok(())
    }
}

impl Drop for SessionConnection<'_> {
    fn drop(&mut self) {
        if let Some(process) = self.process.take() {
            process.part();
            survivors::kill_tagged(&self.tag);
        }
    }
}

/// A line of the story of broken sessions.
fn told(outcome: &Outcome) -> String {
    match outcome {
        Outcome::BrokeProtocol { what } => what.clone(),
        Outcome::Crashed { by } => format!("crashed: {by}"),
        Outcome::TimedOut { limit_ms } => format!("did not reply within {limit_ms} ms"),
        Outcome::Flooded { .. } => "wrote a line without end".to_owned(),
        other => format!("{other:?}"),
    }
}
