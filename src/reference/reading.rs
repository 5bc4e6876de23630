//! The readings of a text, and what follows from their agreeing or not.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::check::{Checked, Issue};
use super::{Finding, MANIFEST, Place, Question, RUNTIME, Ruling, Source};
use crate::core::{RuleId, Severity, Stance};
use crate::yaml::{self, Document, ErrorKind, MAX_BYTES, Node, Schema, Span, Traits};

/// One way to read a text where loaders, or readers of the spec, differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reading {
    /// How plain scalars get their types (L5).
    pub schema: Schema,
    /// Of equal keys the first one counts, not the last (L4).
    pub first_key: bool,
    /// Merge keys merge, and are no keys of their own (L6).
    pub merge: bool,
    /// Of several documents the last one counts, not the first (L7).
    pub last_document: bool,
    /// 7.0 and what 64 bits do not hold are no integers (L12).
    pub narrow: bool,
    /// Fields newer than the manifest's own version are unknown (L15).
    pub own_version: bool,
}

impl Reading {
    /// The reading of the reference itself.
    pub const OWN: Self = Self {
        schema: Schema::Core,
        first_key: false,
        merge: false,
        last_document: false,
        narrow: false,
        own_version: false,
    };

    /// The document that counts.
    pub(super) fn root<'d>(&self, document: &'d Document) -> &'d Node {
        match document.roots().last() {
            Some(last) if self.last_document => last,
            _ => document.root(),
        }
    }

    fn set(mut self, question: Question) -> Self {
        match question {
            Question::L4 => self.first_key = true,
            Question::L5 => self.schema = Schema::Yaml11,
            Question::L6 => self.merge = true,
            Question::L7 => self.last_document = true,
            Question::L12 => self.narrow = true,
            Question::L15 => self.own_version = true,
            _ => {}
        }
        self
    }

    /// The question that two readings answer differently, when it is just one.
    fn differs(self, other: Self) -> Option<Question> {
        let mut differing = VARIED.iter().copied().filter(|question| {
            let has = |reading: Self| reading.set(*question) == reading;
            has(self) != has(other)
        });
        differing.next().filter(|_| differing.next().is_none())
    }
}

/// The questions that have readings of their own.
const VARIED: [Question; 6] =
    [Question::L5, Question::L4, Question::L6, Question::L7, Question::L12, Question::L15];

/// A manifest or a runtime document, parsed or not, to be asked about many times.
#[derive(Debug, Clone)]
pub struct Parsed {
    pub(super) name: &'static str,
    pub(super) document: Result<Document, yaml::Error>,
    /// The text, as far as places in it can be shown.
    pub(super) text: Option<Arc<str>>,
}

impl Parsed {
    /// Parses a manifest.
    #[must_use]
    pub fn manifest(bytes: &[u8]) -> Self {
        Self::new(MANIFEST, bytes)
    }

    /// Parses a runtime capability document.
    #[must_use]
    pub fn runtime(bytes: &[u8]) -> Self {
        Self::new(RUNTIME, bytes)
    }

    /// The document, where the text is one.
    #[must_use]
    pub fn document(&self) -> Option<&Document> {
        self.document.as_ref().ok()
    }

    fn new(name: &'static str, bytes: &[u8]) -> Self {
        let document = Document::parse(bytes);
        let text = match &document {
            Ok(document) => Some(Arc::clone(document.text())),
            Err(error) if error.utf16 || bytes.len() > MAX_BYTES => None,
            Err(_) => std::str::from_utf8(bytes).ok().map(Arc::from),
        };
        Self { name, document, text }
    }

    /// The root that counts, or why there is none, as an issue of `rule`.
    pub(super) fn root(&self, reading: &Reading, rule: &'static str) -> Result<&Node, Box<Issue>> {
        match &self.document {
            Ok(document) => Ok(reading.root(document)),
            Err(error) => Err(Box::new(Issue {
                rule,
                at: String::new(),
                place: Place { document: self.name, span: error.span },
                rejects: true,
                open: match error.kind {
                    ErrorKind::Encoding | ErrorKind::Syntax => None,
                    ErrorKind::Resources => Some(Question::L19),
                    ErrorKind::Loaders => Some(Question::L22),
                },
                own: Some(Severity::Error),
                message: error.message.clone(),
            })),
        }
    }

