//! Values from JSON, as a whole or only some of their fields.

use std::fmt;
use std::sync::Arc;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use super::{Map, Value};

/// A number is an int if it can be, else a uint, else a double.
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Whole)
    }
}

/// Reads an object and keeps only the fields that are named; the rest is passed over without a trace.
///
/// What is no object is read as a whole. Names are kept once, so a field costs no memory but its value's.
#[derive(Clone, Debug)]
pub struct Pick {
    names: Arc<[Arc<str>]>,
}

impl Pick {
    /// Keeps these fields.
    #[must_use]
    pub fn new<N: Into<Arc<str>>>(names: impl IntoIterator<Item = N>) -> Self {
        Self { names: names.into_iter().map(Into::into).collect() }
    }
}

impl<'de> DeserializeSeed<'de> for &Pick {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(Picked(&self.names))
    }
}

struct Whole;

/// The scalars are the same whatever is picked.
macro_rules! scalars {
    () => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a JSON value")
        }
        fn visit_unit<E>(self) -> Result<Value, E> {
            Ok(Value::Null)
        }
        fn visit_bool<E>(self, truth: bool) -> Result<Value, E> {
            Ok(Value::Bool(truth))
        }
        fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
            Ok(Value::Int(number))
        }
        fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
            Ok(i64::try_from(number).map_or(Value::Uint(number), Value::Int))
        }
        fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
            Ok(Value::Double(number))
        }
        fn visit_str<E>(self, text: &str) -> Result<Value, E> {
            Ok(Value::String(text.into()))
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
            let mut values = Vec::new();
            while let Some(value) = access.next_element()? {
                values.push(value);
            }
            Ok(Value::List(values.into()))
        }
    };
}

impl<'de> Visitor<'de> for Whole {
    type Value = Value;

    scalars!();

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(name) = access.next_key_seed(Name)? {
            entries.push((name, access.next_value()?));
        }
        Ok(Value::Map(Arc::new(Map::new(entries))))
    }
}

struct Picked<'n>(&'n [Arc<str>]);

impl<'de> Visitor<'de> for Picked<'_> {
    type Value = Value;

    scalars!();

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut entries = Vec::with_capacity(self.0.len());
        while let Some(known) = access.next_key_seed(Known(self.0))? {
            match known {
                Some(name) => entries.push((Arc::clone(name), access.next_value()?)),
                None => {
                    access.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(Value::Map(Arc::new(Map::new(entries))))
    }
}

/// The name of a field, without a `String` in between.
struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Arc<str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Arc<str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name {
    type Value = Arc<str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E>(self, name: &str) -> Result<Arc<str>, E> {
        Ok(name.into())
    }
}

/// Which of the known names it is.
struct Known<'n>(&'n [Arc<str>]);

impl<'de, 'n> DeserializeSeed<'de> for Known<'n> {
    type Value = Option<&'n Arc<str>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'n> Visitor<'_> for Known<'n> {
    type Value = Option<&'n Arc<str>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().find(|known| ***known == *name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pick(names: &[&str], json: &str) -> Result<Value, serde_json::Error> {
        let mut deserializer = serde_json::Deserializer::from_str(json);
        let value = Pick::new(names.iter().copied()).deserialize(&mut deserializer)?;
        deserializer.end().map(|()| value)
    }

    #[test]
    fn json_comes_back_as_it_was() {
        let json = r#"{"b":[1,-1,18446744073709551615,0.5,1e3,null,true],"a":{"ü":"\n"},"b2":""}"#;
        let value: Value = serde_json::from_str(json).unwrap();
        assert_eq!(
            value.get("b"),
            Some(&Value::list([
                Value::Int(1),
                Value::Int(-1),
                Value::Uint(u64::MAX),
                Value::Double(0.5),
                Value::Double(1000.0),
                Value::Null,
                Value::Bool(true),
            ]))
        );
        assert_eq!(serde_json::to_string(&value).unwrap(), json.replace("1e3", "1000.0"));
    }

    #[test]
    fn only_named_fields_are_kept() {
        let json = r#"{"x":{"deep":[1]},"id":"7","y":[],"at":{"x":1}}"#;
        let value = pick(&["id", "at", "gone"], json).unwrap();
        assert_eq!(serde_json::to_string(&value).unwrap(), r#"{"id":"7","at":{"x":1}}"#);
        assert_eq!(pick(&["id"], "[1]").unwrap(), Value::list([1.into()]), "no object: as a whole");
    }

    #[test]
    fn what_is_skipped_must_be_json_too() {
        assert!(pick(&["id"], r#"{"id":1,"x":{]}"#).is_err());
        assert!(pick(&["id"], r#"{"id":1} 2"#).is_err());
    }

    #[test]
    fn json_that_is_nested_too_deep_is_refused() {
        let deep = "[".repeat(10_000);
        assert!(serde_json::from_str::<Value>(&deep).is_err());
        assert!(pick(&["a"], &format!("{{\"a\":{deep}")).is_err());
        // What is skipped is not built, and so its depth costs nothing.
        assert!(pick(&["a"], &format!("{{\"b\":{deep}")).is_err());
    }
}
