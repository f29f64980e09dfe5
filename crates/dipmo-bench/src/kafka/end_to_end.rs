//! `kafka.end_to_end`: Kafka, inbox, process, outbox, Kafka, all at once.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use dipmo_processing::Role;
use rdkafka::Message as _;
use rdkafka::message::Headers as _;

use super::cluster::{self, Cluster};
use super::ingest::Reading;
use crate::bed::{self, Bed};
use crate::database::Database;
use crate::process::Topics;

/// Messages a second, from the first that was stored to the last that was acknowledged.
pub(super) async fn run(
    database: &Database,
    cluster: &Cluster,
    topic: &str,
    count: u32,
) -> Result<f64> {
    let told = cluster.topic("told").await?;
    let topics = Topics { heard: topic.to_owned(), told: told.clone() };
    let bed = Bed::between(&database.url(), topics).await?;
    let running = bed.start(&Role::ALL, cluster.publisher()?);
    let reading = Reading::start(cluster.source(topic, Arc::clone(&bed.store))?);
    let begun = reading.until_stored(1).await?;
    let ended = running.until(bed::dispatched, count.into()).await?;
    reading.stop().await?;
    running.stop().await?;
    check(cluster, &told, count)?;
    Ok(f64::from(count) / (ended - begun).as_secs_f64())
}

/// Reads all that was published: each unit once, and in the order of its key.
pub(super) fn check(cluster: &Cluster, topic: &str, count: u32) -> Result<()> {
    let consumer = cluster.consumer(topic)?;
    let mut ids = HashSet::new();
    let mut last: HashMap<Vec<u8>, i64> = HashMap::new();
    for _ in 0..count {
        let message = tokio::task::block_in_place(|| cluster::next(&consumer))
            .with_context(|| format!("{} of {count} records came", ids.len()))?;
        let headers = message.headers().context("a record without headers")?;
        let header = |name: &str| {
            let found = headers.iter().find(|header| header.key == name)?;
            str::from_utf8(found.value?).ok().map(str::to_owned)
        };
        let id = header("message-id").context("a record without a message id")?;
        ensure!(ids.insert(id.clone()), "{id} was published twice");
        let cause: i64 = header("causation-id").context("no cause")?.parse().context("a cause")?;
        let key = message.key().unwrap_or_default().to_vec();
        if let Some(before) = last.insert(key, cause) {
            ensure!(before < cause, "message {cause} was published behind {before}");
        }
    }
    Ok(())
}
