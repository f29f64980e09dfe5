//! What came of a message, as a tree.

use dipmo_domain::OutboxId;
use serde::Serialize;
use utoipa::ToSchema;

use super::follow::{Found, FoundIntent, FoundMessage};
use super::origin::How;
use crate::moment::Moment;
use crate::routes::intent::IntentLine;
use crate::routes::messages::MessageView;
use crate::routes::units::UnitView;

/// A message, and what it caused.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = JourneyMessage)]
pub(crate) struct MessageNode {
    /// Its id.
    id: i64,
    /// How it came of the intent above it; null for the one that was asked about.
    how: Option<How>,
    /// The message; null when it is history by now.
    message: Option<MessageView>,
    /// When it happened, as the event or the broker tells.
    event_ts: Option<Moment>,
    /// What it caused.
    intents: Vec<IntentNode>,
}

/// An intent, its units, and what they became.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = JourneyIntent)]
pub(crate) struct IntentNode {
    #[serde(flatten)]
    intent: IntentLine,
    /// Its units, at most 100.
    units: Vec<UnitView>,
    /// How many more there are: `GET /units?intent=` lists them all.
    more_units: u64,
    /// The messages that came of it.
    #[schema(no_recursion)]
    became: Vec<MessageNode>,
}

/// The tree of all that was found, from the first message on.
pub(crate) fn of(found: &Found) -> MessageNode {
    // The message that was asked about is always the first.
    message(found, &found.messages[0])
}

fn message(found: &Found, node: &FoundMessage) -> MessageNode {
    let caused = found.intents.iter().filter(|intent| intent.cause == node.id);
    MessageNode {
        id: node.id.0,
        how: node.came_of.map(|(_, how)| how),
        message: node.view.clone(),
        event_ts: node.event_ts,
        intents: caused.map(|intent| self::intent(found, intent)).collect(),
    }
}

fn intent(found: &Found, node: &FoundIntent) -> IntentNode {
    let id = OutboxId(node.line.id);
    let came = |message: &&FoundMessage| message.came_of.is_some_and(|(intent, _)| intent == id);
    IntentNode {
        intent: node.line.clone(),
        units: node.units.clone(),
        more_units: node.more_units,
        became: found.messages.iter().filter(came).map(|it| message(found, it)).collect(),
    }
}
