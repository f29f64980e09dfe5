//! Processing messages once more: which of them can be, and how they are found.

use dipmo_domain::{InboxStatus, StoreError, Timestamp};
use dipmo_inbox::{ANSWERS, InboxRow, Stored, is_replay};

use super::browse::Browse;
use super::ended::{Step, Walk};
use super::filter::MessageFilter;
use super::lines::MessageLine;
use crate::{Acted, Reparsed, is_blank};

/// What becomes of the wish that a message be processed once more: it must have been processed, and its id must be
/// one that would be known if it came again.
#[must_use]
pub fn replayable(row: Option<&InboxRow>, horizon: Option<Timestamp>) -> Acted<InboxStatus> {
    let Some(row) = row else { return Acted::NotFound };
    match row.status {
        InboxStatus::Processed if horizon.is_some_and(|it| row.message.received_at < it) => {
            Acted::PastHorizon
        }
        InboxStatus::Processed if row.message.payload.as_ref().is_some_and(is_blank) => {
            Acted::Erased
        }
        // A process that asked how an intent ended has heard of that.
        InboxStatus::Processed if row.message.source_system == ANSWERS => Acted::AlreadyEnded,
        // Skipped before it could be decoded: there is nothing to process.
        InboxStatus::Processed if row.message.payload.is_none() => Acted::AlreadyEnded,
        InboxStatus::Processed => Acted::Done,
        _ if row.held_behind.is_some() => Acted::Held,
        status => Acted::WrongStatus(status),
    }
}

/// What became of an item whose message was stored once more. Its id is one that only this operation gives; somebody
/// who sends such ids keeps it from being processed, and that is said.
#[must_use]
pub const fn replayed(stored: &Stored) -> &'static str {
    match stored {
        Stored::New(_) => Acted::<InboxStatus>::Done.word(),
        Stored::Duplicate(id) => Reparsed::Duplicate(*id).word(),
        Stored::Conflict(id) => Reparsed::Impostor(*id).word(),
    }
}

/// Messages that were processed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessedMessages {
    /// Their ids, the newest first.
    pub ids: Vec<i64>,
    /// When the oldest of them came.
    pub oldest: Option<Timestamp>,
}

/// The messages that were processed and that a filter finds; not those that repeat others themselves, so that asking
/// twice does not replay twice as many. `None` when the filter is too wide to be looked through.
///
/// # Errors
/// When the database does not answer.
pub async fn processed_messages<B: Browse + ?Sized>(
    store: &B,
    filter: &MessageFilter,
) -> Result<Option<ProcessedMessages>, StoreError> {
    let mut found = ProcessedMessages::default();
    if !filter.status.is_empty() && !filter.status.contains(&InboxStatus::Processed) {
        return Ok(Some(found));
    }
    let filter = MessageFilter { status: vec![InboxStatus::Processed], ..filter.clone() };
    let mut walk = Walk::default();
    loop {
        let listing = store.messages(&filter, walk.page).await?;
        let is_meant =
            |line: &&MessageLine| !is_replay(&line.message_id) && line.source_system != ANSWERS;
        for line in listing.rows.iter().filter(is_meant) {
            found.ids.push(line.id.0);
            let oldest = found.oldest.map_or(line.received_at, |it| it.min(line.received_at));
            found.oldest = Some(oldest);
        }
        match walk.step(listing.next) {
            Step::On => {}
            Step::End => return Ok(Some(found)),
            Step::TooWide => return Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use dipmo_domain::{InboxId, Json, Lane};
    use dipmo_inbox::{Identity, Message, NewMessage, Record};

    use super::*;

    fn row(status: InboxStatus) -> InboxRow {
        let new = NewMessage::decoded(&Record::default(), &Identity::default(), Json::null());
        let at = Timestamp::from_micros(1_000).unwrap();
        InboxRow {
            message: Message { lane: Lane::of(b"k"), ..Message::of(InboxId(7), &new, at).unwrap() },
            status,
            attempts: 1,
            next_attempt_at: None,
            processed_at: None,
            outcome: None,
            held_behind: None,
            error_stage: None,
            failure: None,
        }
    }

    #[test]
    fn what_was_processed_within_the_horizon_is_replayed() {
        let processed = row(InboxStatus::Processed);
        let at = Timestamp::from_micros;
        assert_eq!(replayable(Some(&processed), None), Acted::Done);
        assert_eq!(replayable(Some(&processed), at(1_000)), Acted::Done);
        assert_eq!(replayable(Some(&processed), at(1_001)), Acted::PastHorizon);
        assert_eq!(replayable(None, None), Acted::NotFound);
        let mut erased = processed.clone();
        erased.message.payload = Some(Json::from_store_str(crate::BLANK));
        assert_eq!(replayable(Some(&erased), None), Acted::Erased);
        let mut answer = processed.clone();
        answer.message.source_system = ANSWERS.to_owned();
        assert_eq!(replayable(Some(&answer), None), Acted::AlreadyEnded);
        let mut never_decoded = processed;
        never_decoded.message.payload = None;
        assert_eq!(replayable(Some(&never_decoded), None), Acted::AlreadyEnded);
    }

    #[test]
    fn what_goes_on_by_itself_or_failed_is_not() {
        for status in [InboxStatus::Received, InboxStatus::Failed, InboxStatus::SerdeError] {
            assert_eq!(replayable(Some(&row(status)), None), Acted::WrongStatus(status));
        }
        let held = InboxRow { held_behind: Some(InboxId(1)), ..row(InboxStatus::Received) };
        assert_eq!(replayable(Some(&held), None), Acted::Held);
    }
}
