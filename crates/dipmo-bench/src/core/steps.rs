//! The way of a message: one step after the other, and all of them at once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use dipmo_api::Registry;
use dipmo_processing::Role;

use super::ingest;
use super::sink::Sink;
use crate::bed::{self, Bed};
use crate::database::Database;
use crate::load::Load;
use crate::process::{self, Topics};

/// What a round measured, as durations for all messages.
pub(super) struct Steps {
    pub(super) ingest: Duration,
    pub(super) process: Duration,
    pub(super) settle: Duration,
}

/// Ingest, then process, then settle.
pub(super) async fn one_by_one(database: &Database, load: &Load) -> Result<Steps> {
    let bed = warm(database).await?;
    let ingest = ingest::run(&*bed.store, load).await?;
    database.checkpoint().await?;
    let process = process(&bed, load).await?;
    database.checkpoint().await?;
    let sink = Arc::new(Sink::default());
    let begun = Instant::now();
    let running = bed.start(&[Role::Publish], sink.clone());
    let ended = running.until(bed::dispatched, load.count().into()).await?;
    running.stop().await?;
    sink.check(load.messages().len())?;
    Ok(Steps { ingest, process, settle: ended - begun })
}

/// A bed on which every account is there already, as after the first minutes of a real one.
pub(super) async fn warm(database: &Database) -> Result<Bed> {
    warm_with(database, process::registry(Topics::default())?).await
}

/// The same, with processes of its own.
async fn warm_with(database: &Database, registry: Arc<Registry>) -> Result<Bed> {
    let bed = Bed::with(&database.url(), registry).await?;
    let load = Load::every_account();
    let running = bed.start(&Role::ALL, Arc::new(Sink::default()));
    ingest::run(&*bed.store, &load).await?;
    running.until(bed::dispatched, load.count().into()).await?;
    running.stop().await?;
    database.checkpoint().await?;
    Ok(bed)
}

/// Processes what is in the inbox.
pub(super) async fn process(bed: &Bed, load: &Load) -> Result<Duration> {
    let begun = Instant::now();
    let running = bed.start(&[Role::Process], Arc::new(Sink::default()));
    let ended = running.until(bed::processed, load.count().into()).await?;
    running.stop().await?;
    Ok(ended - begun)
}

/// Everything at once; answers the time until the last delivery, and bytes of WAL.
pub(crate) async fn at_once(
    database: &Database,
    registry: Arc<Registry>,
    load: &Load,
) -> Result<(Duration, i64)> {
    let bed = warm_with(database, registry).await?;
    let wal = database.wal_bytes().await?;
    let sink = Arc::new(Sink::default());
    let begun = Instant::now();
    let running = bed.start(&Role::ALL, sink.clone());
    ingest::run(&*bed.store, load).await?;
    let ended = running.until(bed::dispatched, load.count().into()).await?;
    running.stop().await?;
    let wal = database.wal_bytes().await? - wal;
    sink.check(load.messages().len())?;
    Ok((ended - begun, wal))
}
