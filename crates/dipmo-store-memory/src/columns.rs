//! What columns hold, and how keys are ordered.

use std::cmp::Ordering;

use dipmo_api::table::{Column, ColumnKind};
use dipmo_domain::Value;

/// Says what is wrong with a value, as the constraints of a database would.
pub(crate) fn check_value(column: &Column, value: &Value) -> Result<(), String> {
    match (column.kind, value) {
        (_, Value::Null) if column.required => Err(format!("{} must not be NULL", column.name)),
        (ColumnKind::Text(max), Value::Text(text)) => check_text(column.name, text, max.into()),
        (kind, value) if is_of_kind(kind, value) => Ok(()),
        (kind, _) => Err(format!("{} takes {kind:?} only", column.name)),
    }
}

/// True for a value that columns of a kind can be compared with.
pub(crate) const fn is_of_kind(kind: ColumnKind, value: &Value) -> bool {
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

/// Says what is wrong with a text: longer than its column, or with a NUL, which PostgreSQL refuses.
pub(crate) fn check_text(column: &str, text: &str, max_chars: usize) -> Result<(), String> {
    if text.contains('\0') {
        return Err(format!("{column} cannot hold a NUL"));
    }
    if text.chars().count() > max_chars {
        return Err(format!("{column} takes at most {max_chars} characters"));
    }
    Ok(())
}

/// The values of a natural key, in its order.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct RowKey(pub(crate) Vec<Value>);

impl Ord for RowKey {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.iter().map(rank).cmp(other.0.iter().map(rank))
    }
}

impl PartialOrd for RowKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The values of one column are of one kind, so the order of kinds only has to be some order.
fn rank(value: &Value) -> (u8, i64, &str) {
    match value {
        Value::Null => (0, 0, ""),
        Value::Boolean(truth) => (1, i64::from(*truth), ""),
        Value::Integer(number) => (2, *number, ""),
        Value::Timestamp(time) => (3, time.as_micros(), ""),
        Value::Text(text) => (4, 0, text),
        Value::Json(json) => (5, 0, json.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_ordered_by_their_values() {
        let key = |text: &str, number: i64| RowKey(vec![text.into(), number.into()]);
        assert!(key("a", 10) < key("b", 9) && key("a", 9) < key("a", 10));
    }

    #[test]
    fn a_column_says_what_it_does_not_take() {
        let name = Column::new("NAME", ColumnKind::Text(2)).required();
        assert_eq!(check_value(&name, &"éé".into()), Ok(()));
        assert_eq!(
            check_value(&name, &"abc".into()),
            Err("NAME takes at most 2 characters".into())
        );
        assert_eq!(check_value(&name, &Value::Null), Err("NAME must not be NULL".into()));
        assert_eq!(check_value(&name, &1.into()), Err("NAME takes Text(2) only".into()));
    }
}
