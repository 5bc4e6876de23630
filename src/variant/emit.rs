//! Variants that are written anew from the tree of a document.

use super::Loss;
use crate::yaml::{Document, Entry, Integer, Kind, Node, NoteKind, Style, Traits, quote};

/// Nothing with more nodes, its aliases written out, is written anew.
const MOST_NODES: u64 = 100_000;

/// The one root of a document that can be written anew.
fn root(document: &Document) -> Result<&Node, Loss> {
    if document.roots().len() > 1 {
        return Err(Loss::SeveralDocuments);
    }
    if document.notes().iter().any(|note| note.kind == NoteKind::Directive) {
        return Err(Loss::Directive);
    }
    let root = document.root();
    if root.size() > MOST_NODES { Err(Loss::TooLarge) } else { Ok(root) }
}

/// Everything as JSON, on one line; `None` when it stands so already.
pub(super) fn json(document: &Document) -> Result<Option<String>, Loss> {
    let mut written = String::new();
    write_json(root(document)?, &mut written)?;
    let same = document.text().trim_end() == written;
    written.push('\n');
    Ok((!same).then_some(written))
}

fn write_json(node: &Node, out: &mut String) -> Result<(), Loss> {
    if node.has_foreign_tag() {
        return Err(Loss::Tag);
    }
    match node.kind() {
        Kind::Sequence(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                write_json(item, out)?;
            }
            out.push(']');
        }
        Kind::Mapping(entries) => {
            out.push('{');
            for (index, Entry { key, value }) in entries.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                match key.as_str() {
                    _ if key.is_merge_key() => return Err(Loss::MergeKey),
                    Some(_) => write_json(key, out)?,
                    None => return Err(Loss::Key),
                }
                out.push_str(": ");
                write_json(value, out)?;
            }
            out.push('}');
        }
        _ if node.reads_differently() => return Err(Loss::OpenType),
        _ => out.push_str(&scalar(node)?),
    }
    Ok(())
}

/// A scalar as JSON; a number as it is spelled, where JSON spells it so.
fn scalar(node: &Node) -> Result<String, Loss> {
    let spelled = || {
        let text = node.text().filter(|text| serde_json::from_str::<f64>(text).is_ok());
        text.map(str::to_owned)
    };
    Ok(match node.kind() {
        Kind::Null => "null".to_owned(),
        Kind::Bool(value) => value.to_string(),
        Kind::Int(Integer::Small(value)) => spelled().unwrap_or_else(|| value.to_string()),
        Kind::Int(_) => spelled().ok_or(Loss::Number)?,
        Kind::Float(value) if value.is_finite() => {
            spelled().unwrap_or_else(|| format!("{value:?}"))
        }
        Kind::String(text) => quote(text),
        _ => return Err(Loss::Number),
    })
}

/// The keys of every mapping in reverse order; `None` when no mapping has two.
pub(super) fn reversed(document: &Document) -> Result<Option<String>, Loss> {
    let root = root(document)?;
    if !has_order(root) {
        return Ok(None);
    }
    if root.traits().intersects(Traits::DUPLICATE_KEY | Traits::DUPLICATE_KEY_11) {
        return Err(Loss::KeyTwice);
    }
    let mut written = Backwards { text: document.text(), out: String::new() };
    written.tag(root);
    if is_block(root) {
        if root.tag().is_some() {
            written.out.push('\n');
        }
        written.block(root, 0);
    } else {
        written.flow(root);
        written.out.push('\n');
    }
    Ok(Some(written.out))
}

fn has_order(node: &Node) -> bool {
    match node.kind() {
        Kind::Sequence(items) => items.iter().any(has_order),
        Kind::Mapping(entries) => {
            let below = |entry: &Entry| has_order(&entry.key) || has_order(&entry.value);
            entries.len() > 1 || entries.iter().any(below)
        }
        _ => false,
    }
}

/// Whether a collection is written on lines of its own.
fn is_block(node: &Node) -> bool {
    let filled = match node.kind() {
        Kind::Sequence(items) => !items.is_empty(),
        Kind::Mapping(entries) => !entries.is_empty(),
        _ => false,
    };
    filled && node.style() == Style::Block
}

/// Writes a tree as it stands in `text`, but for the order of keys; without its
/// comments, and with its aliases written out.
struct Backwards<'a> {
    text: &'a str,
    out: String,
}

