//! Each kind of report, given to a reader that nobody here wrote. The run has every sort
//! of case, and an implementation that tries to break out of each format.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod cli_support;
mod tool_support;

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::sync::OnceLock;

use cli_support::{FEW, Place, root};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde_json::{Value, json};
use tool_support::Tools;

/// How many entries of the list of expected failures do not fit.
const MISFITS: usize = 1;

/// What every format has to keep inside.
const HOSTILE: &str = r#"printf '\033[2J]]>&<!--\000\357\277\276\377 ok 99 - forged # TODO\n'
printf 'Bail out!\n  ...\nnot ok 98\n1..0\n::error file=x::forged\n</script><b>|`` *x*\r\n'"#;

/// A run of which all reports are written.
fn place() -> &'static Place {
    static PLACE: OnceLock<Place> = OnceLock::new();
    PLACE.get_or_init(|| {
        let place = Place::lasting();
        place.fixtures(FEW);
        place.script(
            "tool",
            &format!(
                r#"case $1 in --version) echo "tool 1 <&> ]]>"; exit 0 ;; esac
{HOSTILE}
case $1 in
--strict) # by what the file holds
  grep -q 'project_id: true' "$2" && kill -SEGV $$
  if grep -q ' ' "$2" && ! grep -q project_id "$2"; then exit 0; fi
  seen=$(dirname "$0")/seen
  if ! grep -q northern "$2"; then
    [ -e "$seen" ] && exit 1
    : > "$seen"
  fi ;;
esac
exit 0"#
            ),
        );
        place.write(
            "half.yaml",
            "profile: half\nabout: It matches nothing.\nprogram: ./tool\noperations:\n  \
             lenient: {argv: [lenient, '{manifest}']}\n  strict: {argv: [--strict, '{manifest}']}\n  \
             match: {unsupported: '# not | built <yet>'}\n",
        );
        place.write(
            "list.yaml",
            "failures:\n- {case: 'manifest/project_id/64-characters::strict', reason: '# <none> yet'}\n\
             - {case: 'manifest/project_id/63-characters::strict', reason: not any more}\n\
             - {rule: manifest.unknown-field.top-level, reason: long ago, expires: 2020-02-02}\n",
        );
        let mut args = vec!["--profile", "half.yaml", "--impl", "./tool", "--fixtures", "few"];
        args.extend(["--expect", "list.yaml", "--retries", "1"]);
        let reports = [
            "json=r.json", "jsonl=r.jsonl", "junit=r.xml", "tap=r.tap", "github=r.github",
            "markdown=r.md", "html=r.html", "badge=r.svg", "badge=shields.json", "sarif=r.sarif",
        ];
        args.extend(reports.iter().flat_map(|report| ["--report", report]));
        let summary = place.path().join("summary.md");
        let ran = place.run_with(args, |command| command.env("GITHUB_STEP_SUMMARY", summary));
        ran.exits(1).quietly();
        place
    })
}

fn text(path: &str) -> String {
    fs::read_to_string(place().path().join(path)).unwrap()
}

/// How many cases of the run are of each sort, by the JSON report.
fn sorts() -> BTreeMap<&'static str, usize> {
    let report = place().report("r.json").0;
    let mut sorts = BTreeMap::new();
    for case in report["cases"].as_array().unwrap() {
        let told = |key: &str| case[key].as_str().unwrap();
        let sort = match (case["disposition"]["kind"].as_str().unwrap(), told("verdict")) {
            ("judged", "pass") => "passed",
            ("judged", "error") => "error",
            ("judged", _) if told("level") == "SHOULD" => "should",
            ("judged", _) => "failed",
            ("expected-failure", _) => "expected",
            ("unexpected-pass", _) => "unexpected",
            ("unsupported", _) => "unsupported",
            ("flaky", _) => "flaky",
            other => panic!("{other:?}"),
        };
        *sorts.entry(sort).or_default() += 1;
    }
    sorts
}

#[test]
fn the_run_has_every_sort_of_case() {
    let all = ["error", "expected", "failed", "flaky", "should", "unexpected", "unsupported"];
    let sorts = sorts();
    assert!(all.iter().all(|sort| sorts.contains_key(sort)), "{sorts:?}");
    assert_eq!(sorts.values().sum::<usize>(), 10);
}

