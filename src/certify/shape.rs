//! The forms of receipts and policies as data, and what departs from them.

use serde_json::{Map, Value};

use super::doubt::{is_huge, is_unshowable};
use super::{Doubt, Predicates, Reason, Refusal};
use crate::yaml::join;

/// What a value must be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// This text.
    Constant(&'static str),
    /// A text of 1 to 4096 characters.
    Text,
    /// A version by SemVer.
    Version,
    /// An identity.
    Identity,
    /// The hex digits of an identity.
    Digest,
    /// An integer, 1 or more.
    Count,
    /// An object with these keys and no other.
    Object(&'static [Field]),
    /// A map from kinds of evidence to identities.
    Evidence,
    /// A list of the kinds that are required.
    RequiredKinds,
}

/// A key with what its value must be.
pub(super) type Field = (&'static str, Shape);

/// Collects what departs.
pub(super) struct Walk<'a> {
    pub(super) predicates: &'a Predicates,
    pub(super) found: Vec<Refusal>,
    /// Open questions that nothing was refused for.
    pub(super) doubts: Vec<Doubt>,
}

impl Walk<'_> {
    fn refuse(&mut self, subject: &str, at: &str, reason: Reason) {
        self.found.push(Refusal::new(subject, at, reason));
    }

    /// Holds a value against a shape; `subject` is the first part of the codes.
    pub(super) fn value(&mut self, subject: &str, at: &str, shape: Shape, value: &Value) {
        match shape {
            Shape::Object(fields) => {
                let Some(map) = self.object(subject, at, value) else { return };
                self.fields(subject, at, fields, map);
            }
            Shape::Evidence => self.evidence(subject, at, value),
            Shape::RequiredKinds => self.required_kinds(subject, at, value),
            Shape::Count => self.count(subject, at, value),
            _ => {
                let Some(text) = self.text(subject, at, value) else { return };
                if let Some(reason) = self.text_reason(shape, text) {
                    self.refuse(subject, at, reason);
                }
                match shape {
                    Shape::Text if is_unshowable(text) => self.doubts.push(Doubt::R6),
                    Shape::Version if is_huge(text) => self.doubts.push(Doubt::R5),
                    _ => {}
                }
            }
        }
    }

    /// Holds an object against its keys.
    pub(super) fn fields(
        &mut self,
        subject: &str,
        at: &str,
        fields: &[Field],
        map: &Map<String, Value>,
    ) {
        for (key, shape) in fields {
            let (subject, at) = (format!("{subject}.{key}"), join(at, key));
            match map.get(*key) {
                Some(value) => self.value(&subject, &at, *shape, value),
                None => self.refuse(&subject, &at, Reason::Missing),
            }
        }
        for key in map.keys() {
            if self.predicates.closed && !fields.iter().any(|(known, _)| known == key) {
                self.refuse(subject, &join(at, key), Reason::UnknownField);
            }
        }
    }

    fn text_reason(&self, shape: Shape, text: &str) -> Option<Reason> {
        let found = || text.to_owned();
        let (holds, reason) = match shape {
            Shape::Constant(expected) => {
                (text == expected, Reason::NotConstant { expected, found: found() })
            }
            Shape::Version => {
                ((self.predicates.version)(text), Reason::NotVersion { found: found() })
            }
            Shape::Identity => {
                let expected = "sha256: and 64 digits 0-9 a-f";
                ((self.predicates.identity)(text), Reason::NotIdentity { expected, found: found() })
            }
            Shape::Digest => {
                let expected = "64 digits 0-9 a-f";
                ((self.predicates.digest)(text), Reason::NotIdentity { expected, found: found() })
            }
            _ => {
                ((self.predicates.text)(text), Reason::Length { characters: text.chars().count() })
            }
        };
        (!holds).then_some(reason)
    }

    fn evidence(&mut self, subject: &str, at: &str, value: &Value) {
        let Some(map) = self.object(subject, at, value) else { return };
        for (kind, value) in map {
            let at = join(at, kind);
            if !(self.predicates.kind)(kind) {
                self.refuse(subject, &at, Reason::UnknownKind { found: kind.clone() });
            } else {
                self.value(&format!("{subject}.entry"), &at, Shape::Identity, value);
            }
        }
    }

    fn required_kinds(&mut self, subject: &str, at: &str, value: &Value) {
        let Value::Array(entries) = value else {
            return self.wrong_type(subject, at, "a list", value);
        };
        let mut kinds = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            let at = join(at, &index.to_string());
            let Some(kind) = self.text(&format!("{subject}.entry"), &at, entry) else { continue };
            if !(self.predicates.required_kind)(kind) {
                self.refuse(subject, &at, Reason::UnknownKind { found: kind.to_owned() });
            }
            kinds.push(kind);
        }
        if entries.len() < self.predicates.kinds_min {
            return self.refuse(subject, at, Reason::TooFewKinds);
        }
        if !(self.predicates.kinds_distinct)(&kinds) {
            self.refuse(subject, at, Reason::RepeatedKind);
        }
        if !(self.predicates.names_runner)(&kinds) {
            self.refuse(subject, at, Reason::NoRunner);
        }
    }

    fn count(&mut self, subject: &str, at: &str, value: &Value) {
        match value {
            Value::Number(number) if (self.predicates.integer)(number) => {
                let found = number.to_string();
                if !(self.predicates.positive)(number) {
                    self.refuse(subject, at, Reason::NotPositive { found });
                } else if !(self.predicates.exact)(number) {
                    let refusal = Refusal::new(subject, at, Reason::NotExact { found });
                    self.found.push(refusal.doubtful(Some(Doubt::R1)));
                } else if number.is_f64() {
                    self.doubts.push(Doubt::R7);
                }
            }
            _ => self.wrong_type(subject, at, "an integer", value),
        }
    }

    fn object<'v>(
        &mut self,
        subject: &str,
        at: &str,
        value: &'v Value,
    ) -> Option<&'v Map<String, Value>> {
        if value.as_object().is_none() {
            self.wrong_type(subject, at, "an object", value);
        }
        value.as_object()
    }

    fn text<'v>(&mut self, subject: &str, at: &str, value: &'v Value) -> Option<&'v str> {
        if value.as_str().is_none() {
            self.wrong_type(subject, at, "a text", value);
        }
        value.as_str()
    }

    fn wrong_type(&mut self, subject: &str, at: &str, expected: &'static str, value: &Value) {
        let found = match value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a text",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        self.refuse(subject, at, Reason::WrongType { expected, found });
    }
}
