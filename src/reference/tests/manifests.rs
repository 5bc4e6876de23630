use super::*;

#[test]
fn the_base_is_valid() {
    finds(&manifest(&[]), Accept, Accept, &[]);
    for protocol in ["v0.1", "v0.3", "v0.4", "v1.0"] {
        assert_eq!(at(protocol).validate(manifest(&[]).as_bytes(), true).stance, Accept);
    }
}

#[test]
fn the_document_is_one_mapping() {
    for text in ["", "# nothing\n", "~\n", "hello\n", "- a\n", "[]", "---\n", "42"] {
        finds(text, Reject, Reject, &["manifest.document.mapping@"]);
    }
    for text in ["a: b: c\n", "{", "a: 'x", "\u{0}", "a:\n\t- b\n", "%"] {
        finds(text, Reject, Reject, &["manifest.document.parse@"]);
    }
    stances(b"project_id: \xff\n", Reject, Reject);
}

#[test]
fn required_fields_reject_in_both_modes() {
    for (field, _) in BASE {
        let rule = format!("manifest.{field}.required@/{field}");
        finds(&manifest(&[(field, "-")]), Reject, Reject, &[&rule]);
    }
}

#[test]
fn basic_types_reject_in_both_modes() {
    for (field, _) in BASE {
        let rule = format!("manifest.{field}.type@/{field}");
        let wrong: &[&str] = match *field {
            "agent_capabilities" => &["", "~", "run_tasks", "{a: b}", "true", "1"],
            "state_publication" | "logging_requirements" => &["", "null", "file", "[]", "1"],
            _ => &["", "~", "[a]", "{a: b}", "true", "1", "1.5", "TRUE"],
        };
        for value in wrong {
            finds(&manifest(&[(field, value)]), Reject, Reject, &[&rule]);
        }
    }
    for item in ["1", "~", "[run_tasks]", "{a: b}", "true", ""] {
        let text = manifest(&[("agent_capabilities", &format!("\n- run_tasks\n- {item}"))]);
        finds(
            &text,
            Reject,
            Reject,
            &["manifest.agent_capabilities.item-type@/agent_capabilities/1"],
        );
    }
}

#[test]
fn nested_basic_types_reject_in_both_modes() {
    let state = "state_publication";
    let logging = "logging_requirements";
    for (field, value, finding) in [
        (
            state,
            "{path: a}",
            "manifest.state_publication.target.required@/state_publication/target",
        ),
        (state, "{target: 1}", "manifest.state_publication.target.type@/state_publication/target"),
        (state, "{target: }", "manifest.state_publication.target.type@/state_publication/target"),
        (
            state,
            "{target: file, path: 1}",
            "manifest.state_publication.path.type@/state_publication/path",
        ),
        (
            state,
            "{target: file, path: ~}",
            "manifest.state_publication.path.type@/state_publication/path",
        ),
        (
            state,
            "{target: webhook, url: []}",
            "manifest.state_publication.url.type@/state_publication/url",
        ),
        (
            state,
            "{target: control-process, url: 1}",
            "manifest.state_publication.url.type@/state_publication/url",
        ),
        (
            logging,
            "{}",
            "manifest.logging_requirements.structured.required@/logging_requirements/structured",
        ),
        (
            logging,
            "{structured: 'true'}",
            "manifest.logging_requirements.structured.type@/logging_requirements/structured",
        ),
        (
            logging,
            "{structured: 1}",
            "manifest.logging_requirements.structured.type@/logging_requirements/structured",
        ),
        (
            logging,
            "{structured: }",
            "manifest.logging_requirements.structured.type@/logging_requirements/structured",
        ),
        (
            logging,
            "{structured: true, level: 1}",
            "manifest.logging_requirements.level.type@/logging_requirements/level",
        ),
        (
            logging,
            "{structured: true, level: }",
            "manifest.logging_requirements.level.type@/logging_requirements/level",
        ),
    ] {
        finds(&manifest(&[(field, value)]), Reject, Reject, &[finding]);
    }
}

