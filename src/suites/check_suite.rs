//! Holds a `suite.yaml` against itself, its folder and the rule table.

use std::collections::BTreeSet;

use super::fault::SuiteFault;
use super::load::Read;
use crate::core::{DocumentKind, Operation, RuleId, RuleTable, Suite, placeholders};
use crate::data::Problem;

/// The name of a golden; no document can have it.
const GOLDEN: &str = "expected.yaml";

/// Collects faults, each with the JSON pointer to its place.
struct Check<'a> {
    suite: &'a Suite,
    table: &'a RuleTable,
    faults: Vec<(String, SuiteFault)>,
}

/// Adds what is wrong with a suite to `problems`.
pub(super) fn check_suite(
    folder: &str,
    read: &Read<Suite>,
    table: &RuleTable,
    problems: &mut Vec<Problem>,
) {
    let mut check = Check { suite: &read.value, table, faults: Vec::new() };
    check.head(folder);
    check.documents();
    for (name, operation) in &read.value.operations {
        check.operation(name, operation);
    }
    check.relations();
    check.names();
    let located = check.faults.iter().map(|(at, fault)| read.source.problem(at, fault));
    problems.extend(located);
}

/// Whether a text can stand in ids, on command lines and in file names.
fn is_slug(text: &str) -> bool {
    text.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'))
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
}

