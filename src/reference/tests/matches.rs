use super::*;

#[track_caller]
fn matched(runtime: &str, manifest: &str) -> Ruling {
    let ruling = latest().matches(runtime.as_bytes(), manifest.as_bytes());
    assert!(ruling.stance.admits(ruling.accepted));
    ruling
}

#[track_caller]
fn case(run: &[(&str, &str)], man: &[(&str, &str)], stance: Stance, findings: &[&str]) {
    let ruling = matched(&runtime(run), &manifest(man));
    assert_eq!(ruling.stance, stance, "{run:?} {man:?} {ruling:#?}");
    assert_eq!(expected(&ruling), findings, "{run:?} {man:?}");
}

const VERSION: &str = "match.protocol-version@/protocol_version";
const CAPABILITIES: &str = "match.agent-capabilities@/agent_capabilities";
const PROFILE: &str = "match.isolation-profile@/isolation_profile";
const TARGET: &str = "match.state-publication-target@/state_publication/target";

#[test]
fn versions_match_by_major_and_minor() {
    for (versions, version, matches) in [
        ("[v0.4]", "v0.4.0", true),
        ("[v0.4]", "v0.4.9", true),
        ("[v0.4]", "v0.1.0-draft", true),
        ("[v0.4]", "v0.5.0-draft", false),
        ("[v0.10]", "v0.9.0", true),
        ("[v0.9]", "v0.10.0", false),
        ("[v1.0]", "v0.4.0", false),
        ("[v0.4]", "v1.0.0", false),
        // One entry has to satisfy both halves.
        ("[v1.0, v0.9]", "v1.4.0", false),
        ("[v0.1, v1.5, v0.9]", "v1.4.0", true),
    ] {
        let (stance, findings): (_, &[_]) =
            if matches { (Accept, &[]) } else { (Reject, &[VERSION]) };
        case(
            &[("protocol_versions", versions)],
            &[("protocol_version", version)],
            stance,
            findings,
        );
    }
}

#[test]
fn each_rule_fails_alone_and_all_are_reported() {
    case(&[], &[], Accept, &[]);
    case(&[("agent_capabilities", "[run_tasks]")], &[], Reject, &[CAPABILITIES]);
    case(&[("agent_capabilities", "[]")], &[], Reject, &[CAPABILITIES]);
    case(&[("agent_capabilities", "[]")], &[("agent_capabilities", "[]")], Accept, &[]);
    case(&[("isolation_profiles", "[dedicated-vm]")], &[], Reject, &[PROFILE]);
    case(&[("state_publication_targets", "[webhook]")], &[], Reject, &[TARGET]);
    case(
        &[
            ("protocol_versions", "[v0.1]"),
            ("agent_capabilities", "[handoff]"),
            ("isolation_profiles", "[dedicated-vm]"),
            ("state_publication_targets", "[webhook]"),
        ],
        &[],
        Reject,
        &[CAPABILITIES, PROFILE, VERSION, TARGET].map(|f| f),
    );
}

#[test]
fn fields_that_a_rule_needs_and_cannot_have_fail_it() {
    for (field, wrong, finding) in [
        ("protocol_version", "1", VERSION),
        ("agent_capabilities", "run_tasks", CAPABILITIES),
        ("agent_capabilities", "[1]", CAPABILITIES),
        ("isolation_profile", "[container]", PROFILE),
        ("state_publication", "file", TARGET),
        ("state_publication", "{target: ~}", TARGET),
    ] {
        case(&[], &[(field, wrong)], Reject, &[finding]);
        case(&[], &[(field, "-")], Reject, &[finding]);
        case(&[], &[(field, "")], Reject, &[finding]);
    }
    case(&[], &[("state_publication", "{path: a}")], Reject, &[TARGET]);
}

#[test]
fn the_rest_of_the_manifest_plays_no_part() {
    case(
        &[],
        &[
            ("project_id", "Not Valid"),
            ("logging_requirements", "-"),
            ("foo", "1"),
            ("x-a", "1"),
            ("snapshot", "1"),
            ("secrets", "[hunter2]"),
            ("state_publication", "{target: file, foo: 1}"),
        ],
        Accept,
        &[],
    );
    case(&[("x-a", "{b: [1]}")], &[], Accept, &[]);
    case(&[], &[("logging_requirements", "{structured: yes}")], Accept, &[]);
    let open = matched(&runtime(&[]), &(manifest(&[]) + "project_id: again\n"));
    assert_eq!((open.stance, super::open(&open)), (Either, vec!["L4"]));
}

