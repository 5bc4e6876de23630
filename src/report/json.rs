//! The JSON report: written, and read back.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead as _, Read as _, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::value::RawValue;

use super::document::{Report, SCHEMA};
use super::{escape, jsonl, prose};
use crate::core::Count;
use crate::data::in_words;

/// The published schema of the document.
const SCHEMA_TEXT: &str = include_str!("../../schemas/report.schema.json");

/// How many problems of an invalid report are named.
const PROBLEMS_SHOWN: usize = 5;

/// Why a report could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadReportError {
    /// The file could not be read.
    #[error("failed to read the report {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is no JSON, or not all of it.
    #[error("failed to read the report {}:{line}:{column}: {message}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, from 1; 0 when the fault is in the whole.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// It is the stream of events of a run.
    #[error(
        "failed to read the report {}: it has the events of a run, one a line{}",
        path.display(),
        if *.whole { "" } else { ", and the run did not come to its end" }
    )]
    Events {
        /// The file.
        path: PathBuf,
        /// Whether the run came to its end.
        whole: bool,
    },
    /// It is JSON of another kind, or of another version.
    #[error(
        "failed to read the report {}: its schema is {found}, and this program reads {SCHEMA}; \
         write it again with `--report json=PATH`",
        path.display()
    )]
    OtherSchema {
        /// The file.
        path: PathBuf,
        /// What it says.
        found: String,
    },
    /// It does not follow its schema.
    #[error("failed to read the report {}{}", path.display(), lines(path, problems))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The first problems, each with its line and column, and its place as a JSON
        /// pointer.
        problems: Vec<String>,
    },
    /// It has not the cases that it tells of, or not as they were judged.
    #[error(
        "failed to read the report {}: {what}; it is not as it was written, so make it again",
        path.display()
    )]
    NotWhole {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        what: String,
    },
}

/// The most bytes of a report: many times what the largest suite on all variants comes to.
const SIZE_LIMIT: u64 = 1 << 30;

/// Reads a file that need not have an end.
fn read_whole(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path)?;
    // No text begins with a byte that no text has: a device without end need not be read.
    let mut file = io::BufReader::new(file);
    if file.fill_buf()?.first() == Some(&0) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is no text"));
    }
    file.take(SIZE_LIMIT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > SIZE_LIMIT {
        let text = format!("it is larger than {} MiB", SIZE_LIMIT >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    Ok(bytes)
}

impl Report {
    /// Writes the document. Nothing that acts on a terminal is in it: such
    /// characters are spelled out as JSON escapes.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write_pretty(self, out)
    }

    /// Reads a document back.
    ///
    /// # Errors
    /// When the file cannot be read, or is no report of this version.
    pub fn read(path: &Path) -> Result<Self, ReadReportError> {
        let bytes = read_whole(path)
            .map_err(|source| ReadReportError::Io { path: path.to_owned(), source })?;
        Self::parse(path, &bytes)
    }

    /// Reads a document from bytes; `path` is what errors name.
    ///
    /// # Errors
    /// When they are no report of this version.
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, ReadReportError> {
        let path = || path.to_owned();
        let json = |error: &serde_json::Error| ReadReportError::Json {
            path: path(),
            line: error.line(),
            column: error.column(),
            message: shown(&in_words(&error.to_string()).message),
        };
        let value: serde_json::Value = match serde_json::from_slice(bytes) {
            Ok(value) => value,
            Err(_) if jsonl::is_stream(bytes) => {
                return Err(ReadReportError::Events {
                    path: path(),
                    whole: jsonl::is_whole(bytes),
                });
            }
            Err(error) => return Err(json(&error)),
        };
        match value.get("schema") {
            Some(serde_json::Value::String(schema)) if schema == SCHEMA => {}
            found => {
                let found = found.map_or_else(|| "not given".into(), |it| shown(&it.to_string()));
                return Err(ReadReportError::OtherSchema { path: path(), found });
            }
        }
        let problems = problems(&value, bytes);
        if !problems.is_empty() {
            return Err(ReadReportError::Invalid { path: path(), problems });
        }
        // From the bytes again: only so do errors have a line and a column.
        drop(value);
        let report: Self = serde_json::from_slice(bytes).map_err(|error| json(&error))?;
        match report.lack() {
            Some(what) => Err(ReadReportError::NotWhole { path: path(), what }),
            None => Ok(report),
        }
    }

    /// What it tells of and does not have, or has twice or otherwise: nothing is to be
    /// concluded from the rest then.
    fn lack(&self) -> Option<String> {
        let mut seen = BTreeSet::new();
        if let Some(twice) = self.cases.iter().find(|case| !seen.insert(&case.id)) {
            return Some(format!("the case {} is in it twice", shown(twice.id.as_str())));
        }
        let (told, has) = (self.header.cases, self.cases.len());
        let fits = match self.summary.stopped {
            Some(_) => has <= told,
            // Joined from shards, it may name those that no shard ran.
            None => has == told || has + self.summary.missing.len() == told,
        };
        if !fits {
            return Some(format!("it tells of {}, and has {has}", prose::count(told, "case")));
        }
        if let Some(case) = self.cases.iter().find(|case| !case.judgement.is_settled()) {
            let id = shown(case.id.as_str());
            return Some(format!("the verdict of {id} is not what its mismatches make of it"));
        }
        let mut count = Count::new(&self.header);
        self.cases.iter().for_each(|case| count.add(case));
        (!count.agrees(&self.summary)).then(|| "its summary counts other cases than it has".into())
    }
}

/// Writes a value as JSON on many lines.
///
/// # Errors
/// When `out` fails.
pub(super) fn write_pretty(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    write_escaped(&serde_json::to_string_pretty(value)?, out)?;
    out.write_all(b"\n")
}

/// Writes one event, or another value, as a line of JSON.
///
/// # Errors
/// When `out` fails.
pub(super) fn write_line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    write_escaped(&serde_json::to_string(value)?, out)?;
    out.write_all(b"\n")
}

