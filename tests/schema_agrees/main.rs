//! The schemas against the hand-written reference: on every fixture, and on thousands of
//! made-up documents, they accept and reject the same. Where the spec is open they need
//! not, nor where the rule table says that a schema cannot express a rule.

mod generate;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use living_conformance::core::{Protocol, RuleTable, Severity, Shown, Stance};
use living_conformance::data::Tree;
use living_conformance::reference::{Finding, Reference, Ruling};
use living_conformance::yaml::Document;
use proptest::strategy::{BoxedStrategy, Strategy};
use proptest::test_runner::{Config, TestCaseError, TestRng, TestRunner};
use serde_json::Value;

/// The protocol version that the schemas are written for.
const PROTOCOL: Protocol = Protocol::new(0, 4);
/// How many documents of a kind are made up.
const DOCUMENTS: u32 = 2500;
/// A manifest to hold runtime documents against. Whether it matches does not matter.
const MANIFEST: &[u8] = b"
protocol_version: v0.1.0
project_id: hello
agent_capabilities: [run_tasks]
isolation_profile: container
state_publication: {target: control-process}
logging_requirements: {structured: true}
";

/// What a schema finds.
#[derive(Debug)]
enum Errors {
    None,
    Some(#[expect(dead_code, reason = "shown when the two disagree")] Vec<String>),
    /// A schema sees nothing of what cannot be parsed.
    NotYaml,
    /// Nor has it a say on what has no counterpart in JSON, such as an infinity.
    NotJson,
}

fn is_firm(finding: &Finding) -> bool {
    finding.open.is_none() && finding.reported
}

fn rejects(finding: &Finding) -> bool {
    finding.severity == Severity::Error
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn rules() -> RuleTable {
    let tree = Tree::directory(root().join("suites"));
    living_conformance::suites::load(&tree).unwrap_or_else(|e| panic!("failed to {e}")).rules
}

/// One of the schemas with the operation of the reference that enforces the same.
struct Pair {
    name: &'static str,
    schema: jsonschema::Validator,
    rules: RuleTable,
    /// Rules that some document broke, or may have broken.
    met: BTreeSet<String>,
    accepted: usize,
    rejected: usize,
    open: usize,
    beyond_schemas: usize,
    beyond_json: usize,
}

impl Pair {
    fn new(name: &'static str) -> Self {
        let path = root().join("schemas").join(format!("{name}.schema.json"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
        let schema: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let schema =
            jsonschema::draft202012::new(&schema).unwrap_or_else(|e| panic!("{name}: {e}"));
        Self {
            name,
            schema,
            rules: rules(),
            met: BTreeSet::new(),
            accepted: 0,
            rejected: 0,
            open: 0,
            beyond_schemas: 0,
            beyond_json: 0,
        }
    }

    fn ask(&self, document: &[u8]) -> Ruling {
        let reference = Reference::new(PROTOCOL);
        match self.name {
            "runtime" => reference.matches(document, MANIFEST),
            name => reference.validate(document, name == "manifest"),
        }
    }

    /// Holds what the two say of a document against each other.
    fn compare(&mut self, document: &[u8]) -> Result<(), String> {
        let ruling = self.ask(document);
        let met: Vec<String> = self.own(&ruling).map(|finding| finding.rule.to_string()).collect();
        self.met.extend(met);

        let errors = self.errors(document);
        let rejecting: Vec<&Finding> =
            self.own(&ruling).filter(|finding| is_firm(finding) && rejects(finding)).collect();
        match (self.stance(&ruling), &errors) {
            (Stance::Either, _) => self.open += 1,
            (_, Errors::NotJson) => self.beyond_json += 1,
            (Stance::Accept, Errors::None) => self.accepted += 1,
            (Stance::Reject, Errors::Some(_)) => self.rejected += 1,
            (Stance::Reject, _) if self.all_beyond_schemas(&rejecting) => {
                self.beyond_schemas += 1;
            }
            (stance, errors) => {
                return Err(format!(
                    "the reference has {stance:?} for {}, because of {rejecting:#?}\nand the \
                     schema {} finds {errors:#?}",
                    String::from_utf8_lossy(document),
                    self.name
                ));
            }
        }
        Ok(())
    }

    /// The findings about the document that the schema is about.
    fn own<'a>(&self, ruling: &'a Ruling) -> impl Iterator<Item = &'a Finding> + use<'a> {
        let runtime = self.name == "runtime";
        ruling.findings.iter().filter(move |f| f.rule.as_str().starts_with("runtime.") == runtime)
    }

    /// What the reference has to say of the document that the schema is about. A match
    /// that fails says nothing of the runtime document unless a finding does.
    fn stance(&self, ruling: &Ruling) -> Stance {
        if self.name != "runtime" || ruling.stance != Stance::Reject {
            return ruling.stance;
        }
        let rejecting: Vec<&Finding> = self.own(ruling).filter(|f| rejects(f)).collect();
        if rejecting.is_empty() {
            Stance::Accept
        } else if rejecting.into_iter().any(is_firm) {
            Stance::Reject
        } else {
            Stance::Either
        }
    }

    fn all_beyond_schemas(&self, rejecting: &[&Finding]) -> bool {
        let beyond = |finding: &&Finding| {
            self.rules.rule(&finding.rule).is_some_and(|rule| rule.schema.is_some())
        };
        !rejecting.is_empty() && rejecting.iter().all(beyond)
    }

    fn errors(&self, document: &[u8]) -> Errors {
        let Ok(document) = Document::parse(document) else { return Errors::NotYaml };
        let Ok(value) = document.root().to_json() else { return Errors::NotJson };
        let errors: Vec<String> = self
            .schema
            .iter_errors(&value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        if errors.is_empty() { Errors::None } else { Errors::Some(errors) }
    }

    /// Makes documents up and compares; always the same ones, so that a run can be repeated.
    fn compare_made_up(&mut self, documents: BoxedStrategy<Value>) {
        let config = Config { cases: DOCUMENTS, failure_persistence: None, ..Config::default() };
        let algorithm = config.rng_algorithm;
        let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(algorithm));
        let pair = std::cell::RefCell::new(self);
        let result = runner.run(&documents, |value| {
            // Every JSON text is YAML.
            pair.borrow_mut().compare(value.to_string().as_bytes()).map_err(TestCaseError::fail)
        });
        if let Err(e) = result {
            panic!("{e}");
        }
    }

    /// What was made up must have been worth the while: each side often enough, and each
    /// rule that findings show and a schema can express.
    fn assert_thorough(&self, prefix: &str) {
        let least = DOCUMENTS as usize / 20;
        assert!(self.accepted >= least, "{}: {} accepted", self.name, self.accepted);
        assert!(self.rejected >= least, "{}: {} rejected", self.name, self.rejected);
        for (_, rule) in self.rules.rules() {
            let id = rule.id.as_str();
            if id.starts_with(prefix) && rule.shown_by == Shown::Finding && !id.ends_with(".parse")
            {
                assert!(self.met.contains(id), "{}: no document breaks {id}", self.name);
            }
        }
    }
}

#[test]
fn strict_mode_and_its_schema_agree() {
    let mut pair = Pair::new("manifest");
    pair.compare_made_up(generate::manifest().boxed());
    pair.assert_thorough("manifest.");
}

#[test]
fn lenient_mode_and_its_schema_agree() {
    let mut pair = Pair::new("manifest.lenient");
    pair.compare_made_up(generate::manifest().boxed());
    pair.assert_thorough("manifest.");
}

#[test]
fn runtime_documents_and_their_schema_agree() {
    let mut pair = Pair::new("runtime");
    pair.compare_made_up(generate::runtime().boxed());
    pair.assert_thorough("runtime.");
}

#[test]
fn they_agree_on_every_fixture() {
    let mut pairs = ["manifest", "manifest.lenient", "runtime"].map(Pair::new);
    let mut wrong = Vec::new();
    for entry in walkdir::WalkDir::new(root().join("fixtures")).sort_by_file_name() {
        let entry = entry.expect("fixtures can be walked");
        let kind = entry.path().file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if entry.file_type().is_file() && matches!(kind, "manifest" | "runtime") {
            let document = read(entry.path());
            for pair in pairs.iter_mut().filter(|pair| pair.name.starts_with(kind)) {
                let found = pair.compare(&document);
                wrong.extend(found.err().map(|e| format!("{}: {e}", entry.path().display())));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    for pair in &pairs {
        assert!(pair.accepted > 0 && pair.rejected > 0, "{}", pair.name);
    }
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
