//! What every driver offers: connections that run cases.

use crate::core::{CaseId, Fixture, Observation, Operation, Protocol, Variant};

use super::StartError;

/// One case to run: a fixture and what to do with its documents.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The fixture, with the documents of the variant if it is one.
    pub fixture: &'a Fixture,
    /// The variant that it is; an implementation need not know.
    pub variant: Option<Variant>,
    /// The name of the operation.
    pub operation: &'a str,
    /// How the suite describes the operation, with its argv template.
    pub spec: &'a Operation,
    /// The protocol version of the run.
    pub protocol: Protocol,
}

impl Request<'_> {
    /// The id of the case.
    #[must_use]
    pub fn case(&self) -> CaseId {
        let case = self.fixture.id.case(self.operation);
        self.variant.map_or_else(|| case.clone(), |variant| case.varied(variant))
    }
}

/// A way to reach an implementation; shared by all workers of a run.
pub trait Driver: Send + Sync {
    /// Makes what one worker needs of its own. Workers count from 0.
    ///
    /// # Errors
    /// When the implementation cannot be started, or its surroundings not made.
    fn connect(&self, worker: usize) -> Result<Box<dyn Connection + '_>, StartError>;

    /// What the implementation says of its version, in one line; `None` when it
    /// does not say. Asked while cases run.
    fn version(&self) -> Option<String> {
        None
    }

    /// How many cases a worker does well to hand over at once, whole fixtures at
    /// a time, by [`Connection::run_many`].
    fn batch(&self) -> usize {
        1
    }
}

/// One worker's access to the implementation.
///
/// A worker runs all cases of a fixture one after the other, so that a connection
/// can keep what belongs to the fixture between them.
pub trait Connection {
    /// Runs one case and says what was observed. Whatever the implementation
    /// does is part of the observation; an error means that the run cannot go on.
    ///
    /// # Errors
    /// When the implementation cannot be started, or the run was interrupted.
    fn run(&mut self, request: &Request<'_>) -> Result<Observation, DriverError>;

    /// Runs several cases, in this order as far as the implementation can tell.
    /// `done` gets the index of each case when it has ended, and what was observed.
    ///
    /// # Errors
    /// As for [`Connection::run`]; what `done` got before that stands.
    fn run_many(
        &mut self,
        requests: &[Request<'_>],
        done: &mut dyn FnMut(usize, Observation),
    ) -> Result<(), DriverError> {
        for (index, request) in requests.iter().enumerate() {
            done(index, self.run(request)?);
        }
        Ok(())
    }
}

/// Why a connection cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    /// The implementation cannot be started.
    #[error(transparent)]
    NotStarted(#[from] StartError),
    /// The run was interrupted; the case under way has no outcome.
    #[error("finish the case: the run was interrupted")]
    Interrupted,
}
