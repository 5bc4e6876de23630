//! The words for what the events say. Everything that comes from outside is
//! escaped here.

mod advisory;
mod hints;

use std::collections::BTreeSet;

pub(super) use advisory::{advisory, advisory_cases};
pub(super) use hints::{TRACEBACK, coverage, shows_traceback, tracebacks, unnamed_hint};

use super::escape;
use super::groups::Family;
use crate::core::{
    Attempt, CaseId, CaseRecord, Disposition, ExpectedFinding, Gap, Header, Level, Listed, Misfit,
    MisfitWhy, Mismatch, OtherFailure, Outcome, ReportedFinding, Severity, Stance, Standing,
    Stopped, Summary, Tally, Variant, VariantCensus, field_of,
};
pub(super) use crate::counted::counted as count;

/// The spec that was tested against, with its version.
pub(super) fn spec(header: &Header) -> String {
    format!("{} {}", escape::clamped(&header.spec, 100), header.protocol)
}

/// What differs, in one line.
#[must_use]
pub(super) fn mismatch(mismatch: &Mismatch) -> String {
    match mismatch {
        Mismatch::Stance { expected: Stance::Accept, .. } => {
            "rejected what is to be accepted".into()
        }
        Mismatch::Stance { .. } => "accepted what is to be rejected".into(),
        Mismatch::NoDecision { outcome: what, .. } => outcome(what),
        Mismatch::Missing { finding, unnamed: true } => hints::unnamed(finding),
        Mismatch::Missing { finding, .. } => {
            format!("does not report {}{}", finding.rule, at(&finding.at))
        }
        Mismatch::Extra { finding, known } => {
            let place = finding.at.as_deref().map(at).unwrap_or_default();
            let why = if *known { "which is not broken there" } else { "which no rule table has" };
            format!("reports {}{place}, {why}", escape::line(&finding.rule))
        }
        Mismatch::Repeated { finding, lines, .. } => {
            format!("reports {} on {} instead of one", escape::line(finding), count(*lines, "line"))
        }
        Mismatch::Relation { accepted, rejected, .. } => {
            format!("{} accepts what {} rejects", escape::line(accepted), escape::line(rejected))
        }
    }
}

/// Why a case failed, in one line: its heaviest mismatch, and that it came out
/// otherwise as well if it did.
#[must_use]
pub(super) fn cause(case: &CaseRecord) -> String {
    match &case.disposition {
        Disposition::Flaky { attempts: all } => format!("{}; {}", attempts(all), failure(case)),
        Disposition::UnexpectedPass(listed) => {
            format!("passes, and {} expects it to fail", escape::line(&listed.entry))
        }
        _ => failure(case),
    }
}

/// What differs most in a case, in one line, whatever was expected of it.
#[must_use]
pub fn failure(case: &CaseRecord) -> String {
    case.judgement
        .mismatches
        .first()
        .map_or_else(|| outcome(&case.observed), |weighed| mismatch(&weighed.mismatch))
}

/// On which variants a case fails likewise, if it does: in words that fit "it …".
#[must_use]
pub(super) fn likewise(family: &Family<'_>) -> Option<String> {
    let variants = family.variants();
    (!variants.is_empty()).then(|| format!("fails likewise on {variants}"))
}

/// What a case on a variant is given, in words that fit "the fixture …".
#[must_use]
pub(super) fn variant(case: &CaseId) -> Option<String> {
    let name = case.variant()?;
    Some(match name.parse::<Variant>() {
        Ok(variant) => format!("the variant {name}: the fixture {}", variant.about()),
        Err(_) => format!("the variant {}", escape::line(name)),
    })
}

/// What became of the variants of the fixtures, in words that fit "variants: …".
#[must_use]
pub(super) fn census(census: &VariantCensus) -> String {
    let VariantCensus { made, excepted, same, unparsed, lost } = census;
    format!(
        "{made} made; not made: {excepted} excepted, {same} no different, {unparsed} of documents \
         that do not parse, {} that would not mean the same",
        lost.len()
    )
}

