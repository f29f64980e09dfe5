//! Finding out where to begin: asks the database and the broker, and says what differs.

use std::time::{Duration, Instant};

use dipmo_domain::{Code, Coded as _, StoreError};
use dipmo_inbox::SourceOffset;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::error::KafkaError;
use rdkafka::{Offset, TopicPartitionList};
use tokio::runtime::Handle;

use crate::assignment::{Beginning, Facts, Finding, Policy, begin};
use crate::context::Context;
use crate::health::Subject;
use crate::offsets::{Place, source_offset};
use crate::shared::Shared;

/// How long a rebalance may wait for the database and the broker. The group waits with us, so it
/// is far below what the broker allows (`max.poll.interval.ms`).
const PATIENCE: Duration = Duration::from_secs(15);
const ONE_CALL: Duration = Duration::from_secs(5);
/// Enough for a leader that is there.
const SHORT_CALL: Duration = Duration::from_millis(150);
const BETWEEN: Duration = Duration::from_millis(200);

/// Where to begin in each of the partitions; `None` when that could not be found out in time, in
/// which case nothing may be read.
pub(crate) fn beginnings(
    consumer: &BaseConsumer<Context>,
    shared: &Shared,
    runtime: &Handle,
    places: &[Place],
) -> Option<Vec<(Place, Beginning)>> {
    let until = Instant::now() + PATIENCE;
    loop {
        match attempt(consumer, shared, runtime, places) {
            Ok(beginnings) => {
                shared.board.clear(&Subject::Group);
                for (place, beginning) in &beginnings {
                    beginning.findings.iter().for_each(|finding| report(shared, place, finding));
                }
                return Some(beginnings);
            }
            Err((code, problem)) => {
                let message = format!("where to go on could not be found out: {problem}");
                shared.board.raise(Subject::Group, code, &message);
            }
        }
        if Instant::now() + BETWEEN > until {
            return None;
        }
        std::thread::sleep(BETWEEN);
    }
}

type Problem = (Code, String);

fn attempt(
    consumer: &BaseConsumer<Context>,
    shared: &Shared,
    runtime: &Handle,
    places: &[Place],
) -> Result<Vec<(Place, Beginning)>, Problem> {
    let (options, group) = (&shared.options, &shared.options.group);
    let policy = Policy { start: options.start, adopt_committed: options.adopt_committed };
    let stored = call(runtime, shared.stored_offsets())?;
    let committed = committed(consumer, places)?;
    // What was ours before is known, whatever the database says now: it may have been set back.
    let seen = shared.ledger().seen().clone();
    let mut beginnings = Vec::with_capacity(places.len());
    let known = |place: &Place| {
        let is_here =
            |it: &&SourceOffset| it.topic == place.topic && it.partition == place.partition;
        stored.iter().find(is_here)
    };
    let asking = places.iter().zip(committed);
    let mut asking: Vec<_> = asking.map(|(place, it)| (place, it, known(place))).collect();
    // Those that the database does not know cannot do without an answer, and ask first.
    asking.sort_by_key(|(_, _, here)| here.is_some());
    // A leader that is away is asked in vain for each of its partitions: each time the next may take
    // half as long.
    let mut in_vain = 0;
    for (place, committed, here) in asking {
        let of_topic = |known: &&SourceOffset| known.topic == place.topic;
        let life = |known: &SourceOffset| known.topic_id.map_or(0, u128::from_be_bytes);
        let patience = (ONE_CALL / 2_u32.saturating_pow(in_vain)).max(SHORT_CALL);
        let watermarks = consumer.fetch_watermarks(&place.topic, place.partition, patience);
        let (low, high) = match (watermarks, here) {
            (Ok(watermarks), _) => watermarks,
            // A partition without a leader must not keep the others waiting. An offset that is no
            // longer there is an error of its own once it has one.
            (Err(error), Some(known)) => {
                in_vain += 1;
                tracing::warn!(%place, %error, "going on where the database says, unchecked");
                beginnings
                    .push((place.clone(), Beginning::unchecked(known.next_offset, life(known))));
                continue;
            }
            (Err(error), None) => return Err(unknown(&error)),
        };
        let facts = Facts {
            stored: here.map(|known| (known.next_offset, life(known))),
            group_known: !stored.is_empty() || !seen.is_empty(),
            topic_known: stored.iter().any(|known| of_topic(&known)) || seen.contains(&place.topic),
            committed,
            low,
            high,
        };
        beginnings.push((place.clone(), begin(&facts, policy)));
    }
    // From here on the database says it, also when nothing comes for a long time.
    let new = beginnings.iter().filter(|(_, beginning)| beginning.to_store);
    let mut new: Vec<_> = new
        .map(|(place, beginning)| source_offset(group, place, beginning.life, beginning.offset))
        .collect();
    if stored.is_empty() && seen.is_empty() && options.adopt_committed {
        new.extend(adopted_for_others(consumer, shared, places)?);
    }
    if !new.is_empty() {
        call(runtime, shared.store_beginnings(&new))?;
    }
    Ok(beginnings)
}

