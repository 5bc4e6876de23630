//! Maps that refuse a key that comes twice, instead of keeping the last.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

/// Reads a map by name; a name that comes twice is an error.
pub(crate) fn unique_map<'de, D, V>(deserializer: D) -> Result<BTreeMap<String, V>, D::Error>
where
    D: Deserializer<'de>,
    V: Deserialize<'de>,
{
    struct Unique<V>(PhantomData<V>);

    impl<'de, V: Deserialize<'de>> Visitor<'de> for Unique<V> {
        type Value = BTreeMap<String, V>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a mapping")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
            let mut map = BTreeMap::new();
            while let Some(key) = access.next_key::<String>()? {
                if map.contains_key(&key) {
                    return Err(A::Error::custom(format_args!("duplicate entry `{key}`")));
                }
                let value = access.next_value()?;
                map.insert(key, value);
            }
            Ok(map)
        }
    }

    deserializer.deserialize_map(Unique(PhantomData))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    struct Holder {
        #[serde(default, deserialize_with = "unique_map")]
        map: BTreeMap<String, u8>,
    }

    #[test]
    fn a_key_that_comes_twice_is_refused() {
        let good: Holder = serde_json::from_str(r#"{"map": {"a": 1, "b": 2}}"#).unwrap();
        assert_eq!(good.map.len(), 2);
        let none: Holder = serde_json::from_str("{}").unwrap();
        assert!(none.map.is_empty());
        let error = serde_json::from_str::<Holder>(r#"{"map": {"a": 1, "a": 2}}"#).unwrap_err();
        assert!(error.to_string().contains("duplicate entry `a`"), "{error}");
    }
}
