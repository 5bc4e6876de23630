//! Why runs cannot be held against each other.

use crate::core::Stopped;

/// Why runs cannot be compared. The names are those of the files, or of the programs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// There are not two.
    #[error("compare runs: there {} to compare", if *.runs == 1 { "is one alone" } else { "is none" })]
    TooFew {
        /// How many there are.
        runs: usize,
    },
    /// One did not come to its end.
    #[error("compare {name}: {}", ended(*.stopped, *.not_run))]
    Incomplete {
        /// The run.
        name: String,
        /// Why it ended early, if that is known.
        stopped: Option<Stopped>,
        /// How many planned cases did not run.
        not_run: usize,
    },
    /// One has no case.
    #[error("compare {name}: it has no case")]
    Empty {
        /// The run.
        name: String,
    },
    /// Two are about different specs.
    #[error(
        "compare {first} and {second}: they are about different specs, {of_first} and {of_second}"
    )]
    OtherSpec {
        /// One run.
        first: String,
        /// The other.
        second: String,
        /// The spec of the one.
        of_first: String,
        /// The spec of the other.
        of_second: String,
    },
    /// Two have no case in common.
    #[error("compare {first} and {second}: they have no case in common")]
    NothingInCommon {
        /// One run.
        first: String,
        /// The other.
        second: String,
    },
}

impl CompareError {
    /// What to do about it.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::TooFew { .. } => {
                "give the reports of two runs or more; `page` shows one by itself"
            }
            Self::Incomplete { .. } => "run it again, to its end and without --fail-fast",
            Self::Empty { .. } => "run it with a selection that has cases",
            Self::OtherSpec { .. } => "compare runs of the same suites",
            Self::NothingInCommon { .. } => {
                "compare runs with the same --suite, --class, --rule and filters; the reports \
                 of shards are joined by `merge` first"
            }
        }
    }

    /// Whether there is nothing to compare, rather than something wrong with it.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        matches!(self, Self::Empty { .. } | Self::NothingInCommon { .. })
    }
}

fn ended(stopped: Option<Stopped>, not_run: usize) -> String {
    let why = match stopped {
        Some(Stopped::FailFast) => "the run ended at its first failure",
        Some(Stopped::Interrupted) => "the run was interrupted",
        Some(Stopped::NotStarted) => "the implementation could not be started",
        Some(Stopped::GaveUp) => "the sessions of the implementation broke off too often",
        None => "the run is incomplete",
    };
    match not_run {
        0 => why.to_owned(),
        1 => format!("{why}, and 1 planned case did not run"),
        cases => format!("{why}, and {cases} planned cases did not run"),
    }
}
