//! The handbook's own commands sign a statement and check the signature.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use living_conformance::certify::{
    Claims, EvidenceKind, Identity, Receipt, Subject, SuiteRef, TestResult, statement,
};

/// The shell commands below a heading of the page: its blocks, in order.
fn blocks(heading: &str) -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/certification.md");
    let page = fs::read_to_string(page).unwrap();
    let below = page.split_once(&format!("\n### {heading}\n")).unwrap().1;
    let section = below.split("\n#").next().unwrap();
    let blocks = section.split("```sh\n").skip(1);
    blocks.map(|block| block.split_once("```").unwrap().0.to_owned()).collect()
}

fn sh(directory: &Path, script: &str) -> Output {
    Command::new("sh").args(["-euc", script]).current_dir(directory).output().unwrap()
}

fn attestation() -> Vec<u8> {
    let identity = |text: &str| Identity::of_bytes(text.as_bytes());
    let receipt = Receipt::new(Claims {
        project: "project".to_owned(),
        project_revision: identity("revision"),
        subject: identity("subject"),
        suite: SuiteRef {
            id: "suite".to_owned(),
            version: "0.1.0".to_owned(),
            revision: identity("suite"),
        },
        tests: 2,
        result: identity("result"),
        evidence: [(EvidenceKind::TEST_RUNNER, identity("runner"))].into(),
    })
    .unwrap();
    let subject = Subject { identity: identity("subject"), parts: Vec::new() };
    let result = TestResult { passed: vec!["a \"quoted\" name: é".to_owned()], warned: vec![] };
    statement(&subject, &receipt, &[], &result).unwrap()
}

#[test]
fn openssl_signs_and_checks_as_the_handbook_says() {
    let blocks = blocks("With openssl");
    let [sign, check] = &blocks[..] else { panic!("{} blocks", blocks.len()) };
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("attestation.json"), attestation()).unwrap();
    let signed = sh(directory.path(), sign);
    assert!(signed.status.success(), "{}", String::from_utf8_lossy(&signed.stderr));

    // Whoever checks has the envelope and the public key, and nothing else.
    for own in ["attestation.json", "key.pem", "signed", "signature"] {
        fs::remove_file(at(own)).unwrap();
    }
    let checked = sh(directory.path(), check);
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    assert_eq!(fs::read(at("statement.json")).unwrap(), attestation());

    let envelope = fs::read_to_string(at("attestation.dsse.json")).unwrap();
    let parsed: serde_json::Value = serde_json::from_str(&envelope).unwrap();
    assert_eq!(parsed["payloadType"], "application/vnd.in-toto+json");

    let payload = parsed["payload"].as_str().unwrap();
    let forged = format!("{}AA{}", &payload[..40], &payload[42..]);
    assert_ne!(forged, payload);
    fs::write(at("attestation.dsse.json"), envelope.replace(payload, &forged)).unwrap();
    assert!(!sh(directory.path(), check).status.success(), "a forged statement was believed");
    let other = envelope.replace("in-toto+json", "other+json");
    fs::write(at("attestation.dsse.json"), other).unwrap();
    assert!(!sh(directory.path(), check).status.success(), "another type was believed");
}
