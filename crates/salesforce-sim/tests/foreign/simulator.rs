//! The simulator as a program of its own, and what it tells about itself.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::keys::Keys;
use crate::ledger::Ledger;

pub(crate) const CLIENT_ID: &str = "3MVG9conformance";
pub(crate) const CLIENT_SECRET: &str = "no-secret-of-anybody";
pub(crate) const REFRESH_TOKEN: &str = "5Aep861conformance";
pub(crate) const USERNAME: &str = "integration@conformance.example";
pub(crate) const ORG_NAME: &str = "Conformance Ltd";

const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";

/// A simulator that ends with this value.
pub(crate) struct Simulator {
    process: Child,
    pub(crate) url: String,
    pub(crate) keys: Keys,
}

impl Simulator {
    /// Starts one with the standard objects, an external id of which several records may have the
    /// same, and one app that may log in in every way.
    pub(crate) fn start() -> Self {
        let keys = Keys::new();
        let legacy = json!({ "type": "string", "length": 20, "external_id": true });
        let schema = json!({
            "org": {
                "name": ORG_NAME,
                "users": [{ "username": USERNAME }],
                "apps": [{
                    "client_id": CLIENT_ID,
                    "client_secret": CLIENT_SECRET,
                    "certificate": keys.certificate(),
                    "user": USERNAME,
                    "refresh_tokens": [REFRESH_TOKEN],
                }],
            },
            "objects": { "Contact": { "fields": { "Legacy__c": legacy } } },
        });
        // JSON is YAML too.
        let schema = keys.beside("schema.yaml", &schema.to_string());
        let mut command = Command::new(env!("CARGO_BIN_EXE_salesforce-sim"));
        command.args(["--port", "0", "--schema"]).arg(schema).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        Simulator { process, url: told["url"].as_str().unwrap().to_owned(), keys }
    }

    /// What was applied to this object, by its external id.
    pub(crate) fn ledger(&self, object: &str) -> Ledger {
        Ledger::read(&self.call("GET", &format!("/__sim/ledger?object={object}"), JSON, ""))
    }

    /// How often a client asked for a session.
    pub(crate) fn logins(&self) -> usize {
        let answer = self.call("GET", "/__sim/calls?api=oauth", JSON, "");
        answer["calls"].as_array().unwrap().len()
    }

    /// A session of the app's user.
    pub(crate) fn access_token(&self) -> String {
        let form = format!(
            "grant_type=client_credentials&client_id={CLIENT_ID}&client_secret={CLIENT_SECRET}"
        );
        let answer = self.call("POST", "/services/oauth2/token", FORM, &form);
        answer["access_token"].as_str().unwrap().to_owned()
    }

    /// Lets the simulator fail by these rules.
    pub(crate) fn set_faults(&self, rules: &Value) {
        self.call("POST", "/__sim/faults", JSON, &json!({ "rules": rules }).to_string());
    }

    /// HTTP/1.0, in which an answer ends with its connection.
    fn call(&self, method: &str, path: &str, content_type: &str, body: &str) -> Value {
        let address = self.url.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\nHost: {address}\r\nContent-Type: {content_type}\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let is_good = head.split(' ').nth(1).is_some_and(|status| status.starts_with('2'));
        assert!(is_good, "{method} {path} answers {answer}");
        serde_json::from_str(body).unwrap_or(Value::Null)
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
