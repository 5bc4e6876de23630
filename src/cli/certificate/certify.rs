//! `certify`: a run of all that is required, and a receipt when everything passes.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use super::apart::{files_apart, unwritable};
use super::under_test::{UnderTestArgs, runner, short, subject};
use super::whole::PartArgs;
use super::{files, portable, refusals, statement};
use crate::certify::{
    Claims, EvidenceKind, Identity, Policy, Projected, Projection, ProjectionFault, Receipt,
    Refusal, Requirement, Resource, Subject, SuiteRef, TestResult, report_identity,
    result_identity,
};
use crate::cli::args::{Color, Enforce, OutputArgs, ReachArgs, RunArgs, ScopeArgs};
use crate::cli::kept::Kept;
use crate::cli::run::{Prepared, perform, prepare_released};
use crate::cli::several::alone;
use crate::cli::{Exit, Fatal};
use crate::core::{Disposition, Level, Standing, Verdict};
use crate::corpus::Corpus;
use crate::data::Fault;
use crate::releases::Asked;
use crate::report::{Report, ReportSpec};
use crate::settings::Surroundings;

/// The options of `certify`.
#[derive(Debug, Clone, Args)]
pub struct CertifyArgs {
    /// What is refused.
    #[command(flatten)]
    pub part: PartArgs,

    /// The id of the project that is certified
    #[arg(long, value_name = "ID", help_heading = "Certificate")]
    pub project: String,

    /// The file of the project's current receipt
    #[arg(long, value_name = "FILE", help_heading = "Certificate")]
    pub out: PathBuf,

    /// The policy that must admit the receipt
    #[arg(long, value_name = "FILE", help_heading = "Certificate")]
    pub policy: Option<PathBuf>,

    /// Write an in-toto statement, to be signed, as well
    #[arg(long, value_name = "FILE", help_heading = "Certificate")]
    pub attest: Option<PathBuf>,

    /// What the project is held to: an identity, or a path to take it of [default:
    /// the classes, the protocol version and the suites]
    #[arg(long, value_name = "IDENTITY|PATH", help_heading = "Certificate")]
    pub project_revision: Option<String>,

    /// What the implementation consists of.
    #[command(flatten)]
    pub under_test: UnderTestArgs,

    /// How the implementation is reached.
    #[command(flatten)]
    pub reach: ReachArgs,

    /// What it is asked.
    #[command(flatten)]
    pub scope: ScopeArgs,

    /// The level from which on a failure fails the run
    #[arg(long, value_enum, default_value_t, value_name = "LEVEL", help_heading = "Run")]
    pub enforce: Enforce,

    /// How many cases run at a time [default: the number of CPUs]
    #[arg(long, value_name = "N", help_heading = "Run")]
    pub test_threads: Option<NonZeroUsize>,

    /// Write a report: KIND=PATH, - for standard output; may be given again
    #[arg(long, value_name = "KIND=PATH", help_heading = "Output")]
    pub report: Vec<ReportSpec>,

    /// When to use colours
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", help_heading = "Output")]
    pub color: Color,

    /// Only the verdict and the statement
    #[arg(long, short, conflicts_with = "verbose", help_heading = "Output")]
    pub quiet: bool,

    /// More: each case, choices where the spec is open
    #[arg(long, short, action = clap::ArgAction::Count, help_heading = "Output")]
    pub verbose: u8,
}

impl CertifyArgs {
    /// The run: no filter, nothing left out.
    fn run_args(&self) -> RunArgs {
        RunArgs {
            reach: self.reach.clone(),
            // A receipt names a release.
            scope: ScopeArgs {
                suite_release: Some(self.scope.suite_release.clone().unwrap_or(Asked::Latest)),
                ..self.scope.clone()
            },
            variants: true,
            enforce: self.enforce,
            test_threads: self.test_threads,
            output: OutputArgs {
                report: self.report.clone(),
                color: self.color,
                quiet: self.quiet,
                verbose: self.verbose,
                ..OutputArgs::default()
            },
            ..RunArgs::default()
        }
    }
}

