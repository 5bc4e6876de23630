//! SARIF 2.1.0, for tools that show the results of analyses.

use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::place::Spot;
use super::{Catalog, Report, escape, groups, prose};
use crate::core::{CaseRecord, Disposition, Level, Misfit};

/// Where the format is described.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Writes one run with a result for each failing case.
pub(super) fn write(report: &Report, catalog: &Catalog, out: &mut dyn Write) -> io::Result<()> {
    let groups = groups::group(&report.cases);
    let failed = groups.iter().flat_map(groups::Group::cases);
    let listed = |case: &&CaseRecord| {
        matches!(case.disposition, Disposition::ExpectedFailure(_) | Disposition::UnexpectedPass(_))
    };
    let results: Vec<Value> = failed
        .chain(report.cases.iter().filter(listed))
        .map(|case| result(report, catalog, case))
        .chain(report.summary.misfits.iter().map(misfit))
        .collect();
    let header = &report.header;
    let told = prose::ended_early(&report.summary);
    let told: Vec<Value> =
        told.map(|text| json!({"level": "error", "message": {"text": text}})).into_iter().collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "living-conformance",
                "version": header.program,
                "rules": rules(report),
            }},
            "automationDetails": {
                "id": format!("living-conformance/{}/", header.protocol),
            },
            "invocations": [{
                "executionSuccessful": report.summary.stopped.is_none(),
                "toolExecutionNotifications": told,
            }],
            "properties": {
                "implementation": header.implementation.name,
                "protocol": header.protocol,
                "suiteDigest": header.suite_digest,
            },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    super::json::write_pretty(&log, out)
}

/// Every rule of the table, in the order of the ids: results refer to them by index.
fn rules(report: &Report) -> Vec<Value> {
    report
        .rules
        .iter()
        .map(|(id, rule)| {
            json!({
                "id": id,
                "shortDescription": {"text": rule.statement},
                "defaultConfiguration": {"level": level(rule.level)},
                "properties": {
                    "level": rule.level,
                    "since": rule.since,
                    "section": rule.section,
                },
            })
        })
        .collect()
}

fn result(report: &Report, catalog: &Catalog, case: &CaseRecord) -> Value {
    let heading = groups::heading(case);
    let name = match &heading {
        _ if matches!(case.disposition, Disposition::UnexpectedPass(_)) => "unexpected-pass",
        groups::Heading::Rule(id) => id.as_str(),
        groups::Heading::NoDecision => "no-decision",
        groups::Heading::DirectoryName => "directory-name",
        groups::Heading::Unknown(_) => "unknown-rule",
    };
    let text = format!(
        "{}: {} ({}; {})",
        escape::line(case.id.as_str()),
        escape::clamped(&prose::cause(case), 300),
        escape::clamped(&case.about, 300),
        prose::advisory(&report.header, case).unwrap_or_else(|| prose::verdict(case)),
    );
    let mut result = json!({
        "ruleId": name,
        "level": match &case.disposition {
            Disposition::UnexpectedPass(_) => "error",
            Disposition::Advisory(_) => "note",
            _ => level(groups::level(case)),
        },
        "message": {"text": text},
        "partialFingerprints": {"caseId/v1": case.id},
        "properties": {
            "verdict": case.judgement.verdict,
            "class": case.class,
            "failsTheRun": case.fails(report.header.enforce),
            "advisory": case.is_advisory(),
        },
    });
    if let Disposition::ExpectedFailure(listed) = &case.disposition {
        let justification = prose::listed(listed);
        result["suppressions"] = json!([{"kind": "external", "justification": justification}]);
    }
    if let Some(index) = report.rules.keys().position(|id| id.as_str() == name) {
        result["ruleIndex"] = json!(index);
    }
    if let Some(location) = location(catalog, case) {
        result["locations"] = json!([location]);
    }
    result
}

/// An entry of the list of expected failures that does not fit.
fn misfit(misfit: &Misfit) -> Value {
    let mut result = json!({
        "ruleId": "expected-failures",
        "level": "error",
        "message": {"text": escape::clamped(&prose::misfit(misfit), 300)},
        "partialFingerprints": {"entry/v1": misfit.name},
        "properties": {"failsTheRun": true},
    });
    if let Some((path, line)) = misfit.entry.rsplit_once(':')
        && let Ok(line) = line.parse::<u32>()
    {
        result["locations"] = json!([{"physicalLocation": {
            "artifactLocation": {"uri": uri(Path::new(path))},
            "region": {"startLine": line.max(1)},
        }}]);
    }
    result
}

fn location(catalog: &Catalog, case: &CaseRecord) -> Option<Value> {
    let fixture = catalog.fixture_of(&case.id)?;
    let spot = Spot::of(fixture, case)?;
    let (line, column) = spot.line_column();
    Some(json!({"physicalLocation": {
        "artifactLocation": {"uri": uri(&spot.path)},
        "region": {"startLine": line, "startColumn": column},
    }}))
}

