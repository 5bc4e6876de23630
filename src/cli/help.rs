//! What the program says of itself: one screen, and topics for the rest.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write;

use anstream::adapter::strip_str;
use clap::builder::StyledStr;
use clap::{Arg, Args, Command, CommandFactory, FromArgMatches};

use super::command::Cli;
use super::exit::{Exit, Fatal, written};
use crate::data::nearest;
use crate::report::{ReportKind, wrap};
use crate::settings::{ColorChoice, Surroundings, width_of_help};

/// The options of a run that a short help shows.
const OFTEN: [&str; 12] = [
    "implementation",
    "reference",
    "profile",
    "class",
    "rule",
    "protocol",
    "list",
    "shard",
    "expect",
    "report",
    "quiet",
    "verbose",
];

/// The commands by what they are for; those that are not here are shown behind them.
const GROUPS: [(&str, &[&str]); 6] = [
    ("runs", &["run", "merge", "page", "compare"]),
    ("certificates", &["certify", "receipt", "identity"]),
    ("the reference", &["validate", "match", "check", "admit", "session"]),
    ("for authors", &["new", "bless", "lint", "minimize", "explain", "release"]),
    ("suites", &["coverage", "adequacy"]),
    ("setting up", &["profile", "completions", "man"]),
];

/// How many columns are left at least beside the names in a table.
const BESIDE: usize = 24;

/// The topics that are the options of a run under a heading.
const HEADINGS: [(&str, &str); 4] = [
    ("implementation", "Implementation"),
    ("selection", "Selection"),
    ("running", "Run"),
    ("output", "Output"),
];

/// The other topics.
const TOPICS: [&str; 5] = ["reports", "commands", "environment", "examples", "exit-codes"];

/// What the exit codes mean.
pub(super) const EXIT_CODES: [(&str, &str); 5] = [
    ("0", "all that was asked for holds"),
    ("1", "it does not, or some of it was unsupported or not run"),
    ("2", "the command line, a suite, a fixture or a report is in error"),
    ("3", "the implementation could not be started, or broke off too often"),
    ("4", "nothing was selected, or nothing that the release of the suites has"),
];

/// What the environment may hold.
pub(super) const ENVIRONMENT: [(&str, &str); 10] = [
    ("LIVING_CONFORMANCE_IMPL", "the implementation, where no option names one"),
    ("NO_COLOR, TERM=dumb", "no colours, unless --color asks for them"),
    ("CI", "no line that changes while cases run"),
    ("COLUMNS", "how wide to write where there is no terminal"),
    ("GITHUB_STEP_SUMMARY", "what --report github adds a summary to"),
    ("TEST_TOTAL_SHARDS", "--shard, as a test runner asks for it"),
    ("TEST_SHARD_INDEX", "which of them, from 0"),
    ("TEST_SHARD_STATUS_FILE", "what is touched when that is heard"),
    ("XML_OUTPUT_FILE", "--report junit="),
    ("TESTBRIDGE_TEST_ONLY", "a text that the ids of cases must hold besides"),
];

/// What the program may be asked.
pub(super) const EXAMPLES: [(&str, &str); 6] = [
    ("living-conformance --reference", "try it without any"),
    ("living-conformance --impl ./their-binary", "run all cases"),
    ("living-conformance --impl python3 -- adapter.py", "arguments of its own"),
    ("living-conformance --impl X --class matcher snapshot", "one class, by a text"),
    ("living-conformance --impl X --report junit=out.xml", "a report for machines"),
    ("living-conformance --impl X --expect known.yaml", "expected failures"),
];

/// The options of `help`.
#[derive(Debug, Clone, Args)]
pub struct HelpArgs {
    /// A command; or implementation, selection, running, output, reports, commands,
    /// environment, examples, exit-codes
    #[arg(value_name = "TOPIC")]
    pub topic: Vec<String>,
}

/// Reads a command line; ends the process when that is in error, or asks for help or the
/// version.
pub(super) fn read_or_end(arguments: Vec<OsString>) -> Cli {
    let command = overview(Cli::command()).term_width(width_of_help());
    let matches = command.try_get_matches_from(arguments).unwrap_or_else(|error| end(&error));
    Cli::from_arg_matches(&matches).unwrap_or_else(|error| end(&error))
}

/// Tells of help, the version or an error, and ends the process.
fn end(error: &clap::Error) -> ! {
    if !error.use_stderr() {
        error.exit();
    }
    let text = error.render().ansi().to_string();
    let lines = text.lines().map(|line| wrap_styled(line, width_of_help()));
    // Nobody is left to tell when standard error is closed.
    let _ = write!(anstream::stderr(), "{}", lines.collect::<String>());
    std::process::exit(error.exit_code())
}

/// A line that may have colours, in lines of so many columns; further ones are indented.
fn wrap_styled(line: &str, columns: usize) -> String {
    let width = |text: &str| strip_str(text).to_string().chars().count();
    if width(line) <= columns {
        return format!("{line}\n");
    }
    let indent = line.len() - line.trim_start().len();
    let mut lines = " ".repeat(indent);
    let mut used = indent;
    for (index, word) in line.trim_start().split(' ').enumerate() {
        let word_width = width(word);
        if index > 0 && used + 1 + word_width > columns {
            lines.push_str(&format!("\n{:indent$}", "", indent = indent + 2));
            used = indent + 2;
        } else if index > 0 {
            lines.push(' ');
            used += 1;
        }
        lines.push_str(word);
        used += word_width;
    }
    lines.push('\n');
    lines
}

