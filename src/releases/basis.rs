//! What a run goes by: for each suite a release, or the draft.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::Arc;
use std::thread;

use semver::Version;

use super::load::made_of;
use super::{Changed, Current, Digest, Notes, Releases, changes, load_releases};
use crate::core::{Advisory, CaseId, Fixture, FixtureId, Released, Suite};
use crate::data::{Problem, Tree};
use crate::suites::Suites;

/// What stands for all cases that are there, in place of a release.
pub const DRAFT: &str = "draft";

/// Which release of its suites a run is to go by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// The newest of each suite.
    Latest,
    /// None: all cases that are there.
    Draft,
    /// That of each suite with this version.
    Version(Version),
}

impl FromStr for Asked {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "latest" => Ok(Self::Latest),
            DRAFT => Ok(Self::Draft),
            text => Version::parse(text).map(Self::Version).map_err(|error| {
                format!("{error}; write a version such as 0.1.0, latest, or draft")
            }),
        }
    }
}

impl std::fmt::Display for Asked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Latest => f.write_str("latest"),
            Self::Draft => f.write_str(DRAFT),
            Self::Version(version) => version.fmt(f),
        }
    }
}

/// What a run goes by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Basis {
    /// For each suite the version of its release, or [`DRAFT`].
    pub versions: BTreeMap<String, String>,
    /// Which cases are not as the releases have them.
    pub released: Released,
}

/// Why there is nothing to go by.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BasisError {
    /// The files of releases are in error.
    #[error("load the releases{}", listed(.0))]
    Files(Vec<Problem>),
    /// A suite has no such release.
    #[error("find release {asked} of the suite {suite}")]
    NoRelease {
        /// The suite.
        suite: String,
        /// What was asked for.
        asked: Asked,
        /// The versions that it has.
        known: Vec<String>,
    },
    /// No fixture of the suite is one of the release.
    #[error(
        "find a fixture of {suite} {version} as it was released; those that are here are others"
    )]
    Foreign {
        /// The suite.
        suite: String,
        /// The version.
        version: String,
        /// The versions that the suite has.
        known: Vec<String>,
    },
}

impl BasisError {
    /// What to do about it, where each problem does not say it already.
    #[must_use]
    pub fn remedy(&self) -> Option<String> {
        match self {
            Self::Files(_) => None,
            Self::NoRelease { known, .. } if known.is_empty() => {
                Some("it has none; write one with `release`, or run --suite-release draft".into())
            }
            Self::NoRelease { known, .. } => Some(format!(
                "choose one of {}, or draft; one that this program does not have may be in \
                     the folders that --suites and --fixtures name",
                known.join(", ")
            )),
            Self::Foreign { known, .. } => Some(format!(
                "name the folders of that release with --suites and --fixtures, or run \
                 --suite-release draft; the releases there are: {}",
                known.join(", ")
            )),
        }
    }
}

fn listed(problems: &[Problem]) -> String {
    problems.iter().map(|problem| format!("\n{problem}")).collect()
}

/// Finds out what a run goes by. `data` has for suites the digest of what a release is
/// made of, where it is known; see [`Data`](super::Data).
///
/// When nothing is asked for it is the newest release of each suite; but for a suite
/// without one, or fixtures none of which is of the release, it is the draft.
///
/// # Errors
/// When a suite does not have what is asked for, or its releases are in error.
pub fn basis(
    tree: &Tree,
    data: &BTreeMap<String, Digest>,
    suites: &Suites,
    fixtures: &[Arc<Fixture>],
    asked: Option<&Asked>,
) -> Result<Basis, BasisError> {
    let mut basis = Basis::default();
    let mut others = Vec::new();
    for suite in &suites.suites {
        match as_cut(tree, data.get(&suite.suite), suite, asked) {
            Some(version) => _ = basis.versions.insert(suite.suite.clone(), version),
            None => others.push(suite),
        }
    }
    let current = |suite: &Suite| {
        let own = fixtures.iter().map(AsRef::as_ref).filter(|it| it.id.suite() == suite.suite);
        Current::of(own, &suites.rules)
    };
    let current = &current;
    thread::scope(|scope| {
        // Every run waits for this: the fixtures are digested while releases are read.
        let digest = |suite| thread::Builder::new().spawn_scoped(scope, move || current(suite));
        let aside: Vec<_> = match asked {
            Some(Asked::Draft) => Vec::new(),
            _ => others.iter().copied().map(digest).collect(),
        };
        let pick = |suite: &&Suite| pick(tree, suite, asked);
        let picked: Vec<_> = others.iter().map(pick).collect();
        let mut aside = aside.into_iter();
        for (suite, releases) in others.into_iter().zip(picked) {
            let digested = aside.next().and_then(|it| it.ok()?.join().ok());
            let version = match releases? {
                Some(releases) => {
                    let current = digested.unwrap_or_else(|| current(suite));
                    hold(suite, &current, &releases, asked, &mut basis.released)?
                }
                None => None,
            };
            let version = version.unwrap_or_else(|| DRAFT.to_owned());
            basis.versions.insert(suite.suite.clone(), version);
        }
        Ok(basis)
    })
}

