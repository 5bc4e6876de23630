//! The HTML page in a real browser: Chromium, without a window.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "helpers of tests are tests"
)]

mod browser;
#[path = "../program/mod.rs"]
mod program;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use browser::{Browser, ENTER, ESCAPE, SPACE, TAB};
use program::{command, executable, program};
use serde_json::json;

/// What a hostile implementation writes.
const HOSTILE: &str =
    "<script>document.title = \"owned\"</script><img src=x onerror=\"document.title = 'owned'\">";
/// A case that it fails.
const FAILING: &str = "manifest/project_id/64-characters::strict";
/// The rule that it breaks there.
const RULE: &str = "manifest.project_id.max-length";

/// The page of three runs of a few fixtures: of the reference, of a program that accepts
/// everything and writes what is hostile, and of one that rejects everything.
fn page() -> &'static Path {
    static PAGE: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, page) = PAGE.get_or_init(|| {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let at = |name: &str| folder.path().join(name);
        let program = at("hostile");
        fs::write(at("said"), format!("{HOSTILE}\n\u{1b}[2J\u{202e}evil\n")).unwrap();
        executable(&program, "#!/bin/sh\ncat \"${0%/*}/said\"\n");
        let no = at("no");
        executable(&no, "#!/bin/sh\nexit 1\n");
        let run = |under_test: &[&str], name: &str| {
            let status = command()
                .args(under_test)
                .args(["--suite", "manifest", "--quiet", "project_id/6", "secrets/"])
                .arg("--report")
                .arg(format!("json={}", at(name).display()))
                .status();
            assert!(status.unwrap().code() <= Some(1), "{name}");
        };
        run(&["--reference"], "good.json");
        run(&["--impl", program.to_str().unwrap()], "bad.json");
        run(&["--impl", no.to_str().unwrap()], "no.json");
        let status = command()
            .arg("page")
            .args([at("good.json"), at("bad.json"), at("no.json")])
            .arg("--out")
            .arg(at("page.html"))
            .status();
        assert!(status.unwrap().success());
        let page = at("page.html");
        (folder, page)
    });
    page
}

/// How many rows of a part of the page are seen, of those that there are.
fn rows(browser: &Browser, part: &str) -> (u64, u64) {
    let count = |selector: &str| {
        browser.eval(&format!("document.querySelectorAll('{part} {selector}').length"))
    };
    (count(".row:not([hidden])").as_u64().unwrap(), count(".row").as_u64().unwrap())
}

/// Whether an element with this id is unfolded and within the window.
fn is_seen(browser: &Browser, id: &str) -> bool {
    let script = format!(
        "(() => {{ const it = document.getElementById({id:?}); \
         const {{ top, bottom }} = it.getBoundingClientRect(); \
         return it.checkVisibility() && bottom > 0 && top < innerHeight && top >= 0; }})()"
    );
    browser.eval(&script).as_bool().unwrap()
}

fn background(browser: &Browser) -> String {
    let style = browser.eval("getComputedStyle(document.documentElement).backgroundColor");
    style.as_str().unwrap().to_owned()
}

fn prefer(browser: &Browser, scheme: &str) {
    let feature = json!({"name": "prefers-color-scheme", "value": scheme});
    browser.devtools("Emulation.setEmulatedMedia", json!({"features": [feature]}));
}

