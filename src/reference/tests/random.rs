//! Texts nobody wrote: no panic, bounded time, and modes that agree.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

const PIECES: &[&str] = &[
    "\n",
    "\t",
    " ",
    ": ",
    "- ",
    "? ",
    "[",
    "]",
    "{",
    "}",
    ", ",
    "#",
    "&a ",
    "*a",
    "!x ",
    "!!str ",
    "<<",
    "yes",
    "017",
    "1e3",
    "7.0",
    "~",
    "''",
    "\"",
    "'",
    "|\n",
    ">\n",
    "---\n",
    "...\n",
    "%YAML 1.2\n",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "é",
    "/",
    "..",
    "x-a: ",
    "snapshot: ",
    "secrets: ",
    "read_secrets",
    "paths: ",
    "v0.1.0",
    "\r\n",
    "\u{0}",
    "2024-01-01",
    "retention_days: ",
    "project_id: A\n",
];

/// A manifest with pieces put in, or taken out.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let base = manifest(&[("snapshot", "{paths: [a], retention_days: 7}"), ("x-a", "&a {b: c}")]);
    let edit = (any::<prop::sample::Index>(), 0..6_usize, prop::sample::select(PIECES));
    prop::collection::vec(edit, 0..6).prop_map(move |edits| {
        let mut text: Vec<char> = base.chars().collect();
        for (at, cut, piece) in edits {
            let at = at.index(text.len() + 1);
            let end = (at + cut).min(text.len());
            text.splice(at..end, piece.chars());
        }
        text.into_iter().collect::<String>().into_bytes()
    })
}

fn soup() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(PIECES), 0..60)
        .prop_map(|pieces| pieces.concat().into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_ruled_on(text in prop_oneof![mutated(), soup(), prop::collection::vec(any::<u8>(), 0..200)]) {
        let start = Instant::now();
        consistent(&text);
        for reference in [at("v0.1"), at("v0.3")] {
            let (lenient, strict) = (reference.validate(&text, false), reference.validate(&text, true));
            prop_assert!(!strict.accepted || lenient.accepted);
        }
        for ruling in [
            latest().matches(runtime(&[]).as_bytes(), &text),
            latest().matches(&text, manifest(&[]).as_bytes()),
        ] {
            prop_assert!(ruling.stance.admits(ruling.accepted));
        }
        prop_assert!(start.elapsed() < Duration::from_secs(5));
    }
}
