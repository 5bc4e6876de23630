//! What the typed reader says of a file, in the words of the format: it speaks of fields,
//! variants and the structs of this program, and whoever wrote the file of keys and texts.

use super::nearest;

/// How many names are listed where none is near.
const LISTED: usize = 16;

/// What is wrong with the form of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    /// The kind of fault, stable and kebab-case.
    pub(crate) code: &'static str,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do, where the message gives more than its kind.
    pub(crate) remedy: Option<String>,
}

/// The kinds of messages that the reader has, each by its beginning.
#[derive(Debug, Clone, Copy)]
enum Kind {
    UnknownField,
    MissingField,
    DuplicateField,
    UnknownVariant,
    InvalidType,
    InvalidValue,
    InvalidLength,
}

const KINDS: [(&str, Kind); 8] = [
    ("unknown field `", Kind::UnknownField),
    ("missing field `", Kind::MissingField),
    ("duplicate field `", Kind::DuplicateField),
    ("duplicate entry `", Kind::DuplicateField),
    ("unknown variant `", Kind::UnknownVariant),
    ("invalid type: ", Kind::InvalidType),
    ("invalid value: ", Kind::InvalidValue),
    ("invalid length ", Kind::InvalidLength),
];

/// A message of the typed reader, without its place, in the words of the format. What
/// leads to the value may stand in front: `cases.strict: …`.
#[must_use]
pub(crate) fn in_words(message: &str) -> Told {
    // What is quoted from the file comes behind what the reader says.
    let found = KINDS.iter().filter_map(|(start, kind)| Some((message.find(start)?, start, kind)));
    let Some((at, start, kind)) = found.min_by_key(|(at, ..)| *at) else { return other(message) };
    let (path, rest) = (&message[..at], &message[at + start.len()..]);
    let mut told = match kind {
        Kind::UnknownField => unknown_key(rest),
        Kind::MissingField => {
            Told::new("missing-field", format!("the key {:?} is missing", name(rest)))
        }
        Kind::DuplicateField => {
            Told::new("duplicate-field", format!("the key {:?} stands twice", name(rest)))
        }
        Kind::UnknownVariant => unknown_word(rest),
        Kind::InvalidType | Kind::InvalidValue => {
            let (seen, expected) = rest.rsplit_once(", expected ").unwrap_or((rest, ""));
            Told::new("bad-value", not_expected(&value(seen), expected))
        }
        Kind::InvalidLength => {
            let (length, expected) = rest.split_once(", expected ").unwrap_or((rest, ""));
            Told::new("bad-value", not_expected(&format!("{length} of it"), expected))
        }
    };
    told.message.insert_str(0, path);
    told
}

impl Told {
    fn new(code: &'static str, message: String) -> Self {
        Self { code, message, remedy: None }
    }
}

/// What is said otherwise: by a type of this program, in its own words, or of the YAML.
fn other(message: &str) -> Told {
    let code = if message.contains("EOF while parsing") {
        "missing-field"
    } else if message.contains(" is no ") {
        "bad-value"
    } else {
        "bad-yaml"
    };
    Told::new(code, message.to_owned())
}

/// `x`, expected one of `a`, `b`
fn unknown_key(rest: &str) -> Told {
    let (name, known) = name_and_known(rest);
    let mut told = Told::new("unknown-field", format!("{name:?} is no key here"));
    told.remedy = match nearest(name, known.iter().copied()) {
        Some(near) => Some(format!("did you mean {near:?}?")),
        None if (1..=LISTED).contains(&known.len()) => {
            Some(format!("remove it; the keys are {}", known.join(", ")))
        }
        None => None,
    };
    told
}

fn unknown_word(rest: &str) -> Told {
    let (name, known) = name_and_known(rest);
    let mut told =
        Told::new("bad-value", format!("{name:?} is none of the words that may be here"));
    told.remedy = match nearest(name, known.iter().copied()) {
        Some(near) => Some(format!("did you mean {near:?}?")),
        None if !known.is_empty() => Some(format!("write one of {}", known.join(", "))),
        None => None,
    };
    told
}

/// A name up to its closing quote, and those that are expected in its place.
fn name_and_known(rest: &str) -> (&str, Vec<&str>) {
    let ends = ["`, expected ", "`, there are no "];
    let end = ends.iter().filter_map(|end| rest.rfind(end)).max();
    let (name, expected) = end.map_or((name(rest), ""), |at| (&rest[..at], &rest[at + 1..]));
    (name, expected.split('`').skip(1).step_by(2).collect())
}

/// A name up to its closing quote, which is the last.
fn name(rest: &str) -> &str {
    rest.rsplit_once('`').map_or(rest, |(name, _)| name)
}

fn not_expected(seen: &str, expected: &str) -> String {
    match expected {
        "" => format!("{seen} may not be here"),
        expected => format!("{} is expected here, not {seen}", form(expected)),
    }
}

