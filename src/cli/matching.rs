//! `match`: the built-in matcher, by the contract for implementations.

use std::io::{Read, Write};
use std::path::PathBuf;

use clap::Args;

use super::check::{CheckError, FindingsFormat, Input, conclude, is_standard_input, reference};
use crate::core::Protocol;
use crate::reference::RUNTIME;
use crate::settings::Surroundings;

/// The options of `match`.
#[derive(Debug, Clone, Args)]
pub struct MatchArgs {
    /// The runtime capability document, YAML or JSON, or - for standard input
    #[arg(value_name = "RUNTIME")]
    pub runtime: PathBuf,

    /// The manifest: a file, a repository that has one, or - for standard input
    #[arg(value_name = "MANIFEST")]
    pub manifest: PathBuf,

    /// How to write the findings
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: FindingsFormat,

    /// The protocol version to match by, such as v0.3 [default: the newest]
    #[arg(long, value_name = "VERSION")]
    pub protocol: Option<Protocol>,
}

/// Matches a runtime with a manifest, writes the findings, and says whether they
/// match.
///
/// # Errors
/// When a document cannot be read, or the findings not written.
pub fn match_documents(
    args: &MatchArgs,
    surroundings: &Surroundings,
    standard_input: &mut dyn Read,
    out: &mut dyn Write,
) -> Result<bool, CheckError> {
    let reference = reference(args.protocol)?;
    if is_standard_input(&args.runtime) && is_standard_input(&args.manifest) {
        return Err(CheckError::TwiceStandardInput);
    }
    let runtime = Input::read("runtime document", &args.runtime, standard_input)?;
    let manifest = Input::read("manifest", &args.manifest, standard_input)?;
    let ruling = reference.matches(&runtime.bytes, &manifest.bytes);
    let name = |document: &str| {
        if document == RUNTIME { runtime.name.clone() } else { manifest.name.clone() }
    };
    conclude(&ruling, &name, args.format, surroundings, out)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::check::testing::surroundings;
    use super::*;

    const MANIFEST: &str = "protocol_version: v0.4.0\nagent_capabilities: [run_tasks]\n\
        isolation_profile: container\nstate_publication: {target: file}\n";
    const RUNTIME_DOCUMENT: &str = r#"{"runtime": "r", "protocol_versions": ["v0.4"],
        "agent_capabilities": ["run_tasks"], "isolation_profiles": ["container"],
        "state_publication_targets": ["file"]}"#;

    fn run(runtime: &str, manifest: &str) -> (bool, String) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("manifest.yaml");
        fs::write(&path, manifest).unwrap();
        let args = MatchArgs {
            runtime: "-".into(),
            manifest: path,
            format: FindingsFormat::Text,
            protocol: None,
        };
        let mut out = Vec::new();
        let matched =
            match_documents(&args, &surroundings(false), &mut runtime.as_bytes(), &mut out)
                .unwrap();
        (matched, String::from_utf8(out).unwrap())
    }

    #[test]
    fn each_failing_rule_is_a_line() {
        assert_eq!(run(RUNTIME_DOCUMENT, MANIFEST), (true, String::new()));
        let manifest = MANIFEST.replace("container", "dedicated-vm").replace("v0.4", "v0.5");
        let (matched, out) = run(RUNTIME_DOCUMENT, &manifest);
        assert!(!matched);
        let rules: Vec<&str> = out.lines().filter_map(|line| line.split(": ").next()).collect();
        assert_eq!(rules, ["match.protocol-version", "match.isolation-profile"]);
        assert!(out.contains("manifest.yaml:3:20)"), "{out}");
    }

    #[test]
    fn a_finding_names_the_document_it_is_in() {
        let (matched, out) = run("runtime: r\n", MANIFEST);
        assert!(!matched);
        assert!(out.lines().all(|line| line.starts_with("runtime.")), "{out}");
        assert!(out.contains("(<stdin>:1:1)"), "{out}");
    }

    #[test]
    fn what_cannot_be_read_is_an_error_with_path_and_remedy() {
        let mut args = MatchArgs {
            runtime: "/nowhere/\u{1b}runtime.yaml".into(),
            manifest: "-".into(),
            format: FindingsFormat::Text,
            protocol: None,
        };
        let mut out = Vec::new();
        let mut fail = |args: &MatchArgs| {
            match_documents(args, &surroundings(false), &mut "".as_bytes(), &mut out).unwrap_err()
        };
        let error = fail(&args);
        assert!(error.to_string().contains(r"runtime document /nowhere/\x1bruntime.yaml"));
        assert!(!error.remedy().is_empty());
        args.runtime = "-".into();
        assert!(matches!(fail(&args), CheckError::TwiceStandardInput));
    }
}
