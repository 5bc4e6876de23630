//! Drafts for the ledger: an entry for each place where runs disagree.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Comparison, Place, Run, Subject};
use crate::core::{LedgerId, RuleTable, Stance};
use crate::report::escape;

/// How wide the lines of a draft are.
const COLUMNS: usize = 88;
/// How many cases a draft names.
const CASES: usize = 5;
/// What the ids of a suite without any entry start with.
const PREFIX: &str = "L";

/// A draft for an entry of a suite's ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The suite whose `ledger.yaml` it is for.
    pub suite: String,
    /// The id that it has: the next that is free.
    pub id: LedgerId,
    /// The entry in YAML, indented as below `entries:`, with a line feed at its end.
    pub text: String,
}

/// A draft for each place of a comparison, in their order. The ids are those that
/// are free in `rules`.
#[must_use]
pub fn drafts(comparison: &Comparison<'_>, rules: &RuleTable) -> Vec<Draft> {
    let mut last: BTreeMap<String, u64> = BTreeMap::new();
    for (_, entry) in rules.ledger() {
        let (prefix, number) = parts(&entry.id);
        let highest = last.entry(prefix.to_owned()).or_default();
        *highest = number.max(*highest);
    }
    let mut drafts = Vec::new();
    for place in &comparison.places {
        let suite = place.suite();
        let first = rules.ledger().find(|(of, _)| *of == suite);
        let prefix = first.map_or(PREFIX, |(_, entry)| parts(&entry.id).0);
        let number = last.entry(prefix.to_owned()).or_default();
        *number += 1;
        let Ok(id) = LedgerId::new(&format!("{prefix}{number}")) else { continue };
        let text = Writing { comparison, place, rules }.entry(&id);
        drafts.push(Draft { suite: suite.to_owned(), id, text });
    }
    drafts
}

/// The letters and the number of an id.
fn parts(id: &LedgerId) -> (&str, u64) {
    let text = id.as_str();
    let digits = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
    (&text[..digits], text[digits..].parse().unwrap_or(0))
}

/// What an entry is made of.
struct Writing<'a> {
    comparison: &'a Comparison<'a>,
    place: &'a Place<'a>,
    rules: &'a RuleTable,
}

impl Writing<'_> {
    fn entry(&self, id: &LedgerId) -> String {
        let mut text = String::new();
        let voices = self.place.with.len() + self.place.against.len();
        let part = if self.place.against.len() == 1 { "parts" } else { "part" };
        comment(
            &mut text,
            &format!("{} of {voices} {part} from the suite here:", self.place.against.len()),
        );
        for case in self.place.cases.iter().take(CASES) {
            comment(&mut text, &format!("  {}", case.id));
        }
        if let Some(more @ 1..) = self.place.cases.len().checked_sub(CASES) {
            comment(&mut text, &format!("  and {more} more"));
        }
        for rule in &self.place.rules {
            comment(&mut text, &format!("In rules.yaml, {rule} gets ledger: [{id}]."));
            let beside = self.rules.rule(rule).into_iter().flat_map(|rule| &rule.ledger);
            for other in beside {
                comment(&mut text, &format!("{other} is open for it already: is it the same?"));
            }
        }
        let _ = writeln!(text, "  - id: {id}\n    class: unknown");
        folded(&mut text, "    question:", "      ", &self.question());
        let _ = writeln!(text, "    readings:");
        for reading in self.readings() {
            folded(&mut text, "      -", "        ", &reading);
        }
        folded(&mut text, "    suite:", "      ", &self.suite());
        text
    }

    fn question(&self) -> String {
        let rules = self.place.rules.iter().filter_map(|id| self.rules.rule(id));
        let mut text: String = rules.map(|rule| format!("{} ", rule.statement.trim())).collect();
        let like = match self.place.cases.first() {
            Some(case) if case.about.is_empty() => case.id.fixture().to_owned(),
            Some(case) => format!("{} ({})", case.id.fixture(), case.about.trim()),
            None => String::new(),
        };
        let _ = match &self.place.subject {
            Subject::Verdict { .. } => {
                write!(text, "Is what is like {like} accepted or rejected, {}?", self.operations())
            }
            Subject::Finding { rule, .. } => write!(
                text,
                "Is {rule} to be reported for what is like {like}, {}?",
                self.operations()
            ),
        };
        text
    }

    /// What the suite says, and what parts from it.
    fn readings(&self) -> [String; 2] {
        let (own, other) = match &self.place.subject {
            Subject::Verdict { expected: Stance::Accept } => ("It is accepted", "It is rejected"),
            Subject::Verdict { .. } => ("It is rejected", "It is accepted"),
            Subject::Finding { expected: true, .. } => ("It is reported", "It is not reported"),
            Subject::Finding { .. } => ("It is not reported", "It is reported"),
        };
        let names = |runs: &[usize]| -> Vec<String> {
            let names = runs.iter().filter_map(|run| self.comparison.runs.get(*run));
            let name = |run: &Run<'_>| match &run.label.detail {
                detail if detail.is_empty() => run.label.name.clone(),
                detail => format!("{} ({detail})", run.label.name),
            };
            names.map(name).collect()
        };
        let with = [vec!["the suite".to_owned()], names(&self.place.with)].concat();
        let against = names(&self.place.against);
        [format!("{own}: {}.", with.join(", ")), format!("{other}: {}.", against.join(", "))]
    }

    fn suite(&self) -> String {
        let what = match &self.place.subject {
            Subject::Verdict { expected: Stance::Accept } => "Accepted".to_owned(),
            Subject::Verdict { .. } => "Rejected".to_owned(),
            Subject::Finding { rule, expected: true } => format!("{rule} is reported"),
            Subject::Finding { rule, .. } => format!("{rule} is not reported"),
        };
        format!("{what}, {}.", self.operations())
    }

    /// Where it holds, in words that follow a comma.
    fn operations(&self) -> String {
        format!("by the operation {}", self.place.operations().join(" and "))
    }
}

fn comment(text: &mut String, line: &str) {
    let _ = writeln!(text, "  # {}", escape::clamped(line, 200));
}

/// A key, or the sign of a sequence, with a folded text below: every reader takes it
/// as it stands, whatever is in it.
fn folded(text: &mut String, key: &str, indent: &str, content: &str) {
    let _ = writeln!(text, "{key} >-");
    let room = COLUMNS - indent.len();
    let mut line = String::new();
    // What acts is spelled out; what is left of white space is blanks.
    let safe = escape::line(content);
    for word in safe.split(char::is_whitespace).filter(|word| !word.is_empty()) {
        if !line.is_empty() && escape::width(&line) + 1 + escape::width(word) > room {
            let _ = writeln!(text, "{indent}{line}");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    let _ = writeln!(text, "{indent}{line}");
}
