//! Characters as tools write them that escape what a terminal would act on.

/// Reads the escapes of Python, JavaScript and JSON: `\n`, `\'`, `\xhh`, `\uhhhh`,
/// `\u{h…}`, `\Uhhhhhhhh`. What is no escape stays as it is.
pub(super) fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        match escape(after) {
            Some((c, length)) => {
                out.push(c);
                rest = after.get(length..).unwrap_or_default();
            }
            None => {
                out.push('\\');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// The character that the text after a backslash stands for, and how many bytes
/// say so.
fn escape(after: &str) -> Option<(char, usize)> {
    let digits = |from: usize, count: usize| {
        let hex = after.get(from..from + count)?;
        let all = hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        all.then(|| u32::from_str_radix(hex, 16).ok()).flatten()
    };
    let coded = |count| Some((char::from_u32(digits(1, count)?)?, 1 + count));
    match after.chars().next()? {
        'n' => Some(('\n', 1)),
        'r' => Some(('\r', 1)),
        't' => Some(('\t', 1)),
        c @ ('\\' | '\'' | '"' | '/') => Some((c, 1)),
        'x' => coded(2),
        'u' if after.starts_with("u{") => {
            let end = after.find('}')?;
            let c = char::from_u32(u32::from_str_radix(after.get(2..end)?, 16).ok()?)?;
            Some((c, end + 1))
        }
        'u' => coded(4).or_else(|| {
            // Two halves of one character.
            let (high, low) = (digits(1, 4)?, digits(7, 4)?);
            let halves = [u16::try_from(high).ok()?, u16::try_from(low).ok()?];
            let c = char::decode_utf16(halves).next()?.ok()?;
            (after.get(5..7)? == "\\u").then_some((c, 11))
        }),
        'U' => coded(8),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read_and_the_rest_is_kept() {
        for (text, meant) in [
            ("", ""),
            ("plain", "plain"),
            (r"\x1b[31m", "\u{1b}[31m"),
            (r"a\u200bb\U0001f600c\u{1F600}", "a\u{200b}b😀c😀"),
            (r"\ud83d\ude00!", "😀!"),
            (r#"\\n\'\"\n"#, "\\n'\"\n"),
            (r"\ud83d x", r"\ud83d x"),
            (r"\q\xzz\u12\", r"\q\xzz\u12\"),
            ("é\\é", "é\\é"),
        ] {
            assert_eq!(unescape(text), meant, "{text}");
        }
    }
}
