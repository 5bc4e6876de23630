//! The suites as tests of a Rust type: for a `harness = false` test target.

use std::any::type_name;
use std::env;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use libtest_mimic::{Arguments, Completion, Failed, Trial};

use crate::cli::{Fatal, RunArgs, run_linked};
use crate::core::{
    CASE_PLACEHOLDER, CaseRecord, Disposition, Header, ImplementationInfo, Judge, Level, Plan,
    Selection, Unit,
};
use crate::corpus::Corpus;
use crate::counted::counted;
use crate::driver::{Driver, Implementation, LibraryDriver};
use crate::report::{Catalog, explain};
use crate::run::Ground;
use crate::settings::Surroundings;
use crate::suites::Choice;

/// The options of a run, without an implementation to start.
#[derive(Debug, Parser)]
#[command(version, about = "Tests a linked implementation of the Living Repositories Protocol")]
struct LinkedCli {
    #[command(flatten)]
    run: RunArgs,
}

/// Tests a Rust type as the program tests a command: the same options, the same
/// reports, the same exit codes.
///
/// Put this into `tests/living.rs`, and `harness = false` beside its name in
/// `Cargo.toml`:
///
/// ```no_run
/// use living_conformance::core::Document;
/// use living_conformance::{Implementation, Reply};
///
/// struct MyValidator;
///
/// impl Implementation for MyValidator {
///     fn strict(&self, manifest: &Document) -> Reply {
///         if manifest.bytes.is_empty() { Reply::Reject(vec![]) } else { Reply::Accept(vec![]) }
///     }
/// }
///
/// fn main() -> std::process::ExitCode {
///     living_conformance::main(MyValidator)
/// }
/// ```
///
/// `cargo test --test living -- --class validator-strict` then tells whether it
/// conforms. `cargo nextest` runs each case as a test of its own.
pub fn main<T: Implementation + 'static>(implementation: T) -> ExitCode {
    let args = LinkedCli::parse().run;
    let linked = (Box::new(LibraryDriver::new(implementation)) as Box<dyn Driver>, info::<T>());
    match run_linked(&args, &Surroundings::detect(), &mut io::stdout(), linked) {
        Ok(exit) => exit.into(),
        Err(fatal) => fatal.tell(),
    }
}

/// Tests a Rust type with each case as a test in the manner of `cargo test`, at
/// the newest protocol version. Says nothing of conformance.
///
/// A case of an operation that the implementation does not have is ignored. The
/// exit code is that of `cargo test`, or 2 when the suites are in error, or 4 when
/// no case was selected.
pub fn libtest<T: Implementation + 'static>(implementation: T) -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = match trials(implementation) {
        Ok(trials) => trials,
        Err(fatal) => return fatal.tell(),
    };
    let all = trials.len();
    let conclusion = libtest_mimic::run(&arguments, trials);
    let ran = conclusion.num_passed + conclusion.num_failed + conclusion.num_ignored;
    if ran == 0 && !arguments.list && !arguments.ignored {
        return Fatal::nothing(format!("none of {} was selected", counted(all, "case"))).tell();
    }
    conclusion.exit_code()
}

fn info<T>() -> ImplementationInfo {
    ImplementationInfo {
        driver: "library".to_owned(),
        name: type_name::<T>().to_owned(),
        command: Vec::new(),
        version: None,
    }
}

/// What all trials share.
struct Bench<T> {
    corpus: Corpus,
    catalog: Catalog,
    header: Header,
    driver: LibraryDriver<T>,
}

fn trials<T: Implementation + 'static>(implementation: T) -> Result<Vec<Trial>, Fatal> {
    let corpus = Corpus::load(None, None)?;
    let asked = corpus.suites.asked(&Choice::default());
    let corpus = corpus.only(&asked);
    let protocol = corpus.suites.protocols().last().copied();
    let protocol = protocol.ok_or_else(|| Fatal::error("no suite names a protocol version"))?;
    let basis = corpus.basis(None).map_err(|error| Fatal::error(format!("failed to {error}")))?;
    let selection = Selection { released: basis.released, ..Selection::all(protocol) };
    let plan = Plan::new(&corpus.suites.suites, &corpus.fixtures, &selection);
    let program = env::args().next().unwrap_or_default();
    let mut header = corpus.header(&plan, info::<T>())?;
    header.suites = basis.versions;
    header.reproduce = vec![program, "--exact".to_owned(), CASE_PLACEHOLDER.to_owned()];
    let catalog = corpus.catalog(&plan);
    let driver = LibraryDriver::new(implementation);
    let bench = Arc::new(Bench { corpus, catalog, header, driver });
    let trials = plan.units.into_iter().flat_map(|unit| {
        let names = unit.operations.clone();
        let bench = Arc::clone(&bench);
        names.into_iter().map(move |name| {
            let (bench, unit) = (Arc::clone(&bench), unit.clone());
            Trial::ignorable_test(String::from(unit.fixture.id.case(&name)), move || {
                bench.test(unit, &name)
            })
        })
    });
    Ok(trials.collect())
}

impl<T: Implementation> Bench<T> {
    /// Runs all cases of the fixture, for what holds between them, and answers
    /// for one.
    fn test(&self, mut unit: Unit, operation: &str) -> Result<Completion, Failed> {
        let ground = Ground {
            suites: &self.corpus.suites.suites,
            judge: Judge { rules: &self.corpus.suites.rules, grade: None },
            protocol: self.header.protocol,
        };
        ground.look_up(&mut unit);
        let mut connection = self.driver.connect(0)?;
        let (records, result) = ground.run(&[unit], connection.as_mut());
        result?;
        let record = records.into_iter().find(|record| record.id.operation() == operation);
        let record = record.ok_or("the case did not end")?;
        self.conclude(&record)
    }

    fn conclude(&self, record: &CaseRecord) -> Result<Completion, Failed> {
        if let Disposition::Unsupported { reason } = &record.disposition {
            return Ok(Completion::ignored_with(reason));
        }
        if record.is_advisory() && record.is_failure() {
            return Ok(Completion::ignored_with(
                "advisory: it fails, and is no part of the release of its suite",
            ));
        }
        if record.fails(Level::Must) {
            return Err(explain(&self.header, &self.catalog, record).into());
        }
        Ok(Completion::Completed)
    }
}
