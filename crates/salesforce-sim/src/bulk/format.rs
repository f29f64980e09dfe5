//! How the CSV of a job is written: its delimiter and its line ending.

/// `columnDelimiter` of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Delimiter {
    #[default]
    Comma,
    Tab,
    Pipe,
    Semicolon,
    Caret,
    Backquote,
}

impl Delimiter {
    pub(super) const ALL: [Delimiter; 6] = [
        Delimiter::Comma,
        Delimiter::Tab,
        Delimiter::Pipe,
        Delimiter::Semicolon,
        Delimiter::Caret,
        Delimiter::Backquote,
    ];

    /// As the API writes it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Delimiter::Comma => "COMMA",
            Delimiter::Tab => "TAB",
            Delimiter::Pipe => "PIPE",
            Delimiter::Semicolon => "SEMICOLON",
            Delimiter::Caret => "CARET",
            Delimiter::Backquote => "BACKQUOTE",
        }
    }

    pub(super) fn byte(self) -> u8 {
        match self {
            Delimiter::Comma => b',',
            Delimiter::Tab => b'\t',
            Delimiter::Pipe => b'|',
            Delimiter::Semicolon => b';',
            Delimiter::Caret => b'^',
            Delimiter::Backquote => b'`',
        }
    }
}

/// `lineEnding` of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum LineEnding {
    #[default]
    Lf,
    CrLf,
}

impl LineEnding {
    pub(super) const ALL: [LineEnding; 2] = [LineEnding::Lf, LineEnding::CrLf];

    /// As the API writes it.
    pub(super) fn name(self) -> &'static str {
        match self {
            LineEnding::Lf => "LF",
            LineEnding::CrLf => "CRLF",
        }
    }

    pub(super) fn bytes(self) -> &'static [u8] {
        match self {
            LineEnding::Lf => b"\n",
            LineEnding::CrLf => b"\r\n",
        }
    }
}

/// Both together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Format {
    pub(super) delimiter: Delimiter,
    pub(super) line_ending: LineEnding,
}

impl Format {
    /// Appends a cell, quoted where it must be.
    pub(super) fn write_cell(self, cell: &str, out: &mut Vec<u8>) {
        let special =
            |&byte: &u8| byte == self.delimiter.byte() || matches!(byte, b'"' | b'\r' | b'\n');
        if !cell.as_bytes().iter().any(special) {
            out.extend_from_slice(cell.as_bytes());
            return;
        }
        out.push(b'"');
        for piece in cell.split_inclusive('"') {
            out.extend_from_slice(piece.as_bytes());
            if piece.ends_with('"') {
                out.push(b'"');
            }
        }
        out.push(b'"');
    }

    /// Appends a row of cells and its line ending.
    pub(super) fn write_row<'a>(self, cells: impl IntoIterator<Item = &'a str>, out: &mut Vec<u8>) {
        for (position, cell) in cells.into_iter().enumerate() {
            if position > 0 {
                out.push(self.delimiter.byte());
            }
            self.write_cell(cell, out);
        }
        out.extend_from_slice(self.line_ending.bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_quoted_only_where_it_must_be() {
        let cases = [
            (Delimiter::Comma, "plain; text", "plain; text"),
            (Delimiter::Semicolon, "plain; text", "\"plain; text\""),
            (Delimiter::Comma, "a,b", "\"a,b\""),
            (Delimiter::Tab, "a\tb", "\"a\tb\""),
            (Delimiter::Pipe, "a|b", "\"a|b\""),
            (Delimiter::Caret, "a^b", "\"a^b\""),
            (Delimiter::Backquote, "a`b", "\"a`b\""),
            (Delimiter::Comma, "say \"hi\"", "\"say \"\"hi\"\"\""),
            (Delimiter::Comma, "two\nlines", "\"two\nlines\""),
            (Delimiter::Comma, "", ""),
        ];
        for (delimiter, cell, written) in cases {
            let mut out = Vec::new();
            Format { delimiter, ..Format::default() }.write_cell(cell, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), written);
        }
    }

    #[test]
    fn a_row_ends_as_its_job_says() {
        for (line_ending, written) in [(LineEnding::Lf, "a,,b\n"), (LineEnding::CrLf, "a,,b\r\n")] {
            let mut out = Vec::new();
            Format { line_ending, ..Format::default() }.write_row(["a", "", "b"], &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), written);
        }
    }
}
