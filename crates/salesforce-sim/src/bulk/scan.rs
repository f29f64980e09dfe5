//! The first look at an upload, while it arrives: the header, where each chunk begins, and whether
//! Salesforce would take it as a whole.
//!
//! Only the header is kept; of the rows there remains a place for each chunk of 200.

use super::format::Format;
use super::tokenizer::{Malformed, Sink, Tokenizer};

/// Rows that are written in one transaction.
pub(super) const ROWS_IN_A_CHUNK: usize = 200;

const MAX_CHARACTERS_IN_A_FIELD: u64 = 32_000;
const MAX_CHARACTERS_IN_A_RECORD: u64 = 400_000;
const MAX_FIELDS: u64 = 5_000;

/// What is known of a complete upload.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// The names of the columns, in order.
    pub(super) header: Vec<String>,
    /// Where each chunk begins in the upload, and at last where the rows end.
    pub(super) chunk_bounds: Vec<u64>,
    /// The rows, without the header.
    pub(super) rows: usize,
}

/// The state of a scan.
#[derive(Debug)]
pub(super) struct Scan {
    tokenizer: Tokenizer,
    layout: Layout,
    failure: Option<String>,
}

impl Scan {
    pub(super) fn new(format: Format) -> Self {
        Scan { tokenizer: Tokenizer::new(format), layout: Layout::default(), failure: None }
    }

    /// Looks at the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.run(|tokenizer, layout| tokenizer.push(bytes, layout));
    }

    /// The contents, or the `errorMessage` of the job that they will fail.
    pub(super) fn finish(mut self) -> Result<Contents, String> {
        self.run(Tokenizer::finish);
        match self.failure {
            Some(message) => Err(message),
            None if self.layout.contents.rows == 0 => {
                Err("InvalidBatch : Records not found".to_owned())
            }
            None => Ok(self.layout.contents),
        }
    }

    /// The first failure stands: Salesforce reads no further either.
    fn run(&mut self, read: impl FnOnce(&mut Tokenizer, &mut Layout) -> Result<(), Malformed>) {
        if self.failure.is_some() {
            return;
        }
        let read = read(&mut self.tokenizer, &mut self.layout);
        // A limit that was passed before the text went wrong is the first failure.
        self.failure = self.layout.excess.take().or(read.err().map(Malformed::message));
    }
}

/// Counts instead of keeping.
#[derive(Debug, Default)]
struct Layout {
    contents: Contents,
    header_cell: Vec<u8>,
    in_rows: bool,
    fields: u64,
    characters_in_field: u64,
    characters_in_record: u64,
    excess: Option<String>,
}

impl Layout {
    fn exceed(&mut self, problem: &str) {
        self.excess.get_or_insert_with(|| format!("InvalidBatch : Failed to parse CSV. {problem}"));
    }

    fn end_header(&mut self, next: u64) {
        self.in_rows = true;
        self.contents.chunk_bounds = vec![next];
    }

    fn end_record(&mut self, next: u64) {
        let columns = self.contents.header.len() as u64;
        if self.fields != columns {
            // The words are ours: what Salesforce says is not documented.
            let row = self.contents.rows + 1;
            self.exceed(&format!("Row {row} has {} fields, the header has {columns}", self.fields));
        }
        if self.contents.rows.is_multiple_of(ROWS_IN_A_CHUNK) {
            self.contents.chunk_bounds.push(next);
        } else if let Some(end) = self.contents.chunk_bounds.last_mut() {
            *end = next;
        }
        self.contents.rows += 1;
    }
}

impl Sink for Layout {
    fn text(&mut self, piece: &[u8]) {
        self.characters_in_field += characters(piece);
        if !self.in_rows && self.characters_in_field <= MAX_CHARACTERS_IN_A_FIELD {
            self.header_cell.extend_from_slice(piece);
        }
    }

