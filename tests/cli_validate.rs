//! `validate` and `match` from outside: the contract that implementations follow.

mod cli_support;

use cli_support::Place;

/// A manifest that every rule accepts.
const GOOD: &str = "protocol_version: v0.4.0\nproject_id: hello\n\
    agent_capabilities: [run_tasks]\nisolation_profile: container\n\
    state_publication: {target: file, path: a}\nlogging_requirements: {structured: true}\n";

/// One that lenient validation accepts, with a word about it.
fn soft() -> String {
    GOOD.replace("hello", "Hello")
}

/// A runtime that runs it.
const RUNTIME: &str = "runtime: their-runtime\nprotocol_versions: [v0.4]\n\
    agent_capabilities: [run_tasks]\nisolation_profiles: [container]\n\
    state_publication_targets: [file]\n";

fn place() -> Place {
    let place = Place::new();
    place.write("good.yaml", GOOD);
    place.write("a repository/.living/manifest.yaml", soft());
    place.write("runtime.yaml", RUNTIME);
    place
}

#[test]
fn what_is_accepted_says_nothing() {
    let place = place();
    for args in [
        &["validate", "good.yaml"][..],
        &["validate", "--strict", "good.yaml"],
        &["validate", "good.yaml", "--format", "json"],
        &["match", "runtime.yaml", "good.yaml"],
    ] {
        let ran = place.run(args).exits(0).quietly();
        assert_eq!(ran.stdout, "", "{args:?}");
    }
}

#[test]
fn a_repository_is_read_where_its_manifest_is() {
    let place = place();
    let told = "manifest.project_id.charset: \"Hello\" has 'H'; only a-z, 0-9 and - are allowed \
                (a repository/.living/manifest.yaml:2:13)\n";
    let ran = place.run(&["validate", "a repository"]).exits(0).quietly();
    assert_eq!(ran.stdout, format!("warning: {told}"));
    let ran = place.run(&["validate", "a repository", "--strict"]).exits(1).quietly();
    assert_eq!(ran.stdout, told);
    let ran = place.run(&["validate", "--strict", "--format", "json", "a repository"]).exits(1);
    let finding: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    for (key, value) in [
        ("rule", "manifest.project_id.charset".into()),
        ("at", "/project_id".into()),
        ("severity", "error".into()),
        ("line", 2.into()),
        ("column", 13.into()),
    ] {
        let value: serde_json::Value = value;
        assert_eq!(finding[key], value, "{key}");
    }
}

#[test]
fn standard_input_is_read_where_it_is_asked_for() {
    let place = place();
    let place_of = "(<stdin>:2:13)\n";
    place
        .shell("cat 'a repository/.living/manifest.yaml' | living-conformance validate -")
        .exits(0)
        .says(&["warning: manifest.project_id.charset: ", place_of]);
    place.shell("living-conformance match runtime.yaml - < good.yaml").exits(0).quietly();
    place.shell("living-conformance match - good.yaml < runtime.yaml").exits(0).quietly();
    place.shell("living-conformance validate - < /dev/null").exits(1).says(&["manifest.document."]);
}

#[test]
fn what_cannot_be_read_is_no_rejection() {
    let place = place();
    place.write("empty/", "");
    for args in [
        &["validate", "none.yaml"][..],
        &["validate", "empty"],
        &["validate"],
        &["match", "runtime.yaml"],
        &["match", "none.yaml", "good.yaml"],
        &["match", "-", "-"],
        &["validate", "good.yaml", "--protocol", "0.4.1.2"],
    ] {
        let ran = place.run(args).exits(2);
        ran.complains(&[]);
    }
    place.run(&["validate", "none.yaml"]).exits(2).complains(&["none.yaml: ", "help: "]);
}
