//! `coverage`: which rules the fixtures decide, and which a run exercised.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::exit::{Exit, Fatal, written};
use super::measured::{MeasureFormat, Measured, MeasuredArgs};
use crate::core::{Coverage, Protocol, Suite};
use crate::report::{CoverageBasis, CoverageReport, Report};
use crate::settings::Surroundings;

/// The options of `coverage`.
#[derive(Debug, Clone, Default, Args)]
pub struct CoverageArgs {
    /// Tell what a run exercised, by its report that --report json=PATH wrote
    #[arg(long, value_name = "PATH")]
    pub report: Option<PathBuf>,

    /// How to write it
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: MeasureFormat,

    /// Fail when less than this share of the rules is covered, or exercised, in percent
    #[arg(long, value_name = "PERCENT", value_parser = share)]
    pub fail_under: Option<f64>,

    /// The protocol version [default: that of the report, or the newest of each suite]
    #[arg(long, value_name = "VERSION", conflicts_with = "report")]
    pub protocol: Option<Protocol>,

    /// The corpus.
    #[command(flatten)]
    pub measured: MeasuredArgs,
}

fn share(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim().parse::<f64>().ok();
    number
        .filter(|share| (0.0..=100.0).contains(share))
        .ok_or_else(|| "write a number from 0 to 100".to_owned())
}

/// Tells which rules the fixtures decide.
///
/// # Errors
/// When the data or the report is in error, or `out` cannot be written.
pub(super) fn coverage_command(
    args: &CoverageArgs,
    surroundings: &Surroundings,
    out: &mut dyn Write,
) -> Result<Exit, Fatal> {
    let report = args.report.as_deref().map(Report::read).transpose();
    let report = report.map_err(|error| Fatal::error(error.to_string()))?;
    let of_report: Vec<String> =
        report.iter().flat_map(|report| report.header.suites.keys().cloned()).collect();
    let measured = args.measured.load(&of_report)?;
    let asked = report.as_ref().map(|report| report.header.protocol).or(args.protocol);
    let suites = at_protocol(&measured, asked)?;
    let rules = &measured.corpus.suites.rules;
    let coverage: Coverage = suites
        .iter()
        .map(|(suite, protocol)| {
            let own = rules.only(|name| name == suite.suite);
            Coverage::of(&own, *protocol, measured.corpus.fixtures.iter().map(AsRef::as_ref))
        })
        .collect();
    if coverage.totals.rules() == 0 {
        return Err(Fatal {
            exit: Exit::Nothing,
            message: "there is no rule at this protocol version".to_owned(),
            remedy: None,
        });
    }
    let adequacy = measured.study(&measured.mutants, surroundings)?;
    let digest = measured.corpus.digest()?;
    let report = CoverageReport::new(&CoverageBasis {
        suites: &suites,
        rules,
        coverage: &coverage,
        adequacy: &adequacy,
        run: report.as_ref().map(|report| (report, report.header.suite_digest == digest.as_str())),
    });
    written("the figures", report.write(args.format.into(), surroundings.width(), out))?;
    let enough = args.fail_under.is_none_or(|least| report.percent() >= least);
    Ok(if enough { Exit::Success } else { Exit::Failure })
}

/// Each suite with the protocol version to measure it at.
fn at_protocol(
    measured: &Measured,
    asked: Option<Protocol>,
) -> Result<Vec<(Suite, Protocol)>, Fatal> {
    let suites = measured.corpus.suites.suites.iter();
    let at = suites.map(|suite| {
        let protocol = match asked {
            Some(asked) => suite.protocols.contains(&asked).then_some(asked),
            None => suite.latest_protocol(),
        };
        protocol.map(|protocol| (suite.clone(), protocol)).ok_or_else(|| {
            let known: Vec<String> = suite.protocols.iter().map(ToString::to_string).collect();
            let asked = asked.map_or_else(|| "any version".to_owned(), |asked| asked.to_string());
            Fatal::error(format!("the suite {} does not know {asked}", suite.suite))
                .with_remedy(format!("choose one of {}", known.join(", ")))
        })
    });
    at.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_in_percent() {
        assert_eq!((share("0"), share("99.5"), share("100 %")), (Ok(0.0), Ok(99.5), Ok(100.0)));
        for bad in ["", "-1", "101", "NaN", "all"] {
            assert!(share(bad).is_err(), "{bad:?}");
        }
    }
}
