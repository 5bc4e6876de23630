//! Trees as JSON values, and as a canonical text to compare by.

use std::fmt::Write;

use serde_json::{Map, Number, Value};

use super::{Integer, Kind, Node};

/// Trees above this many nodes or bytes, aliases expanded, are not written out.
const MOST_NODES: u64 = 200_000;
const MOST_BYTES: u64 = 32 * 1024 * 1024;

/// Why a tree is no JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotJson {
    /// A key is a sequence or a mapping.
    #[error("a key is no scalar")]
    Key,
    /// An infinity, or not a number.
    #[error("a number is not finite")]
    Number,
    /// Too much, once aliases are expanded.
    #[error("the document is too large with its aliases expanded")]
    Size,
}

impl Node {
    /// The tree as JSON: the core schema's values, keys by their text, of
    /// duplicate keys the last. Scalars of other types become their text.
    ///
    /// # Errors
    /// When JSON has no such value, or it would be too large.
    pub fn to_json(&self) -> Result<Value, NotJson> {
        if self.exceeds_bounds() {
            return Err(NotJson::Size);
        }
        self.json()
    }

    fn exceeds_bounds(&self) -> bool {
        self.size > MOST_NODES || self.weight > MOST_BYTES
    }

    fn json(&self) -> Result<Value, NotJson> {
        Ok(match &self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(*value),
            Kind::Int(Integer::Small(value)) => {
                match (i64::try_from(*value), u64::try_from(*value)) {
                    (Ok(value), _) => value.into(),
                    (_, Ok(value)) => value.into(),
                    _ => return Err(NotJson::Number),
                }
            }
            Kind::Int(_) => {
                // Serde's own numbers end here: the nearest float is still whole.
                let value = self.text().and_then(|text| text.parse().ok());
                Value::Number(value.and_then(Number::from_f64).ok_or(NotJson::Number)?)
            }
            Kind::Float(value) => Value::Number(Number::from_f64(*value).ok_or(NotJson::Number)?),
            Kind::String(text) => Value::String(text.as_ref().to_owned()),
            Kind::Other => Value::String(self.text().unwrap_or_default().to_owned()),
            Kind::Sequence(items) => items.iter().map(Node::json).collect::<Result<_, _>>()?,
            Kind::Mapping(entries) => {
                let mut object = Map::new();
                for entry in entries.iter() {
                    let key = entry.key.text().ok_or(NotJson::Key)?;
                    object.insert(key.to_owned(), entry.value.json()?);
                }
                Value::Object(object)
            }
        })
    }

    /// Whether two trees are equal after parsing: the same values and tags,
    /// whatever the style, the comments and the order of keys. Trees too large
    /// to compare are not.
    #[must_use]
    pub fn equals(&self, other: &Node) -> bool {
        self.size == other.size
            && self.canonical().is_some_and(|text| Some(text) == other.canonical())
    }

    /// A text that equal trees share, and no others; `None` for one that is
    /// too large to compare.
    #[must_use]
    pub fn canonical(&self) -> Option<String> {
        if self.exceeds_bounds() {
            return None;
        }
        let mut out = String::new();
        self.write_canonical(&mut out).ok()?;
        Some(out)
    }

    fn write_canonical(&self, out: &mut String) -> std::fmt::Result {
        if self.foreign
            && let Some(tag) = self.tag()
        {
            write!(out, "!<{tag:?}>")?;
        }
        match &self.kind {
            Kind::Null => out.push('~'),
            Kind::Bool(value) => write!(out, "{value}")?,
            Kind::Int(Integer::Small(value)) => write!(out, "{value}")?,
            Kind::Int(_) | Kind::Other => {
                write!(out, "={:?}", self.text().unwrap_or_default())?;
            }
            // The debug form keeps the point: 7.0 is not 7 here.
            Kind::Float(value) => write!(out, "{value:?}")?,
            Kind::String(text) => {
                write!(out, "{text:?}")?;
                // A text that YAML 1.1 takes for something else is not the quoted one.
                if self.legacy.is_some() {
                    out.push('?');
                }
            }
            Kind::Sequence(items) => {
                out.push('[');
                for item in items.iter() {
                    item.write_canonical(out)?;
                    out.push(',');
                }
                out.push(']');
            }
            Kind::Mapping(entries) => {
                let mut members = Vec::with_capacity(entries.len());
                for entry in entries.iter() {
                    let mut member = String::new();
                    entry.key.write_canonical(&mut member)?;
                    member.push(':');
                    entry.value.write_canonical(&mut member)?;
                    members.push(member);
                }
                members.sort();
                write!(out, "{{{}}}", members.join(","))?;
            }
        }
        Ok(())
    }
}
