//! A page of the handbook for each suite: its rules by section, then its ledger.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use super::prose;
use crate::core::{
    Effect, LedgerClass, LedgerEntry, LedgerId, Level, Rule, RuleId, RuleTable, Shown, Suite,
};

/// Makes the page of a suite, as Markdown that links into itself and into the
/// pages `rules-SUITE.md` of other suites.
#[must_use]
pub fn rules_page(suite: &Suite, table: &RuleTable) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = Page { suite, table }.write(&mut text);
    text
}

struct Page<'a> {
    suite: &'a Suite,
    table: &'a RuleTable,
}

impl Page<'_> {
    fn write(&self, out: &mut String) -> fmt::Result {
        self.head(out)?;
        for (section, rules) in self.sections() {
            writeln!(out, "\n## {section}")?;
            for rule in rules {
                self.rule(out, rule)?;
            }
        }
        writeln!(out, "\n## Open questions")?;
        writeln!(
            out,
            "\nWhere the text can be read in more than one way. \"Open\" means that both exits \
             conform; the one that an implementation takes is recorded as its choice."
        )?;
        for entry in self.entries() {
            self.entry(out, entry)?;
        }
        Ok(())
    }

    fn head(&self, out: &mut String) -> fmt::Result {
        let Suite { suite: name, title, about, version, operations, .. } = self.suite;
        writeln!(
            out,
            "<!-- Made from suites/{name}. To make it again:\n     \
             LIVING_CONFORMANCE_UPDATE=1 cargo test --test docs_fresh -->"
        )?;
        writeln!(out, "\n# {title}: the rules\n\n{about} Version {version} of the suite's data.")?;

        let rules: Vec<&Rule> = self.table.rules_of(name).collect();
        let excluded = rules.iter().filter(|rule| rule.excluded.is_some()).count();
        write!(out, "\n{}", prose::count(rules.len(), "rule"))?;
        let mut levels: BTreeMap<Level, usize> = BTreeMap::new();
        for rule in &rules {
            *levels.entry(rule.level).or_default() += 1;
        }
        for (index, (level, count)) in levels.iter().rev().enumerate() {
            let joint = if index == 0 { ": " } else { ", " };
            match level {
                Level::None => write!(out, "{joint}{count} without a key word")?,
                level => write!(out, "{joint}{count} {level}")?,
            }
        }
        writeln!(out, ".")?;
        if excluded > 0 {
            writeln!(
                out,
                "No implementation under test can show {excluded} of them; each of these has the \
                 reason."
            )?;
        }
        writeln!(
            out,
            "\nAn operation that is not named beside a rule does nothing when the rule is broken. In \
             what free text names, `{{field}}` stands for the last key of the place and `{{value}}` \
             for the scalar there."
        )?;

        writeln!(out, "\n| operation | class | command line | what it does |\n|---|---|---|---|")?;
        for (name, operation) in operations {
            let argv = operation.argv.join(" ");
            let (class, about) = (&operation.class, &operation.about);
            writeln!(out, "| {name} | {class} | `{argv}` | {about} |")?;
        }
        Ok(())
    }

    /// The sections as they first come in the rule table, rules by id.
    fn sections(&self) -> Vec<(&str, Vec<&Rule>)> {
        let mut sections: Vec<(&str, Vec<&Rule>)> = Vec::new();
        for rule in self.table.rules_of(&self.suite.suite) {
            match sections.iter_mut().find(|(section, _)| *section == rule.section) {
                Some((_, rules)) => rules.push(rule),
                None => sections.push((&rule.section, vec![rule])),
            }
        }
        for (_, rules) in &mut sections {
            rules.sort_by_key(|rule| &rule.id);
        }
        sections
    }

    /// The entries of this suite, `L2` before `L10`.
    fn entries(&self) -> Vec<&LedgerEntry> {
        let mut entries: Vec<&LedgerEntry> = self
            .table
            .ledger()
            .filter(|(suite, _)| *suite == self.suite.suite)
            .map(|(_, entry)| entry)
            .collect();
        entries.sort_by_key(|entry| (entry.id.as_str().len(), &entry.id));
        entries
    }

    fn rule(&self, out: &mut String, rule: &Rule) -> fmt::Result {
        let id = &rule.id;
        writeln!(out, "\n### <a id=\"{id}\"></a>{}\n", escaped(id.as_str()))?;
        match rule.level {
            Level::None => write!(out, "No key word")?,
            level => write!(out, "**{level}**")?,
        }
        write!(out, ", since {}", rule.since)?;
        for (operation, effect) in &rule.effect {
            let does = match effect {
                Effect::Reject => "rejects",
                Effect::Warn => "warns",
            };
            write!(out, " · {operation} {does}")?;
        }
        writeln!(out, "\n\n{}\n", rule.statement.trim_end())?;

        match (rule.shown_by, &rule.excluded) {
            (_, Some(reason)) => writeln!(out, "- Excluded: {}", reason.trim_end())?,
            (Shown::Finding, None) => {
                let names: Vec<String> =
                    rule.names.iter().map(|name| format!("`{name}`")).collect();
                writeln!(
                    out,
                    "- Shown by a finding; reporting it is a {}. A line of free text reports it \
                     when it names {}.",
                    rule.report,
                    any_of(&names)
                )?;
            }
            (Shown::Verdict, None) => {
                writeln!(out, "- Shown by the verdict or the output as a whole.")?;
            }
        }
        if let Some(older) = &rule.before {
            writeln!(
                out,
                "- Under a protocol version before {}, a document that has the field breaks {} \
                 instead.",
                rule.since,
                self.rule_link(older)
            )?;
        }
        if !rule.ledger.is_empty() {
            let links: Vec<String> = rule.ledger.iter().map(|id| self.ledger_link(id)).collect();
            writeln!(out, "- Open questions: {}", links.join(", "))?;
        }
        if let Some(reason) = &rule.schema {
            writeln!(out, "- Beyond JSON Schema: {}", reason.trim_end())?;
        }
        Ok(())
    }

    fn entry(&self, out: &mut String, entry: &LedgerEntry) -> fmt::Result {
        let class = match entry.class {
            LedgerClass::InferredIntent => "inferred intent",
            LedgerClass::Conflict => "conflict",
            LedgerClass::Quirk => "quirk",
            LedgerClass::Unknown => "unknown",
        };
        let id = &entry.id;
        writeln!(
            out,
            "\n### <a id=\"{id}\"></a>{id} ({class})\n\n{}\n",
            entry.question.trim_end()
        )?;
        for reading in &entry.readings {
            writeln!(out, "- {}", reading.trim_end())?;
        }
        writeln!(out, "\nThe suite: {}", entry.suite.trim_end())?;
        let touched: Vec<String> = self
            .table
            .rules()
            .filter(|(_, rule)| rule.ledger.contains(id))
            .map(|(_, rule)| self.rule_link(&rule.id))
            .collect();
        if !touched.is_empty() {
            writeln!(out, "\nTouches {}.", touched.join(", "))?;
        }
        Ok(())
    }

    fn rule_link(&self, id: &RuleId) -> String {
        link(&escaped(id.as_str()), id.as_str(), self.table.suite_of(id), self.suite)
    }

    fn ledger_link(&self, id: &LedgerId) -> String {
        let suite = self.table.ledger().find(|(_, entry)| entry.id == *id).map(|(suite, _)| suite);
        link(id.as_str(), id.as_str(), suite, self.suite)
    }
}

