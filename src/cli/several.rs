//! Several implementations in one go: each is run by itself, and then they are held
//! against each other.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::args::{ReachArgs, RunArgs, Show};
use super::compare::refused;
use super::exit::{Exit, Fatal, not_written, told, written};
use super::guard::interrupt;
use super::kept::Kept;
use super::output::{color, wrote};
use super::reach::{arguments, name, profile};
use super::run::{Prepared, enforced, perform_until};
use crate::compare::Comparison;
use crate::core::Stopped;
use crate::report::{
    ComparisonOptions, HtmlPage, Measurement, Report, ReportKind, ReportSpec, Target,
    comparison_text, escape,
};
use crate::settings::Surroundings;

/// What stands for the name of the implementation in the paths of its reports.
const IMPL: &str = "{impl}";
/// How many characters a name for files has at most.
const FILE_NAME: usize = 60;
/// How many failures are shown in full, of all implementations together.
const SHOWN: usize = 20;

/// Refuses more than one implementation, for what is done with one.
pub(super) fn alone(args: &ReachArgs) -> Result<(), Fatal> {
    match each(args)?.len() {
        0 | 1 => Ok(()),
        several => {
            Err(Fatal::error(format!("{several} implementations are given, and one is taken"))
                .with_remedy("name one alone; several are taken by `run`"))
        }
    }
}

/// The implementations that are named, each by itself.
fn each(args: &ReachArgs) -> Result<Vec<ReachArgs>, Fatal> {
    let none = || {
        let mut none = args.clone();
        none.reference = false;
        none.implementation.clear();
        none.profile.clear();
        clear_libraries(&mut none);
        none
    };
    let mut all = Vec::new();
    match (&args.implementation[..], &args.profile[..]) {
        ([_, ..], [_, _, ..]) => {
            return Err(Fatal::error("it is not said which program goes with which profile")
                .with_remedy(
                    "name the program in each profile, or run them one by one and hold the \
                     reports against each other with `compare`",
                ));
        }
        ([], profiles) => all.extend(
            profiles.iter().map(|profile| ReachArgs { profile: vec![profile.clone()], ..none() }),
        ),
        (programs, profile) => all.extend(programs.iter().map(|program| ReachArgs {
            implementation: vec![program.clone()],
            profile: profile.to_vec(),
            ..none()
        })),
    }
    all.extend(libraries(args).iter().map(|library| with_library(none(), library)));
    if args.reference {
        let mut reference = ReachArgs { reference: true, ..none() };
        if !all.is_empty() {
            // They are for the others.
            reference.arguments.clear();
        }
        all.insert(0, reference);
    }
    Ok(all)
}

#[cfg(all(unix, feature = "library"))]
fn libraries(args: &ReachArgs) -> &[PathBuf] {
    &args.library
}

#[cfg(not(all(unix, feature = "library")))]
fn libraries(_: &ReachArgs) -> &[PathBuf] {
    &[]
}

#[cfg(all(unix, feature = "library"))]
fn with_library(mut args: ReachArgs, library: &Path) -> ReachArgs {
    args.library = vec![library.to_owned()];
    args
}

#[cfg(not(all(unix, feature = "library")))]
fn with_library(args: ReachArgs, _: &Path) -> ReachArgs {
    args
}

#[cfg(all(unix, feature = "library"))]
fn clear_libraries(args: &mut ReachArgs) {
    args.library.clear();
}

#[cfg(not(all(unix, feature = "library")))]
fn clear_libraries(_: &mut ReachArgs) {}

/// Runs of several implementations.
pub(super) struct Several {
    args: RunArgs,
    runs: Vec<Single>,
    /// The page of all.
    pages: Vec<ReportSpec>,
}

/// The run of one of them.
struct Single {
    /// As the command line names it.
    source: String,
    /// What it is called in all that is told of it.
    name: String,
    args: RunArgs,
}

