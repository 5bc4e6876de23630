//! Shows the place in a document that a failing case is about.

use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use anstream::adapter::strip_str;

use super::super::place::Spot;
use super::super::{escape, prose};
use crate::core::{CaseRecord, Fixture};

/// How many lines are shown before and after the marked one.
const AROUND: usize = 2;
/// How many columns of a path are shown at most.
const PATH: usize = 400;
/// How many lines are shown of a document in which no place is marked.
const HEAD: usize = 8;

/// The lines of the excerpt, none when there is nothing to show.
pub(super) fn lines(
    fixture: &Fixture,
    case: &CaseRecord,
    width: usize,
    color: bool,
) -> Vec<String> {
    // Not what lies there, but what was made of it.
    let made = case.id.variant().map(|name| format!(" as {}", escape::clamped(name, 20)));
    let made = made.unwrap_or_default();
    Spot::of(fixture, case).map_or_else(Vec::new, |spot| render(&spot, &made, width, color))
}

/// The lines around a place in a document, with the place marked.
pub(in crate::report) fn marked(
    path: &str,
    text: &Arc<str>,
    span: Range<usize>,
    (width, color): (usize, bool),
) -> Vec<String> {
    let spot =
        Spot { path: path.into(), text: Arc::clone(text), span: Some(span), label: String::new() };
    render(&spot, "", width, color)
}

/// `made` is what is to be said behind the place.
fn render(spot: &Spot, made: &str, width: usize, color: bool) -> Vec<String> {
    // The number of the line, the bar and the spaces around take some columns.
    let columns = width.saturating_sub(10).max(10);
    let window = Window::of(&spot.text, spot.span.clone(), columns);
    let (line, column) = spot.line_column();
    if window.text.trim().is_empty() {
        return Vec::new();
    }
    let shown = window.text.clone();
    let mut snippet =
        Snippet::source(window.text).line_start(window.first_line).path(None::<&str>).fold(false);
    let mut position = made.to_owned();
    if let Some(span) = window.span {
        let line_start = snippet_line(&shown, span.start);
        let used = escape::width(&shown[line_start..span.end]);
        let mark = AnnotationKind::Primary.span(span);
        let label = escape::clamped(&spot.label, width / 2);
        // It stands behind the mark, where there is room.
        let is_told = !label.is_empty() && used + 1 + escape::width(&label) <= columns;
        snippet = snippet.annotation(if is_told { mark.label(label) } else { mark });
        position = format!(":{line}:{column}{made}");
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let group = Group::with_level(Level::ERROR).element(snippet);
    let rendered = renderer.term_width(width).render(&[group]);
    // A path that is cut or broken leads nowhere; only a monstrous one is.
    let path = escape::clamped_start(&spot.path.to_string_lossy(), PATH);
    let mut lines = vec![format!("--> {path}{position}")];
    lines.extend(rendered.lines().map(|line| line.trim_end().to_owned()));
    // The last line of the layout may be empty but for its bar, and its colours.
    let bare = |line: &String| strip_str(line).to_string().trim() == "|";
    if lines.last().is_some_and(bare) {
        lines.pop();
    }
    if window.more > 0 {
        let more = format!("({} more)", prose::count(window.more, "line"));
        lines.push(escape::clamped(&more, width));
    }
    lines
}

/// Where the line of a place starts.
fn snippet_line(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |at| at + 1)
}

/// The part of a text that is shown: few lines, safe and none of them wide, so
/// that the layout has little to do whatever the document is.
struct Window {
    text: String,
    first_line: usize,
    /// What is marked in `text`.
    span: Option<Range<usize>>,
    /// Lines that are left out after it, where nothing is marked.
    more: usize,
}

