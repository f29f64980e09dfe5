//! A page with a section for each definition.

use std::fmt::Write as _;

use serde_json::Value;

use crate::kinds::kind;
use crate::order;

/// The page: an introduction, then the whole file and its parts.
pub(crate) fn of(intro: &str, schema: &Value) -> String {
    let uses = order::uses(schema);
    let mut page = intro.to_owned();
    for name in order::definitions(schema) {
        let definition = &schema["$defs"][name];
        let _ = write!(page, "\n## {name}\n\n{}\n", said(definition));
        if let Some(uses) = uses.get(name) {
            let _ = write!(page, "\n{}\n", used(name, uses));
        }
        page.push_str(&body(definition));
    }
    page
}

/// Where a definition is used, by others than itself.
fn used(name: &str, uses: &[order::Use<'_>]) -> String {
    let others = uses.iter().filter(|(parent, _)| *parent != name);
    let mut links: Vec<String> = others
        .map(|(parent, key)| format!("[{parent}](#{}) `{key}`", parent.to_lowercase()))
        .collect();
    links.dedup();
    format!("In {}.", links.join(", "))
}

fn body(definition: &Value) -> String {
    match definition["anyOf"].as_array().map(Vec::as_slice) {
        // A section, or what one of its keys would say, alone.
        Some([scalar, section])
            if section["properties"].as_object().is_some_and(|it| it.len() > 1) =>
        {
            format!("\nOr {} alone: {}\n{}", kind(scalar), said(scalar), keys(section))
        }
        Some(any_of)
            if any_of
                .iter()
                .any(|it| it.get("description").is_some() || it.get("properties").is_some()) =>
        {
            words(any_of)
        }
        _ if definition.get("properties").is_some() => keys(definition),
        _ => examples(definition),
    }
}

/// The keys of a section.
fn keys(section: &Value) -> String {
    let mut text = String::new();
    let one_of: Vec<String> = section["oneOf"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|it| Some(format!("`{}`", it["required"][0].as_str()?)))
        .collect();
    if !one_of.is_empty() {
        let _ = write!(text, "\nExactly one of {} is there.\n", one_of.join(", "));
    }
    text.push_str("\n| key | type | default | what it is |\n|---|---|---|---|\n");
    let required = section["required"].as_array();
    for (key, value) in section["properties"].as_object().into_iter().flatten() {
        let is_required = required.is_some_and(|it| it.iter().any(|it| it == key));
        let (meaning, default) = split(&said(value));
        let default = if is_required { "**required**".to_owned() } else { default };
        let example = example(value).map(|it| format!(" Such as {it}.")).unwrap_or_default();
        let cells = [format!("`{key}`"), kind(value), default, meaning + &example];
        let _ = writeln!(text, "| {} |", cells.map(|it| cell(&it)).join(" | "));
    }
    text
}

/// Words, some of which have a value.
fn words(any_of: &[Value]) -> String {
    let mut text = "\n| written | what it is |\n|---|---|\n".to_owned();
    for part in any_of {
        match (&part["const"], part["properties"].as_object()) {
            (Value::String(word), _) => {
                let _ = writeln!(text, "| `{word}` | {} |", cell(&said(part)));
            }
            (_, Some(properties)) => {
                // `word: true` says no more than the word alone.
                let more = properties.iter().filter(|(_, value)| value["const"] != true);
                for (word, value) in more {
                    let written = format!("`{word}:` {}", kind(value));
                    let _ = writeln!(text, "| {} | {} |", cell(&written), cell(&said(value)));
                }
            }
            // A reference may stand for any word.
            _ => {}
        }
    }
    text
}

fn examples(definition: &Value) -> String {
    let examples = definition["examples"].as_array().into_iter().flatten();
    let shown: Vec<String> = examples.map(|it| format!("`{}`", written(it))).collect();
    if shown.is_empty() { String::new() } else { format!("\nSuch as {}.\n", shown.join(", ")) }
}

/// The example of a key that its type does not show already.
fn example(value: &Value) -> Option<String> {
    let first = value["examples"].as_array()?.first()?;
    let is_told = value.get("const").is_some() || kind(value) == "duration";
    (!is_told).then(|| format!("`{}`", written(first)))
}

fn written(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn said(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().replace('\n', " ").replace("  ", " ")
}

/// What a key means, and the sentence about its default.
fn split(said: &str) -> (String, String) {
    let Some((before, after)) = said.split_once("Defaults to ") else {
        return (said.to_owned(), String::new());
    };
    let end = after.find(". ").unwrap_or(after.trim_end_matches('.').len());
    let rest = after[end..].trim_start_matches('.').trim();
    let meaning = format!("{} {rest}", before.trim());
    (meaning.trim().to_owned(), after[..end].to_owned())
}

/// A text that fits into a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[test]
fn a_default_is_told_apart() {
    let of = |said: &str| split(said);
    assert_eq!(of("A. Defaults to 0.5."), ("A.".to_owned(), "0.5".to_owned()));
    assert_eq!(of("A. Defaults to 1s. B."), ("A. B.".to_owned(), "1s".to_owned()));
    assert_eq!(of("A."), ("A.".to_owned(), String::new()));
}
