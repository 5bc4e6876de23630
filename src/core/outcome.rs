//! What was observed of an implementation on one case.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A stream that an implementation writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl Stream {
    /// The name for people.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stdout => "standard output",
            Self::Stderr => "standard error",
        }
    }
}

/// How a case ended for the implementation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Outcome {
    /// It accepted or rejected.
    Decided {
        /// Whether it accepted.
        accepted: bool,
    },
    /// It ended with an exit code that is neither 0 nor 1.
    WrongExit {
        /// The exit code.
        code: i32,
    },
    /// A signal ended it, or a library panicked.
    Crashed {
        /// What ended it, such as `SIGSEGV`, or the panic's message.
        by: String,
    },
    /// It had not ended when its time was over.
    TimedOut {
        /// The limit, in milliseconds.
        limit_ms: u64,
    },
    /// It wrote more than a stream may hold.
    Flooded {
        /// The stream.
        stream: Stream,
        /// The limit, in bytes.
        limit: u64,
    },
    /// It changed the documents it was to read.
    Tampered {
        /// What was changed.
        what: String,
    },
    /// It answered in a way that the protocol of its driver does not allow.
    BrokeProtocol {
        /// What it did.
        what: String,
    },
    /// It does not have the operation.
    Unsupported {
        /// Why, in its words.
        reason: String,
    },
}

/// How severe an implementation calls a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// It rejects.
    Error,
    /// It accepts all the same.
    Warning,
}

/// A finding as an implementation reported it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ReportedFinding {
    /// The rule, as it wrote it; need not exist.
    pub rule: String,
    /// The place, as a JSON pointer, when it gave one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// How severe it calls it, when it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// Its words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// How much detail an implementation's output has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// Free text.
    Text,
    /// `RULE-ID: message`.
    Tagged,
    /// One JSON object a line.
    Json,
}

/// Everything a driver saw of one case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// How it ended.
    pub outcome: Outcome,
    /// The findings, when the driver gets them apart from the output, as
    /// sessions and libraries do; `None` to read them from standard output.
    pub findings: Option<Vec<ReportedFinding>>,
    /// Standard output, cut at the driver's limit.
    pub stdout: Vec<u8>,
    /// Standard error, cut at the driver's limit.
    pub stderr: Vec<u8>,
    /// How long it took.
    pub duration: Duration,
}

impl Observation {
    /// An observation without any output.
    #[must_use]
    pub fn bare(outcome: Outcome, duration: Duration) -> Self {
        Self { outcome, findings: None, stdout: Vec::new(), stderr: Vec::new(), duration }
    }
}
