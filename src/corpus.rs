//! All that a run rests on: suites, fixtures, and the identity of both.

mod trees;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use self::trees::{Digests, Trees};
use crate::certify::{Identity, IdentityError};
use crate::core::{
    Coverage, Deferred, Fixture, Header, ImplementationInfo, LeftOut, Level, Plan, Protocol,
    RuleTable, Sharded, Suite,
};
use crate::data::{Folder, Problem, Tree};
use crate::fixture::{self, FixtureDir};
use crate::releases::{self, Asked, Basis, BasisError};
use crate::report::{Catalog, Measurement};
use crate::suites::{self, LoadErrors, Suites};

/// Suites and fixtures, loaded without a problem.
#[derive(Debug, Clone)]
pub struct Corpus {
    /// The suites with their rules and open questions.
    pub suites: Suites,
    /// The fixtures, by id; one or more. Their places are not filled in yet, see
    /// [`fixture::fill_places`].
    pub fixtures: Vec<Arc<Fixture>>,
    trees: Trees,
    /// The suites that were left out.
    left_out: BTreeSet<String>,
    digests: Digests,
}

/// Why there is nothing to run.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// The suites are in error.
    #[error(transparent)]
    Suites(#[from] LoadErrors),
    /// Fixtures are in error; a case that is silently missing would be worse.
    #[error("load the fixtures; no case was run{}", listed(.0))]
    Fixtures(Vec<Problem>),
    /// There is no fixture at all.
    #[error("find a fixture in {}", place.display())]
    Empty {
        /// Where they were looked for.
        place: PathBuf,
    },
    /// The data has no identity.
    #[error(transparent)]
    Identity(#[from] IdentityError),
}

impl CorpusError {
    /// What to do, where each problem does not say it already.
    #[must_use]
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            Self::Empty { .. } => Some(
                "name the folder that has runtime/ in it, or folders of manifest fixtures, such as valid/",
            ),
            _ => None,
        }
    }
}

fn listed(problems: &[Problem]) -> String {
    problems.iter().map(|problem| format!("\n{problem}")).collect()
}

/// Suites, before their fixtures are loaded.
#[derive(Debug)]
pub struct Opened {
    /// The suites with their rules and open questions.
    pub suites: Suites,
    trees: Trees,
}

impl Opened {
    /// Loads the fixtures of all suites.
    ///
    /// # Errors
    /// When anything in them is in error, or there is no fixture.
    pub fn all(self) -> Result<Corpus, CorpusError> {
        let fixtures = load_fixtures(&self.trees, &self.suites, &|_| true)?;
        let (left_out, digests) = (BTreeSet::new(), Digests::default());
        Ok(Corpus { suites: self.suites, fixtures, trees: self.trees, left_out, digests })
    }

    /// Loads the fixtures of these suites alone, as [`Corpus::only`] leaves them, and
    /// makes the identity of all at the same time, in another thread.
    ///
    /// # Errors
    /// As [`Opened::all`]; what can only be seen in a document or golden of another
    /// suite is not.
    pub fn only(self, asked: &BTreeSet<String>) -> Result<Corpus, CorpusError> {
        let Self { suites, trees } = self;
        let left_out = all_but(&suites, &BTreeSet::new(), asked);
        let (fixtures, digests) = thread::scope(|scope| {
            let (trees, suites, left_out) = (&trees, &suites, &left_out);
            let digest = move || Digests {
                identity: trees.identity_without(left_out).ok(),
                data: trees.embedded_data(all_names(suites, left_out), asked),
            };
            let aside = thread::Builder::new().spawn_scoped(scope, digest);
            let is_asked = |fixture: &FixtureDir| asked.contains(fixture.id.suite());
            let fixtures = load_fixtures(trees, suites, &is_asked);
            // What it could not do now, it will be asked for again.
            let digests = aside.ok().and_then(|aside| aside.join().ok());
            (fixtures, digests.unwrap_or_default())
        });
        let mut corpus = Corpus { suites, fixtures: fixtures?, trees, left_out, digests };
        corpus.suites.suites.retain(|suite| asked.contains(&suite.suite));
        Ok(corpus)
    }
}

