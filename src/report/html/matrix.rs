//! Rules × implementations.

use std::collections::BTreeMap;

use super::super::document::RuleReport;
use super::super::{Catalog, escape, prose as say};
use super::cases::{Cases, FixtureLinks};
use super::column::Column;
use super::mark::{Mark, Traits};
use super::result::{key_word, level_class};
use super::source::{Words, prose};
use crate::adequacy::Adequacy;
use crate::core::{Cover, RuleId};

/// Rules of a suite that stand under one heading of the spec.
pub(super) struct Section {
    /// The suite.
    pub(super) suite: String,
    /// The heading.
    pub(super) title: String,
    /// The rules, by id.
    pub(super) rules: Vec<RuleRow>,
}

/// A rule.
pub(super) struct RuleRow {
    /// The id.
    pub(super) id: String,
    /// Its part that the suite's name does not say.
    pub(super) short: String,
    /// The key word.
    pub(super) level: &'static str,
    /// Its weight.
    pub(super) class: &'static str,
    /// The release that brought it.
    pub(super) since: String,
    /// What it requires.
    pub(super) statement: Vec<Words>,
    /// What the fixtures do for it.
    pub(super) cover: String,
    /// How many implementations that break it the fixtures catch; empty if unknown.
    pub(super) adequacy: String,
    /// What the filter looks for besides.
    pub(super) traits: String,
    /// The open questions that touch it.
    pub(super) ledger: Vec<String>,
    /// How it fared in each run.
    pub(super) cells: Vec<RuleCell>,
    /// The cases that decide it.
    pub(super) fixtures: Vec<FixtureLinks>,
}

/// How a rule fared in a run.
pub(super) struct RuleCell {
    /// The class in the style sheet.
    pub(super) class: &'static str,
    /// The sign; empty where a word says it.
    pub(super) sign: &'static str,
    /// A number or a word.
    pub(super) text: String,
    /// What follows it in small.
    pub(super) of: String,
    /// The same in a sentence.
    pub(super) label: String,
}

/// How each rule fared in each run.
pub(super) fn rules<'a>(
    columns: &[Column<'a>],
) -> BTreeMap<&'a RuleId, Vec<Option<&'a RuleReport>>> {
    let mut rules = BTreeMap::new();
    for (index, column) in columns.iter().enumerate() {
        for (id, rule) in &column.report.rules {
            rules.entry(id).or_insert_with(|| vec![None; columns.len()])[index] = Some(rule);
        }
    }
    rules
}

/// The matrix, in the order of the rule tables.
pub(super) fn sections(
    columns: &[Column<'_>],
    cases: &Cases<'_>,
    catalog: &Catalog,
    measured: Option<&Adequacy>,
) -> Vec<Section> {
    let mut sections: BTreeMap<(&str, usize, &str), Vec<RuleRow>> = BTreeMap::new();
    for (id, reports) in rules(columns) {
        let Some(first) = reports.iter().flatten().next() else { continue };
        let mut others = catalog.rules.rules_of(&first.suite);
        let place = others.position(|rule| rule.section == first.section).unwrap_or(usize::MAX);
        let rows = sections.entry((&first.suite, place, &first.section)).or_default();
        let adequacy = measured.map_or_else(String::new, |measured| adequacy(id, measured));
        rows.push(RuleRow { adequacy, ..row(id, first, &reports, cases, catalog) });
    }
    let section = |((suite, _, title), rules): ((&str, usize, &str), Vec<RuleRow>)| Section {
        suite: escape::line(suite).into_owned(),
        title: escape::clamped(title, 200),
        rules,
    };
    sections.into_iter().map(section).collect()
}

fn row(
    id: &RuleId,
    rule: &RuleReport,
    reports: &[Option<&RuleReport>],
    cases: &Cases<'_>,
    catalog: &Catalog,
) -> RuleRow {
    let some = || reports.iter().flatten();
    let (broken, kept) = (some().any(|it| it.broken > 0), some().any(|it| it.met > 0));
    let traits = Traits {
        broken,
        kept,
        differs: broken && some().any(|it| it.broken == 0 && it.met > 0),
        open: matches!(rule.cover, Cover::Unresolved { .. }),
        unshown: reports.iter().any(|it| it.is_none_or(|it| it.broken + it.met == 0)),
    };
    let ledger = catalog.rules.rule(id).map(|rule| &rule.ledger).into_iter().flatten();
    let prefix = format!("{}.", rule.suite);
    RuleRow {
        id: id.as_str().to_owned(),
        short: id.as_str().strip_prefix(&prefix).unwrap_or(id.as_str()).to_owned(),
        level: key_word(rule.level),
        class: level_class(rule.level),
        since: rule.since.to_string(),
        statement: prose(&rule.statement),
        cover: cover(&rule.cover),
        adequacy: String::new(),
        traits: traits.words(),
        ledger: ledger.map(|id| id.as_str().to_owned()).collect(),
        cells: reports.iter().map(|report| cell(*report)).collect(),
        fixtures: cases.deciding(id),
    }
}

fn cell(rule: Option<&RuleReport>) -> RuleCell {
    let word = |class, word: &str, label: &str| RuleCell {
        class,
        sign: "",
        text: word.to_owned(),
        of: String::new(),
        label: label.to_owned(),
    };
    let Some(rule) = rule else {
        return word("absent", "–", "not a rule of that protocol version");
    };
    let all = rule.met + rule.broken;
    match (&rule.cover, rule.met, rule.broken) {
        (_, _, 1..) => {
            let mark = Mark::broken(rule.level);
            RuleCell {
                class: mark.class(),
                sign: mark.sign(),
                text: rule.broken.to_string(),
                of: format!("/{all}"),
                label: format!("broken in {} of {}", rule.broken, say::count(all, "case")),
            }
        }
        (_, 1.., 0) => RuleCell {
            class: Mark::Pass.class(),
            sign: Mark::Pass.sign(),
            text: rule.met.to_string(),
            of: String::new(),
            label: format!("kept in {}", say::count(rule.met, "case")),
        },
        (Cover::Covered { .. }, ..) => word("absent", "not run", "no case of it was run"),
        (Cover::Excluded { .. }, ..) => word("absent", "excluded", "no implementation can show it"),
        (Cover::Unresolved { .. }, ..) => word("open", "open", "the spec leaves it open"),
        (Cover::Uncovered, ..) => word("gap", "no case", "no fixture decides it"),
    }
}

fn adequacy(id: &RuleId, measured: &Adequacy) -> String {
    let kills = measured.rules.get(id);
    kills.filter(|kills| kills.all > 0).map_or_else(String::new, |kills| {
        format!(
            "Of {} that break it on purpose, the fixtures catch {}.",
            say::count(kills.all, "implementation"),
            kills.killed
        )
    })
}

fn cover(cover: &Cover) -> String {
    match cover {
        Cover::Covered { accepting, rejecting, isolating } => format!(
            "Covered by {accepting} accepting and {}; in {isolating} nothing else is broken.",
            say::count(*rejecting, "rejecting fixture")
        ),
        Cover::Excluded { reason } => {
            format!("Excluded, no implementation under test can show it: {}", escape::line(reason))
        }
        Cover::Unresolved { ledger } => {
            let ids: Vec<&str> = ledger.iter().map(|id| id.as_str()).collect();
            format!("Open in the spec ({}); every fixture that decides it is.", ids.join(", "))
        }
        Cover::Uncovered => "No fixture decides it.".to_owned(),
    }
}