/// How the attempts at a flaky case came out, such as `flaky: fail, pass`.
fn attempts(all: &[Attempt]) -> String {
    let verdicts: BTreeSet<&str> = all.iter().map(|attempt| attempt.verdict.as_str()).collect();
    let word = |attempt: &Attempt| match attempt.accepted {
        // The same verdict for different decisions, or at different levels.
        Some(accepted) if verdicts.len() == 1 => match attempt.level {
            Level::None => Stance::of(accepted).as_str().to_owned(),
            level => format!("{} ({level})", Stance::of(accepted).as_str()),
        },
        _ => attempt.verdict.as_str().to_owned(),
    };
    let words: Vec<String> = all.iter().map(word).collect();
    format!("flaky: {}", words.join(", "))
}

/// What came of a case, as a word.
#[must_use]
pub(super) fn word(case: &CaseRecord) -> &'static str {
    match &case.disposition {
        Disposition::Judged => case.judgement.verdict.as_str(),
        Disposition::Advisory(advisory) if advisory.unsupported.is_some() => "none",
        Disposition::Advisory(_) => case.judgement.verdict.as_str(),
        Disposition::Unsupported { .. } => "none",
        Disposition::ExpectedFailure(_) => "listed",
        Disposition::UnexpectedPass(_) => "passes",
        Disposition::Flaky { .. } => "flaky",
    }
}

/// Why a failure is expected.
#[must_use]
pub(super) fn listed(listed: &Listed) -> String {
    let reason = escape::clamped(&listed.reason, 300);
    match &listed.tracker {
        Some(tracker) => format!("{reason} ({})", escape::clamped(tracker, 200)),
        None => reason,
    }
}

/// Why an entry of the list of expected failures does not fit.
#[must_use]
pub(super) fn misfit(misfit: &Misfit) -> String {
    let name = escape::clamped(&misfit.name, 200);
    let are = |cases: &usize| if *cases == 1 { "is" } else { "are" };
    let why = match &misfit.why {
        MisfitWhy::Expired { on } => format!("expired on {on}"),
        MisfitWhy::Skipped { cases } => {
            format!("expects {} to fail that {} skipped", count(*cases, "case"), are(cases))
        }
        MisfitWhy::Unsupported { cases } => {
            format!("expects {} to fail that {} not supported", count(*cases, "case"), are(cases))
        }
        MisfitWhy::OtherMessage { cases, first } => other_failure(*cases, first.as_ref()),
        MisfitWhy::NeverFails { elsewhere: 0 } => "expects a failure, and there is none".into(),
        MisfitWhy::NeverFails { elsewhere } => {
            let cases = count(*elsewhere, "case");
            format!("expects a failure, and there is none but for {cases} in other shards")
        }
    };
    format!("{name}: {why}")
}

fn other_failure(cases: usize, first: Option<&OtherFailure>) -> String {
    let text = format!("expects another failure of {}", count(cases, "case"));
    let Some(OtherFailure { case, expected, observed }) = first else { return text };
    let which = if cases == 1 { String::new() } else { format!(", as of {case}") };
    format!(
        "{text}{which}: expected one that says \"{}\", observed \"{}\"",
        escape::clamped(expected, 100),
        escape::clamped(observed, 200)
    )
}

/// How a case ended, in words that fit "it …".
#[must_use]
pub(super) fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Decided { accepted: true } => "accepted".into(),
        Outcome::Decided { accepted: false } => "rejected".into(),
        Outcome::WrongExit { code } => {
            format!("ended with exit code {code}, which is neither 0 nor 1")
        }
        Outcome::Crashed { by } => format!("was ended by {}", escape::line(by)),
        Outcome::TimedOut { limit_ms } => {
            format!("had not ended after {}", duration(limit_ms.saturating_mul(1000)))
        }
        Outcome::Flooded { stream, limit } => {
            format!("wrote more than {} to {}", bytes(*limit), stream.as_str())
        }
        Outcome::Tampered { what } => format!("changed its input: {}", escape::line(what)),
        Outcome::BrokeProtocol { what } => format!("broke the protocol: {}", escape::line(what)),
        Outcome::Unsupported { reason } => format!("does not support it: {}", escape::line(reason)),
    }
}

