//! `kafka.end_to_end_p50`, `_p99`: records that come steadily, from one topic to the other.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use dipmo_processing::Role;
use rdkafka::Message as _;
use rdkafka::consumer::BaseConsumer;
use serde::Deserialize;

use super::cluster::{self, Cluster};
use super::ingest::Reading;
use crate::bed::Bed;
use crate::database::Database;
use crate::load::Load;
use crate::process::Topics;

/// Records a second.
const RATE: u32 = 500;

/// How long everything runs before it is measured.
const WARM_UP_SECONDS: u32 = 3;

/// From the producer's call until a consumer has it; sorted.
pub(super) async fn run(
    database: &Database,
    cluster: &Cluster,
    seconds: u32,
) -> Result<Vec<Duration>> {
    let topics =
        Topics { heard: cluster.topic("steady").await?, told: cluster.topic("told").await? };
    let bed = Bed::between(&database.url(), topics.clone()).await?;
    let running = bed.start(&Role::ALL, cluster.publisher()?);
    let reading = Reading::start(cluster.source(&topics.heard, Arc::clone(&bed.store))?);

    let load = Arc::new(Load::new(RATE * (WARM_UP_SECONDS + seconds)));
    let (count, consumer) = (load.count(), cluster.consumer(&topics.told)?);
    let arrivals = tokio::task::spawn_blocking(move || arrivals(&consumer, count));
    let producer = cluster.producer()?;
    let begun = Instant::now();
    let mut sent = HashMap::new();
    for (number, message) in (0..).zip(load.messages()) {
        let due = begun + Duration::from_secs(1) * number / RATE;
        tokio::time::sleep_until(due.into()).await;
        sent.insert(message.message_id.clone(), (number, Instant::now()));
        cluster::send(&producer, &topics.heard, message)?;
    }
    let arrived = arrivals.await??;
    reading.stop().await?;
    running.stop().await?;

    let warm = RATE * WARM_UP_SECONDS;
    let took = |(id, at): (&String, &Instant)| {
        sent.get(id).filter(|(number, _)| *number >= warm).map(|(_, sent)| *at - *sent)
    };
    let mut taken: Vec<Duration> = arrived.iter().filter_map(took).collect();
    taken.sort();
    Ok(taken)
}

/// When each message came out at the other end.
fn arrivals(consumer: &BaseConsumer, count: u32) -> Result<HashMap<String, Instant>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Event {
        event_id: String,
    }
    let mut arrived = HashMap::new();
    while arrived.len() < usize::try_from(count)? {
        let message = cluster::next(consumer)
            .with_context(|| format!("{} of {count} records came", arrived.len()))?;
        let event: Event = serde_json::from_slice(message.payload().unwrap_or_default())?;
        arrived.entry(event.event_id).or_insert_with(Instant::now);
    }
    Ok(arrived)
}
