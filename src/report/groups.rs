//! Failing cases, by the rule that they break first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::constant::constant;
use super::{escape, prose::cause};
use crate::core::{CaseRecord, Disposition, Level, Mismatch, RuleId, Variant};

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

/// Cases that break the same.
#[derive(Debug)]
pub(super) struct Group<'a> {
    /// They are no part of the releases of their suites.
    pub(super) advisory: bool,
    /// `MUST`, `SHOULD`, `MAY` or `-`: the weight of the failures.
    pub(super) level: Level,
    /// What they break.
    pub(super) heading: Heading,
    /// The cases, by id.
    pub(super) families: Vec<Family<'a>>,
}

/// A case that fails, and the same case on variants where it fails likewise.
#[derive(Debug)]
pub(super) struct Family<'a> {
    /// On the fixture itself, if it fails there.
    pub(super) case: &'a CaseRecord,
    /// On variants; empty where it fails once.
    pub(super) likewise: Vec<&'a CaseRecord>,
}

impl<'a> Group<'a> {
    /// Whether another group weighs as much.
    pub(super) fn weighs_as(&self, other: &Self) -> bool {
        (self.advisory, self.level) == (other.advisory, other.level)
    }

    /// All its cases.
    pub(super) fn cases(&self) -> impl Iterator<Item = &'a CaseRecord> {
        self.families.iter().flat_map(Family::cases)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.families.iter().map(Family::len).sum()
    }
}

impl<'a> Family<'a> {
    /// All its cases.
    pub(super) fn cases(&self) -> impl Iterator<Item = &'a CaseRecord> {
        std::iter::once(self.case).chain(self.likewise.iter().copied())
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        1 + self.likewise.len()
    }

    /// The names of the variants on which it fails likewise.
    pub(super) fn variants(&self) -> String {
        let names = self.likewise.iter().filter_map(|case| case.id.variant());
        names.map(escape::line).collect::<Vec<_>>().join(", ")
    }

    /// One case alone.
    pub(super) fn of(case: &'a CaseRecord) -> Self {
        Self { case, likewise: Vec::new() }
    }

    /// Brings cases that come by id together.
    fn all(cases: Vec<&'a CaseRecord>) -> Vec<Self> {
        let mut families: Vec<Self> = Vec::new();
        for case in cases {
            let alike = |family: &&mut Self| {
                family.case.id.plain() == case.id.plain()
                    && cause(family.case) == cause(case)
                    && said(family.case) == said(case)
            };
            // Those of one case come one after the other.
            match families.iter_mut().rev().take(MOST_KINDS).find(alike) {
                Some(family) => family.likewise.push(case),
                None => families.push(Self::of(case)),
            }
        }
        families
    }
}

/// What an implementation says of a case, whatever variant it is of: the words on standard
/// error without numbers, for lines and columns are others there, and the findings.
fn said(case: &CaseRecord) -> (String, Vec<(&str, Option<&str>)>) {
    let words = constant(&case.stderr).replace(|c: char| c.is_ascii_digit(), "");
    let findings = case.judgement.findings.iter();
    (words, findings.map(|it| (it.rule.as_str(), it.at.as_deref())).collect())
}

/// In how many ways one case can fail on its variants.
const MOST_KINDS: usize = 1 + Variant::ALL.len();

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
            Group { advisory, level, heading, families: Family::all(cases) }
        })
        .collect();
    // Stable: equal ones stay in the order of their headings.
    groups.sort_by_key(|group| (group.advisory, Reverse(group.level), Reverse(group.len())));
    groups
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
                let ids = group.cases().map(|case| case.id.as_str()).collect();
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
    fn a_case_and_its_variants_fail_together_where_they_fail_alike() {
        let stance = |id: &str| stance_case(id, "manifest.project_id.max-length");
        let mut other = stance("manifest/a::strict+json");
        if let Mismatch::Stance { expected, .. } = &mut other.judgement.mismatches[0].mismatch {
            *expected = crate::core::Stance::Accept;
        }
        let cases = [
            stance("manifest/a::strict+quoted"),
            other,
            stance("manifest/a::strict"),
            stance("manifest/a::lenient+bom"),
            stance("manifest/a::strict+crlf"),
            stance("manifest/a::lenient+crlf"),
            stance("manifest/b::strict+crlf"),
        ];
        let groups = group(&cases);
        let told: Vec<(&str, String)> = groups[0]
            .families
            .iter()
            .map(|family| (family.case.id.as_str(), family.variants()))
            .collect();
        assert_eq!(
            told,
            [
                ("manifest/a::lenient+bom", "crlf".to_owned()),
                ("manifest/a::strict", "crlf, quoted".to_owned()),
                ("manifest/a::strict+json", String::new()),
                ("manifest/b::strict+crlf", String::new()),
            ]
        );
        assert_eq!((groups[0].len(), groups[0].cases().count()), (7, 7));
        assert_eq!(groups[0].families.len(), 4);
    }

    #[test]
    fn a_variant_of_which_something_else_is_said_is_not_left_to_another() {
        let said = |id: &str, stderr: &str| {
            let mut case = stance_case(id, "manifest.project_id.max-length");
            case.stderr = stderr.to_owned();
            case
        };
        let cases = [
            said("manifest/a::strict", "a.yaml:3:1: out of memory"),
            said("manifest/a::strict+commented", "a.yaml:5:1: out of memory"),
            said("manifest/a::strict+crlf", "CR confuses us"),
        ];
        let groups = group(&cases);
        let families = groups[0].families.iter();
        let told: Vec<(&str, String)> =
            families.map(|it| (it.case.id.as_str(), it.variants())).collect();
        assert_eq!(
            told,
            [
                ("manifest/a::strict", "commented".to_owned()),
                ("manifest/a::strict+crlf", String::new()),
            ]
        );
    }
}
