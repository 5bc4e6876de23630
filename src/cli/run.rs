//! The main job: from the command line to a verdict.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::sync::Arc;

use super::absent;
use super::args::{Enforce, Findings, ListFormat, RunArgs};
use super::exit::{Exit, Fatal, written};
use super::guard::{guard, interrupt};
use super::known::{apart_from_reports, known_failures, list_writer};
use super::measured::adequacy_of;
use super::output::{files, readers, told};
use super::reach::{Reached, reach, reproduce};
use super::runner::with_runner;
use super::several::{Several, named};
use super::suggest::{known, nothing};
use crate::adequacy::Score;
use crate::core::{
    Fixture, Grade, ImplementationInfo, Judge, LeftOut, Level, Plan, Protocol, Released, Selection,
    Stopped, VariantCensus, Variants,
};
use crate::corpus::Corpus;
use crate::driver::{Driver, Interrupt, StartError};
use crate::expect::Scope;
use crate::releases::Basis;
use crate::report::{Measurement, ReportKind, Reporter};
use crate::run::{Ended, Ground, Job, run};
use crate::settings::Surroundings;
use crate::suites::{Choice, Suites};
use crate::variant::survey;

/// Does a run of what the command line names, or lists its cases.
///
/// # Errors
/// When the command line or the data is in error, nothing is selected, or the
/// implementation cannot be started.
pub(super) fn run_command(
    args: &RunArgs,
    surroundings: &Surroundings,
    out: &mut dyn Write,
) -> Result<Exit, Fatal> {
    run_with(args, surroundings, out, None)
}

/// Does a run of a linked implementation, or lists its cases.
///
/// # Errors
/// As a run of the program; also when the command line names an implementation.
pub fn run_linked(
    args: &RunArgs,
    surroundings: &Surroundings,
    out: &mut dyn Write,
    linked: (Box<dyn Driver>, ImplementationInfo),
) -> Result<Exit, Fatal> {
    if args.reach.asks_for_another() {
        return Err(Fatal::error("the implementation under test is the one that is linked here")
            .with_remedy(
                "leave out what says how to reach another one, or run living-conformance itself",
            ));
    }
    run_with(args, surroundings, out, Some(linked))
}

fn run_with(
    args: &RunArgs,
    surroundings: &Surroundings,
    out: &mut dyn Write,
    linked: Option<Reached>,
) -> Result<Exit, Fatal> {
    let args = &with_runner(args, &surroundings.runner)?;
    let prepared = prepare(args, surroundings)?;
    // No case is ignored; `cargo nextest` asks for such by themselves.
    if args.list && args.ignored {
        return Ok(Exit::Success);
    }
    if args.list {
        prepared.check_selected(args)?;
        return list(args, &prepared.plan, out);
    }
    let hint = absent::hint(&args.reach);
    absent::tell(hint.as_ref().filter(|_| !args.output.quiet));
    let several = if linked.is_none() { Several::of(args)? } else { None };
    let ended = match several {
        Some(several) => several.run(surroundings, &prepared)?,
        None => perform(&named(args.clone()), surroundings, &prepared, linked, None)?,
    };
    if ended == Exit::Failure {
        // Beside the verdict, where it is read; there may be much between.
        absent::tell(hint.as_ref());
    }
    Ok(ended)
}

/// What is run, before it is.
pub(super) struct Prepared {
    pub(super) corpus: Corpus,
    pub(super) plan: Plan,
    /// What became of the variants, when they are asked for.
    variants: Option<VariantCensus>,
    /// All fixtures that were loaded, those of suites that were not asked for as well.
    fixtures: Vec<Arc<Fixture>>,
    selection: Selection,
    /// For each suite the release that the run goes by, or the draft.
    pub(super) versions: BTreeMap<String, String>,
    /// How much the fixtures show, once a page has asked for it.
    adequacy: OnceCell<Measurement>,
}

impl Prepared {
    /// How much the fixtures show, for a page; measured once for all runs and pages.
    pub(super) fn adequacy(
        &self,
        args: &RunArgs,
        surroundings: &Surroundings,
        interrupt: &Interrupt,
    ) -> Measurement {
        let (suites, interrupt) = (args.scope.suites.clone(), interrupt.clone());
        let measure = || adequacy_of(self.corpus.clone(), suites, surroundings, Some(interrupt));
        self.adequacy.get_or_init(measure).clone()
    }

    /// Refuses a selection of nothing. A shard may be empty, when others are not.
    pub(super) fn check_selected(&self, args: &RunArgs) -> Result<(), Fatal> {
        let elsewhere = self.plan.left_for(LeftOut::OtherShard).next().is_some();
        if self.plan.is_empty() && !elsewhere {
            return Err(nothing(args, &self.corpus, &self.selection));
        }
        Ok(())
    }
}

