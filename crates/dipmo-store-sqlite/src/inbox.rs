//! The port of the sources.

use async_trait::async_trait;
use dipmo_domain::{DedupeKey, InboxId, InboxStatus, StoreError};
use dipmo_inbox::{
    BroughtBack, Inbox, NewMessage, Returned, SourceOffset, SourceRange, Stored, Whereabouts,
};
use dipmo_store::{bring_back, serde_letters};

use rusqlite::Row;

use crate::{SqliteStore, intents, messages, offsets, rows, sql};

#[async_trait]
impl Inbox for SqliteStore {
    async fn store(
        &self,
        messages: &[NewMessage],
        ranges: &[SourceRange],
    ) -> Result<Vec<Stored>, StoreError> {
        if messages.is_empty() && ranges.is_empty() {
            return Ok(Vec::new());
        }
        let (messages, ranges) = (messages.to_vec(), ranges.to_vec());
        self.write(move |tx| {
            let answers = messages::store(tx, &messages)?;
            intents::Writer::default().write(tx, &serde_letters(&messages, &answers))?;
            ranges.iter().try_for_each(|range| offsets::advance(tx, range))?;
            Ok(answers)
        })
        .await
    }

    async fn begin(&self, offsets: &[SourceOffset]) -> Result<(), StoreError> {
        let offsets = offsets.to_vec();
        self.write(move |tx| offsets.iter().try_for_each(|offset| offsets::begin(tx, offset))).await
    }

    async fn bring_back(&self, letters: &[Returned]) -> Result<Vec<BroughtBack>, StoreError> {
        bring_back(self, letters).await
    }

    async fn offsets(&self, group: &str) -> Result<Vec<SourceOffset>, StoreError> {
        let group = group.to_owned();
        self.read(move |tx| offsets::list(tx, &group)).await
    }

    async fn whereabouts(
        &self,
        keys: &[DedupeKey],
    ) -> Result<Vec<Option<Whereabouts>>, StoreError> {
        let keys = keys.to_vec();
        self.read(move |tx| {
            let find = |key: &DedupeKey| {
                tx.one(&sql::message_whereabouts(), [key.as_bytes()], whereabouts)
            };
            keys.iter().map(find).collect()
        })
        .await
    }
}

fn whereabouts(row: &Row<'_>) -> rusqlite::Result<Whereabouts> {
    let message = InboxId(row.get(0)?);
    Ok(match rows::maybe_parsed::<InboxStatus>(row, 1)? {
        None => Whereabouts::of_history(message),
        Some(status) => Whereabouts {
            message,
            status,
            outcome: rows::maybe_parsed(row, 2)?,
            attempts: row.get(3)?,
            error_code: row.get(4)?,
        },
    })
}
