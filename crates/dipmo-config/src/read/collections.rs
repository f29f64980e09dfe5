//! Lists and maps.

use std::ops::Deref;

use serde_json::{Value, json};

use super::{Read, invalid, wrong_type};
use crate::node::{Kind, Node};
use crate::schema::Schemas;
use crate::{Name, Place, Problems};

impl<T: Read> Read for Vec<T> {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        match &node.kind {
            Kind::List(items) => all(items.iter().map(|item| T::read(item, problems))),
            _ if node.is_null() => Some(Self::new()),
            _ => {
                wrong_type(node, "a list", "[…]", problems);
                None
            }
        }
    }

    fn schema(schemas: &mut Schemas) -> Value {
        json!({"type": "array", "items": T::schema(schemas)})
    }

    fn absent() -> Option<Self> {
        Some(Self::new())
    }
}

/// Every value, or `None` if one is missing; every one is asked for in any case.
fn all<T>(values: impl Iterator<Item = Option<T>>) -> Option<Vec<T>> {
    let values: Vec<Option<T>> = values.collect();
    values.into_iter().collect()
}

/// A list, or one value without the brackets.
#[derive(Clone, Debug)]
pub struct OneOrMany<T>(pub Vec<T>);

impl<T> Default for OneOrMany<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Deref for OneOrMany<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Read> Read for OneOrMany<T> {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        match &node.kind {
            Kind::List(_) => Vec::read(node, problems).map(Self),
            _ if node.is_null() => Some(Self::default()),
            _ => T::read(node, problems).map(|one| Self(vec![one])),
        }
    }

    fn schema(schemas: &mut Schemas) -> Value {
        let one = T::schema(schemas);
        json!({"anyOf": [one, {"type": "array", "items": one}]})
    }

    fn absent() -> Option<Self> {
        Some(Self::default())
    }
}

/// What can be the key of a [`Map`].
pub trait MapKey: Sized {
    /// Reads a key.
    fn read_key(text: &str, place: Place, problems: &mut Problems) -> Option<Self>;
    /// A regular expression for its schema.
    fn pattern() -> &'static str;
    /// As it is written.
    fn as_str(&self) -> &str;
}

/// A map with keys of the user's, in the order of the file.
#[derive(Clone, Debug)]
pub struct Map<V, K = Name>(pub Vec<(K, V)>);

impl<V, K> Default for Map<V, K> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V, K: MapKey> Map<V, K> {
    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&V> {
        self.entry(key).map(|(_, value)| value)
    }

    /// A key, as it was written, and its value.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<(&K, &V)> {
        self.iter().find(|(known, _)| known.as_str() == key)
    }

    /// Each entry.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&K, &V)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// The keys as texts.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.iter().map(|(key, _)| key.as_str())
    }

    /// The values.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &V> {
        self.0.iter().map(|(_, value)| value)
    }

    /// True when nothing is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many entries it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

impl<V: Read, K: MapKey> Read for Map<V, K> {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        match &node.kind {
            Kind::Map(entries) => all(entries.iter().map(|entry| {
                let key = K::read_key(&entry.key, entry.key_place, problems);
                let value = V::read(&entry.value, problems);
                Some((key?, value?))
            }))
            .map(Self),
            _ if node.is_null() => Some(Self::default()),
            _ => {
                wrong_type(node, "a map", "name: …", problems);
                None
            }
        }
    }

    fn schema(schemas: &mut Schemas) -> Value {
        let value = V::schema(schemas);
        json!({
            "type": "object",
            "propertyNames": {"pattern": K::pattern()},
            "additionalProperties": value,
        })
    }

    fn absent() -> Option<Self> {
        Some(Self::default())
    }
}

/// A list or a map that must be there and have something in it.
#[derive(Clone, Debug)]
pub struct AtLeastOne<C>(pub C);

impl<C> Deref for AtLeastOne<C> {
    type Target = C;

    fn deref(&self) -> &C {
        &self.0
    }
}

impl<C: Read> Read for AtLeastOne<C> {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let empty = match &node.kind {
            Kind::List(items) => items.is_empty(),
            Kind::Map(entries) => entries.is_empty(),
            Kind::Scalar(_) => node.is_null(),
        };
        if empty {
            problems.push(invalid(node.head(), "this is empty, and at least one is needed"));
            return None;
        }
        C::read(node, problems).map(Self)
    }

    fn schema(schemas: &mut Schemas) -> Value {
        let mut schema = C::schema(schemas);
        not_empty(&mut schema);
        schema
    }
}

/// Asks a schema of a list or a map, or one of its alternatives, for at least one.
fn not_empty(schema: &mut Value) {
    match schema["type"].as_str() {
        Some("array") => schema["minItems"] = json!(1),
        Some("object") => schema["minProperties"] = json!(1),
        _ => {
            for part in schema["anyOf"].as_array_mut().into_iter().flatten() {
                if part["type"] == "array" {
                    part["minItems"] = json!(1);
                }
            }
        }
    }
}