/// Loads the suites and fixtures that are asked for, and selects the cases.
pub(super) fn prepare(args: &RunArgs, surroundings: &Surroundings) -> Result<Prepared, Fatal> {
    let opened = Corpus::open(args.scope.suites.as_deref(), args.scope.fixtures.as_deref())?;
    check_names(args, &opened.suites)?;
    let asked = opened.suites.asked(&Choice {
        suites: &args.scope.suite,
        classes: &args.scope.class,
        rules: &args.rule,
        cases: if args.exact { &args.filters } else { &[] },
    });
    // A list of expected failures may name cases of other suites, too.
    let (corpus, fixtures) = if args.expect.is_some() {
        let all = opened.all()?;
        let fixtures = all.fixtures.clone();
        (all.only(&asked), fixtures)
    } else {
        let corpus = opened.only(&asked)?;
        let fixtures = corpus.fixtures.clone();
        (corpus, fixtures)
    };
    let plain_list = args.list && args.format == ListFormat::Terse;
    let basis = if plain_list && args.scope.suite_release.is_none() {
        // Its ids are the same in every release, and it should take no time.
        Basis::default()
    } else {
        basis(args, &corpus)?
    };
    let selection = selection(args, &corpus.suites, basis.released)?;
    let (suites, protocol) = (&corpus.suites.suites, selection.protocol);
    let variants = if args.variants {
        survey(suites, &corpus.fixtures, protocol, surroundings.cpus)
    } else {
        Variants::default()
    };
    let mut plan = Plan::with_variants(suites, &corpus.fixtures, &variants, &selection);
    if let Some(seed) = args.shuffle {
        plan.shuffle(seed);
    }
    let variants = args.variants.then_some(variants.census);
    let versions = basis.versions;
    let adequacy = OnceCell::new();
    Ok(Prepared { corpus, fixtures, plan, variants, selection, versions, adequacy })
}

/// The same held to the releases of the suites alone: nothing advisory is run.
pub(super) fn prepare_released(
    args: &RunArgs,
    surroundings: &Surroundings,
) -> Result<Prepared, Fatal> {
    let mut prepared = prepare(args, surroundings)?;
    prepared.plan.keep_released();
    Ok(prepared)
}

/// What the cases are held to.
fn basis(args: &RunArgs, corpus: &Corpus) -> Result<Basis, Fatal> {
    corpus.basis(args.scope.suite_release.as_ref()).map_err(|error| {
        let fatal = Fatal::error(format!("failed to {error}"));
        match error.remedy() {
            Some(remedy) => fatal.with_remedy(remedy),
            None => fatal,
        }
    })
}

/// Runs the cases and tells what comes of them; `extra` is told as well.
pub(super) fn perform(
    args: &RunArgs,
    surroundings: &Surroundings,
    prepared: &Prepared,
    linked: Option<Reached>,
    extra: Option<Box<dyn Reporter>>,
) -> Result<Exit, Fatal> {
    perform_until(args, surroundings, prepared, (linked, extra), &interrupt()?)
}

/// The same, until it is interrupted.
pub(super) fn perform_until(
    args: &RunArgs,
    surroundings: &Surroundings,
    prepared: &Prepared,
    (linked, extra): (Option<Reached>, Option<Box<dyn Reporter>>),
    interrupt: &Interrupt,
) -> Result<Exit, Fatal> {
    let Prepared { corpus, fixtures, plan, variants, selection, versions, .. } = prepared;
    prepared.check_selected(args)?;
    let scope = Scope { fixtures, rules: &corpus.suites.rules, plan };
    apart_from_reports(args)?;
    let known = known_failures(args, &scope, surroundings.today)?;
    let own = linked.is_some() || args.reach.reference;
    let _guard = (!own).then(|| guard(interrupt));
    let (driver, implementation) = match linked {
        Some(linked) => linked,
        None => reach(&args.reach, selection.protocol, &corpus.suites, interrupt)?,
    };
    let mut header = corpus.header(plan, implementation)?;
    header.suites.clone_from(versions);
    header.enforce = enforced(args.enforce);
    header.variants.clone_from(variants);
    header.reproduce = reproduce(args, &header);
    let mut catalog = corpus.catalog(plan);
    if args.output.report.iter().any(|spec| spec.kind == ReportKind::Html) {
        catalog.adequacy = prepared.adequacy(args, surroundings, interrupt);
    }
    let catalog = Arc::new(catalog);
    let beside = match args.output.verbose {
        0 => Vec::new(),
        _ => {
            let judge = Judge { rules: &corpus.suites.rules, grade: None };
            let mut counting = plan.clone();
            counting.keep_released();
            Score::of_all(&judge, &corpus.suites.suites, &counting.units)
        }
    };
    let mut readers = readers(&args.output, surroundings, &catalog, beside)?;
    if let Some(extra) = extra {
        readers.add("run", extra);
    }
    let mut files = files(&args.output);
    if let Some((name, writer)) = list_writer(args, &known)? {
        files.push(name.clone());
        readers.add(name, Box::new(writer));
    }
    let job = Job {
        ground: Ground {
            suites: &corpus.suites.suites,
            judge: Judge { rules: &corpus.suites.rules, grade: grade(args.reach.findings) },
            protocol: plan.protocol,
        },
        plan,
        coverage: &catalog.coverage,
        driver: driver.as_ref(),
        header,
        threads: args.test_threads.unwrap_or(surroundings.cpus).get(),
        fail_fast: args.fail_fast,
        expected: &known.list,
        retries: args.retries,
        interrupt,
    };
    let ended = run(&job, &mut readers);
    let written = told(readers, &files, args.output.quiet);
    finish(ended, written, versions)
}

