//! Which rules the fixtures decide, for people, pages and programs.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use serde::Serialize;

use super::figures::{FiguresFormat, Table, percent};
use super::{Report, escape, json, markdown, paragraph, prose};
use crate::adequacy::{Adequacy, Kills};
use crate::core::{
    Cover, CoverGroups, CoverTotals, Coverage, Level, Protocol, Release, RuleId, RuleTable, Suite,
    classes_of,
};

/// The schema that the JSON document follows, in its first version.
const SCHEMA: &str = "urn:living-conformance:schema:coverage:1";

/// A coverage report. Its denominator is the rule table.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CoverageReport {
    schema: &'static str,
    /// The program's version.
    program: &'static str,
    /// The suites, each with the version of its data.
    suites: BTreeMap<String, String>,
    /// The protocol version of each suite.
    protocols: BTreeMap<String, Protocol>,
    /// The run, when it is a run that is looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<RunBasis>,
    /// The share of the covered among the rules that can be shown, in percent;
    /// with a run, of those that it exercised.
    percent: f64,
    totals: CoverTotals,
    #[serde(flatten)]
    groups: CoverGroups,
    rules: BTreeMap<RuleId, Row>,
}

/// The run whose report was looked at.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
struct RunBasis {
    implementation: String,
    /// Whether it was a run of the same suites and fixtures.
    same_data: bool,
    /// How many covered rules it exercised.
    exercised: usize,
    /// Covered rules of which it ran no case, or decided none.
    not_exercised: usize,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Row {
    suite: String,
    level: Level,
    since: Release,
    section: String,
    classes: BTreeSet<String>,
    cover: Cover,
    #[serde(skip_serializing_if = "Option::is_none")]
    mutants: Option<Kills>,
    /// What a run showed of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<Exercised>,
}

/// The cases of a run that decide a rule.
#[derive(Debug, Clone, Copy, Default, Serialize)]
struct Exercised {
    kept: usize,
    broken: usize,
}

impl Exercised {
    fn any(self) -> bool {
        self.kept + self.broken > 0
    }
}

/// What a coverage report is made of.
#[derive(Debug, Clone, Copy)]
pub struct CoverageBasis<'a> {
    /// The suites, with the protocol version of each.
    pub suites: &'a [(Suite, Protocol)],
    /// Their rules.
    pub rules: &'a RuleTable,
    /// Which rules the fixtures decide.
    pub coverage: &'a Coverage,
    /// What the fixtures do to mutants.
    pub adequacy: &'a Adequacy,
    /// The report of a run, and whether it was one of the same data.
    pub run: Option<(&'a Report, bool)>,
}

impl CoverageReport {
    /// Puts together what is known.
    #[must_use]
    pub fn new(basis: &CoverageBasis<'_>) -> Self {
        let suites: Vec<Suite> = basis.suites.iter().map(|(suite, _)| suite.clone()).collect();
        let rows = basis.coverage.rules.iter().filter_map(|(id, cover)| {
            let rule = basis.rules.rule(id)?;
            let exercised = basis.run.map(|(report, _)| {
                let row = report.rules.get(id);
                row.map_or_else(Exercised::default, |row| Exercised {
                    kept: row.met,
                    broken: row.broken,
                })
            });
            let row = Row {
                suite: basis.rules.suite_of(id).unwrap_or_default().to_owned(),
                level: rule.level,
                since: rule.since,
                section: rule.section.clone(),
                classes: classes_of(&suites, basis.rules, rule)
                    .into_iter()
                    .map(str::to_owned)
                    .collect(),
                cover: cover.clone(),
                mutants: basis.adequacy.rules.get(id).copied(),
                run: exercised,
            };
            Some((id.clone(), row))
        });
        let rules: BTreeMap<RuleId, Row> = rows.collect();
        let run = basis.run.map(|(report, same_data)| {
            let covered =
                || rules.values().filter(|row| matches!(row.cover, Cover::Covered { .. }));
            let exercised = covered().filter(|row| row.run.is_some_and(Exercised::any)).count();
            RunBasis {
                implementation: report.header.implementation.name.clone(),
                same_data,
                exercised,
                not_exercised: covered().count() - exercised,
            }
        });
        let totals = basis.coverage.totals;
        let percent = match &run {
            None => totals.percent(),
            Some(run) => CoverTotals {
                covered: run.exercised,
                uncovered: totals.uncovered + run.not_exercised,
                ..totals
            }
            .percent(),
        };
        Self {
            schema: SCHEMA,
            program: env!("CARGO_PKG_VERSION"),
            suites: suites.iter().map(|s| (s.suite.clone(), s.version.clone())).collect(),
            protocols: basis.suites.iter().map(|(s, at)| (s.suite.clone(), *at)).collect(),
            run,
            percent,
            totals,
            groups: basis.coverage.groups(&suites, basis.rules),
            rules,
        }
    }

    /// The share of the covered, or exercised, among the rules that an
    /// implementation can show, in percent.
    #[must_use]
    pub fn percent(&self) -> f64 {
        self.percent
    }

