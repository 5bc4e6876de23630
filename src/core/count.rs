//! Adds the cases of a run up to its summary.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    CaseId, CaseRecord, Choices, Coverage, Disposition, Gap, Header, LedgerId, Level, Misfit,
    RuleId, RuleResult, Stance, Standing, Stopped, Summary, Tallies, Tally, Verdict, Weighed,
};

/// Adds cases up to a summary.
#[derive(Debug, Clone)]
pub struct Count {
    header: Header,
    total: Tally,
    advisory: Tally,
    classes: Tallies,
    levels: Tallies,
    variants: Tallies,
    rules: BTreeMap<RuleId, RuleResult>,
    choices: BTreeMap<LedgerId, Choices>,
    without_golden: BTreeMap<String, usize>,
    failed: usize,
    /// By class, the cases that show that a MUST is broken, whoever expected it.
    broken: BTreeMap<String, usize>,
    misfits: Vec<Misfit>,
    /// The entries of the list of expected failures that cases pass in spite of.
    unexpected: BTreeSet<String>,
    missing: Vec<CaseId>,
    /// How many cases of each class are to run, where that is known.
    planned: Option<BTreeMap<String, usize>>,
    ran: usize,
}

impl Count {
    /// Starts at zero.
    #[must_use]
    pub fn new(header: &Header) -> Self {
        Self {
            header: header.clone(),
            total: Tally::default(),
            advisory: Tally::default(),
            classes: header
                .left_out
                .keys()
                .map(|class| (class.clone(), Tally::default()))
                .collect(),
            levels: Tallies::new(),
            variants: Tallies::new(),
            rules: BTreeMap::new(),
            choices: BTreeMap::new(),
            without_golden: BTreeMap::new(),
            failed: 0,
            broken: BTreeMap::new(),
            misfits: Vec::new(),
            unexpected: BTreeSet::new(),
            missing: Vec::new(),
            planned: None,
            ran: 0,
        }
    }

    /// Adds one case.
    pub fn add(&mut self, case: &CaseRecord) {
        self.ran += 1;
        if case.is_advisory() {
            self.advisory.add(&case.judgement, &case.disposition);
            return;
        }
        self.total.add(&case.judgement, &case.disposition);
        let grade = case.weight.grade().as_str().to_owned();
        self.levels.entry(grade).or_default().add(&case.judgement, &case.disposition);
        self.classes.entry(case.class.clone()).or_default().add(&case.judgement, &case.disposition);
        if let Some(variant) = case.id.variant() {
            let tally = self.variants.entry(variant.to_owned()).or_default();
            tally.add(&case.judgement, &case.disposition);
        }
        if !case.golden {
            *self.without_golden.entry(case.class.clone()).or_default() += 1;
        }
        if let Disposition::UnexpectedPass(listed) = &case.disposition {
            self.unexpected.insert(listed.entry.clone());
        }
        if case.fails(self.header.enforce) {
            self.failed += 1;
        }
        if !matches!(case.disposition, Disposition::Unsupported { .. }) {
            self.add_rules(case);
            if case.judgement.fails(Level::Must) {
                *self.broken.entry(case.class.clone()).or_default() += 1;
            }
        }
        if let Some(choice) = &case.judgement.choice {
            for id in &choice.ledger {
                let choices = self.choices.entry(id.clone()).or_default();
                match choice.stance {
                    Stance::Accept => choices.accept += 1,
                    _ => choices.reject += 1,
                }
            }
        }
    }

    fn add_rules(&mut self, case: &CaseRecord) {
        let mut broken: Vec<RuleId> =
            case.judgement.mismatches.iter().flat_map(Weighed::rules).collect();
        let undecided = case.judgement.verdict == Verdict::Error;
        if undecided {
            broken.extend(case.decides.iter().cloned());
        }
        broken.sort();
        broken.dedup();
        let open = case.judgement.choice.is_some();
        for rule in case.decides.iter().filter(|rule| !open && broken.binary_search(rule).is_err())
        {
            self.rules.entry(rule.clone()).or_default().met += 1;
        }
        for rule in broken {
            self.rules.entry(rule).or_default().broken += 1;
        }
    }