/// Certifies an implementation.
pub(super) fn certify(
    args: &CertifyArgs,
    surroundings: &Surroundings,
    out: &mut dyn Write,
) -> Result<Exit, Fatal> {
    args.part.check()?;
    alone(&args.reach)?;
    let width = surroundings.width();
    let run = args.run_args();
    if run.scope.suite_release == Some(Asked::Draft) {
        return Err(Fatal::error(
            "failed to certify against a draft: what it is tomorrow is another matter \
             [certify.draft]",
        )
        .with_remedy("name a release with --suite-release, or leave it out for the latest"));
    }
    let prepared = prepare_released(&run, surroundings)?;
    portable::check(&args.scope)?;
    files_apart(args)?;
    let projection = Projection::open(&args.out, &args.project).map_err(|f| projected(args, &f))?;
    let policy = args.policy.as_deref().map(files::policy).transpose()?;
    let policy = match policy {
        Some(Err(found)) => return refused(out, "the policy is not well-formed", &found, width),
        Some(Ok(policy)) => Some(policy),
        None => None,
    };
    let subject = subject(&args.reach, &args.under_test)?;
    let mut claims = claims(args, &prepared, &subject)?;
    // What is known already is refused before the run, not after it.
    if let Err(found) = admitted(&claims, policy.as_ref()) {
        return refused(out, "there can be no receipt", &found, width);
    }
    let kept = Kept::default();
    let exit = perform(&run, surroundings, &prepared, None, Some(kept.reporter()))?;
    let report = kept.into_report(&prepared.corpus);
    let Some(report) = report.filter(|report| exit == Exit::Success && is_whole(report)) else {
        let path = short(&args.out);
        let text = format!("not certified: nothing was written to {path} [certify.not-passed]");
        let exit = if exit == Exit::Success { Exit::Failure } else { exit };
        return told(writeln!(out, "{text}"), exit);
    };
    unchanged(args, &subject, &claims)?;
    claims.result = result_identity(&report).map_err(|error| failed(&error))?;
    claims.tests = report.cases.len() as u64;
    let evidence = report_identity(&report).map_err(|error| failed(&error))?;
    claims.evidence.insert(EvidenceKind::TEST_REPORT, evidence);
    let receipt = match admitted(&claims, policy.as_ref()) {
        Ok(receipt) => receipt,
        Err(found) => return refused(out, "there can be no receipt", &found, width),
    };
    let written = projection.write(&receipt).map_err(|fault| projected(args, &fault))?;
    if let Some(path) = &args.attest {
        attest(path, &subject, &receipt, &report)?;
    }
    let certified = statement::Certified {
        receipt: &receipt,
        report: &report,
        policy: args.policy.as_deref(),
        written: match written {
            Projected::Written => "written to",
            Projected::Unchanged => "the same as in",
        },
        path: &args.out,
    };
    told(statement::write(out, &certified, surroundings.width()), Exit::Success)
}

/// What is known before the run.
fn claims(args: &CertifyArgs, prepared: &Prepared, subject: &Subject) -> Result<Claims, Fatal> {
    let (requirement, suite) = suite_of(&args.scope, args.enforce, prepared)?;
    let project_revision = match &args.project_revision {
        Some(text) => files::identity_or_path(text)?,
        None => requirement.identity(&suite).map_err(|error| failed(&error))?,
    };
    let unknown = Identity::of_bytes(b"");
    Ok(Claims {
        project: args.project.clone(),
        project_revision,
        subject: subject.identity.clone(),
        suite,
        tests: prepared.plan.len() as u64,
        result: unknown.clone(),
        evidence: BTreeMap::from([
            (EvidenceKind::TEST_RUNNER, runner()?),
            (EvidenceKind::TEST_REPORT, unknown),
        ]),
    })
}

/// What a run asks for, and the suite as a receipt of it names it.
pub(super) fn suite_of(
    scope: &ScopeArgs,
    enforce: Enforce,
    prepared: &Prepared,
) -> Result<(Requirement, SuiteRef), Fatal> {
    let Prepared { corpus, plan, .. } = prepared;
    let classes = plan.left_out.keys();
    let requirement = requirement((scope, enforce), corpus, plan.protocol, classes)?;
    let suite = SuiteRef {
        id: requirement.suite_id(),
        version: version(&prepared.versions)?,
        revision: corpus.digest()?,
    };
    Ok((requirement, suite))
}

fn requirement<'a>(
    (scope, enforce): (&ScopeArgs, Enforce),
    corpus: &Corpus,
    protocol: crate::core::Protocol,
    classes: impl Iterator<Item = &'a String>,
) -> Result<Requirement, Fatal> {
    let classes: BTreeSet<String> = classes.cloned().collect();
    let mut specs = corpus.suites.suites.iter().map(|suite| suite.spec_name());
    let spec = specs.next().unwrap_or_default().to_owned();
    if let Some(other) = specs.find(|other| **other != spec) {
        let text = format!("the suites are of two specs, {spec} and {other}");
        return Err(Fatal::error(format!("{text} [certify.several-specs]"))
            .with_remedy("certify one spec at a time, with --suite"));
    }
    let everything = scope.class.is_empty() && scope.suite.is_empty();
    let alone = corpus.suites.suites.iter().all(|suite| !suite.default);
    let named = if everything || alone && scope.class.is_empty() {
        BTreeSet::new()
    } else {
        classes.clone()
    };
    let enforce = match enforce {
        Enforce::Must => Level::Must,
        Enforce::Should => Level::Should,
    };
    Ok(Requirement { spec, protocol, named, classes, enforce })
}

