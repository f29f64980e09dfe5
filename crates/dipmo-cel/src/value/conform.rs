//! JSON knows fewer types than expressions do: values become what was declared, or it is said why not.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::time::{parse_duration, parse_timestamp};
use super::{Map, Value};
use crate::types::{Object, Type};

/// A value is not of the type that was declared. It names the place and the types, never the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Where: fields with dots between them, elements in brackets; empty when it is the value itself.
    pub path: String,
    /// The type that was declared.
    pub wanted: Type,
    /// The type that was found; `None` when there is no such field.
    pub found: Option<&'static str>,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place =
            if self.path.is_empty() { "this".to_owned() } else { format!("`{}`", self.path) };
        let wanted = self.wanted.with_article();
        match (self.found, self.wanted.bare()) {
            (Some("string"), Type::Timestamp) => {
                write!(f, "{place} is a string that is no time as RFC 3339 writes it")
            }
            (Some("string"), Type::Duration) => {
                write!(f, "{place} is a string that is no duration such as 30s")
            }
            (Some("string"), Type::Bytes) => write!(f, "{place} is a string that is no base64"),
            (Some(found), _) => write!(f, "{place} is of type {found}, and {wanted} is wanted"),
            (None, _) => write!(f, "{place} is missing, and {wanted} is wanted"),
        }
    }
}

impl std::error::Error for Mismatch {}

impl Type {
    /// Makes a value that came from JSON what this type says: text becomes a time, a duration or bytes, a whole
    /// number a double where one is declared. What fits already is not copied.
    ///
    /// # Errors
    ///
    /// The first place where the value cannot be of this type.
    pub fn conform(&self, value: Value) -> Result<Value, Mismatch> {
        let found = value.kind();
        let refused = || Mismatch { path: String::new(), wanted: self.clone(), found: Some(found) };
        match (self, value) {
            (Self::Dyn, value) => Ok(value),
            (Self::Null | Self::Optional(_), Value::Null) => Ok(Value::Null),
            (Self::Optional(of), value) => of.conform(value),
            (Self::Int, Value::Double(number)) => whole(number).map(Value::Int).ok_or_else(refused),
            (Self::Uint, Value::Int(number)) => {
                u64::try_from(number).map(Value::Uint).map_err(|_| refused())
            }
            (Self::Double, Value::Int(number)) => Ok(Value::Double(number as f64)),
            (Self::Double, Value::Uint(number)) => Ok(Value::Double(number as f64)),
            (Self::Timestamp, Value::String(text)) => {
                parse_timestamp(&text).map(Value::Timestamp).ok_or_else(refused)
            }
            (Self::Duration, Value::String(text)) => {
                parse_duration(&text).map(Value::Duration).ok_or_else(refused)
            }
            (Self::Bytes, Value::String(text)) => STANDARD
                .decode(&*text)
                .map(|bytes| Value::Bytes(bytes.into()))
                .map_err(|_| refused()),
            (Self::List(of), Value::List(values)) => list(of, values),
            (Self::Map(of), Value::Map(map)) => fields(map, |_| Some(of)),
            (Self::Object(object), Value::Map(map)) => {
                all_there(object, &map)?;
                fields(map, |name| object.field(name))
            }
            (wanted, value) if wanted.is_of(&value) => Ok(value),
            _ => Err(refused()),
        }
    }

    /// Whether a scalar is of this type.
    pub(crate) const fn is_of(&self, value: &Value) -> bool {
        matches!(
            (self, value),
            (Self::Null, Value::Null)
                | (Self::Bool, Value::Bool(_))
                | (Self::Int, Value::Int(_))
                | (Self::Uint, Value::Uint(_))
                | (Self::Double, Value::Double(_))
                | (Self::String, Value::String(_))
                | (Self::Bytes, Value::Bytes(_))
                | (Self::Timestamp, Value::Timestamp(_))
                | (Self::Duration, Value::Duration(_))
        )
    }
}

/// JSON makes no difference between `5` and `5.0`.
fn whole(number: f64) -> Option<i64> {
    let exact = number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0;
    exact.then_some(number as i64)
}

fn all_there(object: &Object, map: &Map) -> Result<(), Mismatch> {
    for (name, ty) in &object.fields {
        if !matches!(ty, Type::Optional(_) | Type::Dyn | Type::Null) && map.get(name).is_none() {
            return Err(Mismatch { path: name.clone(), wanted: ty.clone(), found: None });
        }
    }
    Ok(())
}

