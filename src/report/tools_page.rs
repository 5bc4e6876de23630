//! A page of the handbook: what tools that are not made for the protocol make of the
//! fixtures.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};

use super::markdown::plain;
use super::{Report, prose};
use crate::core::{
    CaseId, CaseRecord, Disposition, Expectation, Mismatch, Outcome, Protocol, RuleId, Stance,
    Tally, Weighed,
};

/// The class of which a schema can tell least: it warns.
const WARNS: &str = "validator-lenient";

/// What is kept of the run of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ToolResults {
    /// The profile by which it was run.
    pub profile: String,
    /// What it said of its version.
    pub version: Option<String>,
    /// The version of this program.
    pub program: String,
    /// The protocol version.
    pub protocol: Protocol,
    /// The identity of the suites and fixtures.
    pub suite_digest: String,
    /// For each class, how many cases came out how.
    pub classes: BTreeMap<String, Tally>,
    /// For each class, how the tool stands to it, in words.
    pub standings: BTreeMap<String, String>,
    /// The cases that it decides against the golden, or does not decide.
    pub wrong: Vec<WrongCase>,
    /// For each class, how it reports findings.
    pub findings: BTreeMap<String, ClassFindings>,
}

/// A case that is decided wrong, or not at all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct WrongCase {
    /// The case.
    pub case: CaseId,
    /// What its fixture is about.
    pub about: String,
    /// What it is to decide.
    pub expected: Stance,
    /// How it ended, in words that fit "it …".
    pub observed: String,
}

/// How findings are reported in the cases of a class.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ClassFindings {
    /// The sum over all rules.
    pub total: Reporting,
    /// The rules whose findings are not all reported, or are reported too often.
    pub rules: BTreeMap<RuleId, Reporting>,
}

/// How findings of a rule are reported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Reporting {
    /// How many are expected, over all cases.
    pub expected: usize,
    /// How many of these are missing.
    pub missing: usize,
    /// How many are reported that are not expected.
    pub extra: usize,
}

impl Reporting {
    fn sum(self, other: Self) -> Self {
        Self {
            expected: self.expected + other.expected,
            missing: self.missing + other.missing,
            extra: self.extra + other.extra,
        }
    }
}

impl ToolResults {
    /// What is to be kept of a run by this profile.
    #[must_use]
    pub fn of(profile: &str, report: &Report) -> Self {
        let header = &report.header;
        let standings = report.standings();
        let mut findings: BTreeMap<String, ClassFindings> = BTreeMap::new();
        for case in supported(report) {
            count(case, &mut findings.entry(case.class.clone()).or_default().rules);
        }
        for class in findings.values_mut() {
            class.total = class.rules.values().copied().fold(Reporting::default(), Reporting::sum);
            class.rules.retain(|_, it| it.missing + it.extra > 0);
        }
        Self {
            profile: profile.to_owned(),
            version: report.version().map(str::to_owned),
            program: header.program.clone(),
            protocol: header.protocol,
            suite_digest: header.suite_digest.clone(),
            classes: report.summary.classes.clone(),
            standings: standings.into_iter().map(|it| (it.class, it.text)).collect(),
            wrong: supported(report).filter_map(wrong).collect(),
            findings,
        }
    }

    /// How many cases there were.
    fn cases(&self) -> usize {
        self.classes.values().map(Tally::total).sum()
    }
}

fn supported(report: &Report) -> impl Iterator<Item = &CaseRecord> {
    let is_supported = |case: &&CaseRecord| {
        !matches!(case.disposition, Disposition::Unsupported { .. })
            && !matches!(case.observed, Outcome::Unsupported { .. })
    };
    report.cases.iter().filter(is_supported)
}

fn wrong(case: &CaseRecord) -> Option<WrongCase> {
    let is_wrong = |weighed: &Weighed| {
        matches!(weighed.mismatch, Mismatch::Stance { .. } | Mismatch::NoDecision { .. })
    };
    case.judgement.mismatches.iter().any(is_wrong).then(|| WrongCase {
        case: case.id.clone(),
        about: case.about.clone(),
        expected: case.expected.stance,
        observed: prose::outcome(&case.observed),
    })
}

