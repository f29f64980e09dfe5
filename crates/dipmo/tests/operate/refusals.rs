//! What is said when there is nothing to ask.

use crate::program::{Folder, dipmo, said};

#[track_caller]
fn refused(folder: &Folder, arguments: &[&str]) -> String {
    let output = dipmo(&folder.0, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", said(&output));
    said(&output)
}

#[test]
fn a_configuration_or_a_schema_that_is_not_there_is_named() {
    let folder = Folder::new("operate-refused");
    let told = refused(&folder, &["inbox", "list"]);
    assert!(
        told.contains("error[config-file-unreadable]") && told.contains("dipmo.yaml"),
        "{told}"
    );
    assert!(dipmo(&folder.0, &["init"]).status.success());
    let told = refused(&folder, &["inbox", "list"]);
    assert!(
        told.contains("error[schema-missing]") && told.contains("dipmo migrate apply"),
        "{told}"
    );
    let told = refused(&folder, &["inbox", "list", "--output", "json"]);
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["problems"][0]["code"], "schema-missing");
}

#[test]
fn a_noun_alone_shows_what_can_be_done() {
    let folder = Folder::new("operate-noun");
    for noun in ["inbox", "outbox", "failures", "operation", "token"] {
        assert!(refused(&folder, &[noun]).contains("Commands:\n  "), "{noun}");
    }
}
