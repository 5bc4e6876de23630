//! Profiles from the command line: what is shipped, and one to start from.

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::args::ReachArgs;
use super::exit::{Exit, Fatal, written};
use super::guard::{guard, interrupt};
use super::reach::config;
use super::run::not_started;
use super::values::Variable;
use crate::core::{
    Fixture, Observation, Operation, Outcome, Protocol, RuleTable, Stance, Suite, reported,
};
use crate::corpus::Corpus;
use crate::data::{embedded_file, printable};
use crate::driver::{
    Connection, Driver, ExecConfig, ExecDriver, Interrupt, Profile, Request, SessionConfig,
    SessionDriver, find_profile, read_profile, shipped_profiles,
};
use crate::report::hanging;
use crate::settings::Surroundings;

/// What to do with profiles.
#[derive(Debug, Clone, Subcommand)]
pub enum ProfileCommand {
    /// Try the contract on an implementation, and write a profile to start from
    New(Box<NewArgs>),
    /// List the profiles that are shipped
    List,
    /// Print a shipped profile, to make another one of it
    Show {
        /// The name of the profile
        name: String,
    },
}

/// What to make a profile of.
#[derive(Debug, Clone, Args)]
pub struct NewArgs {
    /// How the implementation is reached.
    #[command(flatten)]
    pub reach: ReachArgs,
}

/// Does what was asked for; profiles go to `out`.
///
/// # Errors
/// When there is no such profile, or the implementation cannot be started.
pub(super) fn profile_command(
    command: &ProfileCommand,
    surroundings: &Surroundings,
    out: &mut dyn Write,
) -> Result<Exit, Fatal> {
    let text = match command {
        ProfileCommand::New(args) => start(&args.reach)?,
        ProfileCommand::List => list(surroundings.width()),
        ProfileCommand::Show { name } => show(name)?,
    };
    written("the profile", out.write_all(text.as_bytes()).and_then(|()| out.flush()))?;
    Ok(Exit::Success)
}

fn list(columns: usize) -> String {
    let names = shipped_profiles();
    let width = names.iter().map(String::len).max().unwrap_or_default();
    let lines = names.iter().filter_map(|name| {
        let about = find_profile(name, &[], &RuleTable::default()).ok()?.about;
        // Up to the first full stop that ends a sentence.
        let first = about.split_once(". ").map_or(about.as_str(), |(first, _)| first);
        Some(hanging(name, width + 2, first.trim_end_matches('.'), columns))
    });
    lines.collect()
}

