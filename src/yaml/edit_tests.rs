use super::*;

const TEXT: &str = "\
# first
about: x # why
list: [a, b, c] # flow
block:
  # before
  - one # after one
  - {two: 2}
  # between
  - three: 3
    more: 4
empty:
nested:
  flow: {k: v, l: m}
  lit: |
    line
    line

last: 'z'
# end
";

fn edited(text: &str, edit: impl FnOnce(&mut Editor) -> Result<(), CannotEdit>) -> String {
    let mut editor = Editor::new(text).unwrap();
    edit(&mut editor).unwrap();
    editor.text().to_owned()
}

fn at(keys: &[&str], more: &[usize]) -> Vec<usize> {
    let mut path = Editor::new(TEXT).unwrap().find(keys).unwrap();
    path.extend(more);
    path
}

/// One edit of the text, told by the lines that it changes.
fn diff(edit: impl FnOnce(&mut Editor) -> Result<(), CannotEdit>) -> String {
    let edited = edited(TEXT, edit);
    let diff = similar::TextDiff::from_lines(TEXT, &edited);
    let changed =
        diff.iter_all_changes().filter(|change| change.tag() != similar::ChangeTag::Equal);
    changed.map(|change| format!("{}{}", change.tag(), change.value())).collect()
}

#[test]
fn values_are_set_and_comments_stay() {
    assert_eq!(
        diff(|e| e.set(&at(&["about"], &[]), "'y'")),
        "-about: x # why\n+about: 'y' # why\n"
    );
    assert_eq!(
        diff(|e| e.set(&at(&["list"], &[1]), "{x: 1}")),
        "-list: [a, b, c] # flow\n+list: [a, {x: 1}, c] # flow\n"
    );
    assert_eq!(diff(|e| e.set(&at(&["empty"], &[]), "7")), "-empty:\n+empty: 7\n");
    assert_eq!(
        diff(|e| e.set(&at(&["nested", "lit"], &[]), "7")),
        "-  lit: |\n-    line\n-    line\n-\n+  lit: 7\n"
    );
    assert_eq!(
        diff(|e| e.set(&at(&["nested"], &[]), "7")),
        "-nested:\n-  flow: {k: v, l: m}\n-  lit: |\n-    line\n-    line\n-\n+nested: 7\n"
    );
    assert_eq!(edited("a # c\n", |e| e.set(&[], "[]")), "[] # c\n");
}

#[test]
fn items_and_entries_are_removed_and_comments_stay() {
    let list = |index, left| {
        assert_eq!(
            diff(|e| e.remove(&at(&["list"], &[index]))),
            format!("-list: [a, b, c] # flow\n+list: [{left}] # flow\n")
        );
    };
    list(0, "b, c");
    list(1, "a, c");
    list(2, "a, b");
    assert_eq!(diff(|e| e.remove(&at(&["block"], &[0]))), "-  - one # after one\n+  # after one\n");
    assert_eq!(diff(|e| e.remove(&at(&["block"], &[1]))), "-  - {two: 2}\n");
    assert_eq!(diff(|e| e.remove(&at(&["block"], &[2]))), "-  - three: 3\n-    more: 4\n");
    assert_eq!(
        diff(|e| e.remove(&at(&["block"], &[2, 0]))),
        "-  - three: 3\n-    more: 4\n+  - more: 4\n"
    );
    assert_eq!(diff(|e| e.remove(&at(&["about"], &[]))), "-about: x # why\n+# why\n");
    assert_eq!(diff(|e| e.remove(&at(&["empty"], &[]))), "-empty:\n");
    assert_eq!(
        diff(|e| e.remove(&at(&["nested", "lit"], &[]))),
        "-  lit: |\n-    line\n-    line\n-\n"
    );
    assert_eq!(
        diff(|e| e.remove(&at(&["nested", "flow"], &[1]))),
        "-  flow: {k: v, l: m}\n+  flow: {k: v}\n"
    );
}

#[test]
fn what_becomes_empty_says_so() {
    assert_eq!(
        edited("a:\n  # why\n  - b # c\nd: e\n", |e| e.remove(&[0, 0])),
        "a: []\n  # why\n  # c\nd: e\n"
    );
    assert_eq!(edited("a:\n  b: c\nd: e\n", |e| e.remove(&[0, 0])), "a: {}\nd: e\n");
    assert_eq!(edited("a: [b,]\n", |e| e.remove(&[0, 0])), "a: []\n");
    assert_eq!(edited("a: {b: c}\n", |e| e.remove(&[0, 0])), "a: {}\n");
    assert_eq!(edited("- a\n", |e| e.remove(&[0])), "[]\n");
    assert_eq!(edited("- - a\n- b\n", |e| e.remove(&[0, 0])), "- []\n- b\n");
    assert_eq!(edited("a: b", |e| e.remove(&[0])), "{}");
}

#[test]
fn comments_inside_brackets_stay() {
    let text = "a: [\n  b, # one\n  c, # two\n  d # three\n]\n";
    assert_eq!(edited(text, |e| e.remove(&[0, 0])), "a: [\n   # one\n  c, # two\n  d # three\n]\n");
    assert_eq!(edited(text, |e| e.remove(&[0, 2])), "a: [\n  b, # one\n  c # two\n   # three\n]\n");
}

#[test]
fn items_and_entries_are_added_below_the_last() {
    assert_eq!(
        diff(|e| e.push(&at(&["list"], &[]), "d")),
        "-list: [a, b, c] # flow\n+list: [a, b, c, d] # flow\n"
    );
    assert_eq!(diff(|e| e.push(&at(&["block"], &[]), "x")), "+  - x\n");
    assert_eq!(
        diff(|e| e.insert(&at(&["nested", "flow"], &[]), "n", "[o]")),
        "-  flow: {k: v, l: m}\n+  flow: {k: v, l: m, n: [o]}\n"
    );
    assert_eq!(diff(|e| e.insert(&at(&["nested"], &[]), "n", "o")), "+  n: o\n");
    assert_eq!(diff(|e| e.insert(&[], "n", "o")), "+n: o\n");
    assert_eq!(edited("a: []\n", |e| e.push(&[0], "b")), "a: [b]\n");
    assert_eq!(edited("a: {}", |e| e.insert(&[0], "b", "c")), "a: {b: c}");
    assert_eq!(edited("a: b # c", |e| e.insert(&[], "d", "e")), "a: b # c\nd: e");
    assert_eq!(edited("- a\r\n- b\r\n", |e| e.push(&[], "c")), "- a\r\n- b\n- c\r\n");
}

#[test]
fn what_cannot_be_changed_in_part_is_left_alone() {
    let text = "a: &x {b: c}\nd: *x\n";
    let mut editor = Editor::new(text).unwrap();
    assert_eq!(editor.remove(&[1, 0]), Err(CannotEdit));
    assert_eq!(editor.set(&[0], "["), Err(CannotEdit));
    assert_eq!(editor.set(&[0, 0, 0], "x"), Err(CannotEdit));
    assert_eq!(editor.push(&[0], "x"), Err(CannotEdit));
    assert_eq!(editor.text(), text);
    editor.remove(&[1]).unwrap();
    assert_eq!(editor.text(), "a: &x {b: c}\n");
}
