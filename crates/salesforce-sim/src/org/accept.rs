//! What a client sends becomes a value of the field's type, or is refused as Salesforce refuses it.
//!
//! A value of the wrong type is said differently by each API: JSON says where its parser stood, a
//! bulk row names the column, everything else names the field's label.

use serde_json::Value as Json;

use super::accept_text::{date, is_email, time};
use super::id::IdText;
use crate::refusal::{Refusal, shown};
use crate::schema::{Field, Kind, NumberForm, TextForm};
use crate::value::Value;

/// Why a text is no value of a field.
enum Unfit {
    /// It is of another type.
    Type,
    Refused(Refusal),
}

/// The value of a text in a place without rules of its own, such as the path of a URL.
pub(crate) fn from_text(field: &Field, text: &str) -> Result<Value, Refusal> {
    parse(field, text).map_err(|unfit| match unfit {
        Unfit::Refused(refusal) => refusal,
        Unfit::Type => not_of_type(field, text),
    })
}

/// The value of a cell of a bulk row; the column is counted from 0.
pub(crate) fn from_cell(field: &Field, cell: &str, column: usize) -> Result<Value, Refusal> {
    parse(field, cell).map_err(|unfit| match unfit {
        Unfit::Refused(refusal) => refusal,
        Unfit::Type => {
            let (soap, cell) = (field.kind.soap_name(), shown(cell));
            let message = format!(
                "Failed to deserialize field at col {column}. Due to, '{cell}' is not a valid value for the type {soap}"
            );
            Refusal::new("INVALID_FIELD", message).about([&*field.name])
        }
    })
}

/// No value, given on purpose.
pub(crate) fn nothing(field: &Field) -> Result<Value, Refusal> {
    match field.kind {
        // A checkbox is on or off.
        Kind::Boolean => Err(not_of_type(field, "null")),
        _ => Ok(Value::Null),
    }
}

/// The value of a member of a JSON object; `column` says where its parser would stand.
pub(crate) fn from_json(
    field: &Field,
    json: &Json,
    column: &dyn Fn() -> usize,
) -> Result<Value, Refusal> {
    let unfit = |token: &str, text: &str| json_mismatch(field, token, text, column());
    match (json, &field.kind) {
        (Json::Null, _) => nothing(field),
        (Json::Bool(given), Kind::Boolean) => Ok(Value::Bool(*given)),
        (Json::Number(given), Kind::Number { form, .. }) => {
            let number = given.as_f64().filter(|number| number.is_finite());
            match number {
                Some(number) if *form != NumberForm::Int || number.fract() == 0.0 => {
                    self::number(field, number).map_err(|unfit| match unfit {
                        Unfit::Refused(refusal) => refusal,
                        Unfit::Type => not_of_type(field, &given.to_string()),
                    })
                }
                Some(_) | None => Err(unfit("VALUE_NUMBER_FLOAT", &given.to_string())),
            }
        }
        (Json::String(text), _) => parse(field, text).map_err(|unfit| match unfit {
            Unfit::Refused(refusal) => refusal,
            Unfit::Type => json_mismatch(field, "VALUE_STRING", text, column()),
        }),
        (Json::Bool(given), _) => {
            Err(unfit(if *given { "VALUE_TRUE" } else { "VALUE_FALSE" }, &given.to_string()))
        }
        (Json::Number(given), _) => {
            let token = if given.is_f64() { "VALUE_NUMBER_FLOAT" } else { "VALUE_NUMBER_INT" };
            Err(unfit(token, &given.to_string()))
        }
        (Json::Array(_), _) => Err(unfit("START_ARRAY", "[")),
        (Json::Object(_), _) => Err(unfit("START_OBJECT", "{")),
    }
}

fn json_mismatch(field: &Field, token: &str, text: &str, column: usize) -> Refusal {
    let kind = match &field.kind {
        // To the parser every text is a string, and an id is one too.
        Kind::Text { .. } | Kind::Picklist { .. } | Kind::Id | Kind::Reference(_) => "string",
        other => other.name(),
    };
    let text = shown(text);
    Refusal::new(
        "JSON_PARSER_ERROR",
        format!(
            "Cannot deserialize instance of {kind} from {token} value {text} or request may be missing a required field at [line:1, column:{column}]"
        ),
    )
}

fn not_of_type(field: &Field, text: &str) -> Refusal {
    refuse(
        "INVALID_TYPE_ON_FIELD_IN_RECORD",
        field,
        &format!("value not of required type: {}", shown(text)),
    )
}

