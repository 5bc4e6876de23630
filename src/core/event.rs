//! What a run tells as it goes: owned, serialisable events.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    CaseId, CoverTotals, Disposition, Expectation, Judgement, LedgerId, LeftOut, Level, Misfit,
    Outcome, Protocol, RuleId, Sharded, Tallies, Tally, VariantCensus,
};

/// The argument of [`Header::reproduce`] that stands for a case's id.
pub const CASE_PLACEHOLDER: &str = "{case}";
/// The argument of [`Header::reproduce`] that only cases on variants need.
pub const VARIANTS_OPTION: &str = "--variants";

/// One step of a run. A run is one `Started`, any number of `Case`, one
/// `Finished`; without the last it is no result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The run begins.
    Started(Box<Header>),
    /// A case was judged. Cases come in the order in which they end.
    Case(Box<CaseRecord>),
    /// The run is over.
    Finished(Box<Summary>),
}

/// What is known before the first case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Header {
    /// The program's version.
    pub program: String,
    /// What people call the spec that the suites test.
    pub spec: String,
    /// The suites, each with the release that the run goes by, or `draft`: all cases
    /// that are there.
    pub suites: BTreeMap<String, String>,
    /// Digest of the suite data used: `sha256:` and 64 hex digits.
    pub suite_digest: String,
    /// What is under test.
    pub implementation: ImplementationInfo,
    /// The protocol version certified against.
    pub protocol: Protocol,
    /// The level from which on a failure fails the run.
    pub enforce: Level,
    /// How many cases are planned.
    pub cases: usize,
    /// How many of them are advisory: no part of the releases of their suites.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub advisory: usize,
    /// How many of them come from fixtures without a golden.
    pub without_golden: usize,
    /// For each class asked for, the cases of it that are not run, by reason.
    pub left_out: BTreeMap<String, BTreeMap<LeftOut, usize>>,
    /// The shard that is run, when it is only one of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Sharded>,
    /// What became of the variants of all fixtures asked for, when they are run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variants: Option<VariantCensus>,
    /// The command that runs one case alone; the argument `{case}` stands for
    /// the case's id.
    pub reproduce: Vec<String>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Header {
    /// The command that runs this case alone, as arguments.
    #[must_use]
    pub fn reproducing(&self, case: &CaseId) -> Vec<String> {
        // What follows the case is the implementation's own.
        let own = self.reproduce.iter().position(|argument| argument == CASE_PLACEHOLDER);
        let is_idle = |at: usize, argument: &str| {
            case.variant().is_none() && Some(at) < own && argument == VARIANTS_OPTION
        };
        let arguments = self.reproduce.iter().enumerate();
        arguments
            .filter(|(at, argument)| !is_idle(*at, argument))
            .map(|(at, argument)| match own {
                Some(own) if own == at => case.as_str().to_owned(),
                _ => argument.clone(),
            })
            .collect()
    }
}

/// What is under test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ImplementationInfo {
    /// How it is reached: `exec`, `session`, `library`, `reference`.
    pub driver: String,
    /// A short name for headings.
    pub name: String,
    /// The command line, empty for a linked library.
    pub command: Vec<String>,
    /// What it says of its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// What the names of the folders begin with in which implementations run.
pub const FOLDER_PREFIX: &str = "living-conformance-";

/// How the line starts that stands for the output before the end that is kept.
pub const CUT_BEFORE: &str = "[… ";

/// One judged case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CaseRecord {
    /// The id.
    pub id: CaseId,
    /// The class it counts for.
    pub class: String,
    /// The highest level of the rules that its fixture decides.
    pub weight: Level,
    /// Why the fixture is there.
    pub about: String,
    /// The rules that its fixture decides.
    pub decides: Vec<RuleId>,
    /// Whether it is judged by a golden, or only by the name of its directory.
    pub golden: bool,
    /// What is expected.
    pub expected: Expectation,
    /// What happened.
    pub observed: Outcome,
    /// What came of it.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// What became of it apart from that.
    pub disposition: Disposition,
    /// How long the implementation took, in microseconds.
    pub duration_us: u64,
    /// The end of standard output, as it came: escape before showing. Where it is
    /// not all of it, there is a line before that starts with [`CUT_BEFORE`].
    pub stdout: String,
    /// The end of standard error, likewise.
    pub stderr: String,
}

