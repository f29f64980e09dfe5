//! Fields of events and of data, and their shapes.

use serde_json::{Value, json};

use super::{Read, invalid, scalar, wrong_type};
use crate::node::{Kind, Node};
use crate::schema::Schemas;
use crate::{Name, Place, Problems, did_you_mean};

/// Fields by name, in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct Fields(pub Vec<Field>);

/// A field.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name, without the `?`.
    pub name: Name,
    /// What it holds.
    pub shape: Shape,
    /// True when it may be missing or null: `name?: …` or `name: …?`.
    pub optional: bool,
    /// Where its shape stands.
    pub place: Place,
}

/// What a field holds.
#[derive(Clone, Debug)]
pub enum Shape {
    /// `string`
    String,
    /// `int`
    Int,
    /// `double`
    Double,
    /// `bool`
    Bool,
    /// `timestamp`: a text of RFC 3339.
    Timestamp,
    /// `any`: no expression about it is checked.
    Any,
    /// `[string]`
    List(Box<Shape>),
    /// `{…}`
    Object(Fields),
}

const WORDS: [&str; 6] = ["string", "int", "double", "bool", "timestamp", "any"];

impl Fields {
    /// A field by its name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Field> {
        self.0.iter().find(|field| field.name.as_str() == name)
    }
}

impl Read for Fields {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        let entries = match &node.kind {
            Kind::Map(entries) => entries,
            _ if node.is_null() => return Some(Self::default()),
            _ => {
                wrong_type(node, "fields, which are a map", "customerId: string", problems);
                return None;
            }
        };
        let mut fields: Vec<Option<Field>> = Vec::new();
        for entry in entries {
            let (name, by_name) = match entry.key.strip_suffix('?') {
                Some(name) => (name, true),
                None => (entry.key.as_str(), false),
            };
            let name = super::MapKey::read_key(name, entry.key_place, problems);
            let shape = with_mark(&entry.value, problems);
            fields.push(name.zip(shape).map(|(name, (shape, by_shape))| {
                let optional = by_name || by_shape;
                Field { name, shape, optional, place: entry.value.place }
            }));
        }
        let read: Vec<&Field> = fields.iter().flatten().collect();
        for (at, field) in read.iter().enumerate() {
            if let Some(first) = read[..at].iter().find(|it| *it.name == *field.name) {
                let message = format!("the field `{}` is there twice", field.name);
                problems.push(
                    invalid(field.name.place, message)
                        .also(first.name.place, "here for the first time"),
                );
            }
        }
        fields.into_iter().collect::<Option<_>>().map(Self)
    }

    fn schema(schemas: &mut Schemas) -> Value {
        let shape = Shape::schema(schemas);
        json!({
            "type": "object",
            "propertyNames": {"pattern": "^.{1,200}$"},
            "additionalProperties": shape,
        })
    }

    fn absent() -> Option<Self> {
        Some(Self::default())
    }
}

impl Read for Shape {
    fn read(node: &Node, problems: &mut Problems) -> Option<Self> {
        with_mark(node, problems).map(|(shape, _)| shape)
    }

    fn schema(schemas: &mut Schemas) -> Value {
        schemas.define("Shape", |_| {
            let word = format!(r"^({})\??$", WORDS.join("|"));
            json!({
                "description": "What a field holds: string, int, double, bool, timestamp or any; a `?` behind it: or nothing. \
                                `[string]` is a list, `{name: string}` an object.",
                "anyOf": [
                    {"type": "string", "pattern": word},
                    {"type": "array", "items": {"$ref": "#/$defs/Shape"}, "minItems": 1, "maxItems": 1},
                    {"type": "object", "additionalProperties": {"$ref": "#/$defs/Shape"}},
                ],
                "examples": ["string", "timestamp?", ["string"]],
            })
        })
    }
}

/// A shape, and whether a `?` stands behind it.
fn with_mark(node: &Node, problems: &mut Problems) -> Option<(Shape, bool)> {
    match &node.kind {
        Kind::List(items) => match &items[..] {
            [item] => Some((Shape::List(Box::new(Shape::read(item, problems)?)), false)),
            _ => {
                let message = "a list says what one of its items is";
                problems.push(invalid(node.place, message).hint("such as `[string]`"));
                None
            }
        },
        Kind::Map(_) => Fields::read(node, problems).map(|fields| (Shape::Object(fields), false)),
        Kind::Scalar(_) => {
            let scalar = scalar(node, "a shape", "string", problems)?;
            let (word, optional) = match scalar.text.strip_suffix('?') {
                Some(word) => (word, true),
                None => (scalar.text.as_str(), false),
            };
            let shape = match word {
                "string" => Shape::String,
                "int" => Shape::Int,
                "double" => Shape::Double,
                "bool" => Shape::Bool,
                "timestamp" => Shape::Timestamp,
                "any" => Shape::Any,
                _ => {
                    problems.push(unknown(node.place, &scalar.shown(), word));
                    return None;
                }
            };
            Some((shape, optional))
        }
    }
}

fn unknown(place: Place, shown: &str, word: &str) -> crate::Problem {
    // What people call them elsewhere.
    let elsewhere = match word.to_lowercase().as_str() {
        "text" | "str" | "uuid" => Some("string"),
        "integer" | "long" => Some("int"),
        "number" | "float" | "decimal" => Some("double"),
        "boolean" => Some("bool"),
        "date" | "datetime" | "time" => Some("timestamp"),
        "object" | "json" | "map" => Some("any"),
        _ => None,
    };
    let hint = elsewhere
        .map(|near| format!("did you mean `{near}`?"))
        .or_else(|| did_you_mean(word, WORDS))
        .unwrap_or_else(|| format!("expected one of {}", super::listed(&WORDS)));
    invalid(place, format!("{shown} is no shape of a field")).hint(hint)
}
