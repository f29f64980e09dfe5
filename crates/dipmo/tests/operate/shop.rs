//! A shop whose orders came through, or are stuck: the pipeline of `dipmo init`, worked through by an engine that is
//! gone by the time somebody looks.

use std::path::Path;
use std::process::Output;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use dipmo::wiring::rehearsal::record;
use dipmo::wiring::{OnSchema, Pipeline};
use dipmo_config::{Config, ProcessEnvironment, References};
use dipmo_domain::Failure;
use dipmo_inbox::NewMessage;
use dipmo_outbox::{Delivery, Published, Publisher};
use dipmo_processing::{Engine, Role};
use dipmo_store::admin::{Operable, SloCount};
use serde_json::Value;

use crate::program::{Folder, dipmo, said};

/// Nothing here takes so long unless it hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// What came, in this order: messages 1 to 6.
///
/// | message | what becomes of it |
/// |---|---|
/// | 1, 2 | an order that is placed and paid; what it tells is refused by Kafka |
/// | 3 | FAILED, ORDER_UNKNOWN |
/// | 4 | held behind 3 |
/// | 5 | FAILED, ORDER_UNKNOWN |
/// | 6 | SERDE_ERROR |
const RECORDS: &str = r#"
{"topic": "orders", "key": "O-1", "value": {"id": "E-1", "type": "OrderPlaced", "orderId": "O-1", "customer": "Ada"}}
{"topic": "orders", "key": "O-1", "value": "{\"id\":\"E-2\", \"type\":\"OrderPaid\", \"orderId\":\"O-1\", \"amount\":12.50}"}
{"topic": "orders", "key": "O-2", "value": {"id": "E-3", "type": "OrderPaid", "orderId": "O-2", "amount": 7.25}}
{"topic": "orders", "key": "O-2", "value": {"id": "E-4", "type": "OrderPaid", "orderId": "O-2", "amount": 8}}
{"topic": "orders", "key": "O-3", "value": {"id": "E-5", "type": "OrderPaid", "orderId": "O-3", "amount": 3}}
{"topic": "orders", "key": "O-4", "value": "no JSON"}
"#;

/// The folder of its pipeline.
pub(crate) struct Shop(pub(crate) Folder);

impl Shop {
    /// On a database of its own in a file.
    pub(crate) async fn open(name: &str) -> Self {
        let folder = Folder::new(name);
        let store = format!("sqlite: {}", folder.0.join("dipmo.db").display());
        Self::on(folder, &store).await
    }

    /// On any database.
    pub(crate) async fn on(folder: Folder, store: &str) -> Self {
        assert!(dipmo(&folder.0, &["init"]).status.success());
        let file = folder.read("dipmo.yaml");
        let written = "sqlite: ${env:DIPMO_DB:-./dipmo.db}";
        assert_eq!(file.matches(written).count(), 1, "{file}");
        folder.write("dipmo.yaml", &file.replace(written, store));
        let shop = Self(folder);
        shop.receive(RECORDS).await;
        shop
    }

    /// Stores what comes, and works until nothing goes on by itself.
    pub(crate) async fn receive(&self, records: &str) {
        let pipeline = pipeline(&self.0.0);
        let store = pipeline.open(OnSchema::Apply, PATIENCE).await.unwrap();
        let decode = |(line, offset)| {
            let record = record(line, offset).unwrap();
            pipeline.sources()[0].inbound.decode(record).message
        };
        let lines = records.lines().filter(|line| !line.is_empty());
        let messages: Vec<NewMessage> = lines.zip(0..).map(decode).collect();
        store.store(&messages, &[]).await.unwrap();
        // One after the other: what fails last is always the same.
        for roles in [&[Role::Process, Role::Upkeep][..], &[Role::Publish]] {
            let engine = Engine::new(Arc::clone(&store) as _, Arc::clone(pipeline.registry()))
                .options(pipeline.engine_options().clone())
                .publisher("KAFKA:*", Arc::new(Closed));
            let stop = engine.stop_token();
            let working = tokio::spawn(engine.run_roles(roles));
            until_nothing_goes_on(&*store, roles).await;
            stop.cancel();
            working.await.unwrap();
        }
    }

    /// Adds what instances counted of what was promised.
    pub(crate) async fn counts(&self, counts: &[SloCount]) {
        let store = pipeline(&self.0.0).open(OnSchema::Apply, PATIENCE).await.unwrap();
        store.add_slo(counts).await.unwrap();
    }

    /// What the program answers.
    pub(crate) fn types(&self, arguments: &[&str]) -> Output {
        dipmo(&self.0.0, arguments)
    }

    /// Both streams of a command that ends so.
    #[track_caller]
    pub(crate) fn says(&self, code: i32, arguments: &[&str]) -> String {
        let output = self.types(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", said(&output));
        said(&output)
    }

    /// The JSON of a command that ends well.
    #[track_caller]
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let output = self.types(&[arguments, &["--output", "json"]].concat());
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", said(&output));
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.lines().count(), 1, "{arguments:?}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    /// The status of a message.
    #[track_caller]
    pub(crate) fn status(&self, message: &str) -> String {
        self.json(&["inbox", "show", message])["status"].as_str().unwrap().to_owned()
    }

    /// The group of failures that the messages with ORDER_UNKNOWN are in.
    pub(crate) fn unknown_orders(&self) -> String {
        let groups = self.json(&["failures", "list"]);
        let mut groups = groups["rows"].as_array().unwrap().iter();
        let group = groups.find(|group| group["code"] == "ORDER_UNKNOWN").unwrap();
        group["fingerprint"].as_str().unwrap().to_owned()
    }
}

fn pipeline(folder: &Path) -> Pipeline {
    let references = References::Resolve(&ProcessEnvironment);
    let loaded = Config::load(&folder.join("dipmo.yaml"), &[], references).unwrap();
    Pipeline::assemble(&loaded).unwrap()
}

async fn until_nothing_goes_on(store: &dyn Operable, roles: &[Role]) {
    let began = Instant::now();
    loop {
        let backlog = store.backlog().await.unwrap();
        let delivers = roles.contains(&Role::Publish);
        let outbox = backlog.outbox.values().filter(|_| delivers);
        if outbox.chain([&backlog.inbox]).all(|side| side.ready + side.retrying == 0) {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "it goes on and on: {backlog:?}");
        tokio::task::yield_now().await;
    }
}

/// A Kafka that takes nothing.
struct Closed;

#[async_trait]
impl Publisher for Closed {
    async fn publish(&self, deliveries: &[Delivery]) -> Vec<Published> {
        let refused =
            || Published::Refused(Failure::new("TOPIC_CLOSED", "topic order-events takes nothing"));
        deliveries.iter().map(|_| refused()).collect()
    }
}
