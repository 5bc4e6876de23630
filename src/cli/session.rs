//! The built-in reference as the other end of a session.

use std::io::{BufReader, Read, Write};

use super::exit::{Exit, Fatal};
use crate::driver::{Greeting, Implementation, Reply, Request, SESSION_VERSION, serve};
use crate::reference::Reference;

/// The reference for whatever protocol version a case is about.
struct AnyVersion;

impl Implementation for AnyVersion {
    fn decide(&self, request: &Request<'_>) -> Reply {
        Implementation::decide(&Reference::new(request.protocol), request)
    }
}

/// Answers cases until the session ends.
///
/// # Errors
/// When what comes is no session.
pub(super) fn session(input: &mut dyn Read, out: &mut dyn Write) -> Result<Exit, Fatal> {
    let greeting = Greeting {
        session: SESSION_VERSION,
        name: env!("CARGO_PKG_NAME").to_owned(),
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        language: Some("Rust".to_owned()),
        homepage: None,
        operations: None,
    };
    match serve(&AnyVersion, &greeting, &mut BufReader::new(input), out) {
        Ok(()) => Ok(Exit::Success),
        Err(error) => Err(Fatal::error(format!("failed to keep up the session: {error}"))
            .with_remedy("docs/sessions.md has the messages; the harness sends them by itself")),
    }
}
