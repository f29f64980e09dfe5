//! The port through which sources store messages.

use async_trait::async_trait;
use dipmo_domain::{DedupeKey, InboxId, StoreError};

use crate::{BroughtBack, NewMessage, Returned, SourceOffset, SourceRange, Whereabouts};

/// What became of one message of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// It is in the inbox, under this id.
    New(InboxId),
    /// The same message was stored before, as this one.
    Duplicate(InboxId),
    /// Another message with the same id was stored before: kept as an incident, not processed.
    Conflict(InboxId),
}

/// The inbox as a source sees it.
#[async_trait]
pub trait Inbox: Send + Sync {
    /// Stores messages and how far they bring each partition, in one transaction; after it returns
    /// they are durable, and the next offsets may be committed to the broker.
    ///
    /// Answers for each message in its place. Storing the same message again is no error, at once
    /// or years later within the dedupe horizon. Ranges of one partition count as if they came one
    /// after the other. A stored offset never moves back, and one that is further along stays. A
    /// message that says where it is [mirrored](NewMessage::mirrored_to) to is an intent as well,
    /// if it is new.
    ///
    /// # Errors
    /// When nothing was stored. [`StoreError::OffsetBehind`] when the database stands before the
    /// beginning of a range: it has lost something since, and the source must read that again.
    async fn store(
        &self,
        messages: &[NewMessage],
        ranges: &[SourceRange],
    ) -> Result<Vec<Stored>, StoreError>;

    /// Stores where partitions begin that the database does not know, or whose topic was made
    /// anew, or whose next records are gone. A known offset never moves back, unless the topic
    /// was made anew.
    ///
    /// # Errors
    /// When nothing was stored.
    async fn begin(&self, offsets: &[SourceOffset]) -> Result<(), StoreError>;

    /// Brings dead letters back, any number of them: what failed gets a new attempt, what could not
    /// be decoded becomes what it is decoded to now, each in its old place. Answers for each letter
    /// in its place. Bringing the same letter back again changes nothing, whatever happened since.
    ///
    /// # Errors
    /// When it is not known how many were brought back: bring all of them back again.
    async fn bring_back(&self, letters: &[Returned]) -> Result<Vec<BroughtBack>, StoreError>;

    /// The next offsets of a consumer group, sorted by topic and partition.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn offsets(&self, group: &str) -> Result<Vec<SourceOffset>, StoreError>;

    /// Where messages stand, each in the place of its dedupe key; `None` for one that the database
    /// does not know, or does not know any more.
    ///
    /// # Errors
    /// When the database does not answer.
    async fn whereabouts(&self, keys: &[DedupeKey])
    -> Result<Vec<Option<Whereabouts>>, StoreError>;
}
