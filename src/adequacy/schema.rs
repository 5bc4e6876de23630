//! Mutants that follow from a schema: for every assertion, it is dropped, and
//! changed a little where it has a bound, a set or a pattern.

use serde_json::{Map, Value, json};

use super::pattern;

/// Types that a value may have in JSON.
const TYPES: [&str; 6] = ["null", "boolean", "number", "string", "array", "object"];
/// Keywords that stand for an assertion, or make one apply.
const ASSERTIONS: &[&str] = &[
    "$ref",
    "additionalProperties",
    "allOf",
    "const",
    "contains",
    "enum",
    "if",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "not",
    "pattern",
    "patternProperties",
    "required",
    "type",
    "uniqueItems",
];

/// One change of a schema.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SchemaChange {
    /// The schema object that is changed, as the keys that lead to it.
    pub(super) at: Vec<String>,
    /// The keyword.
    pub(super) keyword: String,
    /// The last part of the mutant's id.
    pub(super) name: String,
    /// What changes, in words.
    pub(super) wrong: String,
    /// The keyword's new value; `None` when it is dropped.
    to: Option<Value>,
}

impl SchemaChange {
    /// All changes of a schema, in the order of its text.
    pub(super) fn all(schema: &Value) -> Vec<Self> {
        let mut changes = Vec::new();
        walk(schema, &mut Vec::new(), &mut changes);
        changes
    }

    /// The schema with this change.
    pub(super) fn apply(&self, schema: &Value) -> Value {
        let mut changed = schema.clone();
        let object = self.at.iter().try_fold(&mut changed, |value, key| match value {
            Value::Object(map) => map.get_mut(key),
            Value::Array(items) => key.parse::<usize>().ok().and_then(|at| items.get_mut(at)),
            _ => None,
        });
        if let Some(Value::Object(map)) = object {
            match &self.to {
                Some(value) => drop(map.insert(self.keyword.clone(), value.clone())),
                None => drop(map.remove(&self.keyword)),
            }
        }
        changed
    }
}

fn walk(value: &Value, at: &mut Vec<String>, changes: &mut Vec<SchemaChange>) {
    let Value::Object(object) = value else { return };
    for (keyword, value) in object {
        if ASSERTIONS.contains(&keyword.as_str()) {
            let mut site = Site { at, keyword, changes };
            site.change("dropped", format!("does not look at {keyword}"), None);
            site.variations(value);
        }
        let schemas: Vec<(Vec<&str>, &Value)> = match keyword.as_str() {
            "items" | "contains" | "not" | "if" | "then" | "else" => vec![(vec![keyword], value)],
            "properties" | "patternProperties" | "$defs" => {
                let members = value.as_object().into_iter().flatten();
                members
                    .map(|(name, value)| (vec![keyword.as_str(), name.as_str()], value))
                    .collect()
            }
            _ => Vec::new(),
        };
        for (keys, schema) in schemas {
            descend(&keys, schema, at, changes);
        }
        if let ("allOf" | "anyOf" | "oneOf", Value::Array(branches)) = (keyword.as_str(), value) {
            for (index, branch) in branches.iter().enumerate() {
                descend(&[keyword, &index.to_string()], branch, at, changes);
            }
        }
    }
}

fn descend(keys: &[&str], schema: &Value, at: &mut Vec<String>, changes: &mut Vec<SchemaChange>) {
    at.extend(keys.iter().map(|&key| key.to_owned()));
    walk(schema, at, changes);
    at.truncate(at.len() - keys.len());
}

/// An assertion, and where it stands.
struct Site<'a> {
    at: &'a [String],
    keyword: &'a str,
    changes: &'a mut Vec<SchemaChange>,
}