/// How an implementation stands to a class after a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Standing {
    /// Every MUST case of the class passed, and all were run.
    Conforms,
    /// At least one MUST case failed or was not decided.
    Fails,
    /// Nothing failed, and something was not shown.
    NotShown {
        /// What was not shown.
        because: Vec<Gap>,
    },
}

/// Why a class was not fully shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Gap {
    /// Cases were left out of the plan.
    LeftOut {
        /// Why.
        reason: LeftOut,
        /// How many.
        cases: usize,
    },
    /// Planned cases did not run.
    NotRun {
        /// How many.
        cases: usize,
    },
    /// The implementation does not support the operation in these cases.
    Unsupported {
        /// How many.
        cases: usize,
    },
    /// Cases of the run failed, and the list of expected failures has them.
    ExpectedFailures {
        /// How many cases.
        cases: usize,
    },
    /// The list of expected failures does not fit the run.
    MisfitList {
        /// How many entries do not fit, because of what failed or because cases pass.
        misfits: usize,
    },
    /// Cases came out in more than one way.
    Flaky {
        /// How many cases.
        cases: usize,
    },
    /// Fixtures without a golden show only exit codes.
    WithoutGolden {
        /// How many cases.
        cases: usize,
    },
    /// No fixture decides these MUST rules.
    Uncovered {
        /// The rules.
        rules: Vec<RuleId>,
    },
}

/// How one rule fared: of the cases whose fixtures decide it, how many keep it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleResult {
    /// Cases that decide it and have no mismatch that breaks it.
    pub met: usize,
    /// Cases with a mismatch that breaks it.
    pub broken: usize,
}

/// How often each side of an open question was taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choices {
    /// Cases that were accepted.
    pub accept: usize,
    /// Cases that were rejected.
    pub reject: usize,
}

/// What a run ended with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Summary {
    /// The version that the implementation gave, asked while the cases ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub implementation_version: Option<String>,
    /// All cases, but for the advisory ones.
    pub total: Tally,
    /// The advisory cases: those that are no part of the releases of their suites.
    /// They count nowhere else.
    #[serde(default, skip_serializing_if = "Tally::is_zero")]
    pub advisory: Tally,
    /// By class.
    pub classes: Tallies,
    /// By the highest level that the fixture decides: `MUST`, `SHOULD`, `MAY`, `-`.
    pub levels: Tallies,
    /// By variant; cases on the fixtures themselves are in none.
    #[serde(default, skip_serializing_if = "Tallies::is_empty")]
    pub variants: Tallies,
    /// By rule.
    pub rules: BTreeMap<RuleId, RuleResult>,
    /// How it stands to each class.
    pub standing: BTreeMap<String, Standing>,
    /// What it chose where the spec is open.
    pub choices: BTreeMap<LedgerId, Choices>,
    /// Which rules the fixtures decide.
    pub coverage: CoverTotals,
    /// Planned cases that did not run.
    pub not_run: usize,
    /// Which ones, by id, as far as that is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<CaseId>,
    /// The entries of the list of expected failures that do not fit the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub misfits: Vec<Misfit>,
    /// Why the run ended early, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
    /// Whether all that was asked for holds: exit code 0.
    pub success: bool,
    /// How long the run took, in microseconds.
    pub duration_us: u64,
}

/// Why a run ended before all cases were run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stopped {
    /// A case failed, and the run was to end there.
    FailFast,
    /// A signal asked it to end.
    Interrupted,
    /// The implementation could not be started.
    NotStarted,
    /// It was started again too often.
    GaveUp,
}

#[cfg(test)]
mod tests {
    use super::super::Variant;
    use super::*;

    #[test]
    fn only_a_case_on_a_variant_needs_the_option() {
        let mut header = super::super::testing::header();
        let command = "lc --impl x --variants --exact {case} -- --variants {case}";
        header.reproduce = command.split(' ').map(str::to_owned).collect();
        let case = CaseId::try_from("t/a::hard".to_owned()).unwrap();
        let told = |case: &CaseId| header.reproducing(case).join(" ");
        assert_eq!(told(&case), "lc --impl x --exact t/a::hard -- --variants {case}");
        assert_eq!(
            told(&case.varied(Variant::Bom)),
            "lc --impl x --variants --exact t/a::hard+bom -- --variants {case}"
        );
    }
}
