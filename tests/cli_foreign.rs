//! The layout of the protocol's own repository: fixtures with and without goldens.
#![cfg(unix)]

mod cli_support;

use cli_support::{Place, program};

const GOOD: &str = "\
protocol_version: v0.1.0
project_id: lighthouse
agent_capabilities: [run_tasks]
isolation_profile: container
state_publication: {target: file, path: state.json}
logging_requirements: {structured: true}
";

const RUNTIME: &str = "\
runtime: shop
protocol_versions: [v0.1]
agent_capabilities: [run_tasks]
isolation_profiles: [container]
state_publication_targets: [file]
";

const RUNTIME_IN_JSON: &str = r#"{"runtime": "shop", "protocol_versions": ["v0.1"],
 "agent_capabilities": ["run_tasks"], "isolation_profiles": ["container"],
 "state_publication_targets": ["file"]}"#;

/// Too long an id: accepted by the lenient mode alone.
fn too_long() -> String {
    GOOD.replace("lighthouse", &"x".repeat(64))
}

/// A checkout of the protocol's repository, as far as its tests go.
fn checkout() -> Place {
    let place = Place::new();
    let in_vm = GOOD.replace("container", "dedicated-vm");
    for (path, text) in [
        ("tests/README.md", "# Fixtures\n"),
        ("tests/runtime/match-yaml/runtime.yaml", RUNTIME),
        ("tests/runtime/match-yaml/manifest.yaml", GOOD),
        ("tests/runtime/match-yml/runtime.yml", RUNTIME),
        ("tests/runtime/match-yml/.living/manifest.yaml", GOOD),
        ("tests/runtime/match-json/runtime.json", RUNTIME_IN_JSON),
        ("tests/runtime/match-json/manifest.yaml", GOOD),
        ("tests/runtime/no-vm/runtime.yaml", RUNTIME),
        ("tests/runtime/no-vm/manifest.yaml", &in_vm),
        ("tests/valid/plain.yaml", GOOD),
        ("tests/valid/repository/.living/manifest.yaml", GOOD),
        ("tests/valids/in-a-folder/manifest.yaml", GOOD),
        ("tests/invalid/no-mapping.yml", "- a\n- b\n"),
        ("tests/invalid/too-long/manifest.yaml", &too_long()),
        ("tests/lenient-only/too-long.yaml", &too_long()),
    ] {
        place.write(path, text);
    }
    place
}

const CASES: [&str; 14] = [
    "manifest/invalid/no-mapping::strict",
    "manifest/invalid/too-long::strict",
    "manifest/lenient-only/too-long::lenient",
    "manifest/lenient-only/too-long::strict",
    "manifest/valid/plain::lenient",
    "manifest/valid/plain::strict",
    "manifest/valid/repository::lenient",
    "manifest/valid/repository::strict",
    "manifest/valids/in-a-folder::lenient",
    "manifest/valids/in-a-folder::strict",
    "runtime/match-json::match",
    "runtime/match-yaml::match",
    "runtime/match-yml::match",
    "runtime/no-vm::match",
];

#[test]
fn its_fixtures_are_found_and_judged_by_their_names() {
    let place = checkout();
    let ran = place.run(&["--list", "--fixtures", "tests"]).exits(0).quietly();
    assert_eq!(ran.stdout.lines().collect::<Vec<_>>(), CASES.map(|id| format!("{id}: test")));

    let args = ["--reference", "--fixtures", "tests", "--report", "json=report.json"];
    let ran = place.run(&args).exits(0).quietly();
    let verdicts = place.report("report.json").verdicts();
    assert_eq!(verdicts, CASES.map(|id| format!("{id} pass")));
    ran.says(&[
        "without a golden: 14 of 14 cases, judged by exit code and directory name alone\n",
        "matcher: not shown: 4 cases have no golden",
        "validator-lenient: not shown: 4 cases have no golden",
        "validator-strict: not shown: 6 cases have no golden",
    ])
    .never_says("conforms");
}

#[test]
fn only_the_exit_code_is_judged() {
    let place = checkout();
    // What it says is nonsense, and what it decides is right.
    let body =
        format!("'{}' \"$@\" > /dev/null; code=$?; echo x.y: no; exit $code", program().display());
    place.script("nonsense", &body);
    let ran = place.run(&["--impl", "./nonsense", "--fixtures", "tests", "--enforce", "should"]);
    ran.exits(0).quietly().never_says("fail  ");
}

