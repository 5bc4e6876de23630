//! The messages of a session, version 1: JSON objects, one a line.
//!
//! `hello` and `bye` frame the session; between them each `case` gets one `reply`,
//! in the order of the cases.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::core::ReportedFinding;
use crate::data::{Json, in_words};
use crate::yaml::is_pointer;

use super::Reply;

/// The version of the messages.
pub const SESSION_VERSION: u64 = 1;

/// What the harness sends.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum Question<'a> {
    /// Opens the session.
    Hello {
        /// The version of the messages.
        session: u64,
        /// Name and version of the harness.
        program: Cow<'a, str>,
    },
    /// Asks for one reply.
    Case {
        /// A number that the session had not before; it says nothing of the case.
        id: u64,
        /// What to do with the documents.
        operation: Cow<'a, str>,
        /// The protocol version that is certified against.
        protocol: Cow<'a, str>,
        /// The documents, by the names that the suite has for them.
        documents: BTreeMap<Cow<'a, str>, SentDocument<'a>>,
    },
    /// Ends the session.
    Bye {},
}

/// A document as a case has it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SentDocument<'a> {
    /// Where it is as a file, which may only be read.
    pub(crate) path: Cow<'a, str>,
    /// What it holds; missing when that is not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<Cow<'a, str>>,
}

impl Question<'_> {
    /// The line to send, with its end.
    pub(crate) fn line(&self) -> Vec<u8> {
        // Maps with keys other than text, the one thing that could fail, are not in it.
        let mut line = serde_json::to_vec(self).unwrap_or_default();
        line.push(b'\n');
        line
    }
}

/// How an implementation answers `hello`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Greeting {
    /// The version of the messages that it speaks.
    pub session: u64,
    /// Its name.
    pub name: String,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The language it is written in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Where to read more of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub homepage: Option<String>,
    /// The operations that it has; all, when it does not say. It is not asked for
    /// the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations: Option<Vec<String>>,
}

impl Greeting {
    /// Name and version on one line.
    #[must_use]
    pub fn title(&self) -> String {
        let parts = [Some(self.name.as_str()), self.version.as_deref()];
        let mut title = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
        if let Some(language) = &self.language {
            title.push_str(&format!(" ({language})"));
        }
        title.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect()
    }
}

/// A line that the messages do not allow. Fits "the implementation …".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Breach {
    #[error("wrote a line on standard output that is not JSON: {0}")]
    NotJson(String),
    #[error("wrote JSON that is not an object: {0}")]
    NotAnObject(String),
    #[error("wrote a message of the type {found} where {wanted:?} was due")]
    Type { wanted: &'static str, found: String },
    #[error("answered hello wrongly: {0}")]
    BadGreeting(String),
    #[error("speaks version {0} of the session's messages, not {SESSION_VERSION}")]
    Version(u64),
    #[error("sent a reply without an id")]
    NoId,
    #[error("sent a reply whose id is not a number that was asked: {0}")]
    BadId(String),
    #[error("sent a reply without a verdict")]
    NoVerdict,
    #[error("sent a reply whose verdict is neither \"accept\" nor \"reject\": {0}")]
    BadVerdict(String),
    #[error("sent a reply with both a verdict and a reason why the operation is unsupported")]
    TwoAnswers,
    #[error("sent a reply whose reason for not supporting the operation is not a text: {0}")]
    BadReason(String),
    #[error("sent a reply whose reason for not supporting the operation is blank")]
    NoReason,
    #[error("sent a reply with findings that cannot be read: {0}")]
    BadFindings(String),
    #[error("sent a reply with findings and no verdict that they go with")]
    FindingsAlone,
    #[error("wrote a message that has a key twice: {0}")]
    Twice(String),
}

/// Reads the answer to `hello`.
pub(crate) fn greeting(line: &[u8]) -> Result<Greeting, Breach> {
    let message = message(line, "hello")?;
    // Another version may have other fields; that it is another is what to say.
    if let Some(version) = message["session"].as_u64().filter(|&it| it != SESSION_VERSION) {
        return Err(Breach::Version(version));
    }
    let greeting: Greeting = serde_json::from_value(message)
        .map_err(|error| Breach::BadGreeting(in_words(&error.to_string()).message))?;
    if greeting.name.trim().is_empty() {
        return Err(Breach::BadGreeting("an empty name".to_owned()));
    }
    if greeting.operations.as_ref().is_some_and(Vec::is_empty) {
        return Err(Breach::BadGreeting("an empty list of operations".to_owned()));
    }
    Ok(greeting)
}

