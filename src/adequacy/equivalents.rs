//! Mutants that no document tells from the reference: a file of each suite says
//! which of those that are derived, and why.

use globset::{GlobBuilder, GlobMatcher};
use serde::Deserialize;

use crate::data::{EntryKind, Fault, Problem, Source, Tree};
use crate::suites::Suites;

/// The file in a suite's folder.
const FILE: &str = "equivalents.yaml";

/// Which of the derived mutants are equivalent, and why.
#[derive(Debug, Clone, Default)]
pub struct Equivalents(Vec<Equivalent>);

#[derive(Debug, Clone)]
struct Equivalent {
    pattern: String,
    matcher: GlobMatcher,
    reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    equivalents: Vec<Entry>,
}

/// Mutants that share a reason.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// Ids; `*` stands for any part of one.
    mutants: Vec<String>,
    /// Why no document tells them from the reference.
    reason: String,
}

#[derive(Debug, thiserror::Error)]
enum EntryFault {
    #[error("read {0:?} as a pattern of mutant ids")]
    Pattern(String),
    #[error("find a reason")]
    NoReason,
}

impl Fault for EntryFault {
    fn code(&self) -> &'static str {
        match self {
            Self::Pattern(_) => "mutant-pattern",
            Self::NoReason => "no-reason",
        }
    }

    fn remedy(&self) -> String {
        match self {
            Self::Pattern(_) => "write the id of a mutant, with * for any part of it".to_owned(),
            Self::NoReason => "say why no document tells these mutants apart".to_owned(),
        }
    }
}

impl Equivalents {
    /// Reads the files of all suites. A suite need not have one.
    ///
    /// # Errors
    /// Everything that is wrong with the files.
    pub fn load(tree: &Tree, suites: &Suites) -> Result<Self, Vec<Problem>> {
        let mut all = Self::default();
        let mut problems = Vec::new();
        let listing = tree.list(&|_| false);
        for suite in &suites.suites {
            let path = format!("{}/{FILE}", suite.suite);
            let is_file =
                listing.entries.iter().any(|e| e.path == path && e.kind == EntryKind::File);
            if is_file {
                let read = tree.source(&path).and_then(|source| Ok((source.parse()?, source)));
                match read {
                    Ok((file, source)) => all.take(file, &source, &mut problems),
                    Err(problem) => problems.push(problem),
                }
            }
        }
        if problems.is_empty() { Ok(all) } else { Err(problems) }
    }

    fn take(&mut self, file: File, source: &Source, problems: &mut Vec<Problem>) {
        for (index, entry) in file.equivalents.into_iter().enumerate() {
            let at = format!("/equivalents/{index}");
            if entry.reason.trim().is_empty() {
                problems.push(source.problem(&format!("{at}/reason"), &EntryFault::NoReason));
            }
            for (number, pattern) in entry.mutants.into_iter().enumerate() {
                match GlobBuilder::new(&escaped(&pattern)).build() {
                    Ok(glob) => self.0.push(Equivalent {
                        pattern,
                        matcher: glob.compile_matcher(),
                        reason: entry.reason.trim().to_owned(),
                    }),
                    Err(_) => {
                        problems.push(source.problem(
                            &format!("{at}/mutants/{number}"),
                            &EntryFault::Pattern(pattern),
                        ))
                    }
                }
            }
        }
    }

    /// Why a mutant is equivalent, if it is.
    #[must_use]
    pub fn reason(&self, id: &str) -> Option<&str> {
        self.0.iter().find(|one| one.matcher.is_match(id)).map(|one| one.reason.as_str())
    }

    /// The patterns that fit none of these mutants.
    pub(super) fn unused<'i>(&self, ids: impl Iterator<Item = &'i str> + Clone) -> Vec<String> {
        let unused = |one: &&Equivalent| !ids.clone().any(|id| one.matcher.is_match(id));
        self.0.iter().filter(unused).map(|one| one.pattern.clone()).collect()
    }
}

/// Of all that globs know, only the star.
fn escaped(pattern: &str) -> String {
    pattern.split('*').map(globset::escape).collect::<Vec<_>>().join("*")
}
