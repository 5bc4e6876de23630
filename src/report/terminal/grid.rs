//! Tables that find their place on a page of any width.

use super::super::escape;
use super::page::{Page, Role};

/// How narrow the first column becomes before the table is told line by line.
const NAMES: usize = 12;

/// Figures by name: one or more tables whose columns stand below each other.
#[derive(Debug, Default)]
pub(in crate::report) struct Grid {
    columns: Vec<Column>,
    parts: Vec<Part>,
    /// What stands above some neighbouring columns.
    above: Option<(&'static str, std::ops::Range<usize>)>,
}

#[derive(Debug)]
struct Column {
    name: String,
    /// Whether it may go where nothing is in it.
    spare: bool,
}

#[derive(Debug)]
struct Part {
    head: String,
    rows: Vec<(String, Vec<Cell>)>,
}

/// One figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::report) struct Cell {
    /// The figure, safe to show.
    pub(in crate::report) text: String,
    /// What it is.
    pub(in crate::report) role: Role,
    /// Whether there is something in it to tell.
    pub(in crate::report) some: bool,
}

impl Grid {
    /// A grid without columns yet.
    pub(in crate::report) fn new() -> Self {
        Self::default()
    }

    /// Adds a column; a spare one goes where there is no room and nothing in it.
    pub(in crate::report) fn column(&mut self, name: impl Into<String>, spare: bool) {
        self.columns.push(Column { name: name.into(), spare });
    }

    /// Puts a word above some columns.
    pub(in crate::report) fn above(&mut self, word: &'static str, columns: std::ops::Range<usize>) {
        self.above = Some((word, columns));
    }

    /// Begins a table, with what its names are.
    pub(in crate::report) fn part(&mut self, head: impl Into<String>) {
        self.parts.push(Part { head: head.into(), rows: Vec::new() });
    }

    /// Adds a row to the last table, with a cell for each column.
    pub(in crate::report) fn row(&mut self, name: &str, cells: Vec<Cell>) {
        if let Some(part) = self.parts.last_mut() {
            part.rows.push((escape::line(name).into_owned(), cells));
        }
    }

    /// Writes it: with all columns where there is room, else with those that have
    /// something, else row by row.
    pub(in crate::report) fn write(&self, page: &mut Page) {
        let all: Vec<usize> = (0..self.columns.len()).collect();
        let needed: Vec<usize> = all
            .iter()
            .copied()
            .filter(|&at| {
                let mut cells = self.rows().filter_map(|(_, cells)| cells.get(at));
                !self.columns[at].spare || cells.any(|cell| cell.some)
            })
            .collect();
        let layouts = [(&all, 2), (&all, 1), (&needed, 2), (&needed, 1)];
        for (columns, gap) in layouts {
            let layout = Layout::of(self, columns, gap);
            if layout.names + layout.figures() <= page.width() {
                return self.write_with(page, &layout);
            }
        }
        let mut layout = Layout::of(self, &needed, 1);
        let room = page.width().saturating_sub(layout.figures());
        if room >= NAMES {
            layout.names = room;
            return self.write_with(page, &layout);
        }
        self.write_rows(page, &needed);
    }

    fn rows(&self) -> impl Iterator<Item = &(String, Vec<Cell>)> {
        self.parts.iter().flat_map(|part| &part.rows)
    }

    fn write_with(&self, page: &mut Page, layout: &Layout) {
        if let Some(line) = self.line_above(layout) {
            let line = page.paint(Role::Faint, &line);
            page.line(&line);
        }
        for (index, part) in self.parts.iter().enumerate() {
            if index > 0 {
                page.blank();
            }
            let mut line = padded(&part.head, layout.names);
            for (at, width) in &layout.columns {
                line.push_str(&right(&self.columns[*at].name, *width));
            }
            let line = page.paint(Role::Faint, &line);
            page.line(&line);
            for (name, cells) in &part.rows {
                let mut line = padded(name, layout.names);
                for (at, width) in &layout.columns {
                    if let Some(cell) = cells.get(*at) {
                        line.push_str(&page.paint(cell.role, &right(&cell.text, *width)));
                    }
                }
                page.line(&line);
            }
        }
    }

