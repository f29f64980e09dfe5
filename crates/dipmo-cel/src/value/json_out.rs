//! Values as JSON.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::ser::{Serialize, Serializer};

use super::Value;
use super::time::{ShownDuration, ShownTimestamp};

/// A time is RFC 3339 in UTC, a duration is seconds such as `"12.5s"`, bytes are base64.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(truth) => serializer.serialize_bool(*truth),
            Self::Int(number) => serializer.serialize_i64(*number),
            Self::Uint(number) => serializer.serialize_u64(*number),
            Self::Double(number) => serializer.serialize_f64(*number),
            Self::String(text) => serializer.serialize_str(text),
            Self::Bytes(bytes) => serializer.serialize_str(&STANDARD.encode(bytes)),
            Self::Timestamp(micros) => serializer.collect_str(&ShownTimestamp(*micros)),
            Self::Duration(micros) => serializer.collect_str(&ShownDuration(*micros)),
            Self::List(values) => serializer.collect_seq(values.iter()),
            Self::Map(map) => {
                serializer.collect_map(map.iter().map(|(name, value)| (&**name, value)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_has_its_form_and_fields_keep_their_order() {
        let value = Value::map([
            (
                "z",
                Value::list([
                    Value::Null,
                    true.into(),
                    1.into(),
                    Value::Uint(u64::MAX),
                    Value::Double(0.5),
                ]),
            ),
            ("a", Value::Timestamp(1_700_000_000_123_456)),
            ("m", Value::Duration(12_500_000)),
            ("b", Value::Bytes(b"\xff\0"[..].into())),
            ("s", "\"é".into()),
        ]);
        assert_eq!(
            serde_json::to_string(&value).unwrap(),
            r#"{"z":[null,true,1,18446744073709551615,0.5],"a":"2023-11-14T22:13:20.123456Z","m":"12.5s","b":"/wA=","s":"\"é"}"#
        );
    }
}
