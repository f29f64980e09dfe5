//! The fields that are looked for in a record, and where without a rule.

use std::fmt;

/// What makes up the identity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// `MESSAGE_ID`; without one, `topic:partition:offset` stands in.
    MessageId,
    /// `AGGREGATE_ID`.
    AggregateId,
    /// `EVENT_TYPE`.
    EventType,
    /// `SOURCE_SYSTEM`; without one, the source's own name stands in.
    SourceSystem,
    /// `SOURCE_VERSION`: the producer's version of the aggregate.
    SourceVersion,
    /// `EVENT_VERSION`: the version of the event's contract.
    EventVersion,
    /// `EVENT_TS`; without one, the broker's time stands in.
    EventTime,
}

/// Its name in a rule, the attribute of a CloudEvent and its header, and the header without a rule.
struct Places {
    name: &'static str,
    attribute: &'static str,
    ce_header: &'static str,
    header: Option<&'static str>,
}

impl Field {
    /// Every field, each in the place of its number.
    pub(crate) const ALL: [Self; 7] = [
        Self::MessageId,
        Self::AggregateId,
        Self::EventType,
        Self::SourceSystem,
        Self::SourceVersion,
        Self::EventVersion,
        Self::EventTime,
    ];

    const fn places(self) -> Places {
        let (name, attribute, ce_header, header) = match self {
            Self::MessageId => ("message_id", "id", "ce_id", Some("message-id")),
            Self::AggregateId => ("aggregate_id", "subject", "ce_subject", Some("aggregate-id")),
            Self::EventType => ("event_type", "type", "ce_type", Some("event-type")),
            // Who may write to a topic may write any header; half of what makes a message unique
            // is only taken from there when a rule says so, or in a CloudEvent, which has one.
            Self::SourceSystem => ("source_system", "source", "ce_source", None),
            Self::SourceVersion => {
                ("source_version", "sequence", "ce_sequence", Some("source-version"))
            }
            Self::EventVersion => {
                ("event_version", "eventversion", "ce_eventversion", Some("event-version"))
            }
            Self::EventTime => ("event_time", "time", "ce_time", Some("event-time")),
        };
        Places { name, attribute, ce_header, header }
    }

    /// Its name in a rule, such as `aggregate_id`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.places().name
    }

    /// The attribute of a CloudEvent that holds it.
    pub(crate) const fn attribute(self) -> &'static str {
        self.places().attribute
    }

    /// The header of a CloudEvent in binary mode that holds it.
    pub(crate) const fn ce_header(self) -> &'static str {
        self.places().ce_header
    }

    /// The header that is looked at without a rule.
    pub(crate) const fn header(self) -> Option<&'static str> {
        self.places().header
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_stands_in_the_place_of_its_number() {
        for (at, field) in Field::ALL.into_iter().enumerate() {
            assert_eq!(field as usize, at);
            assert_eq!(field.ce_header(), format!("ce_{}", field.attribute()));
        }
    }
}