/// A refusal that begins with the label of its field.
pub(super) fn refuse(code: &'static str, field: &Field, words: &str) -> Refusal {
    Refusal::new(code, format!("{}: {words}", field.label)).about([&*field.name])
}

fn parse(field: &Field, text: &str) -> Result<Value, Unfit> {
    // Salesforce trims texts, and takes what is left of blanks for nothing.
    let text = text.trim();
    if text.is_empty() {
        return if matches!(field.kind, Kind::Boolean) {
            Err(Unfit::Type)
        } else {
            Ok(Value::Null)
        };
    }
    match &field.kind {
        Kind::Boolean => boolean(text),
        Kind::Number { form, .. } => parse_number(field, *form, text),
        Kind::Date => date(text).map(Value::Text).ok_or(Unfit::Type),
        Kind::DateTime => time(text).map(Value::Text).ok_or(Unfit::Type),
        Kind::Text { form, length } => text_value(field, *form, *length, text),
        Kind::Picklist { values, restricted, many } => {
            picklist(field, text, values, *restricted, *many)
        }
        Kind::Id | Kind::Reference(_) => match IdText::parse(text) {
            Some(id) => Ok(Value::Text(id.as_str().into())),
            None => {
                let words = format!("id value of incorrect type: {}", shown(text));
                Err(Unfit::Refused(refuse("MALFORMED_ID", field, &words)))
            }
        },
    }
}

fn boolean(text: &str) -> Result<Value, Unfit> {
    if text == "1" || text.eq_ignore_ascii_case("true") {
        Ok(Value::Bool(true))
    } else if text == "0" || text.eq_ignore_ascii_case("false") {
        Ok(Value::Bool(false))
    } else {
        Err(Unfit::Type)
    }
}

fn parse_number(field: &Field, form: NumberForm, text: &str) -> Result<Value, Unfit> {
    // Rust would also take `inf` and `nan`.
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    let number = text.parse::<f64>().ok().filter(|number| plain && number.is_finite());
    match number {
        Some(number) if form != NumberForm::Int || number.fract() == 0.0 => {
            self::number(field, number)
        }
        Some(_) | None => Err(Unfit::Type),
    }
}

/// A number must have room before the point; what has none behind it is rounded off.
fn number(field: &Field, number: f64) -> Result<Value, Unfit> {
    let Kind::Number { precision, scale, .. } = field.kind else { return Err(Unfit::Type) };
    let power = 10_f64.powi(i32::from(scale));
    let rounded = (number * power).round() / power;
    if rounded.abs() >= 10_f64.powi(i32::from(precision - scale)) {
        let words = format!("value outside of valid range on numeric field: {number}");
        return Err(Unfit::Refused(refuse("NUMBER_OUTSIDE_VALID_RANGE", field, &words)));
    }
    // A rounded negative is no reason for a negative zero, which an index would take for another key.
    Ok(Value::Number(if rounded == 0.0 { 0.0 } else { rounded }))
}

fn text_value(field: &Field, form: TextForm, length: usize, text: &str) -> Result<Value, Unfit> {
    check_length(field, length, text)?;
    if form == TextForm::Email && !is_email(text) {
        let words = format!("invalid email address: {text}");
        return Err(Unfit::Refused(refuse("INVALID_EMAIL_ADDRESS", field, &words)));
    }
    Ok(Value::Text(text.into()))
}

fn check_length(field: &Field, length: usize, text: &str) -> Result<(), Unfit> {
    // A text has no more characters than bytes, so most need no counting.
    if text.len() > length && text.chars().count() > length {
        let words = format!("data value too large: {} (max length={length})", shown(text));
        return Err(Unfit::Refused(refuse("STRING_TOO_LONG", field, &words)));
    }
    Ok(())
}

fn picklist(
    field: &Field,
    text: &str,
    values: &[String],
    restricted: bool,
    many: bool,
) -> Result<Value, Unfit> {
    check_length(field, if many { 4_099 } else { 255 }, text)?;
    let mut chosen = text.split(';').filter(|_| many).chain((!many).then_some(text));
    if let Some(bad) =
        chosen.find(|chosen| restricted && !values.iter().any(|value| value == chosen))
    {
        let words = format!("bad value for restricted picklist field: {bad}");
        return Err(Unfit::Refused(refuse(
            "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST",
            field,
            &words,
        )));
    }
    Ok(Value::Text(text.into()))
}
