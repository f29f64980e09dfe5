//! `core.blocked`: the rate of all others while messages arrive behind one blocked account.
//!
//! Both times the engine runs while messages are stored. Once all of them are of accounts that go
//! on; once as many again arrive behind an account that waits for a person. What is measured is the
//! same both times: from the first call until all messages of the others are processed, less the
//! time that the calls for the blocked account took by themselves.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use dipmo_domain::Json;
use dipmo_inbox::{Body, NewMessage};
use dipmo_processing::Role;

use super::sink::Sink;
use super::steps;
use crate::bed;
use crate::database::Database;
use crate::load::Load;

/// Messages of one call.
const BATCH: usize = 500;

/// How long it takes to process the others, with so many behind a blocked account in between.
pub(super) async fn run(database: &Database, others: &Load, behind: u32) -> Result<Duration> {
    let bed = steps::warm(database).await?;
    let running = bed.start(&[Role::Process], Arc::new(Sink::default()));
    let hot = Load::one_account(3, behind + 1);
    let (head, behind) = hot.messages().split_at(1);
    bed.store.store(&[refused(&head[0])], &[]).await?;
    running.until(|figures| figures.inbox.failed, 1).await?;
    database.checkpoint().await?;

    let calls = others.messages().len().div_ceil(BATCH).max(1);
    let share = behind.len().div_ceil(calls).max(1);
    let mut waiting = behind.chunks(share);
    let mut stored_beside = Duration::ZERO;
    let begun = Instant::now();
    for batch in others.messages().chunks(BATCH) {
        bed.store.store(batch, &[]).await?;
        let beside = Instant::now();
        if let Some(batch) = waiting.next() {
            bed.store.store(batch, &[]).await?;
        }
        stored_beside += beside.elapsed();
    }
    let ended = running.until(bed::processed, others.count().into()).await?;
    running.stop().await?;
    Ok((ended - begun).saturating_sub(stored_beside))
}

/// The same message as one that the process refuses.
fn refused(message: &NewMessage) -> NewMessage {
    NewMessage {
        event_type: Some("AccountRefused".to_owned()),
        body: Body::Json(Json::empty_object()),
        ..message.clone()
    }
}
