//! Values of the API's objects as text.

use dipmo_domain::Timestamp;
use serde_json::Value;

use super::safe::one_line;
use super::table::Cell;
use super::when::{exact_text, relative_text};

const GREEN: u8 = 32;
const RED: u8 = 31;
const YELLOW: u8 = 33;

/// An object of the API, read at one moment.
#[derive(Clone, Copy)]
pub(crate) struct Object<'a> {
    value: &'a Value,
    now: Timestamp,
}

impl<'a> Object<'a> {
    /// An object, and when it is shown.
    pub(crate) const fn new(value: &'a Value, now: Timestamp) -> Self {
        Self { value, now }
    }

    /// What is at a JSON pointer, such as `/failure/code`; empty for nothing.
    pub(crate) fn text(&self, pointer: &str) -> String {
        match self.value.pointer(pointer) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => one_line(text),
            Some(value) => one_line(&value.to_string()),
        }
    }

    /// The same, as a cell.
    pub(crate) fn cell(&self, pointer: &str) -> Cell {
        Cell::from(self.text(pointer))
    }

    /// A time, told from now.
    pub(crate) fn ago(&self, pointer: &str) -> Cell {
        Cell::from(relative_text(&self.text(pointer), self.now))
    }

    /// A time, exact and told from now.
    pub(crate) fn at(&self, pointer: &str) -> String {
        exact_text(&self.text(pointer), self.now)
    }

    /// A status or state, in the colour of how good that is.
    pub(crate) fn status(&self, pointer: &str) -> Cell {
        let text = self.text(pointer);
        let colour = match text.as_str() {
            "FAILED" | "SERDE_ERROR" | "CANCELLED" => Some(RED),
            "RETRY" | "PAUSED" => Some(YELLOW),
            "PROCESSED" | "DISPATCHED" | "ENDED" => Some(GREEN),
            _ => None,
        };
        Cell::coloured(&text, colour)
    }

    /// The last failure: its code and what it says; empty for none.
    pub(crate) fn failure(&self) -> String {
        let (code, message) = (self.text("/failure/code"), self.text("/failure/message"));
        if message.is_empty() { code } else { format!("{code}: {message}") }
    }

    /// A number; 0 for none.
    pub(crate) fn number(&self, pointer: &str) -> u64 {
        self.value.pointer(pointer).and_then(Value::as_u64).unwrap_or_default()
    }

    /// An id; 0 for none.
    pub(crate) fn integer(&self, pointer: &str) -> i64 {
        self.value.pointer(pointer).and_then(Value::as_i64).unwrap_or_default()
    }

    /// Whole seconds; `None` for none.
    pub(crate) fn seconds(&self, pointer: &str) -> Option<u64> {
        self.value.pointer(pointer).and_then(Value::as_f64).map(|seconds| seconds as u64)
    }

    /// What is in a field.
    pub(crate) fn below(&self, field: &str) -> Self {
        Self { value: self.value.get(field).unwrap_or(&Value::Null), now: self.now }
    }

    /// Its fields by name.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&'a str, Self)> {
        let now = self.now;
        let fields = self.value.as_object().into_iter().flatten();
        fields.map(move |(name, value)| (name.as_str(), Self { value, now }))
    }

    /// The same, seen at another moment.
    pub(crate) const fn seen_at(&self, now: Timestamp) -> Self {
        Self { value: self.value, now }
    }

    /// How many of each, by name.
    pub(crate) fn counts(&self, pointer: &str) -> impl Iterator<Item = (&'a str, u64)> {
        let counts = self.value.pointer(pointer).and_then(Value::as_object);
        let count = |(name, count): (&'a String, &Value)| {
            (name.as_str(), count.as_u64().unwrap_or_default())
        };
        counts.into_iter().flatten().map(count)
    }

    /// The objects of a list.
    pub(crate) fn list(&self, pointer: &str) -> impl Iterator<Item = Object<'a>> {
        let now = self.now;
        let list = self.value.pointer(pointer).and_then(Value::as_array);
        list.into_iter().flatten().map(move |value| Object { value, now })
    }

    /// Lines of `name  value`, without those that have none.
    pub(crate) fn lines(&self, fields: &[(&str, String)]) -> String {
        let width = fields.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
        let lines = fields.iter().filter(|(_, value)| !value.is_empty());
        lines.map(|(name, value)| format!("{name:<width$}  {value}\n")).collect()
    }
}
