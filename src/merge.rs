//! Joins the reports of shards to the report of the whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::core::{
    CaseId, CaseRecord, Disposition, Header, LeftOut, Misfit, MisfitWhy, Shard, Sharded, Stopped,
};
use crate::report::Report;

/// A report, and what it is called: the path of its file.
#[derive(Debug, Clone)]
pub struct Piece {
    /// The path, for people.
    pub name: String,
    /// The report.
    pub report: Report,
}

/// What all shards give together, before it is added up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joined {
    /// As that of a run of the whole.
    pub header: Header,
    /// The cases of all shards.
    pub cases: Vec<CaseRecord>,
    /// The cases that no shard ran, by id.
    pub missing: Vec<CaseId>,
    /// The shards of which there is no report.
    pub absent: Vec<Shard>,
    /// What does not fit of the list of expected failures.
    pub misfits: Vec<Misfit>,
    /// Why the first of those shards that ended early did.
    pub stopped: Option<Stopped>,
    /// What the implementation says of its version.
    pub version: Option<String>,
    /// How long all took together, in microseconds.
    pub duration_us: u64,
}

/// Why reports cannot be joined.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// There is no report.
    #[error("join reports: there is none")]
    None,
    /// One is not of a shard.
    #[error("join {name}: it is the report of a whole run, not of a shard")]
    Whole {
        /// The report.
        name: String,
    },
    /// Two are not of the same run.
    #[error("join {first} and {second}: they are of {what}, {of_first} and {of_second}")]
    Different {
        /// One report.
        first: String,
        /// The other.
        second: String,
        /// In what they differ, such as `different implementations`.
        what: &'static str,
        /// What it is in the one.
        of_first: String,
        /// What it is in the other.
        of_second: String,
    },
    /// Two are of the same shard.
    #[error("join {first} and {second}: both are of shard {shard}")]
    Twice {
        /// One report.
        first: String,
        /// The other.
        second: String,
        /// The shard.
        shard: Shard,
    },
    /// Two do not have the same cases to share.
    #[error("join {first} and {second}: they do not share the same cases, such as {case}")]
    OtherCases {
        /// One report.
        first: String,
        /// The other.
        second: String,
        /// A case that is in one and cannot be by the other.
        case: CaseId,
    },
}

impl MergeError {
    /// What to do about it.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::None | Self::Whole { .. } => "give the reports of runs with --shard",
            Self::Different { .. } | Self::OtherCases { .. } => {
                "run all shards of the same program with the same options"
            }
            Self::Twice { .. } => "leave one of them out",
        }
    }
}

/// Joins the reports of the shards of one run.
///
/// # Errors
/// When they are not of one run, or a shard is there twice.
pub fn join(pieces: &[Piece]) -> Result<Joined, MergeError> {
    let Some(first) = pieces.first() else { return Err(MergeError::None) };
    let shards: Vec<&Sharded> = pieces.iter().map(sharded).collect::<Result<_, _>>()?;
    for (piece, shard) in pieces.iter().zip(&shards).skip(1) {
        same_run(first, piece)?;
        same_parting(first, shards[0], piece, shard)?;
    }
    once(pieces, &shards)?;
    same_cases(pieces, &shards)?;
    let cases: Vec<CaseRecord> =
        pieces.iter().flat_map(|piece| piece.report.cases.iter().cloned()).collect();
    let ran: BTreeSet<&CaseId> = cases.iter().map(|case| &case.id).collect();
    let mut planned: BTreeSet<CaseId> = ran.iter().map(|&case| case.clone()).collect();
    for (piece, shard) in pieces.iter().zip(&shards) {
        planned.extend(shard.elsewhere.iter().chain(&piece.report.summary.missing).cloned());
    }
    let missing: Vec<CaseId> = planned.iter().filter(|case| !ran.contains(case)).cloned().collect();
    let part = shards[0].part;
    let there: BTreeSet<u32> = shards.iter().map(|shard| shard.part.number()).collect();
    let absent = (1..=part.total()).filter(|number| !there.contains(number));
    let absent: Vec<Shard> = absent.map(|number| part.sibling(number)).collect();
    let summaries = || pieces.iter().map(|piece| &piece.report.summary);
    let header = Header {
        cases: planned.len(),
        advisory: cases.iter().filter(|case| case.is_advisory()).count(),
        without_golden: pieces.iter().map(|piece| piece.report.header.without_golden).sum(),
        left_out: besides_shards(&first.report.header),
        shard: None,
        ..first.report.header.clone()
    };
    Ok(Joined {
        header,
        misfits: misfits(pieces, &cases, missing.is_empty()),
        missing,
        absent,
        stopped: summaries().find_map(|summary| summary.stopped),
        version: summaries().find_map(|summary| summary.implementation_version.clone()),
        duration_us: summaries().fold(0, |sum, it| it.duration_us.saturating_add(sum)),
        cases,
    })
}

