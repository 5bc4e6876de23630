//! A YAML file of the harness's own: read into typed values, with places.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::path::PathBuf;

use serde::de::DeserializeOwned;

use super::problem::{Fault, Problem};
use super::words::{Told, in_words};
use crate::yaml::{self, Kind, Node};

/// What editors may put at the start of a file to say that it is Unicode.
const BOM: char = '\u{feff}';

/// A YAML file of the harness's own, such as a rule table or a golden.
#[derive(Debug)]
pub struct Source {
    path: PathBuf,
    /// What the text is made of, where it is not known yet.
    bytes: &'static [u8],
    text: OnceCell<Cow<'static, str>>,
    json: Option<&'static [u8]>,
    tree: OnceCell<Option<yaml::Document>>,
}

/// What can be wrong with the form of such a file.
#[derive(Debug, thiserror::Error)]
enum FormFault {
    #[error("read this file: it is not UTF-8")]
    NotUtf8,
    #[error("read this file: {message}")]
    Refused { code: &'static str, message: String, remedy: Option<String> },
}

impl Fault for FormFault {
    fn code(&self) -> &'static str {
        match self {
            Self::NotUtf8 => "text-not-utf8",
            Self::Refused { code, .. } => code,
        }
    }

    fn remedy(&self) -> String {
        if let Self::Refused { remedy: Some(remedy), .. } = self {
            return remedy.clone();
        }
        match self.code() {
            "text-not-utf8" => "save it as UTF-8",
            "unknown-field" => "correct the name, or remove the key",
            "missing-field" => "add the key",
            "duplicate-field" => "keep one of the two",
            "bad-value" => "write it in the form that the format asks for",
            _ => "correct the YAML",
        }
        .to_owned()
    }
}

impl Source {
    /// A file at `path` with these bytes, and the same as JSON where there is one.
    ///
    /// # Errors
    /// When the bytes are not UTF-8; the place is that of the first bad byte.
    pub(super) fn new(
        path: impl Into<PathBuf>,
        bytes: Cow<'static, [u8]>,
    ) -> Result<Self, Problem> {
        let path = path.into();
        let text = match bytes {
            Cow::Borrowed(bytes) => {
                std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|error| {
                    String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned()
                })
            }
            Cow::Owned(bytes) => String::from_utf8(bytes).map(Cow::Owned).map_err(|error| {
                let good = error.utf8_error().valid_up_to();
                String::from_utf8_lossy(&error.as_bytes()[..good]).into_owned()
            }),
        };
        match text {
            Ok(text) => {
                let text = OnceCell::from(without_bom(text));
                Ok(Self { path, bytes: b"", text, json: None, tree: OnceCell::new() })
            }
            Err(good) => Err(Problem::new(path, &FormFault::NotUtf8).at(Some(end_of(&good)))),
        }
    }

    /// A file that is a part of the program, and the same content as JSON: what was
    /// translated when that was built is UTF-8.
    pub(super) fn translated(
        path: impl Into<PathBuf>,
        bytes: &'static [u8],
        json: &'static [u8],
    ) -> Self {
        let (text, tree) = (OnceCell::new(), OnceCell::new());
        Self { path: path.into(), bytes, text, json: Some(json), tree }
    }

    /// The text of the file.
    #[must_use]
    pub fn text(&self) -> &str {
        // Of a thousand goldens that are read at every start, it is wanted of none.
        self.text.get_or_init(|| without_bom(String::from_utf8_lossy(self.bytes)))
    }

    /// The file as a typed value.
    ///
    /// # Errors
    /// When it is no YAML or does not have the form of `T`.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        // JSON is read much faster. What it does not give is told by the YAML.
        let quick = self.json.and_then(|json| serde_json::from_slice(json).ok());
        match quick {
            Some(value) => Ok(value),
            None => serde_yaml::from_str(self.text()).map_err(|error| self.refused(&error)),
        }
    }

    /// A fault at the value that a JSON pointer leads to, or at the key with a `#`
    /// after the pointer. Where there is no such value, it is at the nearest one
    /// around it.
    #[must_use]
    pub fn problem(&self, pointer: &str, fault: &impl Fault) -> Problem {
        Problem::new(&self.path, fault).at(Some(self.position(pointer)))
    }

    /// The line, from 1, of the value that a JSON pointer leads to.
    #[must_use]
    pub fn line(&self, pointer: &str) -> usize {
        self.position(pointer).0
    }

    /// The file with places; only needed when something is wrong.
    fn tree(&self) -> Option<&yaml::Document> {
        self.tree.get_or_init(|| yaml::Document::parse(self.text().as_bytes()).ok()).as_ref()
    }

    fn position(&self, pointer: &str) -> (usize, usize) {
        let Some(root) = self.tree().map(yaml::Document::root) else { return (1, 1) };
        let mut rest = pointer.strip_suffix('#').unwrap_or(pointer);
        if rest.len() < pointer.len()
            && let Some(key) = root.key_at(rest)
        {
            return place(key);
        }
        loop {
            if let Some(node) = root.at(rest) {
                return place(node);
            }
            match rest.rfind('/') {
                Some(end) => rest = &rest[..end],
                None => return (1, 1),
            }
        }
    }

    fn refused(&self, error: &serde_yaml::Error) -> Problem {
        let location = error.location();
        let text = error.to_string();
        // The place is told apart from the message.
        let message = match text.rsplit_once(" at line ") {
            Some((message, _)) if location.is_some() => message,
            _ => &text,
        };
        let position = self
            .tree()
            .and_then(|tree| find_refused(tree.root(), message))
            .map(place)
            .or_else(|| location.map(|place| (place.line(), place.column())));
        let Told { code, message, remedy } = in_words(message);
        let fault = FormFault::Refused { code, message, remedy };
        Problem::new(&self.path, &fault).at(Some(position.unwrap_or((1, 1))))
    }
}

