//! Dead letters on their way out: intents like any other, written by the transaction in which their
//! message ends badly.

use dipmo_domain::{Destination, DestinationError, InboxId, OrderKey};
use dipmo_inbox::{DeadLetter, NewMessage, Stored, dead_letter};
use dipmo_outbox::NewIntent;

/// Where dead letters go: to a topic named after that of the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetters {
    /// What is put behind the name of the topic. Defaults to `-dlt`.
    pub suffix: String,
}

impl Default for DeadLetters {
    fn default() -> Self {
        Self { suffix: "-dlt".to_owned() }
    }
}

impl DeadLetters {
    /// `AGGREGATE_TYPE` of the intents.
    pub const AGGREGATE_TYPE: &str = dead_letter::AGGREGATE_TYPE;

    /// The intent that mirrors a message. `None` for one that has no topic beside its own: it did
    /// not come from Kafka, or is of a topic of letters.
    ///
    /// # Errors
    /// When the name of its topic is too long to get the suffix: the row in the inbox is all there
    /// is of it.
    pub fn intent(
        &self,
        letter: &DeadLetter,
        event_type: Option<&str>,
        order_key: Option<&OrderKey>,
        cause: InboxId,
    ) -> Result<Option<NewIntent>, DestinationError> {
        let destination = dead_letter::destination(&letter.record.topic, &self.suffix)?;
        Ok(destination.map(|to| intent(letter, to, event_type, order_key, cause)))
    }
}

/// The intents that mirror what could not be decoded, of messages that were just stored: of those
/// that are new, so that a record that comes again is mirrored once.
#[must_use]
pub fn serde_letters(messages: &[NewMessage], stored: &[Stored]) -> Vec<NewIntent> {
    let letter = |(message, stored): (&NewMessage, &Stored)| {
        let (Stored::New(id), Some((letter, to))) = (stored, message.dead_letter()) else {
            return None;
        };
        let (event_type, key) = (message.event_type.as_deref(), message.order_key.as_ref());
        Some(intent(&letter, to.clone(), event_type, key, *id))
    };
    messages.iter().zip(stored).filter_map(letter).collect()
}

fn intent(
    letter: &DeadLetter,
    destination: Destination,
    event_type: Option<&str>,
    order_key: Option<&OrderKey>,
    cause: InboxId,
) -> NewIntent {
    let alone = || OrderKey::new(&letter.message_id);
    NewIntent {
        aggregate_type: DeadLetters::AGGREGATE_TYPE.to_owned(),
        aggregate_id: order_key.cloned().unwrap_or_else(alone).as_str().to_owned(),
        event_type: event_type.unwrap_or("DeadLetter").to_owned(),
        event_version: 1,
        payload: letter.payload(),
        headers: letter.headers(),
        destination,
        records: Vec::new(),
        reply_to: None,
        cause: Some(cause),
        // Nobody waits for it since then: that its message failed is another matter.
        caused_at: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dipmo_domain::{ErrorStage, Failure};
    use dipmo_inbox::{Ending, Identity, Record};

    fn letter(topic: &str) -> DeadLetter {
        let failure = Failure::new("refused", "no such family");
        DeadLetter {
            record: Record { topic: topic.to_owned(), ..Record::default() },
            source_system: "ihub".to_owned(),
            message_id: "7".to_owned(),
            ending: Ending { stage: ErrorStage::Business, failure, attempts: 1, retried: 0 },
        }
    }

    #[test]
    fn letters_of_a_key_stay_in_order() {
        let key = OrderKey::new("F-1");
        let intent = |key| {
            let intent = DeadLetters::default().intent(&letter("orders"), None, key, InboxId(1));
            intent.unwrap().unwrap()
        };
        assert_eq!(intent(Some(&key)).order_key(), key);
        assert_eq!(intent(None).aggregate_id, "7");
    }

    #[test]
    fn a_topic_whose_name_is_too_long_is_an_error() {
        let long = letter(&"x".repeat(249));
        assert!(DeadLetters::default().intent(&long, None, None, InboxId(1)).is_err());
    }

    #[test]
    fn trap_3_only_poison_that_is_new_has_a_letter() {
        let message = |value: &[u8], mirrored_to: Option<&str>| {
            let record = Record { value: Some(value.to_vec()), ..Record::default() };
            let mirrored_to = mirrored_to.map(|to| to.parse().unwrap());
            let message = NewMessage::from_record(&record, &Identity::default());
            NewMessage { mirrored_to, ..message }
        };
        let to = Some("KAFKA:orders-dlt");
        let messages = [
            message(b"\xff", to),
            message(b"\xff", to),
            message(b"\xff", None),
            message(b"{}", to),
        ];
        let new = |id| Stored::New(InboxId(id));
        let stored = [new(1), Stored::Duplicate(InboxId(1)), new(3), new(4)];
        let letters = serde_letters(&messages, &stored);
        assert_eq!(letters.iter().map(|it| it.cause).collect::<Vec<_>>(), [Some(InboxId(1))]);
    }
}