/// JSON text with the characters that act on a terminal, or that break lines in
/// JavaScript, as `\u` escapes. Outside of strings JSON has none but line feeds.
fn write_escaped(json: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut rest = json;
    while let Some((at, c)) = rest.char_indices().find(|&(_, c)| c != '\n' && escape::acts(c)) {
        out.write_all(&rest.as_bytes()[..at])?;
        for unit in c.encode_utf16(&mut [0; 2]) {
            write!(out, "\\u{unit:04x}")?;
        }
        rest = &rest[at + c.len_utf8()..];
    }
    out.write_all(rest.as_bytes())
}

/// Problems below the path of their file, a line each.
fn lines(path: &Path, problems: &[String]) -> String {
    problems.iter().map(|problem| format!("\n{}:{problem}", path.display())).collect()
}

fn problems(value: &serde_json::Value, bytes: &[u8]) -> Vec<String> {
    let compiled = serde_json::from_str(SCHEMA_TEXT)
        .map_err(|error| error.to_string())
        .and_then(|schema| jsonschema::validator_for(&schema).map_err(|error| error.to_string()));
    match compiled {
        Err(error) => vec![format!("the report schema of this program is broken: {error}")],
        Ok(validator) => validator
            .iter_errors(value)
            .take(PROBLEMS_SHOWN)
            .map(|error| {
                let place = error.instance_path().to_string();
                let (line, column) = position(bytes, &place);
                let place = if place.is_empty() { "the document" } else { &place };
                format!("{line}:{column}: {}", shown(&format!("{place}: {}", error.masked())))
            })
            .collect(),
    }
}

/// The line and the column, from 1, of what a JSON pointer leads to; as far as it leads.
fn position(bytes: &[u8], pointer: &str) -> (usize, usize) {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let Ok(mut at) = serde_json::from_str::<&RawValue>(text) else { return (1, 1) };
    for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        let next = if at.get().starts_with('{') {
            let fields = serde_json::from_str::<BTreeMap<Cow<'_, str>, &RawValue>>(at.get());
            fields.ok().and_then(|mut fields| fields.remove(token.as_str()))
        } else {
            let items = serde_json::from_str::<Vec<&RawValue>>(at.get()).ok();
            items.and_then(|items| items.get(token.parse::<usize>().ok()?).copied())
        };
        match next {
            Some(next) => at = next,
            None => break,
        }
    }
    // What is borrowed from the text starts in it.
    let offset = at.get().as_ptr().addr().saturating_sub(text.as_ptr().addr());
    let before = text.get(..offset).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
    (line, column)
}

fn shown(text: &str) -> String {
    escape::clamped(text, 200)
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
