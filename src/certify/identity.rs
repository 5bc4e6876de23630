//! Identities: `sha256:` and the hex digest of bytes, or of the canonical JSON
//! (RFC 8785) of a value. They hold content alone: no time, no host, no user.

use std::fmt;
use std::io::{self, Read};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The largest integer that every JSON reader keeps: 2^53 - 1.
const LARGEST_INTEGER: u64 = (1 << 53) - 1;

/// `sha256:` and 64 hex digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Identity(String);

/// Why something has no identity.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// The text is not of the form.
    #[error("{0:?} is no identity: write sha256: and 64 digits 0-9 a-f")]
    Form(String),
    /// The value has no canonical JSON.
    #[error("make canonical JSON: {0}")]
    Canonical(#[from] serde_json::Error),
    /// An integer that not every JSON reader keeps.
    #[error("make canonical JSON: {0} is above 2^53 - 1, where readers lose digits")]
    Integer(String),
}

impl Identity {
    /// The identity of bytes.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self::of_digest(&Sha256::digest(bytes).into())
    }

    /// The identity of all that a reader gives, and how many bytes that are.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of_reader(reader: &mut dyn Read) -> io::Result<(Self, u64)> {
        let (mut hash, mut buffer, mut size) = (Sha256::new(), vec![0; 64 * 1024], 0);
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return Ok((Self::of_digest(&hash.finalize().into()), size)),
                Ok(count) => {
                    hash.update(&buffer[..count]);
                    size += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The identity with this digest.
    pub(crate) fn of_digest(digest: &[u8; 32]) -> Self {
        let mut text = String::with_capacity(71);
        text.push_str("sha256:");
        for byte in digest {
            text.push(char::from_digit(u32::from(byte >> 4), 16).unwrap_or('0'));
            text.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
        }
        Self(text)
    }

    /// The identity of a value: of its canonical JSON.
    ///
    /// # Errors
    /// When it has no canonical JSON: it holds an integer above 2^53 - 1, or
    /// something that is no JSON.
    pub fn of_value(value: &impl Serialize) -> Result<Self, IdentityError> {
        Ok(Self::of_bytes(&canonical(value)?))
    }

    /// The hex digits after `sha256:`.
    #[must_use]
    pub fn hex(&self) -> &str {
        self.0.trim_start_matches("sha256:")
    }

    /// The identity as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The canonical JSON (RFC 8785) of a value, without a newline.
///
/// # Errors
/// As [`Identity::of_value`].
pub fn canonical(value: &impl Serialize) -> Result<Vec<u8>, IdentityError> {
    check_integers(&serde_json::to_value(value)?)?;
    // Of the value itself: as a `Value`, a number that is not finite has become null.
    Ok(serde_json_canonicalizer::to_vec(value)?)
}

fn check_integers(value: &serde_json::Value) -> Result<(), IdentityError> {
    match value {
        serde_json::Value::Number(number) => {
            let size = number.as_u64().or(number.as_i64().map(i64::unsigned_abs));
            match size.filter(|&size| size > LARGEST_INTEGER) {
                Some(_) => Err(IdentityError::Integer(number.to_string())),
                None => Ok(()),
            }
        }
        serde_json::Value::Array(entries) => entries.iter().try_for_each(check_integers),
        serde_json::Value::Object(fields) => fields.values().try_for_each(check_integers),
        _ => Ok(()),
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl TryFrom<String> for Identity {
    type Error = IdentityError;
    fn try_from(text: String) -> Result<Self, IdentityError> {
        let hex = text.strip_prefix("sha256:").unwrap_or_default();
        let valid = hex.len() == 64 && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if valid { Ok(Self(text)) } else { Err(IdentityError::Form(text)) }
    }
}

impl From<Identity> for String {
    fn from(identity: Identity) -> Self {
        identity.0
    }
}

/// One file of a tree manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TreeEntry {
    /// Identity of the content; for a link of the target's text.
    pub digest: Identity,
    /// `0644`, `0755` for a file that may be executed, `0777` for a link.
    pub mode: &'static str,
    /// The path below the root, with `/`.
    pub path: String,
    /// Bytes.
    pub size: u64,
    /// `file` or `link`.
    #[serde(rename = "type")]
    pub kind: &'static str,
}

impl TreeEntry {
    /// A plain file.
    #[must_use]
    pub fn file(path: impl Into<String>, bytes: &[u8]) -> Self {
        Self::known(path.into(), bytes.len() as u64, Identity::of_bytes(bytes))
    }

    /// A plain file whose size and identity are known.
    pub(crate) fn known(path: String, size: u64, digest: Identity) -> Self {
        Self { digest, mode: "0644", path, size, kind: "file" }
    }

    /// A symbolic link.
    #[must_use]
    pub fn link(path: impl Into<String>, target: &str) -> Self {
        Self { kind: "link", mode: "0777", ..Self::file(path, target.as_bytes()) }
    }
}

/// The manifest of a tree, with its fields in canonical order, as those of
/// [`TreeEntry`] are: as plain JSON it is canonical then.
#[derive(Serialize)]
struct TreeManifest<'a> {
    entries: &'a [TreeEntry],
    schema: &'a str,
}

/// The identity of a tree: of the manifest that lists its entries by path.
///
/// # Errors
/// As [`Identity::of_value`].
pub fn tree_identity(mut entries: Vec<TreeEntry>) -> Result<Identity, IdentityError> {
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    if let Some(entry) = entries.iter().find(|entry| entry.size > LARGEST_INTEGER) {
        return Err(IdentityError::Integer(entry.size.to_string()));
    }
    let schema = "urn:living-conformance:schema:tree-manifest:1";
    // Written once and straight away: a thousand fixtures are digested at every start.
    let paths: usize = entries.iter().map(|entry| entry.path.len()).sum();
    let mut manifest = Vec::with_capacity(paths + entries.len() * 160 + 128);
    serde_json::to_writer(&mut manifest, &TreeManifest { entries: &entries, schema })?;
    Ok(Identity::of_bytes(&manifest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_receipt_has_its_published_identity() {
        let id = |digit: &str| format!("sha256:{}", digit.repeat(64));
        let receipt = serde_json::json!({
            "schema": "urn:literate-ai:schema:v1:project-test-receipt",
            "project": "example-runtime",
            "project_revision": id("3"),
            "subject": id("5"),
            "suite": {"id": "living-repositories", "version": "0.4.0", "revision": id("6")},
            "tests": 394,
            "result": id("4"),
            "evidence": {"test-runner": id("2"), "test-report": id("1")},
        });
        assert_eq!(
            Identity::of_value(&receipt).unwrap().as_str(),
            "sha256:17c1625ab97237f09db3cc598ee6ec5ba749b1508809ee4f81a5849dff38f93d"
        );
    }

    #[test]
    fn identities_have_one_form() {
        let good = format!("sha256:{}", "0a".repeat(32));
        assert!(Identity::try_from(good.clone()).is_ok());
        for bad in [String::new(), good.to_uppercase(), good[..70].to_owned(), format!("{good}0")] {
            assert!(Identity::try_from(bad.clone()).is_err(), "{bad}");
        }
        assert_eq!(
            Identity::of_reader(&mut io::empty()).unwrap().0.as_str(),
            "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
    }

    #[test]
    fn integers_that_lose_digits_are_refused() {
        assert!(Identity::of_value(&LARGEST_INTEGER).is_ok());
        assert!(Identity::of_value(&vec![LARGEST_INTEGER + 1]).is_err());
        assert!(Identity::of_value(&(-(LARGEST_INTEGER as i64) - 1)).is_err());
    }

    #[test]
    fn a_tree_is_its_files_in_whatever_order() {
        let files = || vec![TreeEntry::file("a", b"1"), TreeEntry::file("b/c", b"2")];
        let tree = tree_identity(files()).unwrap();
        assert_eq!(tree, tree_identity(files().into_iter().rev().collect()).unwrap());
        assert_ne!(tree, tree_identity(vec![TreeEntry::file("a", b"1")]).unwrap());
        let odd =
            vec![TreeEntry::file("a é \"\\\u{1}\u{7f}\u{2028}😀", b"2"), TreeEntry::link("z", "a")];
        let manifest = serde_json::json!({
            "schema": "urn:living-conformance:schema:tree-manifest:1",
            "entries": odd.clone(),
        });
        assert_eq!(tree_identity(odd).unwrap(), Identity::of_value(&manifest).unwrap());
    }
}
