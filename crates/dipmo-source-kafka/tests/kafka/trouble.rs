//! Bad input: what cannot be is an error at once, what may pass is tried again and told.

use dipmo_domain::Coded as _;
use dipmo_inbound::Inbound;
use dipmo_kafka::{KafkaOptions, testing};
use dipmo_source_kafka::{KafkaSource, SourceOptions};
use tokio_util::sync::CancellationToken;

use crate::rig::Rig;

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
