//! Values of domain columns as arrays of PostgreSQL's types.

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

/// A parameter from the values of one column; a value of another type is refused here, because
/// PostgreSQL would refuse the whole statement with less clear words.
pub(crate) fn array<'a>(
    column: &Column,
    values: impl Iterator<Item = &'a Value>,
) -> Result<Param, StoreError> {
    macro_rules! of {
        ($pattern:path, $make:expr) => {{
            let convert = |value: &'a Value| match value {
                Value::Null => Ok(None),
                $pattern(inner) => Ok(Some($make(inner))),
                other => Err(mismatch(column, other)),
            };
            Ok(Box::new(values.map(convert).collect::<Result<Vec<_>, _>>()?) as Param)
        }};
    }
    match column.kind {
        ColumnKind::Text(_) => of!(Value::Text, Clone::clone),
        ColumnKind::Integer => of!(Value::Integer, |number: &i64| *number),
        ColumnKind::Boolean => of!(Value::Boolean, |truth: &bool| *truth),
        ColumnKind::Timestamp => {
            of!(Value::Timestamp, |time: &dipmo_domain::Timestamp| PgTime(*time))
        }
        ColumnKind::Json => of!(Value::Json, |json: &dipmo_domain::Json| PgJson(json.clone())),
    }
}

/// A value from a row. A table of somebody else may hold what we cannot say, such as the time
/// `infinity`.
pub(crate) fn value(
    kind: ColumnKind,
    row: &Row,
    at: usize,
) -> Result<Value, tokio_postgres::Error> {
    Ok(match kind {
        ColumnKind::Text(_) => row.try_get::<_, Option<String>>(at)?.into(),
        ColumnKind::Integer => row.try_get::<_, Option<i64>>(at)?.into(),
        ColumnKind::Boolean => row.try_get::<_, Option<bool>>(at)?.into(),
        ColumnKind::Timestamp => row.try_get::<_, Option<PgTime>>(at)?.map(|time| time.0).into(),
        ColumnKind::Json => row.try_get::<_, Option<PgJson>>(at)?.map(|json| json.0).into(),
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
