//! A source that is killed between storing and committing: nothing is lost, nothing is doubled.
//!
//! The test runs itself again as a child, and kills it.

use std::process::{Child, Command};
use std::time::{Duration, Instant};

use dipmo_inbox::Inbox as _;

use crate::rig::{Folder, PATIENCE, Producer, Rig};

const TOPIC: &str = "DIPMO_CRASH_TOPIC";
const GROUP: &str = "DIPMO_CRASH_GROUP";
const FILE: &str = "DIPMO_CRASH_FILE";
const RECORDS: u32 = 60_000;

#[tokio::test(flavor = "multi_thread")]
async fn trap_9_killed_between_store_and_commit() {
    if let Ok(topic) = std::env::var(TOPIC) {
        return read_until_killed(topic).await;
    }
    let rig = Rig::new(2).await;
    (0..2).for_each(|partition| rig.send_numbers(partition, 0..RECORDS));
    let mut before = 0;
    for _ in 0..3 {
        let mut child = child(&rig);
        before = stored_beyond(&rig, before).await;
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(before < i64::from(2 * RECORDS), "killed too late to prove anything");
    assert_eq!((rig.committed(0), rig.committed(1)), (None, None));
    let mut options = rig.options();
    options.instance_id = Some("crashes".to_owned());
    let running = rig.start_with(options);
    running
        .until("everything", |figures| {
            figures.records > 0 && figures.lag.len() == 2 && figures.total_lag() == 0
        })
        .await;
    let figures = running.stop().await;
    // The database knew where to go on: nothing even came twice.
    assert_eq!((figures.duplicates, figures.conflicts), (0, 0));
    let expected = (0..2).flat_map(|p| (0..i64::from(RECORDS)).map(move |o| (p, o)));
    assert!(rig.places().await.into_iter().eq(expected), "lost or doubled");
}

/// Waits until the database has more than before.
async fn stored_beyond(rig: &Rig, before: i64) -> i64 {
    let began = Instant::now();
    loop {
        let offsets = rig.store.offsets(&rig.group).await.unwrap();
        let now = offsets.iter().map(|offset| offset.next_offset).sum();
        if now > before {
            return now;
        }
        assert!(began.elapsed() < PATIENCE, "nothing is stored");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn child(rig: &Rig) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::trap_9_killed_between_store_and_commit"])
        .env(TOPIC, &rig.topic)
        .env(GROUP, &rig.group)
        .env(FILE, rig.folder.file())
        .spawn()
        .unwrap()
}

async fn read_until_killed(topic: String) {
    let folder = Folder::at(std::env::var(FILE).unwrap().as_ref());
    let store = folder.store().await;
    let group = std::env::var(GROUP).unwrap();
    let rig = Rig { topic, group, folder, store, producer: Producer::new(&[]) };
    let mut options = rig.options();
    // A name of its own, so that the next one need not wait until the broker notices.
    options.instance_id = Some("crashes".to_owned());
    options.commit_every = Duration::from_secs(3_600);
    let running = rig.start_with(options);
    running.until("end", |_| false).await;
}
