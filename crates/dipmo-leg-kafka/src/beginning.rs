//! Where to begin in a partition: where the group stands, or where the options say.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use dipmo_domain::{Code, Coded as _};
use dipmo_kafka::{KafkaError as Trouble, Place, Subject};
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer as _};
use rdkafka::error::{KafkaError, KafkaResult};
use rdkafka::types::RDKafkaErrorCode;
use rdkafka::{Offset, TopicPartitionList};

use crate::context::Context;
use crate::options::Start;
use crate::shared::Shared;

/// How long a rebalance may wait for the broker beyond a transaction that nobody ends: the broker
/// looks for those every 10 s. The group waits with us.
const PATIENCE: Duration = Duration::from_secs(15);
const ONE_CALL: Duration = Duration::from_secs(5);
const BETWEEN: Duration = Duration::from_millis(200);

/// Where to begin in a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// Here.
    At(Offset),
    /// Nowhere: what the group has read is more than there is. What is there is not what was read,
    /// and nobody here knows what of it is new.
    Nowhere,
}

/// Where to begin in each of the partitions; `None` when that could not be found out in time, in
/// which case nothing may be read.
pub(crate) fn beginnings(
    consumer: &BaseConsumer<Context>,
    shared: &Shared,
    places: &[Place],
) -> Option<Vec<(Place, Beginning)>> {
    // What a member left open that crashed is told of when it is aborted.
    let until = Instant::now() + shared.options.transaction_timeout + PATIENCE;
    loop {
        match attempt(consumer, shared, places) {
            Ok(beginnings) => {
                shared.board.clear(&Subject::Group);
                return Some(beginnings);
            }
            Err(error) => {
                let error = Trouble::of(&error);
                let message = format!("where to go on could not be found out: {error}");
                shared.board.raise(Subject::Group, error.code(), &message);
            }
        }
        if Instant::now() + BETWEEN > until {
            return None;
        }
        std::thread::sleep(BETWEEN);
    }
}

fn attempt(
    consumer: &BaseConsumer<Context>,
    shared: &Shared,
    places: &[Place],
) -> KafkaResult<Vec<(Place, Beginning)>> {
    if places.is_empty() {
        return Ok(Vec::new());
    }
    let mut asked = TopicPartitionList::with_capacity(places.len());
    for place in places {
        asked.add_partition(&place.topic, place.partition);
    }
    // Of a transaction that is about to end the broker does not say yet, and the client asks again.
    let committed = consumer.committed_offsets(asked, ONE_CALL)?;
    let look = shared.lost_place.load(Ordering::Relaxed);
    let mut new = TopicPartitionList::new();
    let mut beginnings = Vec::with_capacity(places.len());
    for place in places {
        let begin = match stands(&committed, place)? {
            Some(next) if look => left(consumer, shared, place, next)?,
            Some(next) => Beginning::At(Offset::Offset(next)),
            None if shared.options.start == Start::Latest && is_named(shared, place) => {
                let (_, end) =
                    consumer.fetch_watermarks(&place.topic, place.partition, ONE_CALL)?;
                // Or what comes before the first commit would be skipped by who follows a crash.
                new.add_partition_offset(&place.topic, place.partition, Offset::Offset(end))?;
                Beginning::At(Offset::Offset(end))
            }
            None => Beginning::At(Offset::Beginning),
        };
        beginnings.push((place.clone(), begin));
    }
    if new.count() > 0 {
        consumer.commit(&new, CommitMode::Sync)?;
    }
    shared.lost_place.store(false, Ordering::Relaxed);
    Ok(beginnings)
}

/// Where the group stands in a partition; `None` when it has no offset there. That nothing is said
/// of it, because we may not know or nobody knows now, is an error and not an answer.
fn stands(committed: &TopicPartitionList, place: &Place) -> KafkaResult<Option<i64>> {
    let unsaid = || KafkaError::OffsetFetch(RDKafkaErrorCode::UnknownPartition);
    let known = committed.find_partition(&place.topic, place.partition).ok_or_else(unsaid)?;
    known.error()?;
    match known.offset() {
        Offset::Offset(next) => Ok(Some(next)),
        Offset::Invalid => Ok(None),
        _ => Err(unsaid()),
    }
}

/// Retry topics hold what is ours, and none of it is skipped.
fn is_named(shared: &Shared, place: &Place) -> bool {
    shared.options.topics.contains(&place.topic)
}

/// Where to go on when the broker may not have what comes next.
fn left(
    consumer: &BaseConsumer<Context>,
    shared: &Shared,
    place: &Place,
    next: i64,
) -> KafkaResult<Beginning> {
    let (low, high) = consumer.fetch_watermarks(&place.topic, place.partition, ONE_CALL)?;
    if next > high {
        let message = format!("the group read {place} up to {next}, and it ends at {high}");
        let code = Code::new("kafka-offset-beyond-end");
        shared.board.raise(Subject::Partition(place.clone()), code, &message);
        return Ok(Beginning::Nowhere);
    }
    if low > next {
        let lost = low - next;
        let code = Code::new("kafka-records-lost").as_str();
        tracing::error!(code, %place, next, low, lost, "the broker deleted records before they were read");
        shared.metrics.change(|figures| figures.records_lost += lost.unsigned_abs());
        return Ok(Beginning::At(Offset::Offset(low)));
    }
    Ok(Beginning::At(Offset::Offset(next)))
}

#[cfg(test)]
mod tests {
    use rdkafka::ClientConfig;

    use super::*;

    #[test]
    fn an_error_is_not_taken_for_a_group_without_an_offset() {
        let place = Place::new("orders", 0);
        let mut answer = TopicPartitionList::new();
        answer.add_partition("orders", 0);
        assert_eq!(stands(&answer, &place), Ok(None));
        answer.set_partition_offset("orders", 0, Offset::Offset(7)).unwrap();
        assert_eq!(stands(&answer, &place), Ok(Some(7)));
        assert!(stands(&answer, &Place::new("orders", 1)).is_err(), "nothing was said of it");
        answer.set_partition_offset("orders", 0, Offset::Invalid).unwrap();
        // A client that does not know the partition says so in the list, as a broker does.
        let mut config = ClientConfig::new();
        let client: BaseConsumer = config.set("group.id", "nobody").create().unwrap();
        let _ = client.pause(&answer);
        assert!(answer.find_partition("orders", 0).unwrap().error().is_err());
        assert!(stands(&answer, &place).is_err());
    }
}
