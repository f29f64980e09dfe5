//! A strict reader of CSV: bytes come in as they arrive, cells and rows go out.
//!
//! Salesforce takes less than most readers do: a quote only opens a cell at its first byte, nothing
//! but a delimiter or a line ending follows a closing quote, and the line endings are those that the
//! job declared. A row with one empty cell is no row. Nothing is kept here but the state between two
//! bytes, so that a file of any size can be read.

use super::format::{Format, LineEnding};

/// Takes what was read.
pub(super) trait Sink {
    /// A piece of the text of the current cell, with its quotes resolved.
    fn text(&mut self, piece: &[u8]);
    /// The current cell is complete.
    fn end_cell(&mut self);
    /// The current row is complete; the next one starts at `next`, counted from the first byte.
    fn end_row(&mut self, next: u64);
}

/// Why a text is not CSV in the job's format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Malformed {
    QuoteInBareCell,
    TextAfterQuote,
    QuoteLeftOpen,
    LineEnding(LineEnding),
}

impl Malformed {
    /// The `errorMessage` of the job.
    pub(super) fn message(self) -> String {
        let problem = match self {
            Malformed::LineEnding(ending) => {
                return format!(
                    "ClientInputError : LineEnding is invalid on user data. Current LineEnding setting is {}",
                    ending.name()
                );
            }
            Malformed::QuoteInBareCell => {
                "Found unescaped quote. A value with quote should be within a quote"
            }
            Malformed::TextAfterQuote => "Not expecting more text after end quote",
            Malformed::QuoteLeftOpen => "EOF reached before closing an opened quote",
        };
        format!("InvalidBatch : Failed to parse CSV. {problem}")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    CellStart,
    Bare,
    Quoted,
    /// After a quote within a quoted cell: its end, or the first half of an escaped quote.
    QuoteSeen,
    /// After a carriage return that may begin a line ending.
    CarriageReturn,
}

/// The state of reading one text.
#[derive(Debug)]
pub(super) struct Tokenizer {
    format: Format,
    state: State,
    /// Bytes read so far.
    offset: u64,
    /// Whether the current row has a complete cell.
    row_has_cells: bool,
    /// Whether the current cell has text.
    cell_has_text: bool,
}

impl Tokenizer {
    pub(super) fn new(format: Format) -> Self {
        Tokenizer {
            format,
            state: State::CellStart,
            offset: 0,
            row_has_cells: false,
            cell_has_text: false,
        }
    }

    /// Reads the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8], sink: &mut impl Sink) -> Result<(), Malformed> {
        let mut rest = bytes;
        while let Some(&byte) = rest.first() {
            let taken = self.step(byte, rest, sink)?;
            self.offset += taken as u64;
            rest = &rest[taken..];
        }
        Ok(())
    }

    /// Reads the end of the text: the last row needs no line ending.
    pub(super) fn finish(&mut self, sink: &mut impl Sink) -> Result<(), Malformed> {
        match self.state {
            State::Quoted => Err(Malformed::QuoteLeftOpen),
            State::CarriageReturn => Err(self.wrong_line_ending()),
            State::CellStart | State::Bare | State::QuoteSeen => {
                self.end_row(self.offset, sink);
                Ok(())
            }
        }
    }

    /// Reads one byte, or a run of text; says how many bytes that were. None means a change of state.
    fn step(&mut self, byte: u8, rest: &[u8], sink: &mut impl Sink) -> Result<usize, Malformed> {
        match (self.state, byte) {
            (State::CellStart, b'"') => self.state = State::Quoted,
            (State::CellStart, _) if !self.ends_cell(byte) => {
                self.state = State::Bare;
                return Ok(0);
            }
            (State::Bare, b'"') => return Err(Malformed::QuoteInBareCell),
            (State::Bare, _) if !self.ends_cell(byte) => {
                let special = |&byte: &u8| byte == b'"' || self.ends_cell(byte);
                let length = rest.iter().position(special).unwrap_or(rest.len());
                return Ok(self.take_text(&rest[..length], sink));
            }
            (State::Quoted, b'"') => self.state = State::QuoteSeen,
            (State::Quoted, _) => {
                let length = rest.iter().position(|&byte| byte == b'"').unwrap_or(rest.len());
                return Ok(self.take_text(&rest[..length], sink));
            }
            (State::QuoteSeen, b'"') => {
                self.state = State::Quoted;
                return Ok(self.take_text(b"\"", sink));
            }
            (State::QuoteSeen, _) if !self.ends_cell(byte) => {
                return Err(Malformed::TextAfterQuote);
            }
            (State::CarriageReturn, b'\n') => self.end_row(self.offset + 1, sink),
            (State::CarriageReturn, _) => return Err(self.wrong_line_ending()),
            (State::CellStart | State::Bare | State::QuoteSeen, _) => self.end_cell(byte, sink)?,
        }
        Ok(1)
    }

    fn ends_cell(&self, byte: u8) -> bool {
        byte == self.format.delimiter.byte() || byte == b'\n' || byte == b'\r'
    }

