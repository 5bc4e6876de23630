use super::*;

fn state(value: &str) -> String {
    manifest(&[("state_publication", value)])
}

fn snapshot(value: &str) -> String {
    manifest(&[("snapshot", value)])
}

#[test]
fn l1_conditionally_required_fields() {
    touches(state("{target: file}"), "L1", Either, Reject);
    touches(state("{target: webhook}"), "L1", Either, Reject);
    stances(state("{target: control-process}"), Accept, Accept);
    let ruling = latest().validate(state("{target: file}").as_bytes(), true);
    assert_eq!(
        expected(&ruling),
        ["manifest.state_publication.path.required-for-file@/state_publication/path"]
    );
    // The other half of the entry is settled: a warning.
    let text = manifest(&[("secrets", "[A]")]);
    stances(&text, Accept, Reject);
    let ruling = latest().validate(text.as_bytes(), false);
    assert_eq!(ruling.settled[0].as_str(), "L1");
    assert!(ruling.open.is_empty());
    // A definite violation wins.
    stances(
        manifest(&[("state_publication", "{target: file}"), ("project_id", "1")]),
        Reject,
        Reject,
    );
}

#[test]
fn l2_and_l3_are_settled() {
    let text = manifest(&[("agent_capabilities", "[]")]);
    stances(&text, Accept, Reject);
    assert_eq!(latest().validate(text.as_bytes(), false).settled[0].as_str(), "L2");
    let text = snapshot("{paths: 1}");
    stances(&text, Accept, Reject);
    assert_eq!(latest().validate(text.as_bytes(), false).settled[0].as_str(), "L3");
}

#[test]
fn l4_duplicate_keys() {
    touches(manifest(&[]) + "project_id: hello\n", "L4", Either, Either);
    touches(manifest(&[]) + "project_id: Hello\n", "L4", Either, Either);
    touches(state("{target: file, path: a, path: b}"), "L4", Either, Either);
    touches(manifest(&[("x-a", "{b: 1, b: 2}")]), "L4", Either, Either);
    touches(manifest(&[("x-a", "1")]) + "x-a: 2\n", "L4", Either, Either);
    // Wrong whichever counts.
    let twice = manifest(&[("project_id", "A")]) + "project_id: B\n";
    touches(&twice, "L4", Either, Reject);
    stances(manifest(&[("project_id", "1")]) + "project_id: [2]\n", Reject, Reject);
    // Only one of the two is wrong, the rest is.
    stances(manifest(&[("isolation_profile", "-")]) + "project_id: a\n", Reject, Reject);
}

#[test]
fn l5_scalars_that_the_yaml_versions_read_differently() {
    let logging = |value: &str| manifest(&[("logging_requirements", value)]);
    for value in ["yes", "no", "on", "Off", "y", "N"] {
        touches(logging(&format!("{{structured: {value}}}")), "L5", Either, Either);
    }
    for value in ["true", "True", "TRUE", "false", "FALSE"] {
        stances(logging(&format!("{{structured: {value}}}")), Accept, Accept);
    }
    // A value outside the set here, of another type there.
    touches(logging("{structured: true, level: on}"), "L5", Either, Reject);
    let ruling = latest().validate(logging("{structured: true, level: on}").as_bytes(), true);
    assert!(expected(&ruling).is_empty());
    assert_eq!(ruling.permitted().count(), 2);

    for (value, lenient, strict) in [
        ("017", Reject, Reject),
        ("12", Reject, Reject),
        ("0x1f", Reject, Reject),
        ("08", Either, Either),
        ("0o7", Either, Either),
        ("1e3", Either, Either),
        ("2024-01-01", Either, Either),
        ("yes", Either, Either),
        ("0b11", Either, Either),
        ("1_000", Either, Reject),
        ("1:30", Either, Reject),
        ("No", Either, Reject),
        ("'yes'", Accept, Accept),
        ("\"2024-01-01\"", Accept, Accept),
        ("!!str 1e3", Accept, Accept),
    ] {
        touches(manifest(&[("project_id", value)]), "L5", lenient, strict);
    }
    touches(manifest(&[("protocol_version", "2024-01-01")]), "L5", Either, Reject);
    touches(manifest(&[("agent_capabilities", "[run_tasks, on]")]), "L5", Either, Reject);
    touches(state("{target: file, path: 2024-01-01}"), "L5", Either, Either);
    touches(snapshot("{paths: [on]}"), "L5", Accept, Either);
    touches(snapshot("{paths: [a], retention_days: 1:30}"), "L5", Accept, Either);
    stances(snapshot("{paths: [a], retention_days: 017}"), Accept, Accept);
    stances(snapshot("{paths: [a], retention_days: 00}"), Accept, Reject);
    // Both readings give the same verdict.
    for value in ["yes", "017", "1e3", "2024-01-01", "[on, {a: off}]"] {
        stances(manifest(&[("x-foo", value)]), Accept, Accept);
        stances(manifest(&[("foo", value)]), Accept, Reject);
    }
    // As a key: a string here, none there.
    touches(manifest(&[("on", "1")]), "L5", Either, Either);
    touches(manifest(&[("x-a", "{on: 1}")]), "L5", Either, Either);
    touches(manifest(&[("x-a", "{on: 1, yes: 2}")]), "L5", Either, Either);
    stances(manifest(&[("x-a", "{'on': 1}")]), Accept, Accept);
}

