//! Failing cases by what seems to be behind them, so that each cause is told once.
//!
//! Cases are held to have one cause only where the implementation shows it: it decided
//! nothing, in the same way, or wrote the same to standard error. Two wrong verdicts
//! without a word are two causes: what is behind them is in their documents.

use std::collections::HashMap;
use std::mem;

use super::super::constant::constant;
use super::super::groups::{self, Family, Group, Heading};
use super::super::prose;
use crate::core::{CaseRecord, Disposition, Level, Outcome};

/// Failing cases that are told of under one heading.
#[derive(Debug)]
pub(super) struct Section<'a> {
    /// They are no part of the releases of their suites.
    pub(super) advisory: bool,
    /// The weight of the failures.
    pub(super) level: Level,
    /// What they have in common.
    pub(super) title: Title,
    /// The cases, by cause.
    pub(super) causes: Vec<Cause<'a>>,
}

/// What the cases of a section have in common.
#[derive(Debug)]
pub(super) enum Title {
    /// What they break.
    Breaks(Heading),
    /// They count as rejected by one traceback, whatever rules that breaks.
    Traceback,
}

/// A failing case, and those that fail likewise.
#[derive(Debug)]
pub(super) struct Cause<'a> {
    /// The first by id.
    pub(super) first: Family<'a>,
    /// The others.
    pub(super) likewise: Vec<Family<'a>>,
}

impl<'a> Cause<'a> {
    /// How many cases there are.
    pub(super) fn len(&self) -> usize {
        self.first.len() + self.others().count()
    }

    /// The cases that fail likewise.
    pub(super) fn others(&self) -> impl Iterator<Item = &'a CaseRecord> {
        self.likewise.iter().flat_map(Family::cases)
    }

    /// All its cases.
    pub(super) fn cases(&self) -> impl Iterator<Item = &'a CaseRecord> {
        self.first.cases().chain(self.others())
    }
}

impl<'a> Section<'a> {
    /// All its cases.
    pub(super) fn cases(&self) -> impl Iterator<Item = &'a CaseRecord> {
        self.causes.iter().flat_map(Cause::cases)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.causes.iter().map(Cause::len).sum()
    }

    /// Whether another section weighs as much.
    pub(super) fn weighs_as(&self, other: &Self) -> bool {
        (self.advisory, self.level) == (other.advisory, other.level)
    }

    /// In a word or two, as they came.
    pub(super) fn name(&self) -> &str {
        match &self.title {
            Title::Breaks(heading) => heading.name(),
            Title::Traceback => "tracebacks",
        }
    }
}

/// The sections for cases, most severe first, and of that first what one traceback is
/// behind. `apart`: every case is a cause by itself.
pub(super) fn sections(cases: &[CaseRecord], apart: bool) -> Vec<Section<'_>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    let mut groups = groups::group(cases);
    let mut rest = groups.as_mut_slice();
    while let Some(first) = rest.first() {
        let (advisory, level) = (first.advisory, first.level);
        let end = rest.iter().take_while(|it| it.weighs_as(first)).count();
        let (weighing, lighter) = mem::take(&mut rest).split_at_mut(end);
        if !apart {
            let causes = tracebacks(weighing);
            if !causes.is_empty() {
                sections.push(Section { advisory, level, title: Title::Traceback, causes });
            }
        }
        for group in weighing.iter_mut().filter(|group| !group.families.is_empty()) {
            let title = Title::Breaks(group.heading.clone());
            let causes = causes(mem::take(&mut group.families), apart);
            sections.push(Section { advisory, level, title, causes });
        }
        rest = lighter;
    }
    sections
}

