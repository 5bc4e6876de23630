//! From what a file says to a profile, or to all that is wrong with it.

use std::num::NonZeroUsize;

use regex::Regex;

use crate::core::{RuleTable, Suite};
use crate::data::{Problem, Source, nearest};
use crate::driver::template::names;

use super::fault::ProfileFault;
use super::file::{
    AskFile, ExitsFile, FindingsFile, LineFile, ProfileFile, RejectFile, RuleFile, SessionFile,
};
use super::lines::{Line, LineReader, Meaning};
use super::model::{Ask, Exits, Profile, Rejects, SessionAsk};
use super::named_rules::unknown_rules;
use super::place::pointer;
use super::shipped::Home;

/// The folders that names in braces stand for, wherever they stand.
const FOLDERS: [&str; 3] = ["schemas", "profile", "dir"];

/// What stands for parts of a finding in the name of a rule.
const RULE_PARTS: [&str; 2] = ["field", "word"];

/// The groups that a regular expression may name.
const GROUPS: [&str; 6] = ["rule", "field", "at", "value", "severity", "message"];

/// Collects what is wrong, each with its place.
struct Faults<'s> {
    source: &'s Source,
    problems: Vec<Problem>,
}

impl Faults<'_> {
    fn add(&mut self, at: &str, fault: &ProfileFault) {
        self.problems.push(self.source.problem(at, fault));
    }

    /// Holds the names in braces of a text against those that stand for something.
    fn names(&mut self, at: &str, text: &str, known: &[&str]) {
        for name in names(text).filter(|name| !known.contains(name)) {
            let known = known.iter().map(|&name| name.to_owned()).collect();
            self.add(at, &ProfileFault::UnknownName { name: name.to_owned(), known });
        }
    }

    fn all_names(&mut self, at: &str, texts: &[String], known: &[&str]) {
        for (index, text) in texts.iter().enumerate() {
            self.names(&format!("{at}/{index}"), text, known);
        }
    }

    fn regex(&mut self, at: &str, pattern: &str) -> Option<Regex> {
        let regex = match Regex::new(pattern) {
            Ok(regex) => regex,
            Err(error) => {
                // The last line says what is wrong; those before it draw it.
                let cause = error.to_string();
                let cause = cause.lines().last().unwrap_or_default().trim();
                let cause = cause.strip_prefix("error: ").unwrap_or(cause).to_owned();
                let pattern = pattern.to_owned();
                self.add(at, &ProfileFault::BadPattern { pattern, cause });
                return None;
            }
        };
        for name in regex.capture_names().flatten().filter(|name| !GROUPS.contains(name)) {
            self.add(at, &ProfileFault::UnknownGroup(name.to_owned()));
        }
        Some(regex)
    }
}

/// Checks a file, and its operations and rules against those of the suites.
pub(super) fn check(
    source: &Source,
    home: Home,
    suites: &[Suite],
    rules: &RuleTable,
) -> Result<Profile, Vec<Problem>> {
    let file: ProfileFile = source.parse().map_err(|problem| vec![problem])?;
    let mut faults = Faults { source, problems: Vec::new() };
    for (name, text) in [("profile", &file.profile), ("about", &file.about)] {
        if text.trim().is_empty() {
            faults.add(&format!("/{name}"), &ProfileFault::Blank("text"));
        }
    }
    if file.program.as_ref().is_some_and(|program| program.trim().is_empty()) {
        faults.add("/program", &ProfileFault::Blank("program"));
    }
    let is_variable = |name: &str| !name.is_empty() && !name.contains(['=', '\0']);
    for name in file.environment.keys().filter(|name| !is_variable(name)) {
        faults.add("/environment", &ProfileFault::BadVariable(name.clone()));
    }
    for (index, name) in file.pass_on.iter().enumerate().filter(|(_, name)| !is_variable(name)) {
        faults.add(&format!("/pass-on/{index}"), &ProfileFault::BadVariable(name.clone()));
    }
    check_names(&file, suites, &mut faults);
    for (at, fault) in unknown_rules(&file, suites, rules) {
        faults.add(&at, &fault);
    }
    if file.operations.as_ref().is_some_and(std::collections::BTreeMap::is_empty) {
        faults.add("/operations", &ProfileFault::Empty("operations"));
    }
    let operations = file.operations.map(|operations| {
        let checked = operations.into_iter().filter_map(|(name, ask)| {
            let ask = check_ask(&name, ask, &mut faults)?;
            Some((name, ask))
        });
        checked.collect()
    });
    let session = file.session.and_then(|session| check_session(session, &mut faults));
    let exits = match file.exits {
        None => Profile::contract().exits,
        Some(exits) => check_exits(exits, &mut faults),
    };
    let findings = file.findings.map(|findings| check_findings(findings, &mut faults));
    if !faults.problems.is_empty() {
        faults.problems.sort();
        return Err(faults.problems);
    }
    Ok(Profile {
        name: file.profile,
        about: file.about.trim().to_owned(),
        program: file.program,
        arguments: file.arguments,
        version: file.version.unwrap_or_else(|| Profile::contract().version),
        environment: file.environment,
        pass_on: file.pass_on,
        directory: file.directory,
        operations,
        session,
        exits,
        findings,
        home,
    })
}

