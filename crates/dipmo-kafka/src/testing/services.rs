//! Finds what `cargo xtask services up` started.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// The listeners of the test cluster that ask for more than an address.
#[derive(Clone, Debug)]
pub struct Secure {
    /// With TLS alone.
    pub ssl: String,
    /// With a login: PLAIN, SCRAM-SHA-256 and -512, or an unsigned OAUTHBEARER token.
    pub sasl_plaintext: String,
    /// With a login over TLS.
    pub sasl_ssl: String,
    /// A user that may do everything.
    pub user: String,
    /// A user that may log in and do nothing.
    pub guest: String,
    /// The password of both.
    pub password: String,
    /// Who signed all certificates.
    pub ca: PathBuf,
    /// With TLS and a certificate of the client.
    pub mtls: String,
    /// The certificate of the user.
    pub client_certificate: PathBuf,
    /// Its key.
    pub client_key: PathBuf,
    /// What the key is encrypted with.
    pub client_key_password: String,
}

/// The broker that tests run on: `DIPMO_TEST_KAFKA`, else what `cargo xtask services up` started.
/// A test without a broker fails: a skip would read as passed.
#[must_use]
pub fn brokers() -> String {
    std::env::var("DIPMO_TEST_KAFKA").unwrap_or_else(|_| {
        let hint = "run `cargo xtask services up` or set DIPMO_TEST_KAFKA";
        text(&state(hint), "bootstrap_servers")
    })
}

/// The other listeners, which only a cluster of `cargo xtask services up` is known to have.
#[must_use]
pub fn secure() -> Secure {
    let state = state("logins are tested on what `cargo xtask services up` starts");
    let secure = &state["secure"];
    Secure {
        ssl: text(secure, "ssl"),
        sasl_plaintext: text(secure, "sasl_plaintext"),
        sasl_ssl: text(secure, "sasl_ssl"),
        user: text(secure, "user"),
        guest: text(secure, "guest"),
        password: text(secure, "password"),
        ca: text(secure, "ca").into(),
        mtls: text(secure, "mtls"),
        client_certificate: text(secure, "client_certificate").into(),
        client_key: text(secure, "client_key").into(),
        client_key_password: text(secure, "client_key_password"),
    }
}

/// The folder with the jars of a broker.
pub(super) fn jars() -> PathBuf {
    text(&state("a broker is made of what `cargo xtask services up` fetched"), "jars").into()
}

fn state(hint: &str) -> Value {
    let told = std::env::var_os("DIPMO_TEST_KAFKA_STATE").map(PathBuf::from);
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/services/kafka.json");
    let file = told.unwrap_or(here);
    let state =
        std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("no Kafka: {hint} ({error})"));
    serde_json::from_str(&state).expect("a state file is JSON")
}

fn text(state: &Value, field: &str) -> String {
    let text = state[field].as_str().unwrap_or_else(|| panic!("the state of Kafka has no {field}"));
    text.to_owned()
}
