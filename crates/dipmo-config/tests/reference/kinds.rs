//! What a value may be, in a few words.

use serde_json::Value;

use crate::order;

/// What fits a schema. One that nobody has words for yet fails the test.
pub(crate) fn kind(schema: &Value) -> String {
    if let Some(name) = order::name(&schema["$ref"]) {
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(word) = schema.get("const") {
        return format!("`{}`", word.as_str().map_or_else(|| word.to_string(), str::to_owned));
    }
    if let Some(any_of) = schema["anyOf"].as_array() {
        return alternatives(any_of);
    }
    match &schema["type"] {
        Value::String(kind) => match kind.as_str() {
            "string" => text(schema["pattern"].as_str()).to_owned(),
            "integer" => format!("whole number{}", range(schema)),
            "number" => format!("number{}", range(schema)),
            "boolean" => "`true` or `false`".to_owned(),
            "array" => format!("list of {}", self::kind(&schema["items"])),
            "object" => map(schema),
            other => panic!("no words for the type {other}"),
        },
        Value::Array(kinds) => {
            let kinds: Vec<&str> = kinds.iter().filter_map(Value::as_str).collect();
            kinds.join(" or ").replace("string", "text")
        }
        // No type at all: a schema that takes everything.
        _ => "anything".to_owned(),
    }
}

/// One of several; that a reference may stand for a value is said once, for the whole page.
fn alternatives(any_of: &[Value]) -> String {
    let kinds: Vec<String> =
        any_of.iter().filter(|it| !is_reference(&it["pattern"])).map(kind).collect();
    match &kinds[..] {
        [one, many] if *many == format!("list of {one}") => format!("{one}, or a list of them"),
        kinds => kinds.join(" or "),
    }
}

fn is_reference(pattern: &Value) -> bool {
    pattern.as_str().is_some_and(|pattern| pattern.starts_with("\\$\\{"))
}

fn text(pattern: Option<&str>) -> &'static str {
    match pattern {
        Some(pattern) if pattern.starts_with("\\$\\{") => "reference",
        Some(pattern) if pattern.contains("(ms|s|m|h|d)") => "duration",
        Some(pattern) if pattern.starts_with("^[A-Z][A-Z0-9_]") => "NAME",
        Some("^.{1,200}$") => "name",
        Some(pattern) if pattern.starts_with("^[a-z_]") => "name",
        _ => "text",
    }
}

/// The limits of a number, as far as they say something.
fn range(schema: &Value) -> String {
    let most = schema["maximum"].as_u64().filter(|most| *most < u64::from(u32::MAX));
    match (schema["minimum"].as_u64(), most) {
        (Some(least), Some(most)) => format!(", {least} to {most}"),
        (Some(least @ 1..), None) => format!(", at least {least}"),
        _ => String::new(),
    }
}

/// A map with keys of the user's.
fn map(schema: &Value) -> String {
    let key = text(schema["propertyNames"]["pattern"].as_str());
    match &schema["additionalProperties"] {
        value @ Value::Object(_) => format!("map of {key} to {}", kind(value)),
        _ => panic!("no words for {schema}"),
    }
}

#[test]
fn values_have_words() {
    let schema = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    for (given, words) in [
        (r##"{"$ref": "#/$defs/Retry"}"##, "[Retry](#retry)"),
        (r#"{"const": "same"}"#, "`same`"),
        (r#"{"type": "integer", "minimum": 1, "maximum": 255}"#, "whole number, 1 to 255"),
        (
            r#"{"anyOf": [{"type": "boolean"}, {"type": "string", "pattern": "\\$\\{x"}]}"#,
            "`true` or `false`",
        ),
        (
            r#"{"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}"#,
            "text, or a list of them",
        ),
        (
            r#"{"type": "object", "propertyNames": {"pattern": "^.{1,200}$"}, "additionalProperties": {"type": "string"}}"#,
            "map of name to text",
        ),
    ] {
        assert_eq!(kind(&schema(given)), words);
    }
}
