//! `kafka.end_to_end_p50`, `_p99`: records that come steadily, from one topic to the other.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use dipmo_processing::Role;
use rdkafka::Message as _;
use rdkafka::consumer::BaseConsumer;
use serde::Deserialize;
use tokio::sync::oneshot;

use super::cluster::{self, Cluster};
use super::ingest::Reading;
use crate::bed::Bed;
use crate::database::Database;
use crate::load::Load;
use crate::process::Topics;

/// Records a second.
const RATE: u32 = 500;

/// How long records come steadily before it is measured: a broker that was just started compiles its
/// code.
const WARM_UP_SECONDS: u32 = 10;

/// So many windows of the time that is measured have percentiles of their own.
const WINDOWS: u32 = 5;

/// From the producer's call until a consumer has it; sorted in each window.
///
/// The first record is sent alone and waited for: a broker makes a new consumer group wait for three
/// seconds, and what piles up meanwhile is not steady.
pub(super) async fn run(
    database: &Database,
    cluster: &Cluster,
    seconds: u32,
) -> Result<Vec<Vec<Duration>>> {
    let topics =
        Topics { heard: cluster.topic("steady").await?, told: cluster.topic("told").await? };
    let bed = Bed::between(&database.url(), topics.clone()).await?;
    let running = bed.start(&Role::ALL, cluster.publisher()?);
    let reading = Reading::start(cluster.source(&topics.heard, Arc::clone(&bed.store))?);

    let load = Arc::new(Load::new(RATE * (WARM_UP_SECONDS + seconds)));
    let (count, consumer) = (load.count(), cluster.consumer(&topics.told)?);
    let (first_came, first) = oneshot::channel();
    let arrivals = tokio::task::spawn_blocking(move || arrivals(&consumer, count, first_came));
    let producer = cluster.producer()?;
    let (mut begun, mut first) = (Instant::now(), Some(first));
    let mut sent = HashMap::new();
    for (number, message) in (0..).zip(load.messages()) {
        if number == 1
            && let Some(first) = first.take()
        {
            first.await.context("the first record did not come")?;
            begun = Instant::now();
        }
        let due = begun + Duration::from_secs(1) * number / RATE;
        tokio::time::sleep_until(due.into()).await;
        sent.insert(message.message_id.clone(), (number, Instant::now()));
        cluster::send(&producer, &topics.heard, message)?;
    }
    let arrived = arrivals.await??;
    reading.stop().await?;
    running.stop().await?;

    let (warm, window) = (RATE * WARM_UP_SECONDS, (RATE * seconds).div_ceil(WINDOWS));
    let mut windows = vec![Vec::new(); usize::try_from(WINDOWS)?];
    for (id, at) in &arrived {
        if let Some((number, sent)) = sent.get(id)
            && let Some(measured) = number.checked_sub(warm)
        {
            windows[usize::try_from(measured / window)?].push(*at - *sent);
        }
    }
    windows.iter_mut().for_each(|taken| taken.sort());
    Ok(windows)
}

/// When each message came out at the other end.
fn arrivals(
    consumer: &BaseConsumer,
    count: u32,
    first_came: oneshot::Sender<()>,
) -> Result<HashMap<String, Instant>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Event {
        event_id: String,
    }
    let mut arrived = HashMap::new();
    let mut first_came = Some(first_came);
    while arrived.len() < usize::try_from(count)? {
        let message = cluster::next(consumer)
            .with_context(|| format!("{} of {count} records came", arrived.len()))?;
        let event: Event = serde_json::from_slice(message.payload().unwrap_or_default())?;
        arrived.entry(event.event_id).or_insert_with(Instant::now);
        // Nobody listens any more only when the run was given up.
        let _ = first_came.take().map(|first_came| first_came.send(()));
    }
    Ok(arrived)
}
