//! `project_id`.

use super::super::Ask;
use super::super::fault::Fault;
use crate::reference::REFERENCE;

const CHARSET: &str = "manifest.project_id.charset";
const FIRST: &str = "manifest.project_id.first-character";
const LENGTH: &str = "manifest.project_id.max-length";
const AT: &str = "/project_id";

fn id<'a>(ask: &Ask<'a>) -> &'a str {
    ask.text(&["project_id"]).unwrap_or_default()
}

pub(super) const FAULTS: &[Fault] = &[
    Fault::test("id-capital", "takes capital letters in a project id", &[CHARSET], |p| {
        p.project_id_character = |c| (REFERENCE.project_id_character)(c) || c.is_ascii_uppercase();
    }),
    Fault::test("id-underscore", "takes underscores in a project id", &[CHARSET], |p| {
        p.project_id_character = |c| (REFERENCE.project_id_character)(c) || c == '_';
    }),
    Fault::test("id-dot", "takes dots in a project id", &[CHARSET], |p| {
        p.project_id_character = |c| (REFERENCE.project_id_character)(c) || c == '.';
    }),
    Fault::test("id-slash", "takes slashes in a project id", &[CHARSET], |p| {
        p.project_id_character = |c| (REFERENCE.project_id_character)(c) || c == '/';
    }),
    Fault::test("id-blank", "takes blanks in a project id", &[CHARSET], |p| {
        p.project_id_character = |c| (REFERENCE.project_id_character)(c) || c == ' ';
    }),
    Fault::test(
        "id-line-feed",
        "lets a line feed follow the project id, as $ does",
        &[CHARSET],
        |p| {
            p.project_id_character = |c| (REFERENCE.project_id_character)(c) || c == '\n';
        },
    ),
    Fault::test(
        "id-letters-of-any-script",
        "takes letters of any script in a project id",
        &[CHARSET],
        |p| {
            p.project_id_character =
                |c| (REFERENCE.project_id_character)(c) || (c.is_lowercase() && !c.is_ascii());
        },
    ),
    Fault::test(
        "id-digits-of-any-script",
        "takes digits of any script in a project id",
        &[CHARSET],
        |p| {
            p.project_id_character =
                |c| (REFERENCE.project_id_character)(c) || (c.is_numeric() && !c.is_ascii());
        },
    ),
    Fault::test("id-no-digits", "takes no digits in a project id", &[CHARSET], |p| {
        p.project_id_character = |c| matches!(c, 'a'..='z' | '-');
    }),
    Fault::test("id-no-hyphen", "takes no hyphens in a project id", &[CHARSET], |p| {
        p.project_id_character = |c| matches!(c, 'a'..='z' | '0'..='9');
    }),
    Fault::test("id-first-hyphen", "lets a project id begin with a hyphen", &[FIRST], |p| {
        p.project_id_first = |c| c.is_some();
    }),
    Fault::test("id-empty", "lets a project id be empty", &[FIRST], |p| {
        p.project_id_first = |c| c.is_none() || (REFERENCE.project_id_first)(c);
    }),
    Fault::test("id-first-letter", "wants a letter at the start of a project id", &[FIRST], |p| {
        p.project_id_first = |c| c.is_some_and(char::is_alphabetic);
    }),
    Fault::test("id-length-62", "allows 62 characters", &[LENGTH], |p| p.project_id_max = 62),
    Fault::test("id-length-64", "allows 64 characters", &[LENGTH], |p| p.project_id_max = 64),
    Fault::test("id-length-253", "allows as many characters as a host name has", &[LENGTH], |p| {
        p.project_id_max = 253
    }),
    Fault::program(
        "id-last-hyphen",
        "lets no project id end with a hyphen, as a DNS label",
        &[CHARSET, FIRST],
        |ask| ask.refusing(CHARSET, AT, ask.is_strict() && id(ask).ends_with('-')),
    ),
    Fault::program(
        "id-two-hyphens",
        "lets no two hyphens follow each other in a project id",
        &[CHARSET],
        |ask| ask.refusing(CHARSET, AT, ask.is_strict() && id(ask).contains("--")),
    ),
    Fault::program("id-length-in-bytes", "counts bytes, not characters", &[LENGTH], |ask| {
        let is_longer = id(ask).len() > 63 && !ask.answer().reports(LENGTH);
        ask.refusing(LENGTH, AT, ask.is_strict() && is_longer)
    })
    .equivalent("what is longer in bytes has a character that is refused at the same place"),
    Fault::program("id-on-any-line", "matches a line, as ^ and $ do", &[CHARSET], |ask| {
        ask.answer().knowing(|finding| {
            let line = |line: &str| {
                line.chars().next().is_some_and(|first| first != '-')
                    && line.chars().all(REFERENCE.project_id_character)
            };
            !(finding.rule == CHARSET && id(ask).lines().any(line))
        })
    }),
    Fault::test("id-up-to-nul", "reads a project id up to a NUL, as C does", &[CHARSET], |p| {
        p.project_id_character = |c| c == '\0' || (REFERENCE.project_id_character)(c);
    }),
    Fault::program("id-needs-letter", "refuses a project id of digits alone", &[CHARSET], |ask| {
        let digits = |id: &str| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
        ask.refusing(CHARSET, AT, ask.validates() && digits(id(ask)))
    }),
    Fault::program(
        "id-words-refused",
        "refuses words as project ids that YAML knows, quoted or not",
        &["manifest.project_id.type"],
        |ask| {
            let words = ["true", "false", "null", "yes", "no", "on", "off"];
            let is_word = words.contains(&id(ask));
            ask.refusing("manifest.project_id.type", AT, ask.validates() && is_word)
        },
    ),
];