#[test]
fn an_invalid_runtime_document_does_not_match() {
    for (field, value, finding) in [
        ("protocol_versions", "[]", "runtime.protocol_versions.min-items@/protocol_versions"),
        ("protocol_versions", "v0.4", "runtime.protocol_versions.type@/protocol_versions"),
        (
            "protocol_versions",
            "[v0.4, v0.4.0]",
            "runtime.protocol_versions.pattern@/protocol_versions/1",
        ),
        (
            "protocol_versions",
            "[v0.4, 0.4]",
            "runtime.protocol_versions.item-type@/protocol_versions/1",
        ),
        ("protocol_versions", "-", "runtime.protocol_versions.required@/protocol_versions"),
        ("agent_capabilities", "-", "runtime.agent_capabilities.required@/agent_capabilities"),
        ("agent_capabilities", "{}", "runtime.agent_capabilities.type@/agent_capabilities"),
        (
            "agent_capabilities",
            "[run_tasks, publish_state, 1]",
            "runtime.agent_capabilities.item-type@/agent_capabilities/2",
        ),
        ("isolation_profiles", "[]", "runtime.isolation_profiles.min-items@/isolation_profiles"),
        ("isolation_profiles", "", "runtime.isolation_profiles.type@/isolation_profiles"),
        (
            "state_publication_targets",
            "[]",
            "runtime.state_publication_targets.min-items@/state_publication_targets",
        ),
        (
            "state_publication_targets",
            "[file, ~]",
            "runtime.state_publication_targets.item-type@/state_publication_targets/1",
        ),
        ("foo", "1", "runtime.unknown-field@/foo"),
        ("runtime", "[]", "runtime.runtime.type@/runtime"),
    ] {
        case(&[(field, value)], &[], Reject, &[finding]);
    }
    for text in ["", "[]", "hello"] {
        let ruling = matched(text, &manifest(&[]));
        assert_eq!(
            (ruling.stance, expected(&ruling)),
            (Reject, vec!["runtime.document.mapping@".to_owned()])
        );
    }
    let ruling = matched("{", &manifest(&[]));
    assert_eq!(
        (ruling.stance, expected(&ruling)),
        (Reject, vec!["runtime.document.parse@".to_owned()])
    );
}

#[test]
fn an_unreadable_manifest_does_not_match() {
    for (text, finding) in
        [("{", "manifest.document.parse@"), ("- a", "manifest.document.mapping@")]
    {
        let ruling = matched(&runtime(&[]), text);
        assert_eq!((ruling.stance, expected(&ruling)), (Reject, vec![finding.to_owned()]));
        assert_eq!(ruling.findings.len(), 1);
    }
}

#[test]
fn a_runtime_document_may_be_json() {
    let json = r#"{"runtime": "a", "protocol_versions": ["v0.4"],
      "agent_capabilities": ["run_tasks", "publish_state"],
      "isolation_profiles": ["container"], "state_publication_targets": ["file"]}"#;
    let ruling = matched(json, &manifest(&[]));
    assert_eq!((ruling.stance, ruling.accepted), (Accept, true));
    assert_eq!(matched(&json.replace('\n', ""), &manifest(&[])).stance, Accept);
}

#[test]
fn what_a_runtime_document_offers_that_may_be_refused_for_its_size_is_open() {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let run = runtime(&[("x-deep", &deep)]);
    let ruling = matched(&run, &manifest(&[]));
    assert_eq!((ruling.stance, expected(&ruling)), (Either, vec![]));
    assert_eq!(open(&ruling), ["L19"]);
    // Nothing that it may offer helps a manifest that asks for nothing of the kind.
    let ruling = matched(&run, &manifest(&[("isolation_profile", "null")]));
    assert_eq!((ruling.stance, expected(&ruling)), (Reject, vec![PROFILE.to_owned()]));
}

#[test]
fn what_loaders_differ_in_counts_here_too() {
    let open = |run: &str, man: &str, question: &str| {
        let ruling = matched(run, man);
        assert_eq!(ruling.stance, Either, "{run}{man}");
        assert!(super::open(&ruling).contains(&question), "{:?}", ruling.open);
    };
    open(&(runtime(&[]) + "runtime: again\n"), &manifest(&[]), "L4");
    open(&runtime(&[("runtime", "yes")]), &manifest(&[]), "L5");
    open(&runtime(&[("<<", "{x-a: 1}")]), &manifest(&[]), "L6");
    open(&(runtime(&[]) + "---\n"), &manifest(&[]), "L7");
    open(&runtime(&[]), &(manifest(&[]) + "--- 1\n"), "L7");
    open(&runtime(&[("1", "x")]), &manifest(&[]), "L17");
    open(&runtime(&[]), &manifest(&[("isolation_profile", "!x container")]), "L20");
    open(&runtime(&[("runtime", "\tx")]), &manifest(&[]), "L22");
    assert_eq!(matched(&runtime(&[("runtime", "017")]), &manifest(&[])).stance, Reject);
}

#[test]
fn operations_go_by_their_names() {
    let document = |name: &str, text: String| crate::core::Document {
        name: name.into(),
        path: format!("{name}.yaml"),
        bytes: text.into_bytes().into(),
    };
    let both = [document("manifest", manifest(&[("foo", "1")])), document("runtime", runtime(&[]))];
    let accepted =
        |operation: &str| latest().decide(operation, &both).map(|ruling| ruling.accepted);
    assert_eq!(accepted("lenient"), Some(true));
    assert_eq!(accepted("strict"), Some(false));
    assert_eq!(accepted("match"), Some(true));
    assert_eq!(accepted("dance"), None);
    assert!(latest().decide("match", &both[..1]).is_none());
}
