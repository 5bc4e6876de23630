//! The list of expected failures, as the command line names it.

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

/// Refuses a report that would take the place of a list.
pub(super) fn apart_from_reports(args: &RunArgs) -> Result<(), Fatal> {
    let lists = [("--expect", &args.expect), ("--expect-write", &args.expect_write)];
    for (option, path) in lists {
        let Some(target) = path.clone().map(Target::of_path) else { continue };
        if let Some(spec) = args.output.report.iter().find(|spec| spec.goes_to(&target)) {
            let text = format!("the {spec} would take the place of the list of {option}");
            return Err(Fatal::error(text).with_remedy("give each its own file"));
        }
    }
    Ok(())
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