#[test]
fn l6_merge_keys() {
    let base = "x-base: &base {target: file, path: a}\n";
    touches(format!("{base}{}", state("{<<: *base}")), "L6", Either, Either);
    let merged = format!("{base}{}", state("{<<: *base, target: file}"));
    touches(&merged, "L6", Either, Either);
    touches(manifest(&[("<<", "{x-a: 1}")]), "L6", Either, Either);
    touches(manifest(&[("project_id", "-"), ("<<", "{project_id: a}")]), "L6", Either, Either);
    stances(manifest(&[("project_id", "1"), ("<<", "{project_id: a}")]), Reject, Reject);
    stances(manifest(&[("x-a", "{b: &b {c: 1}, d: {<<: *b}}")]), Accept, Accept);
    stances(manifest(&[("'<<'", "{x-a: 1}")]), Accept, Reject);
}

#[test]
fn l7_several_documents() {
    let good = manifest(&[]);
    touches(format!("{good}---\n{good}"), "L7", Either, Either);
    touches(format!("{good}---\n"), "L7", Either, Either);
    touches(format!("---\nfoo\n---\n{good}"), "L7", Either, Either);
    stances(format!("{good}...\n"), Accept, Accept);
    stances(format!("---\n{good}"), Accept, Accept);
    stances("a\n---\nb\n", Reject, Reject);
    stances(format!("{good}---\n{{"), Reject, Reject);
}

#[test]
fn l8_versions_that_semver_does_not_know() {
    for value in ["v01.0.0", "v0.1.0-a..b", "v0.1.0-01", "v0.4.00"] {
        touches(manifest(&[("protocol_version", value)]), "L8", Accept, Either);
    }
    stances(manifest(&[("protocol_version", "v0.1.0+build")]), Accept, Reject);
    stances(manifest(&[("protocol_version", "v0.4.0--")]), Accept, Accept);
}

#[test]
fn l9_state_paths() {
    for path in ["../a", "a..b", "''", "a\\b", "'C:/a'", "\"a\\u0001\"", "\"a\\n\""] {
        touches(state(&format!("{{target: file, path: {path}}}")), "L9", Accept, Either);
    }
    stances(state("{target: file, path: /a}"), Accept, Reject);
    stances(state("{target: file, path: ./a//b}"), Accept, Accept);
}

#[test]
fn l10_urls() {
    let hook = |url: &str| state(&format!("{{target: webhook, url: '{url}'}}"));
    for url in
        ["HTTPS://a.example", "https://u@a.example", "https://a.example:8443/", "https://ä.example"]
    {
        touches(hook(url), "L10", Accept, Either);
    }
    for url in ["http://a.example", "https://", "ftp://a", "a.example", ""] {
        stances(hook(url), Accept, Reject);
    }
    stances(hook("https://a.example/b?c#d"), Accept, Accept);
}

