//! What shells and `man` want to know of the program, made from its command line.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, Args, Command, CommandFactory, ValueHint};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::command::Cli;
use super::exit::{Exit, Fatal, written};
use super::help::{ENVIRONMENT, EXAMPLES, EXIT_CODES};
use crate::corpus::Corpus;
use crate::report::{ReportKind, replace};

const PROGRAM: &str = "living-conformance";

/// The options of `completions`.
#[derive(Debug, Clone, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: Shell,
}

/// The options of `man`.
#[derive(Debug, Clone, Args)]
pub struct ManArgs {
    /// Write a page for each command into this folder, not the main one to standard output
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Writes what makes a shell complete the command line, with the names of this program's
/// own suites in it.
///
/// # Errors
/// When the suites are in error, or `out` fails.
pub(super) fn completions(args: &CompletionsArgs, out: &mut dyn Write) -> Result<Exit, Fatal> {
    let mut command = with_names(&Corpus::load(None, None)?);
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, PROGRAM, &mut script);
    let script = String::from_utf8_lossy(&script);
    // In bash a name with a hyphen is written in two ways, and no command would be found.
    let script = script.replace("living__subcmd__conformance", "living__conformance");
    let result = out.write_all(script.as_bytes()).and_then(|()| out.flush());
    written("the completions", result).map(|()| Exit::Success)
}

/// Writes the pages of the manual.
///
/// # Errors
/// When they cannot be written.
pub(super) fn man(args: &ManArgs, out: &mut dyn Write) -> Result<Exit, Fatal> {
    let mut command = with_kinds(visible(&Cli::command()));
    command.build();
    let result = match &args.out {
        None => page(&command, true).and_then(|page| out.write_all(&page)),
        Some(folder) => write_pages(&command, folder),
    };
    written("the manual", result).map(|()| Exit::Success)
}

/// The command line with the names that may stand behind its options.
fn with_names(corpus: &Corpus) -> Command {
    let suites = &corpus.suites;
    let rules = suites.rules.rules().map(|(_, rule)| rule.id.to_string());
    let operations = suites.suites.iter().flat_map(|suite| suite.operations.values());
    let classes: BTreeSet<String> = operations.map(|operation| operation.class.clone()).collect();
    let protocols = suites.suites.iter().flat_map(|suite| &suite.protocols);
    let protocols: BTreeSet<String> = protocols.map(ToString::to_string).collect();
    let names = Names {
        rules: rules.collect(),
        suites: suites.suites.iter().map(|suite| suite.suite.clone()).collect(),
        classes: classes.into_iter().collect(),
        protocols: protocols.into_iter().collect(),
    };
    names.put(visible(&Cli::command()))
}

/// The command line with the kinds of reports as a list: a page would run their lines
/// together.
fn with_kinds(command: Command) -> Command {
    let kinds = ReportKind::ALL
        .iter()
        .map(|kind| PossibleValue::new(format!("{}=PATH", kind.as_str())).help(kind.about()));
    let kinds: Vec<PossibleValue> = kinds.collect();
    command
        .mut_args(|arg| match arg.get_id().as_str() {
            "report" if arg.get_long_help().is_some() => {
                let parser = PossibleValuesParser::new(kinds.clone());
                arg.long_help(None::<&str>).value_parser(parser)
            }
            _ => arg,
        })
        .mut_subcommands(with_kinds)
}

struct Names {
    rules: Vec<String>,
    suites: Vec<String>,
    classes: Vec<String>,
    protocols: Vec<String>,
}

impl Names {
    fn put(&self, command: Command) -> Command {
        let one_of = |arg: Arg, names: &[String]| {
            arg.value_parser(PossibleValuesParser::new(names.to_vec()))
        };
        command
            .mut_args(|arg| match arg.get_id().as_str() {
                "rule" => one_of(arg, &self.rules),
                "suite" => one_of(arg, &self.suites),
                "class" => one_of(arg, &self.classes),
                "protocol" => one_of(arg, &self.protocols),
                "implementation" => arg.value_hint(ValueHint::CommandName),
                "profile" => arg.value_hint(ValueHint::FilePath),
                _ => match (arg.get_value_hint(), value_name(&arg)) {
                    (ValueHint::AnyPath, Some("DIR")) => arg.value_hint(ValueHint::DirPath),
                    // Only so do scripts expect blanks in a name.
                    (ValueHint::AnyPath, _) => arg.value_hint(ValueHint::FilePath),
                    _ => arg,
                },
            })
            .mut_subcommands(|command| self.put(command))
    }
}

fn value_name(arg: &Arg) -> Option<&str> {
    arg.get_value_names()?.first().map(|name| name.as_str())
}

/// Without what is for the program alone: what makes scripts and pages takes that, too.
fn visible(command: &Command) -> Command {
    let mut shown = Command::new(command.get_name().to_owned())
        .disable_help_subcommand(true)
        .args_conflicts_with_subcommands(command.is_args_conflicts_with_subcommands_set())
        .subcommand_required(command.is_subcommand_required_set())
        .args(command.get_arguments().filter(|arg| !arg.is_hide_set()).cloned())
        .subcommands(command.get_subcommands().filter(|it| !it.is_hide_set()).map(visible));
    if let Some(about) = command.get_about() {
        shown = shown.about(about.clone());
    }
    if let Some(about) = command.get_long_about() {
        shown = shown.long_about(about.clone());
    }
    match command.get_version() {
        Some(version) => shown.version(version.to_owned()),
        None => shown,
    }
}

/// A page for each command, as `man` looks for them.
fn write_pages(command: &Command, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for command in command.get_subcommands() {
        write_pages(command, folder)?;
    }
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    let page = page(command, name == PROGRAM)?;
    replace(&folder.join(format!("{name}.1")), &page)
}

/// The page of a command; that of the program has what holds for all of them.
fn page(command: &Command, is_main: bool) -> io::Result<Vec<u8>> {
    let source = format!("{PROGRAM} {}", env!("CARGO_PKG_VERSION"));
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").to_owned();
    let man = Man::new(command.clone().override_usage(usage));
    // A date that is empty would be left out, and the rest move to its place.
    let man = man.date(" ").source(source).manual("User Commands");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    if is_main {
        for (heading, rows) in [
            ("EXIT STATUS", &EXIT_CODES[..]),
            ("ENVIRONMENT", &ENVIRONMENT),
            ("EXAMPLES", &EXAMPLES),
        ] {
            section(heading, rows).to_writer(&mut page)?;
        }
    }
    Ok(page)
}

fn section(heading: &str, rows: &[(&str, &str)]) -> Roff {
    let mut section = Roff::default();
    section.control("SH", [heading]);
    for (name, what) in rows {
        section.control("TP", []).text([bold(*name)]).text([roman(*what)]);
    }
    section
}
