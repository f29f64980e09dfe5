//! All options, each with a value that is not its default, and what the adapters get.
//!
//! After a change on purpose, `DIPMO_RENEW=1 cargo test -p dipmo --lib wiring` writes `all.txt` anew; read the
//! difference before you commit it.

use std::path::Path;

use serde_json::Value;

use super::{assembled, printed};

const ALL: &str = include_str!("all.yaml");
const SQLITE: &str = "
dipmo: 1
store: {sqlite: ./x.db, patience: 7s, durability: normal, max_pages: 500}
";

#[test]
fn every_option_reaches_its_adapter_and_no_secret_is_printed() {
    let pipeline = assembled(ALL);
    assert!(pipeline.warnings().is_empty(), "{:?}", pipeline.warnings());
    let printed = format!("{}{:#?}\n", printed(&pipeline), assembled(SQLITE).store.kind);
    assert!(!printed.contains("hush") && !printed.contains("PRIVATE KEY"), "{printed}");

    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/wiring/tests/all.txt");
    if std::env::var_os("DIPMO_RENEW").is_some() {
        std::fs::write(&golden, &printed).unwrap();
    }
    let expected = std::fs::read_to_string(&golden).unwrap();
    let differs = printed.lines().zip(expected.lines()).find(|(is, should)| is != should);
    assert_eq!(differs, None, "the adapters get something else; DIPMO_RENEW=1 renews all.txt");
    assert_eq!(printed.len(), expected.len());
}

/// The definitions of the schema that are for adapters, and the keys of each.
pub(super) fn wired(schema: &Value) -> Vec<(String, String, Value)> {
    let root = &schema["$defs"]["Config"]["properties"];
    let sections = [
        "store",
        "kafka",
        "sources",
        "legs",
        "destinations",
        "engine",
        "retention",
        "slo",
        "admin",
    ];
    let mut open: Vec<&Value> = sections.iter().map(|section| &root[section]).collect();
    let (mut seen, mut keys) = (Vec::new(), Vec::new());
    while let Some(value) = open.pop() {
        let name = value["$ref"].as_str().and_then(|it| it.strip_prefix("#/$defs/"));
        if let Some(name) = name.filter(|name| !seen.contains(name)) {
            seen.push(name);
            let definition = &schema["$defs"][name];
            for (key, value) in definition["properties"].as_object().into_iter().flatten() {
                keys.push((name.to_owned(), key.clone(), value.clone()));
            }
            open.push(definition);
        }
        match value {
            Value::Object(entries) => open.extend(entries.values()),
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    keys
}

#[test]
fn the_files_of_these_tests_have_every_key_of_the_schema() {
    let keys = wired(&dipmo_config::schema());
    assert!(keys.len() > 100, "the schema is not as it was: {}", keys.len());
    let texts = format!("{ALL}{SQLITE}");
    let said = |key: &str| {
        texts.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == key)
    };
    let missing: Vec<_> = keys.iter().filter(|(_, key, _)| !said(key)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
