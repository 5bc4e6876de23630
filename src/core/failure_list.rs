//! The list of expected failures, held against what happened.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{CaseId, CaseRecord, Date, Disposition, LeftOut, Listed, RuleId, Verdict};

/// An entry of the list: cases that are known to fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureEntry {
    /// What it names, such as a case or a rule.
    pub name: String,
    /// Where it stands, and why the failures are expected.
    pub listed: Listed,
    /// The cases that it covers, of those that a run is asked for.
    pub cases: BTreeSet<CaseId>,
    /// The rule that it names, if it names one: then it expects failures that break the
    /// rule, and cases that pass are no matter as long as one does not. Any other
    /// entry expects each of its cases to fail.
    pub rule: Option<RuleId>,
    /// What a failure says, in part; any other failure is not expected.
    pub message: Option<String>,
    /// The last day on which it holds.
    pub expires: Option<Date>,
}

impl FailureEntry {
    /// Whether it expects a case, which did not pass, to fail as it did. `cause` is the
    /// failure in one line.
    fn expects(&self, case: &CaseRecord, cause: &str) -> bool {
        self.breaks(case) && self.message.as_ref().is_none_or(|part| says(case, cause, part))
    }

    fn breaks(&self, case: &CaseRecord) -> bool {
        let mut broken = case.judgement.mismatches.iter().flat_map(super::Weighed::rules);
        self.rule.as_ref().is_none_or(|rule| broken.any(|other| other == *rule))
    }
}

fn says(case: &CaseRecord, cause: &str, part: &str) -> bool {
    [cause, &case.stdout, &case.stderr].iter().any(|text| text.contains(part))
}

/// The list of expected failures of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FailureList {
    entries: Vec<FailureEntry>,
    /// By case, those that have not expired, in their order.
    covering: BTreeMap<CaseId, Vec<usize>>,
    expired: Vec<Misfit>,
}

/// An entry of the list that does not fit the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Misfit {
    /// Where the entry stands, as `FILE:LINE`.
    pub entry: String,
    /// What it names.
    pub name: String,
    /// Why it does not fit.
    pub why: MisfitWhy,
}

/// Why an entry does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum MisfitWhy {
    /// It held until a day that has passed.
    Expired {
        /// The last day.
        on: Date,
    },
    /// Cases that it expects to fail were skipped.
    Skipped {
        /// How many.
        cases: usize,
    },
    /// The implementation does not support cases that it expects to fail.
    Unsupported {
        /// How many.
        cases: usize,
    },
    /// Cases that it expects to fail do so, and say something else.
    OtherMessage {
        /// How many.
        cases: usize,
        /// What the first of them says.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        first: Option<OtherFailure>,
    },
    /// No case that ran breaks the rule that it names.
    NeverFails {
        /// How many of its cases are in other shards; if there are any, it may fit all
        /// the same.
        elsewhere: usize,
    },
}

/// A failure that is not the one that an entry expects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct OtherFailure {
    /// The case.
    pub case: CaseId,
    /// What the entry expects the failure to say, in part.
    pub expected: String,
    /// The failure in one line.
    pub observed: String,
}

impl Misfit {
    /// Whether it fails the run.
    #[must_use]
    pub fn fails(&self) -> bool {
        !matches!(self.why, MisfitWhy::NeverFails { elsewhere: 1.. })
    }
}

impl FailureList {
    /// A list as it holds on a day.
    #[must_use]
    pub fn new(entries: Vec<FailureEntry>, today: Date) -> Self {
        let mut list = Self { entries, ..Self::default() };
        for (index, entry) in list.entries.iter().enumerate() {
            match entry.expires {
                Some(on) if on < today => {
                    list.expired.push(misfit(entry, MisfitWhy::Expired { on }));
                }
                _ => {
                    for case in &entry.cases {
                        list.covering.entry(case.clone()).or_default().push(index);
                    }
                }
            }
        }
        list
    }

