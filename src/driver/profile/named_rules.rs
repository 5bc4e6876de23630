//! Which rules and words a profile names that nobody knows.

use std::collections::BTreeSet;

use regex::Regex;

use crate::core::{RuleTable, Suite};
use crate::data::nearest;

use super::fault::ProfileFault;
use super::file::{FindingsFile, LineFile, ProfileFile, RuleFile};

/// What stands for the dotted field in the id of a rule, and what for the tool's word.
const FIELD: &str = "{field}";
const WORD: &str = "{word}";

/// The rules that no suite has and the words that no line tells, each with its place.
///
/// A profile that asks for an operation that no suite here has is made for other suites as
/// well: its rules may be theirs, but not those written much like one that is known.
pub(super) fn unknown_rules(
    file: &ProfileFile,
    suites: &[Suite],
    rules: &RuleTable,
) -> Vec<(String, ProfileFault)> {
    let Some(findings) = &file.findings else { return Vec::new() };
    let mut faults = unknown_words(findings);
    let ids: Vec<&str> = rules.rules().map(|(_, rule)| rule.id.as_str()).collect();
    if ids.is_empty() {
        return faults;
    }
    let has = |operation: &str| suites.iter().any(|it| it.operations.contains_key(operation));
    let mut asked = file.operations.iter().flat_map(|operations| operations.keys());
    let known = Known { ids, others: asked.any(|operation| !has(operation)) };
    let words: BTreeSet<&str> = words(findings).collect();
    for (index, line) in findings.lines.iter().enumerate() {
        // A word of the tool has its meaning among the rules.
        let rule = line.rule.as_deref().filter(|rule| !words.contains(rule));
        if let Some(fault) = rule.and_then(|rule| known.fault(rule, &[])) {
            faults.push((format!("/findings/lines/{index}/rule"), fault));
        }
    }
    for (index, rule) in findings.rules.iter().enumerate() {
        faults.extend(known.faults(&format!("/findings/rules/{index}"), rule));
    }
    faults
}

/// All words that have a meaning.
fn words(findings: &FindingsFile) -> impl Iterator<Item = &str> {
    findings.rules.iter().flat_map(|rule| &rule.word).map(String::as_str)
}

/// Where each line has its word in the file, no other word ever comes up.
fn unknown_words(findings: &FindingsFile) -> Vec<(String, ProfileFault)> {
    let has_group = |pattern: &str| pattern.contains("<rule>");
    let is_open = |line: &LineFile| {
        line.rule.is_none()
            || has_group(&line.pattern)
            || line.each.as_deref().is_some_and(has_group)
    };
    if findings.lines.iter().any(is_open) {
        return Vec::new();
    }
    let told: BTreeSet<&str> =
        findings.lines.iter().filter_map(|line| line.rule.as_deref()).collect();
    let mut faults = Vec::new();
    for (index, rule) in findings.rules.iter().enumerate() {
        for (place, word) in rule.word.iter().enumerate() {
            if !told.contains(word.as_str()) {
                let known = told.iter().map(|&word| word.to_owned()).collect();
                let fault = ProfileFault::UnknownWord { name: word.clone(), known };
                faults.push((format!("/findings/rules/{index}/word/{place}"), fault));
            }
        }
    }
    faults
}

/// The rules that there are.
struct Known<'r> {
    ids: Vec<&'r str>,
    /// Whether there may be more.
    others: bool,
}

impl Known<'_> {
    /// What is wrong with the rule that some words mean: each of the words, and each of the
    /// fields, is to lead to one that there is.
    fn faults(&self, at: &str, rule: &RuleFile) -> Vec<(String, ProfileFault)> {
        let Some(form) = &rule.rule else { return Vec::new() };
        let fields = rule.field.as_deref().unwrap_or_default();
        if !form.contains(WORD) {
            let fault = self.fault(form, fields);
            return fault.map(|fault| (format!("{at}/rule"), fault)).into_iter().collect();
        }
        let words = rule.word.iter().enumerate();
        let faults = words.filter_map(|(index, word)| {
            let fault = self.fault(&form.replace(WORD, word), fields)?;
            Some((format!("{at}/word/{index}"), fault))
        });
        faults.collect()
    }

    /// What is wrong with an id in which the field may be left open.
    fn fault(&self, form: &str, fields: &[String]) -> Option<ProfileFault> {
        let filled: Vec<String> = match fields {
            [] => vec![form.to_owned()],
            _ if !form.contains(FIELD) => vec![form.to_owned()],
            fields => fields.iter().map(|field| form.replace(FIELD, field)).collect(),
        };
        let unknown = filled.into_iter().find(|form| !self.has(form))?;
        let near = self.near(&unknown);
        (near.is_some() || !self.others)
            .then_some(ProfileFault::UnknownRule { name: unknown, near })
    }

    fn has(&self, form: &str) -> bool {
        if !form.contains(FIELD) {
            return self.ids.contains(&form);
        }
        let parts: Vec<String> = form.split(FIELD).map(regex::escape).collect();
        let regex = Regex::new(&format!("^{}$", parts.join(".+")));
        regex.is_ok_and(|regex| self.ids.iter().any(|id| regex.is_match(id)))
    }

    /// What may be meant: an id, or the form of one where the field is left open.
    fn near(&self, form: &str) -> Option<String> {
        if !form.contains(FIELD) {
            return nearest(form, self.ids.iter().copied()).map(str::to_owned);
        }
        let forms: BTreeSet<String> = self
            .ids
            .iter()
            .filter_map(|id| {
                let (suite, rest) = id.split_once('.')?;
                let (_, last) = rest.rsplit_once('.')?;
                Some(format!("{suite}.{FIELD}.{last}"))
            })
            .collect();
        nearest(form, forms.iter().map(String::as_str)).map(str::to_owned)
    }
}
