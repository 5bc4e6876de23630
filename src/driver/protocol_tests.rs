use super::*;

fn told(line: &str) -> String {
    reply(line.as_bytes()).unwrap_err().to_string()
}

#[test]
fn replies_are_read() {
    let (id, answer) = reply(
        br#"{"type":"reply","id":7,"verdict":"reject","more":1,"findings":[{"rule":"a.b","at":"/x","severity":"error","message":"m","more":2},{"rule":"c"}]}"#,
    )
    .unwrap();
    let Reply::Reject(findings) = answer else { panic!() };
    assert_eq!((id, findings.len()), (7, 2));
    assert_eq!(findings[0].at.as_deref(), Some("/x"));
    assert_eq!(findings[1].message, None);
    let (_, answer) = reply(br#"{"type":"reply","id":0,"verdict":"accept"}"#).unwrap();
    assert_eq!(answer, Reply::Accept(Vec::new()));
    let (_, answer) = reply(br#"{"type":"reply","id":0,"unsupported":"no"}"#).unwrap();
    assert_eq!(answer, Reply::Unsupported { reason: "no".into() });
    // What is null is not there.
    let (_, answer) = reply(
        br#"{"type":"reply","id":0,"verdict":"accept","findings":[{"rule":"a","at":null,"severity":null,"message":null}],"unsupported":null}"#,
    )
    .unwrap();
    assert!(matches!(answer, Reply::Accept(findings) if findings[0].at.is_none()));
}

#[test]
fn each_breach_is_named() {
    let schema = crate::data::embedded_file("schemas/session.schema.json").unwrap();
    let schema: Value = serde_json::from_slice(schema).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    for (line, named) in [
        ("checking…", "not JSON: \"checking…\""),
        ("", "not JSON"),
        ("[1]", "not an object: [1]"),
        ("{}", "type null where \"reply\""),
        (r#"{"type":"hello"}"#, "type \"hello\" where \"reply\""),
        (r#"{"type":"reply","verdict":"accept"}"#, "without an id"),
        (r#"{"type":"reply","id":"1","verdict":"accept"}"#, "not a number that was asked: \"1\""),
        (r#"{"type":"reply","id":-1,"verdict":"accept"}"#, "not a number that was asked: -1"),
        (r#"{"type":"reply","id":1}"#, "without a verdict"),
        (r#"{"type":"reply","id":1,"verdict":true}"#, "neither \"accept\" nor \"reject\": true"),
        (r#"{"type":"reply","id":1,"verdict":"accept","unsupported":"x"}"#, "both"),
        (r#"{"type":"reply","id":1,"verdict":"accept","unsupported":""}"#, "both"),
        (r#"{"type":"reply","id":1,"unsupported":true}"#, "not a text: true"),
        (r#"{"type":"reply","id":1,"verdict":"accept","findings":{}}"#, "cannot be read"),
        (r#"{"type":"reply","id":1,"verdict":"accept","findings":[{}]}"#, "rule"),
        (
            r#"{"type":"reply","id":1,"verdict":"accept","findings":[{"rule":"a","at":"x"}]}"#,
            "\"x\" is no JSON pointer",
        ),
    ] {
        assert!(told(line).contains(named), "{line}: {}", told(line));
    }
    for (rest, named) in [
        (r#""id":2,"verdict":"accept""#, "a key twice: \"/id\""),
        (r#""verdict":"reject","verdict":"accept""#, "a key twice: \"/verdict\""),
        (r#""verdict":"accept","more":{"a~b":[{"x":1,"x":1}]}"#, "\"/more/a~0b/0/x\""),
        (r#""verdict":"reject","findings":[{"rule":"a","rule":"b"}]"#, "\"/findings/0/rule\""),
        (r#""verdict":null,"unsupported":null"#, "without a verdict"),
        (r#""verdict":"""#, "nor \"reject\": \"\""),
        (r#""verdict":"Accept""#, "nor \"reject\": \"Accept\""),
        (r#""verdict":["accept"]"#, "nor \"reject\": [\"accept\"]"),
        (r#""unsupported":"""#, "is blank"),
        (r#""unsupported":" \t""#, "is blank"),
        (r#""unsupported":[]"#, "not a text: []"),
        (r#""unsupported":"x","findings":[{"rule":"a"}]"#, "no verdict that they go with"),
        (r#""verdict":"accept","findings":"""#, "\"\" is no list"),
        (r#""verdict":"accept","findings":[["a"]]"#, "[\"a\"] is no object"),
        (r#""verdict":"accept","findings":[null]"#, "null is no object"),
        (
            r#""verdict":"accept","findings":[{"rule":null}]"#,
            "number 1: a text is expected here, not nothing",
        ),
        (r#""verdict":"accept","findings":[{"rule":" "}]"#, "a rule is blank"),
        (
            r#""verdict":"accept","findings":[{"rule":1}]"#,
            "a text is expected here, not the number 1",
        ),
        (
            r#""verdict":"accept","findings":[{"rule":"a","at":1}]"#,
            "a text is expected here, not the number 1",
        ),
        (r#""verdict":"accept","findings":[{"rule":"a","at":"/a~b"}]"#, "no JSON pointer"),
        (r#""verdict":"accept","findings":[{"rule":"a","severity":""}]"#, "none of the words"),
        (r#""verdict":"accept","findings":[{"rule":"a","severity":"Error"}]"#, "\"Error\" is none"),
        (
            r#""verdict":"accept","findings":[{"rule":"a","message":[]}]"#,
            "a text is expected here, not a list",
        ),
    ] {
        let line = format!(r#"{{"type":"reply","id":1,{rest}}}"#);
        assert!(told(&line).contains(named), "{line}: {}", told(&line));
        // A schema cannot see that a key stands twice.
        let is_valid = schema.is_valid(&serde_json::from_str(&line).unwrap());
        assert_eq!(is_valid, named.contains("/"), "{line}");
    }
    for id in ["null", "true", "1.0", "1e3", "18446744073709551616", "[1]", "\"\""] {
        let line = format!(r#"{{"type":"reply","id":{id},"verdict":"accept"}}"#);
        let named = if id == "null" { "without an id" } else { "not a number that was asked" };
        assert!(told(&line).contains(named), "{line}: {}", told(&line));
    }
    let long = told(&"é".repeat(10_000));
    assert!(long.len() < 300 && long.ends_with(" …"), "{long}");
}

#[test]
fn greetings_are_held_to_their_version() {
    let read = |text: &str| greeting(text.as_bytes());
    let full = read(
        r#"{"type":"hello","session":1,"name":"x","version":"2","language":"C","homepage":"h","operations":["a"],"more":0}"#,
    )
    .unwrap();
    assert_eq!(full.title(), "x 2 (C)");
    assert_eq!(greeting(greeting_line(&full).trim_ascii_end()), Ok(full));
    assert_eq!(read(r#"{"type":"hello","session":2}"#), Err(Breach::Version(2)));
    assert!(matches!(read(r#"{"type":"hello","name":"x"}"#), Err(Breach::BadGreeting(_))));
    for rest in [
        r#""name":" ""#,
        r#""name":null"#,
        r#""name":7"#,
        r#""name":"x","version":2"#,
        r#""name":"x","language":["C"]"#,
        r#""name":"x","operations":"strict""#,
        r#""name":"x","operations":[]"#,
        r#""name":"x","operations":[null]"#,
    ] {
        let line = format!(r#"{{"type":"hello","session":1,{rest}}}"#);
        assert!(matches!(read(&line), Err(Breach::BadGreeting(_))), "{line}");
    }
    for version in ["\"1\"", "-1", "1.5", "null"] {
        let line = format!(r#"{{"type":"hello","session":{version},"name":"x"}}"#);
        assert!(matches!(read(&line), Err(Breach::BadGreeting(_))), "{line}");
    }
    let twice = read(r#"{"type":"hello","session":1,"name":"x","name":"y"}"#);
    assert_eq!(twice, Err(Breach::Twice("\"/name\"".to_owned())));
}

#[test]
fn what_is_written_is_read_again() {
    let findings = vec![ReportedFinding {
        rule: "a.b".into(),
        at: Some(String::new()),
        severity: Some(crate::core::Severity::Warning),
        message: Some("line\nbreak".into()),
    }];
    for answer in [
        Reply::Accept(findings.clone()),
        Reply::Reject(findings),
        Reply::Unsupported { reason: "why".into() },
    ] {
        let line = reply_line(3, &answer);
        assert_eq!(line.iter().filter(|&&byte| byte == b'\n').count(), 1);
        assert_eq!(reply(&line), Ok((3, answer)));
    }
}
