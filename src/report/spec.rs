//! Which reports a run is to write: `KIND=PATH`.

use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;

use super::sink::{Sink, Target};
use super::{Catalog, HtmlPage, Report, badge, github, jsonl, junit, markdown, sarif, tap};
use crate::data::nearest;

/// A kind of report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReportKind {
    /// The whole run as one JSON document.
    Json,
    /// The events as they happen, one JSON object a line.
    Jsonl,
    /// JUnit XML.
    Junit,
    /// The Test Anything Protocol, version 14.
    Tap,
    /// Annotations for GitHub Actions.
    Github,
    /// A summary in Markdown.
    Markdown,
    /// One page that holds everything.
    Html,
    /// A badge.
    Badge,
    /// SARIF 2.1.0.
    Sarif,
}

impl ReportKind {
    /// All kinds.
    pub const ALL: &'static [Self] = &[
        Self::Json,
        Self::Jsonl,
        Self::Junit,
        Self::Tap,
        Self::Github,
        Self::Markdown,
        Self::Html,
        Self::Badge,
        Self::Sarif,
    ];

    /// The name in `KIND=PATH`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Junit => "junit",
            Self::Tap => "tap",
            Self::Github => "github",
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::Badge => "badge",
            Self::Sarif => "sarif",
        }
    }

    /// What it is, in a few words for a help text.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Json => "the whole run as one document with a published schema",
            Self::Jsonl => "the events of the run as they happen, one JSON object a line",
            Self::Junit => "JUnit XML, a suite for each class",
            Self::Tap => "the Test Anything Protocol, version 14",
            Self::Github => "annotations for GitHub Actions, and the job's summary",
            Self::Markdown => "a summary in Markdown",
            Self::Html => "one page for people, with everything in it",
            Self::Badge => "an SVG image, or what shields.io reads where the path ends in .json",
            Self::Sarif => "SARIF 2.1.0, a result for each failing case",
        }
    }
}

/// A report to write, and where to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ReportSpec {
    /// What to write.
    pub kind: ReportKind,
    /// Where to.
    pub target: Target,
}

/// Why a text is no report to write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReportSpecError {
    /// There is no `=`.
    #[error(
        "{text:?} does not say where to; write {} with a file, or - for standard output",
        example(text)
    )]
    NoTarget {
        /// What was given.
        text: String,
    },
    /// There is no such kind.
    #[error("there is no report {kind:?}; {}the kinds are {}", near(kind), kinds())]
    UnknownKind {
        /// What was given.
        kind: String,
    },
    /// The path is empty.
    #[error("{kind}= names no file; write {kind}=PATH, or {kind}=- for standard output")]
    EmptyPath {
        /// The kind.
        kind: &'static str,
    },
    /// Two reports go to the same place.
    #[error("two reports go to {target}; give each its own")]
    SameTarget {
        /// The place.
        target: String,
    },
}

impl ReportSpec {
    /// What the command line's help says of reports.
    #[must_use]
    pub fn help() -> String {
        let mut help =
            String::from("Write a report: KIND=PATH, - for standard output; may be given again");
        for kind in ReportKind::ALL {
            help.push_str(&format!("\n- {}: {}", kind.as_str(), kind.about()));
        }
        help
    }

    /// Whether it goes to standard output; what is for people goes to standard
    /// error then.
    #[must_use]
    pub fn is_stdout(&self) -> bool {
        self.target == Target::Stdout
    }

    /// Where it goes.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Writes a run that has ended.
    pub(super) fn write(
        &self,
        report: &Report,
        catalog: &Catalog,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        match self.kind {
            ReportKind::Json => report.write(out),
            ReportKind::Jsonl => jsonl::write(report, out),
            ReportKind::Junit => junit::write(report, catalog, out),
            ReportKind::Tap => tap::write(report, catalog, out),
            ReportKind::Github => github::write(report, catalog, out),
            ReportKind::Markdown => markdown::write(report, catalog, out),
            ReportKind::Html => HtmlPage::of(report, catalog).write(out),
            ReportKind::Badge if self.is_json_path() => badge::write_endpoint(report, out),
            ReportKind::Badge => badge::write_svg(report, out),
            ReportKind::Sarif => sarif::write(report, catalog, out),
        }
    }

