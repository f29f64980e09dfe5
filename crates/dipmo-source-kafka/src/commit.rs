//! Offsets to the broker: only what is stored, and only of partitions that are ours.
//!
//! All commits come from the thread that polls, and so do the callbacks that take partitions away:
//! between looking at the ledger and sending a commit no partition can go.
//!
//! While we read, no commit is waited for: a broker that does not answer would hold up the whole
//! group. The client tells nobody what became of such a commit, and may repeat one behind a later
//! one, so everything is said again now and then. The last commit, when we leave, is waited for.
//! Whatever is lost of all this, the database knows better.

use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer as _};
use rdkafka::error::KafkaResult;
use rdkafka::{Offset, TopicPartitionList};

use crate::context::Context;
use crate::offsets::Place;
use crate::shared::Shared;

/// Commits what is stored and not committed yet, of some partitions.
pub(crate) fn some(consumer: &BaseConsumer<Context>, shared: &Shared, of: impl Fn(&Place) -> bool) {
    commit(consumer, shared, CommitMode::Async, of);
}

/// Commits what is stored and not committed yet, of all partitions.
pub(crate) fn everything(consumer: &BaseConsumer<Context>, shared: &Shared) {
    commit(consumer, shared, CommitMode::Async, |_| true);
}

/// Commits everything and waits for the answer. Who stops a source does not wait longer for this
/// thread than the broker is given for our farewell.
pub(crate) fn last(consumer: &BaseConsumer<Context>, shared: &Shared) {
    shared.ledger().say_again();
    commit(consumer, shared, CommitMode::Sync, |_| true);
}

fn commit(
    consumer: &BaseConsumer<Context>,
    shared: &Shared,
    mode: CommitMode,
    of: impl Fn(&Place) -> bool,
) {
    let mut offsets = shared.ledger().committable();
    offsets.retain(|(place, _)| of(place));
    if offsets.is_empty() {
        return;
    }
    match list(&offsets).and_then(|list| consumer.commit(&list, mode)) {
        Ok(()) => {
            shared.ledger().committed(&offsets);
            shared.committed();
        }
        Err(error) => {
            tracing::warn!(%error, "a commit failed");
            shared.metrics.change(|figures| figures.commits_failed += 1);
        }
    }
}

/// Offsets as the client wants them.
pub(crate) fn list(offsets: &[(Place, i64)]) -> KafkaResult<TopicPartitionList> {
    let mut list = TopicPartitionList::with_capacity(offsets.len());
    for (place, offset) in offsets {
        list.add_partition_offset(&place.topic, place.partition, Offset::Offset(*offset))?;
    }
    Ok(list)
}
