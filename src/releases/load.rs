//! From the files of releases to releases, or to everything that is wrong with them.

use std::collections::BTreeMap;

use semver::Version;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::file::ReleaseFile;
use super::{Digest, DraftNotes, Notes, ReleaseFault, SuiteRelease};
use crate::data::{EntryKind, Problem, Source, Tree};

/// The folder of a suite's releases, within its own.
pub const FOLDER: &str = "releases";
/// The notes of the release that is to come, among the releases.
pub const DRAFT_FILE: &str = "draft.yaml";

/// The releases of a suite.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Releases {
    /// The releases that were read, oldest first.
    pub read: Vec<SuiteRelease>,
    /// All versions that there are, oldest first.
    pub versions: Vec<Version>,
    /// The notes of the release that is to come.
    pub draft: Notes,
}

impl Releases {
    /// The newest version; one that is to come (`1.0.0-rc.1`) only where there is no
    /// other.
    #[must_use]
    pub fn latest(&self) -> Option<&Version> {
        let released = self.versions.iter().rev().find(|version| version.pre.is_empty());
        released.or_else(|| self.versions.last())
    }
}

/// Reads the releases of a suite: those that `wanted` picks of all versions, which come
/// oldest first.
///
/// # Errors
/// Everything that is wrong with their files.
pub fn load_releases(
    tree: &Tree,
    suite: &str,
    wanted: &dyn Fn(&Releases, &Version) -> bool,
) -> Result<Releases, Vec<Problem>> {
    let folder = format!("{suite}/{FOLDER}/");
    let listing = tree.list(&|_| false);
    let mut problems = Vec::new();
    let mut files = BTreeMap::new();
    let mut releases = Releases::default();
    let names = listing.entries.iter().filter(|entry| entry.kind == EntryKind::File);
    for name in names.filter_map(|entry| entry.path.strip_prefix(&folder)) {
        let path = format!("{folder}{name}");
        if name == DRAFT_FILE {
            match draft(tree, &path, &mut problems) {
                Ok(notes) => releases.draft = notes,
                Err(problem) => problems.push(problem),
            }
            continue;
        }
        match version_of(name) {
            Ok(version) => _ = files.insert(version, path),
            Err(fault) => problems.push(Problem::new(tree.locate(&path), &fault)),
        }
    }
    releases.versions = files.keys().cloned().collect();
    for (version, path) in files {
        if wanted(&releases, &version) {
            match release(tree, &path, version, &mut problems) {
                Ok(release) => releases.read.push(release),
                Err(problem) => problems.push(problem),
            }
        }
    }
    if problems.is_empty() { Ok(releases) } else { Err(problems) }
}

/// The digest of what a release was made of, where it says so; all else in its file is
/// left for who loads it.
pub(super) fn made_of(tree: &Tree, suite: &str, version: &Version) -> Option<Digest> {
    #[derive(Deserialize)]
    struct Head {
        data: Option<Digest>,
    }
    let source = tree.source(&format!("{suite}/{FOLDER}/{version}.yaml")).ok()?;
    source.parse::<Head>().ok()?.data
}

/// The version that a file has in its name.
fn version_of(name: &str) -> Result<Version, ReleaseFault> {
    let text = name
        .strip_suffix(".yaml")
        .ok_or_else(|| ReleaseFault::NoVersion("it does not end in .yaml".to_owned()))?;
    let version =
        Version::parse(text).map_err(|error| ReleaseFault::NoVersion(error.to_string()))?;
    if version.build.is_empty() {
        Ok(version)
    } else {
        // Versions that differ in this alone are none above the other.
        Err(ReleaseFault::NoVersion("it has build metadata".to_owned()))
    }
}

fn read<T: DeserializeOwned>(tree: &Tree, path: &str) -> Result<(Source, T), Problem> {
    let source = tree.source(path)?;
    let value = source.parse()?;
    Ok((source, value))
}

fn draft(tree: &Tree, path: &str, problems: &mut Vec<Problem>) -> Result<Notes, Problem> {
    let (source, draft): (_, DraftNotes) = read(tree, path)?;
    let notes = Notes::from(draft);
    check_notes(&source, &notes, problems);
    Ok(notes)
}

fn release(
    tree: &Tree,
    path: &str,
    version: Version,
    problems: &mut Vec<Problem>,
) -> Result<SuiteRelease, Problem> {
    let (source, file): (_, ReleaseFile) = read(tree, path)?;
    if file.version != version.to_string() {
        let fault = ReleaseFault::OtherVersion { name: version.to_string(), version: file.version };
        return Err(source.problem("/version", &fault));
    }
    if file.fixtures.is_empty() {
        return Err(source.problem("/fixtures", &ReleaseFault::NoFixtures));
    }
    if let Some((path, _)) = file.fixtures.iter().find(|(_, frozen)| frozen.cases.is_empty()) {
        let at = format!("{}/cases", crate::yaml::join("/fixtures", path));
        return Err(source.problem(&at, &ReleaseFault::NoCases));
    }
    let release = file.into_release(version);
    check_notes(&source, &release.notes, problems);
    Ok(release)
}

fn check_notes(source: &Source, notes: &Notes, problems: &mut Vec<Problem>) {
    for (list, reasons) in [("/changed", &notes.changed), ("/removed", &notes.removed)] {
        for (path, _) in reasons.iter().filter(|(_, reason)| reason.trim().is_empty()) {
            let at = crate::yaml::join(list, path);
            problems.push(source.problem(&at, &ReleaseFault::NoReason));
        }
    }
}