impl Window {
    fn of(text: &str, span: Option<Range<usize>>, columns: usize) -> Self {
        let Some(span) = span else { return Self::head(text, columns) };
        let start = text.floor_char_boundary(span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let end = text.floor_char_boundary(span.end).clamp(start, line_end);
        let before: Vec<&str> = text[..line_start].lines().rev().take(AROUND).collect();
        let line = text[..line_start].matches('\n').count() + 1;

        let mut shown = String::new();
        for line in before.iter().rev() {
            shown.push_str(&escape::clamped(line, columns));
            shown.push('\n');
        }
        let lead = escape::clamped_start(&text[line_start..start], columns / 2);
        let mut room = columns - escape::width(&lead);
        let marked = escape::clamped(&text[start..end], room);
        room -= escape::width(&marked);
        let tail = text[end..line_end].trim_end_matches('\r');
        shown.push_str(&lead);
        let span = shown.len()..shown.len() + marked.len();
        shown.push_str(&marked);
        if room > 0 {
            shown.push_str(&escape::clamped(tail, room));
        }
        for line in text[line_end..].lines().skip(1).take(AROUND) {
            shown.push('\n');
            shown.push_str(&escape::clamped(line, columns));
        }
        let first_line = line - before.len();
        Self { text: shown, first_line, span: Some(span), more: 0 }
    }

    fn head(text: &str, columns: usize) -> Self {
        let lines: Vec<String> =
            text.lines().take(HEAD).map(|line| escape::clamped(line, columns)).collect();
        let more = text.lines().count() - lines.len();
        Self { text: lines.join("\n"), first_line: 1, span: None, more }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::*;
    use super::*;
    use crate::core::{Level as Weight, Mismatch, Outcome};

    fn fixture(bytes: &[u8]) -> Fixture {
        let mut fixture = Fixture::clone(&catalog().fixtures.values().next().unwrap().clone());
        fixture.documents[0].bytes = bytes.into();
        fixture
    }

    fn excerpt(text: &str, at: &str) -> String {
        let missing = missing("manifest.secrets.pattern", at);
        let outcome = Outcome::Decided { accepted: false };
        let case = failing_case("manifest/a::strict", outcome, &[(Weight::Must, missing)]);
        lines(&fixture(text.as_bytes()), &case, 72, false).join("\n")
    }

    #[test]
    fn a_key_is_marked_with_its_value_if_that_is_on_its_line() {
        let text = "a: 1\nb:\n  c: wrong # no\n  d: [x,\n    y]\n";
        let value = excerpt(text, "/b/c");
        assert_eq!(
            value,
            "--> fixtures/manifest/a/manifest.yaml:3:3\n  |\n1 | a: 1\n2 | b:\n3 |   c: wrong # no\n  |   ^^^^^^^^\n\
             4 |   d: [x,\n5 |     y]"
        );
        assert!(
            excerpt(text, "/b/d").contains("4 |   d: [x,\n  |   ^\n"),
            "{}",
            excerpt(text, "/b/d")
        );
        let missing = excerpt(text, "/b/nothing");
        assert!(missing.contains("2 | b:\n  | ^\n"), "{missing}");
    }

    #[test]
    fn what_is_reported_too_much_is_shown_where_it_is_said_to_be() {
        let text = format!("a: 1\nb: 2\nsecrets:\n  - x\n  - y # why\n{}", "z: 1\n".repeat(9));
        let shown = |at: Option<&str>, message: Option<&str>| {
            let finding = reported("manifest.secrets.pattern", at, message);
            let extra = Mismatch::Extra { finding, known: true };
            let outcome = Outcome::Decided { accepted: false };
            let case = failing_case("manifest/a::strict", outcome, &[(Weight::Should, extra)]);
            lines(&fixture(text.as_bytes()), &case, 72, false).join("\n")
        };
        let at = shown(Some("/secrets/1"), None);
        assert!(at.contains("5 |   - y # why\n  |     ^ reported here\n"), "{at}");
        let told = shown(None, Some("no such name (/tmp/x/in/manifest.yaml:5:5)"));
        assert!(told.contains("manifest.yaml:5:5\n"), "{told}");
        assert!(told.contains("5 |   - y # why\n  |     ^ reported here\n"), "{told}");
        let line = shown(None, Some("manifest.yaml:14: z"));
        assert!(line.contains("14 | z: 1\n   | ^^^^ reported here"), "{line}");
        let rule = shown(None, Some("some name"));
        assert!(rule.contains("3 | secrets:\n  | ^^^^^^^ reported of this\n"), "{rule}");
        for nowhere in ["manifest.yaml:99:1", "manifest.yaml:0:0", "manifest.yaml:5:99"] {
            assert_eq!(shown(None, Some(nowhere)), rule, "{nowhere}");
        }
        assert!(shown(Some(""), None).contains("1 | a: 1\n"), "the whole has no place");
    }

    #[test]
    fn without_a_place_the_document_is_shown() {
        let text = (0..20).map(|n| format!("k{n}: v\n")).collect::<String>();
        let shown = excerpt(&text, "");
        assert!(shown.contains("1 | k0: v\n") && shown.ends_with("(12 lines more)"), "{shown}");
        assert_eq!(excerpt("", ""), "");
    }

    #[test]
    fn what_is_no_yaml_is_marked_where_it_is_not() {
        let shown = excerpt("a: 1\nb: [1, 2\nc: 3\n", "");
        assert!(shown.contains('^') && shown.contains("manifest.yaml:"), "{shown}");
    }

    #[test]
    fn hostile_documents_are_harmless_and_bounded() {
        let long = format!("a: \"{}\"\nb: {}x\n", "日".repeat(50_000), " ".repeat(50_000));
        let flow = format!("{{{}b: wrong, {} }}", "a: 1, ".repeat(200), "c: 日本, ".repeat(200));
        let texts = [
            long.as_str(),
            flow.as_str(),
            "\u{feff}a: 1\r\nb: \"\u{202e}x\u{9b}\u{7f}\"\r\nc: 2",
            "b: \t\u{85}x\u{2028}y",
            "b:",
            "b: é",
        ];
        for text in texts {
            for at in ["/b", "/a", "/c", ""] {
                let shown = excerpt(text, at);
                for line in shown.lines() {
                    assert!(!line.contains(escape::acts), "{line:?}");
                    assert!(escape::width(line) <= 80, "{} {line:?}", escape::width(line));
                }
            }
        }
        let case = crash_case("manifest/a::strict");
        let shown = lines(&fixture(b"a: \xff\xfe\x1b[2J\n"), &case, 72, false).join("\n");
        assert!(shown.contains(r"\xff\xfe") && !shown.contains('\u{1b}'), "{shown}");
    }

    #[test]
    fn windows_never_leave_the_text() {
        let text = "aé\r\n\r\nb: 日本\n\nlast";
        for start in 0..text.len() + 3 {
            for end in start..text.len() + 3 {
                let window = Window::of(text, Some(start..end), 10);
                let span = window.span.unwrap();
                assert!(window.text.get(span).is_some());
            }
        }
    }
}