/// The verdict that was observed, as a word to hold against the expected one.
#[must_use]
pub(super) fn observed(what: &Outcome) -> &'static str {
    match what {
        Outcome::Decided { accepted } => Stance::of(*accepted).as_str(),
        _ => "no decision",
    }
}

/// The observed verdict held against the expected one.
#[must_use]
pub(super) fn verdict(case: &CaseRecord) -> String {
    let (expected, observed) = (case.expected.stance, observed(&case.observed));
    match case.observed {
        Outcome::Decided { accepted } if expected.admits(accepted) => {
            format!("{observed}, as expected")
        }
        _ => format!("expected {}, observed {observed}", expected.as_str()),
    }
}

/// A finding that is expected.
#[must_use]
pub(super) fn expected_finding(finding: &ExpectedFinding) -> String {
    format!("{}{}", finding.rule, at(&finding.at))
}

/// A finding as it was reported.
#[must_use]
pub(super) fn reported_finding(finding: &ReportedFinding) -> String {
    let mut text = escape::line(&finding.rule).into_owned();
    if let Some(place) = &finding.at {
        text.push_str(&at(place));
    }
    if finding.severity == Some(Severity::Warning) {
        text.push_str(" (warning)");
    }
    if let Some(message) = &finding.message {
        text.push_str(": ");
        text.push_str(&escape::line(message));
    }
    text
}

fn at(pointer: &str) -> String {
    if pointer.is_empty() { String::new() } else { format!(" at {}", escape::name(pointer)) }
}

/// Why a class is not shown, in words that fit "not shown: …".
#[must_use]
pub(super) fn gap(gap: &Gap) -> String {
    match gap {
        Gap::LeftOut { reason, cases: 1 } => {
            let reason = reason.as_str();
            let one = reason
                .strip_prefix("do not match")
                .map(|rest| format!("does not match{rest}"))
                .or_else(|| reason.strip_prefix("are ").map(|rest| format!("is {rest}")))
                .or_else(|| reason.strip_prefix("decide ").map(|rest| format!("decides {rest}")));
            format!("1 case {}", one.as_deref().unwrap_or(reason))
        }
        Gap::LeftOut { reason, cases } => format!("{cases} cases {}", reason.as_str()),
        Gap::NotRun { cases } => format!("{} did not run", count(*cases, "case")),
        Gap::Unsupported { cases } => format!("{} not supported", count(*cases, "case")),
        Gap::ExpectedFailures { cases } => {
            let verb = if *cases == 1 { "fails" } else { "fail" };
            format!("{} of the run {verb} as expected", count(*cases, "case"))
        }
        Gap::MisfitList { misfits } => {
            let do_not = if *misfits == 1 { "does" } else { "do" };
            let entries = count(*misfits, "entry");
            format!("{entries} of the list of expected failures {do_not} not hold")
        }
        Gap::Flaky { cases } => {
            let is = if *cases == 1 { "is" } else { "are" };
            format!("{} {is} flaky", count(*cases, "case"))
        }
        Gap::WithoutGolden { cases } => {
            let have = if *cases == 1 { "has" } else { "have" };
            format!("{} {have} no golden", count(*cases, "case"))
        }
        Gap::Uncovered { rules } => {
            let is = if rules.len() == 1 { "is" } else { "are" };
            format!("{} {is} decided by no fixture", count(rules.len(), "MUST rule"))
        }
    }
}

