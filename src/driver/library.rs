//! The library driver: an implementation in this process.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::time::Instant;

use crate::core::{Document, Observation, Outcome, ReportedFinding};

use super::protocol::check;
use super::{Connection, Driver, DriverError, Request, StartError};

/// What an implementation says of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// It accepts, or the documents match; with the findings it reports all the same.
    Accept(Vec<ReportedFinding>),
    /// It rejects, or the documents do not match; with the reasons.
    Reject(Vec<ReportedFinding>),
    /// It does not have the operation.
    Unsupported {
        /// Why.
        reason: String,
    },
}

impl Reply {
    /// The outcome and the findings that it stands for.
    pub(super) fn observed(self) -> (Outcome, Option<Vec<ReportedFinding>>) {
        match self {
            Self::Accept(findings) => (Outcome::Decided { accepted: true }, Some(findings)),
            Self::Reject(findings) => (Outcome::Decided { accepted: false }, Some(findings)),
            Self::Unsupported { reason } => (Outcome::Unsupported { reason }, None),
        }
    }

    fn no_operation(name: &str) -> Self {
        Self::Unsupported { reason: format!("the operation {name:?} is not implemented") }
    }
}

/// An implementation of the protocol as a Rust type.
///
/// Implement the methods that it has; the others answer that they are
/// unsupported. Operations other than these come to [`Implementation::decide`].
pub trait Implementation: Send + Sync {
    /// Checks a manifest leniently.
    fn lenient(&self, manifest: &Document) -> Reply {
        let _ = manifest;
        Reply::no_operation("lenient")
    }

    /// Checks a manifest strictly.
    fn strict(&self, manifest: &Document) -> Reply {
        let _ = manifest;
        Reply::no_operation("strict")
    }

    /// Says whether a runtime document and a manifest match.
    fn matches(&self, runtime: &Document, manifest: &Document) -> Reply {
        let _ = (runtime, manifest);
        Reply::no_operation("match")
    }

    /// Answers a case. Hands it to the method of its operation unless overridden.
    fn decide(&self, request: &Request<'_>) -> Reply {
        let document = |name| request.fixture.document(name);
        match (request.operation, document("manifest"), document("runtime")) {
            ("lenient", Some(manifest), _) => self.lenient(manifest),
            ("strict", Some(manifest), _) => self.strict(manifest),
            ("match", Some(manifest), Some(runtime)) => self.matches(runtime, manifest),
            (other, _, _) => Reply::no_operation(other),
        }
    }
}

/// Reaches an [`Implementation`] in this process.
///
/// A panic costs the case, not the run, as long as panics unwind. What hangs or
/// aborts takes the run with it; the exec driver is for those.
#[derive(Debug)]
pub struct LibraryDriver<T> {
    implementation: T,
}

impl<T: Implementation> LibraryDriver<T> {
    /// A driver of this implementation.
    pub fn new(implementation: T) -> Self {
        silence_caught_panics();
        Self { implementation }
    }
}

impl<T: Implementation> Driver for LibraryDriver<T> {
    fn connect(&self, _: usize) -> Result<Box<dyn Connection + '_>, StartError> {
        Ok(Box::new(LibraryConnection(&self.implementation)))
    }
}

struct LibraryConnection<'d, T>(&'d T);

impl<T: Implementation> Connection for LibraryConnection<'_, T> {
    fn run(&mut self, request: &Request<'_>) -> Result<Observation, DriverError> {
        let started = Instant::now();
        CAUGHT.set(true);
        let reply = catch_unwind(AssertUnwindSafe(|| self.0.decide(request)));
        CAUGHT.set(false);
        let duration = started.elapsed();
        let (outcome, findings) = match reply {
            Ok(reply) => match check(&reply) {
                Ok(()) => reply.observed(),
                Err(breach) => (Outcome::BrokeProtocol { what: breach.to_string() }, None),
            },
            Err(panic) => {
                let by = message(&*panic);
                // What it carries may panic in its turn when it goes.
                std::mem::forget(panic);
                (Outcome::Crashed { by }, None)
            }
        };
        Ok(Observation { findings, ..Observation::bare(outcome, duration) })
    }
}

thread_local! {
    /// Whether a panic of this thread will be caught and told as an outcome.
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Keeps the standard message of panics that are caught off standard error; all
/// others are told as before.
fn silence_caught_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !CAUGHT.get() {
                others(info);
            }
        }));
    });
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.map_or_else(|| "a panic".to_owned(), |text| format!("a panic: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{Fixture, FixtureId, Operation, Protocol};

    struct Partial;

    impl Implementation for Partial {
        fn lenient(&self, manifest: &Document) -> Reply {
            assert_ne!(&*manifest.bytes, b"boom", "no such manifest");
            if &*manifest.bytes == b"why" {
                return Reply::Unsupported { reason: " ".to_owned() };
            }
            Reply::Accept(Vec::new())
        }

        fn matches(&self, runtime: &Document, manifest: &Document) -> Reply {
            let finding = ReportedFinding {
                rule: format!("{}.{}", runtime.name, manifest.name),
                at: None,
                severity: None,
                message: None,
            };
            Reply::Reject(vec![finding])
        }
    }

    fn ask(operation: &str, manifest: &str) -> Observation {
        let document = |name: &str, text: &str| Document {
            name: name.to_owned(),
            path: format!("{name}.yaml"),
            bytes: text.as_bytes().into(),
        };
        let documents = vec![document("manifest", manifest), document("runtime", "")];
        let fixture = Fixture::of(FixtureId::new("runtime/x").unwrap(), documents);
        let spec = Operation::default();
        let protocol = Protocol::new(0, 4);
        let driver = LibraryDriver::new(Partial);
        let request =
            Request { fixture: &fixture, variant: None, operation, spec: &spec, protocol };
        driver.connect(0).unwrap().run(&request).unwrap()
    }

    #[test]
    fn operations_come_to_their_methods() {
        let seen = ask("lenient", "");
        assert_eq!(seen.outcome, Outcome::Decided { accepted: true });
        assert_eq!(seen.findings, Some(Vec::new()));
        let seen = ask("match", "");
        assert_eq!(seen.outcome, Outcome::Decided { accepted: false });
        assert_eq!(seen.findings.unwrap()[0].rule, "runtime.manifest");
    }

    #[test]
    fn what_is_missing_is_unsupported() {
        for operation in ["strict", "publish"] {
            let Outcome::Unsupported { reason } = ask(operation, "").outcome else { panic!() };
            assert!(reason.contains(operation), "{reason}");
        }
    }

    #[test]
    fn a_reply_that_says_nothing_breaks_the_protocol() {
        let Outcome::BrokeProtocol { what } = ask("lenient", "why").outcome else { panic!() };
        assert!(what.ends_with("is blank"), "{what}");
    }

    #[test]
    fn a_panic_is_charged_to_the_case() {
        let Outcome::Crashed { by } = ask("lenient", "boom").outcome else { panic!() };
        assert!(by.contains("no such manifest"), "{by}");
        assert_eq!(ask("lenient", "").outcome, Outcome::Decided { accepted: true });
    }
}
