//! Replaying: which messages are meant, and what they would do.

use dipmo_domain::InboxId;
use dipmo_inbox::replay_id;
use dipmo_store::Acted;
use dipmo_store::admin::{MessageFilter, processed_messages, replayable};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::Shared;
use crate::problem::Problem;
use crate::rehearse::{Rehearsed, Sends};

/// So many messages of a dry run are rehearsed.
const MOST_REHEARSED: usize = 50;

/// What a message would do if it were processed once more now, without anything that is in it.
#[derive(Serialize, ToSchema)]
#[schema(as = Rehearsed)]
pub(crate) struct RehearsedView {
    /// The message.
    message: i64,
    /// GOES, STAYS, WAITS, RETRIES, FAILS, HANDLED or IGNORED.
    outcome: &'static str,
    /// The code of the failure, or why it stays.
    why: Option<String>,
    /// The process that decides; null when none does.
    process: Option<String>,
    instance: Option<String>,
    /// The state in which the instance is, and those through which it would go.
    path: Vec<String>,
    /// What would be written, such as `writes ORDERS`.
    writes: Vec<String>,
    sends: Vec<SendsView>,
    /// Timers that would be set or cancelled.
    timers: Vec<String>,
    /// Facts that cannot be read here: with them it might decide otherwise.
    unknown_facts: Vec<String>,
}

/// What would be sent.
#[derive(Serialize, ToSchema)]
#[schema(as = Sends)]
pub(crate) struct SendsView {
    event: String,
    destination: String,
    /// How many records it is about; 0 when it is about none.
    records: usize,
}

impl From<Rehearsed> for RehearsedView {
    fn from(told: Rehearsed) -> Self {
        let sends = |it: Sends| SendsView {
            event: it.event,
            destination: it.destination,
            records: it.records,
        };
        Self {
            message: told.message.0,
            outcome: told.outcome,
            why: told.why,
            process: told.process,
            instance: told.instance,
            path: told.path,
            writes: told.writes,
            sends: told.sends.into_iter().map(sends).collect(),
            timers: told.timers,
            unknown_facts: told.unknown_facts,
        }
    }
}

/// The messages that a filter means. What came before the horizon is refused as a whole: half of what was asked for
/// is seldom what was meant.
pub(super) async fn meant(shared: &Shared, filter: &MessageFilter) -> Result<Vec<i64>, Problem> {
    let found = processed_messages(&*shared.store, filter).await?;
    let found = found.ok_or_else(Problem::filter_too_wide)?;
    match (found.oldest, shared.store.dedupe_horizon().await?) {
        (Some(oldest), Some(horizon)) if oldest < horizon => Err(Problem::past_horizon(horizon)),
        _ => Ok(found.ids),
    }
}

/// What the first of some messages would do, one after the other, in the order in which they came. `None` when nobody
/// here knows the processes.
pub(super) async fn rehearsal(
    shared: &Shared,
    ids: &[i64],
    force: bool,
) -> Result<Option<Vec<RehearsedView>>, Problem> {
    let Some(rehearse) = &shared.rehearse else { return Ok(None) };
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    let horizon = shared.store.dedupe_horizon().await?;
    let mut messages = Vec::new();
    for id in ids.into_iter().take(MOST_REHEARSED).map(InboxId) {
        let row = shared.store.message(id).await?;
        if replayable(row.as_ref(), horizon) != Acted::Done {
            continue;
        }
        let again = row.map(|row| row.message.again(&replay_id(0, id), !force));
        messages.extend(again.and_then(Result::ok).flatten().map(|message| (id, message)));
    }
    let told = rehearse.rehearse(&messages).await?;
    Ok(Some(told.into_iter().map(RehearsedView::from).collect()))
}
