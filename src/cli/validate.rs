//! `validate`: the built-in validator, by the contract for implementations.

use std::io::{Read, Write};
use std::path::PathBuf;

use clap::Args;

use super::check::{CheckError, FindingsFormat, Input, conclude, reference};
use crate::core::Protocol;
use crate::settings::Surroundings;

/// The options of `validate`.
#[derive(Debug, Clone, Args)]
pub struct ValidateArgs {
    /// The manifest: a file, a repository that has one, or - for standard input
    #[arg(value_name = "MANIFEST")]
    pub manifest: PathBuf,

    /// Enforce every rule, not only those of v0.1.0
    #[arg(long)]
    pub strict: bool,

    /// How to write the findings
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: FindingsFormat,

    /// The protocol version to validate against, such as v0.3 [default: the newest]
    #[arg(long, value_name = "VERSION")]
    pub protocol: Option<Protocol>,
}

/// Validates a manifest, writes the findings, and says whether it is accepted.
///
/// # Errors
/// When the manifest cannot be read, or the findings not written.
pub fn validate(
    args: &ValidateArgs,
    surroundings: &Surroundings,
    standard_input: &mut dyn Read,
    out: &mut dyn Write,
) -> Result<bool, CheckError> {
    let reference = reference(args.protocol)?;
    let manifest = Input::read("manifest", &args.manifest, standard_input)?;
    let ruling = reference.validate(&manifest.bytes, args.strict);
    conclude(&ruling, &|_| manifest.name.clone(), args.format, surroundings, out)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io;

    use super::super::check::testing::surroundings;
    use super::*;

    const GOOD: &str = "protocol_version: v0.4.0\nproject_id: hello\n\
        agent_capabilities: [run_tasks]\nisolation_profile: container\n\
        state_publication: {target: file, path: a}\nlogging_requirements: {structured: true}\n";

    fn args(manifest: &str) -> ValidateArgs {
        ValidateArgs {
            manifest: manifest.into(),
            strict: false,
            format: FindingsFormat::Text,
            protocol: None,
        }
    }

    fn piped(args: &ValidateArgs, text: &str, terminal: bool) -> (bool, String) {
        let mut out = Vec::new();
        let accepted =
            validate(args, &surroundings(terminal), &mut text.as_bytes(), &mut out).unwrap();
        (accepted, String::from_utf8(out).unwrap())
    }

    #[test]
    fn findings_are_tagged_lines() {
        let text = format!("{GOOD}foo: 1\n");
        let lenient = args("-");
        let strict = ValidateArgs { strict: true, ..lenient.clone() };
        let line = "manifest.unknown-field.top-level: unknown field \"foo\" (<stdin>:7:1)\n";
        assert_eq!(piped(&lenient, &text, false), (true, format!("warning: {line}")));
        assert_eq!(piped(&strict, &text, false), (false, line.to_owned()));
        assert_eq!(piped(&strict, GOOD, false), (true, String::new()));
    }

    #[test]
    fn findings_are_json_lines() {
        let args = ValidateArgs { format: FindingsFormat::Json, ..args("-") };
        let (accepted, out) = piped(&args, &format!("{GOOD}'a/b': 1\n"), true);
        assert!(accepted);
        assert_eq!(
            out,
            "{\"rule\":\"manifest.unknown-field.top-level\",\"at\":\"/a~1b\",\
             \"severity\":\"warning\",\"message\":\"unknown field \\\"a/b\\\"\",\
             \"line\":7,\"column\":1}\n"
        );
    }

    #[test]
    fn a_key_that_is_no_text_is_shown_as_it_stands() {
        let text = format!("{GOOD}? [a, b]\n: 1\n? {{c: d}}\n: 2\n\"\": 3\n");
        let (_, out) = piped(&args("-"), &text, false);
        let keys: Vec<_> = out.lines().filter_map(|line| line.split('"').nth(1)).collect();
        assert_eq!(keys, ["[a, b]", "{c: d}", ""], "{out}");
    }

    #[test]
    fn a_path_is_refused_with_its_reason() {
        let text =
            format!("{GOOD}snapshot: {{paths: ['a\\b']}}\n").replace("path: a", "path: 'a\\b'");
        let (_, out) = piped(&args("-"), &text, false);
        assert_eq!(out.matches("has a backslash").count(), 2, "{out}");
    }

    #[test]
    fn a_terminal_gets_the_source_and_the_outcome() {
        let text = GOOD.replace("hello", "Hello");
        let (accepted, out) = piped(&ValidateArgs { strict: true, ..args("-") }, &text, true);
        assert!(!accepted);
        assert!(out.contains("2 | project_id: Hello\n"), "{out}");
        assert!(out.contains("^^^^^\n"), "{out}");
        assert!(out.ends_with("rejected: 1 error, 0 warnings\n"), "{out}");
        let (_, out) = piped(&args("-"), &format!("{GOOD}1: 2\n"), true);
        assert!(out.contains("note: the spec is open here (L17)"), "{out}");
    }

    #[test]
    fn nothing_in_a_document_moves_the_cursor() {
        let key = format!("{GOOD}\"\\e[2J\\u202e\": 1\n");
        for (text, rule) in [
            (key.as_str(), "manifest.unknown-field.top-level"),
            ("a: \u{1b}[2J\n", "manifest.document.parse"),
            ("a: \u{9b}\u{202e}\n", "manifest.document.parse"),
        ] {
            for terminal in [false, true] {
                let (_, out) = piped(&args("-"), text, terminal);
                assert!(out.contains(rule), "{out:?}");
                assert_eq!(out.contains('^'), terminal, "{out:?}");
                let acts = |c: char| c != '\n' && crate::report::escape::acts(c);
                assert!(!out.contains(acts), "{out:?}");
            }
        }
    }

    #[test]
    fn a_repository_has_its_manifest_where_the_spec_says() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().to_str().unwrap().to_owned();
        let mut out = Vec::new();
        let mut run =
            |args: &ValidateArgs| validate(args, &surroundings(false), &mut io::empty(), &mut out);
        let error = run(&args(&path)).unwrap_err();
        assert!(error.to_string().contains(".living/manifest.yaml"), "{error}");
        assert!(error.remedy().contains("repository"));
        fs::create_dir(dir.path().join(".living")).unwrap();
        fs::write(dir.path().join(".living/manifest.yaml"), GOOD).unwrap();
        assert!(run(&args(&path)).unwrap());
        assert!(run(&args(&format!("{path}/.living/manifest.yaml"))).unwrap());
    }

    #[test]
    fn an_older_protocol_is_asked_for() {
        let text = format!("{GOOD}snapshot: {{paths: [a]}}\n");
        let mut args = ValidateArgs { strict: true, ..args("-") };
        assert!(piped(&args, &text, false).0);
        args.protocol = Some(Protocol::new(0, 1));
        assert!(!piped(&args, &text, false).0);
    }

    #[test]
    fn endless_input_is_not_read_to_its_end() {
        let mut out = Vec::new();
        let mut endless = io::repeat(b'#');
        let ended = validate(&args("-"), &surroundings(false), &mut endless, &mut out);
        assert!(!ended.unwrap());
    }

    #[test]
    fn a_closed_pipe_is_told_apart() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let error = validate(&args("-"), &surroundings(false), &mut "a".as_bytes(), &mut Closed);
        assert!(error.unwrap_err().is_closed_pipe());
    }
}
