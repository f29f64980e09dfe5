//! YAML as a tree in which everything knows where it stands.
//!
//! Reading keeps to limits: no text makes it panic, hang or take all memory.

mod build;
mod limits;
mod passage;
mod scalar;
mod syntax;

pub(crate) use build::parse;
pub(crate) use limits::BYTES;
pub use passage::Passage;
pub(crate) use scalar::cut;
pub use scalar::{Scalar, ScalarKind, Style};

use crate::Place;

/// A value of the file.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where it stands.
    pub place: Place,
    /// The key that it is the value of.
    pub key: Option<Place>,
    /// What it is.
    pub kind: Kind,
}

/// What a node is.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A text, a number, a truth or nothing.
    Scalar(Scalar),
    /// A list.
    List(Vec<Node>),
    /// A map, in the order of the file.
    Map(Vec<Entry>),
}

/// A key and its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key: whatever was written is a text.
    pub key: String,
    /// Where the key stands.
    pub key_place: Place,
    /// The value.
    pub value: Node,
}

impl Node {
    /// Nothing, at a place.
    pub(crate) fn nothing(place: Place) -> Self {
        let scalar = Scalar { text: String::new(), style: Style::Plain, reference: None };
        Self { place, key: None, kind: Kind::Scalar(scalar) }
    }

    /// True for what YAML calls null.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(&self.kind, Kind::Scalar(scalar) if scalar.kind() == ScalarKind::Null)
    }

    /// True for a reference that nothing is known about.
    #[must_use]
    pub fn is_unresolved(&self) -> bool {
        matches!(&self.kind, Kind::Scalar(scalar) if scalar.is_unresolved())
    }

    /// Where a message about the whole of it points: at its key, where it has one.
    #[must_use]
    pub fn head(&self) -> Place {
        self.key.unwrap_or(self.place)
    }

    /// What it is, in words.
    #[must_use]
    pub fn described(&self) -> &'static str {
        match &self.kind {
            Kind::List(_) => "a list",
            Kind::Map(_) => "a map",
            Kind::Scalar(scalar) => match scalar.kind() {
                ScalarKind::Null => "nothing",
                ScalarKind::Bool(_) => "true or false",
                ScalarKind::Integer(_) => "a whole number",
                ScalarKind::Float(_) => "a number that is not whole",
                ScalarKind::Text => "a text",
            },
        }
    }
}