#[test]
fn l11_snapshot_paths() {
    for path in ["a..b", "''", "'.'", "a//b", "a\\b", "\"a\\t\""] {
        touches(snapshot(&format!("{{paths: [{path}]}}")), "L11", Accept, Either);
    }
    for path in ["..", "a/..", "../a", "/a"] {
        stances(snapshot(&format!("{{paths: [{path}]}}")), Accept, Reject);
    }
}

#[test]
fn l12_integers_that_are_none_to_some() {
    let days = |value: &str| snapshot(&format!("{{paths: [a], retention_days: {value}}}"));
    for value in ["7.0", "1.0e+1", "18446744073709551616", "1e400"] {
        touches(days(value), "L12", Accept, Either);
    }
    // YAML 1.1 reads this as a string besides.
    touches(days("1e1"), "L5", Accept, Either);
    for value in ["7.5", "0.0", "-18446744073709551616", ".nan", "-1.0"] {
        stances(days(value), Accept, Reject);
    }
    stances(days("18446744073709551615"), Accept, Accept);
}

#[test]
fn l13_the_name_of_the_runtime() {
    let stance = |changes: &[(&str, &str)]| {
        latest().matches(runtime(changes).as_bytes(), manifest(&[]).as_bytes())
    };
    for value in ["-", "''"] {
        let ruling = stance(&[("runtime", value)]);
        assert_eq!((ruling.stance, open(&ruling)), (Either, vec!["L13"]));
    }
    for value in ["1", "", "[]"] {
        let ruling = stance(&[("runtime", value)]);
        assert_eq!(ruling.stance, Reject);
        assert_eq!(expected(&ruling), ["runtime.runtime.type@/runtime"]);
    }
    let ruling = stance(&[("runtime", "-"), ("isolation_profiles", "-")]);
    assert_eq!(ruling.stance, Reject);
    assert_eq!(expected(&ruling), ["runtime.isolation_profiles.required@/isolation_profiles"]);
}

#[test]
fn l14_odd_values_of_a_runtime() {
    for change in [
        ("agent_capabilities", "[run_tasks, publish_state, fly]"),
        ("agent_capabilities", "[run_tasks, publish_state, run_tasks]"),
        ("isolation_profiles", "[container, moon]"),
        ("isolation_profiles", "[container, container]"),
        ("state_publication_targets", "[file, '']"),
        ("protocol_versions", "[v0.4, v0.4]"),
        ("protocol_versions", "[v0.04]"),
        ("protocol_versions", "[v0.4, v00.1]"),
    ] {
        let ruling = latest().matches(runtime(&[change]).as_bytes(), manifest(&[]).as_bytes());
        assert_eq!((ruling.stance, open(&ruling)), (Either, vec!["L14"]), "{change:?}");
    }
    let text = runtime(&[("isolation_profiles", "[moon]")]);
    let ruling = latest().matches(text.as_bytes(), manifest(&[]).as_bytes());
    assert_eq!(ruling.stance, Reject);
}

#[test]
fn l15_fields_newer_than_the_manifest() {
    let older = |version: &str, changes: &[(&str, &str)]| {
        manifest(&[&[("protocol_version", version)], changes].concat())
    };
    let paths = ("snapshot", "{paths: [a]}");
    let read = ("agent_capabilities", "[read_secrets]");
    for text in [
        older("v0.1.0", &[paths]),
        older("v0.2.9-draft", &[paths]),
        older("v0.0.1", &[paths]),
        older("v0.3.0", &[read, ("secrets", "[A]")]),
        older("v0.3.0", &[read]),
    ] {
        touches(&text, "L15", Accept, Either);
        let lenient = latest().validate(text.as_bytes(), false);
        assert!(expected(&lenient).is_empty());
        assert_eq!(lenient.settled[0].as_str(), "L15");
        assert!(lenient.permitted().next().is_some());
    }
    for text in [
        older("v0.3.0", &[paths]),
        older("v0.3.0-draft", &[paths]),
        older("v1.0.0", &[read, paths]),
        older("v0.10.0", &[read, paths]),
        older("v0.1.0", &[]),
        older("v0.1.0", &[("x-a", "1")]),
    ] {
        stances(&text, Accept, Accept);
    }
    // Advice to add a field that the own version does not have need not be given.
    let advised = older("v0.1.0", &[("agent_capabilities", "[snapshot_restore]")]);
    finds(&advised, Accept, Accept, &[]);
    let ruling = latest().validate(advised.as_bytes(), true);
    let permitted: Vec<_> = ruling.permitted().map(|finding| finding.rule.as_str()).collect();
    assert_eq!((permitted, open(&ruling)), (vec!["manifest.snapshot.recommended"], vec!["L15"]));
    let advised = older("v0.3.0", &[("agent_capabilities", "[snapshot_restore]")]);
    finds(&advised, Accept, Accept, &["manifest.snapshot.recommended@/snapshot"]);
    // Wrong as a known field and as an unknown one.
    stances(older("v0.1.0", &[("snapshot", "1")]), Accept, Reject);
    stances(older("v0.1.0", &[paths, ("project_id", "A")]), Accept, Reject);
}

