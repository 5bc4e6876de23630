//! The words for what comparing runs found.

use super::super::{escape, prose};
use crate::compare::{Change, ChangeKind, Changes, Comparison, Place, Status, Subject};
use crate::core::{CaseRecord, Header, Stance};

/// The letter that stands for a run in tables: A, B, …, Z, A1, B1, ….
pub(in crate::report) fn letter(run: usize) -> String {
    let letters = b'A'..=b'Z';
    let letter = char::from(letters.clone().nth(run % letters.len()).unwrap_or(b'?'));
    match run / letters.len() {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

/// Several letters in a row.
pub(in crate::report) fn letters(runs: &[usize]) -> String {
    runs.iter().map(|run| letter(*run)).collect::<Vec<_>>().join(", ")
}

/// What kind of change, with how many cases.
pub(in crate::report) fn kind(kind: ChangeKind, cases: usize) -> String {
    let what = match kind {
        ChangeKind::Broke => "broken",
        ChangeKind::Worse => "failing worse",
        ChangeKind::Fixed => "fixed",
        ChangeKind::Better => "failing less badly",
        ChangeKind::Otherwise => "passing in neither, and ending otherwise",
        ChangeKind::Choice => "choosing otherwise where the spec is open",
    };
    format!("{what}: {}", prose::count(cases, "case"))
}

/// How a case ended before and after, and why it fails where it does.
pub(in crate::report) fn turn(change: &Change<'_>) -> String {
    let Change { before, after, .. } = change;
    let (from, to) = (Status::of(before), Status::of(after));
    let side = |case: &CaseRecord| {
        case.judgement.choice.as_ref().map_or("", |choice| choice.stance.as_str())
    };
    if from == to && change.kind == Some(ChangeKind::Choice) {
        return format!("{}, then {}", side(before), side(after));
    }
    let failing = if to == Status::Pass { before } else { after };
    let what = format!("{}, then {}", from.as_str(), to.as_str());
    match Status::of(failing) {
        Status::Pass | Status::Unsupported => what,
        _ => format!("{what}: {}", prose::failure(failing)),
    }
}

/// What a run fixed and broke, in a line.
pub(in crate::report) fn summary(changes: &Changes<'_>) -> String {
    let count = |kinds: &[ChangeKind]| {
        changes
            .changes
            .iter()
            .filter(|it| it.kind.is_some_and(|kind| kinds.contains(&kind)))
            .count()
    };
    let (broke, fixed) = (count(&[ChangeKind::Broke]), count(&[ChangeKind::Fixed]));
    let mut parts =
        vec![format!("{} broken", prose::count(broke, "case")), format!("{fixed} fixed")];
    let rest = [
        (ChangeKind::Worse, "worse"),
        (ChangeKind::Better, "better"),
        (ChangeKind::Otherwise, "failing otherwise"),
        (ChangeKind::Choice, "choosing otherwise"),
    ];
    for (kind, word) in rest {
        if let some @ 1.. = count(&[kind]) {
            parts.push(format!("{some} {word}"));
        }
    }
    parts.push(format!("{} alike", changes.compared - changes.changes.len()));
    parts.join(", ")
}

/// What is not compared between a run and the first, and why; a sentence each.
/// `name` says what a run is called.
pub(in crate::report) fn apart(
    comparison: &Comparison<'_>,
    changes: &Changes<'_>,
    name: &dyn Fn(usize) -> String,
) -> Vec<String> {
    let (first, other) = (name(0), name(changes.run));
    let (one, two) =
        (&comparison.runs[0].report.header, &comparison.runs[changes.run].report.header);
    let mut notes = Vec::new();
    if one.protocol != two.protocol {
        notes.push(format!(
            "{first} was run at {} and {other} at {}: rules that one of them lacks are not \
             compared.",
            one.protocol, two.protocol
        ));
    }
    if one.suite_digest != two.suite_digest {
        notes.push(format!("{first} and {other} were run over {}.", other_suites(one, two)));
    }
    if one.program != two.program {
        notes.push(format!(
            "{first} was judged by living-conformance {}, {other} by {}.",
            escape::clamped(&one.program, 40),
            escape::clamped(&two.program, 40)
        ));
    }
    let mut cases = |number: usize, text: &str| {
        if number > 0 {
            notes.push(format!("{} {text}", prose::count(number, "case")));
        }
    };
    cases(changes.gone.len(), &format!("of {first} alone: {other} has no result."));
    cases(changes.new.len(), &format!("of {other} alone: {first} has no result."));
    cases(
        changes.judged_otherwise.len(),
        &format!("of both {first} and {other} with another expectation: set apart."),
    );
    notes
}

fn other_suites(one: &Header, two: &Header) -> String {
    let list = |header: &Header| {
        let suites = header.suites.iter().map(|(name, version)| format!("{name} {version}"));
        escape::clamped(&suites.collect::<Vec<_>>().join(", "), 200)
    };
    if one.suites == two.suites {
        return format!(
            "different data of the same version ({}): the documents of a case may differ as well",
            list(one)
        );
    }
    format!(
        "different suites, {} and {}: the documents of a case may differ as well",
        list(one),
        list(two)
    )
}

/// What runs disagree on at a place.
pub(in crate::report) fn subject(place: &Place<'_>) -> String {
    match &place.subject {
        Subject::Verdict { expected } => format!("expected: {}", expected.as_str()),
        Subject::Finding { expected: true, .. } => "expected: reported".to_owned(),
        Subject::Finding { .. } => "expected: not reported".to_owned(),
    }
}

/// What those do that part from the suite.
pub(in crate::report) fn otherwise(place: &Place<'_>) -> &'static str {
    match &place.subject {
        Subject::Verdict { expected: Stance::Accept } => "reject",
        Subject::Verdict { .. } => "accept",
        Subject::Finding { expected: true, .. } => "do not report it",
        Subject::Finding { .. } => "report it",
    }
}

/// What those do that the suite agrees with.
pub(in crate::report) fn likewise(place: &Place<'_>) -> &'static str {
    match &place.subject {
        Subject::Verdict { expected: Stance::Accept } => "accept",
        Subject::Verdict { .. } => "reject",
        Subject::Finding { expected: true, .. } => "report it",
        Subject::Finding { .. } => "do not report it",
    }
}

/// Why a place stands where it does in the list.
pub(in crate::report) fn rank(place: &Place<'_>) -> String {
    let voices = place.with.len() + place.against.len();
    let part = if place.against.len() == 1 { "parts" } else { "part" };
    let keep = if place.against.len() == 1 { "keeps" } else { "keep" };
    let rules = match place.rules.len() {
        0 => return format!("{} of {voices} {part} from the suite", place.against.len()),
        1 => "rule",
        _ => "rules",
    };
    format!(
        "{} of {voices} {part} from the suite, and {keep} the {rules} in {} of {}",
        place.against.len(),
        place.met,
        prose::count(place.all, "case")
    )
}
