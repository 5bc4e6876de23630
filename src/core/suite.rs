//! What a suite is made of: documents, operations, classes. All of it is data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Protocol, RuleId, Variant, unique_map};

/// What an operation, a golden or an implementation says of a fixture's documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stance {
    /// Accepted; for a match, it matches.
    Accept,
    /// Rejected; for a match, it does not match.
    Reject,
    /// The spec leaves it open: both conform.
    Either,
}

impl Stance {
    /// The stance that a decision shows.
    #[must_use]
    pub fn of(accepted: bool) -> Self {
        if accepted { Self::Accept } else { Self::Reject }
    }

    /// Whether a decision agrees with this stance.
    #[must_use]
    pub fn admits(self, accepted: bool) -> bool {
        self == Self::Either || self == Self::of(accepted)
    }

    /// The word that goldens and reports use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Reject => "reject",
            Self::Either => "either",
        }
    }
}

/// A suite: `suites/SUITE/suite.yaml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Suite {
    /// Its name, that of its folder.
    pub suite: String,
    /// A heading for people.
    pub title: String,
    /// One sentence on what it tests.
    pub about: String,
    /// Version of the suite's data, SemVer.
    pub version: String,
    /// The protocol versions that it knows, oldest first; the last is the default.
    pub protocols: Vec<Protocol>,
    /// The documents of a fixture, by the name that argv templates use.
    #[serde(deserialize_with = "unique_map")]
    pub documents: BTreeMap<String, DocumentKind>,
    /// What an implementation is asked to do, by name.
    #[serde(deserialize_with = "unique_map")]
    pub operations: BTreeMap<String, Operation>,
    /// What must hold between the operations of one fixture.
    #[serde(default)]
    pub relations: Vec<Relation>,
    /// What the name of a directory says of the fixtures in it.
    #[serde(default)]
    pub names: Vec<NameRule>,
    /// Whether those names bind a fixture that has a golden, too.
    #[serde(default)]
    pub names_bind: bool,
    /// Whether fixtures that lie beside the folders of other suites are of this one.
    #[serde(default)]
    pub beside: bool,
    /// The spec that it tests: suites of one spec are certified together, under its
    /// name. Without one, the suite stands alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<Spec>,
    /// Whether a run takes the suite unless another is asked for.
    #[serde(default = "yes")]
    pub default: bool,
}

fn yes() -> bool {
    true
}

/// The spec that a suite tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Spec {
    /// The name that receipts give it.
    pub name: String,
    /// What people call it.
    pub title: String,
}

/// One document of a fixture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DocumentKind {
    /// What it is.
    pub about: String,
    /// Where it may stand in a fixture's directory; exactly one of these does.
    pub files: Vec<String>,
    /// Whether its very bytes count, so that the same content written otherwise is
    /// another document, and there are no variants of it.
    #[serde(default)]
    pub exact: bool,
    /// The variants that make no sense for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub except_variants: Vec<VariantException>,
}

/// Variants that make no sense for a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct VariantException {
    /// Which ones.
    pub variants: Vec<Variant>,
    /// Where the document stands when they make none; anywhere if there is no such list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<String>>,
    /// Why.
    pub reason: String,
}

impl DocumentKind {
    /// Whether a document that stands there is written otherwise in a variant.
    #[must_use]
    pub fn varies(&self, variant: Variant, file: &str) -> bool {
        let holds = |exception: &VariantException| {
            let here = exception.files.as_ref().is_none_or(|all| all.iter().any(|it| it == file));
            here && exception.variants.contains(&variant)
        };
        !self.exact && !self.except_variants.iter().any(holds)
    }
}

/// One thing an implementation is asked to do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Operation {
    /// What it does.
    pub about: String,
    /// The class of implementations that has it.
    pub class: String,
    /// The command line after the implementation: literal arguments and
    /// `{document}` for the path of a document.
    pub argv: Vec<String>,
    /// The rule that asks for exit code 0 or 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_rule: Option<RuleId>,
    /// The rule that asks for one line for each failing rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_line_rule: Option<RuleId>,
}

/// What one decision on a fixture implies for another on the same fixture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Relation {
    /// The rule that says so.
    pub rule: RuleId,
    /// When this operation accepts …
    pub when_accepts: String,
    /// … then this one accepts.
    pub then_accepts: String,
}

/// What a directory name says when a fixture has no golden.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NameRule {
    /// How the name starts; the empty text stands for any other name.
    pub prefix: String,
    /// The stance of each operation that is judged by the name.
    #[serde(deserialize_with = "unique_map")]
    pub verdicts: BTreeMap<String, Stance>,
}

impl Suite {
    /// The protocol version that a run takes when none is asked for.
    #[must_use]
    pub fn latest_protocol(&self) -> Option<Protocol> {
        self.protocols.iter().copied().max()
    }

    /// The name of its spec, or its own.
    #[must_use]
    pub fn spec_name(&self) -> &str {
        self.spec.as_ref().map_or(&self.suite, |spec| &spec.name)
    }

    /// What people call its spec, or itself.
    #[must_use]
    pub fn spec_title(&self) -> &str {
        self.spec.as_ref().map_or(&self.title, |spec| &spec.title)
    }

    /// The operations whose documents are all there.
    pub fn operations_on<'a>(
        &'a self,
        has: impl Fn(&str) -> bool + 'a,
    ) -> impl Iterator<Item = (&'a str, &'a Operation)> {
        let complete = move |operation: &Operation| operation.documents().all(&has);
        self.operations
            .iter()
            .filter(move |(_, operation)| complete(operation))
            .map(|(name, operation)| (name.as_str(), operation))
    }

    /// What a directory of this name says: the rule with the longest prefix.
    #[must_use]
    pub fn name_rule(&self, name: &str) -> Option<&NameRule> {
        self.names
            .iter()
            .filter(|rule| name.starts_with(&rule.prefix))
            .max_by_key(|rule| rule.prefix.len())
    }
}

impl Operation {
    /// The documents that its command line names.
    pub fn documents(&self) -> impl Iterator<Item = &str> {
        self.argv.iter().filter_map(|argument| placeholders(argument)).flatten()
    }
}

/// The placeholders of an argument; `None` when its braces do not pair up.
#[must_use]
pub fn placeholders(argument: &str) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    let mut rest = argument;
    while let Some(open) = rest.find(['{', '}']) {
        let inner = rest[open..].strip_prefix('{')?;
        let close = inner.find(['{', '}'])?;
        rest = inner[close..].strip_prefix('}')?;
        found.push(&inner[..close]);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_found_and_stray_braces_refused() {
        assert_eq!(placeholders("--file={a}:{b}"), Some(vec!["a", "b"]));
        assert_eq!(placeholders("plain"), Some(vec![]));
        for bad in ["{", "}", "{a", "a}", "{a{b}}", "}{"] {
            assert_eq!(placeholders(bad), None, "{bad}");
        }
    }

    #[test]
    fn an_operation_is_possible_where_its_documents_are() {
        let mut suite = crate::core::testing::suite();
        let hard = suite.operations.get_mut("hard").unwrap();
        hard.argv = vec!["check".into(), "--by={rules}".into(), "{doc}".into()];
        let on = |there: &'static [&str]| -> Vec<String> {
            let operations = suite.operations_on(|document| there.contains(&document));
            operations.map(|(name, _)| name.to_owned()).collect()
        };
        assert_eq!(on(&["doc"]), ["soft"]);
        assert_eq!(on(&["doc", "rules"]), ["hard", "soft"]);
        assert!(on(&["rules"]).is_empty());
    }
}
