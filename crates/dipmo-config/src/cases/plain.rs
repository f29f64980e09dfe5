//! Values as they are written in a case: there are no expressions in them.

use dipmo_domain::Timestamp;
use serde_json::{Number, Value, json};

use crate::node::{Kind, Node, Scalar, ScalarKind};
use crate::schema::Schemas;
use crate::{Place, Problems, Read};

/// A value, or a tree of them, in the order of the file.
#[derive(Clone, Debug)]
pub struct Plain {
    /// Where it stands; what was found by running stands nowhere.
    pub place: Option<Place>,
    /// What it is.
    pub kind: PlainKind,
}

/// What a [`Plain`] value is.
#[derive(Clone, Debug)]
pub enum PlainKind {
    /// Nothing, a truth, a number or a text.
    Leaf(Value),
    /// A point in time that was found, which may be written in several ways.
    Moment(Timestamp),
    /// A list.
    List(Vec<Plain>),
    /// A map.
    Map(Vec<(String, Plain)>),
}

impl Plain {
    /// A scalar that was written at a place.
    pub(super) fn at(place: Place, value: impl Into<Value>) -> Self {
        Self { place: Some(place), kind: PlainKind::Leaf(value.into()) }
    }

    /// What was found.
    pub(super) const fn found(kind: PlainKind) -> Self {
        Self { place: None, kind }
    }

    /// A scalar that was found.
    pub(super) fn leaf(value: impl Into<Value>) -> Self {
        Self::found(PlainKind::Leaf(value.into()))
    }

    /// The value as JSON.
    pub(super) fn to_json(&self) -> Value {
        match &self.kind {
            PlainKind::Leaf(value) => value.clone(),
            PlainKind::Moment(time) => json!(time.to_string()),
            PlainKind::List(items) => items.iter().map(Self::to_json).collect(),
            PlainKind::Map(entries) => {
                entries.iter().map(|(key, value)| (key.clone(), value.to_json())).collect()
            }
        }
    }

    /// The entries of a map; none of anything else.
    pub(super) fn entries(&self) -> &[(String, Self)] {
        match &self.kind {
            PlainKind::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The value of a key of a map.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }
}

impl From<Value> for Plain {
    fn from(value: Value) -> Self {
        Self::found(match value {
            Value::Array(items) => PlainKind::List(items.into_iter().map(Self::from).collect()),
            Value::Object(fields) => PlainKind::Map(
                fields.into_iter().map(|(name, value)| (name, Self::from(value))).collect(),
            ),
            leaf => PlainKind::Leaf(leaf),
        })
    }
}

impl Read for Plain {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let kind = match &node.kind {
            Kind::Scalar(scalar) => PlainKind::Leaf(of_scalar(scalar)),
            Kind::List(_) => PlainKind::List(Vec::read(node, problems)?),
            Kind::Map(entries) => {
                let read = entries
                    .iter()
                    .map(|entry| Some((entry.key.clone(), Self::read(&entry.value, problems)?)));
                PlainKind::Map(read.collect::<Option<_>>()?)
            }
        };
        Some(Self { place: Some(node.place), kind })
    }

    fn schema(schemas: &mut Schemas) -> Value {
        schemas.define("Plain", |_| {
            json!({
                "description": "A value as it is: there are no expressions in cases.",
                "examples": ["OPEN", 3, {"positive": true}],
            })
        })
    }
}

fn of_scalar(scalar: &Scalar) -> Value {
    match scalar.kind() {
        ScalarKind::Null => Value::Null,
        ScalarKind::Bool(truth) => json!(truth),
        ScalarKind::Integer(number) => json!(number),
        // What no JSON can say stays a text.
        ScalarKind::Float(number) => {
            Number::from_f64(number).map_or_else(|| json!(scalar.text), Value::Number)
        }
        ScalarKind::Text => json!(scalar.text),
    }
}