#[test]
fn json_is_as_its_published_schema_says() {
    let Some(tools) = Tools::with(&["check-jsonschema", "--version"]) else { return };
    let schema = root().join("schemas/report.schema.json");
    let check = |file: &str| {
        let mut command = tools.command("check-jsonschema");
        let command = command.arg("--schemafile").arg(&schema).arg(place().path().join(file));
        command.output().unwrap()
    };
    tool_support::printed(&check("r.json"));
    place().write("broken.json", text("r.json").replacen("\"verdict\"", "\"verdikt\"", 1));
    assert_eq!(check("broken.json").status.code(), Some(1));
}

#[test]
fn each_line_of_jsonl_is_as_its_published_schema_says_alone() {
    let Some(tools) = Tools::with(&["node", "-e", "require('ajv/dist/2020')"]) else { return };
    // Of the schemas it has one: there is no other file to refer to.
    let script = format!(
        "const Ajv = require('ajv/dist/2020'); const fs = require('fs');
         const schema = JSON.parse(fs.readFileSync({:?}, 'utf8'));
         const valid = new Ajv({{strict: false}}).compile(schema);
         const lines = fs.readFileSync(0, 'utf8').trimEnd().split('\\n');
         console.log(lines.filter(line => valid(JSON.parse(line))).length, lines.length);",
        root().join("schemas/events.schema.json")
    );
    assert_eq!(tools.node(&script, &text("r.jsonl")), "12 12\n");
    let broken = text("r.jsonl").replacen("\"verdict\"", "\"verdikt\"", 1);
    assert_eq!(tools.node(&script, &broken), "11 12\n");
}

#[test]
fn junit_is_as_jenkins_wants_it() {
    let Some(tools) = Tools::with(&["xmlschema-validate", "--help"]) else { return };
    let schema = root().join("tests/report_readers/junit-10.xsd");
    let check = |file: &str| {
        let mut command = tools.command("xmlschema-validate");
        command.arg("--schema").arg(&schema).arg(place().path().join(file)).output().unwrap()
    };
    tool_support::printed(&check("r.xml"));
    // What other readers take, and Jenkins does not.
    for (from, to) in [(" tests=", " skipped=\"1\" tests="), ("<testcase name=", "<testcase nam=")]
    {
        place().write("broken.xml", text("r.xml").replacen(from, to, 1));
        assert!(!check("broken.xml").status.success(), "{from} {to}");
    }
}

#[test]
fn junit_is_read_back_by_a_public_parser() {
    let read = junit_parser::from_reader(text("r.xml").as_bytes()).unwrap();
    let sorts = sorts();
    let count = |is: fn(&junit_parser::TestCase) -> bool| {
        read.suites.iter().flat_map(|suite| &suite.cases).filter(|case| is(case)).count()
    };
    assert_eq!(count(|_| true), 10 + MISFITS);
    let failures = sorts["failed"] + sorts["flaky"] + sorts["unexpected"] + MISFITS;
    assert_eq!(count(|case| case.status.is_failure()), failures);
    assert_eq!(count(|case| case.status.is_error()), sorts["error"]);
    let skipped = sorts["unsupported"] + sorts["expected"];
    assert_eq!(count(|case| case.status.is_skipped()), skipped);
    let sum = |number: fn(&junit_parser::TestSuite) -> u64| -> usize {
        usize::try_from(read.suites.iter().map(number).sum::<u64>()).unwrap()
    };
    assert_eq!((sum(|it| it.failures), sum(|it| it.errors)), (failures, sorts["error"]));
    assert_eq!((sum(|it| it.skipped), sum(|it| it.tests)), (skipped, 10 + MISFITS));
}

