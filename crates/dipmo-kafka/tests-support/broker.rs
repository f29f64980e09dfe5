//! Finds the Kafka that tests run on: `DIPMO_TEST_KAFKA`, else what `cargo xtask services up`
//! started.
//!
//! Tests of every crate include this file with `#[path]`, because a crate of its own would be
//! known by all of them.

use std::path::Path;

/// The bootstrap servers. A test without a broker fails: a skip would read as passed.
pub(crate) fn bootstrap_servers() -> String {
    if let Ok(servers) = std::env::var("DIPMO_TEST_KAFKA") {
        return servers;
    }
    // The workspace is one of the folders above, whichever crate this is compiled in.
    let state = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .find_map(|folder| std::fs::read(folder.join("target/services/kafka.json")).ok())
        .expect("no Kafka: run `cargo xtask services up` or set DIPMO_TEST_KAFKA");
    let state: serde_json::Value = serde_json::from_slice(&state).unwrap();
    state["bootstrap_servers"].as_str().unwrap().to_owned()
}
