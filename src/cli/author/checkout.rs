//! The checkout that the commands for authors work on.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::Fatal;
use crate::data::{Folder, Tree};

/// Where suites and fixtures are.
#[derive(Debug, Clone, Default, Args)]
pub struct CheckoutArgs {
    /// Take the suites from this directory [default: ./suites, or those in the program]
    #[arg(long, value_name = "DIR")]
    pub suites: Option<PathBuf>,

    /// Take the fixtures from this directory [default: ./fixtures]
    #[arg(long, value_name = "DIR")]
    pub fixtures: Option<PathBuf>,
}

/// A directory of fixtures that can be changed, and the suites it belongs to.
pub(super) struct Checkout {
    pub(super) suites: Tree,
    /// The directory of the suites, unless they are those of the program.
    pub(super) suites_dir: Option<PathBuf>,
    pub(super) fixtures: Tree,
    /// The directory of the fixtures.
    pub(super) fixtures_dir: PathBuf,
}

impl CheckoutArgs {
    /// The checkout that is named, or the one in the working directory.
    pub(super) fn open(&self) -> Result<Checkout, Fatal> {
        let fixtures = self.fixtures.clone().or_else(|| here("fixtures")).ok_or_else(|| {
            Fatal::error("failed to find a checkout: there is no directory ./fixtures here")
                .with_remedy("go to the root of a checkout, or name the directory with --fixtures")
        })?;
        let suites = self.suites.clone().or_else(|| here("suites"));
        Ok(Checkout {
            suites_dir: suites.clone(),
            suites: Tree::named(suites.as_deref(), Folder::Suites),
            fixtures: Tree::directory(&fixtures),
            fixtures_dir: fixtures,
        })
    }
}

/// A directory of the working directory.
fn here(name: &str) -> Option<PathBuf> {
    Path::new(name).is_dir().then(|| name.into())
}

/// The directories named, or those of the checkout in the working directory; none where
/// there is none, and the program has them: for commands that only look.
pub(crate) fn directories(
    suites: Option<&Path>,
    fixtures: Option<&Path>,
) -> (Option<PathBuf>, Option<PathBuf>) {
    // A checkout has both; one alone may be something else.
    let checkout = here("suites").zip(here("fixtures"));
    let (own_suites, own_fixtures) = checkout.unzip();
    (suites.map(Path::to_owned).or(own_suites), fixtures.map(Path::to_owned).or(own_fixtures))
}

/// The same as trees.
pub(super) fn sources(suites: Option<&Path>, fixtures: Option<&Path>) -> (Tree, Tree) {
    let (suites, fixtures) = directories(suites, fixtures);
    (
        Tree::named(suites.as_deref(), Folder::Suites),
        Tree::named(fixtures.as_deref(), Folder::Fixtures),
    )
}
