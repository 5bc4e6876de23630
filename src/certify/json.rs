//! JSON of receipts and policies: a bounded size, and the canonical form of RFC 8785,
//! whatever the numbers.

use serde_json::{Number, Value};

use crate::data::Json;

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

/// Reads a JSON text.
pub(super) fn read(bytes: &[u8]) -> Result<Json, JsonFault> {
    if bytes.len() > SIZE_LIMIT {
        return Err(JsonFault::TooLarge { size: bytes.len() });
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| JsonFault::NotUtf8 { at: error.valid_up_to() })?;
    Json::read(text).map_err(|error| JsonFault::Syntax(error.to_string()))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        read(text.as_bytes()).unwrap().value
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
