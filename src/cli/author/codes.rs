//! The codes that are printed elsewhere than by `lint`, and what they mean.

/// A code of a refusal or an error.
#[derive(Debug, Clone, Copy)]
pub(super) struct Code {
    pub(super) code: &'static str,
    /// What it is said of.
    pub(super) of: &'static str,
    /// What was found, and what to do about it.
    pub(super) what: &'static str,
}

/// Everything that has this code; two things may share one.
pub(super) fn codes_named(code: &str) -> impl Iterator<Item = Code> {
    all().filter(move |known| known.code == code)
}

/// All of them.
pub(super) fn all() -> impl Iterator<Item = Code> {
    GROUPS
        .iter()
        .flat_map(|(of, codes)| codes.iter().map(move |(code, what)| Code { code, of, what }))
}

type Group = (&'static str, &'static [(&'static str, &'static str)]);

const GROUPS: &[Group] = &[
    ("receipt verify refuses a receipt", VERIFY),
    ("certify, of the file for the receipt", PROJECTION),
    ("of a path in a tree that is to be identified", TREE),
    ("of what is under test", SUBJECT),
    ("an implementation could not be started", START),
    ("of a profile", PROFILE),
    ("of a list of expected failures", EXPECTED),
    ("of equivalents.yaml", EQUIVALENTS),
    ("new and bless, of the reference", BLESS),
];

const VERIFY: &[(&str, &str)] = &[
    (
        "receipt.verify.project-mismatch",
        "The receipt is of another project than the one given with --project. Take the \
         receipt of this project.",
    ),
    (
        "receipt.verify.project-revision-mismatch",
        "What the project was held to when it was certified is not what is given: it has \
         changed since, or another directory was given. Certify again.",
    ),
    (
        "receipt.verify.subject-mismatch",
        "Something else was tested than the implementation that is given: its files have \
         another identity. Give the one that was certified, or certify this one.",
    ),
    (
        "receipt.verify.evidence-mismatch",
        "The evidence that is given is not what the receipt names: a byte of it is another. \
         Give the file that was kept when the receipt was written.",
    ),
    (
        "receipt.verify.evidence-unnamed",
        "The receipt names no evidence of this kind, so the file that is given proves \
         nothing. Leave it away, or ask for a receipt that names it.",
    ),
    (
        "receipt.verify.result-mismatch",
        "The report, or the new run, shows other verdicts or findings than the certified run \
         did. The implementation, its environment or the suite behaves differently now.",
    ),
    (
        "receipt.verify.tests-mismatch",
        "The report, or the new run, has another number of tests than the receipt. Give the \
         options that certify had.",
    ),
    (
        "receipt.verify.suite-mismatch",
        "The report, or the new run, is of other fixtures than the receipt. Take the release \
         of the suites that the receipt names.",
    ),
    (
        "receipt.verify.rerun-fails",
        "The new run has cases that fail a MUST: the implementation does not conform any \
         more, or not here. A run with --impl alone shows what fails.",
    ),
];

const PROJECTION: &[(&str, &str)] = &[
    (
        "receipt.projection.no-name",
        "The path names no file. Give one such as verification/current.json.",
    ),
    (
        "receipt.projection.no-directory",
        "The directory of the receipt is not there. Make it first: a path with a slip in it \
         would make another one.",
    ),
    (
        "receipt.projection.link",
        "A link stands there, and what it leads to would not be replaced, but the link. Give \
         the path that it leads to, or remove it.",
    ),
    (
        "receipt.projection.not-a-file",
        "A directory, a pipe or the like stands there. Give another path.",
    ),
    (
        "receipt.projection.invalid",
        "What stands there is no receipt in canonical form, so it may be something else that \
         is wanted. Move it away, or restore the last receipt.",
    ),
    (
        "receipt.projection.other-project",
        "What stands there is the receipt of another project. Correct the project's id, or \
         give another path.",
    ),
    (
        "receipt.projection.changed",
        "The file was changed while the implementation was tested, and is left as it is. Look \
         at it, and certify again.",
    ),
    (
        "receipt.projection.locked",
        "Another certification has been writing to this directory for too long. End it.",
    ),
    (
        "receipt.projection.unreadable",
        "The system does not let the file be read. Make it readable, or move it away.",
    ),
    (
        "receipt.projection.unwritable",
        "The system does not let the receipt be written. Check the permissions and the space \
         of the directory; the old file is as it was.",
    ),
];

