//! `core.latency_p99`: one message at a time into an idle system.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use dipmo_processing::Role;

use super::sink::Sink;
use crate::bed::{self, Bed};
use crate::database::Database;
use crate::limit::BareTable;
use crate::load::Load;

/// How many messages, one after the other.
const SAMPLES: usize = 300;

/// How many come before them and do not count: the first messages on a connection wait while the
/// database makes its plans, and an idle system is one that has been up for a while.
const WARM_UP: usize = 20;

/// Long enough that everything is idle again, the delivery of the last one too.
const PAUSE: Duration = Duration::from_millis(50);

/// How often to look whether it is processed.
const LOOK: Duration = Duration::from_micros(200);

/// What the messages of a round took, and what L takes for one message; both sorted.
pub(super) struct Taken {
    pub(super) messages: Vec<Duration>,
    pub(super) limits: Vec<Duration>,
}

/// From the call that stores a message until it is processed; and between them, a transaction that
/// does nothing but put one payload down: what the disk makes of it stands in every sample twice.
pub(super) async fn run(database: &Database, load: &Load) -> Result<Taken> {
    let bed = Bed::make(&database.url()).await?;
    let table = BareTable::create(database).await?;
    let running = bed.start(&Role::ALL, Arc::new(Sink::default()));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut taken = Taken { messages: Vec::new(), limits: Vec::new() };
    let samples = load.messages().iter().zip(load.payloads()).take(WARM_UP + SAMPLES);
    for (number, (message, payload)) in (1..).zip(samples) {
        tokio::time::sleep(PAUSE).await;
        let begun = Instant::now();
        table.copy(&[payload]).await?;
        taken.limits.push(begun.elapsed());
        tokio::time::sleep(PAUSE).await;
        let begun = Instant::now();
        bed.store.store(std::slice::from_ref(message), &[]).await?;
        let ended = running.looking_every(LOOK, bed::processed, number).await?;
        taken.messages.push(ended - begun);
    }
    running.stop().await?;
    table.remove().await?;
    taken.messages.drain(..WARM_UP);
    taken.limits.drain(..WARM_UP);
    taken.messages.sort();
    taken.limits.sort();
    Ok(taken)
}
