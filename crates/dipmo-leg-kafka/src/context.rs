//! What the consumer calls: rebalances, errors, statistics. All of it on the thread of the leg, so
//! nothing here races with a transaction.

use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dipmo_kafka::{ClientEvents, Place, Subject};
use rdkafka::client::{ClientContext, OAuthToken};
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::{BaseConsumer, Consumer as _, ConsumerContext, RebalanceProtocol};
use rdkafka::error::{KafkaError, KafkaResult};
use rdkafka::types::RDKafkaRespErr;
use rdkafka::{Offset, Statistics, TopicPartitionList};

use crate::beginning::{Beginning, beginnings};
use crate::metrics::count;
use crate::shared::Shared;
use crate::transaction::{Ended, Transactions};

/// The context of one membership of the group.
pub(crate) struct Context {
    pub(crate) shared: Arc<Shared>,
    pub(crate) events: ClientEvents,
    /// Reached by the callbacks too; both are on the same thread.
    transactions: Mutex<Transactions>,
    /// What callbacks did, for the thread to take up after its poll.
    news: Mutex<Vec<News>>,
    /// Set when this membership cannot go on: both clients are closed and made anew.
    leave: AtomicBool,
}

/// What happened in a callback.
pub(crate) enum News {
    /// A transaction ended, because partitions went.
    Ended(Ended),
    /// These are no longer ours.
    Gone(Vec<Place>),
}

impl Context {
    pub(crate) fn new(shared: Arc<Shared>, transactions: Transactions) -> Self {
        Self {
            events: shared.options.kafka.events(),
            shared,
            transactions: Mutex::new(transactions),
            news: Mutex::default(),
            leave: AtomicBool::new(false),
        }
    }

    pub(crate) fn leave(&self) {
        self.leave.store(true, Ordering::Relaxed);
    }

    pub(crate) fn leaves(&self) -> bool {
        self.leave.load(Ordering::Relaxed)
    }

    pub(crate) fn transactions(&self) -> MutexGuard<'_, Transactions> {
        self.transactions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn take_news(&self) -> Vec<News> {
        std::mem::take(&mut self.news.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn tell(&self, news: News) {
        self.news.lock().unwrap_or_else(PoisonError::into_inner).push(news);
    }

    fn assigned(
        &self,
        consumer: &BaseConsumer<Self>,
        list: &TopicPartitionList,
    ) -> KafkaResult<()> {
        let places = places(list);
        let Some(beginnings) = beginnings(consumer, &self.shared, &places) else {
            // The client wants an answer; nothing is read before we leave.
            self.leave();
            return assign(consumer, list);
        };
        let mut all = TopicPartitionList::with_capacity(beginnings.len());
        let (mut read, mut unread) = (TopicPartitionList::new(), TopicPartitionList::new());
        for (Place { topic, partition }, beginning) in &beginnings {
            let offset = if let Beginning::At(offset) = beginning {
                read.add_partition(topic, *partition);
                *offset
            } else {
                unread.add_partition(topic, *partition);
                Offset::End
            };
            all.add_partition_offset(topic, *partition, offset)?;
        }
        assign(consumer, &all)?;
        // The client keeps a pause of a partition that went and comes back.
        consumer.resume(&read)?;
        consumer.pause(&unread)?;
        let mut positions = self.shared.positions();
        for (place, beginning) in beginnings {
            tracing::info!(%place, ?beginning, "a partition is ours");
            let next = match beginning {
                Beginning::At(Offset::Offset(next)) => Some(next),
                Beginning::At(_) => None,
                // What comes of it before it is paused is nobody's.
                Beginning::Nowhere => continue,
            };
            positions.insert(place, next);
        }
        drop(positions);
        self.shared.metrics.change(|figures| figures.assigned += count(places.len()));
        Ok(())
    }

    /// Ends what is open before the partitions go: what is aborted is never wrong, and what can be
    /// committed need not be done again by whoever gets them.
    fn revoked(&self, consumer: &BaseConsumer<Self>, list: &TopicPartitionList) -> KafkaResult<()> {
        if let Some(ended) = self.transactions().commit(consumer) {
            self.tell(News::Ended(ended));
        }
        let places = places(list);
        let mut positions = self.shared.positions();
        for place in &places {
            tracing::info!(%place, "a partition is no longer ours");
            positions.remove(place);
            self.shared.board.clear(&Subject::Partition(place.clone()));
        }
        if positions.is_empty() {
            // Who writes nothing has no trouble with it.
            self.shared.board.clear(&Subject::Store);
        }
        drop(positions);
        self.shared.metrics.change(|figures| {
            figures.revoked += count(places.len());
            figures.lag.retain(|place, _| !places.contains(place));
        });
        self.tell(News::Gone(places));
        match consumer.rebalance_protocol() {
            RebalanceProtocol::Cooperative => consumer.incremental_unassign(list),
            _ => consumer.unassign(),
        }
    }

    fn update_lag(&self, statistics: &Statistics) {
        let open = |place: &Place| {
            let transactions = self.transactions();
            transactions.open().is_some_and(|open| open.ranges.contains_key(place))
        };
        let positions = self.shared.positions();
        let lags = positions.iter().filter_map(|(place, next)| {
            let seen = statistics.topics.get(&place.topic)?.partitions.get(&place.partition)?;
            let next = next.unwrap_or(seen.lo_offset.max(0));
            Some((place.clone(), dipmo_kafka::lag(seen, next, open(place))?))
        });
        let lags = lags.collect();
        drop(positions);
        self.shared.metrics.change(|figures| figures.lag = lags);
    }
}

impl ClientContext for Context {
    const ENABLE_REFRESH_OAUTH_TOKEN: bool = ClientEvents::ENABLE_REFRESH_OAUTH_TOKEN;

    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        self.events.log(level, facility, message);
    }

    fn stats(&self, statistics: Statistics) {
        self.update_lag(&statistics);
        if self.shared.board.broker_answers(&statistics) {
            self.events.is_well();
        }
    }

    fn error(&self, error: KafkaError, reason: &str) {
        let code = error.rdkafka_error_code();
        self.events.error(error, reason);
        if let Some(code) = code {
            self.shared.board.report(code, self.events.last_error().as_ref());
        }
    }

    fn generate_oauth_token(&self, config: Option<&str>) -> Result<OAuthToken, Box<dyn Error>> {
        self.events.generate_oauth_token(config)
    }
}

impl ConsumerContext for Context {
    fn rebalance(
        &self,
        consumer: &BaseConsumer<Self>,
        event: RDKafkaRespErr,
        list: &mut TopicPartitionList,
    ) {
        let done = if event == RDKafkaRespErr::RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS {
            self.shared.metrics.change(|figures| figures.rebalances += 1);
            self.shared.joined.store(true, Ordering::Relaxed);
            self.assigned(consumer, list)
        } else {
            self.revoked(consumer, list)
        };
        if let Err(error) = done {
            tracing::error!(%error, "a rebalance failed: leaving the group to join it anew");
            self.leave();
        }
    }
}

fn assign(consumer: &BaseConsumer<Context>, list: &TopicPartitionList) -> KafkaResult<()> {
    match consumer.rebalance_protocol() {
        RebalanceProtocol::Cooperative => consumer.incremental_assign(list),
        _ => consumer.assign(list),
    }
}

fn places(list: &TopicPartitionList) -> Vec<Place> {
    let elements = list.elements();
    elements.iter().map(|element| Place::new(element.topic(), element.partition())).collect()
}
