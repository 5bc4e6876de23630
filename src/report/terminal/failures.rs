//! What failed, rule by rule, each case with all that is needed to understand it.

use super::super::groups::{self, Family, Heading};
use super::super::{Catalog, escape, prose, shell};
use super::causes::{self, Cause, Section, Title};
use super::excerpt;
use super::page::{Page, Role};
use crate::core::{
    CUT_BEFORE, CaseRecord, Disposition, Grade, Header, Level, Mismatch, Outcome, words_for,
};

/// How many rules are listed of those whose failures are not shown.
const LISTED: usize = 10;
/// How many lines of each output are shown: the end, where tools say why.
const OUTPUT_LINES: usize = 6;
/// How many columns of each line of them.
const LINE_COLUMNS: usize = 400;
/// How many lines of differing findings are shown.
const FINDING_LINES: usize = 8;
/// How many of the cases are named that fail like one that is shown.
const NAMED: usize = 3;
/// How many columns of one text from outside are shown.
const TEXT_COLUMNS: usize = 300;
/// Where what belongs to a case starts, where there is room.
const INDENT: usize = 8;
/// From how many columns on there is.
const WIDE: usize = 56;
/// How wide the names of its fields are.
const NAME: usize = 11;

/// Which failures are shown in full.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown {
    /// Every case by itself; else one of each cause.
    pub(super) all: bool,
    /// How many of them.
    pub(super) in_full: usize,
    /// Whether each case was named as it ended.
    pub(super) named: bool,
}

/// Writes the failures, most severe first.
pub(super) fn write(
    page: &mut Page,
    header: &Header,
    catalog: &Catalog,
    cases: &[CaseRecord],
    shown: Shown,
) {
    let mut above: Option<&Section<'_>> = None;
    let mut left: Vec<(Level, String, usize)> = Vec::new();
    let sections = causes::sections(cases, shown.all);
    let room = if shown.all { usize::MAX } else { shown.in_full };
    let shares = causes::shares(&sections, room);
    for (section, share) in sections.iter().zip(shares) {
        if share > 0 {
            if !above.is_some_and(|above| above.weighs_as(section)) {
                above = Some(section);
                level_heading(page, header, section, &sections);
            }
            heading(page, catalog, section);
            for cause in &section.causes[..share] {
                page.blank();
                family(page, header, catalog, &cause.first);
                likewise(page, cause, shown.named);
            }
        }
        if share < section.causes.len() {
            let name = section.name().to_owned();
            let cases = section.causes[share..].iter().map(Cause::len).sum();
            left.push((section.level, name, cases));
        }
    }
    rest(page, &left);
    if !sections.is_empty() {
        page.blank();
        let text = "`living-conformance explain CASE` tells what a case is about: its documents, \
                    its rules, and what is expected.";
        page.paragraph(0, Role::Plain, text);
    }
}

/// Names some of the cases that fail as the one above, and says how to see them all.
fn likewise(page: &mut Page, cause: &Cause<'_>, named: bool) {
    let number = cause.others().count();
    if number == 0 {
        return;
    }
    let indent = indent(page);
    let fail = if number == 1 { "fails" } else { "fail" };
    let such_as = if number > NAMED { ", such as" } else { ":" };
    let text = format!("and {} {fail} likewise{such_as}", prose::count(number, "more case"));
    page.paragraph(indent, Role::Strong, &text);
    for case in cause.others().take(NAMED) {
        page.paragraph(indent + 2, Role::Plain, case.id.as_str());
    }
    let names = if named || number <= NAMED { "" } else { ", -v names each" };
    page.paragraph(indent, Role::Faint, &format!("--show all shows each in full{names}"));
}

fn level_heading(page: &mut Page, header: &Header, first: &Section<'_>, sections: &[Section<'_>]) {
    let cases = || {
        let sections = sections.iter().filter(|section| section.weighs_as(first));
        sections.flat_map(Section::cases)
    };
    let number = cases().count();
    let noun = if first.advisory { "advisory case" } else { "case" };
    let verb = if number == 1 { "fails" } else { "fail" };
    let what = match first.level {
        Level::None => "a statement without a key word".into(),
        level => format!("a {level}"),
    };
    let mut text = format!("{} {verb} {what}", prose::count(number, noun));
    if !cases().any(|case| case.fails(header.enforce)) {
        text.push_str("; that does not fail the run");
    }
    page.blank();
    page.paragraph(0, Role::Strong, &text);
}

fn heading(page: &mut Page, catalog: &Catalog, section: &Section<'_>) {
    page.blank();
    let cases = prose::count(section.len(), "case");
    let (name, statement) = match &section.title {
        Title::Breaks(heading) => broken(catalog, heading, section.level),
        Title::Traceback => (
            section.name().to_owned(),
            "These count as rejected: a crash with exit code 1 is taken for a rejection. One case \
             is shown of each traceback, whatever rules the others break.",
        ),
    };
    page.paragraph(2, Role::Strong, &format!("{name}: {cases}"));
    page.paragraph(4, Role::Plain, statement);
}