/// Holds all names in braces against what they can stand for.
fn check_names(file: &ProfileFile, suites: &[Suite], faults: &mut Faults<'_>) {
    faults.names("/program", file.program.as_deref().unwrap_or_default(), &["profile"]);
    faults.names("/directory", file.directory.as_deref().unwrap_or_default(), &FOLDERS);
    faults.all_names("/arguments", &file.arguments, &FOLDERS);
    faults.all_names("/version", file.version.as_deref().unwrap_or_default(), &FOLDERS);
    let session = file.session.as_ref().map(|session| session.argv.as_slice());
    faults.all_names("/session/argv", session.unwrap_or_default(), &FOLDERS);
    for (name, value) in &file.environment {
        faults.names(&crate::yaml::join("/environment", name), value, &FOLDERS);
    }
    let operations = file.operations.iter().flatten();
    for (operation, ask) in operations {
        let at = crate::yaml::join("/operations", operation);
        let having = || suites.iter().filter(|suite| suite.operations.contains_key(operation));
        if having().next().is_none() {
            check_operation(&at, operation, file, suites, faults);
            continue;
        }
        let documents = having().flat_map(|suite| suite.documents.keys().map(String::as_str));
        let known: Vec<&str> = documents.chain(FOLDERS).collect();
        let argv = ask.argv.as_deref().unwrap_or_default();
        faults.all_names(&format!("{at}/argv"), argv, &known);
        faults.names(&format!("{at}/shell"), ask.shell.as_deref().unwrap_or_default(), &known);
    }
}

/// An operation that no suite has may be that of another one, for which the profile was
/// made; but not when it is written much like one that the profile lacks.
fn check_operation(
    at: &str,
    operation: &str,
    file: &ProfileFile,
    suites: &[Suite],
    faults: &mut Faults<'_>,
) {
    let has = |name: &&str| file.operations.as_ref().is_some_and(|all| all.contains_key(*name));
    let known = suites.iter().flat_map(|suite| suite.operations.keys().map(String::as_str));
    if let Some(near) = nearest(operation, known.filter(|name| !has(name))) {
        let (name, near) = (operation.to_owned(), near.to_owned());
        faults.add(&format!("{at}#"), &ProfileFault::UnknownOperation { name, near });
    }
}

fn check_ask(name: &str, ask: AskFile, faults: &mut Faults<'_>) -> Option<Ask> {
    let at = crate::yaml::join("/operations", name);
    let ask = match (ask.argv, ask.shell, ask.unsupported) {
        (Some(argv), None, None) => Ask::Argv(argv),
        (None, Some(text), None) => Ask::Shell(text),
        (None, None, Some(reason)) => Ask::Unsupported(reason),
        _ => {
            faults.add(&at, &ProfileFault::NotOneWay(name.to_owned()));
            return None;
        }
    };
    let (key, blank) = match &ask {
        Ask::Argv(_) => ("argv", None),
        Ask::Shell(text) => ("shell", text.trim().is_empty().then_some("text for the shell")),
        Ask::Unsupported(reason) => ("unsupported", reason.trim().is_empty().then_some("reason")),
    };
    if let Some(what) = blank {
        faults.add(&format!("{at}/{key}"), &ProfileFault::Blank(what));
    }
    Some(ask)
}

fn check_session(session: SessionFile, faults: &mut Faults<'_>) -> Option<SessionAsk> {
    match NonZeroUsize::new(session.in_flight.unwrap_or(1)) {
        Some(in_flight) => Some(SessionAsk { argv: session.argv, in_flight }),
        None => {
            faults.add("/session/in-flight", &ProfileFault::NoneInFlight);
            None
        }
    }
}

