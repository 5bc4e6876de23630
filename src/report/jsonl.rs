//! The events as lines of JSON.

use std::io::{self, Write};

use serde::Serialize;

use super::json::write_line;
use super::sink::{Sink, Target};
use super::{Report, Reporter};
use crate::core::{CaseRecord, Event, Header, Summary};

/// The schema that the first line names.
const SCHEMA: &str = "urn:living-conformance:schema:events:1";

/// Writes each event as it happens, for whoever reads along. A stream whose last line is
/// not the event `finished` is of a run that did not come to its end, and no result.
pub(super) struct Jsonl {
    target: Target,
    /// Opened for the first event: a run that does not begin empties no file.
    sink: Option<Sink>,
    ended: bool,
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Line<'a> {
    Started { schema: &'static str, header: &'a Header },
    Case { case: &'a CaseRecord },
    Finished { summary: &'a Summary },
}

impl<'a> From<&'a Event> for Line<'a> {
    fn from(event: &'a Event) -> Self {
        match event {
            Event::Started(header) => Self::Started { schema: SCHEMA, header },
            Event::Case(case) => Self::Case { case },
            Event::Finished(summary) => Self::Finished { summary },
        }
    }
}

impl Jsonl {
    pub(super) fn new(target: Target) -> Self {
        Self { target, sink: None, ended: false }
    }
}

/// Writes the events of a run that has ended, its cases by id.
pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    write_line(&Line::Started { schema: SCHEMA, header: &report.header }, out)?;
    for case in &report.cases {
        write_line(&Line::Case { case }, out)?;
    }
    write_line(&Line::Finished { summary: &report.summary }, out)
}

/// Whether bytes start as the events of a run do.
pub(super) fn is_stream(bytes: &[u8]) -> bool {
    let first = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    event(first).is_some_and(|event| event == "started")
}

/// Whether a stream has its last line.
pub(super) fn is_whole(bytes: &[u8]) -> bool {
    let last = bytes.trim_ascii_end().rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
    event(last).is_some_and(|event| event == "finished")
}

fn event(line: &[u8]) -> Option<String> {
    let value: serde_json::Value = serde_json::from_slice(line).ok()?;
    Some(value.get("event")?.as_str()?.to_owned())
}

impl Reporter for Jsonl {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        let sink = match &mut self.sink {
            Some(sink) => sink,
            none => none.insert(Sink::live(&self.target)?),
        };
        write_line(&Line::from(event), sink)?;
        self.ended = matches!(event, Event::Finished(_));
        sink.flush()
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        match self.sink {
            Some(sink) if self.ended => sink.commit(),
            _ => Err(io::Error::other("the run did not come to its end")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::testing::*;
    use super::*;

    fn validator() -> jsonschema::Validator {
        let events = include_str!("../../schemas/events.schema.json");
        jsonschema::validator_for(&serde_json::from_str(events).unwrap()).unwrap()
    }

    fn written(events: &[Event]) -> (io::Result<()>, Option<String>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.jsonl");
        let mut reporter = Box::new(Jsonl::new(Target::File(path.clone())));
        assert!(!path.exists(), "nothing is written before there is something");
        for (number, event) in events.iter().enumerate() {
            reporter.event(event).unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            assert_eq!((text.lines().count(), text.ends_with('\n')), (number + 1, true));
        }
        (reporter.finish(), std::fs::read_to_string(path).ok())
    }

    #[test]
    fn every_event_is_a_line_and_reads_back() {
        let cases = [passing_case("manifest/a::strict"), crash_case("manifest/b::strict")];
        let events = run(&cases, header(2), 2);
        let (result, text) = written(&events);
        result.unwrap();
        let text = text.unwrap();
        assert!(!text.contains(|c: char| c != '\n' && super::super::escape::acts(c)), "{text:?}");
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), events.len());
        let validator = validator();
        for line in &lines {
            assert!(validator.is_valid(line), "{:?}", validator.iter_errors(line).next());
        }
        let told: Header = serde_json::from_value(lines[0]["header"].clone()).unwrap();
        assert_eq!(Event::Started(Box::new(told)), events[0]);
        let case: CaseRecord = serde_json::from_value(lines[2]["case"].clone()).unwrap();
        assert_eq!(Event::Case(Box::new(case)), events[2]);
        let last = lines.last().unwrap();
        let summary: Summary = serde_json::from_value(last["summary"].clone()).unwrap();
        assert_eq!(Some(&Event::Finished(Box::new(summary))), events.last());
        assert!(!validator.is_valid(&json!({"event": "finished"})));
        assert!(!validator.is_valid(&json!({"event": "case", "case": lines[2]["case"], "x": 1})));
        let mut again = Vec::new();
        write(&report(&cases, header(2)), &mut again).unwrap();
        assert_eq!(String::from_utf8(again).unwrap(), text, "the same from the document");
    }

    #[test]
    fn without_an_end_there_is_no_footer_and_that_is_an_error() {
        let mut events = run(&[passing_case("manifest/a::strict")], header(1), 1);
        events.pop();
        let (result, text) = written(&events);
        assert!(result.is_err());
        let text = text.unwrap();
        assert_eq!(text.lines().count(), 2);
        assert!(!text.contains("\"event\":\"finished\""), "{text}");
    }
}
