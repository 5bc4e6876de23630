//! Which cases a run takes, and which it leaves out.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{
    Advisory, CaseId, Fixture, LeftOut, Operation, Protocol, Selection, Shard, Suite, Variant,
    Variants, Varied,
};

/// A fixture, or a variant of one, with those of its operations that are run: one
/// worker runs them one after the other.
#[derive(Debug, Clone)]
pub struct Unit {
    /// The fixture. In a plan its documents are its own, whatever the variant; they are
    /// written otherwise by who runs it.
    pub fixture: Arc<Fixture>,
    /// The variant of it that is run.
    pub variant: Option<Variant>,
    /// The operations, by name.
    pub operations: Vec<String>,
    /// Those of them whose cases are no part of the release of the suite.
    pub advisory: BTreeMap<String, Advisory>,
}

impl Unit {
    fn new(fixture: &Arc<Fixture>, variant: Option<Variant>) -> Self {
        let (operations, advisory) = (Vec::new(), BTreeMap::new());
        Self { fixture: Arc::clone(fixture), variant, operations, advisory }
    }

    /// The case that an operation makes of it.
    #[must_use]
    pub fn case(&self, operation: &str) -> CaseId {
        let case = self.fixture.id.case(operation);
        self.variant.map_or_else(|| case.clone(), |variant| case.varied(variant))
    }

    /// Its cases.
    pub fn cases(&self) -> impl Iterator<Item = CaseId> {
        self.operations.iter().map(|name| self.case(name))
    }
}

/// The cases of a run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What is run, by fixture id.
    pub units: Vec<Unit>,
    /// For each class that was asked for, how many of its cases are left out, and why.
    pub left_out: BTreeMap<String, BTreeMap<LeftOut, usize>>,
    /// Those cases, each with why it is left out.
    pub left: BTreeMap<CaseId, LeftOut>,
    /// The protocol version.
    pub protocol: Protocol,
    /// The part of what was selected that is run, when it is not all.
    pub shard: Option<Shard>,
}

impl Plan {
    /// Selects from `fixtures` what was asked for.
    ///
    /// Classes, suites and the protocol version say what is asked; a case outside
    /// them is not left out but another matter. Filters, skips and rules leave
    /// out cases of what was asked, and a shard those of what is left then. A case
    /// that is no part of the release of its suite is asked of nobody: without it,
    /// nothing is left out.
    #[must_use]
    pub fn new(suites: &[Suite], fixtures: &[Arc<Fixture>], selection: &Selection) -> Self {
        Self::with_variants(suites, fixtures, &Variants::default(), selection)
    }

    /// Selects from `fixtures` and these variants of them what was asked for. What
    /// holds of a fixture holds of its variants: they are in the same shard.
    #[must_use]
    pub fn with_variants(
        suites: &[Suite],
        fixtures: &[Arc<Fixture>],
        variants: &Variants,
        selection: &Selection,
    ) -> Self {
        let mut plan = Self {
            units: Vec::new(),
            left_out: BTreeMap::new(),
            left: BTreeMap::new(),
            protocol: selection.protocol,
            shard: selection.shard,
        };
        let mut fixtures: Vec<_> = fixtures.iter().collect();
        fixtures.sort_by(|one, other| one.id.cmp(&other.id));
        let mut place = 0;
        for fixture in fixtures.into_iter().filter(|fixture| fixture.holds_at(selection.protocol)) {
            let Some(suite) = suites.iter().find(|suite| suite.suite == fixture.id.suite()) else {
                continue;
            };
            let varied = variants.of.get(&fixture.id).into_iter().flatten().map(Some);
            let units: Vec<Unit> = std::iter::once(None)
                .chain(varied)
                .map(|varied| plan.unit(suite, fixture, varied, selection))
                .filter(|unit| !unit.operations.is_empty())
                .collect();
            if units.is_empty() {
                continue;
            }
            if selection.shard.is_none_or(|shard| shard.has(&fixture.id, place)) {
                plan.units.extend(units);
            } else {
                units.iter().for_each(|unit| plan.leave_unit(suite, unit));
            }
            place += 1;
        }
        plan.miss(suites, selection);
        plan
    }

