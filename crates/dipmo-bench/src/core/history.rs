//! `core.history` and `core.history_ingest`: the same work on a database with a long past.
//!
//! The past is made by the engine as any other: messages that nobody takes, which end as IGNORED.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use dipmo_inbox::{Identity, NewMessage, Record};
use dipmo_processing::Role;

use super::ingest;
use super::sink::Sink;
use super::steps;
use crate::bed::{self, Bed};
use crate::database::Database;
use crate::load::Load;

/// Messages of one call while the past is made.
const BATCH: u32 = 2_000;

/// When the past began, in milliseconds; the present is later.
const BEGAN: u64 = 1_700_000_000_000;

/// Makes a database with so many processed messages.
pub(super) async fn make(database: &Database, messages: u32) -> Result<Bed> {
    let bed = steps::warm(database).await?;
    let running = bed.start(&[Role::Process], Arc::new(Sink::default()));
    for first in (0..messages).step_by(usize::try_from(BATCH)?) {
        let numbers = first..messages.min(first.saturating_add(BATCH));
        let batch: Vec<_> = numbers.map(past).collect();
        bed.store.store(&batch, &[]).await?;
        if first % 200_000 == 0 {
            eprintln!("history: {first} of {messages}");
        }
    }
    running.until(bed::processed, messages.into()).await?;
    running.stop().await?;
    database.checkpoint().await?;
    Ok(bed)
}

/// How long a load takes there: to be stored, and to be processed.
pub(super) async fn measure(
    database: &Database,
    bed: &Bed,
    load: &Load,
) -> Result<(Duration, Duration)> {
    database.checkpoint().await?;
    let ingest = ingest::run(&*bed.store, load).await?;
    database.checkpoint().await?;
    let process = steps::process(bed, load).await?;
    Ok((ingest, process))
}

/// Messages of a round: ids that grow, later than all of the past.
pub(super) fn present(round: u32, messages: u32) -> Load {
    let later = BEGAN + 10_000_000_000 + u64::from(round) * u64::from(messages);
    Load::growing(100 + u64::from(round), messages, later)
}

fn past(number: u32) -> NewMessage {
    let millis = BEGAN + u64::from(number);
    let id = format!(
        "{:08x}-{:04x}-7{:03x}-a{:03x}-{:012x}",
        millis >> 16,
        millis & 0xffff,
        number & 0xfff,
        (number >> 12) & 0xfff,
        u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15) & 0xffff_ffff_ffff,
    );
    let record = Record {
        topic: "past".to_owned(),
        offset: number.into(),
        timestamp_millis: -1,
        value: Some(br#"{"what":"nobody asks any more"}"#.to_vec()),
        ..Record::default()
    };
    let identity = Identity {
        source_system: "crm".to_owned(),
        message_id: Some(id),
        aggregate_id: Some(format!("acc-{:08}", number % 20_000)),
        event_type: Some("Past".to_owned()),
        ..Identity::default()
    };
    NewMessage::from_record(&record, &identity)
}
