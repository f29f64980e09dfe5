//! The thread of a leg: reads, transforms, sends, and ends transactions.
//!
//! One thread with clients that are polled, as a source has: callbacks come on it only, so that a
//! partition can go at one place alone, and what is open is ended there.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use dipmo_domain::{ErrorStage, Failure};
use dipmo_kafka::{Place, Subject};
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::error::KafkaError;
use rdkafka::types::RDKafkaErrorCode;
use rdkafka::{Offset, TopicPartitionList};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use crate::attempt::Attempt;
use crate::clock::now_millis;
use crate::context::{Context, News};
use crate::ending::Endings;
use crate::options::LegOptions;
use crate::outcome::{Deciding, Outcome};
use crate::producer::Company;
use crate::record::Taken;
use crate::shared::Shared;
use crate::suspects::{Found, Letter};
use crate::transaction::{Ended, Step};
use crate::waiting::Waiting;

/// How long to wait for a first record; stopping waits as long.
const IDLE: Duration = Duration::from_millis(100);
/// How long to wait for more while a transaction is open.
const MORE: Duration = Duration::from_millis(5);
/// How often topics that nothing came of are looked after.
const LOOK_AROUND: Duration = Duration::from_secs(5);
/// How long a partition waits whose dead letter was refused: somebody may have made room for it.
const REFUSED_AGAIN_MILLIS: i64 = 60_000;
/// How long a client may take to go back.
const ONE_SEEK: Duration = Duration::from_secs(10);

/// Works as one member of the group.
pub(crate) struct Member {
    shared: Arc<Shared>,
    consumer: BaseConsumer<Context>,
    stop: CancellationToken,
    runtime: Handle,
    waiting: Waiting<Next>,
    endings: Endings,
    looked_at: Instant,
    readable: bool,
}

/// A record of a partition, before its attempt.
struct Next {
    place: Place,
    offset: i64,
    bytes: usize,
    attempt: Attempt,
    trouble: Option<Failure>,
}

impl Member {
    pub(crate) fn new(
        consumer: BaseConsumer<Context>,
        stop: CancellationToken,
        runtime: Handle,
    ) -> Self {
        Self {
            shared: Arc::clone(&consumer.context().shared),
            consumer,
            stop,
            runtime,
            waiting: Waiting::default(),
            endings: Endings::default(),
            looked_at: Instant::now(),
            readable: false,
        }
    }

    /// Works until it is told to stop or this membership cannot go on; then ends what is open, and
    /// leaves the group.
    pub(crate) fn run(mut self) {
        while !self.ends() {
            self.round();
            self.chores();
        }
        if !self.consumer.context().leaves() {
            self.commit();
        }
        self.shared.waiting.store(0, Ordering::Relaxed);
        let Self { shared, consumer, .. } = self;
        // Closing revokes what is left, by the callback.
        drop(consumer);
        // A client that ended by a fatal error calls nobody back.
        shared.positions().clear();
        shared.joined.store(false, Ordering::Relaxed);
        shared.metrics.change(|figures| figures.lag.clear());
    }

    fn ends(&self) -> bool {
        self.stop.is_cancelled() || self.consumer.context().leaves()
    }

    /// Reads what is there, up to the limits of a transaction, and commits it.
    fn round(&mut self) {
        loop {
            let polled = self.consumer.poll(self.patience());
            let taken = polled.map(|polled| polled.map(|message| Taken::of(&message)));
            let again = self.take_up_news();
            let drained = taken.is_none();
            match taken {
                Some(Ok(taken)) => self.met(taken, &again),
                Some(Err(error)) => self.failed(&error),
                None => {}
            }
            self.take_due();
            if drained || self.is_full() || self.ends() {
                self.commit();
                return;
            }
        }
    }

    fn patience(&self) -> Duration {
        if self.consumer.context().transactions().open().is_some() {
            return MORE;
        }
        let due = self.waiting.next_in(now_millis());
        due.map_or(IDLE, |due| due.clamp(Duration::from_millis(1), IDLE))
    }

    fn is_full(&self) -> bool {
        let limits = &self.shared.options.batch;
        let transactions = self.consumer.context().transactions();
        transactions.open().is_some_and(|open| {
            open.records >= limits.records
                || open.bytes >= limits.bytes
                || open.began.elapsed() >= limits.time
        })
    }

    /// What became of our partitions and of what was open while we polled. Returns those that are
    /// read again from an earlier record.
    fn take_up_news(&mut self) -> BTreeSet<Place> {
        let mut again = BTreeSet::new();
        for news in self.consumer.context().take_news() {
            match news {
                News::Ended(ended) => again.extend(self.ended(ended)),
                News::Gone(places) => places.iter().for_each(|place| {
                    self.waiting.forget(place);
                    self.endings.forget(place);
                }),
            }
        }
        again
    }

    /// Takes a record in, unless it is read again or nobody's any more.
    fn met(&mut self, taken: Taken, again: &BTreeSet<Place>) {
        if !std::mem::replace(&mut self.readable, true) {
            self.shared.board.clear(&Subject::Records);
        }
        let place = Place::new(&taken.record.topic, taken.record.partition);
        if again.contains(&place) || !self.shared.positions().contains_key(&place) {
            return;
        }
        let LegOptions { topics, chain, .. } = &self.shared.options;
        let Some(origin) = chain.origin(topics, &place.topic) else { return };
        let (offset, bytes) = (taken.record.offset, taken.size());
        let attempt = Attempt::of(taken.record, origin, chain);
        let next = Next { place, offset, bytes, attempt, trouble: taken.trouble };
        let found = self.endings.suspects.verdict(&next.place, next.offset);
        let now = now_millis();
        let due = match found.map(|found| found.letter) {
            Some(Letter::Refused) => now + REFUSED_AGAIN_MILLIS,
            _ => next.attempt.due_millis,
        };
        if due > now {
            self.hold(next, due);
        } else {
            self.take(next);
        }
    }

