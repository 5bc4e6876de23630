//! `receipt verify`: a receipt against a policy, evidence, and a run of its own.

use std::io::{self, Read, Write};
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::identity::written;
use super::receipt::{labelled, lines};
use super::under_test::{UnderTestArgs, short, subject};
use super::{files, portable, refusals};
use crate::certify::{
    EvidenceKind, Policy, Receipt, Refusal, SuiteId, check_evidence, check_project,
    check_project_revision, check_report, check_rerun, check_subject,
};
use crate::cli::args::{OutputArgs, ReachArgs, RunArgs, ScopeArgs};
use crate::cli::kept::Kept;
use crate::cli::run::{perform, prepare_released};
use crate::cli::{Exit, Fatal, FindingsFormat};
use crate::data::{Folder, Tree};
use crate::report::Report;
use crate::settings::Surroundings;
use crate::suites;

/// The options of `receipt verify`.
#[derive(Debug, Clone, Args)]
pub struct VerifyArgs {
    /// The receipt, or a larger object with one in it; - for standard input
    #[arg(value_name = "RECEIPT")]
    pub receipt: PathBuf,

    /// The policy that must admit it; without one nothing is accepted
    #[arg(long, value_name = "FILE", help_heading = "Certificate")]
    pub policy: Option<PathBuf>,

    /// The id of the project that it must be of
    #[arg(long, value_name = "ID", help_heading = "Certificate")]
    pub project: Option<String>,

    /// What the project must be held to: an identity, or a path to take it of
    #[arg(long, value_name = "IDENTITY|PATH", help_heading = "Certificate")]
    pub project_revision: Option<String>,

    /// What must have been tested: an identity, or a path to take it of
    #[arg(long, value_name = "IDENTITY|PATH", help_heading = "Certificate")]
    pub subject: Option<String>,

    /// The JSON report of the certified run
    #[arg(long, value_name = "FILE", help_heading = "Certificate")]
    pub report: Option<PathBuf>,

    /// Evidence of a kind that the receipt names; may be given again
    #[arg(long, value_name = "KIND=FILE", value_parser = evidence, help_heading = "Certificate")]
    pub evidence: Vec<(EvidenceKind, PathBuf)>,

    /// Run the implementation again and compare
    #[arg(long, help_heading = "Certificate")]
    pub rerun: bool,

    /// How to write what was found
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = "Output")]
    pub format: FindingsFormat,

    /// What the implementation consists of.
    #[command(flatten)]
    pub under_test: UnderTestArgs,

    /// How the implementation is reached.
    #[command(flatten)]
    pub reach: ReachArgs,

    /// What it is asked, where the receipt does not tell.
    #[command(flatten)]
    pub scope: ScopeArgs,
}

fn evidence(text: &str) -> Result<(EvidenceKind, PathBuf), String> {
    let (kind, path) = text.split_once('=').ok_or("write it as KIND=FILE")?;
    let kinds = || EvidenceKind::all().map(EvidenceKind::as_str).collect::<Vec<_>>().join(", ");
    let kind = EvidenceKind::named(kind).ok_or_else(|| format!("choose one of {}", kinds()))?;
    Ok((kind, path.into()))
}

/// What came of verifying.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// A policy admits it, and all else that was asked for holds.
    Accepted,
    /// All that was asked for holds, and there was no policy to accept it.
    WellFormed,
    /// Something does not hold.
    Refused,
}

/// Verifies a receipt.
pub(super) fn verify(
    args: &VerifyArgs,
    surroundings: &Surroundings,
    standard_input: &mut dyn Read,
    out: &mut dyn Write,
) -> Result<Exit, Fatal> {
    let policy = args.policy.as_deref().map(files::policy).transpose()?;
    let mut found = Vec::new();
    let policy = match policy {
        Some(Err(refusals)) => {
            found.extend(refusals);
            None
        }
        Some(Ok(policy)) => Some(policy),
        None => None,
    };
    let receipt = match files::receipt(&args.receipt, standard_input)? {
        Ok(receipt) => {
            found.extend(check(args, policy.as_ref(), &receipt)?);
            // A run is worth its time only when nothing else is wrong.
            if args.rerun && found.is_empty() {
                found.extend(rerun(args, surroundings, &receipt)?);
            }
            Some(receipt)
        }
        Err(refusals) => {
            found.extend(refusals);
            None
        }
    };
    let verdict = match (found.is_empty(), &policy) {
        (false, _) => Verdict::Refused,
        (true, Some(_)) => Verdict::Accepted,
        (true, None) => Verdict::WellFormed,
    };
    let told = match args.format {
        FindingsFormat::Text => {
            text(args, receipt.as_ref(), (&found, verdict), surroundings.width(), out)
        }
        FindingsFormat::Json => json_object(args, receipt.as_ref(), &found, verdict, out),
    };
    let exit = if verdict == Verdict::Refused { Exit::Failure } else { Exit::Success };
    told.map_or_else(written, |()| Ok(exit))
}

/// Everything that needs no run.
fn check(
    args: &VerifyArgs,
    policy: Option<&Policy>,
    receipt: &Receipt,
) -> Result<Vec<Refusal>, Fatal> {
    let mut found = policy.map(|policy| policy.refuses(receipt)).unwrap_or_default();
    if let Some(project) = &args.project {
        found.extend(check_project(receipt, project));
    }
    if let Some(revision) = &args.project_revision {
        found.extend(check_project_revision(receipt, files::identity_or_path(revision)?));
    }
    if let Some(subject) = &args.subject {
        found.extend(check_subject(receipt, files::identity_or_path(subject)?));
    }
    if let Some(path) = &args.report {
        let report = Report::read(path).map_err(|error| {
            Fatal::error(error.to_string())
                .with_remedy("give the report that --report json=FILE wrote when it was certified")
        })?;
        let refusals = check_report(receipt, &report);
        found.extend(refusals.map_err(|error| Fatal::error(format!("failed to {error}")))?);
    }
    for (kind, path) in &args.evidence {
        let given = super::identity::of(path).map_err(|it| super::identity::fatal(&it))?;
        found.extend(check_evidence(receipt, *kind, given));
    }
    Ok(found)
}