    fn end_cell(&mut self) {
        if self.characters_in_field > MAX_CHARACTERS_IN_A_FIELD {
            self.exceed(&format!("Exceeded max field size: {}", self.characters_in_field));
        }
        self.fields += 1;
        if self.fields > MAX_FIELDS {
            self.exceed(&format!("Exceeded max number of columns per record : {MAX_FIELDS}"));
        } else if !self.in_rows {
            self.contents.header.push(String::from_utf8_lossy(&self.header_cell).into_owned());
            self.header_cell.clear();
        }
        self.characters_in_record += self.characters_in_field;
        self.characters_in_field = 0;
    }

    fn end_row(&mut self, next: u64) {
        if self.characters_in_record > MAX_CHARACTERS_IN_A_RECORD {
            self.exceed(&format!(
                "Exceeded max length for one record: {}. Max length for one record should be less than or \
                 equal to {MAX_CHARACTERS_IN_A_RECORD}",
                self.characters_in_record
            ));
        }
        if self.in_rows {
            self.end_record(next);
        } else {
            self.end_header(next);
        }
        self.fields = 0;
        self.characters_in_record = 0;
    }
}

/// Characters as Java counts them, in UTF-16: a byte that continues one is none, and the first of
/// four bytes is two.
fn characters(utf8: &[u8]) -> u64 {
    utf8.iter().map(|byte| u64::from(byte & 0xC0 != 0x80) + u64::from(*byte >= 0xF0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(csv: &str) -> Result<Contents, String> {
        let mut scan = Scan::new(Format::default());
        // In pieces, as it arrives.
        for piece in csv.as_bytes().chunks(7) {
            scan.push(piece);
        }
        scan.finish()
    }

    #[test]
    fn a_chunk_has_200_rows() {
        for (rows, chunks) in [(1, 1), (199, 1), (200, 1), (201, 2), (400, 2), (401, 3)] {
            let csv = "Name\n".to_owned() + &"x\n".repeat(rows);
            let contents = scan(&csv).unwrap();
            assert_eq!((contents.rows, contents.chunk_bounds.len() - 1), (rows, chunks));
            assert_eq!(contents.chunk_bounds[0], 5);
            assert_eq!(contents.chunk_bounds.last(), Some(&(csv.len() as u64)));
        }
    }

    #[test]
    fn what_fails_a_whole_job() {
        let ending = "ClientInputError : LineEnding is invalid on user data. Current LineEnding setting is LF";
        let wide = |columns: usize| format!("{}\n", vec!["a"; columns].join(","));
        let long = |length: usize| format!("A\n{}\n", "x".repeat(length));
        let parts = |count: usize| {
            let header = vec!["a"; count].join(",");
            format!("{header}\n{}\n", vec!["x".repeat(32_000); count].join(","))
        };
        let cases = [
            (String::new(), "InvalidBatch : Records not found"),
            ("A,B\n".to_owned(), "InvalidBatch : Records not found"),
            ("A\r\nb\r\n".to_owned(), ending),
            (
                "A,B\nx\n".to_owned(),
                "InvalidBatch : Failed to parse CSV. Row 1 has 1 fields, the header has 2",
            ),
            (
                "A\nx\ny,z\n".to_owned(),
                "InvalidBatch : Failed to parse CSV. Row 2 has 2 fields, the header has 1",
            ),
            (long(32_001), "InvalidBatch : Failed to parse CSV. Exceeded max field size: 32001"),
            (
                wide(5_001),
                "InvalidBatch : Failed to parse CSV. Exceeded max number of columns per record : 5000",
            ),
            (
                parts(13),
                "InvalidBatch : Failed to parse CSV. Exceeded max length for one record: 416000. Max length for \
                 one record should be less than or equal to 400000",
            ),
        ];
        for (csv, message) in cases {
            assert_eq!(scan(&csv).unwrap_err(), message);
        }
        for taken in [long(32_000), wide(5_000).repeat(2), parts(12)] {
            assert_eq!(scan(&taken).unwrap().rows, 1);
        }
    }

    #[test]
    fn characters_are_counted_as_java_does() {
        for (text, count) in [("a", 1), ("ü", 1), ("€", 1), ("😀", 2)] {
            assert_eq!(characters(text.as_bytes()), count);
        }
    }
}
