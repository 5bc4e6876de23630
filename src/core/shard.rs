//! Parts of a plan that run apart from each other.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{CaseId, FixtureId};

/// One of several parts of a plan. All cases of a fixture are in the same one: what
/// holds between them can be judged only where they run together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    by: ShardBy,
    number: u32,
    total: u32,
}

/// What decides on the shard of a fixture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum ShardBy {
    /// Its id alone: a fixture that is added moves no other.
    Hash,
    /// Its place in the order of the ids: shards have the same size.
    Slice,
}

/// A shard, and the cases that it leaves to the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Sharded {
    /// The shard.
    pub part: Shard,
    /// The cases of the other shards, by id.
    pub elsewhere: Vec<CaseId>,
}

/// Why a text is no shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no shard; write it as 2/5 for the second of five, or as slice:2/5")]
pub struct ShardError(String);

impl Shard {
    /// The shard with this number, from 1, of `total` by hash; `None` when there is no
    /// such shard.
    #[must_use]
    pub fn hash(number: u32, total: u32) -> Option<Self> {
        Self { by: ShardBy::Hash, number, total }.checked()
    }

    fn checked(self) -> Option<Self> {
        (1..=self.total).contains(&self.number).then_some(self)
    }

    /// Its number, from 1.
    #[must_use]
    pub fn number(self) -> u32 {
        self.number
    }

    /// How many there are.
    #[must_use]
    pub fn total(self) -> u32 {
        self.total
    }

    /// Whether both are of the same parting.
    #[must_use]
    pub fn is_beside(self, other: Self) -> bool {
        self.by == other.by && self.total == other.total
    }

    /// The shard of the same parting with another number.
    #[must_use]
    pub fn sibling(self, number: u32) -> Self {
        Self { number, ..self }
    }

    /// Whether a fixture is in it: one that stands at `place`, from 0, in the order of
    /// the ids of all fixtures that are selected.
    ///
    /// By hash it is when the first eight bytes of the SHA-256 of its id, read as one
    /// number with the first byte as the highest, leave `number - 1` when divided by
    /// `total`. By slice it is when its place does.
    #[must_use]
    pub fn has(self, fixture: &FixtureId, place: usize) -> bool {
        let key = match self.by {
            ShardBy::Hash => {
                let digest = Sha256::digest(fixture.as_str().as_bytes());
                digest.iter().take(8).fold(0, |number, &byte| number << 8 | u64::from(byte))
            }
            ShardBy::Slice => place as u64,
        };
        key % u64::from(self.total) == u64::from(self.number - 1)
    }
}

impl FromStr for Shard {
    type Err = ShardError;
    fn from_str(text: &str) -> Result<Self, ShardError> {
        let parse = || {
            let (by, rest) = match text.split_once(':') {
                None => (ShardBy::Hash, text),
                Some(("hash", rest)) => (ShardBy::Hash, rest),
                Some(("slice", rest)) => (ShardBy::Slice, rest),
                Some(_) => return None,
            };
            let (number, total) = rest.split_once('/')?;
            let digits = |text: &str| {
                let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
                plain.then(|| text.parse().ok())?
            };
            Self { by, number: digits(number)?, total: digits(total)? }.checked()
        };
        parse().ok_or_else(|| ShardError(text.to_owned()))
    }
}

impl TryFrom<String> for Shard {
    type Error = ShardError;
    fn try_from(text: String) -> Result<Self, ShardError> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = match self.by {
            ShardBy::Hash => "hash",
            ShardBy::Slice => "slice",
        };
        write!(f, "{by}:{}/{}", self.number, self.total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixture(number: usize) -> FixtureId {
        FixtureId::new(&format!("t/fixture-{number}")).unwrap()
    }

    #[test]
    fn a_shard_is_written_as_a_fraction() {
        let shard = |text: &str| text.parse::<Shard>().unwrap().to_string();
        assert_eq!(shard("2/5"), "hash:2/5");
        assert_eq!(shard("hash:5/5"), "hash:5/5");
        assert_eq!(shard("slice:1/1"), "slice:1/1");
        for bad in [
            "",
            "0/5",
            "6/5",
            "1/0",
            "1",
            "/",
            "1/",
            "/2",
            "a:1/2",
            "+1/2",
            "1/2/3",
            "1/99999999999",
        ] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }

    #[test]
    fn each_fixture_is_in_exactly_one_shard() {
        for parting in ["1/7", "slice:1/7"] {
            let first: Shard = parting.parse().unwrap();
            let sizes: Vec<usize> = (1..=7)
                .map(|number| {
                    let shard = first.sibling(number);
                    (0..700).filter(|&at| shard.has(&fixture(at), at)).count()
                })
                .collect();
            assert_eq!(sizes.iter().sum::<usize>(), 700, "{parting}");
            assert!(sizes.iter().all(|size| (60..140).contains(size)), "{parting}: {sizes:?}");
        }
    }

    /// `printf %s manifest/project_id/too-long | sha256sum` begins with
    /// 85b08e031cca1485; who wants to find a case's shard must get the same.
    #[test]
    fn the_hash_is_for_ever() {
        let id = FixtureId::new("manifest/project_id/too-long").unwrap();
        let number = 0x85b0_8e03_1cca_1485_u64 % 5 + 1;
        let found = (1..=5).filter(|&number| Shard::hash(number, 5).unwrap().has(&id, 0));
        assert_eq!(found.collect::<Vec<_>>(), [u32::try_from(number).unwrap()]);
    }
}