/// Where the group goes on in partitions that others of its members have. They may ask the database
/// only after it knows the group by us, and would not adopt what was committed any more.
fn adopted_for_others(
    consumer: &BaseConsumer<Context>,
    shared: &Shared,
    ours: &[Place],
) -> Result<Vec<SourceOffset>, Problem> {
    let options = &shared.options;
    let metadata = consumer.fetch_metadata(None, ONE_CALL).map_err(|error| unknown(&error))?;
    // Which topics a pattern means is known to the client only: those of nobody here do no harm.
    let any = options.topics.iter().any(|topic| topic.starts_with('^'));
    let read = |topic: &str| any || options.topics.iter().any(|named| named == topic);
    let topics = metadata.topics().iter().filter(|topic| read(topic.name()));
    let partitions = topics.flat_map(|topic| {
        topic.partitions().iter().map(|partition| Place::new(topic.name(), partition.id()))
    });
    let others: Vec<Place> = partitions.filter(|place| !ours.contains(place)).collect();
    if others.is_empty() {
        return Ok(Vec::new());
    }
    let committed = committed(consumer, &others)?;
    let known = others.iter().zip(committed).filter_map(|(place, offset)| Some((place, offset?)));
    Ok(known.map(|(place, offset)| source_offset(&options.group, place, 0, offset)).collect())
}

/// Calls the database from the thread that polls.
fn call<T>(
    runtime: &Handle,
    future: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, Problem> {
    runtime.block_on(future).map_err(|error| (error.code(), error.to_string()))
}

/// What the group committed, for each place.
fn committed(
    consumer: &BaseConsumer<Context>,
    places: &[Place],
) -> Result<Vec<Option<i64>>, Problem> {
    let mut list = TopicPartitionList::with_capacity(places.len());
    places.iter().for_each(|place| {
        list.add_partition(&place.topic, place.partition);
    });
    let answer = consumer.committed_offsets(list, ONE_CALL).map_err(|error| unknown(&error))?;
    let of = |place: &Place| {
        let Some(known) = answer.find_partition(&place.topic, place.partition) else {
            return Ok(None);
        };
        // That we may not know, or nobody knows now, does not mean that there is none.
        known.error().map_err(|error| unknown(&error))?;
        Ok(if let Offset::Offset(offset) = known.offset() { Some(offset) } else { None })
    };
    places.iter().map(of).collect()
}

fn unknown(error: &KafkaError) -> Problem {
    let error = dipmo_kafka::KafkaError::of(error);
    (error.code(), error.to_string())
}

fn report(shared: &Shared, place: &Place, finding: &Finding) {
    let (topic, partition) = (&place.topic, place.partition);
    shared.metrics.change(|figures| match finding {
        Finding::CommittedBehind { .. } => figures.committed_behind += 1,
        Finding::CommittedAhead { .. } => figures.committed_ahead += 1,
        Finding::RecordsLost { next, low } => figures.records_lost += (low - next).unsigned_abs(),
        Finding::MadeAnew { .. } => figures.topics_made_anew += 1,
        Finding::Adopted { .. } => {}
    });
    match finding {
        Finding::CommittedBehind { .. } => tracing::info!(topic, partition, "{finding}"),
        Finding::Adopted { .. } => {
            let code = Code::new("kafka-group-adopted").as_str();
            tracing::warn!(code, topic, partition, "{finding}");
        }
        Finding::CommittedAhead { .. } => {
            let code = Code::new("kafka-offset-ahead").as_str();
            tracing::warn!(code, topic, partition, "{finding}");
        }
        Finding::RecordsLost { .. } => {
            let code = Code::new("kafka-records-lost").as_str();
            tracing::error!(code, topic, partition, "{finding}");
        }
        Finding::MadeAnew { .. } => {
            let code = Code::new("kafka-topic-made-anew").as_str();
            tracing::error!(code, topic, partition, "{finding}");
        }
    }
}
