//! `compare`: runs that were written down, held against each other.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::apart::{Named, apart, apart_from_data};
use super::args::{Color, Enforce, Show};
use super::exit::{Exit, Fatal, not_written, told, written};
use super::output::{color, wrote};
use super::page::{foreign, measured, read};
use super::run::enforced;
use crate::compare::{CompareError, Comparison};
use crate::corpus::Corpus;
use crate::report::{
    ComparisonBasis, ComparisonKind, ComparisonOptions, ComparisonSpec, Report, Target,
    comparison_text, escape,
};
use crate::settings::Surroundings;

/// The options of `compare`.
#[derive(Debug, Clone, Args)]
pub struct CompareArgs {
    /// Reports that --report json=PATH wrote, two or more; the others are held against
    /// the first
    #[arg(value_name = "REPORT", required = true)]
    pub reports: Vec<PathBuf>,

    /// When to end with exit code 1
    #[arg(long, value_enum, value_name = "WHAT")]
    pub fail_on: Option<FailOn>,

    /// The level from which on what got worse is a regression
    #[arg(long, value_enum, default_value_t, value_name = "LEVEL")]
    pub enforce: Enforce,

    /// Take the suites from this directory [default: those in the program]
    #[arg(long, value_name = "DIR")]
    pub suites: Option<PathBuf>,

    /// Take the fixtures from this directory [default: those in the program]
    #[arg(long, value_name = "DIR")]
    pub fixtures: Option<PathBuf>,

    /// Write a report: KIND=PATH, - for standard output; may be given again
    #[arg(
        long,
        value_name = "KIND=PATH",
        long_help = ComparisonSpec::help(),
        help_heading = "Output"
    )]
    pub report: Vec<ComparisonSpec>,

    /// Show everything, not only the first 20 of each
    #[arg(long, value_name = "WHICH", value_enum, help_heading = "Output")]
    pub show: Option<Show>,

    /// When to use colours
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", help_heading = "Output")]
    pub color: Color,

    /// Only what each run fixed and broke
    #[arg(long, short, conflicts_with = "verbose", help_heading = "Output")]
    pub quiet: bool,

    /// More: drafts for the ledger, all sides taken where the spec is open
    #[arg(long, short, action = clap::ArgAction::Count, help_heading = "Output")]
    pub verbose: u8,
}

/// When a comparison fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// A case passed in the first run, and in another it fails, or was left out
    Regression,
}

/// Compares reports.
///
/// # Errors
/// When a report cannot be read, they are not to be compared, or a report cannot be
/// written.
pub(super) fn compare(
    args: &CompareArgs,
    surroundings: &Surroundings,
    out: &mut dyn Write,
) -> Result<Exit, Fatal> {
    once(&args.reports)?;
    let written = args.report.iter().map(|spec| Named::output(spec, &spec.target));
    let written: Vec<Named> = written.collect();
    apart(&written, &Named::read(&args.reports), None)?;
    apart_from_data(&written, args.suites.as_deref(), args.fixtures.as_deref())?;
    for spec in &args.report {
        spec.check().map_err(|error| not_written(&format!("the {spec}"), &error))?;
    }
    let reports = read(&args.reports)?;
    let names = args.reports.iter().map(|path| path.display().to_string());
    let runs: Vec<(String, &Report)> = names.zip(&reports).collect();
    let comparison = Comparison::of(&runs).map_err(|error| refused(&error))?;
    let corpus = Corpus::load(args.suites.as_deref(), args.fixtures.as_deref())?;
    let foreign = foreign(&reports, &corpus)?;
    let mut catalog = corpus.whole_catalog();
    if args.report.iter().any(|spec| spec.kind == ComparisonKind::Html) {
        catalog.adequacy = measured(&reports, &corpus, args.suites.clone(), surroundings);
    }
    let enforce = enforced(args.enforce);
    let options = ComparisonOptions {
        color: surroundings.color(color(args.color)),
        width: surroundings.width(),
        quiet: args.quiet,
        verbose: args.verbose > 0,
        show_all: args.show == Some(Show::All),
        enforce,
    };
    let text = comparison_text(&comparison, &catalog, options);
    let basis =
        ComparisonBasis { comparison: &comparison, catalog: &catalog, foreign: &foreign, enforce };
    let all = tell(&text, &args.report, out) & write(&basis, &args.report, args.quiet);
    Ok(match args.fail_on {
        _ if !all => Exit::Error,
        Some(FailOn::Regression) if comparison.regressions(enforce) > 0 => Exit::Failure,
        _ => Exit::Success,
    })
}

/// Why runs cannot be compared.
pub(super) fn refused(error: &CompareError) -> Fatal {
    let exit = if error.is_nothing() { Exit::Nothing } else { Exit::Error };
    let message = escape::clamped(&format!("failed to {error}"), 1000);
    Fatal { exit, message, remedy: Some(error.remedy().to_owned()) }
}

/// Refuses a file that is named twice, by whatever path.
fn once(paths: &[PathBuf]) -> Result<(), Fatal> {
    let mut seen: BTreeMap<PathBuf, &Path> = BTreeMap::new();
    for path in paths {
        // One that is not there is told of when it is read.
        let Ok(whole) = fs::canonicalize(path) else { continue };
        if let Some(first) = seen.insert(whole, path) {
            let (first, path) = (first.to_string_lossy(), path.to_string_lossy());
            let text = if first == path {
                format!("failed to compare {}: it is given twice", escape::line(&path))
            } else {
                format!(
                    "failed to compare {} and {}: they are the same file",
                    escape::line(&first),
                    escape::line(&path)
                )
            };
            return Err(Fatal::error(text).with_remedy("name each report once"));
        }
    }
    Ok(())
}

/// What a person reads goes to standard error when a report takes standard output.
/// Whoever closed the pipe has seen enough.
fn tell(text: &str, reports: &[ComparisonSpec], out: &mut dyn Write) -> bool {
    let result = if reports.iter().any(|spec| spec.target == Target::Stdout) {
        anstream::stderr().write_all(text.as_bytes())
    } else {
        out.write_all(text.as_bytes()).and_then(|()| out.flush())
    };
    told(written("the comparison", result))
}

/// Writes the reports; one that fails does not stop the others.
fn write(basis: &ComparisonBasis<'_>, reports: &[ComparisonSpec], quiet: bool) -> bool {
    let save = |spec: &ComparisonSpec| {
        let saved = told(written(
            &format!("the {spec}"),
            spec.target.save(|out| basis.write(spec.kind, out)),
        ));
        if saved && !quiet && spec.target != Target::Stdout {
            wrote(&spec.to_string());
        }
        saved
    };
    reports.iter().fold(true, |all, spec| save(spec) & all)
}
