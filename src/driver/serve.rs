//! The other end of a session: a Rust implementation that answers cases.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::path::Path;

use crate::core::{Document, Fixture, FixtureId, Operation, Protocol};

use super::protocol::{self, Greeting, Question, SESSION_VERSION, SentDocument};
use super::{Implementation, Reply, Request};

/// Answers the cases of a session with an implementation, until `bye` or the end
/// of the input.
///
/// # Errors
/// When a stream fails, or a line is not one of the session's messages.
pub fn serve<T: Implementation + ?Sized>(
    implementation: &T,
    greeting: &Greeting,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> io::Result<()> {
    converse(input, output, &mut |question| match question {
        Question::Hello { .. } => Some(protocol::greeting_line(&Greeting {
            session: SESSION_VERSION,
            ..greeting.clone()
        })),
        Question::Case { id, operation, protocol, documents } => {
            let reply = answer(implementation, &operation, &protocol, documents);
            Some(protocol::reply_line(id, &reply))
        }
        Question::Bye {} => None,
    })
}

/// Reads messages and writes the line that each is answered with, until there is
/// none.
fn converse(
    input: &mut dyn BufRead,
    output: &mut dyn Write,
    answer: &mut dyn FnMut(Question<'_>) -> Option<Vec<u8>>,
) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let question = serde_json::from_slice(&line)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        let Some(answer) = answer(question) else { return Ok(()) };
        output.write_all(&answer)?;
        output.flush()?;
    }
}

fn answer<T: Implementation + ?Sized>(
    implementation: &T,
    operation: &str,
    protocol: &str,
    documents: BTreeMap<std::borrow::Cow<'_, str>, SentDocument<'_>>,
) -> Reply {
    let request = || -> Result<_, String> {
        let protocol: Protocol = protocol.parse().map_err(|_| format!("no version: {protocol}"))?;
        let documents = documents.into_iter().map(|(name, sent)| received(&name, &sent));
        let fixture = anonymous(documents.collect::<Result<_, _>>()?)?;
        Ok((fixture, protocol))
    };
    match request() {
        Ok((fixture, protocol)) => implementation.decide(&Request {
            fixture: &fixture,
            variant: None,
            operation,
            spec: &Operation::default(),
            protocol,
        }),
        Err(reason) => Reply::Unsupported { reason },
    }
}

fn received(name: &str, sent: &SentDocument<'_>) -> Result<Document, String> {
    let path = Path::new(&*sent.path);
    let bytes = match &sent.text {
        Some(text) => text.as_bytes().into(),
        None => std::fs::read(path).map_err(|error| format!("{}: {error}", sent.path))?.into(),
    };
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Document { name: name.to_owned(), path: file, bytes })
}

/// A fixture of which nothing is known but its documents.
fn anonymous(documents: Vec<Document>) -> Result<Fixture, String> {
    let id = FixtureId::new("session/case").map_err(|error| error.to_string())?;
    Ok(Fixture::of(id, documents))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::ReportedFinding;

    struct Echo;

    impl Implementation for Echo {
        fn strict(&self, manifest: &Document) -> Reply {
            let message = String::from_utf8_lossy(&manifest.bytes).into_owned();
            let rule = manifest.path.clone();
            Reply::Reject(vec![ReportedFinding {
                rule,
                at: None,
                severity: None,
                message: Some(message),
            }])
        }
    }

    fn talk(input: &str) -> io::Result<Vec<String>> {
        let greeting = Greeting {
            session: SESSION_VERSION,
            name: "echo".into(),
            version: None,
            language: None,
            homepage: None,
            operations: None,
        };
        let mut output = Vec::new();
        serve(&Echo, &greeting, &mut input.as_bytes(), &mut output)?;
        Ok(String::from_utf8(output).unwrap().lines().map(str::to_owned).collect())
    }

    #[test]
    fn an_implementation_answers_until_bye() {
        let lines = talk(concat!(
            r#"{"type":"hello","session":1,"program":"p"}"#,
            "\n",
            r#"{"type":"case","id":1,"operation":"strict","protocol":"v0.4","documents":{"manifest":{"path":"/a/m.yaml","text":"x: 1\n"}}}"#,
            "\n",
            r#"{"type":"case","id":2,"operation":"lenient","protocol":"v0.4","documents":{"manifest":{"path":"/a/m.yaml","text":""}}}"#,
            "\n",
            r#"{"type":"case","id":3,"operation":"strict","protocol":"v0.4","documents":{"manifest":{"path":"/no/such"}}}"#,
            "\n{\"type\":\"bye\"}\nnot looked at\n",
        ))
        .unwrap();
        assert_eq!(protocol::greeting(lines[0].as_bytes()).unwrap().name, "echo");
        let (id, reply) = protocol::reply(lines[1].as_bytes()).unwrap();
        let Reply::Reject(findings) = reply else { panic!("{reply:?}") };
        assert_eq!((id, findings[0].rule.as_str()), (1, "m.yaml"));
        assert_eq!(findings[0].message.as_deref(), Some("x: 1\n"));
        for (line, id) in [(&lines[2], 2), (&lines[3], 3)] {
            let reply = protocol::reply(line.as_bytes()).unwrap();
            assert!(matches!(reply, (got, Reply::Unsupported { .. }) if got == id), "{line}");
        }
        assert_eq!(lines.len(), 4);
    }

    #[test]
    fn what_is_no_message_is_an_error() {
        assert!(talk("hello\n").is_err());
        assert!(talk("{\"type\":\"other\"}\n").is_err());
        assert_eq!(talk("").unwrap(), Vec::<String>::new());
    }
}
