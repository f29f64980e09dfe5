//! A message that is processed once more: a new message of the same content, which names the first.

use dipmo_domain::{ContentHash, Headers, HeadersError, InboxId};

use crate::{Body, Message, NewMessage};

/// The header of a message that repeats another one; its value is the number of that one.
pub const REPLAY_OF: &str = "dipmo-replay-of";

/// `SOURCE_SYSTEM` of what tells a process how an intent of its ended.
pub const ANSWERS: &str = "outcome";

/// How the ids of such messages begin.
const PREFIX: &str = "replay:";

/// The id of the message by which an operation repeats another one. Asked for twice it is the same: whoever goes on
/// after a crash is recognised.
#[must_use]
pub fn replay_id(operation: i64, of: InboxId) -> String {
    format!("{PREFIX}{operation}:{}", of.0)
}

/// True for the id of a message that repeats another one.
#[must_use]
pub fn is_replay(message_id: &str) -> bool {
    message_id.starts_with(PREFIX)
}

impl Message {
    /// The message that this one repeats.
    #[must_use]
    pub fn replay_of(&self) -> Option<InboxId> {
        let (_, of) = self.message_id.strip_prefix(PREFIX)?.split_once(':')?;
        of.parse().ok().map(InboxId)
    }

    /// The same message once more, under an id of its own. Without its version nobody compares it with what came
    /// since. `None` when it was never decoded.
    ///
    /// # Errors
    /// When something else than dipmo wrote the headers.
    pub fn again(&self, id: &str, with_version: bool) -> Result<Option<NewMessage>, HeadersError> {
        let Some(payload) = &self.payload else { return Ok(None) };
        let told = self.headers()?;
        let others = told.as_slice().iter().filter(|header| header.name != REPLAY_OF);
        let headers = Headers::new(others.cloned().collect());
        let mut again = NewMessage {
            message_id: self.message_id.clone(),
            source_system: self.source_system.clone(),
            topic: self.topic.clone(),
            partition: self.partition,
            offset: self.offset,
            key_str: self.key_str.clone(),
            aggregate_id: self.aggregate_id.clone(),
            event_type: self.event_type.clone(),
            event_version: self.event_version,
            source_version: self.source_version.filter(|_| with_version),
            body: Body::Json(payload.clone()),
            headers: headers.with(REPLAY_OF, &self.id.0.to_string()),
            event_ts: self.event_ts,
            originals: self.originals.clone(),
            order_key: self.order_key(),
            lane: self.lane,
            dedupe_key: dipmo_domain::DedupeKey::of(&self.source_system, id),
            content: ContentHash::of(Some(payload.as_str().as_bytes())),
            blocks_key: false,
            mirrored_to: None,
        };
        again.rename(id);
        Ok(Some(again))
    }
}

#[cfg(test)]
mod tests {
    use dipmo_domain::{Json, Timestamp};

    use super::*;
    use crate::{Identity, Record};

    fn stored(id: &str) -> Message {
        let record = Record {
            topic: "orders".to_owned(),
            offset: 7,
            key: Some(b"K".to_vec()),
            headers: Headers::default().with("trace", "17"),
            value: Some(br#"{"z": 1.50}"#.to_vec()),
            ..Record::default()
        };
        let identity = Identity {
            message_id: Some(id.to_owned()),
            source_system: "crm".to_owned(),
            aggregate_id: Some("O-1".to_owned()),
            event_type: Some("Placed".to_owned()),
            source_version: Some(3),
            ..Identity::default()
        };
        let new = NewMessage::from_record(&record, &identity);
        Message::of(InboxId(42), &new, Timestamp::EPOCH).unwrap()
    }

    #[test]
    fn it_says_the_same_under_another_id_and_names_the_first() {
        let first = stored(&"long ".repeat(100));
        let again = first.again(&replay_id(5, first.id), true).unwrap().unwrap();
        assert_eq!(
            (again.message_id.as_str(), again.originals.message_id.as_ref()),
            ("replay:5:42", None)
        );
        assert!(is_replay(&again.message_id) && !is_replay(&first.message_id));
        assert_eq!(again.headers.text(REPLAY_OF), Some("42"));
        assert_eq!(again.headers.text("trace"), Some("17"));
        assert_eq!((again.lane, again.order_key.clone()), (first.lane, first.order_key()));
        assert_eq!(again.source_version, Some(3));
        let row = Message::of(InboxId(43), &again, Timestamp::EPOCH).unwrap();
        assert_eq!((row.replay_of(), first.replay_of()), (Some(first.id), None));
        assert_eq!(row.payload, first.payload);
        assert_eq!(row.key(), first.key());
        assert_eq!(again.dedupe_key, dipmo_domain::DedupeKey::of("crm", "replay:5:42"));
        let third = row.again(&replay_id(6, row.id), false).unwrap().unwrap();
        assert_eq!(third.source_version, None);
        let names = third.headers.as_slice().iter().filter(|it| it.name == REPLAY_OF);
        assert_eq!((names.count(), third.headers.text(REPLAY_OF)), (1, Some("43")));
    }

    #[test]
    fn what_was_never_decoded_is_not_repeated() {
        let message = Message { payload: None, ..stored("o-1") };
        assert_eq!(message.again("replay:1:1", true).unwrap(), None);
    }

    #[test]
    fn what_an_operator_edited_is_repeated_as_it_was_edited() {
        let edited = Message { payload: Some(Json::parse("{}").unwrap()), ..stored("o-1") };
        let again = edited.again("replay:1:1", true).unwrap().unwrap();
        assert_eq!(again.body, Body::Json(Json::parse("{}").unwrap()));
    }
}
