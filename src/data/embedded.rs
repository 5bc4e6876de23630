//! What `build.rs` put into the binary.

/// Path, offset and length of every embedded file, and the length of the same as
/// JSON, which follows it, or 0; by path. Then comes the digest of the file.
static INDEX: &[(&str, usize, usize, usize)] = include!(concat!(env!("OUT_DIR"), "/data.index.rs"));

/// The bytes of a digest.
pub(super) const DIGEST: usize = 32;

/// The bytes of all embedded files.
static BLOB: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/data.blob"));

/// A folder that is embedded in the binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Folder {
    /// `suites/`: what is tested.
    Suites,
    /// `fixtures/`: what it is tested with.
    Fixtures,
    /// `schemas/`: the forms of documents and files.
    Schemas,
    /// `docs/adapters/`: profiles of tools, and adapters to start from.
    Adapters,
}

impl Folder {
    /// Its name in a checkout.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Suites => "suites",
            Self::Fixtures => "fixtures",
            Self::Schemas => "schemas",
            Self::Adapters => "docs/adapters",
        }
    }

    /// The files in it: their paths below it, in order, and their bytes.
    pub(crate) fn files(self) -> impl Iterator<Item = (&'static str, &'static [u8])> {
        let start = INDEX.partition_point(|(path, ..)| *path < self.name());
        INDEX[start..].iter().map_while(move |&(path, offset, length, _)| {
            let below = path.strip_prefix(self.name())?.strip_prefix('/')?;
            Some((below, &BLOB[offset..offset + length]))
        })
    }
}

/// The bytes of an embedded file, by its path in a checkout such as
/// `schemas/manifest.schema.json`.
#[must_use]
pub fn embedded_file(path: &str) -> Option<&'static [u8]> {
    let at = INDEX.binary_search_by_key(&path, |(path, ..)| path).ok()?;
    let (_, offset, length, _) = INDEX[at];
    Some(&BLOB[offset..offset + length])
}

/// The size of an embedded file in bytes, and its SHA-256 digest.
pub(super) fn embedded_digest(path: &str) -> Option<(usize, [u8; DIGEST])> {
    let at = INDEX.binary_search_by_key(&path, |(path, ..)| path).ok()?;
    let (_, offset, length, json) = INDEX[at];
    let digest = BLOB[offset + length + json..].first_chunk()?;
    Some((length, *digest))
}

/// The same content as JSON, for YAML files that this program reads itself.
pub(super) fn embedded_json(path: &str) -> Option<&'static [u8]> {
    let at = INDEX.binary_search_by_key(&path, |(path, ..)| path).ok()?;
    let (_, offset, length, json) = INDEX[at];
    (json > 0).then(|| &BLOB[offset + length..offset + length + json])
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use sha2::{Digest as _, Sha256};

    use super::*;

    #[test]
    fn the_index_is_sorted_and_covers_the_blob() {
        assert!(INDEX.is_sorted_by(|a, b| a.0 < b.0 && a.1 + a.2 + a.3 + DIGEST == b.1));
        let end =
            INDEX.last().map_or(0, |(_, offset, length, json)| offset + length + json + DIGEST);
        assert_eq!(BLOB.len(), end);
    }

    #[test]
    fn folders_hold_exactly_the_files_of_the_checkout() {
        for folder in [Folder::Suites, Folder::Fixtures, Folder::Schemas, Folder::Adapters] {
            let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder.name());
            let mut on_disk: Vec<String> = walkdir::WalkDir::new(&directory)
                .into_iter()
                .filter_map(Result::ok)
                .filter(|entry| entry.file_type().is_file())
                .map(|entry| entry.path().strip_prefix(&directory).unwrap().to_owned())
                .map(|path| path.to_str().unwrap().replace(std::path::MAIN_SEPARATOR, "/"))
                .collect();
            on_disk.sort();
            let embedded: Vec<&str> = folder.files().map(|(path, _)| path).collect();
            assert_eq!(embedded, on_disk);
            for (path, bytes) in folder.files() {
                assert_eq!(std::fs::read(directory.join(path)).unwrap(), bytes, "{path}");
                let whole = format!("{}/{path}", folder.name());
                assert_eq!(embedded_file(&whole), Some(bytes));
                let digest = <[u8; DIGEST]>::from(Sha256::digest(bytes));
                assert_eq!(embedded_digest(&whole), Some((bytes.len(), digest)));
            }
        }
        let suite = embedded_json("suites/manifest/suite.yaml").unwrap();
        let suite: serde_json::Value = serde_json::from_slice(suite).unwrap();
        assert_eq!(suite["suite"], "manifest");
        assert_eq!(embedded_json("schemas/manifest.schema.json"), None);
        assert_eq!(embedded_file("suites"), None);
        assert_eq!(embedded_file("suites/none"), None);
    }
}
