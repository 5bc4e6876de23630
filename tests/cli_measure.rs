//! `adequacy` and `coverage` from outside.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod cli_support;

use std::fs;

use cli_support::{FEW, Place, Ran, root};
use living_conformance::data::{Folder, Tree};
use living_conformance::suites;
use serde_json::Value;

/// What the schema of a document does not like.
fn errors(schema: &str, text: &str) -> (Value, Vec<String>) {
    let path = root().join("schemas").join(format!("{schema}.schema.json"));
    let schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let document: Value = serde_json::from_str(text).unwrap();
    let errors = validator
        .iter_errors(&document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    (document, errors)
}

#[track_caller]
fn json(schema: &str, ran: &Ran) -> Value {
    let (document, errors) = errors(schema, &ran.stdout);
    assert_eq!(errors, Vec::<String>::new());
    document
}

/// A line of a table, its columns apart.
#[track_caller]
fn row<'t>(ran: &'t Ran, name: &str) -> Vec<&'t str> {
    let mut lines = ran.stdout.lines();
    // The figures stand below a long name.
    let line = loop {
        match lines.next() {
            Some(line) if line == name => break lines.next().unwrap(),
            Some(line) if line.starts_with(&format!("{name} ")) => break &line[name.len()..],
            Some(_) => {}
            None => panic!("{name} in {ran}"),
        }
    };
    line.split_whitespace().collect()
}

#[test]
fn the_corpus_of_the_program_kills_every_mutant() {
    let ran = Place::new().run(&["adequacy"]).exits(0).quietly();
    let all = row(&ran, "all");
    assert_eq!(all[0], all[1], "{ran}");
    assert!(all[1].parse::<usize>().unwrap() > 900, "{ran}");
    assert_eq!(row(&ran, "match.protocol-version").len(), 3);
    assert_eq!(row(&ran, "crashes")[0], "0");
    let ran = ran.says(&["accepts everything", "rejects everything", "prints nothing"]);
    ran.says(&["adequacy: ", "100 %"]).never_says("receipt.");
}

#[test]
fn a_suite_that_no_run_takes_by_itself_is_named() {
    let place = Place::new();
    let ran = place.run(&["adequacy", "--suite", "receipt"]).exits(0);
    let ran = ran.never_says("manifest.").says(&["receipt.policy.", "100 %"]);
    assert!(row(&ran, "receipt.document.canonical")[1].parse::<usize>().unwrap() >= 4, "{ran}");
    place.run(&["adequacy", "--suite", "recept"]).exits(2).complains(&["did you mean receipt?"]);
}

#[test]
fn survivors_are_told_with_what_they_do_wrong() {
    let place = Place::new();
    let few = place.fixtures(FEW);
    let run = |args: &[&str]| place.run(&[&["adequacy", "--fixtures", few][..], args].concat());
    run(&["id-length-64"]).exits(0).says(&["1 of 1 mutant killed"]);
    // The fixtures have 63 and 64 characters, and no more.
    run(&["code/id-", "-v"]).exits(1).says(&[
        "survived code/id-capital: ",
        "killed by manifest/project_id/63-characters::strict (MUST) code/id-length-62",
        "killed by manifest/project_id/64-characters::strict (MUST) code/id-length-64",
        "equivalent code/id-length-in-bytes",
    ]);
    run(&["match.agent-capabilities"])
        .exits(1)
        .says(&[
            "Survivors: no case tells them apart",
            "code/capabilities-not-compared: does not compare capabilities",
            "(attacks match.agent-capabilities)",
            "adequacy: ",
        ])
        .never_says("project_id");
    let ran = run(&["match.agent-capabilities", "--format", "json"]).exits(1);
    let report = json("adequacy", &ran);
    let mutants = report["mutants"].as_array().unwrap();
    let fate = |id: &str| {
        let mutant = mutants.iter().find(|mutant| mutant["id"] == id);
        mutant.unwrap_or_else(|| panic!("{id}"))["fate"].as_str().unwrap()
    };
    assert_eq!(fate("code/capabilities-not-compared"), "survived");
    assert_eq!(fate("code/capabilities-all"), "killed");
    assert_eq!(report["unused"], serde_json::json!([]), "of a part nothing is unused");
    run(&["match.agent-capabilities", "--format", "markdown"]).exits(1).says(&[
        "# Adequacy\n",
        "## Survivors",
        "\n- code/",
        "## By rule\n\n| rule | killed | all | equivalent |\n| --- | --: | --: | --: |\n",
        "| match.agent-capabilities | ",
    ]);
    run(&["no-such-mutant"]).exits(4).complains(&["none of the ", "help: "]);
}

#[test]
fn figures_of_a_corpus_that_catches_no_control_are_void() {
    let place = Place::new();
    let few = place.fixtures(&["runtime/match-capabilities-equal"]);
    let ran = place.run(&["adequacy", "--suite", "runtime", "--fixtures", few]).exits(2);
    ran.says(&[
        "Void: controls that were not caught",
        "what accepts everything passes every decision of matcher",
        "adequacy: void; 1 fixture (1 case) show",
    ]);
}