/// The release of the suites: a receipt has room for one version.
fn version(versions: &BTreeMap<String, String>) -> Result<String, Fatal> {
    let all: BTreeSet<&String> = versions.values().collect();
    match (all.first(), all.len()) {
        (Some(version), 1) => Ok((*version).clone()),
        _ => {
            let each = versions.iter().map(|(suite, version)| format!("{suite} {version}"));
            let each: Vec<String> = each.collect();
            let text = format!("the suites have different releases: {}", each.join(", "));
            Err(Fatal::error(format!("{text} [certify.several-releases]"))
                .with_remedy("name one that all have with --suite-release"))
        }
    }
}

/// The receipt with these claims, when there can be one and the policy admits it.
fn admitted(claims: &Claims, policy: Option<&Policy>) -> Result<Receipt, Vec<Refusal>> {
    let receipt = Receipt::new(claims.clone())?;
    let refusals = policy.map(|policy| policy.refuses(&receipt)).unwrap_or_default();
    if refusals.is_empty() { Ok(receipt) } else { Err(refusals) }
}

/// Whether every class was shown to conform, and nothing was left out.
fn is_whole(report: &Report) -> bool {
    let standing = &report.summary.standing;
    let judged = |disposition: &Disposition| *disposition == Disposition::Judged;
    !standing.is_empty()
        && standing.values().all(|standing| *standing == Standing::Conforms)
        && report.cases.len() == report.header.cases
        && report.cases.iter().all(|case| judged(&case.disposition))
}

/// Refuses to certify what changed while it was tested.
fn unchanged(args: &CertifyArgs, before: &Subject, claims: &Claims) -> Result<(), Fatal> {
    let after = subject(&args.reach, &args.under_test)?;
    let runner = runner()?;
    let what = if after != *before {
        "the implementation"
    } else if claims.evidence.get(&EvidenceKind::TEST_RUNNER) != Some(&runner) {
        "this program"
    } else {
        return Ok(());
    };
    let text = format!("failed to certify: {what} changed during the run");
    Err(Fatal::error(format!("{text} [certify.changed]"))
        .with_remedy("wait until nothing builds or installs it, and certify again"))
}

fn attest(
    path: &std::path::Path,
    subject: &Subject,
    receipt: &Receipt,
    report: &Report,
) -> Result<(), Fatal> {
    let claims = receipt.claims();
    let resource = |name: &str, identity: &Identity| Resource {
        name: name.to_owned(),
        identity: identity.clone(),
    };
    let mut configuration = vec![
        resource(&claims.suite.id, &claims.suite.revision),
        resource("project-revision", &claims.project_revision),
    ];
    configuration
        .extend(claims.evidence.iter().map(|(kind, identity)| resource(kind.as_str(), identity)));
    let names = |passed: bool| {
        let cases = report.cases.iter();
        let cases = cases.filter(|case| (case.judgement.verdict == Verdict::Pass) == passed);
        cases.map(|case| case.id.as_str().to_owned()).collect()
    };
    let result = TestResult { passed: names(true), warned: names(false) };
    let text = crate::certify::statement(subject, receipt, &configuration, &result)
        .map_err(|error| failed(&error))?;
    crate::report::replace(path, &text).map_err(|error| unwritable(path, &error))
}

fn refused(out: &mut dyn Write, why: &str, found: &[Refusal], width: usize) -> Result<Exit, Fatal> {
    let written = writeln!(out, "not certified: {why}");
    let written = written.and_then(|()| refusals::write(out, found, width));
    told(written, Exit::Failure)
}

fn projected(args: &CertifyArgs, fault: &ProjectionFault) -> Fatal {
    let path = short(&args.out);
    let message = crate::data::printable(&fault.to_string());
    Fatal::error(format!("{path}: failed to {message} [{}]", fault.code()))
        .with_remedy(fault.remedy())
}

fn failed(error: &crate::certify::IdentityError) -> Fatal {
    Fatal::error(format!("failed to {error}"))
}

/// The exit code, unless it could not be told; a reader that has seen enough is no error.
fn told(written: std::io::Result<()>, exit: Exit) -> Result<Exit, Fatal> {
    match written {
        Err(error) => super::identity::written(error).map(|_| exit),
        Ok(()) => Ok(exit),
    }
}
