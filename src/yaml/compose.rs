//! From parser events to a tree, without recursion and within bounds.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use granit_parser::{Event, Parser, ScalarStyle, StructureStyle, Tag};

use super::source::{self, Range};
use super::{
    Document, Entry, Error, ErrorKind, Integer, Kind, MAX_DEPTH, Node, Note, NoteKind, OPEN_BYTES,
    OPEN_DEPTH, OPEN_NODES, Schema, Span, Style, Traits, join, scalar,
};

/// Notes of one kind beyond this many say nothing new.
const MOST_NOTES: usize = 32;
/// A note's pointer is not made longer than this and one more part.
const LONGEST_POINTER: usize = 4096;

/// Composes a text. One that is well-formed but for the indentation of flow
/// collections and scalars over several lines, which most loaders do not mind,
/// is composed as well, with a note.
pub(super) fn compose(text: Arc<str>, bytes: usize, utf16: bool) -> Result<Document, Error> {
    let error = match compose_indented(Arc::clone(&text), bytes, utf16, true) {
        Err(error) if error.kind == ErrorKind::Syntax => error,
        result => return result,
    };
    let Ok(mut document) = compose_indented(text, bytes, utf16, false) else { return Err(error) };
    let kind = NoteKind::LooseIndentation;
    document.notes.push(Note { kind, at: String::new(), span: error.span });
    Ok(document)
}

fn compose_indented(
    text: Arc<str>,
    bytes: usize,
    utf16: bool,
    strict: bool,
) -> Result<Document, Error> {
    let mut builder = Builder::new(&text);
    let options = granit_parser::options! {
        strict_indentation: strict,
        emit_comments: false,
        flow_nesting_limit: MAX_DEPTH as usize,
        block_nesting_limit: MAX_DEPTH as usize,
    };
    for event in Parser::new_from_str_with_options(&text, options) {
        let (event, span) = event.map_err(|error| refusal(&text, &error))?;
        builder.take(event, &span)?;
    }
    if builder.roots.is_empty() {
        builder.roots.push(builder.nothing());
    }
    let whole = source::place(&text, 0);
    let height = builder.roots.iter().map(Node::height).max().unwrap_or(0);
    let size = builder.roots.iter().map(Node::size).fold(0, u64::saturating_add);
    for (kind, holds) in [
        (NoteKind::Utf16, utf16),
        (NoteKind::TooLarge, bytes > OPEN_BYTES),
        (NoteKind::TooDeep, height > OPEN_DEPTH),
        (NoteKind::TooManyNodes, size > OPEN_NODES),
    ] {
        if holds {
            builder.notes.push(Note { kind, at: String::new(), span: whole });
        }
    }
    for (kind, offset) in source::remarks(&text, &builder.scalars) {
        let span = source::place(&text, offset);
        builder.notes.push(Note { kind, at: String::new(), span });
    }
    let Builder { roots, notes, .. } = builder;
    Ok(Document { text, roots, notes })
}

fn refusal(text: &str, error: &granit_parser::ScanError) -> Error {
    use granit_parser::ErrorKind as Cause;
    let kind = match error.kind() {
        Cause::RecursionLimitExceeded
        | Cause::AnchorCountOverflow
        | Cause::DirectiveByteLimitExceeded { .. }
        | Cause::TooManyReservedDirectiveParams { .. } => ErrorKind::Resources,
        Cause::BomInsideDocument | Cause::UnsupportedYamlMajorVersion => ErrorKind::Loaders,
        Cause::UnexpectedCharacter { character } if source::contested(*character) => {
            ErrorKind::Loaders
        }
        _ => ErrorKind::Syntax,
    };
    let mark = error.marker();
    let mut span = source::place(text, mark.byte_offset().unwrap_or(0));
    (span.line, span.column) = (mark.line(), mark.col() + 1);
    Error::new(kind, span, &error.info())
}

/// A collection whose end has not come yet.
struct Frame {
    /// The keys so far by each schema, for a mapping.
    keys: Option<(HashSet<String>, HashSet<String>)>,
    key: Option<Node>,
    items: Vec<Node>,
    entries: Vec<Entry>,
    anchor: usize,
    node: Node,
}