fn show(name: &str) -> Result<String, Fatal> {
    find_profile(name, &[], &RuleTable::default()).map_err(|faults| {
        Fatal::error(faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    })?;
    let bytes = embedded_file(&format!("docs/adapters/{name}.yaml")).unwrap_or_default();
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

/// Tries the contract and writes down what came of it.
fn start(args: &ReachArgs) -> Result<String, Fatal> {
    if args.reference || args.profile().is_some() || args.library().is_some() {
        return Err(Fatal::error("a profile is for a program, and begins with the contract")
            .with_remedy("name the program with --impl; profile show NAME prints one to change"));
    }
    let corpus = Corpus::load(None, None)?;
    let interrupt = interrupt()?;
    let _guard = guard(&interrupt);
    let config = config(args, &Profile::contract())?;
    let given = config.clone();
    is_text(&given)?;
    let started = |error| not_started(&error);
    let driver = ExecDriver::new(config, &interrupt).map_err(started)?;
    let mut connection = driver.connect(0).map_err(started)?;
    let mut text = beginning(&given, &driver);
    environment(args, &mut text);
    text.push_str(match takes_up_session(&given, &interrupt) {
        true => {
            "# It takes up a session, which saves its start for each case:\n\
                 session: {argv: [session]}\n"
        }
        false => "# It takes up no session when asked by session.\n",
    });
    let reads_findings = operations(&corpus, connection.as_mut(), &mut text)?;
    text.push_str(
        "\n# What is in no list means that it broke.\nexits: {accept: [0], reject: [1]}\n\n",
    );
    text.push_str(if reads_findings {
        "# Findings were read as the contract has them. Write how otherwise, if need be:\n"
    } else {
        "# No findings were read. A line that names a field or a rule counts as free text; to map\n\
         # the tool's own words to rules:\n"
    });
    text.push_str(
        "# findings:\n\
         #   streams: [stdout, stderr]\n\
         #   lines:\n\
         #     - {match: '^error: (?<at>\\S+): (?<value>.*) is too long$', rule: max-length}\n\
         #   rules:\n\
         #     - {word: [max-length], rule: 'manifest.{field}.max-length'}\n",
    );
    usable(&text, &corpus)?;
    Ok(text)
}

/// Refuses what a file of text cannot name.
fn is_text(config: &ExecConfig) -> Result<(), Fatal> {
    let mut words = std::iter::once(&config.program).chain(&config.args);
    match words.find(|word| word.to_str().is_none()) {
        None => Ok(()),
        Some(word) => {
            let word = printable(&word.to_string_lossy());
            Err(Fatal::error(format!("failed to name {word:?} in a profile: it is not UTF-8"))
                .with_remedy("give it another name, or a link to it"))
        }
    }
}

/// Whether what was written can be read: a name may have braces in it, which stand for
/// something else there.
fn usable(text: &str, corpus: &Corpus) -> Result<(), Fatal> {
    let cannot = |error: &std::io::Error| {
        Fatal::error(format!("failed to read the profile again: {error}"))
            .with_remedy("see that the temporary folder can be written")
    };
    let folder = tempfile::tempdir().map_err(|error| cannot(&error))?;
    let path = folder.path().join("profile.yaml");
    std::fs::write(&path, text).map_err(|error| cannot(&error))?;
    let suites = &corpus.suites;
    read_profile(&path, &suites.suites, &suites.rules).map(|_| ()).map_err(|problems| {
        let lines = problems.iter().map(|problem| format!("failed to {}", problem.message));
        let lines = lines.collect::<Vec<_>>().join("\n");
        Fatal::error(format!("a profile of it could not be used\n{lines}"))
            .with_remedy("give the program or the argument a name without braces, or a link to it")
    })
}

/// What the profile is for, and how the program is called.
fn beginning(config: &ExecConfig, driver: &ExecDriver) -> String {
    // The profile may be used from elsewhere; a bare name is found there as well.
    let is_bare = Path::new(&config.program).components().count() == 1;
    let program = if is_bare { config.program.as_os_str() } else { driver.program().as_os_str() };
    let name = driver.program().file_stem().unwrap_or_default().to_string_lossy();
    let mut text = format!(
        "# How to ask {} for cases. The contract was tried on it; what came of that stands\n\
         # beside each operation. docs/profiles.md explains every key.\n\
         profile: {}\nabout: What it does, and what it cannot do.\nprogram: {}\n",
        printable(&name),
        yaml(&name),
        yaml(&program.to_string_lossy()),
    );
    if !config.args.is_empty() {
        let list = config.args.iter().map(|argument| yaml(&argument.to_string_lossy()));
        let _ = writeln!(text, "arguments: [{}]", list.collect::<Vec<_>>().join(", "));
    }
    match driver.version() {
        Some(version) => {
            let _ = writeln!(text, "# It says: {}\nversion: [--version]", printable(&version));
        }
        None => {
            text.push_str("# It did not say its version when asked by --version.\nversion: []\n")
        }
    }
    text
}

/// Tries each operation and writes what came of it; whether findings were read.
fn operations(
    corpus: &Corpus,
    connection: &mut dyn Connection,
    text: &mut String,
) -> Result<bool, Fatal> {
    text.push_str(
        "\n\
         # Names in braces are paths: the documents of the case, {schemas}, {profile}, {dir}.\n\
         operations:\n",
    );
    let (mut grades, mut usage) = (Vec::new(), None);
    let fixtures: Vec<_> = corpus.fixtures.iter().map(AsRef::as_ref).collect();
    for suite in corpus.suites.suites.iter().filter(|suite| suite.default) {
        for (operation, spec) in &suite.operations {
            let rules = &corpus.suites.rules;
            let grades = &mut grades;
            let mut trial = Trial { connection, suite, operation, spec, rules, grades };
            let is_odd = !trial.write(&fixtures, text)?;
            if is_odd && usage.is_none() {
                usage = Some(trial.usage(&fixtures)?);
            }
        }
    }
    if let Some(usage) = usage.filter(|usage| !usage.is_empty()) {
        let _ = writeln!(text, "\n# What it prints when asked by --help:\n{usage}");
    }
    Ok(grades.contains(&true))
}

/// The variables that were given, or examples of them.
fn environment(args: &ReachArgs, text: &mut String) {
    let (set, passed): (Vec<_>, Vec<_>) = args.env.iter().partition(|it| it.value().is_some());
    let pair =
        |it: &&Variable| format!("{}: {}", yaml(it.name()), yaml(it.value().unwrap_or_default()));
    let set: Vec<_> = set.iter().map(pair).collect();
    let _ = match set.is_empty() {
        true => writeln!(text, "# environment: {{NO_COLOR: \"1\"}}   # to set"),
        false => writeln!(text, "environment: {{{}}}", set.join(", ")),
    };
    let passed: Vec<_> = passed.iter().map(|it| yaml(it.name())).collect();
    let _ = match passed.is_empty() {
        true => writeln!(text, "# pass-on: [JAVA_HOME]            # of your own environment"),
        false => writeln!(text, "pass-on: [{}]", passed.join(", ")),
    };
}

/// Whether the program answers to the messages of a session, as the contract has them.
fn takes_up_session(config: &ExecConfig, interrupt: &Interrupt) -> bool {
    const PATIENCE: Duration = Duration::from_secs(5);
    let mut session = SessionConfig::new(config.clone());
    session.start_timeout = config.timeout.min(PATIENCE);
    let driver = SessionDriver::new(session, interrupt);
    driver.is_ok_and(|driver| driver.connect(0).is_ok())
}

/// The contract, tried for one operation.
struct Trial<'t> {
    connection: &'t mut dyn Connection,
    suite: &'t Suite,
    operation: &'t str,
    spec: &'t Operation,
    rules: &'t RuleTable,
    /// For each output with findings due, whether some were read.
    grades: &'t mut Vec<bool>,
}

impl Trial<'_> {
    /// Writes the operation, and says whether it is as the contract has it.
    fn write(&mut self, fixtures: &[&Fixture], text: &mut String) -> Result<bool, Fatal> {
        let (mut decided, mut is_hanging) = (true, false);
        for (stance, what) in [(Stance::Accept, "accepted"), (Stance::Reject, "rejected")] {
            let Some(fixture) = self.example(fixtures, stance) else { continue };
            if is_hanging {
                let _ = writeln!(text, "  # To be {what}, {}: not tried after that", fixture.id);
                continue;
            }
            let seen = self.ask(fixture)?;
            let told = told(&seen);
            is_hanging = matches!(seen.outcome, Outcome::TimedOut { .. });
            decided &= seen.outcome == Outcome::Decided { accepted: stance == Stance::Accept };
            if stance == Stance::Reject {
                self.grades.push(reported(&seen, self.rules).is_some_and(|it| !it.is_empty()));
            }
            let _ = writeln!(text, "  # To be {what}, {}: {told}", fixture.id);
        }
        if !decided {
            text.push_str(
                "  # Not what the contract asks for: correct it, or say why there is none.\n",
            );
        }
        let argv: Vec<_> = self.spec.argv.iter().map(|argument| yaml(argument)).collect();
        let _ = writeln!(text, "  {}:\n    argv: [{}]", self.operation, argv.join(", "));
        if !decided {
            text.push_str("    # shell: '\"$@\" check {manifest} 2>&1'\n");
            text.push_str("    # unsupported: why it does not have the operation\n");
        }
        Ok(decided)
    }

    /// The first lines of what it says of itself, as comments.
    fn usage(&mut self, fixtures: &[&Fixture]) -> Result<String, Fatal> {
        const LINES: usize = 20;
        let Some(fixture) = self.example(fixtures, Stance::Accept) else {
            return Ok(String::new());
        };
        let spec = Operation { argv: vec!["--help".to_owned()], ..self.spec.clone() };
        let seen = self.run(fixture, &spec)?;
        let text = String::from_utf8_lossy(&[seen.stdout, seen.stderr].concat()).into_owned();
        let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
        let lines = lines.take(LINES).map(|line| {
            let line: String = line.chars().take(100).collect();
            format!("#   {}", printable(&line))
        });
        Ok(lines.collect::<Vec<_>>().join("\n"))
    }

    /// The first fixture for which the operation has a firm verdict and, where it is
    /// accepted, nothing to report.
    fn example<'f>(&self, fixtures: &[&'f Fixture], stance: Stance) -> Option<&'f Fixture> {
        let fits = |fixture: &&&Fixture| {
            fixture.id.suite() == self.suite.suite
                && fixture.before.is_none()
                && fixture.cases.get(self.operation).is_some_and(|case| {
                    let findings = case.findings.as_ref().map_or(0, Vec::len);
                    case.stance == stance && (findings == 0) == (stance == Stance::Accept)
                })
        };
        fixtures.iter().find(fits).copied()
    }

    fn ask(&mut self, fixture: &Fixture) -> Result<Observation, Fatal> {
        self.run(fixture, self.spec)
    }

    fn run(&mut self, fixture: &Fixture, spec: &Operation) -> Result<Observation, Fatal> {
        let protocol = self.suite.latest_protocol().unwrap_or(Protocol::new(0, 1));
        let operation = self.operation;
        let request = Request { fixture, variant: None, operation, spec, protocol };
        self.connection.run(&request).map_err(|error| match error {
            crate::driver::DriverError::NotStarted(error) => not_started(&error),
            interrupted => Fatal::error(format!("failed to {interrupted}")),
        })
    }
}

