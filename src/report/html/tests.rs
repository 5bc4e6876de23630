use super::super::testing::*;
use super::super::{Report, escape};
use super::HtmlPage;
use crate::adequacy::{Adequacy, Kills};
use crate::core::*;
use crate::report::Measurement;

fn written(reports: &[Report]) -> String {
    let catalog = catalog();
    let mut bytes = Vec::new();
    let page = HtmlPage {
        reports: reports.iter().collect(),
        catalog: &catalog,
        sources: Vec::new(),
        foreign: Vec::new(),
    };
    page.write(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// A report of these cases, whose rules are those of the catalog.
fn of(cases: &[CaseRecord]) -> Report {
    report(cases, header(cases.len()))
}

/// What stands in an attribute or in text, with its references resolved.
fn plain(text: &str) -> String {
    text.replace("&#60;", "<")
        .replace("&#62;", ">")
        .replace("&#34;", "\"")
        .replace("&#39;", "'")
        .replace("&#38;", "&")
}

/// The values of an attribute.
fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    page.split(&start).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn every_case_and_every_rule_has_its_place_and_every_link_leads_somewhere() {
    let cases = every_form();
    let page = written(&[of(&cases), of(&cases[..3]), of(&cases[1..3])]);
    let ids = attributes(&page, "id");
    let links = attributes(&page, "href");
    for case in &cases {
        let id = case.id.as_str();
        assert_eq!(ids.iter().filter(|it| **it == id).count(), 1, "{id}");
        assert!(links.contains(&format!("#{id}").as_str()), "{id}");
    }
    for rule in catalog().coverage.rules.keys() {
        assert_eq!(ids.iter().filter(|it| **it == rule.as_str()).count(), 1, "{rule}");
    }
    assert!(links.len() > 30);
    for link in links {
        let id = link.strip_prefix('#').unwrap_or_else(|| panic!("{link} leads elsewhere"));
        assert!(ids.contains(&id), "{link} leads nowhere");
    }
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), ids.len());
}

#[test]
fn a_failure_has_its_evidence() {
    let mut case = stance_case("manifest/a::strict", "manifest.project_id.max-length");
    case.stderr = "why it gave up\n".into();
    let page = written(&[of(&[case])]);
    for part in [
        "<b>their-validator</b>",
        "accepted what is to be rejected",
        "expected: <b>reject</b>",
        "expected reject, observed accept",
        "manifest.project_id.max-length at /project_id",
        "<mark>project_id: a-name-that-goes-on",
        "one character over the limit",
        "<span class=\"l\">ok</span>",
        "why it gave up",
        "living-conformance --impl ./their-validator --exact manifest/a::strict",
        "<code>project_id</code> has no more than 63 characters.",
    ] {
        assert!(page.contains(part), "{part} is missing");
    }
}

#[test]
fn hostile_text_is_text_everywhere() {
    let evil = "</script></style><script>alert(1)</script><img src=x onerror=alert(2)>\"'&\u{1b}[2J\u{202e}\0`x`";
    let mut case = extra_case("manifest/a b\"<i>::strict", evil);
    case.class = evil.into();
    case.about = evil.into();
    case.stdout = evil.into();
    case.stderr = evil.into();
    let mut crash = crash_case("manifest/c::strict");
    crash.judgement.mismatches.clear();
    crash.observed = Outcome::Crashed { by: evil.into() };
    let mut none = passing_case("manifest/d::strict");
    none.disposition = Disposition::Unsupported { reason: evil.into() };
    let mut hostile = of(&[case, crash, none]);
    hostile.header.implementation.name = evil.into();
    hostile.header.implementation.command = vec![evil.into()];
    hostile.header.reproduce = vec![evil.into(), "{case}".into()];
    hostile.summary.implementation_version = Some(evil.into());
    hostile.header.spec = evil.into();
    let page = written(&[hostile.clone(), hostile]);
    assert_eq!(page.matches("<script").count(), 1);
    assert_eq!(page.matches("</script").count(), 1);
    assert_eq!(page.matches("<style").count(), 1);
    assert!(!page.contains("<img") && !page.contains("<i>::"));
    assert!(!page.contains(|c| c != '\n' && escape::acts(c)), "nothing acts on the reader");
    assert!(page.contains("&#60;img src=x onerror=alert(2)&#62;"));
    assert!(attributes(&page, "href").contains(&"#manifest/a%20b%22%3Ci%3E::strict"));
    let ids: Vec<String> = attributes(&page, "id").iter().map(|id| plain(id)).collect();
    assert!(ids.contains(&"manifest/a b\"<i>::strict".to_owned()), "{ids:?}");
}