fn finish(
    ended: Ended,
    reports_written: bool,
    versions: &BTreeMap<String, String>,
) -> Result<Exit, Fatal> {
    if let Some(error) = ended.not_started {
        return Err(not_started(&error));
    }
    Ok(match ended.summary.stopped {
        Some(Stopped::Interrupted) => Exit::Failure,
        _ if !reports_written => Exit::Error,
        _ if ended.summary.success => Exit::Success,
        None if ended.is_beside_the_point() => {
            return Err(only_advisory(ended.summary.advisory.total(), versions));
        }
        _ => Exit::Failure,
    })
}

/// Says that nothing of what ran counts.
fn only_advisory(cases: usize, versions: &BTreeMap<String, String>) -> Fatal {
    let releases: Vec<String> =
        versions.iter().map(|(suite, version)| format!("{suite} {version}")).collect();
    let all = if cases == 1 { "the one case".to_owned() } else { format!("all {cases} cases") };
    let are = if cases == 1 { "is" } else { "are" };
    Fatal::nothing(format!(
        "{all} of this run {are} advisory: no part of {}, so that nothing was shown",
        releases.join(", ")
    ))
    .with_remedy(
        "choose cases of the release as well, or run --suite-release draft, where all count",
    )
}

pub(super) fn not_started(error: &StartError) -> Fatal {
    // Where nothing can be put down, no implementation is to blame.
    let here = matches!(error, StartError::Workspace { .. });
    Fatal {
        exit: if here { Exit::Error } else { Exit::NotStarted },
        message: format!("failed to {error}"),
        remedy: Some(error.remedy().to_owned()),
    }
}

/// Refuses suites, classes and rules that are not there.
fn check_names(args: &RunArgs, suites: &Suites) -> Result<(), Fatal> {
    let classes: BTreeSet<&str> = suites
        .suites
        .iter()
        .flat_map(|suite| suite.operations.values())
        .map(|operation| operation.class.as_str())
        .collect();
    let names = suites.names();
    for suite in &args.scope.suite {
        known("suite", suite, &names)?;
    }
    for class in &args.scope.class {
        known("class", class, &classes)?;
    }
    for rule in &args.rule {
        let rules = suites.rules.rules().map(|(_, rule)| rule.id.as_str()).collect();
        known("rule", rule.as_str(), &rules)?;
    }
    Ok(())
}

fn selection(args: &RunArgs, suites: &Suites, released: Released) -> Result<Selection, Fatal> {
    Ok(Selection {
        filters: args.filters.clone(),
        exact: args.exact,
        narrow: args.narrow.clone(),
        skip: args.skip.clone(),
        suites: args.scope.suite.iter().cloned().collect(),
        classes: args.scope.class.iter().cloned().collect(),
        rules: args.rule.iter().cloned().collect(),
        protocol: protocol(args.scope.protocol, suites)?,
        shard: args.shard,
        released,
    })
}

/// The protocol version asked for, or the newest.
pub(super) fn protocol(asked: Option<Protocol>, suites: &Suites) -> Result<Protocol, Fatal> {
    let all = suites.protocols();
    let listed = || all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match asked {
        Some(version) if all.contains(&version) => Ok(version),
        Some(version) => {
            Err(Fatal::error(format!("the suites do not know the protocol version {version}"))
                .with_remedy(format!("choose one of {}", listed())))
        }
        None => all.last().copied().ok_or_else(|| {
            Fatal::error("the suites have no protocol version in common")
                .with_remedy("run one at a time, with --suite")
        }),
    }
}

fn list(args: &RunArgs, plan: &Plan, out: &mut dyn Write) -> Result<Exit, Fatal> {
    let write = |out: &mut dyn Write| -> io::Result<()> {
        for unit in &plan.units {
            for name in &unit.operations {
                let id = unit.case(name);
                match args.format {
                    ListFormat::Terse => writeln!(out, "{id}: test")?,
                    ListFormat::Json => {
                        let mut line = serde_json::json!({
                            "id": id,
                            "about": unit.fixture.about,
                            "decides": unit.fixture.decides,
                            "expected": unit.fixture.cases.get(name).map(|case| case.stance),
                            "advisory": unit.advisory.contains_key(name),
                        });
                        if let Some(variant) = unit.variant {
                            line["variant"] = variant.as_str().into();
                        }
                        writeln!(out, "{line}")?;
                    }
                }
            }
        }
        out.flush()
    };
    written("the list", write(out)).map(|()| Exit::Success)
}

pub(super) fn grade(findings: Findings) -> Option<Grade> {
    match findings {
        Findings::Auto => None,
        Findings::Json => Some(Grade::Json),
        Findings::Tagged => Some(Grade::Tagged),
        Findings::Text => Some(Grade::Text),
    }
}

pub(super) fn enforced(enforce: Enforce) -> Level {
    match enforce {
        Enforce::Must => Level::Must,
        Enforce::Should => Level::Should,
    }
}
