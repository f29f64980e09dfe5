//! Overlays change what the files before them say.

use dipmo_config::load::Source;
use dipmo_config::{Config, Loaded, References};

use crate::environment::Fixed;

const MAIN: &str = "\
dipmo: 1
store: {sqlite: ./dipmo.db, patience: 5s}
tables:
  A: {columns: {ID: 'text(5), required', B: integer}, key: [ID, B]}
engine: {workers: {min: 1, max: 2}}
";

fn with(overlays: &[&str]) -> Loaded {
    let mut sources = vec![Source { name: "dipmo.yaml", text: MAIN }];
    sources.extend(overlays.iter().map(|text| Source { name: "overlay.yaml", text }));
    Config::from_texts(&sources, References::Resolve(&Fixed)).unwrap()
}

#[test]
fn maps_are_merged_and_all_else_is_replaced() {
    let loaded = with(&["engine: {workers: {max: 9}}\ntables: {A: {key: ID}}\n"]);
    let workers = loaded.config.engine.unwrap().workers.unwrap();
    assert_eq!((workers.min.unwrap().value, workers.max.unwrap().get()), (1, 9));
    let table = loaded.config.tables.get("A").unwrap();
    assert_eq!((table.key.len(), table.columns.len()), (1, 2));
    assert_eq!(loaded.files.name(workers.max.unwrap().place.file), "overlay.yaml");
    assert_eq!(loaded.files.name(workers.min.unwrap().place.file), "dipmo.yaml");
}

#[test]
fn null_removes_and_the_last_overlay_wins() {
    let loaded = with(&[
        "store: {sqlite: null, postgres: '${env:DATABASE_URL}'}\n",
        "store: {patience: 9s, postgres: postgres://localhost/x}\n",
    ]);
    let store = loaded.config.store.unwrap();
    assert!(store.sqlite.is_none());
    assert_eq!(store.postgres.unwrap().expose(), "postgres://localhost/x");
    assert_eq!(store.patience.unwrap().as_secs(), 9);
}

#[test]
fn an_empty_overlay_changes_nothing() {
    assert!(with(&["# nothing\n", ""]).config.store.is_some());
}
