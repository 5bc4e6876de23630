//! `docs/maintaining.md` can be followed to the letter: this test does, in a copy of the
//! checkout, with the page's own commands and texts.
//!
//! What needs another build is not built again: the reference of the program under test
//! knows the rule, and the lines that the page shows of it stand where the page says.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may panic")]

mod cli_support;

use std::fs;
use std::path::Path;

use cli_support::{Place, Ran, root};
use serde_yaml::Value;

const PAGE: &str = "docs/maintaining.md";
const RULES: &str = "suites/manifest/rules.yaml";
/// What the commands begin with that are not run: those that build, and those that make
/// the copy in which this test is already.
const NOT_RUN: [&str; 5] =
    ["cargo ", "LIVING_CONFORMANCE_UPDATE=1 cargo ", "export PATH=", "git clone ", "cd "];
/// The fixtures that the page makes, or makes right.
const MADE: [&str; 3] = [
    "fixtures/manifest/secrets/one",
    "fixtures/manifest/secrets/empty",
    "fixtures/manifest/combination/every-sequence-empty",
];

/// One thing that the page asks for.
enum Step {
    /// A command, with what it prints, and its exit code.
    Run { command: String, prints: Vec<String>, code: i32 },
    /// A text, and the file in which it is.
    Text { file: String, text: String },
}

#[test]
fn the_page_leads_from_the_row_to_green_adequacy() {
    let place = Place::new();
    for folder in ["suites", "fixtures"] {
        copy(&root().join(folder), &place.path().join(folder));
    }
    let page = fs::read_to_string(root().join(PAGE)).unwrap();
    let (mut run, mut texts) = (0, 0);
    for step in steps(&page) {
        match step {
            Step::Run { command, .. } if NOT_RUN.iter().any(|it| command.starts_with(it)) => {}
            Step::Run { command, prints, code } => {
                run += 1;
                let ran = place.shell(&command);
                assert_eq!(ran.code, Some(code), "{command}\n{ran}");
                assert_prints(&command, &ran, &prints);
            }
            Step::Text { file, text } => {
                texts += 1;
                take(&place, &file, &text);
            }
        }
    }
    // Fewer, and the page is not read as it is written.
    assert!(run >= 13 && texts >= 8, "{run} commands, {texts} texts");
    for fixture in MADE {
        let (made, shipped) = (place.path().join(fixture), root().join(fixture));
        let read = |folder: &Path, file: &str| fs::read_to_string(folder.join(file)).unwrap();
        assert_eq!(read(&made, "manifest.yaml"), read(&shipped, "manifest.yaml"), "{fixture}");
        let cases = |folder: &Path| -> Value {
            let golden: Value = serde_yaml::from_str(&read(folder, "expected.yaml")).unwrap();
            golden["cases"].clone()
        };
        assert_eq!(cases(&made), cases(&shipped), "{fixture}");
    }
}

/// Does with a text what the page says.
fn take(place: &Place, file: &str, text: &str) {
    let shipped =
        || fs::read_to_string(root().join(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
    if file == RULES {
        // The row is that of the checkout, and what was taken out for the page.
        let row = format!("{text}\n");
        let whole = shipped();
        assert!(whole.contains(&row), "{file} has another row than\n{text}");
        let trial = fs::read_to_string(place.path().join(file)).unwrap();
        assert_eq!(whole.replacen(&row, "", 1), trial);
        place.write(file, whole);
    } else if file.contains('/') {
        let lines = |text: &str| -> Vec<String> {
            text.lines().map(|line| line.trim().to_owned()).collect()
        };
        let (whole, shown) = (lines(&shipped()), lines(text));
        let stands = whole.windows(shown.len()).any(|window| window == shown);
        assert!(stands, "this does not stand in {file}:\n{text}");
    } else {
        place.write(file, text);
    }
}

/// Asserts that the lines are printed, one below the other.
fn assert_prints(command: &str, ran: &Ran, lines: &[String]) {
    let printed = format!("{}{}", ran.stdout, ran.stderr);
    let mut rest = printed.lines();
    for line in lines {
        assert!(
            rest.any(|printed| is_shown_as(printed, line)),
            "{command} does not print, or not in this place:\n{line}\n{ran}"
        );
    }
}

/// Whether a line is the one that the page shows, with … for what it leaves out.
fn is_shown_as(printed: &str, shown: &str) -> bool {
    let mut pieces = shown.split('…');
    let Some(mut rest) = pieces.next().and_then(|first| printed.strip_prefix(first)) else {
        return false;
    };
    if !shown.contains('…') {
        return rest.is_empty();
    }
    let mut last = "";
    for piece in pieces {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
        last = piece;
    }
    last.is_empty() || rest.is_empty()
}

/// What the page asks for, in order: its indented blocks.
fn steps(page: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut lines = page.lines().peekable();
    let mut prose = String::new();
    while let Some(line) = lines.next() {
        let Some(first) = line.strip_prefix("    ") else {
            prose.push_str(line);
            prose.push('\n');
            continue;
        };
        let mut block = vec![first];
        while let Some(line) = lines.peek().and_then(|line| line.strip_prefix("    ")) {
            block.push(line);
            lines.next();
        }
        if first.starts_with("$ ") {
            steps.extend(session(&block));
        } else {
            let file = prose.trim_end().strip_suffix("`:").and_then(|it| it.rsplit('`').next());
            let file = file.unwrap_or_else(|| panic!("no file is named before\n{first}"));
            let text = block.iter().map(|line| format!("{line}\n")).collect();
            steps.push(Step::Text { file: file.to_owned(), text });
        }
        prose.clear();
    }
    steps
}

/// The commands of a block, each with what it prints.
fn session(block: &[&str]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut continued = false;
    for line in block {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(start), _) if !continued => {
                let (command, prints) = (start.to_owned(), Vec::new());
                steps.push(Step::Run { command, prints, code: 0 });
            }
            (_, Some(Step::Run { command, prints, code })) => {
                let exit = line.strip_prefix("(exit code ").and_then(|it| it.strip_suffix(')'));
                match exit {
                    _ if continued => *command = format!("{command}\n{line}"),
                    Some(exit) => *code = exit.parse().unwrap(),
                    None => prints.push((*line).to_owned()),
                }
            }
            _ => panic!("output before a command: {line}"),
        }
        continued = line.ends_with('\\');
    }
    steps
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}
