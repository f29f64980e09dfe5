//! Dead letters: how a message that ended badly is written to another topic, and read back from it.
//!
//! A mirrored record has the headers of the original, then the block of the constants below, which
//! begins with [`TOPIC`]. Whoever adds headers adds them behind. Both directions stand here, so that
//! what comes back is the original to the byte and is recognised as the same message.
//!
//! An outbox holds JSON, and a value may be any bytes. What is no JSON stands in the intent as
//! base64, and [`VALUE`] says so; a publisher sends what [`on_the_wire`] gives it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dipmo_domain::{
    Code, Coded, Destination, DestinationError, ErrorStage, Failure, Header, Headers, Json,
};
use thiserror::Error;

use crate::{Message, NewMessage, Originals, Record, RestoreError};

/// The topic that the record came from; the first header of the block.
pub const TOPIC: &str = "dipmo-dlt-topic";
/// Its partition there.
pub const PARTITION: &str = "dipmo-dlt-partition";
/// Its offset there.
pub const OFFSET: &str = "dipmo-dlt-offset";
/// The broker's timestamp there, in milliseconds; `-1` is none.
pub const TIMESTAMP: &str = "dipmo-dlt-timestamp";
/// The bytes of its key, which a publisher may replace; missing when it had none.
pub const KEY: &str = "dipmo-dlt-key";
/// How the value stands in the intent: missing for itself, else `base64` or `tombstone`. A record
/// that went through [`on_the_wire`] does not have it.
pub const VALUE: &str = "dipmo-dlt-value";
/// `SOURCE_SYSTEM`.
pub const SOURCE_SYSTEM: &str = "dipmo-dlt-source-system";
/// `MESSAGE_ID`.
pub const MESSAGE_ID: &str = "dipmo-dlt-message-id";
/// `ERROR_STAGE`.
pub const STAGE: &str = "dipmo-dlt-stage";
/// `ERROR_CODE`.
pub const ERROR_CODE: &str = "dipmo-dlt-error-code";
/// `ERROR_MESSAGE`.
pub const ERROR_MESSAGE: &str = "dipmo-dlt-error-message";
/// `ATTEMPTS`.
pub const ATTEMPTS: &str = "dipmo-dlt-attempts";
/// How often the message had been retried after it failed: which of its letters this is.
pub const RETRIED: &str = "dipmo-dlt-retried";

/// `AGGREGATE_TYPE` of the intents that carry dead letters.
pub const AGGREGATE_TYPE: &str = "DEAD_LETTER";

const BASE64_VALUE: &str = "base64";
const TOMBSTONE_VALUE: &str = "tombstone";

/// How a message ended badly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Where.
    pub stage: ErrorStage,
    /// Why.
    pub failure: Failure,
    /// After how many attempts; 0 for one that could not be decoded.
    pub attempts: u32,
    /// How often it had been retried after it failed. No two letters of a message have the same
    /// number, so that it tells for which failure a letter was written.
    pub retried: u32,
}

/// A message that ended badly, with all that is needed to bring it back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetter {
    /// The record as it was delivered first.
    pub record: Record,
    /// `SOURCE_SYSTEM`, whole.
    pub source_system: String,
    /// `MESSAGE_ID`, whole: with the source system it makes a duplicate of what comes back.
    pub message_id: String,
    /// How it ended.
    pub ending: Ending,
}

/// A record that says it is a dead letter of dipmo, and is not complete.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("a dead letter cannot be read: {header} {problem}")]
pub struct DeadLetterError {
    /// The header, or [`VALUE`] for the value itself.
    pub header: &'static str,
    /// What is wrong with it.
    pub problem: String,
}

impl Coded for DeadLetterError {
    fn code(&self) -> Code {
        Code::new("dead-letter-unreadable")
    }
}

