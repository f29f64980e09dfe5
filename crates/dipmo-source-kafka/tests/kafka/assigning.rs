//! Where a source goes on, when the broker and the database do not agree (trap 9).

use std::sync::atomic::Ordering;

use dipmo_inbox::{Identity, Inbox as _, NewMessage, Record};
use dipmo_kafka::testing;
use dipmo_source_kafka::Start;
use rdkafka::admin::AdminOptions;
use rdkafka::consumer::{CommitMode, Consumer as _};
use rdkafka::{Offset, TopicPartitionList};

use crate::rig::{Folder, PATIENCE, Rig, plain_consumer};

#[tokio::test(flavor = "multi_thread")]
async fn trap_9_a_restored_database_reads_again_what_it_lost() {
    let mut rig = Rig::new(2).await;
    (0..2).for_each(|p| rig.send_numbers(p, 0..500));
    let running = rig.start();
    running.until_records(1_000).await;
    running.stop().await;
    // The back-up is taken here, and what comes now is lost with the database.
    let backup = Folder::new();
    let into = format!("VACUUM INTO '{}'", backup.file().display());
    rig.folder.look().execute_batch(&into).unwrap();
    rig.send_numbers(0, 500..800);
    let running = rig.start();
    running.until_records(300).await;
    running.stop().await;
    assert_eq!((rig.committed(0), rig.committed(1)), (Some(800), Some(500)));

    rig.store = backup.store().await;
    rig.folder = backup;
    let running = rig.start();
    running.until_records(300).await;
    let figures = running.stop().await;
    assert_eq!((figures.stored, figures.duplicates, figures.committed_ahead), (300, 0, 1));
    assert_eq!(rig.places().await.len(), 1_300);
    assert_eq!((rig.stored(0).await, rig.committed(0)), (Some(800), Some(800)));
}

#[tokio::test(flavor = "multi_thread")]
async fn trap_9_a_commit_that_is_behind_or_gone_is_overruled_by_the_database() {
    let rig = Rig::new(1).await;
    rig.send_numbers(0, 0..500);
    let running = rig.start();
    running.until_records(500).await;
    running.stop().await;
    // What a crash between storing and committing leaves behind.
    commit(&rig, 120);
    rig.send_numbers(0, 500..510);
    let running = rig.start();
    running.until_records(10).await;
    let figures = running.stop().await;
    assert_eq!((figures.records, figures.duplicates), (10, 0));
    assert_eq!((figures.committed_behind, figures.committed_ahead), (1, 0));
    assert_eq!(rig.committed(0), Some(510));
}

