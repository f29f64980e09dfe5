//! A store, a source that runs on it, and a client.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use dipmo_inbound::{Inbound, Rules};
use dipmo_inbox::{Inbox, InboxRow};
use dipmo_source_http::{Auth, HttpOptions, HttpSource, KeyRule, PathOptions, Tokens};
use dipmo_store::{Inspect as _, Store as _, Tables};
use dipmo_store_sqlite::{Durability, SqliteOptions, SqliteStore};
use reqwest::header::HeaderMap;
use reqwest::{Client, RequestBuilder};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How long anything may take on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) const SHOP: &str = "the-token-of-the-shop";
pub(crate) const TILL: &str = "the-token-of-the-till";

/// Waits until something is so.
pub(crate) async fn until(mut so: impl FnMut() -> bool) {
    let waits = async {
        while !so() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, waits).await.expect("it is never so");
}

/// A file with a database that goes with its test.
pub(crate) struct Folder(pub(crate) TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A connection past the store, as a person has.
    pub(crate) fn look(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.0.path().join("dipmo.db")).unwrap()
    }

    pub(crate) async fn store(&self) -> Arc<SqliteStore> {
        let url = format!("sqlite:{}", self.0.path().join("dipmo.db").display());
        let options = SqliteOptions {
            durability: Durability::Normal,
            patience: Duration::from_millis(300),
            ..SqliteOptions::new(&url)
        };
        let store = SqliteStore::open(options).await.unwrap();
        store.migrate(&Tables::default()).await.unwrap();
        Arc::new(store)
    }
}

/// All messages, oldest first.
pub(crate) async fn rows(store: &SqliteStore) -> Vec<InboxRow> {
    let mut rows = store.inbox_rows(10_000).await.unwrap();
    rows.reverse();
    rows
}

/// A shop and a till, which post orders by a schema, and notes of any kind without a key.
pub(crate) fn options() -> HttpOptions {
    let mut tokens = Tokens::default();
    tokens.add("shop", SHOP).unwrap();
    tokens.add("till", TILL).unwrap();
    let mut options =
        HttpOptions::new(SocketAddr::from(([127, 0, 0, 1], 0)), Auth::Tokens(tokens), "web");
    let mut orders = PathOptions::new("/orders/publish");
    orders.schema = Some(json!({
        "type": "object",
        "required": ["orderId"],
        "properties": {"orderId": {"type": "string"}, "quantity": {"type": "integer", "minimum": 1}},
    }));
    orders.headers = vec!["traceparent".to_owned()];
    orders.body_limit = 10_000;
    let mut notes = PathOptions::new("/notes");
    notes.key = KeyRule::Optional;
    options.paths = vec![orders, notes];
    options
}

pub(crate) fn inbound() -> Inbound {
    let rules = Rules {
        aggregate_id: "json:/orderId".parse().unwrap(),
        source_system: "const:web".parse().unwrap(),
        ..Rules::default()
    };
    Inbound::new("web").topic("http:/orders/publish", rules).unwrap()
}

/// A source that runs.
pub(crate) struct Running {
    pub(crate) source: Arc<HttpSource>,
    pub(crate) address: SocketAddr,
    pub(crate) client: Client,
    pub(crate) stop: CancellationToken,
    pub(crate) task: JoinHandle<()>,
}

impl Running {
    pub(crate) async fn new(options: HttpOptions, inbox: Arc<dyn Inbox>) -> Self {
        Self::of(HttpSource::new(options, inbound(), inbox).unwrap()).await
    }

    pub(crate) async fn of(source: HttpSource) -> Self {
        let (source, stop) = (Arc::new(source), CancellationToken::new());
        let runs = Arc::clone(&source);
        let token = stop.clone();
        let task = tokio::spawn(async move { runs.run(token).await.unwrap() });
        let address = tokio::time::timeout(PATIENCE, source.address()).await.unwrap();
        Self { source, address, client: client(), stop, task }
    }

    /// A request of the shop.
    pub(crate) fn post(&self, path: &str, key: Option<&str>, body: &str) -> RequestBuilder {
        self.post_as(SHOP, path, key, body)
    }

    pub(crate) fn post_as(
        &self,
        token: &str,
        path: &str,
        key: Option<&str>,
        body: &str,
    ) -> RequestBuilder {
        let request = self.client.post(format!("http://{}{path}", self.address));
        let request = request.bearer_auth(token).header("content-type", "application/json");
        let request = request.body(body.to_owned());
        key.into_iter().fold(request, |request, key| request.header("idempotency-key", key))
    }

    pub(crate) fn get_as(&self, token: &str, path: &str) -> RequestBuilder {
        self.client.get(format!("http://{}{path}", self.address)).bearer_auth(token)
    }

    pub(crate) async fn stop(self) {
        self.stop.cancel();
        tokio::time::timeout(PATIENCE, self.task).await.unwrap().unwrap();
    }
}

/// What was answered.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) async fn to(request: RequestBuilder) -> Self {
        let response = request.timeout(PATIENCE).send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = response.text().await.unwrap();
        let body = serde_json::from_str(&body).unwrap_or(Value::String(body));
        Self { status, headers, body }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub(crate) fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }
}

/// A client that trusts nobody: it talks in plain text.
pub(crate) fn client() -> Client {
    let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    Client::builder().tls_backend_preconfigured(tls).no_proxy().build().unwrap()
}