fn count(case: &CaseRecord, rules: &mut BTreeMap<RuleId, Reporting>) {
    let Expectation { findings, .. } = &case.expected;
    for finding in findings.iter().flatten() {
        rules.entry(finding.rule.clone()).or_default().expected += 1;
    }
    for weighed in &case.judgement.mismatches {
        match &weighed.mismatch {
            Mismatch::Missing { finding, .. } => {
                rules.entry(finding.rule.clone()).or_default().missing += 1;
            }
            Mismatch::Extra { finding, .. } => {
                if let Ok(rule) = RuleId::new(&finding.rule) {
                    rules.entry(rule).or_default().extra += 1;
                }
            }
            _ => {}
        }
    }
}

/// Makes the page, as Markdown.
#[must_use]
pub fn tools_page(tools: &[ToolResults]) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write(tools, &mut text);
    text
}

fn write(tools: &[ToolResults], out: &mut String) -> fmt::Result {
    out.push_str(
        "<!-- Made from docs/tools.json. To run the tools and make both again:\n     \
         LIVING_CONFORMANCE_UPDATE=1 cargo test --test tools_page -- --ignored -->\n\n\
         # What tools make of the fixtures\n\n\
         Results of the tools and adapters that [profiles](profiles.md) are shipped for. Those that \
         hold a document against a schema are not made for the protocol: what they get wrong shows \
         how far the schemas go, and how well their parsers of YAML and their regular expressions \
         keep to the standards.\n\n",
    );
    for tool in tools {
        let version = tool.version.as_deref().unwrap_or("no version said");
        writeln!(
            out,
            "- `{}`: {}, at protocol {} by living-conformance {}, {} of the suites `{}`",
            tool.profile,
            plain(version),
            tool.protocol,
            tool.program,
            prose::count(tool.cases(), "case"),
            short(&tool.suite_digest),
        )?;
    }
    out.push_str("\nFixtures and tools of another version are not in it.\n");
    totals(tools, out)?;
    decisions(tools, out)?;
    reporting(tools, out)
}

/// The first digits of a digest.
fn short(digest: &str) -> &str {
    digest.get(..19).unwrap_or(digest)
}

fn totals(tools: &[ToolResults], out: &mut String) -> fmt::Result {
    out.push_str(
        "\n## In total\n\n\
         | tool | class | passed | MUST failed | SHOULD failed | errors | not supported | stands |\n\
         |---|---|---:|---:|---:|---:|---:|---|\n",
    );
    for tool in tools {
        for (class, tally) in &tool.classes {
            let stands = tool.standings.get(class).map(String::as_str).unwrap_or_default();
            writeln!(
                out,
                "| `{}` | {class} | {} | {} | {} | {} | {} | {} |",
                tool.profile,
                tally.passed,
                tally.failed,
                tally.failed_should,
                tally.errors,
                tally.unsupported,
                plain(stands),
            )?;
        }
    }
    Ok(())
}

fn decisions(tools: &[ToolResults], out: &mut String) -> fmt::Result {
    out.push_str("\n## What is decided wrong\n\n");
    let tools: Vec<_> = tools.iter().filter(|tool| !tool.wrong.is_empty()).collect();
    if tools.is_empty() {
        out.push_str("Nothing.\n");
        return Ok(());
    }
    out.push_str(
        "Cases that a tool accepts and is to reject, or the other way round, or does not decide.\n\n",
    );
    heading("fixture | mode | to be", tools.iter().map(|tool| tool.profile.as_str()), out)?;
    for Row { fixture, about, modes, cells } in rows(&tools) {
        let (modes, cells) = (modes.join(", "), cells.join(" | "));
        writeln!(out, "| `{fixture}`<br>{} | {modes} | {cells} |", plain(about))?;
    }
    Ok(())
}

