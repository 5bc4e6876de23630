//! The fields of a manifest that came after v0.1.0, and are optional.

use super::check::{Checker, Field, name_of, quote};
use super::pathname::why_not_relative;
use super::view::Members;
use super::{Class, Mode, Question};
use crate::core::{Protocol, Release};
use crate::yaml::{Node, Span};

impl Checker<'_> {
    pub(super) fn snapshot(
        &mut self,
        members: &Members<'_>,
        span: Span,
        declared: Option<&[&str]>,
    ) {
        let predicates = self.predicates;
        if members.get("snapshot").is_none() {
            if declared.is_some_and(predicates.snapshot_advised) {
                let message = "snapshot_restore is declared, and \"snapshot\" is missing";
                let rule = "manifest.snapshot.recommended";
                self.issue(rule, "/snapshot", span, Class::Recommended, message.to_owned());
            }
            return;
        }
        let field = |name, required: Option<&'static str>, typed, type_name, is| Field {
            name,
            required: required.filter(|_| predicates.snapshot_required.contains(&name)),
            typed,
            class: Class::Value,
            type_name,
            is,
        };
        let snapshot =
            field("snapshot", None, "manifest.snapshot.type", "a mapping", predicates.is_mapping);
        let Some(node) = self.newer_field(members, ("", span), &snapshot) else { return };
        let at = "/snapshot";
        let members = self.nested(node, at, predicates.snapshot_fields);
        let parent = (at, node.span());

        let paths = field(
            "paths",
            Some("manifest.snapshot.paths.required"),
            "manifest.snapshot.paths.type",
            "a sequence",
            predicates.is_sequence,
        );
        if members.get("paths").is_none() {
            self.settle_lenient(Question::L3);
        }
        if let Some(paths) = self.newer_field(&members, parent, &paths) {
            self.snapshot_paths(paths);
        }

        let Some(days) = members.get("retention_days") else { return };
        let (is_integer, narrow) = (predicates.is_integer, self.reading.narrow);
        let at = "/snapshot/retention_days";
        let (value, kind) = (days.value, self.reading.kind(days.value));
        if value.has_foreign_tag() || !is_integer(kind, narrow) {
            let rule = "manifest.snapshot.retention_days.type";
            let message = format!("{} is not an integer", name_of(value));
            let issue = self.issue(rule, at, value.span(), Class::Value, message);
            issue.open = value.has_foreign_tag().then_some(Question::L20);
            self.settle_lenient(Question::L3);
        } else if !(predicates.retention_days)(kind) {
            let rule = "manifest.snapshot.retention_days.minimum";
            let message = format!("{} is less than 1", quote(value.text().unwrap_or_default()));
            self.issue(rule, at, value.span(), Class::Value, message);
        }
    }

    /// A field that came after v0.1.0: its type only warns in lenient mode.
    fn newer_field<'n>(
        &mut self,
        members: &Members<'n>,
        parent: (&str, Span),
        field: &Field,
    ) -> Option<&'n Node> {
        let value = self.field(members, parent, field);
        if value.is_none() && members.get(field.name).is_some() {
            self.settle_lenient(Question::L3);
        }
        value
    }

    fn snapshot_paths(&mut self, node: &Node) {
        let at = "/snapshot/paths";
        let predicates = self.predicates;
        let rule = "manifest.snapshot.paths.item-type";
        let strings = self.strings(node, at, rule, Class::Value);
        self.settle_items(node, strings.len());
        let values: Vec<&str> = strings.iter().map(|(_, _, text)| *text).collect();
        let rules = ("manifest.snapshot.paths.min-items", "manifest.snapshot.paths.unique");
        let bounds = (predicates.paths_min, predicates.paths_distinct);
        self.sequence(node, at, rules, bounds, &values);
        for (index, item, text) in strings {
            let at = format!("{at}/{index}");
            let rule = "manifest.snapshot.paths.not-absolute";
            self.fit((predicates.path_not_absolute)(text), rule, &at, item.span(), || {
                format!("{} {}", quote(text), why_not_relative(text))
            });
            let rule = "manifest.snapshot.paths.no-parent";
            self.fit((predicates.path_no_parent)(text), rule, &at, item.span(), || {
                format!("{} has .. in it", quote(text))
            });
        }
    }

    fn settle_items(&mut self, node: &Node, strings: usize) {
        if strings < node.as_sequence().map_or(0, <[_]>::len) {
            self.settle_lenient(Question::L3);
        }
    }

    pub(super) fn secrets(&mut self, members: &Members<'_>, span: Span, declared: Option<&[&str]>) {
        let predicates = self.predicates;
        let secrets = Field {
            name: "secrets",
            required: None,
            typed: "manifest.secrets.type",
            class: Class::Value,
            type_name: "a sequence",
            is: predicates.is_sequence,
        };
        let Some(node) = self.newer_field(members, ("", span), &secrets) else { return };
        let at = "/secrets";
        let strings = self.strings(node, at, "manifest.secrets.item-type", Class::Value);
        self.settle_items(node, strings.len());
        let values: Vec<&str> = strings.iter().map(|(_, _, text)| *text).collect();
        let rules = ("manifest.secrets.min-items", "manifest.secrets.unique");
        let bounds = (predicates.secrets_min, predicates.secrets_distinct);
        self.sequence(node, at, rules, bounds, &values);
        for (index, item, text) in strings {
            if !(predicates.secret_name)(text) {
                // The text may be a secret itself, so it is not repeated.
                let message =
                    "an entry is no name of a secret: A-Z first, then A-Z, 0-9 or _".to_owned();
                let rule = "manifest.secrets.pattern";
                self.issue(rule, &format!("{at}/{index}"), item.span(), Class::Value, message);
            }
        }
        let listed = node.as_sequence().is_some_and(|items| !items.is_empty());
        if listed && declared.is_some_and(|declared| !(predicates.secrets_declared)(declared)) {
            let message = "secrets are listed, and read_secrets is not declared".to_owned();
            let rule = "manifest.secrets.requires-read_secrets";
            self.issue(rule, at, node.span(), Class::Value, message);
            self.settle_lenient(Question::L1);
        }
    }

    /// Fields and values that the manifest's own version does not have yet.
    pub(super) fn newer_fields(
        &mut self,
        members: &Members<'_>,
        version: Option<&str>,
        capabilities: Option<&[&str]>,
    ) {
        let Some(version) = version.filter(|text| (self.predicates.version_pattern)(text)) else {
            return;
        };
        let Some(reduced) = (self.predicates.reduce)(version) else { return };
        let (major, minor) = (reduced.version.major, reduced.version.minor);
        // There is none before v0.1 to hold a manifest to.
        let own = Protocol::new(major.saturated(), minor.saturated()).max(Protocol::new(0, 1));
        let newer = |since: Release| self.protocol.includes(since) && !own.includes(since);
        let field = self
            .predicates
            .manifest_fields
            .iter()
            .any(|(name, since)| newer(*since) && members.get(name).is_some());
        let value =
            self.predicates.capabilities.iter().any(|(name, since)| {
                newer(*since) && capabilities.unwrap_or_default().contains(name)
            });
        // To a manifest of an older version the advice is to add what it does not have.
        let advice = "manifest.snapshot.recommended";
        let advised = self.checked.issues.iter().any(|issue| issue.rule == advice)
            && self
                .predicates
                .manifest_fields
                .iter()
                .any(|(name, since)| *name == "snapshot" && newer(*since));
        if field || value || advised {
            self.checked.older = Some(own);
        }
        if field || value {
            match self.mode {
                Mode::Strict => self.touch(Question::L15),
                Mode::Lenient => self.settle(Question::L15),
            }
        }
    }
}
