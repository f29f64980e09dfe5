//! What an expression works on, and what it gives.

mod conform;
mod json_in;
mod json_out;
mod map;
pub(crate) mod time;

use std::sync::Arc;

pub use self::conform::Mismatch;
pub use self::json_in::Pick;
pub use self::map::Map;

/// A value. A clone costs no more than counting a reference.
///
/// `==` in Rust compares values of the same type; `==` in an expression compares numbers across types too.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// Nothing, or not there.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number that is not negative.
    Uint(u64),
    /// A floating-point number.
    Double(f64),
    /// Text.
    String(Arc<str>),
    /// Bytes; in JSON they are base64.
    Bytes(Arc<[u8]>),
    /// Microseconds since 1970-01-01T00:00:00Z, within the years 1 to 9999.
    Timestamp(i64),
    /// Microseconds.
    Duration(i64),
    /// Values in order.
    List(Arc<[Value]>),
    /// Values by name.
    Map(Arc<Map>),
}

impl Value {
    /// The name of its type, as messages use it.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::String(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::Timestamp(_) => "timestamp",
            Self::Duration(_) => "duration",
            Self::List(_) => "list",
            Self::Map(_) => "map",
        }
    }

    /// The name of its type with its article.
    pub(crate) fn kind_with_article(&self) -> String {
        match self {
            Self::Null | Self::Bytes(_) => self.kind().to_owned(),
            _ => crate::types::with_article(self.kind()),
        }
    }

    /// The text, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The truth, if it is one.
    #[must_use]
    pub const fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// The field of this name, if it is a map that has one.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Map(map) => map.get(name),
            _ => None,
        }
    }

    /// Whether it is null.
    #[must_use]
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// A map with these fields in this order; of two with one name the later counts.
    #[must_use]
    pub fn map<N: Into<Arc<str>>>(fields: impl IntoIterator<Item = (N, Self)>) -> Self {
        Self::Map(Arc::new(Map::new(
            fields.into_iter().map(|(name, value)| (name.into(), value)).collect(),
        )))
    }

    /// A list of these.
    #[must_use]
    pub fn list(values: impl IntoIterator<Item = Self>) -> Self {
        Self::List(values.into_iter().collect())
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text.into())
    }
}

/// Nothing is null.
impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
