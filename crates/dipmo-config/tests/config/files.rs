//! Files on the disk.

use std::path::Path;

use dipmo_config::{Config, ProcessEnvironment, References};

const RESOLVE: References<'static> = References::Resolve(&ProcessEnvironment);

fn valid(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/valid").join(name)
}

#[test]
fn a_file_is_read_from_the_disk() {
    let loaded = Config::load(&valid("least.yaml"), &[], RESOLVE).unwrap();
    assert!(loaded.files.name(0).ends_with("least.yaml"));
    assert_eq!(loaded.config.store.unwrap().sqlite.unwrap().expose(), "./dipmo.db");
}

#[test]
fn every_file_that_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (binary, large) = (folder.path().join("binary.yaml"), folder.path().join("large.yaml"));
    std::fs::write(&binary, [0xff, 0xfe]).unwrap();
    std::fs::write(&large, "#".repeat((4 << 20) + 1)).unwrap();
    let nowhere = folder.path().join("nowhere.yaml");
    let rejected = Config::load(&binary, &[&large, &nowhere], RESOLVE).unwrap_err();
    let said: Vec<&str> = rejected.problems.iter().map(|it| it.message.as_str()).collect();
    for (said, (name, why)) in said.iter().zip([
        ("binary.yaml", "it is no text in UTF-8"),
        ("large.yaml", "it is too large"),
        ("nowhere.yaml", "No such file"),
    ]) {
        assert!(said.contains(name) && said.contains(why), "{said}");
    }
    assert!(rejected.problems.iter().all(|it| it.code.as_str() == "config-file-unreadable"));
}
