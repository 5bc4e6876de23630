//! Strings in double quotes that YAML and JSON read alike.

/// A string in double quotes: the same to every reader of YAML 1.1, YAML 1.2 and JSON.
#[must_use]
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                escape(&mut quoted, c)
            }
            c if c.is_control() => escape(&mut quoted, c),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// All of these are in the basic plane, where four digits do.
fn escape(quoted: &mut String, c: char) {
    quoted.push_str("\\u");
    for shift in [12, 8, 4, 0] {
        let digit = (c as u32 >> shift) & 15;
        quoted.push(char::from_digit(digit, 16).unwrap_or('0'));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::Document;

    #[test]
    fn every_character_is_read_back() {
        let texts = [
            "",
            "plain",
            "a\"b\\c\n\r\t",
            "é😀",
            "yes",
            "- # : {",
            "\u{0}\u{7f}\u{85}\u{2028}\u{feff}\u{ffff}",
        ];
        for text in texts {
            let quoted = quote(text);
            assert!(!quoted.contains(char::is_control), "{quoted}");
            assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), text);
            assert_eq!(Document::parse(quoted.as_bytes()).unwrap().root().as_str(), Some(text));
        }
    }
}
