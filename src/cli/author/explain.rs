//! `explain`: everything that is known of a rule, a fixture or a code.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;

use super::checkout::sources;
use super::codes;
use super::lint::{write_code, written_or_closed};
use crate::adequacy::{Equivalents, Mutant};
use crate::cli::varied::as_named;
use crate::cli::{Exit, Fatal};
use crate::core::{
    Effect, Fixture, LedgerEntry, Protocol, Rule, RuleTable, Shown, Stance, Suite, Variant,
};
use crate::counted::counted;
use crate::data::{Tree, nearest};
use crate::fixture::{LintCode, lint_code, lint_codes, load_all};
use crate::reference::Reference;
use crate::releases::{load_releases, told};
use crate::report::{escape, paragraph};
use crate::settings::Surroundings;
use crate::suites::{self, Suites};

/// How many lines of a document are shown.
const LINES: usize = 40;
/// How many fixtures of a rule are shown with their documents.
const FIXTURES: usize = 12;

/// The options of `explain`.
#[derive(Debug, Clone, Args)]
pub struct ExplainArgs {
    /// A rule, a fixture or one of its cases, an open question such as L4, the code of a
    /// diagnostic or a refusal, or a mutant
    #[arg(value_name = "RULE|CASE|CODE")]
    pub subject: String,

    /// Show every fixture of a rule with its documents
    #[arg(long)]
    pub all: bool,

    /// Take the suites from this directory [default: ./suites, or those in the program]
    #[arg(long, value_name = "DIR")]
    pub suites: Option<PathBuf>,

    /// Take the fixtures from this directory [default: ./fixtures, or those in the program]
    #[arg(long, value_name = "DIR")]
    pub fixtures: Option<PathBuf>,
}

/// Prints everything known of one thing.
///
/// # Errors
/// When there is no such thing, or the data is in error.
pub(super) fn explain_command(
    args: &ExplainArgs,
    surroundings: &Surroundings,
    out: &mut dyn Write,
) -> Result<Exit, Fatal> {
    let (suites_tree, fixtures_tree) = sources(args.suites.as_deref(), args.fixtures.as_deref());
    let suites = suites::load(&suites_tree)?;
    let fixtures = load_all(&fixtures_tree, &suites).fixtures;
    let equivalents = Equivalents::load(&suites_tree, &suites).unwrap_or_default();
    let mutants = Mutant::all(&suites.rules, &equivalents)
        .map_err(|error| Fatal::error(format!("failed to {error}")))?;
    let width = surroundings.width();
    let shown = if args.all { usize::MAX } else { FIXTURES };
    let (suites, fixtures, mutants) = (&suites, &fixtures, &mutants);
    let mut page = Explain { tree: &suites_tree, suites, fixtures, mutants, width, shown, out };
    match page.subject(&args.subject) {
        Some(Ok(written)) => written_or_closed(written).map(|()| Exit::Success),
        Some(Err(none)) => Err(none),
        None => Err(page.unknown(&args.subject)),
    }
}

struct Explain<'a> {
    /// The tree of the suites.
    tree: &'a Tree,
    suites: &'a Suites,
    fixtures: &'a [Fixture],
    mutants: &'a [Mutant],
    width: usize,
    shown: usize,
    out: &'a mut dyn Write,
}

