//! What a release was made of: one digest that tells at once that nothing changed since.

use super::digest::{Digest, Hasher};
use crate::data::{Problem, Tree};

/// Where the data of all suites lies.
#[derive(Debug, Clone, Copy)]
pub struct Data<'a> {
    /// The suites.
    pub suites: &'a Tree,
    /// Their fixtures.
    pub fixtures: &'a Tree,
    /// The names of all suites that there are, in order.
    pub names: &'a [String],
}

impl Data<'_> {
    /// The digest of all files that decide what is frozen of a suite: its fixtures, and
    /// the definitions and rules of all suites, which tell what is a fixture of it, and of
    /// which level the rules are that it decides. Every byte of them counts.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub fn digest(&self, suite: &str) -> Result<Digest, Problem> {
        let mut hasher = Hasher::default();
        for name in self.names {
            for file in ["suite.yaml", "rules.yaml"] {
                let path = format!("{name}/{file}");
                let content = self.suites.read(&path)?;
                hasher.text(&path).bytes(&content.digest());
            }
        }
        let is_of_another = |path: &str| {
            let folder = path.split('/').next().unwrap_or_default();
            folder != suite && self.names.iter().any(|name| name == folder)
        };
        for file in self.fixtures.digests()?.iter().filter(|file| !is_of_another(&file.path)) {
            hasher.text(&file.path).bytes(&file.digest);
        }
        Ok(hasher.end())
    }
}