const TREE: &[(&str, &str)] = &[
    (
        "tree.name.not-utf8",
        "A name is not UTF-8, so there is no text of it that every host has. Rename it.",
    ),
    ("tree.name.control", "A name has a control character. Rename it."),
    (
        "tree.name.backslash",
        "A name has a backslash, which separates directories on other hosts. Rename it.",
    ),
    (
        "tree.name.reserved",
        "Other hosts do not have a name such as this: it means a device, or ends with a dot \
         or a blank. Rename it.",
    ),
    (
        "tree.path.drive",
        "A path starts with a drive, and would lead out of the tree on other hosts. Rename \
         it.",
    ),
    (
        "tree.path.absolute",
        "A path is absolute, and only those within the tree have an identity. Give it from \
         the root of the tree.",
    ),
    (
        "tree.path.dots",
        "A part of a path is empty, . or .., so it has more than one spelling. Write it \
         without.",
    ),
    (
        "tree.path.collision",
        "Two paths differ in case or composition of letters alone, and some hosts have one \
         file for both. Rename one.",
    ),
    (
        "tree.path.beneath",
        "A path leads through something that is no directory. Remove one of the two.",
    ),
    ("tree.link.not-utf8", "A link leads to a name that is not UTF-8. Replace it by the file."),
    (
        "tree.link.absolute",
        "A link leads to an absolute path, which is another file on another host. Make it \
         relative, or replace it by the file.",
    ),
    ("tree.link.drive", "A link leads to a drive. Make it relative, or replace it by the file."),
    ("tree.link.backslash", "A link leads to a name with a backslash. Write it with slashes."),
    (
        "tree.link.name",
        "A link leads to a name that is empty or has a control character. Remove it.",
    ),
    (
        "tree.link.escapes",
        "A link leads out of the tree, so what is identified would not be all there is. \
         Replace it by the file.",
    ),
    ("tree.special-file", "A pipe, a socket or a device has no content to identify. Remove it."),
    (
        "tree.nested-repository",
        "A directory is a repository of its own, with a history that is not part of the tree. \
         Remove it, or give it by itself.",
    ),
    ("tree.unreadable", "The system does not let it be read. Make it readable."),
    (
        "tree.changed",
        "It changed while it was read, so what was identified was never there. Let nothing \
         write to it, and try again.",
    ),
    (
        "tree.too-many",
        "The tree has more entries than one may have. Give a directory that holds nothing \
         else.",
    ),
    (
        "tree.empty",
        "There is no file in the tree: an identity of nothing is the same everywhere. Check \
         the path.",
    ),
    (
        "tree.no-identity",
        "The list of the tree has no canonical JSON. The message says which value is too much \
         for it.",
    ),
];

const SUBJECT: &[(&str, &str)] = &[
    (
        "subject.unnamed-file",
        "An argument names a file, and nothing says that it belongs to the implementation: \
         whoever changes it would not change what is certified. Name it with --impl-file, or \
         its directory with --impl-tree.",
    ),
    (
        "subject.argument-not-utf8",
        "An argument is not UTF-8, so it has no place in a receipt. Pass another one.",
    ),
    (
        "subject.no-identity",
        "What is under test has no canonical JSON: a file of it is larger than its numbers \
         hold. Certify smaller files.",
    ),
];

const START: &[(&str, &str)] = &[
    (
        "implementation-not-found",
        "There is no file at the path of --impl. Check the path; it counts from the current \
         folder.",
    ),
    (
        "implementation-not-in-path",
        "No folder of PATH has a program of this name. Give its path, or ./ before the name \
         when it is in the current folder.",
    ),
    ("implementation-not-a-file", "The path leads to a folder. Give that of the program in it."),
    (
        "implementation-not-executable",
        "The file may not be executed. chmod +x makes it a program; or give its interpreter \
         as --impl and the file after --.",
    ),
    (
        "implementation-no-interpreter",
        "The first line of the script, or the program itself, asks for an interpreter or \
         loader that is not here. Install it, or give another one and the file after --.",
    ),
    (
        "implementation-no-shebang",
        "It is neither a program nor a script that says what runs it. Give its interpreter as \
         --impl and the file after --.",
    ),
    (
        "implementation-wrong-machine",
        "It is a program for another machine or system. Build it for this one.",
    ),
    (
        "implementation-refused",
        "The system does not start it; the message has the system's own reason.",
    ),
    (
        "workspace",
        "The folder in which implementations find their documents could not be made. Check \
         TMPDIR, its permissions and its space.",
    ),
    (
        "implementation-unwatched",
        "The system does not let the program be watched, so what it leaves running could not \
         be ended. The message says what was refused.",
    ),
    (
        "no-session",
        "The program did not open a session: it said something else first, or ended. \
         docs/sessions.md has what it has to say.",
    ),
    (
        "session-given-up",
        "The session broke too often to be started again. The message tells the cases under \
         way; each reproduces by itself.",
    ),
    (
        "argument-without-document",
        "An argument of the profile asks for a document that the fixture does not have. \
         Correct the placeholder, or say that the operation is unsupported.",
    ),
    (
        "argument-without-folder",
        "An argument of the profile asks for a folder that only --dir gives, and it \
         is not given.",
    ),
    (
        "folder-not-found",
        "The folder that --dir gives, or the directory of the profile, is not there.",
    ),
    ("profile-without-program", "Neither --impl nor the profile names a program."),
    (
        "profile-without-session",
        "A session is asked for, and the profile does not say how to open one. Add it to the \
         profile, or run without.",
    ),
];