impl Explain<'_> {
    /// Explains what has this name, when something has: what came of writing it, or that
    /// there is no such variant of the fixture.
    fn subject(&mut self, name: &str) -> Option<Result<io::Result<()>, Fatal>> {
        let table = &self.suites.rules;
        if let Some(rule) = table.rule_named(name) {
            return Some(Ok(self.rule(rule)));
        }
        if let Some((_, entry)) = table.ledger().find(|(_, entry)| entry.id.as_str() == name) {
            return Some(Ok(self.question(entry)));
        }
        if let Some(written) = self.code(name) {
            return Some(Ok(written));
        }
        let (fixture, case) = match name.rsplit_once("::") {
            Some((fixture, case)) => (fixture, case),
            None => (name, ""),
        };
        let (operation, variant) = match case.split_once('+') {
            Some((operation, variant)) => (operation, Some(variant)),
            None => (case, None),
        };
        let operation = (!operation.is_empty()).then_some(operation);
        let has_name = |found: &&Fixture| {
            found.id.as_str() == fixture || found.aliases.iter().any(|id| id.as_str() == fixture)
        };
        if let Some(found) = self.fixtures.iter().find(has_name)
            && operation.is_none_or(|operation| found.cases.contains_key(operation))
        {
            let suite = self.suites.suite(found.id.suite())?;
            let given = as_named(found, suite, variant);
            let releases = load_releases(self.tree, found.id.suite(), &|_, _| true);
            // What is wrong with their files is for lint to say.
            let told = told(found, table, &releases.unwrap_or_default());
            return Some(given.map(|fixture| self.fixture(&fixture, operation, variant, told)));
        }
        let mutant = self.mutants.iter().find(|mutant| mutant.id == name)?;
        Some(Ok(self.mutant(mutant)))
    }

    /// Explains a code, in all places in which it is printed.
    fn code(&mut self, name: &str) -> Option<io::Result<()>> {
        let lint = lint_code(name);
        let others: Vec<codes::Code> = codes::codes_named(name).collect();
        if lint.is_none() && others.is_empty() {
            return None;
        }
        Some(self.code_everywhere(lint, &others))
    }

    fn code_everywhere(
        &mut self,
        lint: Option<&LintCode>,
        others: &[codes::Code],
    ) -> io::Result<()> {
        if let Some(entry) = lint {
            write_code(entry, self.width, self.out)?;
        }
        for (index, other) in others.iter().enumerate() {
            if index > 0 || lint.is_some() {
                writeln!(self.out)?;
            }
            self.line(0, &format!("{} ({})", other.code, other.of))?;
            writeln!(self.out)?;
            self.text(0, other.what)?;
        }
        Ok(())
    }

    fn unknown(&self, name: &str) -> Fatal {
        let rules = self.suites.rules.rules().map(|(_, rule)| rule.id.as_str());
        let fixtures = self.fixtures.iter().map(|fixture| fixture.id.as_str());
        let codes = lint_codes().map(|code| code.code).chain(codes::all().map(|it| it.code));
        let fixture = name.rsplit_once("::").map_or(name, |(fixture, _)| fixture);
        let near = nearest(fixture, rules.chain(codes).chain(fixtures));
        let error = Fatal {
            exit: Exit::Nothing,
            message: format!("failed to find a rule, a fixture or a code {name:?}"),
            remedy: None,
        };
        error.with_remedy(match near {
            Some(near) => format!("did you mean {near}?"),
            None => "docs/ lists the rules, --list the cases, lint --explain the codes".to_owned(),
        })
    }

    /// A paragraph at an indentation.
    fn text(&mut self, indent: usize, text: &str) -> io::Result<()> {
        self.out.write_all(paragraph(text, indent, indent, self.width).as_bytes())
    }

    /// A line; what does not fit goes on below, indented more.
    fn line(&mut self, indent: usize, text: &str) -> io::Result<()> {
        self.out.write_all(paragraph(text, indent, indent + 2, self.width).as_bytes())
    }

    fn rule(&mut self, rule: &Rule) -> io::Result<()> {
        let suite = self.suites.rules.suite_of(&rule.id).unwrap_or_default();
        self.line(0, rule.id.as_str())?;
        self.text(2, &rule.statement)?;
        let head = format!(
            "{}, since {}, suite {suite}, section {:?} of the spec",
            rule.level, rule.since, rule.section
        );
        self.text(2, &head)?;
        for (operation, effect) in &rule.effect {
            let does = match effect {
                Effect::Reject => "rejects",
                Effect::Warn => "accepts, and warns",
            };
            self.text(2, &format!("{operation} {does} where it is broken"))?;
        }
        if rule.shown_by == Shown::Verdict {
            self.text(
                2,
                "It shows by the verdict or by the output as a whole; no finding has its id.",
            )?;
        } else {
            self.text(2, &format!("A finding of it names one of: {}", rule.names.join(", ")))?;
            self.text(2, &format!("Reporting it is a {}.", rule.report))?;
        }
        if let Some(reason) = &rule.excluded {
            self.text(2, &format!("No implementation under test shows it: {reason}"))?;
        }
        if let Some(reason) = &rule.schema {
            self.text(2, &format!("JSON Schema: {reason}"))?;
        }
        if let Some(before) = &rule.before {
            self.text(2, &format!("Before {} the same breaks {before}.", rule.since))?;
        }
        let entries: Vec<LedgerEntry> = rule
            .ledger
            .iter()
            .filter_map(|id| self.suites.rules.ledger_entry(id))
            .cloned()
            .collect();
        if !entries.is_empty() {
            writeln!(self.out, "\nopen questions that touch it")?;
        }
        for entry in entries {
            self.entry(2, &entry)?;
        }
        self.fixtures_of(rule)?;
        self.mutants_of(rule)
    }

    fn fixtures_of(&mut self, rule: &Rule) -> io::Result<()> {
        let deciding: Vec<&Fixture> =
            self.fixtures.iter().filter(|fixture| fixture.decides.contains(&rule.id)).collect();
        let finds = |fixture: &&Fixture| {
            let mut findings =
                fixture.cases.values().flat_map(|case| case.findings.iter().flatten());
            findings.any(|finding| finding.rule == rule.id)
        };
        let open =
            |fixture: &&Fixture| fixture.cases.values().all(|case| case.stance == Stance::Either);
        let (breaking, rest): (Vec<&Fixture>, Vec<&Fixture>) =
            deciding.into_iter().partition(finds);
        let (open, keeping): (Vec<&Fixture>, Vec<&Fixture>) = rest.into_iter().partition(open);
        let mut left = self.shown;
        let by_finding = rule.shown_by == Shown::Finding;
        let keep = if by_finding { "keep it" } else { "decide it" };
        for (what, fixtures) in [("break it", breaking), (keep, keeping), ("leave it open", open)] {
            if fixtures.is_empty() {
                continue;
            }
            writeln!(self.out, "\n{} that {what}", counted(fixtures.len(), "fixture"))?;
            for fixture in fixtures {
                self.brief(fixture)?;
                if left > 0 {
                    self.documents(fixture)?;
                    left -= 1;
                }
            }
        }
        if left == 0 && self.shown < usize::MAX {
            writeln!(self.out, "\n--all shows the documents of all of them")?;
        }
        Ok(())
    }

    /// A fixture in one line, and what is expected.
    fn brief(&mut self, fixture: &Fixture) -> io::Result<()> {
        let verdicts = fixture.cases.iter().map(|(name, case)| {
            let ledger: Vec<&str> = case.ledger.iter().map(|id| id.as_str()).collect();
            match ledger[..] {
                [] => format!("{name} {}", case.stance.as_str()),
                _ => format!("{name} {} ({})", case.stance.as_str(), ledger.join(", ")),
            }
        });
        let verdicts = verdicts.collect::<Vec<_>>().join(", ");
        self.line(2, &format!("{}: {verdicts}", fixture.id))?;
        if fixture.about.is_empty() { Ok(()) } else { self.text(4, &fixture.about) }
    }

    fn documents(&mut self, fixture: &Fixture) -> io::Result<()> {
        let columns = self.width.saturating_sub(8);
        for document in &fixture.documents {
            self.line(4, &document.path.to_string())?;
            let text = escape::from_bytes(&document.bytes);
            let count = text.lines().count();
            for line in escape::lines(&text, columns).take(LINES) {
                writeln!(self.out, "      | {line}")?;
            }
            if count > LINES {
                writeln!(self.out, "      ({} more)", counted(count - LINES, "line"))?;
            }
        }
        Ok(())
    }

    fn mutants_of(&mut self, rule: &Rule) -> io::Result<()> {
        let attacking: Vec<&Mutant> =
            self.mutants.iter().filter(|mutant| mutant.attacks.contains(&rule.id)).collect();
        if attacking.is_empty() {
            return Ok(());
        }
        writeln!(self.out, "\n{} that attack it", counted(attacking.len(), "mutant"))?;
        for mutant in attacking {
            let same = if mutant.equivalent.is_some() { " (equivalent)" } else { "" };
            self.line(2, &format!("{}{same}", mutant.id))?;
            self.text(4, &mutant.wrong)?;
        }
        Ok(())
    }

    fn mutant(&mut self, mutant: &Mutant) -> io::Result<()> {
        self.line(0, &format!("{} ({} mutant)", mutant.id, mutant.family.as_str()))?;
        self.text(2, &mutant.wrong)?;
        if let Some(reason) = &mutant.equivalent {
            self.text(2, &format!("No document tells it from the reference: {reason}"))?;
        }
        for rule in &mutant.attacks {
            self.line(2, &format!("attacks {rule}"))?;
        }
        Ok(())
    }

    fn question(&mut self, entry: &LedgerEntry) -> io::Result<()> {
        self.entry(0, entry)?;
        let table: &RuleTable = &self.suites.rules;
        let rules: Vec<&str> = table
            .rules()
            .filter(|(_, rule)| rule.ledger.contains(&entry.id))
            .map(|(_, rule)| rule.id.as_str())
            .collect();
        if !rules.is_empty() {
            writeln!(self.out, "\nrules that it touches")?;
            for rule in rules {
                self.line(2, rule)?;
            }
        }
        let touching: Vec<&Fixture> = self
            .fixtures
            .iter()
            .filter(|fixture| fixture.cases.values().any(|case| case.ledger.contains(&entry.id)))
            .collect();
        writeln!(self.out, "\n{} with it", counted(touching.len(), "fixture"))?;
        for fixture in touching {
            self.brief(fixture)?;
        }
        Ok(())
    }

    fn entry(&mut self, indent: usize, entry: &LedgerEntry) -> io::Result<()> {
        let class = serde_json::to_value(entry.class).unwrap_or_default();
        let class = class.as_str().unwrap_or_default();
        self.line(indent, &format!("{} ({class})", entry.id))?;
        self.text(indent + 2, &entry.question)?;
        for reading in &entry.readings {
            self.text(indent + 2, &format!("- {reading}"))?;
        }
        self.text(indent + 2, &format!("The suite: {}", entry.suite))
    }

    fn fixture(
        &mut self,
        fixture: &Fixture,
        operation: Option<&str>,
        variant: Option<&str>,
        released: Option<String>,
    ) -> io::Result<()> {
        self.brief(fixture)?;
        self.line(4, &fixture.location.to_string_lossy())?;
        let until = fixture.before.map_or(String::new(), |before| format!(", before {before}"));
        self.line(4, &format!("since {}{until}", fixture.since))?;
        if let Some(released) = released {
            self.text(4, &released)?;
        }
        let rules = self.suites.rules.clone();
        for id in &fixture.decides {
            self.line(2, &format!("decides {id}"))?;
            if let Some(rule) = rules.rule(id) {
                self.text(4, &format!("{}: {}", rule.level, rule.statement))?;
            }
        }
        if let Some(variant) = variant.and_then(|name| name.parse::<Variant>().ok()) {
            self.line(2, &format!("variant {variant}: the fixture {}", variant.about()))?;
        }
        self.documents(fixture)?;
        let wanted = |name: &str| operation.is_none_or(|operation| operation == name);
        for (name, case) in fixture.cases.iter().filter(|(name, _)| wanted(name)) {
            self.line(2, &format!("{name}: {}", case.stance.as_str()))?;
            let findings = case.findings.iter().flatten().map(|finding| ("expects", finding));
            let permitted = case.permitted.iter().map(|finding| ("permits", finding));
            for (word, finding) in findings.chain(permitted) {
                let at = match finding.at.as_str() {
                    "" => String::new(),
                    at => format!(" at {}", escape::name(at)),
                };
                self.line(4, &format!("{word} {}{at}", finding.rule))?;
            }
            for id in &case.ledger {
                if let Some(entry) = rules.ledger_entry(id) {
                    self.entry(4, entry)?;
                }
            }
            if let Some(suite) = self.suites.suite(fixture.id.suite()) {
                self.reference(fixture, suite, name)?;
            }
        }
        Ok(())
    }

    /// What the reference makes of it, at each version alike or one by one.
    fn reference(&mut self, fixture: &Fixture, suite: &Suite, operation: &str) -> io::Result<()> {
        let mut said: Vec<(Vec<Protocol>, Vec<String>)> = Vec::new();
        for &version in suite.protocols.iter().filter(|&&version| fixture.holds_at(version)) {
            let decided = Reference::new(version).decide(operation, &fixture.documents);
            let Some(ruling) = decided else { continue };
            let word = if ruling.accepted { "accepts" } else { "rejects" };
            let findings = ruling
                .reported()
                .map(|finding| format!("{}: {}", finding.rule, escape::line(&finding.message)));
            let lines: Vec<String> = std::iter::once(word.to_owned()).chain(findings).collect();
            match said.iter_mut().find(|(_, same)| *same == lines) {
                Some((versions, _)) => versions.push(version),
                None => said.push((vec![version], lines)),
            }
        }
        for (versions, lines) in said {
            let versions: Vec<String> = versions.iter().map(ToString::to_string).collect();
            let (word, findings) = lines.split_first().map_or(("", &[][..]), |(w, f)| (w, f));
            self.line(4, &format!("the reference {word} at {}", versions.join(", ")))?;
            for finding in findings {
                self.text(6, finding)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may panic")]
#[path = "explain_tests.rs"]
mod tests;
