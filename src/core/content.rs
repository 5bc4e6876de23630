//! The bytes of a document.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

/// The bytes of a document, and their SHA-256 digest. To clone it copies neither.
#[derive(Clone)]
pub struct Content(Held);

#[derive(Clone)]
enum Held {
    /// A part of the program, which was digested when that was built.
    Embedded(&'static [u8], &'static [u8; 32]),
    Shared(Arc<[u8]>),
}

impl Content {
    /// Bytes that are a part of the program, and their digest.
    pub(crate) fn embedded(bytes: &'static [u8], digest: &'static [u8; 32]) -> Self {
        Self(Held::Embedded(bytes, digest))
    }

    /// The SHA-256 digest.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        match &self.0 {
            Held::Embedded(_, digest) => **digest,
            Held::Shared(bytes) => Sha256::digest(bytes).into(),
        }
    }

    /// Whether it is a clone of the other. If not, the bytes may be equal all the same.
    #[must_use]
    pub fn is_clone_of(&self, other: &Self) -> bool {
        std::ptr::eq(&raw const **self, &raw const **other)
    }
}

impl Deref for Content {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Held::Embedded(bytes, _) => bytes,
            Held::Shared(bytes) => bytes,
        }
    }
}

impl AsRef<[u8]> for Content {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl<T: Into<Arc<[u8]>>> From<T> for Content {
    fn from(bytes: T) -> Self {
        Self(Held::Shared(bytes.into()))
    }
}

impl PartialEq for Content {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Content {}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.escape_ascii())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_equal_by_its_bytes_and_has_their_digest() {
        static DIGEST: [u8; 32] = [7; 32];
        let (embedded, shared) = (Content::embedded(b"a", &DIGEST), Content::from(&b"a"[..]));
        assert_eq!(embedded, shared);
        assert_ne!(shared, Content::from(&b"b"[..]));
        assert_eq!(embedded.digest(), DIGEST);
        assert_eq!(shared.digest(), <[u8; 32]>::from(Sha256::digest(b"a")));
        assert_eq!(format!("{:?}", Content::from(&b"a\n\xff"[..])), r#"b"a\n\xff""#);
    }

    #[test]
    fn only_a_clone_is_a_clone() {
        let first = Content::from(&b"abc"[..]);
        assert!(first.is_clone_of(&first.clone()));
        assert!(!first.is_clone_of(&Content::from(&b"abc"[..])));
    }
}
