//! Holds what was written against the original: both must be read alike by everybody.

use std::collections::HashSet;
use std::sync::Arc;

use serde::de::IgnoredAny;

use super::Loss;
use crate::yaml::{Document, Entry, Kind, Node, NoteKind, Schema};

/// Whether bytes are JSON.
pub(super) fn is_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(bytes).is_ok()
}

/// Whether a text means the same as the original: the same tree by each version of
/// YAML, and nothing that is left open besides what is open in the original.
///
/// The order of keys does not count but among equal ones. What is an alias in one may
/// be written out in the other.
pub(super) fn prove(original: &Document, written: &str) -> Result<(), Loss> {
    let Ok(written) = Document::parse(written.as_bytes()) else { return Err(Loss::Differs) };
    let known = |kind: NoteKind| original.notes().iter().any(|note| note.kind == kind);
    if let Some(note) = written.notes().iter().find(|note| !known(note.kind)) {
        return Err(Loss::Opens(note.kind));
    }
    let mut pairs = original.roots().iter().zip(written.roots());
    let mut equal = Equal::default();
    if original.roots().len() == written.roots().len()
        && pairs.all(|(one, other)| equal.nodes(one, other))
    {
        Ok(())
    } else {
        Err(Loss::Differs)
    }
}

/// Compares trees. What aliases share is compared once, however often it stands there.
#[derive(Default)]
struct Equal {
    /// Pairs of shared children that are equal, by address.
    known: HashSet<(usize, usize)>,
}

impl Equal {
    fn nodes(&mut self, one: &Node, other: &Node) -> bool {
        let tag = |node: &Node| node.has_foreign_tag().then(|| node.tag().map(str::to_owned));
        if one.size() != other.size() || tag(one) != tag(other) {
            return false;
        }
        match (one.kind(), other.kind()) {
            (Kind::Sequence(one), Kind::Sequence(other)) => {
                self.once((address(one), address(other)), |equal| {
                    one.len() == other.len()
                        && one.iter().zip(&**other).all(|(one, other)| equal.nodes(one, other))
                })
            }
            (Kind::Mapping(one), Kind::Mapping(other)) => {
                self.once((address(one), address(other)), |equal| equal.entries(one, other))
            }
            _ => scalars(one, other),
        }
    }

    fn once(&mut self, pair: (usize, usize), compare: impl FnOnce(&mut Self) -> bool) -> bool {
        let equal = self.known.contains(&pair) || compare(self);
        if equal {
            self.known.insert(pair);
        }
        equal
    }

    fn entries(&mut self, one: &[Entry], other: &[Entry]) -> bool {
        let (Some(one), Some(other)) = (sorted(one), sorted(other)) else { return false };
        one.len() == other.len()
            && one.into_iter().zip(other).all(|((_, one), (_, other))| {
                one.key.is_merge_key() == other.key.is_merge_key()
                    && self.nodes(&one.key, &other.key)
                    && self.nodes(&one.value, &other.value)
            })
    }
}

fn address<T>(children: &Arc<Vec<T>>) -> usize {
    Arc::as_ptr(children).addr()
}

/// Entries by their keys, equal keys as they stand; `None` when a key is too large.
fn sorted(entries: &[Entry]) -> Option<Vec<(String, &Entry)>> {
    let keyed = entries.iter().map(|entry| Some((entry.key.canonical()?, entry)));
    let mut keyed: Vec<_> = keyed.collect::<Option<_>>()?;
    keyed.sort_by(|(one, _), (other, _)| one.cmp(other));
    Some(keyed)
}

fn scalars(one: &Node, other: &Node) -> bool {
    [Schema::Core, Schema::Yaml11].iter().all(|&schema| {
        match (one.read(schema), other.read(schema)) {
            (Kind::Float(one), Kind::Float(other)) => one.to_bits() == other.to_bits(),
            // Of numbers beyond 64 bits the text alone tells the value.
            (Kind::Other, Kind::Other) => one.text() == other.text(),
            (Kind::Int(number), Kind::Int(other_number)) => {
                let small = matches!(number, crate::yaml::Integer::Small(_));
                number == other_number && (small || one.text() == other.text())
            }
            (one, other) => one == other,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proved(original: &str, written: &str) -> Result<(), Loss> {
        prove(&Document::parse(original.as_bytes()).unwrap(), written)
    }

    #[test]
    fn what_is_read_alike_is_the_same() {
        for (original, written) in [
            ("a: 1\nb: [x, yes]", "b: ['x', yes]\na: 0x1"),
            ("a: &x [1]\nb: *x", "b: [1]\na: [1]"),
            ("a: null", "a:"),
            ("<<: &m {a: 1}\nb: 2", "b: 2\n<<: {a: 1}"),
            ("--- a\n--- b", "---\na\n---\n\"b\""),
            ("a: .nan", "a: .NaN"),
            ("!x {a: 1, 2: [~]}", "!x\n2: [null]\na: 1"),
        ] {
            assert_eq!(proved(original, written), Ok(()), "{original:?} {written:?}");
        }
    }

    #[test]
    fn what_somebody_reads_otherwise_is_not() {
        for (original, written) in [
            ("a: yes", "a: 'yes'"),
            ("a: 017", "a: 17"),
            ("a: 1.0", "a: 1"),
            ("a: 1", "a: '1'"),
            ("a: [1, 2]", "a: [2, 1]"),
            ("a: {b: 1}", "a: {b: 1, c: 2}"),
            ("a: !x b", "a: b"),
            ("a: !x b", "a: !y b"),
            ("<<: {a: 1}", "'<<': {a: 1}"),
            ("a: 99999999999999999999", "a: 99999999999999999998"),
            ("--- a\n--- b", "--- a"),
            ("a: b", "a: [b"),
            ("a: 2024-01-01", "a: 2024-01-02"),
        ] {
            assert_eq!(proved(original, written), Err(Loss::Differs), "{original:?} {written:?}");
        }
        assert_eq!(proved("{a: 1, a: 2}", "{a: 2, a: 1}"), Err(Loss::Differs));
        assert_eq!(proved("{a: 1, a: 2}", "a: 1\na: 2"), Ok(()));
        assert_eq!(proved("a: b", "a:\tb"), Err(Loss::Opens(NoteKind::Tab)));
        assert_eq!(proved("a:\tb", "a: b"), Ok(()));
    }

    #[test]
    fn aliases_of_aliases_are_compared_at_once() {
        let mut bomb = "a0: &a0 [x, x]\n".to_owned();
        for level in 1..40 {
            bomb.push_str(&format!("a{level}: &a{level} [*a{0}, *a{0}]\n", level - 1));
        }
        assert_eq!(proved(&bomb, &bomb.replace('\n', "\r\n")), Ok(()));
        assert_eq!(proved(&bomb, &bomb.replace("[x, x]", "[x, z]")), Err(Loss::Differs));
    }
}
