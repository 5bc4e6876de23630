//! Changes to a YAML text that leave all the rest of it as it is: comments, the order
//! of keys, blank lines and quotes.

use std::ops::Range;

use super::{Document, Entry, Error, Kind, Node, Style};

/// A YAML text that can be changed in places.
///
/// Places are paths of indices: of an entry in a mapping, of an item in a sequence.
/// Only the first document of the text is edited.
#[derive(Debug, Clone)]
pub struct Editor {
    document: Document,
}

/// Why a change was not made; the text is as before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("edit the YAML at this place: it is written in a way that cannot be changed in part")]
pub struct CannotEdit;

/// What a path leads to, with what is around it.
struct Spot<'a> {
    parent: &'a Node,
    index: usize,
    /// The key, when the parent is a mapping.
    key: Option<&'a Node>,
    value: &'a Node,
}

impl Editor {
    /// An editor of a text.
    ///
    /// # Errors
    /// When it is no YAML.
    pub fn new(text: &str) -> Result<Self, Error> {
        Ok(Self { document: Document::parse(text.as_bytes())? })
    }

    /// The text as it is now.
    #[must_use]
    pub fn text(&self) -> &str {
        self.document.text()
    }

    /// The first document.
    #[must_use]
    pub fn root(&self) -> &Node {
        self.document.root()
    }

    /// The node at a path.
    #[must_use]
    pub fn node(&self, path: &[usize]) -> Option<&Node> {
        path.iter().try_fold(self.root(), |node, &index| child(node, index).map(|(_, node)| node))
    }

    /// The path that the keys of nested mappings make.
    #[must_use]
    pub fn find(&self, keys: &[&str]) -> Option<Vec<usize>> {
        let mut path = Vec::with_capacity(keys.len());
        let mut node = self.root();
        for key in keys {
            let entries = node.as_mapping()?;
            let index = entries.iter().position(|entry| entry.key.text() == Some(key))?;
            path.push(index);
            node = &entries[index].value;
        }
        Some(path)
    }

    /// Replaces a value by YAML on one line.
    ///
    /// # Errors
    /// When the result would be no YAML.
    pub fn set(&mut self, path: &[usize], value: &str) -> Result<(), CannotEdit> {
        let text = self.text();
        let edited = if path.is_empty() {
            splice(text, range(self.root()), value)
        } else {
            let Spot { key, value: node, .. } = self.spot(path)?;
            let block_scalar = matches!(node.style(), Style::Literal | Style::Folded);
            let below = key.is_some_and(|key| key.span().line != node.span().line);
            match key {
                // All that belongs to it goes with it: a header, line breaks, indentation.
                Some(key) if block_scalar || is_empty(node) || below => {
                    let colon = colon_after(text, key).ok_or(CannotEdit)?;
                    let end = node.span().end.max(colon + 1);
                    let newline = if text[..end].ends_with('\n') { "\n" } else { "" };
                    splice(text, colon + 1..end, &format!(" {value}{newline}"))
                }
                None if block_scalar => return Err(CannotEdit),
                _ => splice(text, range(node), value),
            }
        };
        self.replace(&edited)
    }

    /// Removes an entry or an item; comments around it stay.
    ///
    /// # Errors
    /// When the result would be no YAML.
    pub fn remove(&mut self, path: &[usize]) -> Result<(), CannotEdit> {
        let text = self.text();
        let spot = self.spot(path)?;
        let edited = match spot.parent.style() {
            Style::Flow => remove_from_flow(text, &spot),
            _ if length(spot.parent) == 1 => self.empty(path)?,
            _ => remove_from_block(text, &spot).ok_or(CannotEdit)?,
        };
        self.replace(&edited)
    }

    /// Adds an item, YAML on one line, to the end of a sequence.
    ///
    /// # Errors
    /// When there is no sequence, or the result would be no YAML.
    pub fn push(&mut self, path: &[usize], item: &str) -> Result<(), CannotEdit> {
        let node = self.node(path).ok_or(CannotEdit)?;
        let items = node.as_sequence().ok_or(CannotEdit)?;
        let last = items.last().map(range);
        let dash = items.first().and_then(|first| dash_before(self.text(), first.span().start));
        let edited = self.appended(node, last, dash, &format!("- {item}"))?;
        self.replace(&edited)
    }

