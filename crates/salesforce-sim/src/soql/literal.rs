//! Literals, typed by the field that they are compared with.

use super::error::{at, malformed};
use super::filter::illegal_escape;
use super::path::Names;
use super::text::unescape;
use super::tree::{Literal, Name};
use crate::org::id::IdText;
use crate::refusal::Refusal;
use crate::schema::{Kind, NumberForm};
use crate::value::Value;

/// The literal as a value that the field could hold.
pub(super) fn typed(
    names: &Names<'_>,
    field: &Name,
    kind: &Kind,
    literal: &Literal,
) -> Result<Value, Refusal> {
    if *literal == Literal::Null {
        return Ok(match kind {
            // A checkbox is never empty.
            Kind::Boolean => Value::Bool(false),
            _ => Value::Null,
        });
    }
    match (kind, literal) {
        (Kind::Boolean, Literal::Bool(value)) => Ok(Value::Bool(*value)),
        (Kind::Number { .. }, Literal::Number(number)) => Ok(Value::Number(*number)),
        (Kind::Date, Literal::Date(date)) => {
            let read = date.parse::<jiff::civil::Date>();
            read.map_or_else(
                |_| Err(malformed(names.query, field.offset, format!("Invalid date: {date}"))),
                |read| Ok(Value::Text(read.to_string().into())),
            )
        }
        (Kind::DateTime, Literal::DateTime(time)) => match crate::datetime::parse(time) {
            Some(read) => Ok(Value::Text(crate::datetime::write(read).into())),
            None => Err(malformed(names.query, field.offset, format!("Invalid datetime: {time}"))),
        },
        (Kind::Boolean | Kind::Number { .. } | Kind::Date | Kind::DateTime, _) => {
            Err(wrong_type(names, field, kind, "should not be enclosed in quotes"))
        }
        (Kind::Id | Kind::Reference(_), Literal::Text(raw)) => id(names, field, raw),
        (_, Literal::Text(raw)) => text(names, field, raw),
        _ => Err(wrong_type(names, field, kind, "should be enclosed in quotes")),
    }
}

/// A value to look up in a set: texts that differ in capitals only are the same to most fields.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Null,
    Bool(bool),
    Number(u64),
    Text(String),
}

impl Key {
    pub(super) fn of(value: &Value, case_sensitive: bool) -> Key {
        match value {
            Value::Null => Key::Null,
            Value::Bool(value) => Key::Bool(*value),
            // Adding 0 makes one of the two zeros.
            Value::Number(number) => Key::Number((number + 0.0).to_bits()),
            Value::Text(text) if case_sensitive => Key::Text(text.as_ref().to_owned()),
            Value::Text(text) => Key::Text(text.to_lowercase()),
        }
    }
}

fn text(names: &Names<'_>, field: &Name, raw: &str) -> Result<Value, Refusal> {
    match unescape(raw) {
        // An empty text is stored as nothing.
        Ok(text) if text.is_empty() => Ok(Value::Null),
        Ok(text) => Ok(Value::Text(text.into())),
        Err(escape) => Err(malformed(names.query, field.offset, illegal_escape(raw, &escape))),
    }
}

fn id(names: &Names<'_>, field: &Name, raw: &str) -> Result<Value, Refusal> {
    match IdText::parse(raw) {
        Some(id) => Ok(Value::Text(id.as_str().into())),
        None if raw.is_empty() => Ok(Value::Null),
        None => {
            let words = format!("invalid ID field: {raw}");
            Err(at(names.query, field.offset, "INVALID_QUERY_FILTER_OPERATOR", words))
        }
    }
}

fn wrong_type(names: &Names<'_>, field: &Name, kind: &Kind, quotes: &str) -> Refusal {
    let words = format!(
        "value of filter criterion for field '{}' must be of type {} and {quotes}",
        field.text,
        match kind {
            Kind::DateTime => "dateTime",
            Kind::Date => "date",
            Kind::Boolean => "boolean",
            Kind::Number { form: NumberForm::Int, .. } => "int",
            Kind::Number { .. } => "double",
            Kind::Id | Kind::Text { .. } | Kind::Picklist { .. } | Kind::Reference(_) => "string",
        }
    );
    at(names.query, field.offset, "INVALID_FIELD", words)
}
