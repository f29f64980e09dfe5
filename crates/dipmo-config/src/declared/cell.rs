//! From values of expressions to cells of tables.

use dipmo_api::table::ColumnKind;
use dipmo_cel::Value;
use dipmo_domain::{Json, Timestamp, Value as Cell};

/// The cell that a column takes for a value; else what is wrong, without the value itself.
pub(crate) fn cell(kind: ColumnKind, value: &Value) -> Result<Cell, String> {
    let misfit = || format!("takes {}, not {}", wanted(kind), value.kind());
    match (kind, value) {
        (_, Value::Null) => Ok(Cell::Null),
        (ColumnKind::Text(_), Value::String(text)) => Ok(Cell::Text(text.as_ref().to_owned())),
        (ColumnKind::Integer, Value::Int(number)) => Ok(Cell::Integer(*number)),
        (ColumnKind::Integer, Value::Uint(number)) => {
            i64::try_from(*number).map(Cell::Integer).map_err(|_| misfit())
        }
        (ColumnKind::Boolean, Value::Bool(truth)) => Ok(Cell::Boolean(*truth)),
        (ColumnKind::Timestamp, Value::Timestamp(micros)) => {
            Timestamp::from_micros(*micros).map(Cell::Timestamp).ok_or_else(misfit)
        }
        (ColumnKind::Timestamp, Value::String(text)) => {
            let unreadable = || "takes a time such as 2026-11-17T12:00:00Z".to_owned();
            Timestamp::from_rfc3339(text).map(Cell::Timestamp).ok_or_else(unreadable)
        }
        (ColumnKind::Json, value) => {
            Json::of(value).map(Cell::Json).map_err(|error| format!("takes JSON: {error}"))
        }
        _ => Err(misfit()),
    }
}

const fn wanted(kind: ColumnKind) -> &'static str {
    match kind {
        ColumnKind::Text(_) => "text",
        ColumnKind::Integer => "an integer",
        ColumnKind::Boolean => "a boolean",
        ColumnKind::Timestamp => "a time",
        ColumnKind::Json => "JSON",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_fits_its_column_or_says_why_not() {
        assert_eq!(cell(ColumnKind::Text(5), &"a".into()), Ok(Cell::from("a")));
        assert_eq!(cell(ColumnKind::Integer, &Value::Uint(7)), Ok(Cell::Integer(7)));
        assert_eq!(cell(ColumnKind::Boolean, &Value::Null), Ok(Cell::Null));
        assert_eq!(
            cell(ColumnKind::Timestamp, &"1970-01-01T00:00:01Z".into()),
            Ok(Cell::Timestamp(Timestamp::from_micros(1_000_000).unwrap()))
        );
        for (kind, value, problem) in [
            (ColumnKind::Integer, "secret".into(), "takes an integer, not string"),
            (ColumnKind::Integer, Value::Uint(u64::MAX), "takes an integer, not uint"),
            (ColumnKind::Text(5), Value::Int(1), "takes text, not int"),
            (ColumnKind::Timestamp, "soon".into(), "takes a time such as 2026-11-17T12:00:00Z"),
        ] {
            assert_eq!(cell(kind, &value), Err(problem.to_owned()));
        }
    }
}
