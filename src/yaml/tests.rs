use std::time::{Duration, Instant};

use super::*;

fn parse(text: &str) -> Document {
    Document::parse(text.as_bytes()).unwrap()
}

fn fails(text: &str) -> Error {
    Document::parse(text.as_bytes()).unwrap_err()
}

fn notes(text: &str) -> Vec<(NoteKind, String)> {
    parse(text).notes().iter().map(|note| (note.kind, note.at.clone())).collect()
}

fn kinds(text: &str) -> Vec<NoteKind> {
    notes(text).into_iter().map(|(kind, _)| kind).collect()
}

#[test]
fn every_node_and_key_has_its_place() {
    let text = "# first\nname: hello\nlist:\n  - one\n  - 'two'\nflow: {a: [1, 2.0]}\n";
    let document = parse(text);
    let root = document.root();
    let place = |node: &Node| {
        let span = node.span();
        (&text[span.start..span.end], span.line, span.column)
    };
    assert_eq!(place(root.at("/name").unwrap()), ("hello", 2, 7));
    assert_eq!(place(root.key_at("/name").unwrap()), ("name", 2, 1));
    assert_eq!(place(root.at("/list/1").unwrap()), ("'two'", 5, 5));
    assert_eq!(place(root.at("/list").unwrap()).1, 4);
    assert_eq!(place(root.at("/flow").unwrap()), ("{a: [1, 2.0]}", 6, 7));
    assert_eq!(root.at("/flow/a/0").unwrap().kind(), &Kind::Int(Integer::Small(1)));
    assert_eq!(root.at("/flow/a/1").unwrap().kind(), &Kind::Float(2.0));
    assert!(root.key_at("/list/0").is_none());
    for missing in ["/nothing", "/list/2", "/list/01", "/list/-", "name", "/name/x"] {
        assert!(root.at(missing).is_none(), "{missing}");
    }
}

#[test]
fn pointers_escape_their_parts() {
    let document = parse("a/b: {m~n: 1}\n");
    let pointer = join(&join("", "a/b"), "m~n");
    assert_eq!(pointer, "/a~1b/m~0n");
    assert!(document.root().at(&pointer).is_some());
}

#[test]
fn a_text_without_a_document_is_null() {
    for text in ["", "# only a comment\n", "---\n", "\u{feff}"] {
        let document = parse(text);
        assert_eq!(document.root().kind(), &Kind::Null, "{text:?}");
        assert_eq!(document.roots().len(), 1);
        assert_eq!(document.root().text(), Some(""));
        assert!(document.notes().is_empty());
    }
    let document = parse("a:\nb: ~\n");
    assert_eq!(document.root().at("/a").unwrap().text(), Some(""));
    assert_eq!(document.root().at("/b").unwrap().text(), Some("~"));
    assert_eq!(document.root().at("/a").unwrap().kind(), &Kind::Null);
}

#[test]
fn styles_and_tags_decide_what_a_scalar_is() {
    let document =
        parse("- yes\n- 'yes'\n- !!str 12\n- |\n  12\n- !!int '3'\n- !x 1\n- !!bool 3\n");
    let item = |index: usize| document.root().at(&format!("/{index}")).unwrap();
    assert_eq!(item(0).read(Schema::Core), &Kind::String("yes".into()));
    assert_eq!(item(0).read(Schema::Yaml11), &Kind::Bool(true));
    assert!(!item(1).reads_differently());
    assert_eq!(item(2).as_str(), Some("12"));
    assert_eq!(item(3).as_str(), Some("12\n"));
    assert_eq!((item(3).style(), item(1).style()), (Style::Literal, Style::SingleQuoted));
    assert_eq!(item(4).kind(), &Kind::Int(Integer::Small(3)));
    assert!(!item(4).has_foreign_tag());
    assert_eq!(item(5).tag(), Some("!x"));
    assert!(item(5).has_foreign_tag() && item(6).has_foreign_tag());
    assert_eq!(
        notes("a: !!binary aGk=\nb: !!str x\nc: !!map {}\nd: !!set {}\n"),
        [(NoteKind::ForeignTag, "/a".into()), (NoteKind::ForeignTag, "/d".into())]
    );
}

#[test]
fn aliases_stand_where_they_are_written() {
    let document = parse("a: &x {k: [1]}\nb: *x\n");
    let root = document.root();
    assert_eq!(root.at("/b/k/0").unwrap().kind(), &Kind::Int(Integer::Small(1)));
    assert!(root.at("/b").unwrap().is_alias());
    assert_eq!(root.at("/b").unwrap().span().line, 2);
    assert_eq!(root.size(), 1 + 2 + 2 * 4);
    assert_eq!(root.height(), 3);
    assert_eq!(fails("a: *nowhere\n").kind, ErrorKind::Syntax);
    assert_eq!(fails("a: &a [*a]\n").kind.ledger(), Some("L19"));
    assert_eq!(fails("a: &a 1\n---\nb: *a\n").kind, ErrorKind::Syntax);
}