/// How an implementation stands to a class. `suites` are those that the class's
/// cases come from, as `name version`.
#[must_use]
pub(super) fn standing(
    standing: &Standing,
    tally: &Tally,
    spec: &str,
    suites: &[String],
) -> String {
    match standing {
        Standing::Conforms => {
            let suites = if suites.is_empty() {
                String::new()
            } else {
                format!(
                    " ({} {})",
                    if suites.len() == 1 { "suite" } else { "suites" },
                    suites.join(", ")
                )
            };
            format!("conforms to {spec}{suites}")
        }
        Standing::Fails => {
            let mut causes = Vec::new();
            if tally.failed > 0 {
                causes.push(format!("{} failed", count(tally.failed, "MUST case")));
            }
            if tally.errors > 0 {
                causes.push(format!("{} without a decision", count(tally.errors, "case")));
            }
            if tally.expected > 0 {
                causes.push(format!("{} failed as expected", count(tally.expected, "case")));
            }
            if tally.flaky > 0 {
                causes.push(count(tally.flaky, "flaky case"));
            }
            format!("does not conform ({})", causes.join(", "))
        }
        Standing::NotShown { because } => {
            let mut gaps: Vec<String> = because.iter().map(gap).collect();
            if gaps.is_empty() {
                gaps.push("no MUST case was run".into());
            }
            format!("not shown: {}", gaps.join("; "))
        }
    }
}

/// The same for a class of a run, whose cases come from these suites.
pub(super) fn class<'a>(
    header: &Header,
    summary: &Summary,
    class: &str,
    suites: impl Iterator<Item = &'a str>,
) -> String {
    let Some(stands) = summary.standing.get(class) else { return "not asked for".into() };
    let tally = summary.classes.get(class).copied().unwrap_or_default();
    let suites: Vec<String> = suites
        .map(|suite| match header.suites.get(suite) {
            Some(version) => format!("{suite} {version}"),
            None => suite.to_owned(),
        })
        .collect();
    standing(stands, &tally, &spec(header), &suites)
}

/// Why a run fails though no class does: the verdict is about what MUST hold, and a
/// run may be asked for more.
#[must_use]
pub(super) fn fails_all_the_same(header: &Header, summary: &Summary) -> Option<String> {
    let told = summary.standing.values().any(|it| *it == Standing::Fails);
    if summary.success || told {
        return None;
    }
    let mut causes = Vec::new();
    for (level, failed) in
        [(Level::Should, summary.total.failed_should), (Level::May, summary.total.failed_may)]
    {
        if header.enforce <= level && failed > 0 {
            let cases = count(failed, &format!("{} case", level.as_str()));
            causes.push(format!("{cases} failed, and {} is enforced", level.as_str()));
        }
    }
    if summary.total.unexpected > 0 {
        let passes = if summary.total.unexpected == 1 { "passes" } else { "pass" };
        let cases = count(summary.total.unexpected, "case");
        causes.push(format!("{cases} {passes} against the list of expected failures"));
    }
    let misfits = summary.misfits.iter().filter(|it| it.fails()).map(|it| &it.entry);
    let misfits = misfits.collect::<BTreeSet<_>>().len();
    if misfits > 0 {
        let do_not = if misfits == 1 { "does" } else { "do" };
        let entries = count(misfits, "entry");
        causes.push(format!("{entries} {do_not} not hold in the list of expected failures"));
    }
    (!causes.is_empty()).then(|| format!("this run fails all the same: {}", causes.join("; ")))
}

/// Why a run ended early, in words that fit "it stopped: …".
#[must_use]
pub(crate) fn stopped(why: Stopped) -> &'static str {
    match why {
        Stopped::FailFast => "a case failed, and the run was to end there",
        Stopped::Interrupted => "a signal asked it to",
        Stopped::NotStarted => "the implementation could not be started",
        Stopped::GaveUp => "the sessions of the implementation broke off too often",
    }
}

/// That a run ended early, why, and what it left out.
#[must_use]
pub(super) fn ended_early(summary: &Summary) -> Option<String> {
    let why = stopped(summary.stopped?);
    let left = count(summary.not_run, "case");
    Some(format!("the run ended early: {why}; {left} did not run"))
}

