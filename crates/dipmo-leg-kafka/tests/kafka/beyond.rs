//! A topic that ends before what the group has read: it was made anew, or cut.

use rdkafka::consumer::{CommitMode, Consumer as _};
use rdkafka::{Offset, TopicPartitionList};

use crate::rig::{Rig, asking};

#[tokio::test(flavor = "multi_thread")]
async fn a_partition_that_ends_before_the_group_stands_is_told_and_holds_up_no_other() {
    let rig = Rig::new(2).await;
    let mut places = TopicPartitionList::new();
    places.add_partition_offset(&rig.from, 0, Offset::Offset(1_000)).unwrap();
    asking(&rig.kafka, &rig.group).commit(&places, CommitMode::Sync).unwrap();
    rig.send_numbers(0..50);
    let running = rig.start(rig.options());
    let beyond = || {
        let problems = running.health().problems;
        problems.iter().any(|problem| problem.code.as_str() == "kafka-offset-beyond-end")
    };
    running.until_that("told", beyond).await;
    running.until("the other", |figures| figures.total_lag() == 0 && figures.records_in > 0).await;
    let (before, read) = (running.figures().rebalances, running.figures().records_in);
    rig.send_numbers(50..100);
    running.until("the other again", |figures| figures.records_in > read).await;
    assert!(beyond(), "it is not forgotten");
    assert_eq!(running.health().partitions, 1);
    let figures = running.stop().await;
    assert_eq!(figures.rebalances, before, "it joins once more to look, and stays");
    assert!(rig.numbers().len() < 100, "nothing of the partition is read");
}