/// Runs what the receipt says was run, and compares.
fn rerun(
    args: &VerifyArgs,
    surroundings: &Surroundings,
    receipt: &Receipt,
) -> Result<Vec<Refusal>, Fatal> {
    let given = subject(&args.reach, &args.under_test)?.identity;
    if let Some(refusal) = check_subject(receipt, given) {
        return Ok(vec![refusal]);
    }
    let run = RunArgs {
        reach: args.reach.clone(),
        scope: scope(args, receipt)?,
        output: OutputArgs { quiet: true, ..OutputArgs::default() },
        variants: true,
        ..RunArgs::default()
    };
    let prepared = prepare_released(&run, surroundings)?;
    portable::check(&run.scope)?;
    let kept = Kept::default();
    perform(&run, surroundings, &prepared, None, Some(kept.reporter()))?;
    let report = kept.into_report(&prepared.corpus);
    let report = report.ok_or_else(|| Fatal::error("the run did not come to its end"))?;
    check_rerun(receipt, &report).map_err(|error| Fatal::error(format!("failed to {error}")))
}

/// What the receipt says was asked, where the command line does not say it.
fn scope(args: &VerifyArgs, receipt: &Receipt) -> Result<ScopeArgs, Fatal> {
    let mut scope = args.scope.clone();
    if scope.suite_release.is_none() {
        // The receipt may say anything; what is no version is no release of this program.
        scope.suite_release = receipt.claims().suite.version.parse().ok();
    }
    let told = scope.protocol.is_some() || !scope.class.is_empty() || !scope.suite.is_empty();
    if told {
        return Ok(scope);
    }
    let id = &receipt.claims().suite.id;
    let parsed = SuiteId::parse(id).ok_or_else(|| {
        Fatal::error(format!("the receipt is of the suite {id:?}, which says not what was asked"))
            .with_remedy("name it with --protocol, and --class or --suite")
    })?;
    scope.protocol = Some(parsed.protocol);
    scope.class = parsed.named.into_iter().collect();
    let tree = Tree::named(scope.suites.as_deref(), Folder::Suites);
    let suites = suites::load(&tree)?;
    let own = suites.suites.iter().filter(|suite| suite.spec_name() == parsed.spec);
    if scope.class.is_empty() && own.clone().all(|suite| !suite.default) {
        scope.suite = own.map(|suite| suite.suite.clone()).collect();
        if scope.suite.is_empty() {
            return Err(Fatal::error(format!("this program has no suite of {}", parsed.spec))
                .with_remedy("name the directories of the suites with --suites and --fixtures"));
        }
    }
    Ok(scope)
}

fn text(
    args: &VerifyArgs,
    receipt: Option<&Receipt>,
    (found, verdict): (&[Refusal], Verdict),
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let told = receipt.map(lines).unwrap_or_default();
    let checked = checked(args, receipt, found).into_iter();
    let told = told.into_iter().chain(checked.map(|what| ("checked".to_owned(), what)));
    out.write_all(labelled(told, width).as_bytes())?;
    refusals::write(out, found, width)?;
    match verdict {
        Verdict::Accepted => writeln!(out, "accepted"),
        Verdict::WellFormed => {
            writeln!(out, "well-formed: no policy was given, so nothing says whether to accept it")
        }
        Verdict::Refused => writeln!(out, "refused"),
    }?;
    out.flush()
}

fn json_object(
    args: &VerifyArgs,
    receipt: Option<&Receipt>,
    found: &[Refusal],
    verdict: Verdict,
    out: &mut dyn Write,
) -> io::Result<()> {
    let verdict = match verdict {
        Verdict::Accepted => "accepted",
        Verdict::WellFormed => "well-formed",
        Verdict::Refused => "refused",
    };
    let object = json!({
        "verdict": verdict,
        "receipt_identity": receipt.map(Receipt::identity),
        "receipt": receipt.map(Receipt::claims),
        "checked": checked(args, receipt, found),
        "refusals": refusals::json(found),
    });
    writeln!(out, "{object}")?;
    out.flush()
}

/// What was looked at, whatever came of it.
fn checked(args: &VerifyArgs, receipt: Option<&Receipt>, found: &[Refusal]) -> Vec<String> {
    let mut checked = vec!["form".to_owned()];
    let mut add = |asked: bool, what: &str| checked.extend(asked.then(|| what.to_owned()));
    add(args.policy.is_some(), "policy");
    if receipt.is_none() {
        return checked;
    }
    add(args.project.is_some(), "project");
    add(args.project_revision.is_some(), "project revision");
    add(args.subject.is_some() || args.rerun, "subject");
    add(args.report.is_some(), "report");
    for (kind, path) in &args.evidence {
        add(true, &format!("{kind} {}", short(path)));
    }
    let ran = found.iter().all(|refusal| RERUN.contains(&refusal.code().as_str()));
    add(args.rerun && ran, "a new run");
    checked
}

/// The codes of what only a new run shows.
const RERUN: [&str; 4] = [
    "receipt.verify.rerun-fails",
    "receipt.verify.result-mismatch",
    "receipt.verify.suite-mismatch",
    "receipt.verify.tests-mismatch",
];
