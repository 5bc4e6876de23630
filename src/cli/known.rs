//! The list of expected failures, as the command line names it.

use super::apart::{Named, apart, apart_from_data};
use super::args::RunArgs;
use super::exit::{Fatal, not_written};
use crate::core::Date;
use crate::expect::{KnownFailures, ListWriter, Scope, read_list};
use crate::report::Target;

/// The list that the command line names; an empty one if it names none.
pub(super) fn known_failures(
    args: &RunArgs,
    scope: &Scope<'_>,
    today: Date,
) -> Result<KnownFailures, Fatal> {
    let Some(path) = &args.expect else { return Ok(KnownFailures::default()) };
    read_list(path, scope, today).map_err(|problems| {
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        Fatal::error(format!(
            "failed to read the list of expected failures; no case was run\n{}",
            lines.join("\n")
        ))
    })
}

/// Refuses a report in the place of a list or of what is under test, and a list in that of
/// the latter.
pub(super) fn apart_from_reports(args: &RunArgs) -> Result<(), Fatal> {
    let list = |option: &str, path: &Option<std::path::PathBuf>| -> Vec<Named> {
        path.iter().map(|path| Named::new(&format!("the list of {option},"), path)).collect()
    };
    let reached = Named::reached(&args.reach);
    let written = list("--expect-write", &args.expect_write);
    let kept = [list("--expect", &args.expect), written.clone(), reached.clone()].concat();
    apart(&written, &reached, None)?;
    let reports = Named::reports(&args.output.report);
    apart(&reports, &kept, None)?;
    let (suites, fixtures) = (args.scope.suites.as_deref(), args.scope.fixtures.as_deref());
    apart_from_data(&[written, reports].concat(), suites, fixtures)
}

/// What writes the list that the command line asks for, if it does.
pub(super) fn list_writer(
    args: &RunArgs,
    known: &KnownFailures,
) -> Result<Option<(String, ListWriter)>, Fatal> {
    let Some(path) = &args.expect_write else { return Ok(None) };
    if Target::of_path(path.clone()) == Target::Stdout {
        let text = "a list of expected failures goes to a file, not to standard output";
        return Err(Fatal::error(text).with_remedy("write --expect-write FILE"));
    }
    let writer = ListWriter::new(path.clone(), known.clone());
    let name = format!("list of expected failures to {}", path.display());
    writer.check().map_err(|error| not_written(&format!("the {name}"), &error))?;
    Ok(Some((name, writer)))
}
