//! `receipt policy`: a policy to start from.

use std::io::{self, Read, Write};
use std::path::PathBuf;

use clap::Args;

use super::certify::suite_of;
use super::identity::written;
use super::under_test::runner;
use super::{files, refusals};
use crate::certify::{Identity, Policy};
use crate::cli::args::{Enforce, RunArgs, ScopeArgs};
use crate::cli::run::prepare_released;
use crate::cli::{Exit, Fatal};
use crate::releases::Asked;
use crate::report::hanging;
use crate::settings::Surroundings;

/// The options of `receipt policy`.
#[derive(Debug, Clone, Args)]
pub struct PolicyArgs {
    /// A receipt that it is to admit; without one, what this program certifies; - for
    /// standard input
    #[arg(
        value_name = "RECEIPT",
        conflicts_with_all = ["suite", "class", "protocol", "suite_release", "suites", "fixtures"]
    )]
    pub receipt: Option<PathBuf>,

    /// What is certified, where no receipt tells.
    #[command(flatten)]
    pub scope: ScopeArgs,
}

/// Prints a policy to `out`, and what to look at in it to standard error.
pub(super) fn policy(
    args: &PolicyArgs,
    surroundings: &Surroundings,
    standard_input: &mut dyn Read,
    out: &mut dyn Write,
) -> Result<Exit, Fatal> {
    let own = runner()?;
    let policy = match &args.receipt {
        None => certified_here(&args.scope, surroundings, own.clone())?,
        Some(path) => match files::receipt(path, standard_input)?.and_then(|it| Policy::of(&it)) {
            Ok(policy) => policy,
            Err(found) => {
                let width = surroundings.width();
                let told = writeln!(out, "no policy admits it");
                let told = told.and_then(|()| refusals::write(out, &found, width));
                return told.map_or_else(written, |()| Ok(Exit::Failure));
            }
        },
    };
    let told = out.write_all(policy.to_json().as_bytes()).and_then(|()| out.flush());
    told.map_or_else(written, |()| Ok(Exit::Success))?;
    // JSON has no room for them.
    let notes = notes(args, &policy, &own);
    let notes = notes.iter().map(|(key, text)| hanging(key, NOTE, text, surroundings.width()));
    match anstream::stderr().write_all(notes.collect::<String>().as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => written(error),
        _ => Ok(Exit::Success),
    }
}

/// How many columns the names of keys have.
const NOTE: usize = 25;

/// The policy for the receipts that this program writes.
fn certified_here(
    scope: &ScopeArgs,
    surroundings: &Surroundings,
    own: Identity,
) -> Result<Policy, Fatal> {
    if scope.suite_release == Some(Asked::Draft) {
        return Err(Fatal::error("a draft is not certified, and no policy can name it")
            .with_remedy("name a release with --suite-release, or leave it out for the latest"));
    }
    let release = scope.suite_release.clone().unwrap_or(Asked::Latest);
    let scope = ScopeArgs { suite_release: Some(release), ..scope.clone() };
    let run = RunArgs { scope, variants: true, ..RunArgs::default() };
    let prepared = prepare_released(&run, surroundings)?;
    super::portable::check(&run.scope)?;
    let (_, suite) = suite_of(&run.scope, Enforce::default(), &prepared)?;
    Ok(Policy::for_runs_of(&suite, own, prepared.plan.len() as u64))
}

/// What each key holds receipts to, for whoever is to answer for it.
fn notes(args: &PolicyArgs, policy: &Policy, own: &Identity) -> Vec<(&'static str, String)> {
    let runner = match (policy.runner() == own, &args.receipt) {
        (true, _) => "this program, and no other build of it: whoever certifies needs the same one",
        (false, _) => {
            "the program that the receipt names, which is not this one: look up its digest \
             where it is published before you trust it"
        }
    };
    let kinds = match policy.required().iter().any(|kind| kind.as_str() == "test-report") {
        true => "receipts name these; hold --report or --evidence against them to see more",
        false => "receipts name these; there is no report among them to be looked at",
    };
    vec![
        ("suite_id", "the spec, the protocol version and the classes that are asked for".into()),
        ("suite_version", "one release of the suites: a newer one needs a new policy".into()),
        ("runner_identity", runner.into()),
        ("required_evidence_kinds", kinds.into()),
        ("minimum_test_count", "all tests of that release: fewer would not be the whole".into()),
    ]
}
