//! What the commands that measure the corpus have in common.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::author::directories;
use super::exit::Fatal;
use super::suggest::known;
use crate::adequacy::{Adequacy, Bench, Equivalents, Mutant};
use crate::corpus::Corpus;
use crate::data::{Folder, Tree};
use crate::driver::Interrupt;
use crate::report::{FiguresFormat, Measurement};
use crate::settings::Surroundings;
use crate::suites::Choice;

/// The corpus that is measured.
#[derive(Debug, Clone, Default, Args)]
pub struct MeasuredArgs {
    /// Only this suite; may be given again [default: those that a run takes]
    #[arg(long, value_name = "SUITE")]
    pub suite: Vec<String>,

    /// The directory of the suites [default: that of a checkout, or those in the program]
    #[arg(long, value_name = "DIR")]
    pub suites: Option<PathBuf>,

    /// The directory of the fixtures [default: likewise]
    #[arg(long, value_name = "DIR")]
    pub fixtures: Option<PathBuf>,
}

/// How to write figures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum MeasureFormat {
    /// Aligned tables
    #[default]
    Text,
    /// One JSON document
    Json,
    /// Markdown
    Markdown,
}

impl From<MeasureFormat> for FiguresFormat {
    fn from(format: MeasureFormat) -> Self {
        match format {
            MeasureFormat::Text => Self::Text,
            MeasureFormat::Json => Self::Json,
            MeasureFormat::Markdown => Self::Markdown,
        }
    }
}

/// A corpus with what its suites say of mutants.
pub(super) struct Measured {
    pub(super) corpus: Corpus,
    pub(super) equivalents: Equivalents,
    /// Its mutants: those that attack a rule of its suites.
    pub(super) mutants: Vec<Mutant>,
}

impl MeasuredArgs {
    /// Loads the corpus. `named` are the suites to take when the command line names
    /// none.
    pub(super) fn load(&self, named: &[String]) -> Result<Measured, Fatal> {
        let (suites, fixtures) = directories(self.suites.as_deref(), self.fixtures.as_deref());
        let corpus = Corpus::load(suites.as_deref(), fixtures.as_deref())?;
        let names = corpus.suites.names();
        for suite in self.suite.iter().chain(named) {
            known("suite", suite, &names)?;
        }
        let wanted = if self.suite.is_empty() { named } else { &self.suite };
        let asked =
            corpus.suites.asked(&Choice { suites: wanted, classes: &[], rules: &[], cases: &[] });
        Measured::of(corpus.only(&asked), suites.as_deref())
    }
}

impl Measured {
    /// A corpus whose suites come from this directory, or from the program.
    fn of(mut corpus: Corpus, suites: Option<&Path>) -> Result<Self, Fatal> {
        let tree = Tree::named(suites, Folder::Suites);
        let equivalents = Equivalents::load(&tree, &corpus.suites).map_err(|problems| {
            let lines: String = problems.iter().map(|problem| format!("\n{problem}")).collect();
            Fatal::error(format!("failed to load what is said of mutants{lines}"))
        })?;
        let names = corpus.suites.suites.iter().map(|suite| suite.suite.clone()).collect();
        let mut mutants = Mutant::all(&corpus.suites.rules, &equivalents)
            .map_err(|error| Fatal::error(format!("failed to {error}")))?;
        mutants.retain(|mutant| mutant.is_of(&corpus.suites.rules, &names));
        corpus.fill_places();
        Ok(Self { corpus, equivalents, mutants })
    }

    /// Puts the corpus to some of its mutants.
    pub(super) fn study(
        &self,
        mutants: &[Mutant],
        surroundings: &Surroundings,
    ) -> Result<Adequacy, Fatal> {
        let (suites, fixtures) = (&self.corpus.suites, &self.corpus.fixtures);
        Bench::new(suites, fixtures)
            .and_then(|bench| Adequacy::of(&bench, mutants, surroundings.cpus.get()))
            .map_err(|error| Fatal::error(format!("failed to {error}")))
    }

    /// The suites, each with the version of its data.
    pub(super) fn versions(&self) -> BTreeMap<String, String> {
        let suites = self.corpus.suites.suites.iter();
        suites.map(|suite| (suite.suite.clone(), suite.version.clone())).collect()
    }
}

/// How much a corpus shows, for a page; none where that cannot be measured, which
/// `adequacy` tells, or whoever waits for it interrupts the run.
pub(super) fn adequacy_of(
    corpus: Corpus,
    suites: Option<PathBuf>,
    surroundings: &Surroundings,
    interrupt: Option<Interrupt>,
) -> Measurement {
    let threads = surroundings.cpus.get();
    Measurement::later(move || {
        let stop = || interrupt.as_ref().is_some_and(|it| it.signal().is_some());
        if stop() {
            return None;
        }
        let Measured { corpus, mutants, .. } = Measured::of(corpus, suites.as_deref()).ok()?;
        let bench = Bench::new(&corpus.suites, &corpus.fixtures).ok()?;
        Adequacy::until(&bench, &mutants, threads, &stop).ok()?
    })
}
