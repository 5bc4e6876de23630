//! The rule table and the ledger: what the spec asks, and where it is open.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{LedgerId, Protocol, Release, RuleId, unique_map};

/// How much a rule binds, by RFC 2119.
///
/// Ordered by weight: `None < May < Should < MustNot = Must` in effect, see
/// [`Level::is_must`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Level {
    /// A statement without a key word.
    #[serde(rename = "-")]
    None,
    /// Optional.
    #[serde(rename = "MAY")]
    May,
    /// Recommended.
    #[serde(rename = "SHOULD")]
    Should,
    /// Forbidden.
    #[serde(rename = "MUST NOT")]
    MustNot,
    /// Required.
    #[serde(rename = "MUST")]
    Must,
}

impl Level {
    /// Whether breaking the rule means not conforming: MUST and MUST NOT.
    #[must_use]
    pub fn is_must(self) -> bool {
        self >= Self::MustNot
    }

    /// MUST NOT counted as MUST: the three grades a result is reported in.
    #[must_use]
    pub fn grade(self) -> Self {
        if self.is_must() { Self::Must } else { self }
    }

    /// The key word as the rule table writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "-",
            Self::May => "MAY",
            Self::Should => "SHOULD",
            Self::MustNot => "MUST NOT",
            Self::Must => "MUST",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What an operation does with a document that breaks the rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Rejects, and reports the finding.
    Reject,
    /// Accepts, and reports the finding.
    Warn,
}

/// How an implementation shows that it keeps a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shown {
    /// By a finding with the rule's id.
    #[default]
    Finding,
    /// By the verdict, or by the output as a whole; no finding has this id.
    Verdict,
}

/// One testable requirement: a row of `suites/SUITE/rules.yaml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Rule {
    /// The id it has for ever.
    pub id: RuleId,
    /// How much it binds.
    pub level: Level,
    /// The release that brought it.
    pub since: Release,
    /// The heading in the spec document where it stands.
    pub section: String,
    /// What is required, in one or two sentences.
    pub statement: String,
    /// What each operation does when the rule is broken; an operation that is
    /// not named does nothing.
    #[serde(default, deserialize_with = "unique_map", skip_serializing_if = "BTreeMap::is_empty")]
    pub effect: BTreeMap<String, Effect>,
    /// How it is shown.
    #[serde(default)]
    pub shown_by: Shown,
    /// The level of the duty to report a finding of it.
    #[serde(default = "should")]
    pub report: Level,
    /// What a line of free text names when it reports the rule, any one of
    /// these: literal words, `{field}` for the name of the field at the place,
    /// `{value}` for the scalar there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Open questions that touch it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ledger: Vec<LedgerId>,
    /// Why no implementation under test can show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excluded: Option<String>,
    /// Why a JSON Schema cannot express it, or not fully.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The rule that what this one added breaks under a protocol version before
    /// `since`: a field that is not there yet is an unknown field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<RuleId>,
}

fn should() -> Level {
    Level::Should
}

/// What kind of open question it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LedgerClass {
    /// The text does not say it, what it says elsewhere implies it.
    InferredIntent,
    /// Two places, or two standards it relies on, disagree.
    Conflict,
    /// Tools in the field do otherwise than their own standard.
    Quirk,
    /// Nothing tells.
    Unknown,
}

/// One open question of the spec: a row of `suites/SUITE/ledger.yaml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LedgerEntry {
    /// The id it has for ever.
    pub id: LedgerId,
    /// What kind of question.
    pub class: LedgerClass,
    /// The question.
    pub question: String,
    /// The ways to read the spec, two or more.
    pub readings: Vec<String>,
    /// What the suite does about it.
    pub suite: String,
}

/// All rules and ledger entries of the loaded suites, by id. To clone it copies no rule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleTable {
    rules: BTreeMap<RuleId, Arc<(String, Rule)>>,
    /// Ids in the order in which the rules were added.
    order: Vec<RuleId>,
    ledger: BTreeMap<LedgerId, (String, LedgerEntry)>,
}

impl RuleTable {
    /// Adds a rule of `suite`; gives it back when its id is taken.
    ///
    /// # Errors
    /// The rule itself, when another has its id.
    pub fn add_rule(&mut self, suite: &str, rule: Rule) -> Result<(), Box<Rule>> {
        if self.rules.contains_key(&rule.id) {
            return Err(Box::new(rule));
        }
        self.order.push(rule.id.clone());
        self.rules.insert(rule.id.clone(), Arc::new((suite.to_owned(), rule)));
        Ok(())
    }

    /// Adds a ledger entry of `suite`; gives it back when its id is taken.
    ///
    /// # Errors
    /// The entry itself, when another has its id.
    pub fn add_ledger(&mut self, suite: &str, entry: LedgerEntry) -> Result<(), Box<LedgerEntry>> {
        if self.ledger.contains_key(&entry.id) {
            return Err(Box::new(entry));
        }
        self.ledger.insert(entry.id.clone(), (suite.to_owned(), entry));
        Ok(())
    }

    /// The rule with this id.
    #[must_use]
    pub fn rule(&self, id: &RuleId) -> Option<&Rule> {
        self.rules.get(id).map(|entry| &entry.1)
    }

    /// The rule with this id, given as text that need not have an id's form.
    #[must_use]
    pub fn rule_named(&self, id: &str) -> Option<&Rule> {
        RuleId::new(id).ok().and_then(|id| self.rule(&id))
    }

    /// The suite that a rule stands in.
    #[must_use]
    pub fn suite_of(&self, id: &RuleId) -> Option<&str> {
        self.rules.get(id).map(|entry| entry.0.as_str())
    }

    /// The ledger entry with this id.
    #[must_use]
    pub fn ledger_entry(&self, id: &LedgerId) -> Option<&LedgerEntry> {
        self.ledger.get(id).map(|(_, entry)| entry)
    }

    /// All rules, each with its suite, by id.
    pub fn rules(&self) -> impl Iterator<Item = (&str, &Rule)> {
        self.rules.values().map(|entry| (entry.0.as_str(), &entry.1))
    }

    /// The rules of one suite, in the order of its file.
    pub fn rules_of(&self, suite: &str) -> impl Iterator<Item = &Rule> {
        self.order
            .iter()
            .filter_map(|id| self.rules.get(id))
            .filter(move |entry| entry.0 == suite)
            .map(|entry| &entry.1)
    }

    /// All ledger entries, each with its suite, by id.
    pub fn ledger(&self) -> impl Iterator<Item = (&str, &LedgerEntry)> {
        self.ledger.values().map(|(suite, entry)| (suite.as_str(), entry))
    }

    /// The rules that a protocol version has.
    pub fn rules_at(&self, protocol: Protocol) -> impl Iterator<Item = (&str, &Rule)> {
        self.rules().filter(move |(_, rule)| protocol.includes(rule.since))
    }

    /// The rules and ledger entries of some suites.
    #[must_use]
    pub fn only(&self, asked: impl Fn(&str) -> bool) -> Self {
        let mut table = self.clone();
        table.rules.retain(|_, entry| asked(&entry.0));
        table.ledger.retain(|_, (suite, _)| asked(suite));
        table.order.retain(|id| table.rules.contains_key(id));
        table
    }

    /// The highest level of these rules; [`Level::None`] for none.
    pub fn highest_level<'a>(&self, ids: impl IntoIterator<Item = &'a RuleId>) -> Level {
        ids.into_iter()
            .filter_map(|id| self.rule(id))
            .map(|rule| rule.level)
            .max()
            .unwrap_or(Level::None)
    }
}
