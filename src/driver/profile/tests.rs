use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use super::*;
use crate::core::{ReportedFinding, RuleTable};
use crate::suites::Suites;

static SUITES: LazyLock<Suites> =
    LazyLock::new(|| crate::corpus::Corpus::load(None, None).unwrap().suites);

fn read(text: &str) -> Result<Profile, Vec<String>> {
    read_with(text, &SUITES.rules)
}

fn read_with(text: &str, rules: &RuleTable) -> Result<Profile, Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.yaml");
    fs::write(&path, text).unwrap();
    read_profile(&path, &SUITES.suites, rules).map_err(|problems| {
        let shown = problems.iter().map(ToString::to_string);
        shown.map(|text| text.replace(&*path.to_string_lossy(), "p.yaml")).collect()
    })
}

const HEAD: &str = "profile: p\nabout: a tool\n";

fn findings(lines: &str, output: &str) -> Vec<(String, Option<String>)> {
    let profile = read_with(&format!("{HEAD}findings:\n{lines}"), &RuleTable::default()).unwrap();
    let findings = profile.findings.unwrap().read(output.as_bytes(), b"");
    findings.into_iter().map(|ReportedFinding { rule, at, .. }| (rule, at)).collect()
}

fn at(rule: &str, at: &str) -> (String, Option<String>) {
    (rule.to_owned(), Some(at.to_owned()))
}

#[test]
fn the_shipped_profiles_are_sound() {
    let names = shipped_profiles();
    for name in &names {
        let profile = find_profile(name, &SUITES.suites, &SUITES.rules)
            .unwrap_or_else(|problems| panic!("{problems:?}"));
        assert_eq!(&profile.name, name);
        assert_eq!(profile.home, Home::Embedded);
    }
    assert!(names.iter().any(|name| name == "check-jsonschema"), "{names:?}");
}

#[test]
fn what_is_left_out_is_as_the_contract_has_it() {
    let profile = read(HEAD).unwrap();
    let contract = Profile::contract();
    assert_eq!(profile.exits, contract.exits);
    assert_eq!(profile.version, contract.version);
    assert!(profile.operations.is_none() && profile.findings.is_none());
    assert!(profile.session.is_none(), "a tool does not have a session unless it says so");
    assert!(matches!(profile.home, Home::Folder(folder) if folder.is_absolute()));
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (text, told) in [
        ("profile: p\n", "p.yaml:1:1: failed to"),
        ("color: red\n", "p.yaml:3:1: "),
        ("exits: {accept: [0], reject: [1], Broke: [2]}\n", "p.yaml:3:35: "),
        ("exits: {accept: [0], reject: maybe}\n", "the word others"),
        (
            "exits: {accept: [0], reject: [1, 0]}\n",
            "p.yaml:3:34: failed to give the exit code 0 two meanings [exit-code-twice]",
        ),
        (
            "exits: {accept: [], reject: others}\n",
            "p.yaml:3:17: failed to do with an empty list of codes",
        ),
        (
            "exits: {accept: [0], reject: [256]}\n",
            "p.yaml:3:31: failed to take 256 for an exit code",
        ),
        ("operations: {}\n", "p.yaml:3:13: "),
        (
            "operations:\n  strict: {argv: [x], shell: y}\n",
            "p.yaml:4:11: failed to tell how to ask for \"strict\"",
        ),
        ("operations:\n  strict: {}\n", "p.yaml:4:11: "),
        (
            "operations:\n  strict: {unsupported: ' '}\n",
            "p.yaml:4:25: failed to do with a blank reason",
        ),
        ("session: {argv: [], in-flight: 0}\n", "p.yaml:3:32: failed to keep no case in flight"),
        ("findings: {lines: []}\n", "p.yaml:3:19: failed to do with an empty list of lines"),
        (
            "findings: {lines: [{match: '('}]}\n",
            "p.yaml:3:28: failed to read \"(\" as a regular expression: unclosed group [bad-pattern]",
        ),
        (
            "findings: {lines: [{match: '(?<path>.)', rule: a}]}\n",
            "p.yaml:3:28: failed to make use of the group \"path\"",
        ),
        ("findings: {lines: [{match: x}]}\n", "p.yaml:3:20: failed to tell the rule"),
        (
            "findings: {lines: [{match: x, rule: a, at: b.c}]}\n",
            "p.yaml:3:44: failed to read \"b.c\" as a place",
        ),
        (
            "findings: {lines: [{match: x, rule: a, each: y}]}\n",
            "p.yaml:3:46: failed to look for what is repeated",
        ),
        ("findings: {lines: [{match: x, rule: a}], rules: [{word: []}]}\n", "p.yaml:3:57: "),
        (
            "operations:\n  strict: {argv: [check, \"a={manifset}\"]}\n",
            "p.yaml:4:26: failed to fill in {manifset}: nothing of that name is known here [unknown-placeholder]; did you mean {manifest}?",
        ),
        (
            "operations:\n  strict: {shell: 'cat {runtime}'}\n",
            "p.yaml:4:19: failed to fill in {runtime}",
        ),
        (
            "operations:\n  stirct: {argv: []}\n",
            "p.yaml:4:3: failed to ask for the operation \"stirct\"",
        ),
        ("arguments: [a, '{manifest}']\n", "p.yaml:3:16: failed to fill in {manifest}"),
        ("version: ['{x}']\n", "p.yaml:3:11: failed to fill in {x}"),
        ("session: {argv: ['{x}']}\n", "p.yaml:3:18: failed to fill in {x}"),
        ("environment: {A: '{x}'}\n", "p.yaml:3:18: failed to fill in {x}"),
        ("directory: '{x}'\n", "p.yaml:3:12: failed to fill in {x}"),
        ("program: '{dir}/x'\n", "p.yaml:3:10: failed to fill in {dir}"),
        (
            "findings: {lines: [{match: x, rule: a}], rules: [{word: [a], rule: 'm.{feild}'}]}\n",
            "p.yaml:3:68: failed to fill in {feild}",
        ),
        ("environment: {A=B: c}\n", "set the variable \"A=B\""),
        ("pass-on: ['']\n", "p.yaml:3:11: failed to set the variable \"\""),
    ] {
        let text =
            if text.starts_with("profile") { text.to_owned() } else { format!("{HEAD}{text}") };
        let told_all = read(&text).unwrap_err().join("\n");
        let told = told.strip_prefix("p.yaml:1:1: failed to").unwrap_or(told);
        assert!(told_all.contains(told), "{text}: {told_all}");
    }
}