/// Reads a reply, and the id of its case.
pub(crate) fn reply(line: &[u8]) -> Result<(u64, Reply), Breach> {
    let mut message = message(line, "reply")?;
    let id = match &message["id"] {
        Value::Null => return Err(Breach::NoId),
        id => id.as_u64().ok_or_else(|| Breach::BadId(shown(id)))?,
    };
    let findings = match message["findings"].take() {
        Value::Null => Vec::new(),
        findings => read_findings(findings)?,
    };
    let reply = match (&message["verdict"], &message["unsupported"]) {
        (Value::Null, Value::Null) => return Err(Breach::NoVerdict),
        (Value::Null, Value::String(_)) if !findings.is_empty() => {
            return Err(Breach::FindingsAlone);
        }
        (Value::Null, Value::String(reason)) => Reply::Unsupported { reason: reason.clone() },
        (Value::Null, reason) => return Err(Breach::BadReason(shown(reason))),
        (verdict, Value::Null) => match verdict.as_str() {
            Some("accept") => Reply::Accept(findings),
            Some("reject") => Reply::Reject(findings),
            _ => return Err(Breach::BadVerdict(shown(verdict))),
        },
        _ => return Err(Breach::TwoAnswers),
    };
    check(&reply)?;
    Ok((id, reply))
}

/// Whether a reply says what it has to say.
pub(super) fn check(reply: &Reply) -> Result<(), Breach> {
    let bad = |what: String| Err(Breach::BadFindings(what));
    let findings = match reply {
        Reply::Unsupported { reason } if reason.trim().is_empty() => return Err(Breach::NoReason),
        Reply::Unsupported { .. } => return Ok(()),
        Reply::Accept(findings) | Reply::Reject(findings) => findings,
    };
    if findings.iter().any(|finding| finding.rule.trim().is_empty()) {
        return bad("a rule is blank".to_owned());
    }
    let mut places = findings.iter().filter_map(|finding| finding.at.as_ref());
    match places.find(|at| !is_pointer(at)) {
        Some(at) => bad(format!("{} is no JSON pointer", excerpt(at))),
        None => Ok(()),
    }
}

/// The line that replies to a case.
pub(crate) fn reply_line(id: u64, reply: &Reply) -> Vec<u8> {
    let message = match reply {
        Reply::Accept(findings) => {
            serde_json::json!({"type": "reply", "id": id, "verdict": "accept", "findings": findings})
        }
        Reply::Reject(findings) => {
            serde_json::json!({"type": "reply", "id": id, "verdict": "reject", "findings": findings})
        }
        Reply::Unsupported { reason } => {
            serde_json::json!({"type": "reply", "id": id, "unsupported": reason})
        }
    };
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}

/// The line that answers `hello`.
pub(crate) fn greeting_line(greeting: &Greeting) -> Vec<u8> {
    let mut message = serde_json::json!(greeting);
    message["type"] = "hello".into();
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}

fn message(line: &[u8], wanted: &'static str) -> Result<Value, Breach> {
    let read = std::str::from_utf8(line).ok().and_then(|text| Json::read(text).ok());
    let Some(Json { value: message, repeated }) = read else {
        return Err(Breach::NotJson(excerpt(&String::from_utf8_lossy(line))));
    };
    // Which of the two is meant nobody can tell.
    if let Some(key) = repeated.first() {
        return Err(Breach::Twice(excerpt(key)));
    }
    if !message.is_object() {
        return Err(Breach::NotAnObject(shown(&message)));
    }
    match &message["type"] {
        Value::String(found) if found == wanted => Ok(message),
        found => Err(Breach::Type { wanted, found: shown(found) }),
    }
}

fn read_findings(findings: Value) -> Result<Vec<ReportedFinding>, Breach> {
    let Value::Array(findings) = findings else {
        return Err(Breach::BadFindings(format!("{} is no list", shown(&findings))));
    };
    let each = findings.into_iter().enumerate().map(|(index, finding)| {
        // A list would be taken for the fields in their order.
        if !finding.is_object() {
            return Err(Breach::BadFindings(format!("{} is no object", shown(&finding))));
        }
        serde_json::from_value(finding).map_err(|error| {
            let told = in_words(&error.to_string());
            Breach::BadFindings(format!("number {}: {}", index + 1, told.message))
        })
    });
    each.collect()
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.len() > EXCERPT { format!("{}…", clip(&text)) } else { text }
}

/// The most of a faulty line that is repeated, in bytes.
const EXCERPT: usize = 120;

fn excerpt(text: &str) -> String {
    if text.len() > EXCERPT { format!("{:?} …", clip(text)) } else { format!("{text:?}") }
}

fn clip(text: &str) -> &str {
    let end = (0..=EXCERPT.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    text.get(..end.unwrap_or_default()).unwrap_or_default()
}

#[cfg(test)]
#[path = "protocol_tests.rs"]
mod tests;
