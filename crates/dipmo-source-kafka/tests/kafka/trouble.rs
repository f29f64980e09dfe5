//! Bad input: what cannot be is an error at once, what may pass is tried again and told.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use dipmo_domain::{Coded as _, DedupeKey, StoreError};
use dipmo_inbound::Inbound;
use dipmo_inbox::{
    BroughtBack, Inbox, NewMessage, Returned, SourceOffset, SourceRange, Stored, Whereabouts,
};
use dipmo_kafka::testing::{self, OwnBroker};
use dipmo_kafka::{ClientEvents, KafkaOptions, Settings};
use dipmo_source_kafka::{KafkaSource, SourceOptions};
use rdkafka::admin::AdminOptions;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use tokio_util::sync::CancellationToken;

use crate::rig::{PATIENCE, Rig, Running};
use crate::rights::{Operation, Resource, allow};

#[tokio::test(flavor = "multi_thread")]
async fn options_that_cannot_be_are_refused_at_once() {
    let rig = Rig::new(1).await;
    let refused = |options: SourceOptions| {
        let source = KafkaSource::new(options, Inbound::new("test"), rig.inbox());
        source.map(drop).unwrap_err()
    };
    let property = |name: &str, value: &str| {
        let kafka = testing::options().with(name, value);
        refused(SourceOptions::new(kafka, "group", ["topic"]))
    };
    let none: [&str; 0] = [];
    for (error, code, names) in [
        (
            refused(SourceOptions::new(testing::options(), "", ["t"])),
            "kafka-source-invalid",
            "group",
        ),
        (
            refused(SourceOptions::new(testing::options(), "g", none)),
            "kafka-source-invalid",
            "topic",
        ),
        (property("fetch.nonsense", "1"), "kafka-property-invalid", "fetch.nonsense"),
        (
            property("isolation.level", "read_uncommitted"),
            "kafka-property-owned",
            "isolation.level",
        ),
        (property("enable.auto.commit", "true"), "kafka-property-owned", "enable.auto.commit"),
    ] {
        assert_eq!(error.code().as_str(), code);
        assert!(error.to_string().contains(names), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pattern_that_is_none_ends_the_run_with_its_name() {
    let rig = Rig::new(1).await;
    let options = SourceOptions::new(testing::options(), &rig.group, ["^orders-[("]);
    let error = rig.source(options).run(CancellationToken::new()).await.unwrap_err();
    assert_eq!(error.code().as_str(), "kafka-subscription-invalid");
    assert!(error.to_string().contains("^orders-[("), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_broker_is_told_and_stopping_does_not_wait_for_it() {
    let rig = Rig::new(1).await;
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let kafka = KafkaOptions::new(&nobody.to_string());
    let running = rig.start_with(SourceOptions::new(kafka, &rig.group, [&rig.topic]));
    running.until_problem("kafka-unreachable").await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_without_tables_is_told_and_read_when_they_are_there() {
    let rig = Rig::new(1).await;
    rig.send_numbers(0, 0..10);
    rig.folder.look().execute_batch("ALTER TABLE inbox_offset RENAME TO hidden").unwrap();
    let running = rig.start();
    running.until_problem("schema-missing").await;
    rig.folder.look().execute_batch("ALTER TABLE hidden RENAME TO inbox_offset").unwrap();
    running.until_records(10).await;
    running.until_well().await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_topic_that_we_may_not_read_is_told() {
    let rig = Rig::new(1).await;
    let kafka = testing::secure().as_guest();
    let running = rig.start_with(SourceOptions::new(kafka, &rig.group, [&rig.topic]));
    running.until_problem("kafka-not-authorised").await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_topic_that_may_be_described_and_not_read_is_told_until_it_may() {
    let rig = Rig::new(1).await;
    rig.send_numbers(0, 0..10);
    let secure = testing::secure();
    allow(&secure.guest, Operation::Describe, Resource::Topic(&rig.topic));
    allow(&secure.guest, Operation::Read, Resource::Group(&rig.group));
    let kafka = secure.as_guest();
    let running = rig.start_with(SourceOptions::new(kafka, &rig.group, [&rig.topic]));
    running.until("partition", |figures| figures.assigned == 1).await;
    running.until_problem("kafka-not-authorised").await;
    allow(&secure.guest, Operation::Read, Resource::Topic(&rig.topic));
    running.until_records(10).await;
    running.until_well().await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_records_is_over_when_none_of_them_is_ours() {
    let rig = Rig::new(1).await;
    rig.send_numbers(0, 0..10);
    let secure = testing::secure();
    allow(&secure.guest, Operation::Describe, Resource::Topic(&rig.topic));
    allow(&secure.guest, Operation::Read, Resource::Group(&rig.group));
    let options = SourceOptions::new(secure.as_guest(), &rig.group, [&rig.topic]);
    let running = rig.start_with(options);
    running.until_problem("kafka-not-authorised").await;
    let admin = testing::admin(&testing::options());
    admin.delete_topics(&[&rig.topic], &AdminOptions::new()).await.unwrap()[0].clone().unwrap();
    running.until_problem("kafka-topic-unknown").await;
    let codes = || running.source.health().problems.iter().map(|p| p.code).collect::<Vec<_>>();
    running.until("only that", |_| codes().len() == 1).await;
    assert_eq!(codes()[0].as_str(), "kafka-topic-unknown");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_with_an_eager_member_is_told_until_that_leaves() {
    let rig = Rig::new(1).await;
    rig.send_numbers(0, 0..10);
    let options = testing::options()
        .with("group.id", &rig.group)
        .with("partition.assignment.strategy", "range")
        .with("auto.offset.reset", "earliest")
        .with("enable.auto.commit", "false");
    let config = options.config(&Settings::default()).unwrap();
    let eager: BaseConsumer<ClientEvents> = options.client(&config, options.events()).unwrap();
    eager.subscribe(&[&rig.topic]).unwrap();
    tokio::task::block_in_place(|| while eager.poll(PATIENCE).is_none() {});
    let running = rig.start();
    running.until_problem("kafka-group-mixed").await;
    tokio::task::block_in_place(|| drop(eager));
    running.until_records(10).await;
    running.until_well().await;
    running.stop().await;
}

/// A database that takes a question and never answers it.
struct Silent;

#[async_trait]
impl Inbox for Silent {
    async fn store(&self, _: &[NewMessage], _: &[SourceRange]) -> Result<Vec<Stored>, StoreError> {
        pending().await
    }

    async fn begin(&self, _: &[SourceOffset]) -> Result<(), StoreError> {
        pending().await
    }

    async fn bring_back(&self, _: &[Returned]) -> Result<Vec<BroughtBack>, StoreError> {
        pending().await
    }

    async fn offsets(&self, _: &str) -> Result<Vec<SourceOffset>, StoreError> {
        pending().await
    }

    async fn whereabouts(&self, _: &[DedupeKey]) -> Result<Vec<Option<Whereabouts>>, StoreError> {
        pending().await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_never_answers_is_told() {
    let options = SourceOptions::new(testing::options(), "silent", ["silent"]);
    let source = KafkaSource::new(options, Inbound::new("test"), Arc::new(Silent)).unwrap();
    let running = Running::new(source);
    running.until_problem("store-busy").await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_dies_and_comes_back_is_read_to_the_last_record() {
    let mut broker = OwnBroker::start();
    let rig = Rig::on(&broker.options(), 2).await;
    (0..2).for_each(|partition| rig.send_numbers(partition, 0..5_000));
    let mut options = SourceOptions::new(broker.options(), &rig.group, [&rig.topic]);
    options.grace = Duration::from_secs(1);
    let running = rig.start_with(options);
    running.until_records(100).await;
    tokio::task::block_in_place(|| broker.kill());
    running.until_problem("kafka-unreachable").await;
    tokio::task::block_in_place(|| broker.restart());
    running.until_well().await;
    (0..2).for_each(|partition| rig.send_numbers(partition, 5_000..6_000));
    running.until("everything", |figures| figures.stored == 12_000).await;
    // Stopping does not wait for a broker that is gone.
    tokio::task::block_in_place(|| broker.kill());
    let stopping = tokio::time::timeout(Duration::from_secs(20), running.stop());
    let figures = stopping.await.unwrap();
    assert_eq!(figures.conflicts, 0);
    let expected = (0..2).flat_map(|p| (0..6_000).map(move |o| (p, o)));
    assert!(rig.places().await.into_iter().eq(expected), "lost or doubled");
}
