//! `store.ingest`: messages into the inbox, as a source stores them.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use dipmo_inbox::{SourceOffset, Stored};
use dipmo_store::Store;

use crate::load::Load;

/// Messages of one call, and so of a transaction: as many as L has.
const BATCH: usize = 2_000;

/// How long it takes to store all messages, one call after the other.
pub(crate) async fn run(store: &dyn Store, load: &Load) -> Result<Duration> {
    let mut new = 0;
    let begun = Instant::now();
    for batch in load.messages().chunks(BATCH) {
        let offsets: Vec<SourceOffset> = batch.iter().rev().take(8).map(next_offset).collect();
        let answers = store.store(batch, &offsets).await?;
        new += answers.iter().filter(|answer| matches!(answer, Stored::New(_))).count();
    }
    let taken = begun.elapsed();
    let all = load.messages().len();
    ensure!(new == all, "ingest: {new} of {all} messages were stored as new ones");
    Ok(taken)
}

fn next_offset(message: &dipmo_inbox::NewMessage) -> SourceOffset {
    SourceOffset {
        group: "bench".to_owned(),
        topic: message.topic.clone(),
        partition: message.partition,
        topic_id: None,
        next_offset: message.offset + 1,
    }
}
