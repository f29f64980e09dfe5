//! A database that fails over just after a letter was brought back, and has forgotten that.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use dipmo_domain::{DedupeKey, Headers, InboxStatus, StoreError};
use dipmo_inbound::{Inbound, Rules};
use dipmo_inbox::{
    BroughtBack, Inbox, NewMessage, Returned, SourceOffset, SourceRange, Stored, Whereabouts,
    dead_letter,
};
use dipmo_kafka::testing;
use dipmo_source_kafka::{KafkaSource, SourceOptions};
use dipmo_store::Inspect as _;
use dipmo_store_postgres::PostgresStore;
use rdkafka::message::{Header, OwnedHeaders};

use crate::database::Database;
use crate::rig::{Rig, Running};

/// A PostgreSQL that fails over once, to a standby from before the letters were brought back.
struct FailingOver {
    store: Arc<PostgresStore>,
    database: Arc<Database>,
    done: AtomicBool,
}

#[async_trait]
impl Inbox for FailingOver {
    async fn store(
        &self,
        messages: &[NewMessage],
        ranges: &[SourceRange],
    ) -> Result<Vec<Stored>, StoreError> {
        self.store.store(messages, ranges).await
    }

    async fn begin(&self, offsets: &[SourceOffset]) -> Result<(), StoreError> {
        self.store.begin(offsets).await
    }

    async fn bring_back(&self, letters: &[Returned]) -> Result<Vec<BroughtBack>, StoreError> {
        if self.done.load(Ordering::SeqCst) {
            return self.store.bring_back(letters).await;
        }
        self.database.snapshot().await;
        // Whoever was connected was thrown out.
        let answers = loop {
            match self.store.bring_back(letters).await {
                Ok(answers) => break answers,
                Err(StoreError::Unreachable { .. }) => tokio::task::yield_now().await,
                Err(error) => return Err(error),
            }
        };
        self.database.set_back().await;
        self.done.store(true, Ordering::SeqCst);
        Ok(answers)
    }

    async fn offsets(&self, group: &str) -> Result<Vec<SourceOffset>, StoreError> {
        self.store.offsets(group).await
    }

    async fn whereabouts(
        &self,
        keys: &[DedupeKey],
    ) -> Result<Vec<Option<Whereabouts>>, StoreError> {
        self.store.whereabouts(keys).await
    }
}

/// A source that finds ids by a rule, mirrors what has none, and takes letters back.
fn start(rig: &Rig, inbox: Arc<dyn Inbox>, topics: &[&str], message_id: &str) -> Running {
    let rules = Rules {
        message_id: message_id.parse().unwrap(),
        mirror_suffix: Some("-dlt".to_owned()),
        ..Rules::default()
    };
    let letters = Rules { dead_letters: true, ..Rules::default() };
    let inbound = Inbound::new("test").topic("*-back", letters).unwrap();
    let inbound = inbound.topic("*", rules).unwrap();
    let options = SourceOptions::new(testing::options(), &rig.group, topics.to_vec());
    Running::new(KafkaSource::new(options, inbound, inbox).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn trap_9_a_failover_between_bringing_back_and_the_offset_loses_no_letter() {
    let rig = Rig::new(1).await;
    let database = Arc::new(Database::create().await);
    let store = database.store().await;
    let back = format!("{}-back", rig.topic);
    testing::create(&testing::options(), &back, 1, &[]).await;
    let value = br#"{"number":"o-1"}"#;
    rig.producer.send(&rig.topic, 0, Some(value));
    rig.producer.flush();
    let topics = [&*rig.topic, &back];
    let running = start(&rig, Arc::clone(&store) as _, &topics, "json:/id | required");
    running.until_records(1).await;
    running.stop().await;

    let letter = store.outbox_rows(10).await.unwrap().remove(0);
    let headers = Headers::from_json(letter.headers_json.as_ref().unwrap()).unwrap();
    let (headers, _) = dead_letter::on_the_wire(&headers, &letter.payload).unwrap();
    let mut sent = OwnedHeaders::new();
    for header in headers.as_slice() {
        sent = sent.insert(Header { key: &header.name, value: header.value.as_ref() });
    }
    rig.producer.send_with(&back, 0, None, Some(value), sent);
    rig.producer.flush();
    let failing = FailingOver {
        store: Arc::clone(&store),
        database: Arc::clone(&database),
        done: AtomicBool::new(false),
    };
    let ids = "json:/id | json:/number | required";
    let running = start(&rig, Arc::new(failing), &topics, ids);
    let figures = running.until_records(1).await;
    assert_eq!(figures.letters, BTreeMap::from([("again", 1), ("decoded", 1)]));
    running.stop().await;
    let rows = store.inbox_rows(10).await.unwrap();
    assert_eq!((rows.len(), rows[0].status), (1, InboxStatus::Received));
    assert_eq!(rows[0].message.message_id, "o-1");
    drop(store);
    Arc::into_inner(database).unwrap().drop().await;
}
