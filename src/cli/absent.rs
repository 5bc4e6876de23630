//! A hint at files that are named after `--` and are not there. Arguments need not be
//! paths, so that this is no error; where they are, it tells in one line what all failures
//! that follow have in common.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::Path;

use super::args::ReachArgs;
use crate::report::{escape, hanging};
use crate::settings::width_of_help;

/// What the names of scripts and archives end with that an interpreter is given.
const ENDINGS: [&str; 17] = [
    "bash", "class", "cjs", "dll", "exe", "jar", "js", "lua", "mjs", "php", "pl", "py", "pyz",
    "rb", "sh", "ts", "wasm",
];

/// The hint at the first word after `--` that looks like a file and is none.
pub(super) fn hint(args: &ReachArgs) -> Option<String> {
    let words = &args.arguments;
    // What follows `-c` or `-e` is a script itself.
    let is_script =
        |index: usize| index > 0 && ["-c", "-e"].iter().any(|option| words[index - 1] == **option);
    let mut words = words.iter().enumerate().filter(|(index, _)| !is_script(*index));
    let absent = |word: &OsString| looks_like_file(word) && !Path::new(word).exists();
    let (_, word) = words.find(|(_, word)| absent(word))?;
    let word = word.to_string_lossy();
    let word = escape::clamped_start(&word, 200);
    Some(format!(
        "{word}, after --, looks like a file, and there is none of that name here; the \
         implementation is given the word as it is"
    ))
}

/// Writes a hint to standard error.
pub(super) fn tell(hint: Option<&String>) {
    if let Some(text) = hint {
        let lines = hanging("hint: ", 6, text, width_of_help());
        let _ = anstream::stderr().write_all(lines.as_bytes());
    }
}

/// Whether a word has the form of a path, or the name of a script. One that has a scheme
/// is an address.
fn looks_like_file(word: &OsStr) -> bool {
    let Some(text) = word.to_str() else { return false };
    if text.starts_with('-') || text.contains("://") || text.contains('\n') {
        return false;
    }
    let path = Path::new(text);
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    text.starts_with("./")
        || text.starts_with("../")
        || (path.is_absolute() && path.components().count() > 2)
        || ENDINGS.contains(&ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_need_not_be_a_path() {
        for word in ["a.py", "./a", "../a/b", "/no/such", "dist/cli.mjs", "a b.jar"] {
            assert!(looks_like_file(word.as_ref()), "{word}");
        }
        for word in
            ["", "check", "-a.py", "--file=./a.py", "v1.2", "a/b", "/v", "https://a.sh", "."]
        {
            assert!(!looks_like_file(word.as_ref()), "{word}");
        }
    }

    #[test]
    fn what_is_there_is_no_hint() {
        let hint = |words: &[&str]| {
            let arguments = words.iter().map(Into::into).collect();
            hint(&ReachArgs { arguments, ..ReachArgs::default() })
        };
        assert_eq!(hint(&["check", "./src/lib.rs", "./src"]), None);
        assert_eq!(hint(&["-c", "/no/such/checker.sh"]), None);
        let told = hint(&["./src/lib.rs", "no\u{1b}.py", "none.py"]).unwrap();
        assert!(told.starts_with("no\\x1b.py, after --"), "{told}");
    }
}
