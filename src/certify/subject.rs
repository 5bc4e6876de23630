//! What is under test, as content: the program, its arguments, its files.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::tree::digest_file;
use super::{Identity, IdentityError, PathFault, TreeManifest};
use crate::data::{Fault, Problem};

/// An implementation as it is started, and what it consists of.
#[derive(Debug, Clone, Default)]
pub struct UnderTest {
    /// The program itself.
    pub program: PathBuf,
    /// Its arguments, before those of an operation.
    pub arguments: Vec<OsString>,
    /// Files that it consists of besides the program.
    pub files: Vec<PathBuf>,
    /// The directory that holds all it consists of; the program is then only what
    /// runs it, and does not count.
    pub tree: Option<PathBuf>,
}

/// What an implementation is, wherever it lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// Its identity: that of its one file or tree, or that of a manifest that
    /// lists parts and arguments.
    pub identity: Identity,
    /// Its parts, by name.
    pub parts: Vec<(String, Identity)>,
}

#[derive(Debug, thiserror::Error)]
enum SubjectFault {
    #[error(
        "tell what is under test: an argument names this file, and nothing says that it belongs \
         to the implementation"
    )]
    Unnamed,
    #[error("tell what is under test: this argument is not UTF-8")]
    NotUtf8,
    #[error("tell what is under test: {0}")]
    Canonical(#[from] IdentityError),
}

impl Fault for SubjectFault {
    fn code(&self) -> &'static str {
        match self {
            Self::Unnamed => "subject.unnamed-file",
            Self::NotUtf8 => "subject.argument-not-utf8",
            Self::Canonical(_) => "subject.no-identity",
        }
    }

    fn remedy(&self) -> String {
        match self {
            Self::Unnamed => {
                "name it with --impl-file, or the directory that it is in with --impl-tree"
            }
            Self::NotUtf8 => "pass the implementation another argument",
            Self::Canonical(_) => "certify smaller files",
        }
        .to_owned()
    }
}

impl UnderTest {
    /// Reads all that the implementation consists of.
    ///
    /// # Errors
    /// Everything that cannot be read, or that would not be certified although
    /// the implementation is started with it.
    pub fn subject(&self) -> Result<Subject, Vec<Problem>> {
        let mut files = Vec::new();
        for file in &self.files {
            files.push(Part::of_file(file)?);
        }
        let arguments = self.arguments(&files)?;
        let (base, mut parts) = match &self.tree {
            Some(tree) => {
                let identity = TreeManifest::of_directory(tree)?
                    .identity()
                    .map_err(|problem| vec![problem])?;
                (json!({ "tree": identity }), vec![("implementation".to_owned(), identity)])
            }
            None => {
                let part = Part::of_file(&self.program)?;
                (json!({ "executable": part.digest }), vec![(part.name, part.digest)])
            }
        };
        let mut digests: Vec<Identity> = files.iter().map(|part| part.digest.clone()).collect();
        digests.sort();
        parts.extend(files.into_iter().map(|part| (part.name, part.digest)));
        if let ([(_, identity)], true) = (parts.as_slice(), arguments.is_empty()) {
            return Ok(Subject { identity: identity.clone(), parts });
        }
        let identity = Identity::of_value(&json!({
            "schema": "urn:living-conformance:schema:implementation:1",
            "base": base,
            "files": digests,
            "arguments": arguments,
        }))
        .map_err(|error| vec![Problem::new(&self.program, &SubjectFault::Canonical(error))])?;
        Ok(Subject { identity, parts })
    }

    /// The arguments without the places of files: of a file of the implementation
    /// its digest, or its path in the tree.
    fn arguments(&self, files: &[Part]) -> Result<Vec<serde_json::Value>, Vec<Problem>> {
        let tree = self.tree.as_deref().and_then(|tree| fs::canonicalize(tree).ok());
        self.arguments
            .iter()
            .map(|argument| {
                let place = fs::canonicalize(argument).ok();
                let file = files.iter().find(|part| Some(&part.place) == place.as_ref());
                let below = place.as_deref().zip(tree.as_deref());
                let below = below.and_then(|(place, tree)| place.strip_prefix(tree).ok());
                let fault = match (file, below, argument.to_str()) {
                    (Some(part), _, _) => return Ok(json!({ "file": part.digest })),
                    (_, Some(below), _) => return Ok(json!({ "path": slashed(below) })),
                    (_, _, None) => SubjectFault::NotUtf8,
                    (_, _, Some(text)) if place.is_none() => return Ok(json!({ "text": text })),
                    _ => SubjectFault::Unnamed,
                };
                Err(vec![Problem::new(argument, &fault)])
            })
            .collect()
    }
}

