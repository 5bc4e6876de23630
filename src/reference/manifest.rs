//! The rules of a manifest, under one reading.

use super::check::{Checked, Checker, Field, quote};
use super::pathname::why_not_relative;
use super::view::Members;
use super::{Class, Fit, MANIFEST, Mode, Predicates, Question, Reading};
use crate::core::Protocol;
use crate::yaml::{Node, Span};

/// Checks a manifest.
pub(super) fn check(
    predicates: &Predicates,
    reading: &Reading,
    protocol: Protocol,
    mode: Mode,
    root: &Node,
) -> Checked {
    let mut checker = Checker::new(predicates, reading, protocol, mode, MANIFEST);
    if let Some(members) = checker.root(root, "manifest.document.mapping") {
        checker.manifest(&members, root.span());
    }
    checker.checked
}

/// Where the state goes: a field that some targets need.
struct Destination {
    field: Field,
    is_needed: bool,
    /// The rule that it is there where it is needed.
    needed: &'static str,
    /// The rule of its value.
    valued: &'static str,
    fits: fn(&str) -> Fit,
    /// What is wrong with a value that does not fit.
    why_not: fn(&str) -> &'static str,
}

impl Checker<'_> {
    fn manifest(&mut self, members: &Members<'_>, span: Span) {
        let predicates = self.predicates;
        let protocol = self.protocol;
        let known = |name: &str| {
            let field = predicates.manifest_fields.iter().find(|(field, _)| *field == name);
            field.is_some_and(|(_, since)| protocol.includes(*since))
                || (predicates.is_extension)(name)
        };
        let rule = "manifest.unknown-field.top-level";
        self.unknown_keys(members, "", rule, Class::Value, &known);

        let version = self.version(members, span);
        self.project_id(members, span);
        let capabilities = self.capabilities(members, span);
        self.isolation_profile(members, span);
        self.state_publication(members, span);
        self.logging_requirements(members, span);
        if known("snapshot") {
            self.snapshot(members, span, capabilities.as_deref());
        }
        if known("secrets") {
            self.secrets(members, span, capabilities.as_deref());
        }
        self.newer_fields(members, version, capabilities.as_deref());
    }

    /// A required field of the v0.1.0 rules, or an optional one of its types.
    fn basic<'n>(
        &mut self,
        members: &Members<'n>,
        span: Span,
        name: &'static str,
        rules: (&'static str, &'static str),
        type_name: &'static str,
    ) -> Option<&'n Node> {
        let required = self.predicates.manifest_required.contains(&name).then_some(rules.0);
        let is = match type_name {
            "a string" => self.predicates.is_string,
            "a sequence" => self.predicates.is_sequence,
            _ => self.predicates.is_mapping,
        };
        let field = Field { name, required, typed: rules.1, class: Class::Basic, type_name, is };
        self.field(members, ("", span), &field)
    }

    fn version<'n>(&mut self, members: &Members<'n>, span: Span) -> Option<&'n str> {
        let rules = ("manifest.protocol_version.required", "manifest.protocol_version.type");
        let node = self.basic(members, span, "protocol_version", rules, "a string")?;
        let text = self.reading.string(node)?;
        let fit = if !(self.predicates.version_pattern)(text) {
            Fit::Breaks
        } else if (self.predicates.version_semantic)(text) {
            Fit::Holds
        } else {
            Fit::Open { question: Question::L8, holds: true }
        };
        let rule = "manifest.protocol_version.pattern";
        self.fit(fit, rule, "/protocol_version", node.span(), || {
            format!("{} is not v, major.minor.patch, and perhaps a pre-release", quote(text))
        });
        Some(text)
    }

    fn project_id(&mut self, members: &Members<'_>, span: Span) {
        let rules = ("manifest.project_id.required", "manifest.project_id.type");
        let Some(node) = self.basic(members, span, "project_id", rules, "a string") else {
            return;
        };
        let Some(text) = self.reading.string(node) else { return };
        let predicates = self.predicates;
        let at = "/project_id";
        let span = node.span();
        if let Some(odd) = text.chars().find(|c| !(predicates.project_id_character)(*c)) {
            let message = format!("{} has {odd:?}; only a-z, 0-9 and - are allowed", quote(text));
            self.issue("manifest.project_id.charset", at, span, Class::Value, message);
            if odd.is_alphanumeric() && !odd.is_ascii() {
                self.settle(Question::L16);
            }
        }
        if !(predicates.project_id_first)(text.chars().next()) {
            let message = format!("{} does not start with a letter or digit", quote(text));
            self.issue("manifest.project_id.first-character", at, span, Class::Value, message);
        }
        let length = text.chars().count();
        if length > predicates.project_id_max {
            let most = predicates.project_id_max;
            let message = format!("{length} characters are more than {most}");
            self.issue("manifest.project_id.max-length", at, span, Class::Value, message);
        }
    }

    /// The capabilities that are strings; `None` when there is no telling, because
    /// the field has another type.
    fn capabilities<'n>(&mut self, members: &Members<'n>, span: Span) -> Option<Vec<&'n str>> {
        let rules = ("manifest.agent_capabilities.required", "manifest.agent_capabilities.type");
        let name = "agent_capabilities";
        let Some(node) = self.basic(members, span, name, rules, "a sequence") else {
            return members.get(name).is_none().then(Vec::new);
        };
        let at = "/agent_capabilities";
        let rule = "manifest.agent_capabilities.item-type";
        let strings = self.strings(node, at, rule, Class::Basic);
        let values: Vec<&str> = strings.iter().map(|(_, _, text)| *text).collect();
        let predicates = self.predicates;
        let rules = ("manifest.agent_capabilities.min-items", "manifest.agent_capabilities.unique");
        let bounds = (predicates.capabilities_min, predicates.capabilities_distinct);
        self.sequence(node, at, rules, bounds, &values);
        for (index, item, text) in strings {
            let capability = predicates.capabilities.iter().find(|(name, _)| *name == text);
            if !capability.is_some_and(|(_, since)| self.protocol.includes(*since)) {
                let message = format!("{} is no capability", quote(text));
                let at = format!("{at}/{index}");
                let rule = "manifest.agent_capabilities.values";
                self.issue(rule, &at, item.span(), Class::Value, message);
            }
        }
        Some(values)
    }

    /// Entries enough, and none twice.
    pub(super) fn sequence(
        &mut self,
        node: &Node,
        at: &str,
        (min_items, unique): (&'static str, &'static str),
        (least, distinct): (usize, fn(&[&str]) -> bool),
        values: &[&str],
    ) {
        let count = node.as_sequence().map_or(0, <[_]>::len);
        if count < least {
            let message = format!("the number of entries is {count}, below {least}");
            self.issue(min_items, at, node.span(), Class::Value, message);
            self.settle_lenient(Question::L2);
        }
        if !distinct(values) {
            let message = "an entry occurs twice".to_owned();
            self.issue(unique, at, node.span(), Class::Value, message);
            self.settle_lenient(Question::L2);
        }
    }

    pub(super) fn settle_lenient(&mut self, question: Question) {
        if self.mode == Mode::Lenient {
            self.settle(question);
        }
    }

    /// A value that must be one of a set.
    fn one_of(&mut self, node: &Node, at: &str, rule: &'static str, set: &[&str]) {
        if let Some(text) = self.reading.string(node)
            && !set.contains(&text)
        {
            let message = format!("{} is not one of {}", quote(text), set.join(", "));
            self.issue(rule, at, node.span(), Class::Value, message);
        }
    }

    fn isolation_profile(&mut self, members: &Members<'_>, span: Span) {
        let rules = ("manifest.isolation_profile.required", "manifest.isolation_profile.type");
        let node = self.basic(members, span, "isolation_profile", rules, "a string");
        if let Some(node) = node {
            let rule = "manifest.isolation_profile.values";
            let set = self.predicates.isolation_profiles;
            self.one_of(node, "/isolation_profile", rule, set);
        }
    }

    /// The members of a nested mapping; issues for those it must not have.
    pub(super) fn nested<'n>(&mut self, node: &'n Node, at: &str, known: &[&str]) -> Members<'n> {
        let empty = Members { list: Vec::new(), duplicates: false, merges: false };
        let members = self.reading.members(node).unwrap_or(empty);
        let extension = self.predicates.is_nested_extension;
        let known = |name: &str| known.contains(&name) || extension(name);
        self.unknown_keys(&members, at, "manifest.unknown-field.nested", Class::Value, &known);
        members
    }

    fn logging_requirements(&mut self, members: &Members<'_>, span: Span) {
        let rules =
            ("manifest.logging_requirements.required", "manifest.logging_requirements.type");
        let Some(node) = self.basic(members, span, "logging_requirements", rules, "a mapping")
        else {
            return;
        };
        let at = "/logging_requirements";
        let predicates = self.predicates;
        let members = self.nested(node, at, predicates.logging_fields);
        let field = |name, required: &'static str, typed, type_name, is| Field {
            name,
            required: predicates.logging_required.contains(&name).then_some(required),
            typed,
            class: Class::Basic,
            type_name,
            is,
        };
        let structured = field(
            "structured",
            "manifest.logging_requirements.structured.required",
            "manifest.logging_requirements.structured.type",
            "a boolean",
            predicates.is_boolean,
        );
        self.field(&members, (at, node.span()), &structured);
        let level = field(
            "level",
            "manifest.logging_requirements.level.type",
            "manifest.logging_requirements.level.type",
            "a string",
            predicates.is_string,
        );
        if let Some(level) = self.field(&members, (at, node.span()), &level) {
            let rule = "manifest.logging_requirements.level.values";
            self.one_of(level, "/logging_requirements/level", rule, predicates.levels);
        }
    }

    fn state_publication(&mut self, members: &Members<'_>, span: Span) {
        let rules = ("manifest.state_publication.required", "manifest.state_publication.type");
        let Some(node) = self.basic(members, span, "state_publication", rules, "a mapping") else {
            return;
        };
        let at = "/state_publication";
        let predicates = self.predicates;
        let members = self.nested(node, at, predicates.state_fields);
        let field = |name, required: Option<&'static str>, typed| Field {
            name,
            required: required.filter(|_| predicates.state_required.contains(&name)),
            typed,
            class: Class::Basic,
            type_name: "a string",
            is: predicates.is_string,
        };
        let target = field(
            "target",
            Some("manifest.state_publication.target.required"),
            "manifest.state_publication.target.type",
        );
        let target = self.field(&members, (at, node.span()), &target);
        if let Some(target) = target {
            let rule = "manifest.state_publication.target.values";
            self.one_of(target, "/state_publication/target", rule, predicates.targets);
        }
        let target = target.and_then(|target| self.reading.string(target)).unwrap_or_default();
        let path = Destination {
            field: field("path", None, "manifest.state_publication.path.type"),
            is_needed: predicates.path_targets.contains(&target),
            needed: "manifest.state_publication.path.required-for-file",
            valued: "manifest.state_publication.path.relative",
            fits: predicates.state_path,
            why_not: why_not_relative,
        };
        self.destination(&members, node.span(), &path);
        let url = Destination {
            field: field("url", None, "manifest.state_publication.url.type"),
            is_needed: predicates.url_targets.contains(&target),
            needed: "manifest.state_publication.url.required-for-webhook",
            valued: "manifest.state_publication.url.https",
            fits: predicates.https_url,
            why_not: |_| "is not an https:// URL",
        };
        self.destination(&members, node.span(), &url);
    }

    /// The path or the URL of the state publication, which some targets need.
    fn destination(&mut self, members: &Members<'_>, span: Span, destination: &Destination) {
        let parent = "/state_publication";
        let name = destination.field.name;
        let at = format!("{parent}/{name}");
        if destination.is_needed && members.get(name).is_none() {
            self.conditionally_missing(destination.needed, &at, span, name);
        }
        let value = self.field(members, (parent, span), &destination.field);
        let Some((value, text)) = value.and_then(|v| Some((v, self.reading.string(v)?))) else {
            return;
        };
        let fit = match (destination.fits)(text) {
            Fit::Holds => Fit::Holds,
            fit if destination.is_needed => fit,
            _ => Fit::Open { question: Question::L21, holds: true },
        };
        self.fit(fit, destination.valued, &at, value.span(), || {
            format!("{} {}", quote(text), (destination.why_not)(text))
        });
    }

    /// A field that another one's value calls for. Whether lenient mode takes
    /// it for a required field is open.
    fn conditionally_missing(&mut self, rule: &'static str, at: &str, span: Span, name: &str) {
        let message = format!("the field {name:?} is missing; this target needs it");
        let lenient = self.mode == Mode::Lenient;
        let issue = self.issue(rule, at, span, Class::Value, message);
        if lenient {
            (issue.rejects, issue.open) = (true, Some(Question::L1));
        }
    }
}