#[test]
fn what_loaders_take_differently_is_noted() {
    assert!(kinds("a: 1\n\"b\": [x, {c: ~}]\n...\n").is_empty());
    assert_eq!(notes("a: {b: 1, c: 2, b: 3}\n"), [(NoteKind::DuplicateKey, "/a/b".into())]);
    assert_eq!(
        notes("- {on: no}\n").into_iter().map(|(_, at)| at).collect::<Vec<_>>(),
        ["/0/on", "/0/on"]
    );
    assert_eq!(notes("- x\n- on\n"), [(NoteKind::SchemaDifference, "/1".into())]);
    assert_eq!(notes("<<: {a: 1}\n"), [(NoteKind::MergeKey, "/<<".into())]);
    assert!(kinds("'<<': {a: 1}\n").is_empty());
    assert_eq!(kinds("a: 1\n---\nb: 2\n---\n").len(), 2);
    assert_eq!(notes("a: {1: x}\n"), [(NoteKind::NonStringKey, "/a/1".into())]);
    assert_eq!(kinds("? [a]\n: b\n"), [NoteKind::NonStringKey]);
    assert_eq!(kinds("%YAML 1.2\n---\na: 1\n"), [NoteKind::Directive]);
    assert_eq!(kinds("a: \"x\u{feff}\"\n"), [NoteKind::InnerByteOrderMark]);
    assert_eq!(kinds("a: \"x\u{2028}y\"\n"), [NoteKind::LineSeparator]);
    assert_eq!(fails("%YAML 2.0\n---\na: 1\n").kind.ledger(), Some("L22"));
    assert_eq!(fails("a: 1\n\u{feff}b: 2\n").kind.ledger(), Some("L22"));
}

#[test]
fn only_tabs_between_tokens_are_noted() {
    for text in [
        "a:\tb\n",
        "a: b\t# c\n",
        "a: b\n\t\nc: d\n",
        "{\n\t\"a\": 1\n}\n",
        "a: b\tc\n",
        "a: |\t\n  b\n",
    ] {
        assert_eq!(kinds(text), [NoteKind::Tab], "{text:?}");
    }
    for text in ["a: \"b\tc\"\n", "a: b # c\td\n", "a: |\n  b\tc\n  \td\n", "# \t\na: >-\n  x\ty\n"]
    {
        assert!(kinds(text).is_empty(), "{text:?}: {:?}", kinds(text));
    }
    assert_eq!(fails("a:\n\tb: c\n").kind, ErrorKind::Syntax);
}

#[test]
fn traits_say_what_a_subtree_holds() {
    let document =
        parse("x: {a: [{1: 2}], b: !t v}\ny: {c: yes}\nz: {a: 1, a: 2, on: 1, yes: 2}\n");
    let traits = |at: &str| document.root().at(at).unwrap().traits();
    assert_eq!(traits("/x"), Traits::ODD_KEY | Traits::ODD_KEY_11 | Traits::FOREIGN_TAG);
    assert_eq!(traits("/y"), Traits::SCHEMA);
    assert!(traits("/z").contains(Traits::DUPLICATE_KEY | Traits::DUPLICATE_KEY_11));
    assert!(!traits("/y").intersects(Traits::DUPLICATE_KEY_11 | Traits::ODD_KEY_11));
    let twice11 = parse("{yes: 1, on: 2}").root().traits();
    assert!(twice11.contains(Traits::DUPLICATE_KEY_11 | Traits::ODD_KEY_11));
    assert!(!twice11.intersects(Traits::DUPLICATE_KEY | Traits::ODD_KEY));
}

#[test]
fn encodings_are_told_apart() {
    let wide = |text: &str, order: fn(u16) -> [u8; 2]| {
        text.encode_utf16().flat_map(order).collect::<Vec<u8>>()
    };
    for bytes in [
        wide("\u{feff}a: é\n", u16::to_le_bytes),
        wide("\u{feff}a: é\n", u16::to_be_bytes),
        wide("a: é\n", u16::to_le_bytes),
        wide("a: é\n", u16::to_be_bytes),
    ] {
        let document = Document::parse(&bytes).unwrap();
        assert_eq!(document.root().at("/a").unwrap().as_str(), Some("é"));
        assert_eq!(document.notes()[0].kind, NoteKind::Utf16);
    }
    let document = parse("\u{feff}a: 1\r\nb: 2\r\n");
    assert_eq!(document.root().key_at("/b").unwrap().span().line, 2);
    assert!(document.root().at("/a").is_some() && document.notes().is_empty());
    let broken = Document::parse(b"a: 1\nb: \xff\n").unwrap_err();
    assert_eq!((broken.kind, broken.span.line, broken.span.column), (ErrorKind::Encoding, 2, 4));
    assert!(Document::parse(&[0xff, 0xfe, b'a']).unwrap_err().utf16);
}