struct Builder<'a> {
    text: &'a str,
    stack: Vec<Frame>,
    /// The anchors of the document, open ones as `None`.
    anchors: HashMap<usize, Option<Node>>,
    roots: Vec<Node>,
    notes: Vec<Note>,
    noted: HashMap<NoteKind, usize>,
    scalars: Vec<Range>,
}

impl<'a> Builder<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            stack: Vec::new(),
            anchors: HashMap::new(),
            roots: Vec::new(),
            notes: Vec::new(),
            noted: HashMap::new(),
            scalars: Vec::new(),
        }
    }

    fn take(&mut self, event: Event<'_>, span: &granit_parser::Span) -> Result<(), Error> {
        let span = self.span(span);
        match event {
            Event::DocumentStart(..) => {
                self.anchors.clear();
                if !self.roots.is_empty() {
                    self.note(NoteKind::SeveralDocuments, span);
                }
                Ok(())
            }
            Event::Scalar(text, style, anchor, tag) => {
                let node = self.scalar(&text, style, tag.as_deref(), span);
                if anchor != 0 {
                    self.anchors.insert(anchor, Some(node.clone()));
                }
                self.add(node)
            }
            Event::SequenceStart(style, anchor, tag) => self.open(false, style, anchor, tag, span),
            Event::MappingStart(style, anchor, tag) => self.open(true, style, anchor, tag, span),
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            Event::Alias(anchor) => self.alias(anchor, span),
            _ => Ok(()),
        }
    }

    fn span(&self, span: &granit_parser::Span) -> Span {
        let bound = |offset: Option<usize>| offset.unwrap_or(0).min(self.text.len());
        let start = bound(span.start.byte_offset());
        Span {
            start,
            end: bound(span.end.byte_offset()).max(start),
            line: span.start.line(),
            column: span.start.col() + 1,
        }
    }

    fn nothing(&self) -> Node {
        leaf(Kind::Null, "".into(), source::place(self.text, self.text.len()))
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, tag: Option<&Tag>, span: Span) -> Node {
        let style = match style {
            ScalarStyle::SingleQuoted => Style::SingleQuoted,
            ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
            ScalarStyle::Literal => Style::Literal,
            ScalarStyle::Folded => Style::Folded,
            _ => Style::Plain,
        };
        self.scalars.push(Range { start: span.start, end: span.end, style });
        // The parser writes `~` for a node that is not there.
        let absent = style == Style::Plain && span.start == span.end;
        let text: Arc<str> = if absent { "".into() } else { text.into() };
        let mut node = leaf(Kind::Null, Arc::clone(&text), span);
        node.style = style;
        let readings = [Schema::Core, Schema::Yaml11].map(|schema| {
            if style == Style::Plain {
                scalar::resolve(&text, schema)
            } else {
                Kind::String(Arc::clone(&text))
            }
        });
        let (readings, fits) = match tag {
            None => (readings, true),
            Some(tag) => tagged(tag, &text, readings),
        };
        let [core, legacy] = readings;
        node.kind = core;
        // As a key, `<<` is a merge key and no value of a type of its own.
        let is_key = self.expects_key();
        let merge = is_key && node.is_merge_key();
        if !merge && !same(&node.kind, &legacy) {
            node.legacy = Some(Arc::new(legacy));
            node.traits |= Traits::SCHEMA;
            self.note_here(NoteKind::SchemaDifference, is_key.then_some(&text), span);
        }
        self.tag(&mut node, tag, fits);
        node
    }

    fn tag(&mut self, node: &mut Node, tag: Option<&Tag>, fits: bool) {
        let Some(tag) = tag else { return };
        node.tag = Some(format!("{}{}", tag.handle(), tag.suffix()).into());
        node.foreign = !fits;
        if !fits {
            node.traits |= Traits::FOREIGN_TAG;
            self.note(NoteKind::ForeignTag, node.span);
        }
    }

    fn open(
        &mut self,
        mapping: bool,
        style: StructureStyle,
        anchor: usize,
        tag: Option<Cow<'_, Tag>>,
        span: Span,
    ) -> Result<(), Error> {
        if self.stack.len() >= MAX_DEPTH as usize {
            return Err(too_deep(span));
        }
        let mut node = leaf(Kind::Null, "".into(), span);
        node.text = None;
        node.style = if style == StructureStyle::Flow { Style::Flow } else { Style::Block };
        let fits =
            tag.as_deref().and_then(Tag::core_suffix) == Some(if mapping { "map" } else { "seq" });
        self.tag(&mut node, tag.as_deref(), fits);
        if anchor != 0 {
            self.anchors.insert(anchor, None);
        }
        self.stack.push(Frame {
            keys: mapping.then(Default::default),
            key: None,
            items: Vec::new(),
            entries: Vec::new(),
            anchor,
            node,
        });
        Ok(())
    }

    fn close(&mut self, end: Span) -> Result<(), Error> {
        let Some(mut frame) = self.stack.pop() else { return Ok(()) };
        let last = match frame.keys {
            Some(_) => frame.entries.last().map(|entry| entry.value.span.end),
            None => frame.items.last().map(|item| item.span.end),
        };
        let node = &mut frame.node;
        node.span.end = match node.style {
            Style::Flow => end.end.max(node.span.start),
            _ => last.unwrap_or(node.span.end).max(node.span.start),
        };
        node.height += 1;
        node.kind = match frame.keys {
            Some(_) => Kind::Mapping(Arc::new(frame.entries)),
            None => Kind::Sequence(Arc::new(frame.items)),
        };
        if frame.anchor != 0 {
            self.anchors.insert(frame.anchor, Some(frame.node.clone()));
        }
        self.add(frame.node)
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Result<(), Error> {
        match self.anchors.get(&anchor) {
            Some(Some(node)) => {
                let mut node = node.clone();
                (node.span, node.alias) = (span, true);
                if node.legacy.is_some() {
                    self.note(NoteKind::SchemaDifference, span);
                }
                self.add(node)
            }
            Some(None) => {
                let message = "an alias stands inside of what it stands for";
                Err(Error::new(ErrorKind::Resources, span, message))
            }
            None => Err(Error::new(ErrorKind::Syntax, span, "an alias without its anchor")),
        }
    }

    fn add(&mut self, node: Node) -> Result<(), Error> {
        if self.stack.len() + node.height as usize > MAX_DEPTH as usize {
            return Err(too_deep(node.span));
        }
        let Some(frame) = self.stack.last_mut() else {
            self.roots.push(node);
            return Ok(());
        };
        let whole = &mut frame.node;
        whole.size = whole.size.saturating_add(node.size);
        whole.weight = whole.weight.saturating_add(node.weight);
        whole.height = whole.height.max(node.height);
        whole.traits |= node.traits;
        match (&frame.keys, frame.key.take()) {
            (None, _) => frame.items.push(node),
            (Some(_), Some(key)) => frame.entries.push(Entry { key, value: node }),
            (Some(_), None) => self.key(node),
        }
        Ok(())
    }

    /// Takes a key of the innermost mapping, and notes what is odd about it.
    fn key(&mut self, key: Node) {
        let Some(Frame { keys: Some((core, legacy)), .. }) = self.stack.last_mut() else { return };
        let merge = key.is_merge_key();
        let mut traits = Traits::NONE;
        let twice = identity(&key, Schema::Core).is_some_and(|id| !core.insert(id));
        let twice11 = identity(&key, Schema::Yaml11).is_some_and(|id| !legacy.insert(id));
        let odd = !matches!(key.read(Schema::Core), Kind::String(_)) && !merge;
        let odd11 = !matches!(key.read(Schema::Yaml11), Kind::String(_)) && !merge;
        for (holds, has) in [
            (twice, Traits::DUPLICATE_KEY | Traits::DUPLICATE_KEY_11),
            (twice11, Traits::DUPLICATE_KEY_11),
            (odd, Traits::ODD_KEY),
            (odd11, Traits::ODD_KEY_11),
            (merge, Traits::MERGE_KEY),
        ] {
            if holds {
                traits |= has;
            }
        }
        let span = key.span;
        if let Some(frame) = self.stack.last_mut() {
            frame.node.traits |= traits;
            frame.key = Some(key);
        }
        for (holds, kind) in [
            (twice, NoteKind::DuplicateKey),
            (odd, NoteKind::NonStringKey),
            (merge, NoteKind::MergeKey),
        ] {
            if holds {
                self.note(kind, span);
            }
        }
    }

    /// The pointer of what is being read.
    fn pointer(&self) -> String {
        self.stack.iter().fold(String::new(), |pointer, frame| match (&frame.keys, &frame.key) {
            _ if pointer.len() > LONGEST_POINTER => pointer,
            (None, _) => format!("{pointer}/{}", frame.items.len()),
            (Some(_), Some(key)) => join(&pointer, key.text().unwrap_or_default()),
            (Some(_), None) => pointer,
        })
    }

    fn expects_key(&self) -> bool {
        self.stack.last().is_some_and(|frame| frame.keys.is_some() && frame.key.is_none())
    }

    /// Notes something about what is being read.
    fn note(&mut self, kind: NoteKind, span: Span) {
        self.note_here(kind, None, span);
    }

    /// Notes something about what is being read, or about the key that comes next.
    fn note_here(&mut self, kind: NoteKind, key: Option<&Arc<str>>, span: Span) {
        let count = self.noted.entry(kind).or_default();
        *count += 1;
        if *count <= MOST_NOTES {
            let at = match key {
                Some(key) => join(&self.pointer(), key),
                None => self.pointer(),
            };
            self.notes.push(Note { kind, at, span });
        }
    }
}

