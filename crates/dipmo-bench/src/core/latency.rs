//! `core.latency_p99`: one message at a time into an idle system.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use dipmo_processing::Role;

use super::bed::{self, Bed};
use super::sink::Sink;
use crate::database::Database;
use crate::load::Load;

/// How many messages, one after the other.
const SAMPLES: usize = 300;

/// Long enough that everything is idle again, the delivery of the last one too.
const PAUSE: Duration = Duration::from_millis(50);

/// How often to look whether it is processed.
const LOOK: Duration = Duration::from_micros(200);

/// From the call that stores a message until it is processed; sorted.
pub(super) async fn run(database: &Database, load: &Load) -> Result<Vec<Duration>> {
    let bed = Bed::make(&database.url()).await?;
    let running = bed.start(&Role::ALL, Arc::new(Sink::default()));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut taken = Vec::with_capacity(SAMPLES);
    for (number, message) in (1..).zip(load.messages().iter().take(SAMPLES)) {
        tokio::time::sleep(PAUSE).await;
        let begun = Instant::now();
        bed.store.store(std::slice::from_ref(message), &[]).await?;
        let ended = running.looking_every(LOOK, bed::processed, number).await?;
        taken.push(ended - begun);
    }
    running.stop().await?;
    taken.sort();
    Ok(taken)
}
