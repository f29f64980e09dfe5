//! The same on PostgreSQL, which is what runs in earnest.

use std::sync::Arc;

use dipmo_domain::InboxStatus;
use dipmo_inbound::Inbound;
use dipmo_inbox::Inbox as _;
use dipmo_source_kafka::KafkaSource;
use dipmo_store::Inspect as _;

use crate::database::Database;
use crate::rig::{Rig, Running};

#[tokio::test(flavor = "multi_thread")]
async fn trap_9_postgres_stores_everything_once_and_knows_where_to_go_on() {
    let rig = Rig::new(3).await;
    let database = Database::create().await;
    let store = database.store().await;

    for round in 1..=2 {
        (0..3).for_each(|partition| rig.send_numbers(partition, 0..3_000));
        // Text with a NUL is valid JSON, and PostgreSQL takes no NUL in a text.
        rig.producer.send(&rig.topic, 0, Some(br#"{"nul":"\u0000"}"#));
        rig.producer.send(&rig.topic, 0, Some(b"\xff\xff"));
        rig.producer.flush();
        let inbox = Arc::clone(&store);
        let source = KafkaSource::new(rig.options(), Inbound::new("test"), inbox).unwrap();
        let running = Running::new(source);
        running.until_records(9_002).await;
        let figures = running.stop().await;
        assert_eq!((figures.stored, figures.duplicates, figures.conflicts), (9_002, 0, 0));
        assert_eq!((figures.committed_ahead, figures.committed_behind), (0, 0), "round {round}");
        assert!(figures.refused.is_empty());
    }
    let rows = store.inbox_rows(100_000).await.unwrap();
    let captured = rows.iter().filter(|row| row.status == InboxStatus::SerdeError).count();
    assert_eq!((rows.len(), captured), (18_004, 2));
    let offsets = store.offsets(&rig.group).await.unwrap();
    let next: Vec<_> = offsets.iter().map(|offset| offset.next_offset).collect();
    assert_eq!(next, [6_004, 6_000, 6_000]);
    drop(store);
    database.drop().await;
}