#[test]
fn errors_are_located_and_bounded() {
    let error = fails("a: 1\nb: [1, 2\nc: 3\n");
    assert_eq!(error.kind, ErrorKind::Syntax);
    assert!(error.span.line >= 2, "{error}");
    for text in ["a: \u{1}\n", "a: \u{0}\n", "\"\u{1b}[31m\"\n"] {
        let error = fails(text);
        assert_eq!((error.kind, error.span.line), (ErrorKind::Syntax, 1));
        assert!(!error.to_string().contains(char::is_control));
    }
    assert_eq!(fails("a: \u{81}\n").kind, ErrorKind::Loaders);
    for text in
        ["a: b: c\n", "{", "[1,,2]", "a: 'x\n", "- a\nb: c\n", "}", "a: @x\n", "a: 1\n---\n}"]
    {
        assert_eq!(fails(text).kind, ErrorKind::Syntax, "{text:?}");
    }
}

#[test]
fn loose_indentation_is_noted() {
    let text = "a: [\n  1,\n]\nb: {\nc: 'd\ne'\n}\n";
    let document = parse(text);
    assert_eq!(document.root().at("/b/c").unwrap().as_str(), Some("d e"));
    assert_eq!(kinds(text), [NoteKind::LooseIndentation]);
    assert_eq!(document.notes()[0].span.line, 3);
    assert!(kinds("a: [\n  1,\n ]\n").is_empty());
    assert!(kinds("[\n1,\n]\n").is_empty());
}

#[test]
fn equality_is_of_values() {
    let same = |one: &str, other: &str| parse(one).root().equals(parse(other).root());
    assert!(same("a: 1\nb: [x]\n", "{\"b\": ['x'], a: 1} # c\n"));
    assert!(same("a: &x [1]\nb: *x\n", "a: [1]\nb: [1]\n"));
    assert!(!same("a: 7\n", "a: 7.0\n"));
    assert!(!same("a: yes\n", "a: 'yes'\n"));
    assert!(!same("a: [1, 2]\n", "a: [2, 1]\n"));
    assert!(!same("a: !x 1\n", "a: 1\n"));
    assert!(!same("a: 1\na: 1\n", "a: 1\n"));
}

#[test]
fn json_has_the_values_of_the_core_schema() {
    let json = |text: &str| parse(text).root().to_json();
    assert_eq!(
        json("{a: 7.0, b: yes, c: ~, d: 18446744073709551616, 1: [x]}").unwrap().to_string(),
        r#"{"1":["x"],"a":7.0,"b":"yes","c":null,"d":1.8446744073709552e+19}"#
    );
    assert_eq!(json(".inf"), Err(NotJson::Number));
    assert_eq!(json("? [a]\n: b\n"), Err(NotJson::Key));
}

/// Nine anchors, each of nine aliases to the one before.
fn bomb() -> String {
    let mut text = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for name in 'b'..='i' {
        let before = char::from(name as u8 - 1);
        let aliases = vec![format!("*{before}"); 9].join(", ");
        text.push_str(&format!("{name}: &{name} [{aliases}]\n"));
    }
    text
}

#[test]
fn hostile_texts_end_soon_and_without_harm() {
    let start = Instant::now();
    let document = parse(&bomb());
    assert!(document.root().size() > 100_000_000);
    assert!(document.notes().iter().any(|note| note.kind == NoteKind::TooManyNodes));
    assert_eq!(document.root().to_json(), Err(NotJson::Size));
    assert_eq!(document.root().canonical(), None);

    // Every anchor one level deeper than the last: deep without nesting.
    let mut ladder = "a0: &a0 [x]\n".to_owned();
    for level in 1..20_000 {
        ladder.push_str(&format!("a{level}: &a{level} [*a{}]\n", level - 1));
    }
    for text in [
        "- ".repeat(200_000),
        "[".repeat(400_000),
        "{a: ".repeat(100_000),
        format!("{}{}", "[".repeat(129), "]".repeat(129)),
        ladder,
    ] {
        assert_eq!(fails(&text).kind, ErrorKind::Resources, "{}", &text[..20]);
    }
    for text in [
        format!("a: {}\n", "x".repeat(1_000_000)),
        format!("a: \"{}\"\n", "\\u263A".repeat(100_000)),
        format!("? {}\n: [{}]\n", "k".repeat(1_000_000), "yes, ".repeat(50_000)),
        format!("[{}]", "a, ".repeat(100_000)),
        "a: 1\n".repeat(100_000),
        "---\n".repeat(100_000),
    ] {
        assert!(!parse(&text).notes().is_empty(), "{}", &text[..20]);
    }
    assert_eq!(Document::parse(&vec![b'#'; MAX_BYTES + 1]).unwrap_err().kind, ErrorKind::Resources);
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

#[test]
fn bounds_of_ordinary_documents() {
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(kinds(&deep(50)).is_empty());
    assert_eq!(kinds(&deep(51)), [NoteKind::TooDeep]);
    let wide = |nodes: usize| format!("[{}]", vec!["a"; nodes - 1].join(","));
    assert!(kinds(&wide(20_000)).is_empty());
    assert_eq!(kinds(&wide(20_001)), [NoteKind::TooManyNodes]);
    let long = |bytes: usize| format!("a: {}", "x".repeat(bytes - 3));
    assert!(kinds(&long(65_536)).is_empty());
    assert_eq!(kinds(&long(65_537)), [NoteKind::TooLarge]);
}