    /// The entries.
    #[must_use]
    pub fn entries(&self) -> &[FailureEntry] {
        &self.entries
    }

    /// Says of a judged case whether the list expects what became of it. `cause` is the
    /// failure in one line.
    pub fn settle(&self, case: &mut CaseRecord, cause: &str) {
        if case.disposition != Disposition::Judged {
            return;
        }
        let passed = case.judgement.verdict == Verdict::Pass;
        let fits = |entry: &&FailureEntry| {
            if passed { entry.rule.is_none() } else { entry.expects(case, cause) }
        };
        let Some(entry) = self.covering(&case.id).find(fits) else { return };
        let listed = entry.listed.clone();
        case.disposition = if passed {
            Disposition::UnexpectedPass(listed)
        } else {
            Disposition::ExpectedFailure(listed)
        };
    }

    /// Holds the list against a run.
    #[must_use]
    pub fn review(&self) -> Review<'_> {
        Review { list: self, seen: vec![Seen::default(); self.entries.len()] }
    }

    fn covering(&self, case: &CaseId) -> impl Iterator<Item = &FailureEntry> {
        self.indices(case).filter_map(|index| self.entries.get(index))
    }

    fn indices(&self, case: &CaseId) -> impl Iterator<Item = usize> {
        self.covering.get(case).into_iter().flatten().copied()
    }
}

fn misfit(entry: &FailureEntry, why: MisfitWhy) -> Misfit {
    Misfit { entry: entry.listed.entry.clone(), name: entry.name.clone(), why }
}

/// What became of the cases of an entry.
#[derive(Debug, Clone, Default)]
struct Seen {
    ran: usize,
    fitting: usize,
    unsupported: usize,
    otherwise: usize,
    /// The first by id of those that fail otherwise.
    first: Option<OtherFailure>,
}

impl Seen {
    fn add_other(&mut self, entry: &FailureEntry, case: &CaseId, cause: &str) {
        self.otherwise += 1;
        let is_first = self.first.as_ref().is_none_or(|first| *case < first.case);
        if let (true, Some(expected)) = (is_first, &entry.message) {
            let (case, observed) = (case.clone(), cause.to_owned());
            self.first = Some(OtherFailure { case, expected: expected.clone(), observed });
        }
    }
}

/// Finds the entries that do not fit a run, as its cases come in.
#[derive(Debug, Clone)]
pub struct Review<'a> {
    list: &'a FailureList,
    seen: Vec<Seen>,
}

