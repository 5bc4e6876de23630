//! Every case by two ways, which must agree: what one case leaves behind in a
//! process must not show in another.

use std::collections::BTreeSet;

use crate::core::{Observation, Outcome, ReportedFinding, RuleTable, Stance, reported};

use super::{Connection, Driver, DriverError, Request, StartError};

/// Runs each case by two drivers. What the first one observed counts; where the
/// second one saw something else, the case broke its protocol.
pub struct CrossCheck {
    first: Box<dyn Driver>,
    second: Box<dyn Driver>,
    rules: RuleTable,
}

impl CrossCheck {
    /// `first` answers many cases in one process, `second` starts one for each.
    #[must_use]
    pub fn new(first: Box<dyn Driver>, second: Box<dyn Driver>, rules: RuleTable) -> Self {
        Self { first, second, rules }
    }
}

impl Driver for CrossCheck {
    fn connect(&self, worker: usize) -> Result<Box<dyn Connection + '_>, StartError> {
        Ok(Box::new(CrossConnection {
            first: self.first.connect(worker)?,
            second: self.second.connect(worker)?,
            rules: &self.rules,
        }))
    }

    fn version(&self) -> Option<String> {
        self.first.version()
    }

    fn batch(&self) -> usize {
        self.first.batch()
    }
}

struct CrossConnection<'d> {
    first: Box<dyn Connection + 'd>,
    second: Box<dyn Connection + 'd>,
    rules: &'d RuleTable,
}

impl Connection for CrossConnection<'_> {
    fn run(&mut self, request: &Request<'_>) -> Result<Observation, DriverError> {
        let first = self.first.run(request)?;
        let second = self.second.run(request)?;
        Ok(compared(first, &second, self.rules))
    }

    fn run_many(
        &mut self,
        requests: &[Request<'_>],
        done: &mut dyn FnMut(usize, Observation),
    ) -> Result<(), DriverError> {
        let Self { first, second, rules } = self;
        let mut failed = None;
        first.run_many(requests, &mut |index, observation| {
            let Some(request) = requests.get(index).filter(|_| failed.is_none()) else { return };
            match second.run(request) {
                Ok(other) => done(index, compared(observation, &other, rules)),
                Err(error) => failed = Some(error),
            }
        })?;
        failed.map_or(Ok(()), Err)
    }
}

/// The first observation, unless the second contradicts it.
fn compared(first: Observation, second: &Observation, rules: &RuleTable) -> Observation {
    match difference(&first, second, rules) {
        None => first,
        Some(what) => Observation {
            outcome: Outcome::BrokeProtocol { what },
            findings: None,
            stderr: [&first.stderr[..], &second.stderr[..]].concat(),
            stdout: [&first.stdout[..], b"\n", &second.stdout[..]].concat(),
            duration: first.duration,
        },
    }
}

/// Fits "the implementation …".
fn difference(first: &Observation, second: &Observation, rules: &RuleTable) -> Option<String> {
    use Outcome::{Decided, Unsupported};

    let differs = |one: String, other: String| {
        Some(format!("{one} among other cases and {other} when asked alone"))
    };
    match (&first.outcome, &second.outcome) {
        (Decided { accepted }, Decided { accepted: alone }) if accepted == alone => {
            let (one, other) = (reported(first, rules)?, reported(second, rules)?);
            let (one, other) = comparable(&one, &other);
            let list = |these: &Findings<'_>, those: &Findings<'_>| {
                let only = these.difference(those).map(|(rule, at)| match at {
                    Some(at) => format!("{rule} at {at:?}"),
                    None => (*rule).to_owned(),
                });
                let only: Vec<String> = only.collect();
                if only.is_empty() { "nothing else".to_owned() } else { only.join(", ") }
            };
            if one == other {
                return None;
            }
            differs(
                format!("reports {}", list(&one, &other)),
                format!("reports {}", list(&other, &one)),
            )
        }
        (Decided { accepted }, Decided { accepted: alone }) => {
            let told = |accepted: bool| format!("{}s", Stance::of(accepted).as_str());
            differs(told(*accepted), told(*alone))
        }
        // One of the two ways does not have the operation: nothing to compare.
        (Unsupported { .. }, _) | (_, Unsupported { .. }) => None,
        (Decided { .. }, _) => differs("decides".to_owned(), "does not decide".to_owned()),
        // That it does not decide is told anyway.
        _ => None,
    }
}