    /// The questions that the text as a whole touches.
    fn touched(&self) -> BTreeSet<Question> {
        let notes = self.document.as_ref().map_or(&[][..], Document::notes);
        notes
            .iter()
            .filter_map(|note| Question::named(note.kind.ledger()))
            .filter(|question| {
                let whole = [Question::L7, Question::L18, Question::L19, Question::L22];
                whole.contains(question)
            })
            .collect()
    }

    /// The questions that make its readings differ.
    fn varied(&self) -> BTreeSet<Question> {
        let Ok(document) = &self.document else { return BTreeSet::new() };
        let traits = document.roots().iter().fold(Traits::NONE, |all, root| all | root.traits());
        [
            (Question::L5, traits.intersects(Traits::SCHEMA)),
            (Question::L4, traits.intersects(Traits::DUPLICATE_KEY_11)),
            (Question::L6, traits.intersects(Traits::MERGE_KEY)),
            (Question::L7, document.roots().len() > 1),
            (Question::L12, document.text().contains("retention_days")),
        ]
        .into_iter()
        .filter_map(|(question, holds)| holds.then_some(question))
        .collect()
    }

    pub(super) fn source(&self) -> Option<Source> {
        Some(Source { document: self.name, text: self.text.clone()? })
    }
}

/// What holds in one reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Accept,
    Open,
    Reject,
}

fn verdict(checked: &Checked) -> Verdict {
    let rejecting = || checked.issues.iter().filter(|issue| issue.rejects);
    if rejecting().any(|issue| issue.open.is_none()) {
        Verdict::Reject
    } else if rejecting().next().is_some() || !checked.touched.is_empty() {
        Verdict::Open
    } else {
        Verdict::Accept
    }
}

/// Checks documents under every reading that matters, or under one alone, and
/// rules on them.
pub(super) fn rule(
    documents: &[&Parsed],
    only: Option<Reading>,
    check: impl Fn(&Reading) -> Checked,
) -> Ruling {
    let mut touched: BTreeSet<Question> =
        documents.iter().flat_map(|document| document.touched()).collect();
    let varied: BTreeSet<Question> =
        documents.iter().flat_map(|document| document.varied()).collect();
    let bomb = touched.contains(&Question::L19);
    let results = match only {
        Some(reading) => vec![(reading, check(&reading))],
        None if bomb => vec![(Reading::OWN, check(&Reading::OWN))],
        None => under_all(&varied, check),
    };
    for (_, checked) in &results {
        touched.extend(&checked.touched);
    }
    let verdicts: Vec<Verdict> = results.iter().map(|(_, checked)| verdict(checked)).collect();
    // Of a bomb only one reading is looked at; that speaks for all only if all
    // would be the same.
    let all = |wanted| verdicts.iter().all(|verdict| *verdict == wanted);
    let complete = !bomb || varied.is_empty();
    let stance = if complete && all(Verdict::Reject) {
        Stance::Reject
    } else if all(Verdict::Accept) && touched.is_empty() {
        Stance::Accept
    } else {
        Stance::Either
    };

    let findings = merge(&results);
    let mut open = touched;
    // While the verdict is open, only what could reject is a reason for it.
    if stance == Stance::Either {
        let issues = results.iter().flat_map(|(_, checked)| &checked.issues);
        open.extend(issues.filter(|issue| issue.rejects).filter_map(|issue| issue.open));
    } else {
        open.extend(findings.iter().filter_map(|finding| {
            finding.open.as_ref().and_then(|id| Question::named(id.as_str()))
        }));
    }
    open.extend(deciding(&results, &verdicts));
    let settled = results.first().map(|(_, checked)| checked.settled.clone()).unwrap_or_default();
    Ruling {
        accepted: !findings
            .iter()
            .any(|finding| finding.reported && finding.severity == Severity::Error),
        stance,
        findings,
        open: open.into_iter().map(Question::id).collect(),
        settled: settled.into_iter().map(Question::id).collect(),
        sources: documents.iter().filter_map(|document| document.source()).collect(),
    }
}