const PROFILE: &[(&str, &str)] = &[
    (
        "unknown-placeholder",
        "A name in braces stands for nothing that the harness fills in there. The message has \
         the names that do.",
    ),
    (
        "unknown-rule",
        "A rule that the profile names, for one of its words or fields, is in no suite. Correct \
         the id; a word of the tool's own is to be listed under findings.rules.",
    ),
    (
        "unknown-word",
        "A word is given a meaning, and no line can tell it: each names another in its key rule. \
         Correct one of the two.",
    ),
    (
        "unknown-profile",
        "No profile of this name is part of the program. The help has the names; a path to a \
         file has a slash or ends with .yaml.",
    ),
    (
        "empty",
        "A text is blank or a list is empty that says something only when it is not. Fill it \
         in, or leave the key away.",
    ),
    (
        "not-one-way",
        "An operation has to say in exactly one way how it is asked for: argv, shell or \
         unsupported.",
    ),
    ("bad-exit-code", "An exit code is a number from 0 to 255. Take one of these."),
    ("exit-code-twice", "An exit code cannot both accept and reject. Take it out of one list."),
    (
        "bad-pattern",
        "A regular expression cannot be read; the message says where. The syntax is that of \
         the regex crate: no look-around, no back references.",
    ),
    (
        "unknown-group",
        "A named group of an expression means nothing. The groups are listed in \
         docs/profiles.md.",
    ),
    (
        "no-rule",
        "Nothing says which rule a line of output is about. Name it with a key, or catch it \
         with a group.",
    ),
    ("bad-place", "A place is a JSON pointer such as /project_id, or empty for the document."),
    ("no-value", "What is repeated in a value is asked for, and no group called value holds one."),
    ("bad-variable", "The name of a variable is not empty and has no = and no NUL."),
    ("bad-value", "A number is out of its range. The message says which."),
];

const EXPECTED: &[(&str, &str)] = &[
    (
        "not-one-target",
        "An entry names exactly one of case, fixtures and rule: that which is to fail.",
    ),
    ("empty", "A text is blank. A reason is for the one who finds the entry in a year."),
    (
        "unknown-case",
        "There is no case of this id, so the entry would excuse nothing for ever. Correct it, \
         or remove the entry.",
    ),
    ("unknown-rule", "There is no rule of this id. Correct it, or remove the entry."),
    ("unknown-operation", "The suites have no operation of this name. Correct it."),
    ("bad-glob", "A glob cannot be read; the message says why."),
    ("covers-nothing", "The glob matches no fixture. Correct it, or remove the entry."),
    (
        "too-wide",
        "One entry covers so many cases that it would hide new failures. Narrow it, or say \
         with its key that it is meant to.",
    ),
    ("idle-key", "A key does nothing in this kind of entry. Remove it."),
    ("listed-twice", "Two entries are for the same. Remove one: they may give two reasons."),
];

const EQUIVALENTS: &[(&str, &str)] = &[
    (
        "mutant-pattern",
        "This is no pattern of mutant ids. adequacy lists the ids; * stands for any part of \
         one.",
    ),
    (
        "no-reason",
        "Why no document tells these mutants from the reference is not said. Say it: a test \
         fails once one of them is killed.",
    ),
];

const BLESS: &[(&str, &str)] = &[
    (
        "no-reference",
        "The built-in reference does not have this operation. Write the golden by hand.",
    ),
    (
        "versions-differ",
        "The reference says different things at the protocol versions at which the fixture \
         holds. Bound it with since or before, and make a second one for the others.",
    ),
    ("no-version", "No protocol version lies between since and before. Correct them."),
    (
        "cannot-edit",
        "The golden is written in a way that cannot be changed in part, with anchors and \
         aliases. Write it without, or change it by hand.",
    ),
];