/// How many causes of each section to show when there is room for `room`: level by
/// level, and within a level every section gets one before any gets another, so that
/// one rule that often fails does not hide the others.
pub(super) fn shares(sections: &[Section<'_>], room: usize) -> Vec<usize> {
    let mut shares = vec![0; sections.len()];
    let mut room = room;
    let mut start = 0;
    while let Some(first) = sections.get(start) {
        let end = sections.iter().rposition(|group| group.weighs_as(first)).unwrap_or(start) + 1;
        let sizes: Vec<usize> = sections[start..end].iter().map(|it| it.causes.len()).collect();
        let level = groups::parted(&sizes, room);
        room -= level.iter().sum::<usize>();
        shares[start..end].copy_from_slice(&level);
        start = end;
    }
    shares
}

/// Takes those cases out of groups that count as rejected by a traceback that others
/// have as well, the most frequent first.
fn tracebacks<'a>(groups: &mut [Group<'a>]) -> Vec<Cause<'a>> {
    let mut times: HashMap<String, usize> = HashMap::new();
    for key in groups.iter().flat_map(|it| &it.families).filter_map(|it| traceback(it.case)) {
        *times.entry(key).or_default() += 1;
    }
    let is_shared = |family: &mut Family<'_>| {
        traceback(family.case).is_some_and(|key| times.get(&key).is_some_and(|it| *it > 1))
    };
    let mut taken: Vec<Family<'_>> =
        groups.iter_mut().flat_map(|it| it.families.extract_if(.., is_shared)).collect();
    taken.sort_by(|one, other| one.case.id.cmp(&other.case.id));
    let mut causes = gathered(taken, traceback);
    // Stable: equal ones stay by id.
    causes.sort_by_key(|cause| std::cmp::Reverse(cause.len()));
    causes
}

/// What makes cases that count as rejected by a traceback one cause: the output.
fn traceback(case: &CaseRecord) -> Option<String> {
    let told = judged(case) && prose::shows_traceback(case);
    // In quotes: where one ends and the other begins is a part of it.
    told.then(|| format!("{:?} {:?}", constant(&case.stderr), constant(&case.stdout)))
}

/// The causes of the failures of one group.
fn causes(families: Vec<Family<'_>>, apart: bool) -> Vec<Cause<'_>> {
    gathered(families, |case| if apart { None } else { likeness(case) })
}

/// Brings cases with the same key together; those without one stay alone.
fn gathered<'a>(
    families: Vec<Family<'a>>,
    key: impl Fn(&CaseRecord) -> Option<String>,
) -> Vec<Cause<'a>> {
    let mut causes: Vec<Cause<'_>> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for first in families {
        let key = key(first.case);
        match key.as_ref().and_then(|key| known.get(key)).copied() {
            Some(at) => causes[at].likewise.push(first),
            None => {
                known.extend(key.map(|key| (key, causes.len())));
                causes.push(Cause { first, likewise: Vec::new() });
            }
        }
    }
    causes
}

/// What makes failures of one group one cause: all that differs, and the output. None
/// where the output does not tell.
fn likeness(case: &CaseRecord) -> Option<String> {
    let decided = matches!(case.observed, Outcome::Decided { .. });
    if !judged(case) || (decided && case.stderr.trim().is_empty()) {
        return None;
    }
    // What is expected is no part of a failure without a decision.
    let differs = format!("{:?} {:?}", case.observed, case.judgement.mismatches);
    Some(format!("{:?}", [&differs, &case.stderr, &case.stdout].map(|text| constant(text))))
}