#[test]
fn nothing_is_inline_but_what_the_policy_names() {
    let page = written(&[of(&every_form())]);
    let body = &page[page.find("</style>").unwrap()..page.find("<script>").unwrap()];
    assert!(!body.contains(" style=\"") && !body.contains("javascript:"));
    assert!(!body.split('<').any(|tag| tag.split('>').next().unwrap().contains(" on")), "handlers");
    let policy = plain(attributes(&page, "content")[0]);
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    for loads in [" src=\"", "url(", "@import", "https://", "http://"] {
        let foreign = page.split(loads).nth(1).map(|rest| &rest[..40]);
        assert_eq!(foreign, None, "{loads}");
    }
}

#[test]
fn implementations_stand_side_by_side() {
    let good = passing_case("manifest/a::strict");
    let bad = stance_case("manifest/a::strict", "manifest.project_id.max-length");
    let mut other = of(std::slice::from_ref(&bad));
    other.header.implementation.name = "another".into();
    let page = written(&[of(std::slice::from_ref(&good)), other, of(&[good])]);
    assert!(page.contains("Conformance of 3 runs"));
    let row =
        page.split("<tr class=\"row\"").find(|row| row.contains("broken in 1 of 1 case")).unwrap();
    assert!(row.starts_with(" data-level=\"must\" data-is=\"broken differs\""), "{row}");
    assert!(row.matches("kept in 1 case").count() == 2, "{row}");
    assert!(page.contains("strict: 2 of 3 pass"));
    assert!(page.contains("another, their-validator 1.2"));
    assert!(page.contains("their-validator, 1.2 (2)"), "each column has a name of its own");
}

#[test]
fn runs_are_held_against_each_other() {
    let good = || of(&[passing_case("manifest/a::strict"), passing_case("manifest/b::strict")]);
    let mut bad = of(&[
        stance_case("manifest/a::strict", "manifest.project_id.max-length"),
        passing_case("manifest/b::strict"),
    ]);
    bad.header.implementation.name = "an<b>other".into();
    let page = written(&[good(), bad.clone()]);
    for expected in [
        "<h3>an&#60;b&#62;other, their-validator 1.2 against their-validator, 1.2</h3>",
        "<p class=\"meta\">1 case broken, 0 fixed, 1 alike</p>",
        "<code class=\"must\">broken: 1 case</code>",
        "passes; then fails a MUST: accepted what is to be rejected",
        "<li class=\"row\" id=\"draft-L5\"",
        "<b>accept</b> an&#60;b&#62;other, their-validator 1.2</li><li><b>reject</b> their-validator, 1.2</li>",
        "a draft for suites/manifest/ledger.yaml",
        "  - id: L5\n    class: unknown\n",
    ] {
        assert!(page.contains(expected), "{expected}");
    }
    let table = &page[page.find("<table class=\"standing\"").unwrap()..];
    assert!(table.find("does not conform").unwrap() < table.find("</table>").unwrap());
    // What cannot be compared is shown, and it is said why nothing is compared.
    bad.summary.stopped = Some(Stopped::Interrupted);
    let page = written(&[good(), bad]);
    assert!(page.contains("not held against each other: failed to compare"), "{page}");
    assert!(page.contains("The run ended early") && !page.contains("id=\"disagreements\""));
    let alone = written(&[good()]);
    assert!(!alone.contains("id=\"changes\"") && !alone.contains("class=\"standing\""));
}

