//! Command lines that can be pasted into a shell.

/// A word as a POSIX shell reads it back; control characters are spelled out in
/// `$'…'`, so that showing the word is safe, too.
#[must_use]
pub(super) fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=/.,:@%+^".contains(c);
    // At the start `=` and `~` mean something to some shells.
    if !word.is_empty() && !word.starts_with('=') && word.chars().all(plain) {
        return word.to_owned();
    }
    if word.contains(super::escape::acts) {
        return ansi_c(word);
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// `$'…'`, the form that spells characters out.
fn ansi_c(word: &str) -> String {
    let mut quoted = String::from("$'");
    for c in word.chars() {
        match c {
            '\'' | '\\' => {
                quoted.push('\\');
                quoted.push(c);
            }
            c if super::escape::acts(c) => {
                // Three octal digits always: the next character may be a digit.
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    quoted.push('\\');
                    for shift in [6, 3, 0] {
                        quoted.push(char::from(b'0' + ((byte >> shift) & 7)));
                    }
                }
            }
            c => quoted.push(c),
        }
    }
    quoted.push('\'');
    quoted
}

/// A command on lines of at most `columns` columns where its words allow it: all
/// but the last end in ` \`, and the shell reads them as one.
pub(super) fn wrapped<'a>(words: impl IntoIterator<Item = &'a str>, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words.into_iter().map(quote) {
        let continued = !lines.is_empty();
        match lines.last_mut() {
            // Two columns stay free for the mark of continuation.
            Some(line)
                if super::escape::width(line) + 1 + super::escape::width(&word) + 2 <= columns =>
            {
                line.push(' ');
                line.push_str(&word);
            }
            last => {
                if let Some(line) = last {
                    line.push_str(" \\");
                }
                lines.push(if continued { format!("  {word}") } else { word });
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: &[&str] = &[
        "living-conformance",
        "--impl",
        "./my tool",
        "it's",
        "",
        "$HOME `x` \\ \"q\" !*?[a]{b}~#;&|<>()",
        "a\nb\t\u{1b}7'\\\u{202e}x",
        "größe",
        "~",
        "-",
        "a=b",
    ];

    /// What `sh` makes of a line of shell, as words.
    #[cfg(unix)]
    fn read_back(shell: &str, line: &str) -> Option<Vec<String>> {
        let script = format!("printf '%s\\0' {line}");
        let output = std::process::Command::new(shell).args(["-c", &script]).output().ok()?;
        let text = String::from_utf8(output.stdout).unwrap();
        let mut words: Vec<String> = text.split('\0').map(str::to_owned).collect();
        words.pop();
        Some(words)
    }

    #[test]
    #[cfg(unix)]
    fn a_shell_reads_the_words_back() {
        if let Some(read) = read_back("bash", &wrapped(WORDS.iter().copied(), usize::MAX)[0]) {
            assert_eq!(read, WORDS);
            for columns in [1, 20, 80] {
                let lines = wrapped(WORDS.iter().copied(), columns).join("\n");
                assert_eq!(read_back("bash", &lines).unwrap(), WORDS);
            }
        }
        // Without control characters any POSIX shell does.
        let plain: Vec<&str> = WORDS.iter().copied().filter(|word| !word.contains('\n')).collect();
        assert_eq!(read_back("sh", &wrapped(plain.iter().copied(), usize::MAX)[0]).unwrap(), plain);
    }

    #[test]
    fn words_are_quoted_only_where_needed() {
        let line = wrapped(["a/b::c", "x y", "it's"], usize::MAX);
        assert_eq!(line, [r"a/b::c 'x y' 'it'\''s'"]);
        assert_eq!(quote("\u{1b}1"), "$'\\0331'");
    }

    #[test]
    fn long_commands_are_continued() {
        let words = ["living-conformance", "--impl", "./their-validator", "--exact", "a::b"];
        let lines = wrapped(words, 40);
        assert_eq!(lines, ["living-conformance --impl \\", "  ./their-validator --exact a::b"]);
    }
}
