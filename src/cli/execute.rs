//! Hands each command to what does it.

use std::io::{Read, Write};

use super::adequacy::adequacy_command;
use super::admit::{admit, check};
use super::check::CheckError;
use super::command::{Cli, Command};
use super::compare::compare;
use super::coverage::coverage_command;
use super::exit::{Exit, Fatal};
#[cfg(unix)]
use super::guard::watchdog;
use super::help::help;
use super::matching::match_documents;
use super::merge::merge;
use super::page::make_page;
use super::profile::profile_command;
use super::run::run_command;
use super::session::session;
use super::shell::{completions, man};
use super::suggest::check_command;
use super::validate::validate;
use crate::settings::Surroundings;

/// Does what the command line asks for; what is asked for goes to `out`.
///
/// # Errors
/// When it cannot be done, with how the program is to end.
pub fn execute(
    cli: &Cli,
    surroundings: &Surroundings,
    standard_input: &mut dyn Read,
    out: &mut dyn Write,
) -> Result<Exit, Fatal> {
    match &cli.command {
        None => {
            check_command(&cli.run)?;
            run_command(&cli.run, surroundings, out)
        }
        Some(Command::Completions(args)) => completions(args, out),
        Some(Command::Man(args)) => man(args, out),
        Some(Command::Help(args)) => help(args, surroundings, out),
        Some(Command::Profile(command)) => profile_command(command, surroundings, out),
        #[cfg(all(unix, feature = "library"))]
        Some(Command::LibraryHost { library }) => super::library::host(library),
        #[cfg(unix)]
        Some(Command::Watchdog { tag, temporary }) => Ok(watchdog(tag, temporary, standard_input)),
        Some(Command::Session) => session(standard_input, out),
        Some(Command::Run(args)) => run_command(args, surroundings, out),
        Some(Command::Validate(args)) => checked(validate(args, surroundings, standard_input, out)),
        Some(Command::Match(args)) => {
            checked(match_documents(args, surroundings, standard_input, out))
        }
        Some(Command::Page(args)) => make_page(args, surroundings),
        Some(Command::Compare(args)) => compare(args, surroundings, out),
        Some(Command::Check(args)) => checked(check(args, surroundings, standard_input, out)),
        Some(Command::Admit(args)) => checked(admit(args, surroundings, standard_input, out)),
        Some(Command::Certificate(command)) => command.run(surroundings, standard_input, out),
        Some(Command::Merge(args)) => merge(args, surroundings),
        Some(Command::Author(command)) => command.run(surroundings, standard_input, out),
        Some(Command::Coverage(args)) => coverage_command(args, surroundings, out),
        Some(Command::Adequacy(args)) => adequacy_command(args, surroundings, out),
    }
}

/// Accepted is success, by the contract for implementations.
fn checked(result: Result<bool, CheckError>) -> Result<Exit, Fatal> {
    match result {
        Ok(true) => Ok(Exit::Success),
        Ok(false) => Ok(Exit::Failure),
        // Whoever read the findings has seen enough.
        Err(error) if error.is_closed_pipe() => Ok(Exit::Failure),
        Err(error) => Err(Fatal::error(error.to_string()).with_remedy(error.remedy())),
    }
}
