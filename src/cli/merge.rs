//! `merge`: the reports of shards as one.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::apart::{Named, apart, apart_from_data};
use super::args::OutputArgs;
use super::exit::{Exit, Fatal};
use super::measured::adequacy_of;
use super::output::{files, readers, told};
use crate::core::{Count, Event, Judge, Plan, Selection, Summary};
use crate::corpus::Corpus;
use crate::merge::{Joined, Piece, join};
use crate::report::{Report, ReportKind, escape, stopped};
use crate::run::Ground;
use crate::settings::Surroundings;

/// The options of `merge`.
#[derive(Debug, Clone, Args)]
pub struct MergeArgs {
    /// Reports of shards that --report json=PATH wrote
    #[arg(value_name = "REPORT", required = true)]
    pub reports: Vec<PathBuf>,

    /// Take the suites that were run from this directory [default: those in the program]
    #[arg(long, value_name = "DIR", help_heading = "Selection")]
    pub suites: Option<PathBuf>,

    /// Take the fixtures that were run from this directory [default: those in the program]
    #[arg(long, value_name = "DIR", help_heading = "Selection")]
    pub fixtures: Option<PathBuf>,

    /// What is told of it.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Joins reports, and tells what comes of them as a run of the whole would.
pub(super) fn merge(args: &MergeArgs, surroundings: &Surroundings) -> Result<Exit, Fatal> {
    let written = Named::reports(&args.output.report);
    apart(&written, &Named::read(&args.reports), None)?;
    apart_from_data(&written, args.suites.as_deref(), args.fixtures.as_deref())?;
    let pieces: Vec<Piece> =
        args.reports.iter().map(|path| read(path)).collect::<Result<_, _>>()?;
    let joined = join(&pieces).map_err(|error| {
        let text = escape::clamped(&format!("failed to {error}"), 1000);
        Fatal::error(text).with_remedy(error.remedy())
    })?;
    let corpus = corpus(args, &joined)?;
    let protocol = joined.header.protocol;
    let plan = Plan::new(&corpus.suites.suites, &corpus.fixtures, &Selection::all(protocol));
    let mut catalog = corpus.catalog(&plan);
    if args.output.report.iter().any(|spec| spec.kind == ReportKind::Html) {
        catalog.adequacy = adequacy_of(corpus.clone(), args.suites.clone(), surroundings, None);
    }
    let catalog = Arc::new(catalog);
    let mut readers = readers(&args.output, surroundings, &catalog, Vec::new())?;
    let ground = Ground {
        suites: &corpus.suites.suites,
        judge: Judge { rules: &corpus.suites.rules, grade: None },
        protocol,
    };
    for warning in warnings(&pieces, &joined) {
        // Standard error may be closed; the names of the cases are in the reports, too.
        let _ = writeln!(anstream::stderr(), "warning: {}", escape::line(&warning));
    }
    readers.event(&Event::Started(Box::new(joined.header.clone())));
    let Joined { header, cases, missing, misfits, stopped, version, duration_us, .. } = joined;
    let mut count = Count::new(&header);
    let counting = cases.iter().filter(|case| !case.is_advisory());
    let planned = counting.map(|case| case.id.clone()).chain(missing.iter().cloned());
    count.plan(ground.classes_of(planned));
    count.add_misfits(misfits);
    count.add_missing(missing);
    for case in cases {
        count.add(&case);
        readers.event(&Event::Case(Box::new(case)));
    }
    let uncovered = ground.uncovered(&catalog.coverage);
    let summary = count.finish(&catalog.coverage, &uncovered, stopped, version, duration_us);
    readers.event(&Event::Finished(Box::new(summary.clone())));
    Ok(exit(&summary, told(readers, &files(&args.output), args.output.quiet)))
}

/// Which shards are not there, or not whole.
fn warnings(pieces: &[Piece], joined: &Joined) -> Vec<String> {
    let absent = joined.absent.iter().map(|shard| format!("there is no report of shard {shard}"));
    let ended = pieces.iter().filter_map(|piece| {
        let (summary, header) = (&piece.report.summary, &piece.report.header);
        let (why, shard) = (summary.stopped?, header.shard.as_ref()?);
        Some(format!(
            "shard {} ended early, by {}: {}; {} of its cases did not run, and --show all names them",
            shard.part,
            piece.name,
            stopped(why),
            summary.missing.len()
        ))
    });
    absent.chain(ended).collect()
}

fn read(path: &Path) -> Result<Piece, Fatal> {
    let report = Report::read(path).map_err(|error| Fatal::error(error.to_string()))?;
    Ok(Piece { name: path.display().to_string(), report })
}

/// The suites and fixtures that the shards were run with: they tell what is not in the
/// reports, and have to be the same.
fn corpus(args: &MergeArgs, joined: &Joined) -> Result<Corpus, Fatal> {
    let asked: BTreeSet<String> = joined.header.suites.keys().cloned().collect();
    let corpus = Corpus::load(args.suites.as_deref(), args.fixtures.as_deref())?.only(&asked);
    let digest = &joined.header.suite_digest;
    let here = corpus.digest()?;
    if here.as_str() == digest {
        return Ok(corpus);
    }
    let text =
        format!("the reports are of other suites and fixtures: {digest}, and these are {here}");
    Err(Fatal::error(text)
        .with_remedy("merge with the program that ran them, and the same --suites and --fixtures"))
}

fn exit(summary: &Summary, written: bool) -> Exit {
    match (written, summary.success) {
        (false, _) => Exit::Error,
        (true, true) => Exit::Success,
        (true, false) => Exit::Failure,
    }
}