#[test]
fn wrong_exit_codes_fail() {
    let place = checkout();
    place.script("yes", "exit 0");
    let args = ["--impl", "./yes", "--fixtures", "tests", "--report", "json=report.json"];
    let ran = place.run(&args).exits(1).quietly();
    let failing = ["::strict", "no-vm"];
    let expected = CASES.map(|id| {
        let named = |part: &&str| id.contains(*part);
        let fails = failing.iter().any(named) && !id.contains("/valid");
        format!("{id} {}", if fails { "fail MUST" } else { "pass" })
    });
    assert_eq!(place.report("report.json").verdicts(), expected);
    let ran = ran.says(&[
        "4 cases fail a MUST",
        "fixtures without a golden: 4 cases",
        "The name of their directory says what is expected.",
        "  fail  manifest/invalid/no-mapping::strict\n        accepted what is to be rejected\n",
        "--> tests/invalid/no-mapping.yml\n",
        "--> tests/runtime/no-vm/manifest.yaml\n",
        "validator-lenient: not shown: 4 cases have no golden",
    ]);
    for command in ran.reproducing() {
        place.shell(&command).exits(1).says(&[": 1 case at ", "accepted what is to be rejected"]);
    }
}

#[test]
fn goldens_count_where_there_are_some() {
    let place = checkout();
    let golden = "about: one over the limit\ncategory: boundary\n\
        decides: [manifest.project_id.max-length]\nsince: v0.1.0\ncases:\n";
    let finding = "findings: [{rule: manifest.project_id.max-length, at: /project_id}]";
    let cases = format!(
        "  lenient: {{verdict: accept, {finding}}}\n  strict: {{verdict: reject, {finding}}}\n"
    );
    place.write("tests/lenient-only/too-long.expected.yaml", format!("{golden}{cases}"));
    place.write("tests/anything/manifest.yaml", too_long());
    place.write("tests/anything/expected.yaml", format!("{golden}{cases}"));
    place.run(&["--reference", "--fixtures", "tests"]).exits(0).quietly().says(&[
        "without a golden: 12 of 16 cases",
        "validator-lenient: not shown: 3 cases have no golden",
        "validator-strict: not shown: 5 cases have no golden",
    ]);
    place.script("silent", &format!("exec '{}' \"$@\" > /dev/null", program().display()));
    let args = ["--impl", "./silent", "--fixtures", "tests", "--enforce", "should", "too-long"];
    place.run(&args).exits(1).says(&["2 cases fail a SHOULD", "one over the limit"]);
}

#[test]
fn a_golden_may_not_contradict_the_name() {
    let place = checkout();
    place.write(
        "tests/runtime/match-yaml/expected.yaml",
        "about: a match\ncategory: example\ndecides: [match.exit-code]\nsince: v0.1.0\n\
         cases:\n  match: {verdict: reject, findings: []}\n",
    );
    place.run(&["--reference", "--fixtures", "tests"]).exits(2).complains(&[
        "tests/runtime/match-yaml/expected.yaml:6:",
        "[name-contradicts]",
        "rename the directory, or correct the verdict",
    ]);
}

#[test]
fn names_that_say_nothing_are_an_error_that_lists_those_that_do() {
    for (path, told) in [
        ("tests/other/thing.yaml", "tests/other/thing.yaml: "),
        ("tests/other/thing/manifest.yaml", "tests/other/thing: "),
        ("tests/in-valid/.living/manifest.yaml", "tests/in-valid: "),
    ] {
        let place = checkout();
        place.write(path, GOOD);
        place.run(&["--reference", "--fixtures", "tests"]).exits(2).complains(&[
            told,
            "[silent-name]",
            "expected.yaml",
            "valid*, invalid*, lenient*",
        ]);
        // All cases or none.
        place.run(&["--reference", "--fixtures", "tests", "--exact", CASES[0]]).exits(2);
    }
}

#[test]
fn a_part_of_the_tree_is_a_tree() {
    let place = checkout();
    let list = |folder: &str| place.run(&["--list", "--fixtures", folder]).exits(0).quietly();
    assert_eq!(list("tests/runtime").stdout.lines().count(), 4);
    assert_eq!(list("tests/runtime/no-vm").stdout, "runtime/no-vm::match: test\n");
}
