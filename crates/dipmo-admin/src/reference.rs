//! `docs/reference/openapi.json` is what the program says of itself.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

const RENEW: &str = "DIPMO_RENEW=1 cargo test -p dipmo-admin --lib reference";

#[test]
fn the_openapi_document_is_what_the_program_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/openapi.json");
    let (_, now) = crate::routes::all();
    if std::env::var_os("DIPMO_RENEW").is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == now, "docs/reference/openapi.json is old: `{RENEW}` renews it");
}

#[test]
fn every_type_that_is_named_is_described() {
    let (_, text) = crate::routes::all();
    let document: Value = serde_json::from_str(&text).unwrap();
    let described = document["components"]["schemas"].as_object().unwrap();
    let parts = text.split("\"#/components/schemas/").skip(1);
    let named: BTreeSet<&str> = parts.filter_map(|rest| rest.split('"').next()).collect();
    let missing: Vec<_> = named.iter().filter(|name| !described.contains_key(**name)).collect();
    assert!(missing.is_empty() && named.len() > 20, "{missing:?}");
}

#[test]
fn what_would_be_refused_is_not_in_the_document() {
    let (_, text) = crate::routes::all();
    let document: Value = serde_json::from_str(&text).unwrap();
    let schemas = &document["components"]["schemas"];
    let name = &schemas["TokenWish"]["properties"]["name"];
    assert_eq!(
        (&name["minLength"], &name["maxLength"], &name["pattern"]),
        (&1.into(), &100.into(), &"^[A-Za-z0-9._@-]+$".into())
    );
    assert_eq!(schemas["MessageFilter"]["minProperties"], 1);
    let revoke = &document["paths"]["/api/v1/tokens/{id}"]["delete"]["parameters"];
    let revoke = revoke.as_array().unwrap().iter().find(|it| it["name"] == "reason").unwrap();
    for reason in [&schemas["Said"], &revoke["schema"]] {
        let pattern = r"^[^\x00]*\S[^\x00]*$";
        assert_eq!((&reason["minLength"], &reason["pattern"]), (&1.into(), &pattern.into()));
    }
    assert_eq!(revoke["required"], true);
}
