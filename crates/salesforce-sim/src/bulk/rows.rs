//! The rows of one piece of CSV, side by side in one text.

use std::io;

use super::format::Format;
use super::tokenizer::{Malformed, Sink, Tokenizer};

/// Rows of cells.
#[derive(Debug, Default)]
pub(super) struct Rows {
    text: String,
    /// Where each cell ends in `text`.
    cell_ends: Vec<usize>,
    /// Where each row ends in `cell_ends`.
    row_ends: Vec<usize>,
    /// The bytes of the cell that is being read.
    cell: Vec<u8>,
}

impl Rows {
    /// Reads all of `csv`.
    pub(super) fn read(csv: &[u8], format: Format) -> Result<Rows, Malformed> {
        let mut rows = Rows::default();
        let mut tokenizer = Tokenizer::new(format);
        tokenizer.push(csv, &mut rows)?;
        tokenizer.finish(&mut rows)?;
        Ok(rows)
    }

    pub(super) fn len(&self) -> usize {
        self.row_ends.len()
    }

    /// The cells of a row; none where there is no such row.
    pub(super) fn row(&self, row: usize) -> impl Iterator<Item = &str> {
        let end = self.row_ends.get(row).copied().unwrap_or_default();
        let start = end_of_previous(&self.row_ends, row).min(end);
        (start..end)
            .map(|cell| &self.text[end_of_previous(&self.cell_ends, cell)..self.cell_ends[cell]])
    }
}

fn end_of_previous(ends: &[usize], position: usize) -> usize {
    position.checked_sub(1).and_then(|previous| ends.get(previous)).copied().unwrap_or_default()
}

impl Sink for Rows {
    fn text(&mut self, piece: &[u8]) {
        self.cell.extend_from_slice(piece);
    }

    fn end_cell(&mut self) {
        // What is not UTF-8 is replaced, as Java does that Salesforce is written in.
        self.text.push_str(&String::from_utf8_lossy(&self.cell));
        self.cell.clear();
        self.cell_ends.push(self.text.len());
    }

    fn end_row(&mut self, _next: u64) {
        self.row_ends.push(self.cell_ends.len());
    }
}

impl From<Malformed> for io::Error {
    fn from(malformed: Malformed) -> Self {
        io::Error::new(io::ErrorKind::InvalidData, malformed.message())
    }
}
