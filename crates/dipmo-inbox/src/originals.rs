//! What a record carried that the columns of the seeds cannot hold exactly.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dipmo_domain::{Timestamp, fit};
use serde::{Deserialize, Serialize};

use crate::Body;

/// The `ORIGINALS` column: NULL for almost every message, else the fields whose column differs.
///
/// They are kept beside `HEADERS` and not in it, because headers come back as they came.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Originals {
    /// The key, when it is no text, has a NUL or is longer than `KEY_STR`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_base64: Option<String>,
    /// The whole `MESSAGE_ID`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// The whole `SOURCE_SYSTEM`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_system: Option<String>,
    /// The whole `TOPIC`: Kafka allows 249 characters, the seeds 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// The whole `AGGREGATE_ID`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregate_id: Option<String>,
    /// The whole `EVENT_TYPE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_type: Option<String>,
    /// The broker's timestamp, when `EVENT_TS` is another: no database can show it, or the event
    /// itself tells its time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_ts_millis: Option<i64>,
    /// What stood before and behind `PAYLOAD` in the value, when it is a part of it, as the data of
    /// an envelope is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub around: Option<[String; 2]>,
    /// The value, when `PAYLOAD` is no part of it, or when it is the text `null`, which as a
    /// `PAYLOAD` is a tombstone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_base64: Option<String>,
    /// True for a tombstone that could not be taken: its `RAW_PAYLOAD_BASE64` is empty, as that of
    /// an empty value is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tombstone: bool,
}

impl Originals {
    /// True when every column holds its field exactly.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The bytes of the key, from `KEY_STR` or from here.
    #[must_use]
    pub fn key(&self, key_str: Option<&str>) -> Option<Vec<u8>> {
        match &self.key_base64 {
            Some(base64) => STANDARD.decode(base64).ok(),
            None => key_str.map(|text| text.as_bytes().to_vec()),
        }
    }
}

/// Fits a text into its column and keeps the original when that changed it.
pub(crate) fn fit_into(text: &str, max_chars: usize, original: &mut Option<String>) -> String {
    let fitted = fit(text, max_chars);
    *original = fitted.original;
    fitted.text
}

/// The broker's timestamp as `EVENT_TS` tells it; `-1` is none.
pub(crate) fn shown_millis(event_ts: Option<Timestamp>) -> i64 {
    event_ts.map_or(-1, |time| time.as_micros().div_euclid(1_000))
}

/// What stands in `PAYLOAD` for a record without a value.
pub(crate) const TOMBSTONE: &str = "null";

/// Keeps what `body` does not tell of a value.
pub(crate) fn keep_value(value: Option<&[u8]>, body: &Body, originals: &mut Originals) {
    let payload = match body {
        Body::Undecodable { .. } => {
            originals.tombstone = value.is_none();
            return;
        }
        Body::Json(payload) => payload.as_str(),
    };
    let is_null = payload == TOMBSTONE;
    let Some(value) = value else {
        originals.tombstone = !is_null;
        return;
    };
    if value == payload.as_bytes() && !is_null {
        return;
    }
    // The place does not matter as long as the three parts are the value again.
    let text = str::from_utf8(value).ok().filter(|text| *text != payload);
    match text.and_then(|text| text.split_once(payload)) {
        Some((before, after)) => originals.around = Some([before.to_owned(), after.to_owned()]),
        None => originals.value_base64 = Some(STANDARD.encode(value)),
    }
}

/// `KEY_STR` of a key, and its exact bytes when that is not the same.
pub(crate) fn fit_key(key: &[u8], original: &mut Option<String>) -> String {
    const KEY_STR_CHARS: usize = 4_000;
    let fitted = fit(&String::from_utf8_lossy(key), KEY_STR_CHARS);
    if fitted.text.as_bytes() != key {
        *original = Some(STANDARD.encode(key));
    }
    fitted.text
}
