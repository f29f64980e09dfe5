//! From values of expressions to cells of tables.

use dipmo_api::sql::ValueKind;
use dipmo_cel::Value;
use dipmo_domain::{Json, Timestamp, Value as Cell};

/// The cell that a column or a parameter takes for a value; else what is wrong, without the value itself.
pub(crate) fn cell(kind: ValueKind, value: &Value) -> Result<Cell, String> {
    let misfit = || format!("takes {}, not {}", wanted(kind), value.kind());
    match (kind, value) {
        (_, Value::Null) => Ok(Cell::Null),
        (ValueKind::Text, Value::String(text)) => Ok(Cell::Text(text.as_ref().to_owned())),
        (ValueKind::Integer, Value::Int(number)) => Ok(Cell::Integer(*number)),
        (ValueKind::Integer, Value::Uint(number)) => {
            i64::try_from(*number).map(Cell::Integer).map_err(|_| misfit())
        }
        (ValueKind::Boolean, Value::Bool(truth)) => Ok(Cell::Boolean(*truth)),
        (ValueKind::Timestamp, Value::Timestamp(micros)) => {
            Timestamp::from_micros(*micros).map(Cell::Timestamp).ok_or_else(misfit)
        }
        (ValueKind::Timestamp, Value::String(text)) => {
            let unreadable = || "takes a time such as 2026-11-17T12:00:00Z".to_owned();
            Timestamp::from_rfc3339(text).map(Cell::Timestamp).ok_or_else(unreadable)
        }
        (ValueKind::Json, value) => {
            Json::of(value).map(Cell::Json).map_err(|error| format!("takes JSON: {error}"))
        }
        _ => Err(misfit()),
    }
}

const fn wanted(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::Text => "text",
        ValueKind::Integer => "an integer",
        ValueKind::Boolean => "a boolean",
        ValueKind::Timestamp => "a time",
        ValueKind::Json => "JSON",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_fits_its_column_or_says_why_not() {
        assert_eq!(cell(ValueKind::Text, &"a".into()), Ok(Cell::from("a")));
        assert_eq!(cell(ValueKind::Integer, &Value::Uint(7)), Ok(Cell::Integer(7)));
        assert_eq!(cell(ValueKind::Boolean, &Value::Null), Ok(Cell::Null));
        assert_eq!(
            cell(ValueKind::Timestamp, &"1970-01-01T00:00:01Z".into()),
            Ok(Cell::Timestamp(Timestamp::from_micros(1_000_000).unwrap()))
        );
        for (kind, value, problem) in [
            (ValueKind::Integer, "secret".into(), "takes an integer, not string"),
            (ValueKind::Integer, Value::Uint(u64::MAX), "takes an integer, not uint"),
            (ValueKind::Text, Value::Int(1), "takes text, not int"),
            (ValueKind::Timestamp, "soon".into(), "takes a time such as 2026-11-17T12:00:00Z"),
        ] {
            assert_eq!(cell(kind, &value), Err(problem.to_owned()));
        }
    }
}
