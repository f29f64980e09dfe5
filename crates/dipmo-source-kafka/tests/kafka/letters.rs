//! Dead letters where something stands in their way: told, counted, and passed.

use std::collections::BTreeMap;

use dipmo_domain::{Headers, InboxStatus};
use dipmo_inbound::{Inbound, Rules};
use dipmo_inbox::dead_letter;
use dipmo_kafka::testing;
use dipmo_source_kafka::{KafkaSource, SourceOptions};
use dipmo_store::Inspect as _;
use rdkafka::message::{Header, OwnedHeaders};

use crate::rig::{Rig, Running};

/// A source that mirrors poison of a topic and takes back what is in another.
fn start(rig: &Rig, topics: &[&str]) -> Running {
    let rules = Rules { mirror_suffix: Some("-dlt".to_owned()), ..Rules::default() };
    let letters = Rules { dead_letters: true, ..Rules::default() };
    let inbound = Inbound::new("test").topic("*-back", letters).unwrap();
    let inbound = inbound.topic("*", rules).unwrap();
    let options = SourceOptions::new(testing::options(), &rig.group, topics.to_vec());
    Running::new(KafkaSource::new(options, inbound, rig.inbox()).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_letter_that_cannot_be_made_is_counted() {
    let rig = Rig::new(1).await;
    let long = format!("{}-{}", testing::unique_name("source"), "x".repeat(180));
    testing::create(&testing::options(), &long, 1, &[]).await;
    for topic in [&long, &rig.topic] {
        rig.producer.send(topic, 0, Some(b"\xff"));
    }
    rig.producer.flush();
    let running = start(&rig, &[&long, &rig.topic]);
    running.until_records(2).await;
    let figures = running.stop().await;
    assert_eq!(figures.unmirrored, BTreeMap::from([(long, 1)]));
    assert_eq!((figures.stored, figures.serde_errors.len()), (2, 2), "both are in the inbox");
    let letters = rig.store.outbox_rows(10).await.unwrap();
    let to: Vec<_> = letters.iter().map(|row| row.destination.to_string()).collect();
    assert_eq!(to, [format!("KAFKA:{}-dlt", rig.topic)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn trap_4_what_the_database_refuses_is_mirrored_and_stays_refused() {
    let rig = Rig::new(1).await;
    // A real refusal: a rule of somebody who administers the database.
    for what in ["INSERT", "UPDATE"] {
        let rule = format!(
            "CREATE TRIGGER no_forbidden_{what} BEFORE {what} ON inbox_log
             WHEN NEW.payload LIKE '%forbidden%' BEGIN SELECT RAISE(ABORT, 'not here'); END"
        );
        rig.folder.look().execute_batch(&rule).unwrap();
    }
    let value = br#"{"forbidden" : 1}"#;
    rig.producer.send(&rig.topic, 0, Some(value));
    rig.producer.flush();
    let back = format!("{}-back", rig.topic);
    testing::create(&testing::options(), &back, 1, &[]).await;
    let running = start(&rig, &[&rig.topic, &back]);
    running.until_records(1).await;
    let letter = rig.store.outbox_rows(10).await.unwrap().remove(0);
    let headers = Headers::from_json(letter.headers_json.as_ref().unwrap()).unwrap();
    let (headers, bytes) = dead_letter::on_the_wire(&headers, &letter.payload).unwrap();
    assert_eq!(bytes.as_deref(), Some(&value[..]));

    // It comes back among others, and is refused once more: the others go on.
    let mut sent = OwnedHeaders::new();
    for header in headers.as_slice() {
        sent = sent.insert(Header { key: &header.name, value: header.value.as_ref() });
    }
    rig.producer.send(&back, 0, Some(b"{}"));
    rig.producer.send_with(&back, 0, None, Some(value), sent.clone());
    rig.producer.send_with(&back, 0, None, Some(value), sent);
    rig.producer.flush();
    running.until_records(4).await;
    assert!(running.source.health().is_well());
    let figures = running.stop().await;
    assert_eq!(figures.letters, BTreeMap::from([("refused", 2)]));
    let mut rows = rig.store.inbox_rows(10).await.unwrap();
    rows.sort_by_key(|row| row.message.id);
    let statuses: Vec<_> = rows.iter().map(|row| row.status).collect();
    assert_eq!(statuses, [InboxStatus::SerdeError, InboxStatus::Received]);
    assert_eq!(rig.store.outbox_rows(10).await.unwrap().len(), 1, "one letter");
}
