//! The dependency table of ARCHITECTURE.md is the law: a crate knows only what its row allows.

#[path = "support/dependency_table.rs"]
mod dependency_table;
mod support;

use std::collections::BTreeSet;
use std::process::Command;

use dependency_table::{Crates, Knowledge, complaints, read_table};
use serde::Deserialize;

#[test]
fn every_crate_knows_only_what_its_row_allows() {
    let page = std::fs::read_to_string(support::root().join("ARCHITECTURE.md"))
        .expect("ARCHITECTURE.md holds the dependency table");
    let table = read_table(&page).expect("the dependency table can be read");
    let complaints = complaints(&table, &workspace_crates());
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    kind: Option<String>,
}

fn workspace_crates() -> Crates {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .current_dir(support::root())
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .output()
        .expect("cargo runs");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo metadata failed: {text}");
    let metadata: Metadata =
        serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    known_to_each(&metadata.packages)
}

fn known_to_each(packages: &[Package]) -> Crates {
    let members: BTreeSet<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    let knowledge = |package: &Package| {
        let mut knowledge = Knowledge::default();
        for dependency in &package.dependencies {
            if !members.contains(dependency.name.as_str()) {
                continue;
            }
            let names = match dependency.kind.as_deref() {
                Some("dev") => &mut knowledge.in_tests,
                _ => &mut knowledge.normal,
            };
            names.insert(dependency.name.clone());
        }
        knowledge
    };
    packages.iter().map(|package| (package.name.clone(), knowledge(package))).collect()
}

#[test]
fn a_build_dependency_counts_as_a_normal_one() {
    let packages: Vec<Package> = serde_json::from_str(
        r#"[{"name": "a", "dependencies": [
                {"name": "b", "kind": "build"},
                {"name": "a", "kind": "dev"},
                {"name": "serde", "kind": null}]},
            {"name": "b", "dependencies": []}]"#,
    )
    .unwrap();
    let known = &known_to_each(&packages)["a"];
    assert_eq!(known.normal, BTreeSet::from(["b".to_owned()]));
    assert_eq!(known.in_tests, BTreeSet::from(["a".to_owned()]));
}
