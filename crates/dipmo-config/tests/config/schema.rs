//! The published schema is that of the types, and says the same as the reader.

use std::path::Path;

use dipmo_config::{References, schema};
use serde_json::Value;

use crate::environment::Fixed;
use crate::valid;

/// `DIPMO_RENEW=1 cargo test -p dipmo-config schema` writes it anew.
#[test]
fn the_published_schema_is_that_of_the_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/dipmo.schema.json");
    let now = format!("{}\n", serde_json::to_string_pretty(&schema()).unwrap());
    if std::env::var_os("DIPMO_RENEW").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &now).unwrap();
    }
    let published = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(published == now, "docs/schema/dipmo.schema.json is old: DIPMO_RENEW=1 renews it");
}

fn json(yaml: &str) -> Value {
    serde_saphyr::from_str(yaml).unwrap()
}

fn validator() -> jsonschema::Validator {
    jsonschema::draft202012::new(&schema()).unwrap()
}

#[test]
fn valid_files_fit_the_schema() {
    let validator = validator();
    for (name, text) in valid::texts() {
        let errors: Vec<String> = validator
            .iter_errors(&json(&text))
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}");
    }
}

#[test]
fn an_editor_sees_what_is_wrong() {
    let validator = validator();
    for wrong in [
        "store: {sqlite: a}",
        "dipmo: 2",
        "dipmo: 1\nstoer: {}",
        "dipmo: 1\nstore: {postgres: a, sqlite: b}",
        "dipmo: 1\nstore: {sqlite: a, patience: 5}",
        "dipmo: 1\nstore: {sqlite: a, patience: 5min}",
        "dipmo: 1\nkafka: {default: {brokers: a, security: {password: literal}}}",
        "dipmo: 1\nengine: {workers: {max: 0}}",
        "dipmo: 1\nengine: {unrouted: ignor}",
        "dipmo: 1\ntables: {hits: {columns: {ID: integer}, key: ID}}",
        "dipmo: 1\ntables: {HITS: {columns: {ID: varchar}, key: ID}}",
        "dipmo: 1\ntables: {HITS: {columns: {}, key: ID}}",
    ] {
        assert!(!validator.is_valid(&json(wrong)), "{wrong}");
    }
}

/// Every line of the valid files with another value. A key without one is taken as not given, which an
/// editor had better not do.
fn changed_lines() -> impl Iterator<Item = (String, String)> {
    valid::texts().into_iter().flat_map(|(_, text)| {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let changes =
            (0..lines.len()).flat_map(|at| ["x", "5", "[x]", "{x: 1}", "true"].map(|to| (at, to)));
        let changed = changes.filter_map(|(at, to)| {
            let (key, _) = lines[at].split_once(": ")?;
            let mut lines = lines.clone();
            lines[at] = format!("{key}: {to}");
            Some((lines[at].clone(), lines.join("\n")))
        });
        changed.collect::<Vec<_>>()
    })
}

#[test]
fn what_the_reader_takes_an_editor_takes() {
    let validator = validator();
    let (mut taken, mut wrong) = (0, Vec::new());
    for (change, text) in changed_lines() {
        if valid::load(&text, References::Resolve(&Fixed)).is_err() {
            continue;
        }
        taken += 1;
        let errors = validator
            .iter_errors(&json(&text))
            .map(|error| format!("{change}: {error}"))
            .collect::<Vec<_>>();
        wrong.extend(errors);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(taken > 50, "{taken}");
}

#[test]
fn everything_is_described() {
    let schema = schema();
    for (name, section) in schema["$defs"].as_object().unwrap() {
        let alternatives = section["anyOf"].as_array().into_iter().flatten();
        for part in std::iter::once(section).chain(alternatives) {
            for (key, property) in part["properties"].as_object().into_iter().flatten() {
                let said = property["description"].as_str().unwrap_or_default();
                assert!(said.len() > 3 && said.ends_with(['.', '…']), "{name}.{key}: {said:?}");
            }
        }
        assert!(section["description"].is_string(), "{name}");
    }
}
