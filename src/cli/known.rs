//! The list of expected failures, as the command line names it.

use super::args::RunArgs;
use super::exit::Fatal;
use crate::core::Date;
use crate::expect::{KnownFailures, ListWriter, Scope, read_list};

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

/// What writes the list that the command line asks for, if it does.
pub(super) fn list_writer(
    args: &RunArgs,
    known: &KnownFailures,
) -> Result<Option<(String, ListWriter)>, Fatal> {
    let Some(path) = &args.expect_write else { return Ok(None) };
    let writer = ListWriter::new(path.clone(), known.clone());
    let name = format!("list of expected failures to {}", path.display());
    match writer.check() {
        Ok(()) => Ok(Some((name, writer))),
        Err(error) => Err(Fatal::error(format!("failed to write the {name}: {error}"))),
    }
}
