//! The journey of a message: where it came from, what it caused, what became of that, and so on.
//!
//! Links are those that the engine itself makes: an intent names the message that caused it, and a message that
//! came of a delivery, or of an answer, is named after the unit or the intent. **Invariant:** what is followed is
//! bounded, and when there is more the journey says so.

mod follow;
mod origin;
mod steps;
mod tree;
mod units;

use dipmo_domain::{InboxId, StoreError};
use dipmo_store::admin::Operable;
use serde::Serialize;
use utoipa::ToSchema;

use crate::mask::Sight;
use origin::Origin;
use steps::Step;
use tree::MessageNode;

/// So many levels are followed.
const LEVELS: usize = 5;
/// So many messages and intents are shown.
const NODES: usize = 200;
/// So many units of an intent are shown.
const UNITS: u32 = 100;

/// Where a message came from, and all that came of it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Journey {
    /// The message.
    message: i64,
    /// What it came from, when that was a delivery or an answer: the nearest first.
    came_from: Vec<Origin>,
    /// All that happened, in the order of time.
    steps: Vec<Step>,
    /// What came of it.
    tree: MessageNode,
    /// True when there is more than is shown: at most 5 levels, 200 messages and intents, and 100 units of an
    /// intent are followed.
    cut: bool,
}

/// The journey of a message; `None` when there is none.
pub(crate) async fn of(
    store: &dyn Operable,
    id: InboxId,
    sight: Sight<'_>,
) -> Result<Option<Journey>, StoreError> {
    let Some(row) = store.message(id).await? else { return Ok(None) };
    let (came_from, came_further) = origin::of(store, &row, sight).await?;
    let found = follow::from(store, &row, sight).await?;
    let steps = steps::of(&came_from, &found);
    let more_units = found.intents.iter().any(|intent| intent.more_units > 0);
    let cut = found.cut || came_further || more_units;
    let tree = tree::of(&found);
    Ok(Some(Journey { message: id.0, came_from, steps, tree, cut }))
}
