//! What has come from a process that writes lines.

use super::child::Heard;

/// Bytes, of which whole lines are taken off the front.
#[derive(Debug)]
pub(crate) struct Incoming {
    /// How long a line may be.
    limit: usize,
    bytes: Vec<u8>,
    /// Where the next line begins.
    from: usize,
    /// Where to look for its end.
    searched: usize,
}

impl Incoming {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, bytes: Vec::new(), from: 0, searched: 0 }
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.from);
        self.searched -= self.from;
        self.from = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// Whether there is more than a line may have.
    pub(crate) fn is_flooded(&self) -> bool {
        self.bytes.len() - self.from > self.limit
    }

    /// What is heard without waiting, from a process that may have closed its output;
    /// `None` where there is more to come.
    pub(crate) fn heard(&mut self, is_closed: bool) -> Option<Heard> {
        match self.next_line() {
            Some(line) => Some(Heard::Line(line)),
            None if self.is_flooded() => Some(Heard::Flooded),
            None => is_closed.then_some(Heard::Ended),
        }
    }

    /// What is there, as a whole line or not, if it is more than blanks.
    pub(crate) fn surplus(&mut self) -> Option<Vec<u8>> {
        self.next_line().or_else(|| self.rest())
    }

    /// The next line that is not blank, without its end.
    fn next_line(&mut self) -> Option<Vec<u8>> {
        loop {
            let fresh = self.bytes.get(self.searched..).unwrap_or_default();
            let Some(end) = fresh.iter().position(|&byte| byte == b'\n') else {
                self.searched = self.bytes.len();
                return None;
            };
            let end = self.searched + end;
            let line = self.bytes.get(self.from..end).unwrap_or_default().trim_ascii().to_owned();
            self.from = end + 1;
            self.searched = self.from;
            if !line.is_empty() {
                return Some(line);
            }
        }
    }

    /// What is not a whole line, if it is more than blanks.
    fn rest(&self) -> Option<Vec<u8>> {
        let rest = self.bytes.get(self.from..).unwrap_or_default().trim_ascii();
        (!rest.is_empty()).then(|| rest.to_owned())
    }

    /// What is left.
    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        self.bytes.split_off(self.from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_whatever_the_pieces() {
        let mut incoming = Incoming::new(1);
        assert_eq!(incoming.next_line(), None);
        for piece in ["a", "b\r", "\n\n  \n", "c\nd"] {
            incoming.add(piece.as_bytes());
        }
        assert_eq!(incoming.next_line().unwrap(), b"ab");
        assert_eq!(incoming.next_line().unwrap(), b"c");
        assert_eq!(incoming.next_line(), None);
        assert_eq!((incoming.rest().unwrap(), incoming.is_flooded()), (b"d".to_vec(), false));
        incoming.add(b"\n");
        assert_eq!(incoming.next_line().unwrap(), b"d");
        assert_eq!(incoming.rest(), None);
        incoming.add(b"e\nf");
        assert_eq!(incoming.next_line().unwrap(), b"e");
        assert_eq!(incoming.into_bytes(), b"f");
    }

    #[test]
    fn a_line_is_heard_before_a_flood_and_a_flood_before_the_end() {
        let mut incoming = Incoming::new(2);
        assert_eq!(incoming.heard(false), None);
        incoming.add(b"a line\nabc");
        assert_eq!(incoming.heard(true), Some(Heard::Line(b"a line".to_vec())));
        assert_eq!(incoming.heard(true), Some(Heard::Flooded));
        assert_eq!(incoming.surplus().unwrap(), b"abc");
        assert_eq!(Incoming::new(2).heard(true), Some(Heard::Ended));
    }
}
