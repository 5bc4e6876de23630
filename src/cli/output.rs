//! Who is told of a run, as the command line says.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use super::args::{Color, OutputArgs, Show};
use super::exit::{Fatal, not_written};
use crate::adequacy::Score;
use crate::report::{
    Catalog, Fanout, Outlet, ReportKind, ReportSpec, Terminal, TerminalOptions, escape,
};
use crate::settings::{ColorChoice, Surroundings};

/// The terminal and the reports that the command line asks for. `beside` are the scores
/// that the terminal shows beside that of the run.
///
/// # Errors
/// When a report cannot be written; better known before a run than after it.
pub(super) fn readers(
    args: &OutputArgs,
    surroundings: &Surroundings,
    catalog: &Arc<Catalog>,
    beside: Vec<Score>,
) -> Result<Fanout, Fatal> {
    let mut readers = Fanout::new(Arc::clone(catalog));
    let summary = terminal(args, surroundings, Arc::clone(catalog)).beside(beside);
    readers.add("summary", Box::new(summary));
    ReportSpec::check_targets(&args.report).map_err(|error| Fatal::error(error.to_string()))?;
    for spec in &args.report {
        spec.check().map_err(|error| not_written(&format!("the {spec}"), &error))?;
        readers.add_report(spec.clone());
    }
    if let Some(path) = job_summary(args) {
        readers.add_job_summary(path);
    }
    Ok(readers)
}

/// The files that the reports go to, in words that go after "wrote the".
pub(super) fn files(args: &OutputArgs) -> Vec<String> {
    let files = args.report.iter().filter(|spec| !spec.is_stdout()).map(ToString::to_string);
    files
        .chain(job_summary(args).map(|path| format!("job summary to {}", path.display())))
        .collect()
}

/// Where the summary of a job goes, where there is to be one.
fn job_summary(args: &OutputArgs) -> Option<PathBuf> {
    let is_wanted = args.report.iter().any(|spec| spec.kind == ReportKind::Github);
    args.job_summary.as_ref().filter(|it| is_wanted && !it.is_empty()).map(PathBuf::from)
}

/// Finishes them, and says what was written of these files and what could not be;
/// whether all was.
pub(super) fn told(readers: Fanout, files: &[String], quiet: bool) -> bool {
    let failures = readers.finish();
    for failure in &failures {
        // Standard error may be closed as well; there is nobody left to tell then.
        let _ = writeln!(anstream::stderr(), "error: {failure}");
    }
    let failed = |file: &&String| failures.iter().any(|failure| failure.reporter == **file);
    for file in files.iter().filter(|file| !quiet && !failed(file)) {
        wrote(file);
    }
    failures.is_empty()
}

/// Says that a file was written, in words such as `json report to a.json`.
pub(super) fn wrote(file: &str) {
    let _ = writeln!(anstream::stderr(), "wrote the {}", escape::line(file));
}

/// What a person sees; on standard error when a report takes standard output.
fn terminal(args: &OutputArgs, surroundings: &Surroundings, catalog: Arc<Catalog>) -> Terminal {
    let out: Box<dyn Write> = if args.report.iter().any(ReportSpec::is_stdout) {
        Box::new(Outlet(io::stderr()))
    } else {
        Box::new(Outlet(io::stdout()))
    };
    let options = TerminalOptions {
        color: surroundings.color(color(args.color)),
        width: surroundings.width(),
        quiet: args.quiet,
        verbose: args.verbose > 0,
        show_all: args.show == Some(Show::All),
        in_full: args.in_full.unwrap_or(TerminalOptions::IN_FULL),
        live: surroundings.live() && !args.quiet,
    };
    Terminal::new(out, options, catalog).headed(args.heading.clone())
}

pub(super) fn color(color: Color) -> ColorChoice {
    match color {
        Color::Auto => ColorChoice::Auto,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    }
}
