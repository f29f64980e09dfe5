//! A test that nobody lists never runs: every function of the suite is in `conformance!`.

#![expect(clippy::unwrap_used, reason = "an unwrap in a test is an assertion")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// `module::function` for every test that is written.
fn written() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/suite");
    let mut found = BTreeSet::new();
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let module = path.file_stem().unwrap().to_str().unwrap().to_owned();
        for line in fs::read_to_string(&path).unwrap().lines() {
            let name = line.strip_prefix("pub async fn ");
            if let Some((name, _)) = name.and_then(|rest| rest.split_once("<F: Fixture>()")) {
                found.insert(format!("{module}::{name}"));
            }
        }
    }
    found
}

/// The same for every test that the macro lists.
fn listed() -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/conformance.rs");
    let (mut module, mut found) = (String::new(), BTreeSet::new());
    for line in fs::read_to_string(path).unwrap().lines().map(str::trim) {
        let is_name = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        match (line.strip_suffix(" {"), line.strip_suffix(',')) {
            (Some(name), _) if is_name(name) => module = name.to_owned(),
            (_, Some(name)) if is_name(name) => {
                assert!(found.insert(format!("{module}::{name}")), "{name} is listed twice");
            }
            _ => {}
        }
    }
    found
}

#[test]
fn every_test_is_listed() {
    let (written, listed) = (written(), listed());
    assert!(written.len() > 200, "the tests were not found: {}", written.len());
    assert_eq!(written, listed);
}

#[test]
fn every_concern_is_in_the_readme() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(path).unwrap();
    let modules: BTreeSet<_> =
        written().iter().map(|test| test.split_once("::").unwrap().0.to_owned()).collect();
    let missing: Vec<_> =
        modules.iter().filter(|module| !readme.contains(&format!("| `{module}` |"))).collect();
    assert_eq!(missing, Vec::<&String>::new());
}
