//! `release`: freezes the cases that there are.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use semver::Version;

use super::checkout::CheckoutArgs;
use super::lint::write_diagnostics;
use crate::cli::exit::written;
use crate::cli::suggest::known;
use crate::cli::{Exit, Fatal};
use crate::core::Suite;
use crate::counted::counted;
use crate::data::{Problem, Tree};
use crate::fixture::{LintInput, LintLevel, lint, load_all};
use crate::releases::{Current, Cut, DRAFT_FILE, Data, FOLDER, cut, load_releases, render_release};
use crate::report::escape;
use crate::settings::{ColorChoice, Surroundings};
use crate::suites::{self, Suites};

/// The options of `release`.
#[derive(Debug, Clone, Args)]
pub struct ReleaseArgs {
    /// The version, above all that were released, such as 0.2.0
    #[arg(value_name = "VERSION", value_parser = version)]
    pub version: Version,

    /// Only this suite; may be given again [default: all]
    #[arg(long, value_name = "SUITE")]
    pub suite: Vec<String>,

    /// Say what would be written, and write nothing
    #[arg(long)]
    pub dry_run: bool,

    /// Where suites and fixtures are.
    #[command(flatten)]
    pub checkout: CheckoutArgs,
}

fn version(text: &str) -> Result<Version, String> {
    let version = Version::parse(text)
        .map_err(|error| format!("{error}; write a version by SemVer, such as 0.2.0"))?;
    if version.build.is_empty() {
        Ok(version)
    } else {
        Err("leave out the build metadata: no version with it is above the one without".to_owned())
    }
}

/// Writes the file of a release for each suite.
///
/// # Errors
/// When there is no checkout, it is not fit to be released, or a file cannot be
/// written. Nothing is written then.
pub(super) fn release_command(
    args: &ReleaseArgs,
    surroundings: &Surroundings,
    out: &mut dyn Write,
) -> Result<Exit, Fatal> {
    let checkout = args.checkout.open()?;
    let Some(directory) = checkout.suites_dir else {
        return Err(Fatal::error(
            "failed to find suites to release: there is no directory ./suites here",
        )
        .with_remedy("go to the root of a checkout, or name the directory with --suites"));
    };
    let suites = suites::load(&checkout.suites)?;
    let names = suites.names();
    for suite in &args.suite {
        known("suite", suite, &names)?;
    }
    let cuts = cuts(args, &suites, &checkout.suites, &checkout.fixtures)?;
    let found = lint(&LintInput {
        suites: &suites,
        suites_tree: &checkout.suites,
        fixtures_tree: &checkout.fixtures,
        filters: &[],
        threads: surroundings.cpus,
    });
    let errors = found.count(LintLevel::Error);
    if errors > 0 {
        let color = surroundings.color(ColorChoice::Auto);
        let errors_only = |level| level == LintLevel::Error;
        write_diagnostics(&found, &errors_only, color, out).map_err(|error| lost(&error))?;
        return Err(Fatal::error(format!(
            "failed to release {}: lint finds {}",
            args.version,
            counted(errors, "error")
        ))
        .with_remedy("mend them first"));
    }
    let files: Vec<Planned> =
        cuts.into_iter().map(|(suite, cut)| Planned::new(&directory, suite, cut)).collect();
    if !args.dry_run {
        write_all(&files)?;
    }
    for file in &files {
        written("what was done", file.tell(args.dry_run, out))?;
    }
    Ok(Exit::Success)
}

