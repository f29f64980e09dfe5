//! Operators beside a running pipeline: who is let in, and what they asked for survives a death.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use tokio_postgres::Client as Database;

use crate::service::{PATIENCE, Producer, Service, dipmo, example, file, free_address, said};
use crate::stage::Stage;

const FAILED: &str = "select count(*) from inbox_exception where status = 'FAILED'";

/// How often operators retried each message that failed: how many messages, the least and the most.
const RETRIED: &str = "select count(*), min(retried), max(retried) from inbox_exception \
                       where status = 'FAILED' and attempts > 0";

fn messages() -> i64 {
    let full = std::env::var("DIPMO_TEST_FULL").as_deref() == Ok("1");
    if full { 100_000 } else { 2_000 }
}

/// What operators see of an instance, with a token or without.
struct Api {
    client: Client,
    base: String,
    token: Option<String>,
}

impl Api {
    fn of(address: SocketAddr, token: Option<String>) -> Self {
        // The client wants a provider, also for what it says in plain text; a second one is refused.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self { client: Client::new(), base: format!("http://{address}/api/v1"), token }
    }

    async fn get(&self, path: &str) -> Option<(StatusCode, Value)> {
        self.answer(self.client.get(format!("{}{path}", self.base))).await
    }

    async fn post(&self, path: &str, body: &Value) -> (StatusCode, Value) {
        let request = self.client.post(format!("{}{path}", self.base));
        let request = request.header("content-type", "application/json").body(body.to_string());
        self.answer(request).await.unwrap()
    }

    /// `None` when nobody answers.
    async fn answer(&self, request: reqwest::RequestBuilder) -> Option<(StatusCode, Value)> {
        let request = match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        };
        let response = request.send().await.ok()?;
        let status = response.status();
        let text = response.text().await.ok()?;
        Some((status, serde_json::from_str(&text).unwrap_or_default()))
    }

    /// Asks for an operation until it is as wanted.
    async fn until(&self, id: &Value, wanted: impl Fn(&Value) -> bool) -> Value {
        let began = Instant::now();
        loop {
            let answer = self.get(&format!("/operations/{id}")).await;
            match answer {
                Some((StatusCode::OK, operation)) if wanted(&operation) => return operation,
                other => assert!(began.elapsed() < PATIENCE, "not as wanted: {other:?}"),
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// A token that the command line makes, from the database itself.
fn token(stage: &Stage, name: &str, role: &str) -> String {
    let config = example("hits").display().to_string();
    let words = ["token", "make", name, "--role", role, "--days", "1", "--config"];
    let mut make = dipmo(&[&words[..], &[config.as_str(), "--output", "json"]].concat());
    let made = make.envs(stage.variables()).output().unwrap();
    assert_eq!(made.status.code(), Some(0), "{}", said(&made));
    let made: Value = serde_json::from_slice(&made.stdout).unwrap();
    made["token"].as_str().unwrap().to_owned()
}

fn send_what_fails(stage: &Stage, messages: i64) {
    let producer = Producer::new(stage.brokers());
    for number in 0..messages {
        let hit = format!("H-{number}");
        // Nobody has heard of the hit, and no version says that something is missing.
        let event = json!({"id": hit, "hitId": hit, "type": "HitAssessed", "positive": true});
        producer.send("notification-126", &hit, &event);
    }
    producer.flush();
}

async fn retried(client: &Database) -> (i64, i32, i32) {
    let row = client.query_one(RETRIED, &[]).await.unwrap();
    (row.get(0), row.get(1), row.get(2))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bulk_retry_goes_on_after_a_kill_and_touches_each_message_once() {
    let stage = Stage::set(3).await;
    let variables = stage.variables();
    let address = free_address();
    let overlay = format!(
        "admin: {{listen: '{address}'}}\n\
         sources: {{ihub: {{properties: {{session.timeout.ms: 6000}}}}}}\n"
    );
    let overlay = file("run-operators.yaml", &overlay);
    let client = stage.database.client().await;
    let wanted = messages();
    send_what_fails(&stage, wanted);
    let mut first = Service::start("hits", &overlay, &variables);
    first.until_at_least(&client, wanted, FAILED).await;

    let (viewer, operator) = (token(&stage, "eve", "viewer"), token(&stage, "ann", "operator"));
    let nobody = Api::of(address, None);
    assert_eq!(nobody.get("/messages").await.unwrap().0, StatusCode::UNAUTHORIZED);
    let (viewer, operator) = (Api::of(address, Some(viewer)), Api::of(address, Some(operator)));
    let (status, groups) = viewer.get("/failures").await.unwrap();
    assert_eq!(status, StatusCode::OK, "{groups}");
    assert!(groups.to_string().contains("HIT_OUT_OF_ORDER"), "{groups}");

    // Slow enough to be killed in the middle.
    let mut ask = json!({
        "act": "retry", "target": {"messages": {"code": "HIT_OUT_OF_ORDER"}},
        "per_second": wanted / 5, "reason": "the rule was mended", "dry_run": true,
    });
    assert_eq!(viewer.post("/operations", &ask).await.0, StatusCode::FORBIDDEN);
    let (_, preview) = operator.post("/operations", &ask).await;
    assert_eq!(preview["preview"]["items"], wanted, "{preview}");
    assert_eq!(retried(&client).await, (wanted, 0, 0), "a dry run changes nothing");
    ask["dry_run"] = json!(false);
    let (status, begun) = operator.post("/operations", &ask).await;
    assert_eq!(status, StatusCode::ACCEPTED, "{begun}");
    let id = &begun["operation"]["id"];

    let met = |operation: &Value| operation["met"].as_i64().unwrap();
    operator.until(id, |operation| met(operation) > wanted / 4).await;
    first.kill();
    let row = client.query_one("select met, items from dipmo_operation", &[]).await.unwrap();
    let (half, items): (i64, i64) = (row.get(0), row.get(1));
    assert!(half < items, "it was killed in the middle: {half} of {items}");

    let second = Service::start("hits", &overlay, &variables);
    let ended = operator.until(id, |operation| operation["state"] == "ENDED").await;
    assert_eq!((met(&ended), ended["done"].as_i64()), (wanted, Some(wanted)), "{ended}");
    assert_eq!(ended["results"], json!({"DONE": wanted}));
    // Each was tried again, failed again, and was retried once.
    let began = Instant::now();
    while retried(&client).await != (wanted, 1, 1) {
        assert!(began.elapsed() < PATIENCE, "{:?}", retried(&client).await);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let (_, audit) = operator.get("/audit?action=operation.begin").await.unwrap();
    let entries = audit["rows"].as_array().unwrap();
    assert_eq!((entries.len(), &entries[0]["actor"]), (1, &json!("ann")), "{audit}");
    second.ends_well();
}
