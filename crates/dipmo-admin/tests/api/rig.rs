//! A store with an API on it, tokens of every role, and messages of which the engine made something.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use dipmo_admin::{App, AppOptions, Identity as Who, ProcessInfo, Role, Router, SourceInfo};
use dipmo_api::Registry;
use dipmo_domain::{Headers, InboxId};
use dipmo_inbox::{Identity, Inbox as _, NewMessage, Record, Stored};
use dipmo_processing::{Engine, EngineOptions};
use dipmo_store::{Inspect as _, Store as _, Tables, Waiting};
use dipmo_store_sqlite::{Durability, SqliteOptions, SqliteStore};
use http_body_util::BodyExt as _;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap};
use hyper::{Method, Request};
use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;
use tower::ServiceExt as _;

use crate::relay::{BAD, Order, Picky, Relay};

/// How long anything may take on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A destination of Salesforce.
pub(crate) const CONTACTS: &str = "HTTP:SFDC:Auto:Contact";

/// What nobody is to see who may not.
pub(crate) const CANARY: &str = "CANARY-4711";
/// The same in base64.
pub(crate) const CANARY_BASE64: &str = "Q0FOQVJZLTQ3MTE";

/// The API, and what is behind it.
pub(crate) struct Rig {
    folder: TempDir,
    pub(crate) store: Arc<SqliteStore>,
    registry: Arc<Registry>,
    pub(crate) app: App,
    router: Router,
    tokens: Vec<(Role, String)>,
}

/// The messages of [`Rig::new`].
pub(crate) struct World {
    /// Told itself, and asked for the outcome.
    pub(crate) told: InboxId,
    /// Sent records, of which one was refused.
    pub(crate) sent: InboxId,
    /// Was rejected.
    pub(crate) rejected: InboxId,
    /// Waits for the one that was rejected.
    pub(crate) held: InboxId,
    /// Could not be decoded.
    pub(crate) poison: InboxId,
}

impl Rig {
    /// Nothing happened yet.
    pub(crate) async fn empty() -> Self {
        Self::with(AppOptions::default()).await
    }