impl Backwards<'_> {
    fn block(&mut self, node: &Node, indent: usize) {
        match node.kind() {
            Kind::Mapping(entries) => {
                for Entry { key, value } in entries.iter().rev() {
                    self.indent(indent);
                    let explicit = key.size() > 1 || key.text().is_some_and(|it| it.len() > 500);
                    if explicit {
                        self.out.push_str("? ");
                    }
                    self.inline(key);
                    if explicit {
                        self.out.push('\n');
                        self.indent(indent);
                    }
                    self.out.push(':');
                    self.below(value, indent);
                }
            }
            Kind::Sequence(items) => {
                for item in items.iter() {
                    self.indent(indent);
                    self.out.push('-');
                    self.item(item, indent);
                }
            }
            _ => {}
        }
    }

    /// The value of a key, on the rest of the line or on those that follow.
    fn below(&mut self, node: &Node, indent: usize) {
        if is_block(node) {
            if node.tag().is_some() {
                self.out.push(' ');
            }
            self.tag(node);
            self.out.push('\n');
            self.block(node, indent + 2);
        } else {
            if node.tag().is_some() || node.text() != Some("") || node.style() != Style::Plain {
                self.out.push(' ');
                self.inline(node);
            }
            self.out.push('\n');
        }
    }

    /// What follows a dash: a mapping begins on its line.
    fn item(&mut self, node: &Node, indent: usize) {
        if !is_block(node) || node.tag().is_some() {
            return self.below(node, indent);
        }
        let start = self.out.len();
        self.block(node, indent + 2);
        // The dash is in the place of its indentation.
        self.out.replace_range(start..start + indent + 1, "");
    }

    /// On one line.
    fn inline(&mut self, node: &Node) {
        self.tag(node);
        self.flow(node);
    }

    fn flow(&mut self, node: &Node) {
        match node.kind() {
            Kind::Mapping(entries) => {
                self.out.push('{');
                for (index, Entry { key, value }) in entries.iter().rev().enumerate() {
                    self.out.push_str(if index > 0 { ", " } else { "" });
                    self.inline(key);
                    self.out.push_str(": ");
                    self.inline(value);
                }
                self.out.push('}');
            }
            Kind::Sequence(items) => {
                self.out.push('[');
                for (index, item) in items.iter().enumerate() {
                    self.out.push_str(if index > 0 { ", " } else { "" });
                    self.inline(item);
                }
                self.out.push(']');
            }
            _ => self.scalar(node),
        }
    }

    /// As it stands, if on one line; else in double quotes.
    fn scalar(&mut self, node: &Node) {
        let text = node.text().unwrap_or_default();
        let span = node.span();
        let source = self.text.get(span.start..span.end).filter(|_| !node.is_alias());
        let source = source.filter(|source| !source.contains(['\n', '\r']));
        match (node.style(), source) {
            (Style::Plain, _) if text.is_empty() => self.out.push_str("null"),
            (Style::Plain, _) if !text.contains('\n') => self.out.push_str(text),
            (Style::SingleQuoted | Style::DoubleQuoted, Some(source)) => self.out.push_str(source),
            _ => self.out.push_str(&quote(text)),
        }
    }

    fn tag(&mut self, node: &Node) {
        let Some(tag) = node.tag() else { return };
        let short = tag.strip_prefix("tag:yaml.org,2002:");
        let is_plain = |tag: &str| tag.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        match (short, tag.strip_prefix('!')) {
            (Some(core), _) if is_plain(core) => self.out.push_str(&format!("!!{core}")),
            (_, Some(local)) if is_plain(local) => self.out.push_str(&format!("!{local}")),
            _ => self.out.push_str(&format!("!<{tag}>")),
        }
        if !is_block(node) {
            self.out.push(' ');
        }
    }

    fn indent(&mut self, columns: usize) {
        self.out.extend(std::iter::repeat_n(' ', columns));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Document {
        Document::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn everything_that_json_has_is_written_in_it() {
        let text =
            "# x\na: &a [b, 'c\"', ~]\n? d\n: {e: *a, f: 0x10, g: +1.5}\nh: |\n  i\nj: 1e+2\n";
        let written = json(&parsed(text)).unwrap_err();
        assert_eq!(written, Loss::OpenType, "1e+2 has no point");
        let written = json(&parsed(&text.replace("1e", "1.0e"))).unwrap().unwrap();
        assert_eq!(
            written,
            "{\"a\": [\"b\", \"c\\\"\", null], \"d\": {\"e\": [\"b\", \"c\\\"\", null], \"f\": 16, \
             \"g\": 1.5}, \"h\": \"i\\n\", \"j\": 1.0e+2}\n"
        );
        assert!(super::super::proof::is_json(written.as_bytes()));
        assert_eq!(json(&parsed(&written)), Ok(None), "it is JSON already");
    }

    #[test]
    fn what_json_does_not_have_is_told() {
        for (text, loss) in [
            ("a: !x b", Loss::Tag),
            ("1: a", Loss::Key),
            ("[a]: b", Loss::Key),
            ("<<: {a: 1}", Loss::MergeKey),
            ("a: .inf", Loss::Number),
            ("a: yes", Loss::OpenType),
            ("a: 017", Loss::OpenType),
            ("--- a\n--- b", Loss::SeveralDocuments),
            ("%YAML 1.2\n---\na: 1", Loss::Directive),
        ] {
            assert_eq!(json(&parsed(text)), Err(loss), "{text}");
        }
    }

    #[test]
    fn keys_come_in_reverse_order_and_nothing_else_changes() {
        let text = "\
# x
a: 'it''s'
b:
  - c: 1   # y
    d: yes
  - - e
    - {f: g, h: \"\\u0041\"}
  -
i: !t
  j: !!str 2
  ? [k, l]
  : m
n: |
  o
p: [q,
  r]
s:
";
        let expected = "\
s:
p: [q, r]
n: \"o\\n\"
i: !t
  ? [k, l]
  : m
  j: !!str 2
b:
  - d: yes
    c: 1
  - - e
    - {h: \"\\u0041\", f: g}
  -
a: 'it''s'
";
        assert_eq!(reversed(&parsed(text)).unwrap().as_deref(), Some(expected));
        assert_eq!(reversed(&parsed("a: [b, 1]\n")), Ok(None), "there is one key");
        let aliased = reversed(&parsed("a: &x {b: c, d: e}\nf: *x\n")).unwrap();
        assert_eq!(aliased.as_deref(), Some("f: {d: e, b: c}\na: {d: e, b: c}\n"));
        assert_eq!(reversed(&parsed("{a: 1, a: 2}")), Err(Loss::KeyTwice));
    }
}
