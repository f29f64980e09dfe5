//! The port of the sources.

use async_trait::async_trait;
use dipmo_domain::StoreError;
use dipmo_inbox::{BroughtBack, Inbox, NewMessage, Returned, SourceOffset, Stored};
use dipmo_store::{bring_back, serde_letters};

use crate::tx::Tx;
use crate::{SqliteStore, intents, messages, sql};

#[async_trait]
impl Inbox for SqliteStore {
    async fn store(
        &self,
        messages: &[NewMessage],
        offsets: &[SourceOffset],
    ) -> Result<Vec<Stored>, StoreError> {
        if messages.is_empty() && offsets.is_empty() {
            return Ok(Vec::new());
        }
        let (messages, offsets) = (messages.to_vec(), offsets.to_vec());
        self.write(move |tx| {
            let answers = messages::store(tx, &messages)?;
            intents::Writer::default().write(tx, &serde_letters(&messages, &answers))?;
            offsets.iter().try_for_each(|offset| put(tx, offset))?;
            Ok(answers)
        })
        .await
    }

    async fn bring_back(&self, letters: &[Returned]) -> Result<Vec<BroughtBack>, StoreError> {
        bring_back(self, letters).await
    }

    async fn offsets(&self, group: &str) -> Result<Vec<SourceOffset>, StoreError> {
        let group = group.to_owned();
        self.read(move |tx| {
            tx.all(&sql::offset_list(), [group], |row| {
                Ok(SourceOffset {
                    group: row.get(0)?,
                    topic: row.get(1)?,
                    partition: row.get(2)?,
                    topic_id: row.get(3)?,
                    next_offset: row.get(4)?,
                })
            })
        })
        .await
    }
}

fn put(tx: &Tx<'_>, offset: &SourceOffset) -> Result<(), StoreError> {
    let params = (
        &offset.group,
        &offset.topic,
        offset.partition,
        offset.topic_id,
        offset.next_offset,
        tx.now().as_micros(),
    );
    tx.run(&sql::offset_put(), params).map(drop)
}