/// Must and its opposite are errors, the rest is less.
fn level(level: Level) -> &'static str {
    match level.grade() {
        Level::Should => "warning",
        Level::May | Level::None => "note",
        _ => "error",
    }
}

/// A path as a URI reference: absolute paths as files, the others relative.
fn uri(path: &Path) -> String {
    use std::fmt::Write as _;
    let text = path.to_string_lossy().replace('\\', "/");
    let mut uri = String::new();
    if path.is_absolute() {
        uri.push_str(if text.starts_with('/') { "file://" } else { "file:///" });
    }
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    fn told(cases: &[CaseRecord]) -> Value {
        let text = written(&report(cases, header(cases.len())), write);
        serde_json::from_str(&text).unwrap()
    }

    fn output_of(program: &str, arguments: &[&str]) -> Vec<u8> {
        let folder = env!("CARGO_MANIFEST_DIR");
        std::process::Command::new(program)
            .args(arguments)
            .current_dir(folder)
            .output()
            .unwrap()
            .stdout
    }

    /// The schema of the format comes with the sources of that reader.
    fn schema_of_the_reader() -> std::path::PathBuf {
        let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
        let version = String::from_utf8(output_of(&rustc, &["-vV"])).unwrap();
        let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
        let arguments =
            ["metadata", "--format-version", "1", "--offline", "--filter-platform", host];
        let metadata: Value =
            serde_json::from_slice(&output_of(env!("CARGO"), &arguments)).unwrap();
        let packages = metadata["packages"].as_array().unwrap();
        let reader = packages.iter().find(|package| package["name"] == "serde-sarif").unwrap();
        let manifest = Path::new(reader["manifest_path"].as_str().unwrap());
        manifest.with_file_name("src").join("schema.json")
    }

    #[test]
    fn a_public_reader_and_the_schema_accept_it() {
        let log = told(&every_form());
        let read: serde_sarif::sarif::Sarif = serde_json::from_value(log.clone()).unwrap();
        assert_eq!(read.runs[0].results.as_ref().unwrap().len(), 10);
        let schema = std::fs::read_to_string(schema_of_the_reader()).unwrap();
        // Two patterns have a stray bracket; they are for properties not used here.
        assert_eq!(schema.matches("{2}]?$").count(), 2);
        let schema: Value = serde_json::from_str(&schema.replace("{2}]?$", "{2}?$")).unwrap();
        let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
        let problems: Vec<String> = validator
            .iter_errors(&log)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(problems.is_empty(), "{problems:#?}");
        assert!(!validator.is_valid(&json!({"version": "2.1.0", "runs": [{}]})));
    }

    #[test]
    fn an_expected_failure_is_suppressed() {
        let mut bytes = Vec::new();
        write(&listed_report(), &catalog(), &mut bytes).unwrap();
        let log: Value = serde_json::from_slice(&bytes).unwrap();
        let _: serde_sarif::sarif::Sarif = serde_json::from_value(log.clone()).unwrap();
        let results = log["runs"][0]["results"].as_array().unwrap();
        let of = |name: &str| {
            let is_it = |it: &&Value| it["message"]["text"].as_str().unwrap().contains(name);
            results.iter().find(is_it).unwrap()
        };
        assert_eq!(of("known")["suppressions"][0]["kind"], "external");
        assert_eq!(of("fixed")["ruleId"], "unexpected-pass");
        assert_eq!(of("fixed")["level"], "error");
        assert!(of("flaky").get("suppressions").is_none());
        let expired = of("expired on");
        assert_eq!(expired["ruleId"], "expected-failures");
        let place = &expired["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "ci/expect.yaml");
        assert_eq!(place["region"], json!({"startLine": 9}));
    }

    #[test]
    fn results_refer_to_rules_and_places() {
        let log = told(&[stance_case("manifest/a::strict", "manifest.project_id.max-length")]);
        let run = &log["runs"][0];
        let result = &run["results"][0];
        assert_eq!(result["level"], "error");
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "fixtures/manifest/a/manifest.yaml");
        assert_eq!(place["region"], json!({"startLine": 3, "startColumn": 1}));
    }

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri(Path::new("a b/ü#?.yaml")), "a%20b/%C3%BC%23%3F.yaml");
        #[cfg(unix)]
        assert_eq!(uri(Path::new("/a/b")), "file:///a/b");
    }

    #[test]
    fn what_is_advisory_is_a_note() {
        let mut bytes = Vec::new();
        write(&advisory_report(), &catalog(), &mut bytes).unwrap();
        let log: Value = serde_json::from_slice(&bytes).unwrap();
        let results = log["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), 1);
        assert_eq!(results[0]["level"], "note");
        assert_eq!(results[0]["properties"]["advisory"], true);
        assert_eq!(results[0]["properties"]["failsTheRun"], false);
    }
}
