//! What checking documents from the command line has in common.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::core::Protocol;
use crate::reference::{Reference, Ruling};
use crate::report::{FindingsStyle, escape, write_findings};
use crate::settings::{ColorChoice, Surroundings};
use crate::yaml::MAX_BYTES;

/// Where a repository has its manifest.
const IN_REPOSITORY: &str = ".living/manifest.yaml";

/// How to write findings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum FindingsFormat {
    /// `[warning: ]RULE-ID: message`, one a line
    #[default]
    Text,
    /// One JSON object a line
    Json,
}

/// Why documents could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// A document could not be read.
    #[error("failed to read the {document} {}: {cause}", escape::line(path))]
    Read {
        /// Which document.
        document: &'static str,
        /// Its path, for people.
        path: String,
        /// Why not.
        cause: io::Error,
        /// What to do.
        remedy: &'static str,
    },
    /// Standard input was named twice.
    #[error("failed to read both documents from standard input")]
    TwiceStandardInput,
    /// The protocol has no such version.
    #[error("the reference does not know the protocol version {0}")]
    UnknownProtocol(Protocol),
    /// The findings could not be written.
    #[error("failed to write the findings: {0}")]
    Write(#[source] io::Error),
}

impl CheckError {
    /// What to do about it.
    #[must_use]
    pub fn remedy(&self) -> String {
        match self {
            Self::Read { remedy, .. } => (*remedy).to_owned(),
            Self::TwiceStandardInput => "name a file for one of the two".to_owned(),
            Self::UnknownProtocol(_) => {
                let known = Reference::PROTOCOLS.map(|version| version.to_string());
                format!("choose one of {}", known.join(", "))
            }
            Self::Write(_) => "see that standard output can be written".to_owned(),
        }
    }

    /// Whether somebody closed the pipe that the findings went to: no error, only
    /// the end.
    #[must_use]
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Write(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// The reference for the protocol version asked for, or the newest.
pub(super) fn reference(asked: Option<Protocol>) -> Result<Reference, CheckError> {
    match asked {
        Some(version) if !Reference::PROTOCOLS.contains(&version) => {
            Err(CheckError::UnknownProtocol(version))
        }
        version => Ok(Reference::new(version.unwrap_or(Reference::LATEST))),
    }
}

/// A document that is read, and what it is called.
pub(super) struct Input {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

impl Input {
    /// Reads a file, the manifest of a repository, or standard input for `-`.
    pub(super) fn read(
        document: &'static str,
        path: &Path,
        standard_input: &mut dyn Read,
    ) -> Result<Self, CheckError> {
        if is_standard_input(path) {
            let bytes = bounded(standard_input);
            return Self::new(document, "<stdin>".to_owned(), bytes);
        }
        let is_repository = document == "manifest" && path.is_dir();
        let path: PathBuf = if is_repository { path.join(IN_REPOSITORY) } else { path.to_owned() };
        let bytes = File::open(&path).and_then(|mut file| bounded(&mut file));
        Self::new(document, path.display().to_string(), bytes)
    }

    fn new(
        document: &'static str,
        name: String,
        bytes: io::Result<Vec<u8>>,
    ) -> Result<Self, CheckError> {
        match bytes {
            Ok(bytes) => Ok(Self { name, bytes }),
            Err(cause) => {
                let remedy = match cause.kind() {
                    io::ErrorKind::NotFound if document == "manifest" => {
                        "give the path of a file that exists, of a repository with \
                         .living/manifest.yaml in it, or - for standard input"
                    }
                    io::ErrorKind::NotFound => {
                        "give the path of a file that exists, or - for standard input"
                    }
                    io::ErrorKind::PermissionDenied => "give the file a mode that lets you read it",
                    io::ErrorKind::IsADirectory => "give the path of the file in it",
                    _ => "see that the path leads to a file that can be read",
                };
                Err(CheckError::Read { document, path: name, cause, remedy })
            }
        }
    }
}

pub(super) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads no more than a checker looks at, and one byte to tell that there is more.
fn bounded(input: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes the findings and gives the verdict.
pub(super) fn conclude(
    ruling: &Ruling,
    name: &dyn Fn(&str) -> String,
    format: FindingsFormat,
    surroundings: &Surroundings,
    out: &mut dyn Write,
) -> Result<bool, CheckError> {
    let style = match format {
        FindingsFormat::Json => FindingsStyle::Json,
        FindingsFormat::Text if surroundings.stdout_is_terminal => FindingsStyle::Terminal {
            width: surroundings.width(),
            color: surroundings.color(ColorChoice::Auto),
        },
        FindingsFormat::Text => FindingsStyle::Tagged,
    };
    write_findings(out, ruling, name, style).map_err(CheckError::Write)?;
    Ok(ruling.accepted)
}

#[cfg(test)]
pub(super) mod testing {
    use std::num::NonZeroUsize;

    use crate::settings::Surroundings;

    /// A pipe, or a terminal.
    pub(in crate::cli) fn surroundings(terminal: bool) -> Surroundings {
        Surroundings {
            stdout_is_terminal: terminal,
            stderr_is_terminal: terminal,
            no_color: true,
            ci: false,
            dumb: false,
            width: Some(80),
            cpus: NonZeroUsize::MIN,
            today: crate::core::Date::UNIX_EPOCH,
            runner: crate::settings::TestRunner::NONE,
        }
    }
}
