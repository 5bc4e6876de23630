//! The pages of the handbook that are made from the rule tables and from the mutants are
//! those that these make. With `LIVING_CONFORMANCE_UPDATE=1` they are made again instead.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use living_conformance::adequacy::{Equivalents, Mutant};
use living_conformance::data::Tree;
use living_conformance::report::{mutants_page, rules_page};
use living_conformance::suites;

fn pages() -> BTreeMap<PathBuf, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tree = Tree::directory(root.join("suites"));
    let suites = suites::load(&tree).unwrap_or_else(|e| panic!("failed to {e}"));
    let mutants = Mutant::all(&suites.rules, &Equivalents::default());
    let mutants = mutants.unwrap_or_else(|e| panic!("failed to {e}"));
    let rules = suites.suites.iter().map(|suite| {
        let path = root.join("docs").join(format!("rules-{}.md", suite.suite));
        (path, rules_page(suite, &suites.rules))
    });
    rules.chain([(root.join("docs/mutants.md"), mutants_page(&mutants))]).collect()
}

#[test]
fn the_pages_are_fresh() {
    let update = std::env::var_os("LIVING_CONFORMANCE_UPDATE").is_some_and(|value| value == "1");
    for (path, page) in pages() {
        let on_disk = fs::read_to_string(&path).unwrap_or_default();
        if update && on_disk != page {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, page).unwrap();
        } else {
            assert!(
                on_disk == page,
                "{} is stale; run LIVING_CONFORMANCE_UPDATE=1 cargo test --test docs_fresh",
                path.display()
            );
        }
    }
}

#[test]
fn every_link_leads_somewhere() {
    let pages = pages();
    let page_named = |name: &str| {
        pages
            .iter()
            .find(|(path, _)| path.file_name().is_some_and(|file| file == name))
            .map(|(_, page)| page)
    };
    let mut links = 0;
    for (path, page) in &pages {
        for link in page.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let Some((file, anchor)) = link.split_once('#') else { continue };
            let target = if file.is_empty() { Some(page) } else { page_named(file) };
            let anchor = format!("<a id=\"{anchor}\"></a>");
            assert!(
                target.is_some_and(|target| target.contains(&anchor)),
                "{}: {link}",
                path.display()
            );
            links += 1;
        }
    }
    assert!(links > 100, "{links} links");
}
