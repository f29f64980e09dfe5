//! Dead letters on their way out: intents like any other, written by the transaction in which their
//! message ends badly.

use dipmo_domain::{Destination, InboxId, OrderKey};
use dipmo_inbox::DeadLetter;
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
    pub const AGGREGATE_TYPE: &str = "DEAD_LETTER";

    /// The intent that mirrors a message. `None` for one that did not come from Kafka, or from a
    /// topic whose name is too long to get the suffix: the row in the inbox is all there is of it.
    #[must_use]
    pub fn intent(
        &self,
        letter: &DeadLetter,
        event_type: Option<&str>,
        order_key: Option<&OrderKey>,
        cause: InboxId,
    ) -> Option<NewIntent> {
        let topic = &letter.record.topic;
        // Topics of our own, such as `timer:HIT`, have a colon; those of Kafka cannot.
        if topic.contains(':') {
            return None;
        }
        let destination: Destination = format!("KAFKA:{topic}{}", self.suffix).parse().ok()?;
        let alone = || OrderKey::new(&letter.message_id);
        Some(NewIntent {
            aggregate_type: Self::AGGREGATE_TYPE.to_owned(),
            aggregate_id: order_key.cloned().unwrap_or_else(alone).as_str().to_owned(),
            event_type: event_type.unwrap_or("DeadLetter").to_owned(),
            event_version: 1,
            payload: letter.payload(),
            headers: letter.headers(),
            destination,
            records: Vec::new(),
            reply_to: None,
            cause: Some(cause),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dipmo_domain::{ErrorStage, Failure};
    use dipmo_inbox::{Ending, Record};

    fn letter(topic: &str) -> DeadLetter {
        let failure = Failure::new("refused", "no such family");
        DeadLetter {
            record: Record { topic: topic.to_owned(), ..Record::default() },
            source_system: "ihub".to_owned(),
            message_id: "7".to_owned(),
            ending: Ending { stage: ErrorStage::Business, failure, attempts: 1 },
        }
    }

    #[test]
    fn only_what_came_from_kafka_has_a_topic_beside_it() {
        let to = |topic: &str| {
            let intent = DeadLetters::default().intent(&letter(topic), None, None, InboxId(1));
            intent.map(|intent| intent.destination.to_string())
        };
        assert_eq!(to("orders").as_deref(), Some("KAFKA:orders-dlt"));
        assert_eq!(to("timer:HIT"), None);
        assert_eq!(to("internal:HIT"), None);
        assert_eq!(to(&"x".repeat(249)), None);
    }

    #[test]
    fn letters_of_a_key_stay_in_order() {
        let key = OrderKey::new("F-1");
        let intent = |key| DeadLetters::default().intent(&letter("orders"), None, key, InboxId(1));
        assert_eq!(intent(Some(&key)).unwrap().order_key(), key);
        assert_eq!(intent(None).unwrap().aggregate_id, "7");
    }
}