    /// Writes it; text in lines of `width` columns.
    ///
    /// # Errors
    /// When `out` fails.
    pub fn write(
        &self,
        format: FiguresFormat,
        width: usize,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        match format {
            FiguresFormat::Json => json::write_pretty(self, out),
            FiguresFormat::Text => self.text(width, out),
            FiguresFormat::Markdown => self.markdown(out),
        }
    }

    fn text(&self, width: usize, out: &mut dyn Write) -> io::Result<()> {
        self.table().write_text(width, out)?;
        if !self.reasons().is_empty() {
            writeln!(out, "\nexcluded")?;
        }
        for reason in self.reasons() {
            write!(out, "{}", paragraph(&reason, 2, 4, width))?;
        }
        for table in self.tables() {
            writeln!(out)?;
            table.write_text(width, out)?;
        }
        writeln!(out)?;
        for line in self.lines() {
            write!(out, "{}", paragraph(&line, 0, 0, width))?;
        }
        Ok(())
    }

    fn markdown(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "# Coverage\n")?;
        for line in self.lines() {
            writeln!(out, "{}\n", markdown::plain(&line))?;
        }
        for table in self.tables() {
            table.write_markdown(out)?;
            writeln!(out)?;
        }
        self.table().write_markdown(out)?;
        if !self.reasons().is_empty() {
            writeln!(out, "\n## Excluded\n")?;
        }
        for reason in self.reasons() {
            writeln!(out, "- {}", markdown::plain(&reason))?;
        }
        Ok(())
    }

    fn table(&self) -> Table {
        let mut head = vec!["rule", "level", "accepting", "rejecting", "isolating", "mutants"];
        head.extend(self.run.as_ref().map(|_| "run"));
        head.push("cover");
        let mut table = Table::new(&head);
        for (rule, row) in &self.rules {
            let mut figures = vec![row.level.to_string()];
            let (fixtures, note) = match &row.cover {
                Cover::Covered { accepting, rejecting, isolating } => {
                    let counts = [accepting, rejecting, isolating].map(ToString::to_string);
                    (counts, "covered".to_owned())
                }
                Cover::Excluded { .. } => (dashes(), "excluded".to_owned()),
                Cover::Unresolved { ledger } => {
                    let ledger: Vec<&str> = ledger.iter().map(|id| id.as_str()).collect();
                    (dashes(), format!("unresolved ({})", ledger.join(", ")))
                }
                Cover::Uncovered => (dashes(), "uncovered".to_owned()),
            };
            figures.extend(fixtures);
            figures.push(match &row.mutants {
                Some(kills) if kills.all > 0 => format!("{}/{}", kills.killed, kills.all),
                _ => "-".to_owned(),
            });
            figures.extend(row.run.map(|run| match run {
                run if !run.any() => "-".to_owned(),
                Exercised { kept, broken: 0 } => format!("{kept} kept"),
                Exercised { kept, broken } => format!("{kept} kept, {broken} broken"),
            }));
            figures.push(note);
            table.row(rule.as_str(), figures);
        }
        table
    }

    /// Why rules are excluded: each reason with its rules.
    fn reasons(&self) -> Vec<String> {
        let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (rule, row) in &self.rules {
            if let Cover::Excluded { reason } = &row.cover {
                reasons.entry(reason.as_str()).or_default().push(rule.as_str());
            }
        }
        reasons
            .into_iter()
            .map(|(reason, rules)| format!("{}: {reason}", rules.join(", ")))
            .collect()
    }

    fn tables(&self) -> [Table; 3] {
        let table = |name: &str, groups: &BTreeMap<String, CoverTotals>| {
            let head = [name, "covered", "excluded", "unresolved", "uncovered", "rules"];
            let mut table = Table::new(&head);
            for (name, totals) in groups {
                table.row(name, totals_row(totals));
            }
            table
        };
        let mut levels = table("level", &self.groups.levels);
        levels.row("all", totals_row(&self.totals));
        [levels, table("release", &self.groups.releases), table("class", &self.groups.classes)]
    }

    fn lines(&self) -> Vec<String> {
        let totals = &self.totals;
        let shown = totals.rules() - totals.excluded;
        let mut lines = vec![format!(
            "coverage: {} of {shown} rules that an implementation can show, {}; \
             of {} {} are excluded, {} unresolved, {} uncovered",
            totals.covered,
            percent(totals.percent()),
            prose::count(totals.rules(), "rule"),
            totals.excluded,
            totals.unresolved,
            totals.uncovered
        )];
        if let Some(run) = &self.run {
            lines.push(format!(
                "run of {}: {} of {shown} rules exercised, {}",
                escape::clamped(&run.implementation, 200),
                run.exercised,
                percent(self.percent)
            ));
            if !run.same_data {
                lines.push("the run was of other suites or fixtures than these".to_owned());
            }
        }
        lines
    }
}

fn dashes() -> [String; 3] {
    ["-", "-", "-"].map(str::to_owned)
}

fn totals_row(totals: &CoverTotals) -> [String; 5] {
    [totals.covered, totals.excluded, totals.unresolved, totals.uncovered, totals.rules()]
        .map(|number| number.to_string())
}
