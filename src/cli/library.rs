//! Shared objects: reached through this program itself, which hosts them.

use std::env;
use std::path::Path;

use super::args::ReachArgs;
use super::exit::{Exit, Fatal};
use super::reach::{Reached, limit, name};
use super::run::not_started;
use crate::core::{ImplementationInfo, RuleTable};
use crate::driver::{
    CrossCheck, ExecConfig, Fresh, Interrupt, Profile, SessionAsk, SessionConfig, SessionDriver,
    StartError, host_library,
};
use crate::report::escape;

/// The hidden command that hosts a library.
pub(super) const HOST: &str = "library-host";

/// A driver of the library, in a process for each worker.
pub(super) fn reach_library(
    args: &ReachArgs,
    library: &Path,
    rules: &RuleTable,
    interrupt: &Interrupt,
) -> Result<Reached, Fatal> {
    if !args.arguments.is_empty() {
        return Err(
            Fatal::error("a library takes no arguments").with_remedy("leave out what follows --")
        );
    }
    is_file(library)?;
    // Where the host runs, a relative path would lead elsewhere.
    let library = std::path::absolute(library)
        .map_err(|error| Fatal::error(format!("failed to find {library:?}: {error}")))?;
    let started = |error| not_started(&error);
    let open = |restarts| {
        let own = env::current_exe()
            .map_err(|source| started(StartError::Refused { program: HOST.into(), source }))?;
        let profile = Profile {
            session: Some(SessionAsk { argv: Vec::new(), in_flight: std::num::NonZeroUsize::MIN }),
            ..Profile::contract()
        };
        let mut exec = ExecConfig::profiled(Some(own.into()), profile).map_err(started)?;
        exec.args = vec![HOST.into(), library.clone().into()];
        limit(&mut exec, args)?;
        let mut config = SessionConfig::new(exec);
        config.in_flight = args.in_flight;
        config.start_timeout = args.start_timeout.unwrap_or(config.start_timeout);
        config.restarts = restarts;
        config.subject = Some(library.clone());
        SessionDriver::new(config, interrupt).map_err(started)
    };
    let driver = open(SessionConfig::RESTARTS)?;
    let implementation = ImplementationInfo {
        driver: "library".to_owned(),
        name: name(args, ""),
        command: vec![library.to_string_lossy().into_owned()],
        version: None,
    };
    if !args.cross_check {
        return Ok((Box::new(driver), implementation));
    }
    // What breaks here breaks one process a case; there is nothing to restart.
    let alone = Fresh(open(usize::MAX)?);
    let check = CrossCheck::new(Box::new(driver), Box::new(alone), rules.clone());
    Ok((Box::new(check), implementation))
}

/// Refuses what is no file, in words of its own: nothing of it is named by --impl.
fn is_file(library: &Path) -> Result<(), Fatal> {
    let why = match std::fs::metadata(library) {
        Ok(found) if found.is_file() => return Ok(()),
        Ok(found) if found.is_dir() => "it is a directory".to_owned(),
        Ok(_) => "it is no regular file".to_owned(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            "there is no such file".to_owned()
        }
        Err(error) => error.to_string(),
    };
    let path = escape::line(&library.to_string_lossy()).into_owned();
    Err(Fatal {
        exit: Exit::NotStarted,
        message: format!("failed to load the library {path}: {why}"),
        remedy: Some("check the path given to --library".to_owned()),
    })
}

/// Hosts a library for the harness that started this process.
///
/// # Errors
/// When it cannot be loaded or does not answer.
pub(super) fn host(library: &Path) -> Result<Exit, Fatal> {
    match host_library(library) {
        Ok(()) => Ok(Exit::Success),
        Err(error) => Err(Fatal::error(format!("failed to {error}"))
            .with_remedy("docs/living_conformance.h says what a library has to export")),
    }
}