/// A fixture with the operations for which all is the same.
struct Row<'a> {
    fixture: &'a str,
    about: &'a str,
    modes: Vec<&'a str>,
    cells: Vec<String>,
}

fn rows<'a>(tools: &[&'a ToolResults]) -> Vec<Row<'a>> {
    let mut cases: BTreeMap<&CaseId, &WrongCase> = BTreeMap::new();
    for wrong in tools.iter().flat_map(|tool| &tool.wrong) {
        cases.insert(&wrong.case, wrong);
    }
    let mut rows: Vec<Row<'a>> = Vec::new();
    for (id, any) in cases {
        let told = |tool: &&ToolResults| {
            let own = tool.wrong.iter().find(|wrong| wrong.case == *id);
            plain(own.map_or("", |wrong| wrong.observed.as_str()))
        };
        let expected = past(any.expected).to_owned();
        let cells: Vec<_> = std::iter::once(expected).chain(tools.iter().map(told)).collect();
        match rows.last_mut() {
            Some(row) if row.fixture == id.fixture() && row.cells == cells => {
                row.modes.push(id.operation());
            }
            _ => rows.push(Row {
                fixture: id.fixture(),
                about: &any.about,
                modes: vec![id.operation()],
                cells,
            }),
        }
    }
    rows
}

fn past(stance: Stance) -> &'static str {
    match stance {
        Stance::Accept => "accepted",
        Stance::Reject => "rejected",
        Stance::Either => "decided",
    }
}

fn reporting(tools: &[ToolResults], out: &mut String) -> fmt::Result {
    out.push_str(
        "\n## What is reported\n\n\
         A schema rejects or accepts, and does not warn. Of the findings that lenient mode \
         expects:\n\n",
    );
    for tool in tools {
        let it = tool.findings.get(WARNS).map(|class| class.total).unwrap_or_default();
        let reported = it.expected.saturating_sub(it.missing);
        writeln!(out, "- `{}` reports {reported} of {}", tool.profile, it.expected)?;
    }
    let others = |tool: &ToolResults| {
        let classes = tool.findings.iter().filter(|(class, _)| *class != WARNS);
        let mut all: BTreeMap<RuleId, Reporting> = BTreeMap::new();
        for (rule, it) in classes.flat_map(|(_, class)| &class.rules) {
            let sum = all.entry(rule.clone()).or_default();
            *sum = sum.sum(*it);
        }
        all
    };
    let tools: Vec<_> = tools.iter().map(|tool| (&tool.profile, others(tool))).collect();
    let tools: Vec<_> = tools.into_iter().filter(|(_, rules)| !rules.is_empty()).collect();
    out.push_str("\nIn the other modes, by rule:");
    if tools.is_empty() {
        out.push_str(" all of them, and no others.\n");
        return Ok(());
    }
    out.push_str("\n\n");
    heading("rule", tools.iter().map(|(name, _)| name.as_str()), out)?;
    let mut rules: Vec<&RuleId> = tools.iter().flat_map(|(_, rules)| rules.keys()).collect();
    rules.sort();
    rules.dedup();
    for rule in rules {
        write!(out, "| `{rule}`")?;
        for (_, own) in &tools {
            write!(out, " | {}", own.get(rule).map(told).unwrap_or_default())?;
        }
        out.push_str(" |\n");
    }
    Ok(())
}

fn told(it: &Reporting) -> String {
    let missing = (it.missing > 0).then(|| format!("{} of {} missing", it.missing, it.expected));
    let extra = (it.extra > 0).then(|| format!("{} too many", it.extra));
    missing.into_iter().chain(extra).collect::<Vec<_>>().join(", ")
}

fn heading<'a>(
    first: &str,
    tools: impl Iterator<Item = &'a str> + Clone,
    out: &mut String,
) -> fmt::Result {
    write!(out, "| {first} |")?;
    for tool in tools.clone() {
        write!(out, " `{tool}` |")?;
    }
    let columns = first.split('|').count() + tools.count();
    writeln!(out, "\n|{}", "---|".repeat(columns))
}
