//! A page of runs that were written down.

use std::path::PathBuf;

use clap::Args;

use super::apart::{Named, apart, apart_from_data};
use super::exit::{Exit, Fatal, not_written};
use super::measured::adequacy_of;
use super::output::wrote;
use crate::corpus::Corpus;
use crate::report::{HtmlPage, Measurement, Report, Target};
use crate::settings::Surroundings;

/// The options of `page`.
#[derive(Debug, Args)]
pub struct PageArgs {
    /// Reports that --report json=PATH wrote, in the order of the columns
    #[arg(value_name = "REPORT", required = true)]
    pub reports: Vec<PathBuf>,

    /// Where the page goes; - for standard output
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,

    /// Take the suites from this directory [default: those in the program]
    #[arg(long, value_name = "DIR")]
    pub suites: Option<PathBuf>,

    /// Take the fixtures from this directory [default: those in the program]
    #[arg(long, value_name = "DIR")]
    pub fixtures: Option<PathBuf>,
}

/// Makes a page of reports.
///
/// # Errors
/// When a report cannot be read, or the page cannot be written.
pub(super) fn make_page(args: &PageArgs, surroundings: &Surroundings) -> Result<Exit, Fatal> {
    let target = Target::of_path(args.out.clone());
    let page = [Named::output(format_args!("page to {target}"), &target)];
    apart(&page, &Named::read(&args.reports), None)?;
    apart_from_data(&page, args.suites.as_deref(), args.fixtures.as_deref())?;
    let reports = read(&args.reports)?;
    let corpus = Corpus::load(args.suites.as_deref(), args.fixtures.as_deref())?;
    let foreign = foreign(&reports, &corpus)?;
    let mut catalog = corpus.whole_catalog();
    catalog.adequacy = measured(&reports, &corpus, args.suites.clone(), surroundings);
    let page = HtmlPage {
        reports: reports.iter().collect(),
        catalog: &catalog,
        sources: args.reports.iter().map(|path| path.display().to_string()).collect(),
        foreign,
    };
    page.save(&target).map_err(|error| not_written(&format!("the page to {target}"), &error))?;
    if target != Target::Stdout {
        wrote(&format!("page to {target}"));
    }
    Ok(Exit::Success)
}

/// How much the fixtures of the suites show that were run.
pub(super) fn measured(
    reports: &[Report],
    corpus: &Corpus,
    suites: Option<PathBuf>,
    surroundings: &Surroundings,
) -> Measurement {
    let run = reports.iter().flat_map(|report| report.header.suites.keys().cloned()).collect();
    adequacy_of(corpus.clone().only(&run), suites, surroundings, None)
}

/// Reads reports of runs.
pub(super) fn read(paths: &[PathBuf]) -> Result<Vec<Report>, Fatal> {
    let reports = paths.iter().map(|path| Report::read(path));
    reports.collect::<Result<_, _>>().map_err(|error| Fatal::error(error.to_string()))
}

/// Which of the runs had other suites or fixtures than there are here.
pub(super) fn foreign(reports: &[Report], corpus: &Corpus) -> Result<Vec<bool>, Fatal> {
    reports.iter().map(|report| is_foreign(report, corpus)).collect()
}

/// Whether a run had other suites or fixtures than there are here.
fn is_foreign(report: &Report, corpus: &Corpus) -> Result<bool, Fatal> {
    let suites = report.header.suites.keys().cloned().collect();
    Ok(corpus.digest_of(&suites)?.as_str() != report.header.suite_digest)
}