#[test]
fn equivalents_come_from_the_suites() {
    let place = Place::new();
    for suite in ["manifest", "runtime"] {
        for name in ["suite", "rules", "ledger"] {
            let path = format!("{suite}/{name}.yaml");
            let text = fs::read(root().join("suites").join(&path)).unwrap();
            place.write(&format!("suites/{path}"), text);
        }
    }
    let few = place.fixtures(&FEW[..4]);
    let file = "suites/manifest/equivalents.yaml";
    let run = |args: &[&str]| {
        let own = ["adequacy", "--suites", "suites", "--fixtures", few, "--suite", "manifest"];
        place.run(&[&own[..], args].concat())
    };
    place.write(file, "equivalents:\n  - {mutants: ['schema/*/maxLength/*'], reason: so}\n");
    run(&["maxLength"]).exits(1).says(&[
        "Not equivalent, whatever is said of them",
        "64-characters::strict tells it apart",
    ]);
    place.write(file, "equivalents:\n  - {mutants: ['schema/no-such/*'], reason: so}\n");
    run(&[]).exits(1).says(&["Equivalents that fit no mutant\n  schema/no-such/*"]);
    place.write(file, "equivalents:\n  - {mutants: [x], reason: ''}\n");
    run(&[]).exits(2).complains(&["manifest/equivalents.yaml:2:", "find a reason"]);
}

#[test]
fn coverage_has_the_rule_table_as_its_denominator() {
    let place = Place::new();
    let suites = suites::load(&Tree::embedded(Folder::Suites)).unwrap();
    let of_protocol = |suite: &str| ["manifest", "runtime"].contains(&suite);
    let rules = suites.rules.rules().filter(|(suite, _)| of_protocol(suite)).count().to_string();
    let ran = place.run(&["coverage", "--fail-under", "100"]).exits(0).quietly();
    assert_eq!(row(&ran, "all")[4], rules, "{ran}");
    let rule = row(&ran, "manifest.project_id.max-length");
    assert_eq!((rule[0], rule.last()), ("MUST", Some(&"covered")), "{ran}");
    let killed: Vec<&str> = rule[4].split('/').collect();
    assert!(killed[0] == killed[1] && killed[0] != "0", "{ran}");
    ran.says(&["\nexcluded\n", "level ", "v0.3.0", "matcher", "coverage: "]);

    let few = place.fixtures(FEW);
    let ran = place.run(&["coverage", "--fixtures", few, "--fail-under", "50"]).exits(1);
    assert_eq!(row(&ran, "all")[4], rules, "{ran}");
    assert_eq!(row(&ran, "manifest.snapshot.type").last(), Some(&"uncovered"), "{ran}");
    let ran = place.run(&["coverage", "--fixtures", few, "--format", "json"]).exits(0);
    let report = json("coverage", &ran);
    let totals = &report["totals"];
    let of = |key: &str| totals[key].as_u64().unwrap();
    assert_eq!(of("covered") + of("excluded") + of("unresolved") + of("uncovered"), 121);
    assert!(of("uncovered") > 50 && of("covered") > 3, "{totals}");
    assert_eq!(report["rules"].as_object().unwrap().len(), 121);
    place.run(&["coverage", "--fixtures", few, "--format", "markdown"]).exits(0).says(&[
        "# Coverage\n",
        "| class | covered |",
        "| rule | level |",
        "## Excluded\n",
    ]);
    let ran = place.run(&["coverage", "--fixtures", few, "--protocol", "v0.1"]).exits(0);
    ran.never_says("manifest.snapshot.type").says(&["of 95 rules"]);
    place.run(&["coverage", "--protocol", "v9.9"]).exits(2).complains(&["choose one of v0.1"]);
    place.run(&["coverage", "--fail-under", "101"]).exits(2);
}

#[test]
fn a_run_is_held_to_what_it_exercised() {
    let place = Place::new();
    let few = place.fixtures(FEW);
    let args = ["--reference", "--fixtures", few, "--report", "json=run.json", "project_id"];
    place.run(&args).exits(0);
    let ran = place.run(&["coverage", "--fixtures", few, "--report", "run.json"]).exits(0);
    let max_length = row(&ran, "manifest.project_id.max-length");
    assert_eq!(max_length[5..7], ["4", "kept"], "{ran}");
    assert_eq!(row(&ran, "match.isolation-profile")[5], "-", "{ran}");
    let ran = ran.says(&["run of the built-in reference: 2 of ", " rules exercised, 2 %"]);
    let ran = ran.never_says("other suites or fixtures");
    drop(ran);

    let ran = place.run(&["coverage", "--report", "run.json", "--format", "json"]).exits(0);
    let report = json("coverage", &ran);
    assert_eq!(report["run"]["same-data"], false);
    assert!(report["run"]["not-exercised"].as_u64().unwrap() > 90, "{}", report["run"]);
    let under = ["coverage", "--report", "run.json", "--fail-under", "90"];
    place.run(&under).exits(1).says(&["the run was of other suites or fixtures than these"]);
    place.write("other.json", "{}");
    place.run(&["coverage", "--report", "other.json"]).exits(2).complains(&["other.json"]);
    place.run(&["coverage", "--report", "none.json"]).exits(2).complains(&["none.json"]);
}

#[test]
fn a_score_stands_beside_those_of_implementations_that_are_none() {
    let place = Place::new();
    let few = place.fixtures(FEW);
    let run = |args: &[&str]| {
        place.run(&[&["--reference", "--fixtures", few, "--color", "never"][..], args].concat())
    };
    let ran = run(&["-v"]).exits(0);
    let text = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = "for comparison: 100 % passed; with everything accepted 30 %, with everything \
                rejected 0 %, with nothing printed 30 %, with crashes alone 0 %";
    assert!(text.contains(line), "{ran}");
    run(&[]).exits(0).never_says("for comparison");
}
