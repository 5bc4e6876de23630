//! Which rules an assertion of a schema stands for.

use std::collections::BTreeSet;

use serde_json::Value;

use super::schema::SchemaChange;
use crate::core::{RuleId, RuleTable};

/// Last parts of rule ids that an assertion of their own stands for.
const BY_KEYWORD: [(&str, &str); 8] = [
    ("enum", "values"),
    ("minItems", "min-items"),
    ("maxItems", "max-items"),
    ("uniqueItems", "unique"),
    ("minLength", "min-length"),
    ("maxLength", "max-length"),
    ("minimum", "minimum"),
    ("maximum", "maximum"),
];
/// Other last parts that a pattern never stands for.
const NO_PATTERN: [&str; 6] =
    ["type", "item-type", "required", "default", "recommended", "may-be-empty"];

/// The keywords of a condition.
const CONDITION: [&str; 3] = ["if", "then", "else"];

/// The rules that a change of a schema attacks, by where it stands in it.
///
/// `document` is the first part of the ids of the rules that the schema is about.
pub(super) fn attacked(
    rules: &RuleTable,
    document: &str,
    schema: &Value,
    change: &SchemaChange,
) -> Vec<RuleId> {
    let site = Site::of(document, schema, change);
    let shown = rules.rules().map(|(_, rule)| rule).filter(|rule| rule.excluded.is_none());
    let attacked = shown.map(|rule| &rule.id).filter(|rule| site.stands_for(rule, change));
    attacked.cloned().collect()
}

struct Site<'a> {
    document: &'a str,
    /// The field that the assertion is about, as rule ids name it.
    subject: String,
    /// Whether it is about the entries of a sequence.
    of_items: bool,
    /// In a condition: the values that it depends on.
    condition: Option<BTreeSet<String>>,
    /// The fields that are asked for, or were.
    required: Vec<String>,
}

impl<'a> Site<'a> {
    fn of(document: &'a str, schema: &Value, change: &SchemaChange) -> Self {
        let mut site = Self {
            document,
            subject: document.to_owned(),
            of_items: false,
            condition: None,
            required: Vec::new(),
        };
        let mut value = schema;
        let mut keys = change.at.iter().map(String::as_str);
        while let Some(key) = keys.next() {
            let holder = value;
            value = value.get(key).unwrap_or(&Value::Null);
            match key {
                "properties" | "$defs" => {
                    let Some(name) = keys.next() else { break };
                    value = value.get(name).unwrap_or(&Value::Null);
                    if key == "$defs" {
                        site.subject = document.to_owned();
                    }
                    site.subject = format!("{}.{name}", site.subject);
                }
                "items" => site.of_items = true,
                "if" | "then" | "else" => site.depend(holder, &CONDITION),
                "allOf" => {
                    let index = keys.next().and_then(|index| index.parse::<usize>().ok());
                    value = index.and_then(|at| value.get(at)).unwrap_or(&Value::Null);
                }
                _ => {}
            }
        }
        match change.keyword.as_str() {
            "if" => site.depend(value, &CONDITION),
            "allOf" => site.depend(value, &["allOf"]),
            _ => {}
        }
        if change.keyword == "required" {
            let names = value.get("required").and_then(Value::as_array).into_iter().flatten();
            let lost = change.name.strip_prefix("loses-");
            site.required = names
                .filter_map(Value::as_str)
                .filter(|name| lost.is_none_or(|lost| lost == *name))
                .map(str::to_owned)
                .collect();
        }
        site
    }

    fn depend(&mut self, on: &Value, keywords: &[&str]) {
        let values = self.condition.get_or_insert_default();
        for value in keywords.iter().filter_map(|keyword| on.get(keyword)) {
            constants(value, values);
        }
    }

    fn stands_for(&self, rule: &RuleId, change: &SchemaChange) -> bool {
        let Some((subject, last)) = rule.as_str().rsplit_once('.') else { return false };
        let of_document = || rule.as_str().split('.').next() == Some(self.document);
        if let Some(values) = &self.condition {
            let conditional = last.starts_with("required-for-") || last.starts_with("requires-");
            return of_document()
                && conditional
                && values.iter().any(|value| last.ends_with(&format!("-{value}")));
        }
        let is_root = self.subject == self.document;
        match change.keyword.as_str() {
            "type" if is_root => rule.as_str() == format!("{}.document.mapping", self.document),
            "type" => {
                subject == self.subject && last == if self.of_items { "item-type" } else { "type" }
            }
            "required" => {
                let required = |name: &String| {
                    last == "required" && subject == format!("{}.{name}", self.subject)
                };
                self.required.iter().any(required)
            }
            "additionalProperties" | "patternProperties" => {
                let unknown = format!("{}.unknown-field", self.document);
                let place = if is_root { "top-level" } else { "nested" };
                rule.as_str() == format!("{unknown}.{place}")
                    || (is_root && rule.as_str() == unknown)
                    || (change.keyword == "patternProperties"
                        && rule.as_str() == format!("{}.extension.top-level", self.document))
            }
            "$ref" => rule.as_str().starts_with(&format!("{}.", self.subject)),
            "pattern" | "not" => subject == self.subject && is_of_pattern(last),
            "items" => {
                subject == self.subject
                    && (is_of_pattern(last) || matches!(last, "item-type" | "values"))
            }
            keyword => subject == self.subject && BY_KEYWORD.contains(&(keyword, last)),
        }
    }
}

fn is_of_pattern(last: &str) -> bool {
    !NO_PATTERN.contains(&last)
        && !BY_KEYWORD.iter().any(|(_, other)| *other == last)
        && !last.starts_with("required-for-")
        && !last.starts_with("requires-")
}

fn constants(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                match value {
                    Value::String(text) if key == "const" => drop(found.insert(text.clone())),
                    value => constants(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| constants(item, found)),
        _ => {}
    }
}
