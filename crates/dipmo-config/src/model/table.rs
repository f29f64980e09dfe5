//! Tables of the domain.

use std::str::FromStr;

use crate::read::{parsed, section, words};
use crate::{AtLeastOne, Map, OneOrMany, Spanned, Upper};

section! {
    /// A table of the domain. Its rows are written by their key; dipmo makes it when it is not there.
    pub struct Table("a table") {
        /// What it holds, in a sentence.
        describe: Option<Spanned<String>>,
        /// Its columns: `text(n)`, `integer`, `boolean`, `timestamp` or `json`, and `, required` for NOT NULL.
        #[example({"HIT_ID": "text(200), required", "REVISION": "integer"})]
        columns: AtLeastOne<Map<Spanned<ColumnType>, Upper>>,
        /// The columns that identify a row; they are required.
        #[example(["HIT_ID"])]
        key: AtLeastOne<OneOrMany<Upper>>,
        /// A required integer column that only grows: a write that is not newer changes nothing.
        version: Option<Upper>,
    }
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnType {
    /// What it holds.
    pub kind: ColumnKind,
    /// Whether it is NOT NULL.
    pub required: bool,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// `text(n)`: at most so many characters.
    Text(u16),
    /// `integer`: a whole number of 64 bits.
    Integer,
    /// `boolean`
    Boolean,
    /// `timestamp`
    Timestamp,
    /// `json`
    Json,
}

impl FromStr for ColumnType {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, required) = split_required(text)?;
        let kind = match kind {
            "integer" => ColumnKind::Integer,
            "boolean" => ColumnKind::Boolean,
            "timestamp" => ColumnKind::Timestamp,
            "json" => ColumnKind::Json,
            "text" => return Err("`text` needs its length, such as `text(200)`".to_owned()),
            other => ColumnKind::Text(length(other).ok_or_else(|| {
                format!(
                    "`{}` is no type of a column: expected text(n), integer, boolean, timestamp or json",
                    crate::node::cut(other)
                )
            })?),
        };
        Ok(Self { kind, required })
    }
}

fn length(text: &str) -> Option<u16> {
    let number = text.strip_prefix("text(")?.strip_suffix(')')?;
    number.trim().parse().ok().filter(|length| *length > 0)
}

/// What stands before `, required`, and whether that is there.
pub(super) fn split_required(text: &str) -> Result<(&str, bool), String> {
    match text.split_once(',') {
        None => Ok((text.trim(), false)),
        Some((before, after)) if after.trim() == "required" => Ok((before.trim(), true)),
        Some((_, after)) => Err(format!(
            "`{}` cannot stand behind the comma: only `required` can",
            crate::node::cut(after.trim())
        )),
    }
}

parsed!(
    ColumnType,
    "the type of a column",
    "text(200), required",
    r"^\s*(text\(\s*[0-9]+\s*\)|integer|boolean|timestamp|json)\s*(,\s*required\s*)?$"
);

words! {
    /// The type of a parameter or of a column of a result.
    pub enum SqlType("a type of SQL") {
        /// A text.
        Text = "text",
        /// A whole number of 64 bits.
        Integer = "integer",
        /// True or false.
        Boolean = "boolean",
        /// A point in time.
        Timestamp = "timestamp",
        /// A JSON document.
        Json = "json",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_a_type_and_perhaps_required() {
        let text = ColumnType { kind: ColumnKind::Text(200), required: true };
        assert_eq!("text(200), required".parse(), Ok(text));
        assert_eq!("text( 200 ),required".parse(), Ok(text));
        let json = ColumnType { kind: ColumnKind::Json, required: false };
        assert_eq!(" json ".parse(), Ok(json));
        for wrong in ["text", "text(0)", "text(99999)", "varchar(9)", "integer, unique", ""] {
            assert!(wrong.parse::<ColumnType>().is_err(), "{wrong}");
        }
    }
}
