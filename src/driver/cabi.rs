//! A shared object with the C ABI, hosted by a process of its own.
//!
//! This is the one file with `unsafe` code. `docs/living_conformance.h` has the other
//! side of what it relies on.

#![allow(unsafe_code, reason = "a shared object can be called in no other way")]

use std::ffi::{c_char, c_int, c_void};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use libloading::Library;

/// The entry point's name, with the version in it.
const ENTRY: &[u8] = b"living_conformance_v1";

type WritePiece = unsafe extern "C" fn(context: *mut c_void, bytes: *const c_char, length: usize);
type Entry = unsafe extern "C" fn(
    message: *const c_char,
    length: usize,
    write: WritePiece,
    context: *mut c_void,
) -> c_int;

/// Why a library cannot be hosted any longer. Reads after "failed to …".
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// It cannot be loaded.
    #[error("load the library {path:?}: {source}")]
    Load {
        /// The path.
        path: PathBuf,
        /// The reason.
        source: libloading::Error,
    },
    /// It does not have the entry point.
    #[error("find living_conformance_v1 in the library {path:?}: {source}")]
    NoEntry {
        /// The path.
        path: PathBuf,
        /// The reason.
        source: libloading::Error,
    },
    /// It says that it cannot go on.
    #[error("get an answer from the library: living_conformance_v1 returned {0}")]
    Gave(i32),
    /// It answered with nothing.
    #[error("get an answer from the library: it wrote nothing")]
    Nothing,
    /// It hands over a piece that no memory could hold.
    #[error("get an answer from the library: it wrote a piece of {0} bytes")]
    Length(usize),
    /// The harness cannot be reached.
    #[error("pass messages on to the library: {0}")]
    Stream(#[from] io::Error),
}

/// Loads a library and answers the messages on standard input with it, on standard
/// output.
///
/// The library gets neither of the two: its standard input is empty, and what it
/// writes to standard output goes to standard error.
///
/// # Errors
/// When it cannot be loaded or does not answer.
pub fn host_library(path: &Path) -> Result<(), HostError> {
    let (input, output) = take_streams()?;
    // An absolute path, so that no other folder is searched.
    let absolute = std::path::absolute(path)?;
    // SAFETY: loading runs the initialisers of whatever the user names, which nothing
    // can make safe. That is why it happens here, in a process that has nothing to lose.
    let library = unsafe { Library::new(&absolute) }
        .map_err(|source| HostError::Load { path: absolute.clone(), source })?;
    // SAFETY: the header that the library is written to gives the function this type.
    let entry = unsafe { library.get::<Entry>(ENTRY) }
        .map_err(|source| HostError::NoEntry { path: absolute, source })?;
    relay(*entry, &mut BufReader::new(input), &mut &output)
}

fn relay(entry: Entry, input: &mut dyn BufRead, output: &mut dyn Write) -> Result<(), HostError> {
    let mut message = Vec::new();
    loop {
        message.clear();
        if input.read_until(b'\n', &mut message)? == 0 {
            return Ok(());
        }
        let message = message.trim_ascii_end();
        let mut answer =
            Answer { output: &mut *output, pending: Vec::new(), is_blank: true, failed: None };
        let context: *mut Answer<'_> = &raw mut answer;
        // SAFETY: message and length belong together and outlive the call; `collect` is
        // given the context it expects, and by contract not after the call.
        let code =
            unsafe { entry(message.as_ptr().cast(), message.len(), collect, context.cast()) };
        if code != 0 {
            return Err(HostError::Gave(code));
        }
        if is_bye(message) {
            return Ok(());
        }
        answer.finish()?;
    }
}

/// How much of an answer is passed on at once. One without end is not kept: it is the
/// harness that says how long a line may be.
const AT_ONCE: usize = 64 * 1024;

/// The answer to a message, on its way to the harness.
struct Answer<'o> {
    output: &'o mut dyn Write,
    pending: Vec<u8>,
    is_blank: bool,
    failed: Option<HostError>,
}