#[test]
fn the_filter_narrows_rules_and_cases() {
    let Some(browser) = Browser::start() else { return };
    browser.open(page(), "");
    let (seen, all) = rows(&browser, "#rules");
    assert!(seen == all && all > 50, "{seen} of {all}");
    // By keyboard alone.
    browser.type_keys("/max-length PROJECT");
    assert_eq!(browser.eval("document.activeElement.id"), "find");
    let (rules, cases) = (rows(&browser, "#rules"), rows(&browser, "#cases"));
    assert_eq!(rules.0, 1, "{rules:?}");
    assert!(cases.0 > 1 && cases.0 < cases.1, "{cases:?}");
    assert!(
        browser
            .eval("document.querySelector('#cases .row:not([hidden])').checkVisibility()")
            .as_bool()
            .unwrap()
    );
    let found = browser.eval("document.getElementById('found').textContent");
    assert_eq!(found, format!("1 of {} rules, {} of {} fixtures", rules.1, cases.0, cases.1));
    browser.type_keys(ESCAPE);
    assert_eq!(rows(&browser, "#rules"), (all, all));
    assert_eq!(browser.eval("document.getElementById('found').textContent"), "");

    browser.click("#result option[value=differs]");
    let (differ, _) = rows(&browser, "#rules");
    assert!(differ > 1 && differ < all, "{differ}");
    let every = "[...document.querySelectorAll('#rules .row:not([hidden])')]
        .every((row) => row.querySelector('.cell .must, .cell .should, .cell .may') && row.querySelector('.cell .pass'))";
    assert_eq!(browser.eval(every), true);
    browser.click("#level option[value=may]");
    let (fewer, _) = rows(&browser, "#rules");
    assert!(fewer < differ, "{fewer}");
    browser.click("#find");
    browser.type_keys("no such rule");
    assert_eq!(rows(&browser, "#rules").0, 0);
    assert_eq!(browser.eval("document.querySelector('#rules .nothing').checkVisibility()"), true);
    browser.click("#reset");
    assert_eq!(rows(&browser, "#rules"), (all, all));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_link_leads_to_its_case_and_opens_it() {
    let Some(browser) = Browser::start() else { return };
    browser.open(page(), "");
    assert!(!is_seen(&browser, FAILING));
    browser.open(page(), &format!("#{FAILING}"));
    assert!(is_seen(&browser, FAILING));
    browser.open(page(), &format!("#{RULE}"));
    assert!(is_seen(&browser, RULE));
    // From the rule to a case of it, though the filter hides the case.
    browser.click("#result option[value=open]");
    let link = format!("document.querySelector('#rules a[href=\"#{FAILING}\"]').click()");
    browser.eval(&link);
    browser.eval("new Promise((done) => setTimeout(done, 100))");
    assert!(is_seen(&browser, FAILING));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn without_scripts_all_but_the_filter_works() {
    let Some(browser) = Browser::start() else { return };
    browser.devtools("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    browser.open(page(), &format!("#{FAILING}"));
    assert!(is_seen(&browser, FAILING));
    assert_eq!(browser.eval("document.querySelector('.finder').checkVisibility()"), false);
    assert_eq!(browser.eval("document.querySelector('noscript').checkVisibility()"), true);
    browser.click("#theme-dark + span");
    let dark = background(&browser);
    browser.click("#theme-light + span");
    assert_ne!(background(&browser), dark);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn colours_follow_the_system_until_somebody_chooses() {
    let Some(browser) = Browser::start() else { return };
    prefer(&browser, "light");
    browser.open(page(), "");
    let light = background(&browser);
    prefer(&browser, "dark");
    let dark = background(&browser);
    assert_ne!(light, dark);
    browser.click("#theme-light + span");
    assert_eq!(background(&browser), light);
    browser.open(page(), "");
    assert_eq!(background(&browser), light, "the choice is kept");
    prefer(&browser, "light");
    browser.click("#theme-dark + span");
    assert_eq!(background(&browser), dark);
    browser.click("#theme-auto + span");
    assert_eq!(background(&browser), light);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn the_keyboard_reaches_what_folds() {
    let Some(browser) = Browser::start() else { return };
    browser.open(page(), "");
    browser.type_keys(TAB);
    assert_eq!(browser.eval("document.activeElement.textContent"), "Skip to the results");
    browser.type_keys(ENTER);
    browser.eval("document.querySelector('#rules summary').focus()");
    let is_open = "document.querySelector('#rules details').open";
    browser.type_keys(ENTER);
    assert_eq!(browser.eval(is_open), true);
    browser.type_keys(SPACE);
    assert_eq!(browser.eval(is_open), false);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn what_is_hostile_is_text() {
    let Some(browser) = Browser::start() else { return };
    browser.open(page(), &format!("#{FAILING}"));
    let title = browser.eval("document.title");
    assert!(title.as_str().unwrap().starts_with("3 implementations"), "{title}");
    assert_eq!(browser.eval("document.scripts.length"), 1);
    assert_eq!(browser.eval("document.images.length"), 0);
    let shown = browser.eval(&format!("document.getElementById({FAILING:?}).innerText"));
    let shown = shown.as_str().unwrap();
    assert!(shown.contains(HOSTILE), "{shown}");
    assert!(shown.contains("\\x1b[2J\\u{202e}evil"), "{shown}");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn what_slips_through_is_stopped() {
    let Some(browser) = Browser::start() else { return };
    let whole = fs::read_to_string(page()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("page.html");
    let hole = format!("{HOSTILE}<p id=hole style=\"color: #f00\">x</p></main>");
    fs::write(&broken, whole.replace("</main>", &hole)).unwrap();
    browser.open(&broken, "");
    let title = browser.eval("document.title");
    assert!(title.as_str().unwrap().starts_with("3 implementations"), "{title}");
    let color = browser.eval("getComputedStyle(document.getElementById('hole')).color");
    assert_ne!(color, "rgb(255, 0, 0)");
    let complaints = browser.complaints();
    for directive in ["script-src", "style-src", "default-src"] {
        assert!(complaints.iter().any(|it| it.contains(directive)), "{directive}: {complaints:?}");
    }
}

#[test]
fn a_place_of_disagreement_leads_to_its_cases_and_has_its_draft() {
    let Some(browser) = Browser::start() else { return };
    browser.open(page(), "#disagreements");
    let first = "document.querySelector('#disagreements li.row')";
    browser.eval(&format!("{first}.querySelector('details:last-of-type > summary').click()"));
    let draft = browser.eval(&format!("{first}.querySelector('pre').innerText"));
    assert!(draft.as_str().unwrap().contains("\n  - id: L24\n    class: unknown\n"), "{draft}");
    let case = format!("{first}.querySelector('.failing a')");
    let id = browser.eval(&format!("{case}.textContent")).as_str().unwrap().to_owned();
    browser.eval(&format!("{case}.click()"));
    browser.eval("new Promise((done) => setTimeout(done, 100))");
    assert!(is_seen(&browser, &id), "{id}");
    // The filter holds for changes and disagreements, too.
    browser.type_keys("/max-length");
    let (seen, all) = rows(&browser, "#disagreements");
    assert!(seen > 0 && seen < all, "{seen} of {all}");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn many_runs_scroll_in_their_table_and_not_the_page() {
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let good = page().with_file_name("good.json");
    let copies: Vec<PathBuf> = (0..12).map(|n| folder.path().join(format!("{n}.json"))).collect();
    copies.iter().for_each(|copy| _ = fs::copy(&good, copy).unwrap());
    let page = folder.path().join("page.html");
    let status = command().arg("page").args(&copies).arg("--out").arg(&page).status();
    assert!(status.unwrap().success());
    for width in [1280, 360] {
        let metrics =
            json!({"width": width, "height": 740, "deviceScaleFactor": 1, "mobile": width < 600});
        browser.devtools("Emulation.setDeviceMetricsOverride", metrics);
        browser.open(&page, "#rules");
        let fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
        assert_eq!(browser.eval(fits), true, "at {width}");
        let scrolls = "(() => { const it = document.querySelector('#rules .wide'); return it.scrollWidth > it.clientWidth; })()";
        assert_eq!(browser.eval(scrolls), true);
        // Rule and head stay in sight.
        let stays = "(() => { const wide = document.querySelector('#rules .wide');
            wide.scrollTo(400, 400);
            const box = wide.getBoundingClientRect();
            const head = wide.querySelector('thead th').getBoundingClientRect();
            const rows = [...wide.querySelectorAll('.row > th')].map((it) => it.getBoundingClientRect().left);
            return Math.abs(head.left - box.left) < 3 && Math.abs(head.top - box.top) < 3
                && rows.every((left) => Math.abs(left - box.left) < 3); })()";
        assert_eq!(browser.eval(stays), true, "at {width}");
    }
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// The page of three implementations as there may be: one that conforms, one that takes
/// any name, and one for which a warning is an error.
fn sample(folder: &Path) -> PathBuf {
    let program = program().display().to_string();
    let mut command = command();
    command.current_dir(folder).args(["-q", "--report", "html=page.html"]);
    for (name, version, exit) in [
        ("harbor", "1.4.0", "exit $code"),
        ("tideline", "0.9.2", "case $said in *project_id.*[ht]:*) exit 0;; esac; exit $code"),
        ("quayside", "2.0.1", "[ -n \"$said\" ] && exit 1; exit $code"),
    ] {
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && echo {name} {version} && exit\n\
             said=$('{program}' \"$@\"); code=$?; echo \"$said\"; {exit}\n"
        );
        executable(folder.join(name), script);
        command.args(["--impl", &format!("./{name}")]);
    }
    assert_eq!(command.status().unwrap().code(), Some(1));
    folder.join("page.html")
}

/// The picture in the handbook: made again with `LIVING_CONFORMANCE_UPDATE=1`.
#[test]
fn the_handbook_has_a_picture() {
    let picture = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/page.png");
    if std::env::var_os("LIVING_CONFORMANCE_UPDATE").is_some_and(|value| value == "1") {
        let Some(browser) = Browser::start() else { return };
        let metrics =
            json!({"width": 1280, "height": 1200, "deviceScaleFactor": 1, "mobile": false});
        browser.devtools("Emulation.setDeviceMetricsOverride", metrics);
        browser.devtools("Emulation.setScrollbarsHidden", json!({"hidden": true}));
        prefer(&browser, "light");
        let folder = tempfile::tempdir().unwrap();
        browser.open(&sample(folder.path()), "");
        let shot = browser.devtools("Page.captureScreenshot", json!({"format": "png"}));
        let bytes = STANDARD.decode(shot["data"].as_str().unwrap()).unwrap();
        fs::write(&picture, bytes).unwrap();
    }
    let bytes = fs::read(&picture).unwrap();
    assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 20_000, "{}", bytes.len());
    let page = fs::read_to_string(picture.with_file_name("compare.md")).unwrap();
    assert!(page.contains("](page.png)"));
}

#[test]
fn a_phone_shows_it_without_scrolling_sideways() {
    let Some(browser) = Browser::start() else { return };
    let phone = json!({"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": true});
    browser.devtools("Emulation.setDeviceMetricsOverride", phone);
    browser.open(page(), &format!("#{FAILING}"));
    let widths = "[document.documentElement.scrollWidth, visualViewport.width]";
    assert_eq!(browser.eval(widths), json!([360, 360]));
    assert!(is_seen(&browser, FAILING));
    let smallest = "Math.min(...[...document.querySelectorAll('main p, main a, main code')]
        .filter((it) => it.checkVisibility()).map((it) => parseFloat(getComputedStyle(it).fontSize)))";
    assert!(browser.eval(smallest).as_f64().unwrap() >= 11.0);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
