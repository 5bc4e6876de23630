//! What has come from a process that writes lines.

/// Bytes, of which whole lines are taken off the front.
#[derive(Debug, Default)]
pub(crate) struct Incoming {
    bytes: Vec<u8>,
    /// How many of them are known to hold no end of a line.
    searched: usize,
}

impl Incoming {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there is a line that [`Incoming::next_line`] has not seen.
    #[cfg(any(unix, test))]
    pub(crate) fn has_line(&self) -> bool {
        self.bytes.get(self.searched..).is_some_and(|fresh| fresh.contains(&b'\n'))
    }

    /// The next line that is not blank, without its end.
    pub(crate) fn next_line(&mut self) -> Option<Vec<u8>> {
        loop {
            let fresh = self.bytes.get(self.searched..).unwrap_or_default();
            let Some(end) = fresh.iter().position(|&byte| byte == b'\n') else {
                self.searched = self.bytes.len();
                return None;
            };
            let rest = self.bytes.split_off(self.searched + end + 1);
            let line = std::mem::replace(&mut self.bytes, rest);
            self.searched = 0;
            let line = line.trim_ascii();
            if !line.is_empty() {
                return Some(line.to_owned());
            }
        }
    }

    /// What is not a whole line, if it is more than blanks.
    pub(crate) fn rest(&self) -> Option<Vec<u8>> {
        let rest = self.bytes.trim_ascii();
        (!rest.is_empty()).then(|| rest.to_owned())
    }

    /// What is left.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
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
        assert!(incoming.has_line());
        assert_eq!(incoming.next_line().unwrap(), b"ab");
        assert_eq!(incoming.next_line().unwrap(), b"c");
        assert_eq!(incoming.next_line(), None);
        assert!(!incoming.has_line());
        assert_eq!((incoming.rest().unwrap(), incoming.len()), (b"d".to_vec(), 1));
        incoming.add(b"\n");
        assert_eq!(incoming.next_line().unwrap(), b"d");
        assert_eq!(incoming.rest(), None);
    }
}
