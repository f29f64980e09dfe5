//! CloudEvents 1.0 in Kafka records, which tell who they are without any rule.

use std::borrow::Cow;
use std::sync::LazyLock;

use dipmo_domain::{Headers, Json};
use serde::Deserialize;

use crate::find::{Found, Pointers};
use crate::{Field, Pointer};

/// What is done with CloudEvents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CloudEvents {
    /// Attributes are read, and the payload is the data, in both modes: a process reads the same
    /// whichever mode a producer chose. The envelope is kept beside it. This is the default.
    #[default]
    Unwrap,
    /// Attributes are read, and the payload of the structured mode is the whole envelope.
    Keep,
    /// They are records like any other.
    Ignore,
}

/// The attributes of a CloudEvent.
pub(crate) enum Attributes<'a> {
    /// The record is none.
    None,
    /// Binary mode: in headers `ce_…`, the value is the data.
    Binary(&'a Headers),
    /// Structured mode: at the top of the value, the data among them.
    Structured(Found<'a>),
}

/// The data of a CloudEvent in structured mode.
pub(crate) enum Data<'a> {
    /// There is none.
    None,
    /// JSON, as it was written.
    Json(&'a str),
    /// Bytes, in base64.
    Base64(Cow<'a, str>),
}

/// Behind the attributes that hold fields, each in the place of its field's number.
const SPEC_VERSION: usize = Field::ALL.len();
const DATA: usize = SPEC_VERSION + 1;
const DATA_BASE64: usize = SPEC_VERSION + 2;

static ENVELOPE: LazyLock<Pointers> = LazyLock::new(|| {
    let fields = Field::ALL.into_iter().map(Field::attribute);
    Pointers::new(fields.chain(["specversion", "data", "data_base64"]).map(Pointer::to_field))
});

impl<'a> Attributes<'a> {
    /// Looks whether a record is a CloudEvent; its value is not known, or is no JSON.
    pub(crate) fn of_headers(headers: &'a Headers) -> Self {
        let marked = headers.as_slice().iter().any(|header| header.name.starts_with("ce_"));
        if marked { Self::Binary(headers) } else { Self::None }
    }

    /// Looks whether a record is a CloudEvent. Headers `ce_…` make it a binary one, whatever the
    /// value looks like.
    pub(crate) fn of(headers: &'a Headers, value: &'a Json) -> Self {
        match Self::of_headers(headers) {
            Self::None => structured(headers, value).map_or(Self::None, Self::Structured),
            binary => binary,
        }
    }

    /// The attribute that holds a field.
    pub(crate) fn get(&self, field: Field) -> Option<Cow<'_, str>> {
        match self {
            Self::None => None,
            Self::Binary(headers) => headers.text(field.ce_header()).map(Cow::Borrowed),
            Self::Structured(found) => found.text(field as usize),
        }
    }

    /// The data, if it is in an envelope.
    pub(crate) fn data(&self) -> Option<Data<'a>> {
        let Self::Structured(found) = self else {
            return None;
        };
        Some(match (found.json(DATA), found.text(DATA_BASE64)) {
            (Some(data), _) => Data::Json(data),
            (None, Some(base64)) => Data::Base64(base64),
            (None, None) => Data::None,
        })
    }
}

/// An object with `specversion` 1.x, `id`, `source` and `type`. A content type that says so need not
/// be followed by that version.
fn structured<'a>(headers: &Headers, value: &'a Json) -> Option<Found<'a>> {
    let declared = is_of_type(headers, "application/cloudevents+json");
    // Most records are none: they are not walked for that.
    if !declared && !value.as_str().contains("\"specversion\"") {
        return None;
    }
    let found = ENVELOPE.find(value);
    let version = found.text(SPEC_VERSION)?;
    let named = [Field::MessageId, Field::SourceSystem, Field::EventType];
    let complete = named.iter().all(|field| found.text(*field as usize).is_some());
    (complete && (declared || version.starts_with("1."))).then_some(found)
}

/// Whether a record says that it is many CloudEvents at once.
pub(crate) fn is_batch(headers: &Headers) -> bool {
    is_of_type(headers, "application/cloudevents-batch+json")
}

fn is_of_type(headers: &Headers, wanted: &str) -> bool {
    headers.text("content-type").is_some_and(|content_type| {
        let media_type = content_type.split(';').next().unwrap_or_default().trim();
        media_type.eq_ignore_ascii_case(wanted)
    })
}
