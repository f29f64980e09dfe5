//! An environment for tests: what is set is always the same.

use std::io;
use std::path::Path;

use dipmo_config::Environment;

/// Variables and files of all tests. Every secret has the word `hush` in it.
pub(crate) struct Fixed;

impl Environment for Fixed {
    fn variable(&self, name: &str) -> io::Result<Option<String>> {
        let value = match name {
            "DATABASE_URL" => "postgres://dipmo:hush@localhost/dipmo",
            "KAFKA_BROKERS" => "localhost:9092",
            "SF_URL" => "https://acme.my.salesforce.com",
            "SF_ID" => "hush-id",
            "SF_SECRET" => "hush-secret",
            "EMPTY" => "",
            "WORD" => "hush-word",
            _ => return Ok(None),
        };
        Ok(Some(value.to_owned()))
    }

    fn file(&self, path: &Path) -> io::Result<String> {
        if path.starts_with("/run/secrets") {
            return Ok("hush-file\n".to_owned());
        }
        Err(io::Error::new(io::ErrorKind::NotFound, "there is no such file"))
    }
}