impl Site<'_> {
    fn change(&mut self, name: &str, wrong: String, to: Option<Value>) {
        self.changes.push(SchemaChange {
            at: self.at.to_vec(),
            keyword: self.keyword.to_owned(),
            name: name.to_owned(),
            wrong,
            to,
        });
    }

    fn variations(&mut self, value: &Value) {
        match (self.keyword, value) {
            (
                "maxItems" | "maxLength" | "maximum" | "minItems" | "minLength" | "minimum",
                bound,
            ) => {
                self.bound(bound);
            }
            ("enum", Value::Array(values)) => self.set(values),
            ("required", Value::Array(names)) => self.required(names),
            ("type", Value::String(name)) => self.widened(name),
            ("pattern", Value::String(text)) => self.pattern(text),
            ("patternProperties", Value::Object(members)) => self.pattern_properties(members),
            _ => {}
        }
    }

    fn bound(&mut self, value: &Value) {
        let Some(bound) = value.as_i64() else { return };
        for (name, moved) in [("lower", bound - 1), ("higher", bound + 1)] {
            let wrong = format!("has {moved} for {} {bound}", self.keyword);
            self.change(name, wrong, Some(json!(moved)));
        }
    }

    fn set(&mut self, values: &[Value]) {
        for (at, value) in values.iter().enumerate() {
            let mut fewer = values.to_vec();
            fewer.remove(at);
            let value = value.as_str().unwrap_or_default();
            self.change(
                &format!("loses-{value}"),
                format!("does not know {value}"),
                Some(fewer.into()),
            );
        }
        let texts: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
        for (name, wrong, near) in near_misses() {
            let more: Vec<String> = texts
                .iter()
                .flat_map(|text| near(text))
                .filter(|near| !texts.contains(&near.as_str()))
                .collect();
            if !more.is_empty() {
                let all: Vec<Value> =
                    values.iter().cloned().chain(more.into_iter().map(Value::from)).collect();
                self.change(name, wrong.to_owned(), Some(all.into()));
            }
        }
    }

    fn required(&mut self, names: &[Value]) {
        for (at, name) in names.iter().enumerate() {
            let mut fewer = names.to_vec();
            fewer.remove(at);
            let name = name.as_str().unwrap_or_default();
            self.change(
                &format!("loses-{name}"),
                format!("does not ask for {name}"),
                Some(fewer.into()),
            );
        }
    }

    fn widened(&mut self, name: &str) {
        for other in TYPES.into_iter().filter(|other| *other != name) {
            let wrong = format!("takes {other} for {name}");
            self.change(&format!("also-{other}"), wrong, Some(json!([name, other])));
        }
    }

    fn pattern(&mut self, text: &str) {
        for (name, wrong, changed) in pattern::changes(text) {
            self.change(&name, wrong, Some(changed.into()));
        }
    }

    fn pattern_properties(&mut self, members: &Map<String, Value>) {
        for (text, schema) in members {
            for (name, wrong, changed) in pattern::changes(text) {
                let mut others = members.clone();
                others.remove(text);
                others.insert(changed, schema.clone());
                self.change(&name, wrong, Some(Value::Object(others)));
            }
        }
    }
}

type Near = fn(&str) -> Vec<String>;

/// Ways to write the values of a set that are not in it.
fn near_misses() -> [(&'static str, &'static str, Near); 5] {
    [
        ("gains-capitals", "takes values in capitals", |text| {
            // Each word with a capital, the first word alone, all letters.
            let words = text.split_inclusive(['-', '_']).map(capitalised);
            vec![text.to_ascii_uppercase(), capitalised(text), words.collect()]
        }),
        ("gains-separators", "takes hyphens and underscores for each other", |text| {
            vec![text.replace('-', "_"), text.replace('_', "-"), text.replace(['-', '_'], "")]
        }),
        ("gains-numbers", "takes singular and plural for each other", |text| {
            let singular = text.strip_suffix('s').unwrap_or(text);
            vec![singular.to_owned(), format!("{singular}s")]
        }),
        ("gains-blanks", "takes values with a blank before or after them", |text| {
            vec![format!(" {text}"), format!("{text} "), format!("{text}\n")]
        }),
        ("gains-nothing", "takes an empty text", |_| vec![String::new()]),
    ]
}

fn capitalised(word: &str) -> String {
    let mut word = word.to_owned();
    if let Some(first) = word.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(schema: &Value) -> Vec<String> {
        SchemaChange::all(schema)
            .iter()
            .map(|change| format!("{}/{}/{}", change.at.join("/"), change.keyword, change.name))
            .collect()
    }

    #[test]
    fn every_assertion_has_its_changes() {
        let schema = json!({
            "title": "not an assertion",
            "type": "object",
            "required": ["a", "b"],
            "properties": {"a": {"minimum": 1}, "b": {"enum": ["x-y"], "default": 1}, "c": true},
            "additionalProperties": false,
            "allOf": [{"if": {"required": ["a"]}, "then": {"required": ["c"]}}],
        });
        let names = names(&schema);
        for expected in [
            "/type/dropped",
            "/type/also-null",
            "/type/also-string",
            "/required/dropped",
            "/required/loses-a",
            "/required/loses-b",
            "properties/a/minimum/dropped",
            "properties/a/minimum/lower",
            "properties/a/minimum/higher",
            "properties/b/enum/dropped",
            "properties/b/enum/loses-x-y",
            "properties/b/enum/gains-capitals",
            "properties/b/enum/gains-separators",
            "/additionalProperties/dropped",
            "/allOf/dropped",
            "allOf/0/if/dropped",
            "allOf/0/if/required/dropped",
            "allOf/0/then/required/loses-c",
        ] {
            assert!(names.contains(&expected.to_owned()), "{expected}: {names:#?}");
        }
        assert!(!names.iter().any(|name| name.contains("title") || name.contains("default")));
        let unique: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(unique.len(), names.len());
    }

    #[test]
    fn a_change_changes_its_place_alone() {
        let schema = json!({"properties": {"a": {"maxLength": 3, "type": "string"}}, "not": {}});
        for change in SchemaChange::all(&schema) {
            let changed = change.apply(&schema);
            assert_ne!(changed, schema, "{change:?}");
        }
        let higher = SchemaChange::all(&schema).into_iter().find(|c| c.name == "higher").unwrap();
        assert_eq!(
            higher.apply(&schema),
            json!({"properties": {"a": {"maxLength": 4, "type": "string"}}, "not": {}})
        );
    }
}
