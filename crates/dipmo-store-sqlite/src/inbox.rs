//! The port of the sources.

use async_trait::async_trait;
use dipmo_domain::StoreError;
use dipmo_inbox::{BroughtBack, Inbox, NewMessage, Returned, SourceOffset, SourceRange, Stored};
use dipmo_store::{bring_back, serde_letters};

use crate::{SqliteStore, intents, messages, offsets};

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
}