    /// Adds what does not fit of the list of expected failures.
    pub fn add_misfits(&mut self, misfits: impl IntoIterator<Item = Misfit>) {
        self.misfits.extend(misfits);
    }

    /// Names cases that are planned and did not run.
    pub fn add_missing(&mut self, cases: impl IntoIterator<Item = CaseId>) {
        self.missing.extend(cases);
        self.missing.sort();
    }

    /// Tells how many cases of each class are to run, so that a class that was run
    /// whole does not lack what others lack.
    pub fn plan(&mut self, planned: BTreeMap<String, usize>) {
        self.planned = Some(planned);
    }

    /// Whether some case fails what is enforced.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.failed > 0
    }

    /// Whether a summary counts the cases that were added: by verdict, class, level and
    /// variant.
    #[must_use]
    pub fn agrees(&self, summary: &Summary) -> bool {
        let some = |tallies: &Tallies| -> Tallies {
            let some = tallies.iter().filter(|(_, tally)| !tally.is_zero());
            some.map(|(name, tally)| (name.clone(), *tally)).collect()
        };
        (self.total, self.advisory) == (summary.total, summary.advisory)
            && [
                (&self.classes, &summary.classes),
                (&self.levels, &summary.levels),
                (&self.variants, &summary.variants),
            ]
            .into_iter()
            .all(|(own, told)| some(own) == some(told))
    }

    /// Draws the line.
    ///
    /// `uncovered` has, for each class, the MUST rules that no fixture decides.
    #[must_use]
    pub fn finish(
        self,
        coverage: &Coverage,
        uncovered: &BTreeMap<String, Vec<RuleId>>,
        stopped: Option<Stopped>,
        implementation_version: Option<String>,
        duration_us: u64,
    ) -> Summary {
        let not_run = self.header.cases.saturating_sub(self.ran);
        let standing = self.classes.iter().map(|(class, tally)| {
            let not_run = self.planned.as_ref().map_or(not_run, |planned| {
                planned.get(class).map_or(0, |cases| cases.saturating_sub(tally.total()))
            });
            let gaps = self.gaps(class, tally, not_run, uncovered);
            let broken = self.broken.get(class).copied().unwrap_or_default();
            (class.clone(), standing(broken, tally, gaps))
        });
        let standing = standing.collect();
        // A shard may have nothing that counts where there are few cases; a run may not.
        let empty_shard = self.header.shard.is_some() && self.header.cases == self.header.advisory;
        let success = self.failed == 0
            && not_run == 0
            && stopped.is_none()
            && self.total.unsupported == 0
            && !self.misfits.iter().any(Misfit::fails)
            && (self.total.total() > 0 || empty_shard);
        Summary {
            implementation_version,
            total: self.total,
            advisory: self.advisory,
            classes: self.classes,
            levels: self.levels,
            variants: self.variants,
            rules: self.rules,
            standing,
            choices: self.choices,
            coverage: coverage.totals,
            not_run,
            missing: self.missing,
            misfits: self.misfits,
            stopped,
            success,
            duration_us,
        }
    }

    fn gaps(
        &self,
        class: &str,
        tally: &Tally,
        not_run: usize,
        uncovered: &BTreeMap<String, Vec<RuleId>>,
    ) -> Vec<Gap> {
        let left_out = self.header.left_out.get(class).into_iter().flatten();
        let mut gaps: Vec<Gap> =
            left_out.map(|(&reason, &cases)| Gap::LeftOut { reason, cases }).collect();
        if not_run > 0 {
            gaps.push(Gap::NotRun { cases: not_run });
        }
        if tally.unsupported > 0 {
            gaps.push(Gap::Unsupported { cases: tally.unsupported });
        }
        if tally.flaky > 0 {
            gaps.push(Gap::Flaky { cases: tally.flaky });
        }
        // A list is of the whole run: with one in use, nothing is said to conform.
        if self.total.expected > 0 {
            gaps.push(Gap::ExpectedFailures { cases: self.total.expected });
        }
        let misfits = self.misfits.iter().filter(|misfit| misfit.fails());
        let misfits: BTreeSet<&str> = misfits
            .map(|misfit| misfit.entry.as_str())
            .chain(self.unexpected.iter().map(String::as_str))
            .collect();
        if !misfits.is_empty() {
            gaps.push(Gap::MisfitList { misfits: misfits.len() });
        }
        if let Some(&cases) = self.without_golden.get(class) {
            gaps.push(Gap::WithoutGolden { cases });
        }
        if let Some(rules) = uncovered.get(class).filter(|rules| !rules.is_empty()) {
            gaps.push(Gap::Uncovered { rules: rules.clone() });
        }
        gaps
    }
}

