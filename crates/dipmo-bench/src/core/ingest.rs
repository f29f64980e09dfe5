//! `store.ingest`: messages into the inbox, as a source stores them.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use dipmo_inbox::{NewMessage, SourceOffset, SourceRange, Stored};
use dipmo_store::Store;

use crate::load::Load;

/// Messages of one call, and so of a transaction: as many as L has.
const BATCH: usize = 2_000;

/// The partitions that messages come from, in turn.
const PARTITIONS: usize = 8;

/// How long it takes to store all messages, one call after the other.
pub(crate) async fn run(store: &dyn Store, load: &Load) -> Result<Duration> {
    let mut new = 0;
    let beginnings: Vec<_> = load.messages().iter().take(PARTITIONS).map(place_of).collect();
    store.begin(&beginnings).await?;
    let begun = Instant::now();
    for batch in load.messages().chunks(BATCH) {
        let answers = store.store(batch, &ranges(batch)).await?;
        new += answers.iter().filter(|answer| matches!(answer, Stored::New(_))).count();
    }
    let taken = begun.elapsed();
    let all = load.messages().len();
    ensure!(new == all, "ingest: {new} of {all} messages were stored as new ones");
    Ok(taken)
}

/// How far a batch brings each partition: from its first message to behind its last one.
fn ranges(batch: &[NewMessage]) -> Vec<SourceRange> {
    let range = |last: &NewMessage| {
        let mut first = batch.iter().take(PARTITIONS);
        let first = first.find(|first| first.partition == last.partition).unwrap_or(last);
        let to = SourceOffset { next_offset: last.offset + 1, ..place_of(last) };
        SourceRange { from: first.offset, to }
    };
    batch.iter().rev().take(PARTITIONS).map(range).collect()
}

fn place_of(message: &NewMessage) -> SourceOffset {
    SourceOffset {
        group: "bench".to_owned(),
        topic: message.topic.clone(),
        partition: message.partition,
        topic_id: None,
        next_offset: message.offset,
    }
}