    /// The partition of a record that is not due waits; nothing else does.
    fn hold(&mut self, next: Next, due_millis: i64) {
        let paused = self.consumer.pause(&list(&next.place));
        if let Err(error) = paused {
            tracing::warn!(%error, "a partition could not be paused");
            self.consumer.context().leave();
            return;
        }
        self.waiting.hold(next.place.clone(), due_millis, next);
        self.shared.waiting.store(self.waiting.len(), Ordering::Relaxed);
    }

    fn take_due(&mut self) {
        while let Some((place, next)) = self.waiting.take_due(now_millis()) {
            self.take(next);
            self.resume(&place);
        }
        self.shared.waiting.store(self.waiting.len(), Ordering::Relaxed);
    }

    fn resume(&self, place: &Place) {
        if let Err(error) = self.consumer.resume(&list(place)) {
            tracing::warn!(%error, "a partition could not be resumed");
            self.consumer.context().leave();
        }
    }

    /// Decides about a record, and adds it to the transaction.
    fn take(&mut self, next: Next) {
        let alone = self.endings.suspects.is_alone(&next.place, next.offset);
        if alone && self.commit().contains(&next.place) {
            return;
        }
        let outcome = self.decide(&next);
        let Next { place, offset, bytes, .. } = next;
        let company = if alone { Company::Alone } else { Company::Shared };
        let step = Step { place, offset, bytes, outcome, company };
        let added = self.consumer.context().transactions().add(step);
        if let Err(error) = added {
            let ended = self.consumer.context().transactions().abort(Some(&error));
            match ended {
                Some(ended) => drop(self.ended(ended)),
                // It did not even begin.
                None => self.consumer.context().leave(),
            }
        } else if alone {
            self.commit();
        }
    }

    fn decide(&self, next: &Next) -> Outcome {
        let options = &self.shared.options;
        let deciding = Deciding {
            leg: &options.name,
            chain: &options.chain,
            transform: self.shared.transform.as_ref(),
        };
        let attempt = next.attempt.clone();
        if let Some(found) = self.endings.suspects.verdict(&next.place, next.offset) {
            let Found { failure, letter } = found.clone();
            let whole = deciding.dead(attempt, ErrorStage::Business, failure);
            return if letter == Letter::Whole { whole } else { whole.shortened() };
        }
        match &next.trouble {
            Some(failure) => deciding.dead(attempt, ErrorStage::ConsumerSerde, failure.clone()),
            None => deciding.decide(attempt, now_millis(), fastrand::u64(..)),
        }
    }

    /// Ends what is open. Returns the partitions that are read again from an earlier record.
    fn commit(&mut self) -> BTreeSet<Place> {
        let ended = self.consumer.context().transactions().commit(&self.consumer);
        ended.map(|ended| self.ended(ended)).unwrap_or_default()
    }

    fn ended(&mut self, ended: Ended) -> BTreeSet<Place> {
        let Some(ranges) = self.endings.took_note(&self.shared, ended) else {
            self.consumer.context().leave();
            return BTreeSet::new();
        };
        let mut again = BTreeSet::new();
        for (place, (first, _)) in ranges {
            if !self.shared.positions().contains_key(&place) {
                continue;
            }
            if self.waiting.forget(&place) {
                self.resume(&place);
            }
            let back = Offset::Offset(first);
            let gone_back = self.consumer.seek(&place.topic, place.partition, back, ONE_SEEK);
            if let Err(error) = gone_back {
                // Whoever joins anew begins where the group stands, which is the same.
                tracing::warn!(%place, first, %error, "leaving the group to read again");
                self.consumer.context().leave();
            }
            again.insert(place);
        }
        if let Some(delay) = self.endings.pause() {
            let (stop, runtime) = (&self.stop, &self.runtime);
            runtime.block_on(async {
                tokio::select! {
                    () = tokio::time::sleep(delay) => {}
                    () = stop.cancelled() => {}
                }
            });
        }
        again
    }

    fn chores(&mut self) {
        if self.looked_at.elapsed() < LOOK_AROUND {
            return;
        }
        self.looked_at = Instant::now();
        self.readable = false;
        let shared = &self.shared;
        let topics = shared.options.all_topics();
        let read = |topic: &str| shared.positions().keys().any(|place| place.topic == topic);
        shared.board.look_for(&self.consumer, topics.iter().map(String::as_str), read);
    }

    fn failed(&self, error: &KafkaError) {
        // The text of every error was told to the context before.
        let lost_place = error.rdkafka_error_code() == Some(RDKafkaErrorCode::AutoOffsetReset);
        if lost_place {
            self.shared.lost_place.store(true, Ordering::Relaxed);
        }
        if lost_place || matches!(error, KafkaError::MessageConsumptionFatal(_)) {
            tracing::error!(%error, "leaving the group to join it anew");
            self.consumer.context().leave();
        }
    }
}

fn list(place: &Place) -> TopicPartitionList {
    let mut list = TopicPartitionList::with_capacity(1);
    list.add_partition(&place.topic, place.partition);
    list
}
