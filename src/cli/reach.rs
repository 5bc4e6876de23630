//! How an implementation is reached, from what the command line says.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

use clap::ValueEnum;

use super::args::{ReachArgs, RunArgs, Session, TIMEOUT};
use super::exit::Fatal;
use super::run::not_started;
use super::several::alone;
use super::values::{resolved, written_size};
use crate::core::{
    CASE_PLACEHOLDER, Header, ImplementationInfo, Protocol, RuleTable, VARIANTS_OPTION,
};
use crate::data::Problem;
use crate::driver::{
    CrossCheck, Driver, ExecConfig, ExecDriver, Interrupt, LibraryDriver, Profile, SessionConfig,
    SessionDriver, find_profile,
};
use crate::reference::Reference;
use crate::report::escape;
use crate::suites::Suites;

/// What the implementation is called that is no part of the command line.
const REFERENCE: &str = "the built-in reference";
/// How much of a name there is at most.
const NAME_COLUMNS: usize = 60;

/// How an implementation is reached, and what it is.
pub(super) type Reached = (Box<dyn Driver>, ImplementationInfo);

/// The driver that the command line asks for, and what it reaches.
pub(super) fn reach(
    args: &ReachArgs,
    protocol: Protocol,
    suites: &Suites,
    interrupt: &Interrupt,
) -> Result<Reached, Fatal> {
    alone(args)?;
    if args.reference {
        return reference(args, protocol);
    }
    #[cfg(all(unix, feature = "library"))]
    if let Some(library) = args.library() {
        return super::library::reach_library(args, library, &suites.rules, interrupt);
    }
    let profile = profile(args, Some(suites))?;
    let session = wants_session(args, &profile);
    if args.cross_check && !session {
        return Err(Fatal::error("there is nothing to check against")
            .with_remedy("--cross-check compares a session with single processes: add --session"));
    }
    if args.in_flight.is_some() && !session {
        return Err(Fatal::error("a process a case answers one case at a time")
            .with_remedy("--in-flight is for sessions: add --session"));
    }
    if args.start_timeout.is_some() && !session {
        return Err(Fatal::error("a process a case is greeted by nobody")
            .with_remedy("--start-timeout is for sessions: add --session"));
    }
    let config = config(args, &profile)?;
    let command = std::iter::once(&config.program).chain(&config.args).map(|part| text(part));
    let implementation = ImplementationInfo {
        driver: if session { "session" } else { "exec" }.to_owned(),
        name: name(args, &profile.name),
        command: command.collect(),
        version: None,
    };
    let started = |error| not_started(&error);
    if !session {
        let driver = ExecDriver::new(config, interrupt).map_err(started)?;
        return Ok((Box::new(driver), implementation));
    }
    let open = |config: ExecConfig| {
        let mut config = SessionConfig::new(config);
        config.in_flight = args.in_flight;
        config.start_timeout = args.start_timeout.unwrap_or(config.start_timeout);
        SessionDriver::new(config, interrupt).map_err(started)
    };
    let driver = open(config.clone())?;
    if !args.cross_check {
        return Ok((Box::new(driver), implementation));
    }
    let alone = ExecDriver::new(config, interrupt).map_err(started)?;
    let check = CrossCheck::new(Box::new(driver), Box::new(alone), suites.rules.clone());
    Ok((Box::new(check), implementation))
}

fn reference(args: &ReachArgs, protocol: Protocol) -> Result<Reached, Fatal> {
    if !args.arguments.is_empty() {
        return Err(Fatal::error("the built-in reference takes no arguments")
            .with_remedy("name an implementation with --impl, or leave out what follows --"));
    }
    let implementation = ImplementationInfo {
        driver: "reference".to_owned(),
        name: REFERENCE.to_owned(),
        command: Vec::new(),
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
    };
    Ok((Box::new(LibraryDriver::new(Reference::new(protocol))), implementation))
}

/// The profile asked for, whose operations and rules are held against those of the suites,
/// or the contract.
pub(super) fn profile(args: &ReachArgs, suites: Option<&Suites>) -> Result<Profile, Fatal> {
    match args.profile() {
        Some(name) => found(name, suites).map_err(|faults| {
            let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
            Fatal::error(format!("the profile cannot be used\n{}", lines.join("\n")))
        }),
        None => Ok(Profile::contract()),
    }
}

fn found(name: &str, suites: Option<&Suites>) -> Result<Profile, Vec<Problem>> {
    match suites {
        Some(suites) => find_profile(name, &suites.suites, &suites.rules),
        None => find_profile(name, &[], &RuleTable::default()),
    }
}

/// A profile that has a session is run as one; the contract when asked to.
pub(super) fn wants_session(args: &ReachArgs, profile: &Profile) -> bool {
    match args.session {
        Some(Session::Always) => true,
        Some(Session::Never) => false,
        None => args.profile().is_some() && profile.session.is_some(),
    }
}

/// What to run, and within what limits.
pub(super) fn config(args: &ReachArgs, profile: &Profile) -> Result<ExecConfig, Fatal> {
    alone(args)?;
    let program = args.program();
    if program.is_none() && args.profile().is_none() {
        return Err(Fatal::error("no implementation is given").with_remedy(
            "name one with --impl PROGRAM, or try the built-in one with --reference",
        ));
    }
    let mut config = ExecConfig::profiled(program.map(OsStr::to_owned), profile.clone())
        .map_err(|error| not_started(&error))?;
    config.args = args.arguments.iter().map(|argument| anchored(argument)).collect();
    config.directory.clone_from(&args.dir);
    limit(&mut config, args)?;
    Ok(config)
}

