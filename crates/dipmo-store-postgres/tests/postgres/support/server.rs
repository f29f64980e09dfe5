//! Finds the PostgreSQL that tests run on: `DIPMO_TEST_POSTGRES` (and `_18`), else what
//! `cargo xtask services up` started.

use std::path::Path;

/// A server by its major version.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Server(pub(crate) u16);

impl Server {
    /// The URL of a role that may create databases. A test without a server fails: a skip would
    /// read as passed.
    pub(crate) fn url(self) -> String {
        let version = self.0;
        let variable = match version {
            15 => "DIPMO_TEST_POSTGRES".to_owned(),
            newer => format!("DIPMO_TEST_POSTGRES_{newer}"),
        };
        if let Ok(url) = std::env::var(&variable) {
            return url;
        }
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("../../target/services/postgres-{version}.json"));
        let state = std::fs::read_to_string(&file).unwrap_or_else(|error| {
            panic!(
                "no PostgreSQL {version}: run `cargo xtask services up --postgres {version}` \
                 or set {variable} ({error})"
            )
        });
        let state: serde_json::Value = serde_json::from_str(&state).unwrap();
        state["url"].as_str().unwrap().to_owned()
    }
}