/// What is expected, in the words of YAML and JSON.
fn form(expected: &str) -> String {
    let known = match expected {
        "a string" | "string" | "a borrowed string" | "str" => "a text",
        "a sequence" | "sequence" => "a list",
        "a map" | "map" => "a mapping",
        "a boolean" | "bool" => "true or false",
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => "a whole number from 0",
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "a whole number",
        "a nonzero u8" | "a nonzero u16" | "a nonzero u32" | "a nonzero u64"
        | "a nonzero usize" => "a whole number from 1",
        "f32" | "f64" => "a number",
        "unit" | "a unit value" => "nothing",
        "string or map" | "string or singleton map" => "a word, or a mapping with one key",
        _ => "",
    };
    if !known.is_empty() {
        return known.to_owned();
    }
    let of_this_program = [
        ("struct ", "a mapping"),
        ("enum ", "a word"),
        ("variant ", "a word"),
        ("internally tagged enum ", "a mapping"),
        ("adjacently tagged enum ", "a mapping"),
        ("tuple ", "a list"),
        ("a tuple ", "a list"),
        ("newtype struct ", "a text"),
        ("tuple struct ", "a list"),
    ];
    let of_this_program = of_this_program.iter().find(|(start, _)| expected.starts_with(start));
    of_this_program.map_or_else(|| expected.to_owned(), |(_, words)| (*words).to_owned())
}

/// What stands there, in the words of YAML and JSON.
fn value(seen: &str) -> String {
    if let Some(text) = seen.strip_prefix("string ") {
        return format!("the text {text}");
    }
    let (kind, rest) = seen.split_once(" `").unwrap_or((seen, ""));
    let quoted = rest.strip_suffix('`').unwrap_or(rest);
    match kind {
        "boolean" => quoted.to_owned(),
        "integer" | "floating point" => format!("the number {quoted}"),
        "character" => format!("the text {quoted:?}"),
        "sequence" => "a list".to_owned(),
        "map" => "a mapping".to_owned(),
        "null" | "unit value" | "Option value" => "nothing".to_owned(),
        "enum" | "unit variant" | "newtype variant" | "tuple variant" | "struct variant" => {
            "a tagged value".to_owned()
        }
        _ => seen.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::num::NonZeroUsize;

    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "it is read to see what is said when it cannot be")]
    struct File {
        name: String,
        #[serde(default)]
        count: u32,
        #[serde(default)]
        share: f64,
        #[serde(default)]
        least: Option<NonZeroUsize>,
        #[serde(default)]
        list: Vec<bool>,
        #[serde(default)]
        level: Option<Level>,
        #[serde(default)]
        inner: BTreeMap<String, Inner>,
        #[serde(default)]
        pair: Option<(u8, u8)>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "the same")]
    struct Inner {
        only: String,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Level {
        Must,
        Should,
    }

    /// What is told of a YAML file, and what to do.
    fn told(text: &str) -> (String, Option<String>) {
        let error = serde_yaml::from_str::<File>(text).unwrap_err().to_string();
        let message = error.rsplit_once(" at line ").map_or(error.as_str(), |(message, _)| message);
        let Told { message, remedy, .. } = in_words(message);
        (message, remedy)
    }

    #[test]
    fn nothing_of_this_program_is_told() {
        for (text, message) in [
            ("[]", "a mapping is expected here, not a list"),
            ("nmae: x", "\"nmae\" is no key here"),
            ("count: 1", "the key \"name\" is missing"),
            ("name: []", "name: a text is expected here, not a list"),
            (
                "name: x\ncount: -1",
                "count: a whole number from 0 is expected here, not the number -1",
            ),
            (
                "name: x\ncount: '1'",
                "count: a whole number from 0 is expected here, not the text \"1\"",
            ),
            ("name: x\nshare: {}", "share: a number is expected here, not a mapping"),
            (
                "name: x\nleast: 0",
                "least: a whole number from 1 is expected here, not the number 0",
            ),
            ("name: x\nlist: yes", "list: a list is expected here, not the text \"yes\""),
            ("name: x\nlist: [1.5]", "list[0]: true or false is expected here, not the number 1.5"),
            ("name: x\nlist: [~]", "list[0]: true or false is expected here, not nothing"),
            ("name: x\nlevel: shuld", "level: \"shuld\" is none of the words that may be here"),
            ("name: x\ninner: {a: true}", "inner.a: a mapping is expected here, not true"),
            ("name: x\ninner: {a: {b: 1}}", "inner.a: \"b\" is no key here"),
            ("name: x\npair: {}", "pair: a list is expected here, not a mapping"),
            ("name: x\nname: y", "the key \"name\" stands twice"),
        ] {
            let (said, _) = told(text);
            assert_eq!(said, message, "{text}");
            for word in ["struct", "variant", "field", "invalid", "u32", "enum", "`"] {
                assert!(!said.contains(word), "{word} is in {said}");
            }
        }
    }

    #[test]
    fn the_near_name_is_told_or_all_of_them() {
        let remedy = |text: &str| told(text).1.unwrap();
        assert_eq!(remedy("nmae: x"), "did you mean \"name\"?");
        assert_eq!(
            remedy("what: x"),
            "remove it; the keys are name, count, share, least, list, level, inner, pair"
        );
        assert_eq!(remedy("name: x\nlevel: shuld"), "did you mean \"should\"?");
        assert_eq!(remedy("name: x\nlevel: no"), "write one of must, should");
        assert_eq!(remedy("name: x\ninner: {a: {b: 1}}"), "remove it; the keys are only");
    }

    #[test]
    fn what_is_quoted_is_not_taken_for_what_is_said() {
        let odd = "a`, expected one of `b` invalid type: c";
        let said = in_words(&format!("unknown field `{odd}`, expected `name`"));
        assert_eq!(said.message, format!("{odd:?} is no key here"));
        assert_eq!(in_words("a.b is no rule id").code, "bad-value");
        assert_eq!(in_words("did not find expected ',' or ']'").code, "bad-yaml");
    }
}