    /// Adds an entry, its value YAML on one line, to the end of a mapping.
    ///
    /// # Errors
    /// When there is no mapping, or the result would be no YAML.
    pub fn insert(&mut self, path: &[usize], key: &str, value: &str) -> Result<(), CannotEdit> {
        let node = self.node(path).ok_or(CannotEdit)?;
        let entries = node.as_mapping().ok_or(CannotEdit)?;
        let last = entries.last().map(|entry| entry_range(self.text(), entry));
        let first = entries.first().map(|entry| entry.key.span().start);
        let edited = self.appended(node, last, first, &format!("{key}: {value}"))?;
        self.replace(&edited)
    }

    /// The text with `addition` after the `last` child of a collection; in a block on
    /// a line of its own, below what starts at `first`.
    fn appended(
        &self,
        node: &Node,
        last: Option<Range<usize>>,
        first: Option<usize>,
        addition: &str,
    ) -> Result<String, CannotEdit> {
        let text = self.text();
        let inline = addition.strip_prefix("- ").unwrap_or(addition);
        match (node.style(), last, first) {
            _ if node.is_alias() => Err(CannotEdit),
            (Style::Flow, Some(last), _) => {
                Ok(splice(text, last.end..last.end, &format!(", {inline}")))
            }
            (Style::Flow, None, _) => {
                let start = node.span().start + 1;
                Ok(splice(text, start..start, inline))
            }
            (_, Some(last), Some(first)) => {
                let indent = " ".repeat(column(text, first));
                let end = line_end(text, last.end);
                let newline_before = text[..end].ends_with('\n');
                let (before, after) = if newline_before { ("", "\n") } else { ("\n", "") };
                Ok(splice(text, end..end, &format!("{before}{indent}{addition}{after}")))
            }
            _ => Err(CannotEdit),
        }
    }

    /// The text with the only child of a block collection gone: `[]` or `{}` stands
    /// after the key, and comments stay where they were.
    fn empty(&self, path: &[usize]) -> Result<String, CannotEdit> {
        let text = self.text();
        let spot = self.spot(path)?;
        let brackets = if spot.key.is_some() { "{}" } else { "[]" };
        let Some((_, outer)) = path.split_last() else { return Err(CannotEdit) };
        if outer.is_empty() {
            return Ok(splice(text, range(self.root()), brackets));
        }
        let around = self.spot(outer)?;
        let colon = around.key.and_then(|key| colon_after(text, key));
        let same_line = around.key.is_some_and(|key| key.span().line == spot.parent.span().line);
        match colon {
            Some(colon) if !same_line => {
                let removed = remove_from_block(text, &spot).ok_or(CannotEdit)?;
                Ok(splice(&removed, colon + 1..colon + 1, &format!(" {brackets}")))
            }
            _ => Ok(splice(text, range(spot.parent), brackets)),
        }
    }

    fn spot(&self, path: &[usize]) -> Result<Spot<'_>, CannotEdit> {
        let (&index, above) = path.split_last().ok_or(CannotEdit)?;
        let parent = self.node(above).ok_or(CannotEdit)?;
        // What stands behind an alias is somewhere else.
        let aliased =
            (0..path.len()).any(|depth| self.node(&path[..depth]).is_some_and(Node::is_alias));
        let (key, value) = child(parent, index).filter(|_| !aliased).ok_or(CannotEdit)?;
        Ok(Spot { parent, index, key, value })
    }

    fn replace(&mut self, text: &str) -> Result<(), CannotEdit> {
        self.document = Document::parse(text.as_bytes()).map_err(|_| CannotEdit)?;
        Ok(())
    }
}

fn child(node: &Node, index: usize) -> Option<(Option<&Node>, &Node)> {
    match node.kind() {
        Kind::Mapping(entries) => entries.get(index).map(|Entry { key, value }| (Some(key), value)),
        Kind::Sequence(items) => items.get(index).map(|item| (None, item)),
        _ => None,
    }
}

fn length(node: &Node) -> usize {
    node.as_mapping().map_or_else(|| node.as_sequence().map_or(0, <[_]>::len), <[_]>::len)
}

fn is_empty(node: &Node) -> bool {
    node.span().start == node.span().end
}

fn range(node: &Node) -> Range<usize> {
    node.span().start..node.span().end
}

fn entry_range(text: &str, entry: &Entry) -> Range<usize> {
    let end = if is_empty(&entry.value) {
        // Nothing stands there, or only the colon.
        colon_after(text, &entry.key).map_or(entry.key.span().end, |colon| colon + 1)
    } else {
        entry.value.span().end
    };
    entry.key.span().start..end
}