impl Answer<'_> {
    fn add(&mut self, piece: &[u8]) {
        self.is_blank &= piece.trim_ascii().is_empty();
        for part in piece.chunks(AT_ONCE) {
            // Between the tokens of JSON a line break is white space; in texts it is escaped.
            let is_break = |byte: u8| matches!(byte, b'\n' | b'\r');
            self.pending.extend(part.iter().map(|&it| if is_break(it) { b' ' } else { it }));
            if self.pending.len() >= AT_ONCE {
                self.pass_on();
            }
        }
    }

    fn pass_on(&mut self) {
        if self.failed.is_none() {
            self.failed = self.output.write_all(&self.pending).err().map(HostError::from);
        }
        self.pending.clear();
    }

    fn finish(mut self) -> Result<(), HostError> {
        if self.is_blank && self.failed.is_none() {
            return Err(HostError::Nothing);
        }
        self.pending.push(b'\n');
        self.pass_on();
        self.failed.map_or_else(|| Ok(self.output.flush()?), Err)
    }
}

/// Adds a piece to the answer.
///
/// # Safety
/// `context` is that of [`relay`], whose call is under way; `bytes` has `length` bytes.
unsafe extern "C" fn collect(context: *mut c_void, bytes: *const c_char, length: usize) {
    if bytes.is_null() || length == 0 {
        return;
    }
    // SAFETY: as this function's own condition says.
    let answer = unsafe { &mut *context.cast::<Answer<'_>>() };
    // An error code that was taken for a length is no reason to read all memory.
    if isize::try_from(length).is_err() {
        answer.failed = Some(HostError::Length(length));
        return;
    }
    // SAFETY: as above, and the length is one that a slice may have.
    let piece = unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), length) };
    answer.add(piece);
}

fn is_bye(message: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Value>(message).is_ok_and(|it| it["type"] == "bye")
}

/// Standard input and output for the messages alone.
fn take_streams() -> io::Result<(File, File)> {
    let copy = |fd: rustix::fd::BorrowedFd<'_>| -> io::Result<OwnedFd> {
        // Not for the processes that the library starts.
        Ok(rustix::io::fcntl_dupfd_cloexec(fd, 3)?)
    };
    let input = copy(rustix::stdio::stdin())?;
    let output = copy(rustix::stdio::stdout())?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok((input.into(), output.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" fn echo(
        message: *const c_char,
        length: usize,
        write: WritePiece,
        context: *mut c_void,
    ) -> c_int {
        // SAFETY: `relay` hands over what the header says.
        unsafe {
            let text = std::slice::from_raw_parts(message.cast::<u8>(), length);
            match text {
                b"silent" => {}
                b"broken" => return 7,
                b"endless" => write(context, message, usize::MAX),
                _ => {
                    write(context, b"{\r\n".as_ptr().cast(), 3);
                    write(context, std::ptr::null(), 5);
                    write(context, message, length);
                    write(context, b"\n}".as_ptr().cast(), 2);
                }
            }
        }
        0
    }

    fn talk(input: &str) -> (Result<(), HostError>, String) {
        let mut output = Vec::new();
        let result = relay(echo, &mut input.as_bytes(), &mut output);
        (result, String::from_utf8(output).unwrap())
    }

    #[test]
    fn pieces_become_one_line() {
        let (result, output) = talk("\"a\"\n\"b\"\r\n{\"type\":\"bye\"}\n\"after\"\n");
        assert!(result.is_ok());
        assert_eq!(output, "{  \"a\" }\n{  \"b\" }\n");
        assert_eq!(talk("").1, "");
        let long = "x".repeat(3 * AT_ONCE);
        assert_eq!(talk(&format!("{long}\n")).1, format!("{{  {long} }}\n"));
    }

    #[test]
    fn what_does_not_answer_is_told() {
        assert!(
            matches!(talk("x\nsilent\n"), (Err(HostError::Nothing), said) if said.lines().count() == 1)
        );
        assert!(matches!(talk("broken\n"), (Err(HostError::Gave(7)), _)));
        assert!(matches!(talk("endless\n"), (Err(HostError::Length(usize::MAX)), _)));
    }

    #[test]
    fn what_is_no_library_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.so");
        std::fs::write(&path, "no library").unwrap();
        // SAFETY: a file that is no library has no initialisers.
        let error = unsafe { Library::new(&path) }.err().unwrap();
        let told = HostError::Load { path, source: error }.to_string();
        assert!(told.starts_with("load the library"), "{told}");
    }
}
