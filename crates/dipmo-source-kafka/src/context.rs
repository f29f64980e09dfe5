//! What the client calls: rebalances, errors, statistics. All of it on the thread that
//! polls, so nothing here races with reading or committing.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use dipmo_inbox::Hold;
use dipmo_kafka::ClientEvents;
use rdkafka::client::{ClientContext, OAuthToken};
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::{BaseConsumer, Consumer as _, ConsumerContext, RebalanceProtocol};
use rdkafka::error::{KafkaError, KafkaResult};
use rdkafka::types::RDKafkaRespErr;
use rdkafka::{Statistics, TopicPartitionList};
use tokio::runtime::Handle;

use crate::metrics::count;
use crate::offsets::Place;
use crate::shared::Shared;
use crate::{assigning, commit, lag};

/// The context of one membership of the group.
pub(crate) struct Context {
    pub(crate) shared: Arc<Shared>,
    pub(crate) events: ClientEvents,
    pub(crate) runtime: Handle,
    /// Set when this membership cannot go on: the consumer is closed and made anew.
    pub(crate) leave: AtomicBool,
    /// Whether an operator holds the source back.
    pub(crate) hold: Hold,
}

impl Context {
    pub(crate) fn leave(&self) {
        self.leave.store(true, Ordering::Relaxed);
    }

    pub(crate) fn leaves(&self) -> bool {
        self.leave.load(Ordering::Relaxed)
    }

    fn assigned(
        &self,
        consumer: &BaseConsumer<Self>,
        list: &TopicPartitionList,
    ) -> KafkaResult<()> {
        let places = places(list);
        let beginnings = assigning::beginnings(consumer, &self.shared, &self.runtime, &places);
        let Some(beginnings) = beginnings else {
            // The client wants an answer, but the ledger does not know these partitions: nothing
            // of them is stored or committed before we leave.
            self.leave();
            return assign(consumer, list);
        };
        let offsets: Vec<_> =
            beginnings.iter().map(|(place, begin)| (place.clone(), begin.offset)).collect();
        let list = commit::list(&offsets)?;
        assign(consumer, &list)?;
        // The client keeps a pause of a partition that went and comes back. The reader pauses
        // again what is to be paused now; of a source that is held back nothing is read before that.
        if self.hold.rests() {
            consumer.pause(&list)?;
        } else {
            consumer.resume(&list)?;
        }
        let mut ledger = self.shared.ledger();
        let assigned = count(beginnings.len());
        for (place, begin) in beginnings {
            tracing::info!(%place, offset = begin.offset, "a partition is ours");
            ledger.assign(place, begin.offset, begin.life);
        }
        drop(ledger);
        self.shared.metrics.change(|figures| figures.assigned += assigned);
        Ok(())
    }

    fn revoked(&self, consumer: &BaseConsumer<Self>, list: &TopicPartitionList) -> KafkaResult<()> {
        let places = places(list);
        // A partition that was lost may be somebody else's already.
        if !consumer.assignment_lost() {
            commit::some(consumer, &self.shared, |place| places.contains(place));
        }
        let mut ledger = self.shared.ledger();
        for place in &places {
            tracing::info!(%place, "a partition is no longer ours");
            ledger.revoke(place);
        }
        drop(ledger);
        self.shared.metrics.change(|figures| {
            figures.revoked += count(places.len());
            figures.lag.retain(|place, _| !places.contains(place));
        });
        match consumer.rebalance_protocol() {
            RebalanceProtocol::Cooperative => consumer.incremental_unassign(list),
            _ => consumer.unassign(),
        }
    }
}

impl ClientContext for Context {
    const ENABLE_REFRESH_OAUTH_TOKEN: bool = ClientEvents::ENABLE_REFRESH_OAUTH_TOKEN;

    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        self.events.log(level, facility, message);
    }

    fn stats(&self, statistics: Statistics) {
        lag::update(&self.shared, &statistics);
        // Also one without a partition is in this state while the group has it.
        let group = statistics.cgrp.as_ref();
        let is_member = group.is_some_and(|group| group.join_state == "steady");
        self.shared.board.progress.member(is_member, Instant::now());
        if self.shared.board.problems.broker_answers(&statistics) {
            self.events.is_well();
        }
    }

    fn error(&self, error: KafkaError, reason: &str) {
        let code = error.rdkafka_error_code();
        self.events.error(error, reason);
        if let Some(code) = code {
            self.shared.board.problems.report(code, self.events.last_error().as_ref());
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
            self.shared.board.progress.member(true, Instant::now());
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