#[test]
fn l16_letters_beyond_ascii() {
    for id in ["é", "aé", "日本", "a٣", "straße"] {
        let text = manifest(&[("project_id", id)]);
        finds(&text, Accept, Reject, &["manifest.project_id.charset@/project_id"]);
        assert_eq!(latest().validate(text.as_bytes(), true).settled[0].as_str(), "L16");
    }
}

#[test]
fn l17_keys_that_are_no_strings() {
    for key in ["1", "1.5", "~", "true", "[a]", "{a: b}"] {
        touches(manifest(&[(key, "x")]), "L17", Either, Either);
        let nested = format!("\n  {key}: x\n  target: file\n  path: a");
        touches(state(&nested), "L17", Either, Either);
    }
    touches(manifest(&[("x-a", "{1: 2}")]), "L17", Either, Either);
    touches(manifest(&[("x-a", "[{b: {~: 1}}]")]), "L17", Either, Either);
    touches(manifest(&[("foo", "{1: 2}")]), "L17", Either, Reject);
    stances(manifest(&[("1", "x"), ("project_id", "A")]), Either, Reject);
    stances(manifest(&[("'1'", "x")]), Accept, Reject);
}

#[test]
fn l18_encodings() {
    let good = manifest(&[]);
    stances(format!("\u{feff}{good}"), Accept, Accept);
    stances(good.replace('\n', "\r\n"), Accept, Accept);
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    touches(wide(&format!("\u{feff}{good}")), "L18", Either, Either);
    touches(wide(&good), "L18", Either, Either);
    stances(wide("\u{feff}a: [\n"), Reject, Reject);
}

#[test]
fn l19_resource_bombs() {
    let filled = |size: usize| {
        let text = manifest(&[("x-a", "")]);
        let fill = "x".repeat(size - text.len());
        text.replace("x-a: \n", &format!("x-a: {fill}\n"))
    };
    stances(filled(65_536), Accept, Accept);
    touches(filled(65_537), "L19", Either, Either);
    let deep = |levels: usize| {
        manifest(&[("x-a", &format!("{}{}", "[".repeat(levels), "]".repeat(levels)))])
    };
    stances(deep(49), Accept, Accept);
    touches(deep(50), "L19", Either, Either);
    touches(deep(10_000), "L19", Either, Either);
    let nodes = |count: usize| manifest(&[("x-a", &format!("[{}]", vec!["a"; count].join(",")))]);
    stances(nodes(19_900), Accept, Accept);
    touches(nodes(20_000), "L19", Either, Either);
    touches("- ".repeat(200_000), "L19", Either, Either);
    let mut bomb = manifest(&[]) + "x-a: &a [x, x, x, x, x, x, x, x, x, x]\n";
    for name in 'b'..'h' {
        let aliases = vec![format!("*{}", char::from(name as u8 - 1)); 10].join(", ");
        bomb.push_str(&format!("x-{name}: &{name} [{aliases}]\n"));
    }
    touches(&bomb, "L19", Either, Either);
    touches(manifest(&[("x-a", "&a [*a]")]), "L19", Either, Either);
    stances(bomb.replace("project_id", "x-id"), Reject, Reject);
}