    fn is_json_path(&self) -> bool {
        match &self.target {
            Target::File(path) => {
                path.extension().is_some_and(|it| it.eq_ignore_ascii_case("json"))
            }
            Target::Stdout => false,
        }
    }

    /// Finds out before a run what would keep the report from being written after
    /// it.
    ///
    /// # Errors
    /// When the target is no file that can be written, with what to do about it.
    pub fn check(&self) -> io::Result<()> {
        Sink::check(&self.target)
    }

    /// Refuses reports that would overwrite each other.
    ///
    /// # Errors
    /// When two have the same target.
    pub fn check_targets(specs: &[Self]) -> Result<(), ReportSpecError> {
        let twice = |(at, spec): &(usize, &Self)| {
            specs[..*at].iter().any(|other| other.target.is_same(&spec.target))
        };
        match specs.iter().enumerate().find(twice) {
            Some((_, spec)) => Err(ReportSpecError::SameTarget { target: spec.target.to_string() }),
            None => Ok(()),
        }
    }
}

impl fmt::Display for ReportSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} report to {}", self.kind.as_str(), self.target)
    }
}

impl FromStr for ReportSpec {
    type Err = ReportSpecError;
    fn from_str(text: &str) -> Result<Self, ReportSpecError> {
        let (name, path) = text.split_once('=').unwrap_or((text, ""));
        let kind = ReportKind::ALL
            .iter()
            .copied()
            .find(|kind| kind.as_str() == name)
            .ok_or_else(|| ReportSpecError::UnknownKind { kind: name.to_owned() })?;
        if !text.contains('=') {
            return Err(ReportSpecError::NoTarget { text: text.to_owned() });
        }
        let target = match path {
            "" => return Err(ReportSpecError::EmptyPath { kind: kind.as_str() }),
            path => Target::of_path(path.into()),
        };
        Ok(Self { kind, target })
    }
}

fn kinds() -> String {
    ReportKind::ALL.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(", ")
}

fn near(kind: &str) -> String {
    match nearest(kind, ReportKind::ALL.iter().map(|kind| kind.as_str())) {
        Some(near) => format!("did you mean {near}? "),
        None => String::new(),
    }
}

fn example(kind: &str) -> String {
    format!("{kind}=PATH")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        text.parse::<ReportSpec>().unwrap_err().to_string()
    }

    #[test]
    fn kind_and_path() {
        let spec: ReportSpec = "json=a=b.json".parse().unwrap();
        assert_eq!(spec.target, Target::File("a=b.json".into()));
        let spec: ReportSpec = "json=-".parse().unwrap();
        assert!(spec.is_stdout());
        for kind in ReportKind::ALL {
            let spec: ReportSpec = format!("{}=x", kind.as_str()).parse().unwrap();
            assert_eq!(spec.kind, *kind);
            assert!(!kind.about().is_empty());
        }
    }

    #[test]
    fn errors_help() {
        assert!(error("json").contains("json=PATH"), "{}", error("json"));
        assert!(error("json=").contains("json=-"));
        assert!(error("jnuit=x").contains("did you mean junit? "), "{}", error("jnuit=x"));
        for text in ["", "xml=a", "JSON=a", "out.json", "=x"] {
            assert!(error(text).contains("the kinds are json"), "{text}");
        }
    }

    #[test]
    fn two_reports_do_not_share_a_place() {
        let specs: Vec<ReportSpec> =
            ["json=a", "json=b", "json=a"].iter().map(|text| text.parse().unwrap()).collect();
        assert!(ReportSpec::check_targets(&specs[..2]).is_ok());
        let error = ReportSpec::check_targets(&specs).unwrap_err().to_string();
        assert_eq!(error, "two reports go to a; give each its own");
    }

    #[test]
    fn what_cannot_be_written_is_known_before() {
        let folder = tempfile::tempdir().unwrap();
        let spec = |name: &str| {
            let path = folder.path().join(name);
            format!("json={}", path.display()).parse::<ReportSpec>().unwrap()
        };
        assert!(spec("a.json").check().is_ok());
        assert!(std::fs::read_dir(&folder).unwrap().next().is_none(), "nothing is left behind");
        assert!(spec("no/a.json").check().is_err());
        assert!(spec("").check().is_err());
    }
}