/// A duration given in microseconds, in three digits or so.
#[must_use]
#[allow(clippy::cast_precision_loss)] // nobody reads the digits that go
pub(super) fn duration(micros: u64) -> String {
    let seconds = micros as f64 / 1e6;
    match micros {
        0..1_000 => format!("{micros} us"),
        1_000..1_000_000 => format!("{} ms", short(micros as f64 / 1e3)),
        1_000_000..60_000_000 => format!("{} s", short(seconds)),
        _ => {
            let whole = micros / 1_000_000;
            let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
            if hours > 0 {
                format!("{hours} h {minutes:02} min")
            } else {
                format!("{minutes} min {seconds:02} s")
            }
        }
    }
}

fn short(number: f64) -> String {
    let digits = if number < 10.0 { 1 } else { 0 };
    let text = format!("{number:.digits$}");
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
}

fn bytes(number: u64) -> String {
    const MIB: u64 = 1 << 20;
    const KIB: u64 = 1 << 10;
    match number {
        n if n >= MIB && n % MIB == 0 => format!("{} MiB", n / MIB),
        n if n >= KIB && n % KIB == 0 => format!("{} KiB", n / KIB),
        n => format!("{n} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{LeftOut, RuleId, Stream};

    #[test]
    fn a_verdict_says_conforms_only_where_it_was_shown() {
        let tally = Tally { passed: 3, failed: 1, errors: 2, ..Tally::default() };
        let suites = ["manifest 0.1.0".to_owned()];
        let say = |standing_: &Standing| {
            standing(standing_, &tally, "Living Repositories Protocol v0.4", &suites)
        };
        assert_eq!(
            say(&Standing::Conforms),
            "conforms to Living Repositories Protocol v0.4 (suite manifest 0.1.0)"
        );
        assert_eq!(
            say(&Standing::Fails),
            "does not conform (1 MUST case failed, 2 cases without a decision)"
        );
        let gaps = vec![
            Gap::LeftOut { reason: LeftOut::Filtered, cases: 120 },
            Gap::LeftOut { reason: LeftOut::Filtered, cases: 1 },
            Gap::LeftOut { reason: LeftOut::Skipped, cases: 1 },
            Gap::LeftOut { reason: LeftOut::OtherRule, cases: 1 },
            Gap::NotRun { cases: 1 },
            Gap::Unsupported { cases: 2 },
            Gap::LeftOut { reason: LeftOut::OtherShard, cases: 1 },
            Gap::ExpectedFailures { cases: 1 },
            Gap::MisfitList { misfits: 2 },
            Gap::Flaky { cases: 1 },
            Gap::WithoutGolden { cases: 1 },
            Gap::Uncovered { rules: vec![RuleId::new("a.b").unwrap()] },
        ];
        let text = say(&Standing::NotShown { because: gaps });
        assert_eq!(
            text,
            "not shown: 120 cases do not match the filter; 1 case does not match the filter; \
             1 case is skipped; 1 case decides other rules; 1 case did not run; \
             2 cases not supported; 1 case is left to other shards; \
             1 case of the run fails as expected; 2 entries of the list of expected failures do not hold; \
             1 case is flaky; 1 case has no golden; 1 MUST rule is decided by no fixture"
        );
        let nothing = say(&Standing::NotShown { because: vec![] });
        assert!(nothing.starts_with("not shown") && !nothing.contains("conforms"));
    }

    #[test]
    fn outcomes_are_told_with_their_evidence() {
        let flood = Outcome::Flooded { stream: Stream::Stdout, limit: 1 << 20 };
        assert_eq!(outcome(&flood), "wrote more than 1 MiB to standard output");
        let crash = Outcome::Crashed { by: "SIG\u{1b}[2J".into() };
        assert_eq!(outcome(&crash), r"was ended by SIG\x1b[2J");
        assert_eq!(outcome(&Outcome::TimedOut { limit_ms: 10_000 }), "had not ended after 10 s");
    }

    #[test]
    fn durations_are_short() {
        for (micros, text) in [
            (7, "7 us"),
            (1_234, "1.2 ms"),
            (56_789, "57 ms"),
            (2_000_000, "2 s"),
            (12_600_000, "13 s"),
            (61_000_000, "1 min 01 s"),
            (3_700_000_000, "1 h 01 min"),
        ] {
            assert_eq!(duration(micros), text);
        }
    }
}
