//! Where the data lies, and the digests of it.

use std::collections::{BTreeMap, BTreeSet};

use super::CorpusError;
use crate::certify::{Identity, TreeEntry, tree_identity};
use crate::data::{Folder, Tree};
use crate::releases::{Data, Digest};

/// Where suites, fixtures and schemas lie.
#[derive(Debug, Clone)]
pub(super) struct Trees {
    pub(super) suites: Tree,
    pub(super) fixtures: Tree,
    pub(super) schemas: Tree,
}

impl Trees {
    fn named(&self) -> [(&'static str, &Tree); 3] {
        [
            (Folder::Suites.name(), &self.suites),
            (Folder::Fixtures.name(), &self.fixtures),
            (Folder::Schemas.name(), &self.schemas),
        ]
    }

    /// For each of these suites the digest of what a release is made of, where all of it is
    /// a part of the program: to digest what lies in directories takes as long as to look
    /// at each fixture.
    pub(super) fn embedded_data(
        &self,
        names: BTreeSet<&str>,
        asked: &BTreeSet<String>,
    ) -> BTreeMap<String, Digest> {
        let (suites, fixtures) = (&self.suites, &self.fixtures);
        if !suites.is_embedded() || !fixtures.is_embedded() {
            return BTreeMap::new();
        }
        let Ok(data) = Data::of(suites, fixtures, names) else { return BTreeMap::new() };
        let digest = |suite: &String| Some((suite.clone(), data.digest(suite).ok()?));
        asked.iter().filter_map(digest).collect()
    }

    /// The identity of all files but for those of some suites.
    pub(super) fn identity_without(
        &self,
        left_out: &BTreeSet<String>,
    ) -> Result<Identity, CorpusError> {
        let mut entries = Vec::new();
        for (root, tree) in self.named() {
            let files = tree.digests().map_err(|problem| CorpusError::Fixtures(vec![problem]))?;
            for file in files {
                let folder = file.path.split('/').next().unwrap_or_default();
                if !left_out.contains(folder) {
                    // Not with `format!`: what grows is looked for where it came from, and this
                    // thread is not to wait for the others.
                    let path = [root, "/", &*file.path].concat();
                    let digest = Identity::of_digest(&file.digest);
                    entries.push(TreeEntry::known(path, file.size, digest));
                }
            }
        }
        Ok(tree_identity(entries)?)
    }
}

/// What was digested of the data already.
#[derive(Debug, Clone, Default)]
pub(super) struct Digests {
    /// The identity of all of it.
    pub(super) identity: Option<Identity>,
    /// For suites that are a part of the program, the digest of what a release of it is
    /// made of.
    pub(super) data: BTreeMap<String, Digest>,
}