/// Tells of a topic, or of a command.
///
/// # Errors
/// When there is no such topic.
pub(super) fn help(
    args: &HelpArgs,
    surroundings: &Surroundings,
    out: &mut dyn Write,
) -> Result<Exit, Fatal> {
    let whole = Cli::command().term_width(width_of_help());
    let words: Vec<&str> = args.topic.iter().map(String::as_str).collect();
    let text = match words[..] {
        [] => overview(whole).render_help(),
        [topic] => match of_topic(topic, &whole) {
            Some(text) => text,
            None => of_command(whole, &words)?,
        },
        _ => of_command(whole, &words)?,
    };
    let text = if surroundings.color(ColorChoice::Auto) {
        text.ansi().to_string()
    } else {
        text.to_string()
    };
    written("the help", writeln!(out, "{}", text.trim_end()).and_then(|()| out.flush()))?;
    Ok(Exit::Success)
}

/// The command whose name was meant by a word that is none.
pub(super) fn near_command(word: &str) -> Option<String> {
    let whole = Cli::command();
    let names: Vec<&str> = visible(&whole).map(Command::get_name).collect();
    nearest(word, names.into_iter()).map(str::to_owned)
}

/// The command line whose help at the top is one screen, and whose commands show in
/// short what is often used.
fn overview(whole: Command) -> Command {
    let below = after(&whole);
    shortened(whole)
        .mut_args(|arg| {
            let shown = is_often(&arg) || arg.is_positional();
            let hidden = arg.is_hide_set() || !shown;
            arg.hide(hidden).long_help(None::<&str>)
        })
        .long_about(None::<&str>)
        .help_template("{about}\n\n{usage-heading} {usage}\n\n{options}{after-help}")
        .after_help(below)
}

fn is_often(arg: &Arg) -> bool {
    OFTEN.contains(&arg.get_id().as_str())
}

/// The same with commands that show, of the options of a run, the often used in short.
fn shortened(whole: Command) -> Command {
    let takes_implementation =
        |command: &Command| command.get_arguments().any(|arg| arg.get_id() == "implementation");
    whole.mut_subcommands(|command| {
        let command = shortened(command);
        if !takes_implementation(&command) {
            return command;
        }
        command.mut_args(|arg| {
            let heading = arg.get_help_heading();
            let of_a_run = HEADINGS.iter().any(|(_, name)| heading == Some(*name));
            if of_a_run && !is_often(&arg) { arg.hide_short_help(true) } else { arg }
        })
    })
}

/// What stands below the options at the top.
fn after(whole: &Command) -> StyledStr {
    let mut text = StyledStr::new();
    let mut rest: Vec<&str> = visible(whole).map(Command::get_name).collect();
    let mut rows = Vec::new();
    for (group, names) in GROUPS {
        let there: Vec<&str> = names.iter().copied().filter(|name| rest.contains(name)).collect();
        rest.retain(|name| !there.contains(name));
        rows.push((group, there.join(", ")));
    }
    rest.retain(|name| *name != "help");
    if !rest.is_empty() {
        rows.push(("others", rest.join(", ")));
    }
    table(&mut text, whole, "Commands", rows.iter().map(|(group, names)| (*group, names.as_str())));
    let headings = HEADINGS.iter().map(|(topic, _)| *topic);
    let topics: Vec<&str> = headings.chain(TOPICS).collect();
    let (first, second) = topics.split_at(5);
    let rows = [
        ("help COMMAND", "all about a command".to_owned()),
        ("help TOPIC", format!("{},", first.join(", "))),
        ("", second.join(", ")),
    ];
    // Writing to a text does not fail.
    let _ = writeln!(text);
    table(&mut text, whole, "More", rows.iter().map(|(name, what)| (*name, what.as_str())));
    text
}

/// A heading, and rows of two columns below it.
fn table<'a>(
    text: &mut StyledStr,
    whole: &Command,
    heading: &str,
    rows: impl Iterator<Item = (&'a str, &'a str)> + Clone,
) {
    let (header, literal) = (whole.get_styles().get_header(), whole.get_styles().get_literal());
    let width = rows.clone().map(|(name, _)| name.len()).max().unwrap_or(0);
    let _ = writeln!(text, "{header}{heading}:{header:#}");
    let columns = width_of_help();
    // Where little room is left beside the names, what they are stands below them.
    let beside = if width + 4 + BESIDE <= columns { width + 4 } else { 0 };
    for (name, what) in rows {
        let mut lines = wrap(what, columns - beside.max(6)).into_iter();
        let first = if beside > 0 { lines.next() } else { None };
        let padded = if first.is_some() { beside - 4 } else { 0 };
        let _ = write!(text, "  {literal}{name:padded$}{literal:#}");
        let _ = writeln!(text, "{}", first.map(|first| format!("  {first}")).unwrap_or_default());
        for line in lines {
            let _ = writeln!(text, "{:indent$}{line}", "", indent = beside.max(6));
        }
    }
}