fn sharded(piece: &Piece) -> Result<&Sharded, MergeError> {
    let shard = piece.report.header.shard.as_ref();
    shard.ok_or_else(|| MergeError::Whole { name: piece.name.clone() })
}

/// Refuses reports that differ in what was run.
fn same_run(first: &Piece, second: &Piece) -> Result<(), MergeError> {
    let (one, other) = (&first.report.header, &second.report.header);
    differ(first, second, "different versions of the program", &one.program, &other.program)?;
    let (digest, second_digest) = (&one.suite_digest, &other.suite_digest);
    differ(first, second, "different suites or fixtures", digest, second_digest)?;
    differ(first, second, "different protocol versions", &one.protocol, &other.protocol)?;
    let implementation = |header: &Header| {
        let it = &header.implementation;
        format!("{} ({}: {})", it.name, it.driver, it.command.join(" "))
    };
    let what = "different implementations";
    differ(first, second, what, &implementation(one), &implementation(other))?;
    // One that had nothing to do may not have heard the version.
    let version = |piece: &Piece| {
        let summary = &piece.report.summary;
        let given = &piece.report.header.implementation.version;
        summary.implementation_version.clone().or_else(|| given.clone())
    };
    if let (Some(one), Some(other)) = (version(first), version(second)) {
        differ(first, second, "different versions of the implementation", &one, &other)?;
    }
    let told = |header: &Header| match &header.variants {
        Some(census) => format!("{} made", census.made),
        None => "none".to_owned(),
    };
    differ(first, second, "runs with different variants", &told(one), &told(other))?;
    differ(first, second, "runs that enforce different levels", &one.enforce, &other.enforce)
}

fn same_parting(
    first: &Piece,
    one: &Sharded,
    second: &Piece,
    other: &Sharded,
) -> Result<(), MergeError> {
    if !one.part.is_beside(other.part) {
        let what = "shards that do not go together";
        return differ(first, second, what, &one.part, &other.part);
    }
    let options = |piece: &Piece| format!("{:?}", besides_shards(&piece.report.header));
    let what = "selections that leave out different cases";
    differ(first, second, what, &options(first), &options(second))
}

fn differ<T: PartialEq + fmt::Display>(
    first: &Piece,
    second: &Piece,
    what: &'static str,
    of_first: &T,
    of_second: &T,
) -> Result<(), MergeError> {
    if of_first == of_second {
        return Ok(());
    }
    Err(MergeError::Different {
        first: first.name.clone(),
        second: second.name.clone(),
        what,
        of_first: of_first.to_string(),
        of_second: of_second.to_string(),
    })
}

fn once(pieces: &[Piece], shards: &[&Sharded]) -> Result<(), MergeError> {
    let mut seen: BTreeMap<u32, &Piece> = BTreeMap::new();
    for (piece, shard) in pieces.iter().zip(shards) {
        if let Some(first) = seen.insert(shard.part.number(), piece) {
            return Err(MergeError::Twice {
                first: first.name.clone(),
                second: piece.name.clone(),
                shard: shard.part,
            });
        }
    }
    Ok(())
}

