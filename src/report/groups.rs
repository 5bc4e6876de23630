//! Failing cases, by the rule that they break first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::core::{CaseRecord, Disposition, Level, Mismatch, RuleId};

/// What failing cases are grouped under.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Heading {
    /// A rule.
    Rule(RuleId),
    /// No rule asks for a decision, and there was none.
    NoDecision,
    /// The fixture has no golden, so that no rule is known.
    DirectoryName,
    /// A reported rule that no table has, as it was written.
    Unknown(String),
}

impl Heading {
    /// The rule's id, or words in its place, as they came.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Rule(id) => id.as_str(),
            Self::NoDecision => "no decision",
            Self::DirectoryName => "the name of the directory",
            Self::Unknown(name) => name,
        }
    }
}

/// Cases that fail alike.
#[derive(Debug)]
pub(super) struct Group<'a> {
    /// They are no part of the releases of their suites.
    pub(super) advisory: bool,
    /// `MUST`, `SHOULD`, `MAY` or `-`: the weight of the failures.
    pub(super) level: Level,
    /// What they break.
    pub(super) heading: Heading,
    /// The cases, by id.
    pub(super) cases: Vec<&'a CaseRecord>,
}

impl Group<'_> {
    /// Whether another group weighs as much.
    pub(super) fn weighs_as(&self, other: &Self) -> bool {
        (self.advisory, self.level) == (other.advisory, other.level)
    }
}

/// Whether a case did not pass, or not always, and no list expected that. One that
/// passed against the list is told of with the list.
pub(super) fn failed(case: &CaseRecord) -> bool {
    case.is_failure() && !matches!(case.disposition, Disposition::UnexpectedPass(_))
}

/// The weight of a failure. A case that was decided in two ways, both of which the
/// golden takes, weighs what its fixture does.
pub(super) fn level(case: &CaseRecord) -> Level {
    match (&case.disposition, case.judgement.level.grade()) {
        (Disposition::Flaky { .. }, Level::None) => case.weight.grade(),
        (_, level) => level,
    }
}

/// Groups what did not pass: what counts first, of that the most severe, then what fails
/// most often.
pub(super) fn group<'a>(cases: impl IntoIterator<Item = &'a CaseRecord>) -> Vec<Group<'a>> {
    let mut groups: BTreeMap<(bool, Level, Heading), Vec<&CaseRecord>> = BTreeMap::new();
    for case in cases.into_iter().filter(|case| failed(case)) {
        let key = (case.is_advisory(), level(case), heading(case));
        groups.entry(key).or_default().push(case);
    }
    let mut groups: Vec<Group<'_>> = groups
        .into_iter()
        .map(|((advisory, level, heading), mut cases)| {
            cases.sort_by(|one, other| one.id.cmp(&other.id));
            Group { advisory, level, heading, cases }
        })
        .collect();
    // Stable: equal ones stay in the order of their headings.
    groups.sort_by_key(|group| (group.advisory, Reverse(group.level), Reverse(group.cases.len())));
    groups
}

