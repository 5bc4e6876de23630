//! A badge: an image in SVG, or the JSON that shields.io makes one of.

use std::io::{self, Write};

use serde::Serialize;

use super::{Report, escape, prose, statement};
use crate::core::Standing;

struct Badge {
    label: String,
    message: &'static str,
    /// The colour as SVG and shields.io know it.
    color: &'static str,
    /// The verdict on each class.
    title: String,
    /// What was shown, and what was not.
    statement: String,
}

impl Badge {
    fn of(report: &Report) -> Self {
        let standings = report.standings();
        let any = |standing: &Standing| standings.iter().any(|it| it.standing == standing);
        let all_conform =
            !standings.is_empty() && standings.iter().all(|it| *it.standing == Standing::Conforms);
        let (message, color) = if all_conform {
            ("conforms", "#2e7d32")
        } else if any(&Standing::Fails) {
            ("does not conform", "#c62828")
        } else {
            ("not shown", "#757575")
        };
        let classes: Vec<String> =
            standings.iter().map(|it| format!("{}: {}", it.class, it.text)).collect();
        let label = prose::spec(&report.header);
        let title = escape::clamped(&classes.join("; "), 1000);
        let statement = statement(report).into_iter().map(|(name, text)| format!("{name}: {text}"));
        let statement = statement.collect::<Vec<_>>().join(". ");
        Self { label, message, color, title, statement }
    }
}

/// The JSON of an endpoint badge.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Endpoint<'a> {
    schema_version: u8,
    label: &'a str,
    message: &'a str,
    color: &'a str,
}

/// Writes what shields.io reads from an endpoint.
pub(super) fn write_endpoint(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let Badge { label, message, color, .. } = &Badge::of(report);
    super::json::write_line(&Endpoint { schema_version: 1, label, message, color }, out)
}

/// Writes the image.
pub(super) fn write_svg(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let badge = Badge::of(report);
    let (left, right) = (text_width(&badge.label) + 12, text_width(badge.message) + 12);
    let whole = left + right;
    let label = xml(&badge.label);
    let Badge { message, color, .. } = badge;
    let title = xml(&badge.title);
    let statement = xml(&badge.statement);
    // The texts are stretched to the widths that were counted on, whatever the font.
    write!(
        out,
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="20" role="img" aria-label="{label}: {message}">
  <title>{title}</title>
  <desc>{statement}</desc>
  <clipPath id="round"><rect width="{whole}" height="20" rx="3"/></clipPath>
  <g clip-path="url(#round)">
    <rect width="{left}" height="20" fill="#444"/>
    <rect x="{left}" width="{right}" height="20" fill="{color}"/>
  </g>
  <g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
    <text x="6" y="14" textLength="{label_width}">{label}</text>
    <text x="{message_x}" y="14" textLength="{message_width}">{message}</text>
  </g>
</svg>
"##,
        label_width = left - 12,
        message_x = left + 6,
        message_width = right - 12,
    )
}

/// About how many pixels a text takes in Verdana at 11 pixels.
fn text_width(text: &str) -> usize {
    let tenths: usize = text
        .chars()
        .map(|c| match c {
            'i' | 'j' | 'l' | '.' | ',' | ':' | '\'' | '|' => 32,
            ' ' | 'f' | 't' | 'r' | 'I' => 44,
            'm' | 'w' | 'M' | 'W' => 98,
            c if c.is_uppercase() => 77,
            _ => 68,
        })
        .sum();
    tenths.div_ceil(10)
}

fn xml(text: &str) -> String {
    escape::line(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::core::{CaseRecord, LeftOut};

    fn messages(report: &Report) -> (String, String) {
        let (mut svg, mut json) = (Vec::new(), Vec::new());
        write_svg(report, &mut svg).unwrap();
        write_endpoint(report, &mut json).unwrap();
        let svg = String::from_utf8(svg).unwrap();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let texts: Vec<&str> = document
            .descendants()
            .filter(|node| node.has_tag_name("text"))
            .filter_map(|node| node.text())
            .collect();
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(json["schemaVersion"], 1);
        assert_eq!(texts[0], "Living Repositories Protocol v0.4");
        assert_eq!(texts, [json["label"].as_str().unwrap(), json["message"].as_str().unwrap()]);
        let described = document.descendants().find(|node| node.has_tag_name("desc")).unwrap();
        for (name, text) in statement(report) {
            let line = format!("{name}: {}", escape::line(&text));
            assert!(described.text().unwrap().contains(&line), "{svg}");
        }
        let title = document.descendants().find(|node| node.has_tag_name("title")).unwrap();
        (texts[1].to_owned(), title.text().unwrap_or_default().to_owned())
    }

    fn of(cases: &[CaseRecord]) -> String {
        messages(&report(cases, header(cases.len()))).0
    }

    #[test]
    fn it_says_conforms_only_when_everything_does() {
        let (good, bad) = (
            passing_case("manifest/a::strict"),
            stance_case("manifest/b::strict", "manifest.secrets.pattern"),
        );
        assert_eq!(of(std::slice::from_ref(&good)), "conforms");
        assert_eq!(of(&[good.clone(), bad]), "does not conform");
        let mut partly = header(1);
        partly.left_out.get_mut("validator-strict").unwrap().insert(LeftOut::Filtered, 1);
        assert_eq!(messages(&report(&[good], partly.clone())).0, "not shown");
        partly.left_out.clear();
        assert_eq!(messages(&report(&[], partly)).0, "not shown");
    }

    #[test]
    fn hostile_text_is_text() {
        let mut case = passing_case("manifest/a::strict");
        case.class = "</title><script>\u{1b}\"&".into();
        let title = messages(&report(&[case], header(1))).1;
        assert!(title.starts_with("</title><script>\\x1b\"&: conforms"), "{title}");
    }
}
