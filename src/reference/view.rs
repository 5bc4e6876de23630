//! A tree as one reading sees it.

use std::collections::HashSet;

use super::Reading;
use crate::yaml::{Entry, Kind, Node, Schema, Traits};

/// Steps that merging keys may take; a text that needs more is a bomb.
const MOST_MERGED: usize = 10_000;

/// A key of a mapping.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Key<'n> {
    /// A string.
    Name(&'n str),
    /// Anything else.
    Odd,
}

/// A key with its value, as a reading sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member<'n> {
    pub(super) key: Key<'n>,
    pub(super) key_node: &'n Node,
    pub(super) value: &'n Node,
}

/// The members of a mapping, each key once.
#[derive(Debug)]
pub(super) struct Members<'n> {
    pub(super) list: Vec<Member<'n>>,
    /// A key occurs twice.
    pub(super) duplicates: bool,
    /// There is a merge key.
    pub(super) merges: bool,
}

impl<'n> Members<'n> {
    pub(super) fn get(&self, name: &str) -> Option<&Member<'n>> {
        self.list.iter().find(|member| member.key == Key::Name(name))
    }
}

impl Reading {
    /// The value of a node.
    pub(super) fn kind<'n>(&self, node: &'n Node) -> &'n Kind {
        node.read(self.schema)
    }

    /// The text of a string.
    pub(super) fn string<'n>(&self, node: &'n Node) -> Option<&'n str> {
        match self.kind(node) {
            Kind::String(text) => Some(text),
            _ => None,
        }
    }

    /// The members of a mapping.
    pub(super) fn members<'n>(&self, node: &'n Node) -> Option<Members<'n>> {
        let entries = node.as_mapping()?;
        let traits = self.own_traits(entries);
        let mut list = Vec::with_capacity(entries.len());
        let mut seen = HashSet::new();
        let mut steps = MOST_MERGED;
        self.collect(entries, &mut list, &mut seen, &mut steps);
        Some(Members { list, duplicates: traits.0, merges: traits.1 })
    }

    /// Whether a key occurs twice among these entries, and whether one is a merge key.
    fn own_traits(&self, entries: &[Entry]) -> (bool, bool) {
        let mut seen = HashSet::new();
        let duplicates = entries.iter().any(|entry| {
            let text = entry.key.text();
            text.is_some_and(|text| {
                // Two texts may be one value (`1` and `+1`): their kinds tell.
                let kind = match self.kind(&entry.key) {
                    Kind::String(_) => format!("s{text}"),
                    kind => format!("{kind:?}"),
                };
                !seen.insert(kind)
            })
        });
        (duplicates, entries.iter().any(|entry| entry.key.is_merge_key()))
    }

    fn collect<'n>(
        &self,
        entries: &'n [Entry],
        list: &mut Vec<Member<'n>>,
        seen: &mut HashSet<&'n str>,
        steps: &mut usize,
    ) {
        let mut merged = Vec::new();
        let ordered: Box<dyn Iterator<Item = &'n Entry>> =
            if self.first_key { Box::new(entries.iter()) } else { Box::new(entries.iter().rev()) };
        let start = list.len();
        for entry in ordered {
            if self.merge && entry.key.is_merge_key() {
                merged.push(&entry.value);
                continue;
            }
            let text = entry.key.text().unwrap_or_default();
            let is_name =
                matches!(self.kind(&entry.key), Kind::String(_)) || entry.key.is_merge_key();
            let key = if is_name { Key::Name(text) } else { Key::Odd };
            if !is_name || seen.insert(text) {
                list.push(Member { key, key_node: &entry.key, value: &entry.value });
            }
        }
        if !self.first_key {
            // Back to the order of the source.
            list[start..].reverse();
        }
        for value in merged {
            let sources = match value.kind() {
                Kind::Sequence(items) => items.as_slice(),
                _ => std::slice::from_ref(value),
            };
            for source in sources {
                *steps = steps.saturating_sub(1 + source.as_mapping().map_or(0, <[_]>::len));
                if let (Some(entries), 1..) = (source.as_mapping(), *steps) {
                    self.collect(entries, list, seen, steps);
                }
            }
        }
    }

    /// The traits that stand for duplicate keys by this reading's schema.
    pub(super) fn duplicate_traits(&self) -> Traits {
        match self.schema {
            Schema::Core => Traits::DUPLICATE_KEY,
            Schema::Yaml11 => Traits::DUPLICATE_KEY_11,
        }
    }

    /// The traits that stand for keys that are no strings.
    pub(super) fn odd_key_traits(&self) -> Traits {
        match self.schema {
            Schema::Core => Traits::ODD_KEY,
            Schema::Yaml11 => Traits::ODD_KEY_11,
        }
    }
}