impl Several {
    /// The runs that the command line asks for; none when it names one implementation
    /// or none, whose paths may have the place for a name all the same.
    pub(super) fn of(args: &RunArgs) -> Result<Option<Self>, Fatal> {
        let all = each(&args.reach)?;
        if all.len() < 2 {
            return Ok(None);
        }
        if args.fail_fast {
            return Err(Fatal::error("runs that end at their first failure cannot be compared")
                .with_remedy("leave out --fail-fast, or run one implementation at a time"));
        }
        let several = all.len();
        let (pages, reports): (Vec<ReportSpec>, Vec<ReportSpec>) = args
            .output
            .report
            .iter()
            .cloned()
            .partition(|spec| spec.kind == ReportKind::Html && !has_place(&spec.target));
        for spec in &reports {
            // The commands of a job's log may come from several runs.
            let streams = spec.kind == ReportKind::Github && spec.is_stdout();
            if !streams && !has_place(&spec.target) {
                return Err(shared(&spec.to_string(), several));
            }
        }
        if let Some(path) = args.expect_write.as_ref().filter(|path| !names_place(path)) {
            return Err(shared(
                &format!("list of expected failures to {}", path.display()),
                several,
            ));
        }
        let mut runs: Vec<Single> = Vec::new();
        let mut names = BTreeSet::new();
        for reach in told_apart(all) {
            let (source, name) = (source(&reach), called(&reach));
            if runs.iter().any(|run| run.source == source) {
                return Err(Fatal::error(format!("{} is given twice", escape::line(&source)))
                    .with_remedy("name each implementation once"));
            }
            let file = unique(&slug(&source, &reach), &mut names);
            let mut args = args.clone();
            args.reach = reach;
            args.output.report = reports.clone();
            args.output.in_full = Some((SHOWN / several).max(1));
            fill(&mut args, &file);
            runs.push(Single { source, name, args });
        }
        Ok(Some(Self { args: args.clone(), runs, pages }))
    }

    /// Runs each, and ends in the matrix. The exit code is the highest of all.
    pub(super) fn run(
        &self,
        surroundings: &Surroundings,
        prepared: &Prepared,
    ) -> Result<Exit, Fatal> {
        prepared.check_selected(&self.args)?;
        for spec in self.runs.iter().flat_map(|run| &run.args.output.report).chain(&self.pages) {
            spec.check().map_err(|error| not_written(&format!("the {spec}"), &error))?;
        }
        let interrupt = interrupt()?;
        let mut worst = Exit::Success;
        let mut reports: Vec<(String, Report)> = Vec::new();
        for (index, run) in self.runs.iter().enumerate() {
            let mut args = run.args.clone();
            args.output.heading = self.heading(run, reports.is_empty());
            let kept = Kept::aside();
            let extra = Some(kept.reporter());
            let ended = perform_until(&args, surroundings, prepared, (None, extra), &interrupt);
            worst = worst.max(match ended {
                Ok(exit) => exit,
                Err(fatal) => {
                    // The others are run all the same.
                    let _ = fatal.tell();
                    fatal.exit
                }
            });
            let report = kept.into_report(&prepared.corpus);
            let has_started = |report: &Report| {
                !matches!(report.summary.stopped, Some(Stopped::NotStarted | Stopped::GaveUp))
            };
            if let Some(report) = report.filter(has_started) {
                reports.push((run.source.clone(), report));
            }
            if interrupt.signal().is_some() {
                worst = worst.max(Exit::Failure);
                for never in &self.runs[index + 1..] {
                    let name = escape::line(&never.name);
                    // Standard error may be closed.
                    let _ = writeln!(anstream::stderr(), "interrupted: {name} was not run");
                }
                break;
            }
        }
        let adequacy = prepared.adequacy(&self.args, surroundings, &interrupt);
        let written = self.write_pages(prepared, adequacy, &reports);
        if interrupt.signal().is_none() {
            self.matrix(surroundings, prepared, &reports);
        }
        Ok(if written { worst } else { worst.max(Exit::Error) })
    }

    /// What stands before what is told of a run; a verdict alone does not say whose it
    /// is.
    fn heading(&self, run: &Single, is_first: bool) -> String {
        let gap = if is_first { "" } else { "\n" };
        match self.args.output.quiet {
            true => format!("{gap}{}\n", escape::clamped_start(&run.name, 80)),
            false => gap.to_owned(),
        }
    }

