//! The options of a run, as clap sees them. `--help` is made from these comments.

use std::ffi::{OsStr, OsString};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::values::{Variable, at_least_one, duration, size};
use crate::core::{Protocol, RuleId, Shard};
use crate::releases::Asked;
use crate::report::ReportSpec;

/// How long a case may take unless said otherwise.
pub(super) const TIMEOUT: Duration = Duration::from_secs(10);

/// How an implementation is reached.
#[derive(Debug, Clone, Default, Args)]
pub struct ReachArgs {
    /// The implementation under test: a path, or a name to look for in PATH [env:
    /// LIVING_CONFORMANCE_IMPL]
    // Several: run one after the other and compared. Other commands take one alone.
    #[arg(long = "impl", value_name = "PROGRAM", help_heading = "Implementation")]
    pub implementation: Vec<OsString>,

    /// What stands in for `--impl`; not the same argument, which gives way to none
    // Set and empty is as good as not set.
    #[arg(
        long = "impl-of-environment",
        hide = true,
        env = "LIVING_CONFORMANCE_IMPL",
        hide_env = true,
        value_name = "PROGRAM"
    )]
    pub implementation_of_environment: Option<OsString>,

    /// What it is called, where another has the name that it would have.
    #[arg(skip)]
    pub called: Option<Box<str>>,

    /// Test the built-in reference implementation
    #[arg(
        long,
        conflicts_with_all = ["profile", "session", "in_flight", "start_timeout", "cross_check"],
        help_heading = "Implementation"
    )]
    pub reference: bool,

    /// Arguments for the implementation, before those of the operation
    #[arg(last = true, value_name = "ARGUMENT", help_heading = "Implementation")]
    pub arguments: Vec<OsString>,

    /// Test a shared object with the C ABI, in a process of its own
    #[cfg(all(unix, feature = "library"))]
    #[arg(
        long,
        value_name = "PATH",
        conflicts_with_all = ["implementation", "reference", "profile", "session"],
        help_heading = "Implementation"
    )]
    pub library: Vec<PathBuf>,

    /// How to ask a tool that does not follow the contract: a YAML file, or a name
    #[arg(long, value_name = "FILE|NAME", help_heading = "Implementation")]
    pub profile: Vec<String>,

    /// The folder that {dir} stands for in the profile
    #[arg(long, value_name = "DIR", requires = "profile", help_heading = "Implementation")]
    pub dir: Option<PathBuf>,

    /// Keep one process a worker and ask it for many cases [a profile may say so, too]
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "always",
        help_heading = "Implementation"
    )]
    pub session: Option<Session>,

    /// How many cases of a session may be on their way at once [default: 1]
    #[arg(long, value_name = "N", value_parser = at_least_one, help_heading = "Implementation")]
    pub in_flight: Option<NonZeroUsize>,

    /// How long a session may take to answer hello, each time it is started [default: 30s,
    /// or --timeout where that is longer]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Implementation")]
    pub start_timeout: Option<Duration>,

    /// Run every case of a session in a process of its own as well, and compare
    #[arg(long, help_heading = "Implementation")]
    pub cross_check: bool,

    /// How long one case may take, such as 10, 10s or 500ms
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration, help_heading = "Implementation")]
    pub timeout: Duration,

    /// How much memory (address space) each process may have, such as 512M or 2G
    #[arg(
        long,
        value_name = "SIZE",
        value_parser = size,
        conflicts_with = "reference",
        help_heading = "Implementation"
    )]
    pub memory_limit: Option<u64>,

    /// Pass a variable of the environment on, or set it; may be given again
    #[arg(
        long,
        value_name = "NAME[=VALUE]",
        value_parser = Variable::parse,
        conflicts_with = "reference",
        help_heading = "Implementation"
    )]
    pub env: Vec<Variable>,

    /// How detailed the findings on standard output are
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "GRADE",
        help_heading = "Implementation"
    )]
    pub findings: Findings,
}