fn list(of: &Type, values: Arc<[Value]>) -> Result<Value, Mismatch> {
    if *of == Type::Dyn || values.iter().all(|value| of.is_of(value)) {
        return Ok(Value::List(values));
    }
    let conform = |(at, value): (usize, &Value)| {
        of.conform(value.clone()).map_err(|mismatch| mismatch.within(&format!("[{at}]")))
    };
    values.iter().enumerate().map(conform).collect::<Result<_, _>>().map(Value::List)
}

fn fields<'t>(map: Arc<Map>, of: impl Fn(&str) -> Option<&'t Type>) -> Result<Value, Mismatch> {
    let fits = |(name, value): (&Arc<str>, &Value)| match of(name) {
        Some(Type::Optional(ty)) => value.is_null() || ty.is_of(value),
        Some(Type::Dyn) | None => true,
        Some(ty) => ty.is_of(value),
    };
    if map.iter().all(fits) {
        return Ok(Value::Map(map));
    }
    let conform = |(name, value): (&Arc<str>, &Value)| {
        let value = match of(name) {
            Some(ty) => ty.conform(value.clone()).map_err(|mismatch| mismatch.within(name))?,
            None => value.clone(),
        };
        Ok((Arc::clone(name), value))
    };
    map.iter()
        .map(conform)
        .collect::<Result<_, _>>()
        .map(|entries| Value::Map(Arc::new(Map::new(entries))))
}

impl Mismatch {
    fn within(mut self, outer: &str) -> Self {
        let dot = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        self.path = format!("{outer}{dot}{}", self.path);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event() -> Type {
        Type::object(
            "event",
            [
                ("at", Type::Timestamp),
                ("wait", Type::optional(Type::Duration)),
                ("raw", Type::optional(Type::Bytes)),
                ("amount", Type::optional(Type::Double)),
                ("lines", Type::list(Type::object("line", [("count", Type::Int)]))),
            ],
        )
    }

    fn conform(json: &str) -> Result<Value, String> {
        event()
            .conform(serde_json::from_str(json).unwrap())
            .map_err(|mismatch| mismatch.to_string())
    }

    #[test]
    fn text_becomes_a_time_and_a_whole_number_a_double() {
        let value = conform(
            r#"{"at":"1970-01-01T00:00:01Z","wait":"90s","raw":"/wA=","amount":5,
                "lines":[{"count":2.0}],"x":1}"#,
        )
        .unwrap();
        assert_eq!(value.get("at"), Some(&Value::Timestamp(1_000_000)));
        assert_eq!(value.get("wait"), Some(&Value::Duration(90_000_000)));
        assert_eq!(value.get("raw"), Some(&Value::Bytes(b"\xff\0"[..].into())));
        assert_eq!(value.get("amount"), Some(&Value::Double(5.0)));
        assert_eq!(
            value.get("lines"),
            Some(&Value::list([Value::map([("count", Value::Int(2))])]))
        );
        assert_eq!(value.get("x"), Some(&Value::Int(1)), "what is not declared stays as it is");
    }

    #[test]
    fn a_mismatch_names_the_place_and_never_the_value() {
        let said = |json: &str| conform(json).unwrap_err();
        assert_eq!(said(r#"{"lines":[]}"#), "`at` is missing, and a timestamp is wanted");
        assert_eq!(
            said(r#"{"at":"secret","lines":[]}"#),
            "`at` is a string that is no time as RFC 3339 writes it"
        );
        assert_eq!(
            said(r#"{"at":"1970-01-01T00:00:01Z","lines":[{"count":1},{"count":"secret"}]}"#),
            "`lines[1].count` is of type string, and an int is wanted"
        );
        for (field, what) in [("wait", "duration such as 30s"), ("raw", "base64")] {
            let json = format!(r#"{{"at":"1970-01-01T00:00:01Z","{field}":"secret!","lines":[]}}"#);
            assert_eq!(said(&json), format!("`{field}` is a string that is no {what}"));
        }
        assert_eq!(said("7"), "this is of type int, and an object event is wanted");
    }

    #[test]
    fn what_fits_already_is_not_copied() {
        let ty = Type::object("x", [("a", Type::Int), ("b", Type::optional(Type::String))]);
        let value = Value::map([("a", Value::Int(1)), ("b", Value::Null)]);
        let (Value::Map(before), Value::Map(after)) = (value.clone(), ty.conform(value).unwrap())
        else {
            panic!("both are maps");
        };
        assert!(Arc::ptr_eq(&before, &after));
    }
}