/// The version of the release that is asked for, where everything is to the last byte
/// what it was made of, so that no fixture need be looked at.
fn as_cut(
    tree: &Tree,
    data: Option<&Digest>,
    suite: &Suite,
    asked: Option<&Asked>,
) -> Option<String> {
    let data = data?;
    let releases = load_releases(tree, &suite.suite, &|_, _| false).ok()?;
    let version = match asked {
        Some(Asked::Draft) => return None,
        Some(Asked::Version(version)) => releases.versions.iter().find(|it| *it == version)?,
        Some(Asked::Latest) | None => releases.latest()?,
    };
    (made_of(tree, &suite.suite, version)? == *data).then(|| version.to_string())
}

/// The release of a suite that is asked for, before those that are newer than it;
/// `None` for the draft.
fn pick(tree: &Tree, suite: &Suite, asked: Option<&Asked>) -> Result<Option<Releases>, BasisError> {
    let wanted = |releases: &Releases, version: &Version| match asked {
        Some(Asked::Draft) => false,
        Some(Asked::Version(asked)) => releases.versions.contains(asked) && version >= asked,
        Some(Asked::Latest) | None => releases.latest().is_some_and(|latest| version >= latest),
    };
    if asked == Some(&Asked::Draft) {
        return Ok(None);
    }
    let releases = load_releases(tree, &suite.suite, &wanted).map_err(BasisError::Files)?;
    match asked {
        _ if !releases.read.is_empty() => Ok(Some(releases)),
        None => Ok(None),
        Some(asked) => Err(BasisError::NoRelease {
            suite: suite.suite.clone(),
            asked: asked.clone(),
            known: releases.versions.iter().map(ToString::to_string).collect(),
        }),
    }
}

/// Holds the fixtures of a suite against its release, which comes before the newer
/// ones; gives the version, when the fixtures are those of the release at all.
fn hold(
    suite: &Suite,
    current: &Current,
    releases: &Releases,
    asked: Option<&Asked>,
    released: &mut Released,
) -> Result<Option<String>, BasisError> {
    let Some((release, later)) = releases.read.split_first() else { return Ok(None) };
    let version = release.version.to_string();
    if current.is_foreign(release) {
        return match asked {
            None => Ok(None),
            Some(_) => Err(BasisError::Foreign {
                suite: suite.suite.clone(),
                version,
                known: releases.versions.iter().map(ToString::to_string).collect(),
            }),
        };
    }
    for (path, frozen) in &current.fixtures {
        let before = release.fixtures.get(current.path_in(release, path));
        let is_newer = |name: &&String| before.is_none_or(|it| !it.cases.contains_key(*name));
        for name in frozen.cases.keys().filter(is_newer) {
            if let Some(case) = case(suite, path, name) {
                released.set_aside(&case, Advisory::newer());
            }
        }
    }
    let notes: Vec<&Notes> =
        later.iter().map(|release| &release.notes).chain([&releases.draft]).collect();
    for change in changes(&release.fixtures, &current.fixtures, &current.renamed) {
        let reason = notes.iter().rev().find_map(|notes| change.reason(notes));
        let path = change.now.as_deref().unwrap_or(&change.path);
        for name in change.operations(release) {
            let Some(id) = case(suite, path, name) else { continue };
            if reason.is_none() && !released.missing.contains(&id) {
                released.missing.push(id.clone());
            }
            if !matches!(change.what, Changed::Gone(_)) {
                let reason = reason.map(|reason| reason.trim().to_owned());
                released.set_aside(&id, Advisory::changed(reason));
            }
        }
    }
    Ok(Some(version))
}

/// The id of a case, given the path of its fixture in the suite.
fn case(suite: &Suite, path: &str, operation: &str) -> Option<CaseId> {
    let fixture = FixtureId::new(&format!("{}/{path}", suite.suite)).ok()?;
    Some(fixture.case(operation))
}