#[test]
fn l20_values_without_a_meaning_here() {
    for value in ["!!binary aGk=", "!foo bar", "2024-01-01", "!!timestamp 2024-01-01", "!!set {a}"]
    {
        stances(manifest(&[("x-a", value)]), Accept, Accept);
    }
    for (field, value) in [
        ("project_id", "!foo hello"),
        ("project_id", "!!binary aGk="),
        ("project_id", "! hello"),
        ("logging_requirements", "{structured: !!bool yes}"),
        ("logging_requirements", "!!omap {structured: true}"),
        ("agent_capabilities", "[!x run_tasks]"),
        ("agent_capabilities", "!!set [run_tasks]"),
    ] {
        touches(manifest(&[(field, value)]), "L20", Either, Either);
    }
    touches(snapshot("{paths: !x [a]}"), "L20", Either, Either);
    touches(format!("--- !manifest\n{}", manifest(&[])), "L20", Either, Either);
    touches(manifest(&[("foo", "!x 1")]), "L20", Either, Reject);
    touches(manifest(&[("x-a", "!x {1: 2}")]), "L17", Either, Either);
    touches(manifest(&[("x-a", "!x {b: 1, b: 2}")]), "L4", Either, Either);
}

#[test]
fn l21_a_path_or_url_beside_another_target() {
    for value in [
        "{target: control-process, path: /a}",
        "{target: control-process, path: ../a}",
        "{target: file, path: a, url: 'http://a'}",
        "{target: webhook, url: 'https://a.example', path: /a}",
    ] {
        touches(state(value), "L21", Accept, Either);
    }
    stances(state("{target: control-process, path: a, url: 'https://a.example'}"), Accept, Accept);
    stances(state("{target: control-process, path: 1}"), Reject, Reject);
}

#[test]
fn l22_departures_of_loaders() {
    let good = manifest(&[]);
    for text in [
        good.replace("project_id: hello", "project_id:\thello"),
        good.replace("project_id: hello", "project_id: hello\t# note"),
        format!("%YAML 1.2\n---\n{good}"),
        format!("%TAG ! tag:example.com,2000:\n---\n{good}"),
        manifest(&[("x-a", "\"b\u{85}c\"")]),
        manifest(&[("x-a", "\"b\u{2028}c\"")]),
        manifest(&[("x-a", "b\u{feff}")]),
        format!("# a\n\u{feff}{good}"),
        manifest(&[("agent_capabilities", "[\n  run_tasks,\n]")]),
    ] {
        touches(&text, "L22", Either, Either);
    }
    stances(manifest(&[("x-a", "\"b\tc\"")]), Accept, Accept);
    stances(manifest(&[("project_id", "\tA")]), Either, Reject);
    stances(manifest(&[("agent_capabilities", "[\n  run_tasks,\n ]")]), Accept, Accept);
    stances(manifest(&[("agent_capabilities", "[\n  fly,\n]")]), Either, Reject);
}

#[test]
fn l23_matching_a_version_that_is_not_of_the_pattern() {
    let version = |value: &str| {
        let text = manifest(&[("protocol_version", value)]);
        latest().matches(runtime(&[]).as_bytes(), text.as_bytes())
    };
    for value in ["v0.1", "v0.1.0+build", "\"v0.1.0\\n\"", "v0.4.x"] {
        let ruling = version(value);
        assert_eq!((ruling.stance, open(&ruling)), (Either, vec!["L23"]), "{value}");
    }
    for value in ["0.1.0", "latest", "1", "0.1", "-", "", "[v0.1.0]", "v0.5", "v1.0.0+build"] {
        let ruling = version(value);
        assert_eq!(ruling.stance, Reject, "{value}");
        assert_eq!(expected(&ruling), ["match.protocol-version@/protocol_version"], "{value}");
    }
    let ruling = version("v00.1.0");
    assert_eq!((ruling.stance, open(&ruling)), (Either, vec!["L8"]));
}

#[test]
fn every_question_has_its_id() {
    for (at, question) in Question::ALL.iter().enumerate() {
        assert_eq!(question.id().as_str(), format!("L{}", at + 1));
        assert_eq!(Question::named(question.as_str()), Some(*question));
    }
}
