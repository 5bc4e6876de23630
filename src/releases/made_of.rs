//! What a release was made of: one digest that tells at once that nothing changed since.

use std::collections::BTreeSet;

use super::digest::{Digest, Hasher};
use crate::data::{Digested, Problem, Tree};

/// The data of all suites.
#[derive(Debug)]
pub struct Data<'a> {
    suites: &'a Tree,
    /// The names of all suites that there are.
    names: BTreeSet<&'a str>,
    /// The files of their fixtures.
    files: Vec<Digested>,
}

impl<'a> Data<'a> {
    /// The data of all suites that there are, whose files of fixtures are digested once
    /// for all of them.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub fn of(
        suites: &'a Tree,
        fixtures: &Tree,
        names: BTreeSet<&'a str>,
    ) -> Result<Self, Problem> {
        Ok(Self { suites, names, files: fixtures.digests()? })
    }

    /// The digest of all files that decide what is frozen of a suite: its fixtures, and
    /// the definitions and rules of all suites, which tell what is a fixture of it, and of
    /// which level the rules are that it decides. Every byte of them counts.
    ///
    /// # Errors
    /// When a definition or the rules cannot be read.
    pub fn digest(&self, suite: &str) -> Result<Digest, Problem> {
        let mut hasher = Hasher::default();
        for name in &self.names {
            for file in ["suite.yaml", "rules.yaml"] {
                let path = format!("{name}/{file}");
                let content = self.suites.read(&path)?;
                hasher.text(&path).bytes(&content.digest());
            }
        }
        let is_of_another = |path: &str| {
            let folder = path.split('/').next().unwrap_or_default();
            folder != suite && self.names.contains(folder)
        };
        for file in self.files.iter().filter(|file| !is_of_another(&file.path)) {
            hasher.text(&file.path).bytes(&file.digest);
        }
        Ok(hasher.end())
    }
}
