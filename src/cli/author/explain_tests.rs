//! Every code that is printed is explained.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::data::Folder;

/// The files of Rust below a folder.
fn sources_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The texts that the arms of a function give, with what they are given for.
fn arms<'s>(source: &'s str, function: &str) -> Vec<(&'s str, &'s str)> {
    let bodies = source.split(function).skip(1);
    let arm = |line: &'s str| {
        let (left, rest) = line.split_once("=> \"")?;
        let variant = left.trim().strip_prefix("Self::")?;
        let end = variant.find([' ', '(', '{']).unwrap_or(variant.len());
        Some((&variant[..end], rest.split_once('"')?.0))
    };
    let body = |text: &'s str| text.split(" fn ").next().unwrap_or_default();
    bodies.flat_map(|text| body(text).lines().filter_map(arm)).collect()
}

/// The codes of everything that has some, read from the sources, so that one that is
/// added is asked for here without anybody's doing.
fn codes_of_the_sources() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources_below(&root, &mut files);
    let read = |path: &Path| fs::read_to_string(path).unwrap().replace('\r', "");
    let mut found: BTreeSet<String> = BTreeSet::new();
    for file in files {
        let source = read(&file);
        found.extend(arms(&source, "fn code(&self)").iter().map(|(_, code)| (*code).to_owned()));
    }
    // What verify refuses is put together: the codes are those of the reasons it gives.
    let given = read(&root.join("certify/recheck.rs"));
    let reasons = read(&root.join("certify/reason.rs"));
    let verify = arms(&reasons, "fn name(&self)")
        .into_iter()
        .filter(|(variant, _)| given.contains(&format!("Reason::{variant} ")))
        .map(|(_, name)| format!("receipt.verify.{name}"));
    let before = found.len();
    found.extend(verify);
    assert!(found.len() >= before + 9, "{found:?}");
    found
}

#[test]
fn everything_that_has_a_name_is_explained() {
    let tree = Tree::embedded(Folder::Suites);
    let suites = suites::load(&tree).unwrap_or_else(|errors| panic!("{errors}"));
    let codes = codes_of_the_sources();
    assert!(codes.len() > 150, "{}", codes.len());
    let table = &suites.rules;
    let names: Vec<String> = codes
        .into_iter()
        .chain(codes::all().map(|code| code.code.to_owned()))
        .chain(lint_codes().map(|code| code.code.to_owned()))
        .chain(table.rules().map(|(_, rule)| rule.id.to_string()))
        .chain(table.ledger().map(|(_, entry)| entry.id.to_string()))
        .collect();
    for name in names {
        let mut out = Vec::new();
        let mut page = Explain {
            tree: &tree,
            suites: &suites,
            fixtures: &[],
            mutants: &[],
            width: 80,
            shown: 0,
            out: &mut out,
        };
        let Some(Ok(Ok(()))) = page.subject(&name) else { panic!("{name} is not explained") };
        let text = String::from_utf8(out).unwrap();
        assert!(text.starts_with(&name) && text.lines().count() > 2, "{text}");
    }
}

#[test]
fn what_two_places_call_alike_is_told_of_both() {
    let tree = Tree::embedded(Folder::Suites);
    let suites = suites::load(&tree).unwrap_or_else(|errors| panic!("{errors}"));
    let mut out = Vec::new();
    let (fixtures, mutants) = (&[], &[]);
    let (tree, suites) = (&tree, &suites);
    let mut page = Explain { tree, suites, fixtures, mutants, width: 80, shown: 0, out: &mut out };
    assert!(matches!(page.subject("empty"), Some(Ok(Ok(())))));
    let text = String::from_utf8(out).unwrap();
    for of in ["empty (error)\n", "empty (of a profile)\n", "empty (of a list of expected"] {
        assert!(text.contains(of), "{of}\n{text}");
    }
}

#[test]
fn every_code_of_a_catalogue_is_one_of_the_sources() {
    let codes = codes_of_the_sources();
    for code in codes::all() {
        assert!(codes.contains(code.code), "{} is printed by nothing", code.code);
        assert!(code.what.ends_with('.') && !code.what.contains("  "), "{}", code.what);
    }
}