/// Where the dead letters of a topic go. `None` for what did not come from Kafka, and for a topic
/// that has the suffix itself: letters of letters would go from topic to topic without end.
///
/// # Errors
/// When there can be no such topic, because its name is too long.
pub fn destination(topic: &str, suffix: &str) -> Result<Option<Destination>, DestinationError> {
    // Topics of our own, such as `timer:HIT`, have a colon; those of Kafka cannot.
    if topic.contains(':') || topic.ends_with(suffix) {
        return Ok(None);
    }
    format!("KAFKA:{topic}{suffix}").parse().map(Some)
}

/// What a publisher sends for an intent with a letter: all headers but [`VALUE`], and the value as
/// it came, where `None` is a tombstone.
///
/// # Errors
/// When the payload is not what [`VALUE`] says.
pub fn on_the_wire(
    headers: &Headers,
    payload: &Json,
) -> Result<(Headers, Option<Vec<u8>>), DeadLetterError> {
    let headers = headers.as_slice();
    let block = headers.iter().rposition(|header| header.name == TOPIC).unwrap_or(headers.len());
    let value = Block(&headers[block..]).value(Some(payload.as_str().as_bytes()))?;
    let (original, block) = headers.split_at(block);
    let rest = block.iter().filter(|header| header.name != VALUE);
    Ok((Headers::new(original.iter().chain(rest).cloned().collect()), value))
}

impl DeadLetter {
    /// Of a message that is stored.
    ///
    /// # Errors
    /// When something else than dipmo wrote the row.
    pub fn of(message: &Message, ending: Ending) -> Result<Self, RestoreError> {
        let (source, id) = (&message.source_system, &message.message_id);
        Ok(Self::new(message.record()?, &message.originals, (source, id), ending))
    }

    /// Of a message that is about to be stored, because it could not be decoded.
    ///
    /// # Errors
    /// Never for a message that was made of a record.
    pub fn of_new(message: &NewMessage, ending: Ending) -> Result<Self, RestoreError> {
        let (source, id) = (&message.source_system, &message.message_id);
        Ok(Self::new(message.record()?, &message.originals, (source, id), ending))
    }

    fn new(
        record: Record,
        originals: &Originals,
        (source, id): (&String, &String),
        ending: Ending,
    ) -> Self {
        Self {
            record,
            source_system: originals.source_system.as_ref().unwrap_or(source).clone(),
            message_id: originals.message_id.as_ref().unwrap_or(id).clone(),
            ending,
        }
    }

    /// The headers of the mirrored record.
    #[must_use]
    pub fn headers(&self) -> Headers {
        let (record, ending) = (&self.record, &self.ending);
        let mut all = record.headers.as_slice().to_vec();
        let mut add = |name: &str, value: &[u8]| {
            all.push(Header { name: name.to_owned(), value: Some(value.to_vec()) });
        };
        add(TOPIC, record.topic.as_bytes());
        add(PARTITION, record.partition.to_string().as_bytes());
        add(OFFSET, record.offset.to_string().as_bytes());
        add(TIMESTAMP, record.timestamp_millis.to_string().as_bytes());
        add(SOURCE_SYSTEM, self.source_system.as_bytes());
        add(MESSAGE_ID, self.message_id.as_bytes());
        add(STAGE, ending.stage.as_str().as_bytes());
        add(ERROR_CODE, ending.failure.code().as_bytes());
        add(ERROR_MESSAGE, ending.failure.message().as_bytes());
        add(ATTEMPTS, ending.attempts.to_string().as_bytes());
        add(RETRIED, ending.retried.to_string().as_bytes());
        if let Some(key) = &record.key {
            add(KEY, key);
        }
        if let Some(kind) = self.carried().1 {
            add(VALUE, kind.as_bytes());
        }
        Headers::new(all)
    }

    /// The payload of the intent: the original where that is JSON, readable for people. Other bytes
    /// stand in a text of base64, and [`VALUE`] says so.
    #[must_use]
    pub fn payload(&self) -> Json {
        self.carried().0
    }