fn place(node: &Node) -> (usize, usize) {
    let span = node.span();
    (span.line, span.column)
}

/// The node that a message of the typed reader is about.
///
/// The reader itself often knows no more than the collection around it, and says
/// so in front of the message: `cases.strict.findings[0]: …`. The text that it
/// quotes tells the key or value in it.
fn find_refused<'a>(root: &'a Node, message: &str) -> Option<&'a Node> {
    let (mut node, mut detail) = (root, message);
    if let Some((path, rest)) = message.split_once(": ")
        && let Some(inner) = follow(root, path)
    {
        (node, detail) = (inner, rest);
    }
    let quoted = detail.split_once(['`', '"']).and_then(|(_, rest)| rest.split_once(['`', '"']));
    let Some((quoted, _)) = quoted.filter(|_| !detail.starts_with("missing field")) else {
        return Some(node);
    };
    let found = match node.kind() {
        // Of duplicate keys it is the last that is one too many.
        Kind::Mapping(entries) => {
            let has_text = |node: &&Node| node.text() == Some(quoted);
            let key = entries.iter().rev().map(|entry| &entry.key).find(has_text);
            key.or_else(|| entries.iter().map(|entry| &entry.value).find(has_text))
        }
        Kind::Sequence(items) => items.iter().find(|item| item.text() == Some(quoted)),
        _ => None,
    };
    Some(found.unwrap_or(node))
}

/// Follows a path such as `cases.strict.findings[0]`.
fn follow<'a>(root: &'a Node, path: &str) -> Option<&'a Node> {
    let mut node = root;
    for part in path.split('.') {
        let mut steps = part.split('[');
        let key = steps.next().filter(|key| !key.is_empty());
        if let Some(key) = key {
            let entries = node.as_mapping()?;
            node = &entries.iter().rev().find(|entry| entry.key.text() == Some(key))?.value;
        }
        for step in steps {
            let index: usize = step.strip_suffix(']')?.parse().ok()?;
            node = node.as_sequence()?.get(index)?;
        }
    }
    Some(node)
}

/// The reader would take a byte order mark for a part of the first key.
fn without_bom(text: Cow<'static, str>) -> Cow<'static, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.strip_prefix(BOM).unwrap_or(text)),
        Cow::Owned(mut text) => {
            if text.starts_with(BOM) {
                text.remove(0);
            }
            Cow::Owned(text)
        }
    }
}

/// Line and column, from 1, just after `text`.
fn end_of(text: &str) -> (usize, usize) {
    let last = text.rsplit('\n').next().unwrap_or_default();
    (text.matches('\n').count() + 1, last.chars().count() + 1)
}