#[test]
fn values_warn_in_lenient_mode_and_reject_in_strict() {
    let long = "a".repeat(64);
    for (field, value, finding) in [
        ("protocol_version", "0.4.0", "manifest.protocol_version.pattern@/protocol_version"),
        ("protocol_version", "v0.4", "manifest.protocol_version.pattern@/protocol_version"),
        ("protocol_version", "v0.1.0+build", "manifest.protocol_version.pattern@/protocol_version"),
        (
            "protocol_version",
            "\"v0.4.0\\n\"",
            "manifest.protocol_version.pattern@/protocol_version",
        ),
        ("project_id", "''", "manifest.project_id.first-character@/project_id"),
        ("project_id", "-a", "manifest.project_id.first-character@/project_id"),
        ("project_id", "Hello", "manifest.project_id.charset@/project_id"),
        ("project_id", "a_b", "manifest.project_id.charset@/project_id"),
        ("project_id", "é", "manifest.project_id.charset@/project_id"),
        ("project_id", "\"a\\n\"", "manifest.project_id.charset@/project_id"),
        ("project_id", &long, "manifest.project_id.max-length@/project_id"),
        ("agent_capabilities", "[]", "manifest.agent_capabilities.min-items@/agent_capabilities"),
        (
            "agent_capabilities",
            "[run_tasks, run_tasks]",
            "manifest.agent_capabilities.unique@/agent_capabilities",
        ),
        (
            "agent_capabilities",
            "[run_tasks, fly]",
            "manifest.agent_capabilities.values@/agent_capabilities/1",
        ),
        (
            "agent_capabilities",
            "[Run_Tasks]",
            "manifest.agent_capabilities.values@/agent_capabilities/0",
        ),
        ("isolation_profile", "vm", "manifest.isolation_profile.values@/isolation_profile"),
        ("isolation_profile", "''", "manifest.isolation_profile.values@/isolation_profile"),
        (
            "state_publication",
            "{target: ftp}",
            "manifest.state_publication.target.values@/state_publication/target",
        ),
        (
            "state_publication",
            "{target: file, path: /a}",
            "manifest.state_publication.path.relative@/state_publication/path",
        ),
        (
            "state_publication",
            "{target: webhook, url: 'http://a.example'}",
            "manifest.state_publication.url.https@/state_publication/url",
        ),
        (
            "logging_requirements",
            "{structured: true, level: trace}",
            "manifest.logging_requirements.level.values@/logging_requirements/level",
        ),
        ("foo", "1", "manifest.unknown-field.top-level@/foo"),
        ("X-foo", "1", "manifest.unknown-field.top-level@/X-foo"),
        ("a/b~c", "1", "manifest.unknown-field.top-level@/a~1b~0c"),
        (
            "state_publication",
            "{target: file, path: a, x-a: 1}",
            "manifest.unknown-field.nested@/state_publication/x-a",
        ),
        (
            "logging_requirements",
            "{structured: true, foo: }",
            "manifest.unknown-field.nested@/logging_requirements/foo",
        ),
        ("snapshot", "{paths: [a], foo: 1}", "manifest.unknown-field.nested@/snapshot/foo"),
        ("snapshot", "", "manifest.snapshot.type@/snapshot"),
        ("snapshot", "[]", "manifest.snapshot.type@/snapshot"),
        ("snapshot", "{}", "manifest.snapshot.paths.required@/snapshot/paths"),
        ("snapshot", "{paths: a}", "manifest.snapshot.paths.type@/snapshot/paths"),
        ("snapshot", "{paths: []}", "manifest.snapshot.paths.min-items@/snapshot/paths"),
        ("snapshot", "{paths: [1]}", "manifest.snapshot.paths.item-type@/snapshot/paths/0"),
        ("snapshot", "{paths: [a, a]}", "manifest.snapshot.paths.unique@/snapshot/paths"),
        ("snapshot", "{paths: [/a]}", "manifest.snapshot.paths.not-absolute@/snapshot/paths/0"),
        ("snapshot", "{paths: [b, a/../b]}", "manifest.snapshot.paths.no-parent@/snapshot/paths/1"),
        (
            "snapshot",
            "{paths: [a], retention_days: true}",
            "manifest.snapshot.retention_days.type@/snapshot/retention_days",
        ),
        (
            "snapshot",
            "{paths: [a], retention_days: '7'}",
            "manifest.snapshot.retention_days.type@/snapshot/retention_days",
        ),
        (
            "snapshot",
            "{paths: [a], retention_days: 7.5}",
            "manifest.snapshot.retention_days.type@/snapshot/retention_days",
        ),
        (
            "snapshot",
            "{paths: [a], retention_days: .inf}",
            "manifest.snapshot.retention_days.type@/snapshot/retention_days",
        ),
        (
            "snapshot",
            "{paths: [a], retention_days: }",
            "manifest.snapshot.retention_days.type@/snapshot/retention_days",
        ),
        (
            "snapshot",
            "{paths: [a], retention_days: 0}",
            "manifest.snapshot.retention_days.minimum@/snapshot/retention_days",
        ),
        (
            "snapshot",
            "{paths: [a], retention_days: -3}",
            "manifest.snapshot.retention_days.minimum@/snapshot/retention_days",
        ),
        ("secrets", "", "manifest.secrets.type@/secrets"),
        ("secrets", "A", "manifest.secrets.type@/secrets"),
        ("secrets", "[]", "manifest.secrets.min-items@/secrets"),
        ("secrets", "[A]", "manifest.secrets.requires-read_secrets@/secrets"),
    ] {
        finds(&manifest(&[(field, value)]), Accept, Reject, &[finding]);
    }
    for (value, finding) in [
        ("[1]", "manifest.secrets.item-type@/secrets/0"),
        ("[A, A]", "manifest.secrets.unique@/secrets"),
        ("[a]", "manifest.secrets.pattern@/secrets/0"),
        ("[_A]", "manifest.secrets.pattern@/secrets/0"),
        ("[A-B]", "manifest.secrets.pattern@/secrets/0"),
        ("['']", "manifest.secrets.pattern@/secrets/0"),
        ("[\"A\\n\"]", "manifest.secrets.pattern@/secrets/0"),
    ] {
        let text = manifest(&[("agent_capabilities", "[read_secrets]"), ("secrets", value)]);
        finds(&text, Accept, Reject, &[finding]);
    }
}