    /// What stands for the value, and how [`VALUE`] calls it.
    fn carried(&self) -> (Json, Option<&'static str>) {
        let Some(bytes) = self.record.value.as_deref() else {
            return (Json::null(), Some(TOMBSTONE_VALUE));
        };
        // What could not be decoded may be JSON that the database refuses, so it is not looked at.
        let readable = self.ending.stage != ErrorStage::ConsumerSerde;
        match readable.then(|| Json::from_bytes(bytes)) {
            Some(Ok(json)) => (json, None),
            _ => {
                let text = format!("\"{}\"", STANDARD.encode(bytes));
                (Json::from_store(text), Some(BASE64_VALUE))
            }
        }
    }

    /// Reads a mirrored record; `None` is a record that is no dead letter of dipmo.
    ///
    /// # Errors
    /// When it says that it is one, and is not complete.
    pub fn read(mirrored: &Record) -> Option<Result<Self, DeadLetterError>> {
        let headers = mirrored.headers.as_slice();
        let at = headers.iter().rposition(|header| header.name == TOPIC)?;
        let (original, block) = headers.split_at(at);
        Some(Block(block).letter(original, mirrored.value.as_deref()))
    }
}

/// The headers that dipmo wrote behind those of the original.
struct Block<'a>(&'a [Header]);

impl Block<'_> {
    fn letter(
        &self,
        original: &[Header],
        value: Option<&[u8]>,
    ) -> Result<DeadLetter, DeadLetterError> {
        let record = Record {
            topic: self.text(TOPIC)?.to_owned(),
            partition: self.parse(PARTITION)?,
            offset: self.parse(OFFSET)?,
            key: self.bytes(KEY).map(<[u8]>::to_vec),
            headers: Headers::new(original.to_vec()),
            timestamp_millis: self.parse(TIMESTAMP)?,
            value: self.value(value)?,
        };
        Ok(DeadLetter {
            record,
            source_system: self.text(SOURCE_SYSTEM)?.to_owned(),
            message_id: self.text(MESSAGE_ID)?.to_owned(),
            ending: Ending {
                stage: self.parse(STAGE)?,
                failure: Failure::new(self.text(ERROR_CODE)?, self.text(ERROR_MESSAGE)?),
                attempts: self.parse(ATTEMPTS)?,
                retried: self.parse(RETRIED)?,
            },
        })
    }

    fn value(&self, value: Option<&[u8]>) -> Result<Option<Vec<u8>>, DeadLetterError> {
        let wrong = |problem: &str| DeadLetterError { header: VALUE, problem: problem.to_owned() };
        match self.bytes(VALUE) {
            None => Ok(value.map(<[u8]>::to_vec)),
            Some(kind) if kind == TOMBSTONE_VALUE.as_bytes() => Ok(None),
            Some(kind) if kind == BASE64_VALUE.as_bytes() => {
                let quoted = value.and_then(|v| v.strip_prefix(b"\"")?.strip_suffix(b"\""));
                let decoded = quoted.and_then(|base64| STANDARD.decode(base64).ok());
                decoded.map(Some).ok_or_else(|| wrong("says base64, and the value is none"))
            }
            Some(_) => Err(wrong("is neither base64 nor tombstone")),
        }
    }

    fn bytes(&self, name: &str) -> Option<&[u8]> {
        self.0.iter().find(|header| header.name == name)?.value.as_deref()
    }

    fn text(&self, header: &'static str) -> Result<&str, DeadLetterError> {
        let wrong = |problem: &str| DeadLetterError { header, problem: problem.to_owned() };
        let bytes = self.bytes(header).ok_or_else(|| wrong("is missing"))?;
        str::from_utf8(bytes).map_err(|_| wrong("is no text"))
    }

    fn parse<T: std::str::FromStr>(&self, header: &'static str) -> Result<T, DeadLetterError> {
        let text = self.text(header)?;
        let wrong = |_| DeadLetterError { header, problem: format!("is {text:?}") };
        text.parse().map_err(wrong)
    }
}

#[cfg(test)]
mod tests;
