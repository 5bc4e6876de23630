//! What has come from a process that writes lines.

/// Bytes, of which whole lines are taken off the front.
#[derive(Debug, Default)]
pub(crate) struct Incoming {
    bytes: Vec<u8>,
    /// Where the next line begins.
    from: usize,
    /// Where to look for its end.
    searched: usize,
}

impl Incoming {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.from);
        self.searched -= self.from;
        self.from = 0;
        self.bytes.extend_from_slice(bytes);
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len() - self.from
    }

    /// The next line that is not blank, without its end.
    pub(crate) fn next_line(&mut self) -> Option<Vec<u8>> {
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
    pub(crate) fn rest(&self) -> Option<Vec<u8>> {
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
        let mut incoming = Incoming::default();
        assert_eq!(incoming.next_line(), None);
        for piece in ["a", "b\r", "\n\n  \n", "c\nd"] {
            incoming.add(piece.as_bytes());
        }
        assert_eq!(incoming.next_line().unwrap(), b"ab");
        assert_eq!(incoming.next_line().unwrap(), b"c");
        assert_eq!(incoming.next_line(), None);
        assert_eq!((incoming.rest().unwrap(), incoming.len()), (b"d".to_vec(), 1));
        incoming.add(b"\n");
        assert_eq!(incoming.next_line().unwrap(), b"d");
        assert_eq!(incoming.rest(), None);
        incoming.add(b"e\nf");
        assert_eq!(incoming.next_line().unwrap(), b"e");
        assert_eq!(incoming.into_bytes(), b"f");
    }
}
