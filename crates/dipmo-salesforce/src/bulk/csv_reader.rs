//! CSV that comes in pieces.

use bytes::{Buf as _, Bytes};
use csv_core::{ReadRecordResult, Reader};

use crate::error::Error;

/// Longer than any record of Salesforce, whose records have at most 400,000 characters, which UTF-8
/// writes in up to four bytes, twice: once more as the cells of an error.
const MOST_BYTES: usize = 8 * 1024 * 1024;

/// Reads records from pieces of a file.
pub(super) struct CsvReader {
    reader: Reader,
    input: Bytes,
    /// The record that is being read.
    text: Vec<u8>,
    text_len: usize,
    ends: Vec<usize>,
    ends_len: usize,
    finished: bool,
    at_end: bool,
    quotes: u64,
    last_byte: Option<u8>,
}

/// One record.
#[derive(Clone)]
pub(super) struct Record {
    text: Box<str>,
    ends: Box<[usize]>,
}

impl Default for CsvReader {
    fn default() -> Self {
        Self {
            reader: Reader::new(),
            input: Bytes::new(),
            text: vec![0; 1024],
            text_len: 0,
            ends: vec![0; 32],
            ends_len: 0,
            finished: false,
            at_end: false,
            quotes: 0,
            last_byte: None,
        }
    }
}

impl CsvReader {
    /// Takes the next piece. The one before must have been read.
    pub(super) fn push(&mut self, piece: Bytes) {
        debug_assert!(self.input.is_empty(), "a piece is read before the next one comes");
        self.quotes += piece.iter().filter(|&&byte| byte == b'"').count() as u64;
        self.last_byte = piece.last().copied().or(self.last_byte);
        self.input = piece;
    }

    /// There are no more pieces.
    pub(super) fn finish(&mut self) {
        self.finished = true;
    }

    /// Whether all was read.
    pub(super) fn is_at_end(&self) -> bool {
        self.at_end
    }

    /// The next record, if it is all there.
    pub(super) fn next_record(&mut self) -> Result<Option<Record>, Error> {
        if self.at_end || (self.input.is_empty() && !self.finished) {
            return Ok(None);
        }
        if self.finished && self.is_cut() {
            return Err(Error::unreadable("the file ends within a row"));
        }
        loop {
            let (result, read, written, ended) = self.reader.read_record(
                &self.input,
                &mut self.text[self.text_len..],
                &mut self.ends[self.ends_len..],
            );
            self.input.advance(read);
            self.text_len += written;
            self.ends_len += ended;
            match result {
                ReadRecordResult::InputEmpty if !self.finished => return Ok(None),
                // An empty input tells the reader that there is no more.
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull if self.text.len() >= MOST_BYTES => {
                    return Err(Error::unreadable("a row of the file has no end"));
                }
                ReadRecordResult::OutputFull => self.text.resize(self.text.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
                ReadRecordResult::Record => return self.record().map(Some),
                ReadRecordResult::End => {
                    self.at_end = true;
                    return Ok(None);
                }
            }
        }
    }

    /// Whether the file ended within a cell or a row although the connection did not.
    ///
    /// [U] Whether the last line always has an end. A quoted cell that is closed is taken for one.
    fn is_cut(&self) -> bool {
        let closed = self.quotes.is_multiple_of(2);
        !closed || !matches!(self.last_byte, None | Some(b'\n' | b'\r' | b'"'))
    }

    fn record(&mut self) -> Result<Record, Error> {
        let text = std::str::from_utf8(&self.text[..self.text_len])
            .map_err(|_| Error::unreadable("a row of the file is not UTF-8"))?;
        let record = Record { text: text.into(), ends: self.ends[..self.ends_len].into() };
        (self.text_len, self.ends_len) = (0, 0);
        Ok(record)
    }
}

impl Record {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn cell(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.text.get(start..end)
    }

    pub(super) fn cells(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|index| self.cell(index).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cells of all records, with the file cut into pieces of this size.
    fn read(file: &str, size: usize) -> Result<Vec<Vec<String>>, Error> {
        let mut reader = CsvReader::default();
        let mut records = Vec::new();
        let pieces = file.as_bytes().chunks(size).map(Bytes::copy_from_slice);
        for piece in pieces.map(Some).chain([None]) {
            match piece {
                Some(piece) => reader.push(piece),
                None => reader.finish(),
            }
            while let Some(record) = reader.next_record()? {
                records.push(record.cells().map(str::to_owned).collect());
            }
        }
        assert!(reader.is_at_end());
        Ok(records)
    }

    #[test]
    fn the_size_of_the_pieces_does_not_matter() {
        let long = "x".repeat(5_000);
        let wide = "y,".repeat(100) + "y";
        let file = format!(
            "\"sf__Id\",\"Name\"\n\"003\",\"a \"\"b\"\",\nc\"\n004,ü\r\n\"005\",{long}\n{wide}\n"
        );
        let whole = read(&file, file.len()).unwrap();
        assert_eq!(whole[1], ["003", "a \"b\",\nc"]);
        assert_eq!(whole[2], ["004", "ü"]);
        assert_eq!((whole[3][1].len(), whole[4].len()), (5_000, 101));
        for size in [1, 2, 3, 7, 64] {
            assert_eq!(read(&file, size).unwrap(), whole, "{size}");
        }
    }

    #[test]
    fn a_file_may_be_empty_or_end_without_a_line_end() {
        assert!(read("", 1).unwrap().is_empty());
        assert_eq!(read("a,b\n", 2).unwrap().len(), 1);
        assert_eq!(read("\"a\",\"b\"\n\"1\",\"2\"", 2).unwrap().len(), 2);
    }

    #[test]
    fn a_cut_file_is_noticed() {
        for file in ["a,b\n1,2", "a,b\n1", "a,b\n\"1\",\"2", "a,b\n\"1\",\"2\n", "a,b\n1,"] {
            let error = read(file, 100).unwrap_err();
            assert_eq!(error.code(), "salesforce-answer-unreadable", "{file:?}");
        }
    }
}
