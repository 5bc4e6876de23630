//! What to do about a name that is not there, or a choice that leaves nothing.

use std::collections::BTreeSet;
use std::path::Path;

use super::args::RunArgs;
use super::exit::{Exit, Fatal};
use super::help::near_command;
use super::varied::why_not;
use crate::core::{CaseId, Plan, Selection, Variant};
use crate::corpus::Corpus;
use crate::counted::counted;
use crate::data::nearest;

/// Refuses a name that is not among the known ones, and suggests a near one.
pub(super) fn known(kind: &str, name: &str, all: &BTreeSet<&str>) -> Result<(), Fatal> {
    if all.contains(name) {
        return Ok(());
    }
    let error = Fatal::error(format!("there is no {kind} {name:?}"));
    Err(error.with_remedy(match nearest(name, all.iter().copied()) {
        Some(near) => format!("did you mean {near}?"),
        None if all.len() <= 10 => {
            format!("choose one of {}", all.iter().copied().collect::<Vec<_>>().join(", "))
        }
        None => "docs/ lists them all".to_owned(),
    }))
}

/// A command that does not name what is to run, and begins with a word like a command's:
/// that is what was meant, not a filter.
pub(super) fn check_command(args: &RunArgs) -> Result<(), Fatal> {
    let reach = &args.reach;
    let names_one = reach.program().is_some()
        || reach.reference
        || reach.profile().is_some()
        || reach.library().is_some();
    let near = args.filters.first().filter(|_| !names_one && !args.list);
    let near = near.and_then(|word| Some((word, near_command(word)?)));
    let Some((word, near)) = near else { return Ok(()) };
    if *word == near {
        let text = format!("{word} is a command, and stands behind options of a run");
        let remedy = format!("write the command first: living-conformance {word}");
        return Err(Fatal::error(text).with_remedy(remedy));
    }
    let text = format!("no implementation is given to run {word:?} with, and it is no command");
    Err(Fatal::error(text).with_remedy(format!("did you mean {near}?")))
}

/// Says that no case was selected, and which part of the choice may be wrong.
pub(super) fn nothing(args: &RunArgs, corpus: &Corpus, selection: &Selection) -> Fatal {
    Fatal {
        exit: Exit::Nothing,
        message: format!(
            "no case was selected out of {} at protocol version {}",
            counted(corpus.fixtures.len(), "fixture"),
            selection.protocol
        ),
        remedy: Some(remedy(args, corpus, selection)),
    }
}

fn remedy(args: &RunArgs, corpus: &Corpus, selection: &Selection) -> String {
    let ids: Vec<String> = corpus
        .fixtures
        .iter()
        .flat_map(|fixture| fixture.cases.keys().map(|name| fixture.id.case(name).into()))
        .collect();
    if let Some(text) = of_variants(args, corpus) {
        return text;
    }
    let is_there = |filter: &&String| {
        ids.iter().any(|id| if args.exact { id == *filter } else { id.contains(filter.as_str()) })
    };
    let given: Vec<&str> = [
        ("--skip", !args.skip.is_empty()),
        ("--suite", !args.scope.suite.is_empty()),
        ("--class", !args.scope.class.is_empty()),
        ("--rule", !args.rule.is_empty()),
        ("TESTBRIDGE_TEST_ONLY", args.narrow.is_some()),
    ]
    .into_iter()
    .filter_map(|(option, is_given)| is_given.then_some(option))
    .collect();
    if !args.filters.is_empty() && !args.filters.iter().any(|filter| is_there(&filter)) {
        return absent(args, &ids);
    }
    let filtered = Selection {
        filters: args.filters.clone(),
        exact: args.exact,
        ..Selection::all(selection.protocol)
    };
    let cases = Plan::new(&corpus.suites.suites, &corpus.fixtures, &filtered).len();
    match (cases, given.is_empty()) {
        (0, _) => format!("what matches is not part of {}; see --protocol", selection.protocol),
        (_, true) => "--list shows what there is".to_owned(),
        (cases, false) if args.filters.is_empty() => {
            format!("of {}, none is left by {}", counted(cases, "case"), given.join(" and "))
        }
        (cases, false) => {
            let noun = if cases == 1 { "case matches" } else { "cases match" };
            format!("{cases} {noun} the filter, and none is left by {}", given.join(" and "))
        }
    }
}

/// What to do when a variant is asked for that is not run, or that is not there.
fn of_variants(args: &RunArgs, corpus: &Corpus) -> Option<String> {
    let named = |filter: &String| filter.rsplit_once('+')?.1.parse::<Variant>().ok();
    if !args.variants {
        args.filters.iter().find_map(named)?;
        return Some("variants are run with --variants alone".to_owned());
    }
    let case = args.filters.iter().find_map(|it| CaseId::try_from(it.clone()).ok())?;
    let variant: Variant = case.variant()?.parse().ok()?;
    let fixture = corpus.fixtures.iter().find(|it| it.id.as_str() == case.fixture())?;
    let suite = corpus.suites.suite(case.suite())?;
    why_not(fixture, suite, variant)
}

/// What to do about filters that match nothing at all.
fn absent(args: &RunArgs, ids: &[String]) -> String {
    let is_file = |filter: &&String| Path::new(filter.as_str()).is_file();
    if let Some(file) = args.filters.iter().find(is_file) {
        return format!(
            "no case is called like {file:?}; if this file is for the implementation, put it after --"
        );
    }
    let parts = ids
        .iter()
        .flat_map(|id| id.split("::").next())
        .flat_map(|fixture| std::iter::once(fixture).chain(fixture.split('/')));
    let names: BTreeSet<&str> = if args.exact {
        ids.iter().map(String::as_str).collect()
    } else {
        parts.chain(ids.iter().map(String::as_str)).collect()
    };
    let near = args.filters.iter().find_map(|filter| nearest(filter, names.iter().copied()));
    let command = || args.filters.first().and_then(|word| near_command(word));
    if let Some(word) = command().filter(|near| args.filters.first() == Some(near)) {
        return format!("{word} is a command: write it first, before any option");
    }
    match near.map(str::to_owned).or_else(command) {
        Some(near) => format!("did you mean {near}?"),
        None => "--list shows what there is".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_is_suggested() {
        let all = BTreeSet::from(["matcher", "validator-strict"]);
        let remedy = |name: &str| known("class", name, &all).unwrap_err().remedy.unwrap();
        assert_eq!(remedy("matchers"), "did you mean matcher?");
        assert_eq!(remedy("x"), "choose one of matcher, validator-strict");
        assert!(known("class", "matcher", &all).is_ok());
    }
}