fn leaf(kind: Kind, text: Arc<str>, span: Span) -> Node {
    Node {
        kind,
        legacy: None,
        weight: text.len() as u64,
        text: Some(text),
        style: Style::Plain,
        tag: None,
        foreign: false,
        alias: false,
        span,
        size: 1,
        height: 0,
        traits: Traits::NONE,
    }
}

fn too_deep(span: Span) -> Error {
    let message = format!("nested deeper than {MAX_DEPTH} levels");
    Error::new(ErrorKind::Resources, span, &message)
}

/// What a scalar with a tag is, by each schema, and whether the tag is one of
/// the core schema that fits it.
fn tagged(tag: &Tag, text: &Arc<str>, readings: [Kind; 2]) -> ([Kind; 2], bool) {
    let string = || Kind::String(Arc::clone(text));
    let Some(suffix) = tag.core_suffix() else { return (readings, false) };
    if suffix == "str" {
        return ([string(), string()], true);
    }
    let typed = [Schema::Core, Schema::Yaml11].map(|schema| {
        match (suffix, scalar::resolve(text, schema)) {
            ("null", kind @ Kind::Null)
            | ("bool", kind @ Kind::Bool(_))
            | ("int", kind @ Kind::Int(_))
            | ("float", kind @ Kind::Float(_)) => kind,
            ("float", Kind::Int(_)) => text.parse().map_or(Kind::Other, Kind::Float),
            _ => Kind::Other,
        }
    });
    let fits = typed[0] != Kind::Other;
    (typed, fits)
}

/// Whether two readings of a scalar are the same; two NaNs are.
fn same(one: &Kind, other: &Kind) -> bool {
    match (one, other) {
        (Kind::Float(one), Kind::Float(other)) => one.to_bits() == other.to_bits(),
        _ => one == other,
    }
}

/// What makes two scalar keys the same by a schema; `None` for collections.
fn identity(key: &Node, schema: Schema) -> Option<String> {
    Some(match key.read(schema) {
        Kind::Null => "~".to_owned(),
        Kind::Bool(value) => format!("b{value}"),
        Kind::Int(Integer::Small(value)) => format!("i{value}"),
        Kind::Float(value) => format!("f{value}"),
        Kind::String(text) => format!("s{text}"),
        Kind::Int(_) | Kind::Other => format!("o{}", key.text().unwrap_or_default()),
        Kind::Sequence(_) | Kind::Mapping(_) => return None,
    })
}