impl ReachArgs {
    /// The implementation that is named, by the command line or else by the
    /// environment.
    #[must_use]
    pub fn program(&self) -> Option<&OsStr> {
        let environment = self.implementation_of_environment.as_deref();
        let environment = environment.filter(|name| !name.is_empty() && !self.names_another());
        self.implementation.first().map(OsString::as_os_str).or(environment)
    }

    /// Whether the command line says what is under test other than by `--impl`.
    fn names_another(&self) -> bool {
        self.reference || !self.profile.is_empty() || self.library().is_some()
    }

    /// Whether something is said of how to reach an implementation that is no part
    /// of this program.
    pub(super) fn asks_for_another(&self) -> bool {
        !self.implementation.is_empty()
            || self.names_another()
            || self.session.is_some()
            || self.in_flight.is_some()
            || self.start_timeout.is_some()
            || self.cross_check
            || self.memory_limit.is_some()
            || !(self.env.is_empty() && self.arguments.is_empty())
    }

    /// The library that is named.
    #[cfg(all(unix, feature = "library"))]
    pub(super) fn library(&self) -> Option<&Path> {
        self.library.first().map(PathBuf::as_path)
    }

    /// The profile that is named.
    pub(super) fn profile(&self) -> Option<&str> {
        self.profile.first().map(String::as_str)
    }

    /// The library that is named: none, without the feature.
    #[cfg(not(all(unix, feature = "library")))]
    #[allow(clippy::unused_self, reason = "with the feature it is used")]
    pub(super) fn library(&self) -> Option<&Path> {
        None
    }
}

/// What an implementation is asked.
#[derive(Debug, Clone, Default, Args)]
pub struct ScopeArgs {
    /// Only the cases of this suite
    #[arg(long, value_name = "SUITE", help_heading = "Selection")]
    pub suite: Vec<String>,

    /// Only the cases of this class of implementations
    #[arg(long, value_name = "CLASS", help_heading = "Selection")]
    pub class: Vec<String>,

    /// The protocol version to certify against, such as v0.3 [default: the newest]
    #[arg(long, value_name = "VERSION", help_heading = "Selection")]
    pub protocol: Option<Protocol>,

    /// The release of the suites to be held to: a version, latest, or draft for all cases
    /// that are there; what is newer is advisory [default: latest]
    #[arg(long, value_name = "VERSION", help_heading = "Selection")]
    pub suite_release: Option<Asked>,

    /// Take the suites from this directory [default: those in the program]
    #[arg(long, value_name = "DIR", help_heading = "Selection")]
    pub suites: Option<PathBuf>,

    /// Take the fixtures from this directory [default: those in the program]
    #[arg(long, value_name = "DIR", help_heading = "Selection")]
    pub fixtures: Option<PathBuf>,
}

/// The options of a run.
#[derive(Debug, Clone, Default, Args)]
pub struct RunArgs {
    /// Cases to run: those whose id contains one of these texts
    #[arg(value_name = "FILTER")]
    pub filters: Vec<String>,

    /// How the implementation is reached.
    #[command(flatten)]
    pub reach: ReachArgs,

    /// What it is asked.
    #[command(flatten)]
    pub scope: ScopeArgs,

    /// Filters and skips are whole case ids
    #[arg(long, help_heading = "Selection")]
    pub exact: bool,

    /// Leave out the cases whose id contains this text
    #[arg(long, value_name = "FILTER", help_heading = "Selection")]
    pub skip: Vec<String>,

    /// Only the fixtures that decide this rule
    #[arg(long, value_name = "RULE", help_heading = "Selection")]
    pub rule: Vec<RuleId>,

    /// Run each fixture in other ways to write the same as well: as JSON, with CRLF, …
    #[arg(long, help_heading = "Selection")]
    pub variants: bool,

    /// Run one of several parts: K/N by a hash of the fixture's id, or slice:K/N by order
    #[arg(long, value_name = "K/N", help_heading = "Selection")]
    pub shard: Option<Shard>,

