//! What a field of a record holds.
//!
//! A value that exists has passed its field's type: dates are written as Salesforce writes them, a
//! reference is an 18-character id, a number has the scale of its field.

use std::sync::Arc;

/// The content of one field.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Value {
    /// Nothing; an empty text is stored as this, as Salesforce does.
    #[default]
    Null,
    /// A checkbox. It is never null in Salesforce: what is not given is `false`.
    Bool(bool),
    /// An int, double, currency or percent.
    Number(f64),
    /// Everything else. Shared, because the history of a record keeps what was written.
    Text(Arc<str>),
}

impl Value {
    /// The text, if it is one.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            Value::Null | Value::Bool(_) | Value::Number(_) => None,
        }
    }

    /// Whether a formula's `ISBLANK` would say so.
    pub(crate) fn is_blank(&self) -> bool {
        matches!(self, Value::Null)
    }
}
