//! A source that is run a second time, after its first run or beside it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use dipmo_domain::Coded as _;
use dipmo_kafka::testing::OwnBroker;
use dipmo_source_kafka::{KafkaSource, SourceOptions};
use tokio_util::sync::CancellationToken;

use crate::rig::{PATIENCE, Rig, Running};

/// Why a source cannot be run now.
async fn refusal(source: &KafkaSource) -> &'static str {
    let ran = tokio::time::timeout(PATIENCE, source.run(CancellationToken::new())).await;
    ran.expect("it runs").unwrap_err().code().as_str()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_runs_once_at_a_time() {
    let rig = Rig::new(1).await;
    let running = rig.start();
    rig.send_numbers(0, 0..10);
    running.until_records(10).await;
    let source = Arc::clone(&running.source);
    assert_eq!(refusal(&source).await, "kafka-source-running");
    rig.send_numbers(0, 10..20);
    running.until_records(20).await;
    running.stop().await;
    let running = Running::again(source);
    rig.send_numbers(0, 20..30);
    running.until_records(30).await;
    running.stop().await;
    assert_eq!((rig.places().await.len(), rig.committed(0)), (30, Some(30)));
}

/// The thread of the first run still says farewell to a broker that stands still.
#[tokio::test(flavor = "multi_thread")]
async fn a_source_is_not_run_beside_a_thread_of_its_last_run() {
    let broker = tokio::task::block_in_place(OwnBroker::start);
    let rig = Rig::on(&broker.options(), 1).await;
    // A request that got lost while it stood still is not waited for any longer.
    let kafka = broker.options().with("socket.timeout.ms", "15000");
    let mut options = SourceOptions::new(kafka, &rig.group, [&rig.topic]);
    options.grace = Duration::from_secs(1);
    let running = rig.start_with(options);
    rig.send_numbers(0, 0..10);
    running.until_records(10).await;
    broker.freeze();
    let source = Arc::clone(&running.source);
    running.stop().await;
    assert_eq!(refusal(&source).await, "kafka-source-running");
    broker.thaw();
    let began = Instant::now();
    let running = loop {
        let running = Running::again(Arc::clone(&source));
        // One that is refused ends at once.
        tokio::time::sleep(Duration::from_secs(2)).await;
        if !running.has_ended() {
            break running;
        }
        assert!(began.elapsed() < PATIENCE, "the last run never ends");
    };
    rig.send_numbers(0, 10..20);
    running.until_records(20).await;
    running.stop().await;
    assert_eq!(rig.places().await.len(), 20);
}
