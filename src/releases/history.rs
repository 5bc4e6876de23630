//! What became of the fixtures of a release.

use std::collections::BTreeMap;

use super::{Frozen, Notes, Releases, SuiteRelease};
use crate::core::{Fixture, RuleTable};

/// The fixtures of a suite as they are, to be held against a release.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Current {
    /// What would be frozen of them, by path in the suite.
    pub fixtures: BTreeMap<String, Frozen>,
    /// The paths that they had before, each with the one it has now.
    pub renamed: BTreeMap<String, String>,
}

impl Current {
    /// The fixtures of one suite.
    #[must_use]
    pub fn of<'a>(fixtures: impl IntoIterator<Item = &'a Fixture>, rules: &RuleTable) -> Self {
        let mut current = Self::default();
        for fixture in fixtures {
            let path = fixture.id.path().to_owned();
            for alias in &fixture.aliases {
                current.renamed.insert(alias.path().to_owned(), path.clone());
            }
            current.fixtures.insert(path, Frozen::of(fixture, rules));
        }
        current
    }

    /// Whether there are fixtures, and none has the documents of the release: they are
    /// those of somebody else.
    #[must_use]
    pub fn is_foreign(&self, release: &SuiteRelease) -> bool {
        let is_released = |(path, frozen): (&String, &Frozen)| {
            let old = release.fixtures.get(path);
            old.is_some_and(|old| old.documents == frozen.documents)
        };
        // Where everything was renamed, the aliases tell.
        let renamed = || self.renamed.keys().any(|path| release.fixtures.contains_key(path));
        !self.fixtures.is_empty() && !self.fixtures.iter().any(is_released) && !renamed()
    }

    /// The path that a fixture, named by its path now, has in a release, or else that
    /// which it has now.
    #[must_use]
    pub fn path_in<'a>(&'a self, release: &SuiteRelease, path: &'a str) -> &'a str {
        if release.fixtures.contains_key(path) {
            return path;
        }
        let mut before = self.renamed.iter().filter(|(_, now)| *now == path);
        let before = before.find(|(old, _)| release.fixtures.contains_key(*old));
        before.map_or(path, |(old, _)| old)
    }
}

/// Which releases have a fixture, in words: as it is, or otherwise. `None` where there
/// is no release yet.
#[must_use]
pub fn told(fixture: &Fixture, rules: &RuleTable, releases: &Releases) -> Option<String> {
    let current = Current::of([fixture], rules);
    let path = fixture.id.path();
    let (mut same, mut other) = (Vec::new(), Vec::new());
    for release in &releases.read {
        match release.fixtures.get(current.path_in(release, path)) {
            Some(old) if current.fixtures.get(path) == Some(old) => &mut same,
            Some(_) => &mut other,
            None => continue,
        }
        .push(release.version.to_string());
    }
    let part = |what: &str, versions: Vec<String>| {
        (!versions.is_empty()).then(|| format!("{what} {}", versions.join(", ")))
    };
    let parts = [part("released in", same), part("released otherwise in", other)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match (parts.is_empty(), releases.latest()) {
        (false, _) => Some(parts.join("; ")),
        (true, Some(latest)) => Some(format!("in no release: advisory beside {latest}")),
        (true, None) => None,
    }
}

/// What became of a fixture of a release that is not what it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Its path in the suite, as the release has it.
    pub path: String,
    /// Its path now, where it is there.
    pub now: Option<String>,
    /// What is not what it was.
    pub what: Changed,
}

/// What is not what it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changed {
    /// A document.
    Documents,
    /// What is expected of these operations.
    Verdict(Vec<String>),
    /// These operations of the fixture, or all of it, are gone.
    Gone(Vec<String>),
}

impl Change {
    /// The operations whose cases it concerns, of those that the release has.
    pub fn operations<'a>(
        &'a self,
        release: &'a SuiteRelease,
    ) -> Box<dyn Iterator<Item = &'a String> + 'a> {
        match &self.what {
            Changed::Documents => {
                let frozen = release.fixtures.get(&self.path);
                Box::new(frozen.into_iter().flat_map(|frozen| frozen.cases.keys()))
            }
            Changed::Verdict(names) | Changed::Gone(names) => Box::new(names.iter()),
        }
    }

    /// Why, as the notes have it: a change is to be found among those that changed,
    /// and what is gone among those that were removed.
    #[must_use]
    pub fn reason<'a>(&self, notes: &'a Notes) -> Option<&'a str> {
        let list = match self.what {
            Changed::Documents | Changed::Verdict(_) => &notes.changed,
            Changed::Gone(_) => &notes.removed,
        };
        let now = || self.now.as_ref().and_then(|path| list.get(path));
        list.get(&self.path).or_else(now).map(String::as_str)
    }
}

/// What is no longer as it was, in the order of the old paths; `renamed` has the new
/// paths of fixtures that have one.
#[must_use]
pub fn changes(
    before: &BTreeMap<String, Frozen>,
    now: &BTreeMap<String, Frozen>,
    renamed: &BTreeMap<String, String>,
) -> Vec<Change> {
    let mut changes = Vec::new();
    for (path, old) in before {
        let there = now.get_key_value(path).or_else(|| now.get_key_value(renamed.get(path)?));
        let mut add = |what| {
            let now = there.map(|(path, _)| path.clone());
            changes.push(Change { path: path.clone(), now, what });
        };
        let Some((_, new)) = there else {
            add(Changed::Gone(old.cases.keys().cloned().collect()));
            continue;
        };
        if new.documents != old.documents {
            add(Changed::Documents);
        }
        let names = |differs: &dyn Fn(&str) -> bool| -> Vec<String> {
            old.cases.keys().filter(|name| differs(name)).cloned().collect()
        };
        let gone = names(&|name| !new.cases.contains_key(name));
        if !gone.is_empty() {
            add(Changed::Gone(gone));
        }
        let differs = |name: &str| {
            new.cases.get(name).is_some_and(|digest| Some(digest) != old.cases.get(name))
        };
        let verdict = names(&differs);
        if !verdict.is_empty() {
            add(Changed::Verdict(verdict));
        }
    }
    changes
}
