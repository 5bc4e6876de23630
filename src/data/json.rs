//! Reads JSON without losing anything: every key that stands twice is noted.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::yaml::join;

/// A JSON text that was read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Json {
    /// The value; of a key that stands twice, the last.
    pub(crate) value: Value,
    /// The JSON pointers of keys that stand twice or more often, in order.
    pub(crate) repeated: Vec<String>,
}

impl Json {
    /// Reads a text.
    ///
    /// # Errors
    /// When it is no JSON.
    pub(crate) fn read(text: &str) -> Result<Self, serde_json::Error> {
        let repeated = RefCell::default();
        let mut reader = serde_json::Deserializer::from_str(text);
        let value = Reader { at: "", repeated: &repeated }.deserialize(&mut reader)?;
        reader.end()?;
        let mut repeated = repeated.into_inner();
        repeated.sort();
        repeated.dedup();
        Ok(Self { value, repeated })
    }
}

#[derive(Clone, Copy)]
struct Reader<'a> {
    at: &'a str,
    repeated: &'a RefCell<Vec<String>>,
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let mut entries = Vec::new();
        loop {
            let at = join(self.at, &entries.len().to_string());
            match sequence.next_element_seed(Reader { at: &at, ..self })? {
                Some(entry) => entries.push(entry),
                None => return Ok(Value::Array(entries)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = fields.next_key::<String>()? {
            let at = join(self.at, &key);
            let value = fields.next_value_seed(Reader { at: &at, ..self })?;
            if map.insert(key, value).is_some() {
                self.repeated.borrow_mut().push(at);
            }
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_stand_twice_are_noted_with_their_places() {
        let text = r#"{"a/b": [{"x": 1, "x": 2}], "c": {}, "c": {"d": 1, "d": 1, "d": 3}}"#;
        let json = Json::read(text).unwrap();
        assert_eq!(json.repeated, ["/a~1b/0/x", "/c", "/c/d"]);
        assert_eq!(json.value, serde_json::json!({"a/b": [{"x": 2}], "c": {"d": 3}}));
        assert!(Json::read(r#"{"a": {"a": 1}}"#).unwrap().repeated.is_empty());
    }
}