#[test]
fn tap_is_read_by_a_parser_of_version_14() {
    let Some(tools) = Tools::with(&["tap-parser", "--help"]) else { return };
    let parse = |tap: &str| -> Value {
        let script = "const {Parser} = require('tap-parser'); const fs = require('fs');
            const tap = fs.readFileSync(0, 'utf8');
            const events = Parser.parse(tap, {strict: true});
            console.log(JSON.stringify(events));";
        serde_json::from_str(&tools.node(script, tap)).unwrap()
    };
    let events = parse(&text("r.tap"));
    let all = |name: &'static str| {
        events.as_array().unwrap().iter().filter(move |event| event[0] == name)
    };
    assert_eq!(all("version").next().unwrap()[1], 14);
    for other in ["extra", "bailout", "child", "pragma"] {
        assert_eq!(all(other).count(), 0, "{events:#}");
    }
    let whole = &all("complete").next().unwrap()[1];
    let sorts = sorts();
    let todo = sorts["should"] + sorts["expected"];
    for (key, number) in [
        ("count", 10 + MISFITS),
        ("skip", sorts["unsupported"]),
        ("todo", todo),
        ("fail", 10 + MISFITS - sorts.get("passed").unwrap_or(&0) - sorts["unsupported"]),
    ] {
        assert_eq!(whole[key], number, "{key}: {whole:#}");
    }
    assert_eq!((&whole["ok"], &whole["plan"]["end"]), (&json!(false), &json!(10 + MISFITS)));
    for event in all("assert").take(10) {
        let point = &event[1];
        assert!(point["name"].as_str().unwrap().contains("::"), "{point}");
        if point["ok"] == false && !point["name"].as_str().unwrap().contains("64-characters::s") {
            let details = point["diag"]["details"].as_str().unwrap();
            assert!(details.contains("reproduce\n"), "{point}");
        }
    }
    // The reader is one that objects.
    let objects = parse(&text("r.tap").replacen("ok 3 ", "ok 33 ", 1));
    assert!(objects.to_string().contains("\"failures\":[{"), "{objects}");
}

#[test]
fn annotations_are_those_that_the_toolkit_of_github_writes() {
    let Some(tools) = Tools::with(&["node", "-e", "require('@actions/core')"]) else { return };
    let lines = text("r.github");
    // Taken apart as a runner does it, and put together by the toolkit.
    let script = "const core = require('@actions/core');
        const whole = text => text.replace(/%0D/g, '\\r').replace(/%0A/g, '\\n');
        const data = text => whole(text).replace(/%25/g, '%');
        const property = text =>
            whole(text).replace(/%3A/g, ':').replace(/%2C/g, ',').replace(/%25/g, '%');
        for (const line of require('fs').readFileSync(0, 'utf8').trimEnd().split('\\n')) {
            const [, kind, list, message] = line.match(/^::(\\w+) (.*?)::(.*)$/);
            const given = list.split(',').map(pair => pair.split('='));
            const all = Object.fromEntries(given.map(([key, value]) => [key, property(value)]));
            const {title, file, line: startLine, col: startColumn, ...rest} = all;
            if (Object.keys(rest).length) throw new Error(line);
            core[kind](data(message), {title, file, startLine, startColumn});
        }";
    let again = tools.node(script, &lines);
    let sorted = |text: &str| -> Vec<(String, Vec<String>, String)> {
        let parts = text.lines().map(|line| {
            let mut parts = line.trim_start_matches(':').splitn(2, "::");
            let (head, message) = (parts.next().unwrap(), parts.next().unwrap());
            let (kind, properties) = head.split_once(' ').unwrap();
            let mut properties: Vec<String> = properties.split(',').map(str::to_owned).collect();
            properties.sort();
            (kind.to_owned(), properties, message.to_owned())
        });
        parts.collect()
    };
    assert_eq!(sorted(&lines), sorted(&again));
    let of = |kind: &str| sorted(&lines).iter().filter(|it| it.0 == kind).count();
    let sorts = sorts();
    assert_eq!(of("warning"), sorts["should"]);
    assert_eq!(
        of("error"),
        sorts["failed"] + sorts["error"] + sorts["flaky"] + sorts["unexpected"] + MISFITS
    );
    assert_eq!(of("notice"), 3);
    for (_, properties, _) in sorted(&lines).iter().filter(|it| it.0 == "error") {
        let file = properties.iter().find_map(|it| it.strip_prefix("file=")).unwrap();
        let line = properties.iter().find_map(|it| it.strip_prefix("line=")).unwrap();
        let there = fs::read_to_string(place().path().join(file)).unwrap();
        assert!((1..=there.lines().count()).contains(&line.parse().unwrap()), "{properties:?}");
    }
}