#[test]
fn how_much_the_fixtures_show_is_told_where_it_was_measured() {
    let mut catalog = crate::report::Catalog::clone(&catalog());
    let report = of(&[passing_case("manifest/a::strict")]);
    let page = |catalog: &crate::report::Catalog| {
        let mut bytes = Vec::new();
        HtmlPage::of(&report, catalog).write(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    assert!(!page(&catalog).contains("with one fault each"));
    let kills = Kills { killed: 3, all: 4, equivalent: 2 };
    let measured = Adequacy {
        fixtures: 1,
        cases: 1,
        failing: Vec::new(),
        disagreeing: Vec::new(),
        uncaught: Vec::new(),
        totals: kills,
        families: Default::default(),
        rules: [(rule("manifest.project_id.max-length"), kills)].into(),
        mutants: Vec::new(),
        unused: Vec::new(),
        degenerate: Vec::new(),
    };
    catalog.adequacy = Measurement::later(|| Some(measured));
    let told = page(&catalog);
    assert!(told.contains("Of 4 implementations with one fault each, the fixtures catch 3 (75 %). The faults of 2 more cannot be seen."));
    assert!(told.contains("Of 4 implementations that break it on purpose, the fixtures catch 3."));
    // Nobody waits for it after Ctrl-C.
    let mut cut = report.clone();
    cut.summary.stopped = Some(Stopped::Interrupted);
    catalog.adequacy = Measurement::later(|| panic!("is measured"));
    let mut bytes = Vec::new();
    HtmlPage::of(&cut, &catalog).write(&mut bytes).unwrap();
}

#[test]
fn open_questions_show_the_sides_taken() {
    let choose = |stance| {
        let mut case = passing_case("manifest/a::strict");
        let ledger = vec![LedgerId::new("L4").unwrap()];
        case.expected.stance = Stance::Either;
        case.expected.ledger.clone_from(&ledger);
        case.judgement.choice = Some(Choice { ledger, stance });
        of(&[case])
    };
    let page = written(&[choose(Stance::Accept), choose(Stance::Reject)]);
    assert!(page.contains("<tr class=\"row differs\""));
    assert!(page.contains(">accepts 1<") && page.contains(">rejects 1<"));
    assert!(page.contains("passed: chose to accept"));
}

#[test]
fn a_foreign_run_says_so() {
    let (catalog, reports) = (catalog(), [of(&[passing_case("manifest/a::strict")])]);
    let told = |foreign: &[bool]| {
        let mut bytes = Vec::new();
        let page = HtmlPage { foreign: foreign.to_vec(), ..HtmlPage::of(&reports[0], &catalog) };
        page.write(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap().contains("Run over other suites or fixtures")
    };
    assert!(!told(&[]) && !told(&[false]) && told(&[true]));
}

#[test]
fn expected_failures_and_flaky_cases_are_set_apart() {
    let page = written(&[listed_report()]);
    for part in [
        "fails as expected: not done",
        "<span class=\"flaky\">1 flaky</span>",
        "<span class=\"passes\">1 pass against the list</span>",
        "<span class=\"listed\">1 fail as expected</span>",
        "flaky: fail, pass",
        "ci/expect.yaml:9: rule manifest.secrets.pattern: expired",
    ] {
        assert!(page.contains(part), "{part} is missing");
    }
}

#[test]
fn advisory_cases_are_set_apart() {
    let page = written(&[advisory_report()]);
    for part in [
        "<b>1</b> of 1 pass",
        "advisory, fails: changed since manifest 0.1.0: a \\x1b[31m# slip",
        "advisory, passes: newer than manifest 0.1.0",
        "<span class=\"level advisory\">advisory</span>",
        "3 advisory cases are no part of manifest 0.1.0, and not of the verdict: 1 passes, 1 fails,",
    ] {
        assert!(page.contains(part), "{part} is missing");
    }
    assert!(page.contains("<li class=\"conforms\">") && !page.contains(" failing</span>"));
}
