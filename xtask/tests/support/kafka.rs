//! The Kafka that tests run on, by its state file. The crates find it by `dipmo_kafka::testing`;
//! this tool knows none of them.

use std::path::PathBuf;

use serde_json::Value;

/// The bootstrap servers: `DIPMO_TEST_KAFKA`, else what `cargo xtask services up` started. A test
/// without a broker fails: a skip would read as passed.
pub(crate) fn bootstrap_servers() -> String {
    std::env::var("DIPMO_TEST_KAFKA")
        .unwrap_or_else(|_| text(&state()["bootstrap_servers"], "bootstrap_servers"))
}

/// One of `ssl`, `mtls`, `sasl_plaintext` and `sasl_ssl` (bootstrap servers), `user`, `guest` (who
/// may do nothing), `password` (of both) and `ca` (the path of a PEM file).
pub(crate) fn secure(field: &str) -> String {
    text(&state()["secure"][field], field)
}

fn state() -> Value {
    let told = std::env::var_os("DIPMO_TEST_KAFKA_STATE").map(PathBuf::from);
    let file = told.unwrap_or_else(|| super::support::root().join("target/services/kafka.json"));
    let state = std::fs::read(&file).unwrap_or_else(|error| {
        panic!("no Kafka: run `cargo xtask services up` or set DIPMO_TEST_KAFKA_STATE ({error})")
    });
    serde_json::from_slice(&state).expect("a state file is JSON")
}

fn text(value: &Value, field: &str) -> String {
    value.as_str().unwrap_or_else(|| panic!("the state of Kafka has no {field}")).to_owned()
}