/// What one shard has to run, each other leaves to it.
fn same_cases(pieces: &[Piece], shards: &[&Sharded]) -> Result<(), MergeError> {
    let elsewhere: Vec<BTreeSet<&CaseId>> =
        shards.iter().map(|shard| shard.elsewhere.iter().collect()).collect();
    let own = |piece: &'_ Piece| -> BTreeSet<CaseId> {
        let cases = piece.report.cases.iter().map(|case| &case.id);
        cases.chain(&piece.report.summary.missing).cloned().collect()
    };
    let own: Vec<BTreeSet<CaseId>> = pieces.iter().map(own).collect();
    let wrong = |one: usize, other: usize| {
        let not_left = own[one].iter().find(|case| !elsewhere[other].contains(case));
        let in_neither = || {
            let known = |case: &&CaseId| !own[one].contains(case) && !elsewhere[one].contains(case);
            elsewhere[other].iter().copied().find(known)
        };
        not_left.or_else(in_neither).cloned()
    };
    for one in 0..pieces.len() {
        for other in (0..pieces.len()).filter(|&other| other != one) {
            if let Some(case) = wrong(one, other) {
                return Err(MergeError::OtherCases {
                    first: pieces[one].name.clone(),
                    second: pieces[other].name.clone(),
                    case,
                });
            }
        }
    }
    Ok(())
}

/// What a run leaves out, apart from what it leaves to other shards.
fn besides_shards(header: &Header) -> BTreeMap<String, BTreeMap<LeftOut, usize>> {
    let mut left_out = header.left_out.clone();
    for reasons in left_out.values_mut() {
        reasons.remove(&LeftOut::OtherShard);
    }
    left_out
}

/// What does not fit of the list, seen over all shards: what is wrong with an entry in
/// several of them is told once, and a failure that one shard lacks may be in another.
fn misfits(pieces: &[Piece], cases: &[CaseRecord], whole: bool) -> Vec<Misfit> {
    let fits = |entry: &str| {
        cases.iter().any(|case| {
            matches!(&case.disposition, Disposition::ExpectedFailure(it) if it.entry == entry)
        })
    };
    let mut joined: Vec<Misfit> = Vec::new();
    for misfit in pieces.iter().flat_map(|piece| &piece.report.summary.misfits) {
        let same_kind = |other: &&mut Misfit| {
            let kind = std::mem::discriminant(&other.why) == std::mem::discriminant(&misfit.why);
            kind && other.entry == misfit.entry
        };
        match (joined.iter_mut().find(same_kind), &misfit.why) {
            (None, MisfitWhy::NeverFails { .. }) if fits(&misfit.entry) => {}
            (None, MisfitWhy::NeverFails { .. }) if whole => {
                let why = MisfitWhy::NeverFails { elsewhere: 0 };
                joined.push(Misfit { why, ..misfit.clone() });
            }
            (None, _) => joined.push(misfit.clone()),
            (Some(there), why) => add(&mut there.why, why),
        }
    }
    joined
}

/// Each shard counts its own cases, but all of those that are skipped.
fn add(there: &mut MisfitWhy, more: &MisfitWhy) {
    match (there, more) {
        (MisfitWhy::Unsupported { cases }, MisfitWhy::Unsupported { cases: more }) => {
            *cases += more;
        }
        (
            MisfitWhy::OtherMessage { cases, first },
            MisfitWhy::OtherMessage { cases: more, first: other },
        ) => {
            *cases += more;
            let both = [first.take(), other.clone()];
            *first = both.into_iter().flatten().min_by(|one, two| one.case.cmp(&two.case));
        }
        (MisfitWhy::NeverFails { elsewhere }, MisfitWhy::NeverFails { elsewhere: more }) => {
            *elsewhere = (*elsewhere).min(*more);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
