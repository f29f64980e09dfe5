//! A failover between two pieces of a batch that is stored piece by piece (trap 9).

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use async_trait::async_trait;
use dipmo_domain::{DedupeKey, InboxStatus, StoreError};
use dipmo_inbound::Inbound;
use dipmo_inbox::{
    BroughtBack, Inbox, NewMessage, Returned, SourceOffset, SourceRange, Stored, Whereabouts,
};
use dipmo_source_kafka::KafkaSource;
use dipmo_store::Inspect as _;
use dipmo_store_postgres::PostgresStore;

use crate::database::Database;
use crate::rig::{Rig, Running};

const RECORDS: u32 = 200;
const FORBIDDEN: u32 = 150;

const WHOLE: u8 = 0;
const IN_PIECES: u8 = 1;
const FAILED_OVER: u8 = 2;

/// A store that fails over as soon as the first piece of a refused batch is stored. The standby knows
/// where the partition began, and got nothing since: to it, a second piece that did not say where
/// it goes on would look as if it were the first.
struct FailsOver {
    store: Arc<PostgresStore>,
    database: Database,
    phase: AtomicU8,
}

#[async_trait]
impl Inbox for FailsOver {
    async fn store(
        &self,
        messages: &[NewMessage],
        ranges: &[SourceRange],
    ) -> Result<Vec<Stored>, StoreError> {
        let answer = self.store.store(messages, ranges).await;
        let (from, to) = match answer {
            Err(StoreError::RowRefused { .. }) => (WHOLE, IN_PIECES),
            Ok(_) => (IN_PIECES, FAILED_OVER),
            _ => return answer,
        };
        let moved = self.phase.compare_exchange(from, to, Ordering::SeqCst, Ordering::SeqCst);
        match (moved, to) {
            (Ok(_), IN_PIECES) => self.database.snapshot().await,
            (Ok(_), _) => self.database.set_back().await,
            (Err(_), _) => {}
        }
        answer
    }

    async fn begin(&self, offsets: &[SourceOffset]) -> Result<(), StoreError> {
        self.store.begin(offsets).await
    }

    async fn bring_back(&self, letters: &[Returned]) -> Result<Vec<BroughtBack>, StoreError> {
        self.store.bring_back(letters).await
    }

    async fn offsets(&self, group: &str) -> Result<Vec<SourceOffset>, StoreError> {
        self.store.offsets(group).await
    }

    async fn whereabouts(
        &self,
        keys: &[DedupeKey],
    ) -> Result<Vec<Option<Whereabouts>>, StoreError> {
        self.store.whereabouts(keys).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn trap_9_a_failover_between_two_pieces_of_a_batch_loses_neither() {
    let (rig, database) = (Rig::new(1).await, Database::create().await);
    let store = database.store().await;
    // A real refusal: a rule of somebody who administers the database.
    let rule = "alter table inbox_log add check (payload::text not like '%forbidden%')";
    database.within(rule).await;
    for number in 0..RECORDS {
        let name = if number == FORBIDDEN { "forbidden" } else { "n" };
        let value = format!("{{\"{name}\":{number}}}");
        rig.producer.send(&rig.topic, 0, Some(value.as_bytes()));
    }
    rig.producer.flush();
    let inbox = Arc::new(FailsOver { store, database, phase: AtomicU8::new(WHOLE) });
    let given = Arc::clone(&inbox);
    let source = KafkaSource::new(rig.options(), Inbound::new("test"), given).unwrap();
    let running = Running::new(source);
    let all = i64::from(RECORDS);
    let committed = || rig.committed(0) == Some(all);
    running.until("everything", |figures| figures.database_set_back == 1 && committed()).await;
    let figures = running.stop().await;

    let mut rows = inbox.store.inbox_rows(1_000).await.unwrap();
    rows.sort_by_key(|row| row.message.id);
    assert!(rows.iter().map(|row| row.message.offset).eq(0..all), "lost, doubled or swapped");
    let captured = rows.iter().filter(|row| row.status == InboxStatus::SerdeError);
    let captured: Vec<i64> = captured.map(|row| row.message.offset).collect();
    assert_eq!(captured, [i64::from(FORBIDDEN)]);
    assert_eq!((figures.duplicates, figures.conflicts), (0, 0));
    let next: Vec<i64> =
        inbox.offsets(&rig.group).await.unwrap().iter().map(|o| o.next_offset).collect();
    assert_eq!(next, [all]);
    let FailsOver { store, database, .. } = Arc::into_inner(inbox).unwrap();
    drop(store);
    database.drop().await;
}
