//! The JSON Schema of the language, made of the same definitions as its reader.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::Read as _;

/// The schema of `dipmo.yaml`, draft 2020-12.
#[must_use]
pub fn schema() -> Value {
    Schemas::document("dipmo.yaml", crate::Config::schema)
}

/// The definitions that were met so far.
#[derive(Debug, Default)]
pub struct Schemas {
    defs: BTreeMap<&'static str, Value>,
    begun: BTreeSet<&'static str>,
}

impl Schemas {
    /// The schema of a file, with all definitions that it needs.
    pub(crate) fn document(title: &str, root: impl FnOnce(&mut Self) -> Value) -> Value {
        let mut schemas = Self::default();
        let root = root(&mut schemas);
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": title,
            "$ref": root["$ref"],
            "$defs": schemas.defs,
        })
    }

    /// A reference to a definition, which is made when it is met for the first time.
    pub(crate) fn define(
        &mut self,
        name: &'static str,
        make: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        if self.begun.insert(name) {
            let schema = make(self);
            self.defs.insert(name, schema);
        }
        json!({ "$ref": format!("#/$defs/{name}") })
    }
}

/// The schema of a section.
pub(crate) struct Section {
    about: &'static str,
    keys: Map<String, Value>,
    required: Vec<&'static str>,
    one_of: Vec<Value>,
    scalar: Option<&'static str>,
}

impl Section {
    pub(crate) fn new(about: &'static str) -> Self {
        Self { about, keys: Map::new(), required: Vec::new(), one_of: Vec::new(), scalar: None }
    }

    pub(crate) fn key(
        mut self,
        key: &'static str,
        about: &'static str,
        mut schema: Value,
        required: bool,
        examples: &[Value],
    ) -> Self {
        schema["description"] = described(about);
        if !examples.is_empty() {
            schema["examples"] = json!(examples);
        }
        self.keys.insert(key.to_owned(), schema);
        if required {
            self.required.push(key);
        }
        self
    }

    pub(crate) fn one_of(mut self, keys: &[&str]) -> Self {
        self.one_of = keys.iter().map(|key| json!({ "required": [key] })).collect();
        self
    }

    pub(crate) fn or_scalar(mut self, key: &'static str) -> Self {
        self.scalar = Some(key);
        self
    }

    pub(crate) fn finish(self) -> Value {
        let scalar = self.scalar.and_then(|key| self.keys.get(key).cloned());
        // Nothing at all is an empty section, unless something must be in it.
        let empty = self.required.is_empty() && self.one_of.is_empty();
        let mut schema = json!({
            "type": if empty { json!(["object", "null"]) } else { json!("object") },
            "properties": self.keys,
            "additionalProperties": false,
        });
        if !self.required.is_empty() {
            schema["required"] = json!(self.required);
        }
        if !self.one_of.is_empty() {
            schema["oneOf"] = json!(self.one_of);
        }
        if let Some(scalar) = scalar {
            schema = json!({ "anyOf": [scalar, schema] });
        }
        schema["description"] = described(self.about);
        schema
    }
}

/// The schema of alternatives.
pub(crate) struct Choice {
    about: &'static str,
    any_of: Vec<Value>,
}

impl Choice {
    pub(crate) fn new(about: &'static str) -> Self {
        Self { about, any_of: Vec::new() }
    }

    pub(crate) fn alternative(
        mut self,
        word: &'static str,
        about: &'static str,
        value: Option<Value>,
        alone: bool,
    ) -> Self {
        let about = described(about);
        if alone {
            self.any_of.push(json!({ "const": word, "description": about }));
        }
        if let Some(mut value) = value {
            value["description"] = about;
            self.any_of.push(json!({
                "type": "object",
                "properties": { word: value },
                "required": [word],
                "additionalProperties": false,
            }));
        }
        self
    }

    pub(crate) fn finish(self) -> Value {
        json!({ "description": described(self.about), "anyOf": self.any_of })
    }
}

/// The schema of words.
pub(crate) fn words(about: &'static str, words: &[(&'static str, &'static str)]) -> Value {
    let each =
        words.iter().map(|(word, about)| json!({"const": word, "description": described(about)}));
    let any_of: Vec<Value> = each.chain(std::iter::once(reference())).collect();
    json!({ "description": described(about), "anyOf": any_of })
}

/// A text with a pattern, if there is one, and an example.
pub(crate) fn text(pattern: &str, example: &str) -> Value {
    let mut schema = json!({ "type": "string", "examples": [example] });
    if !pattern.is_empty() {
        schema["pattern"] = json!(format!("{pattern}|{REFERENCE}"));
    }
    schema
}

/// Holds `${env:…}` or `${file:…}`.
const REFERENCE: &str = r"\$\{(env|file):[^}]+\}";

/// A text that holds a reference.
pub(crate) fn reference() -> Value {
    json!({ "type": "string", "pattern": REFERENCE })
}

/// A value, or a reference to one.
pub(crate) fn or_reference(schema: &Value) -> Value {
    json!({ "anyOf": [schema, reference()] })
}

/// The text of a documentation comment.
fn described(about: &str) -> Value {
    json!(about.trim())
}