/// Loads the fixtures that are wanted.
fn load_fixtures(
    trees: &Trees,
    suites: &Suites,
    wanted: &dyn Fn(&FixtureDir) -> bool,
) -> Result<Vec<Arc<Fixture>>, CorpusError> {
    let mut found = fixture::discover(&trees.fixtures, suites);
    let is_empty = found.fixtures.is_empty();
    found.fixtures.retain(wanted);
    let loaded = fixture::load(&trees.fixtures, suites, found);
    if !loaded.problems.is_empty() {
        return Err(CorpusError::Fixtures(loaded.problems));
    }
    if is_empty {
        let place = match &trees.fixtures {
            tree if tree.is_embedded() => PathBuf::from("the program"),
            tree => tree.locate(""),
        };
        return Err(CorpusError::Empty { place });
    }
    Ok(loaded.fixtures.into_iter().map(Arc::new).collect())
}

/// The names of all suites that there are.
fn all_names<'a>(suites: &'a Suites, left_out: &'a BTreeSet<String>) -> BTreeSet<&'a str> {
    suites.names().into_iter().chain(left_out.iter().map(String::as_str)).collect()
}

/// The suites that are left out when of those that there are, there are to be some alone.
fn all_but(
    suites: &Suites,
    left_out: &BTreeSet<String>,
    asked: &BTreeSet<String>,
) -> BTreeSet<String> {
    let others = suites.suites.iter().map(|suite| &suite.suite);
    let others = others.filter(|name| !asked.contains(*name));
    left_out.iter().chain(others).cloned().collect()
}

impl Corpus {
    /// Loads suites and fixtures from directories, or from the program where none
    /// is named.
    ///
    /// # Errors
    /// When anything in them is in error, or there is no fixture.
    pub fn load(suites: Option<&Path>, fixtures: Option<&Path>) -> Result<Self, CorpusError> {
        Self::open(suites, fixtures)?.all()
    }

    /// Loads suites alone, for a choice among them.
    ///
    /// # Errors
    /// When anything in them is in error.
    pub fn open(suites: Option<&Path>, fixtures: Option<&Path>) -> Result<Opened, CorpusError> {
        let trees = Trees {
            suites: Tree::named(suites, Folder::Suites),
            fixtures: Tree::named(fixtures, Folder::Fixtures),
            schemas: Tree::embedded(Folder::Schemas),
        };
        Ok(Opened { suites: suites::load(&trees.suites)?, trees })
    }

    /// What a run of its cases is held to.
    ///
    /// # Errors
    /// When a suite has no such release, or its releases are in error.
    pub fn basis(&self, asked: Option<&Asked>) -> Result<Basis, BasisError> {
        let own = || self.suites.suites.iter().map(|suite| suite.suite.clone()).collect();
        let data = match &self.digests.data {
            data if data.is_empty() => {
                let names = all_names(&self.suites, &self.left_out);
                &self.trees.embedded_data(names, &own())
            }
            data => data,
        };
        releases::basis(&self.trees.suites, data, &self.suites, &self.fixtures, asked)
    }

    /// The identity of all files of its suites, of fixtures that are of them or of no
    /// suite, and of schemas.
    ///
    /// # Errors
    /// When they have none, or cannot be read.
    pub fn digest(&self) -> Result<Identity, CorpusError> {
        match &self.digests.identity {
            Some(identity) => Ok(identity.clone()),
            None => self.trees.identity_without(&self.left_out),
        }
    }

    /// The same with these suites alone: what [`Corpus::only`] leaves has it.
    ///
    /// # Errors
    /// As [`Corpus::digest`].
    pub fn digest_of(&self, asked: &BTreeSet<String>) -> Result<Identity, CorpusError> {
        let left_out = all_but(&self.suites, &self.left_out, asked);
        self.trees.identity_without(&left_out)
    }

