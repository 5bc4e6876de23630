//! The pages of the handbook that are made from the rule tables and from the mutants are
//! those that these make, and the samples of reports are those of a run. With
//! `LIVING_CONFORMANCE_UPDATE=1` they are made again instead.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

#[cfg(unix)]
mod cli_support;

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
    fresh(pages());
}

/// Holds files against what they are to be, or makes them so.
fn fresh(pages: BTreeMap<PathBuf, String>) {
    let update = std::env::var_os("LIVING_CONFORMANCE_UPDATE").is_some_and(|value| value == "1");
    for (path, page) in pages {
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

/// A matcher that says yes to everything but JSON, which it cannot read.
#[cfg(unix)]
const SAYS_YES: &str = r#"case $1 in
--version) echo "says-yes 0.3" ;;
match) if grep -q '^{' "$2"; then echo "no JSON, please" >&2; exit 70; fi; echo fits ;;
esac"#;

/// What it is known to fail.
#[cfg(unix)]
const KNOWN: &str = "failures:
- case: runtime/capabilities-none-in-common::match
  reason: capabilities are not compared yet
  tracker: https://example.org/issues/12
";

/// A sample of each kind of report, from one run that has a case that passes, one that
/// fails, one that fails as expected and one without a decision. What is of this machine and
/// this day is made the same everywhere.
#[test]
#[cfg(unix)]
fn the_samples_of_reports_are_fresh() {
    const CASES: [&str; 4] = [
        "isolation-not-listed",
        "capabilities-none-in-common",
        "match-capabilities-equal",
        "json-runtime-cut-off",
    ];
    const SAMPLES: [(&str, &str); 10] = [
        ("json", "report.json"),
        ("jsonl", "events.jsonl"),
        ("junit", "junit.xml"),
        ("tap", "run.tap"),
        ("github", "github.txt"),
        ("markdown", "summary.md"),
        ("html", "page.html"),
        ("badge", "badge.svg"),
        ("badge", "badge.json"),
        ("sarif", "report.sarif"),
    ];
    let place = cli_support::Place::new();
    place.script("says-yes", SAYS_YES);
    place.write("known.yaml", KNOWN);
    place.fixtures(&CASES.map(|name| format!("runtime/{name}")).each_ref().map(String::as_str));
    fs::rename(place.path().join("few"), place.path().join("fixtures")).unwrap();
    let reports = SAMPLES.iter().map(|(kind, file)| format!(" --report {kind}={file}"));
    let line = "TMPDIR=/tmp living-conformance --impl ./says-yes --fixtures fixtures --class matcher \
                --expect known.yaml --test-threads 1";
    place.shell(&format!("{line}{}", reports.collect::<String>())).exits(1).quietly();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/samples");
    let samples = SAMPLES.iter().map(|(_, file)| {
        let text = fs::read_to_string(place.path().join(file)).unwrap();
        (folder.join(file), everywhere_the_same(&text))
    });
    fresh(samples.collect());
    let there = fs::read_dir(folder).unwrap().count();
    assert_eq!(there, SAMPLES.len(), "a sample of what is no report any more");
}

/// Durations, names of temporary folders and digests of the suites.
#[cfg(unix)]
fn everywhere_the_same(text: &str) -> String {
    let changes = [
        (r#""duration-us":( ?)[0-9]+"#, r#""duration-us":${1}12000"#),
        (r#"time="[0-9.]+""#, r#"time="0.012""#),
        ("duration_ms: [0-9]+", "duration_ms: 12"),
        (r"(<dt>took</dt><dd>|<small>)[0-9.]+ m?s<", "${1}12 ms<"),
        ("living-conformance-[A-Za-z0-9]{6}/", "living-conformance-Ab3dE6/"),
        (
            "sha256:[0-9a-f]{64}",
            "sha256:0000000000000000000000000000000000000000000000000000000000000000",
        ),
    ];
    changes.iter().fold(text.to_owned(), |text, (from, to)| {
        regex::Regex::new(from).unwrap().replace_all(&text, *to).into_owned()
    })
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

#[test]
fn every_file_that_a_page_links_to_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = pages.filter(|path| path.extension().is_some_and(|end| end == "md"));
    let mut links = 0;
    for page in pages.chain([root.join("README.md")]) {
        let text = fs::read_to_string(&page).unwrap();
        for event in pulldown_cmark::Parser::new(&text) {
            use pulldown_cmark::{Event, Tag};
            let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = event
            else {
                continue;
            };
            let file = dest_url.split('#').next().unwrap_or_default();
            if !file.contains(':') {
                assert!(page.with_file_name(file).exists(), "{}: {dest_url}", page.display());
                links += 1;
            }
        }
    }
    assert!(links > 40, "{links} links");
}
