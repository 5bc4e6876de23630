//! The two streams of a child, read up to a limit.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::Child;

use rustix::fs::{OFlags, fcntl_setfl, fstat};
use rustix::io::Errno;

use crate::core::Stream;

/// What a read asks for at most: what a pipe holds.
const CHUNK: usize = 64 * 1024;

/// Standard output and standard error of a child.
#[derive(Debug)]
pub(crate) struct Streams {
    captures: [Capture; 2],
    limit: usize,
}

#[derive(Debug)]
struct Capture {
    stream: Stream,
    /// `None` once it is at its end.
    pipe: Option<OwnedFd>,
    bytes: Vec<u8>,
}

impl Streams {
    /// Takes the child's pipes; `limit` is in bytes, for each stream.
    pub(crate) fn of(child: &mut Child, limit: usize) -> io::Result<Self> {
        let stdout = child.stdout.take().map(OwnedFd::from);
        let stderr = child.stderr.take().map(OwnedFd::from);
        for pipe in stdout.iter().chain(&stderr) {
            // A child can open its own end for reading and take the bytes away
            // between poll and read; a blocking read would then wait for ever.
            fcntl_setfl(pipe, OFlags::NONBLOCK)?;
        }
        let capture = |stream, pipe| Capture { stream, pipe, bytes: Vec::new() };
        Ok(Self {
            captures: [capture(Stream::Stdout, stdout), capture(Stream::Stderr, stderr)],
            limit,
        })
    }

    /// Whether somebody can still write to one of them.
    pub(crate) fn is_open(&self) -> bool {
        self.captures.iter().any(|capture| capture.pipe.is_some())
    }

    /// The pipes that are open, by their place in [`Streams::read`].
    pub(crate) fn pipes(&self) -> [Option<BorrowedFd<'_>>; 2] {
        self.captures.each_ref().map(|capture| capture.pipe.as_ref().map(AsFd::as_fd))
    }

    /// The numbers of the inodes of the pipes that are open.
    pub(crate) fn inodes(&self) -> Vec<u64> {
        let pipes = self.pipes().into_iter().flatten();
        pipes.filter_map(|pipe| fstat(pipe).ok()).map(|stat| stat.st_ino).collect()
    }

    /// Marks a pipe that poll says has hung up with nothing left to read.
    pub(crate) fn close(&mut self, place: usize) {
        if let Some(capture) = self.captures.get_mut(place) {
            capture.pipe = None;
        }
    }

    /// Reads what is there, at most one full pipe.
    pub(crate) fn read(&mut self, place: usize, scratch: &mut Scratch) -> Read {
        let limit = self.limit;
        self.captures.get_mut(place).map_or(Read::Nothing, |capture| capture.read(limit, scratch))
    }

    /// Reads both until they would block or are at their end; the stream that
    /// goes over its limit, if one does.
    pub(crate) fn read_all(&mut self, scratch: &mut Scratch) -> Option<Stream> {
        for place in 0..self.captures.len() {
            loop {
                match self.read(place, scratch) {
                    Read::Some => {}
                    Read::Nothing => break,
                    Read::Flood(stream) => return Some(stream),
                }
            }
        }
        None
    }

    /// What was read of standard output and standard error.
    pub(crate) fn into_bytes(self) -> (Vec<u8>, Vec<u8>) {
        let [stdout, stderr] = self.captures;
        (stdout.bytes, stderr.bytes)
    }
}

/// Where reads go first, so that a child that writes nothing costs no memory.
#[derive(Debug)]
pub(crate) struct Scratch(Box<[u8]>);

impl Default for Scratch {
    fn default() -> Self {
        Self(vec![0; CHUNK].into_boxed_slice())
    }
}

impl Scratch {
    /// Reads once: some bytes, none at the end, or `None` when nothing is there.
    pub(crate) fn read(&mut self, pipe: &OwnedFd) -> Option<&[u8]> {
        match rustix::io::read(pipe, &mut *self.0) {
            Ok(count) => self.0.get(..count),
            Err(Errno::INTR | Errno::AGAIN) => None,
            // A pipe has no other errors; one that cannot be read is at its end.
            Err(_) => Some(&[]),
        }
    }
}

/// What a read found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Read {
    /// Bytes; there may be more.
    Some,
    /// Nothing for now, or the end.
    Nothing,
    /// More than the limit.
    Flood(Stream),
}

impl Capture {
    fn read(&mut self, limit: usize, scratch: &mut Scratch) -> Read {
        let Some(pipe) = &self.pipe else { return Read::Nothing };
        match rustix::io::read(pipe, &mut *scratch.0) {
            Ok(0) => self.pipe = None,
            Ok(count) => {
                let room = limit - self.bytes.len();
                let fresh = scratch.0.get(..count.min(room)).unwrap_or_default();
                self.bytes.extend_from_slice(fresh);
                return if count > room { Read::Flood(self.stream) } else { Read::Some };
            }
            Err(Errno::INTR) => return Read::Some,
            Err(Errno::AGAIN) => {}
            // A pipe has no other errors; one that cannot be read is at its end.
            Err(_) => self.pipe = None,
        }
        Read::Nothing
    }
}
