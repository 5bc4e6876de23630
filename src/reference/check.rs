//! What checking a document under one reading is made of.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::view::{Key, Member, Members};
use super::{Class, Fit, Mode, Place, Predicates, Question, Reading};
use crate::core::{Effect, Protocol, Severity};
use crate::yaml::{Kind, Node, Span, Traits, escape, join};

/// Characters of a value that a message shows.
const SHOWN: usize = 60;

/// Bytes of a key that is a sequence or a mapping, in the place of a finding.
const LONGEST_KEY: usize = 200;

/// A rule that a document breaks under one reading.
#[derive(Debug, Clone)]
pub(super) struct Issue {
    pub(super) rule: &'static str,
    pub(super) at: String,
    pub(super) place: Place,
    /// Whether it rejects.
    pub(super) rejects: bool,
    /// The question, when the spec leaves it open.
    pub(super) open: Option<Question>,
    /// How the reference itself reports it, if it does.
    pub(super) own: Option<Severity>,
    pub(super) message: String,
}

/// What comes of checking under one reading.
#[derive(Debug, Clone, Default)]
pub(super) struct Checked {
    pub(super) issues: Vec<Issue>,
    /// Questions that leave the verdict open, whatever the issues.
    pub(super) touched: BTreeSet<Question>,
    /// Questions that the suite has settled.
    pub(super) settled: BTreeSet<Question>,
    /// The manifest's own version, when it is older than a field it uses.
    pub(super) older: Option<Protocol>,
}

/// How a field is required and typed.
pub(super) struct Field {
    pub(super) name: &'static str,
    /// The rule that it is there; `None` for an optional one.
    pub(super) required: Option<&'static str>,
    /// The rule of its type.
    pub(super) typed: &'static str,
    pub(super) class: Class,
    /// The type, for messages.
    pub(super) type_name: &'static str,
    pub(super) is: fn(&Kind) -> bool,
}

/// A text for a message: quoted, escaped, and not too long.
pub(super) fn quote(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    format!("{shown:?}")
}

/// Checks a document under one reading, and collects what is wrong.
pub(super) struct Checker<'a> {
    pub(super) predicates: &'a Predicates,
    pub(super) reading: &'a Reading,
    pub(super) protocol: Protocol,
    pub(super) mode: Mode,
    pub(super) document: &'static str,
    pub(super) checked: Checked,
}

impl<'a> Checker<'a> {
    pub(super) fn new(
        predicates: &'a Predicates,
        reading: &'a Reading,
        protocol: Protocol,
        mode: Mode,
        document: &'static str,
    ) -> Self {
        Self { predicates, reading, protocol, mode, document, checked: Checked::default() }
    }

    /// Adds an issue, as its class has it in this mode.
    pub(super) fn issue(
        &mut self,
        rule: &'static str,
        at: &str,
        span: Span,
        class: Class,
        message: String,
    ) -> &mut Issue {
        let rejects = (self.predicates.effect)(self.mode, class) == Effect::Reject;
        let own = Some(if rejects { Severity::Error } else { Severity::Warning });
        let place = Place { document: self.document, span };
        let at = at.to_owned();
        self.checked.issues.push(Issue { rule, at, place, rejects, open: None, own, message });
        let last = self.checked.issues.len() - 1;
        &mut self.checked.issues[last]
    }

    /// Adds what comes of a value that keeps a rule, breaks it, or leaves it open.
    pub(super) fn fit(
        &mut self,
        fit: Fit,
        rule: &'static str,
        at: &str,
        span: Span,
        message: impl FnOnce() -> String,
    ) {
        let open = match fit {
            Fit::Holds => return,
            Fit::Breaks => None,
            Fit::Open { question, holds } => Some((question, holds)),
        };
        let issue = self.issue(rule, at, span, Class::Value, message());
        if let Some((question, holds)) = open {
            issue.open = Some(question);
            if holds {
                issue.own = None;
            }
        }
    }

    pub(super) fn touch(&mut self, question: Question) {
        self.checked.touched.insert(question);
    }

    pub(super) fn settle(&mut self, question: Question) {
        self.checked.settled.insert(question);
    }

    /// The members of the document itself; an issue when it is no mapping.
    pub(super) fn root<'n>(&mut self, root: &'n Node, rule: &'static str) -> Option<Members<'n>> {
        if root.has_foreign_tag() {
            self.touch(Question::L20);
        }
        let members = self.reading.members(root);
        if members.is_none() || !(self.predicates.is_mapping)(self.reading.kind(root)) {
            let message = format!("the document is {}, no mapping", name_of(root));
            let open = root.has_foreign_tag().then_some(Question::L20);
            self.issue(rule, "", root.span(), Class::Basic, message).open = open;
            return None;
        }
        let members = members?;
        self.touch_keys(&members);
        for member in &members.list {
            self.touch_member(member);
        }
        self.touch_hidden(root);
        Some(members)
    }

