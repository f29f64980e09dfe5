//! Records of a file: one JSON object a line.

use dipmo_api::MessageView;
use dipmo_domain::{Headers, InboxId, Json, Timestamp};
use dipmo_inbox::{NewMessage, Record};
use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

/// A line that is no record.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("this is no record: {0}")]
pub struct RecordError(String);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    topic: String,
    key: Option<String>,
    #[serde(default)]
    headers: serde_json::Map<String, Value>,
    #[serde(default)]
    value: Value,
}

/// Reads `{"topic": "…", "key": "…", "headers": {…}, "value": {…}}`; a value that is a text stands for its
/// bytes, `null` for a tombstone.
///
/// # Errors
/// When the line says something else.
pub fn record(line: &str, offset: i64) -> Result<Record, RecordError> {
    let line: Line = serde_json::from_str(line).map_err(|error| RecordError(error.to_string()))?;
    let mut headers = Headers::default();
    for (name, value) in &line.headers {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        headers = headers.with(name, &text);
    }
    let value = match line.value {
        Value::Null => None,
        Value::String(text) => Some(text.into_bytes()),
        value => Some(value.to_string().into_bytes()),
    };
    Ok(Record {
        topic: line.topic,
        partition: 0,
        offset,
        key: line.key.map(String::into_bytes),
        headers,
        timestamp_millis: -1,
        value,
    })
}

/// A message as a process sees it.
pub(super) fn view<'a>(
    message: &'a NewMessage,
    payload: &'a Json,
    number: usize,
) -> MessageView<'a> {
    MessageView {
        inbox_id: InboxId(i64::try_from(number).unwrap_or(i64::MAX)),
        message_id: &message.message_id,
        source_system: &message.source_system,
        topic: &message.topic,
        aggregate_id: message.aggregate_id.as_deref(),
        event_type: message.event_type.as_deref(),
        event_version: message.event_version,
        source_version: message.source_version,
        payload,
        headers: &message.headers,
        event_ts: message.event_ts,
        received_at: Timestamp::EPOCH,
        attempts: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_record_or_says_why_not() {
        let read =
            record(r#"{"topic":"t","key":"k","headers":{"n":1},"value":{"a":1}}"#, 3).unwrap();
        assert_eq!((read.topic.as_str(), read.offset), ("t", 3));
        assert_eq!(read.value.unwrap(), br#"{"a":1}"#);
        assert_eq!(read.headers.text("n"), Some("1"));
        assert_eq!(record(r#"{"topic":"t","value":"{"}"#, 0).unwrap().value.unwrap(), b"{");
        assert_eq!(record(r#"{"topic":"t"}"#, 0).unwrap().value, None);
        assert!(record(r#"{"topc":"t"}"#, 0).unwrap_err().to_string().contains("topc"));
    }
}