fn standing(broken: usize, tally: &Tally, gaps: Vec<Gap>) -> Standing {
    if broken > 0 {
        Standing::Fails
    } else if gaps.is_empty() && tally.passed > 0 {
        Standing::Conforms
    } else {
        Standing::NotShown { because: gaps }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{failing, passing, rules};
    use super::super::{Advisory, LeftOut, Listed, MisfitWhy, Outcome, Shard, Sharded};
    use super::*;

    fn header(cases: usize) -> Header {
        Header { cases, ..super::super::testing::header() }
    }

    fn soft(mut case: CaseRecord) -> CaseRecord {
        case.class = "soft-checker".into();
        case
    }

    fn as_listed(mut case: CaseRecord) -> CaseRecord {
        let listed =
            Listed { entry: "expect.yaml:1".into(), reason: "later".into(), tracker: None };
        case.disposition = match case.judgement.verdict {
            Verdict::Pass => Disposition::UnexpectedPass(listed),
            _ => Disposition::ExpectedFailure(listed),
        };
        case
    }

    fn end(header: &Header, cases: &[CaseRecord], misfits: &[MisfitWhy]) -> Summary {
        let mut count = Count::new(header);
        cases.iter().for_each(|case| count.add(case));
        count.add_misfits(misfits.iter().map(|why| Misfit {
            entry: "expect.yaml:1".into(),
            name: "rule t.id.charset".into(),
            why: why.clone(),
        }));
        let coverage = Coverage::of(&rules(), header.protocol, []);
        count.finish(&coverage, &BTreeMap::new(), None, None, 1)
    }

    fn gaps(summary: &Summary, class: &str) -> Vec<Gap> {
        match &summary.standing[class] {
            Standing::NotShown { because } => because.clone(),
            other => panic!("{class}: {other:?}"),
        }
    }

    #[test]
    fn what_passes_conforms() {
        let summary = end(&header(2), &[passing("t/a::hard"), soft(passing("t/a::soft"))], &[]);
        assert!(summary.success);
        assert!(summary.standing.values().all(|standing| *standing == Standing::Conforms));
    }

    #[test]
    fn with_an_expected_failure_nothing_conforms() {
        let known = as_listed(failing("t/a::hard", Level::Must));
        let summary = end(&header(2), &[known, soft(passing("t/a::soft"))], &[]);
        assert!(summary.success, "the run is as the list says");
        assert_eq!(summary.total.expected, 1);
        assert_eq!(summary.standing["hard-checker"], Standing::Fails);
        assert_eq!(gaps(&summary, "soft-checker"), [Gap::ExpectedFailures { cases: 1 }]);
        assert_eq!(summary.rules.values().map(|rule| rule.broken).sum::<usize>(), 1);

        let known = as_listed(failing("t/a::hard", Level::Should));
        let summary = end(&header(1), &[known], &[]);
        assert_eq!(gaps(&summary, "hard-checker"), [Gap::ExpectedFailures { cases: 1 }]);
    }

    #[test]
    fn a_list_that_does_not_fit_fails_the_run() {
        let fixed = as_listed(passing("t/a::hard"));
        let summary = end(&header(1), &[fixed], &[]);
        assert!(!summary.success);
        assert_eq!(gaps(&summary, "hard-checker"), [Gap::MisfitList { misfits: 1 }]);
        // An entry is one, however many cases it has and however it does not hold.
        let fixed = [as_listed(passing("t/a::hard")), soft(as_listed(passing("t/a::soft")))];
        let skipped = [MisfitWhy::Skipped { cases: 1 }, MisfitWhy::Unsupported { cases: 2 }];
        let summary = end(&header(2), &fixed, &skipped);
        assert_eq!(summary.total.unexpected, 2);
        assert_eq!(gaps(&summary, "hard-checker"), [Gap::MisfitList { misfits: 1 }]);
        for (why, success) in [
            (MisfitWhy::NeverFails { elsewhere: 0 }, false),
            (MisfitWhy::NeverFails { elsewhere: 3 }, true),
            (MisfitWhy::Skipped { cases: 1 }, false),
            (MisfitWhy::Expired { on: "2026-01-01".parse().unwrap() }, false),
        ] {
            let cases = [passing("t/a::hard"), soft(passing("t/a::soft"))];
            let summary = end(&header(2), &cases, std::slice::from_ref(&why));
            assert_eq!(summary.success, success, "{why:?}");
            let conforms = summary.standing["hard-checker"] == Standing::Conforms;
            assert_eq!(conforms, success, "{why:?}");
        }
    }

    #[test]
    fn a_flaky_case_is_no_pass() {
        let flaky = |level| failing("t/a::hard", level).tried_again(vec![passing("t/a::hard")]);
        let summary = end(&header(1), &[flaky(Level::Must)], &[]);
        assert!(!summary.success);
        assert_eq!((summary.total.flaky, summary.total.passed), (1, 0));
        assert_eq!(summary.standing["hard-checker"], Standing::Fails);
        let cases = [flaky(Level::Should), passing("t/b::hard")];
        let summary = end(&header(2), &cases, &[]);
        assert!(!summary.success);
        assert_eq!(gaps(&summary, "hard-checker"), [Gap::Flaky { cases: 1 }]);
        let mut other = passing("t/a::hard");
        other.observed = Outcome::Decided { accepted: true };
        let cases = [passing("t/a::hard").tried_again(vec![other])];
        assert!(!end(&header(1), &cases, &[]).success);
    }

    #[test]
    fn what_is_advisory_is_counted_apart() {
        let aside = |mut case: CaseRecord| {
            case.disposition = case.disposition.aside(Advisory::newer());
            case
        };
        let mut header = header(3);
        header.advisory = 2;
        let cases = [
            passing("t/a::hard"),
            aside(failing("t/b::hard", Level::Must)),
            aside(passing("t/c::hard")),
        ];
        let summary = end(&header, &cases, &[]);
        assert!(summary.success);
        assert_eq!(summary.standing["hard-checker"], Standing::Conforms);
        assert_eq!((summary.total.total(), summary.total.passed), (1, 1));
        assert_eq!((summary.advisory.passed, summary.advisory.failed), (1, 1));
        assert_eq!(summary.levels.values().map(Tally::total).sum::<usize>(), 1);
        assert_eq!(summary.rules.values().map(|rule| rule.broken).sum::<usize>(), 0);
        // With nothing else, nothing was shown.
        (header.cases, header.advisory) = (1, 1);
        assert!(!end(&header, &cases[2..], &[]).success);
    }

    #[test]
    fn a_class_that_was_run_whole_lacks_nothing() {
        let header = header(2);
        let mut count = Count::new(&header);
        count.plan(BTreeMap::from([("hard-checker".into(), 1), ("soft-checker".into(), 1)]));
        count.add(&passing("t/a::hard"));
        let coverage = Coverage::of(&rules(), header.protocol, []);
        let summary = count.finish(&coverage, &BTreeMap::new(), None, None, 1);
        assert_eq!(summary.standing["hard-checker"], Standing::Conforms);
        assert_eq!(gaps(&summary, "soft-checker"), [Gap::NotRun { cases: 1 }]);
    }

    #[test]
    fn a_shard_is_never_the_whole() {
        let part = |cases| {
            let mut header = header(cases);
            let part = Shard::hash(1, 2).unwrap();
            header.shard = Some(Sharded { part, elsewhere: Vec::new() });
            let left = header.left_out.get_mut("hard-checker").unwrap();
            left.insert(LeftOut::OtherShard, 5);
            header
        };
        let summary = end(&part(1), &[passing("t/a::hard")], &[]);
        assert!(summary.success, "nothing in it failed");
        let left = Gap::LeftOut { reason: LeftOut::OtherShard, cases: 5 };
        assert_eq!(gaps(&summary, "hard-checker"), [left]);
        assert!(end(&part(0), &[], &[]).success, "few cases in many shards");
        assert!(!end(&part(1), &[], &[]).success, "a case did not run");
        assert!(!end(&header(0), &[], &[]).success);
    }
}
