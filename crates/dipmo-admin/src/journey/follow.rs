//! Forwards: what a message caused, and what that became, level by level.

use std::collections::HashSet;

use dipmo_domain::{DedupeKey, Destination, InboxId, OutboxId, OutboxStatus, StoreError};
use dipmo_inbox::InboxRow;
use dipmo_outbox::OutboxRow;
use dipmo_store::admin::Operable;

use super::origin::{How, answer_of, delivery_of};
use super::units::{self, Units};
use super::{LEVELS, NODES};
use crate::mask::Sight;
use crate::moment::Moment;
use crate::routes::intent::IntentLine;
use crate::routes::messages::MessageView;
use crate::routes::units::UnitView;

/// An answer is named after how often units of its intent were retried. It is looked for as if each had been once,
/// and so often more.
const RETRIES: u64 = 10;
/// So many names are looked up for a level.
const NAMES: usize = 5_000;

/// What was found, in the order in which it was.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) messages: Vec<FoundMessage>,
    pub(crate) intents: Vec<FoundIntent>,
    /// There is more than may be shown.
    pub(crate) cut: bool,
}

/// A message of the journey.
#[derive(Debug)]
pub(crate) struct FoundMessage {
    pub(crate) id: InboxId,
    /// The intent that it came of, and how.
    pub(crate) came_of: Option<(OutboxId, How)>,
    /// `None` when it is history by now.
    pub(crate) view: Option<MessageView>,
    pub(crate) event_ts: Option<Moment>,
}

/// An intent of the journey.
#[derive(Debug)]
pub(crate) struct FoundIntent {
    pub(crate) cause: InboxId,
    pub(crate) line: IntentLine,
    pub(crate) units: Vec<UnitView>,
    pub(crate) more_units: u64,
}

/// All that came of a message.
pub(crate) async fn from(
    store: &dyn Operable,
    row: &InboxRow,
    sight: Sight<'_>,
) -> Result<Found, StoreError> {
    let mut found = Found::default();
    found.take(row.message.id, None, Some(row), sight);
    let mut level = vec![row.message.id];
    for _ in 0..LEVELS {
        let rows = found.caused_by(store, &level).await?;
        let became = found.take_intents(store, &rows, sight).await?;
        level = found.take_messages(store, became, sight).await?;
        if level.is_empty() {
            return Ok(found);
        }
    }
    found.cut |= !store.caused_by(&level, 1).await?.is_empty();
    Ok(found)
}

/// What a message may be known by that came of an intent, and how it came.
type Became = (DedupeKey, OutboxId, How);

impl Found {
    fn room(&self) -> usize {
        NODES.saturating_sub(self.messages.len() + self.intents.len())
    }

    fn take(
        &mut self,
        id: InboxId,
        came_of: Option<(OutboxId, How)>,
        row: Option<&InboxRow>,
        sight: Sight<'_>,
    ) {
        let view = row.map(|row| MessageView::of_row(row, sight));
        let event_ts = row.and_then(|row| row.message.event_ts).map(Moment);
        self.messages.push(FoundMessage { id, came_of, view, event_ts });
    }

    /// The intents that messages caused, as many as there is room for.
    async fn caused_by(
        &mut self,
        store: &dyn Operable,
        messages: &[InboxId],
    ) -> Result<Vec<OutboxRow>, StoreError> {
        let room = self.room();
        let limit = u32::try_from(room + 1).unwrap_or(u32::MAX);
        let mut rows = store.caused_by(messages, limit).await?;
        self.cut |= rows.len() > room;
        rows.truncate(room);
        Ok(rows)
    }

    /// Takes intents with their units, and answers what they may have become.
    async fn take_intents(
        &mut self,
        store: &dyn Operable,
        rows: &[OutboxRow],
        sight: Sight<'_>,
    ) -> Result<Vec<Became>, StoreError> {
        let mut units = units::of(store, rows).await?;
        let mut became = Vec::new();
        for row in rows {
            let Some(cause) = row.cause else { continue };
            let units = units.remove(&row.id).unwrap_or_default();
            became.extend(messages_of(row, &units));
            self.intents.push(FoundIntent {
                cause,
                line: IntentLine::of(row, sight),
                units: units.lines.iter().map(|line| UnitView::of(line, sight)).collect(),
                more_units: units.more,
            });
        }
        Ok(became)
    }

    /// Takes the messages that are there, as many as there is room for, and answers which were taken.
    async fn take_messages(
        &mut self,
        store: &dyn Operable,
        mut became: Vec<Became>,
        sight: Sight<'_>,
    ) -> Result<Vec<InboxId>, StoreError> {
        self.cut |= became.len() > NAMES;
        became.truncate(NAMES);
        let keys: Vec<DedupeKey> = became.iter().map(|(key, _, _)| *key).collect();
        let known = if keys.is_empty() { Vec::new() } else { store.known(&keys).await? };
        let mut met: HashSet<InboxId> = self.messages.iter().map(|message| message.id).collect();
        let mut taken = Vec::new();
        for (known, (_, intent, how)) in known.into_iter().zip(became) {
            let Some(id) = known.map(|known| known.message).filter(|id| met.insert(*id)) else {
                continue;
            };
            if self.room() == 0 {
                self.cut = true;
                break;
            }
            let row = store.message(id).await?;
            self.take(id, Some((intent, how)), row.as_ref(), sight);
            taken.push(id);
        }
        Ok(taken)
    }
}

/// What messages that came of an intent may be known by.
fn messages_of(intent: &OutboxRow, units: &Units) -> Vec<Became> {
    let is_internal = matches!(intent.destination, Destination::Internal { .. });
    let delivered = units
        .lines
        .iter()
        .filter(|unit| is_internal && unit.status == OutboxStatus::Dispatched)
        .map(|unit| (delivery_of(unit.id), intent.id, How::Delivery));
    let all = units.lines.len() as u64 + units.more;
    let answers = if intent.reply_to.is_some() { all + RETRIES } else { 0 };
    let answers =
        (0..answers).map(|retried| (answer_of(intent.id, retried), intent.id, How::Answer));
    delivered.chain(answers).collect()
}
