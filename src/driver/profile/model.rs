//! A profile that was checked.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use super::lines::LineReader;
use super::shipped::Home;

/// How to ask a tool, and how to read what it answers.
#[derive(Debug, Clone)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// What it is for, in a sentence or two.
    pub about: String,
    /// The program to run when none is given; `{profile}` in it stands for the folder of
    /// the profile's file.
    pub program: Option<String>,
    /// Arguments before those of each operation.
    pub arguments: Vec<String>,
    /// The arguments that ask for the version; none when it cannot be asked.
    pub version: Vec<String>,
    /// Variables to set.
    pub environment: BTreeMap<String, String>,
    /// Variables of the caller to pass on.
    pub pass_on: Vec<String>,
    /// The working directory, when it is not a private one.
    pub directory: Option<String>,
    /// How to ask for each operation. `None`: as the suite says. An operation that
    /// is not in it is not supported.
    pub operations: Option<BTreeMap<String, Ask>>,
    /// How to ask for a session.
    pub session: Option<SessionAsk>,
    /// What exit codes mean.
    pub exits: Exits,
    /// How findings are read, when they are not written as the contract says.
    pub findings: Option<LineReader>,
    /// Where its own files are.
    pub home: Home,
}

/// How to ask for an operation. Names in braces stand for paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    /// By arguments after the program.
    Argv(Vec<String>),
    /// By a text for the shell, in which paths are quoted.
    Shell(String),
    /// Not at all, for this reason.
    Unsupported(String),
}

/// How to ask for a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionAsk {
    /// Arguments after the program.
    pub argv: Vec<String>,
    /// How many cases may be on their way at once.
    pub in_flight: NonZeroUsize,
}

/// What exit codes mean; what is in none of the lists means that the tool broke.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exits {
    /// It accepts.
    pub accept: Vec<i32>,
    /// It rejects.
    pub reject: Rejects,
}

/// The exit codes that reject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rejects {
    /// These.
    Codes(Vec<i32>),
    /// All that do not accept, but for these.
    AllBut(Vec<i32>),
}

impl Exits {
    /// Whether a code accepts or rejects; `None` when the tool broke.
    #[must_use]
    pub fn decide(&self, code: i32) -> Option<bool> {
        let rejects = match &self.reject {
            Rejects::Codes(codes) => codes.contains(&code),
            Rejects::AllBut(codes) => !codes.contains(&code),
        };
        if self.accept.contains(&code) { Some(true) } else { rejects.then_some(false) }
    }
}

impl Profile {
    /// The implementation contract: what holds without a profile.
    #[must_use]
    pub fn contract() -> Self {
        Self {
            name: "contract".to_owned(),
            about: "The implementation contract.".to_owned(),
            program: None,
            arguments: Vec::new(),
            version: vec!["--version".to_owned()],
            environment: BTreeMap::new(),
            pass_on: Vec::new(),
            directory: None,
            operations: None,
            session: Some(SessionAsk {
                argv: vec!["session".to_owned()],
                in_flight: NonZeroUsize::MIN,
            }),
            exits: Exits { accept: vec![0], reject: Rejects::Codes(vec![1]) },
            findings: None,
            home: Home::None,
        }
    }

    /// How to ask for an operation, for which the suite has `argv`.
    #[must_use]
    pub fn ask(&self, operation: &str, argv: &[String]) -> Ask {
        match &self.operations {
            None => Ask::Argv(argv.to_vec()),
            Some(known) => known.get(operation).cloned().unwrap_or_else(|| {
                let name = &self.name;
                Ask::Unsupported(format!("the profile {name:?} does not have it"))
            }),
        }
    }

    /// All texts in which names in braces stand for paths.
    pub(crate) fn templates(&self) -> impl Iterator<Item = &str> {
        let asks = self.operations.iter().flat_map(|operations| operations.values());
        let texts = asks.flat_map(|ask| match ask {
            Ask::Argv(argv) => argv.as_slice(),
            Ask::Shell(text) => std::slice::from_ref(text),
            Ask::Unsupported(_) => &[],
        });
        let session = self.session.iter().flat_map(|session| &session.argv);
        let all = self.arguments.iter().chain(texts).chain(session).chain(&self.directory);
        all.chain(&self.version)
            .map(String::as_str)
            .chain(self.environment.values().map(String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_accept_reject_or_break() {
        let exits = Exits { accept: vec![0, 3], reject: Rejects::Codes(vec![1]) };
        assert_eq!(
            [0, 3, 1, 2].map(|code| exits.decide(code)),
            [Some(true), Some(true), Some(false), None]
        );
        let exits = Exits { accept: vec![0], reject: Rejects::AllBut(vec![2]) };
        assert_eq!(
            [0, 1, 2, 77].map(|code| exits.decide(code)),
            [Some(true), Some(false), None, Some(false)]
        );
    }

    #[test]
    fn the_contract_asks_as_the_suite_says() {
        let argv = ["match".to_owned()];
        assert_eq!(Profile::contract().ask("match", &argv), Ask::Argv(argv.to_vec()));
        let none = Profile { operations: Some(BTreeMap::new()), ..Profile::contract() };
        assert!(matches!(none.ask("match", &argv), Ask::Unsupported(_)));
    }
}