    /// List the cases instead of running them
    #[arg(long, help_heading = "Run")]
    pub list: bool,

    /// How to list them
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "FORMAT",
        requires = "list",
        help_heading = "Run"
    )]
    pub format: ListFormat,

    /// How many cases run at a time [default: the number of CPUs]
    #[arg(long, value_name = "N", value_parser = at_least_one, help_heading = "Run")]
    pub test_threads: Option<NonZeroUsize>,

    /// Run the cases in another order, which the seed decides
    #[arg(long, value_name = "SEED", help_heading = "Run")]
    pub shuffle: Option<u64>,

    /// End the run at the first failing case
    #[arg(long, help_heading = "Run")]
    pub fail_fast: bool,

    /// Run failing cases again, up to so many times; one that changes is flaky, and fails
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Run")]
    pub retries: usize,

    /// The failures that are expected: a list in YAML; see docs/ci.md
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    pub expect: Option<PathBuf>,

    /// Write the failures of this run as such a list
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    pub expect_write: Option<PathBuf>,

    /// The level from which on a failure fails the run
    #[arg(long, value_enum, default_value_t, value_name = "LEVEL", help_heading = "Run")]
    pub enforce: Enforce,

    /// What is told of it.
    #[command(flatten)]
    pub output: OutputArgs,

    /// Accepted as `cargo test` and nextest give it; nothing is captured here
    #[arg(long, hide = true)]
    pub nocapture: bool,

    /// Accepted likewise; no case is ignored, so this selects none
    #[arg(long, hide = true)]
    pub ignored: bool,

    /// A text that the ids of cases must hold besides, as a test runner asks for.
    #[arg(skip)]
    pub narrow: Option<String>,
}

/// What is told of a run, and to whom.
#[derive(Debug, Clone, Default, Args)]
pub struct OutputArgs {
    /// Write a report: KIND=PATH, - for standard output; may be given again
    #[arg(
        long,
        value_name = "KIND=PATH",
        long_help = ReportSpec::help(),
        help_heading = "Output"
    )]
    pub report: Vec<ReportSpec>,

    /// Where a job of GitHub Actions has its summary; written with `--report github`
    // As text: set and empty is as good as not set.
    #[arg(long, hide = true, env = "GITHUB_STEP_SUMMARY", hide_env = true, value_name = "PATH")]
    pub job_summary: Option<OsString>,

    /// Show every failure in full, not only the first 20
    #[arg(long, value_name = "WHICH", value_enum, help_heading = "Output")]
    pub show: Option<Show>,

    /// What stands before what is told, safe to show.
    #[arg(skip)]
    pub heading: String,

    /// How many failures are shown in full, where it is not all and not the usual number.
    #[arg(skip)]
    pub in_full: Option<usize>,

    /// When to use colours
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", help_heading = "Output")]
    pub color: Color,

    /// Only the verdict
    #[arg(long, short, conflicts_with = "verbose", help_heading = "Output")]
    pub quiet: bool,

    /// More: each case, choices where the spec is open
    #[arg(long, short, action = clap::ArgAction::Count, help_heading = "Output")]
    pub verbose: u8,
}

/// How detailed the findings on standard output are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Findings {
    /// Find out by looking at the output
    #[default]
    Auto,
    /// One JSON object a line
    Json,
    /// RULE-ID: message
    Tagged,
    /// Free text
    Text,
}

/// Whether to keep a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Session {
    /// Whatever the profile says
    Always,
    /// A process a case
    Never,
}

/// How to list cases.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// One id a line, as `cargo test --list` has it
    #[default]
    Terse,
    /// One JSON object a line
    Json,
}

/// The level from which on a failure fails the run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Enforce {
    /// MUST and MUST NOT
    #[default]
    Must,
    /// SHOULD as well
    Should,
}

/// Which failures to show in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Show {
    /// All of them
    All,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
