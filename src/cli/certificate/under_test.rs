//! What is under test, from what the command line says.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::certify::{Identity, Subject, UnderTest, identity_of_file};
use crate::cli::args::ReachArgs;
use crate::cli::reach::{config, profile, wants_session};
use crate::cli::run::not_started;
use crate::cli::several::alone;
use crate::cli::values::{assignment, resolved};
use crate::cli::{Exit, Fatal};
use crate::driver::{ExecDriver, Interrupt};

/// What an implementation consists of besides its program.
#[derive(Debug, Clone, Default, Args)]
pub struct UnderTestArgs {
    /// A file that the implementation consists of, besides its program; may be given again
    #[arg(long, value_name = "FILE", help_heading = "Implementation")]
    pub impl_file: Vec<PathBuf>,

    /// The directory that the implementation consists of; the program only runs it
    #[arg(long, value_name = "DIR", conflicts_with = "impl_file", help_heading = "Implementation")]
    pub impl_tree: Option<PathBuf>,
}

/// The identity of the implementation that is reached.
pub(super) fn subject(reach: &ReachArgs, args: &UnderTestArgs) -> Result<Subject, Fatal> {
    under_test(reach, args)?.subject().map_err(|problems| super::identity::fatal(&problems))
}

/// The identity of this program.
pub(super) fn runner() -> Result<Identity, Fatal> {
    identity_of_file(&this_program()?).map_err(|problem| super::identity::fatal(&[problem]))
}

fn under_test(reach: &ReachArgs, args: &UnderTestArgs) -> Result<UnderTest, Fatal> {
    alone(reach)?;
    let mut arguments = Vec::new();
    let mut files = args.impl_file.clone();
    if reach.reference {
        arguments.push("--reference".into());
        return Ok(UnderTest { program: this_program()?, arguments, files, tree: None });
    }
    let mut told = |option: &str, value: OsString| arguments.extend([option.into(), value]);
    if let Some(name) = reach.profile() {
        told("--profile", name.into());
        files.extend(Some(PathBuf::from(name)).filter(|path| path.is_file()));
    }
    if let Some(directory) = &reach.dir {
        told("--dir", directory.into());
    }
    for variable in resolved(&reach.env)? {
        told("--env", assignment(&variable));
    }
    if let Some(library) = reach.library() {
        let (program, tree) = (library.to_owned(), args.impl_tree.clone());
        return Ok(UnderTest { program, arguments, files, tree });
    }
    let profile = profile(reach, None)?;
    if wants_session(reach, &profile) {
        arguments.push("--session".into());
    }
    if !arguments.is_empty() {
        arguments.push("--".into());
    }
    arguments.extend(reach.arguments.iter().cloned());
    let interrupt = Interrupt::new().map_err(|error| surroundings(&error))?;
    let driver = ExecDriver::new(config(reach, &profile)?, &interrupt);
    let program = driver.map_err(|error| not_started(&error))?.program().to_owned();
    Ok(UnderTest { program, arguments, files, tree: args.impl_tree.clone() })
}

fn this_program() -> Result<PathBuf, Fatal> {
    env::current_exe().map_err(|error| surroundings(&error))
}

fn surroundings(error: &io::Error) -> Fatal {
    Fatal {
        exit: Exit::Error,
        message: format!("failed to look at this program: {error}"),
        remedy: Some("start the program by its path".to_owned()),
    }
}

/// The short name of a path, for people.
pub(super) fn short(path: &Path) -> String {
    crate::data::printable(&path.to_string_lossy())
}
