//! The values that an object's tracked fields had after a write.

use serde::ser::{Serialize, SerializeMap as _, Serializer};

use crate::org::record::Applied;
use crate::schema::Object;
use crate::value::Value;

/// The tracked values of a write, by the names of their fields.
pub(super) struct Tracked<'a> {
    object: &'a Object,
    values: &'a [Value],
}

impl<'a> Tracked<'a> {
    pub(super) fn new(object: &'a Object, write: &'a Applied) -> Self {
        Tracked { object, values: &write.tracked }
    }
}

impl Serialize for Tracked<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.values.len()))?;
        for (&field, value) in self.object.tracked().iter().zip(self.values) {
            map.serialize_entry(&*self.object[field].name, &Shown(value))?;
        }
        map.end()
    }
}

/// A value as a test wants to see it: a version is 7 and not 7.0.
pub(super) struct Shown<'a>(pub(super) &'a Value);

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_none(),
            Value::Bool(flag) => serializer.serialize_bool(*flag),
            Value::Number(number) if number.fract() == 0.0 && number.abs() < 1e15 => {
                serializer.serialize_i64(*number as i64)
            }
            Value::Number(number) => serializer.serialize_f64(*number),
            Value::Text(text) => serializer.serialize_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_number_has_no_point() {
        for (value, expected) in [
            (Value::Number(7.0), "7"),
            (Value::Number(-0.5), "-0.5"),
            (Value::Number(1e300), "1e+300"),
            (Value::Null, "null"),
            (Value::Bool(true), "true"),
            (Value::Text("a\"b".into()), r#""a\"b""#),
        ] {
            assert_eq!(serde_json::to_string(&Shown(&value)).unwrap(), expected);
        }
    }
}
