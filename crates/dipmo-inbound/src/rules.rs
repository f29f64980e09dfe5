//! What is known about the records of a topic.

use dipmo_domain::{Destination, DestinationError};
use dipmo_inbox::dead_letter;
use serde::Deserialize;

use crate::{CloudEvents, Extraction, Extractor, Field, RuleError};

/// The rules of a topic. A field with a rule is taken from that rule alone; without one, from the
/// attributes of a CloudEvent, then from the header of its name (`message-id`, `aggregate-id`,
/// `event-type`, `source-version`, `event-version`, `event-time`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// `MESSAGE_ID`; without one, `topic:partition:offset` stands in.
    pub message_id: Extraction,
    /// `AGGREGATE_ID`; without one, messages are in order by the record's key.
    pub aggregate_id: Extraction,
    /// `EVENT_TYPE`.
    pub event_type: Extraction,
    /// `SOURCE_SYSTEM`; without one, that of [`crate::Inbound::new`] stands in.
    pub source_system: Extraction,
    /// The producer's version of the aggregate, a whole number.
    pub source_version: Extraction,
    /// The version of the event's contract, 0 to 65,535.
    pub event_version: Extraction,
    /// When it happened: digits are milliseconds since 1970, all else is RFC 3339. What cannot be
    /// read is nothing; without one, the broker's time stands in.
    pub event_time: Extraction,
    /// What is done with CloudEvents.
    pub cloud_events: CloudEvents,
    /// What happens to later messages of a key when one could not be decoded.
    pub on_serde_error: OnSerdeError,
    /// Mirrors records that cannot be decoded to the topic of the same name with this behind it,
    /// such as `-dlt`. Without it they are in the inbox only, which is the default.
    pub mirror_suffix: Option<String>,
    /// True for a topic of dead letters: each comes back as the message that it was, under its id.
    /// Whoever may write there can name any message; so it is not the default.
    pub dead_letters: bool,
    /// How often a message may have been retried for its letter to be brought back, so that a
    /// source that reads what its own engine mirrors comes to an end. Defaults to 5.
    pub most_retries: Option<u32>,
}

/// What happens to later messages of a key when one could not be decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnSerdeError {
    /// They are processed. This is the default: the message may have been worth nothing.
    #[default]
    Continue,
    /// They wait until somebody has decided about it.
    BlockKey,
}

impl Rules {
    const MOST_RETRIES: u32 = 5;

    /// Where a record of a topic is mirrored to when it cannot be decoded.
    pub(crate) fn mirror(&self, topic: &str) -> Result<Option<Destination>, DestinationError> {
        let Some(suffix) = &self.mirror_suffix else { return Ok(None) };
        dead_letter::destination(topic, suffix)
    }

    /// True when a message was retried so often that its letters stay where they are.
    pub(crate) fn is_spent(&self, retried: u32) -> bool {
        retried >= self.most_retries.unwrap_or(Self::MOST_RETRIES)
    }

    /// The rule of a field.
    #[must_use]
    pub const fn of(&self, field: Field) -> &Extraction {
        match field {
            Field::MessageId => &self.message_id,
            Field::AggregateId => &self.aggregate_id,
            Field::EventType => &self.event_type,
            Field::SourceSystem => &self.source_system,
            Field::SourceVersion => &self.source_version,
            Field::EventVersion => &self.event_version,
            Field::EventTime => &self.event_time,
        }
    }

    /// # Errors
    /// When a rule would do harm for its field.
    pub(crate) fn check(&self, topic: &str) -> Result<(), RuleError> {
        for field in Field::ALL {
            for extractor in self.of(field).extractors() {
                if let Some(problem) = harm(field, extractor) {
                    let topic = topic.to_owned();
                    return Err(RuleError::Field { topic, field: field.name(), problem });
                }
            }
        }
        if let Some(problem) = self.mirror_suffix.as_deref().and_then(no_suffix) {
            let topic = topic.to_owned();
            return Err(RuleError::Field { topic, field: "mirror_suffix", problem });
        }
        Ok(())
    }
}

/// Why a text cannot be the end of a topic's name.
fn no_suffix(suffix: &str) -> Option<String> {
    if suffix.is_empty() {
        return Some("it is empty: letters would go to the topic that they come from".to_owned());
    }
    dead_letter::destination("t", suffix).err().map(|error| error.problem)
}

fn harm(field: Field, extractor: &Extractor) -> Option<String> {
    match (field, extractor) {
        (Field::MessageId, Extractor::Const(text)) => Some(format!(
            "with const:{text} every record after the first would be a duplicate; leave it out and \
             topic:partition:offset stands in"
        )),
        (Field::EventTime, Extractor::Const(_) | Extractor::Key) => {
            Some(format!("{extractor} is no time of an event; use header:<name> or json:/<path>"))
        }
        (Field::SourceVersion, Extractor::Const(_)) => {
            Some("with one version for all, every record after the first would be stale".to_owned())
        }
        (Field::EventVersion, Extractor::Const(text)) => text
            .parse::<u16>()
            .is_err()
            .then(|| format!("{text:?} is no version; use a number from 0 to 65535")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_names_the_fields() {
        let rules: Rules = serde_json::from_str(
            r#"{
                "message_id": "header:message-id | json:/eventId",
                "aggregate_id": "json:/familyId | required",
                "cloud_events": "keep",
                "on_serde_error": "block_key",
                "mirror_suffix": "-dlt"
            }"#,
        )
        .unwrap();
        assert_eq!(rules.mirror_suffix.as_deref(), Some("-dlt"));
        assert_eq!(rules.message_id.extractors().len(), 2);
        assert!(rules.aggregate_id.is_required());
        assert_eq!(rules.cloud_events, CloudEvents::Keep);
        assert_eq!(rules.on_serde_error, OnSerdeError::BlockKey);
        let unknown = serde_json::from_str::<Rules>(r#"{"messageid":"key"}"#).unwrap_err();
        assert!(unknown.to_string().contains("expected one of `message_id`"), "{unknown}");
        let policy = serde_json::from_str::<Rules>(r#"{"on_serde_error":"stop"}"#).unwrap_err();
        assert!(policy.to_string().contains("`continue` or `block_key`"), "{policy}");
    }

    #[test]
    fn a_rule_that_would_do_harm_is_refused() {
        let of = |text: &str| text.parse::<Extraction>().unwrap();
        let harmful = [
            Rules { message_id: of("const:x"), ..Rules::default() },
            Rules { event_time: of("key"), ..Rules::default() },
            Rules { source_version: of("const:1"), ..Rules::default() },
            Rules { event_version: of("const:v1"), ..Rules::default() },
            Rules { mirror_suffix: Some(String::new()), ..Rules::default() },
            Rules { mirror_suffix: Some(" dlt".to_owned()), ..Rules::default() },
        ];
        for rules in harmful {
            let said = rules.check("orders").unwrap_err().to_string();
            assert!(said.contains("of topic \"orders\""), "{said}");
        }
        let fine = Rules { event_version: of("const:1"), ..Rules::default() };
        assert_eq!(fine.check("orders"), Ok(()));
    }
}
