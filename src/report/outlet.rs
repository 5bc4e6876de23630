//! Standard output and standard error, watched for a reader that goes away.

use std::io::{self, Write};
#[cfg(unix)]
use std::os::fd::AsFd;

#[cfg(unix)]
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Writes as the stream in it does. [`Write::flush`] also fails when nobody reads
/// the other end of a pipe any more, though nothing was left to write.
#[derive(Debug)]
pub struct Outlet<W>(pub W);

/// Elsewhere a reader that goes away is noticed when something is written.
#[cfg(not(unix))]
impl<W: Write> Write for Outlet<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(unix)]
impl<W: Write + AsFd> Write for Outlet<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()?;
        let mut ends = [PollFd::new(&self.0, PollFlags::OUT)];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        match poll(&mut ends, Some(&at_once)) {
            Ok(_) if ends[0].revents().contains(PollFlags::ERR) => {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            // A stream that cannot be asked may still be written to.
            _ => Ok(()),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn a_reader_that_goes_away_is_noticed_without_a_write() {
        let (reader, writer) = io::pipe().unwrap();
        let mut outlet = Outlet(writer);
        outlet.write_all(b"x").unwrap();
        outlet.flush().unwrap();
        drop(reader);
        assert_eq!(outlet.flush().unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }

    #[test]
    fn files_and_devices_always_have_a_reader() {
        Outlet(tempfile::tempfile().unwrap()).flush().unwrap();
        Outlet(File::options().write(true).open("/dev/null").unwrap()).flush().unwrap();
    }
}
