//! How far behind the end of each partition we are, from the client's own statistics.

use std::collections::BTreeMap;
use std::time::Instant;

use rdkafka::Statistics;

use crate::offsets::Place;
use crate::shared::Shared;

/// Takes the figures over for the partitions that are ours.
pub(crate) fn update(shared: &Shared, statistics: &Statistics) {
    let ledger = shared.ledger();
    let lags = ledger.places().filter_map(|place| {
        let seen = statistics.topics.get(&place.topic)?.partitions.get(&place.partition)?;
        let (next, open) = ledger.position(place)?;
        Some((place.clone(), dipmo_kafka::lag(seen, next, open)?))
    });
    let lags: BTreeMap<Place, i64> = lags.collect();
    drop(ledger);
    // Who pauses because the inbox has enough is behind on purpose.
    let lags_behind = lags.values().any(|lag| *lag > 0) && !shared.board.rests();
    shared.board.progress.lags(lags_behind, Instant::now());
    shared.metrics.change(|figures| figures.lag = lags);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use dipmo_inbound::Inbound;
    use dipmo_kafka::KafkaOptions;
    use rdkafka::statistics::{Partition, Topic};

    use super::*;
    use crate::gated::Gated;
    use crate::health::PauseReason;
    use crate::options::SourceOptions;

    #[test]
    fn who_is_behind_on_purpose_has_nothing_to_store() {
        let options = SourceOptions::new(KafkaOptions::new("localhost:1"), "g", ["t"]);
        let shared = Shared::new(options, Inbound::new("test"), Arc::new(Gated::default()));
        shared.ledger().assign(Place::new("t", 0), 5, 0);
        let told = |end| {
            let partition = Partition { ls_offset: end, ..Partition::default() };
            let topic = Topic { partitions: [(0, partition)].into(), ..Topic::default() };
            let topics = [("t".to_owned(), topic)].into();
            update(&shared, &Statistics { topics, ..Statistics::default() });
            shared.board.health(1, None).unstored.is_some()
        };
        assert!(!told(5), "everything is stored");
        assert!(told(6));
        shared.board.paused(Some(PauseReason::Pressure));
        assert!(!told(6), "the inbox has enough");
        shared.board.paused(Some(PauseReason::Operator));
        assert!(!told(6), "somebody wants it so");
        shared.board.paused(Some(PauseReason::Store));
        assert!(told(6), "the database does not take it");
    }
}
