//! Values as Salesforce takes them.

use dipmo_domain::{Timestamp, Value};
use serde_json::Value as Json;

/// The value of a column. A JSON document becomes its text, as a field holds one value only.
pub(super) fn of_column(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Text(text) => Json::String(text.clone()),
        Value::Integer(number) => Json::from(*number),
        Value::Boolean(truth) => Json::Bool(*truth),
        Value::Timestamp(time) => Json::String(datetime(*time)),
        Value::Json(json) => match json.read::<Json>() {
            Ok(scalar) if !scalar.is_object() && !scalar.is_array() => scalar,
            _ => Json::String(json.as_str().to_owned()),
        },
    }
}

/// Salesforce keeps times to the millisecond and refuses what is finer.
fn datetime(time: Timestamp) -> String {
    let micros = time.as_micros();
    let cut = Timestamp::from_micros(micros - micros.rem_euclid(1_000));
    cut.unwrap_or(time).to_string()
}

#[cfg(test)]
mod tests {
    use dipmo_domain::Json as Text;

    use super::*;

    #[test]
    fn a_time_is_cut_to_the_millisecond_also_before_1970() {
        for (micros, text) in [
            (1_700_000_000_123_456, "2023-11-14T22:13:20.123Z"),
            (1_700_000_000_000_000, "2023-11-14T22:13:20Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
        ] {
            let time = Value::Timestamp(Timestamp::from_micros(micros).unwrap());
            assert_eq!(of_column(&time), Json::from(text));
        }
    }

    #[test]
    fn a_document_is_its_text_and_a_scalar_in_one_is_itself() {
        let json = |text: &str| of_column(&Value::Json(Text::parse(text).unwrap()));
        assert_eq!(json(r#"{"a": 1}"#), Json::from(r#"{"a": 1}"#));
        assert_eq!(json("7"), Json::from(7));
        assert_eq!(json(r#""x""#), Json::from("x"));
    }
}