/// What holds under every reading that matters.
fn under_all(
    varied: &BTreeSet<Question>,
    check: impl Fn(&Reading) -> Checked,
) -> Vec<(Reading, Checked)> {
    let checked = |reading| (reading, check(&reading));
    let mut results: Vec<_> = product(varied).into_iter().map(checked).collect();
    if results.iter().any(|(_, checked)| checked.older.is_some()) {
        let capped = results.iter().map(|(reading, _)| reading.set(Question::L15));
        let capped: Vec<_> = capped.map(checked).collect();
        results.extend(capped);
    }
    results
}

/// The questions on whose answers the verdict depends.
fn deciding(results: &[(Reading, Checked)], verdicts: &[Verdict]) -> BTreeSet<Question> {
    let all: Vec<_> = results.iter().map(|(reading, _)| *reading).zip(verdicts).collect();
    let others = |at: usize| all.iter().skip(at + 1);
    all.iter()
        .enumerate()
        .flat_map(|(at, one)| others(at).map(move |other| (one, other)))
        .filter(|((_, one), (_, other))| one != other)
        .filter_map(|((one, _), (other, _))| one.differs(*other))
        .collect()
}

/// Every combination of answers to the questions; the first is our own.
fn product(varied: &BTreeSet<Question>) -> Vec<Reading> {
    varied.iter().fold(vec![Reading::OWN], |readings, question| {
        let other = readings.iter().map(|reading| reading.set(*question));
        readings.iter().copied().chain(other).collect()
    })
}

/// The issues of all readings as findings; open what not all of them have.
fn merge(results: &[(Reading, Checked)]) -> Vec<Finding> {
    let mut order = Vec::new();
    let mut found: BTreeMap<(&str, &str, &str), Vec<Option<&Issue>>> = BTreeMap::new();
    for (at, (_, checked)) in results.iter().enumerate() {
        for issue in &checked.issues {
            let key = (issue.place.document, issue.rule, issue.at.as_str());
            let seen = found.entry(key).or_insert_with(|| {
                order.push(key);
                vec![None; results.len()]
            });
            seen[at].get_or_insert(issue);
        }
    }
    order
        .into_iter()
        .filter_map(|key| {
            let seen = found.get(&key)?;
            let own = seen.first().copied().flatten();
            let issue = own.or_else(|| seen.iter().copied().flatten().next())?;
            let open = seen
                .iter()
                .flatten()
                .find_map(|issue| issue.open)
                .or_else(|| varies(results, seen));
            let severity = if issue.rejects { Severity::Error } else { Severity::Warning };
            let reported = own.and_then(|issue| issue.own);
            Some(Finding {
                rule: RuleId::constant(issue.rule),
                at: issue.at.clone(),
                place: Some(bounded(issue.place)),
                severity: reported.unwrap_or(severity),
                message: issue.message.clone(),
                open: open.map(Question::id),
                reported: reported.is_some(),
            })
        })
        .collect()
}

/// The question on whose answer it depends whether a finding is there.
fn varies(results: &[(Reading, Checked)], seen: &[Option<&Issue>]) -> Option<Question> {
    let mut fallback = None;
    for (at, one) in seen.iter().enumerate() {
        for (other, another) in seen.iter().enumerate().skip(at + 1) {
            if one.is_some() != another.is_some() {
                let question = results[at].0.differs(results[other].0);
                if question.is_some() {
                    return question;
                }
                fallback = VARIED
                    .into_iter()
                    .find(|question| results[at].0.set(*question) != results[at].0);
            }
        }
    }
    fallback
}

fn bounded(mut place: Place) -> Place {
    let Span { start, end, .. } = place.span;
    place.span.end = end.max(start);
    place
}
