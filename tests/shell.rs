//! Completions, tried in the shells that they are for, and the manual, as programs read it
//! that format manuals.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod cli_support;
mod tool_support;

use std::collections::BTreeSet;
use std::fs;

use cli_support::Place;
use tool_support::{Tools, printed};

/// Completions for a shell, in a file.
fn script(place: &Place, shell: &str) -> String {
    let script = place.run(&["completions", shell]).exits(0).quietly().stdout;
    for hidden in ["library-host", "impl-of-environment", "nocapture"] {
        assert!(!script.contains(hidden), "{shell}: {hidden} is for the program alone");
    }
    place.write(shell, script).to_str().unwrap().to_owned()
}

fn words(text: &str) -> BTreeSet<String> {
    text.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
}

fn set(words: &[&str]) -> BTreeSet<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

#[test]
fn bash_completes() {
    let Some(tools) = Tools::with(&["bash", "--version"]) else { return };
    let place = Place::new();
    place.write("a folder/fixture", "");
    let script = script(&place, "bash");
    // As bash calls it when TAB is pressed behind the last word.
    let complete = |words: &[&str]| {
        let ask = r#"source "$1"; shift
            function=$(complete -p living-conformance | sed 's/.*-F \([^ ]*\).*/\1/')
            COMP_WORDS=(living-conformance "$@"); COMP_CWORD=$#; COMPREPLY=()
            "$function" living-conformance "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
            printf '%s\n' "${COMPREPLY[@]}""#;
        let mut command = tools.command("bash");
        command.args(["--norc", "-c", ask, "bash", &script]).args(words).current_dir(place.path());
        self::words(&printed(&command.output().unwrap()))
    };
    assert_eq!(complete(&["rec"]), set(&["receipt"]));
    assert_eq!(complete(&["receipt", "v"]), set(&["verify"]));
    assert_eq!(complete(&["--rul"]), set(&["--rule"]));
    assert_eq!(complete(&["merge", "--rep"]), set(&["--report"]));
    let max_length = set(&["manifest.project_id.max-length"]);
    assert_eq!(complete(&["--rule", "manifest.project_id.m"]), max_length);
    assert_eq!(complete(&["run", "--rule", "manifest.project_id.m"]), max_length);
    assert_eq!(
        complete(&["--class", "validator-"]),
        set(&["validator-lenient", "validator-strict"])
    );
    assert!(complete(&["--protocol", "v"]).is_superset(&set(&["v0.1", "v0.3", "v0.4"])));
    assert_eq!(complete(&["--color", "al"]), set(&["always"]));
    assert_eq!(complete(&["page", "--out", "a folder/f"]), set(&["a folder/fixture"]));
    assert_eq!(complete(&["completions", "z"]), set(&["zsh"]));
}

#[test]
fn fish_completes() {
    let Some(tools) = Tools::with(&["fish", "--version"]) else { return };
    let place = Place::new();
    let script = script(&place, "fish");
    let complete = |line: &str| {
        let mut command = tools.command("fish");
        command.args(["--no-config", "-c", "source $argv[1]; complete -C $argv[2]", &script, line]);
        words(&printed(&command.env("HOME", place.path()).output().unwrap()))
    };
    assert_eq!(complete("living-conformance rec"), set(&["receipt"]));
    assert_eq!(complete("living-conformance receipt v"), set(&["verify"]));
    assert_eq!(complete("living-conformance run --rul"), set(&["--rule"]));
    assert!(complete("living-conformance run --class ").contains("matcher"));
}

#[test]
fn zsh_and_the_others_take_their_scripts() {
    let place = Place::new();
    for shell in ["elvish", "powershell"] {
        script(&place, shell);
    }
    let Some(tools) = Tools::with(&["zsh", "--version"]) else { return };
    let script = script(&place, "zsh");
    let load =
        "autoload -Uz compinit; compinit -u -d $2; source $1; print $_comps[living-conformance]";
    let mut command = tools.command("zsh");
    command.args(["-f", "-c", load, "zsh", &script]).arg(place.path().join("dump"));
    assert_eq!(printed(&command.output().unwrap()), "_living-conformance\n");
    let unknown = place.run(&["completions", "bsh"]).exits(2);
    unknown.complains(&["invalid value 'bsh'", "'bash'"]);
}

#[test]
fn the_manual_is_one() {
    let place = Place::new();
    place.run(&["man", "--out", "man/man1"]).exits(0).quietly();
    let pages: BTreeSet<String> = fs::read_dir(place.path().join("man/man1"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let some =
        ["living-conformance.1", "living-conformance-run.1", "living-conformance-receipt-verify.1"];
    assert!(pages.is_superset(&set(&some)), "{pages:?}");
    let main = place.run(&["man"]).exits(0).quietly().stdout;
    let file = fs::read_to_string(place.path().join("man/man1/living-conformance.1")).unwrap();
    assert_eq!(main, file);
    assert!(!main.contains("library-host") && !main.contains("nocapture"), "{main}");
    let folder = place.path().join("man/man1");
    if let Some(tools) = Tools::with(&["mandoc", "/dev/null"]) {
        for page in &pages {
            let mut command = tools.command("mandoc");
            command.args(["-T", "lint", "-W", "error"]).arg(folder.join(page));
            assert_eq!(printed(&command.output().unwrap()), "", "{page}");
        }
    }
    if let Some(tools) = Tools::with(&["groff", "--version"]) {
        for page in &pages {
            let mut command = tools.command("groff");
            let output = command
                .args(["-Kutf8", "-Tutf8", "-ww", "-z", "-man"])
                .arg(folder.join(page))
                .output()
                .unwrap();
            assert!(
                output.stderr.is_empty(),
                "{page}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
    if let Some(tools) = Tools::with(&["man", "--version"]) {
        let mut command = tools.command("man");
        command.args(["--warnings", "-l"]).arg(folder.join("living-conformance.1"));
        command.envs([("MANWIDTH", "80"), ("LC_ALL", "C.UTF-8")]);
        let output = command.output().unwrap();
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = printed(&output);
        let mut rest = text.as_str();
        let order = [
            "NAME",
            "SYNOPSIS",
            "DESCRIPTION",
            "SELECTION",
            "--rule <RULE>",
            "junit=PATH",
            "SUBCOMMANDS",
            "living-conformance-merge(1)",
            "EXIT STATUS",
            "ENVIRONMENT",
            "EXAMPLES",
        ];
        for part in order {
            rest = rest.split_once(part).unwrap_or_else(|| panic!("{part}: {text}")).1;
        }
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}
