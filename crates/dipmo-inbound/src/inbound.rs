//! The whole way of a record: found out who it is, decoded, and a message in any case.

use std::panic::{AssertUnwindSafe, catch_unwind};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dipmo_domain::{Code, DedupeKey, Destination, DestinationError, Failure, Json};
use dipmo_inbox::{DeadLetter, Ended, Ending, Identity, Message, NewMessage, Record, RestoreError};

use crate::cloud_events::{Attributes, Data, is_batch};
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
    /// Set when the record is a dead letter of dipmo that came back: the message is the original.
    pub returned: Option<CameBack>,
}

/// How a dead letter came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CameBack {
    /// By what its message was recognised when the letter was written.
    pub first: DedupeKey,
    /// How it had ended.
    pub ending: Ending,
    /// True when it was retried as often as the rules allow: it is not to be brought back.
    pub spent: bool,
}

/// Who says how a message is called.
#[derive(Clone, Copy)]
enum Name<'a> {
    /// Its record.
    Own,
    /// Its letter: a message keeps the name under which it failed, whatever the rules say now.
    Of(&'a DeadLetter),
    /// Its record, which may tell its real name now; its letter where it does not.
    Spare(&'a DeadLetter),
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

    /// The same rules for topics that have this in front of their names: those of one tenant, or of one run.
    ///
    /// # Errors
    /// When no topic can begin so.
    pub fn behind(mut self, prefix: &str) -> Result<Self, RuleError> {
        for (pattern, _) in &mut self.topics {
            *pattern = pattern.behind(prefix)?;
        }
        Ok(self)
    }

    /// A message of a record. Never fails: what cannot be decoded is a message as well.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "who decodes a record is done with it")]
    pub fn decode(&self, record: Record) -> Decoded {
        self.whatever_happens(&record, || self.by_rules(&record))
    }

    fn by_rules(&self, record: &Record) -> Decoded {
        let rules = &self.rules_of(&record.topic).rules;
        match DeadLetter::read(record).filter(|_| rules.dead_letters) {
            None => self.plain(record),
            Some(Ok(letter)) => self.returned(letter, rules),
            // Nobody could tell whose a dead letter is that is not complete.
            Some(Err(error)) => self.undecodable(record, Failure::from(&error)),
        }
    }

    /// A panic is a fault of ours, and it would come with this record again and again: nothing
    /// behind it would ever be read. So it is the failure of the record.
    fn whatever_happens(&self, record: &Record, decode: impl FnOnce() -> Decoded) -> Decoded {
        catch_unwind(AssertUnwindSafe(decode)).unwrap_or_else(|panic| {
            let said = panic.downcast_ref::<&str>().copied();
            let said = said.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            let said = said.unwrap_or("it did not say why");
            let message = format!("decoding it panicked: {said}");
            self.undecodable(record, Failure::coded(Code::new("record-decoder-panicked"), &message))
        })
    }

    /// Where a record of a topic is mirrored to when it cannot be decoded, by the rules of that
    /// topic; `None` is nowhere.
    ///
    /// # Errors
    /// When there can be no such topic, because its name is too long.
    pub fn mirror(&self, topic: &str) -> Result<Option<Destination>, DestinationError> {
        self.rules_of(topic).rules.mirror(topic)
    }

    /// Decodes a stored message once more, by the rules of now: after they were mended, say.
    ///
    /// # Errors
    /// When something else than dipmo wrote the row.
    pub fn reparse(&self, message: &Message) -> Result<Decoded, RestoreError> {
        Ok(self.decode(message.record()?))
    }

    fn plain(&self, record: &Record) -> Decoded {
        let topic = self.rules_of(&record.topic);
        let message = self.message(record, topic, Name::Own);
        Decoded { message, on_serde_error: topic.rules.on_serde_error, returned: None }
    }

    /// A dead letter that came back is the original, by the rules of the original's topic. Whether
    /// it comes back once more is said by those of the topic of letters.
    fn returned(&self, letter: DeadLetter, letters: &Rules) -> Decoded {
        let topic = self.rules_of(&letter.record.topic);
        let spent = letters.is_spent(letter.ending.retried);
        // What stays a letter is recognised by the name of the letter.
        let renames = !spent && letter.ending.ended() == Ended::Undecodable;
        let name = if renames { Name::Spare(&letter) } else { Name::Of(&letter) };
        let message = self.message(&letter.record, topic, name);
        let on_serde_error = topic.rules.on_serde_error;
        let first = DedupeKey::of(&letter.source_system, &letter.message_id);
        let returned = CameBack { first, ending: letter.ending, spent };
        Decoded { message, on_serde_error, returned: Some(returned) }
    }

    /// A record of which nothing but its bytes and its place is known.
    fn undecodable(&self, record: &Record, failure: Failure) -> Decoded {
        let source_system = self.source_system.clone();
        let identity = Identity { source_system, ..Identity::default() };
        Decoded {
            message: NewMessage::undecodable(record, &identity, failure),
            on_serde_error: self.rules_of(&record.topic).rules.on_serde_error,
            returned: None,
        }
    }

    /// True when there are rules for a topic.
    #[must_use]
    pub fn knows(&self, topic: &str) -> bool {
        self.topics.iter().any(|(pattern, _)| pattern.matches(topic))
    }

    fn rules_of(&self, topic: &str) -> &Compiled {
        let known = self.topics.iter().find(|(pattern, _)| pattern.matches(topic));
        known.map_or(&self.others, |(_, compiled)| compiled)
    }

    fn message(&self, record: &Record, topic: &Compiled, name: Name<'_>) -> NewMessage {
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
        let mut identity = sight.identity();
        if let Name::Of(letter) = name {
            identity.source_system.clone_from(&letter.source_system);
            identity.message_id = Some(letter.message_id.clone());
        }
        let missing = sight.missing(&identity);
        if let Name::Spare(letter) = name {
            fill_in(letter, &mut identity);
        }
        if identity.source_system.is_empty() {
            identity.source_system.clone_from(&self.source_system);
        }
        let binary = matches!(sight.attributes, Attributes::Binary(_));
        if wanted && !binary && value.is_some() && is_batch(&record.headers) {
            return NewMessage::undecodable(record, &identity, batch());
        }
        if let Some((bytes, Err(error))) = &value {
            return NewMessage::undecodable(record, &identity, not_json(error, bytes));
        }
        if let Some(field) = missing {
            return NewMessage::undecodable(record, &identity, lacks(field, rules));
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

fn fill_in(letter: &DeadLetter, identity: &mut Identity) {
    if identity.source_system.is_empty() {
        identity.source_system.clone_from(&letter.source_system);
    }
    if identity.message_id.is_none() {
        identity.message_id = Some(letter.message_id.clone());
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

/// A record is one message: its place is the name of one, and its key orders one.
fn batch() -> Failure {
    let said = "the record is a batch of CloudEvents (application/cloudevents-batch+json), which \
                Kafka does not know: send each event as a record of its own";
    Failure::coded(Code::new("cloudevents-batch"), said)
}

fn lacks(field: Field, rules: &Rules) -> Failure {
    let rule = rules.of(field);
    let said = format!("the record has no {field} that could be read by its rule \"{rule}\"");
    Failure::coded(Code::new("required-field-missing"), &said)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dipmo_inbox::Body;

    #[test]
    fn a_panic_is_the_failure_of_its_record() {
        let rules = Rules { on_serde_error: OnSerdeError::BlockKey, ..Rules::default() };
        let inbound = Inbound::new("shop").topic("orders", rules).unwrap();
        let record = Record {
            topic: "orders".to_owned(),
            partition: 3,
            offset: 7,
            key: Some(b"K-1".to_vec()),
            value: Some(b"{\"n\":1}".to_vec()),
            ..Record::default()
        };
        let decoded = inbound.whatever_happens(&record, || panic!("a hole in the decoder"));
        let Body::Undecodable { failure, .. } = &decoded.message.body else { panic!("decoded") };
        assert_eq!(failure.code(), "record-decoder-panicked");
        assert_eq!(failure.message(), "decoding it panicked: a hole in the decoder");
        assert_eq!(decoded.on_serde_error, OnSerdeError::BlockKey);
        assert_eq!(decoded.message.source_system, "shop");
        assert_eq!(decoded.message.record().unwrap(), record, "every byte of it");
    }
}