    /// What is selected of a fixture, or of a variant of it; the rest is left out.
    fn unit(
        &mut self,
        suite: &Suite,
        fixture: &Arc<Fixture>,
        varied: Option<&Varied>,
        selection: &Selection,
    ) -> Unit {
        let mut unit = Unit::new(fixture, varied.map(|varied| varied.variant));
        // One that is asked for nothing that is written otherwise is the fixture again.
        let differs = |operation: &Operation| {
            let is_varied = |varied: &Varied| {
                operation.documents().any(|document| varied.documents.contains(document))
            };
            varied.is_none_or(is_varied)
        };
        for (name, operation) in &suite.operations {
            let has = fixture.cases.contains_key(name) && differs(operation);
            if !has || !selection.asks(suite, operation) {
                continue;
            }
            self.know(&operation.class);
            let case = unit.case(name);
            let advisory = selection.released.advisory(&case);
            match selection.leaves_out(fixture, &case) {
                Some(_) if advisory.is_some() => {}
                Some(reason) => self.leave(case, operation, reason),
                None => {
                    unit.operations.push(name.clone());
                    unit.advisory.extend(advisory.map(|it| (name.clone(), it.clone())));
                }
            }
        }
        unit
    }

    /// Leaves the cases of a unit to another shard.
    fn leave_unit(&mut self, suite: &Suite, unit: &Unit) {
        for name in &unit.operations {
            let case = unit.case(name);
            match (suite.operations.get(name), unit.advisory.contains_key(name)) {
                (Some(operation), false) => self.leave(case, operation, LeftOut::OtherShard),
                _ => _ = self.left.insert(case, LeftOut::OtherShard),
            }
        }
    }

    /// Leaves out what the releases have and is not there.
    fn miss(&mut self, suites: &[Suite], selection: &Selection) {
        for case in &selection.released.missing {
            let suite = suites.iter().find(|suite| suite.suite == case.suite());
            let operation = suite.and_then(|it| Some((it, it.operations.get(case.operation())?)));
            let Some((suite, operation)) = operation else { continue };
            if selection.asks(suite, operation) {
                self.count(&operation.class, LeftOut::NotAsReleased);
                self.left.entry(case.clone()).or_insert(LeftOut::NotAsReleased);
            }
        }
    }

    /// Leaves the cases that are no part of the releases to others: what is left is
    /// exactly what they have.
    pub fn keep_released(&mut self) {
        for unit in &mut self.units {
            unit.operations.retain(|name| !unit.advisory.contains_key(name));
            unit.advisory.clear();
        }
        self.units.retain(|unit| !unit.operations.is_empty());
    }

    fn leave(&mut self, case: CaseId, operation: &Operation, reason: LeftOut) {
        self.count(&operation.class, reason);
        self.left.insert(case, reason);
    }

    /// Counts a case of a class that is left out.
    fn count(&mut self, class: &str, reason: LeftOut) {
        self.know(class);
        if let Some(reasons) = self.left_out.get_mut(class) {
            *reasons.entry(reason).or_default() += 1;
        }
    }

    /// Sees that a class is among those of the plan, without a text of its own for every
    /// case of it.
    fn know(&mut self, class: &str) {
        if !self.left_out.contains_key(class) {
            self.left_out.insert(class.to_owned(), BTreeMap::new());
        }
    }

    /// The cases that are left out for this reason, in order.
    pub fn left_for(&self, reason: LeftOut) -> impl Iterator<Item = &CaseId> {
        self.left.iter().filter(move |(_, why)| **why == reason).map(|(case, _)| case)
    }

    /// The cases, in order.
    pub fn cases(&self) -> impl Iterator<Item = CaseId> {
        self.units.iter().flat_map(Unit::cases)
    }

    /// The cases that count: those that are part of the releases of their suites.
    pub fn counting(&self) -> impl Iterator<Item = CaseId> {
        let counts = |unit: &Unit, name: &String| !unit.advisory.contains_key(name);
        self.units.iter().flat_map(move |unit| {
            let names = unit.operations.iter().filter(move |name| counts(unit, name));
            names.map(|name| unit.case(name))
        })
    }

    /// How many of the cases are advisory.
    #[must_use]
    pub fn advisory(&self) -> usize {
        self.units.iter().map(|unit| unit.advisory.len()).sum()
    }

