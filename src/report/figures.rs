//! Tables of figures, for people and for pages.

use std::io::{self, Write};

use super::escape;

/// How figures are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FiguresFormat {
    /// Aligned with blanks.
    #[default]
    Text,
    /// One JSON document.
    Json,
    /// Markdown.
    Markdown,
}

/// Rows of a name and some figures.
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns; the first one has the names.
    pub(super) fn new(head: &[&str]) -> Self {
        Self { head: head.iter().map(|&name| name.to_owned()).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub(super) fn row(&mut self, name: &str, figures: impl IntoIterator<Item = String>) {
        let name = escape::line(name).into_owned();
        self.rows.push(std::iter::once(name).chain(figures).collect());
    }

    /// Writes it with blanks between the columns: names to the left, figures to
    /// the right.
    pub(super) fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let all = || std::iter::once(&self.head).chain(&self.rows);
        let width = |column: usize| {
            all().filter_map(|row| row.get(column)).map(|cell| escape::width(cell)).max()
        };
        for row in all() {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                let room = width(column).unwrap_or(0).saturating_sub(escape::width(cell));
                let pad = " ".repeat(room);
                line.push_str(if column == 0 { "" } else { "  " });
                if column == 0 {
                    line.push_str(cell);
                    line.push_str(&pad);
                } else {
                    line.push_str(&pad);
                    line.push_str(cell);
                }
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    /// Writes it as a table of Markdown.
    pub(super) fn write_markdown(&self, out: &mut dyn Write) -> io::Result<()> {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |", cells.join(" | "))
        };
        writeln!(out, "{}", line(&self.head))?;
        let rule: Vec<&str> =
            (0..self.head.len()).map(|column| if column == 0 { "---" } else { "--:" }).collect();
        writeln!(out, "| {} |", rule.join(" | "))?;
        for row in &self.rows {
            writeln!(out, "{}", line(row))?;
        }
        Ok(())
    }
}

/// A share in percent; no more than 100 only when it is all, and 0 when it is
/// nothing, whatever rounding would make of it.
pub(super) fn percent(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    let shown = if value < 100.0 { rounded.min(99.9) } else { rounded };
    let shown = if value > 0.0 { shown.max(0.1) } else { shown };
    match shown.fract() {
        0.0 => format!("{shown:.0} %"),
        _ => format!("{shown:.1} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_below_each_other() {
        let mut table = Table::new(&["rule", "killed", "all"]);
        table.row("a.b", ["1".to_owned(), "10".to_owned()]);
        table.row("a.longer|\u{1b}", ["100".to_owned(), "100".to_owned()]);
        let mut text = Vec::new();
        table.write_text(&mut text).unwrap();
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "rule           killed  all\na.b                 1   10\na.longer|\\x1b     100  100\n"
        );
        let mut text = Vec::new();
        table.write_markdown(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.starts_with("| rule | killed | all |\n| --- | --: | --: |\n"), "{text}");
        assert!(text.contains("| a.longer\\|\\x1b | 100 | 100 |"), "{text}");
    }

    #[test]
    fn only_all_is_a_hundred_and_only_nothing_zero() {
        for (value, shown) in [
            (100.0, "100 %"),
            (99.99, "99.9 %"),
            (0.0, "0 %"),
            (0.001, "0.1 %"),
            (33.333, "33.3 %"),
            (50.0, "50 %"),
        ] {
            assert_eq!(percent(value), shown);
        }
    }
}