/// The releases of the suites that are asked for.
fn cuts<'a>(
    args: &ReleaseArgs,
    suites: &'a Suites,
    suites_tree: &Tree,
    fixtures_tree: &Tree,
) -> Result<Vec<(&'a Suite, Cut)>, Fatal> {
    let loaded = load_all(fixtures_tree, suites);
    if !loaded.problems.is_empty() {
        let lines: String = loaded.problems.iter().map(|problem| format!("\n{problem}")).collect();
        return Err(Fatal::error(format!("failed to load the fixtures{lines}")));
    }
    let not_digested =
        |problem: Problem| Fatal::error(format!("failed to digest the data\n{problem}"));
    let data = Data::of(suites_tree, fixtures_tree, suites.names()).map_err(not_digested)?;
    let mut cuts = Vec::new();
    let asked = |suite: &&Suite| args.suite.is_empty() || args.suite.contains(&suite.suite);
    for suite in suites.suites.iter().filter(asked) {
        let releases =
            load_releases(suites_tree, &suite.suite, &|_, _| true).map_err(|problems| {
                let lines: String = problems.iter().map(|it| format!("\n{it}")).collect();
                Fatal::error(format!("failed to load the releases{lines}"))
            })?;
        let own = loaded.fixtures.iter().filter(|fixture| fixture.id.suite() == suite.suite);
        let digest = data.digest(&suite.suite).map_err(not_digested)?;
        let current = (Current::of(own, &suites.rules), digest);
        let cut = cut(suite, current, &releases, &args.version);
        let cut = cut.map_err(|error| {
            Fatal::error(format!("failed to {error}")).with_remedy(error.remedy())
        })?;
        cuts.push((suite, cut));
    }
    Ok(cuts)
}

/// The file of a release that is to be written.
struct Planned {
    path: PathBuf,
    /// The notes that have become those of the release.
    draft: Option<PathBuf>,
    cut: Cut,
}

impl Planned {
    fn new(suites: &Path, suite: &Suite, cut: Cut) -> Self {
        let folder = suites.join(&suite.suite).join(FOLDER);
        let draft = folder.join(DRAFT_FILE);
        Self {
            path: folder.join(format!("{}.yaml", cut.release.version)),
            draft: draft.is_file().then_some(draft),
            cut,
        }
    }

    fn write(&self) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        // Whatever stands there stays.
        let mut file = File::create_new(&self.path)?;
        file.write_all(render_release(&self.cut.release).as_bytes()).inspect_err(|_| {
            // Half a release is none.
            let _ = fs::remove_file(&self.path);
        })
    }

    fn tell(&self, dry_run: bool, out: &mut dyn Write) -> io::Result<()> {
        let Cut { release, before, new, .. } = &self.cut;
        let cases = release.fixtures.values().map(|frozen| frozen.cases.len()).sum();
        let path = escape::line(&self.path.to_string_lossy()).into_owned();
        let would = if dry_run { "would write " } else { "wrote " };
        let (fixtures, cases) =
            (counted(release.fixtures.len(), "fixture"), counted(cases, "case"));
        write!(out, "{would}{path}: {fixtures}, {cases}")?;
        if let Some(before) = before {
            let (changed, removed) = (self.cut.changed(), self.cut.removed());
            let renamed = release.renamed.len();
            write!(
                out,
                "; since {before}: {new} new, {changed} changed, {renamed} renamed, {removed} removed"
            )?;
        }
        writeln!(out)?;
        out.flush()
    }
}

/// Writes all files or none.
fn write_all(files: &[Planned]) -> Result<(), Fatal> {
    for (index, file) in files.iter().enumerate() {
        if let Err(error) = file.write() {
            for written in &files[..index] {
                // It was not there before.
                let _ = fs::remove_file(&written.path);
            }
            return Err(failed("write", &file.path, &error)
                .with_remedy("nothing was written; see that the checkout can be written"));
        }
    }
    for draft in files.iter().filter_map(|file| file.draft.as_ref()) {
        fs::remove_file(draft).map_err(|error| {
            failed("remove", draft, &error)
                .with_remedy("remove it by hand: the release has its notes now")
        })?;
    }
    Ok(())
}

fn failed(what: &str, path: &Path, error: &io::Error) -> Fatal {
    Fatal::error(format!("failed to {what} {}: {error}", escape::line(&path.to_string_lossy())))
}

fn lost(error: &io::Error) -> Fatal {
    Fatal::error(format!("failed to write to standard output: {error}"))
}
