//! Values of domain columns as arrays of PostgreSQL's types.

use dipmo_api::sql::ValueKind;
use dipmo_api::table::{Column, ColumnKind};
use dipmo_domain::{StoreError, Value};
use tokio_postgres::Row;

use crate::sql::Param;
use crate::types::{PgJson, PgTime};

/// The type of a column in DDL.
pub(crate) fn ddl_type(kind: ColumnKind) -> String {
    match kind {
        ColumnKind::Text(max) => format!("varchar({max})"),
        ColumnKind::Integer => "bigint".to_owned(),
        ColumnKind::Boolean => "boolean".to_owned(),
        ColumnKind::Timestamp => "timestamptz".to_owned(),
        ColumnKind::Json => "json".to_owned(),
    }
}

/// The array type of a parameter.
pub(crate) const fn array_type(kind: ColumnKind) -> &'static str {
    match kind {
        ColumnKind::Text(_) => "varchar[]",
        ColumnKind::Integer => "int8[]",
        ColumnKind::Boolean => "bool[]",
        ColumnKind::Timestamp => "timestamptz[]",
        ColumnKind::Json => "json[]",
    }
}

/// The type of a parameter of a user's SQL.
pub(crate) const fn scalar_type(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::Text => "text",
        ValueKind::Integer => "int8",
        ValueKind::Boolean => "bool",
        ValueKind::Timestamp => "timestamptz",
        ValueKind::Json => "json",
    }
}

/// A parameter from the values of one column; a value of another type is refused here, because
/// PostgreSQL would refuse the whole statement with less clear words.
pub(crate) fn array<'a>(
    column: &Column,
    values: impl Iterator<Item = &'a Value>,
) -> Result<Param, StoreError> {
    array_of(column.kind.into(), values).map_err(|value| mismatch(column, value))
}

/// A parameter from values of one kind; or the first that is of another.
pub(crate) fn array_of<'a>(
    kind: ValueKind,
    values: impl Iterator<Item = &'a Value>,
) -> Result<Param, &'a Value> {
    macro_rules! of {
        ($pattern:path, $make:expr) => {{
            let convert = |value: &'a Value| match value {
                Value::Null => Ok(None),
                $pattern(inner) => Ok(Some($make(inner))),
                other => Err(other),
            };
            Ok(Box::new(values.map(convert).collect::<Result<Vec<_>, _>>()?) as Param)
        }};
    }
    match kind {
        ValueKind::Text => of!(Value::Text, Clone::clone),
        ValueKind::Integer => of!(Value::Integer, |number: &i64| *number),
        ValueKind::Boolean => of!(Value::Boolean, |truth: &bool| *truth),
        ValueKind::Timestamp => {
            of!(Value::Timestamp, |time: &dipmo_domain::Timestamp| PgTime(*time))
        }
        ValueKind::Json => of!(Value::Json, |json: &dipmo_domain::Json| PgJson(json.clone())),
    }
}

/// A parameter from one value; `kind` is what a NULL is of.
pub(crate) fn scalar(kind: ValueKind, value: &Value) -> Param {
    match (value, kind) {
        (Value::Text(text), _) => Box::new(text.clone()),
        (Value::Integer(number), _) => Box::new(*number),
        (Value::Boolean(truth), _) => Box::new(*truth),
        (Value::Timestamp(time), _) => Box::new(PgTime(*time)),
        (Value::Json(json), _) => Box::new(PgJson(json.clone())),
        (Value::Null, ValueKind::Text) => Box::new(None::<String>),
        (Value::Null, ValueKind::Integer) => Box::new(None::<i64>),
        (Value::Null, ValueKind::Boolean) => Box::new(None::<bool>),
        (Value::Null, ValueKind::Timestamp) => Box::new(None::<PgTime>),
        (Value::Null, ValueKind::Json) => Box::new(None::<PgJson>),
    }
}

/// A value from a row. A table of somebody else may hold what we cannot say, such as the time
/// `infinity`.
pub(crate) fn value(kind: ValueKind, row: &Row, at: usize) -> Result<Value, tokio_postgres::Error> {
    Ok(match kind {
        ValueKind::Text => row.try_get::<_, Option<String>>(at)?.into(),
        ValueKind::Integer => row.try_get::<_, Option<i64>>(at)?.into(),
        ValueKind::Boolean => row.try_get::<_, Option<bool>>(at)?.into(),
        ValueKind::Timestamp => row.try_get::<_, Option<PgTime>>(at)?.map(|time| time.0).into(),
        ValueKind::Json => row.try_get::<_, Option<PgJson>>(at)?.map(|json| json.0).into(),
    })
}

fn mismatch(column: &Column, value: &Value) -> StoreError {
    let kind = match value {
        Value::Null => "NULL",
        Value::Text(_) => "a text",
        Value::Integer(_) => "a number",
        Value::Boolean(_) => "a boolean",
        Value::Timestamp(_) => "a time",
        Value::Json(_) => "a JSON document",
    };
    StoreError::RowRefused {
        statement: "domain_write",
        problem: format!("column {} of type {:?} was given {kind}", column.name, column.kind),
    }
}
