//! The published schema of cases is that of the types, and says the same as the reader.

use std::path::Path;

use dipmo_config::cases;
use serde_json::Value;

use crate::setting::examples;

/// `DIPMO_RENEW=1 cargo test -p dipmo-config --test cases schema` writes it anew.
#[test]
fn the_published_schema_of_cases_is_that_of_the_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/cases.schema.json");
    let now = format!("{}\n", serde_json::to_string_pretty(&cases::schema()).unwrap());
    if std::env::var_os("DIPMO_RENEW").is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    let published = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(published == now, "docs/schema/cases.schema.json is old: DIPMO_RENEW=1 renews it");
}

fn json(yaml: &str) -> Value {
    serde_saphyr::from_str(yaml).unwrap()
}

#[test]
fn the_cases_of_the_examples_fit_the_schema() {
    let validator = jsonschema::draft202012::new(&cases::schema()).unwrap();
    for name in ["hits", "onboarding", "members", "orders"] {
        let text = std::fs::read_to_string(examples().join(name).join("cases.yaml")).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&json(&text))
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}");
    }
}

#[test]
fn an_editor_sees_what_is_wrong_with_a_case() {
    let validator = jsonschema::draft202012::new(&cases::schema()).unwrap();
    let case = |rest: &str| format!("dipmo: 1\ncases: [{{name: a, {rest}}}]");
    assert!(validator.is_valid(&json(&case("when: {event: E}, then: {goes: A}"))));
    for wrong in [
        "when: {event: E}",
        "then: {goes: A}",
        "when: {event: E, timer: t}, then: {goes: A}",
        "when: {event: E}, then: {goes: A, stays: duplicate}",
        "when: {event: E}, then: {}",
        "when: {event: E}, then: {stays: double}",
        "when: {event: E}, then: {goes: A, timers: [{set: t, after: 5}]}",
        "when: {evnt: E}, then: {goes: A}",
    ] {
        assert!(!validator.is_valid(&json(&case(wrong))), "{wrong}");
    }
}

#[test]
fn everything_in_a_case_is_described() {
    let schema = cases::schema();
    for (name, section) in schema["$defs"].as_object().unwrap() {
        for (key, property) in section["properties"].as_object().into_iter().flatten() {
            let said = property["description"].as_str().unwrap_or_default();
            assert!(said.len() > 3 && said.ends_with('.'), "{name}.{key}: {said:?}");
        }
        assert!(section["description"].is_string(), "{name}");
    }
}
