//! The four rules of a match, under one reading.

use super::check::{Checked, Checker, quote};
use super::view::Members;
use super::{Class, MANIFEST, Mode, Predicates, Question, Reading, version};
use crate::core::Protocol;
use crate::yaml::{Node, Span, Traits};

/// What a runtime document offers, as far as it can be read.
#[derive(Default)]
pub(super) struct Offer<'n> {
    versions: Option<Vec<&'n str>>,
    capabilities: Option<Vec<&'n str>>,
    profiles: Option<Vec<&'n str>>,
    targets: Option<Vec<&'n str>>,
    /// Why it could not be read, when others may read it: what it offers is not known.
    unread: Option<Question>,
}

impl<'n> Offer<'n> {
    /// What a document offers that is not read.
    pub(super) fn of_unread(question: Option<Question>) -> Self {
        Self { unread: question, ..Self::default() }
    }

    /// What a document offers.
    pub(super) fn new(reading: &Reading, root: &'n Node) -> Self {
        let members = reading.members(root);
        let list = |name: &str| -> Option<Vec<&'n str>> {
            let member = members.as_ref()?.get(name)?;
            let items = member.value.as_sequence()?;
            Some(items.iter().filter_map(|item| reading.string(item)).collect())
        };
        Self {
            versions: list("protocol_versions"),
            capabilities: list("agent_capabilities"),
            profiles: list("isolation_profiles"),
            targets: list("state_publication_targets"),
            unread: None,
        }
    }
}

/// Matches a manifest, which is not validated, with what a runtime offers.
pub(super) fn check(
    predicates: &Predicates,
    reading: &Reading,
    protocol: Protocol,
    root: &Node,
    offer: &Offer<'_>,
) -> Checked {
    let mut checker = Checker::new(predicates, reading, protocol, Mode::Strict, MANIFEST);
    if let Some(members) = checker.root(root, "manifest.document.mapping") {
        checker.version_matches(&members, root.span(), offer);
        checker.capabilities_match(&members, root.span(), offer);
        checker.profile_matches(&members, root.span(), offer);
        checker.target_matches(&members, root.span(), offer);
    }
    checker.checked
}

