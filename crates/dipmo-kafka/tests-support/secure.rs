//! How to reach the Kafka that tests run on with TLS and with a login: the file that
//! `DIPMO_TEST_KAFKA_STATE` names, else the one that `cargo xtask services up` wrote.

use std::path::{Path, PathBuf};

/// One of `ssl`, `sasl_plaintext` and `sasl_ssl` (bootstrap servers), `user`, `guest` (who may do
/// nothing), `password` (of both) and `ca` (the path of a PEM file).
pub(crate) fn secure(field: &str) -> String {
    // The workspace is one of the folders above, whichever crate this is compiled in.
    let state = std::env::var_os("DIPMO_TEST_KAFKA_STATE")
        .map(PathBuf::from)
        .into_iter()
        .chain(above("target/services/kafka.json"))
        .find_map(|file| std::fs::read(file).ok())
        .expect(
            "no Kafka with TLS and logins: run `cargo xtask services up` \
             or set DIPMO_TEST_KAFKA_STATE to a file like target/services/kafka.json",
        );
    let state: serde_json::Value = serde_json::from_slice(&state).unwrap();
    let found = state["secure"][field].as_str();
    found.unwrap_or_else(|| panic!("the state of Kafka has no secure.{field}")).to_owned()
}

fn above(path: &str) -> impl Iterator<Item = PathBuf> {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(move |folder| folder.join(path))
}
