//! Backwards: what a message came from.

use dipmo_domain::{DedupeKey, OutboxId, StoreError};
use dipmo_inbox::{ANSWERS, InboxRow, Message};
use dipmo_store::admin::Operable;
use serde::Serialize;
use utoipa::ToSchema;

use super::LEVELS;
use crate::mask::Sight;
use crate::routes::intent::IntentLine;
use crate::routes::messages::MessageView;

/// `SOURCE_SYSTEM` of deliveries to processes and handlers of this deployment.
const DELIVERY: &str = "internal";

/// How a message came of the outbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum How {
    /// A unit was delivered within this deployment.
    Delivery,
    /// A process that asked was told how an intent ended.
    Answer,
}

/// What a message came from.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Origin {
    pub(crate) how: How,
    /// The unit, or for an answer the intent, that it is named after.
    pub(crate) from: i64,
    /// The intent; null when it is history by now.
    pub(crate) intent: Option<IntentLine>,
    /// The message that caused the intent; null when none did, or it is history by now.
    pub(crate) cause: Option<MessageView>,
}

/// What a message came from, what that came from, and so on, and whether there is more.
pub(crate) async fn of(
    store: &dyn Operable,
    row: &InboxRow,
    sight: Sight<'_>,
) -> Result<(Vec<Origin>, bool), StoreError> {
    let mut origins = Vec::new();
    let mut named = named_after(&row.message);
    while let Some((how, from)) = named.filter(|_| origins.len() < LEVELS) {
        let intent = store.intent(from).await?;
        let cause = match intent.as_ref().and_then(|intent| intent.cause) {
            Some(cause) => store.message(cause).await?,
            None => None,
        };
        named = cause.as_ref().and_then(|row| named_after(&row.message));
        origins.push(Origin {
            how,
            from: from.0,
            intent: intent.map(|row| IntentLine::of(&row, sight)),
            cause: cause.map(|row| MessageView::of_row(&row, sight)),
        });
    }
    Ok((origins, named.is_some()))
}

/// The unit or intent that a message is named after.
fn named_after(message: &Message) -> Option<(How, OutboxId)> {
    let name = message.message_id.strip_prefix("outbox:")?;
    let number = |text: &str| text.parse().ok().map(OutboxId);
    match message.source_system.as_str() {
        DELIVERY => Some((How::Delivery, number(name)?)),
        // Behind the number stands how often the intent was retried.
        ANSWERS => Some((How::Answer, number(name.split(':').next()?)?)),
        _ => None,
    }
}

/// What the message is known by that a delivery of this unit becomes.
pub(crate) fn delivery_of(unit: OutboxId) -> DedupeKey {
    DedupeKey::of(DELIVERY, &format!("outbox:{}", unit.0))
}

/// What the message is known by that tells how an intent ended, after units of it were retried so often.
pub(crate) fn answer_of(intent: OutboxId, retried: u64) -> DedupeKey {
    let again = if retried > 0 { format!(":{retried}") } else { String::new() };
    DedupeKey::of(ANSWERS, &format!("outbox:{}{again}", intent.0))
}

#[cfg(test)]
mod tests {
    use dipmo_domain::{InboxId, Json, Timestamp};
    use dipmo_inbox::{Identity, NewMessage, Record};

    use super::*;

    fn named(source: &str, id: &str) -> Option<(How, OutboxId)> {
        let (source_system, message_id) = (source.to_owned(), Some(id.to_owned()));
        let identity = Identity { source_system, message_id, ..Identity::default() };
        let new = NewMessage::decoded(&Record::default(), &identity, Json::null());
        named_after(&Message::of(InboxId(1), &new, Timestamp::EPOCH).unwrap())
    }

    #[test]
    fn only_what_the_engine_made_has_an_origin() {
        assert_eq!(named("internal", "outbox:17"), Some((How::Delivery, OutboxId(17))));
        assert_eq!(named("outcome", "outbox:17"), Some((How::Answer, OutboxId(17))));
        assert_eq!(named("outcome", "outbox:17:3"), Some((How::Answer, OutboxId(17))));
        for (source, id) in [("shop", "outbox:17"), ("internal", "17"), ("internal", "outbox:x")] {
            assert_eq!(named(source, id), None, "{source} {id}");
        }
    }
}
