//! What `build.rs` put into the binary.

/// Where a file lies in the blob: its path below its folder, its offset and length, and
/// the length of the same as JSON, which follows it, or 0. Then comes its digest.
type Place = (&'static str, usize, usize, usize);

/// The folders by name, each with its files by path.
static INDEX: [(&str, &[Place]); 4] = include!(concat!(env!("OUT_DIR"), "/data.index.rs"));

/// The bytes of a digest.
pub(super) const DIGEST: usize = 32;

/// The bytes of all embedded files.
static BLOB: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/data.blob"));

/// An embedded file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Embedded {
    pub(super) bytes: &'static [u8],
    /// The same content as JSON, for YAML files that this program reads itself.
    pub(super) json: Option<&'static [u8]>,
    /// Its SHA-256 digest.
    pub(super) digest: &'static [u8; DIGEST],
}

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
    /// All of them.
    const ALL: [Self; 4] = [Self::Suites, Self::Fixtures, Self::Schemas, Self::Adapters];

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
        self.embedded().map(|(path, file)| (path, file.bytes))
    }

    /// The same, with all that is known of them.
    pub(super) fn embedded(self) -> impl Iterator<Item = (&'static str, Embedded)> {
        self.places().iter().map(|place| (place.0, at(place)))
    }

    /// The file with this path below it.
    pub(super) fn file(self, path: &str) -> Option<Embedded> {
        let places = self.places();
        let found = places.binary_search_by_key(&path, |(path, ..)| path).ok()?;
        Some(at(&places[found]))
    }

    fn places(self) -> &'static [Place] {
        let own = INDEX.iter().find(|(name, _)| *name == self.name());
        own.map_or(&[], |(_, places)| places)
    }
}

fn at(&(_, offset, length, json): &Place) -> Embedded {
    let (bytes, rest) = BLOB[offset..].split_at(length);
    let (json, rest) = rest.split_at(json);
    let digest = rest.first_chunk().unwrap_or(&[0; DIGEST]);
    Embedded { bytes, json: (!json.is_empty()).then_some(json), digest }
}

/// The bytes of an embedded file, by its path in a checkout such as
/// `schemas/manifest.schema.json`.
#[must_use]
pub fn embedded_file(path: &str) -> Option<&'static [u8]> {
    let below = |folder: &Folder| path.strip_prefix(folder.name())?.strip_prefix('/');
    Folder::ALL.iter().find_map(|folder| Some(folder.file(below(folder)?)?.bytes))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use sha2::{Digest as _, Sha256};

    use super::*;

    #[test]
    fn the_index_is_sorted_and_covers_the_blob() {
        let mut end = 0;
        for (folder, places) in INDEX {
            assert!(Folder::ALL.iter().any(|known| known.name() == folder), "{folder}");
            assert!(places.is_sorted_by(|a, b| a.0 < b.0));
            for (path, offset, length, json) in places {
                assert_eq!(*offset, end, "{path}");
                end = offset + length + json + DIGEST;
            }
        }
        assert_eq!(BLOB.len(), end);
    }

    #[test]
    fn folders_hold_exactly_the_files_of_the_checkout() {
        for folder in Folder::ALL {
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
                assert_eq!(folder.file(path).unwrap().digest, &digest);
            }
        }
        let suite = Folder::Suites.file("manifest/suite.yaml").unwrap().json.unwrap();
        let suite: serde_json::Value = serde_json::from_slice(suite).unwrap();
        assert_eq!(suite["suite"], "manifest");
        assert_eq!(Folder::Schemas.file("manifest.schema.json").unwrap().json, None);
        assert_eq!(embedded_file("suites"), None);
        assert_eq!(embedded_file("suites/none"), None);
    }
}