fn check_exits(exits: ExitsFile, faults: &mut Faults<'_>) -> Exits {
    let ExitsFile { accept, reject, broke } = exits;
    if accept.is_empty() {
        faults.add("/exits/accept", &ProfileFault::Empty("codes"));
    }
    let rejecting = match &reject {
        RejectFile::Codes(codes) => codes.as_slice(),
        RejectFile::Word(_) => &[],
    };
    if matches!(&reject, RejectFile::Codes(codes) if codes.is_empty()) {
        faults.add("/exits/reject", &ProfileFault::Empty("codes"));
    }
    let mut seen = std::collections::BTreeSet::new();
    for (key, codes) in [("accept", accept.as_slice()), ("reject", rejecting), ("broke", &broke)] {
        for (index, &code) in codes.iter().enumerate() {
            let at = format!("/exits/{key}/{index}");
            if !(0..=255).contains(&code) {
                faults.add(&at, &ProfileFault::BadCode(code));
            }
            if !seen.insert(code) {
                faults.add(&at, &ProfileFault::TwoMeanings(code));
            }
        }
    }
    let reject = match reject {
        RejectFile::Codes(codes) => Rejects::Codes(codes),
        RejectFile::Word(_) => Rejects::AllBut(broke),
    };
    Exits { accept, reject }
}

fn check_findings(findings: FindingsFile, faults: &mut Faults<'_>) -> LineReader {
    let FindingsFile { streams, lines, rules } = findings;
    if streams.is_empty() {
        faults.add("/findings/streams", &ProfileFault::Empty("streams"));
    }
    if lines.is_empty() {
        faults.add("/findings/lines", &ProfileFault::Empty("lines"));
    }
    let lines = lines
        .into_iter()
        .enumerate()
        .filter_map(|(index, line)| check_line(&format!("/findings/lines/{index}"), line, faults));
    let lines = lines.collect();
    let meanings = rules
        .into_iter()
        .enumerate()
        .map(|(index, rule)| check_meaning(&format!("/findings/rules/{index}"), rule, faults));
    let meanings = meanings.collect();
    LineReader { streams, lines, meanings }
}

fn check_line(at: &str, line: LineFile, faults: &mut Faults<'_>) -> Option<Line> {
    let pattern = faults.regex(&format!("{at}/match"), &line.pattern);
    let each_at = format!("{at}/each");
    let each = line.each.as_ref().and_then(|each| faults.regex(&each_at, each));
    let pattern = pattern?;
    let has = |regex: &Regex, name| regex.capture_names().flatten().any(|group| group == name);
    if each.is_some() && !has(&pattern, "value") {
        faults.add(&each_at, &ProfileFault::NoValue);
    }
    let named = has(&pattern, "rule") || each.as_ref().is_some_and(|each| has(each, "rule"));
    if !named && line.rule.is_none() {
        faults.add(at, &ProfileFault::NoRule);
    }
    check_place(&format!("{at}/at"), line.at.as_deref(), faults);
    let LineFile { escaped, rule, at, severity, .. } = line;
    Some(Line { pattern, each, escaped, rule, at, severity })
}

fn check_meaning(at: &str, rule: RuleFile, faults: &mut Faults<'_>) -> Meaning {
    if rule.word.is_empty() {
        faults.add(&format!("{at}/word"), &ProfileFault::Empty("words"));
    }
    let mut regex = |key: &str, pattern: &Option<String>| {
        pattern.as_ref().and_then(|pattern| faults.regex(&format!("{at}/{key}"), pattern))
    };
    let place = regex("place", &rule.place);
    let value = regex("value", &rule.value);
    faults.names(&format!("{at}/rule"), rule.rule.as_deref().unwrap_or_default(), &RULE_PARTS);
    check_place(&format!("{at}/at"), rule.at.as_deref(), faults);
    Meaning {
        words: rule.word,
        fields: rule.field,
        place,
        entry: rule.entry,
        value,
        rule: rule.rule,
        at: rule.at,
    }
}

fn check_place(at: &str, place: Option<&str>, faults: &mut Faults<'_>) {
    let is_pointer = |place: &&str| pointer(place).is_some_and(|pointer| pointer == **place);
    if let Some(place) = place.filter(|place| !is_pointer(place)) {
        faults.add(at, &ProfileFault::BadPlace(place.to_owned()));
    }
}
