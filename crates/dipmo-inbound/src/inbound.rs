//! The whole way of a record: found out who it is, decoded, and a message in any case.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dipmo_domain::{Code, Failure, Json};
use dipmo_inbox::{Message, NewMessage, Record, RestoreError};

use crate::cloud_events::{Attributes, Data};
use crate::find::{Found, Pointers};
use crate::hint::not_json;
use crate::identify::Sight;
use crate::pattern::TopicPattern;
use crate::{CloudEvents, Extractor, Field, OnSerdeError, RuleError, Rules};

/// Makes messages of records, by the rules of their topics.
#[derive(Clone, Debug)]
pub struct Inbound {
    source_system: String,
    topics: Vec<(TopicPattern, Compiled)>,
    others: Compiled,
}

#[derive(Clone, Debug, Default)]
struct Compiled {
    rules: Rules,
    pointers: Pointers,
}

/// A record as a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// What is to be stored: understood, or undecodable with every byte.
    pub message: NewMessage,
    /// What happens to later messages of its key, should it be undecodable.
    pub on_serde_error: OnSerdeError,
}

impl Inbound {
    /// Without rules; `source_system` is the `SOURCE_SYSTEM` of records that do not tell theirs.
    #[must_use]
    pub fn new(source_system: impl Into<String>) -> Self {
        Self {
            source_system: source_system.into(),
            topics: Vec::new(),
            others: Compiled::default(),
        }
    }

    /// Rules for a topic, or for all that match a pattern such as `orders-*`. The first one that
    /// matches a topic is taken.
    ///
    /// # Errors
    /// When no topic can match, or a rule would do harm for its field.
    pub fn topic(mut self, pattern: &str, rules: Rules) -> Result<Self, RuleError> {
        rules.check(pattern)?;
        let extractors = Field::ALL.into_iter().flat_map(|field| rules.of(field).extractors());
        let pointers = Pointers::new(extractors.filter_map(|extractor| match extractor {
            Extractor::Json(pointer) => Some(pointer.clone()),
            _ => None,
        }));
        self.topics.push((TopicPattern::new(pattern)?, Compiled { rules, pointers }));
        Ok(self)
    }

    /// A message of a record. Never fails: what cannot be decoded is a message as well.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "who decodes a record is done with it")]
    pub fn decode(&self, record: Record) -> Decoded {
        let known = self.topics.iter().find(|(pattern, _)| pattern.matches(&record.topic));
        let topic = known.map_or(&self.others, |(_, compiled)| compiled);
        let on_serde_error = topic.rules.on_serde_error;
        Decoded { message: self.message(&record, topic), on_serde_error }
    }

    /// Decodes a stored message once more, by the rules of now: after they were mended, say.
    ///
    /// # Errors
    /// When something else than dipmo wrote the row.
    pub fn reparse(&self, message: &Message) -> Result<Decoded, RestoreError> {
        Ok(self.decode(message.record()?))
    }

    fn message(&self, record: &Record, topic: &Compiled) -> NewMessage {
        let value = record.value.as_deref().map(|bytes| (bytes, Json::from_bytes(bytes)));
        let wanted = topic.rules.cloud_events != CloudEvents::Ignore;
        let (found, attributes) = match &value {
            Some((_, Ok(json))) if wanted => {
                (topic.pointers.find(json), Attributes::of(&record.headers, json))
            }
            Some((_, Ok(json))) => (topic.pointers.find(json), Attributes::None),
            _ if wanted => (Found::default(), Attributes::of_headers(&record.headers)),
            _ => (Found::default(), Attributes::None),
        };
        let Compiled { rules, pointers } = topic;
        let sight = Sight { record, rules, pointers, found, attributes };
        let identity = sight.identity(&self.source_system);
        if let Some((bytes, Err(error))) = &value {
            return NewMessage::undecodable(record, &identity, not_json(error, bytes));
        }
        if let Some(field) = sight.missing(&identity) {
            return NewMessage::undecodable(record, &identity, missing(field, rules));
        }
        let data = match rules.cloud_events {
            CloudEvents::Unwrap => sight.attributes.data(),
            CloudEvents::Keep | CloudEvents::Ignore => None,
        };
        match data.map(payload) {
            None => {
                let whole = value.as_ref().and_then(|(_, json)| json.as_ref().ok()).cloned();
                NewMessage::decoded(record, &identity, whole.unwrap_or_else(Json::null))
            }
            Some(Ok(data)) => NewMessage::decoded(record, &identity, data),
            Some(Err(failure)) => NewMessage::undecodable(record, &identity, failure),
        }
    }
}

/// The data of an envelope as a payload.
fn payload(data: Data<'_>) -> Result<Json, Failure> {
    let failure = |why: String| {
        let said = format!("the data_base64 of this CloudEvent cannot be read: {why}");
        Failure::coded(Code::new("cloudevents-data-unreadable"), &said)
    };
    match data {
        Data::None => Ok(Json::null()),
        // A part of JSON that was checked.
        Data::Json(text) => Ok(Json::from_store_str(text)),
        Data::Base64(base64) => {
            let bytes = STANDARD.decode(base64.as_bytes()).map_err(|e| failure(e.to_string()))?;
            Json::from_bytes(&bytes)
                .map_err(|error| failure(not_json(&error, &bytes).message().to_owned()))
        }
    }
}

fn missing(field: Field, rules: &Rules) -> Failure {
    let rule = rules.of(field);
    let said = format!("the record has no {field} that could be read by its rule \"{rule}\"");
    Failure::coded(Code::new("required-field-missing"), &said)
}
