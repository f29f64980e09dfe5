//! The data of a job.

use std::fmt;

use bytes::{BufMut as _, Bytes, BytesMut};
use serde_json::Value as Json;

use crate::class::Class;
use crate::error::Error;
use crate::record::Fields;

/// What makes a field empty; an empty cell leaves it as it is.
const NULL: &str = "#N/A";

/// A value of a row.
#[derive(Clone, PartialEq)]
pub enum Cell<'a> {
    /// A text. One that is empty is the same as none, as it is everywhere in Salesforce.
    Text(&'a str),
    /// A number or a truth value.
    Value(&'a Json),
    /// Makes the field empty.
    Null,
    /// Leaves the field as it is.
    Absent,
}

impl<'a> Cell<'a> {
    /// The value of a field. A parent's external id is found by a path, such as
    /// `Family__r.ExternalId__c`.
    #[must_use]
    pub fn of(fields: &'a Fields, column: &str) -> Self {
        if let Some(value) = fields.get(column) {
            return Self::from(value);
        }
        let Some((relationship, field)) = column.split_once('.') else { return Self::Absent };
        match fields.get(relationship) {
            Some(Json::Object(parent)) => Self::of(parent, field),
            Some(Json::Null) => Self::Null,
            _ => Self::Absent,
        }
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a Json> for Cell<'a> {
    fn from(value: &'a Json) -> Self {
        match value {
            Json::Null => Self::Null,
            Json::String(text) => Self::Text(text),
            other => Self::Value(other),
        }
    }
}

/// Writes the data of a job: a header, then rows, with commas, quotes as RFC 4180 has them, lines
/// that end with LF, and no byte order mark.
pub struct CsvWriter {
    columns: usize,
    out: BytesMut,
    taken: u64,
    rows: u64,
}

impl CsvWriter {
    /// Begins with a header of these columns.
    #[must_use]
    pub fn new<S: AsRef<str>>(columns: &[S]) -> Self {
        let mut writer = Self { columns: columns.len(), out: BytesMut::new(), taken: 0, rows: 0 };
        for (index, column) in columns.iter().enumerate() {
            writer.separate(index);
            writer.text(column.as_ref());
        }
        writer.out.put_u8(b'\n');
        writer
    }

    /// Writes a row with a cell for each column.
    ///
    /// # Errors
    ///
    /// There are more or fewer cells than columns, and then nothing is written.
    pub fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), Error> {
        if cells.len() != self.columns {
            let message = format!("a row has {} cells for {} columns", cells.len(), self.columns);
            return Err(Error::request_invalid(Class::Permanent, message));
        }
        for (index, cell) in cells.iter().enumerate() {
            self.separate(index);
            match cell {
                Cell::Absent => {}
                Cell::Null | Cell::Text("") => self.out.put_slice(NULL.as_bytes()),
                Cell::Text(text) => self.text(text),
                Cell::Value(value) => self.text(&value.to_string()),
            }
        }
        // Without a cell there would be an empty line, which is no row.
        self.out.put_u8(b'\n');
        self.rows += 1;
        Ok(())
    }

    /// What was written since this was asked last.
    #[must_use]
    pub fn take(&mut self) -> Bytes {
        self.taken += self.out.len() as u64;
        self.out.split().freeze()
    }

    /// How many bytes were written, those that were taken too.
    #[must_use]
    pub fn bytes_written(&self) -> u64 {
        self.taken + self.out.len() as u64
    }

    /// How many rows were written.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    fn separate(&mut self, index: usize) {
        if index > 0 {
            self.out.put_u8(b',');
        }
    }

    fn text(&mut self, text: &str) {
        let special = |byte: u8| matches!(byte, b'"' | b',' | b'\n' | b'\r');
        // Spaces at the ends would be taken for a part of the format by some readers.
        let quoted = text.bytes().any(special) || text.trim() != text;
        if !quoted {
            self.out.put_slice(text.as_bytes());
            return;
        }
        self.out.put_u8(b'"');
        for (index, part) in text.split('"').enumerate() {
            if index > 0 {
                self.out.put_slice(b"\"\"");
            }
            self.out.put_slice(part.as_bytes());
        }
        self.out.put_u8(b'"');
    }
}

impl fmt::Debug for CsvWriter {
    /// Without the rows, which are the payload.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CsvWriter").field("rows", &self.rows).finish_non_exhaustive()
    }
}

impl fmt::Debug for Cell<'_> {
    /// Without the value, which is the payload.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text(_) => "Text",
            Self::Value(_) => "Value",
            Self::Null => "Null",
            Self::Absent => "Absent",
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        let mut writer = CsvWriter::new(&["A", "B\"C"]);
        let number = json!(1.5);
        let (yes, nothing) = (json!(true), json!(null));
        for (first, second) in [
            (Cell::Text("plain"), Cell::Text("a,b")),
            (Cell::Text("say \"hi\""), Cell::Text("a\nb\r\n")),
            (Cell::Text(" edge"), Cell::Text("")),
            (Cell::from(&number), Cell::from(&yes)),
            (Cell::from(&nothing), Cell::Absent),
        ] {
            writer.row(&[first, second]).unwrap();
        }
        let expected = "A,\"B\"\"C\"\nplain,\"a,b\"\n\"say \"\"hi\"\"\",\"a\nb\r\n\"\n\" edge\",#N/A\n\
                        1.5,true\n#N/A,\n";
        assert_eq!(writer.take(), expected);
        assert_eq!((writer.bytes_written(), writer.rows()), (expected.len() as u64, 5));
        assert!(writer.take().is_empty());
    }

    #[test]
    fn a_row_of_another_width_is_refused_and_not_written() {
        let mut writer = CsvWriter::new(&["A", "B"]);
        let header = writer.bytes_written();
        assert!(writer.row(&[Cell::Null]).is_err());
        assert!(writer.row(&[Cell::Null, Cell::Null, Cell::Null]).is_err());
        assert_eq!(writer.bytes_written(), header);
    }

    #[test]
    fn a_column_may_be_a_path_to_a_parent() {
        let fields = json!({ "A": 1, "P__r": { "Ext__c": "x" }, "Q__r": null, "a.b": "dotted" });
        let Json::Object(fields) = &fields else { panic!() };
        for (column, cell) in [
            ("A", Cell::Value(&json!(1))),
            ("P__r.Ext__c", Cell::Text("x")),
            ("P__r.Other__c", Cell::Absent),
            ("Q__r.Ext__c", Cell::Null),
            ("R__r.Ext__c", Cell::Absent),
            ("a.b", Cell::Text("dotted")),
        ] {
            assert!(Cell::of(fields, column) == cell, "{column}");
        }
    }
}
