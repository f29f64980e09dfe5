//! Values of domain columns, into SQL and back.

use dipmo_api::sql::ValueKind;
use dipmo_api::table::ColumnKind;
use dipmo_domain::{Json, Value};
use rusqlite::Row;
use rusqlite::types::{ToSqlOutput, Value as Stored, ValueRef};

use crate::rows;

/// A value that can be bound.
pub(crate) struct Bound<'a>(pub(crate) &'a Value);

impl rusqlite::ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            Value::Null => ToSqlOutput::Owned(Stored::Null),
            Value::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Value::Integer(number) => ToSqlOutput::Owned(Stored::Integer(*number)),
            Value::Boolean(truth) => ToSqlOutput::Owned(Stored::Integer(i64::from(*truth))),
            Value::Timestamp(time) => ToSqlOutput::Owned(Stored::Integer(time.as_micros())),
            Value::Json(json) => ToSqlOutput::Borrowed(ValueRef::Text(json.as_str().as_bytes())),
        })
    }
}

/// Whether a column can be compared with a value. SQLite itself would compare a number with a text.
pub(crate) const fn fits(kind: ColumnKind, value: &Value) -> bool {
    matches!(
        (kind, value),
        (_, Value::Null)
            | (ColumnKind::Text(_), Value::Text(_))
            | (ColumnKind::Integer, Value::Integer(_))
            | (ColumnKind::Boolean, Value::Boolean(_))
            | (ColumnKind::Timestamp, Value::Timestamp(_))
            | (ColumnKind::Json, Value::Json(_))
    )
}

/// A value as `json_each` gives it back: what a column holds that has it.
pub(crate) fn as_json(value: &Value) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Text(text) => text.as_str().into(),
        Value::Integer(number) => (*number).into(),
        Value::Boolean(truth) => i64::from(*truth).into(),
        Value::Timestamp(time) => time.as_micros().into(),
        Value::Json(json) => json.as_str().into(),
    }
}

/// The value of a column of a row.
pub(crate) fn read(row: &Row<'_>, index: usize, kind: ValueKind) -> rusqlite::Result<Value> {
    Ok(match kind {
        ValueKind::Text => row.get::<_, Option<String>>(index)?.into(),
        ValueKind::Integer => row.get::<_, Option<i64>>(index)?.into(),
        ValueKind::Boolean => row.get::<_, Option<bool>>(index)?.into(),
        ValueKind::Timestamp => rows::maybe_time(row, index)?.into(),
        ValueKind::Json => row.get::<_, Option<String>>(index)?.map(Json::from_store).into(),
    })
}