    /// The same with these suites alone; their rules may refer to those of others.
    #[must_use]
    pub fn only(mut self, asked: &BTreeSet<String>) -> Self {
        self.left_out = all_but(&self.suites, &self.left_out, asked);
        self.digests = Digests::default();
        self.suites.suites.retain(|suite| asked.contains(&suite.suite));
        self.fixtures.retain(|fixture| asked.contains(fixture.id.suite()));
        self
    }

    /// Looks up in all documents what judging needs of them.
    pub fn fill_places(&mut self) {
        for fixture in &mut self.fixtures {
            if let Some(suite) = self.suites.suite(fixture.id.suite()) {
                fixture::fill_places(Arc::make_mut(fixture), suite);
            }
        }
    }

    /// What reporters look up during a run of `plan`.
    #[must_use]
    pub fn catalog(&self, plan: &Plan) -> Catalog {
        let planned = plan.units.iter().map(|unit| &unit.fixture);
        Catalog {
            suites: self.suites.suites.clone(),
            rules: self.suites.rules.clone(),
            coverage: self.deferred_coverage(plan.protocol),
            adequacy: Measurement::default(),
            fixtures: planned.map(|fixture| (fixture.id.clone(), Arc::clone(fixture))).collect(),
        }
    }

    /// What reporters look up when the runs were elsewhere: everything. Coverage is
    /// that of the newest protocol version.
    #[must_use]
    pub fn whole_catalog(&self) -> Catalog {
        let newest = self.suites.suites.iter().filter_map(Suite::latest_protocol).max();
        let fixtures = self.fixtures.iter();
        Catalog {
            suites: self.suites.suites.clone(),
            rules: self.suites.rules.clone(),
            coverage: self.deferred_coverage(newest.unwrap_or(Protocol::new(0, 0))),
            adequacy: Measurement::default(),
            fixtures: fixtures.map(|fixture| (fixture.id.clone(), Arc::clone(fixture))).collect(),
        }
    }

    /// What a run of `plan` says of itself first: everything that MUST hold is
    /// enforced, and there is no command to reproduce a case.
    ///
    /// # Errors
    /// When the data has no identity.
    pub fn header(
        &self,
        plan: &Plan,
        implementation: ImplementationInfo,
    ) -> Result<Header, CorpusError> {
        let suites = self.suites.suites.iter();
        let without_golden = plan.units.iter().filter(|unit| !unit.fixture.has_golden);
        Ok(Header {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            spec: self.spec_title(),
            suites: suites.map(|suite| (suite.suite.clone(), suite.version.clone())).collect(),
            suite_digest: self.digest()?.as_str().to_owned(),
            implementation,
            protocol: plan.protocol,
            enforce: Level::Must,
            cases: plan.len(),
            advisory: plan.advisory(),
            without_golden: without_golden.map(|unit| unit.operations.len()).sum(),
            left_out: plan.left_out.clone(),
            shard: plan.shard.map(|part| Sharded {
                part,
                elsewhere: plan.left_for(LeftOut::OtherShard).cloned().collect(),
            }),
            variants: None,
            reproduce: Vec::new(),
        })
    }

    /// What people call the specs of the suites.
    fn spec_title(&self) -> String {
        let titles: BTreeSet<&str> = self.suites.suites.iter().map(Suite::spec_title).collect();
        titles.into_iter().collect::<Vec<_>>().join(" and ")
    }

    /// Which rules the fixtures decide at a protocol version.
    #[must_use]
    pub fn coverage(&self, protocol: Protocol) -> Coverage {
        let rules = self.own_rules();
        Coverage::of(&rules, protocol, self.fixtures.iter().map(AsRef::as_ref))
    }

    /// The same, found out when it is asked for.
    fn deferred_coverage(&self, protocol: Protocol) -> Deferred<Coverage> {
        let (rules, fixtures) = (self.own_rules(), self.fixtures.clone());
        Deferred::new(move || Coverage::of(&rules, protocol, fixtures.iter().map(AsRef::as_ref)))
    }