/// What the command line says of time, memory and environment.
pub(super) fn limit(config: &mut ExecConfig, args: &ReachArgs) -> Result<(), Fatal> {
    if args.memory_limit.is_some() && !cfg!(target_os = "linux") {
        return Err(Fatal::error("this system offers no way to limit the memory of a process")
            .with_remedy("leave out --memory-limit, or run on Linux"));
    }
    config.timeout = args.timeout;
    config.memory_limit = args.memory_limit;
    config.variables = resolved(&args.env)?;
    Ok(())
}

/// An argument that names a file from here, such as `adapter.py`, by its whole
/// path: the implementation runs in a directory of its own.
fn anchored(argument: &OsStr) -> OsString {
    let path = Path::new(argument);
    match std::path::absolute(path) {
        Ok(whole) if !is_option(argument) && path.is_relative() && whole.is_file() => whole.into(),
        _ => argument.to_owned(),
    }
}

fn is_option(argument: &OsStr) -> bool {
    argument.as_encoded_bytes().starts_with(b"-")
}

/// The last part of a path.
fn last(path: &OsStr) -> String {
    text(Path::new(path).file_name().unwrap_or(path))
}

/// What follows `--`, for people: of files the last part of their paths.
pub(super) fn arguments(args: &ReachArgs) -> impl Iterator<Item = String> {
    args.arguments.iter().map(|argument| {
        let is_file = !is_option(argument) && Path::new(argument).is_file();
        if is_file { last(argument) } else { text(argument) }
    })
}

/// What the implementation is called: by its program and what follows `--`, or by its
/// profile, whose name is given. Of paths the last part alone tells.
pub(super) fn name(args: &ReachArgs, profile: &str) -> String {
    if args.reference {
        return REFERENCE.to_owned();
    }
    let called = |path: &OsStr| args.called.as_deref().map_or_else(|| last(path), str::to_owned);
    if let Some(library) = args.library() {
        return called(library.as_os_str());
    }
    let words: Vec<String> =
        args.program().map(called).into_iter().chain(arguments(args)).collect();
    let words = words.join(" ");
    let name = match (args.profile(), words.is_empty()) {
        (None, _) => words,
        (Some(_), true) => args.called.as_deref().unwrap_or(profile).to_owned(),
        (Some(_), false) => format!("{profile} ({words})"),
    };
    escape::clamped(&name, NAME_COLUMNS)
}

fn text(part: &OsStr) -> String {
    part.to_string_lossy().into_owned()
}

/// The command that runs one case again.
pub(super) fn reproduce(args: &RunArgs, header: &Header) -> Vec<String> {
    let mut command = Vec::new();
    let mut add = |option: &str, value: Option<&OsStr>| {
        if let Some(value) = value {
            command.extend([option.to_owned(), text(value)]);
        }
    };
    add("--impl", args.reach.program());
    add("--library", args.reach.library().map(Path::as_os_str));
    add("--profile", args.reach.profile().map(OsStr::new));
    add("--dir", args.reach.dir.as_deref().map(Path::as_os_str));
    let protocol = args.scope.protocol.map(|_| OsString::from(header.protocol.to_string()));
    add("--protocol", protocol.as_deref());
    let release = args.scope.suite_release.as_ref().map(|asked| OsString::from(asked.to_string()));
    add("--suite-release", release.as_deref());
    add("--suites", args.scope.suites.as_deref().map(Path::as_os_str));
    add("--fixtures", args.scope.fixtures.as_deref().map(Path::as_os_str));
    let plain = RunArgs::default();
    let timeout = (args.reach.timeout != TIMEOUT).then(|| milliseconds(args.reach.timeout));
    add("--timeout", timeout.as_deref());
    let start_timeout = args.reach.start_timeout.map(milliseconds);
    add("--start-timeout", start_timeout.as_deref());
    let findings = (args.reach.findings != plain.reach.findings).then_some(args.reach.findings);
    add("--findings", findings.as_ref().and_then(name_of).as_deref());
    let enforce = (args.enforce != plain.enforce).then_some(args.enforce);
    add("--enforce", enforce.as_ref().and_then(name_of).as_deref());
    let session = match args.reach.session {
        Some(Session::Always) => Some("--session"),
        Some(Session::Never) => Some("--session=never"),
        None => None,
    };
    let memory = args.reach.memory_limit.map(|bytes| OsString::from(written_size(bytes)));
    add("--memory-limit", memory.as_deref());
    for variable in &args.reach.env {
        add("--env", Some(&variable.written()));
    }
    let flags = [
        args.variants.then_some(VARIANTS_OPTION),
        args.reach.reference.then_some("--reference"),
        session,
        args.reach.cross_check.then_some("--cross-check"),
    ];
    command.extend(flags.into_iter().flatten().map(str::to_owned));
    // As it was called: it need not be in PATH.
    command.insert(0, env::args_os().next().map_or_else(String::new, |program| text(&program)));
    command.extend(["--exact".to_owned(), CASE_PLACEHOLDER.to_owned()]);
    if !args.reach.arguments.is_empty() {
        command.push("--".to_owned());
        command.extend(args.reach.arguments.iter().map(|argument| text(argument)));
    }
    command
}

fn milliseconds(time: Duration) -> OsString {
    format!("{}ms", time.as_millis()).into()
}

/// The name of a choice on the command line.
fn name_of(choice: &impl ValueEnum) -> Option<OsString> {
    Some(choice.to_possible_value()?.get_name().into())
}