fn link(text: &str, anchor: &str, suite: Option<&str>, here: &Suite) -> String {
    match suite {
        Some(other) if other != here.suite => format!("[{text}](rules-{other}.md#{anchor})"),
        _ => format!("[{text}](#{anchor})"),
    }
}

/// An id as Markdown text: underscores would set parts of it in italics.
fn escaped(id: &str) -> String {
    id.replace('_', "\\_")
}

fn any_of(names: &[String]) -> String {
    match names {
        [] => "its id".to_owned(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::testing;

    #[test]
    fn a_page_has_every_rule_of_its_suite_once() {
        let mut table = testing::rules();
        let text = "{id: u.id.other, level: '-', since: v0.1.0, section: Elsewhere,
            statement: Another suite's., shown-by: verdict, ledger: [L10]}";
        table.add_rule("u", serde_yaml::from_str(text).unwrap()).unwrap();
        for (id, suite) in [("L10", "t"), ("L9", "t"), ("L2", "u")] {
            let text = format!(
                "{{id: {id}, class: quirk, question: What?, readings: [So., Or so.], suite: Open.}}"
            );
            table.add_ledger(suite, serde_yaml::from_str(&text).unwrap()).unwrap();
        }

        let page = rules_page(&testing::suite(), &table);
        for rule in table.rules_of("t") {
            let anchor = format!("<a id=\"{}\"></a>", rule.id);
            assert_eq!(page.matches(&anchor).count(), 1, "{}", rule.id);
        }
        assert!(page.contains("\n**MUST**, since v0.1.0 · hard rejects · soft warns\n"), "{page}");
        assert!(page.contains("- Excluded: only a running program shows it"), "{page}");
        assert!(page.contains("when it names `{field}` or `{value}`."), "{page}");
        assert!(!page.contains("<a id=\"u.id.other\">") && !page.contains("id=\"L2\""), "{page}");
        assert!(page.contains("Touches [u.id.other](rules-u.md#u.id.other)."), "{page}");
        let (ninth, tenth) = (page.find("id=\"L9\"").unwrap(), page.find("id=\"L10\"").unwrap());
        assert!(ninth < tenth);
    }
}