impl Check<'_> {
    fn fault(&mut self, at: impl Into<String>, fault: SuiteFault) {
        self.faults.push((at.into(), fault));
    }

    fn text(&mut self, at: &str, what: &'static str, text: &str) {
        if text.trim().is_empty() {
            self.fault(at, SuiteFault::Empty(what));
        }
    }

    fn name(&mut self, at: &str, name: &str) {
        if !is_slug(name) {
            self.fault(at, SuiteFault::BadName(name.to_owned()));
        }
    }

    fn rule(&mut self, at: &str, id: &RuleId) {
        if self.table.rule(id).is_none() {
            let name = id.to_string();
            self.fault(at, SuiteFault::Dangling { what: "rule", name, known: Vec::new() });
        }
    }

    fn operation_named(&mut self, at: &str, name: &str) {
        if !self.suite.operations.contains_key(name) {
            let known = self.suite.operations.keys().cloned().collect();
            let name = name.to_owned();
            self.fault(at, SuiteFault::Dangling { what: "operation", name, known });
        }
    }

    fn head(&mut self, folder: &str) {
        let suite = self.suite;
        self.name("/suite", &suite.suite);
        if suite.suite != folder {
            let (name, folder) = (suite.suite.clone(), folder.to_owned());
            self.fault("/suite", SuiteFault::OtherName { name, folder });
        }
        if let Some(spec) = &suite.spec {
            self.name("/spec/name", &spec.name);
            self.text("/spec/title", "title", &spec.title);
        }
        self.text("/title", "title", &suite.title);
        self.text("/about", "description", &suite.about);
        if let Err(error) = semver::Version::parse(&suite.version) {
            let (text, cause) = (suite.version.clone(), error.to_string());
            self.fault("/version", SuiteFault::BadVersion { text, cause });
        }
        if suite.protocols.is_empty() {
            self.fault("/protocols", SuiteFault::Empty("list of protocol versions"));
        }
        for (index, pair) in suite.protocols.windows(2).enumerate() {
            if pair[0] >= pair[1] {
                let at = format!("/protocols/{}", index + 1);
                self.fault(at, SuiteFault::Unordered(pair[1].to_string()));
            }
        }
        if suite.documents.is_empty() {
            self.fault("/documents", SuiteFault::Empty("list of documents"));
        }
        if suite.operations.is_empty() {
            self.fault("/operations", SuiteFault::Empty("list of operations"));
        }
    }

    fn documents(&mut self) {
        let mut taken = BTreeSet::new();
        for (name, document) in &self.suite.documents {
            let at = format!("/documents/{name}");
            self.name(&format!("{at}#"), name);
            self.text(&format!("{at}/about"), "description", &document.about);
            if document.files.is_empty() {
                self.fault(format!("{at}/files"), SuiteFault::Empty("list of files"));
            }
            for (index, file) in document.files.iter().enumerate() {
                let plain = |part: &str| {
                    !matches!(part, "" | "." | "..") && !part.contains(['\\', ':', '\0'])
                };
                if !file.split('/').all(plain) || file == GOLDEN || !taken.insert(file) {
                    let at = format!("{at}/files/{index}");
                    self.fault(at, SuiteFault::BadPlace(file.clone()));
                }
            }
            self.exceptions(&at, document);
        }
    }

    fn exceptions(&mut self, at: &str, document: &DocumentKind) {
        for (index, exception) in document.except_variants.iter().enumerate() {
            let at = format!("{at}/except-variants/{index}");
            self.text(&format!("{at}/reason"), "reason", &exception.reason);
            if exception.variants.is_empty() {
                self.fault(format!("{at}/variants"), SuiteFault::Empty("list of variants"));
            }
            for (file, name) in exception.files.iter().flatten().enumerate() {
                if !document.files.contains(name) {
                    let (name, known) = (name.clone(), document.files.clone());
                    let fault = SuiteFault::Dangling { what: "file", name, known };
                    self.fault(format!("{at}/files/{file}"), fault);
                }
            }
        }
    }

    fn operation(&mut self, name: &str, operation: &Operation) {
        let at = format!("/operations/{name}");
        self.name(&format!("{at}#"), name);
        self.text(&format!("{at}/about"), "description", &operation.about);
        self.name(&format!("{at}/class"), &operation.class);
        let mut has_document = false;
        for (index, argument) in operation.argv.iter().enumerate() {
            let at = format!("{at}/argv/{index}");
            let Some(placeholders) = placeholders(argument) else {
                self.fault(at, SuiteFault::BadTemplate(argument.clone()));
                has_document = true;
                continue;
            };
            has_document |= !placeholders.is_empty();
            for placeholder in placeholders {
                if !self.suite.documents.contains_key(placeholder) {
                    let known = self.suite.documents.keys().cloned().collect();
                    let name = placeholder.to_owned();
                    self.fault(&at, SuiteFault::Dangling { what: "document", name, known });
                }
            }
        }
        if !has_document {
            self.fault(format!("{at}/argv"), SuiteFault::NoDocument);
        }
        if let Some(rule) = &operation.exit_rule {
            self.rule(&format!("{at}/exit-rule"), rule);
        }
        if let Some(rule) = &operation.one_line_rule {
            self.rule(&format!("{at}/one-line-rule"), rule);
        }
    }

    fn relations(&mut self) {
        for (index, relation) in self.suite.relations.iter().enumerate() {
            let at = format!("/relations/{index}");
            self.rule(&format!("{at}/rule"), &relation.rule);
            self.operation_named(&format!("{at}/when-accepts"), &relation.when_accepts);
            self.operation_named(&format!("{at}/then-accepts"), &relation.then_accepts);
            if relation.when_accepts == relation.then_accepts {
                let at = format!("{at}/then-accepts");
                self.fault(at, SuiteFault::SelfRelation(relation.then_accepts.clone()));
            }
        }
    }

    fn names(&mut self) {
        let suite = self.suite;
        if suite.names_bind && suite.names.is_empty() {
            self.fault("/names-bind", SuiteFault::NoNames);
        }
        let mut taken = BTreeSet::new();
        for (index, rule) in suite.names.iter().enumerate() {
            let at = format!("/names/{index}");
            if !taken.insert(&rule.prefix) {
                let text = rule.prefix.clone();
                self.fault(format!("{at}/prefix"), SuiteFault::Twice { what: "prefix", text });
            }
            if rule.verdicts.is_empty() {
                self.fault(format!("{at}/verdicts"), SuiteFault::Empty("list of verdicts"));
            }
            for (operation, stance) in &rule.verdicts {
                let at = format!("{at}/verdicts/{operation}");
                self.operation_named(&format!("{at}#"), operation);
                if *stance == crate::core::Stance::Either {
                    self.fault(at, SuiteFault::OpenName);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_start_with_a_letter_or_digit() {
        assert!(is_slug("runtime-2_x"));
        for bad in ["", "-a", "A", "a b", "a/b", "ä", "a.b"] {
            assert!(!is_slug(bad), "{bad:?}");
        }
    }
}
