//! The events as lines of JSON.

use std::io::{self, Write};

use serde::Serialize;

use super::json::write_line;
use super::sink::{Sink, Target};
use super::{Report, Reporter};
use crate::core::Event;

/// The schema that the first line names.
const SCHEMA: &str = "urn:living-conformance:schema:events:1";

/// Writes each event as it happens. A stream whose last line is not the event
/// `finished` is of a run that did not come to its end, and no result.
pub(super) struct Jsonl {
    sink: Sink,
    /// Standard output and pipes have somebody who reads along.
    flush: bool,
    ended: bool,
}

#[derive(Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<&'static str>,
    #[serde(flatten)]
    event: &'a Event,
}

impl Jsonl {
    pub(super) fn open(target: &Target) -> io::Result<Self> {
        let sink = Sink::open(target)?;
        Ok(Self { flush: sink.is_direct(), sink, ended: false })
    }
}

/// Writes the events of a run that has ended, its cases by id.
pub(super) fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let started = Event::Started(Box::new(report.header.clone()));
    line(&started, out)?;
    for case in &report.cases {
        line(&Event::Case(Box::new(case.clone())), out)?;
    }
    line(&Event::Finished(Box::new(report.summary.clone())), out)
}

fn line(event: &Event, out: &mut dyn Write) -> io::Result<()> {
    let schema = matches!(event, Event::Started(_)).then_some(SCHEMA);
    write_line(&Line { schema, event }, out)
}

impl Reporter for Jsonl {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        line(event, &mut self.sink)?;
        self.ended = matches!(event, Event::Finished(_));
        if self.flush { self.sink.flush() } else { Ok(()) }
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        if self.ended {
            self.sink.commit()
        } else {
            Err(io::Error::other("the run did not come to its end"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    fn written(events: &[Event]) -> (io::Result<()>, Option<String>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.jsonl");
        let mut reporter = Box::new(Jsonl::open(&Target::File(path.clone())).unwrap());
        events.iter().for_each(|event| reporter.event(event).unwrap());
        (reporter.finish(), std::fs::read_to_string(path).ok())
    }

    #[test]
    fn every_event_is_a_line_and_reads_back() {
        let cases = [passing_case("manifest/a::strict"), crash_case("manifest/b::strict")];
        let events = run(&cases, header(2), 2);
        let (result, text) = written(&events);
        result.unwrap();
        let text = text.unwrap();
        assert!(text.starts_with(&format!("{{\"schema\":\"{SCHEMA}\",\"event\":\"started\"")));
        assert!(!text.contains(|c: char| c != '\n' && super::super::escape::acts(c)), "{text:?}");
        let read: Vec<Event> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(read, events);
        let mut again = Vec::new();
        write(&report(&cases, header(2)), &mut again).unwrap();
        assert_eq!(String::from_utf8(again).unwrap(), text, "the same from the document");
    }

    #[test]
    fn without_an_end_there_is_no_file() {
        let mut events = run(&[passing_case("manifest/a::strict")], header(1), 1);
        events.pop();
        let (result, text) = written(&events);
        assert!(result.is_err());
        assert_eq!(text, None);
    }
}