/// A file of an implementation.
struct Part {
    name: String,
    place: PathBuf,
    digest: Identity,
}

impl Part {
    fn of_file(path: &Path) -> Result<Self, Vec<Problem>> {
        let fault = |fault: &PathFault| vec![Problem::new(path, fault)];
        // A program is often found through a link; what it leads to is what runs.
        let place = fs::canonicalize(path).map_err(|error| fault(&PathFault::Unreadable(error)))?;
        let name = path.file_name().unwrap_or(OsStr::new("implementation"));
        let name = name.to_string_lossy().into_owned();
        let digest = digest_file(&place, &name).map_err(|error| fault(&error))?.digest;
        Ok(Self { name, place, digest })
    }
}

fn slashed(path: &Path) -> String {
    path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory() -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in [("python", "interpreter"), ("adapter.py", "code"), ("data", "rules")] {
            fs::write(directory.path().join(name), text).unwrap();
        }
        directory
    }

    fn of(directory: &Path, arguments: &[&str], files: &[&str]) -> Result<Subject, &'static str> {
        let implementation = UnderTest {
            program: directory.join("python"),
            arguments: arguments
                .iter()
                .map(|argument| match argument.strip_prefix('@') {
                    Some(name) => directory.join(name).into(),
                    None => argument.into(),
                })
                .collect(),
            files: files.iter().map(|name| directory.join(name)).collect(),
            tree: None,
        };
        implementation.subject().map_err(|problems| problems[0].code)
    }

    #[test]
    fn a_single_program_has_the_digest_of_its_file() {
        let directory = directory();
        let subject = of(directory.path(), &[], &[]).unwrap();
        assert_eq!(subject.identity, Identity::of_bytes(b"interpreter"));
        assert_eq!(subject.parts, [("python".to_owned(), subject.identity.clone())]);
        assert_eq!(of(&directory.path().join("none"), &[], &[]), Err("tree.unreadable"));
    }

    #[test]
    fn neither_places_nor_the_order_of_files_count() {
        let (one, other) = (directory(), directory());
        let subject = |directory: &Path, arguments: &[&str], files: &[&str]| {
            of(directory, arguments, files).unwrap().identity
        };
        let named = subject(one.path(), &["@adapter.py"], &["adapter.py", "data"]);
        assert_eq!(named, subject(other.path(), &["@adapter.py"], &["data", "adapter.py"]));
        fs::write(other.path().join("data"), "other rules").unwrap();
        assert_ne!(named, subject(other.path(), &["@adapter.py"], &["adapter.py", "data"]));
        // What the program is told counts.
        let told = |arguments: &[&str]| subject(one.path(), arguments, &[]);
        assert_ne!(told(&["--quick"]), told(&["--slow"]));
        assert_ne!(told(&["--quick"]), told(&[]));
    }

    #[test]
    fn a_file_that_would_not_be_certified_is_an_error() {
        let directory = directory();
        assert_eq!(of(directory.path(), &["@adapter.py"], &[]), Err("subject.unnamed-file"));
        assert_eq!(of(directory.path(), &["@data"], &["adapter.py"]), Err("subject.unnamed-file"));
    }

    #[test]
    fn a_tree_holds_all_but_what_runs_it() {
        let (one, other) = (directory(), directory());
        let of = |root: &Path, argument: &str, program: &str| {
            let implementation = UnderTest {
                program: program.into(),
                arguments: vec![root.join(argument).into()],
                files: Vec::new(),
                tree: Some(root.to_owned()),
            };
            implementation.subject().unwrap().identity
        };
        let subject = of(one.path(), "adapter.py", "/bin/sh");
        assert_eq!(subject, of(other.path(), "adapter.py", "/bin/other"));
        assert_ne!(subject, of(other.path(), "python", "/bin/sh"));
        fs::write(other.path().join("adapter.py"), "other code").unwrap();
        assert_ne!(subject, of(other.path(), "adapter.py", "/bin/sh"));
    }
}