#[test]
fn markdown_and_the_summary_of_a_job_are_rendered() {
    assert_eq!(text("summary.md"), text("r.md"));
    let markdown = text("r.md");
    let (mut rows, mut in_code, mut code) = (0, 0, Vec::new());
    for event in Parser::new_ext(&markdown, Options::ENABLE_TABLES | Options::ENABLE_GFM) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => panic!("{html}"),
            Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::Emphasis) => {
                panic!("{event:?} in {markdown}")
            }
            Event::Start(Tag::TableRow) => rows += 1,
            Event::Start(Tag::CodeBlock(_)) => in_code += 1,
            Event::End(TagEnd::CodeBlock) => in_code -= 1,
            Event::Code(text) => code.push(text.into_string()),
            Event::Text(text) if in_code == 0 => assert!(!text.contains("not ok 98"), "{text}"),
            _ => {}
        }
    }
    assert_eq!(rows, 4, "three classes and their sum");
    let report = place().report("r.json").0;
    for case in report["cases"].as_array().unwrap() {
        let told = ["pass", "judged"].map(Value::from);
        let id = case["id"].as_str().unwrap().to_owned();
        let is_failure = case["verdict"] != told[0] && case["disposition"]["kind"] == told[1];
        assert!(!is_failure || code.contains(&id), "{id}: {markdown}");
    }
}

#[test]
fn the_image_of_the_badge_is_svg() {
    let text = text("r.svg");
    let document = roxmltree::Document::parse(&text).unwrap();
    let svg = document.root_element();
    assert_eq!(svg.tag_name().namespace(), Some("http://www.w3.org/2000/svg"));
    let (width, height) = (svg.attribute("width").unwrap(), svg.attribute("height").unwrap());
    assert!(width.parse::<u32>().is_ok_and(|width| (50..500).contains(&width)), "{width}");
    assert_eq!(height, "20");
    // No element that fetches or runs something.
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        let name = node.tag_name().name();
        assert!(
            ["svg", "title", "desc", "clipPath", "rect", "g", "text"].contains(&name),
            "{name}"
        );
    }
}

#[test]
fn the_badge_of_an_endpoint_is_drawn_by_shields() {
    let Some(tools) = Tools::with(&["node", "-e", "require('badge-maker')"]) else { return };
    // What an endpoint may say is in the documentation of shields.io; it takes no other key.
    let badge: BTreeMap<String, Value> = serde_json::from_str(&text("shields.json")).unwrap();
    let keys: Vec<&str> = badge.keys().map(String::as_str).collect();
    assert_eq!(keys, ["color", "label", "message", "schemaVersion"]);
    assert_eq!(badge["schemaVersion"], 1);
    let script = "const {makeBadge} = require('badge-maker');
        const {label, message, color} = JSON.parse(require('fs').readFileSync(0, 'utf8'));
        console.log(makeBadge({label, message, color}));";
    let svg = tools.node(script, &text("shields.json"));
    let document = roxmltree::Document::parse(&svg).unwrap();
    let title = document.descendants().find(|node| node.has_tag_name("title")).unwrap();
    assert_eq!(title.text(), Some("Living Repositories Protocol v0.4: does not conform"));
    let color = badge["color"].as_str().unwrap();
    assert!(document.descendants().any(|node| node.attribute("fill") == Some(color)), "{svg}");
}

#[test]
fn html_has_no_markup_of_somebody_else() {
    // That it works in a browser is tested in one; here, that it can be read at all.
    let page = text("r.html");
    assert!(page.contains("Content-Security-Policy"), "a policy against surprises");
    assert!(!page.contains("<b>|") && page.contains("forged"), "hostile output is text");
}

#[test]
fn sarif_is_read_by_a_public_reader() {
    let log: serde_sarif::sarif::Sarif = serde_json::from_str(&text("r.sarif")).unwrap();
    let results = log.runs[0].results.as_ref().unwrap();
    let sorts = sorts();
    let told = ["failed", "error", "flaky", "should", "expected", "unexpected"];
    assert_eq!(results.len(), told.iter().map(|sort| sorts[sort]).sum::<usize>() + MISFITS);
    let suppressed = results.iter().filter(|it| it.suppressions.is_some()).count();
    assert_eq!(suppressed, sorts["expected"]);
}

/// `prove` is older than version 14, which only adds to version 13.
#[test]
fn prove_reads_tap() {
    let path = place().write("13.tap", text("r.tap").replace("version 14", "version 13"));
    if Tools::with(&["prove", "--version"]).is_none() {
        return;
    }
    let output = Command::new("prove").args(["-e", "cat"]).arg(path).output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    let sorts = sorts();
    let failed = sorts["failed"] + sorts["error"] + sorts["flaky"] + sorts["unexpected"] + MISFITS;
    assert!(told.contains(&format!("Failed {failed}/{} subtests", 10 + MISFITS)), "{told}");
    assert_eq!(output.status.code(), Some(1));
}
