//! A broker that dies in the middle and comes back.

use dipmo_kafka::testing::OwnBroker;

use crate::rig::Rig;

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_dies_in_the_middle_loses_nothing_and_doubles_nothing() {
    let mut broker = OwnBroker::start();
    let rig = Rig::on(&broker.options(), 3).await;
    let mut options = rig.options();
    options.batch.records = 50;
    // Its farewell finds nobody: the group waits so long for who is gone.
    options.kafka = options.kafka.with("session.timeout.ms", "6000");
    let running = rig.start(options);
    rig.send_numbers(0..5_000);
    running.until("some", |figures| figures.records_in >= 500).await;
    broker.kill();
    running.until_that("told", || !running.health().is_well()).await;
    broker.restart();
    rig.send_numbers(5_000..6_000);
    running.until("all", |figures| figures.lag.len() == 3 && figures.total_lag() == 0).await;
    running.until_that("well", || running.health().is_well()).await;
    running.stop().await;
    assert_eq!(rig.numbers(), (0..6_000).collect::<Vec<_>>());
}