#[test]
fn the_good_side_of_each_limit() {
    let (id, secret) = ("a".repeat(63), format!("[A{}]", "0".repeat(127)));
    let read_secrets = ("agent_capabilities", "[read_secrets]");
    for changes in [
        &[("protocol_version", "v0.4.0-draft.1")][..],
        &[("protocol_version", "v10.20.30")],
        &[("project_id", &id)],
        &[("project_id", "0-")],
        &[("project_id", "'017'")],
        &[("agent_capabilities", "[run_tasks, publish_state, open_pull_requests, handoff]")],
        &[("agent_capabilities", "[run_tasks]")],
        &[("isolation_profile", "dedicated-vm")],
        &[("isolation_profile", "!!str sandbox-process")],
        &[("state_publication", "{target: control-process}")],
        &[("state_publication", "{target: webhook, url: 'https://a.example/x?y#z'}")],
        &[("state_publication", "{target: file, path: .living/state.json}")],
        &[("logging_requirements", "{structured: False, level: error}")],
        &[("logging_requirements", "{structured: TRUE}")],
        &[("x-", "1"), ("x-foo", "{a: [1, !!str 2, ~]}")],
        &[("snapshot", "{paths: [a, a/, b.c], retention_days: 1}")],
        &[("snapshot", "{paths: ['1']}"), ("agent_capabilities", "[snapshot_restore]")],
        &[read_secrets, ("secrets", "[A, DEPLOY_TOKEN]")],
        &[read_secrets, ("secrets", &secret)],
        &[read_secrets],
    ] {
        finds(&manifest(changes), Accept, Accept, &[]);
    }
    let long = format!("[A{}]", "0".repeat(128));
    let text = manifest(&[read_secrets, ("secrets", &long)]);
    finds(&text, Accept, Reject, &["manifest.secrets.pattern@/secrets/0"]);
}

