//! What a test runner asks for by its environment, as if the command line did.

use std::fs::File;

use super::args::RunArgs;
use super::exit::Fatal;
use crate::report::{ReportKind, ReportSpec, Target};
use crate::settings::TestRunner;

/// The options with what the runner asks for. A shard on the command line goes before
/// the runner's, and then the runner is not told that its own is heard.
pub(super) fn with_runner(args: &RunArgs, runner: &TestRunner) -> Result<RunArgs, Fatal> {
    let mut args = args.clone();
    args.narrow = runner.test_only.as_ref().map(|text| text.to_string_lossy().into_owned());
    if let Some(path) = &runner.xml_output_file {
        let spec = ReportSpec { kind: ReportKind::Junit, target: Target::File(path.clone()) };
        if !args.output.report.contains(&spec) {
            args.output.report.push(spec);
        }
    }
    let shard = runner.shard().map_err(|error| Fatal::error(error.to_string()))?;
    if args.shard.is_none()
        && let Some(shard) = shard
    {
        args.shard = Some(shard);
        if let Some(path) = &runner.shard_status_file {
            File::options().append(true).create(true).open(path).map_err(|error| {
                Fatal::error(format!("failed to touch {}: {error}", path.display()))
            })?;
        }
    }
    Ok(args)
}
