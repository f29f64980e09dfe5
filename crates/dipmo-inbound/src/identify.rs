//! Puts the identity of a record together: rules first, then CloudEvents, then default headers.

use std::borrow::Cow;

use dipmo_domain::Timestamp;
use dipmo_inbox::{Identity, Record};

use crate::cloud_events::Attributes;
use crate::find::{Found, Pointers};
use crate::{Extractor, Field, Rules};

/// All that can be looked at for one record.
pub(crate) struct Sight<'a> {
    pub(crate) record: &'a Record,
    pub(crate) rules: &'a Rules,
    pub(crate) pointers: &'a Pointers,
    pub(crate) found: Found<'a>,
    pub(crate) attributes: Attributes<'a>,
}

impl Sight<'_> {
    /// What can be told of the record; a source system that it does not tell is empty.
    pub(crate) fn identity(&self) -> Identity {
        let text = |field| self.first(field, |text| Some(text.to_owned()));
        Identity {
            source_system: text(Field::SourceSystem).unwrap_or_default(),
            message_id: text(Field::MessageId),
            aggregate_id: text(Field::AggregateId),
            event_type: text(Field::EventType),
            event_version: self.first(Field::EventVersion, |text| text.parse().ok()),
            source_version: self.first(Field::SourceVersion, |text| text.parse().ok()),
            event_ts: self.first(Field::EventTime, event_time),
        }
    }

    /// The first field that a rule requires and nothing gives.
    pub(crate) fn missing(&self, identity: &Identity) -> Option<Field> {
        let lacks = |field: &Field| match field {
            Field::MessageId => identity.message_id.is_none(),
            Field::AggregateId => identity.aggregate_id.is_none(),
            Field::EventType => identity.event_type.is_none(),
            Field::SourceSystem => identity.source_system.is_empty(),
            Field::SourceVersion => identity.source_version.is_none(),
            Field::EventVersion => identity.event_version.is_none(),
            Field::EventTime => identity.event_ts.is_none(),
        };
        let mut required = Field::ALL.into_iter().filter(|f| self.rules.of(*f).is_required());
        required.find(lacks)
    }

    /// The first text for a field that is not empty and can be read.
    fn first<T>(&self, field: Field, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let read = |text: Cow<'_, str>| if text.is_empty() { None } else { read(&text) };
        let rule = self.rules.of(field);
        if !rule.is_empty() {
            return rule.extractors().iter().find_map(|way| self.look(way).and_then(read));
        }
        let header = || self.record.headers.text(field.header()?).map(Cow::Borrowed);
        self.attributes.get(field).and_then(read).or_else(|| header().and_then(read))
    }

    fn look<'s>(&'s self, extractor: &'s Extractor) -> Option<Cow<'s, str>> {
        match extractor {
            Extractor::Header(name) => self.record.headers.text(name).map(Cow::Borrowed),
            Extractor::Json(pointer) => self.found.text(self.pointers.slot(pointer)?),
            Extractor::Key => str::from_utf8(self.record.key.as_deref()?).ok().map(Cow::Borrowed),
            Extractor::Const(text) => Some(Cow::Borrowed(text)),
        }
    }
}

/// Digits are milliseconds since 1970, all else is RFC 3339.
fn event_time(text: &str) -> Option<Timestamp> {
    match text.parse::<i64>() {
        Ok(millis) => millis.checked_mul(1_000).and_then(Timestamp::from_micros),
        Err(_) => Timestamp::from_rfc3339(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_millis_or_rfc_3339() {
        let micros = |text| event_time(text).map(Timestamp::as_micros);
        assert_eq!(micros("1700000000123"), Some(1_700_000_000_123_000));
        assert_eq!(micros("-1"), Some(-1_000));
        assert_eq!(micros("2023-11-14T23:13:20.123456+01:00"), Some(1_700_000_000_123_456));
        for nothing in ["yesterday", "2023-11-14", "", "9223372036854775807", "1.5"] {
            assert_eq!(micros(nothing), None, "{nothing}");
        }
    }
}