    pub(crate) async fn with(options: AppOptions) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("dipmo.db").display());
        let options_of_store = SqliteOptions {
            durability: Durability::Normal,
            patience: Duration::from_secs(10),
            ..SqliteOptions::new(&url)
        };
        let store = Arc::new(SqliteStore::open(options_of_store).await.unwrap());
        let registry = Arc::new(Registry::new().process(Relay).unwrap());
        store.migrate(&Tables::of(&registry)).await.unwrap();
        let process = ProcessInfo {
            name: "RELAY".to_owned(),
            states: vec!["NEW".to_owned(), "GOING".to_owned()],
            ends: Vec::new(),
        };
        let options = AppOptions {
            processes: vec![process],
            sources: vec![SourceInfo { name: "shop".to_owned(), kind: "kafka" }],
            destinations: vec!["KAFKA:known".to_owned(), CONTACTS.to_owned()],
            ..options
        };
        let app = App::new(Arc::clone(&store) as _, options);
        let router = app.router();
        let mut rig = Self { folder, store, registry, app, router, tokens: Vec::new() };
        for role in Role::ALL {
            let token = rig.token(role.as_str(), role).await;
            rig.tokens.push((role, token));
        }
        rig
    }

    /// Messages came, and the engine did what is to be done about them.
    pub(crate) async fn new() -> (Self, World) {
        let rig = Self::empty().await;
        let world = rig.live().await;
        (rig, world)
    }

    pub(crate) async fn live(&self) -> World {
        let secret = || Order { secret: CANARY.to_owned(), ..Order::default() };
        let tell = |to: &str| vec![to.to_owned()];
        let told = Order { tell: tell("INTERNAL:relay"), ask: true, ..secret() };
        let records = ["r1", BAD, "r2"].map(str::to_owned).to_vec();
        let sent = Order { tell: tell("KAFKA:out"), records, ..secret() };
        let rejected = Order { reject: true, ..secret() };
        let orders = [("O-1", &told), ("O-2", &sent), ("O-3", &rejected), ("O-3", &told)];
        let mut messages: Vec<NewMessage> = (1..)
            .zip(orders)
            .map(|(n, (aggregate, order))| order_of(n, aggregate, order))
            .collect();
        let poison = Record {
            topic: "orders".to_owned(),
            offset: 99,
            value: Some(format!("{CANARY} is no JSON").into_bytes()),
            ..Record::default()
        };
        let from_shop = Identity { source_system: "shop".to_owned(), ..Identity::default() };
        messages.push(NewMessage::from_record(&poison, &from_shop));
        // The same id with another content.
        messages.push(order_of(1, "O-1", &secret()));
        let stored = self.store.store(&messages, &[]).await.unwrap();
        assert!(matches!(stored[5], Stored::Conflict(_)));
        let id = |at: usize| match stored[at] {
            Stored::New(id) => id,
            other => panic!("{other:?}"),
        };
        self.settle().await;
        World { told: id(0), sent: id(1), rejected: id(2), held: id(3), poison: id(4) }
    }

    /// Stores orders, and lets the engine do what is to be done about them.
    pub(crate) async fn orders(&self, orders: &[(&str, Order)]) -> Vec<InboxId> {
        let messages: Vec<NewMessage> = (1_000..)
            .zip(orders)
            .map(|(n, (aggregate, order))| order_of(n, aggregate, order))
            .collect();
        let stored = self.store.store(&messages, &[]).await.unwrap();
        self.settle().await;
        let id = |stored: &Stored| match stored {
            Stored::New(id) | Stored::Duplicate(id) | Stored::Conflict(id) => *id,
        };
        stored.iter().map(id).collect()
    }

    /// Runs the engine until nothing is left that it could do.
    pub(crate) async fn settle(&self) {
        let store = Arc::clone(&self.store);
        let engine = Engine::new(store, Arc::clone(&self.registry))
            .options(EngineOptions::default())
            .publisher("KAFKA:*", Arc::new(Picky));
        let (stop, task) = (engine.stop_token(), tokio::spawn(engine.run()));
        let is_quiet = |side: &Waiting| side.ready + side.retrying == 0;
        let quiet = async {
            loop {
                let backlog = self.store.backlog().await.unwrap();
                if is_quiet(&backlog.inbox) && backlog.outbox.values().all(is_quiet) {
                    return;
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, quiet).await.expect("it never gets quiet");
        stop.cancel();
        task.await.unwrap();
    }

    /// A connection past the store, as a person has.
    pub(crate) fn connection(&self) -> Connection {
        Connection::open(self.folder.path().join("dipmo.db")).unwrap()
    }

    pub(crate) fn by_hand(&self, sql: &str) {
        self.connection().execute_batch(sql).unwrap();
    }

    /// Somebody without a token, who has the database.
    pub(crate) fn local(&self, role: Role) -> Router {
        self.app.local(Who::new("console", role))
    }

    /// Makes a token.
    pub(crate) async fn token(&self, name: &str, role: Role) -> String {
        let wish = json!({"name": name, "role": role, "days": null});
        let console = self.local(Role::Admin);
        let made = Answer::to(&console, Method::POST, "/tokens", None, Some(wish)).await;
        made.is(201)["token"].as_str().unwrap().to_owned()
    }

    /// The token of a role.
    pub(crate) fn token_of(&self, role: Role) -> &str {
        &self.tokens.iter().find(|(known, _)| *known == role).unwrap().1
    }

    pub(crate) async fn get(&self, role: Role, path: &str) -> Answer {
        self.ask(role, Method::GET, path, None).await
    }

    pub(crate) async fn post(&self, role: Role, path: &str, body: Value) -> Answer {
        self.ask(role, Method::POST, path, Some(body)).await
    }

    pub(crate) async fn ask(
        &self,
        role: Role,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Answer {
        self.ask_with(Some(self.token_of(role)), method, path, body).await
    }

    pub(crate) async fn ask_with(
        &self,
        token: Option<&str>,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Answer {
        Answer::to(&self.router, method, path, token, body).await
    }
}

/// An order of an aggregate; its number is its id. Headers and key have what nobody is to see.
fn order_of(n: i64, aggregate: &str, order: &Order) -> NewMessage {
    let record = Record {
        topic: "orders".to_owned(),
        offset: n,
        key: Some(CANARY.as_bytes().to_vec()),
        headers: Headers::default().with("trace", CANARY),
        timestamp_millis: 1_700_000_000_000,
        value: Some(serde_json::to_vec(order).unwrap()),
        ..Record::default()
    };
    let identity = Identity {
        source_system: "shop".to_owned(),
        message_id: Some(format!("M-{n}")),
        aggregate_id: Some(aggregate.to_owned()),
        event_type: Some("Order".to_owned()),
        event_version: Some(1),
        ..Identity::default()
    };
    NewMessage::from_record(&record, &identity)
}

/// What was answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
    pub(crate) body: Value,
}

impl Answer {
    /// The answer of a router to a request below `/api/v1`. Of events only the first is read.
    pub(crate) async fn to(
        router: &Router,
        method: Method,
        path: &str,
        token: Option<&str>,
        body: Option<Value>,
    ) -> Self {
        let mut request = Request::builder().method(method).uri(format!("/api/v1{path}"));
        if let Some(token) = token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        let body = match body {
            Some(body) => {
                request = request.header(CONTENT_TYPE, "application/json");
                Body::from(body.to_string())
            }
            None => Body::empty(),
        };
        Self::of(router, request.body(body).unwrap()).await
    }

    pub(crate) async fn of(router: &Router, request: Request<Body>) -> Self {
        let asked = router.clone().oneshot(request);
        let response = tokio::time::timeout(PATIENCE, asked).await.expect("no answer").unwrap();
        let (head, mut body) = response.into_parts();
        let is_events =
            head.headers.get(CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream");
        let mut bytes = Vec::new();
        while let Some(frame) = body.frame().await {
            bytes.extend_from_slice(&frame.unwrap().into_data().unwrap_or_default());
            if is_events {
                break;
            }
        }
        let text = String::from_utf8(bytes).unwrap();
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        Self { status: head.status.as_u16(), headers: head.headers, text, body }
    }

    /// The body, if the status is this.
    pub(crate) fn is(&self, status: u16) -> &Value {
        assert_eq!(self.status, status, "{}", self.text);
        &self.body
    }

    /// A problem with this status and code.
    pub(crate) fn is_problem(&self, status: u16, code: &str) -> &Value {
        assert_eq!((self.status, self.code()), (status, code), "{}", self.text);
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        assert!(self.body["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{}", self.text);
        &self.body
    }

    pub(crate) fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub(crate) fn rows(&self) -> &[Value] {
        self.is(200)["rows"].as_array().unwrap()
    }
}
