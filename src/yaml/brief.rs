//! Short forms of nodes, for people.

use super::{Kind, Node};

impl Node {
    /// The node on one line, as YAML in brackets has it, cut after about so many
    /// bytes. Not to be parsed again: texts stand there without quotes.
    #[must_use]
    pub fn brief(&self, most: usize) -> String {
        let mut out = String::new();
        self.write_brief(&mut out, most);
        if out.len() > most {
            let end = (0..=most).rev().find(|&end| out.is_char_boundary(end)).unwrap_or_default();
            out.truncate(end);
            out.push('…');
        }
        out
    }

    /// Stops when there is more than `most`: aliases may make a node without end.
    fn write_brief(&self, out: &mut String, most: usize) {
        match &self.kind {
            Kind::Sequence(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if out.len() > most {
                        return;
                    }
                    out.push_str(if index == 0 { "" } else { ", " });
                    item.write_brief(out, most);
                }
                out.push(']');
            }
            Kind::Mapping(entries) => {
                out.push('{');
                for (index, entry) in entries.iter().enumerate() {
                    if out.len() > most {
                        return;
                    }
                    out.push_str(if index == 0 { "" } else { ", " });
                    entry.key.write_brief(out, most);
                    out.push_str(": ");
                    entry.value.write_brief(out, most);
                }
                out.push('}');
            }
            _ => out.push_str(self.text().unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::yaml::Document;

    fn brief(text: &str, most: usize) -> String {
        Document::parse(text.as_bytes()).unwrap().root().brief(most)
    }

    #[test]
    fn a_node_fits_on_a_line() {
        assert_eq!(brief("- a\n- {b: 'c d', ? [e] : ~}\n- []\n", 99), "[a, {b: c d, [e]: ~}, []]");
        assert_eq!(brief("ä\n", 1), "…");
        assert_eq!(brief("[ä, ä, ä, ä]\n", 4), "[ä,…");
    }

    fn level_before(level: usize) -> String {
        if level == 1 { "a".to_owned() } else { format!("l{}", level - 1) }
    }

    #[test]
    fn a_bomb_is_cut() {
        let mut text = "a: &a [x, x]\n".to_owned();
        for level in 1..30 {
            text += &format!("l{level}: &l{level} [*{0}, *{0}]\n", level_before(level));
        }
        assert!(brief(&text, 60).len() < 70);
    }
}