    fn take_text(&mut self, piece: &[u8], sink: &mut impl Sink) -> usize {
        self.cell_has_text = true;
        sink.text(piece);
        piece.len()
    }

    /// A byte for which `ends_cell` holds.
    fn end_cell(&mut self, byte: u8, sink: &mut impl Sink) -> Result<(), Malformed> {
        match (byte, self.format.line_ending) {
            (b'\n', LineEnding::Lf) => self.end_row(self.offset + 1, sink),
            (b'\r', LineEnding::CrLf) => self.state = State::CarriageReturn,
            (b'\n' | b'\r', _) => return Err(self.wrong_line_ending()),
            _ => {
                sink.end_cell();
                self.row_has_cells = true;
                self.cell_has_text = false;
                self.state = State::CellStart;
            }
        }
        Ok(())
    }

    fn end_row(&mut self, next: u64, sink: &mut impl Sink) {
        if self.row_has_cells || self.cell_has_text {
            sink.end_cell();
            sink.end_row(next);
        }
        self.row_has_cells = false;
        self.cell_has_text = false;
        self.state = State::CellStart;
    }

    fn wrong_line_ending(&self) -> Malformed {
        Malformed::LineEnding(self.format.line_ending)
    }
}

#[cfg(test)]
mod tests {
    use super::super::format::Delimiter;
    use super::super::rows::Rows;
    use super::*;

    fn read(csv: &str, format: Format) -> Result<Vec<Vec<String>>, Malformed> {
        let rows = Rows::read(csv.as_bytes(), format)?;
        Ok((0..rows.len()).map(|row| rows.row(row).map(str::to_owned).collect()).collect())
    }

    #[test]
    fn what_is_taken() {
        let cases: [(&str, &[&[&str]]); 16] = [
            ("", &[]),
            ("a", &[&["a"]]),
            ("a\n", &[&["a"]]),
            ("a,b\nc,d", &[&["a", "b"], &["c", "d"]]),
            ("a,\n", &[&["a", ""]]),
            ("a,", &[&["a", ""]]),
            (",\n", &[&["", ""]]),
            ("\n\na\n\n\nb\n\n", &[&["a"], &["b"]]),
            ("\"\"\na\n", &[&["a"]]),
            ("\"a,b\",c\n", &[&["a,b", "c"]]),
            ("\"a\nb\",c\n", &[&["a\nb", "c"]]),
            ("\"a\r\nb\",c\n", &[&["a\r\nb", "c"]]),
            ("\"a\"\"b\",\"\"\"\"\n", &[&["a\"b", "\""]]),
            (" a , b \n", &[&[" a ", " b "]]),
            ("a;b|c\n", &[&["a;b|c"]]),
            ("\u{feff}a,ü\n", &[&["\u{feff}a", "ü"]]),
        ];
        for (csv, rows) in cases {
            assert_eq!(read(csv, Format::default()).unwrap(), rows, "{csv:?}");
        }
    }

    #[test]
    fn what_is_not() {
        let cr_lf = Format { line_ending: LineEnding::CrLf, ..Format::default() };
        let lf = Format::default();
        let cases = [
            ("a\"b\n", lf, Malformed::QuoteInBareCell),
            ("a, \"b\"\n", lf, Malformed::QuoteInBareCell),
            ("\u{feff}\"a\"\n", lf, Malformed::QuoteInBareCell),
            ("\"a\" ,b\n", lf, Malformed::TextAfterQuote),
            ("\"a\"b\n", lf, Malformed::TextAfterQuote),
            ("a\n\"b\nc", lf, Malformed::QuoteLeftOpen),
            ("a\r\nb\r\n", lf, Malformed::LineEnding(LineEnding::Lf)),
            ("a\rb", lf, Malformed::LineEnding(LineEnding::Lf)),
            ("a\nb\n", cr_lf, Malformed::LineEnding(LineEnding::CrLf)),
            ("a\rb\r\n", cr_lf, Malformed::LineEnding(LineEnding::CrLf)),
            ("a\r", cr_lf, Malformed::LineEnding(LineEnding::CrLf)),
        ];
        for (csv, format, malformed) in cases {
            assert_eq!(read(csv, format).unwrap_err(), malformed, "{csv:?}");
        }
    }

    #[test]
    fn every_delimiter_separates_and_is_text_within_quotes() {
        for delimiter in Delimiter::ALL {
            for line_ending in LineEnding::ALL {
                let (mark, end) =
                    (char::from(delimiter.byte()), str::from_utf8(line_ending.bytes()).unwrap());
                let csv = format!("a{mark}\"b{mark}c\"{end}");
                let rows = read(&csv, Format { delimiter, line_ending }).unwrap();
                assert_eq!(rows, [["a".to_owned(), format!("b{mark}c")]]);
            }
        }
    }

    #[test]
    fn what_is_not_utf_8_is_replaced() {
        let rows = Rows::read(b"a\xff,b\n", Format::default()).unwrap();
        assert_eq!(rows.row(0).collect::<Vec<_>>(), ["a\u{fffd}", "b"]);
    }
}