impl Checker<'_> {
    fn mismatch(
        &mut self,
        rule: &'static str,
        at: &str,
        node: Option<&Node>,
        span: Span,
        message: String,
    ) {
        let span = node.map_or(span, Node::span);
        let issue = self.issue(rule, at, span, Class::Basic, message);
        // What a tag makes of a value is open, whatever is below it.
        let foreign = node.is_some_and(|node| node.traits().intersects(Traits::FOREIGN_TAG));
        issue.open = foreign.then_some(Question::L20);
    }

    /// What the manifest asks for is not among what is offered, as far as that is known.
    fn not_supported(
        &mut self,
        rule: &'static str,
        at: &str,
        node: Option<&Node>,
        offer: &Offer<'_>,
        message: String,
    ) {
        let span = node.map_or_else(Span::default, Node::span);
        self.mismatch(rule, at, node, span, message);
        if let (Some(question), Some(issue)) = (offer.unread, self.checked.issues.last_mut()) {
            (issue.open, issue.own) = (Some(question), None);
        }
    }

    fn text<'n>(&self, node: Option<&'n Node>) -> Option<&'n str> {
        let node = node?;
        (self.predicates.is_string)(self.reading.kind(node)).then(|| node.text()).flatten()
    }

    fn version_matches(&mut self, members: &Members<'_>, span: Span, offer: &Offer<'_>) {
        let (rule, at) = ("match.protocol-version", "/protocol_version");
        let node = members.get("protocol_version").map(|member| member.value);
        let reduced = self.text(node).and_then(self.predicates.reduce);
        let Some(reduced) = reduced else {
            let message = "the manifest has no protocol version to compare".to_owned();
            return self.mismatch(rule, at, node, span, message);
        };
        let supports = self.predicates.supports;
        let supported = offer
            .versions
            .iter()
            .flatten()
            .filter_map(|entry| version::runtime_version(entry))
            .any(|(entry, _)| supports(&entry, &reduced.version));
        if !supported {
            let message = format!(
                "{} is not supported; the runtime has {}",
                quote(self.text(node).unwrap_or_default()),
                shown(offer.versions.as_deref())
            );
            self.not_supported(rule, at, node, offer, message);
        } else if let (Some(question), Some(node)) = (reduced.question, node) {
            let message = "the protocol version cannot be cut down".to_owned();
            let issue = self.issue(rule, at, node.span(), Class::Basic, message);
            (issue.open, issue.own) = (Some(question), None);
        }
    }

    fn capabilities_match(&mut self, members: &Members<'_>, span: Span, offer: &Offer<'_>) {
        let (rule, at) = ("match.agent-capabilities", "/agent_capabilities");
        let node = members.get("agent_capabilities").map(|member| member.value);
        let items = node
            .filter(|node| (self.predicates.is_sequence)(self.reading.kind(node)))
            .and_then(Node::as_sequence);
        let wanted: Option<Vec<&str>> =
            items.and_then(|items| items.iter().map(|item| self.text(Some(item))).collect());
        let Some(wanted) = wanted else {
            let message = "the manifest has no list of capabilities to compare".to_owned();
            return self.mismatch(rule, at, node, span, message);
        };
        let offered = offer.capabilities.as_deref();
        let supported = self.predicates.capabilities_supported;
        if !offered.is_some_and(|offered| supported(&wanted, offered)) {
            let has = |capability: &&str| offered.unwrap_or_default().contains(capability);
            let lacking: Vec<&str> =
                wanted.into_iter().filter(|capability| !has(capability)).collect();
            let message = format!("the runtime lacks {}", shown(Some(&lacking)));
            self.not_supported(rule, at, node, offer, message);
        }
    }

    fn profile_matches(&mut self, members: &Members<'_>, span: Span, offer: &Offer<'_>) {
        let (rule, at) = ("match.isolation-profile", "/isolation_profile");
        let node = members.get("isolation_profile").map(|member| member.value);
        let wanted = self.text(node);
        let supported = self.predicates.profile_supported;
        let offered = offer.profiles.as_deref();
        let holds = wanted.zip(offered).is_some_and(|(wanted, offered)| supported(wanted, offered));
        if !holds {
            let message = not_offered(wanted, offered, "isolation profile");
            match wanted {
                Some(_) => self.not_supported(rule, at, node, offer, message),
                None => self.mismatch(rule, at, node, span, message),
            }
        }
    }

    fn target_matches(&mut self, members: &Members<'_>, span: Span, offer: &Offer<'_>) {
        let (rule, at) = ("match.state-publication-target", "/state_publication/target");
        let state = members.get("state_publication").map(|member| member.value);
        let nested = state.and_then(|state| self.reading.members(state));
        let node = nested.as_ref().and_then(|nested| nested.get("target")).map(|m| m.value);
        let wanted = self.text(node);
        let supported = self.predicates.target_supported;
        let offered = offer.targets.as_deref();
        let holds = wanted.zip(offered).is_some_and(|(wanted, offered)| supported(wanted, offered));
        if !holds {
            let message = not_offered(wanted, offered, "state publication target");
            match wanted {
                Some(_) => self.not_supported(rule, at, node, offer, message),
                None => self.mismatch(rule, at, node.or(state), span, message),
            }
        }
    }
}

fn not_offered(wanted: Option<&str>, offered: Option<&[&str]>, what: &str) -> String {
    match wanted {
        Some(wanted) => {
            format!("{} is not supported; the runtime has {}", quote(wanted), shown(offered))
        }
        None => format!("the manifest has no {what} to compare"),
    }
}

/// Values for a message: a few, quoted.
fn shown(values: Option<&[&str]>) -> String {
    const MOST: usize = 8;
    let values = values.unwrap_or_default();
    let mut list: Vec<String> = values.iter().take(MOST).map(|value| quote(value)).collect();
    match values.len() {
        0 => "none".to_owned(),
        count if count > MOST => {
            list.push(format!("{} more", count - MOST));
            list.join(", ")
        }
        _ => list.join(", "),
    }
}