fn of_topic(topic: &str, whole: &Command) -> Option<StyledStr> {
    let mut text = StyledStr::new();
    let heading = HEADINGS.iter().find(|(name, _)| *name == topic);
    match (heading, topic) {
        (Some((_, heading)), _) => return Some(of_heading(heading, whole)),
        (None, "commands") => {
            // Not `help`, whose reader knows it.
            let commands = visible(whole).filter(|it| it.get_name() != "help").cloned();
            let mut list = bare(whole, "{subcommands}").subcommands(commands);
            return Some(list.render_help());
        }
        (None, "reports") => {
            let kinds = ReportKind::ALL.iter().map(|kind| (kind.as_str(), kind.about()));
            table(&mut text, whole, "Reports, as --report KIND=PATH", kinds);
        }
        (None, "exit-codes") => table(&mut text, whole, "Exit codes", EXIT_CODES.into_iter()),
        (None, "environment") => table(&mut text, whole, "Environment", ENVIRONMENT.into_iter()),
        (None, "examples") => table(&mut text, whole, "Examples", EXAMPLES.into_iter()),
        _ => return None,
    }
    Some(text)
}

/// The options of a run under a heading.
fn of_heading(heading: &str, whole: &Command) -> StyledStr {
    let of = whole.get_arguments().filter(|arg| arg.get_help_heading() == Some(heading));
    // What is short fits the screen; the values that an option takes are named there, too.
    bare(whole, "{all-args}").args(of.cloned()).render_help()
}

fn bare(whole: &Command, template: &'static str) -> Command {
    Command::new("living-conformance")
        .styles(whole.get_styles().clone())
        .term_width(width_of_help())
        .disable_help_flag(true)
        .disable_help_subcommand(true)
        .help_template(template)
}

fn of_command(whole: Command, words: &[&str]) -> Result<StyledStr, Fatal> {
    let mut command = shortened(whole);
    command.build();
    for word in words {
        let Some(next) = visible(&command).find(|it| it.get_name() == *word) else {
            return Err(unknown(word, &command));
        };
        command = next.clone();
    }
    Ok(command.render_long_help())
}

fn unknown(word: &str, command: &Command) -> Fatal {
    let headings = HEADINGS.iter().map(|(topic, _)| *topic);
    let names = visible(command).map(Command::get_name).chain(headings).chain(TOPICS);
    let remedy = match nearest(word, names) {
        Some(near) => format!("did you mean {near}?"),
        None => "`help` names all of them".to_owned(),
    };
    Fatal::error(format!("there is no topic or command {word:?}")).with_remedy(remedy)
}

fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|command| !command.is_hide_set())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_at_the_top_is_one_screen() {
        let text = overview(Cli::command()).term_width(80).render_help().to_string();
        assert!(text.lines().count() <= 40, "{} lines\n{text}", text.lines().count());
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
        for name in visible(&Cli::command()).map(Command::get_name) {
            assert!(text.contains(name), "{name}: {text}");
        }
    }

    #[test]
    fn the_short_help_of_each_command_is_one_screen() {
        fn check(mut command: Command) {
            let text = command.render_help().to_string();
            let name = command.get_name();
            assert!(text.lines().count() <= 45, "{name}: {text}");
            assert!(text.lines().all(|line| line.len() <= 80), "{name}: {text}");
            command.get_subcommands().for_each(|command| check(command.clone()));
        }
        let whole = shortened(Cli::command()).term_width(80);
        // A command of its own has the width of none.
        let narrow = whole.mut_subcommands(|command| {
            command.term_width(80).mut_subcommands(|command| command.term_width(80))
        });
        visible(&narrow).for_each(|command| check(command.clone()));
    }

    #[test]
    fn what_has_colours_is_wrapped_by_what_is_seen() {
        let line = "  \u{1b}[31merror:\u{1b}[0m some words that go on";
        assert_eq!(wrap_styled(line, 80), format!("{line}\n"));
        let wrapped = "  \u{1b}[31merror:\u{1b}[0m some words\n    that go on\n";
        assert_eq!(wrap_styled(line, 20), wrapped);
    }

    #[test]
    fn each_topic_is_one_screen() {
        let whole = Cli::command();
        for topic in HEADINGS.iter().map(|(topic, _)| *topic).chain(TOPICS) {
            let text = of_topic(topic, &whole).unwrap().to_string();
            assert!(text.lines().count() <= 45, "{topic}: {text}");
            assert!(text.lines().count() > 4, "{topic}: {text}");
            assert!(text.lines().all(|line| line.len() <= 100), "{topic}: {text}");
        }
        assert!(of_topic("topic", &whole).is_none());
    }

    #[test]
    fn names_of_options_are_those_of_the_command_line() {
        let whole = Cli::command();
        for id in OFTEN {
            assert!(whole.get_arguments().any(|arg| arg.get_id() == id), "{id}");
        }
    }
}
