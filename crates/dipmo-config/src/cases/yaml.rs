//! Values as YAML, a line each where they can differ.

use serde_json::Value;

use super::plain::{Plain, PlainKind};
use crate::node::{Scalar, ScalarKind, Style};

/// The lines of a key and its value.
pub(super) fn lines(key: &str, value: &Plain) -> Vec<String> {
    let mut out = Vec::new();
    entry(&mut out, "", key, value);
    out
}

/// `key: value`, the rest of it deeper than `indent`.
fn entry(out: &mut Vec<String>, indent: &str, key: &str, value: &Plain) {
    let key = scalar(&Value::from(key));
    if let Some(short) = on_one_line(value) {
        out.push(format!("{indent}{key}: {short}"));
        return;
    }
    out.push(format!("{indent}{key}:"));
    block(out, &format!("{indent}  "), value);
}

fn block(out: &mut Vec<String>, indent: &str, value: &Plain) {
    match &value.kind {
        PlainKind::Map(entries) => {
            entries.iter().for_each(|(key, value)| entry(out, indent, key, value));
        }
        PlainKind::List(items) => items.iter().for_each(|it| item(out, indent, it)),
        PlainKind::Leaf(_) | PlainKind::Moment(_) => {
            out.extend(on_one_line(value).map(|short| format!("{indent}{short}")));
        }
    }
}

/// An item of a list: its first line has the dash.
fn item(out: &mut Vec<String>, indent: &str, value: &Plain) {
    if let Some(short) = on_one_line(value) {
        out.push(format!("{indent}- {short}"));
        return;
    }
    let begin = out.len();
    block(out, &format!("{indent}  "), value);
    if let Some(first) = out.get_mut(begin) {
        let rest = first.split_off(indent.len() + 2);
        *first = format!("{indent}- {rest}");
    }
}

/// What needs no lines of its own: scalars, lists of scalars, and what is empty.
fn on_one_line(value: &Plain) -> Option<String> {
    match &value.kind {
        PlainKind::Leaf(leaf) => Some(scalar(leaf)),
        PlainKind::Moment(time) => Some(time.to_string()),
        PlainKind::Map(entries) => entries.is_empty().then(|| "{}".to_owned()),
        PlainKind::List(items) => {
            let leaf = |item: &Plain| match &item.kind {
                PlainKind::Leaf(leaf) => Some(scalar(leaf)),
                _ => None,
            };
            let items: Option<Vec<String>> = items.iter().map(leaf).collect();
            items.map(|items| format!("[{}]", items.join(", ")))
        }
    }
}

/// A scalar, in quotes where it would be read as something else.
fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain(text) => text.clone(),
        // JSON is YAML as well.
        other => other.to_string(),
    }
}

fn is_plain(text: &str) -> bool {
    let scalar = Scalar { text: text.to_owned(), style: Style::Plain, reference: None };
    let inside = |c: char| c.is_alphanumeric() || "_-./:@+ ".contains(c);
    scalar.kind() == ScalarKind::Text
        && text.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        && text.chars().all(inside)
        && !text.ends_with([':', ' '])
        && !text.contains(": ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tree_is_yaml_that_reads_back_as_the_same() {
        let value = json!({
            "texts": ["a", "true", "1", "", "a: b", "=x", "- y", "KAFKA:hits", "zwö"],
            "rows": [{"upsert": "HITS", "set": {"ID": 1, "NOTE": null}}, {}, [], [[1], ["a"]]],
            "deep": {"list": [{"a": [{"b": 1.5}]}]},
        });
        let text = lines("then", &Plain::from(value.clone())).join("\n");
        let back: Value = serde_saphyr::from_str(&text).unwrap();
        assert_eq!(back["then"], value, "{text}");
    }

    #[test]
    fn items_of_a_list_begin_with_a_dash() {
        let value = json!([{"set": {"ID": 1}, "upsert": "HITS"}]);
        let shown = lines("writes", &Plain::from(value));
        assert_eq!(shown, ["writes:", "  - set:", "      ID: 1", "    upsert: HITS"]);
    }
}