    fn matrix(
        &self,
        surroundings: &Surroundings,
        prepared: &Prepared,
        reports: &[(String, Report)],
    ) {
        let runs: Vec<(String, &Report)> =
            reports.iter().map(|(source, report)| (source.clone(), report)).collect();
        if runs.len() < 2 {
            // What could not be started was told of.
            return;
        }
        let comparison = match Comparison::of(&runs) {
            Ok(comparison) => comparison,
            Err(error) => {
                // Each run was told of, and what it came to stands.
                let _ = writeln!(anstream::stderr(), "warning: {}", refused(&error).message);
                return;
            }
        };
        let output = &self.args.output;
        let text = comparison_text(
            &comparison,
            &prepared.corpus.catalog(&prepared.plan),
            ComparisonOptions {
                color: surroundings.color(color(output.color)),
                width: surroundings.width(),
                quiet: output.quiet,
                verbose: output.verbose > 0,
                show_all: output.show == Some(Show::All),
                enforce: enforced(self.args.enforce),
            },
        );
        self.tell(&format!("\n{text}"));
    }

    /// Writes to where the runs are told of. Whoever closed the pipe has seen enough.
    fn tell(&self, text: &str) {
        let reports = self.runs.iter().flat_map(|run| &run.args.output.report).chain(&self.pages);
        let to_stderr = reports.into_iter().any(ReportSpec::is_stdout);
        let _ = if to_stderr {
            io::stderr().write_all(text.as_bytes())
        } else {
            io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush())
        };
    }

    fn write_pages(
        &self,
        prepared: &Prepared,
        adequacy: Measurement,
        reports: &[(String, Report)],
    ) -> bool {
        if self.pages.is_empty() || reports.is_empty() {
            return true;
        }
        let mut catalog = prepared.corpus.catalog(&prepared.plan);
        catalog.adequacy = adequacy;
        let page = HtmlPage {
            reports: reports.iter().map(|(_, report)| report).collect(),
            catalog: &catalog,
            sources: reports.iter().map(|(source, _)| source.clone()).collect(),
            foreign: Vec::new(),
        };
        self.pages.iter().fold(true, |all, spec| {
            let saved = told(written(&format!("the {spec}"), page.save(&spec.target)));
            if saved && !self.args.output.quiet && !spec.is_stdout() {
                wrote(&spec.to_string());
            }
            saved & all
        })
    }
}

fn shared(what: &str, several: usize) -> Fatal {
    let text = format!("the {what} would be written for each of {several} implementations");
    Fatal::error(text).with_remedy(format!(
        "write {IMPL} in the path where the name of each is to stand, as in json={IMPL}.json; \
         html=PATH without it is one page of all"
    ))
}

/// The same run with the name of its one implementation in the paths of its reports.
pub(super) fn named(mut args: RunArgs) -> RunArgs {
    let name = slug(&source(&args.reach), &args.reach);
    fill(&mut args, &name);
    args
}

/// Puts the name of the implementation where the paths of its reports and lists have
/// the place for it.
fn fill(args: &mut RunArgs, name: &str) {
    for spec in &mut args.output.report {
        if let Target::File(path) = &mut spec.target {
            fill_path(path, name);
        }
    }
    for path in args.expect.iter_mut().chain(&mut args.expect_write) {
        fill_path(path, name);
    }
}

fn fill_path(path: &mut PathBuf, name: &str) {
    // A path that is no text has no place for a name.
    if let Some(text) = path.to_str().filter(|text| text.contains(IMPL)) {
        *path = text.replace(IMPL, name).into();
    }
}

fn has_place(target: &Target) -> bool {
    match target {
        Target::Stdout => false,
        Target::File(path) => names_place(path),
    }
}

fn names_place(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.contains(IMPL))
}

/// An implementation as the command line names it.
fn source(args: &ReachArgs) -> String {
    let text = |text: &OsStr| text.to_string_lossy().into_owned();
    let named = args.program().map(text);
    let named = named.or_else(|| args.library().map(|path| text(path.as_os_str())));
    named.or_else(|| args.profile().map(str::to_owned)).unwrap_or_else(|| "reference".to_owned())
}

/// What it is called in all that is told of it.
fn called(reach: &ReachArgs) -> String {
    // A profile in error is told of when it is used.
    name(reach, &profile(reach, None).map_or_else(|_| source(reach), |profile| profile.name))
}

/// The same implementations; those that would be called the same are called as the
/// command line names them.
fn told_apart(mut all: Vec<ReachArgs>) -> Vec<ReachArgs> {
    let names: Vec<String> = all.iter().map(called).collect();
    for (reach, name) in all.iter_mut().zip(&names) {
        if names.iter().filter(|other| *other == name).count() > 1 {
            reach.called = Some(source(reach).into());
        }
    }
    all
}

