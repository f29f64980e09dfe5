//! What a write says about fields: the members of a JSON object, or the cells of a row.

use serde_json::{Map, Value as Json};

use super::columns::Columns;

/// What a write says about fields.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fields<'a> {
    /// `null` is nothing; `attributes` is no field.
    Json(&'a Map<String, Json>),
    /// An empty cell leaves its field alone; `#N/A` is nothing.
    Row { columns: &'a Columns, cells: &'a [&'a str] },
}
