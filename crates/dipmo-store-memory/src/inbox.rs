//! The tables of the inbox, and the port that stores messages.

use std::sync::Arc;

use async_trait::async_trait;
use dipmo_domain::{ContentHash, DedupeKey, InboxId, Lane, Outcome, StoreError, Timestamp};
use dipmo_inbox::{
    BroughtBack, Inbox, Message, NewMessage, Returned, SourceOffset, SourceRange, Stored,
    Whereabouts,
};
use dipmo_store::{Incident, Side, bring_back, serde_letters};

use crate::MemoryStore;
use crate::blocks::Blocks;
use crate::database::{Database, Map};
use crate::exceptions::Exceptions;
use crate::index::Index;
use crate::insert::insert;
use crate::intents::write_intents;
use crate::offsets::{self, OffsetKey, OffsetRow};
use crate::rows::inbox_row;
use crate::side::InboxSide;
use crate::wake::new_of;

/// Where every message, dedupe id and offset stands.
#[derive(Clone, Default)]
pub(crate) struct InboxTables {
    pub(crate) last_id: i64,
    pub(crate) log: Map<InboxId, Arc<Message>>,
    pub(crate) ready: Index<Lane, InboxId>,
    pub(crate) done: Map<InboxId, DoneRow>,
    pub(crate) exceptions: Exceptions<InboxSide>,
    pub(crate) blocks: Blocks<InboxSide>,
    pub(crate) ids: Map<DedupeKey, IdRow>,
    pub(crate) horizon: Option<Timestamp>,
    pub(crate) offsets: Map<OffsetKey, OffsetRow>,
    /// In the order in which they came.
    pub(crate) incidents: rpds::VectorSync<Incident>,
}

/// A row of `inbox_done`: the message ended at its first attempt.
#[derive(Clone, Copy)]
pub(crate) struct DoneRow {
    pub(crate) outcome: Outcome,
    pub(crate) at: Timestamp,
}

/// True when one message comes after another of the same key.
pub(crate) fn comes_after(
    log: &Map<InboxId, Arc<Message>>,
    later: InboxId,
    earlier: InboxId,
) -> bool {
    let both = log.get(&later).zip(log.get(&earlier));
    both.is_some_and(|(later, earlier)| later.comes_after(earlier))
}

/// A row of the dedupe ids.
#[derive(Clone, Copy)]
pub(crate) struct IdRow {
    pub(crate) message: InboxId,
    pub(crate) content: ContentHash,
    pub(crate) received_at: Timestamp,
}

#[async_trait]
impl Inbox for MemoryStore {
    async fn store(
        &self,
        messages: &[NewMessage],
        ranges: &[SourceRange],
    ) -> Result<Vec<Stored>, StoreError> {
        let store = |database: &mut Database, now| {
            let inbox = &mut database.inbox;
            ranges.iter().try_for_each(|range| offsets::advance(&mut inbox.offsets, range))?;
            let stored: Result<Vec<Stored>, StoreError> =
                messages.iter().map(|message| insert(inbox, message, now)).collect();
            let stored = stored?;
            let letters = serde_letters(messages, &stored);
            write_intents(&mut database.outbox, &letters, now)?;
            Ok((stored, letters.len()))
        };
        let (stored, mirrored) = self.transact(store)?;
        self.waking(Side::Inbox, new_of(&stored));
        self.waking(Side::Outbox, mirrored);
        Ok(stored)
    }

    async fn begin(&self, offsets: &[SourceOffset]) -> Result<(), StoreError> {
        self.transact(|database, _| {
            let known = &mut database.inbox.offsets;
            offsets.iter().for_each(|offset| offsets::begin(known, offset));
            Ok(())
        })
    }

    async fn bring_back(&self, letters: &[Returned]) -> Result<Vec<BroughtBack>, StoreError> {
        bring_back(self, letters).await
    }

    async fn offsets(&self, group: &str) -> Result<Vec<SourceOffset>, StoreError> {
        self.read(|database, _| Ok(offsets::of_group(&database.inbox.offsets, group)))
    }

    async fn whereabouts(
        &self,
        keys: &[DedupeKey],
    ) -> Result<Vec<Option<Whereabouts>>, StoreError> {
        self.read(|database, _| {
            let inbox = &database.inbox;
            Ok(keys
                .iter()
                .map(|key| Some(whereabouts(inbox, inbox.ids.get(key)?.message)))
                .collect())
        })
    }
}

fn whereabouts(inbox: &InboxTables, message: InboxId) -> Whereabouts {
    let Some(row) = inbox.log.get(&message).map(|message| inbox_row(inbox, message)) else {
        return Whereabouts::of_history(message);
    };
    Whereabouts {
        message,
        status: row.status,
        outcome: row.outcome,
        attempts: row.attempts,
        error_code: row.failure.map(|failure| failure.code().to_owned()),
    }
}