#[test]
fn rules_are_independent_of_each_other() {
    finds(
        &manifest(&[("project_id", "_A"), ("isolation_profile", "-"), ("foo", "1")]),
        Reject,
        Reject,
        &[
            "manifest.isolation_profile.required@/isolation_profile",
            "manifest.project_id.charset@/project_id",
            "manifest.project_id.first-character@/project_id",
            "manifest.unknown-field.top-level@/foo",
        ],
    );
    // A wrong type silences the rules of values.
    finds(
        &manifest(&[("state_publication", "{target: file, path: 1}"), ("secrets", "{}")]),
        Reject,
        Reject,
        &[
            "manifest.secrets.type@/secrets",
            "manifest.state_publication.path.type@/state_publication/path",
        ],
    );
}

#[test]
fn a_missing_snapshot_is_a_warning_in_both_modes() {
    let text = manifest(&[("agent_capabilities", "[snapshot_restore]")]);
    finds(&text, Accept, Accept, &["manifest.snapshot.recommended@/snapshot"]);
    let ruling = latest().validate(text.as_bytes(), true);
    assert_eq!(ruling.findings[0].severity, Severity::Warning);
    assert!(ruling.accepted);
    assert!(at("v0.1").validate(text.as_bytes(), true).findings.is_empty());
}

#[test]
fn older_protocols_do_not_know_newer_fields() {
    let snapshot = manifest(&[("protocol_version", "v0.1.0"), ("snapshot", "{paths: [a]}")]);
    let secrets = manifest(&[
        ("protocol_version", "v0.1.0"),
        ("secrets", "[A]"),
        ("agent_capabilities", "[read_secrets]"),
    ]);
    let ruling = |protocol, text: &str, strict| at(protocol).validate(text.as_bytes(), strict);
    for strict in [false, true] {
        let stance = if strict { Reject } else { Accept };
        let old = ruling("v0.1", &snapshot, strict);
        assert_eq!((old.stance, old.accepted), (stance, !strict));
        assert_eq!(expected(&old), ["manifest.unknown-field.top-level@/snapshot"]);
        for protocol in ["v0.1", "v0.3"] {
            let old = ruling(protocol, &secrets, strict);
            assert_eq!(old.stance, stance);
            assert_eq!(
                expected(&old),
                [
                    "manifest.agent_capabilities.values@/agent_capabilities/0",
                    "manifest.unknown-field.top-level@/secrets"
                ]
            );
        }
    }
    let valid = manifest(&[("protocol_version", "v0.3.0"), ("snapshot", "{paths: [a]}")]);
    assert_eq!(ruling("v0.3", &valid, true).stance, Accept);
}

#[test]
fn findings_have_their_place() {
    let text = "protocol_version: v0.4.0\nproject_id: Bad\nfoo: 1\n";
    let ruling = latest().validate(text.as_bytes(), true);
    let place = |rule: &str| {
        let finding = ruling.findings.iter().find(|f| f.rule.as_str() == rule).unwrap();
        let span = finding.place.unwrap().span;
        (&text[span.start..span.end], span.line, span.column)
    };
    assert_eq!(place("manifest.project_id.charset"), ("Bad", 2, 13));
    assert_eq!(place("manifest.unknown-field.top-level"), ("foo", 3, 1));
    assert_eq!(place("manifest.isolation_profile.required").1, 1);
}

#[test]
fn no_message_gives_a_secret_away() {
    let text = manifest(&[("agent_capabilities", "[read_secrets]"), ("secrets", "[hunter2]")]);
    let ruling = latest().validate(text.as_bytes(), true);
    assert_eq!(expected(&ruling), ["manifest.secrets.pattern@/secrets/0"]);
    assert!(!ruling.findings[0].message.contains("hunter2"));
}