impl Spot<'_> {
    fn range(&self, text: &str) -> Range<usize> {
        self.sibling(text, self.index).unwrap_or_else(|| range(self.value))
    }

    /// The range of another child of the parent.
    fn sibling(&self, text: &str, index: usize) -> Option<Range<usize>> {
        match self.parent.kind() {
            Kind::Mapping(entries) => entries.get(index).map(|entry| entry_range(text, entry)),
            Kind::Sequence(items) => items.get(index).map(range),
            _ => None,
        }
    }
}

/// Takes a child out of brackets or braces, with one of the commas around it.
fn remove_from_flow(text: &str, spot: &Spot<'_>) -> String {
    let own = spot.range(text);
    let next = spot.sibling(text, spot.index + 1);
    let previous = spot.index.checked_sub(1).and_then(|index| spot.sibling(text, index));
    let gap = |gap: Range<usize>| text.get(gap).filter(|gap| !gap.contains('#'));
    match (previous, next) {
        (_, Some(next)) if gap(own.end..next.start).is_some() => {
            splice(text, own.start..next.start, "")
        }
        (Some(previous), None) if gap(previous.end..own.start).is_some() => {
            splice(text, previous.end..own.end, "")
        }
        // Comments stand between: they stay, and one comma goes.
        (_, Some(_)) => {
            let comma = text[own.end..].find(',').map_or(own.end, |at| own.end + at + 1);
            splice(text, own.start..comma, "")
        }
        (Some(previous), None) => {
            let removed = splice(text, own, "");
            match removed[previous.end..].find(',') {
                Some(at) => splice(&removed, previous.end + at..previous.end + at + 1, ""),
                None => removed,
            }
        }
        (None, None) => {
            // A comma may follow the only one, too.
            let close = spot.parent.span().end.saturating_sub(1).max(own.end);
            let inner = &text[own.end..close];
            let comma = inner.trim_start().starts_with(',');
            let end = if comma { own.end + inner.find(',').unwrap_or(0) + 1 } else { own.end };
            splice(text, own.start..end, "")
        }
    }
}

/// Takes the lines of a child out of a block. A comment after it stays.
fn remove_from_block(text: &str, spot: &Spot<'_>) -> Option<String> {
    let own = spot.range(text);
    let start = match spot.key {
        Some(_) => own.start,
        None => dash_before(text, own.start)?,
    };
    let line = line_start(text, start);
    let alone = text[line..start].trim().is_empty();
    let next = spot.sibling(text, spot.index + 1);
    if !alone {
        // It shares its line with the dash of what it is in: the next one takes its place.
        let next = match spot.key {
            Some(_) => next?.start,
            None => dash_before(text, next?.start)?,
        };
        return Some(splice(text, start..next, ""));
    }
    let end = line_end(text, own.end);
    let rest = text.get(own.end..end)?;
    if rest.trim().is_empty() || text[..own.end].ends_with('\n') {
        let end = if text[..own.end].ends_with('\n') { own.end } else { (end + 1).min(text.len()) };
        Some(splice(text, line..end, ""))
    } else {
        let comment = own.end + rest.find('#')?;
        Some(splice(text, start..comment, ""))
    }
}

/// The place of the colon behind a key.
fn colon_after(text: &str, key: &Node) -> Option<usize> {
    let end = key.span().end;
    let rest = text.get(end..)?;
    let at = rest.find(|c: char| !c.is_whitespace())?;
    rest[at..].starts_with(':').then_some(end + at)
}

/// The place of the dash before an item of a block sequence.
fn dash_before(text: &str, start: usize) -> Option<usize> {
    let before = text.get(..start)?.trim_end();
    before.ends_with('-').then(|| before.len() - 1)
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Before the line break; behind it when `at` already is.
fn line_end(text: &str, at: usize) -> usize {
    if text[..at].ends_with('\n') {
        return at;
    }
    let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
    if text[..end].ends_with('\r') && end > at { end - 1 } else { end }
}

fn column(text: &str, at: usize) -> usize {
    text[line_start(text, at)..at].trim_start_matches('\u{feff}').chars().count()
}

fn splice(text: &str, range: Range<usize>, with: &str) -> String {
    let mut edited = String::with_capacity(text.len() + with.len());
    edited.push_str(&text[..range.start]);
    edited.push_str(with);
    edited.push_str(&text[range.end..]);
    edited
}

#[cfg(test)]
#[path = "edit_tests.rs"]
mod tests;
