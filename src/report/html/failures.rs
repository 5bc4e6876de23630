//! What failed in each run, by rule, most severe first.

use super::super::groups::{self, Heading};
use super::super::{Catalog, escape, prose as say};
use super::column::Column;
use super::mark::Mark;
use super::result::key_word;
use super::source::{Words, fragment, prose};

/// How many failures of a run are listed without a click.
const OPEN: usize = 30;

/// The failures of a run.
pub(super) struct RunFailures {
    /// The run.
    pub(super) column: String,
    /// How many cases failed.
    pub(super) cases: usize,
    /// Whether they are shown without a click.
    pub(super) open: bool,
    /// The failures by rule.
    pub(super) groups: Vec<FailureGroup>,
}

/// Failures that break the same rule.
pub(super) struct FailureGroup {
    /// The key word.
    pub(super) level: &'static str,
    /// The class in the style sheet.
    pub(super) class: &'static str,
    /// The rule's id, or words in its place.
    pub(super) name: String,
    /// The link to the rule; empty where there is none.
    pub(super) href: String,
    /// What the rule requires.
    pub(super) statement: Vec<Words>,
    /// How many cases there are.
    pub(super) cases: usize,
    /// The cases, those on variants with the one on the fixture.
    pub(super) families: Vec<FailingCase>,
}

/// A failing case in one line.
pub(super) struct FailingCase {
    /// The id.
    pub(super) id: String,
    /// The link.
    pub(super) href: String,
    /// What it came to.
    pub(super) mark: Mark,
    /// Why it failed.
    pub(super) cause: String,
    /// Where else it fails likewise; empty where it does not.
    pub(super) likewise: String,
}

/// The failures of all runs that have some.
pub(super) fn runs(columns: &[Column<'_>], catalog: &Catalog) -> Vec<RunFailures> {
    let runs = columns.iter().map(|column| {
        let groups = groups::group(&column.report.cases);
        let cases = groups.iter().map(groups::Group::len).sum();
        RunFailures {
            column: column.label(),
            cases,
            open: columns.len() == 1 && cases <= OPEN,
            groups: groups.iter().map(|group| view(group, column, catalog)).collect(),
        }
    });
    runs.filter(|run| run.cases > 0).collect()
}

fn view(group: &groups::Group<'_>, column: &Column<'_>, catalog: &Catalog) -> FailureGroup {
    let (href, statement) = match &group.heading {
        Heading::Rule(id) => {
            let known = column.report.rules.contains_key(id);
            let statement = catalog.rules.rule(id).map(|rule| rule.statement.as_str());
            let href = if known { fragment(id.as_str()) } else { String::new() };
            (href, statement.unwrap_or_default())
        }
        Heading::Unknown(_) => (String::new(), "This is reported, and no rule table has it."),
        Heading::NoDecision => {
            (String::new(), "Every case is to be accepted or rejected: exit code 0 or 1.")
        }
        Heading::DirectoryName => {
            (String::new(), "The name of the fixture's directory says what is expected.")
        }
    };
    let family = |family: &groups::Family<'_>| FailingCase {
        id: escape::line(family.case.id.as_str()).into_owned(),
        href: fragment(family.case.id.as_str()),
        mark: Mark::of(Some(family.case)),
        cause: escape::clamped(&say::cause(family.case), 200),
        likewise: say::likewise(family).unwrap_or_default(),
    };
    FailureGroup {
        level: if group.advisory { "advisory" } else { key_word(group.level) },
        class: if group.advisory {
            Mark::Advisory.class()
        } else {
            Mark::broken(group.level).class()
        },
        name: escape::clamped(group.heading.name(), 200),
        href,
        statement: prose(statement),
        cases: group.len(),
        families: group.families.iter().map(family).collect(),
    }
}
