//! Rows in the binary format of COPY.

use bytes::{BufMut as _, Bytes, BytesMut};
use dipmo_domain::{Json, Timestamp};

use crate::types;

/// What stands before the first row: the signature, no flags, no extension.
const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

/// Where the value of a row's first column stands: behind the number of columns and its length.
const FIRST_VALUE: usize = 2 + 4;

/// Rows, each begun with its id. The id may become known later.
pub(crate) struct CopyRows {
    out: BytesMut,
    columns: i16,
    starts: Vec<usize>,
}

impl CopyRows {
    /// `columns` counts the id.
    pub(crate) fn new(columns: i16, rows: usize) -> Self {
        let mut out = BytesMut::with_capacity(rows * 1_536);
        out.put_slice(HEADER);
        Self { out, columns, starts: Vec::with_capacity(rows) }
    }

    pub(crate) fn row(&mut self, id: i64) {
        self.starts.push(self.out.len());
        self.out.put_i16(self.columns);
        self.i64(Some(id));
    }

    pub(crate) fn text(&mut self, value: &str) {
        self.value(value.as_bytes());
    }

    pub(crate) fn opt_text(&mut self, value: Option<&str>) {
        self.opt_value(value.map(str::as_bytes));
    }

    pub(crate) fn json(&mut self, value: Option<&Json>) {
        self.opt_text(value.map(Json::as_str));
    }

    pub(crate) fn i64(&mut self, value: Option<i64>) {
        self.opt_value(value.map(i64::to_be_bytes).as_ref().map(<[u8; 8]>::as_slice));
    }

    pub(crate) fn i32(&mut self, value: Option<i32>) {
        self.opt_value(value.map(i32::to_be_bytes).as_ref().map(<[u8; 4]>::as_slice));
    }

    pub(crate) fn i16(&mut self, value: i16) {
        self.value(&value.to_be_bytes());
    }

    pub(crate) fn time(&mut self, value: Option<Timestamp>) {
        self.i64(value.map(types::micros_from_2000));
    }

    /// All rows.
    pub(crate) fn finish(mut self) -> Bytes {
        self.out.put_i16(-1);
        self.out.freeze()
    }

    /// Those rows that `id` gives an id, by their place.
    pub(crate) fn finish_with(mut self, id: impl Fn(usize) -> Option<i64>) -> Bytes {
        let ends: Vec<usize> =
            self.starts.iter().skip(1).copied().chain([self.out.len()]).collect();
        let mut to = HEADER.len();
        for (at, (start, end)) in self.starts.iter().copied().zip(ends).enumerate() {
            let Some(id) = id(at) else { continue };
            if to != start {
                self.out.copy_within(start..end, to);
            }
            let value = to + FIRST_VALUE;
            self.out[value..value + size_of::<i64>()].copy_from_slice(&id.to_be_bytes());
            to += end - start;
        }
        self.out.truncate(to);
        self.finish()
    }

    fn opt_value(&mut self, value: Option<&[u8]>) {
        match value {
            Some(value) => self.value(value),
            None => self.out.put_i32(-1),
        }
    }

    fn value(&mut self, value: &[u8]) {
        // What is longer than a field of PostgreSQL can be is refused there.
        self.out.put_i32(i32::try_from(value.len()).unwrap_or(i32::MAX));
        self.out.put_slice(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(ids: &[(i64, &str)]) -> CopyRows {
        let mut rows = CopyRows::new(2, ids.len());
        for (id, text) in ids {
            rows.row(*id);
            rows.text(text);
        }
        rows
    }

    #[test]
    fn ids_are_filled_in_and_rows_without_one_are_left_out() {
        let made = rows(&[(0, "a"), (0, "bb"), (0, "ccc"), (0, "d")]);
        let made = made.finish_with(|at| [None, Some(7), None, Some(9)][at]);
        assert_eq!(made, rows(&[(7, "bb"), (9, "d")]).finish());
        let none = rows(&[(0, "a")]).finish_with(|_| None);
        assert_eq!(none, rows(&[]).finish());
    }
}
