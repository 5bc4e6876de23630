//! What a run showed, exactly, and what it did not: the statement that certificates,
//! pages and badges carry.

use std::collections::BTreeMap;

use super::{Report, escape, prose};
use crate::core::{Cover, Level, Standing, Verdict};

/// The statement about a run, one thing after the other, each with its name.
#[must_use]
pub fn statement(report: &Report) -> Vec<(&'static str, String)> {
    let header = &report.header;
    let suites = header.suites.iter().map(|(suite, version)| format!("{suite} {version}"));
    let suites: Vec<String> = suites.collect();
    vec![
        ("classes", classes(report)),
        ("protocol", prose::spec(header)),
        ("suites", escape::line(&suites.join(", ")).into_owned()),
        ("revision", escape::line(&header.suite_digest).into_owned()),
        ("tests", tests(report)),
        ("open", choices(report)),
        ("untested", untested(report)),
    ]
}

/// The classes that were shown to conform, and how it stands to the others.
fn classes(report: &Report) -> String {
    let standings = report.standings();
    let conforms = |standing: &Standing| *standing == Standing::Conforms;
    let names = standings.iter().map(|it| match it.standing {
        standing if conforms(standing) => it.class.clone(),
        _ => format!("{} {}", it.class, it.text),
    });
    match names.collect::<Vec<_>>() {
        none if none.is_empty() => "none".to_owned(),
        some => some.join(", "),
    }
}

/// How many cases of each level there were, and what came of them.
fn tests(report: &Report) -> String {
    let cases = || report.cases.iter().filter(|case| !case.is_advisory());
    let mut levels: BTreeMap<Level, usize> = BTreeMap::new();
    cases().for_each(|case| *levels.entry(case.weight.grade()).or_default() += 1);
    let mut parts: Vec<String> =
        levels.iter().rev().map(|(level, count)| format!("{count} {level}")).collect();
    let varied = cases().filter(|case| case.id.variant().is_some()).count();
    if varied > 0 {
        parts.push(format!("{varied} of them on variants"));
    }
    let failed = cases().filter(|case| case.fails(report.header.enforce)).count();
    let unsupported = report.summary.total.unsupported + report.summary.not_run;
    let warned = cases().filter(|case| case.judgement.verdict != Verdict::Pass).count();
    let outcome = match (failed + unsupported, warned) {
        (0, 0) => "all passed".to_owned(),
        (0, some) => format!("all passed, {some} of them against a recommendation"),
        (some, _) => format!("{some} did not pass"),
    };
    let enforced = match report.header.enforce {
        Level::Must => "",
        _ => "; SHOULD enforced",
    };
    format!("{} ({}), {outcome}{enforced}", cases().count(), parts.join(", "))
}

/// What was chosen where the spec is open.
fn choices(report: &Report) -> String {
    let mut sorted: Vec<_> = report.summary.choices.iter().collect();
    // L4 comes before L12.
    sorted.sort_by_key(|(id, _)| (id.as_str().len(), *id));
    let choices = sorted.into_iter().map(|(id, choices)| match (choices.accept, choices.reject) {
        (accept, 0) => format!("{id}: accepts {accept}"),
        (0, reject) => format!("{id}: rejects {reject}"),
        (accept, reject) => format!("{id}: accepts {accept}, rejects {reject}"),
    });
    match choices.collect::<Vec<_>>() {
        none if none.is_empty() => "no case touches an open question of the spec".to_owned(),
        some => some.join("; "),
    }
}

/// What the run says nothing of: rules, variants, and cases that were left out.
fn untested(report: &Report) -> String {
    let rules = report.rules.iter().filter(|(_, it)| !matches!(it.cover, Cover::Covered { .. }));
    let rules: Vec<&str> = rules.map(|(id, _)| id.as_str()).collect();
    let all = prose::count(report.rules.len(), "rule");
    let mut parts = vec![match rules.len() {
        0 => format!("none of {all}"),
        some => format!("{some} of {all}: {}", rules.join(", ")),
    }];
    match &report.header.variants {
        None => parts.push("no variant".to_owned()),
        Some(census) => parts.push(format!(
            "of the variants {} that their fixtures or suites except, {} of documents that do not \
             parse, and {} that would not mean the same",
            census.excepted,
            census.unparsed,
            census.lost.len()
        )),
    }
    let left = report.header.left_out.values().flat_map(BTreeMap::values).sum::<usize>();
    if left > 0 {
        parts.push(format!("{} that were left out", prose::count(left, "case")));
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::core::{Choices, LedgerId, LeftOut, VariantCensus};

    fn of(report: &Report, name: &str) -> String {
        statement(report).into_iter().find(|(label, _)| *label == name).unwrap().1
    }

    #[test]
    fn it_says_what_was_shown_and_what_was_not() {
        let cases = [
            passing_case("manifest/a::strict"),
            passing_case("manifest/a::strict+crlf"),
            extra_case("manifest/b::strict", "manifest.project_id.charset"),
        ];
        let mut whole = report(&cases, header(3));
        whole.header.variants = Some(VariantCensus { excepted: 2, ..VariantCensus::default() });
        for (id, accept, reject) in [("L12", 2, 0), ("L4", 1, 3)] {
            let choices = Choices { accept, reject };
            whole.summary.choices.insert(LedgerId::new(id).unwrap(), choices);
        }
        let names: Vec<&str> = statement(&whole).into_iter().map(|(name, _)| name).collect();
        let expected = ["classes", "protocol", "suites", "revision", "tests", "open", "untested"];
        assert_eq!(names, expected);
        assert_eq!(of(&whole, "classes"), "validator-strict");
        assert_eq!(of(&whole, "protocol"), "Living Repositories Protocol v0.4");
        assert_eq!(of(&whole, "suites"), "manifest 0.1.0");
        assert_eq!(
            of(&whole, "tests"),
            "3 (3 MUST, 1 of them on variants), all passed, 1 of them against a recommendation"
        );
        assert_eq!(of(&whole, "open"), "L4: accepts 1, rejects 3; L12: accepts 2");
        let untested = of(&whole, "untested");
        assert!(untested.starts_with("4 of 5 rules: manifest.project_id.charset, "), "{untested}");
        assert!(
            untested.ends_with(
                "of the variants 2 that their fixtures or suites except, 0 of \
             documents that do not parse, and 0 that would not mean the same"
            ),
            "{untested}"
        );
    }

    #[test]
    fn what_failed_or_was_left_out_is_not_passed_over() {
        let cases = [stance_case("manifest/b::strict", "manifest.secrets.pattern")];
        let mut header = header(1);
        header.left_out.entry("matcher".into()).or_default().insert(LeftOut::Filtered, 7);
        let part = report(&cases, header);
        let classes = of(&part, "classes");
        assert!(classes.contains("validator-strict does not conform (1 MUST case failed)"));
        assert_eq!(of(&part, "tests"), "1 (1 MUST), 1 did not pass");
        let untested = of(&part, "untested");
        assert!(untested.ends_with("; no variant; 7 cases that were left out"), "{untested}");
    }
}