    /// The rules of its suites.
    fn own_rules(&self) -> RuleTable {
        self.suites.rules.only(|suite| self.suites.suite(suite).is_some())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::reference::Reference;
    use crate::releases::{Data, Digest};

    #[test]
    fn the_corpus_of_the_program_is_that_of_the_checkout() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let embedded = Corpus::load(None, None).unwrap();
        let checkout =
            Corpus::load(Some(&root.join("suites")), Some(&root.join("fixtures"))).unwrap();
        assert_eq!(embedded.digest().unwrap(), checkout.digest().unwrap());
        assert_eq!(embedded.fixtures.len(), checkout.fixtures.len());
    }

    #[test]
    fn what_is_as_it_was_released_is_seen_without_a_look_at_the_fixtures() {
        let open = || Corpus::open(None, None).unwrap();
        let asked: BTreeSet<String> = ["manifest", "runtime"].map(str::to_owned).into();
        let corpus = open().only(&asked).unwrap();
        assert_eq!(corpus.digests.data.len(), 2);
        // Of the same data, whoever digests it.
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let (suites, fixtures) = (root.join("suites"), root.join("fixtures"));
        let (suites, fixtures) = (&Tree::directory(suites), &Tree::directory(fixtures));
        let names = ["manifest", "receipt", "runtime"].into();
        let data = Data::of(suites, fixtures, names).unwrap();
        for (suite, digest) in &corpus.digests.data {
            assert_eq!(data.digest(suite).unwrap(), *digest);
        }
        // And to the same end, whether it is known or not.
        let look = |data: &BTreeMap<String, Digest>, asked: Option<&Asked>| {
            releases::basis(&corpus.trees.suites, data, &corpus.suites, &corpus.fixtures, asked)
                .unwrap()
        };
        for asked in [None, Some(Asked::Latest), Some("0.1.0".parse().unwrap())] {
            let quick = corpus.basis(asked.as_ref()).unwrap();
            assert_eq!(quick, look(&BTreeMap::new(), asked.as_ref()));
        }
        assert_eq!(corpus.basis(Some(&Asked::Draft)).unwrap().versions["runtime"], "draft");
    }

    #[test]
    fn a_suite_alone_has_its_own_fixtures_rules_and_identity() {
        let all = Corpus::load(None, None).unwrap();
        let only = |names: &[&str]| {
            let asked = names.iter().map(|&name| name.to_owned()).collect();
            all.clone().only(&asked)
        };
        let receipts = only(&["receipt"]);
        assert!(receipts.fixtures.iter().all(|fixture| fixture.id.suite() == "receipt"));
        let protocols = receipts.suites.protocols();
        let coverage = receipts.coverage(*protocols.last().unwrap());
        assert_eq!(coverage.rules.len(), all.suites.rules.rules_of("receipt").count());
        let protocol = only(&["manifest", "runtime"]);
        let digests = [&all, &receipts, &protocol].map(|corpus| corpus.digest().unwrap());
        assert!(digests[0] != digests[1] && digests[1] != digests[2] && digests[2] != digests[0]);
        // The rules that a manifest breaks are known in a match as well.
        let rule = crate::core::RuleId::constant("manifest.document.parse");
        assert!(only(&["runtime"]).suites.rules.rule(&rule).is_some());
        assert!(only(&["runtime", "receipt"]).suites.protocols().is_empty());
    }

    #[test]
    fn the_reference_knows_the_versions_of_the_suites() {
        let corpus = Corpus::load(None, None).unwrap();
        for suite in corpus.suites.suites.iter().filter(|suite| suite.default) {
            assert_eq!(suite.protocols, Reference::PROTOCOLS, "{}", suite.suite);
        }
    }

    #[test]
    fn an_empty_tree_is_an_error_that_says_where() {
        let empty = tempfile::tempdir().unwrap();
        let error = Corpus::load(None, Some(empty.path())).unwrap_err();
        assert!(matches!(error, CorpusError::Empty { .. }));
        assert!(error.to_string().contains(empty.path().to_str().unwrap()));
    }
}
