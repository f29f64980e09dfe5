//! The body and the parameters of a request, read strictly.

use serde_json::{Map, Value as Json};

use super::request::DataRequest;
use crate::refusal::Refusal;

/// The body, which must be one JSON object.
pub(super) fn object<'a>(request: &DataRequest<'a>) -> Result<&'a Map<String, Json>, Refusal> {
    match request.body {
        Some(Json::Object(members)) => Ok(members),
        None => Err(Refusal::new(
            "JSON_PARSER_ERROR",
            "The HTTP entity body is required, but this request has no entity body.",
        )),
        Some(other) => {
            let message = format!(
                "Can not deserialize SObject out of {} token at [line:1, column:1]",
                token(other)
            );
            Err(Refusal::new("JSON_PARSER_ERROR", message))
        }
    }
}

/// Refuses members of the body that nobody asked for.
pub(super) fn only(members: &Map<String, Json>, known: &[&str]) -> Result<(), Refusal> {
    match members.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => {
            let message = format!("Unrecognized field \"{name}\" at [line:1, column:2]");
            Err(Refusal::new("JSON_PARSER_ERROR", message))
        }
        None => Ok(()),
    }
}

/// A member that is `true` or `false`, where it is given.
pub(super) fn flag(members: &Map<String, Json>, name: &str) -> Result<Option<bool>, Refusal> {
    match members.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Bool(value)) => Ok(Some(*value)),
        Some(other) => Err(unfit("boolean", other)),
    }
}

/// A member that is a list; a request without it means nothing.
pub(super) fn list<'a>(members: &'a Map<String, Json>, name: &str) -> Result<&'a [Json], Refusal> {
    match members.get(name) {
        Some(Json::Array(items)) => Ok(items),
        None | Some(Json::Null) => Err(missing(name)),
        Some(other) => Err(unfit("list", other)),
    }
}

/// A member that is a text; a request without it means nothing.
pub(super) fn text<'a>(members: &'a Map<String, Json>, name: &str) -> Result<&'a str, Refusal> {
    match members.get(name) {
        Some(Json::String(text)) => Ok(text),
        None | Some(Json::Null) => Err(missing(name)),
        Some(other) => Err(unfit("string", other)),
    }
}

fn missing(name: &str) -> Refusal {
    let message = format!("Required fields are missing: [{name}]");
    Refusal::new("REQUIRED_FIELD_MISSING", message).about([name])
}

/// A value of the wrong type in a body.
pub(super) fn unfit(wanted: &str, found: &Json) -> Refusal {
    let shown = match found {
        Json::String(text) => text.clone(),
        Json::Object(_) => "{".to_owned(),
        Json::Array(_) => "[".to_owned(),
        other => other.to_string(),
    };
    Refusal::new(
        "JSON_PARSER_ERROR",
        format!(
            "Cannot deserialize instance of {wanted} from {} value {shown} or request may be missing a required field at [line:1, column:2]",
            token(found)
        ),
    )
}

/// The first parameter of that name.
pub(super) fn parameter<'a>(request: &DataRequest<'a>, name: &str) -> Option<&'a str> {
    let found = request.query.iter().find(|(given, _)| given.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}

/// What the parser of Salesforce calls the beginning of a value.
pub(crate) fn token(json: &Json) -> &'static str {
    match json {
        Json::Null => "VALUE_NULL",
        Json::Bool(true) => "VALUE_TRUE",
        Json::Bool(false) => "VALUE_FALSE",
        Json::Number(number) if number.is_f64() => "VALUE_NUMBER_FLOAT",
        Json::Number(_) => "VALUE_NUMBER_INT",
        Json::String(_) => "VALUE_STRING",
        Json::Array(_) => "START_ARRAY",
        Json::Object(_) => "START_OBJECT",
    }
}