    fn line_above(&self, layout: &Layout) -> Option<String> {
        let (word, range) = self.above.as_ref()?;
        let before = |(at, _): &&(usize, usize)| *at < range.start;
        let start: usize = layout.columns.iter().filter(before).map(|(_, width)| width).sum();
        let under = layout.columns.iter().filter(|(at, _)| range.contains(at));
        let width: usize = under.map(|(_, width)| width).sum();
        let start = layout.names + start;
        (width >= word.len()).then(|| format!("{:start$}{word:^width$}", ""))
    }

    fn write_rows(&self, page: &mut Page, columns: &[usize]) {
        for (index, part) in self.parts.iter().enumerate() {
            if index > 0 {
                page.blank();
            }
            page.paragraph(0, Role::Faint, &part.head);
            for (name, cells) in &part.rows {
                page.paragraph(0, Role::Plain, name);
                let figures: Vec<String> = columns
                    .iter()
                    .filter_map(|&at| Some((&self.columns[at], cells.get(at)?)))
                    .filter(|(column, cell)| cell.some || !column.spare)
                    .map(|(column, cell)| format!("{} {}", column.name, cell.text))
                    .collect();
                page.paragraph(2, Role::Plain, &figures.join(", "));
            }
        }
    }
}

/// How wide everything is.
struct Layout {
    names: usize,
    /// The columns that are shown, each with its width and the gap before it.
    columns: Vec<(usize, usize)>,
}

impl Layout {
    fn of(grid: &Grid, columns: &[usize], gap: usize) -> Self {
        let heads = grid.parts.iter().map(|part| part.head.as_str());
        let names = heads.chain(grid.rows().map(|(name, _)| name.as_str()));
        let width = |at: usize| {
            let cells = grid.rows().filter_map(|(_, cells)| cells.get(at));
            let texts = cells.map(|cell| cell.text.as_str());
            texts.chain([grid.columns[at].name.as_str()]).map(escape::width).max().unwrap_or(0)
        };
        Self {
            names: names.map(escape::width).max().unwrap_or(0),
            columns: columns.iter().map(|&at| (at, width(at) + gap)).collect(),
        }
    }

    fn figures(&self) -> usize {
        self.columns.iter().map(|(_, width)| width).sum()
    }
}

/// A name of so many columns; the end of an id tells most.
fn padded(name: &str, columns: usize) -> String {
    let name = if escape::width(name) > columns && name.contains('.') {
        escape::clamped_start(name, columns)
    } else {
        escape::clamped(name, columns)
    };
    let pad = columns.saturating_sub(escape::width(&name));
    format!("{name}{}", " ".repeat(pad))
}

fn right(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(escape::width(text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        let mut grid = Grid::new();
        for (name, spare) in [("passed", false), ("MUST", true), ("MAY", true), ("flaky", true)] {
            grid.column(name, spare);
        }
        grid.above("failed", 1..3);
        grid.part("class");
        let cell =
            |number: usize| Cell { text: number.to_string(), role: Role::Plain, some: number > 0 };
        grid.row("validator-strict", [276, 3, 0, 0].map(cell).into());
        grid.row("a", [1, 0, 0, 0].map(cell).into());
        grid.part("level");
        grid.row("MUST", [277, 3, 0, 0].map(cell).into());
        grid
    }

    fn at(width: usize) -> String {
        let mut page = Page::new(false, width);
        grid().write(&mut page);
        page.into_text()
    }

    #[test]
    fn a_wide_page_has_all_columns() {
        assert_eq!(
            at(80),
            "                          failed\n\
             class             passed  MUST  MAY  flaky\n\
             validator-strict     276     3    0      0\n\
             a                      1     0    0      0\n\
             \n\
             level             passed  MUST  MAY  flaky\n\
             MUST                 277     3    0      0\n"
        );
        assert!(at(39).contains("class            passed MUST MAY flaky\n"), "{}", at(39));
    }

    #[test]
    fn a_narrow_one_has_those_with_something_in_them() {
        assert!(at(36).contains("\nclass             passed  MUST\n"), "{}", at(36));
        assert!(at(26).contains("\nvalidator-str…    276    3\n"), "{}", at(26));
    }

    #[test]
    fn a_very_narrow_one_has_lines() {
        assert_eq!(
            at(20),
            "class\nvalidator-strict\n  passed 276, MUST 3\na\n  passed 1\n\nlevel\nMUST\n  passed 277, MUST 3\n"
        );
        for width in 20..90 {
            let text = at(width);
            assert!(text.lines().all(|line| escape::width(line) <= width), "{width}: {text}");
        }
    }
}
