//! The words for what comparing runs found.

use super::super::{escape, prose};
use crate::compare::{
    Change, ChangeKind, Changes, Comparison, Place, Status, Subject, flaws_of_one, weighs_otherwise,
};
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
        ChangeKind::Cause => "failing as before, for another reason",
        ChangeKind::Choice => "choosing otherwise where the spec is open",
    };
    format!("{what}: {}", prose::count(cases, "case"))
}

/// What is expected otherwise, if something is, and how a case ended before and after: each
/// with the reason where it fails.
pub(in crate::report) fn turn(change: &Change<'_>) -> String {
    match expectation(change.before, change.after) {
        Some(expected) => format!("{expected}; {}", ends(change)),
        None => ends(change),
    }
}

fn ends(change: &Change<'_>) -> String {
    let Change { before, after, .. } = change;
    let (from, to) = (Status::of(before), Status::of(after));
    let side = |case: &CaseRecord| {
        case.judgement.choice.as_ref().map_or("", |choice| choice.stance.as_str())
    };
    if from == to && change.kind == Some(ChangeKind::Choice) {
        return format!("{}, then {}", side(before), side(after));
    }
    if change.kind == Some(ChangeKind::Cause) {
        let (gone, come) = (flaws_of_one(before, after), flaws_of_one(after, before));
        let parts = [("mended: ", gone), ("new: ", come)].map(|(word, flaws)| {
            let told = flaws.first().map(|flaw| format!("{word}{}", prose::mismatch(flaw)));
            let more = flaws.len().saturating_sub(1);
            told.map(|told| if more > 0 { format!("{told}, and {more} more") } else { told })
        });
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        return format!("{} as before: {}", to.as_str(), parts.join("; "));
    }
    let end = |case: &CaseRecord| match Status::of(case) {
        status @ (Status::Pass | Status::Unsupported) => status.as_str().to_owned(),
        status => format!("{}: {}", status.as_str(), prose::failure(case)),
    };
    match (end(before), end(after)) {
        (before, after) if before == after => format!("{before}, as before"),
        (before, after) => format!("{before}; then {after}"),
    }
}

/// What of the expectation is another one.
fn expectation(before: &CaseRecord, after: &CaseRecord) -> Option<String> {
    let mut parts = Vec::new();
    let (one, two) = (before.expected.stance, after.expected.stance);
    if one != two {
        parts.push(format!("expected {}, then {}", one.as_str(), two.as_str()));
    } else if before.expected != after.expected {
        parts.push("other findings are expected".to_owned());
    }
    if before.weight != after.weight {
        parts.push(format!("weighed {}, then {}", before.weight.as_str(), after.weight.as_str()));
    } else if weighs_otherwise(before, after) {
        parts.push("a rule that it breaks has another level".to_owned());
    }
    (!parts.is_empty()).then(|| parts.join("; "))
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
        (ChangeKind::Cause, "failing for another reason"),
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
    notes.extend(levels(comparison, changes.run, (&first, &other)));
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

/// That rules have another level in one of two runs.
fn levels(comparison: &Comparison<'_>, run: usize, (first, other): (&str, &str)) -> Option<String> {
    /// How many rules are named.
    const NAMED: usize = 5;
    let turned: Vec<String> = comparison
        .rules
        .iter()
        .filter_map(|(id, reports)| {
            let (one, two) = (reports.first()?.as_ref()?.level, reports.get(run)?.as_ref()?.level);
            (one != two).then(|| format!("{id} ({}, then {})", one.as_str(), two.as_str()))
        })
        .collect();
    let named = turned.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    let more = match turned.len().checked_sub(NAMED) {
        Some(more @ 1..) => format!(" and {more} more"),
        _ => String::new(),
    };
    let rules = prose::count(turned.len(), "rule");
    let has = if turned.len() == 1 { "has" } else { "have" };
    (!turned.is_empty())
        .then(|| format!("{rules} {has} another level in {other} than in {first}: {named}{more}."))
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