    /// Puts fixtures, and the operations of each, in an order that only the seed
    /// and the cases decide: a process that answers many cases must not depend on
    /// the one before.
    pub fn shuffle(&mut self, seed: u64) {
        let mut random = Random(seed);
        random.shuffle(&mut self.units);
        for unit in &mut self.units {
            random.shuffle(&mut unit.operations);
        }
    }

    /// How many cases are run.
    #[must_use]
    pub fn len(&self) -> usize {
        self.units.iter().map(|unit| unit.operations.len()).sum()
    }

    /// Whether nothing was selected.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }
}

/// SplitMix64: the same numbers for a seed on every machine and in every release.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            // The bias of the remainder is far below anything that shows in tests.
            items.swap(last, (self.next() % (last as u64 + 1)) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expect, fixture, id, suite};
    use super::super::{Release, Stance};
    use super::*;

    fn plan(change: impl FnOnce(&mut Selection)) -> (Vec<String>, usize) {
        let accept = || expect(Stance::Accept, &[]);
        let mut later = fixture("later", &["t.later"], accept(), accept());
        later.since = Release::new(0, 3, 0);
        let mut until = fixture("until", &["t.unknown"], accept(), accept());
        until.before = Some(Release::new(0, 3, 0));
        let fixtures = [fixture("id/long", &["t.id.max-length"], accept(), accept()), later, until]
            .map(Arc::new);
        let mut selection = Selection::all(Protocol::new(0, 1));
        change(&mut selection);
        let plan = Plan::new(&[suite()], &fixtures, &selection);
        let left_out = plan.left_out.values().flat_map(BTreeMap::values).sum();
        assert_eq!(plan.len(), plan.cases().count());
        (plan.cases().map(String::from).collect(), left_out)
    }

    #[test]
    fn the_protocol_version_decides_what_there_is() {
        let ids = |version: Protocol| plan(|selection| selection.protocol = version);
        let (v0_1, left_out) = ids(Protocol::new(0, 1));
        assert_eq!(v0_1, ["t/id/long::hard", "t/id/long::soft", "t/until::hard", "t/until::soft"]);
        assert_eq!(left_out, 0);
        let (v0_3, _) = ids(Protocol::new(0, 3));
        assert_eq!(v0_3.len(), 4);
        assert!(v0_3.contains(&"t/later::soft".to_owned()));
    }

    #[test]
    fn filters_leave_out_and_classes_do_not() {
        assert_eq!(plan(|s| s.filters = vec!["long".into(), "hard".into()]).0.len(), 3);
        assert_eq!(plan(|s| s.filters = vec!["long".into()]).1, 2);
        assert_eq!(
            plan(|s| s.skip = vec!["::hard".into()]),
            (vec!["t/id/long::soft".into(), "t/until::soft".into()], 2)
        );
        let exact = plan(|s| {
            s.filters = vec!["t/id/long::soft".into(), "t/until".into()];
            s.exact = true;
        });
        assert_eq!(exact.0, ["t/id/long::soft"]);
        assert_eq!(plan(|s| s.classes = ["soft-checker".to_owned()].into()).1, 0);
        assert_eq!(plan(|s| s.suites = ["other".to_owned()].into()), (vec![], 0));
        assert_eq!(plan(|s| s.rules = [id("t.unknown")].into()).0.len(), 2);
        let narrow = |s: &mut Selection| {
            s.filters = vec!["long".into(), "hard".into()];
            s.narrow = Some("until".into());
        };
        assert_eq!(plan(narrow).0, ["t/until::hard"]);
    }

    #[test]
    fn shards_part_what_is_selected_and_keep_fixtures_whole() {
        let accept = || expect(Stance::Accept, &[]);
        let fixtures: Vec<_> = (0..40)
            .map(|n| Arc::new(fixture(&format!("n{n:02}"), &["t.unknown"], accept(), accept())))
            .collect();
        let part = |text: &str| {
            let mut selection = Selection::all(Protocol::new(0, 1));
            selection.skip = vec!["n1".into()];
            selection.shard = Some(text.parse().unwrap());
            Plan::new(&[suite()], &fixtures, &selection)
        };
        for by in ["hash", "slice"] {
            let parts: Vec<Plan> =
                (1..=3).map(|number| part(&format!("{by}:{number}/3"))).collect();
            let mut all: Vec<CaseId> = parts.iter().flat_map(Plan::cases).collect();
            all.sort();
            let whole: Vec<CaseId> = part("1/1").cases().collect();
            assert_eq!(all, whole, "{by}: each case once");
            for part in &parts {
                assert!(part.units.iter().all(|unit| unit.operations.len() == 2));
                assert_eq!(part.left_for(LeftOut::Skipped).count(), 20);
                let elsewhere: Vec<&CaseId> = part.left_for(LeftOut::OtherShard).collect();
                assert_eq!(elsewhere.len() + part.len(), whole.len());
                let counted: usize = part.left_out.values().flat_map(BTreeMap::values).sum();
                assert_eq!(counted, part.left.len());
                if by == "slice" {
                    assert_eq!(part.len(), 20, "of the same size, whatever is skipped");
                }
            }
        }
    }

    #[test]
    fn variants_are_cases_of_their_own_and_stay_with_their_fixture() {
        let accept = || expect(Stance::Accept, &[]);
        let fixtures: Vec<_> = (0..9)
            .map(|n| Arc::new(fixture(&format!("n{n}"), &["t.unknown"], accept(), accept())))
            .collect();
        let varied =
            |variant, document: &str| Varied { variant, documents: [document.to_owned()].into() };
        let mut variants = Variants::default();
        for fixture in fixtures.iter().skip(1) {
            // No operation is given the other document.
            let made = vec![varied(Variant::Crlf, "doc"), varied(Variant::Bom, "other")];
            variants.of.insert(fixture.id.clone(), made);
        }
        let plan = |change: &dyn Fn(&mut Selection)| {
            let mut selection = Selection::all(Protocol::new(0, 1));
            change(&mut selection);
            Plan::with_variants(&[suite()], &fixtures, &variants, &selection)
        };
        let ids = |plan: &Plan| plan.cases().map(String::from).collect::<Vec<_>>();
        let all = plan(&|_| {});
        assert_eq!(all.len(), 18 + 16);
        let first = ["t/n0::hard", "t/n0::soft", "t/n1::hard", "t/n1::soft", "t/n1::hard+crlf"];
        assert_eq!(ids(&all)[..5], first);
        let exact = plan(&|s| {
            s.filters = vec!["t/n1::hard+crlf".into(), "t/n1::soft+bom".into()];
            s.exact = true;
        });
        assert_eq!(ids(&exact), ["t/n1::hard+crlf"]);
        assert_eq!(exact.left_for(LeftOut::Filtered).count(), all.len() - 1);
        assert_eq!(plan(&|s| s.skip = vec!["+crlf".into()]).len(), 18);
        for by in ["hash", "slice"] {
            let parts: Vec<Plan> = (1..=2)
                .map(|number| {
                    plan(&|s| s.shard = Some(format!("{by}:{number}/2").parse().unwrap()))
                })
                .collect();
            assert_eq!(parts.iter().map(Plan::len).sum::<usize>(), all.len());
            for unit in &parts[0].units {
                let own = |other: &Unit| other.fixture.id == unit.fixture.id;
                assert!(!parts[1].units.iter().any(own), "{by}: {}", unit.fixture.id);
            }
        }
    }

    #[test]
    fn a_seed_gives_one_order_and_loses_nothing() {
        let accept = || expect(Stance::Accept, &[]);
        let fixtures: Vec<_> = (0..40)
            .map(|n| Arc::new(fixture(&format!("n{n:02}"), &["t.unknown"], accept(), accept())))
            .collect();
        let plan = Plan::new(&[suite()], &fixtures, &Selection::all(Protocol::new(0, 1)));
        let order = |seed: Option<u64>| {
            let mut plan = plan.clone();
            if let Some(seed) = seed {
                plan.shuffle(seed);
            }
            plan.cases().map(String::from).collect::<Vec<_>>()
        };
        assert_eq!(order(Some(7)), order(Some(7)));
        assert_ne!(order(Some(7)), order(Some(8)));
        assert_ne!(order(Some(7)), order(None));
        let mut sorted = order(Some(7));
        sorted.sort();
        assert_eq!(sorted, order(None));
        let hard_first = order(Some(7)).iter().step_by(2).filter(|id| id.ends_with("hard")).count();
        assert!((1..40).contains(&hard_first), "operations are shuffled as well: {hard_first}");
    }
}
