//! In which order definitions are told, and where each is used.

use std::collections::BTreeMap;

use serde_json::Value;

/// A key of a definition.
pub(crate) type Use<'a> = (&'a str, &'a str);

/// Every definition that the file needs, from the whole to its parts.
pub(crate) fn definitions(schema: &Value) -> Vec<&str> {
    let mut order = Vec::new();
    visit(schema, name(&schema["$ref"]).unwrap(), &mut order);
    order
}

fn visit<'a>(schema: &'a Value, definition: &'a str, order: &mut Vec<&'a str>) {
    if order.contains(&definition) {
        return;
    }
    order.push(definition);
    for part in references(&schema["$defs"][definition]) {
        visit(schema, part, order);
    }
}

/// The keys that have each definition as their value.
pub(crate) fn uses(schema: &Value) -> BTreeMap<&str, Vec<Use<'_>>> {
    let mut uses: BTreeMap<&str, Vec<Use<'_>>> = BTreeMap::new();
    for (parent, definition) in schema["$defs"].as_object().unwrap() {
        let alternatives = definition["anyOf"].as_array().into_iter().flatten();
        for part in std::iter::once(definition).chain(alternatives) {
            for (key, value) in part["properties"].as_object().into_iter().flatten() {
                for used in references(value) {
                    uses.entry(used).or_default().push((parent, key));
                }
            }
        }
    }
    uses
}

/// The definitions that a schema names, wherever it does.
fn references(schema: &Value) -> Vec<&str> {
    match schema {
        Value::Object(parts) => {
            let own = parts.get("$ref").and_then(name);
            own.into_iter().chain(parts.values().flat_map(references)).collect()
        }
        Value::Array(parts) => parts.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

/// The name in `#/$defs/Name`.
pub(crate) fn name(reference: &Value) -> Option<&str> {
    reference.as_str()?.strip_prefix("#/$defs/")
}