/// A name for files: the end of a path and what follows `--`, without what a file name
/// should not have.
fn slug(source: &str, reach: &ReachArgs) -> String {
    let name = source.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let name = name.strip_suffix(".yaml").or_else(|| name.strip_suffix(".yml")).unwrap_or(name);
    let arguments = arguments(reach).map(|argument| format!(" {argument}"));
    let name: String = std::iter::once(name.to_owned()).chain(arguments).collect();
    let name: String = name.chars().take(FILE_NAME).collect();
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
    let name: String = name.chars().map(plain).collect();
    let name = name.trim_start_matches(['.', '-']);
    if name.is_empty() { "implementation".to_owned() } else { name.to_owned() }
}

/// The name, with a number where others have it.
fn unique(name: &str, names: &mut BTreeSet<String>) -> String {
    let mut unique = name.to_owned();
    let mut number = 1;
    while !names.insert(unique.clone()) {
        number += 1;
        unique = format!("{name}-{number}");
    }
    unique
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::command::Cli;
    use super::*;

    fn args(line: &[&str]) -> RunArgs {
        Cli::try_parse_from([&["lc"], line].concat()).unwrap().run
    }

    fn several(line: &[&str]) -> Several {
        Several::of(&args(line)).unwrap().unwrap()
    }

    fn error(line: &[&str]) -> String {
        Several::of(&args(line)).err().unwrap().to_string()
    }

    #[test]
    fn each_is_run_by_itself_with_what_is_for_all() {
        let two = several(&["--reference", "--impl", "a", "--impl", "b/a", "x", "--", "-q"]);
        let runs: Vec<(&str, bool, usize, Vec<&str>)> = two
            .runs
            .iter()
            .map(|run| {
                let reach = &run.args.reach;
                let arguments = reach.arguments.iter().map(|it| it.to_str().unwrap()).collect();
                (run.source.as_str(), reach.reference, reach.implementation.len(), arguments)
            })
            .collect();
        assert_eq!(
            runs,
            [
                ("reference", true, 0, vec![]),
                ("a", false, 1, vec!["-q"]),
                ("b/a", false, 1, vec!["-q"])
            ]
        );
        let profiles = several(&["--profile", "node", "--profile", "my/p.yaml", "--session"]);
        assert!(profiles.runs.iter().all(|run| run.args.reach.session.is_some()));
        let by_one = several(&["--impl", "a", "--impl", "b", "--profile", "p"]);
        assert!(by_one.runs.iter().all(|run| run.args.reach.profile() == Some("p")));
        for one in [&["--impl", "a"][..], &["--reference"], &["--impl", "a", "--profile", "p"], &[]]
        {
            assert!(Several::of(&args(one)).unwrap().is_none(), "{one:?}");
        }
    }

    #[test]
    fn every_report_has_a_path_of_its_own() {
        let line = ["--impl", "v1/a b", "--impl", "v2/a b", "--impl", "..", "--report"];
        let line = [&line[..], &["json=r/{impl}.json", "--expect", "{impl}.yaml"]].concat();
        let paths: Vec<String> = several(&line)
            .runs
            .iter()
            .map(|run| {
                let list = run.args.expect.as_ref().unwrap().display();
                format!("{} {list}", run.args.output.report[0].target)
            })
            .collect();
        assert_eq!(
            paths,
            [
                "r/a-b.json a-b.yaml",
                "r/a-b-2.json a-b-2.yaml",
                "r/implementation.json implementation.yaml"
            ]
        );
        let two = ["--impl", "a", "--impl", "b"];
        let with = |more: &[&str]| error(&[&two[..], more].concat());
        assert!(with(&["--report", "json=a.json"]).contains("written for each of 2"));
        assert!(with(&["--report", "tap=-"]).contains("json={impl}.json"));
        assert!(with(&["--expect-write", "x.yaml"]).contains("expected failures to x.yaml"));
        assert!(with(&["--fail-fast"]).contains("leave out --fail-fast"));
        assert!(error(&["--impl", "a", "--impl", "a"]).contains("a is given twice"));
        let pairs = ["--impl", "a", "--profile", "p", "--profile", "q"];
        assert!(error(&pairs).contains("which program goes with which profile"));
        let page = several(&[&two[..], &["--report", "html=x", "--report", "github=-"]].concat());
        assert_eq!((page.pages.len(), page.runs[1].args.output.report.len()), (1, 1));
    }
}
