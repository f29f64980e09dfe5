//! From nodes to values: each type that can stand in the file reads itself and describes itself.
//!
//! Sections are defined with `section!`, words with `words!` and alternatives with `choice!`, so
//! that the reader, the schema and the documentation cannot say different things.

mod choice;
mod collections;
mod duration;
mod expression;
mod fields;
mod names;
mod numbers;
mod parsed;
mod section;
mod shape;
mod suggest;
mod text;
mod words;

pub(crate) use choice::choice;
pub use collections::{AtLeastOne, Map, MapKey, OneOrMany};
pub use expression::{Expr, Sql, ValueExpr, ValueKind};
pub use fields::{Field, Fields, Shape};
pub use names::{Lower, Name, Upper, UrlPath};
pub use numbers::{Share, Yes};
pub(crate) use parsed::parsed;
pub(crate) use section::section;
pub(crate) use shape::{Alternatives, Open, listed, picked, stands_alone, unknown_word};
pub use suggest::did_you_mean;
pub use text::{Secret, SecretUrl, Template, Written};
pub(crate) use text::{literal_secret, text as text_of};
pub(crate) use words::words;

use serde_json::Value;

use crate::node::{Kind, Node, Scalar};
use crate::problem::{Problem, Problems, codes};
use crate::schema::Schemas;
use crate::{Place, Spanned};

/// A type that can stand in the file.
pub trait Read: Sized {
    /// Reads a node; what is wrong is added to `problems`, and all of it, not only the first. `None` when
    /// there is no value because of them.
    fn read(node: &Node, problems: &mut Problems) -> Option<Self>;

    /// Its JSON Schema.
    fn schema(schemas: &mut Schemas) -> Value;

    /// True when any text can be it, so that a reference that nothing is known about can stay one.
    #[must_use]
    fn takes_text() -> bool {
        false
    }

    /// Its value where its key is not there; `None` when the key must be there.
    #[must_use]
    fn absent() -> Option<Self> {
        None
    }
}

impl<T: Read> Read for Option<T> {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let unknown = node.is_unresolved() && !T::takes_text();
        if node.is_null() || unknown { Some(None) } else { T::read(node, problems).map(Some) }
    }

    fn takes_text() -> bool {
        T::takes_text()
    }

    fn schema(schemas: &mut Schemas) -> Value {
        T::schema(schemas)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: Read> Read for Spanned<T> {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        T::read(node, problems).map(|value| Self { value, place: node.place })
    }

    fn takes_text() -> bool {
        T::takes_text()
    }

    fn schema(schemas: &mut Schemas) -> Value {
        T::schema(schemas)
    }
}

/// A node that must be a scalar which is not nothing.
pub(crate) fn scalar<'a>(
    node: &'a Node,
    what: &str,
    example: &str,
    problems: &mut Problems,
) -> Option<&'a Scalar> {
    match &node.kind {
        Kind::Scalar(scalar) if !node.is_null() => Some(scalar),
        _ => {
            wrong_type(node, what, example, problems);
            None
        }
    }
}

/// Says what was expected.
pub(crate) fn wrong_type(node: &Node, what: &str, example: &str, problems: &mut Problems) {
    let message = format!("expected {what}, found {}", node.described());
    let place = if node.is_null() { node.head() } else { start_of(node) };
    problems.push(
        Problem::error(codes::WRONG_TYPE, place, message).hint(format!("such as `{example}`")),
    );
}

/// Says why a value of the right type cannot be meant.
pub(crate) fn invalid(place: Place, message: impl Into<String>) -> Problem {
    Problem::error(codes::VALUE_INVALID, place, message)
}

/// Of a long value only the beginning is marked.
fn start_of(node: &Node) -> Place {
    match &node.kind {
        Kind::Scalar(_) => node.place,
        _ => node.head(),
    }
}
