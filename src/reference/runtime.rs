//! The rules of a runtime capability document, under one reading.

use super::check::{Checked, Checker, Field, quote};
use super::view::Members;
use super::{Class, Fit, Mode, Predicates, Question, RUNTIME, Reading};
use crate::core::Protocol;
use crate::yaml::{Node, Span};

/// A sequence of a runtime document.
struct List {
    name: &'static str,
    required: &'static str,
    typed: &'static str,
    item_typed: &'static str,
    min_items: &'static str,
    least: usize,
}

/// Checks a runtime document.
pub(super) fn check(
    predicates: &Predicates,
    reading: &Reading,
    protocol: Protocol,
    root: &Node,
) -> Checked {
    // A runtime document has one mode: what breaks a rule is invalid.
    let mut checker = Checker::new(predicates, reading, protocol, Mode::Strict, RUNTIME);
    if let Some(members) = checker.root(root, "runtime.document.mapping") {
        checker.runtime(&members, root.span());
    }
    checker.checked
}

impl Checker<'_> {
    fn runtime(&mut self, members: &Members<'_>, span: Span) {
        let predicates = self.predicates;
        let known = |name: &str| {
            predicates.runtime_fields.contains(&name) || (predicates.is_extension)(name)
        };
        self.unknown_keys(members, "", "runtime.unknown-field", Class::Basic, &known);
        self.name(members, span);

        let versions = List {
            name: "protocol_versions",
            required: "runtime.protocol_versions.required",
            typed: "runtime.protocol_versions.type",
            item_typed: "runtime.protocol_versions.item-type",
            min_items: "runtime.protocol_versions.min-items",
            least: predicates.runtime_versions_min,
        };
        for (index, item, text) in self.list(members, span, &versions) {
            let at = format!("/protocol_versions/{index}");
            let rule = "runtime.protocol_versions.pattern";
            self.fit((predicates.runtime_version)(text), rule, &at, item.span(), || {
                format!("{} is not v, major and minor", quote(text))
            });
        }

        let capabilities = List {
            name: "agent_capabilities",
            required: "runtime.agent_capabilities.required",
            typed: "runtime.agent_capabilities.type",
            item_typed: "runtime.agent_capabilities.item-type",
            // Only a broken implementation asks for entries here.
            min_items: "runtime.agent_capabilities.may-be-empty",
            least: predicates.runtime_capabilities_min,
        };
        let protocol = self.protocol;
        let is_capability = |text: &str| {
            let capability = predicates.capabilities.iter().find(|(name, _)| *name == text);
            capability.is_some_and(|(_, since)| protocol.includes(*since))
        };
        let profiles = List {
            name: "isolation_profiles",
            required: "runtime.isolation_profiles.required",
            typed: "runtime.isolation_profiles.type",
            item_typed: "runtime.isolation_profiles.item-type",
            min_items: "runtime.isolation_profiles.min-items",
            least: predicates.runtime_profiles_min,
        };
        let is_profile = |text: &str| predicates.isolation_profiles.contains(&text);
        let targets = List {
            name: "state_publication_targets",
            required: "runtime.state_publication_targets.required",
            typed: "runtime.state_publication_targets.type",
            item_typed: "runtime.state_publication_targets.item-type",
            min_items: "runtime.state_publication_targets.min-items",
            least: predicates.runtime_targets_min,
        };
        let is_target = |text: &str| predicates.targets.contains(&text);
        self.members_of(members, span, &capabilities, is_capability);
        self.members_of(members, span, &profiles, is_profile);
        self.members_of(members, span, &targets, is_target);
    }

    /// A sequence of values that should be of the manifest's sets.
    fn members_of(
        &mut self,
        members: &Members<'_>,
        span: Span,
        list: &List,
        is_member: impl Fn(&str) -> bool,
    ) {
        let strings = self.list(members, span, list);
        if strings.iter().any(|(_, _, text)| !is_member(text)) {
            self.touch(Question::L14);
        }
    }

    fn name(&mut self, members: &Members<'_>, span: Span) {
        let predicates = self.predicates;
        let rule = "runtime.runtime.required";
        let required = predicates.runtime_required.contains(&"runtime");
        if members.get("runtime").is_none() && required {
            let message = "the field \"runtime\" is missing".to_owned();
            let issue = self.issue(rule, "/runtime", span, Class::Basic, message);
            issue.open = Some(Question::L13);
            return;
        }
        let field = Field {
            name: "runtime",
            required: None,
            typed: "runtime.runtime.type",
            class: Class::Basic,
            type_name: "a string",
            is: predicates.is_string,
        };
        let Some(node) = self.field(members, ("", span), &field) else { return };
        if self.reading.string(node) == Some("") {
            let fit = Fit::Open { question: Question::L13, holds: true };
            self.fit(fit, rule, "/runtime", node.span(), || "the name is empty".to_owned());
        }
    }

    /// The strings of a sequence, which is required and of strings.
    fn list<'n>(
        &mut self,
        members: &Members<'n>,
        span: Span,
        list: &List,
    ) -> Vec<(usize, &'n Node, &'n str)> {
        let field = Field {
            name: list.name,
            required: self
                .predicates
                .runtime_required
                .contains(&list.name)
                .then_some(list.required),
            typed: list.typed,
            class: Class::Basic,
            type_name: "a sequence",
            is: self.predicates.is_sequence,
        };
        let Some(node) = self.field(members, ("", span), &field) else { return Vec::new() };
        let at = format!("/{}", list.name);
        let count = node.as_sequence().map_or(0, <[_]>::len);
        if count < list.least {
            let message = format!("the number of entries is {count}, below {}", list.least);
            self.issue(list.min_items, &at, node.span(), Class::Basic, message);
        }
        let strings = self.strings(node, &at, list.item_typed, Class::Basic);
        let mut seen = std::collections::HashSet::new();
        if !strings.iter().all(|(_, _, text)| seen.insert(*text)) {
            self.touch(Question::L14);
        }
        strings
    }
}