/// What is broken, and what that says.
fn broken<'t>(catalog: &'t Catalog, heading: &Heading, level: Level) -> (String, &'t str) {
    match heading {
        Heading::Rule(id) => match catalog.rules.rule(id) {
            Some(rule) => (format!("{id} ({})", weight(level, rule.level)), &rule.statement),
            None => (id.to_string(), "No rule table has this rule."),
        },
        Heading::Unknown(name) => {
            (escape::clamped(name, 100), "This is reported, and no rule table has it.")
        }
        Heading::NoDecision => {
            ("no decision".into(), "Every case is to be accepted or rejected: exit code 0 or 1.")
        }
        Heading::DirectoryName => (
            "fixtures without a golden".into(),
            "The name of their directory says what is expected.",
        ),
    }
}

/// The key word of failures: that of the rule, unless they weigh more or less.
fn weight(level: Level, rule: Level) -> &'static str {
    let level = if rule.grade() == level.grade() { rule } else { level };
    match level {
        Level::None => "no key word",
        level => level.as_str(),
    }
}

/// One failing case in full, as text without colours.
#[must_use]
pub fn explain(header: &Header, catalog: &Catalog, failing: &CaseRecord) -> String {
    let mut page = Page::new(false, 80);
    family(&mut page, header, catalog, &Family::of(failing));
    page.into_text()
}

/// Writes one failing case, and on which variants it fails as well.
pub(super) fn family(page: &mut Page, header: &Header, catalog: &Catalog, family: &Family<'_>) {
    let case = family.case;
    let word = prose::word(case);
    let role = if case.fails(header.enforce) { Role::Bad } else { Role::Warning };
    let indent = indent(page);
    let label = format!("  {word:<6}");
    page.hanging(&label, role, Role::Strong, case.id.as_str());
    if !case.about.is_empty() {
        page.paragraph(indent, Role::Faint, &escape::clamped(&case.about, TEXT_COLUMNS));
    }
    if let Some(text) = prose::variant(&case.id) {
        page.paragraph(indent, Role::Faint, &text);
    }
    causes(page, header, case, role);
    verdicts(page, case);
    findings(page, catalog, case);
    let also = groups::also_broken(case);
    if !also.is_empty() {
        let ids: Vec<&str> = also.iter().map(|id| id.as_str()).collect();
        field(page, "also", Role::Plain, &ids.join(", "));
    }
    if let Some(text) = prose::likewise(family) {
        field(page, "variants", Role::Plain, &text);
    }
    output(page, "stdout", &case.stdout);
    output(page, "stderr", &case.stderr);
    if prose::shows_traceback(case) {
        field(page, "", Role::Faint, prose::TRACEBACK);
    }
    if let Some(fixture) = catalog.given_to(&case.id) {
        for line in excerpt::lines(&fixture, case, page.width() - indent, page.color()) {
            page.line(&format!("{:indent$}{line}", ""));
        }
    }
    field(page, "reproduce", Role::Plain, "");
    let words = header.reproducing(&case.id);
    for line in shell::wrapped(words.iter().map(String::as_str), page.width() - indent - 2) {
        page.line(&format!("{:width$}{line}", "", width = indent + 2));
    }
}

fn indent(page: &Page) -> usize {
    if page.width() < WIDE { 4 } else { INDENT }
}

/// The heaviest mismatch, and those that the difference of findings does not show.
fn causes(page: &mut Page, header: &Header, case: &CaseRecord, role: Role) {
    let by_itself = matches!(case.disposition, Disposition::Judged | Disposition::Advisory(_));
    if let Some(text) = prose::advisory(header, case) {
        page.paragraph(indent(page), role, &text);
    }
    if !by_itself {
        page.paragraph(indent(page), role, &escape::clamped(&prose::cause(case), TEXT_COLUMNS));
    }
    for (index, weighed) in case.judgement.mismatches.iter().enumerate() {
        let shown_below =
            matches!(weighed.mismatch, Mismatch::Missing { .. } | Mismatch::Extra { .. });
        let told = index == 0 && !by_itself;
        if !told && (index == 0 || !shown_below) {
            let text = escape::clamped(&prose::mismatch(&weighed.mismatch), TEXT_COLUMNS);
            page.paragraph(indent(page), role, &text);
        }
    }
}

fn field(page: &mut Page, name: &str, role: Role, text: &str) {
    let label = format!("{:indent$}{name:<NAME$}", "", indent = indent(page));
    page.hanging(&label, Role::Faint, role, text);
}