#[tokio::test(flavor = "multi_thread")]
async fn trap_9_a_topic_made_anew_is_noticed_and_read_from_its_beginning() {
    let rig = Rig::new(1).await;
    rig.send_numbers(0, 0..500);
    let running = rig.start();
    running.until_records(500).await;
    running.stop().await;
    make_anew(&rig).await;
    send_others(&rig, 0..200);
    let running = rig.start();
    running.until_records(200).await;
    let figures = running.stop().await;
    assert_eq!(figures.topics_made_anew, 1);
    // They have the offsets of other records, and are not taken for them.
    assert_eq!((figures.stored, figures.duplicates, figures.conflicts), (200, 0, 0));
    assert_eq!(rig.places().await.len(), 700);
    assert_eq!((rig.stored(0).await, rig.committed(0)), (Some(200), Some(200)));
    send_others(&rig, 200..201);
    let running = rig.start();
    running.until_records(1).await;
    let figures = running.stop().await;
    assert_eq!((figures.stored, figures.topics_made_anew), (1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn trap_9_a_topic_that_is_made_anew_while_it_is_read_is_noticed() {
    let rig = Rig::new(1).await;
    rig.send_numbers(0, 0..500);
    let running = rig.start();
    running.until_records(500).await;
    make_anew(&rig).await;
    running.until("another topic", |figures| figures.topics_made_anew == 1).await;
    send_others(&rig, 0..200);
    running.until_records(700).await;
    let figures = running.stop().await;
    assert_eq!((figures.stored, figures.duplicates, figures.conflicts), (700, 0, 0));
    assert_eq!((rig.stored(0).await, rig.committed(0)), (Some(200), Some(200)));
}

async fn make_anew(rig: &Rig) {
    let admin = testing::admin(&testing::options());
    for gone in admin.delete_topics(&[&rig.topic], &AdminOptions::new()).await.unwrap() {
        gone.unwrap();
    }
    create_again(&rig.topic).await;
}

fn send_others(rig: &Rig, numbers: std::ops::Range<u32>) {
    for number in numbers {
        rig.producer.send(&rig.topic, 0, Some(format!("{{\"other\":{number}}}").as_bytes()));
    }
    rig.producer.flush();
}

/// Deleting takes the broker a moment.
async fn create_again(topic: &str) {
    use rdkafka::admin::{NewTopic, TopicReplication};
    let admin = testing::admin(&testing::options());
    let new = NewTopic::new(topic, 1, TopicReplication::Fixed(1));
    let patience = AdminOptions::new().operation_timeout(Some(PATIENCE));
    while admin.create_topics([&new], &patience).await.unwrap()[0].is_err() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_that_was_away_past_retention_says_what_it_lost_and_goes_on() {
    let rig = Rig::new(1).await;
    rig.send_numbers(0, 0..100);
    let running = rig.start();
    running.until_records(100).await;
    running.stop().await;
    rig.send_numbers(0, 100..300);
    delete_before(&rig.topic, 250).await;
    let running = rig.start();
    running.until_records(50).await;
    let figures = running.stop().await;
    assert_eq!((figures.records_lost, figures.stored), (150, 50));
    let places = rig.places().await;
    assert_eq!((places.len(), places[100]), (150, (0, 250)));
    assert_eq!((rig.stored(0).await, rig.committed(0)), (Some(300), Some(300)));
}

/// Retention may also overtake a source that runs, but is too slow or paused.
#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_retention_overtakes_says_so_and_goes_on() {
    use dipmo_inbox::InboxLoad;
    use std::time::Duration;
    let rig = Rig::new(1).await;
    let deep = InboxLoad { depth: u64::MAX, oldest: Duration::ZERO };
    let (tell, load) = tokio::sync::watch::channel(InboxLoad::default());
    let running = crate::rig::Running::new(rig.source(rig.options()).load(load));
    rig.send_numbers(0, 0..100);
    running.until_records(100).await;
    tell.send(deep).unwrap();
    running.until("pause", |figures| figures.pauses_pressure == 1).await;
    rig.send_numbers(0, 100..300);
    delete_before(&rig.topic, 250).await;
    tell.send(InboxLoad::default()).unwrap();
    running.until_records(150).await;
    let figures = running.stop().await;
    assert_eq!((figures.records_lost, figures.stored), (150, 150));
    assert_eq!(rig.committed(0), Some(300));
}

async fn delete_before(topic: &str, offset: i64) {
    let mut list = TopicPartitionList::new();
    list.add_partition_offset(topic, 0, Offset::Offset(offset)).unwrap();
    let admin = testing::admin(&testing::options());
    admin.delete_records(&list, &AdminOptions::new()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_of_another_consumer_is_taken_over_where_it_was() {
    let rig = Rig::new(1).await;
    rig.send_numbers(0, 0..100);
    commit(&rig, 70);
    let running = rig.start();
    running.until_records(30).await;
    assert_eq!(running.stop().await.stored, 30);
    assert_eq!(rig.places().await[0], (0, 70));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_that_is_taken_over_by_several_is_taken_over_in_all_partitions() {
    let rig = Rig::new(2).await;
    (0..2).for_each(|partition| rig.send_numbers(partition, 0..10));
    let mut list = TopicPartitionList::new();
    for partition in 0..2 {
        list.add_partition_offset(&rig.topic, partition, Offset::Offset(7)).unwrap();
    }
    plain_consumer(&rig.group).commit(&list, CommitMode::Sync).unwrap();
    // The other member has one of the partitions, and asks the database later than we do.
    let other = rig.other_member();
    let running = rig.start();
    running.until("a partition", |figures| figures.assigned == 1 && figures.stored == 3).await;
    assert_eq!((rig.stored(0).await.is_some(), rig.stored(1).await.is_some()), (true, true));
    let theirs = rig.stored(0).await.min(rig.stored(1).await);
    assert_eq!(theirs, Some(7), "where the other goes on");
    other.store(true, Ordering::Relaxed);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn latest_begins_at_the_end_once_and_misses_nothing_after() {
    let rig = Rig::new(1).await;
    rig.send_numbers(0, 0..100);
    let options = || {
        let mut options = rig.options();
        options.start = Start::Latest;
        options
    };
    let running = rig.start_with(options());
    running.until("partition", |figures| figures.assigned == 1).await;
    running.stop().await;
    // It was there, so what comes while it is away is its own.
    rig.send_numbers(0, 100..150);
    let running = rig.start_with(options());
    running.until_records(50).await;
    running.stop().await;
    assert_eq!(rig.places().await[0], (0, 100));
}

#[tokio::test(flavor = "multi_thread")]
async fn trap_8_what_another_stored_meanwhile_is_a_duplicate() {
    let rig = Rig::new(1).await;
    rig.send_numbers(0, 0..10);
    let there = |offset: i64| {
        let value = Some(format!("{{\"n\":{offset}}}").into_bytes());
        let record = Record { topic: rig.topic.clone(), offset, value, ..Record::default() };
        let identity = Identity { source_system: "test".into(), ..Identity::default() };
        NewMessage::from_record(&record, &identity)
    };
    rig.store.store(&[there(3), there(7)], &[]).await.unwrap();
    let running = rig.start();
    running.until_records(10).await;
    let figures = running.stop().await;
    assert_eq!((figures.stored, figures.duplicates, figures.conflicts), (8, 2, 0));
    assert_eq!(rig.places().await.len(), 10);
}

fn commit(rig: &Rig, offset: i64) {
    let mut list = TopicPartitionList::new();
    list.add_partition_offset(&rig.topic, 0, Offset::Offset(offset)).unwrap();
    plain_consumer(&rig.group).commit(&list, CommitMode::Sync).unwrap();
}
