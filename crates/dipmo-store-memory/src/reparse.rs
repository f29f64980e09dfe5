//! Decoding again what could not be decoded: under its real id, in its old place.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use dipmo_domain::{InboxId, InboxStatus, Lane, OrderKey, Outcome, StoreError, Timestamp};
use dipmo_inbox::NewMessage;
use dipmo_store::{Decoded, Reparsed, Side, check_count, objections};

use crate::MemoryStore;
use crate::blocks::Fate;
use crate::inbox::{IdRow, InboxTables};
use crate::insert::{decoded_again, incident};
use crate::let_go::RELEASED_AT_ONCE;
use crate::operate::standings;
use crate::release::let_messages_go;

impl MemoryStore {
    /// Decodes messages again while the lanes that they leave and those that they go to are locked.
    pub(crate) async fn reparse_messages(
        &self,
        messages: &[Decoded],
        force: bool,
    ) -> Result<Vec<Reparsed>, StoreError> {
        check_count(messages)?;
        let lanes = self.read(|database, _| {
            let left = messages.iter().filter_map(|(id, _)| Some(database.inbox.log.get(id)?.lane));
            let taken = messages.iter().map(|(_, message)| message.lane);
            Ok(left.chain(taken).collect::<BTreeSet<Lane>>())
        })?;
        let answers =
            self.in_lanes(&lanes, |inbox, now| reparse(inbox, messages, force, now)).await?;
        let due = answers.iter().filter(|answer| **answer == Reparsed::Done).count();
        self.waking(Side::Inbox, due);
        Ok(answers)
    }
}

fn reparse(
    inbox: &mut InboxTables,
    messages: &[Decoded],
    force: bool,
    now: Timestamp,
) -> Vec<Reparsed> {
    let ids: Vec<InboxId> = messages.iter().map(|(id, _)| *id).collect();
    let later: HashMap<InboxId, InboxId> = messages
        .iter()
        .filter_map(|(id, message)| Some((*id, first_processed_after(inbox, *id, message)?)))
        .collect();
    let objections = objections(messages, &standings(inbox, &ids), &later, force);
    let mut ended: Vec<OrderKey> = Vec::new();
    let mut answers = Vec::new();
    for ((id, message), objection) in messages.iter().zip(objections) {
        answers.push(match objection {
            Some(objection) => objection,
            None => decode(inbox, &mut ended, *id, message, now),
        });
    }
    let_messages_go(inbox, &ended, RELEASED_AT_ONCE, now);
    answers
}

fn decode(
    inbox: &mut InboxTables,
    ended: &mut Vec<OrderKey>,
    id: InboxId,
    new: &NewMessage,
    now: Timestamp,
) -> Reparsed {
    let (Some(old), Some(mut row)) =
        (inbox.log.get(&id).cloned(), inbox.exceptions.get(id).cloned())
    else {
        return Reparsed::NotFound;
    };
    let known = inbox.ids.get(&new.dedupe_key).copied().filter(|known| known.message != id);
    if let Some(IdRow { message: first, .. }) = known.filter(|known| known.content != new.content) {
        inbox.incidents.push_back_mut(incident(new, first, now));
        return Reparsed::Impostor(first);
    }
    let stays = known.is_none() && row.key == new.order_key;
    if let Some(key) = row.key.as_ref().filter(|_| !stays) {
        inbox.blocks.settle(ended, key, id, Fate::Ends);
    }
    row.held = false;
    if let Some(IdRow { message: first, .. }) = known {
        row.columns.status = InboxStatus::Processed;
        row.columns.outcome = Some(Outcome::Duplicate);
        row.columns.processed_at = Some(now);
        inbox.exceptions.put(id, row);
        return Reparsed::Duplicate(first);
    }
    // Its own id stays known with the content that it came with: it may come again.
    if !inbox.ids.contains_key(&new.dedupe_key) {
        let known = IdRow { message: id, content: new.content, received_at: now };
        inbox.ids.insert_mut(new.dedupe_key, known);
    }
    inbox.log.insert_mut(id, Arc::new(decoded_again(&old, new)));
    row.lane = new.lane;
    row.key.clone_from(&new.order_key);
    row.failure = None;
    row.columns.status = InboxStatus::Received;
    row.columns.stage = None;
    row.due = Some(now);
    if let Some(key) = &new.order_key {
        // What comes later waits until it has been processed.
        inbox.blocks.bar(key, id);
        if inbox.blocks.blocked_by(key, id).is_some() {
            row.hold();
        }
    }
    inbox.exceptions.put(id, row);
    Reparsed::Done
}

/// The first message of the same order key that was processed before its turn.
fn first_processed_after(
    inbox: &InboxTables,
    id: InboxId,
    message: &NewMessage,
) -> Option<InboxId> {
    let key = message.order_key.as_ref()?;
    let later = inbox.log.range(InboxId(id.0 + 1)..);
    let of_key = later.filter(|(_, other)| other.order_key().as_ref() == Some(key));
    of_key.map(|(other, _)| *other).find(|other| had_effects(inbox, *other))
}

fn had_effects(inbox: &InboxTables, id: InboxId) -> bool {
    let aside = inbox.exceptions.get(id).and_then(|row| row.columns.outcome);
    let outcome = inbox.done.get(&id).map(|row| row.outcome).or(aside);
    outcome.is_some_and(|outcome| !matches!(outcome, Outcome::Skipped | Outcome::Ignored))
}
