//! What a certification showed, and what it did not.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;

use super::under_test::short;
use crate::certify::Receipt;
use crate::core::{Cover, Level, Verdict};
use crate::report::{Report, wrap};

/// Columns before the text of a line.
const INDENT: usize = 11;

/// A certified run.
pub(super) struct Certified<'a> {
    pub(super) receipt: &'a Receipt,
    pub(super) report: &'a Report,
    pub(super) policy: Option<&'a Path>,
    /// What became of the file, in words that go before its path.
    pub(super) written: &'static str,
    pub(super) path: &'a Path,
}

/// Writes the statement: exactly what was shown, and no more.
pub(super) fn write(
    out: &mut dyn Write,
    certified: &Certified<'_>,
    width: usize,
) -> io::Result<()> {
    let Certified { receipt, report, policy, written, path } = certified;
    let claims = receipt.claims();
    let suite = &claims.suite;
    let classes: Vec<&str> = report.summary.standing.keys().map(String::as_str).collect();
    let admission = match policy {
        Some(policy) => format!("the policy {} admits it", short(policy)),
        None => "no policy was given: well-formed, and not accepted by anybody yet".to_owned(),
    };
    let lines = [
        ("receipt", format!("{}, {written} {}", receipt.identity(), short(path))),
        ("policy", admission),
        ("subject", claims.subject.to_string()),
        ("classes", classes.join(", ")),
        ("suite", format!("{} {}", suite.id, suite.version)),
        ("revision", suite.revision.to_string()),
        ("tests", tests(report)),
    ];
    writeln!(out, "\ncertified: {}", crate::data::printable(&claims.project))?;
    for (label, text) in lines {
        writeln!(out, "  {label:<9}{text}")?;
    }
    for (label, text) in [("open", choices(report)), ("untested", not_tested(report))] {
        let mut label = label;
        for line in wrap(&text, width.saturating_sub(INDENT).max(40)) {
            writeln!(out, "  {label:<9}{line}")?;
            label = "";
        }
    }
    out.flush()
}

/// How many cases of each level passed, and how many with a warning.
fn tests(report: &Report) -> String {
    let mut levels: BTreeMap<Level, usize> = BTreeMap::new();
    for case in &report.cases {
        *levels.entry(case.weight.grade()).or_default() += 1;
    }
    let mut levels: Vec<String> =
        levels.iter().rev().map(|(level, count)| format!("{count} {level}")).collect();
    let varied = report.cases.iter().filter(|case| case.id.variant().is_some()).count();
    if varied > 0 {
        levels.push(format!("{varied} of them on variants"));
    }
    let passed = |verdict: Verdict| verdict == Verdict::Pass;
    let warned = report.cases.iter().filter(|case| !passed(case.judgement.verdict)).count();
    let warned = match warned {
        0 => "all passed".to_owned(),
        some => format!("all passed, {some} of them against a recommendation"),
    };
    format!("{} ({}), {warned}", report.cases.len(), levels.join(", "))
}

fn choices(report: &Report) -> String {
    let choices =
        report.summary.choices.iter().map(|(id, choices)| match (choices.accept, choices.reject) {
            (accept, 0) => format!("{id}: accepts {accept}"),
            (0, reject) => format!("{id}: rejects {reject}"),
            (accept, reject) => format!("{id}: accepts {accept}, rejects {reject}"),
        });
    let choices: Vec<String> = choices.collect();
    if choices.is_empty() {
        "no case touches an open question of the spec".to_owned()
    } else {
        choices.join("; ")
    }
}

fn not_tested(report: &Report) -> String {
    let mut rules: BTreeSet<&str> = BTreeSet::new();
    for (id, rule) in &report.rules {
        if !matches!(rule.cover, Cover::Covered { .. }) {
            rules.insert(id.as_str());
        }
    }
    let all = report.rules.len();
    match rules.len() {
        0 => format!("none of {all} rules"),
        some => {
            let rules: Vec<&str> = rules.into_iter().collect();
            format!("{some} of {all} rules: {}", rules.join(", "))
        }
    }
}
