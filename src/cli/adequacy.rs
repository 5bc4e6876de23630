//! `adequacy`: what the corpus does to broken implementations.

use std::io::Write;

use clap::Args;

use super::exit::{Exit, Fatal, written};
use super::measured::{MeasureFormat, MeasuredArgs};
use crate::adequacy::Mutant;
use crate::counted::counted;
use crate::report::AdequacyReport;
use crate::settings::Surroundings;

/// The options of `adequacy`.
#[derive(Debug, Clone, Default, Args)]
pub struct AdequacyArgs {
    /// Mutants to try: those whose id, or the id of a rule they attack, contains one of these texts
    #[arg(value_name = "FILTER")]
    pub filters: Vec<String>,

    /// How to write what comes of it
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: MeasureFormat,

    /// Each mutant, and the case that kills it
    #[arg(long, short)]
    pub verbose: bool,

    /// The corpus.
    #[command(flatten)]
    pub measured: MeasuredArgs,
}

/// Puts the corpus to mutants and tells what came of it.
///
/// # Errors
/// When the data is in error, no mutant fits the filter, a control is not caught, or
/// `out` cannot be written.
pub(super) fn adequacy_command(
    args: &AdequacyArgs,
    surroundings: &Surroundings,
    out: &mut dyn Write,
) -> Result<Exit, Fatal> {
    let measured = args.measured.load(&[])?;
    let chosen: Vec<Mutant> = measured
        .mutants
        .iter()
        .filter(|mutant| is_chosen(mutant, &args.filters))
        .cloned()
        .collect();
    if chosen.is_empty() {
        return Err(Fatal {
            exit: Exit::Nothing,
            message: format!(
                "none of the {} was selected",
                counted(measured.mutants.len(), "mutant")
            ),
            remedy: Some(
                "give a part of the id of a mutant or of a rule; `adequacy -v` lists them".into(),
            ),
        });
    }
    let mut adequacy = measured.study(&chosen, surroundings)?;
    if chosen.len() == measured.mutants.len() {
        adequacy = adequacy.with_unused(&measured.equivalents, &chosen);
    }
    let (is_void, is_complete) = (adequacy.is_void(), adequacy.is_complete());
    let report = AdequacyReport::new(measured.versions(), adequacy);
    written(
        "the figures",
        report.write(args.format.into(), (args.verbose, surroundings.width()), out),
    )?;
    Ok(match (is_void, is_complete) {
        (true, _) => Exit::Error,
        (false, true) => Exit::Success,
        (false, false) => Exit::Failure,
    })
}

fn is_chosen(mutant: &Mutant, filters: &[String]) -> bool {
    let fits = |filter: &String| {
        mutant.id.contains(filter)
            || mutant.attacks.iter().any(|rule| rule.as_str().contains(filter))
    };
    filters.is_empty() || filters.iter().any(fits)
}
