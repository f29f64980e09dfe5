//! A small client, and a simulator to point it at.

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{HeaderMap, Request};
use hyper_util::rt::TokioIo;
use salesforce_sim::{Options, SchemaSource, Simulator};
use serde_json::{Value as Json, json};
use tokio::net::TcpStream;

/// Two users, of whom one has a token from the start, and apps for every way to log in.
pub(crate) const SCHEMA: &str = "
org:
  users:
    - { username: integration@example.com, first_name: Inte, last_name: Gration }
    - { username: other@example.com, tokens: [00D000000000001!fixed.token] }
  apps:
    - client_id: app
      client_secret: s3cret
      user: integration@example.com
      refresh_tokens: [refresh-1]
      certificate: tests/server/keys/app.crt.pem
    - { client_id: bare, user: other@example.com, certificate: tests/server/keys/other.pub.pem }
    - { client_id: nobody, client_secret: s3cret }
";

pub(crate) const DATA: &str = "/services/data/v62.0";

/// A simulator and somebody who is logged in.
pub(crate) struct Test {
    pub(crate) simulator: Simulator,
    pub(crate) token: String,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// A request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ask<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) headers: &'a [(&'a str, &'a str)],
    pub(crate) body: Bytes,
}

impl Test {
    /// With the schema of this file and more of it.
    pub(crate) async fn start(more: &str) -> Self {
        let schema = SchemaSource::Text(format!("{SCHEMA}{more}"));
        let simulator = Simulator::start(Options { schema, ..Options::default() }).await.unwrap();
        let mut test = Test { simulator, token: String::new() };
        let form = "grant_type=client_credentials&client_id=app&client_secret=s3cret";
        let login = test.login(form).await;
        test.token = login.json()["access_token"].as_str().unwrap().to_owned();
        test
    }

    /// Asks the token endpoint.
    pub(crate) async fn login(&self, form: &str) -> Reply {
        self.form("/services/oauth2/token", form, &[]).await
    }

    /// Sends a form.
    pub(crate) async fn form(&self, path: &str, form: &str, more: &[(&str, &str)]) -> Reply {
        let mut headers = vec![("content-type", "application/x-www-form-urlencoded")];
        headers.extend(more);
        let body = Bytes::copy_from_slice(form.as_bytes());
        self.send(&Ask { method: "POST", path, headers: &headers, body }).await.unwrap()
    }

    /// Calls the API with the token and, if there is one, a JSON body.
    pub(crate) async fn call(&self, method: &str, path: &str, body: Json) -> Reply {
        self.try_call(method, path, body).await.unwrap()
    }

    pub(crate) async fn try_call(
        &self,
        method: &str,
        path: &str,
        body: Json,
    ) -> Result<Reply, hyper::Error> {
        let bearer = format!("Bearer {}", self.token);
        let headers = [("authorization", bearer.as_str()), ("content-type", "application/json")];
        let body = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
        let path = format!("{DATA}{path}");
        self.send(&Ask { method, path: &path, headers: &headers, body }).await
    }

    /// Uploads the data of a job.
    pub(crate) async fn put_csv(&self, path: &str, csv: &str) -> Reply {
        let bearer = format!("Bearer {}", self.token);
        let headers = [("authorization", bearer.as_str()), ("content-type", "text/csv")];
        let (path, body) = (format!("{DATA}{path}"), Bytes::copy_from_slice(csv.as_bytes()));
        self.send(&Ask { method: "PUT", path: &path, headers: &headers, body }).await.unwrap()
    }

    /// Upserts a contact by its external id.
    pub(crate) async fn upsert(&self, key: &str, version: u32) -> Result<Reply, hyper::Error> {
        let path = format!("/sobjects/Contact/ExternalId__c/{key}");
        self.try_call("PATCH", &path, json!({ "LastName": "L", "Version__c": version })).await
    }

    /// Asks the simulator itself.
    pub(crate) async fn sim(&self, method: &str, path: &str, body: Json) -> Reply {
        let headers = [("content-type", "application/json")];
        let body = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
        let path = format!("/__sim{path}");
        self.send(&Ask { method, path: &path, headers: &headers, body }).await.unwrap()
    }

    /// Sets rules, which have to be right.
    pub(crate) async fn faults(&self, rules: Json) {
        let reply = self.sim("POST", "/faults", json!({ "rules": rules })).await;
        assert_eq!(reply.status, 204, "{}", reply.text());
    }

    /// How often a contact was applied, and the versions in order.
    pub(crate) async fn applied(&self, key: &str) -> (u64, Vec<Json>) {
        let Some(entry) = self.ledger(key).await else { return (0, vec![]) };
        let versions = entry["tracked"].as_array().unwrap();
        let versions = versions.iter().map(|tracked| tracked["Version__c"].clone()).collect();
        (entry["applied"].as_u64().unwrap(), versions)
    }

    /// The ledger's entry of a contact.
    pub(crate) async fn ledger(&self, key: &str) -> Option<Json> {
        let ledger = self.sim("GET", "/ledger?object=Contact", Json::Null).await.json();
        let mut entries = ledger["entries"].as_array().unwrap().iter();
        entries.find(|entry| entry["key"] == key).cloned()
    }

    /// On a connection of its own.
    pub(crate) async fn send(&self, ask: &Ask<'_>) -> Result<Reply, hyper::Error> {
        let stream = TcpStream::connect(("127.0.0.1", self.simulator.port())).await.unwrap();
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        let connection = tokio::spawn(connection);
        let host = format!("127.0.0.1:{}", self.simulator.port());
        let mut request = Request::builder().method(ask.method).uri(ask.path);
        if ask.headers.iter().all(|(name, _)| *name != "host") {
            request = request.header("host", host);
        }
        for (name, value) in ask.headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(ask.body.clone())).unwrap();
        let response = sender.send_request(request).await?;
        let (parts, body) = response.into_parts();
        let body = body.collect().await?.to_bytes();
        drop(sender);
        let _ = connection.await;
        Ok(Reply { status: parts.status.as_u16(), headers: parts.headers, body })
    }
}

impl Reply {
    pub(crate) fn json(&self) -> Json {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.text()))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The code and the words of a refusal.
    pub(crate) fn refusal(&self) -> (u16, String, String) {
        let json = self.json();
        let text = |name: &str| json[0][name].as_str().unwrap_or_default().to_owned();
        (self.status, text("errorCode"), text("message"))
    }
}
