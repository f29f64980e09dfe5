//! The cluster inside drops what lies too long. The producer never runs so far ahead of the inbox; and if it did, the
//! ledger would not balance.

use std::time::Duration;

use dipmo_domain::InboxId;
use dipmo_inbox::{Identity, NewMessage, Record, Stored};
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::{ClientConfig, Offset, TopicPartitionList};
use serde_json::json;

use super::*;
use crate::demo::book::Book;
use crate::demo::facts::Facts;
use crate::demo::ledger::{Kind, Ledger};
use crate::demo::stories::{DONE, Story};
use crate::demo::topics::{HITS, PARTITIONS};

/// Together more than the 5 MiB that a partition keeps.
const RECORDS: usize = 80;
const FILLER: usize = 100_000;

/// A broker, who sends to it, and what both tell.
struct Rig {
    broker: Broker,
    progress: Arc<Progress>,
    wire: Arc<Wire>,
    sender: Sender,
}

impl Rig {
    fn new() -> Self {
        let broker = Broker::in_process().unwrap();
        let progress = Arc::new(Progress::default());
        let wire = Arc::new(Wire::new(Arc::clone(&progress)));
        let sender = Sender::new(&broker, Arc::clone(&progress), Arc::clone(&wire)).unwrap();
        Self { broker, progress, wire, sender }
    }
}

/// Records of one hit, and so of one partition.
fn sends() -> Vec<Send> {
    let mut story = Story::new("overrun", "HIT", "H-1".to_owned(), HITS);
    for version in 1..=RECORDS {
        let version = i64::try_from(version).ok();
        story.tell(0, "HitAssessed", version, &json!({ "filler": "x".repeat(FILLER) }), DONE);
    }
    story.sends
}

/// Reads whatever the cluster still has, from the beginning.
fn reader(broker: &Broker) -> BaseConsumer {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", &broker.options.bootstrap_servers).set("group.id", "reader");
    let reader: BaseConsumer = config.set("auto.offset.reset", "earliest").create().unwrap();
    let mut places = TopicPartitionList::new();
    for partition in 0..PARTITIONS {
        places.add_partition_offset(HITS.topic, partition, Offset::Beginning).unwrap();
    }
    reader.assign(&places).unwrap();
    reader
}

/// Stores the next record as the inbox would; answers its offset.
fn store_next(reader: &BaseConsumer, wire: &Wire) -> i64 {
    let message = reader.poll(Duration::from_secs(20)).expect("nothing came").unwrap();
    let record = Record {
        topic: message.topic().to_owned(),
        partition: message.partition(),
        offset: message.offset(),
        ..Record::default()
    };
    let stored = NewMessage::from_record(&record, &Identity::default());
    wire.stored(&[stored], &[Stored::New(InboxId(1))]);
    record.offset
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_producer_waits_long_before_anything_would_be_dropped() {
    let Rig { broker, progress, wire, sender } = Rig::new();
    let sending = tokio::spawn(async move {
        sender.send(&sends()).await?;
        sender.acknowledged().await
    });
    while !progress.figures().is_full {
        assert!(!sending.is_finished(), "all of it was sent, and nothing was read");
        tokio::time::sleep(LOOK).await;
    }
    assert!(progress.bytes_on_the_wire() <= ROOM.bytes);
    let reader = reader(&broker);
    for offset in 0..i64::try_from(RECORDS).unwrap() {
        assert_eq!(tokio::task::block_in_place(|| store_next(&reader, &wire)), offset);
        assert!(progress.bytes_on_the_wire() <= ROOM.bytes);
    }
    sending.await.unwrap().unwrap();
    assert_eq!(wire.left(), (vec![], vec![]));
    assert_eq!(progress.bytes_on_the_wire(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_cluster_dropped_is_lost_in_the_ledger() {
    let Rig { broker, wire, mut sender, .. } = Rig::new();
    sender.room = Room { records: u64::MAX, bytes: u64::MAX };
    sender.send(&sends()).await.unwrap();
    sender.acknowledged().await.unwrap();
    let reader = reader(&broker);
    let last = i64::try_from(RECORDS).unwrap() - 1;
    tokio::task::block_in_place(|| while store_next(&reader, &wire) != last {});
    let (lost_on_the_wire, _) = wire.left();
    assert!(lost_on_the_wire.len() >= RECORDS / 4, "{lost_on_the_wire:?}");
    let facts = Facts { lost_on_the_wire, ..Facts::default() };
    let ledger = Ledger::settle(&Book::default(), &facts);
    assert_eq!(ledger.lost, facts.lost_on_the_wire.len() as u64);
    assert!(ledger.complaints.iter().all(|it| it.kind == Kind::Lost));
    assert!(ledger.complaints.iter().any(|it| it.text.starts_with("record H-1/1 at")));
}
