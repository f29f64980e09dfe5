//! The kinds of values that go into SQL and come out of it.

use std::fmt;

use dipmo_domain::Value;

use crate::table::ColumnKind;

/// What a parameter takes, or a column of a result holds. NULL is of every kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueKind {
    /// Text of any length.
    Text,
    /// A whole number of 64 bits.
    Integer,
    /// True or false.
    Boolean,
    /// A point in time.
    Timestamp,
    /// A JSON document.
    Json,
}

impl ValueKind {
    /// The kind by its name in a definition, such as `text`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let kinds = [Self::Text, Self::Integer, Self::Boolean, Self::Timestamp, Self::Json];
        kinds.into_iter().find(|kind| kind.name() == name)
    }

    /// Its name in a definition.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Timestamp => "timestamp",
            Self::Json => "json",
        }
    }

    /// The kind of a value; `None` for NULL, which is of every kind.
    #[must_use]
    pub const fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Null => None,
            Value::Text(_) => Some(Self::Text),
            Value::Integer(_) => Some(Self::Integer),
            Value::Boolean(_) => Some(Self::Boolean),
            Value::Timestamp(_) => Some(Self::Timestamp),
            Value::Json(_) => Some(Self::Json),
        }
    }

    /// Why a parameter cannot take a value, without the value.
    pub(crate) fn misfit(self, name: &str, value: &Value) -> Option<String> {
        match Self::of(value) {
            Some(kind) if kind != self => Some(format!("takes {self} as :{name}, not {kind}")),
            _ => {
                let has_nul = value.as_text().is_some_and(|text| text.contains('\0'));
                has_nul.then(|| format!("takes no NUL in :{name}"))
            }
        }
    }
}

impl From<ColumnKind> for ValueKind {
    fn from(kind: ColumnKind) -> Self {
        match kind {
            ColumnKind::Text(_) => Self::Text,
            ColumnKind::Integer => Self::Integer,
            ColumnKind::Boolean => Self::Boolean,
            ColumnKind::Timestamp => Self::Timestamp,
            ColumnKind::Json => Self::Json,
        }
    }
}

impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
