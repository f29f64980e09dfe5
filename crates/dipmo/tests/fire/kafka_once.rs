//! Instances that publish in transactions, and are killed or stand still while they do.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::parts::engine::{LEASE, STRICT};
use crate::parts::full;
use crate::parts::load::Load;
use crate::parts::road::{Road, STRICT_TOPIC};
use crate::parts::worker::worked_as_child;

const TEST: &str =
    "kafka_once::trap_20_24_of_instances_that_are_killed_and_stopped_every_record_is_there_once";

const NAMES: [Option<&str>; 3] = [Some("one"), Some("two"), Some("three")];

/// How many blows there are: of three, two kill an instance and one makes it stand still for longer
/// than its leases last.
fn blows() -> usize {
    if full() { 60 } else { 9 }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trap_20_24_of_instances_that_are_killed_and_stopped_every_record_is_there_once() {
    if worked_as_child().await {
        return;
    }
    let road = Road::new(TEST).await.exactly_once();
    let mut children = NAMES.map(|name| road.instance(name));
    for child in &mut children {
        child.says("ready").await;
    }
    let stop = CancellationToken::new();
    let striking = async {
        for blow in 0..blows() {
            // At any moment of a transaction, which takes some tens of milliseconds.
            tokio::time::sleep(Duration::from_millis(fastrand::u64(500..1_500))).await;
            let victim = &mut children[blow % 3];
            if blow % 3 == 2 {
                victim.stand_still();
                tokio::time::sleep(LEASE + Duration::from_secs(1)).await;
                victim.go_on();
            } else {
                victim.kill();
                *victim = road.instance(NAMES[blow % 3]);
            }
        }
        stop.cancel();
    };
    let mut load = Load::telling(100, &[STRICT]);
    let producing = async {
        let mut left = 5_000_usize;
        while left > 0 || !stop.is_cancelled() {
            let messages = load.next(50);
            left = left.saturating_sub(messages.len());
            road.producer.send(&messages);
            tokio::time::sleep(Duration::from_millis(if left > 0 { 30 } else { 200 })).await;
        }
    };
    tokio::join!(producing, striking);
    road.until_all_arrived().await;
    for child in children {
        child.stop().await;
    }
    road.check(&load.sent).await;
    every_row_is_one_record(&road).await;
}

/// By the count of somebody else's client.
async fn every_row_is_one_record(road: &Road) {
    let rows = road.place.rows("select ID from OUTBOX where STATUS = 'DISPATCHED'").await;
    let rows: BTreeSet<String> = rows.iter().map(|row| format!("dipmo-{}", row[0])).collect();
    let mut records: BTreeMap<String, usize> = BTreeMap::new();
    for id in ids_by_kcat(&road.broker.options().bootstrap_servers) {
        *records.entry(id).or_default() += 1;
    }
    let twice: Vec<_> = records.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "there more than once: {twice:?}");
    assert_eq!(records.into_keys().collect::<BTreeSet<_>>(), rows);
}

/// The message ids of all records that are committed.
fn ids_by_kcat(broker: &str) -> Vec<String> {
    let mut kcat = Command::new("kcat");
    kcat.args(["-q", "-C", "-e", "-o", "beginning", "-b", broker, "-t", STRICT_TOPIC]);
    kcat.args(["-X", "isolation.level=read_committed", "-f", "%h\n"]);
    let read = tokio::task::block_in_place(|| kcat.output());
    let read = read.expect("no kcat: run `cargo xtask services clients`");
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    let id = |headers: &str| {
        let mut headers =
            headers.split(',').filter_map(|header| header.strip_prefix("message-id="));
        headers.next().expect("a record of dipmo").to_owned()
    };
    String::from_utf8(read.stdout).unwrap().lines().map(id).collect()
}