impl Review<'_> {
    /// Adds a case of the run, as [`FailureList::settle`] left it. `cause` gives the
    /// failure in one line.
    pub fn add(&mut self, case: &CaseRecord, cause: impl Fn(&CaseRecord) -> String) {
        // What does not count is none of the list's business.
        if case.is_advisory() {
            return;
        }
        let failed = case.judgement.verdict != Verdict::Pass;
        for index in self.list.indices(&case.id) {
            let entries = self.list.entries.get(index);
            let (Some(entry), Some(seen)) = (entries, self.seen.get_mut(index)) else { continue };
            seen.ran += 1;
            match &case.disposition {
                Disposition::ExpectedFailure(listed) if listed.entry == entry.listed.entry => {
                    seen.fitting += 1;
                }
                Disposition::Unsupported { .. } => seen.unsupported += 1,
                Disposition::Judged if failed && entry.breaks(case) => {
                    seen.add_other(entry, &case.id, &cause(case));
                }
                // What came out in two ways, or passed, is told with the case.
                _ => {}
            }
        }
    }

    /// The entries that do not fit, in the order of the list; `left` has the cases that
    /// the run left out.
    #[must_use]
    pub fn finish(self, left: &BTreeMap<CaseId, LeftOut>) -> Vec<Misfit> {
        let mut misfits = self.list.expired.clone();
        for (entry, seen) in self.list.entries.iter().zip(&self.seen) {
            if misfits.iter().any(|misfit| misfit.entry == entry.listed.entry) {
                continue;
            }
            let left_out = |reason: LeftOut| {
                entry.cases.iter().filter(|case| left.get(case) == Some(&reason)).count()
            };
            let mut add = |why: MisfitWhy| misfits.push(misfit(entry, why));
            if seen.otherwise > 0 {
                let first = seen.first.clone();
                add(MisfitWhy::OtherMessage { cases: seen.otherwise, first });
            }
            if entry.rule.is_some() {
                let elsewhere = left_out(LeftOut::OtherShard);
                let all_seen = seen.ran > 0 && seen.ran + elsewhere == entry.cases.len();
                if all_seen && seen.fitting + seen.otherwise == 0 {
                    add(MisfitWhy::NeverFails { elsewhere });
                }
                continue;
            }
            let skipped = left_out(LeftOut::Skipped);
            if skipped > 0 {
                add(MisfitWhy::Skipped { cases: skipped });
            }
            if seen.unsupported > 0 {
                add(MisfitWhy::Unsupported { cases: seen.unsupported });
            }
        }
        misfits
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{failing, id, passing};
    use super::super::{Level, Outcome};
    use super::*;

    fn case_id(text: &str) -> CaseId {
        CaseId::try_from(text.to_owned()).unwrap()
    }

    fn entry(line: usize, cases: &[&str]) -> FailureEntry {
        FailureEntry {
            name: format!("entry {line}"),
            listed: Listed {
                entry: format!("expect.yaml:{line}"),
                reason: "not done yet".into(),
                tracker: None,
            },
            cases: cases.iter().copied().map(case_id).collect(),
            rule: None,
            message: None,
            expires: None,
        }
    }

    fn list(entries: Vec<FailureEntry>) -> FailureList {
        FailureList::new(entries, "2027-01-01".parse().unwrap())
    }

    /// Settles the cases, and reviews the list.
    fn hold(list: &FailureList, cases: &mut [CaseRecord], left: &[(&str, LeftOut)]) -> Vec<Misfit> {
        let left = left.iter().map(|&(case, reason)| (case_id(case), reason)).collect();
        let mut review = list.review();
        for case in cases {
            list.settle(case, "accepted what is to be rejected");
            review.add(case, |_| "accepted what is to be rejected".into());
        }
        review.finish(&left)
    }

    fn whys(misfits: &[Misfit]) -> Vec<&MisfitWhy> {
        misfits.iter().map(|misfit| &misfit.why).collect()
    }

    #[test]
    fn a_listed_case_has_to_fail() {
        let list = list(vec![entry(1, &["t/a::hard", "t/b::hard"])]);
        let mut cases = [
            failing("t/a::hard", Level::Must),
            passing("t/b::hard"),
            failing("t/c::hard", Level::Must),
        ];
        assert!(hold(&list, &mut cases, &[]).is_empty());
        assert!(matches!(cases[0].disposition, Disposition::ExpectedFailure(_)));
        assert!(matches!(cases[1].disposition, Disposition::UnexpectedPass(_)));
        assert_eq!(cases[2].disposition, Disposition::Judged);
    }

    #[test]
    fn a_rule_expects_only_what_breaks_it() {
        let mut by_rule = entry(1, &["t/a::hard", "t/b::hard", "t/c::hard"]);
        by_rule.rule = Some(id("t.id.charset"));
        let list = list(vec![by_rule]);
        let mut other = failing("t/b::hard", Level::Must);
        other.judgement.mismatches[0].mismatch = super::super::Mismatch::NoDecision {
            outcome: Outcome::WrongExit { code: 9 },
            rule: None,
        };
        let fails = failing("t/a::hard", Level::Must);
        let mut cases = [fails.clone(), other.clone(), passing("t/c::hard")];
        assert!(hold(&list, &mut cases, &[]).is_empty());
        assert!(matches!(cases[0].disposition, Disposition::ExpectedFailure(_)));
        assert_eq!(cases[1].disposition, Disposition::Judged);
        assert_eq!(cases[2].disposition, Disposition::Judged, "its valid neighbours pass");

        let never = |elsewhere| MisfitWhy::NeverFails { elsewhere };
        let mut cases = [passing("t/a::hard"), other, passing("t/c::hard")];
        assert_eq!(whys(&hold(&list, &mut cases, &[])), [&never(0)]);
        let misfits = hold(&list, &mut cases[..2], &[("t/c::hard", LeftOut::OtherShard)]);
        assert_eq!(whys(&misfits), [&never(1)]);
        assert!(!misfits[0].fails(), "another shard may have the failure");
        // What is filtered away, or did not run, might have failed.
        assert!(hold(&list, &mut cases[..2], &[("t/c::hard", LeftOut::Filtered)]).is_empty());
        assert!(hold(&list, &mut cases[..2], &[]).is_empty());
    }

    #[test]
    fn another_message_is_another_failure() {
        let mut worded = entry(1, &["t/a::hard"]);
        worded.message = Some("to be rejected".into());
        let mut from_output = entry(2, &["t/a::hard"]);
        from_output.message = Some("line 7".into());
        let list = list(vec![worded, from_output]);
        let mut cases = [failing("t/a::hard", Level::Must)];
        assert!(hold(&list, &mut cases, &[]).is_empty());
        let mut crash = failing("t/a::hard", Level::Must);
        list.settle(&mut crash, "was ended by SIGSEGV");
        assert!(crash.fails(Level::Must));
        let mut review = list.review();
        review.add(&crash, |_| "was ended by SIGSEGV".into());
        let misfits = review.finish(&BTreeMap::new());
        let other = |expected: &str| MisfitWhy::OtherMessage {
            cases: 1,
            first: Some(OtherFailure {
                case: case_id("t/a::hard"),
                expected: expected.into(),
                observed: "was ended by SIGSEGV".into(),
            }),
        };
        assert_eq!(whys(&misfits), [&other("to be rejected"), &other("line 7")]);
        crash.stderr = "at line 7\n".into();
        list.settle(&mut crash, "was ended by SIGSEGV");
        let Disposition::ExpectedFailure(listed) = &crash.disposition else { panic!("{crash:?}") };
        assert_eq!(listed.entry, "expect.yaml:2");
    }

    #[test]
    fn what_does_not_run_cannot_fail() {
        let list = list(vec![entry(1, &["t/a::hard", "t/b::hard", "t/c::hard"])]);
        let mut cases = [failing("t/a::hard", Level::Must)];
        let misfits = hold(
            &list,
            &mut cases,
            &[("t/b::hard", LeftOut::Skipped), ("t/c::hard", LeftOut::OtherShard)],
        );
        assert_eq!(whys(&misfits), [&MisfitWhy::Skipped { cases: 1 }]);
        let mut none = passing("t/a::hard");
        none.disposition = Disposition::Unsupported { reason: "no".into() };
        let misfits = hold(&list, &mut [none], &[]);
        assert_eq!(whys(&misfits), [&MisfitWhy::Unsupported { cases: 1 }]);
    }

    #[test]
    fn an_entry_ends_with_its_last_day() {
        let until = |day: &str| {
            let mut entry = entry(1, &["t/a::hard"]);
            entry.expires = Some(day.parse().unwrap());
            list(vec![entry])
        };
        let mut cases = [failing("t/a::hard", Level::Must)];
        let misfits = hold(&until("2026-12-31"), &mut cases, &[]);
        assert!(matches!(misfits[0].why, MisfitWhy::Expired { .. }) && misfits[0].fails());
        assert_eq!(cases[0].disposition, Disposition::Judged);
        assert!(hold(&until("2027-01-01"), &mut cases, &[]).is_empty());
        assert!(!cases[0].fails(Level::Must));
    }
}