#[test]
fn a_profile_is_a_name_or_a_path() {
    let unknown = find_profile("no-such", &[], &SUITES.rules).unwrap_err();
    assert_eq!(unknown[0].code, "unknown-profile");
    assert!(unknown[0].remedy.contains("check-jsonschema"), "{}", unknown[0]);
    let missing = find_profile("./no-such", &[], &SUITES.rules).unwrap_err();
    assert_ne!(missing[0].code, "unknown-profile");
    let missing = find_profile("no-such.yaml", &[], &SUITES.rules).unwrap_err();
    assert!(missing[0].path.ends_with(Path::new("no-such.yaml")));
}

#[test]
fn groups_tell_the_rule_and_the_place() {
    let lines = r"
  lines:
    - {match: '^(?<severity>\w+) (?<at>\S+): (?<rule>[a-z.]+): (?<message>.*)$'}
";
    let profile = read_with(&format!("{HEAD}findings:{lines}"), &RuleTable::default()).unwrap();
    let found = profile.findings.unwrap().read(b"noise\nWARNING /a/0: x.y: too long  \r\n", b"");
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].rule.as_str(), found[0].at.as_deref()), ("x.y", Some("/a/0")));
    assert_eq!(found[0].severity, Some(crate::core::Severity::Warning));
    assert_eq!(found[0].message.as_deref(), Some("too long"));
}

#[test]
fn a_line_is_matched_without_its_end_and_with_its_blanks() {
    let lines = r"
  lines:
    - {match: '^(?<rule>[a-z]+)  $'}
    - {match: '^\t(?<rule>[a-z]+)$'}
";
    assert_eq!(
        findings(lines, "a  \r\nb\n\tc\r\nd  \n").into_iter().map(|it| it.0).collect::<Vec<_>>(),
        ["a", "c", "d"]
    );
}

/// A profile whose findings are these rules and lines.
fn mapped(rules: &str, lines: &str) -> String {
    format!("{HEAD}findings:\n  rules:\n    - {rules}\n  lines:\n    - {lines}\n")
}

