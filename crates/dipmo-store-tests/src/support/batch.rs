//! Running a batch and looking at what the store showed it.

use dipmo_domain::{InboxId, Lane, OrderKey, StoreError, Timestamp};
use dipmo_inbox::InboxRow;
use dipmo_store::{
    BatchReport, Block, Changes, ClaimLimits, ClaimedBatch, ClaimedMessage, Found, Needs,
    Settlement, SettlementKind, Store,
};

use super::Script;

/// A batch that was committed, and what its logic saw.
#[derive(Debug)]
pub struct Ran {
    /// What the store reported.
    pub report: BatchReport,
    /// The time that the logic was told; `None` when it was not called.
    pub now: Option<Timestamp>,
    /// The messages that the logic got.
    pub messages: Vec<ClaimedMessage>,
    /// What was found, for each wave.
    pub found: Vec<Found>,
}

impl Ran {
    /// The ids of the messages, in the order in which the logic got them.
    #[must_use]
    pub fn ids(&self) -> Vec<InboxId> {
        self.messages.iter().map(|claimed| claimed.message.id).collect()
    }
}

/// All lanes, and more messages than a test has.
#[must_use]
pub fn everything() -> ClaimLimits {
    ClaimLimits { messages: 100_000, lanes: Lane::COUNT, start: Lane::from_index(0).unwrap() }
}

/// Runs one batch over everything that can be claimed.
///
/// # Errors
/// Those of the store.
pub async fn batch(store: &dyn Store, script: Script) -> Result<Ran, StoreError> {
    batch_of(store, everything(), script).await
}

/// Runs one batch.
///
/// # Errors
/// Those of the store.
pub async fn batch_of(
    store: &dyn Store,
    limits: ClaimLimits,
    script: Script,
) -> Result<Ran, StoreError> {
    let seen = script.seen();
    let (report, _) = store.process_batch(limits, Box::new(script)).await?;
    let mut seen = std::mem::take(&mut *seen.lock().unwrap());
    let batch = seen.batches.pop();
    assert!(seen.batches.is_empty(), "`claimed` was called twice");
    let messages = batch.as_ref().map(|batch| batch.messages.clone()).unwrap_or_default();
    assert_eq!(report.messages, messages.len(), "the report counts what was claimed");
    Ok(Ran { report, now: batch.map(|batch| batch.now), messages, found: seen.found })
}

/// Settlements for some messages of a batch, as changes.
#[must_use]
pub fn settle(
    batch: &ClaimedBatch,
    kind: impl Fn(&ClaimedMessage) -> Option<SettlementKind>,
) -> Changes {
    let settlement = |claimed: &ClaimedMessage| {
        Some(Settlement { message: claimed.message.id, kind: kind(claimed)? })
    };
    let settlements = batch.messages.iter().filter_map(settlement).collect();
    Changes { settlements, ..Changes::default() }
}

/// All rows of the inbox, oldest first.
pub async fn rows(store: &dyn Store) -> Vec<InboxRow> {
    let mut rows = store.inbox_rows(1_000_000).await.unwrap();
    rows.reverse();
    rows
}

/// One row of the inbox.
pub async fn row_of(store: &dyn Store, id: InboxId) -> InboxRow {
    let found = rows(store).await.into_iter().find(|row| row.message.id == id);
    found.unwrap_or_else(|| panic!("message {id} is not in the inbox"))
}

/// Runs batches until one of them gets something.
pub async fn batch_at_last(store: &dyn Store, script: impl Fn() -> Script) -> Ran {
    loop {
        let ran = batch(store, script()).await.unwrap();
        if !ran.messages.is_empty() {
            return ran;
        }
        tokio::task::yield_now().await;
    }
}

/// The block of a key as a batch finds it; `None` when there is none.
///
/// Stores a marker, processes it, and reads the block on the way; nothing else may be there to claim.
pub async fn block_of(store: &dyn Store, key: &OrderKey) -> Option<Block> {
    super::stored(store, &[super::marker()]).await;
    let needs = Needs { blocks: vec![key.clone()], ..Needs::default() };
    let ran = batch(store, Script::reading(needs)).await.unwrap();
    assert_eq!(ran.messages.len(), 1, "only the marker was to be claimed");
    ran.found[0].blocks.get(key).copied()
}
