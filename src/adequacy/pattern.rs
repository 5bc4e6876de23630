//! Small changes of a pattern: an anchor less, a class more, a quantifier moved.

/// Characters that a class may gain, as a class writes them, each with a name.
const GAINED: [(&str, &str, &str); 6] = [
    ("A-Z", "capitals", "capital letters"),
    ("a-z", "small", "small letters"),
    ("0-9", "digits", "digits"),
    ("_", "underscore", "underscores"),
    (".", "dot", "dots"),
    ("\u{80}-\u{10ffff}", "others", "characters beyond ASCII"),
];

/// The changes of a pattern: a name, what it does wrong, and the changed pattern.
pub(super) fn changes(text: &str) -> Vec<(String, String, String)> {
    let mut changes = Vec::new();
    let mut add = |name: String, wrong: String, changed: String| {
        if changed != text {
            changes.push((name, wrong, changed));
        }
    };
    if let Some(rest) = text.strip_prefix('^') {
        add("any-start".into(), "lets anything stand before it".into(), rest.to_owned());
    }
    if let Some(rest) = text.strip_suffix('$') {
        add("any-end".into(), "lets anything stand after it".into(), rest.to_owned());
        // What `$` means in many languages.
        let changed = format!("{rest}\\n?$");
        add("line-feed".into(), "lets a line feed stand after it".into(), changed);
    }
    for (number, class) in classes(text).into_iter().enumerate() {
        let inside = &text[class.0 + 1..class.1];
        for (gained, name, what) in GAINED {
            if !inside.contains(gained) && !inside.starts_with('^') {
                let changed = format!("{}{gained}{}", &text[..class.0 + 1], &text[class.0 + 1..]);
                add(
                    format!("class-{}-gains-{name}", number + 1),
                    format!("takes {what} in [{inside}]"),
                    changed,
                );
            }
        }
    }
    for (number, (at, length, others)) in quantifiers(text).into_iter().enumerate() {
        let found = &text[at..at + length];
        for other in others {
            let changed = format!("{}{other}{}", &text[..at], &text[at + length..]);
            let named = match other.as_str() {
                "" => "once".to_owned(),
                other => format!("{other:?}").trim_matches('"').to_owned(),
            };
            add(
                format!("quantifier-{}-{}", number + 1, slug(&other)),
                format!("repeats as {named}, not as {found}"),
                changed,
            );
        }
    }
    changes
}

fn slug(quantifier: &str) -> String {
    match quantifier {
        "" => "once".to_owned(),
        "*" => "any".to_owned(),
        "+" => "some".to_owned(),
        "?" => "maybe".to_owned(),
        other => other.trim_matches(['{', '}']).replace(',', "-to-"),
    }
}

/// The classes of a pattern, as the places of their brackets.
fn classes(text: &str) -> Vec<(usize, usize)> {
    let mut classes = Vec::new();
    let mut open = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' if open.is_none() => open = Some(at),
            ']' => classes.extend(open.take().map(|start| (start, at))),
            _ => {}
        }
    }
    classes
}

/// The quantifiers outside of classes: where, how long, and what else they may be.
fn quantifiers(text: &str) -> Vec<(usize, usize, Vec<String>)> {
    let classes = classes(text);
    let mut found = Vec::new();
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        let in_class = classes.iter().any(|(start, end)| (start..end).contains(&&at));
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if in_class => {}
            '*' => found.push((at, 1, vec!["+".to_owned(), "?".to_owned()])),
            '+' => found.push((at, 1, vec!["*".to_owned(), String::new()])),
            '?' => found.push((at, 1, vec![String::new(), "*".to_owned()])),
            '{' => {
                let Some(length) = text[at..].find('}').map(|end| end + 1) else { continue };
                let moved = moved(&text[at..at + length]);
                found.push((at, length, moved));
            }
            _ => {}
        }
    }
    found
}

/// `{0,127}` with either bound moved by one.
fn moved(braces: &str) -> Vec<String> {
    let inside = braces.trim_matches(['{', '}']);
    let Some((low, high)) = inside.split_once(',') else { return Vec::new() };
    let (Ok(low), Ok(high)) = (low.parse::<u32>(), high.parse::<u32>()) else { return Vec::new() };
    let mut moved = vec![(low + 1, high), (low, high + 1)];
    moved.extend(high.checked_sub(1).map(|high| (low, high)));
    moved.extend(low.checked_sub(1).map(|low| (low, high)));
    moved.into_iter().map(|(low, high)| format!("{{{low},{high}}}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(text: &str) -> Vec<String> {
        changes(text).into_iter().map(|(_, _, changed)| changed).collect()
    }

    #[test]
    fn anchors_classes_and_quantifiers_are_changed() {
        let all = changed("^[a-z][a-z-]*$");
        for expected in [
            "[a-z][a-z-]*$",
            "^[a-z][a-z-]*",
            "^[a-z][a-z-]*\\n?$",
            "^[A-Za-z][a-z-]*$",
            "^[a-z][_a-z-]*$",
            "^[a-z][a-z-]+$",
        ] {
            assert!(all.contains(&expected.to_owned()), "{expected}: {all:?}");
        }
        assert!(changed("^[A-Z]{0,127}$").contains(&"^[A-Z]{0,126}$".to_owned()));
        assert!(changed("^[A-Z]{0,127}$").contains(&"^[A-Z]{1,127}$".to_owned()));
    }

    #[test]
    fn what_is_escaped_or_in_a_class_is_no_quantifier() {
        assert_eq!(changed("a\\+b\\[c"), Vec::<String>::new());
        assert!(!changed("[+*]").iter().any(|text| !text.ends_with("+*]")));
        for text in ["^v[0-9]+\\.[0-9]+(-[0-9A-Za-z.-]+)?$", "(^|/)\\.\\.(/|$)"] {
            for changed in changed(text) {
                assert!(regex::Regex::new(&changed).is_ok(), "{changed}");
            }
        }
    }
}
