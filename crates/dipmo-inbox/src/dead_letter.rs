//! Dead letters: how a message that ended badly is written to another topic, and read back from it.
//!
//! A mirrored record has the headers of the original, then the block of the constants below, which
//! begins with [`TOPIC`]. Whoever adds headers adds them behind. Both directions stand here, so that
//! what comes back is the original to the byte and is recognised as the same message.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dipmo_domain::{Code, Coded, ErrorStage, Failure, Header, Headers, Json};
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
/// How the value stands in the mirrored one: missing for itself, else `base64` or `tombstone`.
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
        if let Some(key) = &record.key {
            add(KEY, key);
        }
        if let Some(kind) = mirrored(record.value.as_deref()).1 {
            add(VALUE, kind.as_bytes());
        }
        Headers::new(all)
    }

    /// The value of the mirrored record: the original where that is JSON, readable for people. An
    /// intent carries JSON, so other bytes stand in a text of base64, and [`VALUE`] says so.
    #[must_use]
    pub fn payload(&self) -> Json {
        mirrored(self.record.value.as_deref()).0
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

/// What stands for a value, and how [`VALUE`] calls it.
fn mirrored(value: Option<&[u8]>) -> (Json, Option<&'static str>) {
    let Some(bytes) = value else {
        return (Json::null(), Some(TOMBSTONE_VALUE));
    };
    Json::from_bytes(bytes).map_or_else(
        |_| (Json::from_store(format!("\"{}\"", STANDARD.encode(bytes))), Some(BASE64_VALUE)),
        |json| (json, None),
    )
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
mod tests {
    use super::*;
    use dipmo_domain::{InboxId, Timestamp};
    use proptest::prelude::*;

    use crate::Identity;

    fn ending() -> Ending {
        let failure = Failure::new("handler-failed", "no such family");
        Ending { stage: ErrorStage::Business, failure, attempts: 11 }
    }

    /// What a publisher makes of it: another key, more headers behind.
    fn mirror(letter: &DeadLetter) -> Record {
        Record {
            topic: "orders-dlt".into(),
            partition: 1,
            offset: 99,
            key: Some(b"F-1".to_vec()),
            headers: letter.headers().with("message-id", "outbox:7").with("traceparent", "00"),
            timestamp_millis: 5,
            value: Some(letter.payload().as_str().as_bytes().to_vec()),
        }
    }

    fn record(value: Option<&[u8]>) -> Record {
        Record {
            topic: "orders".into(),
            partition: 3,
            offset: 42,
            headers: Headers::default().with("event-type", "Ordered"),
            timestamp_millis: 1_700_000_000_000,
            value: value.map(<[u8]>::to_vec),
            key: None,
        }
    }

    fn letter(record: &Record) -> DeadLetter {
        let identity = Identity { source_system: "ihub".into(), ..Identity::default() };
        DeadLetter::of_new(&NewMessage::from_record(record, &identity), ending()).unwrap()
    }

    #[test]
    fn the_headers_tell_people_what_happened() {
        let headers = letter(&record(Some(b"{}"))).headers();
        let all = headers.as_slice().iter().map(|header| {
            format!("{}={}", header.name, String::from_utf8_lossy(header.value.as_deref().unwrap()))
        });
        assert_eq!(
            all.collect::<Vec<_>>(),
            [
                "event-type=Ordered",
                "dipmo-dlt-topic=orders",
                "dipmo-dlt-partition=3",
                "dipmo-dlt-offset=42",
                "dipmo-dlt-timestamp=1700000000000",
                "dipmo-dlt-source-system=ihub",
                "dipmo-dlt-message-id=orders:3:42",
                "dipmo-dlt-stage=BUSINESS",
                "dipmo-dlt-error-code=handler-failed",
                "dipmo-dlt-error-message=no such family",
                "dipmo-dlt-attempts=11",
            ]
        );
    }

    #[test]
    fn what_is_json_stays_readable() {
        assert_eq!(letter(&record(Some(b"{ }"))).payload().as_str(), "{ }");
        assert_eq!(letter(&record(Some(b"\xff"))).payload().as_str(), "\"/w==\"");
        assert_eq!(letter(&record(None)).payload().as_str(), "null");
    }

    #[test]
    fn a_letter_of_a_row_and_of_a_new_message_are_the_same() {
        let long = Identity { message_id: Some("x".repeat(300)), ..Identity::default() };
        let new = NewMessage::from_record(&record(None), &long);
        let row = Message::of(InboxId(1), &new, Timestamp::EPOCH).unwrap();
        let letter = DeadLetter::of(&row, ending()).unwrap();
        assert_eq!(letter.message_id, "x".repeat(300), "the whole id, so that it is recognised");
        assert_eq!(letter, DeadLetter::of_new(&new, ending()).unwrap());
    }

    #[test]
    fn a_letter_that_is_not_complete_says_what_is_wrong() {
        let whole = mirror(&letter(&record(None)));
        for header in whole.headers.as_slice().iter().filter(|header| header.name != TOPIC) {
            let others = whole.headers.as_slice().iter().filter(|other| *other != header);
            let headers = Headers::new(others.cloned().collect());
            let read = DeadLetter::read(&Record { headers, ..whole.clone() }).unwrap();
            let needed = header.name.starts_with("dipmo-dlt-") && header.name != VALUE;
            assert_eq!(read.is_err(), needed, "{}", header.name);
        }
        let odd = Headers::default().with(TOPIC, "orders").with(PARTITION, "three");
        let error = DeadLetter::read(&Record { headers: odd, ..whole }).unwrap().unwrap_err();
        assert_eq!(
            error.to_string(),
            "a dead letter cannot be read: dipmo-dlt-partition is \"three\""
        );
    }

    #[test]
    fn a_record_like_any_other_is_no_letter() {
        assert_eq!(DeadLetter::read(&record(None)), None);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            value in prop::option::of(prop_oneof![
                prop::collection::vec(any::<u8>(), 0..30),
                Just(b"null".to_vec()),
                Just(b"\"/w==\"".to_vec()),
            ]),
            key in prop::option::of(prop::collection::vec(any::<u8>(), 0..9)),
            names in prop::collection::vec("a|dipmo-dlt-(topic|offset|key|value)", 0..5),
            timestamp_millis in any::<i64>(),
        ) {
            let header = |name| Header { name, value: Some(b"1".to_vec()) };
            let headers = Headers::new(names.into_iter().map(header).collect());
            let written = letter(&Record { key, headers, timestamp_millis, ..record(value.as_deref()) });
            prop_assert_eq!(DeadLetter::read(&mirror(&written)), Some(Ok(written)));
        }
    }
}