#[test]
fn a_rule_that_no_suite_has_is_refused() {
    const OPEN: &str = "{match: '^(?<rule>.*)$'}";
    for (rules, lines, told) in [
        (
            "{word: [x], rule: manifest.project_id.charst}",
            OPEN,
            "p.yaml:5:25: failed to take \"manifest.project_id.charst\" for a rule: no suite has it [unknown-rule]; did you mean manifest.project_id.charset?",
        ),
        ("{word: [x], rule: nothing.like.it}", OPEN, "; use an id from"),
        (
            "{word: [x], rule: 'manifest.{field}.max-lenght'}",
            OPEN,
            "did you mean manifest.{field}.max-length?",
        ),
        (
            "{word: [type, tipe], rule: 'manifest.{field}.{word}'}",
            OPEN,
            "p.yaml:5:21: failed to take \"manifest.{field}.tipe\"",
        ),
        (
            "{word: [x], field: [project_id, project-id], rule: 'manifest.{field}.charset'}",
            OPEN,
            "did you mean manifest.project_id.charset?",
        ),
        (
            "{word: [x], rule: manifest.document.parse}",
            "{match: y, rule: manifest.document.pars}",
            "p.yaml:7:24: failed to take \"manifest.document.pars\"",
        ),
        (
            "{word: [too-lnog], rule: manifest.document.parse}",
            "{match: y, rule: too-long}",
            "p.yaml:5:15: failed to say what \"too-lnog\" means: no line tells it [unknown-word]; did you mean too-long?",
        ),
    ] {
        let told_all = read(&mapped(rules, lines)).unwrap_err().join("\n");
        assert!(told_all.contains(told), "{rules} {lines}: {told_all}");
    }
}

#[test]
fn a_profile_may_be_made_for_more_suites_than_there_are() {
    let text = mapped("{word: [x], rule: other.thing.odd}", "{match: y, rule: x}");
    assert!(read(&text).is_err());
    let other = "operations:\n  examine: {argv: []}\n";
    assert!(read(&format!("{text}{other}")).is_ok());
    let slip = text.replace("other.thing.odd", "manifest.document.pars");
    assert!(read(&format!("{slip}{other}")).is_err());
    assert!(read_with(&text, &RuleTable::default()).is_ok());
}

#[test]
fn words_mean_rules_by_their_place() {
    let lines = r"
  lines:
    - {match: '^(?<at>\S+) (?<rule>\w+)(?: (?<value>.*))?$'}
  rules:
    - {word: [noise]}
    - {word: [pattern], field: [id], value: '^-', rule: 'm.{field}.first'}
    - {word: [pattern], field: [id], rule: 'm.{field}.charset'}
    - {word: [type, kind], entry: true, rule: 'm.{field}.item-type'}
    - {word: [type, kind], rule: 'm.{field}.type'}
    - {word: [contains], rule: m.needs, at: /secrets}
    - {word: [extra], place: '^/[^/]+$', rule: 'm.top.{word}'}
    - {word: [extra], rule: m.nested}
";
    assert_eq!(findings(lines, "$.id pattern -a"), [at("m.id.first", "/id")]);
    assert_eq!(findings(lines, "$.id pattern A"), [at("m.id.charset", "/id")]);
    assert_eq!(findings(lines, "$.other pattern A"), [at("pattern", "/other")]);
    assert_eq!(findings(lines, "/s/paths/0 kind"), [at("m.s.paths.item-type", "/s/paths/0")]);
    assert_eq!(findings(lines, "s.paths type"), [at("m.s.paths.type", "/s/paths")]);
    assert_eq!(findings(lines, "/caps contains"), [at("m.needs", "/secrets")]);
    assert_eq!(findings(lines, "/x extra"), [at("m.top.extra", "/x")]);
    assert_eq!(findings(lines, "/x/y extra"), [at("m.nested", "/x/y")]);
    assert_eq!(findings(lines, "/caps noise"), []);
    assert_eq!(findings(lines, "$..x type"), [("m..type".to_owned(), None)]);
}

#[test]
fn one_line_may_have_several_findings() {
    let lines = r#"
  lines:
    - {match: "^(?<at>\\$\\S*): (?<value>'.*) unexpected", each: "'(?<field>[^']+)'", rule: m.unknown}
"#;
    assert_eq!(
        findings(lines, "$.a: 'x', 'y/z' unexpected"),
        [at("m.unknown", "/a/x"), at("m.unknown", "/a/y~1z")]
    );
}

#[test]
fn escaped_characters_are_read() {
    let lines = r#"
  lines:
    - {match: '^"(?<at>.*)" has "(?<value>.*)"$', each: "'(?<field>.+?)'", escaped: true, rule: m.x}
    - {match: '^(?<at>/.*) is (?<field>.*)$', rule: m.x}
"#;
    assert_eq!(
        findings(lines, r#""/a\"b" has "'\x1b[31m', '\u00e9'""#),
        [at("m.x", "/a\"b/\u{1b}[31m"), at("m.x", "/a\"b/é")]
    );
    assert_eq!(findings(lines, r"/a\n is \x1b"), [at("m.x", r"/a\n/\x1b")]);
}

#[test]
fn an_output_has_no_end_of_findings() {
    let lines = "\n  lines: [{match: x, rule: a}]\n";
    assert_eq!(findings(lines, &"x\n".repeat(100_000)).len(), 10_000);
}
