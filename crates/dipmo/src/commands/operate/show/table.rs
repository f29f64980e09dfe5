//! Tables: columns that stand below each other, cut to the width of the terminal.

use console::{Alignment, measure_text_width, pad_str, truncate_str};

use super::safe::one_line;
use crate::console::painted;

/// Between columns.
const GAP: usize = 2;
/// No column is cut to less.
const NARROW: usize = 8;
/// What stands where something was cut off.
const CUT: &str = "…";

/// A table, while it is filled.
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

struct Column {
    title: &'static str,
    alignment: Alignment,
}

/// A value in its place.
pub(crate) struct Cell {
    text: String,
    colour: Option<u8>,
}

impl Cell {
    /// A value in a colour of the terminal.
    pub(crate) fn coloured(text: &str, colour: Option<u8>) -> Self {
        Self { text: one_line(text), colour }
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::coloured(text.as_ref(), None)
    }
}

impl Table {
    /// A table with these columns; those whose title begins with `>` stand to the right, as numbers do.
    pub(crate) fn new(titles: &[&'static str]) -> Self {
        let column = |title: &&'static str| match title.strip_prefix('>') {
            Some(title) => Column { title, alignment: Alignment::Right },
            None => Column { title, alignment: Alignment::Left },
        };
        Self { columns: titles.iter().map(column).collect(), rows: Vec::new() }
    }

    /// Adds a line, a cell for each column.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The lines, the titles first. Without a width nothing is cut: whoever is no terminal wants all of it.
    pub(crate) fn render(&self, width: Option<usize>, has_colour: bool) -> String {
        let widths = self.widths(width);
        let titles: Vec<Cell> = self.columns.iter().map(|it| Cell::from(it.title)).collect();
        let lines = std::iter::once(&titles).chain(&self.rows);
        let lines: Vec<String> = lines.map(|row| self.line(row, &widths, has_colour)).collect();
        lines.join("\n")
    }

    fn line(&self, row: &[Cell], widths: &[usize], has_colour: bool) -> String {
        let cells = row.iter().zip(&self.columns).zip(widths).map(|((cell, column), width)| {
            let text = truncate_str(&cell.text, *width, CUT);
            let text = pad_str(&text, *width, column.alignment, None).into_owned();
            cell.colour.map_or(text.clone(), |colour| painted(&text, colour, has_colour))
        });
        let line = cells.collect::<Vec<_>>().join(&" ".repeat(GAP));
        line.trim_end().to_owned()
    }

    /// How wide each column is: as its widest value, and then the widest give way until all fit.
    fn widths(&self, most: Option<usize>) -> Vec<usize> {
        let widest = |(at, column): (usize, &Column)| {
            let cells = self.rows.iter().filter_map(|row| row.get(at));
            let cells = cells.map(|cell| measure_text_width(&cell.text)).max().unwrap_or_default();
            cells.max(measure_text_width(column.title))
        };
        let mut widths: Vec<usize> = self.columns.iter().enumerate().map(widest).collect();
        let gaps = GAP * widths.len().saturating_sub(1);
        let most = most.unwrap_or(usize::MAX).saturating_sub(gaps);
        while widths.iter().sum::<usize>() > most {
            match widths.iter_mut().max() {
                Some(width) if *width > NARROW => *width -= 1,
                _ => break,
            }
        }
        widths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&[">id", "status", "error"]);
        table.row([
            "7".into(),
            Cell::coloured("FAILED", Some(31)),
            "a long story of what went wrong".into(),
        ]);
        table.row(["12".into(), "RETRY".into(), "wörter\u{1b}".into()]);
        table
    }

    #[test]
    fn columns_stand_below_each_other() {
        let expected =
            "id  status  error\n 7  FAILED  a long story of what went wrong\n12  RETRY   wörter·";
        assert_eq!(table().render(None, false), expected);
    }

    #[test]
    fn the_widest_column_gives_way_to_a_terminal() {
        let shown = table().render(Some(25), false);
        assert_eq!(shown, "id  status  error\n 7  FAILED  a long story…\n12  RETRY   wörter·");
        let narrow = table().render(Some(3), false);
        assert!(narrow.contains("a long …"), "{narrow}");
    }

    #[test]
    fn colour_is_around_a_value_and_its_blanks() {
        let shown = table().render(None, true);
        assert!(shown.contains("\u{1b}[1;31mFAILED\u{1b}[0m  a long"), "{shown}");
    }
}
