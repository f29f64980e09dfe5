//! The database at the end.

use std::collections::BTreeMap;

use dipmo_domain::{InboxId, InboxStatus, OutboxId, OutboxStatus, StoreError};
use dipmo_inbox::InboxRow;
use dipmo_outbox::{OutboxRow, RecordRow};
use dipmo_store::Inspect as _;
use serde::de::DeserializeOwned;

use crate::sim::Sim;

/// All rows that matter.
pub(super) struct End {
    pub(super) messages: BTreeMap<InboxId, InboxRow>,
    pub(super) intents: BTreeMap<OutboxId, OutboxRow>,
    /// Those of each intent that has some.
    pub(super) records: BTreeMap<OutboxId, Vec<RecordRow>>,
}

impl End {
    pub(super) async fn read(sim: &Sim) -> Result<Self, StoreError> {
        let messages = sim.store.inbox_rows(u32::MAX).await?;
        let intents = sim.store.outbox_rows(u32::MAX).await?;
        let mut records = BTreeMap::new();
        for intent in &intents {
            let rows = sim.store.records(intent.id).await?;
            records.insert(intent.id, rows);
        }
        Ok(Self {
            messages: messages.into_iter().map(|row| (row.message.id, row)).collect(),
            intents: intents.into_iter().map(|row| (row.id, row)).collect(),
            records,
        })
    }

    /// The messages of an account on a topic, in order.
    pub(super) fn of<'a>(
        &'a self,
        topic: &'a str,
        account: &'a str,
    ) -> impl Iterator<Item = &'a InboxRow> {
        self.messages.values().filter(move |row| {
            row.message.topic == topic && row.message.aggregate_id.as_deref() == Some(account)
        })
    }

    /// True for a message that waits for one that failed.
    pub(super) fn is_held(&self, row: &InboxRow) -> bool {
        let head = row.held_behind.and_then(|head| self.messages.get(&head));
        row.status == InboxStatus::Received && head.is_some_and(is_failed)
            || row.status == InboxStatus::Retry && head.is_some_and(is_failed)
    }

    /// The units of all intents: id, intent, record, status, attempts, and what each is held behind.
    pub(super) fn units(&self) -> impl Iterator<Item = Unit<'_>> {
        self.intents.values().flat_map(|intent| {
            let records = self.records.get(&intent.id).into_iter().flatten();
            let records = records.map(move |row| Unit {
                id: row.id,
                intent,
                status: row.status,
                attempts: row.attempts,
                held_behind: row.held_behind,
                skipped: row.skipped,
            });
            let has_records = self.records.get(&intent.id).is_some_and(|rows| !rows.is_empty());
            let alone = (!has_records).then_some(Unit {
                id: intent.id,
                intent,
                status: intent.status,
                attempts: intent.attempts,
                held_behind: intent.held_behind,
                skipped: intent.skipped,
            });
            records.chain(alone)
        })
    }
}

/// A unit of delivery.
#[derive(Clone, Copy)]
pub(super) struct Unit<'a> {
    pub(super) id: OutboxId,
    pub(super) intent: &'a OutboxRow,
    pub(super) status: OutboxStatus,
    pub(super) attempts: u32,
    pub(super) held_behind: Option<OutboxId>,
    pub(super) skipped: bool,
}

/// True for one that waits for a person.
pub(super) fn is_failed(row: &InboxRow) -> bool {
    matches!(row.status, InboxStatus::Failed | InboxStatus::SerdeError)
}

/// The payload of a message.
pub(super) fn payload<T: DeserializeOwned>(row: &InboxRow) -> Result<T, String> {
    let json = row.message.payload.as_ref().ok_or_else(|| format!("{row:?} has no payload"))?;
    json.read().map_err(|error| format!("{}: {error}", row.message.id))
}