/// Rules with their places, where those count.
type Findings<'a> = BTreeSet<(&'a str, Option<&'a str>)>;

/// The findings as sets; with their places where all have one.
fn comparable<'a>(
    one: &'a [ReportedFinding],
    other: &'a [ReportedFinding],
) -> (Findings<'a>, Findings<'a>) {
    let placed = one.iter().chain(other).all(|finding| finding.at.is_some());
    let set = |findings: &'a [ReportedFinding]| {
        let pair = |finding: &'a ReportedFinding| {
            (finding.rule.as_str(), finding.at.as_deref().filter(|_| placed))
        };
        findings.iter().map(pair).collect()
    };
    (set(one), set(other))
}

/// Makes a connection for each case, so that no case meets what another left.
#[derive(Debug)]
pub struct Fresh<D>(pub D);

impl<D: Driver> Driver for Fresh<D> {
    fn connect(&self, worker: usize) -> Result<Box<dyn Connection + '_>, StartError> {
        Ok(Box::new(FreshConnection { driver: &self.0, worker }))
    }

    fn version(&self) -> Option<String> {
        self.0.version()
    }
}

struct FreshConnection<'d> {
    driver: &'d dyn Driver,
    worker: usize,
}

impl Connection for FreshConnection<'_> {
    fn run(&mut self, request: &Request<'_>) -> Result<Observation, DriverError> {
        self.driver.connect(self.worker)?.run(request)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::core::testing;

    fn seen(accepted: bool, rules: &[(&str, Option<&str>)]) -> Observation {
        let finding = |(rule, at): &(&str, Option<&str>)| ReportedFinding {
            rule: (*rule).to_owned(),
            at: at.map(str::to_owned),
            severity: None,
            message: Some(format!("{}", rules.len())),
        };
        Observation {
            findings: Some(rules.iter().map(finding).collect()),
            ..Observation::bare(Outcome::Decided { accepted }, Duration::ZERO)
        }
    }

    fn written(accepted: bool, stdout: &str) -> Observation {
        Observation { findings: None, stdout: stdout.into(), ..seen(accepted, &[]) }
    }

    fn told(first: &Observation, second: &Observation) -> Option<String> {
        let rules = testing::rules();
        let told = difference(first, second, &rules);
        assert_eq!(told.is_some(), difference(second, first, &rules).is_some());
        told
    }

    #[test]
    fn equal_answers_pass_however_they_are_written() {
        let a = ("t.id.charset", Some("/id"));
        let b = ("t.unknown", Some("/x"));
        assert_eq!(told(&seen(true, &[a, b]), &seen(true, &[b, a, a])), None);
        assert_eq!(told(&seen(false, &[a]), &written(false, "t.id.charset: bad")), None);
        assert_eq!(told(&seen(false, &[a]), &written(false, "free words")), None);
        let unsupported = Outcome::Unsupported { reason: String::new() };
        assert_eq!(told(&seen(true, &[]), &Observation::bare(unsupported, Duration::ZERO)), None);
    }

    #[test]
    fn every_other_answer_is_a_difference() {
        let a = ("t.id.charset", Some("/id"));
        let moved = ("t.id.charset", Some("/other"));
        assert_eq!(
            told(&seen(true, &[]), &seen(false, &[])).unwrap(),
            "accepts among other cases and rejects when asked alone"
        );
        assert_eq!(
            told(&seen(true, &[a]), &seen(true, &[])).unwrap(),
            "reports t.id.charset at \"/id\" among other cases and reports nothing else when asked alone"
        );
        assert!(told(&seen(true, &[a]), &seen(true, &[moved])).is_some());
        assert!(told(&seen(false, &[a]), &written(false, "t.unknown: x")).is_some());
        let crash = Outcome::Crashed { by: "SIGSEGV".into() };
        let crash = Observation::bare(crash, Duration::ZERO);
        let rules = testing::rules();
        assert!(difference(&seen(true, &[]), &crash, &rules).is_some());
        assert!(matches!(
            compared(crash, &seen(true, &[]), &rules).outcome,
            Outcome::Crashed { .. }
        ));
    }
}
