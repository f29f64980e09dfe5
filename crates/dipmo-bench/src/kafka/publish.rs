//! `kafka.publish` and `kafka.exactly_once`: from PENDING over the broker's acknowledgement, or the commit of a
//! transaction, to DISPATCHED.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use dipmo_processing::Role;
use dipmo_sink_kafka::KafkaPublisher;

use super::cluster::Cluster;
use super::end_to_end::check;
use crate::bed::{self, Bed};
use crate::database::Database;
use crate::load::Load;
use crate::process::Topics;

/// The time for all messages; what the broker has then is checked.
pub(super) async fn run(
    database: &Database,
    cluster: &Cluster,
    load: &Load,
    publisher: Arc<KafkaPublisher>,
) -> Result<Duration> {
    let told = cluster.topic("told").await?;
    let topics = Topics { told: told.clone(), ..Topics::default() };
    let bed = Bed::between(&database.url(), topics).await?;
    for batch in load.messages().chunks(2_000) {
        bed.store.store(batch, &[]).await?;
    }
    let running = bed.start(&[Role::Process], Arc::<_>::clone(&publisher) as _);
    running.until(bed::processed, load.count().into()).await?;
    running.stop().await?;
    database.checkpoint().await?;

    let begun = Instant::now();
    let running = bed.start(&[Role::Publish], publisher);
    let ended = running.until(bed::dispatched, load.count().into()).await?;
    running.stop().await?;
    check(cluster, &told, load.count())?;
    Ok(ended - begun)
}
