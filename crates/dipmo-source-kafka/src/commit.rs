//! Offsets to the broker: only what is stored, and only of partitions that are ours.
//!
//! All commits come from the thread that polls, and so do the callbacks that take partitions away:
//! between looking at the ledger and sending a commit no partition can go.
//!
//! No commit is waited for: a broker that does not answer would hold up the whole group, or our
//! end. While a partition is ours, one commit is on its way at a time, and one that failed is said
//! again. The last one, when a partition goes or we stop, may be lost: the database knows better.

use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer as _};
use rdkafka::error::KafkaResult;
use rdkafka::topic_partition_list::TopicPartitionListElem;
use rdkafka::{Offset, TopicPartitionList};

use crate::context::Context;
use crate::offsets::Place;
use crate::shared::Shared;

/// Commits what is stored and not committed yet, unless a commit is on its way.
pub(crate) fn due(consumer: &BaseConsumer<Context>, shared: &Shared) {
    if !shared.ledger().awaits_answer() {
        everything(consumer, shared);
    }
}

/// Commits what is stored and not committed yet, of all partitions.
pub(crate) fn everything(consumer: &BaseConsumer<Context>, shared: &Shared) {
    some(consumer, shared, |_| true);
}

/// Commits what is stored and not committed yet, of some partitions.
pub(crate) fn some(consumer: &BaseConsumer<Context>, shared: &Shared, of: impl Fn(&Place) -> bool) {
    let mut offsets = shared.ledger().committable();
    offsets.retain(|(place, _)| of(place));
    if offsets.is_empty() {
        return;
    }
    match list(&offsets).and_then(|list| consumer.commit(&list, CommitMode::Async)) {
        Ok(()) => {
            shared.ledger().committing(&offsets);
            shared.committed();
        }
        Err(error) => failed(shared, &error.to_string()),
    }
}

/// A commit was answered, as a whole and for each partition.
pub(crate) fn answered(shared: &Shared, result: KafkaResult<()>, list: &TopicPartitionList) {
    shared.ledger().answered();
    let each = list.elements().iter().try_for_each(TopicPartitionListElem::error);
    if let Err(error) = result.and(each) {
        failed(shared, &error.to_string());
    }
}

/// A commit did not arrive. Nothing is lost by that: the database knows where to go on.
fn failed(shared: &Shared, error: &str) {
    tracing::warn!(error, "a commit failed and will be repeated");
    shared.ledger().commit_failed();
    shared.metrics.change(|figures| figures.commits_failed += 1);
}

/// Offsets as the client wants them.
pub(crate) fn list(offsets: &[(Place, i64)]) -> KafkaResult<TopicPartitionList> {
    let mut list = TopicPartitionList::with_capacity(offsets.len());
    for (place, offset) in offsets {
        list.add_partition_offset(&place.topic, place.partition, Offset::Offset(*offset))?;
    }
    Ok(list)
}
