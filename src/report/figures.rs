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
    /// the right. A name that finds no room before its figures stands on a line of its
    /// own.
    pub(super) fn write_text(&self, width: usize, out: &mut dyn Write) -> io::Result<()> {
        let columns = self.columns(width);
        for row in std::iter::once(&self.head).chain(&self.rows) {
            let Some((name, figures)) = row.split_first() else { continue };
            let figures: String = figures
                .iter()
                .zip(&columns[1..])
                .map(|(cell, width)| format!("  {}{cell}", pad(cell, *width)))
                .collect();
            if escape::width(name) > columns[0] {
                writeln!(out, "{name}")?;
                writeln!(out, "{}{}", " ".repeat(columns[0]), figures.trim_end())?;
            } else {
                let line = format!("{name}{}{figures}", pad(name, columns[0]));
                writeln!(out, "{}", line.trim_end())?;
            }
        }
        Ok(())
    }

    /// How wide each column is: that of the names has what the others leave.
    fn columns(&self, width: usize) -> Vec<usize> {
        let all = || std::iter::once(&self.head).chain(&self.rows);
        let widest = |column: usize| {
            let cells = all().filter_map(|row| row.get(column)).map(|cell| escape::width(cell));
            cells.max().unwrap_or(0)
        };
        let mut columns: Vec<usize> = (0..self.head.len()).map(widest).collect();
        let figures: usize = columns.iter().skip(1).map(|figure| figure + 2).sum();
        if let Some(names) = columns.first_mut() {
            // The head of the column has room always.
            let least = self.head.first().map_or(0, |head| escape::width(head));
            *names = (*names).min(width.saturating_sub(figures)).max(least);
        }
        columns
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

/// What fills a cell up to a width.
fn pad(cell: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(escape::width(cell)))
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
        table.write_text(80, &mut text).unwrap();
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "rule           killed  all\na.b                 1   10\na.longer|\\x1b     100  100\n"
        );
        let mut text = Vec::new();
        table.write_text(20, &mut text).unwrap();
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "rule     killed  all\na.b           1   10\na.longer|\\x1b\n            100  100\n"
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
