//! Files that are wrong, each with what is said about it beside it.
//!
//! `tests/broken/<name>.yaml` is the main file, `<name>.overlay.yaml` an overlay if there is one, and
//! `<name>.txt` what is said. After a change on purpose, `DIPMO_RENEW=1 cargo test -p dipmo-config broken`
//! writes the texts anew; read the difference before you commit it.

use std::path::{Path, PathBuf};

use dipmo_config::load::Source;
use dipmo_config::{Colour, Config, Files, Problems, References};

use crate::environment::Fixed;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken")
}

/// The names of all cases.
fn names() -> Vec<String> {
    let files = std::fs::read_dir(folder()).unwrap();
    let names = files.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names
        .filter(|name| !name.ends_with(".overlay.yaml"))
        .filter_map(|name| name.strip_suffix(".yaml").map(str::to_owned))
        .collect();
    names.sort();
    names
}

fn problems(name: &str) -> (Problems, Files) {
    let read = |ending: &str| std::fs::read_to_string(folder().join(format!("{name}{ending}")));
    let main = read(".yaml").unwrap();
    let overlay = read(".overlay.yaml").ok();
    let mut sources = vec![Source { name: "dipmo.yaml", text: &main }];
    sources.extend(overlay.as_deref().map(|text| Source { name: "overlay.yaml", text }));
    match Config::from_texts(&sources, References::Resolve(&Fixed)) {
        Ok(loaded) => (loaded.check().problems, loaded.files),
        Err(rejected) => (rejected.problems, rejected.files),
    }
}

#[test]
fn broken_files_are_answered_as_their_golden_files_say() {
    let renew = std::env::var_os("DIPMO_RENEW").is_some();
    let mut wrong = Vec::new();
    for name in names() {
        let (problems, files) = problems(&name);
        let said = problems.render(&files, Colour::Never);
        assert!(!said.contains("hush"), "{name} tells a secret: {said}");
        let golden = folder().join(format!("{name}.txt"));
        if renew {
            std::fs::write(&golden, &said).unwrap();
        }
        let expected = std::fs::read_to_string(&golden).unwrap_or_default();
        if said != expected || said.is_empty() {
            wrong.push(format!("--- {name} should say\n{expected}--- and says\n{said}"));
        }
    }
    assert!(wrong.is_empty(), "{}\nDIPMO_RENEW=1 renews them", wrong.join("\n"));
}

#[test]
fn every_golden_file_has_its_broken_file() {
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let is_golden = path.extension().is_some_and(|extension| extension == "txt");
        assert!(!is_golden || path.with_extension("yaml").exists(), "{}", path.display());
    }
}