/// How many cases of each group to show when there is room for `room`: level by
/// level, and within a level every group gets one before any gets another, so that
/// one rule that often fails does not hide the others.
pub(super) fn shares(groups: &[Group<'_>], room: usize) -> Vec<usize> {
    let mut shares = vec![0; groups.len()];
    let mut room = room;
    let mut start = 0;
    while let Some(first) = groups.get(start) {
        let end = groups.iter().rposition(|group| group.weighs_as(first)).unwrap_or(start) + 1;
        let sizes: Vec<usize> = groups[start..end].iter().map(|it| it.cases.len()).collect();
        let level = parted(&sizes, room);
        room -= level.iter().sum::<usize>();
        shares[start..end].copy_from_slice(&level);
        start = end;
    }
    shares
}

/// Parts room among groups of these sizes: each gets one before any gets another.
pub(super) fn parted(sizes: &[usize], mut room: usize) -> Vec<usize> {
    let mut shares = vec![0; sizes.len()];
    loop {
        let before = room;
        for (share, size) in shares.iter_mut().zip(sizes) {
            if room > 0 && *share < *size {
                *share += 1;
                room -= 1;
            }
        }
        if room == before {
            return shares;
        }
    }
}

/// What a failing case is grouped under: what its heaviest mismatch breaks.
pub(super) fn heading(case: &CaseRecord) -> Heading {
    let Some(weighed) = case.judgement.mismatches.first() else { return Heading::NoDecision };
    match (weighed.rules().into_iter().next(), &weighed.mismatch) {
        (_, Mismatch::Extra { finding, known: false }) => Heading::Unknown(finding.rule.clone()),
        (Some(rule), _) => Heading::Rule(rule),
        (None, Mismatch::Stance { .. }) => Heading::DirectoryName,
        (None, Mismatch::Extra { finding, .. }) => Heading::Unknown(finding.rule.clone()),
        (None, _) => Heading::NoDecision,
    }
}

/// The rules that a case breaks besides that of its heading and those of the
/// findings that it lacks.
pub(super) fn also_broken(case: &CaseRecord) -> Vec<RuleId> {
    let heading = heading(case);
    let mut rules: Vec<RuleId> = case
        .judgement
        .mismatches
        .iter()
        .filter(|weighed| {
            !matches!(weighed.mismatch, Mismatch::Extra { .. } | Mismatch::Missing { .. })
        })
        .flat_map(crate::core::Weighed::rules)
        .filter(|rule| heading != Heading::Rule(rule.clone()))
        .collect();
    rules.sort();
    rules.dedup();
    rules
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    #[test]
    fn most_severe_first_then_most_often() {
        let cases = [
            extra_case("manifest/a::strict", "manifest.project_id.charset"),
            stance_case("manifest/c::strict", "manifest.secrets.pattern"),
            stance_case("manifest/b::strict", "manifest.project_id.max-length"),
            stance_case("manifest/a::strict", "manifest.project_id.max-length"),
            passing_case("manifest/z::strict"),
            crash_case("manifest/y::strict"),
            extra_case("manifest/x::strict", "no such thing"),
        ];
        let groups = group(&cases);
        let told: Vec<(&str, &str, Vec<&str>)> = groups
            .iter()
            .map(|group| {
                let ids = group.cases.iter().map(|case| case.id.as_str()).collect();
                (group.level.as_str(), group.heading.name(), ids)
            })
            .collect();
        assert_eq!(
            told,
            [
                (
                    "MUST",
                    "manifest.project_id.max-length",
                    vec!["manifest/a::strict", "manifest/b::strict"]
                ),
                ("MUST", "manifest.secrets.pattern", vec!["manifest/c::strict"]),
                ("MUST", "no decision", vec!["manifest/y::strict"]),
                ("SHOULD", "manifest.project_id.charset", vec!["manifest/a::strict"]),
                ("SHOULD", "no such thing", vec!["manifest/x::strict"]),
            ]
        );
    }

    #[test]
    fn every_rule_has_its_share() {
        let case =
            |n: usize, rule: &str| stance_case(&format!("manifest/{rule}-{n}::strict"), rule);
        let mut cases: Vec<CaseRecord> =
            (0..9).map(|n| case(n, "manifest.project_id.max-length")).collect();
        cases.extend((0..2).map(|n| case(n, "manifest.secrets.pattern")));
        cases.extend((0..3).map(|n| extra_case(&format!("manifest/x{n}::strict"), "a.b")));
        let groups = group(&cases);
        for (room, expected) in [
            (0, [0, 0, 0]),
            (1, [1, 0, 0]),
            (5, [3, 2, 0]),
            (12, [9, 2, 1]),
            (usize::MAX, [9, 2, 3]),
        ] {
            assert_eq!(shares(&groups, room), expected, "{room}");
        }
        assert!(shares(&[], 3).is_empty());
    }
}
