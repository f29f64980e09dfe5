//! A database that is set back under a running source: what it lost is read again (trap 9).

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dipmo_inbound::Inbound;
use dipmo_inbox::Inbox as _;
use dipmo_source_kafka::{KafkaSource, Snapshot};
use dipmo_store::Inspect as _;
use dipmo_store_postgres::PostgresStore;

use crate::database::Database;
use crate::rig::{PATIENCE, Rig, Running};

/// A source on PostgreSQL.
struct World {
    rig: Rig,
    database: Database,
    store: Arc<PostgresStore>,
    running: Running,
}

impl World {
    async fn new() -> Self {
        let database = Database::create().await;
        let store = database.store().await;
        Self::start(database, store).await
    }

    async fn start(database: Database, store: Arc<PostgresStore>) -> Self {
        let rig = Rig::new(3).await;
        let inbox = Arc::clone(&store);
        let source = KafkaSource::new(rig.options(), Inbound::new("test"), inbox).unwrap();
        Self { rig, database, store, running: Running::new(source) }
    }

    /// Sends to all partitions, and waits until the broker heard that all of it is stored.
    async fn send_and_commit(&self, numbers: Range<u32>) {
        let end = i64::from(numbers.end);
        (0..3).for_each(|partition| self.rig.send_numbers(partition, numbers.clone()));
        let committed = || (0..3).all(|partition| self.rig.committed(partition) == Some(end));
        self.running.until("commit", |_| committed()).await;
    }

    /// What the database has; nothing while nobody can connect to it.
    async fn next_offsets(&self) -> Vec<i64> {
        let offsets = self.store.offsets(&self.rig.group).await.unwrap_or_default();
        offsets.iter().map(|offset| offset.next_offset).collect()
    }

    /// Waits until each partition is stored up to an end, and compares everything to the record.
    async fn ends_with(self, ends: [i64; 3]) -> Snapshot {
        let began = Instant::now();
        while self.next_offsets().await != ends {
            assert!(began.elapsed() < PATIENCE, "{:?}", self.next_offsets().await);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let figures = self.running.stop().await;
        let rows = self.store.inbox_rows(100_000).await.unwrap();
        let mut places: Vec<_> =
            rows.iter().map(|row| (row.message.partition, row.message.offset)).collect();
        places.sort_unstable();
        let expected = (0..3_i32).zip(ends).flat_map(|(p, end)| (0..end).map(move |o| (p, o)));
        assert!(places.into_iter().eq(expected), "lost or doubled");
        let committed = [0, 1, 2].map(|partition| self.rig.committed(partition).unwrap());
        assert_eq!(committed, ends);
        drop(self.store);
        self.database.drop().await;
        figures
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn trap_9_a_failover_to_a_standby_that_is_behind() {
    let world = World::new().await;
    world.send_and_commit(0..1_000).await;
    world.database.snapshot().await;
    world.send_and_commit(1_000..1_500).await;
    world.database.set_back().await;
    // One partition is enough to notice; what the others lost is read again too.
    world.rig.send_numbers(0, 1_500..1_600);
    world.running.until_problem("store-offset-behind").await;
    let figures = world.ends_with([1_600, 1_500, 1_500]).await;
    assert_eq!((figures.database_set_back, figures.committed_ahead), (1, 3));
    assert_eq!((figures.stored, figures.duplicates), (3_000 + 2 * 1_500 + 100, 0));
    assert_eq!(figures.store_errors["store-offset-behind"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn trap_9_a_failover_to_a_standby_that_never_heard_of_the_group() {
    let database = Database::create().await;
    let store = database.store().await;
    database.snapshot().await;
    let world = World::start(database, store).await;
    world.send_and_commit(0..500).await;
    world.database.set_back().await;
    world.rig.send_numbers(2, 500..501);
    // Now the broker knows the group and the database does not, as when another consumer is taken
    // over; but this source knows better.
    let figures = world.ends_with([500, 500, 501]).await;
    assert_eq!((figures.database_set_back, figures.committed_ahead), (1, 3));
    assert_eq!((figures.stored, figures.duplicates), (1_500 + 1_501, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn trap_9_a_failover_while_nothing_comes() {
    let world = World::new().await;
    world.send_and_commit(0..100).await;
    world.database.snapshot().await;
    world.send_and_commit(100..200).await;
    world.database.set_back().await;
    let figures = world.ends_with([200, 200, 200]).await;
    assert_eq!((figures.database_set_back, figures.committed_ahead), (1, 3));
    assert_eq!((figures.stored, figures.duplicates), (600 + 300, 0));
}