/// How a case ended, and the first line of what was written, for a comment.
fn told(seen: &Observation) -> String {
    let how = match &seen.outcome {
        Outcome::Decided { accepted: true } => "exit code 0".to_owned(),
        Outcome::Decided { accepted: false } => "exit code 1".to_owned(),
        Outcome::WrongExit { code } => format!("exit code {code}"),
        Outcome::Crashed { by } => format!("ended by {by}"),
        Outcome::TimedOut { limit_ms } => format!("not done after {limit_ms} ms"),
        Outcome::Flooded { stream, .. } => format!("too much on {}", stream.as_str()),
        Outcome::Tampered { what } | Outcome::BrokeProtocol { what } => what.clone(),
        Outcome::Unsupported { reason } => reason.clone(),
    };
    const MOST: usize = 60;
    let first = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        let line = text.lines().map(str::trim).find(|line| !line.is_empty())?.to_owned();
        Some(line.chars().take(MOST).collect::<String>())
    };
    let streams = [("stdout", &seen.stdout), ("stderr", &seen.stderr)];
    let said = streams
        .into_iter()
        .filter_map(|(name, bytes)| Some(format!("; {name}: {}", printable(&first(bytes)?))));
    printable(&how) + &said.collect::<String>()
}

/// A text as a YAML scalar.
fn yaml(text: &str) -> String {
    /// What is something else than a text to one YAML or another.
    const WORDS: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let is_word = WORDS.iter().any(|word| text.eq_ignore_ascii_case(word));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '/' | '.');
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/')
        && text.chars().all(|c| is_plain(c) || c == '-');
    if plain && !is_word { text.to_owned() } else { crate::yaml::quote(text) }
}