    /// What the keys of a mapping leave open.
    pub(super) fn touch_keys(&mut self, members: &Members<'_>) {
        if members.duplicates {
            self.touch(Question::L4);
        }
        if members.merges {
            self.touch(Question::L6);
        }
    }

    /// What a member of the document leaves open, by what stands below it.
    fn touch_member(&mut self, member: &Member<'_>) {
        let extension =
            matches!(member.key, Key::Name(name) if (self.predicates.is_extension)(name));
        self.touch_traits(member.key_node.traits(), false);
        self.touch_traits(member.value.traits(), extension);
        if member.key == Key::Odd {
            self.touch(Question::L17);
        }
    }

    /// What entries leave open that this reading does not see: an earlier one of
    /// two equal keys, or what a merge key brings.
    fn touch_hidden(&mut self, root: &Node) {
        for entry in root.as_mapping().unwrap_or_default() {
            let extension = entry.key.as_str().is_some_and(self.predicates.is_extension);
            self.touch_traits(entry.value.traits(), extension);
        }
    }

    fn touch_traits(&mut self, traits: Traits, extension: bool) {
        if traits.intersects(self.reading.duplicate_traits()) {
            self.touch(Question::L4);
        }
        if traits.intersects(self.reading.odd_key_traits()) {
            self.touch(Question::L17);
        }
        if !extension && traits.intersects(Traits::MERGE_KEY) {
            self.touch(Question::L6);
        }
        if !extension && traits.intersects(Traits::FOREIGN_TAG) {
            self.touch(Question::L20);
        }
    }

    /// A field that is there and of its type; issues otherwise.
    pub(super) fn field<'n>(
        &mut self,
        members: &Members<'n>,
        parent: (&str, Span),
        field: &Field,
    ) -> Option<&'n Node> {
        let at = join(parent.0, field.name);
        let Some(member) = members.get(field.name) else {
            if let Some(rule) = field.required {
                let message = format!("the field {:?} is missing", field.name);
                self.issue(rule, &at, parent.1, field.class, message);
            }
            return None;
        };
        let value = member.value;
        let fits = (field.is)(self.reading.kind(value));
        let foreign = value.has_foreign_tag();
        if fits && !foreign {
            return Some(value);
        }
        let message =
            format!("the field {:?} is {}, not {}", field.name, name_of(value), field.type_name);
        let issue = self.issue(field.typed, &at, value.span(), field.class, message);
        issue.open = foreign.then_some(Question::L20);
        None
    }

    /// The strings of a sequence, with their index and node; issues for other entries.
    pub(super) fn strings<'n>(
        &mut self,
        sequence: &'n Node,
        at: &str,
        rule: &'static str,
        class: Class,
    ) -> Vec<(usize, &'n Node, &'n str)> {
        let mut strings = Vec::new();
        for (index, item) in sequence.as_sequence().unwrap_or_default().iter().enumerate() {
            let foreign = item.has_foreign_tag();
            let kind = self.reading.kind(item);
            if (self.predicates.is_string)(kind) && !foreign {
                strings.push((index, item, item.text().unwrap_or_default()));
                continue;
            }
            let message = format!("the entry is {}, not a string", name_of(item));
            let issue = self.issue(rule, &format!("{at}/{index}"), item.span(), class, message);
            issue.open = foreign.then_some(Question::L20);
        }
        strings
    }

    /// Issues for the keys that are not among `known`.
    pub(super) fn unknown_keys(
        &mut self,
        members: &Members<'_>,
        at: &str,
        rule: &'static str,
        class: Class,
        known: &dyn Fn(&str) -> bool,
    ) {
        for member in &members.list {
            let (text, open) = match member.key {
                Key::Name(name) if known(name) => continue,
                Key::Name(name) => (Cow::Borrowed(name), None),
                Key::Odd => (name_of_odd(member.key_node), Some(Question::L17)),
            };
            let at = format!("{at}/{}", escape(&text));
            let message = format!("unknown field {}", quote(&text));
            self.issue(rule, &at, member.key_node.span(), class, message).open = open;
        }
    }
}

/// What stands for a key that is no string: its text, or all of it.
fn name_of_odd(key: &Node) -> Cow<'_, str> {
    key.text().map_or_else(|| Cow::Owned(key.brief(LONGEST_KEY)), Cow::Borrowed)
}

/// What a node is, for a message.
pub(super) fn name_of(node: &Node) -> String {
    let scalar = |name: &str| format!("{name} {}", quote(node.text().unwrap_or_default()));
    if let (true, Some(tag)) = (node.has_foreign_tag(), node.tag()) {
        return format!("tagged {}", quote(tag));
    }
    match node.kind() {
        Kind::Null => "null".to_owned(),
        Kind::Bool(_) => scalar("the boolean"),
        Kind::Int(_) => scalar("the integer"),
        Kind::Float(_) => scalar("the number"),
        Kind::String(_) => scalar("the string"),
        Kind::Other => scalar("the scalar"),
        Kind::Sequence(_) => "a sequence".to_owned(),
        Kind::Mapping(_) => "a mapping".to_owned(),
    }
}
