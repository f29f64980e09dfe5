//! TLS and logins against the listeners of a real broker.

use dipmo_kafka::testing;
use dipmo_source_kafka::SourceOptions;

use crate::rig::Rig;

#[tokio::test(flavor = "multi_thread")]
async fn every_way_to_log_in_reads() {
    let rig = Rig::new(1).await;
    for (round, kafka) in (1..).zip(testing::secure().ways_in()) {
        rig.send_numbers(0, 0..10);
        let running = rig.start_with(SourceOptions::new(kafka, &rig.group, [&rig.topic]));
        running.until_records(10).await;
        running.until_well().await;
        running.stop().await;
        assert_eq!(rig.committed(0), Some(10 * round));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_login_that_is_refused_is_told() {
    let rig = Rig::new(1).await;
    for kafka in testing::secure().ways_that_are_refused() {
        let running = rig.start_with(SourceOptions::new(kafka, &rig.group, [&rig.topic]));
        running.until_problem("kafka-login-refused").await;
        running.stop().await;
    }
}
