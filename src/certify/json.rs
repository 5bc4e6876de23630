//! Reads JSON without losing anything: every key that stands twice is noted, and
//! the canonical form is that of RFC 8785, whatever the numbers.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::yaml::join;

/// The most bytes of a receipt or a policy. The longest receipt that the format
/// allows, every character escaped, takes less than a tenth of it.
pub const SIZE_LIMIT: usize = 1024 * 1024;

/// Why bytes are no JSON text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonFault {
    /// There are too many of them.
    #[error("it has {size} bytes, and {SIZE_LIMIT} are the limit")]
    TooLarge {
        /// How many.
        size: usize,
    },
    /// They are not UTF-8.
    #[error("byte {at} is not UTF-8")]
    NotUtf8 {
        /// The first bad byte, from 0.
        at: usize,
    },
    /// The text is no JSON.
    #[error("{0}")]
    Syntax(String),
}

/// A JSON text that was read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Json {
    /// The value; of a key that stands twice, the last.
    pub(super) value: Value,
    /// The JSON pointers of keys that stand twice or more often, in order.
    pub(super) repeated: Vec<String>,
}

/// Reads a JSON text.
pub(super) fn read(bytes: &[u8]) -> Result<Json, JsonFault> {
    if bytes.len() > SIZE_LIMIT {
        return Err(JsonFault::TooLarge { size: bytes.len() });
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| JsonFault::NotUtf8 { at: error.valid_up_to() })?;
    let repeated = RefCell::default();
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Reader { at: "", repeated: &repeated }
        .deserialize(&mut reader)
        .and_then(|value| reader.end().map(|()| value))
        .map_err(|error| JsonFault::Syntax(error.to_string()))?;
    let mut repeated = repeated.into_inner();
    repeated.sort();
    repeated.dedup();
    Ok(Json { value, repeated })
}

/// The form of RFC 8785. `None` for a value that has none: what JSON can say, but
/// a double cannot hold.
pub(super) fn canonical_form(value: &Value) -> Option<Vec<u8>> {
    serde_json_canonicalizer::to_vec(&as_doubles(value)?).ok()
}

/// RFC 8785 knows no other numbers than doubles.
fn as_doubles(value: &Value) -> Option<Value> {
    Some(match value {
        Value::Number(number) => Value::Number(Number::from_f64(number.as_f64()?)?),
        Value::Array(entries) => entries.iter().map(as_doubles).collect::<Option<_>>()?,
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| Some((key.clone(), as_doubles(value)?));
            Value::Object(fields.iter().map(field).collect::<Option<_>>()?)
        }
        other => other.clone(),
    })
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

    fn value(text: &str) -> Value {
        read(text.as_bytes()).unwrap().value
    }

    #[test]
    fn keys_that_stand_twice_are_noted_with_their_places() {
        let text = r#"{"a/b": [{"x": 1, "x": 2}], "c": {}, "c": {"d": 1, "d": 1, "d": 3}}"#;
        let json = read(text.as_bytes()).unwrap();
        assert_eq!(json.repeated, ["/a~1b/0/x", "/c", "/c/d"]);
        assert_eq!(json.value, serde_json::json!({"a/b": [{"x": 2}], "c": {"d": 3}}));
        assert!(read(br#"{"a": {"a": 1}}"#).unwrap().repeated.is_empty());
    }

    #[test]
    fn what_is_no_json_is_refused() {
        let deep = "[".repeat(100_000);
        for bad in ["", "{", "[1,]", "01", "nul", "1 2", "'a'", "\"\\ud800\"", "1e999", &deep] {
            assert!(matches!(read(bad.as_bytes()), Err(JsonFault::Syntax(_))), "{bad:.20}");
        }
        assert_eq!(read(b"\"a\xff\""), Err(JsonFault::NotUtf8 { at: 2 }));
        assert!(matches!(read(b"\xef\xbb\xbf1"), Err(JsonFault::Syntax(_))));
        let full = vec![b' '; SIZE_LIMIT + 1];
        assert_eq!(read(&full), Err(JsonFault::TooLarge { size: SIZE_LIMIT + 1 }));
    }

    #[test]
    fn the_canonical_form_knows_only_doubles() {
        let form = |text| String::from_utf8(canonical_form(&value(text)).unwrap()).unwrap();
        assert_eq!(form("9007199254740993"), "9007199254740992");
        assert_eq!(form("[394.0, -0, 18446744073709551615]"), "[394,0,18446744073709552000]");
        assert_eq!(form(r#"{ "b": 1e21, "a": "\u0041\/" }"#), r#"{"a":"A/","b":1e+21}"#);
    }
}