fn verdicts(page: &mut Page, case: &CaseRecord) {
    let observed = prose::observed(&case.observed);
    match &case.observed {
        Outcome::Decided { accepted } if case.expected.stance.admits(*accepted) => {
            field(page, "verdict", Role::Plain, &format!("{observed}, as expected"));
        }
        _ => {
            field(page, "expected", Role::Plain, case.expected.stance.as_str());
            field(page, "observed", Role::Plain, observed);
        }
    }
}

fn findings(page: &mut Page, catalog: &Catalog, case: &CaseRecord) {
    let missing = || {
        case.judgement.mismatches.iter().filter_map(|weighed| match &weighed.mismatch {
            Mismatch::Missing { finding, .. } => Some(finding),
            _ => None,
        })
    };
    let extra = case.judgement.mismatches.iter().filter_map(|weighed| match &weighed.mismatch {
        Mismatch::Extra { finding, .. } => {
            Some(("+", Role::Good, prose::reported_finding(finding)))
        }
        _ => None,
    });
    let differing: Vec<(&str, Role, String)> = missing()
        .map(|finding| ("-", Role::Bad, prose::expected_finding(finding)))
        .chain(extra)
        .collect();
    for (index, (sign, role, text)) in differing.iter().take(FINDING_LINES).enumerate() {
        let name = if index == 0 { "findings" } else { "" };
        let text = escape::clamped(text, TEXT_COLUMNS);
        if page.width() < WIDE {
            if index == 0 {
                field(page, name, Role::Faint, "");
            }
            page.hanging(&format!("      {sign} "), *role, *role, &text);
        } else {
            page.hanging(&format!("{:INDENT$}{name:<NAME$}{sign} ", ""), *role, *role, &text);
        }
    }
    if differing.len() > FINDING_LINES {
        let more = format!("and {} more", differing.len() - FINDING_LINES);
        field(page, "", Role::Faint, &more);
    }
    if case.stdout.is_empty() && missing().next().is_some() {
        return field(page, "", Role::Faint, "nothing was printed to standard output");
    }
    if let Some(hint) = prose::unnamed_hint(case) {
        field(page, "", Role::Faint, hint);
    }
    let first = missing().next().filter(|_| case.judgement.grade == Grade::Text);
    if let Some(finding) = first.filter(|finding| catalog.rules.rule(&finding.rule).is_some()) {
        let mut names = vec![finding.rule.as_str().to_owned()];
        names.extend(words_for(finding, &catalog.rules).map(|word| escape::name(&word).into()));
        let hint = format!("no line of the output names {}", names.join(" or "));
        field(page, "", Role::Faint, &escape::clamped(&hint, TEXT_COLUMNS));
    }
}

fn output(page: &mut Page, name: &str, text: &str) {
    let narrow = page.width() < WIDE;
    let (indent, names) = if narrow { (indent(page) + 2, 0) } else { (INDENT, NAME) };
    let room = page.width() - indent - names - 2;
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let hidden = lines.len().saturating_sub(OUTPUT_LINES);
    let mut shown: Vec<(Role, String)> = Vec::new();
    if hidden > 0 {
        let before = match lines[0].strip_prefix(CUT_BEFORE) {
            Some(_) => "earlier lines are left out".to_owned(),
            None => format!("{} before", prose::count(hidden, "line")),
        };
        shown.push((Role::Faint, escape::clamped(&format!("({before})"), room)));
    }
    let tail = lines[hidden..].iter().flat_map(|line| escape::lines(line, LINE_COLUMNS));
    shown.extend(tail.map(|line| (Role::Plain, line)));
    if narrow && !shown.is_empty() {
        field(page, name, Role::Faint, "");
    }
    let bar = page.paint(Role::Faint, "|");
    for (index, (role, line)) in shown.into_iter().enumerate() {
        let name = if index == 0 && !narrow { name } else { "" };
        let mut start = format!("{}{bar}", page.paint(Role::Faint, &format!("{name:<names$}")));
        for piece in escape::broken(&line, room) {
            let piece = page.paint(role, piece);
            page.line(&format!("{:indent$}{start} {piece}", ""));
            // What goes on has no bar: that begins a line of the output.
            start = " ".repeat(names + 1);
        }
    }
}

fn rest(page: &mut Page, left: &[(Level, String, usize)]) {
    let cases: usize = left.iter().map(|(_, _, cases)| cases).sum();
    if cases == 0 {
        return;
    }
    page.blank();
    let text = format!("and {}; --show all shows them", prose::count(cases, "more failure"));
    page.paragraph(0, Role::Strong, &text);
    for (level, name, cases) in left.iter().take(LISTED) {
        page.hanging(&format!("  {level:<8} {cases:>5}  "), Role::Plain, Role::Plain, name);
    }
    if left.len() > LISTED {
        let more = prose::count(left.len() - LISTED, "more rule");
        page.paragraph(2, Role::Plain, &format!("and of {more}"));
    }
}
