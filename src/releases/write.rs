//! The file of a release as text.

use std::fmt::Write as _;

use super::SuiteRelease;
use crate::yaml::quote;

/// The text of a release's file: a line a fixture, so that what two releases differ in
/// is seen at once. What YAML might take for a number or a word of its own is quoted.
#[must_use]
pub fn render_release(release: &SuiteRelease) -> String {
    let SuiteRelease { version, data, notes, renamed, fixtures } = release;
    let mut text = format!(
        "# yaml-language-server: $schema=../../../schemas/release.schema.json\n\
         # Written by `living-conformance release {version}`, and not to be edited.\n\
         # docs/releases.md says what the digests cover.\n\
         version: {version}\n"
    );
    // Writing to a string does not fail.
    if let Some(data) = data {
        let _ = writeln!(text, "data: \"{data}\"");
    }
    if let Some(notes) = &notes.text {
        let _ = writeln!(text, "notes: {}", quote(notes.trim()));
    }
    for (name, map) in
        [("changed", &notes.changed), ("removed", &notes.removed), ("renamed", renamed)]
    {
        if !map.is_empty() {
            let _ = writeln!(text, "{name}:");
        }
        for (path, what) in map {
            let _ = writeln!(text, "  {}: {}", quote(path), quote(what.trim()));
        }
    }
    text.push_str("fixtures:\n");
    for (path, frozen) in fixtures {
        let cases = frozen.cases.iter();
        let cases = cases.map(|(name, digest)| format!("{}: \"{digest}\"", quote(name)));
        let cases = cases.collect::<Vec<_>>().join(", ");
        let (path, documents) = (quote(path), &frozen.documents);
        let _ = writeln!(text, "  {path}: {{documents: \"{documents}\", cases: {{{cases}}}}}");
    }
    text
}