/// Whether nothing but what was observed decides what is told of a case.
fn judged(case: &CaseRecord) -> bool {
    matches!(case.disposition, Disposition::Judged | Disposition::Advisory(_))
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::*;
    use super::*;

    /// Each cause: its heading, its first case, and how many fail likewise.
    fn told(cases: &[CaseRecord], apart: bool) -> Vec<(String, String, usize)> {
        let sections = sections(cases, apart);
        let all: usize = sections.iter().map(Section::len).sum();
        assert_eq!(all, cases.len(), "no case is lost");
        let causes = sections.iter().flat_map(|section| {
            section.causes.iter().map(|cause| {
                let first = cause.first.case.id.as_str().to_owned();
                (section.name().to_owned(), first, cause.others().count())
            })
        });
        causes.collect()
    }

    fn says(mut case: CaseRecord, stderr: &str) -> CaseRecord {
        case.stderr = stderr.into();
        case
    }

    fn ends(id: &str, code: i32, stderr: &str) -> CaseRecord {
        let outcome = Outcome::WrongExit { code };
        let none = crate::core::Mismatch::NoDecision { outcome: outcome.clone(), rule: None };
        says(failing_case(id, outcome, &[(Level::Must, none)]), stderr)
    }

    #[test]
    fn what_ends_in_the_same_way_with_the_same_words_is_one_cause() {
        let at = |folder: &str| format!("no such file: /tmp/living-conformance-{folder}/in/a.yaml");
        let mut accepts = ends("manifest/d::strict", 2, &at("uvwXYZ"));
        accepts.expected.stance = crate::core::Stance::Accept;
        let cases = [
            ends("manifest/a::strict", 2, &at("Abc123")),
            ends("manifest/b::strict", 2, &at("dEf456")),
            ends("manifest/c::strict", 2, &at("dEf456").replace("a.yaml", "b.yaml")),
            accepts,
            ends("manifest/e::strict", 3, &at("Abc123")),
            ends("manifest/f::strict", 3, ""),
            ends("manifest/g::strict", 3, ""),
        ];
        let none = "no decision".to_owned();
        let cause = |id: &str, more| (none.clone(), format!("manifest/{id}::strict"), more);
        let grouped = [cause("a", 2), cause("c", 0), cause("e", 0), cause("f", 1)];
        assert_eq!(told(&cases, false), grouped);
        assert_eq!(told(&cases, true).len(), cases.len());
    }

    #[test]
    fn wrong_verdicts_are_one_cause_where_rule_and_words_are_the_same() {
        let case = |id: &str, rule: &str, stderr: &str| {
            says(stance_case(&format!("manifest/{id}::strict"), rule), stderr)
        };
        let (length, pattern) = ("manifest.project_id.max-length", "manifest.secrets.pattern");
        let mut other = case("e", length, "warning: x\n");
        other.stdout = "other words".into();
        let cases = [
            case("a", length, "warning: x\n"),
            case("b", length, "warning: x\n"),
            case("c", length, ""),
            case("d", length, ""),
            other,
            case("f", pattern, "warning: x\n"),
        ];
        let told: Vec<(String, usize)> =
            told(&cases, false).into_iter().map(|(_, id, more)| (id, more)).collect();
        let told: Vec<(&str, usize)> =
            told.iter().map(|(id, more)| (&id["manifest/".len()..][..1], *more)).collect();
        assert_eq!(told, [("a", 1), ("c", 0), ("d", 0), ("e", 0), ("f", 0)]);
    }

    #[test]
    fn one_traceback_is_one_cause_whatever_it_breaks() {
        let traceback = |line: usize| {
            format!("Traceback (most recent call last):\n  File \"a.py\", line {line}\nE: x\n")
        };
        let rejects = |id: &str, rule: &str, line: usize| {
            let mut case = stance_case(&format!("manifest/{id}::strict"), rule);
            case.observed = Outcome::Decided { accepted: false };
            says(case, &traceback(line))
        };
        let (length, pattern) = ("manifest.project_id.max-length", "manifest.secrets.pattern");
        let cases = [
            rejects("z", length, 3),
            rejects("b", pattern, 3),
            rejects("c", pattern, 4),
            says(extra_case("manifest/d::strict", "a.b"), &traceback(3)),
            says(stance_case("manifest/e::strict", length), &traceback(3)),
        ];
        let cause = |heading: &str, id: &str, more| {
            (heading.to_owned(), format!("manifest/{id}::strict"), more)
        };
        let expected = [
            cause("tracebacks", "b", 1),
            // It was accepted.
            cause(length, "e", 0),
            cause(pattern, "c", 0),
            // It weighs less.
            cause("a.b", "d", 0),
        ];
        assert_eq!(told(&cases, false), expected);
    }

    #[test]
    fn every_rule_has_its_share() {
        let case =
            |n: usize, rule: &str| stance_case(&format!("manifest/{rule}-{n}::strict"), rule);
        let mut cases: Vec<CaseRecord> =
            (0..9).map(|n| case(n, "manifest.project_id.max-length")).collect();
        cases.extend((0..2).map(|n| case(n, "manifest.secrets.pattern")));
        cases.extend((0..3).map(|n| extra_case(&format!("manifest/x{n}::strict"), "a.b")));
        let sections = sections(&cases, false);
        for (room, expected) in [
            (0, [0, 0, 0]),
            (1, [1, 0, 0]),
            (5, [3, 2, 0]),
            (12, [9, 2, 1]),
            (usize::MAX, [9, 2, 3]),
        ] {
            assert_eq!(shares(&sections, room), expected, "{room}");
        }
        assert!(shares(&[], 3).is_empty());
    }
}
