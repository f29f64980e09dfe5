//! A test that nobody lists never runs: every function of the suite is in `conformance!`, or, where people operate the
//! store, in `operable_conformance!`.

#![expect(clippy::unwrap_used, reason = "an unwrap in a test is an assertion")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A part of the suite: its folder, the file that lists it, and what its tests begin with.
struct Part {
    folder: &'static str,
    list: &'static str,
    signature: &'static str,
}

const PARTS: [Part; 2] = [
    Part { folder: "src/suite", list: "src/conformance.rs", signature: "<F: Fixture>()" },
    Part {
        folder: "src/suite/operable",
        list: "src/operable.rs",
        signature: "<F: OperableFixture>()",
    },
];

impl Part {
    /// `module::function` for every test that is written.
    fn written(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for file in fs::read_dir(of_crate(self.folder)).unwrap() {
            let path = file.unwrap().path();
            if path.is_dir() {
                continue;
            }
            let module = path.file_stem().unwrap().to_str().unwrap().to_owned();
            for line in fs::read_to_string(&path).unwrap().lines() {
                let name = line.strip_prefix("pub async fn ");
                if let Some((name, _)) = name.and_then(|rest| rest.split_once(self.signature)) {
                    found.insert(format!("{module}::{name}"));
                }
            }
        }
        found
    }

    /// The same for every test that the macro lists.
    fn listed(&self) -> BTreeSet<String> {
        let (mut module, mut found) = (String::new(), BTreeSet::new());
        for line in fs::read_to_string(of_crate(self.list)).unwrap().lines().map(str::trim) {
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
}

fn of_crate(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[test]
fn every_test_is_listed() {
    for part in PARTS {
        let (written, listed) = (part.written(), part.listed());
        assert!(written.len() > 20, "the tests were not found: {}", written.len());
        assert_eq!(written, listed);
    }
}

#[test]
fn every_concern_is_in_the_readme() {
    let readme = fs::read_to_string(of_crate("README.md")).unwrap();
    let tests: BTreeSet<_> = PARTS.iter().flat_map(Part::written).collect();
    let modules: BTreeSet<_> =
        tests.iter().map(|test| test.split_once("::").unwrap().0.to_owned()).collect();
    let missing: Vec<_> =
        modules.iter().filter(|module| !readme.contains(&format!("| `{module}` |"))).collect();
    assert_eq!(missing, Vec::<&String>::new());
}
